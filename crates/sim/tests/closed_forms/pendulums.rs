//! Swinging bodies.

use crate::common::*;
use sinew_sim::{Joint, JointKind, Scene};

/// Arithmetic–geometric mean.
fn agm(mut a: f64, mut b: f64) -> f64 {
    while (a - b).abs() > 1e-15 * a {
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    a
}

#[test]
fn period_at_large_amplitude() {
    // T = 2π·√(I/(m·g·l)) / agm(1, cos(θ₀/2)), an exact form of 4·√(I/mgl)·K(sin(θ₀/2)).
    let (mass, arm, own) = (1.5, 0.4, 0.02);
    let small = std::f64::consts::TAU * ((own + mass * arm * arm) / (mass * G * arm)).sqrt();
    let figure = on_post(
        body("bob", mass, [0.0, 0.0, -arm], [0.03, own, 0.03]),
        joint(JointKind::Hinge, Some("post"), "bob", [0.0; 3]),
    );
    let dt = 0.001;
    for isa in precisions() {
        let amplitudes = [0.1, 1.0, 2.0, 3.0];
        let mut b = batch(&Scene::floating(figure.clone()), dt, isa, amplitudes.len());
        for (world, &angle) in amplitudes.iter().enumerate() {
            b.world_mut(world).set_position(&[angle]);
        }
        let mut crossings = vec![Vec::new(); amplitudes.len()];
        let mut before = amplitudes.to_vec();
        for step in 0..15_000 {
            b.step(1);
            for world in 0..amplitudes.len() {
                let now = b.world(world).position()[0];
                if before[world] > 0.0 && now <= 0.0 {
                    crossings[world].push(step as f64 + before[world] / (before[world] - now));
                }
                before[world] = now;
            }
        }
        for (world, &angle) in amplitudes.iter().enumerate() {
            let times = &crossings[world];
            let period = (times[times.len() - 1] - times[0]) / (times.len() - 1) as f64 * dt;
            let expected = small / agm(1.0, (angle / 2.0f64).cos());
            // Second order, (ω·dt)²/24, because the method is conjugate to Verlet here.
            let bound = by_precision(isa, 2e-5, 1e-3);
            at_most(&format!("pendulum period at {angle} rad, relative"), isa, off(period, expected), bound);
        }
    }
}

#[test]
fn double_pendulum_keeps_its_energy() {
    let second = Joint { name: "elbow".into(), ..joint(JointKind::Hinge, Some("upper"), "lower", [0.0, 0.0, -0.5]) };
    let mut figure = on_post(
        body("upper", 1.0, [0.0, 0.0, -0.25], [0.02, 0.02, 0.001]),
        joint(JointKind::Hinge, Some("post"), "upper", [0.0; 3]),
    );
    figure.bodies.push(body("lower", 0.8, [0.0, 0.0, -0.25], [0.02, 0.02, 0.001]));
    figure.joints.push(second);
    for isa in precisions() {
        let drift = |dt: f64| {
            let mut b = batch(&Scene::floating(figure.clone()), dt, isa, 1);
            b.world_mut(0).set_position(&[2.0, 1.0]);
            let start = b.world(0).measure().energy();
            let mut worst = 0.0f64;
            for _ in 0..500 {
                b.step((0.01 / dt).round() as usize);
                worst = worst.max((b.world(0).measure().energy() - start).abs());
            }
            // Against the energy between its highest and lowest pose.
            worst / (2.0 * G * (1.0 * 0.25 + 0.8 * 0.75))
        };
        let (coarse, fine) = (drift(5e-4), drift(2.5e-4));
        at_most("double pendulum, energy over 5 s, relative (dt 0.5 ms)", isa, coarse, 0.02);
        at_most("double pendulum, the same at dt 0.25 ms", isa, fine, 0.01);
    }
}
