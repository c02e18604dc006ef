use super::*;
use crate::actions::Action;
use crate::feasible::FeasibleRange;
use crate::figure::Figure;
use crate::ground_transform::GroundTransform;
use crate::intent::Intent;
use crate::matching::{MatchingConfig, MotionMatching};
use crate::test_walks::circles;

/// A generator whose faults are known: it glides in a straight line to be `miss_m` beside each target at its time, calls its feet standing all the while, draws
/// joint places `stretch` times too far apart, and bends its joints by `bend_per_frame` more in every frame.
struct Glider {
    inner: MotionMatching,
    miss_m: f64,
    stretch: f64,
    bend_per_frame: f64,
}

impl Generator for Glider {
    fn kind(&self) -> &'static str {
        "glider"
    }
    fn figure(&self) -> &Figure {
        self.inner.figure()
    }
    fn actions(&self) -> &[Action] {
        self.inner.actions()
    }
    fn rate_hz(&self) -> f64 {
        30.0
    }
    fn feasible(&self) -> &FeasibleRange {
        self.inner.feasible()
    }
    fn bytes(&self) -> usize {
        77
    }
    fn move_ground(&self, state: &mut GeneratorState, by: &GroundTransform) {
        by.move_root(&mut state.qpos);
    }
    fn start(&self, seed: u64) -> GeneratorState {
        self.inner.start(seed)
    }
    fn step(&self, state: &mut GeneratorState, objective: &Objective) -> Intent {
        if let Some([x, y]) = objective.target {
            let left = objective.due_secs.map_or(60.0, |due| (due - self.clock_secs(state)) * 30.0).max(1.0);
            let goal = [x, y + self.miss_m];
            (0..2).for_each(|k| state.qpos[k] += (goal[k] - state.qpos[k]) / left);
        }
        if self.bend_per_frame != 0.0 {
            let before = state.qpos.clone();
            let mut way = vec![self.bend_per_frame; self.figure().model().velocity_count()];
            way[..6].fill(0.0);
            self.figure().model().displace(&before, &way, 1.0, &mut state.qpos);
        }
        state.contacts = if (state.frame / 10).is_multiple_of(2) { u32::MAX } else { 0 };
        state.frame += 1;
        Intent::default()
    }
    fn set_pose(&self, state: &mut GeneratorState, qpos: &[f64], _: &[f64]) {
        state.qpos.copy_from_slice(qpos);
    }
    fn joint_places(&self, state: &GeneratorState) -> Vec<[f64; 3]> {
        self.figure().joint_places(&state.qpos).iter().map(|place| place.map(|x| self.stretch * x)).collect()
    }
}

fn glider(miss_m: f64, stretch: f64, bend_per_frame: f64) -> (Glider, MotionSet) {
    let (_, set) = circles(&[(0.9, 0.2), (1.2, -0.2), (1.0, 0.0)], 90);
    let inner = MotionMatching::new(&set, &MatchingConfig::default()).unwrap();
    (Glider { inner, miss_m, stretch, bend_per_frame }, set)
}

fn figures(glider: &(Glider, MotionSet)) -> (Trace, TrialFigures) {
    run_trial(&glider.0, &glider.1, &TrialOptions { minutes: 1.0, seed: 4 }).unwrap()
}

#[test]
fn who_arrives_in_time_has_no_error_and_who_misses_has_his() {
    let exact = figures(&glider(0.0, 1.0, 0.0)).1;
    assert!(exact.targets > 20 && exact.target_error_p90_m < 1e-9 && exact.reached_share == 1.0, "{exact:?}");
    assert_eq!(exact.actions.len(), 1);
    assert_eq!((exact.actions[0].name.as_str(), exact.actions[0].targets), ("MoveTo", exact.targets));
    let missing = figures(&glider(0.5, 1.0, 0.0)).1;
    assert!((missing.target_error_m - 0.5).abs() < 1e-9 && missing.reached_share == 0.0, "{missing:?}");
    assert!((missing.actions[0].target_error_m - 0.5).abs() < 1e-9);
}

#[test]
fn a_glider_slides_as_far_as_it_goes() {
    let glider = glider(0.0, 1.0, 0.0);
    let (trace, found) = figures(&glider);
    // The feet go with the root; contacts last ten frames, those that begin in frames 1, 21, 41 and so on.
    let mut ways = Vec::new();
    for first in (1..trace.rows.len()).step_by(20) {
        let end = (first + 9).min(trace.rows.len() - 1);
        let way = |frame: usize| {
            let (a, b) = (&trace.rows[frame], &trace.rows[first]);
            100.0 * ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt()
        };
        if end > first {
            ways.push((first..=end).map(way).fold(0.0, f64::max));
        }
    }
    assert!((found.foot_slide_cm - median(&ways)).abs() < 1e-6, "{} {}", found.foot_slide_cm, median(&ways));
    assert!(found.foot_slide_cm > 5.0 && found.foot_slide_p90_cm >= found.foot_slide_cm);
    assert_eq!(found.bytes, 77);
}

