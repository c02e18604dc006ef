//! The moments in which the simulation was furthest from its target, and what held it back there.

use super::ground::lowest_point;
use super::limits::{Limits, limits_hit, listed, plain_name};
use super::{FRAME_SECS, Performance, Target, Terms};
use crate::report::page::Deviation;
use sinew_sim::{JointKind, Measured, Model};

/// Moments that are told.
const COUNT: usize = 5;
/// Moments nearer than this to a worse one are left out, s.
const APART_SECS: f64 = 0.4;
/// Time before a moment in which its reason is looked for, s.
const BEFORE_SECS: f64 = 0.15;
/// How deep the target may be in the ground without being blamed, m.
const DEEP: f64 = 0.01;
/// A target this far above the ground flies, m.
const HIGH: f64 = 0.03;
/// It hovers where its centre of mass falls slower than by this share of gravity.
const HOVERING: f64 = 0.6;
/// Frames on both sides from which that acceleration is taken.
const AROUND: usize = 3;
/// Joints with less than this share of the largest torque limit are blamed only for what they carry.
const STRONG: f64 = 0.2;

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

pub(super) fn deviation(target: &Target, run: &Performance, frame: usize, terms: &Terms) -> Deviation {
    let model = target.model();
    let moment = run.at_frame(frame);
    let mut way = vec![0.0; model.velocity_count()];
    model.difference(&moment.position, target.position(frame), &mut way);
    let length = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let angle = |rad: f64| format!("{:.0}\u{a0}degrees", rad.to_degrees());
    let metres = |m: f64| format!("{m:.2}\u{a0}m");

    // The largest term says what to look at; `held` is the joint that it hangs from, where it is not the root.
    let mut held = None;
    let most = [terms.height + terms.position, terms.orientation, terms.pose, terms.effectors];
    let largest = (0..most.len()).max_by(|&a, &b| most[a].total_cmp(&most[b]).then(b.cmp(&a))).unwrap_or(0);
    let (what, size) = match largest {
        0 => ("root".to_owned(), metres(length(&way[..3]))),
        1 => ("orientation of the root".to_owned(), angle(length(&way[3..6]))),
        2 => {
            let joints = model.joints().iter().filter(|j| matches!(j.kind, JointKind::Hinge | JointKind::Ball));
            let turns = joints.map(|j| {
                let v = j.velocity_index;
                (length(&way[v..v + j.kind.velocity_count()]), plain_name(&j.name))
            });
            let worst = turns.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, "joints"));
            held = Some(worst.1.to_owned());
            (worst.1.to_owned(), angle(worst.0))
        }
        _ => {
            let measured = Measured::new(model, &moment.position, &moment.velocity, [0.0; 3]);
            let wanted = target.observation(frame).effectors();
            let far = measured.end_effectors.iter().zip(wanted).zip(model.end_effectors());
            let far = far.map(|((is, wanted), name)| {
                (length(&[is[0] - wanted[0], is[1] - wanted[1], is[2] - wanted[2]]), plain_name(name))
            });
            let worst = far.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, "end effectors"));
            held = carrier_of_effector(model, worst.1);
            (worst.1.to_owned(), metres(worst.0))
        }
    };
    let time_secs = frame as f64 * FRAME_SECS;
    let mut limits = limits_hit(model, run, time_secs - BEFORE_SECS, time_secs);
    let chain = held.map_or(Vec::new(), |joint| carriers(model, &joint));
    let strongest = model.joints().iter().filter_map(|j| j.torque_limit).fold(0.0, f64::max);
    limits.joints.retain(|name| {
        let joint = model.joints().iter().find(|j| plain_name(&j.name) == name);
        chain.contains(name) || joint.and_then(|j| j.torque_limit).is_some_and(|limit| limit >= STRONG * strongest)
    });
    let height = lowest_point(model, target.position(frame));
    let why = reason(&limits, height, height > HIGH && hovers(target, frame));
    Deviation { time_secs, what, size, why }
}

/// Whether the target's centre of mass does not fall as a flying one must.
fn hovers(target: &Target, frame: usize) -> bool {
    let (from, to) = (frame.saturating_sub(AROUND), (frame + AROUND).min(target.frames() - 1));
    let speed = |frame: usize| target.observation(frame).center_velocity()[2];
    let acceleration = (speed(to) - speed(from)) / ((to - from).max(1) as f64 * FRAME_SECS);
    acceleration > HOVERING * target.model().scene().gravity[2]
}

/// The joint that carries an end effector's body.
fn carrier_of_effector(model: &Model, effector: &str) -> Option<String> {
    let character = &model.scene().characters.first()?.character;
    let body = &character.end_effectors.iter().find(|e| e.name == effector)?.body;
    character.joints.iter().find(|j| j.child == *body).map(|j| j.name.clone())
}

/// A joint and those that carry it, up to the root.
fn carriers(model: &Model, joint: &str) -> Vec<String> {
    let Some(placed) = model.scene().characters.first() else { return Vec::new() };
    let joints = &placed.character.joints;
    let mut chain = Vec::new();
    let mut next = joints.iter().find(|j| j.name == joint);
    while let Some(joint) = next {
        chain.push(joint.name.clone());
        next = joint.parent.as_ref().and_then(|parent| joints.iter().find(|j| j.child == *parent));
    }
    chain
}

fn reason(limits: &Limits, target_height: f64, target_hovers: bool) -> String {
    let mut reasons = Vec::new();
    if target_hovers {
        reasons.push("the target hovers in the air, where only gravity moves the centre of mass".to_owned());
    } else if limits.is_flight {
        reasons.push("in flight, where only gravity moves the centre of mass".to_owned());
    }
    if !limits.joints.is_empty() {
        reasons.push(format!("torque of {} at its limit", listed(&limits.joints)));
    }
    if !limits.sliding.is_empty() {
        reasons.push(format!("{} at the limit of friction", listed(&limits.sliding)));
    }
    if target_height < -DEEP {
        reasons.push(format!("the target goes {:.0} cm below the ground", -100.0 * target_height));
    }
    if reasons.is_empty() { "nothing obvious".into() } else { reasons.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::{Scene, embedded};

    #[test]
    fn reasons_are_told_together() {
        let limits = Limits { joints: vec!["knee_l".into()], sliding: Vec::new(), is_flight: true };
        let text = reason(&limits, -0.034, false);
        assert!(text.contains("in flight") && text.contains("knee_l") && text.contains("3 cm below"), "{text}");
        assert!(reason(&limits, 0.2, true).contains("hovers"));
        assert_eq!(reason(&Limits::default(), -0.005, false), "nothing obvious");
    }

    #[test]
    fn a_joint_hangs_from_those_up_to_the_root() {
        let model = Model::new(&Scene::on_ground(embedded::humanoid()), 0.002).expect("a model");
        let first = model.end_effectors().next().expect("an end effector");
        let chain = carriers(&model, &carrier_of_effector(&model, plain_name(first)).expect("a joint"));
        let root = plain_name(&model.joints()[0].name);
        assert!(chain.len() > 1 && chain.last().is_some_and(|last| last == root), "{chain:?}");
        assert!(carriers(&model, "none").is_empty());
    }
}
