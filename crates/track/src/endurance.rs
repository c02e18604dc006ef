//! One long track: a policy follows a motion for minutes, and its falls are counted.

use crate::body::TrackedBody;
use crate::config::TrackerConfig;
use crate::environment::{Environment, Episode};
use crate::error::TrackError;
use crate::policy::TrainedPolicy;
use crate::reference::Reference;
use crate::trial::trial_ends;
use serde::Serialize;

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EnduranceFigures {
    /// Length of the track, s.
    pub seconds: f64,
    /// Falls; after each it begins anew where the motion is.
    pub falls: u64,
    /// Longest time without a fall, s.
    pub longest_secs: f64,
    /// How often it came to the end of the motion and began anew at its beginning: 0 where the motion is as long as the track.
    pub ends: u64,
    /// Mean distance of bodies from the motion, m.
    pub mean_body_error_m: f64,
    /// Mean reward of a frame.
    pub reward_per_frame: f64,
}

/// Follows the longest stretch of a reference for so many frames, without noise, from its beginning on. What counts as a fall is what counts in a trial.
///
/// # Errors
/// Where the world cannot be made, or the work was told to stop.
pub fn endure(
    body: &TrackedBody,
    reference: &Reference,
    policy: &TrainedPolicy,
    frames: usize,
) -> Result<EnduranceFigures, TrackError> {
    let config = TrackerConfig { most_frames: 0, ..policy.config.clone() };
    // Of equal ones the first.
    let stretch = reference.stretches().iter().rev().max_by_key(|stretch| stretch.len());
    let begins = stretch.map_or(0, |stretch| stretch.start);
    let mut environment = Environment::new(body, reference, &config, trial_ends(body, policy), 1)?;
    environment.place(&[0], &[begins])?;
    let mut memory = policy.policy.mean.inference();
    let (mut figures, mut kept) = (EnduranceFigures::default(), 0u64);
    let mut longest = 0;
    for _ in 0..frames {
        sinew_work::check_cancelled()?;
        let actions = policy.policy.mean.infer(&environment.observations, &mut memory).to_vec();
        environment.step(&actions)?;
        let outcome = environment.outcomes[0];
        figures.mean_body_error_m += f64::from(outcome.body_error) / frames as f64;
        figures.reward_per_frame += f64::from(outcome.reward) / frames as f64;
        let at = environment.state.places[0].frame as usize;
        let is_last = at + 1 >= reference.end_of(at);
        kept = if outcome.episode == Episode::Failed { 0 } else { kept + 1 };
        longest = longest.max(kept);
        figures.falls += u64::from(outcome.episode == Episode::Failed);
        figures.ends += u64::from(is_last);
        match outcome.episode {
            _ if is_last => environment.place(&[0], &[begins])?,
            Episode::Failed => environment.place(&[0], &[at])?,
            _ => {}
        }
    }
    figures.seconds = frames as f64 / reference.rate_hz;
    figures.longest_secs = longest as f64 / reference.rate_hz;
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_motion::{small_config, swaying, swaying_at};

    #[test]
    fn a_track_counts_ends_and_falls_and_begins_anew() {
        let config = small_config();
        let (body, reference) = swaying(&config);
        let policy = TrainedPolicy::untrained(&body, &config, 30.0, 5);
        // The longest stretch has 40 frames, that is 39 to go.
        let figures = endure(&body, &reference, &policy, 100).unwrap();
        assert_eq!((figures.falls, figures.ends), (0, 2), "{figures:?}");
        assert!((figures.seconds - 100.0 / 30.0).abs() < 1e-9 && figures.longest_secs == figures.seconds);
        assert!(figures.reward_per_frame > 0.1 && figures.mean_body_error_m < 0.2, "{figures:?}");
        // High above the ground it falls again and again.
        let (body, reference) = swaying_at(&config, 5.0);
        let figures = endure(&body, &reference, &policy, 100).unwrap();
        assert!((2..=15).contains(&figures.falls) && figures.ends == 2 && figures.longest_secs < 1.5, "{figures:?}");
    }
}
