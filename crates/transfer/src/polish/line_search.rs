//! The corrected trajectory simulated under feedback, piece by piece, each at several step sizes side by side.
//!
//! A step size that suits a walk may topple a landing: so each piece of half a second takes the trial that serves it best, judged by its own
//! cost, by that of the pieces behind it, and by what the value function says of the rest.

use super::helped::Helped;
use super::linear::shape;
use super::quadratic::moment_cost;
use super::riccati::Gain;
use super::trial::{NoiseSource, Trial};
use super::{Nominal, Plan, accelerations_cost, offset_weights};
use crate::TransferError;
use crate::assist::Help;
use crate::config::{Config, Polish};
use crate::cost::Seen;
use crate::target::Target;
use sinew_sim::{BatchOptions, DampsTo, Flow, Rollouts, Snapshot, Status, Steering, World, Wrench};
use std::sync::Mutex;

/// Intervals in a piece.
pub(super) const PIECE: usize = 10;
/// Pieces that are simulated to choose the trial of the first of them. Where they reach the end of the motion, the choice is never worse
/// than the last one carried on, so that costs cannot rise.
const AHEAD: usize = 4;
/// Cost of every look that a fallen character misses.
const FALLEN_COST: f64 = 1000.0;
/// Largest correction of an offset in one interval, rad.
const LARGEST_CORRECTION: f64 = 0.5;
/// Largest correction of help from outside at one knot, in its units.
const LARGEST_HELP_CORRECTION: f64 = 5.0;

/// One trial from an interval on.
struct Lane {
    trial: Trial,
    /// Offsets of every frame from the one after the start on.
    offsets: Vec<f64>,
    /// State at the beginning of each interval, and how offsets and rates deviate there from the nominal ones.
    states: Vec<Snapshot>,
    deviations: Vec<Vec<f64>>,
    /// Deviation of the offsets at the beginning of the present interval, of their rates, and of their accelerations in it.
    deviation: [Vec<f64>; 3],
    /// Help from outside at the beginning and end of the present interval, and at the end of every interval; none where there is no help.
    help: [Help; 2],
    helps: Vec<Help>,
    /// Cost of each interval's offsets and help, and of each look.
    offset_costs: Vec<f64>,
    look_costs: Vec<f64>,
    /// Velocity at the last look, and what friction had taken until then, J.
    velocity: Vec<f64>,
    rubbed: f64,
}

/// What all trials share.
#[derive(Clone, Copy)]
pub(super) struct Course<'a> {
    pub target: &'a Target,
    pub config: &'a Config,
    pub polish: &'a Polish,
    pub nominal: &'a Nominal,
    /// Noise of some trials.
    pub noise: Option<NoiseSource>,
}

/// Where trials begin.
struct Beginning<'a> {
    interval: usize,
    state: &'a Snapshot,
    /// Deviation of offsets and rates from the nominal ones.
    deviation: &'a [f64],
    /// Help from outside at this moment.
    help: Help,
}

struct Corrected<'a> {
    target: &'a Target,
    polish: &'a Polish,
    nominal: &'a Nominal,
    gains: Option<&'a [Gain]>,
    beginning: &'a Beginning<'a>,
    lanes: Vec<Mutex<Lane>>,
}

impl Steering for Corrected<'_> {
    fn target(&self, job: usize, knot: usize, world: &World<'_>, out: &mut [f64]) {
        let mut lane = self.lanes[job].lock().expect("no holder panics");
        let lane = &mut *lane;
        let nominal = self.nominal;
        let (count, last) = (nominal.count, nominal.frames[nominal.frames.len() - 1]);
        let first = nominal.frames[self.beginning.interval];
        let frame = (first + knot).min(last);
        if knot > 0
            && first + knot <= last
            && let Ok(interval) = nominal.frames.binary_search(&(frame - 1))
        {
            self.enter(lane, interval, world);
        }
        let interval = nominal.frames.partition_point(|f| *f < frame).saturating_sub(1).max(self.beginning.interval);
        let share = nominal.share(interval, frame);
        let at = nominal.offsets_at(frame);
        let added = |i: usize| (0..3).map(|kind| shape(kind, share) * lane.deviation[kind][i]).sum::<f64>();
        let row: Vec<f64> = (0..count).map(|i| at[i] + added(i)).collect();
        self.target.dofs.add(self.target.position(frame), &row, out);
        if knot > 0 && lane.offsets.len() == (knot - 1) * count {
            lane.offsets.extend_from_slice(&row);
        }
    }

    fn assist(&self, job: usize, knot: usize) -> Option<Wrench> {
        let nominal = self.nominal;
        let helped = nominal.help.as_ref()?;
        let frame = nominal.frames[self.beginning.interval] + knot;
        let interval = nominal.frames.partition_point(|f| *f <= frame).saturating_sub(1).min(nominal.frames.len() - 2);
        let frames = nominal.frames[interval + 1] - nominal.frames[interval];
        let lane = self.lanes[job].lock().expect("no holder panics");
        let help = Helped::during(interval, nominal.share(interval, frame), frames, [&lane.help[0], &lane.help[1]]);
        helped.units.wrench(&help)
    }
}

