//! Restitution.

use crate::common::*;
use sinew_sim::{Batch, Joint, JointKind, Scene, Shape, Surface, Touched};

const DT: f64 = 0.0005;
const RADIUS: f64 = 0.1;

/// Height of the first apex after the first touch, above the resting height, and the speed with which it left.
fn rebound(b: &mut Batch, floor: f64) -> (f64, f64) {
    let (mut touched, mut leaving) = (false, 0.0f64);
    for _ in 0..8000 {
        b.step(1);
        let up = b.world(0).velocity()[2];
        touched |= !b.world(0).contacts().is_empty();
        if touched {
            leaving = leaving.max(up);
            if leaving > 0.0 && up <= 0.0 {
                return (b.world(0).position()[2] - floor - RADIUS, leaving);
            }
        }
    }
    panic!("the ball did not come back");
}

#[test]
fn a_ball_rises_to_e2_h() {
    for isa in precisions() {
        for restitution in [0.2, 0.5, 0.8] {
            for on_box in [false, true] {
                let height = 1.0;
                let surface = Surface { friction: 0.8, restitution };
                let floor = if on_box { 0.3 } else { 0.0 };
                let mut scene = Scene {
                    objects: vec![ball("ball", RADIUS, 3.0, [0.0, 0.0, floor + RADIUS + height])],
                    ..Scene::default()
                };
                if on_box {
                    scene.boxes = vec![platform("step", [0.0, 0.0, floor], [0.5, 0.5, 0.15], surface)];
                } else {
                    scene.ground = ground(0.8, restitution);
                }
                let (apex, leaving) = rebound(&mut batch(&scene, DT, isa, 1), floor);
                let expected = restitution * restitution * height;
                let place = if on_box { "static box" } else { "ground" };
                let risen = leaving * leaving / (2.0 * G);
                at_most(
                    &format!("bounce on {place}, e = {restitution}: v^2/2g against e^2 h"),
                    isa,
                    off(risen, expected),
                    0.03,
                );
                // The impact is seen up to one step late, v·dt below the surface.
                let late = (2.0 * G * height).sqrt() * DT;
                let bound = 0.03 * expected + late;
                at_most(&format!("bounce on {place}, e = {restitution}: apex, m"), isa, (apex - expected).abs(), bound);
            }
        }
    }
}

/// At 10 m/s a step of 2 ms is 20 mm long.
#[test]
fn what_comes_fast_is_stopped_at_the_ground_and_not_in_it() {
    for isa in precisions() {
        for restitution in [0.1, 0.2, 0.5] {
            for start in [0.5, 0.507, 0.514] {
                let scene = Scene {
                    ground: ground(0.8, restitution),
                    objects: vec![ball("ball", RADIUS, 3.0, [0.0, 0.0, RADIUS + start])],
                    ..Scene::default()
                };
                let mut b = batch(&scene, 0.002, isa, 1);
                let mut velocity = b.world(0).velocity();
                velocity[2] = -10.0;
                b.world_mut(0).set_velocity(&velocity);
                let (mut deepest, mut fastest) = (0.0f64, 0.0f64);
                for _ in 0..100 {
                    b.step(1);
                    deepest = deepest.max(RADIUS - b.world(0).position()[2]);
                    fastest = fastest.max(b.world(0).velocity()[2]);
                }
                let name = format!("10 m/s from {start} m, e = {restitution}");
                at_most(&format!("{name}: depth, m"), isa, deepest, 4.2e-3);
                // It bounces with what speed the landing leaves.
                let most = restitution * (100.0 + 2.0 * G * start).sqrt();
                at_most(&format!("{name}: speed afterwards, m/s"), isa, fastest, 1.02 * most);
            }
        }
    }
}

#[test]
fn a_slow_ball_comes_to_rest() {
    for isa in precisions() {
        let scene = Scene {
            ground: ground(0.8, 0.8),
            objects: vec![ball("ball", RADIUS, 3.0, [0.0, 0.0, RADIUS + 0.05])],
            ..Scene::default()
        };
        let mut b = batch(&scene, DT, isa, 1);
        b.step(8000);
        at_most("bouncing ball, speed after 4 s, m/s", isa, b.world(0).velocity()[2].abs(), 1e-4);
        at_most("bouncing ball, depth at rest, m", isa, RADIUS - b.world(0).position()[2], 1.1e-3);
    }
}

