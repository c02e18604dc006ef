//! The linear–quadratic model of a trajectory: measured interval by interval from the end on, and solved backwards meanwhile.

use super::course::Course;
use super::linear::{self, Linear};
use super::matrix::Cores;
use super::motion_cost::{acceleration_weight, velocity_changes};
use super::nominal::{Nominal, offset_weights};
use super::quadratic::{self, Quadratic};
use super::riccati::{AssistCost, Gain, OffsetCost, Value};
use super::transition::{AccelerationCost, Transition};
use crate::TransferError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// Corrections and gains of all intervals, and what deviations cost where the pieces of the line search end.
pub(super) struct Plan {
    pub gains: Vec<Gain>,
    pub values: Vec<Option<Value>>,
}

/// The model of a trajectory.
pub(super) struct Measured {
    intervals: Vec<Interval>,
}

/// Where an interval leads to, and what its end costs.
struct Interval {
    linear: Linear,
    transition: Transition,
    quadratic: Quadratic,
}

/// Measures the model with differences of some reach and solves it: see [`Measured::solve`].
pub(super) fn measure(course: Course<'_>, reach: f64, damping: f64) -> Result<(Measured, Option<Plan>), TransferError> {
    let count = course.nominal.frames.len() - 1;
    let slots: Vec<OnceLock<Result<Interval, TransferError>>> = (0..count).map(|_| OnceLock::new()).collect();
    let ready = |i: usize| slots[i].get().and_then(|interval| interval.as_ref().ok());
    let unmeasured = AtomicUsize::new(count);
    let backwards = Mutex::new(Backwards::new(course, damping));
    // A thread that has measured an interval goes on with the solution as far as the measurements reach, unless another thread is at it.
    // After releasing the lock it checks again: intervals that were measured meanwhile could not take it.
    let go_on = || {
        while let Ok(mut backwards) = backwards.try_lock() {
            while let Some(interval) = backwards.left.checked_sub(1).and_then(ready) {
                // No other thread is asked for a share while intervals are unmeasured: waiting for it would mean measuring one first.
                let cores = if unmeasured.load(Ordering::Relaxed) == 0 { Cores::All } else { Cores::One };
                backwards.step(interval, cores);
            }
            let left = backwards.left;
            drop(backwards);
            if left.checked_sub(1).and_then(ready).is_none() {
                break;
            }
        }
    };
    let task = |i: usize| {
        let _ = slots[i].set(Interval::measure(course, i, reach));
        unmeasured.fetch_sub(1, Ordering::Relaxed);
        go_on();
    };
    let task = &task;
    rayon::scope_fifo(|scope| (0..count).rev().for_each(|i| scope.spawn_fifo(move |_| task(i))));
    let plan = backwards.into_inner().expect("no holder panics").plan();
    let found = slots.into_iter().map(|slot| slot.into_inner().expect("every interval was measured"));
    Ok((Measured { intervals: found.collect::<Result<Vec<_>, _>>()? }, plan))
}

impl Interval {
    fn measure(course: Course<'_>, interval: usize, reach: f64) -> Result<Interval, TransferError> {
        let Course { target, config, polish, nominal, .. } = course;
        let linear = linear::linearize(course, interval, reach)?;
        let end = (&nominal.states[interval + 1], nominal.frames[interval + 1]);
        let transition = Transition::new(&linear, &acceleration_cost(course, interval), polish);
        Ok(Interval { linear, transition, quadratic: quadratic::quadratic(target, config, polish, end)? })
    }
}

impl Measured {
    /// Where intervals lead to.
    pub fn linear(&self) -> impl Iterator<Item = &Linear> {
        self.intervals.iter().map(|interval| &interval.linear)
    }

    /// Corrections and gains of all intervals; `None` where more damping is needed.
    pub fn solve(&self, course: Course<'_>, damping: f64) -> Option<Plan> {
        let mut backwards = Backwards::new(course, damping);
        self.intervals.iter().rev().for_each(|interval| backwards.step(interval, Cores::All));
        backwards.plan()
    }
}

/// A solution under way, from the last interval back to the first.
struct Backwards<'a> {
    course: Course<'a>,
    damping: f64,
    /// Intervals that are left.
    left: usize,
    /// `None` once more damping is needed.
    value: Option<Value>,
    plan: Plan,
}

impl<'a> Backwards<'a> {
    fn new(course: Course<'a>, damping: f64) -> Backwards<'a> {
        let Course { target, nominal, .. } = course;
        let left = nominal.frames.len() - 1;
        let n = 2 * (target.model.velocity_count() + nominal.count) + if nominal.assist.is_some() { 6 } else { 0 };
        let mut plan = Plan { gains: vec![Gain::default(); left], values: vec![None; left + 1] };
        plan.values[left] = Some(Value::zero(n));
        Backwards { course, damping, left, value: Some(Value::zero(n)), plan }
    }

    fn step(&mut self, Interval { linear, transition, quadratic }: &Interval, cores: Cores) {
        let Course { polish, nominal, .. } = self.course;
        self.left -= 1;
        let i = self.left;
        let Some(mut value) = self.value.take() else { return };
        let cost = OffsetCost { weights: offset_weights(polish, nominal, i), values: nominal.motion(i) };
        value.add(quadratic, &cost);
        if nominal.has_gaps {
            value.shift(&linear.gap);
        }
        let damping = self.damping * cost.weights[2] * polish.damping.scale;
        let assist = assist_cost(nominal, i);
        let Some((before, gain)) = value.back(transition, &cost, assist.as_ref(), damping, cores) else { return };
        self.plan.gains[i] = gain;
        if i.is_multiple_of(polish.line_search.piece_intervals) {
            self.plan.values[i] = Some(before.clone());
        }
        self.value = Some(before);
    }

    fn plan(self) -> Option<Plan> {
        self.value.map(|_| self.plan)
    }
}

/// The cost of assist at an interval's end.
fn assist_cost(nominal: &Nominal, interval: usize) -> Option<AssistCost> {
    let priced = nominal.assist.as_ref()?;
    let knot = interval + 1;
    let [force, torque] = priced.weights(knot);
    Some(AssistCost {
        weights: [force, force, force, torque, torque, torque],
        values: priced.knots[knot],
        threshold: priced.begins_at,
        goes: priced.goes[knot],
    })
}

/// The cost of the joints' accelerations in an interval.
fn acceleration_cost(course: Course<'_>, interval: usize) -> AccelerationCost {
    let Course { target, polish, nominal, .. } = course;
    let (nq, nv) = (target.model.position_count(), target.model.velocity_count());
    let first = if target.dofs.has_free_root { 6 } else { 0 };
    let [before, after] = [0, 1].map(|k| &nominal.states[interval + k].values()[nq..]);
    let frames = [nominal.frames[interval], nominal.frames[interval + 1]];
    AccelerationCost {
        weight: acceleration_weight(polish, frames[1] - frames[0], nv - first),
        rows: nv + first..2 * nv,
        excess: velocity_changes(target, frames, before, after).collect(),
    }
}
