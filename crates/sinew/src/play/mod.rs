//! A package, played without a window: by a script or by random objectives; what was played as pictures, motion and figures.
//!
//! [`play`] does all of it; [`measure_resilience`] throws balls at it. The world itself is [`sinew_play::Player`]; [`Take`] is what was played, frame by frame.

mod pictures;
mod resilience;
mod take;
mod written;

pub use resilience::{
    BALL_SPEED, MASSES_KG, PAPER_BODY_KG, ResilienceRequest, ResilienceRow, ResilienceSummary, measure_resilience,
};
pub use take::Take;

use crate::error::{Error, Result};
use serde::Serialize;
use sinew_files::atomic_write::atomic_write;
use sinew_learn::{GeneratorError, SavedGenerator, TrialFigures, TrialOptions, run_trial};
use sinew_play::{Input, Measured, Package, Part, PlayFigures, Player, PlayerOptions, Script, Steer};
use sinew_work::{RunOptions, check_cancelled, run_once};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// All that is asked for.
pub struct Request {
    /// Folder of the package.
    pub package: PathBuf,
    /// What the character is told.
    pub moves: Moves,
    /// PNG of moments.
    pub film: Option<PathBuf>,
    /// GIF of the beginning.
    pub gif: Option<PathBuf>,
    /// The motion of the first character: GLB or BVH on the artist's skeleton, or NPZ of every step of the whole world.
    pub out: Vec<PathBuf>,
    /// A script of what the character was told.
    pub record: Option<PathBuf>,
}

/// What a character is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Moves {
    /// A file with inputs over time.
    Script(PathBuf),
    /// Random objectives within the feasible range, as those by which generators are measured.
    Random {
        /// For so long, s.
        seconds: f64,
        /// Seed of the objectives and of where the motion begins.
        seed: u64,
        /// How far ahead the character tries out what it is asked for, s; 0 for not at all.
        foresight_secs: f64,
    },
    /// Two teams in one world, each of whom goes for the nearest of the other team (the chicken hop of Park et al. 2019, §6.1).
    Game {
        /// Characters in a team.
        a_side: usize,
        /// For so long, s.
        seconds: f64,
        /// Seed of where motions begin.
        seed: u64,
        /// How far ahead characters try out what they are asked for, s; 0 for not at all.
        foresight_secs: f64,
    },
}

/// What came of it, as `sinew play --json` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The package.
    pub name: String,
    /// Length, s.
    pub seconds: f64,
    /// Whether its body was simulated; otherwise its generator's motion was shown.
    pub is_simulated: bool,
    /// How often it fell or lost its motion; of several characters, all together.
    pub falls: u64,
    /// Of a game, how often each team fell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_falls: Option<[u64; 2]>,
    /// How often it then stood up by itself.
    pub stand_ups: u64,
    /// How often the motion was moved to where the body was.
    pub feedbacks: u64,
    /// Distance of the root from a target when its time was over, m: median; none where there was no target.
    pub target_error_m: Option<f64>,
    /// Farthest that a foot gets from where its contact began, cm: median over contacts.
    pub foot_slide_cm: f64,
    /// Mean distance of bodies from their motion, m.
    pub mean_body_error_m: f64,
    /// Seconds of motion in a second, on one core.
    pub real_time_factor: f64,
    /// A number that another motion does not share.
    pub hash: String,
    /// What happened, one sentence each.
    pub events: Vec<String>,
    /// All figures under random objectives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trial: Option<TrialFigures>,
}

/// Plays a package. Returns none where it was told to stop.
///
/// # Errors
/// Where the package or the script cannot be used, or a file cannot be written.
pub fn play(request: &Request, options: &RunOptions) -> Result<Option<Summary>> {
    // One character needs one core.
    let options = RunOptions { threads: 1, ..options.clone() };
    Ok(run_once(&options, || {
        let package = open(&request.package)?;
        let played = Played::new(&package, &request.moves)?;
        played.write(&package, request)?;
        Ok::<_, Error>(played.summary)
    })?)
}

