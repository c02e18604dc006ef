//! Bodies that nothing touches: fall, spin, and momentum under internal torques.

use crate::common::*;
use sinew_sim::{Character, Isa, JointKind, Scene, Shape, embedded};

/// `v_n = v₀ + n·dt·g`, `x_n = x₀ + n·dt·v₀ + n(n+1)/2·dt²·g`: what semi-implicit Euler sums to.
fn discrete_fall(x: [f64; 3], v: [f64; 3], g: [f64; 3], dt: f64, n: f64) -> [f64; 3] {
    add(add(x, scale(v, n * dt)), scale(g, dt * dt * n * (n + 1.0) / 2.0))
}

#[test]
fn projectile_follows_the_discrete_parabola() {
    let (dt, n) = (0.002, 500);
    let (start, v, g) = ([0.5, -0.2, 3.0], [3.0, -1.0, 4.0], [0.0, 0.0, -G]);
    let scene = Scene { objects: vec![ball("ball", 0.1, 2.0, start)], ..Scene::default() };
    for isa in [Isa::Reference64, Isa::detect(), Isa::Portable] {
        let mut b = batch(&scene, dt, isa, 1);
        b.world_mut(0).set_velocity(&[v[0], v[1], v[2], 1.0, 2.0, 3.0]);
        b.step(n);
        let expected = discrete_fall(start, v, g, dt, n as f64);
        let at = b.world(0).measure().bodies[0].position;
        // Rounding alone: n·ε·|x|.
        at_most("projectile, discrete sum, m", isa, length(sub(at, expected)), by_precision(isa, 1e-12, 1e-4));
        let exact = add(add(start, scale(v, 1.0)), scale(g, 0.5));
        // g·t·dt/2 from the parabola itself.
        at_most("projectile, parabola, m", isa, length(sub(at, exact)), 1.01 * G * dt / 2.0);
    }
}

#[test]
fn a_figure_at_rest_falls_like_a_stone() {
    let (dt, n) = (0.002, 250);
    for isa in precisions() {
        for figure in [embedded::dinosaur(), embedded::humanoid()] {
            let name = format!("free fall of the {}, m", figure.name);
            let mut b = batch(&Scene::floating(figure), dt, isa, 1);
            let start = b.world(0).measure().center_of_mass;
            b.step(n);
            let expected = discrete_fall(start, [0.0; 3], [0.0, 0.0, -G], dt, n as f64);
            let at = b.world(0).measure().center_of_mass;
            at_most(&name, isa, length(sub(at, expected)), by_precision(isa, 1e-11, 1e-4));
        }
    }
}

/// A free body of given principal moments.
fn top(moments: [f64; 3]) -> Scene {
    let figure =
        character(vec![body("top", 2.0, [0.0; 3], moments)], vec![joint(JointKind::Free, None, "top", [0.0; 3])]);
    Scene { gravity: [0.0; 3], ..Scene::floating(figure) }
}

#[test]
fn a_symmetric_top_precesses_at_l_over_i() {
    // In the world the symmetry axis circles L at |L|/I₁ (Goldstein 2002, §5.6).
    let (i1, i3, omega) = (0.4, 0.1, [2.0, 0.0, 6.0]);
    let rate = length([i1 * omega[0], 0.0, i3 * omega[2]]) / i1;
    let duration = 1.0;
    for isa in precisions() {
        let error = |dt: f64| {
            let mut b = batch(&top([i1, i1, i3]), dt, isa, 1);
            b.world_mut(0).set_velocity(&[0.0, 0.0, 0.0, omega[0], omega[1], omega[2]]);
            let spin = b.world(0).measure().angular_momentum;
            let to = scale(spin, 1.0 / length(spin));
            // The axis' part across L, at the start and at the end.
            let across = |b: &sinew_sim::Batch| {
                let m = b.world(0).measure();
                let axis = sub(m.bodies[0].place([0.0, 0.0, 1.0]), m.bodies[0].position);
                sub(axis, scale(to, dot(axis, to)))
            };
            let first = across(&b);
            let side = [
                to[1] * first[2] - to[2] * first[1],
                to[2] * first[0] - to[0] * first[2],
                to[0] * first[1] - to[1] * first[0],
            ];
            b.step((duration / dt).round() as usize);
            let last = across(&b);
            let turned = dot(last, side).atan2(dot(last, first));
            let miss = turned - rate * duration;
            miss - std::f64::consts::TAU * (miss / std::f64::consts::TAU).round()
        };
        let (coarse, fine) = (error(1e-3), error(5e-4));
        // First order: Ω²·dt·t/2 grows the transverse spin; Ω = (I₃ − I₁)/I₁·ω₃ = 4.5 rad/s.
        at_most("symmetric top, precession angle after 1 s, rad (dt 0.5 ms)", isa, fine.abs(), 0.02);
        at_most("symmetric top, error halves with dt (ratio - 0.5)", isa, (fine / coarse - 0.5).abs(), 0.05);
    }
}