impl Corrected<'_> {
    /// At the beginning of an interval: decides where its offsets end.
    fn enter(&self, lane: &mut Lane, interval: usize, world: &World<'_>) {
        let mut state = Snapshot::default();
        if interval == self.beginning.interval {
            state.clone_from(self.beginning.state);
        } else {
            world.save(&mut state);
        }
        if interval > self.beginning.interval {
            lane.step();
        }
        let mut now = lane.deviation[0].clone();
        now.extend_from_slice(&lane.deviation[1]);
        if let Some(helped) = &self.nominal.help {
            if interval > self.beginning.interval {
                lane.help[0] = lane.help[1];
            }
            lane.help[1] = helped.knots[interval + 1];
        }
        if let Some(gains) = self.gains {
            let gain = &gains[interval];
            let x = deviation(self.target, self.nominal, interval, &state, &now, &lane.help[0]);
            let mut correction = lane.trial.correction(gain, interval < self.beginning.interval + PIECE);
            gain.feedback.add_vector(&x, &mut correction);
            for (own, c) in lane.deviation[2].iter_mut().zip(&correction) {
                *own = c.clamp(-LARGEST_CORRECTION, LARGEST_CORRECTION);
            }
            for (k, c) in correction[self.nominal.count..].iter().enumerate() {
                let corrected = lane.help[1][k] + c.clamp(-LARGEST_HELP_CORRECTION, LARGEST_HELP_CORRECTION);
                lane.help[1][k] = if gain.is_unhelped[k / 3] { 0.0 } else { corrected };
            }
        }
        lane.deviations.push(now);
        let motion = self.nominal.motion(interval);
        let weights = offset_weights(self.polish, self.nominal, interval);
        let [offsets, rates, accelerations] = &lane.deviation;
        let mut cost = 0.0;
        for i in 0..offsets.len() {
            let after = [offsets[i] + rates[i] + 0.5 * accelerations[i], rates[i] + accelerations[i], accelerations[i]];
            cost += (0..3).map(|k| weights[k] * (motion[k][i] + after[k]) * (motion[k][i] + after[k])).sum::<f64>();
        }
        if let Some(helped) = &self.nominal.help {
            cost += helped.cost(&lane.help[1]);
            lane.helps.push(lane.help[1]);
        }
        lane.offset_costs.push(cost);
        lane.states.push(state);
    }
}

impl Lane {
    /// Over to the next interval: `o += r + a/2`, `r += a`.
    fn step(&mut self) {
        let [offsets, rates, accelerations] = &mut self.deviation;
        for ((o, r), a) in offsets.iter_mut().zip(rates).zip(accelerations) {
            *o += *r + 0.5 * *a;
            *r += *a;
            *a = 0.0;
        }
    }

    /// Deviation of offsets and rates at the present interval's end.
    fn ahead(&mut self) -> Vec<f64> {
        self.step();
        self.deviation[..2].concat()
    }
}

/// Deviation (s, o, r, b) from the nominal trajectory at the beginning of an interval.
fn deviation(
    target: &Target,
    nominal: &Nominal,
    interval: usize,
    state: &Snapshot,
    offsets: &[f64],
    help: &Help,
) -> Vec<f64> {
    let (nq, nv) = (target.model.position_count(), target.model.velocity_count());
    let (values, expected) = (state.values(), nominal.states[interval].values());
    let mut x = vec![0.0; 2 * (nv + nominal.count)];
    target.model.difference(&expected[..nq], &values[..nq], &mut x[..nv]);
    (0..nv).for_each(|k| x[nv + k] = values[nq + k] - expected[nq + k]);
    x[2 * nv..].copy_from_slice(offsets);
    if let Some(helped) = &nominal.help {
        x.extend((0..6).map(|k| help[k] - helped.knots[interval][k]));
    }
    x
}

