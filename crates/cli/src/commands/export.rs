//! `sinew export`: a clip cut, joined, repeated or mirrored, as BVH or GLB.

use super::inspect::ReadArgs;
use super::{check_outputs, show, write};
use anyhow::{Result, bail};
use clap::Args;
use sinew::export::{ClipChanges, export};
use sinew::modeling::named_clip;
use sinew::motion::Format;
use std::path::PathBuf;

/// Options of `sinew export`.
#[derive(Args)]
pub struct Export {
    #[command(flatten)]
    read: ReadArgs,
    /// Clip, as you would say it; `jump+jump_idle+jump_land` joins three
    #[arg(long, value_name = "NAME")]
    clip: String,
    /// Cycles in a row, each going on from where the last one ended
    #[arg(long, value_name = "N")]
    repeat: Option<usize>,
    /// First second to keep
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    from: Option<f64>,
    /// Last second to keep
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    to: Option<f64>,
    /// Frames a second; by default as in the file
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    rate: Option<f64>,
    /// Left becomes right
    #[arg(long)]
    mirror: bool,
    /// Leaves the clip in place, floating or sloping as it is in the file
    #[arg(long)]
    keep_ground: bool,
    /// BVH in the source's units, or GLB: a glTF source with its mesh, skin and other clips and this clip added; of other sources, capsules
    #[arg(short, long, value_name = "out.bvh|out.glb")]
    output: PathBuf,
}

impl Export {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        check_outputs(Some(self.read.path()), &[("-o", Some(&self.output), &["bvh", "glb"])])?;
        if self.repeat == Some(0) {
            bail!("--repeat 0 leaves nothing; give 1 or more");
        }
        let source = self.read.open()?;
        let changes = ClipChanges {
            keep_ground: self.keep_ground,
            from_secs: self.from,
            to_secs: self.to,
            mirror: self.mirror,
            repeat: self.repeat,
            rate_hz: self.rate,
        };
        let clip = changes.apply(&source, &named_clip(&source.rig, &self.clip)?)?;
        let travel = clip.root_positions[clip.frame_count() - 1] - clip.root_positions[0];
        show(&format!(
            "{}: {} frames, {:.2} s, travels {:.2} m\n",
            clip.name,
            clip.frame_count(),
            clip.duration_secs(),
            travel.truncate().length()
        ))?;
        if source.rig.format != Format::Gltf && self.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb")) {
            show("the source is no glTF, so the bodies are capsules\n")?;
        }
        write(&self.output, &export(&source, &clip, &self.output)?, false)
    }
}
