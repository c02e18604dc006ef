//! Motion to practise on: what a generator makes under objectives as they come at play, and what it foresees on the way.
//!
//! At play nobody knows what will be asked for next. A generator that looks ahead under the present objective foresees something else than what comes, where
//! another objective comes first; a policy that is trained on what came learns to prepare for what it cannot know.

use super::tasks::Tasks;
use super::{Trace, TrialOptions, generated};
use crate::generator::Generator;
use crate::motion_set::MotionSet;

/// What was foreseen in a frame of a trace, where it did not come so.
pub struct Forecast {
    /// The frame.
    pub frame: usize,
    /// `qpos` of the frames after it, as they were foreseen.
    pub rows: Vec<Vec<f64>>,
}

/// Makes motion under the objectives of a trial, and those that only play has: to turn round, and to stand. Returns none where the set shows no action that can
/// be asked for, or where the work was told to stop.
pub fn practise(generator: &dyn Generator, set: &MotionSet, options: &TrialOptions) -> Option<Trace> {
    generated(generator, &Tasks::of_play(set, generator.figure()), options)
}

/// What the generator foresaw in the frames of a trace that it made, `ahead` frames long, wherever another objective came before their end.
pub fn forecasts(generator: &dyn Generator, trace: &Trace, options: &TrialOptions, ahead: usize) -> Vec<Forecast> {
    let mut state = generator.start(options.seed);
    let mut all = Vec::new();
    for (frame, objective) in trace.objectives.iter().enumerate() {
        let end = (frame + ahead).min(trace.objectives.len());
        if trace.objectives[frame..end].iter().any(|other| other != objective) {
            let mut foreseen = state.clone();
            let rows = (0..ahead).map(|_| {
                generator.step(&mut foreseen, objective);
                foreseen.qpos.clone()
            });
            all.push(Forecast { frame, rows: rows.collect() });
        }
        generator.step(&mut state, objective);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::tasks::TaskKind;
    use super::*;
    use crate::ground_transform::wrap_angle;
    use crate::matching::{MatchingConfig, MotionMatching};
    use crate::test_walks::circles;

    fn practised() -> (MotionMatching, Trace, TrialOptions) {
        let (_, set) = circles(&[(0.9, 0.2), (1.2, -0.2), (1.0, 0.0)], 90);
        let generator = MotionMatching::new(&set, &MatchingConfig::default()).unwrap();
        let options = TrialOptions { minutes: 5.0, seed: 4 };
        let trace = practise(&generator, &set, &options).unwrap();
        (generator, trace, options)
    }

    #[test]
    fn what_is_foreseen_is_what_comes_until_something_else_is_asked_for() {
        let (generator, trace, options) = practised();
        let all = forecasts(&generator, &trace, &options, 11);
        let mut others = 0;
        for forecast in &all {
            let now = trace.objectives[forecast.frame];
            let changes = (1..11).find(|k| trace.objectives.get(forecast.frame + k) != Some(&now));
            let changes = changes.expect("where nothing changes, nothing is to be told");
            for (ahead, row) in forecast.rows[..changes].iter().enumerate() {
                assert_eq!(*row, trace.rows[forecast.frame + 1 + ahead], "frame {} + {ahead}", forecast.frame);
            }
            assert_eq!(forecast.rows.len(), 11);
            others += usize::from(trace.rows.get(forecast.frame + 11).is_some_and(|row| *row != forecast.rows[10]));
        }
        let told: Vec<usize> = all.iter().map(|forecast| forecast.frame).collect();
        let ends: Vec<usize> = (1..trace.objectives.len())
            .filter(|&frame| trace.objectives[frame] != trace.objectives[frame - 1])
            .collect();
        let wanted = (0..trace.objectives.len()).filter(|f| ends.iter().any(|end| (f + 1..f + 11).contains(end)));
        assert_eq!(told, wanted.collect::<Vec<_>>());
        assert!(2 * others > all.len(), "{others} of {}", all.len());
    }

    #[test]
    fn play_asks_to_turn_right_round_and_to_stand() {
        let (generator, trace, _) = practised();
        let of = |kind: TaskKind| trace.tasks.iter().filter(move |task| task.kind == kind);
        let share = of(TaskKind::Rest).count() as f64 / trace.tasks.len() as f64;
        assert!((share - 0.1).abs() < 0.06, "{share}");
        assert!(of(TaskKind::Rest).all(|task| task.objective.speed == Some(0.0)));
        let turns: Vec<f64> = of(TaskKind::Turn)
            .filter(|task| task.from_frame > 0)
            .map(|task| {
                let here = generator.figure().heading_frame(&trace.rows[task.from_frame]);
                let [x, y] = here.inverse().point(task.objective.target.unwrap());
                wrap_angle(libm::atan2(y, x)).abs().to_degrees()
            })
            .collect();
        assert!(turns.iter().any(|turn| *turn > 150.0) && turns.iter().any(|turn| *turn < 70.0), "{turns:?}");
        assert!(turns.iter().all(|turn| *turn > 40.0), "{turns:?}");
    }
}