/// Simulates trials up to the beginning of interval `to`; for each its lane, last state, whether it stood, and steps.
fn run(
    course: Course<'_>,
    gains: Option<&[Gain]>,
    beginning: &Beginning<'_>,
    to: usize,
    trials: &[Trial],
) -> Result<Vec<(Lane, Snapshot, bool, u64)>, TransferError> {
    let Course { target, config, polish, nominal, .. } = course;
    let lane = |trial: &Trial| {
        Mutex::new(Lane {
            trial: trial.clone(),
            offsets: Vec::new(),
            states: Vec::new(),
            deviations: Vec::new(),
            deviation: [
                beginning.deviation[..nominal.count].to_vec(),
                beginning.deviation[nominal.count..].to_vec(),
                vec![0.0; nominal.count],
            ],
            help: [beginning.help; 2],
            helps: Vec::new(),
            offset_costs: Vec::new(),
            look_costs: Vec::new(),
            velocity: beginning.state.values()[target.model.position_count()..].to_vec(),
            rubbed: 0.0,
        })
    };
    let lanes = trials.iter().map(lane).collect();
    let steering = Corrected { target, polish, nominal, gains, beginning, lanes };
    let steps_per_frame = config.steps_per_frame();
    let first = nominal.frames[beginning.interval];
    let steps = (nominal.frames[to] - first) * steps_per_frame;
    let rollouts = Rollouts {
        model: &target.model,
        starts: std::slice::from_ref(beginning.state),
        steps,
        knot_interval: steps_per_frame,
        sample_interval: polish.interval_frames * steps_per_frame,
        damps_to: DampsTo::Target,
        observes: true,
        options: BatchOptions::default(),
    };
    let per_joule = polish.sliding / target.weight();
    let cost = |job: usize, step: usize, world: &World<'_>| {
        let frame = first + step / steps_per_frame;
        Seen::with(target, world, |seen| {
            if world.status() != Status::Running || seen.has_fallen(target, frame) {
                return Flow::Stop(FALLEN_COST);
            }
            let mut lane = steering.lanes[job].lock().expect("no holder panics");
            let interval = beginning.interval + lane.look_costs.len();
            let frames = [nominal.frames[interval], nominal.frames[interval + 1]];
            let cost = moment_cost(seen, target, frame, config, polish)
                + accelerations_cost(target, polish, frames, &lane.velocity, &seen.velocity)
                + per_joule * (world.friction_work() - lane.rubbed);
            lane.velocity.copy_from_slice(&seen.velocity);
            lane.rubbed = world.friction_work();
            lane.look_costs.push(cost);
            Flow::Continue(0.0)
        })
    };
    let outcomes = rollouts.run_steered(&vec![0; trials.len()], &steering, &cost)?;
    let lanes = steering.lanes.into_iter().map(|lane| lane.into_inner().expect("no holder panics"));
    let found = outcomes.into_iter().zip(lanes);
    Ok(found.map(|(o, lane)| (lane, o.end, o.cost == 0.0 && o.steps == steps, o.steps as u64)).collect())
}

/// Simulates the nominal offsets as they are and fills in the states; gives the cost, whether it fell, and the steps taken.
pub(super) fn simulate(
    target: &Target,
    config: &Config,
    polish: &Polish,
    nominal: &mut Nominal,
    start: &Snapshot,
) -> Result<(f64, bool, u64), TransferError> {
    let zero = vec![0.0; 2 * nominal.count];
    let beginning = Beginning { interval: 0, state: start, deviation: &zero, help: [0.0; 6] };
    let to = nominal.frames.len() - 1;
    let course = Course { target, config, polish, nominal, noise: None };
    let mut found = run(course, None, &beginning, to, &[Trial::of_share(0.0)])?;
    let (lane, end, stands, steps) = found.remove(0);
    nominal.states = lane.states;
    nominal.states.push(end);
    let cost = lane.offset_costs.iter().sum::<f64>() + lane.look_costs.iter().sum::<f64>();
    Ok((cost, !stands, steps))
}

