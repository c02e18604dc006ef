//! Trials simulated under feedback: what a correction does to the trajectory from an interval on, many at a time.

use super::course::{Beginning, Course, deviation_of};
use super::linear::shape;
use super::motion_cost::{accelerations_cost, moment_cost};
use super::nominal::offset_weights;
use super::priced_assist::PricedAssist;
use super::riccati::Gain;
use super::trial::Trial;
use crate::TransferError;
use crate::cost::Seen;
use crate::rollouts::FALLEN_COST;
use crate::wrench::AssistWrench;
use sinew_sim::{BatchOptions, DampsTo, Flow, Outcome, Rollouts, Snapshot, Status, Steering, World, Wrench};
use std::sync::Mutex;

/// One trial from an interval on.
struct Lane {
    /// Index of its beginning.
    beginning: usize,
    trial: Trial,
    /// Offsets of every frame from the one after the start on.
    offsets: Vec<f64>,
    /// State at the beginning of each interval.
    states: Vec<Snapshot>,
    /// Deviation of the offsets at the beginning of the present interval, of their rates, and of their accelerations in it.
    deviation: [Vec<f64>; 3],
    /// Assist from outside at the beginning and end of the present interval, and at the end of every interval; none where there is no assist.
    assist: [AssistWrench; 2],
    assists: Vec<AssistWrench>,
    /// Cost of each interval's offsets and assist, and of the motion at each interval's end.
    offset_costs: Vec<f64>,
    motion_costs: Vec<f64>,
    /// Velocity at the last interval's end, and the friction work until then, J.
    velocity: Vec<f64>,
    friction_work: f64,
}

struct Corrected<'a> {
    course: Course<'a>,
    gains: Option<&'a [Gain]>,
    beginnings: &'a [Beginning],
    lanes: Vec<Mutex<Lane>>,
}

impl Steering for Corrected<'_> {
    fn target(&self, job: usize, knot: usize, world: &World<'_>, out: &mut [f64]) {
        let mut lane = self.lanes[job].lock().expect("no holder panics");
        let lane = &mut *lane;
        let nominal = self.course.nominal;
        let (count, last) = (nominal.count, nominal.frames[nominal.frames.len() - 1]);
        let first = nominal.frames[self.first()];
        let frame = (first + knot).min(last);
        if knot > 0
            && first + knot <= last
            && let Ok(interval) = nominal.frames.binary_search(&(frame - 1))
        {
            self.enter(lane, interval, world);
        }
        let interval = nominal.frames.partition_point(|f| *f < frame).saturating_sub(1).max(self.first());
        let share = nominal.share(interval, frame);
        let at = nominal.offsets_at(frame);
        let added = |i: usize| (0..3).map(|kind| shape(kind, share) * lane.deviation[kind][i]).sum::<f64>();
        let row: Vec<f64> = (0..count).map(|i| at[i] + added(i)).collect();
        self.course.target.dofs.add(self.course.target.position(frame), &row, out);
        if knot > 0 && lane.offsets.len() == (knot - 1) * count {
            lane.offsets.extend_from_slice(&row);
        }
    }

    fn assist(&self, job: usize, knot: usize) -> Option<Wrench> {
        let nominal = self.course.nominal;
        let priced = nominal.assist.as_ref()?;
        let frame = nominal.frames[self.first()] + knot;
        let interval = nominal.frames.partition_point(|f| *f <= frame).saturating_sub(1).min(nominal.frames.len() - 2);
        let frames = nominal.frames[interval + 1] - nominal.frames[interval];
        let lane = self.lanes[job].lock().expect("no holder panics");
        let assist =
            PricedAssist::during(interval, nominal.share(interval, frame), frames, [&lane.assist[0], &lane.assist[1]]);
        priced.units.wrench(&assist)
    }
}

