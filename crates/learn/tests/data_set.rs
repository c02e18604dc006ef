//! A whole data set of a made walk: the same bytes on any number of threads and after a stop, broader than what it was made of, feet planted.

use sinew_learn::{
    Action, Augmenter, Captured, Control, ControlValues, DataConfig, DataWork, Figure, Goal, InputClip, MotionGraph,
    MotionSet, Origin, RATE_HZ, edited,
};
use sinew_sim::embedded;
use sinew_work::{Outcome, RunOptions, run};
use std::ops::ControlFlow;
use std::path::Path;

/// A figure whose legs swing with a period of 1.2 s while it travels at 1 m/s.
fn walk(figure: &Figure, secs: f64) -> InputClip {
    let model = figure.model();
    let mut positions = Vec::new();
    for frame in 0..(secs * 60.0) as usize {
        let t = frame as f64 / 60.0;
        let swing = libm::sin(std::f64::consts::TAU * t / 1.2);
        let mut row = model.rest_position().to_vec();
        row[0] += t;
        // Hips that swing so that the foot below stands still in the middle of its stance: 0.85 m · 0.23 rad · 2π/1.2 s = 1 m/s.
        for joint in model.joints().iter().filter(|j| j.name.contains("thigh") || j.name.contains("foot")) {
            let side = if joint.name.ends_with("_l") { 1.0 } else { -1.0 };
            // Soles stay level.
            let angle = 0.23 * side * swing * if joint.name.contains("foot") { -1.0 } else { 1.0 };
            let at = joint.position_index;
            (row[at], row[at + 2]) = (libm::cos(0.5 * angle), libm::sin(0.5 * angle));
        }
        positions.extend(row);
    }
    InputClip { name: "walk".into(), source: "walk.bvh".into(), rate_hz: 60.0, positions, labels: vec![(0, 0.0, 99.0)] }
}

struct Setting {
    figure: Figure,
    captured: Captured,
    graph: MotionGraph,
    actions: Vec<Action>,
    config: DataConfig,
}

/// The same figure bows for 2 s without a step: an action from its first frame to its last, on feet of which both stand.
fn bow(figure: &Figure, low: f64) -> InputClip {
    let model = figure.model();
    let mut positions = Vec::new();
    for frame in 0..120 {
        let mut row = model.rest_position().to_vec();
        row[2] -= low + 0.1 * libm::sin(std::f64::consts::PI * f64::from(frame) / 120.0);
        positions.extend(row);
    }
    InputClip { name: "bow".into(), source: "bow.bvh".into(), rate_hz: 60.0, positions, labels: vec![(1, 0.0, 99.0)] }
}

#[test]
fn a_clip_that_is_an_action_as_a_whole_is_entered_at_its_beginning_and_left_at_its_end() {
    let figure = Figure::new(&embedded::humanoid(), 0.0).unwrap();
    let config = DataConfig::default();
    let bows = Action::new("Bow", Goal::Achieve);
    let of = |low: f64| {
        let clips = [walk(&figure, 6.0), bow(&figure, low)];
        let captured = Captured::new(&figure, &clips, &[Action::move_to(), bows.clone()], &config).unwrap();
        let graph = MotionGraph::new(&figure, &captured, &config);
        (captured, graph)
    };
    let (captured, graph) = of(0.0);
    let bow = captured.frames_of(1);
    assert_eq!(graph.report.joined.len(), 1, "{:?}", graph.report);
    assert_eq!(graph.report.joined[0].clip, "bow");
    let enters: Vec<_> = graph.transitions.iter().filter(|t| bow.contains(&(t.like as usize))).collect();
    let leaves: Vec<_> = graph.transitions.iter().filter(|t| bow.contains(&(t.from as usize))).collect();
    assert_eq!((enters.len(), leaves.len()), (1, 1));
    assert!(enters[0].like as usize - bow.start < 6 && bow.end - leaves[0].from as usize <= 6);
    assert!(!bow.contains(&(enters[0].from as usize)) && !bow.contains(&(leaves[0].like as usize)));
    assert!(graph.is_core[bow.start + 6..bow.end - 6].iter().all(|is| *is));
    // Half a metre into the ground is no pose that another one blends into.
    let (_, graph) = of(0.5);
    assert!(graph.report.joined.is_empty(), "{:?}", graph.report);
}

fn setting(minutes: f64) -> Setting {
    let figure = Figure::new(&embedded::humanoid(), 0.0).unwrap();
    let config = DataConfig { minutes, sequence_secs: 10.0, ..DataConfig::default() };
    let actions = vec![Action::move_to()];
    let captured = Captured::new(&figure, &[walk(&figure, 6.0)], &actions, &config).unwrap();
    let graph = MotionGraph::new(&figure, &captured, &config);
    Setting { figure, captured, graph, actions, config }
}

impl Setting {
    fn work(&self, path: &Path, seed: u64) -> DataWork<'_> {
        let Setting { figure, captured, graph, actions, config } = self;
        DataWork::new(Augmenter { figure, captured, graph, actions, config, seed }, path.to_path_buf())
    }

    fn bytes(&self, path: &Path, threads: usize, seed: u64) -> Vec<u8> {
        let options = RunOptions { threads, ..RunOptions::default() };
        run(&self.work(path, seed), &options, &mut |_, _, _| ControlFlow::Continue(())).unwrap();
        std::fs::read(path).unwrap()
    }
}