/// A trajectory that was found.
pub(super) struct Found {
    pub cost: f64,
    pub offsets: Vec<f64>,
    /// Help at all knots; empty where there is none.
    pub help: Vec<Help>,
    /// Mean step size of its pieces.
    pub share: f64,
}

/// The nominal trajectory followed under feedback, with all of the correction or none, whichever is better; `None` where it falls. And the
/// steps that it took.
pub(super) fn follow(
    course: Course<'_>,
    gains: &[Gain],
    start: &Snapshot,
) -> Result<(Option<Found>, u64), TransferError> {
    let nominal = course.nominal;
    let zero = vec![0.0; 2 * nominal.count];
    let beginning = Beginning { interval: 0, state: start, deviation: &zero, help: [0.0; 6] };
    let found = run(course, Some(gains), &beginning, nominal.frames.len() - 1, &[1.0, 0.0].map(Trial::of_share))?;
    let steps = found.iter().map(|f| f.3).sum();
    let mut best: Option<Found> = None;
    for (lane, _, stands, _) in found {
        let cost = lane.offset_costs.iter().sum::<f64>() + lane.look_costs.iter().sum::<f64>();
        if stands && best.as_ref().is_none_or(|best| cost < best.cost) {
            let offsets = [nominal.offsets_at(0), &lane.offsets].concat();
            let help = std::iter::once([0.0; 6]).chain(lane.helps).collect();
            best = Some(Found { cost, offsets, help, share: lane.trial.share });
        }
    }
    Ok((best, steps))
}

/// The corrected trajectory, `None` where it falls at every step size; and the steps that it took.
pub(super) fn search(course: Course<'_>, plan: &Plan, start: &Snapshot) -> Result<(Option<Found>, u64), TransferError> {
    let Course { target, nominal, .. } = course;
    let last = nominal.frames.len() - 1;
    let count = nominal.count;
    let (mut state, mut offset_deviation) = (start.clone(), vec![0.0; 2 * count]);
    let (mut cost, mut offsets, mut steps, mut share_sum) = (0.0, nominal.offsets_at(0).to_vec(), 0, 0.0);
    let mut help: Vec<Help> = nominal.help.iter().map(|_| [0.0; 6]).collect();
    let mut at = 0;
    while at < last {
        let (end, to) = ((at + PIECE).min(last), (at + AHEAD * PIECE).min(last));
        let now = help.last().copied().unwrap_or_default();
        let beginning = Beginning { interval: at, state: &state, deviation: &offset_deviation, help: now };
        let trials = Trial::all(course.noise, at, count);
        let found = run(course, Some(&plan.gains), &beginning, to, &trials)?;
        steps += found.iter().map(|f| f.3).sum::<u64>();
        let mut best: Option<(f64, Lane, Snapshot)> = None;
        for (mut lane, end_state, stands, _) in found {
            if !stands {
                continue;
            }
            let own = lane.offset_costs.iter().sum::<f64>() + lane.look_costs.iter().sum::<f64>();
            lane.deviations.push(Vec::new());
            let ahead = lane.ahead();
            let behind = deviation(target, nominal, to, &end_state, &ahead, &lane.help[1]);
            lane.deviations.last_mut().expect("just pushed").clone_from(&ahead);
            let rest = plan.values[to].as_ref().map_or(0.0, |v| v.at(&behind));
            if best.as_ref().is_none_or(|(least, ..)| own + rest < *least) {
                best = Some((own + rest, lane, end_state));
            }
        }
        let Some((_, lane, end_state)) = best else { return Ok((None, steps)) };
        let intervals = end - at;
        let frames = nominal.frames[end] - nominal.frames[at];
        cost += lane.offset_costs[..intervals].iter().sum::<f64>() + lane.look_costs[..intervals].iter().sum::<f64>();
        offsets.extend_from_slice(&lane.offsets[..frames * count]);
        help.extend(lane.helps.iter().take(intervals));
        share_sum += lane.trial.share * intervals as f64;
        (state, offset_deviation) = match lane.states.get(intervals) {
            Some(state) => (state.clone(), lane.deviations[intervals].clone()),
            None => (end_state, lane.deviations[intervals].clone()),
        };
        at = end;
    }
    Ok((Some(Found { cost, offsets, help, share: share_sum / last as f64 }), steps))
}
