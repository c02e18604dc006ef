//! A first trajectory that is held at its target by as much assist as it takes, found by multiple shooting.
//!
//! The nominal states begin as the target's own, which no simulation goes through: there are gaps where intervals meet. Each iteration
//! solves the linear–quadratic model with its gaps and moves states, offsets and assist along the linear model, so that the gaps close
//! while nothing is simulated for longer than an interval and so nothing falls (Giftthaler, Neunert, Stäuble, Buchli & Diehl 2018, *A family
//! of iterative Gauss–Newton shooting methods*). What results is then simulated from the start under feedback.

use super::course::Course;
use super::linear::shape;
use super::model::{self, Measured, Plan};
use super::nominal::Nominal;
use super::{AssistedPolish, PricedAssist, assisted, line_search};
use crate::config::Config;
use crate::start_state;
use crate::steps::StepCount;
use crate::target::Target;
use crate::{Solution, TransferError};
use sinew_sim::{Model, Snapshot};

/// Returns a trajectory that starts with a push-off and stands; `None` where none was found.
pub(super) fn puppet(
    target: &Target,
    config: &Config,
    push_off: &[f64],
    priced: &PricedAssist,
    steps: &StepCount,
) -> Result<Option<AssistedPolish>, TransferError> {
    let polish = assisted::weights(config);
    let start = start_state::start_state(target, config, push_off);
    let count = target.dofs.count;
    let offsets = vec![0.0; target.frames() * count];
    let mut nominal = Nominal::new(offsets, count, polish.interval_frames, Some(priced.clone()));
    nominal.states = nominal.frames.iter().map(|&f| Snapshot::new(target.position(f), target.velocity(f))).collect();
    nominal.has_gaps = true;
    for reach in polish.puppet.reaches {
        let course = Course { target, config, polish: &polish, nominal: &nominal, noise: None, launch: None, steps };
        let (model, plan) = model::measure(course, reach, polish.damping.first)?;
        let Some(plan) = plan else { return Ok(None) };
        if let Some(found) = line_search::follow(course, &plan.gains, &start)? {
            let priced = PricedAssist { knots: found.assist, ..priced.clone() };
            let solution = Solution { offsets: found.offsets, push_off: push_off.to_vec(), ..Solution::default() };
            return Ok(Some(AssistedPolish::new(&solution, priced)));
        }
        close_gaps(&target.model, &mut nominal, &model, &plan, &start, polish.puppet.share);
    }
    Ok(None)
}

/// Moves the nominal trajectory by the linear model: `δx' = F·δx + G·u + α·d`, `u = α·k + K·δx`; α is `share`.
fn close_gaps(model: &Model, nominal: &mut Nominal, measured: &Measured, plan: &Plan, start: &Snapshot, share: f64) {
    let (nq, nv, m) = (model.position_count(), model.velocity_count(), nominal.count);
    let mut way = vec![0.0; 2 * nv];
    {
        let (from, to) = (nominal.states[0].values(), start.values());
        model.difference(&from[..nq], &to[..nq], &mut way[..nv]);
        (0..nv).for_each(|k| way[nv + k] = to[nq + k] - from[nq + k]);
        way.iter_mut().for_each(|x| *x *= share);
    }
    let (mut offsets, mut rates, mut assist) = (vec![0.0; m], vec![0.0; m], vec![0.0; 6]);
    for (i, (linear, gain)) in measured.linear().zip(&plan.gains).enumerate() {
        let x = [&way[..], &offsets, &rates, &assist].concat();
        let mut control: Vec<f64> = gain.open.iter().map(|k| share * k).collect();
        gain.feedback.add_vector(&x, &mut control);
        let (accelerations, after) = control.split_at(m);
        let mut next: Vec<f64> = linear.gap.iter().map(|d| share * d).collect();
        linear.state.add_vector(&way, &mut next);
        for (matrix, values) in linear.offsets.iter().zip([&offsets[..], &rates, accelerations]) {
            matrix.add_vector(values, &mut next);
        }
        linear.assist[0].add_vector(&assist, &mut next);
        linear.assist[1].add_vector(after, &mut next);
        move_state(model, &mut nominal.states[i], &way);
        for frame in nominal.frames[i] + 1..=nominal.frames[i + 1] {
            let at = nominal.share(i, frame);
            for k in 0..m {
                let change = [offsets[k], rates[k], accelerations[k]];
                nominal.offsets[frame * m + k] += (0..3).map(|kind| shape(kind, at) * change[kind]).sum::<f64>();
            }
        }
        if let Some(priced) = &mut nominal.assist {
            priced.knots[i + 1].iter_mut().zip(after).for_each(|(knot, change)| *knot += change);
        }
        for k in 0..m {
            offsets[k] += rates[k] + 0.5 * accelerations[k];
            rates[k] += accelerations[k];
        }
        assist.copy_from_slice(after);
        way = next;
    }
    if let Some(last) = nominal.states.last_mut() {
        move_state(model, last, &way);
    }
}

fn move_state(model: &Model, state: &mut Snapshot, way: &[f64]) {
    let (nq, nv) = (model.position_count(), model.velocity_count());
    let (position, velocity) = state.values().split_at(nq);
    let mut moved = vec![0.0; nq];
    model.displace(position, &way[..nv], 1.0, &mut moved);
    let velocity: Vec<f64> = velocity.iter().zip(&way[nv..]).map(|(v, w)| v + w).collect();
    *state = Snapshot::new(&moved, &velocity);
}
