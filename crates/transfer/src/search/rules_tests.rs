use super::*;
use crate::config::{Basis, Extras};
use crate::performance::Performance;
use crate::rollouts::SoFar;
use crate::target::ClipInput;
use crate::test_figure::{self as figure, ARM, DRIVEN, LEG, SPEEDS, row};
use crate::{Begins, Solution};
use sinew_sim::{Body, Joint, JointKind, Model, Scene, World};
use std::sync::Arc;

/// A search that has made windows at frames 0, 8, 16 …, each with a start of its own.
fn searched(windows: usize) -> Search {
    let target = figure::standing();
    let config = Config { dt: figure::DT, starts: 1, ..Config::quick() };
    let mut search = Search::new(&target, &config, 1).expect("a search");
    let start = search.starts[0].clone();
    for index in 0..windows {
        let starts = vec![Start { parent: 100 + index, ..start.clone() }];
        let first_frame = 8 * index;
        search.windows.push(Window {
            first_frame,
            frames: 20,
            generations: 1,
            costs: Vec::new(),
            kept: Vec::new(),
            starts,
        });
    }
    search.next_frame = 8 * windows;
    search
}

/// Windows left, the next frame, and the start from which it goes on.
fn place(search: &Search) -> (usize, usize, usize) {
    (search.windows.len(), search.next_frame, search.starts[0].parent)
}

#[test]
fn after_a_fall_the_search_goes_back_one_window_more_each_time() {
    let mut search = searched(4);
    assert!(search.go_back(3, 32));
    assert_eq!((place(&search), search.falls), ((3, 24, 103), 1));
    // It comes as far again, and falls again.
    let mut search = Search { falls: 1, furthest_fall: 32, ..searched(4) };
    assert!(search.go_back(3, 32));
    assert_eq!((place(&search), search.falls), ((2, 16, 102), 2));
    // Falls on the way there count as well.
    let mut search = Search { falls: 2, furthest_fall: 32, ..searched(3) };
    assert!(search.go_back(3, 24));
    assert_eq!((place(&search), search.falls, search.furthest_fall), ((0, 0, 100), 3, 32));
    // No further back than to the beginning.
    let mut search = Search { falls: 2, furthest_fall: 32, ..searched(1) };
    assert!(search.go_back(3, 8));
    assert_eq!(place(&search), (0, 0, 100));
}

#[test]
fn after_as_many_tries_as_it_has_it_stays_where_it_is() {
    let mut search = Search { falls: 3, furthest_fall: 32, ..searched(4) };
    assert!(!search.go_back(3, 32));
    assert_eq!((place(&search).0, search.next_frame, search.falls), (4, 32, 3));
    assert!(!searched(4).go_back(0, 32));
    // Who fell further on has come further: it may try as often again.
    assert!(search.go_back(3, 40));
    assert_eq!((search.falls, search.furthest_fall, search.windows.len()), (1, 40, 3));
}

#[test]
fn who_gives_up_returns_to_where_it_had_come_furthest() {
    let mut search = searched(4);
    assert!(search.go_back(3, 32));
    assert!(search.go_back(3, 24), "it falls again, sooner");
    assert_eq!((place(&search), search.furthest_fall), ((1, 8, 101), 32));
    assert!(search.return_to_furthest());
    let (windows, next_frame, _) = place(&search);
    assert_eq!((windows, next_frame), (4, 32));
    assert!(!search.return_to_furthest(), "it is there");
    // A fall further on is remembered instead.
    let mut search = Search { falls: 1, furthest_fall: 32, ..searched(5) };
    assert!(search.go_back(3, 40));
    assert!(search.return_to_furthest());
    assert_eq!(search.next_frame, 40);
}

#[test]
fn a_search_that_has_given_up_only_looks_at_the_rest() {
    let config = Config { iterations: 48, ..Config::standard() };
    let generations = |falls: usize, is_lost: bool| Effort { falls, is_lost }.generations(&config);
    assert_eq!([generations(0, false), generations(3, false), generations(3, true)], [48, 192, 2]);
}