#[test]
fn a_walk_repeats_itself_so_that_its_graph_has_a_core() {
    let Setting { captured, graph, .. } = setting(0.1);
    assert!(graph.report.core_frames as f64 > 0.8 * captured.frame_count() as f64, "{:?}", graph.report);
    let step = |a: u32, b: u32| f64::from(a.abs_diff(b)) / RATE_HZ / 1.2;
    for t in &graph.transitions {
        let periods = step(t.from, t.like);
        let phase = (periods - periods.round()).abs();
        // The two legs of this figure swing alike, half a period apart they are each other's mirror image: never the same.
        assert!(phase < 0.2, "frames {} and {} are {periods:.2} periods apart", t.from, t.like);
        let travelled = f64::from(t.like) - f64::from(t.from);
        assert!((t.align.x + travelled / RATE_HZ).abs() < 0.1 && t.align.yaw.abs() < 0.05, "{t:?}");
    }
}

#[test]
fn the_set_is_the_same_on_any_number_of_threads_and_another_with_another_seed() {
    let folder = tempfile::tempdir().unwrap();
    let setting = setting(0.7);
    let one = setting.bytes(&folder.path().join("one"), 1, 3);
    assert_eq!(one, setting.bytes(&folder.path().join("three"), 3, 3));
    assert_ne!(one, setting.bytes(&folder.path().join("other"), 2, 4));
}

#[test]
fn a_stopped_run_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let setting = setting(1.5);
    let whole = setting.bytes(&folder.path().join("whole"), 2, 0);
    let path = folder.path().join("parts");
    let options =
        RunOptions { checkpoint: Some(folder.path().join("checkpoint")), threads: 2, ..RunOptions::default() };
    let mut pieces = 0;
    let stopped = run(&setting.work(&path, 0), &options, &mut |_, _, _| {
        pieces += 1;
        if pieces > 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(matches!(stopped, Ok(Outcome::Cancelled(_))));
    assert!(MotionSet::read(&path).is_err(), "an unfinished set is not read");
    // A kill may leave more than the checkpoint knows of.
    let mut torn = std::fs::read(&path).unwrap();
    torn.extend([7; 1000]);
    std::fs::write(&path, torn).unwrap();
    let resumed = RunOptions { resumes: true, ..options };
    run(&setting.work(&path, 0), &resumed, &mut |_, _, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(whole, std::fs::read(&path).unwrap());
    let other = run(&setting.work(&path, 1), &resumed, &mut |_, _, _| ControlFlow::Continue(()));
    assert!(other.unwrap_err().to_string().contains("seed"));
}

#[test]
fn augmented_motion_is_as_long_as_asked_for_broader_and_planted() {
    let folder = tempfile::tempdir().unwrap();
    let setting = setting(1.0);
    let path = folder.path().join("set");
    let outcome =
        run(&setting.work(&path, 0), &RunOptions::default(), &mut |_, _, _| ControlFlow::Continue(())).unwrap();
    let state = outcome.finished().unwrap();
    let set = MotionSet::read(&path).unwrap();
    assert_eq!((set.frames(Origin::Captured), set.frames(Origin::Augmented)), (180, 1800));
    assert_eq!(state.frames, 1800);
    let (mut before, mut after) = (ControlValues::default(), ControlValues::default());
    for sequence in &set.sequences {
        let values = if sequence.origin == Origin::Captured { &mut before } else { &mut after };
        values.add(&sequence.intents);
    }
    let width = |values: ControlValues, control: Control| {
        let ranges = values.ranges();
        let range = ranges.iter().find(|r| r.control == control.name()).unwrap();
        range.quantiles[3] - range.quantiles[1]
    };
    for control in [Control::TargetLeft, Control::TargetTurn, Control::TargetForward] {
        let [narrow, broad] = [width(before.clone(), control), width(after.clone(), control)];
        assert!(broad > 0.1 && broad > 3.0 * narrow, "{}: {narrow} {broad}", control.name());
    }
    let (edited, planted) = (state.figures.slide_edited, state.figures.slide_planted);
    assert!(planted.mean_cm_per_sec < 0.25 * edited.mean_cm_per_sec, "{edited:?} {planted:?}");
    // No jump of a coordinate from one frame to the next that the walk does not have.
    let nq = set.header.position_count;
    for sequence in set.sequences.iter().filter(|s| s.origin == Origin::Augmented) {
        let fastest = sequence.positions.windows(nq + 1).map(|pair| (pair[nq] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(fastest < 0.3, "{}: {fastest}", sequence.name);
    }
}

#[test]
fn planting_moves_feet_not_the_body() {
    let Setting { figure, captured, graph, actions, config } = setting(1.0);
    let augmenter =
        Augmenter { figure: &figure, captured: &captured, graph: &graph, actions: &actions, config: &config, seed: 0 };
    let made = augmenter.make(0).unwrap();
    let (edited, times) = edited(&figure, &made.walk, &made.segments, &config);
    assert_eq!(times[..made.times.len()], made.times);
    let nq = figure.model().position_count();
    let planted = made.sequence.positions_f64(&figure);
    for (a, b) in planted.chunks(nq).zip(edited.positions.chunks(nq)) {
        let moved = (a[0] - b[0]).hypot(a[1] - b[1]);
        assert!(moved < 0.06, "the root moved by {moved} m");
    }
}
