use super::*;
use crate::tools::walkers::{biped_walk, quadruped_walk};
use crate::tools::{feet, moved, repeat_cycle};

#[test]
fn the_speed_of_a_walk_in_place_is_recovered() {
    for walk in [biped_walk(), quadruped_walk()] {
        let feet = feet(&walk.skeleton, &[]);
        for heading in [0.0, 2.0] {
            let cycle = moved(&walk.cycle, DQuat::from_rotation_z(heading), DVec3::new(1.0, 2.0, 0.0));
            for ground_speed in [GroundSpeed::Constant, GroundSpeed::Smoothed { window_secs: 0.1 }] {
                let travel = travel_from_feet(&walk.skeleton, &cycle, &feet, ground_speed).unwrap();
                assert!(travel.was_in_place);
                assert!((travel.speed / walk.speed - 1.0).abs() < 0.02, "{} for {}", travel.speed, walk.speed);
                assert!(travel.velocity.normalize().dot(DVec2::from_angle(heading)) > 0.9999);
                assert_eq!(travel.turn_rate, 0.0);
                assert!(travel.skate_after < 0.25 * travel.skate_before, "{travel:?}");
                let net = *travel.clip.root_positions.last().unwrap() - travel.clip.root_positions[0];
                assert!((net.length() / (walk.speed * walk.cycle_secs) - 1.0).abs() < 0.03, "{net}");
            }
        }
    }
}

#[test]
fn the_travelling_cycle_repeats_to_the_travelling_walk() {
    let walk = biped_walk();
    let feet = feet(&walk.skeleton, &[]);
    let travel = travel_from_feet(&walk.skeleton, &walk.cycle, &feet, GroundSpeed::Constant).unwrap();
    let long = repeat_cycle(&travel.clip, 4).unwrap().clip;
    assert_eq!(long.frame_count(), walk.clip.frame_count());
    let end = walk.clip.frame_count() - 1;
    assert!(long.root_positions[end].distance(walk.clip.root_positions[end]) < 0.02 * walk.clip.root_positions[end].x);
}

#[test]
fn what_already_travels_or_stands_is_left_alone() {
    let walk = biped_walk();
    let feet = feet(&walk.skeleton, &[]);
    let travel = travel_from_feet(&walk.skeleton, &walk.clip, &feet, GroundSpeed::Constant).unwrap();
    assert!(!travel.was_in_place && travel.clip == walk.clip);
    let mut still = walk.cycle.clone();
    for frame in 1..still.frame_count() {
        let joints = joint_count(&still);
        let first = still.rotations_of(0).to_vec();
        still.rotations[frame * joints..(frame + 1) * joints].copy_from_slice(&first);
    }
    let travel = travel_from_feet(&walk.skeleton, &still, &feet, GroundSpeed::Constant).unwrap();
    assert!(!travel.was_in_place && travel.clip == still);
    assert!(travel_from_feet(&walk.skeleton, &still, &[], GroundSpeed::Constant).unwrap().clip == still);
}

/// A walk around a circle, seen from a platform that goes round with it.
#[test]
fn a_walk_in_a_circle_in_place_goes_round() {
    let walk = biped_walk();
    let feet = feet(&walk.skeleton, &[]);
    let rate = 0.8;
    // The straight cycle on a platform that turns back at the rate: its standing feet follow arcs about the root.
    let mut turning = walk.cycle.clone();
    let joints = joint_count(&turning);
    for frame in 0..turning.frame_count() {
        let back = DQuat::from_rotation_z(-rate * frame as f64 / turning.rate_hz);
        turning.rotations[frame * joints] = back * turning.rotations[frame * joints];
    }
    // The root turns by itself here, so the feet say the straight speed in its turning frame and a turn that takes it back.
    let travel = travel_from_feet(&walk.skeleton, &turning, &feet, GroundSpeed::Constant).unwrap();
    assert!(travel.was_in_place);
    assert!((travel.speed / walk.speed - 1.0).abs() < 0.05, "{}", travel.speed);
    assert!((travel.turn_rate / rate - 1.0).abs() < 0.1, "{}", travel.turn_rate);
    assert!(travel.skate_after < 0.3 * travel.skate_before, "{travel:?}");
}

/// A step that does not end as it began, and one on a single foot, are no walk in place.
#[test]
fn only_cycles_on_several_feet_travel() {
    let walk = biped_walk();
    let feet = feet(&walk.skeleton, &[]);
    let step = crate::tools::crop(&walk.cycle, 0.0, 0.3 * walk.cycle_secs).unwrap();
    assert!(!travel_from_feet(&walk.skeleton, &step, &feet, GroundSpeed::Constant).unwrap().was_in_place);
    assert!(!travel_from_feet(&walk.skeleton, &walk.cycle, &feet[..1], GroundSpeed::Constant).unwrap().was_in_place);
}

/// Paws of game rigs often dive through the floor while they swing; the bind pose tells where it is.
#[test]
fn feet_that_dive_through_the_floor_do_not_mislead() {
    let walk = biped_walk();
    let feet = feet(&walk.skeleton, &[]);
    let mut diving = walk.cycle.clone();
    let joints = joint_count(&diving);
    for frame in 0..diving.frame_count() {
        let placed = walk.cycle.place(&walk.skeleton, frame);
        for foot in [9, 12] {
            let lift = placed[foot].position.z - 0.08;
            if lift > 0.005 {
                // Toes down, by more the higher the ankle.
                let turn = DQuat::from_rotation_y((30.0 * lift).min(1.4));
                let above = placed[foot - 1].orientation;
                diving.rotations[frame * joints + foot] = above.inverse() * turn * placed[foot].orientation;
            }
        }
    }
    same_hemisphere(&mut diving.rotations, joints);
    let mut deep = walk.skeleton.clone();
    for foot in [9, 12] {
        // A long toe, flat on the ground in the bind pose.
        deep.joints[foot]
            .tips
            .push(walk.skeleton.bind_pose()[foot].orientation.inverse() * DVec3::new(0.3, 0.0, -0.08));
    }
    let deep_feet = crate::tools::feet(&deep, &[]);
    assert_eq!(deep_feet.len(), feet.len());
    let travel = travel_from_feet(&deep, &diving, &deep_feet, GroundSpeed::Constant).unwrap();
    assert!(travel.was_in_place && (travel.speed / walk.speed - 1.0).abs() < 0.05, "{}", travel.speed);
}