impl Corrected<'_> {
    /// The interval that all trials begin with.
    fn first(&self) -> usize {
        self.beginnings[0].interval
    }

    /// At the beginning of an interval: decides where its offsets end.
    fn enter(&self, lane: &mut Lane, interval: usize, world: &World<'_>) {
        let mut state = Snapshot::default();
        if interval == self.first() {
            state.clone_from(&self.beginnings[lane.beginning].state);
        } else {
            world.save(&mut state);
            lane.step();
        }
        let mut now = lane.deviation[0].clone();
        now.extend_from_slice(&lane.deviation[1]);
        if let Some(priced) = &self.course.nominal.assist {
            if interval > self.first() {
                lane.assist[0] = lane.assist[1];
            }
            lane.assist[1] = priced.knots[interval + 1];
        }
        if let Some(gains) = self.gains {
            let gain = &gains[interval];
            let x = deviation_of(self.course.target, self.course.nominal, interval, &state, &now, &lane.assist[0]);
            let mut correction = lane.trial.correction(gain);
            gain.feedback.add_vector(&x, &mut correction);
            let search = &self.course.polish.line_search;
            let largest = search.largest_assist_correction;
            for (own, c) in lane.deviation[2].iter_mut().zip(&correction) {
                *own = c.clamp(-search.largest_correction, search.largest_correction);
            }
            for (k, c) in correction[self.course.nominal.count..].iter().enumerate() {
                let corrected = lane.assist[1][k] + c.clamp(-largest, largest);
                lane.assist[1][k] = if gain.is_unassisted[k / 3] { 0.0 } else { corrected };
            }
        }
        let motion = self.course.nominal.motion(interval);
        let weights = offset_weights(self.course.polish, self.course.nominal, interval);
        let [offsets, rates, accelerations] = &lane.deviation;
        let mut cost = 0.0;
        for i in 0..offsets.len() {
            let after = [offsets[i] + rates[i] + 0.5 * accelerations[i], rates[i] + accelerations[i], accelerations[i]];
            cost += (0..3).map(|k| weights[k] * (motion[k][i] + after[k]) * (motion[k][i] + after[k])).sum::<f64>();
        }
        if let Some(priced) = &self.course.nominal.assist {
            cost += priced.cost(&lane.assist[1]);
            lane.assists.push(lane.assist[1]);
        }
        lane.offset_costs.push(cost);
        lane.states.push(state);
    }

    /// After a frame: gives a trial up that fell, and adds the cost of the motion where an interval ends.
    fn sample(&self, job: usize, frame: usize, world: &World<'_>) -> Flow {
        let Course { target, config, polish, nominal, .. } = self.course;
        Seen::with(target, world, |seen| {
            if world.status() != Status::Running || seen.has_fallen(target, frame) {
                return Flow::Stop(FALLEN_COST);
            }
            if nominal.frames.binary_search(&frame).is_err() {
                return Flow::Continue(0.0);
            }
            let mut lane = self.lanes[job].lock().expect("no holder panics");
            let interval = self.first() + lane.motion_costs.len();
            let frames = [nominal.frames[interval], nominal.frames[interval + 1]];
            let cost = moment_cost(seen, target, frame, config, polish)
                + accelerations_cost(target, polish, frames, &lane.velocity, &seen.velocity)
                + polish.sliding / target.weight() * (world.friction_work() - lane.friction_work);
            lane.velocity.copy_from_slice(&seen.velocity);
            lane.friction_work = world.friction_work();
            lane.motion_costs.push(cost);
            Flow::Continue(0.0)
        })
    }
}

impl Lane {
    /// A trial that has not begun.
    fn new(course: Course<'_>, index: usize, beginning: &Beginning, trial: &Trial) -> Lane {
        let (offsets, rates) = beginning.deviation.split_at(course.nominal.count);
        Lane {
            beginning: index,
            trial: trial.clone(),
            offsets: Vec::new(),
            states: Vec::new(),
            deviation: [offsets.to_vec(), rates.to_vec(), vec![0.0; course.nominal.count]],
            assist: [beginning.assist; 2],
            assists: Vec::new(),
            offset_costs: Vec::new(),
            motion_costs: Vec::new(),
            velocity: beginning.state.values()[course.target.model.position_count()..].to_vec(),
            friction_work: 0.0,
        }
    }

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

/// A trial that was simulated.
pub(super) struct Tried {
    pub trial: Trial,
    pub cost: f64,
    /// The part of it that is the motion's, without what offsets and assist cost.
    pub motion_cost: f64,
    /// Whether it neither fell nor diverged.
    pub stands: bool,
    /// Offsets of every frame after the first.
    pub offsets: Vec<f64>,
    /// Assist at the end of every interval; none where there is no assist.
    pub assists: Vec<AssistWrench>,
    /// State at the beginning of each interval.
    pub states: Vec<Snapshot>,
    /// Where it ended.
    pub end: Beginning,
}

/// Simulates trials, each from one of the beginnings, up to the beginning of interval `to`.
pub(super) fn run(
    course: Course<'_>,
    gains: Option<&[Gain]>,
    beginnings: &[Beginning],
    to: usize,
    trials: &[(usize, Trial)],
) -> Result<Vec<Tried>, TransferError> {
    let Course { target, config, nominal, .. } = course;
    let lanes = trials.iter().map(|(index, trial)| Mutex::new(Lane::new(course, *index, &beginnings[*index], trial)));
    let steering = Corrected { course, gains, beginnings, lanes: lanes.collect() };
    let steps_per_frame = config.steps_per_frame();
    let first = nominal.frames[steering.first()];
    let starts: Vec<Snapshot> = beginnings.iter().map(|b| b.state.clone()).collect();
    let jobs: Vec<usize> = trials.iter().map(|(beginning, _)| *beginning).collect();
    let steps = (nominal.frames[to] - first) * steps_per_frame;
    let rollouts = Rollouts {
        model: &target.model,
        starts: &starts,
        steps,
        knot_interval: steps_per_frame,
        sample_interval: steps_per_frame,
        damps_to: DampsTo::Target,
        observes: true,
        options: BatchOptions::default(),
    };
    let cost = |job: usize, step: usize, world: &World<'_>| steering.sample(job, first + step / steps_per_frame, world);
    let outcomes = rollouts.run_steered(&jobs, &steering, &cost)?;
    course.steps.add(outcomes.iter().map(|outcome| outcome.steps as u64).sum());
    let lanes = steering.lanes.into_iter().map(|lane| lane.into_inner().expect("no holder panics"));
    let tried = |(outcome, mut lane): (Outcome, Lane)| Tried {
        cost: lane.offset_costs.iter().sum::<f64>() + lane.motion_costs.iter().sum::<f64>(),
        motion_cost: lane.motion_costs.iter().sum(),
        stands: outcome.cost == 0.0 && outcome.steps == steps,
        end: Beginning { interval: to, state: outcome.end, deviation: lane.ahead(), assist: lane.assist[1] },
        trial: lane.trial,
        offsets: lane.offsets,
        assists: lane.assists,
        states: lane.states,
    };
    Ok(outcomes.into_iter().zip(lanes).map(tried).collect())
}
