//! Advantages and value targets from rewards: generalised advantage estimation (Schulman et al. 2015, eq. 16) and TD(λ).
//!
//! `δ_t = r_t + γ·V(s_{t+1}) − V(s_t)`, `A_t = δ_t + γλ·A_{t+1}` while the episode goes on; the value target is `A_t + V(s_t)`. After a failure nothing
//! more is earned; an episode that was only cut off goes on earning what the value of its last state says.

use crate::environment::Episode;

/// One world's rewards over the frames of an update.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trace<'a> {
    pub rewards: &'a [f32],
    pub episodes: &'a [Episode],
    /// V(s_t).
    pub values: &'a [f32],
    /// V(s_{t+1}) before a new episode begins.
    pub next_values: &'a [f32],
}

/// Writes advantages and value targets of a world.
pub(crate) fn advantages(
    trace: Trace<'_>,
    discount: f32,
    trace_decay: f32,
    advantages: &mut [f32],
    targets: &mut [f32],
) {
    let mut later = 0.0;
    for t in (0..trace.rewards.len()).rev() {
        let (next, goes_on) = match trace.episodes[t] {
            Episode::Goes => (trace.next_values[t], 1.0),
            Episode::CutOff => (trace.next_values[t], 0.0),
            Episode::Failed => (0.0, 0.0),
        };
        let delta = trace.rewards[t] + discount * next - trace.values[t];
        later = delta + discount * trace_decay * goes_on * later;
        advantages[t] = later;
        targets[t] = later + trace.values[t];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(episodes: [Episode; 3], trace_decay: f32) -> ([f32; 3], [f32; 3]) {
        let (mut a, mut targets) = ([0.0; 3], [0.0; 3]);
        let trace = Trace {
            rewards: &[1.0, 2.0, 4.0],
            episodes: &episodes,
            values: &[0.5, 1.0, 2.0],
            next_values: &[1.0, 8.0, 16.0],
        };
        advantages(trace, 0.5, trace_decay, &mut a, &mut targets);
        (a, targets)
    }

    #[test]
    fn an_episode_that_goes_on_sums_its_differences() {
        use Episode::Goes;
        // δ = 1 + 0.5 − 0.5, 2 + 4 − 1, 4 + 8 − 2.
        let (a, targets) = run([Goes; 3], 1.0);
        assert_eq!(a, [1.0 + 0.5 * (5.0 + 0.5 * 10.0), 5.0 + 0.5 * 10.0, 10.0]);
        assert_eq!(targets, [a[0] + 0.5, a[1] + 1.0, a[2] + 2.0]);
        assert_eq!(run([Goes; 3], 0.0).0, [1.0, 5.0, 10.0]);
        assert_eq!(run([Goes; 3], 0.5).0[1], 5.0 + 0.25 * 10.0);
    }

    #[test]
    fn failures_earn_nothing_more_and_cuts_what_the_value_says() {
        use Episode::{CutOff, Failed, Goes};
        assert_eq!(run([Goes, Failed, Goes], 1.0).0, [1.0 + 0.5 * 1.0, 2.0 - 1.0, 10.0]);
        assert_eq!(run([Goes, CutOff, Goes], 1.0).0, [1.0 + 0.5 * 5.0, 5.0, 10.0]);
    }
}
