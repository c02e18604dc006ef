//! The corrected trajectory found piece by piece, at several step sizes side by side.
//!
//! A step size that suits a walk may topple a landing, and whether it did shows only later. So many candidate trajectories are alive at once:
//! in each piece of half a second the best of them, by what it cost so far and what the value function says of the rest, branches into all
//! trials, and the others go on as they were. One that turns out better later takes over. All candidates of a piece are simulated at the
//! same time, on all cores.

use super::corrected::{Tried, run};
use super::course::{Beginning, Course, deviation};
use super::launch::Launch;
use super::model::Plan;
use super::nominal::Nominal;
use super::riccati::Gain;
use super::trial::Trial;
use crate::TransferError;
use crate::config::{Config, Polish};
use crate::steps::StepCount;
use crate::target::Target;
use crate::wrench::AssistWrench;
use rayon::prelude::*;
use sinew_sim::Snapshot;

/// A nominal trajectory's costs, and whether it fell.
pub(super) struct Simulated {
    pub cost: f64,
    /// The part of it that is the motion's, without what offsets and assist cost.
    pub motion_cost: f64,
    pub fell: bool,
}

/// Simulates the nominal offsets as they are and fills in the states.
pub(super) fn simulate(
    target: &Target,
    config: &Config,
    polish: &Polish,
    nominal: &mut Nominal,
    start: &Snapshot,
    steps: &StepCount,
) -> Result<Simulated, TransferError> {
    let to = nominal.frames.len() - 1;
    let course = Course { target, config, polish, nominal, noise: None, launch: None, steps };
    let beginning = Beginning::first(start, nominal.count);
    let tried = run(course, None, &[beginning], to, &[(0, Trial::of_share(0.0))])?.remove(0);
    nominal.states = tried.states;
    nominal.states.push(tried.end.state);
    let Tried { cost, motion_cost, stands, .. } = tried;
    Ok(Simulated { cost, motion_cost, fell: !stands })
}

/// A trajectory that was found.
pub(super) struct Found {
    pub cost: f64,
    /// The part of it that is the motion's, without what offsets and assist cost.
    pub motion_cost: f64,
    /// States where intervals meet, from the start on.
    pub states: Vec<Snapshot>,
    pub offsets: Vec<f64>,
    /// Assist at all knots; empty where there is none.
    pub assist: Vec<AssistWrench>,
    /// Mean step size of its pieces.
    pub share: f64,
}

/// Returns the nominal trajectory followed under feedback, with all of the correction or none, whichever is better; `None` where it falls.
pub(super) fn follow(course: Course<'_>, gains: &[Gain], start: &Snapshot) -> Result<Option<Found>, TransferError> {
    let nominal = course.nominal;
    let beginning = Beginning::first(start, nominal.count);
    let trials = [1.0, 0.0].map(|share| (0, Trial::of_share(share)));
    let found = run(course, Some(gains), &[beginning], nominal.frames.len() - 1, &trials)?;
    let standing = found.into_iter().filter(|tried| tried.stands);
    let best = standing.min_by(|a, b| a.cost.total_cmp(&b.cost));
    let found = |tried: Tried| Found {
        cost: tried.cost,
        motion_cost: tried.motion_cost,
        states: [tried.states, vec![tried.end.state]].concat(),
        offsets: [nominal.offsets_at(0), &tried.offsets].concat(),
        assist: std::iter::once([0.0; 6]).chain(tried.assists).collect(),
        share: tried.trial.share,
    };
    Ok(best.map(found))
}

/// A candidate trajectory so far.
struct Candidate {
    at: Beginning,
    /// What it cost, and what it is predicted to cost to the end of the motion.
    cost: f64,
    predicted: f64,
    /// The share of the correction that it goes on with.
    share: f64,
    /// Whether it is the nominal trajectory: that one stays alive, so that costs cannot rise.
    is_nominal: bool,
}

/// The last piece of a candidate.
struct Piece {
    /// Index of the candidate that it lengthens.
    parent: usize,
    intervals: usize,
    offsets: Vec<f64>,
    assist: Vec<AssistWrench>,
    share: f64,
    motion_cost: f64,
    /// At the beginning of each interval.
    states: Vec<Snapshot>,
}

