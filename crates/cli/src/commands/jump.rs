//! `sinew jump`: one jump of a height, dialled from a front.

use super::show;
use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;
use sinew::pareto::{Dialled, Evaluator, Front, Source, dial, jump_strip};
use sinew::transfer::OutputFolder;
use std::path::PathBuf;
use std::time::Instant;

/// Options of `sinew jump`.
#[derive(Args)]
pub struct Jump {
    /// Height that the top of the head reaches, m; it stands at 1.6
    #[arg(long, value_name = "METRES")]
    height: f64,
    /// Folder of a front that `sinew pareto jump` has written; by default the one that comes with the program
    #[arg(long, value_name = "DIR")]
    front: Option<PathBuf>,
    /// Folder for the controller and a film strip of the jump
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Jump {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        if !(0.5..=20.0).contains(&self.height) {
            bail!("--height {}: give the height of the head in metres, from 0.5 to 20", self.height);
        }
        let front = match &self.front {
            Some(path) => Front::read(path)?,
            None => Front::embedded(),
        };
        // A front over distances lands anywhere.
        let evaluator = Evaluator::new((front.objective_count == 2).then_some(LANDING_BAND));
        let began = Instant::now();
        let dialled = dial(&evaluator, &front, self.height)?;
        let wall_secs = began.elapsed().as_secs_f64();
        if let Some(out) = &self.out {
            let mut folder = OutputFolder::make(out)?;
            let recording = evaluator.perform(&dialled.controller)?;
            let title = format!("a jump of {:.2} m", dialled.jump.height);
            let strip = jump_strip(evaluator.model(), &recording, title).render()?.encode_png()?;
            let head =
                format!("A jump whose head reaches {:.3} m; {:.3} m were asked for.", dialled.jump.height, self.height);
            let text = dialled.controller.to_toml(&[head]).into_bytes();
            folder.write(&[("controller.toml".to_owned(), text), ("jump.png".to_owned(), strip)])?;
            folder.keep();
        }
        let reach = reach(&front);
        let is_within = reach.is_none_or(|[low, high]| (low - NEAR..=high + NEAR).contains(&self.height));
        match self.json {
            true => {
                let mut summary = summary(&dialled, self.height, wall_secs);
                summary["within_range"] = is_within.into();
                summary["range"] = json!(reach);
                show(&(serde_json::to_string_pretty(&summary)? + "\n"))
            }
            false => {
                let beyond = match reach.filter(|_| !is_within) {
                    Some([low, high]) => format!(
                        "--height {}: out of range; the front goes from {low:.2} to {high:.2} m, and this is the nearest of its jumps\n",
                        self.height
                    ),
                    None => String::new(),
                };
                show(&(beyond + &self.text(&dialled, wall_secs)))
            }
        }
    }

    fn text(&self, dialled: &Dialled, wall_secs: f64) -> String {
        let (jump, assist) = (&dialled.jump, dialled.controller.assist());
        let from = match dialled.source {
            Source::Point(point) => format!("point {point} of the front as it is"),
            Source::Blend(low, high, share) => {
                format!("{:.0} % of point {low} and {:.0} % of point {high}", 100.0 * (1.0 - share), 100.0 * share)
            }
            Source::Near(point) => format!("searched for near point {point}"),
        };
        let help = match jump.is_natural() {
            true => "natural".to_owned(),
            false => format!("helped by {:.2} m/s² at take-off for {:.2} s", assist.reduction, assist.duration_secs),
        };
        let mut text = format!(
            "head reaches {:.3} m ({:.3} m asked for), {help}\n  {from}; lands, stands 2 s; found in {:.0} ms\n",
            jump.height,
            self.height,
            1000.0 * wall_secs
        );
        if let Some(out) = &self.out {
            text += &format!("  {}, {}\n", out.join("controller.toml").display(), out.join("jump.png").display());
        }
        text
    }
}

/// A height that is so near to a front's ends is not out of its range, m.
const NEAR: f64 = 0.02;

/// Lowest and highest jump of a front, m.
fn reach(front: &Front) -> Option<[f64; 2]> {
    let heights = front.points.iter().map(|point| point.height);
    Some([heights.clone().reduce(f64::min)?, heights.reduce(f64::max)?])
}

/// How far from its start a jump in place may land, m.
const LANDING_BAND: f64 = 0.15;

fn summary(dialled: &Dialled, asked: f64, wall_secs: f64) -> serde_json::Value {
    let (points, share) = match dialled.source {
        Source::Point(point) => (vec![point], 0.0),
        Source::Blend(low, high, share) => (vec![low, high], share),
        Source::Near(point) => (vec![point], 0.0),
    };
    let assist = dialled.controller.assist();
    json!({
        "asked": asked,
        "height": dialled.jump.height,
        "natural": dialled.jump.is_natural(),
        "effort": dialled.jump.effort,
        "gravity_reduction": assist.reduction,
        "assist_secs": assist.duration_secs,
        "points": points,
        "share": share,
        "searched": matches!(dialled.source, Source::Near(_)),
        "flight_secs": dialled.jump.flight_secs,
        "landing": dialled.jump.landing,
        "wall_secs": wall_secs,
    })
}
