//! `sinew play`: a package of a character, played by hand in the browser, by a script or by random objectives.

use super::{check_outputs, show};
use crate::bar::{Bar, Broken, stopped_by_interrupt};
use anyhow::{Result, bail};
use clap::Args;
use sinew::play::{Moves, Request, ResilienceRequest, measure_resilience, open, play};
use sinew::playing::{FORESIGHT_SECS, MOST_FORESIGHT_SECS, Package};
use sinew::work::RunOptions;
use std::path::{Path, PathBuf};

/// Options of `sinew play`.
#[derive(Args)]
pub struct Play {
    /// Folder of the package, as `sinew bring` or `sinew learn generator` makes it; or dinosaur, human, quadruped
    #[arg(value_name = "PACKAGE")]
    package: PathBuf,
    /// Plays what a TOML file says: stick, target, action, push, ball over time
    #[arg(long, value_name = "FILE", conflicts_with = "random")]
    script: Option<PathBuf>,
    /// Plays for so many seconds by random objectives within the feasible range
    #[arg(long, value_name = "SECS", allow_negative_numbers = true)]
    random: Option<f64>,
    /// Plays two teams for so many seconds: each character goes for the nearest of the other team
    #[arg(long, value_name = "SECS", conflicts_with_all = ["script", "random", "resilience"], allow_negative_numbers = true)]
    game: Option<f64>,
    /// Characters in a team, 1 to 3
    #[arg(long, value_name = "N", default_value_t = 3, requires = "game")]
    a_side: usize,
    /// Throws balls at it while it walks, from all around: which share it withstands
    #[arg(long, conflicts_with_all = ["script", "random", "out", "record"])]
    resilience: bool,
    /// How far ahead the character tries out what it is asked for before it does that, s; 0 for not at all
    #[arg(long, value_name = "SECS", conflicts_with = "script", default_value_t = FORESIGHT_SECS, allow_negative_numbers = true)]
    foresight: f64,
    /// Balls of each mass
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "resilience")]
    throws: usize,
    /// Balls as heavy beside the body as those of 4 to 6 kg are beside one of 49 kg
    #[arg(long, requires = "resilience")]
    scaled: bool,
    /// Threads that balls are thrown on; 0 for one on each core
    #[arg(long, value_name = "N", default_value_t = 0, requires = "resilience")]
    threads: usize,
    /// Seed of the random objectives, or of the balls
    #[arg(long, value_name = "N", default_value_t = 2)]
    seed: u64,
    /// Writes a film strip as PNG; with --resilience of ten hits
    #[arg(long, value_name = "FILE")]
    film: Option<PathBuf>,
    /// Writes the beginning as GIF; with --resilience ten hits
    #[arg(long, value_name = "FILE")]
    gif: Option<PathBuf>,
    /// Writes the motion: .glb on the artist's skin, .bvh on its skeleton, .npz with every step; may be given several times
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Writes what the character was told as a script that plays to the same hash
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Play {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let mut outputs: Vec<(&str, Option<&PathBuf>, &[&str])> = vec![
            ("--film", self.film.as_ref(), &["png"]),
            ("--gif", self.gif.as_ref(), &["gif"]),
            ("--record", self.record.as_ref(), &["toml"]),
        ];
        outputs.extend(self.out.iter().map(|out| ("--out", Some(out), &["glb", "bvh", "npz"][..])));
        check_outputs(self.script.as_deref(), &outputs)?;
        if !(0.0..=MOST_FORESIGHT_SECS).contains(&self.foresight) {
            bail!("--foresight {}: give a number of seconds from 0 to {MOST_FORESIGHT_SECS}", self.foresight);
        }
        if self.resilience {
            return self.throw_balls();
        }
        if !(1..=3).contains(&self.a_side) {
            bail!("--a-side {}: give a number of characters from 1 to 3", self.a_side);
        }
        let moves = match (&self.script, self.random) {
            (Some(script), _) => Moves::Script(script.clone()),
            (None, None) if self.game.is_some() => {
                let seconds = self.game.unwrap_or_default();
                if !(1.0..=3600.0).contains(&seconds) {
                    bail!("--game {seconds}: give a number of seconds from 1 to 3600");
                }
                Moves::Game { a_side: self.a_side, seconds, seed: self.seed, foresight_secs: self.foresight }
            }
            (None, Some(seconds)) if (1.0..=36_000.0).contains(&seconds) => {
                Moves::Random { seconds, seed: self.seed, foresight_secs: self.foresight }
            }
            (None, Some(seconds)) => bail!("--random {seconds}: give a number of seconds from 1 to 36000"),
            (None, None) if self.json || self.record.is_some() || outputs.iter().any(|(_, path, _)| path.is_some()) => {
                bail!(
                    "say what the character is to do: `--random 60` plays it by random objectives, `--script moves.toml` by a script; without any of these options it is played by hand"
                )
            }
            (None, None) => return by_hand(&self.package),
        };
        let request = Request {
            package: self.package.clone(),
            moves,
            film: self.film.clone(),
            gif: self.gif.clone(),
            out: self.out.clone(),
            record: self.record.clone(),
        };
        let bar = Bar::new("playing")?;
        let options = RunOptions { cancel: stopped_by_interrupt(), ..RunOptions::default() };
        let summary = play(&request, &options)?;
        bar.finish();
        let summary = summary.ok_or(Broken)?;
        if self.json {
            return show(&summary.to_json()?);
        }
        let mut lines = vec![summary.headline()];
        lines.extend(summary.events.iter().map(|event| format!("  {event}")));
        let written = [&self.film, &self.gif].into_iter().flatten().chain(&self.out).chain(&self.record);
        lines.extend(written.map(|path| format!("wrote {}", path.display())));
        show(&(lines.join("\n") + "\n"))
    }
}

impl Play {
    fn throw_balls(&self) -> Result<()> {
        if !(1..=1_000_000).contains(&self.throws) {
            bail!("--throws {}: give a number of balls from 1 to 1000000", self.throws);
        }
        let request = ResilienceRequest {
            package: self.package.clone(),
            throws: self.throws,
            seed: self.seed,
            is_scaled: self.scaled,
            foresight_secs: self.foresight,
            film: self.film.clone(),
            gif: self.gif.clone(),
        };
        let bar = Bar::new("throwing balls")?;
        let options = RunOptions { threads: self.threads, cancel: stopped_by_interrupt(), ..RunOptions::default() };
        let summary =
            measure_resilience(&request, &options, &mut |progress| bar.set(progress.share(), &progress.line()))?;
        bar.finish();
        let Some(summary) = summary else { bail!("stopped before the end") };
        if self.json {
            return show(&summary.to_json()?);
        }
        let written = [&self.film, &self.gif].into_iter().flatten();
        let lines = summary.lines().into_iter().chain(written.map(|path| format!("wrote {}", path.display())));
        show(&(lines.collect::<Vec<_>>().join("\n") + "\n"))
    }
}

/// Plays by hand, in the browser: the package is the studio's project. One that comes with the program is written into a folder first.
fn by_hand(package: &Path) -> Result<()> {
    let folder = if package.exists() {
        // A folder that is no package is refused before the browser opens.
        Package::head(package)?;
        package.to_path_buf()
    } else {
        let opened = open(package)?;
        let folder = Path::new("sinew-out/played").join(package);
        opened.write(&folder)?;
        folder
    };
    let options = sinew_studio::Options { folder, opens_browser: true, ..Default::default() };
    sinew_studio::run(&options, &|line| drop(show(&format!("{line}\n"))))
}
