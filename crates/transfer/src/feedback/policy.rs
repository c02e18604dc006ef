//! The factored linear policy: `a = â + M_ap (M_sp δs)`, with `δs = s − ŝ` (Keys-to-Sim, supplement, appendix A; Ding et al. 2015).

use super::features::{Features, HEADING, Heading};
use super::reference::Reference;
use super::tracking::{self, Tracking, deviation_count};
use crate::TransferError;
use crate::dofs::Dofs;
use serde::{Deserialize, Serialize};
use sinew_sim::{Model, World};
use std::cell::RefCell;
use std::sync::Arc;

/// Everything that repeats a cycle and keeps the balance: the reference and the gains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The cycle.
    pub reference: Reference,
    /// What the policy does about deviations from it.
    pub gains: Gains,
}

/// The two factors of the feedback, in one or several sets over the cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gains {
    /// Rank r of the feedback.
    pub rank: usize,
    /// Largest change of an angle, rad.
    pub largest_change: f64,
    /// M_sp (r × n) of each set; the sets are spaced evenly over the cycle, linear in between.
    pub from_state: Vec<Vec<f64>>,
    /// M_ap (m × r) of each set.
    pub to_action: Vec<Vec<f64>>,
    /// Full-state feedback along the cycle, to which the factors add; none in the paper.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "tracking::shared")]
    pub tracking: Option<Arc<Tracking>>,
}

impl Policy {
    /// Refuses a policy that is of another character or damaged.
    ///
    /// # Errors
    /// Says what does not fit.
    pub fn check(&self, model: &Model) -> Result<(), TransferError> {
        let (n, m) = Pilot::new(model, &self.reference)?.counts();
        let g = &self.gains;
        let fits = g.rank > 0
            && !g.from_state.is_empty()
            && g.from_state.len() == g.to_action.len()
            && g.from_state.iter().all(|x| x.len() == g.rank * n)
            && g.to_action.iter().all(|x| x.len() == m * g.rank);
        let r = &self.reference;
        let rows = [&r.actions, &r.states, &r.positions, &r.velocities];
        let mut numbers = rows.into_iter().chain(&g.from_state).chain(&g.to_action).flatten();
        if !fits || g.largest_change.is_nan() || g.largest_change < 0.0 {
            let problem = format!("the gains do not fit rank {}, {n} numbers of the state and {m} angles", g.rank);
            return Err(TransferError::Policy { problem });
        }
        if let Some(tracking) = &g.tracking {
            let count = deviation_count(model, m) * m;
            if tracking.gains.len() != r.frames || tracking.gains.iter().any(|gains| gains.len() != count) {
                let problem = format!("the full-state gains are not {} frames of {count} numbers", r.frames);
                return Err(TransferError::Policy { problem });
            }
            if tracking.gains.iter().flatten().any(|x| !x.is_finite()) {
                return Err(TransferError::Policy { problem: "a number of the full-state gains is not finite".into() });
            }
        }
        if numbers.any(|x| !x.is_finite()) {
            return Err(TransferError::Policy { problem: "a number is not finite".into() });
        }
        Ok(())
    }

    /// The policy as JSON, a frame or a set of gains on each line.
    pub fn to_json(&self) -> String {
        let line = |values: &[f64]| serde_json::to_string(values).unwrap_or_default();
        let table = |name: &str, values: &[f64]| {
            let width = (values.len() / self.reference.frames.max(1)).max(1);
            let row = |values: &[f64]| format!("      {}", line(values).replace(['[', ']'], ""));
            let rows: Vec<String> = values.chunks(width).map(row).collect();
            format!("    \"{name}\": [\n{}\n    ]", rows.join(",\n"))
        };
        let sets = |name: &str, sets: &[Vec<f64>]| {
            let rows: Vec<String> = sets.iter().map(|s| format!("      {}", line(s))).collect();
            format!("    \"{name}\": [\n{}\n    ]", rows.join(",\n"))
        };
        let (r, g) = (&self.reference, &self.gains);
        let reference = [
            format!("    \"first_frame\": {}", r.first_frame),
            format!("    \"frames\": {}", r.frames),
            format!("    \"gap\": {:?}", r.gap),
            format!("    \"feet\": {:?}", r.feet),
            table("actions", &r.actions),
            table("states", &r.states),
            table("positions", &r.positions),
            table("velocities", &r.velocities),
        ];
        let mut gains = vec![
            format!("    \"rank\": {}", g.rank),
            format!("    \"largest_change\": {:?}", g.largest_change),
            sets("from_state", &g.from_state),
            sets("to_action", &g.to_action),
        ];
        if let Some(tracking) = &g.tracking {
            let rows = sets("gains", &tracking.gains).replace("\n", "\n  ");
            gains.push(format!("    \"tracking\": {{\n  {rows}\n    }}"));
        }
        let (reference, gains) = (reference.join(",\n"), gains.join(",\n"));
        format!("{{\n  \"gains\": {{\n{gains}\n  }},\n  \"reference\": {{\n{reference}\n  }}\n}}\n")
    }

    /// Reads a policy for this model.
    ///
    /// # Errors
    /// Where the text is no policy, or that of another character.
    pub fn from_json(text: &str, model: &Model) -> Result<Policy, TransferError> {
        let policy: Policy =
            serde_json::from_str(text).map_err(|e| TransferError::Policy { problem: e.to_string() })?;
        policy.check(model)?;
        Ok(policy)
    }
}

