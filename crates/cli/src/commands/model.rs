//! `sinew model`: a rigged file becomes a character that can be simulated.

use super::inspect::ReadArgs;
use super::{check_outputs, show, write};
use anyhow::Result;
use clap::{Args, ValueEnum};
use sinew::film;
use sinew::modeler::{ModelOptions, Preset};
use sinew::modeling::{ModelReport, Modeling};
use sinew::motion::SizeFrom;
use sinew::sim::mjcf::{MjcfOptions, to_mjcf};
use sinew::sim::{Model as SimModel, Scene};
use std::path::PathBuf;
use std::sync::Arc;

/// Options of `sinew model`.
#[derive(Args)]
pub struct Model {
    #[command(flatten)]
    read: ReadArgs,
    /// Clips that the character must follow, as you would say them (`jump` finds `Armature|TRex_Jump`; `jump+jump_idle+jump_land` joins
    /// three); may be repeated; by default all
    #[arg(long, value_name = "NAME")]
    clip: Vec<String>,
    /// Rules that make the bodies: `paper` is Keys-to-Sim 2018 to the letter
    #[arg(long, value_name = "default|paper", default_value = "default")]
    preset: PresetName,
    /// Mass of the character, kg; by default from its volume (preset `paper`: 50)
    #[arg(long, value_name = "KG", allow_negative_numbers = true)]
    mass: Option<f64>,
    /// Writes the character
    #[arg(short, long, value_name = "hero.toml")]
    output: Option<PathBuf>,
    /// Writes the character on flat ground for MuJoCo
    #[arg(long, value_name = "hero.xml")]
    mjcf: Option<PathBuf>,
    /// Draws bodies and skeleton together, in the rest pose and along a walk, or the longest clip
    #[arg(long, value_name = "hero.png")]
    film: Option<PathBuf>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum PresetName {
    Default,
    Paper,
}

impl Model {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        check_outputs(
            Some(self.read.path()),
            &[
                ("-o", self.output.as_ref(), &["toml"]),
                ("--mjcf", self.mjcf.as_ref(), &["xml", "mjcf"]),
                ("--film", self.film.as_ref(), &["png"]),
            ],
        )?;
        let source = self.read.open()?;
        let preset = match self.preset {
            PresetName::Default => Preset::Default,
            PresetName::Paper => Preset::Paper,
        };
        let options = ModelOptions {
            name: source.name.clone(),
            source: self.read.file_name(),
            metres_per_unit: source.changed_unit(),
            preset,
            mass: self.mass,
            ..ModelOptions::default()
        };
        let modeling = Modeling::new(&source, &self.clip, &options)?;
        if let Some(path) = &self.output {
            write(path, modeling.project.to_character().to_toml().as_bytes(), self.json)?;
        }
        let scene = Scene::on_ground(modeling.project.character().clone());
        if let Some(path) = &self.mjcf {
            write(path, to_mjcf(&scene, &MjcfOptions::default()).as_bytes(), self.json)?;
        }
        if let Some(path) = &self.film {
            let model = Arc::new(SimModel::new(&scene, 0.002)?);
            let strip = film::modeling_strip(&model, &modeling, &source)?;
            write(path, &strip.render()?.encode_png()?, self.json)?;
        }
        let mut report = modeling.report();
        let repairs = source.rig.report.sentences().map(str::to_owned);
        report.notes = repairs.chain(report.notes).collect();
        match self.json {
            true => show(&(serde_json::to_string_pretty(&report)? + "\n")),
            false => show(&text(&source.name, &report)),
        }
    }
}

fn text(name: &str, report: &ModelReport) -> String {
    let ModelReport { bodies, dof, mass_kg, height_m, preflight, cover, ik, notes, .. } = report;
    let whose = match report.size_from {
        SizeFrom::File => "",
        SizeFrom::Motion => " by its motion",
        SizeFrom::User => " as given",
    };
    let mut lines = vec![format!(
        "{name}: {bodies} bodies, {dof} degrees of freedom, {mass_kg:.1} kg, {height_m:.2} m tall{whose}"
    )];
    lines.extend(sizes(report));
    if !ik.is_empty() {
        let width = ik.iter().map(|fit| fit.clip.chars().count()).max().unwrap_or(0).clamp(4, 44);
        lines.push("\nClips on the character (end effectors off their targets)".into());
        lines.push(format!("  {:width$}  frames    mean     max  worst", "name"));
        for fit in ik {
            let worst = |(frame, effector): &(usize, String)| format!("{effector}, frame {frame}");
            let worst = fit.worst.as_ref().map_or(String::new(), worst);
            let (mean, most) = (100.0 * fit.mean_error_m, 100.0 * fit.max_error_m);
            lines.push(format!("  {:width$} {:>7} {mean:>4.1} cm {most:>4.1} cm  {worst}", fit.clip, fit.frames));
        }
    }
    lines.push(format!("\nPre-flight: {}", if preflight.ok { "it stands" } else { "something is wrong" }));
    lines.extend(preflight.problems.iter().map(|problem| format!("  ! {problem}")));
    lines.extend(preflight.mend.iter().map(|mend| format!("  > `sinew edit hero.toml mend`: {}", mend.sentence)));
    lines.push(format!(
        "  after 3 s of holding its pose its centre of mass is at {:.0} % of its height",
        100.0 * preflight.height_kept
    ));
    if let Some(margin) = preflight.support_margin {
        let side = if margin < 0.0 { "outside" } else { "inside" };
        lines.push(format!("  its centre of mass lies {:.1} cm {side} its feet", 100.0 * margin.abs()));
    }
    if let Some(cover) = cover {
        lines.push(format!(
            "  its bodies cover {:.0} % of the skin and lie {:.0} % outside it",
            100.0 * cover.covered,
            100.0 * cover.outside
        ));
    }
    lines.extend(preflight.warnings.iter().map(|warning| format!("  ? {warning}")));
    lines.push("\nGuessed and repaired".into());
    lines.extend(notes.iter().map(|sentence| format!("  - {sentence}")));
    lines.join("\n") + "\n"
}

/// What the clips say about the height.
fn sizes(report: &ModelReport) -> Vec<String> {
    let (Some(height), Some(factor)) = (report.motion_height_m, report.motion_within_factor) else { return Vec::new() };
    let mut lines = vec![format!("\nHeight by its clips: {height:.2} m, within a factor of {factor:.1}")];
    let width = report.size_votes.iter().map(|vote| vote.clip.chars().count()).max().unwrap_or(0).clamp(4, 44);
    for vote in &report.size_votes {
        let most = if vote.at_most { "at most " } else { "" };
        let (height, factor) = (format!("{most}{:.2} m", vote.height_m), vote.within_factor);
        lines.push(format!("  {:width$}  {height:>15} ×/÷ {factor:.1}  {}", vote.clip, vote.seen));
    }
    lines
}