#[test]
fn who_has_worked_enough_looks_no_longer_than_at_first() {
    // No window ends early.
    let config = Config { dt: figure::DT, starts: 1, iterations: 2, stops_below: None, ..Config::quick() };
    let target = figure::standing();
    let generations = |spent: u64| {
        let mut search = Search { falls: 3, ..Search::new(&target, &config, 1).expect("a search") };
        search.advance(&target, &config, None, spent).expect("a window");
        search.windows[0].generations
    };
    assert_eq!([generations(0), generations(u64::MAX / 2)], [8, 2]);
}

#[test]
fn the_most_effort_counts_all_windows_with_all_their_generations() {
    // 9 frames are one window of 20 frames, 21 are two that lie 8 apart.
    let config = Config { dt: 0.0025, starts: 2, population: 5, iterations: 7, most_effort: 3.0, ..Config::quick() };
    let motion = |frames: usize| figure::motion(&figure::model(JointKind::Free), frames, |_| row(&[]));
    let window = (2 * 5 * 7 * 20 * 10) as f64;
    assert_eq!(most_steps(&motion(9), &config), 3.0 * window);
    assert_eq!(most_steps(&motion(29), &config), 3.0 * 2.0 * window);
    // With 29 arms more it has 97 degrees of freedom.
    let mut many = figure::figure(JointKind::Free);
    for number in 0..29 {
        let name = format!("arm {number}");
        let arm = many.bodies[2].clone();
        let joint = many.joints[2].clone();
        many.bodies.push(Body { name: name.clone(), ..arm });
        many.joints.push(Joint { name: name.clone(), child: name, ..joint });
    }
    let model = Arc::new(Model::new(&Scene::on_ground(many), 0.0025).expect("a valid scene"));
    let positions = model.rest_position().repeat(9);
    let clip = ClipInput { name: "still", rate_hz: 40.0, positions: &positions };
    let still = Target::new(&model, &clip).expect("a target");
    assert_eq!(model.velocity_count(), 97);
    assert_eq!(most_steps(&still, &config), 3.0 * (64.0f64 / 97.0).powi(3) * window);
}

/// A search of two windows with kept samples of given parents and costs.
fn two_windows() -> Search {
    let mut search = searched(2);
    let kept = |sample: usize, parent: usize, total_cost: f64| {
        let curve = (0..21 * DRIVEN).map(|i| (100 * sample + i / DRIVEN) as f64).collect();
        Kept { sample, parent, curve, total_cost }
    };
    search.windows[0].kept = vec![kept(0, 0, 5.0), kept(1, 0, 7.0)];
    search.windows[0].costs = vec![0.5, 0.7];
    search.windows[1].kept = vec![kept(2, 0, 9.0), kept(3, 1, 8.4), kept(4, 0, 10.0)];
    search.windows[1].costs = vec![0.0, 0.1, 0.9, 0.8, 1.1];
    search
}

#[test]
fn the_best_sequence_is_found_from_its_end() {
    let (search, target) = (two_windows(), figure::standing());
    assert_eq!(search.best_sequence(), [1, 1]);
    // The second window begins at frame 8 and is 20 long: looks at every second frame.
    assert!((search.best_cost() - 8.4 / 14.0).abs() < 1e-12);
    let offsets = search.solution(&target).offsets;
    let rows: Vec<f64> = offsets.iter().step_by(DRIVEN).copied().collect();
    let expected: Vec<f64> = (0..8).map(|f| 100.0 + f as f64).chain((0..21).map(|f| 300.0 + f as f64)).collect();
    assert_eq!(rows, expected);
    assert_eq!(search.window_costs(0), (vec![0.5, 0.7], Some(0.7)));
    assert_eq!(search.window_costs(1), (vec![0.9, 0.8, 1.1], Some(0.8)));
    let none = searched(0);
    assert!(none.best_sequence().is_empty() && none.best_cost() == 0.0 && none.solution(&target).offsets.is_empty());
}

#[test]
fn a_target_needs_as_many_windows_as_cover_it() {
    let config = Config { window_frames: 20, advance_frames: 8, ..Config::quick() };
    let count = |frames: usize| {
        let target = figure::motion(&figure::model(JointKind::Free), frames, |_| [0.0; SPEEDS]);
        Search::window_count(&target, &config)
    };
    assert_eq!([9, 21, 22, 29, 30].map(count), [1, 1, 2, 2, 3]);
}

