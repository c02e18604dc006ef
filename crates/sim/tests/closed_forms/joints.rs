//! Stops, torque limits and the PD law.

use crate::common::*;
use sinew_sim::{Batch, Joint, JointKind, Scene, Status, embedded};

const MOMENT: f64 = 0.05;

/// A flywheel on a hinge or ball: inertia [`MOMENT`] about every axis.
fn flywheel(kind: JointKind) -> (sinew_sim::Body, Joint) {
    (body("wheel", 2.0, [0.0; 3], [MOMENT; 3]), joint(kind, Some("post"), "wheel", [0.0; 3]))
}

fn alone(wheel: sinew_sim::Body, drive: Joint) -> Scene {
    Scene { gravity: [0.0; 3], ..Scene::floating(on_post(wheel, drive)) }
}

fn bend(b: &Batch, kind: JointKind) -> f64 {
    let q = b.world(0).position();
    if kind == JointKind::Hinge { q[0] } else { angle_of(&q) }
}

/// Largest and last angle when driven from rest towards `target` rad.
fn furthest(b: &mut Batch, kind: JointKind, target: Option<f64>, seconds: f64) -> (f64, f64) {
    if let Some(target) = target {
        let target = if kind == JointKind::Hinge { vec![target] } else { turn([0.0, 1.0, 0.0], target).to_vec() };
        b.world_mut(0).set_target(&target);
    }
    let mut most = 0.0f64;
    for _ in 0..(seconds / b.model().dt()) as usize {
        b.step(1);
        most = most.max(bend(b, kind));
    }
    (most, bend(b, kind))
}

#[test]
fn a_stop_holds_the_full_torque() {
    for isa in precisions() {
        for dt in [0.0005, 0.002, 1.0 / 240.0] {
            for kind in [JointKind::Hinge, JointKind::Ball] {
                let (wheel, mut drive) = flywheel(kind);
                (drive.kp, drive.kd, drive.torque_limit) = (1000.0, 20.0, Some(100.0));
                drive.limits = Some(if kind == JointKind::Hinge { [-0.5, 0.7] } else { [0.0, 0.7] });
                let mut b = batch(&alone(wheel, drive), dt, isa, 1);
                let near = if kind == JointKind::Hinge { vec![0.6] } else { turn([0.0, 1.0, 0.0], 0.6).to_vec() };
                b.world_mut(0).set_position(&near);
                let (most, last) = furthest(&mut b, kind, Some(2.5), 2.0);
                let pressed = b.world(0).torques().iter().map(|t| t * t).sum::<f64>().sqrt();
                assert!(pressed > 99.9, "the drive pushes with all it has: {pressed} N m");
                let name = format!("{kind:?} driven into its stop, dt {dt:.4}");
                at_most(&format!("{name}: past it at rest, rad"), isa, last - 0.7, 0.0051);
                at_most(&format!("{name}: past it at worst, rad"), isa, most - 0.7, 0.03);
            }
        }
    }
}

#[test]
fn a_stop_holds_a_falling_limb() {
    for isa in precisions() {
        for dt in [0.0005, 0.002, 1.0 / 240.0] {
            for kind in [JointKind::Hinge, JointKind::Ball] {
                let arm = body("arm", 4.0, [0.3, 0.0, 0.0], [0.005, 0.03, 0.03]);
                let mut drive = joint(kind, Some("post"), "arm", [0.0; 3]);
                drive.limits = Some(if kind == JointKind::Hinge { [-0.2, 0.6] } else { [0.0, 0.6] });
                let mut b = batch(&Scene::floating(on_post(arm, drive)), dt, isa, 1);
                let (most, last) = furthest(&mut b, kind, None, 3.0);
                let name = format!("{kind:?} falling onto its stop, dt {dt:.4}");
                assert!(last > 0.55, "{name}: it lies at the stop: {last}");
                at_most(&format!("{name}: past it at worst, rad"), isa, most - 0.6, 0.03);
                // Weight on the arm, held by the stop alone: m·g·l·cos θ.
                let stop = b.world(0).stop_torques().iter().map(|t| t * t).sum::<f64>().sqrt();
                at_most(&format!("{name}: stop torque, relative"), isa, off(stop, 4.0 * G * 0.3 * last.cos()), 0.005);
            }
        }
    }
}

#[test]
fn torque_limits_hold_exactly() {
    for isa in precisions() {
        for figure in [embedded::dinosaur(), embedded::humanoid()] {
            for (limit, amplitude) in [(400.0, 3.0), (7.3, 2.0)] {
                let mut figure = figure.clone();
                for j in figure.joints.iter_mut().filter(|j| j.torque_limit.is_some()) {
                    j.torque_limit = Some(limit);
                }
                let name = figure.name.clone();
                let mut b = batch(&Scene::on_ground(figure), 0.002, isa, 4);
                let model = b.model().clone();
                let (mut most, mut saturated) = (0.0f64, 0);
                for step in 0..250 {
                    for world in 0..4 {
                        b.world_mut(world).set_target(&thrashing(&model, world, (step / 25) as f64, amplitude));
                    }
                    b.step(1);
                    for world in 0..4 {
                        let torques = b.world(world).torques();
                        for j in model.joints() {
                            let n = j.kind.velocity_count();
                            let t = &torques[j.velocity_index..j.velocity_index + n];
                            if j.torque_limit.is_some() {
                                let size =
                                    if n == 1 { t[0].abs() } else { t.iter().map(|t| t * t).sum::<f64>().sqrt() };
                                most = most.max(size);
                                saturated += (size > 0.999 * limit) as usize;
                            }
                        }
                    }
                }
                assert!(saturated > 100, "{name}: {saturated} saturated joints");
                // Not a bit more: no tolerance. The f32 nearest to the limit is the limit.
                at_most(
                    &format!("{name}: largest torque at a limit of {limit} N m"),
                    isa,
                    most,
                    by_precision(isa, limit, limit as f32 as f64),
                );
            }
        }
    }
}