/// Returns the corrected trajectory, `None` where it falls at every step size.
pub(super) fn search(course: Course<'_>, plan: &Plan, start: &Snapshot) -> Result<Option<Found>, TransferError> {
    let nominal = course.nominal;
    let last = nominal.frames.len() - 1;
    let mut candidates = starts(course, plan, Beginning::first(start, nominal.count));
    let mut pieces: Vec<Vec<Piece>> = Vec::new();
    let mut at = 0;
    while at < last {
        let to = (at + course.polish.line_search.piece_intervals).min(last);
        let (trials, branches) = trials(course, &candidates, at);
        let beginnings: Vec<Beginning> = candidates.iter().map(|candidate| candidate.at.clone()).collect();
        let found = run(course, Some(&plan.gains), &beginnings, to, &trials)?;
        let lengthened = |(index, tried): (usize, Tried)| {
            let parent = trials[index].0;
            let cost = candidates[parent].cost + tried.cost;
            let predicted = cost + plan.values[to].as_ref().map_or(0.0, |v| v.at(&deviation(course, &tried.end)));
            let share = tried.trial.share;
            let is_nominal = candidates[parent].is_nominal && index >= branches;
            let Tried { offsets, assists: assist, motion_cost, states, .. } = tried;
            let piece = Piece { parent, intervals: to - at, offsets, assist, share, motion_cost, states };
            (Candidate { at: tried.end, cost, predicted, share, is_nominal }, piece)
        };
        let standing = found.into_par_iter().enumerate().filter(|(_, tried)| tried.stands);
        let kept: Vec<Piece>;
        (candidates, kept) = standing.map(lengthened).collect::<Vec<_>>().into_iter().unzip();
        pieces.push(kept);
        if candidates.is_empty() {
            return Ok(None);
        }
        at = to;
    }
    let best = (0..candidates.len()).min_by(|&a, &b| candidates[a].cost.total_cmp(&candidates[b].cost));
    Ok(best.map(|best| trace(course, &pieces, best, &candidates[best])))
}

/// The start as it is, and with other velocities.
fn starts(course: Course<'_>, plan: &Plan, first: Beginning) -> Vec<Candidate> {
    let cost = course.launch.map_or(0.0, Launch::cost);
    let others = course.launch.zip(plan.values[0].as_ref()).into_iter().flat_map(|(launch, value)| {
        launch.starts(value, &first.state).into_iter().map(|(state, share, cost)| {
            let at = Beginning { state, ..first.clone() };
            let predicted = cost + value.at(&deviation(course, &at));
            Candidate { at, cost, predicted, share, is_nominal: false }
        })
    });
    let mut candidates: Vec<Candidate> = others.collect();
    candidates.insert(0, Candidate { at: first, cost, predicted: cost, share: 0.0, is_nominal: true });
    candidates
}

/// What is tried in the piece that begins with an interval, each with the candidate that it lengthens; the first so many are branches of the
/// best candidate.
fn trials(course: Course<'_>, candidates: &[Candidate], interval: usize) -> (Vec<(usize, Trial)>, usize) {
    let settings = &course.polish.line_search;
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| candidates[a].predicted.total_cmp(&candidates[b].predicted).then(a.cmp(&b)));
    let all = Trial::all(settings, course.noise, interval, course.nominal.count);
    let mut trials: Vec<(usize, Trial)> = all.into_iter().map(|trial| (order[0], trial)).collect();
    let branches = trials.len();
    trials.extend(order.iter().filter(|&&one| candidates[one].is_nominal).map(|&one| (one, Trial::of_share(0.0))));
    let others = order[1..].iter().filter(|&&one| !candidates[one].is_nominal);
    let room = settings.alive.saturating_sub(trials.len());
    trials.extend(others.map(|&one| (one, Trial::of_share(candidates[one].share))).take(room));
    (trials, branches)
}

/// The trajectory of a candidate, from its last piece back to the first.
fn trace(course: Course<'_>, pieces: &[Vec<Piece>], index: usize, candidate: &Candidate) -> Found {
    let nominal = course.nominal;
    let mut parts = Vec::with_capacity(pieces.len());
    let mut index = index;
    for alive in pieces.iter().rev() {
        parts.push(&alive[index]);
        index = alive[index].parent;
    }
    parts.reverse();
    let share = parts.iter().map(|part| part.share * part.intervals as f64).sum::<f64>();
    let offsets = parts.iter().flat_map(|part| part.offsets.iter().copied());
    let first_assist = nominal.assist.iter().map(|_| [0.0; 6]);
    let states = parts.iter().flat_map(|part| &part.states).chain([&candidate.at.state]);
    Found {
        cost: candidate.cost,
        motion_cost: parts.iter().map(|part| part.motion_cost).sum(),
        states: states.cloned().collect(),
        offsets: nominal.offsets_at(0).iter().copied().chain(offsets).collect(),
        assist: first_assist.chain(parts.iter().flat_map(|part| part.assist.iter().copied())).collect(),
        share: share / (nominal.frames.len() - 1) as f64,
    }
}
