//! What stands keeps standing, barely sinks, and presses with its weight.

use crate::common::*;
use sinew_sim::{Character, JointKind, Scene, Shape, Status, Surface, Touched, World, embedded};

/// Sum of the forces of all contacts on the character, N.
fn carried(world: &World<'_>) -> [f64; 3] {
    world.contacts().iter().fold([0.0; 3], |sum, c| add(sum, c.force))
}

fn stands(figure: &Character, scene: &Scene, floor: f64, place: &str) {
    for isa in precisions() {
        for (dt, label) in [(0.0005, "0.5 ms"), (0.002, "2 ms"), (1.0 / 240.0, "1/240 s")] {
            let mut b = batch(scene, dt, isa, 1);
            let start = b.world(0).measure().center_of_mass;
            b.step((5.0 / dt) as usize);
            let world = b.world(0);
            assert_eq!(world.status(), Status::Running);
            let name = format!("{} on {place}, {label}", figure.name);
            let now = world.measure();
            let sunk = (0..figure.bodies.len()).map(|i| floor - lowest(&world, &b, i)).fold(0.0f64, f64::max);
            let moved = length(sub(now.center_of_mass, start));
            let weight = b.model().total_mass() * G;
            at_most(&format!("{name}: centre of mass moved in 5 s, m"), isa, moved, 0.08);
            // The dinosaur sags 7 cm forward under its gains and rocks for some seconds.
            let speed = world.velocity().iter().fold(0.0f64, |a, v| a.max(v.abs()));
            at_most(&format!("{name}: fastest coordinate after 5 s"), isa, speed, 0.01);
            at_most(&format!("{name}: deepest point, m"), isa, sunk, 2e-3);
            let force = carried(&world);
            at_most(&format!("{name}: forces against weight"), isa, off(force[2], weight), 0.005);
            at_most(&format!("{name}: sideways force, weights"), isa, force[0].hypot(force[1]) / weight, 0.005);
        }
    }
}

#[test]
fn the_dinosaur_stands_on_the_ground() {
    let figure = embedded::dinosaur();
    stands(&figure, &Scene::on_ground(figure.clone()), 0.0, "ground");
}

#[test]
fn the_humanoid_stands_on_the_ground() {
    let figure = embedded::humanoid();
    stands(&figure, &Scene::on_ground(figure.clone()), 0.0, "ground");
}

#[test]
fn figures_stand_on_a_static_box() {
    for figure in [embedded::dinosaur(), embedded::humanoid()] {
        let mut scene = Scene::floating(figure.clone());
        scene.characters[0].offset = [0.0, 0.0, 0.4];
        scene.boxes = vec![platform("step", [0.0, 0.0, 0.4], [1.0, 1.0, 0.2], Surface::default())];
        stands(&figure, &scene, 0.4, "static box");
    }
}

#[test]
fn a_capsule_rests_across_the_edge_of_a_box() {
    // Balanced over a narrow box: only the middle of the capsule touches.
    let bar = Shape::Capsule { from: [-0.5, 0.0, 0.0], to: [0.5, 0.0, 0.0], radius: 0.05 };
    let figure = character(vec![solid("bar", 4.0, bar)], vec![joint(JointKind::Free, None, "bar", [0.0, 0.0, 0.55])]);
    for isa in precisions() {
        for (width, bound) in [(0.1, 0.01), (0.02, 0.05)] {
            let mut scene = Scene::floating(figure.clone());
            scene.boxes = vec![platform("edge", [0.0, 0.0, 0.5], [width, 0.3, 0.25], Surface::default())];
            let mut b = batch(&scene, 0.001, isa, 1);
            b.step(1000);
            let world = b.world(0);
            let force = carried(&world);
            let name = format!("capsule across a box {} m wide", 2.0 * width);
            at_most(&format!("{name}: depth after 1 s, m"), isa, (0.55 - world.position()[2]).abs(), 1.5e-3);
            at_most(&format!("{name}: tilt after 1 s, rad"), isa, angle_of(&world.position()[3..7]), bound);
            at_most(&format!("{name}: force against weight"), isa, off(force[2], 4.0 * G), 0.05);
            assert!(world.contacts().iter().all(|c| c.body == 0 && c.other == Touched::Box(0)));
        }
    }
}

#[test]
fn a_box_dropped_onto_a_step_rests_on_step_or_floor() {
    // Centre beyond the edge: it tips over; centre above the step: it stays.
    let surface = Surface { friction: 0.8, restitution: 0.0 };
    for isa in precisions() {
        for (x, stays) in [(-0.08, true), (0.08, false)] {
            let scene = Scene {
                ground: ground(0.8, 0.0),
                boxes: vec![platform("step", [-0.5, 0.0, 0.3], [0.5, 0.5, 0.15], surface)],
                objects: vec![block("crate", [0.15, 0.15, 0.15], 6.0, [x, 0.0, 0.55])],
                ..Scene::default()
            };
            let mut b = batch(&scene, 0.001, isa, 1);
            let mut energy = f64::NEG_INFINITY;
            let start = b.world(0).measure().energy();
            let mut sunk = 0.0f64;
            for _ in 0..300 {
                b.step(10);
                energy = energy.max(b.world(0).measure().energy() - start);
                sunk = sunk.max(-lowest(&b.world(0), &b, 0));
            }
            let world = b.world(0);
            assert_eq!(world.status(), Status::Running);
            let name = if stays { "box on a step" } else { "box off a step" };
            at_most(&format!("{name}: energy gained, J"), isa, energy, 0.01);
            at_most(&format!("{name}: deepest under the floor, m"), isa, sunk, 0.01);
            at_most(&format!("{name}: force against weight"), isa, off(carried(&world)[2], 6.0 * G), 0.005);
            at_most(&format!("{name}: speed after 3 s, m/s"), isa, length(world.measure().bodies[0].velocity), 1e-3);
            assert_eq!(world.position()[2] > 0.4, stays, "{name}: z = {}", world.position()[2]);
        }
    }
}
