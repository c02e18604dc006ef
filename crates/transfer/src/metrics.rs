//! Figures of a performance: how smooth it is, how much its feet slide, how deep they sink.

use crate::ground::lowest_point;
use crate::performance::Performance;
use crate::target::{FRAME_SECS, Target};
use sinew_sim::{JointKind, Model, Touched};

/// Contacts that are shorter than this are brushes, s.
const SHORTEST_CONTACT_SECS: f64 = 0.05;
/// A contact point slides only where it bears at least this share of the weight.
const BEARING: f64 = 0.05;

/// Figures of a performance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    /// Mean squared jerk of the simulated joint angles over the target's.
    pub jerk_ratio: f64,
    /// Mean way that a foot slides on the ground in one contact, m.
    pub foot_skate: f64,
    /// Largest of these ways, m.
    pub worst_skate: f64,
    /// Contacts counted.
    pub contacts: usize,
    /// Deepest that any body sinks into the ground, m.
    pub max_penetration: f64,
}

/// A time in which a body bears weight on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Index of the body.
    pub body: usize,
    /// First and last second.
    pub from_secs: f64,
    /// Last second.
    pub to_secs: f64,
    /// How far it slid, m.
    pub slid: f64,
}

impl Metrics {
    /// Measures a performance against its target.
    pub fn new(target: &Target, run: &Performance) -> Metrics {
        let contacts = contacts(&target.model, run);
        let slides = contacts.iter().map(|c| c.slid);
        let count = contacts.len().max(1) as f64;
        Metrics {
            jerk_ratio: jerk_ratio(target, run),
            foot_skate: slides.clone().fold(0.0, |sum, slid| sum + slid) / count,
            worst_skate: slides.fold(0.0, f64::max),
            contacts: contacts.len(),
            max_penetration: max_penetration(&target.model, run),
        }
    }
}

/// Mean squared third difference of the driven joints over frames, relative to the target's.
fn jerk_ratio(target: &Target, run: &Performance) -> f64 {
    let simulated: Vec<&[f64]> = (0..run.frames()).map(|f| run.at_frame(f).position.as_slice()).collect();
    let wanted: Vec<&[f64]> = (0..run.frames()).map(|f| target.position(f)).collect();
    let wanted = mean_squared_jerk(&target.model, &wanted);
    mean_squared_jerk(&target.model, &simulated) / wanted.max(1e-9)
}

/// Mean square of the third derivative of the joints' angles, rad²/s⁶, from positions one frame apart.
pub fn mean_squared_jerk(model: &Model, rows: &[&[f64]]) -> f64 {
    let nv = model.velocity_count();
    let mut ways = vec![vec![0.0; nv]; rows.len().saturating_sub(1)];
    for (i, way) in ways.iter_mut().enumerate() {
        model.difference(rows[i], rows[i + 1], way);
    }
    let (mut sum, mut count) = (0.0, 0usize);
    for joint in model.joints().iter().filter(|j| matches!(j.kind, JointKind::Hinge | JointKind::Ball)) {
        for k in joint.velocity_index..joint.velocity_index + joint.kind.velocity_count() {
            for w in ways.windows(3) {
                let jerk = (w[2][k] - 2.0 * w[1][k] + w[0][k]) / (FRAME_SECS * FRAME_SECS * FRAME_SECS);
                sum += jerk * jerk;
                count += 1;
            }
        }
    }
    sum / count.max(1) as f64
}

/// All times in which a body bore weight on the ground, and how far it slid in each: `∫ |v_t| dt` of the point that bears most.
pub fn contacts(model: &Model, run: &Performance) -> Vec<Contact> {
    let weight = model.weight();
    let bodies = model.bodies().len();
    let mut open: Vec<Option<Contact>> = vec![None; bodies];
    let mut done = Vec::new();
    let longest_gap = 0.02;
    for (step, moment) in run.moments.iter().enumerate().skip(1) {
        let time = step as f64 * run.dt;
        let mut hardest: Vec<Option<(f64, [f64; 3])>> = vec![None; bodies];
        for contact in moment.contacts.iter().filter(|c| c.other == Touched::Ground) {
            let force = contact.force[2];
            if force > BEARING * weight && hardest[contact.body].is_none_or(|(f, _)| force > f) {
                hardest[contact.body] = Some((force, contact.point));
            }
        }
        let mut measured = None;
        for body in 0..bodies {
            if let Some((_, point)) = hardest[body] {
                let measured = measured.get_or_insert_with(|| {
                    sinew_sim::Measured::new(model, &moment.position, &moment.velocity, [0.0; 3])
                });
                let motion = &measured.bodies[body];
                let arm = [0, 1, 2].map(|k| point[k] - motion.position[k]);
                let w = motion.angular_velocity;
                let vx = motion.velocity[0] + w[1] * arm[2] - w[2] * arm[1];
                let vy = motion.velocity[1] + w[2] * arm[0] - w[0] * arm[2];
                let slid = (vx * vx + vy * vy).sqrt() * run.dt;
                let contact = open[body].get_or_insert(Contact { body, from_secs: time, to_secs: time, slid: 0.0 });
                contact.to_secs = time;
                contact.slid += slid;
            } else if open[body].is_some_and(|c| time - c.to_secs > longest_gap) {
                done.extend(open[body].take());
            }
        }
    }
    done.extend(open.into_iter().flatten());
    done.retain(|c| c.to_secs - c.from_secs >= SHORTEST_CONTACT_SECS);
    done.sort_by(|a, b| a.from_secs.total_cmp(&b.from_secs).then(a.body.cmp(&b.body)));
    done
}

fn max_penetration(model: &Model, run: &Performance) -> f64 {
    if model.scene().ground.is_none() {
        return 0.0;
    }
    let step = (run.steps_per_frame / 4).max(1);
    let deepest = run.moments.iter().step_by(step).map(|m| -lowest_point(model, &m.position));
    deepest.fold(0.0, f64::max)
}

#[cfg(test)]
#[path = "metrics_tests.rs"]
mod tests;