impl Gains {
    /// Gains from the optimiser's numbers: for each set M_sp row by row, then M_ap row by row, in units of the given scales
    /// (`M_sp / state scale`, `M_ap · action scale`).
    pub(super) fn from_numbers(
        numbers: &[f64],
        rank: usize,
        largest_change: f64,
        scales: &Scales,
        tracking: Option<&Arc<Tracking>>,
    ) -> Gains {
        let (n, m) = (scales.state.len(), scales.action.len());
        let sets = numbers.chunks(rank * (n + m));
        let divide = |x: &[f64]| x.iter().enumerate().map(|(i, x)| x / scales.state[i % n]).collect();
        let multiply = |x: &[f64]| x.iter().enumerate().map(|(i, x)| x * scales.action[i / rank]).collect();
        Gains {
            rank,
            largest_change,
            from_state: sets.clone().map(|s| divide(&s[..rank * n])).collect(),
            to_action: sets.map(|s| multiply(&s[rank * n..])).collect(),
            tracking: tracking.cloned(),
        }
    }

    /// No feedback: the open loop.
    pub fn zero(features: usize, actions: usize) -> Gains {
        Gains {
            rank: 1,
            largest_change: 1.0,
            from_state: vec![vec![0.0; features]],
            to_action: vec![vec![0.0; actions]],
            tracking: None,
        }
    }

    /// Adds `δa = M_ap (M_sp δs)` at a time of the cycle between 0 and 1.
    fn add_change(&self, phase: f64, deviation: &[f64], out: &mut [f64]) {
        let sets = self.from_state.len();
        let at = phase * sets as f64;
        let (first, t) = (at.floor() as usize % sets, at - at.floor());
        for (set, share) in [(first, 1.0 - t), ((first + 1) % sets, t)] {
            if share == 0.0 {
                continue;
            }
            for (k, row) in self.from_state[set].chunks(deviation.len()).enumerate() {
                let strength = share * row.iter().zip(deviation).map(|(a, b)| a * b).sum::<f64>();
                let column = self.to_action[set].iter().skip(k).step_by(self.rank);
                out.iter_mut().zip(column).for_each(|(out, a)| *out += strength * a);
            }
        }
    }
}

/// Units of the optimiser's numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Scales {
    pub state: Vec<f64>,
    pub action: Vec<f64>,
}

/// A policy at work on worlds of a model.
pub struct Pilot<'a> {
    model: &'a Model,
    reference: &'a Reference,
    /// Heading of the reference's first frame less its own course, rad.
    start_heading: f64,
    features: Features,
    dofs: Dofs,
}

#[derive(Default)]
struct Room {
    deviation: Vec<f64>,
    full: Vec<f64>,
    change: Vec<f64>,
}

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

impl Pilot<'_> {
    /// For a reference of this model.
    ///
    /// # Errors
    /// Where the reference is of another character.
    pub fn new<'a>(model: &'a Model, reference: &'a Reference) -> Result<Pilot<'a>, TransferError> {
        let features = Features::new(model, &reference.feet);
        let rows = [
            (reference.actions.len(), model.position_count()),
            (reference.positions.len(), model.position_count()),
            (reference.velocities.len(), model.velocity_count()),
            (reference.states.len(), features.count()),
        ];
        let effectors = model.end_effectors().count();
        let fits = rows.iter().all(|(length, width)| *length == reference.frames * width);
        if reference.frames == 0 || !fits || reference.feet.iter().any(|f| *f >= effectors) {
            let problem = "its reference does not fit the bodies, joints and feet".into();
            return Err(TransferError::Policy { problem });
        }
        let start_heading = Heading::of(&reference.positions[3..7]).angle() - reference.states[HEADING];
        Ok(Pilot { model, reference, start_heading, features, dofs: Dofs::new(model) })
    }

    /// Writes the PD target of `frame` into `out`, knowing a world at `seen_frame` whose run began with the heading `course`.
    pub fn target(
        &self,
        gains: &Gains,
        course: f64,
        frame: usize,
        seen_frame: usize,
        world: &World<'_>,
        out: &mut [f64],
    ) {
        ROOM.with_borrow_mut(|room| {
            room.deviation.resize(self.features.count(), 0.0);
            room.change.resize(self.dofs.count, 0.0);
            self.features.read(world, course, &mut room.deviation);
            let wanted = self.reference.state(seen_frame);
            room.deviation.iter_mut().zip(wanted).for_each(|(s, wanted)| *s -= wanted);
            let phase = (frame % self.reference.frames) as f64 / self.reference.frames as f64;
            room.change.fill(0.0);
            if let Some(full) = gains.tracking.as_ref().filter(|_| frame > seen_frame) {
                room.full.resize(deviation_count(self.model, self.dofs.count), 0.0);
                let course = course - self.start_heading;
                tracking::deviation(self.model, self.reference, course, seen_frame, world, &mut room.full);
                full.add_change(seen_frame, &room.full, &mut room.change);
            }
            gains.add_change(phase, &room.deviation, &mut room.change);
            let largest = gains.largest_change;
            room.change.iter_mut().for_each(|x| *x = x.clamp(-largest, largest));
            self.dofs.add(self.reference.action(frame), &room.change, out);
        });
    }

    /// Numbers in a state and in an action.
    pub fn counts(&self) -> (usize, usize) {
        (self.features.count(), self.dofs.count)
    }

    pub(super) fn dofs(&self) -> &Dofs {
        &self.dofs
    }

    pub(super) fn features(&self) -> &Features {
        &self.features
    }
}