/// The cost looks at every second frame, at the paper's terms alone.
fn plain() -> Config {
    let none = Extras {
        center_velocity: 0.0,
        root_spin: 0.0,
        joint_velocity: 0.0,
        foot_velocity: 0.0,
        sliding: 0.0,
        offsets: 0.0,
    };
    Config {
        dt: figure::DT,
        begins: Begins::Rest,
        cost_frames: 2,
        extras: none,
        basis: Basis::Linear,
        ..Config::quick()
    }
}

/// A motion of nine frames, and offsets to it.
fn nodding() -> (Target, Vec<f64>) {
    let model = figure::model(JointKind::Free);
    let target =
        figure::motion(&model, 9, |frame| row(&[(LEG[1], 0.01 * frame as f64), (ARM[1] + 1, 0.02 * frame as f64)]));
    let offsets = (0..9).flat_map(|frame| [0.003 * frame as f64, 0.0, 0.01, -0.01 * frame as f64]).collect();
    (target, offsets)
}

#[test]
fn a_curve_costs_the_mean_of_its_looks_as_its_performance_does() {
    let (target, offsets) = nodding();
    let config = plain();
    let first = [start_state::start_state(&target, &config, &[])];
    let stage = Stage { target: &target, config: &config, first_frame: 0, frames: 8, starts: &first };
    assert_eq!((stage.looks(), stage.curve_len()), (4, 9 * DRIVEN));
    let tried = Trial { stage, jobs: &[0], curves: &offsets }.run().expect("a run").remove(0);
    let solution = Solution { offsets: offsets.clone(), ..Solution::default() };
    let run = Performance::record(&target, &config, &solution, &mut |_, _| ()).expect("a run");
    let expected = run.mean_terms().total();
    assert!((tried.cost - expected).abs() < 1e-6 * expected, "{} instead of {expected}", tried.cost);
    assert_eq!(tried.steps, 80);
    let last = run.moments.last().expect("a moment");
    assert_eq!(tried.end.values(), [&last.position[..], &last.velocity].concat());
    // From a later frame on, with the curve from there, it ends in the same place.
    let middle = run.at_frame(4);
    let starts = [Snapshot::new(&middle.position, &middle.velocity)];
    let later = Stage { first_frame: 4, frames: 4, starts: &starts, ..stage };
    let curve = &offsets[4 * DRIVEN..];
    let end = Trial { stage: later, jobs: &[0], curves: curve }.run().expect("a run").remove(0).end;
    let off = end.values().iter().zip(tried.end.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 1e-4, "{off}");
    // An odd number of frames: the end is looked at as well.
    let odd = Stage { frames: 7, ..Stage { starts: &first, ..stage } };
    let tried = Trial { stage: odd, jobs: &[0], curves: &offsets[..8 * DRIVEN] }.run().expect("a run").remove(0);
    let solution = Solution { offsets: offsets[..8 * DRIVEN].to_vec(), ..Solution::default() };
    let run = Performance::record(&target, &config, &solution, &mut |_, _| ()).expect("a run");
    let expected = run.mean_terms().total();
    assert_eq!((odd.looks(), run.costs.len()), (4, 4));
    assert!((tried.cost - expected).abs() < 1e-6 * expected, "{} instead of {expected}", tried.cost);
}

#[test]
fn sliding_is_counted_once_at_the_end_and_velocities_at_every_look() {
    let (target, offsets) = nodding();
    let of = |extras: Extras| {
        let config = Config { extras, ..plain() };
        let start = start_state::start_state(&target, &config, &[]);
        let (q, v) = start.values().split_at(target.model.position_count());
        // It slides at half a metre a second.
        let mut v = v.to_vec();
        v[0] = 0.5;
        let starts = [Snapshot::new(q, &v)];
        let stage = Stage { target: &target, config: &config, first_frame: 0, frames: 8, starts: &starts };
        let work = std::sync::Mutex::new(0.0);
        let so_far = SoFar::default();
        let look = |_: usize, step: usize, world: &World<'_>| {
            *work.lock().expect("no panic") = world.friction_work();
            stage.look(&so_far, f64::INFINITY, step, world)
        };
        let steering = Trial { stage, jobs: &[0], curves: &offsets };
        let cost = stage.rollouts().run_steered(&[0], &steering, &look).expect("a run").remove(0).cost;
        (cost, work.into_inner().expect("no panic"))
    };
    let (without, work) = of(plain().extras);
    assert!(work > 0.3, "{work} J");
    let (with, _) = of(Extras { sliding: 10.0, ..plain().extras });
    // Mean over four looks, as is all else.
    let expected = 4.0 * 10.0 * work / target.weight();
    assert!((with - without - expected).abs() < 1e-6 * expected, "{} instead of {expected}", with - without);
    let (moving, _) = of(Extras { center_velocity: 1.0, ..plain().extras });
    assert!(moving > without + 0.01);
}

