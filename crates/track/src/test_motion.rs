//! A small figure that sways where it stands, for tests.

use crate::body::TrackedBody;
use crate::config::TrackerConfig;
use crate::policy::time_step;
use crate::reference::Reference;
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
