//! The moments in which the simulation was furthest from its target, and what held it back there.

use super::ground::lowest_point;
use super::limits::{Limits, limits_hit, listed, plain_name};
use super::{FRAME_SECS, Performance, Target, Terms};
use crate::report::page::Deviation;
use sinew_sim::{JointKind, Measured};

/// Moments that are told.
const COUNT: usize = 5;
/// Moments nearer than this to a worse one are left out, s.
const APART_SECS: f64 = 0.4;
/// Time before a moment in which its reason is looked for, s.
const BEFORE_SECS: f64 = 0.15;
/// How deep the target may be in the ground without being blamed, m.
const DEEP: f64 = 0.01;

/// The worst separate moments by their cost, until a fall.
pub fn worst_deviations(target: &Target, run: &Performance) -> Vec<Deviation> {
    let end = run.fell_at.unwrap_or(usize::MAX);
    let mut looks: Vec<&(usize, Terms)> = run.costs.iter().filter(|(frame, _)| *frame <= end).collect();
    looks.sort_by(|a, b| b.1.total().total_cmp(&a.1.total()).then(a.0.cmp(&b.0)));
    let mut chosen: Vec<&(usize, Terms)> = Vec::new();
    for look in looks {
        let is_apart = |other: &&(usize, Terms)| look.0.abs_diff(other.0) as f64 * FRAME_SECS >= APART_SECS;
        if chosen.len() < COUNT && chosen.iter().all(is_apart) {
            chosen.push(look);
        }
    }
    chosen.into_iter().map(|(frame, terms)| deviation(target, run, *frame, terms)).collect()
}

fn deviation(target: &Target, run: &Performance, frame: usize, terms: &Terms) -> Deviation {
    let model = target.model();
    let moment = run.at_frame(frame);
    let mut way = vec![0.0; model.velocity_count()];
    model.difference(&moment.position, target.position(frame), &mut way);
    let length = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let angle = |rad: f64| format!("{:.0} degrees", rad.to_degrees());

    // The largest term says what to look at.
    let most = [terms.height + terms.position, terms.orientation, terms.pose, terms.effectors];
    let largest = (0..most.len()).max_by(|&a, &b| most[a].total_cmp(&most[b]).then(b.cmp(&a))).unwrap_or(0);
    let (what, size) = match largest {
        0 => ("root".to_owned(), format!("{:.2} m", length(&way[..3]))),
        1 => ("orientation of the root".to_owned(), angle(length(&way[3..6]))),
        2 => {
            let joints = model.joints().iter().filter(|j| matches!(j.kind, JointKind::Hinge | JointKind::Ball));
            let turns = joints.map(|j| {
                let v = j.velocity_index;
                (length(&way[v..v + j.kind.velocity_count()]), plain_name(&j.name))
            });
            let worst = turns.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, "joints"));
            (worst.1.to_owned(), angle(worst.0))
        }
        _ => {
            let measured = Measured::new(model, &moment.position, &moment.velocity, [0.0; 3]);
            let wanted = target.observation(frame)[6..].chunks(3);
            let far = measured.end_effectors.iter().zip(wanted).zip(model.end_effectors());
            let far = far.map(|((is, wanted), name)| {
                (length(&[is[0] - wanted[0], is[1] - wanted[1], is[2] - wanted[2]]), plain_name(name))
            });
            let worst = far.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, "end effectors"));
            (worst.1.to_owned(), format!("{:.2} m", worst.0))
        }
    };
    let time_secs = frame as f64 * FRAME_SECS;
    let limits = limits_hit(model, run, time_secs - BEFORE_SECS, time_secs);
    let why = reason(&limits, -lowest_point(model, target.position(frame)));
    Deviation { time_secs, what, size, why }
}

fn reason(limits: &Limits, target_depth: f64) -> String {
    let mut reasons = Vec::new();
    if limits.is_flight {
        reasons.push("in flight, where only gravity moves the centre of mass".to_owned());
    }
    if !limits.joints.is_empty() {
        reasons.push(format!("torque of {} at its limit", listed(&limits.joints)));
    }
    if !limits.sliding.is_empty() {
        reasons.push(format!("{} at the limit of friction", listed(&limits.sliding)));
    }
    if target_depth > DEEP {
        reasons.push(format!("the target goes {:.0} cm below the ground", 100.0 * target_depth));
    }
    if reasons.is_empty() { "nothing obvious".into() } else { reasons.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_told_together() {
        let limits = Limits { joints: vec!["knee_l".into()], sliding: Vec::new(), is_flight: true };
        let text = reason(&limits, 0.034);
        assert!(text.contains("flight") && text.contains("knee_l") && text.contains("3 cm below"), "{text}");
        assert_eq!(reason(&Limits::default(), 0.005), "nothing obvious");
    }
}