#[test]
fn balls_collide_head_on() {
    // v₁' = (m₁v₁ + m₂v₂ − m₂·e·(v₁ − v₂))/(m₁ + m₂).
    for isa in precisions() {
        for restitution in [0.0, 0.2, 0.5, 0.8, 1.0] {
            for (m1, m2, v1, v2) in [(2.0, 2.0, 3.0, 0.0), (1.0, 4.0, 2.0, -1.5), (5.0, 0.5, 9.0, 0.0)] {
                let scene = Scene {
                    gravity: [0.0; 3],
                    objects: vec![ball("a", 0.1, m1, [-0.3, 0.0, 0.0]), ball("b", 0.15, m2, [0.3, 0.0, 0.0])],
                    collide: vec![["a".into(), "b".into()]],
                    between_bodies: Surface { friction: 0.8, restitution },
                    ..Scene::default()
                };
                let mut b = batch(&scene, DT, isa, 1);
                let mut velocity = vec![0.0; 12];
                (velocity[0], velocity[6]) = (v1, v2);
                b.world_mut(0).set_velocity(&velocity);
                let mut named = false;
                for _ in 0..1000 {
                    b.step(1);
                    named |= b.world(0).contacts().iter().any(|c| c.body == 0 && c.other == Touched::Body(1));
                }
                assert!(named, "the contact names both balls");
                let after = b.world(0).velocity();
                let momentum = m1 * after[0] + m2 * after[6];
                let name = format!("ball against ball, e = {restitution}, {m1} on {m2} kg");
                let before = m1 * v1 + m2 * v2;
                at_most(
                    &format!("{name}: momentum, relative"),
                    isa,
                    (momentum - before).abs() / (m1 * v1),
                    by_precision(isa, 1e-12, 1e-6),
                );
                let left = (after[6] - after[0]) / (v1 - v2);
                // Overlap is recovered at 0.2·δ/dt, at most 1 m/s, so that an impact without restitution leaves with up to a fifth of its speed.
                let bound = if restitution == 0.0 { 0.201 } else { 0.002 };
                at_most(&format!("{name}: error of restitution"), isa, (left - restitution).abs(), bound);
            }
        }
    }
}

/// A foot of 1 kg under a weight of 200 kg strikes with its heel or its toe at 2 to 6 m/s: the strike turns it by tenths of a radian in a step, and
/// its other end must stop at the ground all the same.
#[test]
fn a_light_foot_that_strikes_stays_on_the_ground() {
    let bar = Shape::Capsule { from: [0.0; 3], to: [0.0, 0.0, 1.0], radius: 0.08 };
    let sole = Shape::Box { center: [0.05, 0.0, -0.06], half_extents: [0.13, 0.05, 0.02], orientation: IDENTITY };
    for kind in [JointKind::Hinge, JointKind::Ball] {
        let figure = character(
            vec![solid("weight", 200.0, bar.clone()), solid("foot", 1.0, sole.clone())],
            vec![
                joint(JointKind::Free, None, "weight", [0.0, 0.0, 0.3]),
                joint(kind, Some("weight"), "foot", [0.0; 3]),
            ],
        );
        for isa in precisions() {
            let mut deepest = 0.0f64;
            for (speed, pitch) in (0..200).map(|i| (2.0 + 0.02 * f64::from(i), 0.3 * (f64::from(i % 41) / 40.0 - 0.5)))
            {
                let mut b = batch(&Scene::on_ground(figure.clone()), 0.002, isa, 1);
                let (mut q, mut v) = (b.world(0).position(), b.world(0).velocity());
                match kind {
                    JointKind::Hinge => q[7] = pitch,
                    _ => q[7..11].copy_from_slice(&turn([0.0, 1.0, 0.0], pitch)),
                }
                v[2] = -speed;
                let mut world = b.world_mut(0);
                world.set_position(&q);
                world.set_velocity(&v);
                // Until the weight itself comes down on the ankle.
                for _ in 0..(0.2 / speed / 0.002) as usize {
                    b.step(1);
                    deepest = deepest.max(-lowest(&b.world(0), &b, 1));
                }
            }
            at_most(&format!("foot on a {kind:?}: deepest point, m"), isa, deepest, 0.013);
        }
    }
}

/// A strong ankle presses the toe of a light foot down that is just above the ground, or in it and on its way out: the torque alone would drive it in
/// by centimetres in one step.
#[test]
fn a_strong_ankle_does_not_drive_a_light_foot_into_the_ground() {
    let bar = Shape::Capsule { from: [0.0, 0.0, 0.1], to: [0.0, 0.0, 0.5], radius: 0.08 };
    let sole = Shape::Box { center: [0.05, 0.0, -0.06], half_extents: [0.13, 0.05, 0.02], orientation: IDENTITY };
    let ankle = Joint {
        kp: 20_000.0,
        kd: 400.0,
        torque_limit: Some(1600.0),
        ..joint(JointKind::Hinge, Some("weight"), "foot", [0.0; 3])
    };
    let figure = character(
        vec![solid("weight", 200.0, bar), solid("foot", 1.0, sole)],
        vec![joint(JointKind::Free, None, "weight", [0.0, 0.0, 0.3]), ankle],
    );
    for isa in precisions() {
        for (height, speed) in [(9e-4, 0.0), (3e-4, 0.0), (0.0, 0.0), (-5e-4, 0.1), (-2e-3, 0.2)] {
            let mut b = batch(&Scene::on_ground(figure.clone()), 0.002, isa, 1);
            let (mut q, mut v) = (b.world(0).position(), b.world(0).velocity());
            q[7] = 0.2;
            b.world_mut(0).set_position(&q);
            q[2] += height - lowest(&b.world(0), &b, 1);
            v[2] = speed;
            let mut target = q.clone();
            target[7] = 0.6;
            let mut world = b.world_mut(0);
            world.set_position(&q);
            world.set_velocity(&v);
            world.set_target(&target);
            b.step(1);
            let deeper = height.min(0.0) - lowest(&b.world(0), &b, 1);
            at_most(&format!("toe pressed from {height} m at {speed} m/s: deeper by, m"), isa, deeper, 5e-4);
        }
    }
}
