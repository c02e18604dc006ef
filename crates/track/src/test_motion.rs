//! A small figure that sways where it stands, for tests.

use crate::body::TrackedBody;
use crate::config::TrackerConfig;
use crate::environment::{Ends, Environment};
use crate::policy::time_step;
use crate::reference::{PerformedFrame, Reference};
use sinew_sim::embedded;

/// A configuration that trains in a second.
pub(crate) fn small_config() -> TrackerConfig {
    TrackerConfig {
        steps_per_frame: 8,
        worlds: 16,
        horizon: 8,
        minibatch: 64,
        segments: 5,
        least_episodes: 1.0,
        policy_layers: vec![16],
        value_layers: vec![16],
        transitions: 512,
        ..TrackerConfig::default()
    }
}

/// The same for a motion whose controls are known.
pub(crate) fn small_performed_config() -> TrackerConfig {
    TrackerConfig { feeds_controls: true, clone_transitions: 256, deviation: 0.05, ..small_config() }
}

/// The embedded humanoid, swaying with its first joint in two stretches.
pub(crate) fn swaying(config: &TrackerConfig) -> (TrackedBody, Reference) {
    swaying_at(config, 0.0)
}

/// The same, so much above the ground, m.
pub(crate) fn swaying_at(config: &TrackerConfig, height: f64) -> (TrackedBody, Reference) {
    let body = TrackedBody::new(&embedded::humanoid(), 0.0, time_step(config, 30.0)).unwrap();
    let model = body.model();
    let joint = model.joints().iter().find(|joint| !joint.kind.is_root()).unwrap();
    let stretch = |frames: usize, lead: f64| -> Vec<f64> {
        (0..frames)
            .flat_map(|frame| {
                let mut row = model.rest_position().to_vec();
                let half = 0.1 * libm::sin(0.2 * frame as f64 + lead);
                match joint.kind {
                    sinew_sim::JointKind::Ball => row[joint.position_index..joint.position_index + 4]
                        .copy_from_slice(&[libm::cos(half), libm::sin(half), 0.0, 0.0]),
                    _ => row[joint.position_index] = 2.0 * half,
                }
                row[0] += 0.01 * frame as f64;
                row[2] += height;
                row
            })
            .collect()
    };
    let reference = Reference::new(&body, 30.0, &[stretch(40, 0.0), stretch(5, 0.0), stretch(30, 1.0)], 10).unwrap();
    (body, reference)
}

/// The same figure, simulated under targets that sway, and what it did with them: controls that fit no pose.
pub(crate) fn performed(config: &TrackerConfig) -> (TrackedBody, Reference) {
    let plain = TrackerConfig { feeds_controls: false, ..config.clone() };
    let (body, swaying) = swaying(&plain);
    let (actions, stretch) = (vec![0.0; body.coordinate_count()], swaying.stretches()[0].clone());
    let mut environment = Environment::new(&body, &swaying, &plain, Ends::new(&body, &plain), 1).unwrap();
    environment.place(&[0], &[stretch.start]).unwrap();
    let wide = |row: &[f32]| row.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
    let mut states = Vec::new();
    for frame in stretch.clone() {
        states.push((wide(&environment.state.positions), wide(&environment.state.velocities), swaying.position(frame)));
        if frame + 1 < stretch.end {
            environment.step(&actions).unwrap();
        }
    }
    let frames: Vec<PerformedFrame<'_>> =
        states.iter().map(|(position, velocity, target)| PerformedFrame { position, velocity, target }).collect();
    let reference = Reference::performed(&body, 30.0, &frames, 10).unwrap();
    (body, reference)
}
