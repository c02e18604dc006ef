//! The best motion of a transfer so far, simulated only when somebody asks, and once for all who ask.

use crate::error::Refusal;
use crate::motions::{of_performance, of_target};
use crate::project::locked;
use crate::project::skin::skin;
use crate::protocol::Skin;
use bytes::Bytes;
use sinew::transfer::{Config, FRAME_SECS, Performance, Prepared, Solution};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A motion is shown again after this many times the time that simulating it took, so that watching costs the search little.
const REST: u32 = 30;

/// A solution that can be performed, with the settings that it belongs to.
pub(crate) struct LiveMotion {
    prepared: Arc<Prepared>,
    /// Rig that the clip is from.
    rig: String,
    config: Config,
    latest: Mutex<Latest>,
    made: Mutex<Option<(u64, Bytes)>>,
    target: Mutex<Option<Bytes>>,
}

struct Latest {
    revision: u64,
    solution: Solution,
    shown_at: Instant,
    took: Duration,
}

impl LiveMotion {
    pub fn new(prepared: &Arc<Prepared>, config: &Config, rig: &str) -> LiveMotion {
        let (solution, shown_at) = (Solution::default(), Instant::now());
        let latest = Latest { revision: 0, solution, shown_at, took: Duration::ZERO };
        LiveMotion {
            prepared: prepared.clone(),
            rig: rig.to_owned(),
            config: config.clone(),
            latest: Mutex::new(latest),
            made: Mutex::default(),
            target: Mutex::default(),
        }
    }

    /// Takes a new best motion, unless one was taken only just now; gives the number of the one that is shown.
    pub fn offer(&self, motion: impl FnOnce() -> Solution) -> u64 {
        let mut latest = locked(&self.latest);
        if latest.revision == 0 || latest.shown_at.elapsed() >= REST * latest.took {
            let solution = motion();
            if !solution.offsets.is_empty() {
                latest.solution = solution;
                latest.revision += 1;
                latest.shown_at = Instant::now();
            }
        }
        latest.revision
    }

    /// The motion as bytes.
    pub fn motion(&self) -> Result<Bytes, Refusal> {
        // Held while it is simulated: who comes meanwhile gets the same bytes.
        let mut made = locked(&self.made);
        let (revision, solution) = {
            let latest = locked(&self.latest);
            (latest.revision, latest.solution.clone())
        };
        if revision == 0 {
            return Err(Refusal::missing("there is no motion yet; wait for the first window"));
        }
        if let Some((_, bytes)) = made.as_ref().filter(|(of, _)| *of == revision) {
            return Ok(bytes.clone());
        }
        let began = Instant::now();
        let target = &self.prepared.target;
        let run = Performance::record(target, &self.config, &solution, &mut |_, _| ())
            .map_err(|e| Refusal::bad(e.to_string()))?;
        let fell_at = run.fell_at.map(|frame| frame as f64 * FRAME_SECS);
        let character = self.prepared.modeling.project.character();
        let bytes = of_performance(&self.title(), target.model(), character, &run, fell_at, revision);
        *made = Some((revision, bytes.clone()));
        locked(&self.latest).took = began.elapsed();
        Ok(bytes)
    }

    /// What it tries to follow, as bytes.
    pub fn target(&self) -> Result<Bytes, Refusal> {
        let mut made = locked(&self.target);
        if let Some(bytes) = made.as_ref() {
            return Ok(bytes.clone());
        }
        let character = self.prepared.modeling.project.character();
        let bytes = of_target(&self.title(), &self.prepared.target, character);
        *made = Some(bytes.clone());
        Ok(bytes)
    }

    /// How the rig's nodes follow the bodies.
    pub fn skin(&self) -> Skin {
        skin(&self.rig, &self.prepared.source, &self.prepared.modeling.project)
    }

    fn title(&self) -> String {
        format!("{}, {}", self.prepared.modeling.project.character().name, self.prepared.clip().name)
    }
}