#[test]
fn stretch_drift_and_variety_are_those_that_were_put_in() {
    let good = figures(&glider(0.0, 1.0, 0.0)).1;
    assert!(good.bone_stretch_percent < 1e-6, "links keep their length: {}", good.bone_stretch_percent);
    assert!(good.pose_distance_deg < 1e-3 && good.drift_deg.abs() < 1e-3, "{good:?}");
    let stretched = figures(&glider(0.0, 1.1, 0.0)).1;
    assert!((stretched.bone_stretch_percent - 10.0).abs() < 1e-6, "{}", stretched.bone_stretch_percent);
    // In a minute the two halves of the motion are compared: from their means on, 900 frames apart.
    let bent = figures(&glider(0.0, 1.0, 1e-4)).1;
    let wanted = (900.0f64 * 1e-4).to_degrees();
    assert!((bent.drift_deg - wanted).abs() < 0.05 * wanted, "{} {wanted}", bent.drift_deg);
}

#[test]
fn a_change_of_direction_is_followed_when_the_velocity_points_there() {
    let roots = |turn_at: usize| -> Vec<Vec<f64>> {
        // Along x at 1 m/s, then along y.
        (0..60usize).map(|f| vec![f.min(turn_at) as f64 / 30.0, f.saturating_sub(turn_at) as f64 / 30.0]).collect()
    };
    let task = |from_frame| Task {
        kind: TaskKind::Turn,
        action: 0,
        objective: Objective { target: Some([0.5, 500.0]), ..Objective::default() },
        from_frame,
        to_frame: from_frame + 40,
        follow_frames: 0,
    };
    let trace = Trace {
        rows: roots(20),
        contacts: Vec::new(),
        shown: Vec::new(),
        objectives: Vec::new(),
        joint_places: Vec::new(),
        micros: Vec::new(),
        tasks: vec![task(15)],
    };
    // Of ten frames, the velocity points within 30° of y when at least tan 60° = 1.73 times as many go along y: 7 of them, at frame 27.
    let found = trace.responses(30.0, 0.05);
    assert_eq!(found, vec![Some(12.0 / 30.0)]);
    assert_eq!(Trace { rows: roots(59), ..trace }.responses(30.0, 0.05), vec![None]);
}

#[test]
fn the_same_seed_gives_the_same_tasks_and_another_gives_others() {
    let glider = glider(0.0, 1.0, 0.0);
    let tasks = |seed: u64| run_trial(&glider.0, &glider.1, &TrialOptions { minutes: 0.3, seed }).unwrap().0.objectives;
    assert_eq!(tasks(1), tasks(1));
    assert_ne!(tasks(1), tasks(2));
}

#[test]
fn targets_are_where_the_set_goes_from_the_same_velocity() {
    let (glider, set) = glider(0.0, 1.0, 0.0);
    let tasks = Tasks::new(&set, glider.figure());
    let mut state = glider.start(0);
    GroundTransform { x: 4.0, y: 2.0, yaw: 1.0 }.move_root(&mut state.qpos);
    let frame = glider.figure().heading_frame(&state.qpos);
    for number in 0..20 {
        let mut stream = Stream::new(1, "test", number);
        let task = tasks.draw(&state, glider.figure(), [1.2, 0.0], &mut stream).unwrap();
        if task.kind == TaskKind::Target {
            // At 1.2 m/s the set turns by 0.2 rad to the right in its second: a chord of 1.198 m.
            let [forward, left] = frame.inverse().point(task.objective.target.unwrap());
            assert!((forward.hypot(left) - 1.198).abs() < 0.005 && left < -0.05, "{forward} {left}");
            assert_eq!(task.to_frame - task.from_frame, 30);
        }
    }
}

#[test]
fn a_trial_that_is_told_to_stop_ends() {
    let (_, set) = circles(&[(0.8, 0.0), (1.2, 0.4)], 90);
    let generator = MotionMatching::new(&set, &MatchingConfig::default()).unwrap();
    let options = sinew_work::RunOptions { threads: 1, ..Default::default() };
    let trial = TrialOptions { minutes: 0.05, seed: 1 };
    let ends =
        || sinew_work::run_once(&options, || Ok::<_, ()>(run_trial(&generator, &set, &trial).is_none())).unwrap();
    assert_eq!(ends(), Some(false));
    options.cancel.cancel();
    assert_eq!(ends(), Some(true));
}