#[test]
fn an_asymmetric_body_keeps_its_angular_momentum_and_energy() {
    // Intermediate axis, perturbed: it tumbles (Dzhanibekov) while L and T stay.
    for isa in precisions() {
        let error = |dt: f64| {
            let mut b = batch(&top([0.1, 0.2, 0.25]), dt, isa, 1);
            b.world_mut(0).set_velocity(&[0.0, 0.0, 0.0, 0.05, 4.0, -0.05]);
            let start = b.world(0).measure();
            let (mut aside, mut energy, mut flipped) = (0.0f64, 0.0f64, false);
            for _ in 0..200 {
                b.step((0.02 / dt).round() as usize);
                let now = b.world(0).measure();
                let (l0, l) = (start.angular_momentum, now.angular_momentum);
                aside = aside.max((dot(l0, l) / (length(l0) * length(l))).min(1.0).acos());
                energy = energy.max(off(now.kinetic_energy, start.kinetic_energy));
                flipped |= b.world(0).velocity()[4] < -2.0;
            }
            assert!(flipped, "the body tumbles about its intermediate axis");
            (aside, energy)
        };
        let ((aside, energy), (aside_fine, energy_fine)) = (error(5e-4), error(2.5e-4));
        at_most("asymmetric body, direction of L over 4 s, rad", isa, aside, 0.02);
        at_most("asymmetric body, kinetic energy over 4 s, relative", isa, energy, 0.01);
        at_most("asymmetric body, both halve with dt", isa, (aside_fine / aside).max(energy_fine / energy), 0.6);
    }
}

#[test]
fn a_free_figure_keeps_its_momentum_while_it_thrashes() {
    for isa in precisions() {
        for figure in [embedded::dinosaur(), embedded::humanoid()] {
            let name = figure.name.clone();
            let drift = |dt: f64| {
                let scene = Scene { gravity: [0.0; 3], ..Scene::floating(figure.clone()) };
                let mut b = batch(&scene, dt, isa, 1);
                let model = b.model().clone();
                let mut velocity = vec![0.0; model.velocity_count()];
                velocity[..6].copy_from_slice(&[0.3, -0.2, 0.1, 0.2, 0.4, -0.3]);
                b.world_mut(0).set_velocity(&velocity);
                let start = b.world(0).measure();
                let (mut linear, mut angular, mut energy) = (0.0f64, 0.0f64, 0.0f64);
                for k in 0..50 {
                    b.world_mut(0).set_target(&thrashing(&model, 0, k as f64 * 0.01, 0.4));
                    b.step((0.01 / dt).round() as usize);
                    let now = b.world(0).measure();
                    linear = linear.max(length(sub(now.linear_momentum, start.linear_momentum)));
                    angular = angular.max(length(sub(now.angular_momentum, start.angular_momentum)));
                    energy = energy.max(now.kinetic_energy);
                }
                assert!(energy > 10.0, "the {name} thrashes with {energy} J");
                // Against the momentum that the parts exchange.
                let scale = (2.0 * model.total_mass() * energy).sqrt();
                (linear / scale, angular / scale)
            };
            let ((linear, angular), (linear_fine, angular_fine)) = (drift(5e-4), drift(2.5e-4));
            at_most(&format!("{name}, linear momentum over 0.5 s, relative"), isa, linear, 0.02);
            at_most(&format!("{name}, angular momentum over 0.5 s, relative"), isa, angular, 0.02);
            at_most(&format!("{name}, linear error halves with dt"), isa, linear_fine / linear, 0.65);
            at_most(&format!("{name}, angular error halves with dt"), isa, angular_fine / angular, 0.65);
        }
    }
}

/// Two capsules on a hinge, in the plane y = 0.
fn jointed_pair(root: JointKind) -> Character {
    let bar = |to| Shape::Capsule { from: [0.0; 3], to, radius: 0.05 };
    let mut elbow = joint(JointKind::Hinge, Some("upper"), "lower", [0.4, 0.0, 0.0]);
    (elbow.kp, elbow.kd, elbow.torque_limit) = (40.0, 2.0, Some(15.0));
    let bodies = vec![solid("upper", 3.0, bar([0.4, 0.0, 0.0])), solid("lower", 2.0, bar([0.3, 0.0, 0.1]))];
    character(bodies, vec![joint(root, None, "upper", [0.1, 0.0, 0.6]), elbow])
}

#[test]
fn a_planar_root_moves_as_a_free_root_in_its_plane() {
    for isa in precisions() {
        let mut apart = 0.0f64;
        for ground in [None, ground(0.6, 0.2)] {
            let scene = |kind| Scene { ground, ..Scene::floating(jointed_pair(kind)) };
            let mut planar = batch(&scene(JointKind::Planar), 0.001, isa, 1);
            let mut free = batch(&scene(JointKind::Free), 0.001, isa, 1);
            planar.world_mut(0).set_velocity(&[0.7, 1.0, 3.0, -1.0]);
            free.world_mut(0).set_velocity(&[0.7, 0.0, 1.0, 0.0, 3.0, 0.0, -1.0]);
            planar.world_mut(0).set_target(&[0.0, 0.0, 0.0, 0.8]);
            free.world_mut(0).set_target(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.8]);
            // With ground, a fall of 0.6 m and the slide after it.
            for _ in 0..80 {
                planar.step(10);
                free.step(10);
                let (a, b) = (planar.world(0).measure(), free.world(0).measure());
                for (a, b) in a.bodies.iter().zip(&b.bodies) {
                    apart = apart.max(length(sub(a.position, b.position)));
                }
            }
        }
        at_most("planar against free root over 0.8 s, m", isa, apart, by_precision(isa, 1e-9, 1e-3));
    }
}
