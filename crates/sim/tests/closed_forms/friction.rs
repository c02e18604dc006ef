//! Coulomb's law: the friction angle, sliding, and the cone.

use crate::common::*;
use sinew_sim::{Batch, Scene, StaticBox, Surface, Touched, embedded};

const MU: f64 = 0.5;
const HALF: [f64; 3] = [0.2, 0.15, 0.05];
const DT: f64 = 0.001;

/// Gravity as a slope of this angle along +x would feel it.
fn tilted(angle: f64) -> [f64; 3] {
    [G * angle.sin(), 0.0, -G * angle.cos()]
}

fn block_on_ground() -> Scene {
    Scene { ground: ground(MU, 0.0), objects: vec![block("block", HALF, 8.0, [0.0, 0.0, HALF[2]])], ..Scene::default() }
}

/// The same block on a box that leans down towards +x.
fn block_on_slope(angle: f64) -> Scene {
    let slope = turn([0.0, 1.0, 0.0], angle);
    let normal = [angle.sin(), 0.0, angle.cos()];
    let surface = Surface { friction: MU, restitution: 0.0 };
    let center = scale(normal, -0.5);
    let incline =
        StaticBox { name: "slope".into(), center, half_extents: [20.0, 5.0, 0.5], orientation: slope, surface };
    let mut block = block("block", HALF, 8.0, scale(normal, HALF[2]));
    block.orientation = slope;
    Scene { boxes: vec![incline], objects: vec![block], ..Scene::default() }
}

/// How far world 0's block moves along the slope in the coming second, and its speed at the end.
fn slide(b: &mut Batch, angle: f64, along_world_x: bool) -> (f64, f64) {
    let down = if along_world_x { [1.0, 0.0, 0.0] } else { [angle.cos(), 0.0, -angle.sin()] };
    let start = b.world(0).measure().bodies[0].position;
    b.step((1.0 / DT) as usize);
    let now = b.world(0).measure();
    (dot(sub(now.bodies[0].position, start), down), dot(now.bodies[0].velocity, down))
}

#[test]
fn a_block_holds_below_the_friction_angle_and_slides_above_it() {
    let critical = f64::atan(MU);
    for isa in precisions() {
        for by_gravity in [true, false] {
            let way = if by_gravity { "gravity tilted" } else { "static box tilted" };
            let started = |angle: f64| {
                let mut b = if by_gravity {
                    batch(&block_on_ground(), DT, isa, 1)
                } else {
                    batch(&block_on_slope(angle), DT, isa, 1)
                };
                if by_gravity {
                    b.step(300);
                    b.world_mut(0).set_gravity(tilted(angle));
                }
                b.step(200);
                b
            };
            for share in [0.5, 0.9, 0.98] {
                let angle = share * critical;
                let (moved, _) = slide(&mut started(angle), angle, by_gravity);
                at_most(&format!("creep in 1 s at {share} of the angle, {way}, m"), isa, moved.abs(), 1e-3);
            }
            for (share, tolerance) in [(1.02, 0.1), (1.1, 0.03), (1.5, 0.02)] {
                let angle = share * critical;
                let mut b = started(angle);
                let before = b.world(0).measure().bodies[0].velocity;
                let (_, speed) = slide(&mut b, angle, by_gravity);
                let acceleration = speed - length(before);
                let expected = G * (angle.sin() - MU * angle.cos());
                let name = format!("acceleration at {share} of the angle, {way}, relative");
                at_most(&name, isa, off(acceleration, expected), tolerance);
            }
        }
    }
}

#[test]
fn sliding_stops_after_v2_over_2_mu_g_in_every_direction() {
    let speed = 2.0;
    let directions = [0.0f64, 22.5, 45.0, 90.0];
    for isa in precisions() {
        let mut b = batch(&block_on_ground(), DT, isa, directions.len());
        b.step(500);
        let mut starts = Vec::new();
        for (world, degrees) in directions.iter().enumerate() {
            let a = degrees.to_radians();
            b.world_mut(world).set_velocity(&[speed * a.cos(), speed * a.sin(), 0.0, 0.0, 0.0, 0.0]);
            starts.push(b.world(world).measure().bodies[0].position);
        }
        // Half-way, all have the same speed.
        b.step(200);
        let expected = speed - MU * G * 0.2;
        let speeds: Vec<f64> = (0..directions.len()).map(|w| length(b.world(w).measure().bodies[0].velocity)).collect();
        for s in &speeds {
            at_most("sliding: deceleration mu g, relative", isa, off(speed - s, speed - expected), 0.01);
            at_most("sliding: the same in every direction, relative", isa, off(speed - s, speed - speeds[0]), 0.01);
        }
        b.step(800);
        for (world, degrees) in directions.iter().enumerate() {
            let a = degrees.to_radians();
            let m = b.world(world).measure();
            let way = sub(m.bodies[0].position, starts[world]);
            let distance = dot(way, [a.cos(), a.sin(), 0.0]);
            let name = format!("stopping distance at {degrees} degrees, relative");
            at_most(&name, isa, off(distance, speed * speed / (2.0 * MU * G)), 0.02);
            at_most("sliding: off its line, m", isa, dot(way, [-a.sin(), a.cos(), 0.0]).abs(), 2e-3);
            at_most("sliding: it has stopped, m/s", isa, length(m.bodies[0].velocity), 1e-3);
        }
    }
}

#[test]
fn a_thrashing_dinosaur_keeps_to_the_cone() {
    let friction = Surface::default().friction;
    for isa in precisions() {
        let mut b = batch(&Scene::on_ground(embedded::dinosaur()), 0.002, isa, 4);
        let model = b.model().clone();
        let weight = model.total_mass() * G;
        let (mut worst, mut over_1, mut over_5, mut count, mut pull, mut pulls) = (0.0f64, 0, 0, 0, 0.0f64, 0);
        for step in 0..1000 {
            for world in 0..b.len() {
                b.world_mut(world).set_target(&thrashing(&model, world, step as f64 * 0.002, 0.6));
            }
            b.step(1);
            for world in 0..b.len() {
                for contact in b.world(world).contacts() {
                    assert_eq!(contact.other, Touched::Ground);
                    let normal = dot(contact.force, contact.normal);
                    let across = length(sub(contact.force, scale(contact.normal, normal)));
                    // The solver's own tolerance: a hundredth of the weight.
                    let beyond = (across - friction * normal.max(0.0) - 1e-2 * weight).max(0.0);
                    let excess = beyond / (friction * normal.max(1e-2 * weight));
                    worst = worst.max(excess);
                    over_1 += (excess > 0.01) as usize;
                    over_5 += (excess > 0.05) as usize;
                    pull = pull.max(-normal / weight);
                    count += 1;
                    pulls += (normal < -1e-3 * weight) as usize;
                }
            }
        }
        assert!(count > 1000, "it touches the ground: {count} contacts");
        println!("cone, {}: {count} contacts, {over_1} over by 1 %, {over_5} over by 5 %, {pulls} pull", isa.name());
        assert_eq!(over_5, 0);
        at_most("cone: share of contacts over by more than 1 %", isa, over_1 as f64 / count as f64, 0.1);
        at_most("cone: worst |ft|/(mu fn) - 1", isa, worst, 0.02);
        at_most("cone: worst pull, weights", isa, pull, 0.0101);
    }
}
