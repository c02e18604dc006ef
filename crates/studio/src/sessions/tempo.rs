//! How fast a simulation goes: seconds of motion in a second, and what it costs.

use std::time::{Duration, Instant};

/// How long is measured before it is told.
const WINDOW: Duration = Duration::from_millis(500);
/// What costs are counted for, s.
const FRAME_SECS: f64 = 1.0 / 30.0;

/// Measures a simulation on its way.
pub struct Tempo {
    began: Instant,
    simulated_secs: f64,
    busy: Duration,
    /// Seconds of motion in a second, and milliseconds for a frame of 1/30 s, of the last window in which it went.
    told: Option<(f64, f64)>,
}

impl Tempo {
    /// Nothing was measured yet.
    pub fn new() -> Tempo {
        Tempo { began: Instant::now(), simulated_secs: 0.0, busy: Duration::ZERO, told: None }
    }

    /// So many seconds were simulated, which took so long.
    pub fn add(&mut self, secs: f64, took: Duration) {
        self.simulated_secs += secs;
        self.busy += took;
    }

    /// At the end of a window: whether there is something new to tell.
    pub fn is_due(&mut self, now: Instant) -> bool {
        let passed = now.duration_since(self.began);
        if passed < WINDOW {
            return false;
        }
        let frames = self.simulated_secs / FRAME_SECS;
        self.told = (frames > 0.0)
            .then(|| (self.simulated_secs / passed.as_secs_f64(), self.busy.as_secs_f64() * 1e3 / frames));
        (self.began, self.simulated_secs, self.busy) = (now, 0.0, Duration::ZERO);
        true
    }

    /// Seconds of motion in a second, and what a frame costs, ms; none while it stands still.
    pub fn told(&self) -> Option<(f64, f64)> {
        self.told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_real_time_at_five_milliseconds_a_frame() {
        let mut tempo = Tempo::new();
        let began = tempo.began;
        for _ in 0..15 {
            tempo.add(1.0 / 60.0, Duration::from_micros(2500));
        }
        assert!(!tempo.is_due(began + Duration::from_millis(499)) && tempo.told().is_none());
        assert!(tempo.is_due(began + Duration::from_millis(500)));
        let (factor, frame_ms) = tempo.told().expect("measured");
        assert!((factor - 0.5).abs() < 1e-9 && (frame_ms - 5.0).abs() < 1e-9, "{factor} {frame_ms}");
        assert!(tempo.is_due(began + Duration::from_secs(2)) && tempo.told().is_none(), "it stands still");
    }
}
