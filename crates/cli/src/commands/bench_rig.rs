//! `sinew bench rig`: how long a rigged file takes to read, to model and to lay its clips onto the character.

use super::inspect::ReadArgs;
use super::show;
use anyhow::Result;
use clap::Args;
use sinew::modeler::{IkOptions, ModelOptions, fit_clip, model};
use std::time::Instant;

/// Measurements of each stage; the median counts.
const ROUNDS: usize = 5;

/// Options of `sinew bench rig`.
#[derive(Args)]
pub struct BenchRig {
    #[command(flatten)]
    read: ReadArgs,
}

impl BenchRig {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let source = self.read.open()?;
        let (skeleton, clips) = (&source.rig.skeleton, &source.rig.clips);
        let modeled = model(skeleton, clips, &ModelOptions::default())?;
        let frames: usize = clips.iter().map(|clip| clip.frame_count()).sum();
        let read = median_secs(|| self.read.open().map(drop))?;
        let made = median_secs(|| {
            model(skeleton, clips, &ModelOptions::default())?;
            Ok(())
        })?;
        let fitted = median_secs(|| {
            for clip in clips {
                fit_clip(&modeled.character, &modeled.binding, skeleton, clip, &IkOptions::default())?;
            }
            Ok(())
        })?;
        let (megabytes, joints) = (source.bytes.len() as f64 / 1e6, skeleton.joints.len());
        show(&format!(
            "{}: {megabytes:.2} MB, {joints} joints, {} bodies, {} clips, {frames} frames, one thread\n\
             read and repair  {:>8.1} ms\nmodel            {:>8.1} ms\ninverse kinematics {:>6.0} frames/s\n",
            source.name,
            modeled.character.bodies.len(),
            clips.len(),
            1e3 * read,
            1e3 * made,
            frames as f64 / fitted.max(1e-9),
        ))
    }
}

fn median_secs(mut stage: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut secs = Vec::new();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        stage()?;
        secs.push(began.elapsed().as_secs_f64());
    }
    secs.sort_by(f64::total_cmp);
    Ok(secs[ROUNDS / 2])
}