#[test]
fn saturated_torque_accelerates_by_tau_over_i() {
    for isa in precisions() {
        for kind in [JointKind::Hinge, JointKind::Ball] {
            let (wheel, mut drive) = flywheel(kind);
            (drive.kp, drive.kd, drive.torque_limit, drive.armature) = (1e4, 10.0, Some(3.0), 0.01);
            let mut b = batch(&alone(wheel, drive), 0.001, isa, 1);
            let target = if kind == JointKind::Hinge { vec![3.0] } else { turn([0.0, 1.0, 0.0], 3.0).to_vec() };
            b.world_mut(0).set_target(&target);
            b.step(100);
            let v = b.world(0).velocity();
            let v = if kind == JointKind::Hinge { v[0] } else { v[1] };
            let expected = 3.0 / (MOMENT + 0.01) * 0.1;
            at_most(
                &format!("{kind:?}: saturated torque, tau/I"),
                isa,
                off(v, expected),
                by_precision(isa, 2e-6, 1e-5),
            );
        }
    }
}

/// Angle of `I·θ̈ = −kp·(θ − θ*) − kd·θ̇` from rest at 0 (underdamped).
fn spring_response(kp: f64, kd: f64, target: f64, t: f64) -> f64 {
    let (decay, natural) = (kd / (2.0 * MOMENT), (kp / MOMENT).sqrt());
    let ringing = (natural * natural - decay * decay).sqrt();
    target * (1.0 - (-decay * t).exp() * ((ringing * t).cos() + decay / ringing * (ringing * t).sin()))
}

#[test]
fn pd_control_is_a_damped_spring() {
    let (kp, kd, target) = (20.0, 0.4, 0.3);
    for isa in precisions() {
        for kind in [JointKind::Hinge, JointKind::Ball] {
            let error = |dt: f64| {
                let (wheel, mut drive) = flywheel(kind);
                (drive.kp, drive.kd) = (kp, kd);
                let mut b = batch(&alone(wheel, drive), dt, isa, 1);
                let full = if kind == JointKind::Hinge { vec![target] } else { turn([0.0, 1.0, 0.0], target).to_vec() };
                b.world_mut(0).set_target(&full);
                let mut worst = 0.0f64;
                for step in 1..=100 {
                    b.step((0.01 / dt).round() as usize);
                    let expected = spring_response(kp, kd, target, step as f64 * 0.01);
                    worst = worst.max((bend(&b, kind) - expected).abs() / target);
                }
                worst
            };
            let (coarse, fine) = (error(2e-4), error(1e-4));
            // Implicit: damped by another kp·dt, so ω²·dt·t/2 of the amplitude at first order.
            at_most(&format!("{kind:?} PD against a damped spring, of the step"), isa, fine, 0.01);
            at_most(&format!("{kind:?} PD error halves with dt (ratio - 0.5)"), isa, (fine / coarse - 0.5).abs(), 0.05);
        }
    }
}

#[test]
fn huge_gains_are_stable_at_240_hz() {
    for isa in precisions() {
        for kind in [JointKind::Hinge, JointKind::Ball] {
            let (wheel, mut drive) = flywheel(kind);
            (drive.kp, drive.kd) = (1e5, 1e3);
            let mut b = batch(&alone(wheel, drive), 1.0 / 240.0, isa, 1);
            let (most, last) = furthest(&mut b, kind, Some(1.0), 2.0);
            at_most(&format!("{kind:?}, gains 1e5: final error, rad"), isa, (last - 1.0).abs(), 1e-5);
            at_most(&format!("{kind:?}, gains 1e5: overshoot, rad"), isa, most - 1.0, 0.01);
        }
        for figure in [embedded::dinosaur(), embedded::humanoid()] {
            let mut stiff = figure.clone();
            for j in stiff.joints.iter_mut().filter(|j| j.torque_limit.is_some()) {
                (j.kp, j.kd, j.torque_limit) = (1e5, 1e4, None);
            }
            let mut b = batch(&Scene::on_ground(stiff), 1.0 / 240.0, isa, 1);
            b.step(480);
            assert_eq!(b.world(0).status(), Status::Running);
            let speed = b.world(0).velocity().iter().fold(0.0f64, |a, v| a.max(v.abs()));
            at_most(&format!("{}, gains 1e5: fastest coordinate after 2 s", figure.name), isa, speed, 0.02);
        }
    }
}