#[test]
fn a_rollout_is_given_up_as_if_it_went_on_like_that() {
    let (target, offsets) = nodding();
    let config = plain();
    let starts = [start_state::start_state(&target, &config, &[])];
    let stage = Stage { target: &target, config: &config, first_frame: 0, frames: 8, starts: &starts };
    let steering = Trial { stage, jobs: &[0], curves: &offsets };
    let run = |limit: f64| {
        let so_far = SoFar::default();
        so_far.reset();
        let look = |_: usize, step: usize, world: &World<'_>| stage.look(&so_far, limit, step, world);
        stage.rollouts().run_steered(&[0], &steering, &look).expect("a run").remove(0)
    };
    let solution = Solution { offsets: offsets.clone(), ..Solution::default() };
    let performed = Performance::record(&target, &config, &solution, &mut |_, _| ()).expect("a run");
    let costs: Vec<f64> = performed.costs.iter().map(|(_, terms)| terms.total()).collect();
    assert_eq!(costs.len(), 4);
    // After one look of four, and after two.
    let near = |found: f64, expected: f64| (found - expected).abs() < 1e-5 * expected;
    let first = run(0.0);
    assert!(first.steps == 20 && near(first.cost, 4.0 * costs[0]), "{} {}", first.cost, costs[0]);
    let second = run(0.5 * (2.0 * costs[0] + costs[1]));
    assert!(second.steps == 40 && near(second.cost, 2.0 * (costs[0] + costs[1])), "{} {costs:?}", second.cost);
    // The last look is never given up.
    let sum: f64 = costs.iter().sum();
    let whole = run(sum - 0.5 * costs[3]);
    assert!(whole.steps == 80 && near(whole.cost, sum));
}

#[test]
fn a_fall_costs_every_look_that_it_misses() {
    let (target, offsets) = nodding();
    let config = plain();
    let start = start_state::start_state(&target, &config, &[]);
    let (q, v) = start.values().split_at(target.model.position_count());
    let mut lying = q.to_vec();
    lying[3..7].copy_from_slice(&[0.5f64.sqrt(), 0.5f64.sqrt(), 0.0, 0.0]);
    let starts = [Snapshot::new(&lying, v), Snapshot::new(q, &[f64::NAN; SPEEDS])];
    let stage = Stage { target: &target, config: &config, first_frame: 0, frames: 8, starts: &starts };
    let curves = [&offsets[..], &offsets].concat();
    for tried in (Trial { stage, jobs: &[0, 1], curves: &curves }).run().expect("a run") {
        assert!((tried.cost - FALLEN_COST).abs() < 1e-9, "{}", tried.cost);
    }
}

#[test]
fn step_sizes_follow_what_moves_a_joint() {
    let model = figure::model(JointKind::Free);
    let scales = |config: &Config| window::scales(config, &model, DRIVEN);
    let plain = Config { sigma: 0.05, torque_share: None, ..plain() };
    assert_eq!(scales(&plain), [0.05; DRIVEN]);
    // A tenth of 200 N·m over 400 N·m/rad for the leg; of 20 over 40 for the arm, times the root of a tenth.
    let found = scales(&Config { torque_share: Some(0.1), ..plain.clone() });
    let expected = [0.05, 0.05 * 0.1f64.sqrt(), 0.05 * 0.1f64.sqrt(), 0.05 * 0.1f64.sqrt()];
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    // Within a factor of four of sigma.
    let leg = |share: f64| scales(&Config { torque_share: Some(share), ..plain.clone() })[0];
    assert!((leg(10.0) - 0.2).abs() < 1e-12 && (leg(1e-3) - 0.0125).abs() < 1e-12);
}
