//! A first trajectory that is held at its target by as much help as it takes, found by multiple shooting.
//!
//! The nominal states begin as the target's own, which no simulation goes through: there are gaps where intervals meet. Each iteration
//! solves the linear–quadratic model with its gaps and moves states, offsets and help along the linear model, so that the gaps close
//! while nothing is simulated for longer than an interval and so nothing falls (Giftthaler, Neunert, Stäuble, Buchli & Diehl 2018, *A family
//! of iterative Gauss–Newton shooting methods*). What results is then simulated from the start under feedback.

use super::corrected::Course;
use super::linear::shape;
use super::model::{self, Measured, Plan};
use super::{AssistedPolish, DAMPING, Helped, Nominal, assisted, line_search};
use crate::config::Config;
use crate::start_state;
use crate::target::Target;
use crate::{Solution, TransferError};
use sinew_sim::{Model, Snapshot};

/// Reaches of the differences in the iterations, after each of which it is tried whether the motion stands.
const REACHES: [f64; 12] = [10.0, 10.0, 10.0, 10.0, 3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0];
/// Share of the gaps that an iteration closes: where joints hit their stops or feet strike, all at once is too much for the linear model.
const SHARE: f64 = 0.3;

/// A trajectory that starts with a push-off and stands; `None` where none was found. And the steps that it took.
pub(super) fn puppet(
    target: &Target,
    config: &Config,
    push_off: &[f64],
    helped: &Helped,
) -> Result<(Option<AssistedPolish>, u64), TransferError> {
    let polish = assisted::weights(config);
    let start = start_state::start_state(target, config, push_off);
    let count = target.dofs.count;
    let offsets = vec![0.0; target.frames() * count];
    let mut nominal = Nominal::new(offsets, count, polish.interval_frames, Some(helped.clone()));
    nominal.states = nominal.frames.iter().map(|&f| Snapshot::new(target.position(f), target.velocity(f))).collect();
    nominal.has_gaps = true;
    let mut steps = 0;
    for reach in REACHES {
        let course = Course { target, config, polish: &polish, nominal: &nominal, noise: None, launch: None };
        let (model, plan) = model::measure(course, reach, DAMPING)?;
        steps += model.steps;
        let Some(plan) = plan else { return Ok((None, steps)) };
        let (found, taken) = line_search::follow(course, &plan.gains, &start)?;
        steps += taken;
        if let Some(found) = found {
            let helped = Helped { knots: found.help, ..helped.clone() };
            let solution = Solution { offsets: found.offsets, push_off: push_off.to_vec(), ..Solution::default() };
            return Ok((Some(AssistedPolish::new(&solution, helped)), steps));
        }
        close_gaps(&target.model, &mut nominal, &model, &plan, &start);
    }
    Ok((None, steps))
}

/// Moves the nominal trajectory by the linear model: `δx' = F·δx + G·u + α·d`, `u = α·k + K·δx`.
fn close_gaps(model: &Model, nominal: &mut Nominal, measured: &Measured, plan: &Plan, start: &Snapshot) {
    let (nq, nv, m) = (model.position_count(), model.velocity_count(), nominal.count);
    let mut way = vec![0.0; 2 * nv];
    {
        let (from, to) = (nominal.states[0].values(), start.values());
        model.difference(&from[..nq], &to[..nq], &mut way[..nv]);
        (0..nv).for_each(|k| way[nv + k] = to[nq + k] - from[nq + k]);
        way.iter_mut().for_each(|x| *x *= SHARE);
    }
    let (mut offsets, mut rates, mut help) = (vec![0.0; m], vec![0.0; m], vec![0.0; 6]);
    for (i, (linear, gain)) in measured.linear().zip(&plan.gains).enumerate() {
        let x = [&way[..], &offsets, &rates, &help].concat();
        let mut control: Vec<f64> = gain.open.iter().map(|k| SHARE * k).collect();
        gain.feedback.add_vector(&x, &mut control);
        let (accelerations, after) = control.split_at(m);
        let mut next: Vec<f64> = linear.gap.iter().map(|d| SHARE * d).collect();
        linear.state.add_vector(&way, &mut next);
        for (matrix, values) in linear.offsets.iter().zip([&offsets[..], &rates, accelerations]) {
            matrix.add_vector(values, &mut next);
        }
        linear.help[0].add_vector(&help, &mut next);
        linear.help[1].add_vector(after, &mut next);
        move_state(model, &mut nominal.states[i], &way);
        for frame in nominal.frames[i] + 1..=nominal.frames[i + 1] {
            let share = nominal.share(i, frame);
            for k in 0..m {
                let change = [offsets[k], rates[k], accelerations[k]];
                nominal.offsets[frame * m + k] += (0..3).map(|kind| shape(kind, share) * change[kind]).sum::<f64>();
            }
        }
        if let Some(helped) = &mut nominal.help {
            helped.knots[i + 1].iter_mut().zip(after).for_each(|(knot, change)| *knot += change);
        }
        for k in 0..m {
            offsets[k] += rates[k] + 0.5 * accelerations[k];
            rates[k] += accelerations[k];
        }
        help.copy_from_slice(after);
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
