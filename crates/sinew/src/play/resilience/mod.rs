//! How much a character withstands: balls of five masses, from all around, while it walks (Park et al. 2019, §6.5 and table 2).
//!
//! [`measure_resilience`] throws them as long work, in many worlds at a time; [`ResilienceSummary`] is the table, beside that of the paper.

mod pictures;
mod summary;
#[cfg(test)]
mod tests;

pub use summary::{ResilienceRow, ResilienceSummary};

use super::open;
use crate::error::{Error, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sinew_files::fnv::fnv1a;
use sinew_play::{Package, Part, ThrowOutcome, ThrowTrial, throw_at};
use sinew_work::random::Stream;
use sinew_work::{Identity, Progress, RunOptions, Work, check_cancelled, run};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Masses of the paper's balls, kg.
pub const MASSES_KG: [f64; 5] = [4.0, 4.5, 5.0, 5.5, 6.0];
/// Their speed, m/s.
pub const BALL_SPEED: f64 = 9.0;
/// Mass of the paper's figure, kg.
pub const PAPER_BODY_KG: f64 = 49.0;
/// How long a character walks before a ball is thrown, s.
const WALK_SECS: [f64; 2] = [2.0, 3.0];
/// Throws between two looks at the signal to stop.
const AT_A_TIME: usize = 64;

/// All that is asked for.
#[derive(Clone, Debug)]
pub struct ResilienceRequest {
    /// Folder of the package, or the name of one that comes with the program.
    pub package: PathBuf,
    /// Throws of each mass.
    pub throws: usize,
    /// Seed of where balls come from, and when.
    pub seed: u64,
    /// Whether masses grow with the body's: as heavy beside it as the paper's are beside its figure of 49 kg.
    pub is_scaled: bool,
    /// How far ahead the character tries out what it is asked for, s; 0 for not at all.
    pub foresight_secs: f64,
    /// PNG of ten hits.
    pub film: Option<PathBuf>,
    /// GIF of ten hits.
    pub gif: Option<PathBuf>,
}

/// Throws balls at a character that walks. `told` hears how far it is. Returns none where it was told to stop.
///
/// # Errors
/// Where the package cannot be used, or a file cannot be written.
pub fn measure_resilience(
    request: &ResilienceRequest,
    options: &RunOptions,
    told: &mut (dyn FnMut(&Progress) + Send),
) -> Result<Option<ResilienceSummary>> {
    let package = open(&request.package)?;
    let part = package.part()?;
    let work = Throws::new(&package, part, request)?;
    let outcome = run(&work, options, &mut |_, _, progress| {
        told(progress);
        ControlFlow::Continue(())
    })?;
    let Some(outcomes) = outcome.finished() else { return Ok(None) };
    let summary = ResilienceSummary::new(&package.name, &work, &outcomes);
    let drawn = sinew_work::run_once(options, || pictures::write(request, &package, &work, &outcomes))?;
    Ok(drawn.map(|()| summary))
}

/// All throws of a measurement. Each direction and moment serves all masses.
struct Throws {
    part: Part,
    /// Hash of the policy, which its file has the character in.
    policy: u64,
    masses_kg: Vec<f64>,
    body_kg: f64,
    throws: usize,
    seed: u64,
    foresight_secs: f64,
}

/// Outcomes so far, mass after mass within each throw.
type Outcomes = Vec<Thrown>;

/// What came of a throw, and where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Thrown {
    from_deg: f64,
    outcome: ThrowOutcome,
}

impl Throws {
    fn new(package: &Package, part: Part, request: &ResilienceRequest) -> Result<Throws> {
        let body_kg = part.pilot().body().model().total_mass();
        let scale = if request.is_scaled { body_kg / PAPER_BODY_KG } else { 1.0 };
        Ok(Throws {
            part,
            policy: fnv1a(package.trained(&request.package)?.to_bytes(&request.package)?),
            masses_kg: MASSES_KG.iter().map(|mass| scale * mass).collect(),
            body_kg,
            throws: request.throws,
            seed: request.seed,
            foresight_secs: request.foresight_secs,
        })
    }

    fn count(&self) -> usize {
        self.throws * self.masses_kg.len()
    }

    /// The throw of an index.
    fn trial(&self, index: usize) -> ThrowTrial {
        let (throw, mass) = (index / self.masses_kg.len(), index % self.masses_kg.len());
        let mut stream = Stream::new(self.seed, "throw", throw as u64);
        ThrowTrial {
            seed: stream.uniform(0.0, 4_294_967_296.0) as u64,
            walk_secs: stream.uniform(WALK_SECS[0], WALK_SECS[1]),
            mass_kg: self.masses_kg[mass],
            speed: BALL_SPEED,
            from_deg: stream.uniform(0.0, 360.0),
            foresight_secs: self.foresight_secs,
        }
    }
}

impl Work for Throws {
    type State = Outcomes;
    type Error = Error;
    const KIND: &'static str = "resilience";
    const VERSION: u32 = 1;

    fn identity(&self) -> Identity {
        Identity::default()
            .hashed("policy", self.policy)
            .part("masses", &self.masses_kg)
            .part("throws", &self.throws)
            .part("seed", &self.seed)
            .part("foresight", &self.foresight_secs)
    }

    fn begin(&self) -> Result<Outcomes> {
        Ok(Vec::new())
    }

    fn is_done(&self, state: &Outcomes) -> bool {
        state.len() >= self.count()
    }

    fn advance(&self, state: &mut Outcomes) -> Result<()> {
        let next = state.len()..(state.len() + AT_A_TIME).min(self.count());
        let thrown = next.into_par_iter().map(|index| -> Result<Thrown> {
            check_cancelled()?;
            let trial = self.trial(index);
            let (outcome, _) = throw_at(&self.part, &trial)?;
            Ok(Thrown { from_deg: trial.from_deg, outcome })
        });
        state.extend(thrown.collect::<Result<Outcomes>>()?);
        Ok(())
    }

    fn progress(&self, state: &Outcomes) -> Progress {
        Progress {
            doing: format!("{} of {} balls thrown", state.len(), self.count()),
            done: state.len() as f64,
            total: self.count() as f64,
            ..Progress::default()
        }
    }
}