/// Reads a package: a folder, or by name one of those that come with the program.
///
/// # Errors
/// Where there is none, or it cannot be used.
pub fn open(path: &Path) -> Result<Package> {
    let embedded = path.to_str().filter(|_| !path.exists()).and_then(|name| Some((name, sinew_assets::package(name)?)));
    let Some((name, files)) = embedded else { return Ok(Package::read(path)?) };
    let read = |wanted: &str| {
        let file = files.iter().find(|(file, _)| *file == wanted);
        file.map(|(_, bytes)| bytes.to_vec()).ok_or_else(|| sinew_play::PlayError::Package {
            path: path.join(wanted),
            problem: "the file is not in the program; build it again".into(),
        })
    };
    let mut package = Package::of_files(path, &read)?;
    package.rig = sinew_assets::find(name).map(|bytes| ("rig.glb".to_owned(), bytes.to_vec()));
    Ok(package)
}

/// Plays a package by random objectives, for its figures alone.
///
/// # Errors
/// Where the package cannot be used.
pub fn measure(package: &Package, seconds: f64, seed: u64) -> Result<Summary> {
    let part = package.part()?;
    Ok(randomly(package, &part, seconds, &Script::new(seed))?.0)
}

/// What was played.
struct Played {
    part: Part,
    summary: Summary,
    script: Script,
    inputs: Vec<Vec<Input>>,
    /// None until somebody needs more than the figures.
    take: Option<Take>,
}

impl Played {
    fn new(package: &Package, moves: &Moves) -> Result<Played> {
        let part = package.part()?;
        match moves {
            Moves::Random { seconds, seed, foresight_secs } => {
                let begun = Script { foresight: *foresight_secs, ..Script::new(*seed) };
                let (summary, inputs) = randomly(package, &part, *seconds, &begun)?;
                let script = recorded(&player(&part, &begun)?, begun, &inputs);
                Ok(Played { part, summary, script, inputs, take: None })
            }
            Moves::Script(path) => Played::by_script(package, part, &Script::read(path)?, path),
            Moves::Game { a_side, seconds, seed, foresight_secs } => {
                let script = Script { foresight: *foresight_secs, ..Script::game(*a_side, *seconds, *seed) };
                let mut played = Played::by_script(package, part, &script, Path::new("game"))?;
                let take = played.take.as_ref();
                played.summary.team_falls = take.map(|take| [0, 1].map(|team| take.falls(|number| number % 2 == team)));
                Ok(played)
            }
        }
    }

    fn by_script(package: &Package, part: Part, read: &Script, path: &Path) -> Result<Played> {
        let mut player = player(&part, read)?;
        let inputs = read.inputs(&player, path)?;
        let begun = Script { characters: read.characters, foresight: read.foresight, ..Script::new(read.seed) };
        let script = recorded(&player, begun, &inputs);
        let began = Instant::now();
        let take = Take::record(&mut player, &inputs)?;
        let real_time_factor = take.secs() / began.elapsed().as_secs_f64().max(1e-9);
        let summary = summary_of(&package.name, &player, &take, real_time_factor);
        Ok(Played { part, summary, script, inputs, take: Some(take) })
    }

    fn write(&self, package: &Package, request: &Request) -> Result<()> {
        let again;
        let take = match &self.take {
            Some(take) => take,
            None if request.film.is_none() && request.gif.is_none() && request.out.is_empty() => {
                return self.write_script(request.record.as_deref());
            }
            None => {
                again = Take::record(&mut player(&self.part, &self.script)?, &self.inputs)?;
                &again
            }
        };
        if let Some(path) = &request.film {
            put(path, &pictures::strip(package, take)?)?;
        }
        if let Some(path) = &request.gif {
            put(path, &pictures::animation(package, take)?)?;
        }
        for path in &request.out {
            let mut player = player(&self.part, &self.script)?;
            put(path, &written::motion(package, &request.package, take, path, &mut player, &self.inputs)?)?;
        }
        self.write_script(request.record.as_deref())
    }

    fn write_script(&self, path: Option<&Path>) -> Result<()> {
        let Some(path) = path else { return Ok(()) };
        let cannot = |problem: String| sinew_play::PlayError::Script { path: path.into(), problem };
        put(path, self.script.to_toml().map_err(|e| cannot(e.to_string()))?.as_bytes())
    }
}

fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    let cannot = |error| crate::error::FileError::Write { path: path.into(), error };
    Ok(atomic_write(path, bytes).map_err(cannot)?)
}

/// A world as a script begins it.
///
/// # Errors
/// Where it cannot be made.
pub fn player(part: &Part, script: &Script) -> Result<Player> {
    let parts = vec![part.clone(); script.characters];
    Ok(Player::new(&parts, &options_of(script))?)
}

