//! How far long work is: one description for a terminal's bar, a page and a program.

use serde::{Deserialize, Serialize};
use std::time::Instant;

/// How far work is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    /// What is being done now, without a full stop: "window 3 of 20".
    pub doing: String,
    /// Work done, in a unit of the work's own that takes about the same time all along.
    pub done: f64,
    /// Work in all, as far as is known.
    pub total: f64,
    /// Whether `total` is only a bound, because the work may end earlier.
    pub total_is_bound: bool,
    /// The best figure so far, where there is one; finite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<Best>,
    /// Steps simulated.
    pub steps: u64,
    /// Times, which the driver fills in.
    pub clock: Clock,
}

/// A figure that work makes better.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// What it is: "mean cost".
    pub name: String,
    /// Its value.
    pub value: f64,
}

/// Times of a run, s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Clock {
    /// Since the run began or was resumed.
    pub elapsed_secs: f64,
    /// Until its end; none before the first piece of work is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_secs: Option<f64>,
    /// Steps simulated per second since then.
    pub steps_per_sec: f64,
}

impl Progress {
    /// Share that is done, from 0 to 1.
    pub fn share(&self) -> f64 {
        if self.total > 0.0 { (self.done / self.total).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// One line: what is being done, the best figure, speed and time left.
    pub fn line(&self) -> String {
        let mut line = self.doing.clone();
        if let Some(Best { name, value }) = &self.best {
            line += &format!(", {name} {value:.3}");
        }
        if self.clock.steps_per_sec > 0.0 {
            line += &format!(", {:.2} M steps/s", 1e-6 * self.clock.steps_per_sec);
        }
        if let Some(secs) = self.clock.left_secs {
            line += &format!(", {} {} left", if self.total_is_bound { "at most" } else { "about" }, duration(secs));
        }
        line
    }
}

/// A duration as people say it: `40 s`, `12 min`, `3 h 20 min`.
fn duration(secs: f64) -> String {
    let minutes = (secs / 60.0).round() as u64;
    match secs {
        secs if secs < 99.5 => format!("{secs:.0} s"),
        _ if minutes < 100 => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

/// Fills in a run's times.
pub(crate) struct Stopwatch {
    began: Instant,
    done_before: f64,
    steps_before: u64,
}

impl Stopwatch {
    pub fn start(at: &Progress) -> Stopwatch {
        Stopwatch { began: Instant::now(), done_before: at.done, steps_before: at.steps }
    }

    /// `left = elapsed · (total − done) / (done − done at the start)`.
    pub fn read(&self, progress: &mut Progress) {
        let elapsed_secs = self.began.elapsed().as_secs_f64();
        let done = progress.done - self.done_before;
        let left = (progress.total - progress.done).max(0.0);
        progress.clock = Clock {
            elapsed_secs,
            left_secs: (done > 0.0).then(|| elapsed_secs / done * left),
            steps_per_sec: progress.steps.saturating_sub(self.steps_before) as f64 / elapsed_secs.max(1e-3),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_known() {
        let mut progress = Progress { doing: "window 3 of 20".into(), done: 2.0, total: 20.0, ..Progress::default() };
        assert_eq!(progress.line(), "window 3 of 20");
        progress.best = Some(Best { name: "cost".into(), value: 0.25 });
        progress.clock = Clock { elapsed_secs: 1.0, left_secs: Some(9.0), steps_per_sec: 2.5e6 };
        assert_eq!(progress.line(), "window 3 of 20, cost 0.250, 2.50 M steps/s, about 9 s left");
        (progress.total_is_bound, progress.clock.left_secs) = (true, Some(12_000.0));
        assert!(progress.line().ends_with("at most 3 h 20 min left"), "{}", progress.line());
        progress.clock.left_secs = Some(600.0);
        assert!(progress.line().ends_with("10 min left"), "{}", progress.line());
    }

    #[test]
    fn durations_change_their_unit_where_people_do() {
        let said = [99.4, 99.5, 5969.0, 5970.0, 6000.0].map(duration);
        assert_eq!(said, ["99 s", "2 min", "99 min", "1 h 40 min", "1 h 40 min"]);
    }

    #[test]
    fn time_left_counts_from_where_the_run_began() {
        let at = Progress { done: 10.0, total: 20.0, steps: 1000, ..Progress::default() };
        let watch = Stopwatch { began: Instant::now() - std::time::Duration::from_secs(8), ..Stopwatch::start(&at) };
        let mut now = Progress { done: 14.0, steps: 9000, ..at.clone() };
        watch.read(&mut now);
        // Four pieces in 8 s: six are left.
        assert!((now.clock.left_secs.expect("four are done") - 12.0).abs() < 0.5, "{:?}", now.clock);
        assert!((now.clock.steps_per_sec - 1000.0).abs() < 50.0, "{:?}", now.clock);
        assert!((now.share() - 0.7).abs() < 1e-12);
        let mut first = at;
        watch.read(&mut first);
        assert_eq!(first.clock.left_secs, None);
    }
}
