//! Moving bodies against moving bodies.

use crate::common::*;
use sinew_sim::{Batch, Scene, Status, Surface, Touched, embedded};

/// Two objects, the first on the ground.
fn stacked(upper: sinew_sim::Object) -> Scene {
    Scene {
        ground: ground(0.8, 0.0),
        objects: vec![block("base", [0.3, 0.3, 0.1], 10.0, [0.0, 0.0, 0.1]), upper],
        collide: vec![["base".into(), "upper".into()]],
        between_bodies: Surface { friction: 0.8, restitution: 0.0 },
        ..Scene::default()
    }
}

/// Mean upward force of the base on the second object, and of the ground on the base, over 200 steps.
fn mean_forces(b: &mut Batch) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for _ in 0..200 {
        b.step(1);
        for c in b.world(0).contacts() {
            match (c.body, c.other) {
                (0, Touched::Ground) => sums[1] += c.force[2] / 200.0,
                (0, Touched::Body(1)) => sums[0] -= c.force[2] / 200.0,
                (1, Touched::Body(0)) => sums[0] += c.force[2] / 200.0,
                other => panic!("an unexpected contact: {other:?}"),
            }
        }
    }
    sums
}

#[test]
fn an_object_rests_on_an_object() {
    for isa in precisions() {
        for (name, upper, height) in [
            ("box on a box", block("upper", [0.15, 0.15, 0.1], 4.0, [0.05, 0.02, 0.31]), 0.3),
            ("ball on a box", ball("upper", 0.1, 4.0, [0.0, 0.0, 0.31]), 0.3),
        ] {
            // Explicit contact holds a weight at a depth of order g·dt².
            for (dt, depth) in [(0.0005, 1e-3), (0.002, 3e-3), (1.0 / 240.0, 6e-3)] {
                let mut b = batch(&stacked(upper.clone()), dt, isa, 1);
                b.step((2.0 / dt) as usize);
                let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
                let [between, below] = mean_forces(&mut b);
                for _ in 0..200 {
                    b.step(1);
                    let z = b.world(0).position()[9];
                    (low, high) = (low.min(z), high.max(z));
                }
                let world = b.world(0);
                assert_eq!(world.status(), Status::Running);
                let name = format!("{name}, dt {dt:.4}");
                at_most(&format!("{name}: force between, relative"), isa, off(between, 4.0 * G), 0.02);
                at_most(&format!("{name}: force on the ground, relative"), isa, off(below, 14.0 * G), 0.01);
                at_most(&format!("{name}: height off, m"), isa, (low - height).abs().max((high - height).abs()), depth);
                let drift = length(sub(world.measure().bodies[1].position, upper.position));
                at_most(&format!("{name}: moved in 2 s, m"), isa, drift, 0.01 + depth);
                at_most(&format!("{name}: turned, rad"), isa, angle_of(&world.position()[10..14]), 0.01);
            }
        }
    }
}

#[test]
fn a_ball_thrown_at_the_chest_hands_over_its_momentum() {
    for isa in precisions() {
        for dt in [0.0005, 0.002, 1.0 / 240.0] {
            let mut scene = Scene::floating(embedded::humanoid());
            scene.gravity = [0.0; 3];
            scene.collide = vec![["ball".into(), "humanoid".into()]];
            let at_rest = batch(&scene_without_ball(&scene), dt, isa, 1);
            let chest_index = at_rest.model().body("humanoid/chest").expect("a chest");
            let chest = at_rest.world(0).measure().bodies[chest_index].center_of_mass;
            scene.objects = vec![ball("ball", 0.1, 5.0, [chest[0] + 0.5, chest[1], chest[2]])];
            let mut b = batch(&scene, dt, isa, 1);
            let ball_index = b.model().body("ball").expect("a ball");
            let first = b.model().velocity_count() - 6;
            let mut velocity = vec![0.0; b.model().velocity_count()];
            velocity[first] = -9.0;
            b.world_mut(0).set_velocity(&velocity);
            let start = b.world(0).measure();
            let (mut drift, mut touched_chest, mut closest) = (0.0f64, false, f64::INFINITY);
            for _ in 0..(0.5 / dt) as usize {
                b.step(1);
                let m = b.world(0).measure();
                drift = drift.max(length(sub(m.linear_momentum, start.linear_momentum)));
                closest = closest.min(m.bodies[ball_index].center_of_mass[0] - m.bodies[chest_index].center_of_mass[0]);
                for c in b.world(0).contacts() {
                    let names = [Some(c.body), if let Touched::Body(other) = c.other { Some(other) } else { None }];
                    assert!(names.contains(&Some(ball_index)), "a contact without the ball");
                    touched_chest |= names.contains(&Some(chest_index));
                }
            }
            let world = b.world(0);
            assert_eq!(world.status(), Status::Running);
            assert!(touched_chest, "the ball hits the chest");
            let m = world.measure();
            let name = format!("ball at the chest, dt {dt:.4}");
            // The pair forces cancel exactly; what is left is the figure's own first-order drift.
            at_most(&format!("{name}: momentum, of 45 N s"), isa, drift / 45.0, 20.0 * dt);
            at_most(&format!("{name}: closest centres, -m"), isa, -closest, -0.12);
            assert!(
                m.bodies[ball_index].velocity[0] > -4.0,
                "the ball was stopped: {:?}",
                m.bodies[ball_index].velocity
            );
            assert!(m.kinetic_energy < start.kinetic_energy, "{name}: energy {} J", m.kinetic_energy);
        }
    }
}

fn scene_without_ball(scene: &Scene) -> Scene {
    Scene { collide: Vec::new(), ..scene.clone() }
}

#[test]
fn free_bodies_exchange_momentum_off_centre() {
    // An oblique hit of a ball on a turned box: linear and total angular momentum stay.
    for isa in precisions() {
        let mut target = block("target", [0.2, 0.1, 0.15], 3.0, [0.0; 3]);
        target.orientation = turn([0.6, 0.0, 0.8], 0.7);
        let scene = Scene {
            gravity: [0.0; 3],
            objects: vec![ball("ball", 0.1, 2.0, [-0.6, 0.08, 0.05]), target],
            collide: vec![["ball".into(), "target".into()]],
            ..Scene::default()
        };
        let mut b = batch(&scene, 0.0005, isa, 1);
        let mut velocity = vec![0.0; 12];
        (velocity[0], velocity[3]) = (4.0, 5.0);
        b.world_mut(0).set_velocity(&velocity);
        let start = b.world(0).measure();
        b.step(500);
        let end = b.world(0).measure();
        assert!(length(end.bodies[1].angular_velocity) > 0.5, "the box was set spinning");
        let linear = length(sub(end.linear_momentum, start.linear_momentum)) / 8.0;
        let angular = length(sub(end.angular_momentum, start.angular_momentum)) / length(start.angular_momentum);
        at_most("oblique hit: linear momentum, relative", isa, linear, by_precision(isa, 1e-12, 1e-5));
        // Free spin integrates at first order: a few dt.
        at_most("oblique hit: angular momentum, relative", isa, angular, 0.01);
        assert!(end.kinetic_energy <= start.kinetic_energy * 1.001, "no energy is made");
    }
}
