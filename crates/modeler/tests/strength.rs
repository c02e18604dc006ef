//! Torque limits that follow from the clips.

use crate::support;
use glam::DVec3;
use sinew_modeler::{ModelOptions, Modeled, model};
use sinew_motion::{Clip, Skeleton};
use sinew_sim::{Joint, STANDARD_GRAVITY, mass_properties};
use std::f64::consts::{FRAC_PI_2, TAU};

const RATE: f64 = 30.0;

/// Arms hang and swing about the shoulders, `amplitude` rad at `hertz`; all else is still.
fn swinging(skeleton: &Skeleton, amplitude: f64, hertz: f64) -> Clip {
    let mut clip = support::clip(skeleton, "swing", 120, |joint, _| {
        let side = if joint.ends_with("_l") { -1.0 } else { 1.0 };
        if joint.starts_with("upper_arm") { DVec3::X * side * FRAC_PI_2 } else { DVec3::ZERO }
    });
    // The swing comes after the arm hangs, about the axis across the figure.
    let bind = skeleton.bind_pose();
    for frame in 0..clip.frame_count() {
        for (j, joint) in skeleton.joints.iter().enumerate() {
            if joint.name.starts_with("upper_arm") {
                let swing = amplitude * libm::sin(TAU * hertz * frame as f64 / RATE);
                let parent = bind[joint.parent.unwrap()].orientation;
                let turn = glam::DQuat::from_rotation_y(swing);
                let q = &mut clip.rotations[frame * skeleton.joints.len() + j];
                *q = (parent.inverse() * turn * parent * *q).normalize();
            }
        }
    }
    let first = clip.root_positions[0];
    clip.root_positions.iter_mut().for_each(|position| *position = first);
    clip
}

/// Options with which a torque limit is what the clips need and nothing else.
fn demand_alone() -> ModelOptions {
    ModelOptions { strength: 1e-9, torque_angle: 1e-9, demand_margin: 1.0, most_demand: 1e12, ..Default::default() }
}

fn joint<'a>(modeled: &'a Modeled, name: &str) -> &'a Joint {
    modeled.character.joints.iter().find(|j| j.name == name).unwrap()
}

fn limit(modeled: &Modeled, name: &str) -> f64 {
    joint(modeled, name).torque_limit.unwrap()
}

/// Mass × lever, and the inertia about an axis across it, of all that hangs on a joint in the rest pose.
fn hanging(modeled: &Modeled, name: &str) -> (f64, f64) {
    let mut places = vec![(name.to_owned(), DVec3::ZERO)];
    let (mut lever, mut inertia) = (DVec3::ZERO, 0.0);
    while let Some((name, at)) = places.pop() {
        let body = modeled.character.bodies.iter().find(|b| b.name == name).unwrap();
        let of = mass_properties::of_body(body);
        let center = at + DVec3::from_array(of.center_of_mass);
        lever += of.mass * center;
        // Half the trace without the moment along the arm, which is small.
        inertia += of.mass * center.length_squared() + 0.5 * (of.inertia[0] + of.inertia[1] + of.inertia[2]);
        let children = modeled.character.joints.iter().filter(|j| j.parent.as_deref() == Some(&name));
        places.extend(children.map(|j| (j.child.clone(), at + DVec3::from_array(j.position))));
    }
    (lever.length(), inertia)
}

#[test]
fn an_arm_that_swings_needs_a_pendulums_torque() {
    let skeleton = support::biped(true);
    let (amplitude, hertz) = (0.6, 2.0);
    let made = model(&skeleton, &[swinging(&skeleton, amplitude, hertz)], &demand_alone()).unwrap();
    let (lever, inertia) = hanging(&made, "upper_arm_l");
    // I θ̈ + m g l sin θ where θ is largest; a difference over h of a wave is sinc²(ω h / 2) of its second derivative.
    let omega = TAU * hertz;
    let blur = (libm::sin(0.5 * omega / RATE) / (0.5 * omega / RATE)).powi(2);
    let expected = inertia * omega * omega * amplitude * blur - lever * STANDARD_GRAVITY * libm::sin(amplitude);
    let found = limit(&made, "upper_arm_l");
    assert!((found / expected - 1.0).abs() < 0.05, "{found} N m, a pendulum needs {expected}");
    assert_eq!(found, limit(&made, "upper_arm_r"));
    // The margin multiplies it.
    let wider = ModelOptions { demand_margin: 2.0, ..demand_alone() };
    let twice = limit(&model(&skeleton, &[swinging(&skeleton, amplitude, hertz)], &wider).unwrap(), "upper_arm_l");
    assert!((twice / found - 2.0).abs() < 0.01, "{twice} {found}");
}

#[test]
fn strength_is_bounded_and_said() {
    let skeleton = support::biped(true);
    let with = |clips: &[Clip], most_demand: f64| {
        model(&skeleton, clips, &ModelOptions { most_demand, ..Default::default() }).unwrap()
    };
    let says = |made: &Modeled| made.notes.iter().any(|n| n.contains("need more torque"));
    let (still, furious) = (swinging(&skeleton, 0.3, 0.5), swinging(&skeleton, 1.5, 6.0));
    let (plain, strong) = (with(std::slice::from_ref(&furious), 1.0), with(std::slice::from_ref(&furious), 3.0));
    let times = limit(&strong, "upper_arm_l") / limit(&plain, "upper_arm_l");
    assert!((times - 3.0).abs() < 0.02, "{times} times");
    assert!(says(&strong) && !says(&plain), "{:?}", strong.notes);
    assert_eq!(joint(&strong, "upper_arm_l").kp, joint(&plain, "upper_arm_l").kp);
    // Who moves gently is as strong as before.
    let gentle = with(std::slice::from_ref(&still), 3.0);
    assert!(!says(&gentle), "{:?}", gentle.notes);
    assert_eq!(gentle.character, with(&[still], 1.0).character);
}