fn options_of(script: &Script) -> PlayerOptions {
    PlayerOptions { seed: script.seed, foresight_secs: script.foresight, ..PlayerOptions::default() }
}

/// The script of inputs, as a player would record it.
fn recorded(player: &Player, mut script: Script, inputs: &[Vec<Input>]) -> Script {
    for (frame, now) in inputs.iter().enumerate() {
        let before = frame.checked_sub(1).map(|before| inputs[before].as_slice());
        script.record(player, frame as u64, before, now);
    }
    script
}

/// Plays by random objectives, begun as a script says. Returns the figures and all inputs.
fn randomly(package: &Package, part: &Part, seconds: f64, begun: &Script) -> Result<(Summary, Vec<Vec<Input>>)> {
    let SavedGenerator::Matching { set, .. } = &package.generator else {
        // Objectives are drawn from a set, which a learned generator does not keep.
        return Err(sinew_track::TrackError::NoSet { path: package.name.clone().into() }.into());
    };
    let measured = Measured::new(part, &options_of(begun))?;
    let options = TrialOptions { minutes: seconds / 60.0, seed: begun.seed };
    let trial = run_trial(&measured, set, &options);
    check_cancelled()?;
    let (trace, figures) = trial.ok_or(GeneratorError::NoTasks)?;
    let input = |objective: &_| vec![Input { steer: Steer::Objective(*objective), ..Input::default() }];
    let inputs: Vec<Vec<Input>> = trace.objectives.iter().map(input).collect();
    let player = measured.into_player();
    let of_body = player.figures(0);
    let summary = Summary {
        name: package.name.clone(),
        seconds: inputs.len() as f64 / player.rate_hz(),
        is_simulated: part.is_simulated(),
        falls: of_body.falls,
        team_falls: None,
        stand_ups: of_body.stand_ups,
        feedbacks: of_body.feedbacks,
        target_error_m: (figures.targets > 0).then_some(figures.target_error_m),
        foot_slide_cm: figures.foot_slide_cm,
        mean_body_error_m: of_body.mean_body_error_m,
        real_time_factor: 1e6 / (figures.micros_per_frame * player.rate_hz()),
        hash: format!("{:016x}", player.hash()),
        events: Vec::new(),
        trial: Some(figures),
    };
    Ok((summary, inputs))
}

fn summary_of(name: &str, player: &Player, take: &Take, real_time_factor: f64) -> Summary {
    let figures = player.figures(0);
    let sum = |count: fn(PlayFigures) -> u64| {
        (0..player.character_count()).map(|character| count(player.figures(character))).sum()
    };
    Summary {
        name: name.to_owned(),
        seconds: take.secs(),
        is_simulated: player.part(0).is_simulated(),
        falls: sum(|figures| figures.falls),
        team_falls: None,
        stand_ups: sum(|figures| figures.stand_ups),
        feedbacks: sum(|figures| figures.feedbacks),
        target_error_m: take.target_error_m(),
        foot_slide_cm: take.foot_slide_cm(player.part(0)),
        mean_body_error_m: figures.mean_body_error_m,
        real_time_factor,
        hash: format!("{:016x}", player.hash()),
        events: take.sentences(player.part(0)),
        trial: None,
    }
}

impl Summary {
    /// The text that `--json` prints.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self).map_err(Error::Json)? + "\n")
    }

    /// What happened, in one sentence.
    pub fn headline(&self) -> String {
        let off = self.target_error_m.map_or(String::new(), |off| format!(", {off:.2} m off its targets (median)"));
        if !self.is_simulated {
            return format!(
                "{} was shown for {:.1} s, without physics{off}: feet slide {:.1} cm; {:.1} times real time; hash {}",
                self.name, self.seconds, self.foot_slide_cm, self.real_time_factor, self.hash
            );
        }
        let game = self
            .team_falls
            .map_or(String::new(), |[first, second]| format!(" (team 0 fell {first} times, team 1 {second} times)"));
        format!(
            "{} was played for {:.1} s: {} falls{game}, {} stand-ups{off}, feet slide {:.1} cm, bodies {:.1} cm off their motion; {:.1} times real time; hash {}",
            self.name,
            self.seconds,
            self.falls,
            self.stand_ups,
            self.foot_slide_cm,
            100.0 * self.mean_body_error_m,
            self.real_time_factor,
            self.hash
        )
    }
}

#[cfg(test)]
mod tests;
