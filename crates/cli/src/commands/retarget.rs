//! `sinew retarget`: clips of one skeleton on another.

use super::{check_outputs, show, write};
use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;
use sinew::export::export;
use sinew::motion::tools::find_clip;
use sinew::motion::{Clip, Format};
use sinew::retarget::{RetargetReport, joint_map, retarget_clip, retarget_strip};
use sinew::retargeting::{Posture, RetargetOptions, Retargeted};
use sinew::source::Source;
use std::path::{Path, PathBuf};

/// Options of `sinew retarget`.
#[derive(Args)]
pub struct Retarget {
    /// The character: a rigged file (GLB, glTF, FBX, BVH), or `dinosaur`, `human` or `quadruped`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The file with the clips
    #[arg(value_name = "MOTION")]
    motion: PathBuf,
    /// Clip, as you would say it; by default all
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// Which joints move which, as --map-out writes it; by default found
    #[arg(long, value_name = "map.toml")]
    map: Option<PathBuf>,
    /// Writes which joints move which, to be mended
    #[arg(long, value_name = "map.toml")]
    map_out: Option<PathBuf>,
    /// Ratio of the paths; by default that of the legs
    #[arg(long, value_name = "RATIO", allow_negative_numbers = true)]
    travel: Option<f64>,
    /// Leaves feet that slide while they stand as they are, instead of planting them
    #[arg(long)]
    keep_slides: bool,
    /// Writes the clip: BVH, or GLB, which is the character's glTF with the clip added; of other characters, capsules
    #[arg(short, long, value_name = "out.bvh|out.glb")]
    output: Option<PathBuf>,
    /// Draws moments of the clip on its own skeleton (thin) and on the character; of several clips the first
    #[arg(long, value_name = "strip.png")]
    film: Option<PathBuf>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Retarget {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        check_outputs(
            Some(&self.file),
            &[
                ("-o", self.output.as_ref(), &["bvh", "glb"]),
                ("--map-out", self.map_out.as_ref(), &["toml"]),
                ("--film", self.film.as_ref(), &["png"]),
            ],
        )?;
        if let Some(ratio) = self.travel.filter(|ratio| !(*ratio > 0.0 && ratio.is_finite())) {
            bail!("--travel {ratio} is no ratio; give a number above 0, such as 0.9");
        }
        let target = Source::open(&self.file, &[], &Default::default())?;
        let source = Source::open(&self.motion, &[], &Default::default())?;
        let file = self.motion.to_string_lossy();
        let map = joint_map(&source.rig, &target.rig, &file, self.map.as_deref())?;
        if let Some(path) = &self.map_out {
            write(path, map.to_toml().as_bytes(), self.json)?;
        }
        let clips = self.clips(&source)?;
        if self.output.is_some() && clips.len() > 1 {
            bail!("{file} has {} clips, but one is written; name it with --clip", clips.len());
        }
        let options = RetargetOptions { plant_feet: !self.keep_slides, scale: self.travel };
        let mut moved = Vec::new();
        for clip in &clips {
            moved.push(retarget_clip(&source.rig, clip, &target.rig, &map, &options, &file)?);
        }
        if let (Some(path), Some(first)) = (&self.output, moved.first()) {
            if target.rig.format != Format::Gltf && path.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb")) {
                self.say("the character is no glTF, so the bodies are capsules\n")?;
            }
            write(path, &export(&target, &first.clip, path)?, self.json)?;
        }
        if let (Some(path), Some(first)) = (&self.film, moved.first()) {
            let title = format!("{}, {} on {}", name(&self.motion), first.clip.name, target.name);
            let strip = retarget_strip(&source.rig, clips[0], &target.rig, &first.clip, title, 8);
            write(path, &strip.render()?.encode_png()?, self.json)?;
        }
        let posture = match map.posture {
            Posture::Same => "same",
            Posture::Own => "own",
        };
        if self.json {
            let clips: Vec<RetargetReport> = moved.iter().map(RetargetReport::from).collect();
            let report =
                json!({"character": target.name, "motion": name(&self.motion), "posture": posture, "clips": clips});
            return show(&(serde_json::to_string_pretty(&report)? + "\n"));
        }
        show(&text(&moved))
    }

    fn clips<'a>(&self, source: &'a Source) -> Result<Vec<&'a Clip>> {
        if source.rig.clips.is_empty() {
            bail!("{}: no clips to move; name a file that has some", self.motion.display());
        }
        Ok(match &self.clip {
            Some(name) => vec![find_clip(&source.rig.clips, name)?],
            None => source.rig.clips.iter().collect(),
        })
    }

    fn say(&self, text: &str) -> Result<()> {
        if self.json { Ok(()) } else { show(text) }
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn text(moved: &[Retargeted]) -> String {
    let width = moved.iter().map(|m| m.clip.name.chars().count()).max().unwrap_or(0).clamp(4, 44);
    let mut lines = vec![format!(
        "{:width$}  seconds  travel  stands  slide, median  and most  knees, elbows wrong  hands and feet off",
        "clip"
    )];
    for Retargeted { clip, figures, .. } in moved {
        let (slide, bends) = (&figures.foot_slide, &figures.bends);
        lines.push(format!(
            "{:width$}  {:>7.2}  {:>6.3}  {:>6}  {:>10.2} cm  {:>5.2} cm  {:>5}, {:<12}  {:.1} % of the height",
            clip.name,
            clip.duration_secs(),
            figures.scale,
            slide.contacts,
            slide.median_cm,
            slide.max_cm,
            bends.knees_wrong,
            bends.elbows_wrong,
            figures.effectors_off_percent
        ));
    }
    lines.join("\n") + "\n"
}
