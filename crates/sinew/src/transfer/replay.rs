//! A motion performed again from its files, undisturbed or pushed.

use super::finished::fell_at_secs;
use super::limits::fall_sentence;
use super::{ClipInput, Controls, Performance, Target};
use crate::trajectory::Trajectory;
use anyhow::{Context, Result, bail};
use sinew_sim::{Character, Model, Scene, WorldMut};
use std::path::Path;
use std::sync::Arc;

/// A push on the root's centre of mass for 0.2 s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Force, N.
    pub newtons: f64,
    /// When it begins, s.
    pub at_secs: f64,
    /// Where it pushes to: degrees from the world's x axis, counter-clockwise seen from above.
    pub direction_deg: f64,
}

impl Push {
    /// How long it lasts, s.
    pub const SECS: f64 = 0.2;

    /// The force, N.
    pub fn force(&self) -> [f64; 3] {
        let (sin, cos) = libm::sincos(self.direction_deg.to_radians());
        [self.newtons * cos, self.newtons * sin, 0.0]
    }

    /// Whether it acts at a time.
    pub fn acts_at(&self, time_secs: f64) -> bool {
        (self.at_secs - 1e-9..self.at_secs + Push::SECS - 1e-9).contains(&time_secs)
    }

    /// Adds the force where it acts; forces of the last step have to be gone.
    fn act(&self, model: &Model, step: usize, world: &mut WorldMut<'_>) {
        if self.acts_at(step as f64 * model.dt()) {
            let center = world.as_world().measure().bodies[0].center_of_mass;
            world.add_force(0, self.force(), center);
        }
    }
}

/// A motion that was performed again.
pub struct Replay {
    /// What it was performed from.
    pub controls: Controls,
    /// The motion that was asked for.
    pub target: Target,
    /// Every step.
    pub run: Performance,
    /// FNV-1a of its trajectory.
    pub hash: String,
    /// When it fell.
    pub fell_at_secs: Option<f64>,
    /// When it fell and which limit was hit.
    pub fall: Option<String>,
}

impl Replay {
    /// Whether the trajectory is the one that was written, bit by bit.
    pub fn is_same(&self) -> bool {
        self.hash == self.controls.hash
    }
}

/// The controls in a folder, and its character on flat ground.
pub(crate) fn opened(folder: &Path) -> Result<(Controls, Arc<Model>)> {
    let controls = Controls::read(&folder.join("controls.json"))?;
    controls.config.check().with_context(|| folder.join("controls.json").display().to_string())?;
    let character = Character::read(&folder.join("character.toml"))?;
    let model = Arc::new(Model::new(&Scene::on_ground(character), controls.config.dt)?);
    Ok((controls, model))
}

/// Performs the motion in a folder again, open loop.
///
/// # Errors
/// Where a file is missing, damaged, or of another character.
pub fn replay(folder: &Path, push: Option<&Push>) -> Result<Replay> {
    let (controls, model) = opened(folder)?;
    let positions = controls.motion_values(&model)?;
    let input = ClipInput { name: &controls.clip, rate_hz: controls.rate_hz, positions: &positions };
    let target = Target::new(&model, &input)?;
    let solution =
        controls.solution.values(&target).with_context(|| folder.join("controls.json").display().to_string())?;
    if let Some(push) = push
        && !(0.0..=target.duration_secs()).contains(&push.at_secs)
    {
        bail!("--at {} s is outside of the motion, which lasts {:.2} s", push.at_secs, target.duration_secs());
    }
    let mut act = |step: usize, world: &mut WorldMut<'_>| {
        if let Some(push) = push {
            push.act(&model, step, world);
        }
    };
    let run = Performance::record(&target, &controls.config, &solution, &mut act)?;
    let hash = format!("{:016x}", Trajectory::of_performance(&model, &run).hash());
    let fell_at_secs = fell_at_secs(&target, &run);
    let fall = fell_at_secs.map(|secs| fall_sentence(&model, &run, secs));
    Ok(Replay { controls, target, run, hash, fell_at_secs, fall })
}
