use super::course::Course;
use super::launch::Launch;
use super::motion_cost::{acceleration_weight, accelerations_cost, extras, moment_cost, velocity_changes};
use super::nominal::{Nominal, boundaries, offset_weights};
use super::*;
use crate::config::{Config, Level, Polish};
use crate::cost::Seen;
use crate::steps::StepCount;
use crate::target::FRAME_SECS;
use crate::test_figure::{self as figure, ARM, DRIVEN, LEG, SPEEDS, row};
use crate::wrench::AssistUnits;
use crate::{Begins, Performance, Solution, Target, start_state};
use quadratic::quadratic;
use riccati::Value;
use sinew_sim::{JointKind, Snapshot};

fn config() -> Config {
    let polish = Config::quick().polish.map(|polish| Polish { interval_frames: 2, ..polish });
    Config { dt: figure::DT, polish, ..Config::quick() }
}

fn polish() -> Polish {
    config().polish.expect("a polish")
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * (1.0 + expected.abs()), "{found} instead of {expected}");
}

/// Offsets f² and 3 in two degrees of freedom, in intervals of two frames but for the last.
fn parabola() -> Nominal {
    let offsets = (0..6).flat_map(|f| [(f * f) as f64, 3.0]).collect();
    Nominal::new(offsets, 2, 2, None)
}

#[test]
fn intervals_meet_at_their_frames_and_at_the_last() {
    assert_eq!(boundaries(6, 3), [0, 3, 6]);
    assert_eq!(boundaries(7, 3), [0, 3, 6, 7]);
    assert_eq!(boundaries(2, 3), [0, 2]);
    let nominal = parabola();
    assert_eq!(nominal.frames, [0, 2, 4, 5]);
    assert_eq!(
        [nominal.share(1, 2), nominal.share(1, 3), nominal.share(1, 4), nominal.share(2, 5)],
        [0.0, 0.5, 1.0, 1.0]
    );
    assert_eq!(nominal.offsets_at(3), [9.0, 3.0]);
}

#[test]
fn rates_are_those_of_both_sides_per_interval() {
    let nominal = parabola();
    // Offsets where intervals meet: 0, 4, 16, 25.
    let rates: Vec<f64> = (0..4).map(|boundary| nominal.rates(boundary)[0]).collect();
    assert_eq!(rates, [4.0, 8.0, 10.5, 9.0]);
    let [offsets, rates, accelerations] = nominal.motion(1);
    assert_eq!((offsets, rates, accelerations), (vec![16.0, 3.0], vec![10.5, 0.0], vec![2.5, 0.0]));
}

#[test]
fn offsets_cost_their_squares_rates_and_accelerations_in_seconds() {
    let polish = Polish { offsets: 2.0, offset_rates: 3.0, offset_accelerations: 5.0, ..polish() };
    let nominal = parabola();
    let secs = 2.0 * FRAME_SECS;
    let per_second = 1.0 / (secs * secs);
    let expected = [1.0, 1.5 * per_second, 2.5 * per_second * per_second];
    offset_weights(&polish, &nominal, 1).into_iter().zip(expected).for_each(|(a, b)| near(a, b));
    let last = 1.0 / (FRAME_SECS * FRAME_SECS);
    near(offset_weights(&polish, &nominal, 2)[1], 1.5 * last);
    // The three intervals, by what `rates_are_those_of_both_sides_per_interval` says; the second offset is 3 all along.
    let of = |x: f64, rate: f64, acceleration: f64, per_second: f64| {
        1.0 * (x * x + 9.0)
            + 1.5 * per_second * rate * rate
            + 2.5 * per_second * per_second * acceleration * acceleration
    };
    let expected = of(4.0, 8.0, 4.0, per_second) + of(16.0, 10.5, 2.5, per_second) + of(25.0, 9.0, -1.5, last);
    near(nominal.offsets_cost(&polish), expected);
}

#[test]
fn joints_that_change_their_speed_otherwise_than_drawn_cost_the_square_of_it() {
    // The leg speeds up by 4 rad/s in 4 frames.
    let model = figure::model(JointKind::Free);
    let target =
        figure::motion(&model, 9, |frame| row(&[(LEG[1], 0.5 * 40.0 * libm::pow(frame as f64 * FRAME_SECS, 2.0))]));
    let (before, after) = (row(&[(0, 9.0), (LEG[1], 1.0), (ARM[1], 0.5)]), row(&[(LEG[1], 6.0), (ARM[1], 2.0)]));
    let changes: Vec<f64> = velocity_changes(&target, [2, 6], &before, &after).collect();
    let expected = [5.0 - 4.0, 1.5, 0.0, 0.0];
    changes.iter().zip(expected).for_each(|(a, b)| near(*a, b));
    let polish = Polish { joint_acceleration: 7.0, ..polish() };
    let secs = 4.0 * FRAME_SECS;
    near(acceleration_weight(&polish, 4, DRIVEN), 7.0 / (secs * secs * 4.0));
    near(accelerations_cost(&target, &polish, [2, 6], &before, &after), 7.0 * (1.0 + 2.25) / (secs * secs * 4.0));
}

#[test]
fn levels_share_out_smoothness_and_steadiness() {
    let plain = Polish {
        interval_frames: 3,
        iterations: 9,
        stops_below: 0.5,
        offset_accelerations: 1.0,
        offset_rates: 2.0,
        offsets: 3.0,
        joint_velocity: 4.0,
        joint_acceleration: 5.0,
        foot_velocity: 6.0,
        root_velocity: 7.0,
        sliding: 8.0,
        ..polish()
    };
    let found = plain.at_level(&Level { reach: 9.0, smoothness: 10.0, steadiness: 100.0 });
    let expected = Polish {
        offset_accelerations: 10.0,
        offset_rates: 20.0,
        offsets: 30.0,
        joint_velocity: 40.0,
        joint_acceleration: 50.0,
        foot_velocity: 600.0,
        root_velocity: 700.0,
        sliding: 800.0,
        ..plain
    };
    assert_eq!(found, expected);
    let terms = extras(&plain);
    assert_eq!([terms.center_velocity, terms.joint_velocity, terms.foot_velocity], [7.0, 4.0, 6.0]);
    near(terms.root_spin, 0.7);
}

fn priced() -> PricedAssist {
    let units = AssistUnits { weight_newtons: 100.0, arm_m: 0.25 };
    PricedAssist::none(4, 10.0, 0.3, units)
}

#[test]
fn help_costs_its_size_softly() {
    let priced = priced();
    assert!(priced.is_none() && priced.begins_at == 10.0);
    // √(0.4² + 0.3²) − 0.3 = 0.2.
    near(priced.cost(&[0.0, 0.4, 0.0, 0.0, 0.0, 0.0]), 2.0);
    near(priced.cost(&[0.0, 0.0, 0.0, 0.4, 0.0, 0.0]), 2.0);
    near(priced.cost(&[0.24, 0.0, 0.32, 0.0, 0.24, 0.32]), 4.0);
    assert_eq!(priced.cost(&[0.0; 6]), 0.0);
    let mut some = priced.clone();
    some.knots[2] = [0.0, 0.4, 0.0, 0.0, 0.0, 0.0];
    assert!(!some.is_none());
    // λ/2 over √(x² + ε²).
    near(some.weights(2)[0], 0.5 * 10.0 / 0.5);
    near(some.weights(2)[1], 0.5 * 10.0 / 0.3);
}

#[test]
fn help_runs_straight_from_knot_to_knot_but_for_the_first_interval() {
    let ends = [[1.0; 6], [3.0; 6]];
    let during = |interval: usize, share: f64| PricedAssist::during(interval, share, 4, [&ends[0], &ends[1]])[0];
    assert_eq!([0.0, 0.75].map(|share| during(0, share)), [3.0, 3.0]);
    // At the middle of each of four frames.
    assert_eq!([0.0, 0.25, 0.5, 0.75].map(|share| during(1, share)), [1.25, 1.75, 2.25, 2.75]);
    let mut priced = priced();
    priced.knots = vec![[9.0; 6], [1.0; 6], [3.0; 6], [7.0; 6]];
    let nominal = Nominal { assist: Some(priced), ..parabola() };
    let found: Vec<f64> =
        [(0, 0), (0, 1), (1, 2), (1, 3), (2, 4)].map(|(i, f)| nominal.assist_during(i, f)[5]).to_vec();
    assert_eq!(found, [1.0, 1.0, 1.5, 2.5, 5.0]);
    assert_eq!(parabola().assist_during(1, 2), [0.0; 6]);
}

#[test]
fn a_push_off_costs_its_square_and_is_taken_back_where_nothing_speaks_for_it() {
    let (target, config) = (figure::standing(), config());
    let push_off = [0.3, -0.2, 0.0, 0.5, 0.6, -0.7, 0.0, 0.0, 0.0, 0.0];
    let start = start_state::start_state(&target, &config, &push_off);
    let launch = Launch::new(&target, &config, &polish(), &start).expect("a launch");
    near(launch.cost(), 0.09 + 0.04 + 0.1 * (0.25 + 0.36 + 0.49));
    // What it costs from then on does not depend on it: all of it goes, half of it, a fifth, a twentieth.
    let n = 2 * (SPEEDS + DRIVEN);
    let starts = launch.starts(&Value::zero(n), &start);
    let nq = target.model.position_count();
    for ((state, share, cost), expected) in starts.iter().zip([1.0, 0.5, 0.2, 0.05]) {
        assert_eq!(*share, expected);
        near(*cost, (1.0 - share) * (1.0 - share) * launch.cost());
        let left = state.values()[nq..].iter().zip(push_off);
        left.for_each(|(found, p)| near(*found, (1.0 - share) * p));
        assert_eq!(state.values()[..nq], start.values()[..nq]);
    }
    let found = launch.into_push_off();
    found.iter().zip(push_off).for_each(|(a, b)| near(*a, b));
    // At rest, and where the world holds it, there is none.
    assert!(Launch::new(&target, &Config { begins: Begins::Rest, ..config.clone() }, &polish(), &start).is_none());
}

/// Cost of a state as the polish counts it at a frame.
fn cost_at(target: &Target, config: &Config, polish: &Polish, frame: usize, q: &[f64], v: &[f64]) -> f64 {
    let batch = figure::observed(&target.model, q, v);
    Seen::with(target, &batch.world(0), |seen| moment_cost(seen, target, frame, config, polish))
}

#[test]
fn the_place_at_the_end_may_weigh_more() {
    let config = config();
    let model = figure::model(JointKind::Free);
    let target = figure::motion(&model, 9, |_| [0.0; SPEEDS]);
    let q = figure::moved(&model, &[0.2, 0.1, 0.05, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let heavy = Polish { end_position: 5.0, ..polish() };
    let cost = |polish: &Polish, frame: usize| cost_at(&target, &config, polish, frame, &q, &[0.0; SPEEDS]);
    near(cost(&heavy, 4), cost(&polish(), 4));
    let moved = config.weights.position * (0.2 * 0.2 + 0.1 * 0.1 + 0.05 * 0.05);
    let found = cost(&heavy, 8) - cost(&polish(), 8);
    assert!((found - 4.0 * moved).abs() < 1e-4, "{found}");
}

#[test]
fn the_quadratic_model_has_the_slope_of_the_cost() {
    let config = config();
    let model = figure::model(JointKind::Free);
    let target = figure::motion(&model, 9, |frame| row(&[(0, 0.02 * frame as f64), (LEG[1], 0.03 * frame as f64)]));
    let q = figure::moved(&model, &[0.2, 0.1, 0.05, 0.2, -0.1, 0.3, 0.4, 0.3, -0.2, 0.1]);
    let v: Vec<f64> = (0..SPEEDS).map(|k| 0.5 - 0.1 * k as f64).collect();
    // How firmly a foot stands is taken for given: by positions without it, by velocities with it.
    let polish = Polish { foot_velocity: 0.0, root_velocity: 2.0, joint_velocity: 1.5, ..polish() };
    let firm = Polish { foot_velocity: 3.0, ..polish };
    let standing = figure::moved(&model, &row(&[(LEG[1], 0.1)]));
    let size = 1e-2;
    let heavy = Polish { end_position: 7.0, ..polish };
    let cases =
        [(&polish, 4, &q, 0..2 * SPEEDS), (&firm, 4, &standing, SPEEDS..2 * SPEEDS), (&heavy, 8, &q, 0..2 * SPEEDS)];
    for (polish, frame, q, coordinates) in cases {
        let state = Snapshot::new(q, &v);
        let found = quadratic(&target, &config, polish, (&state, frame)).expect("a model");
        for k in coordinates {
            let moved = |size: f64| {
                let (mut q, mut v) = (q.to_vec(), v.clone());
                if k < SPEEDS {
                    let from = q.clone();
                    model.displace(&from, &row(&[(k, size)]), 1.0, &mut q);
                } else {
                    v[k - SPEEDS] += size;
                }
                cost_at(&target, &config, polish, frame, &q, &v)
            };
            let slope = (moved(size) - moved(-size)) / (2.0 * size);
            assert!((found.slope[k] - slope).abs() < 0.02 * (1.0 + slope.abs()), "{k}: {} for {slope}", found.slope[k]);
        }
        // Costs are quadratic in velocities: there the curvature is exact.
        let change: Vec<f64> = (0..SPEEDS).map(|k| 0.3 * libm::sin(1.0 + k as f64)).collect();
        let faster: Vec<f64> = v.iter().zip(&change).map(|(v, c)| v + c).collect();
        let other = quadratic(&target, &config, polish, (&Snapshot::new(q, &faster), frame)).expect("a model");
        let n = 2 * SPEEDS;
        for i in SPEEDS..n {
            let grown: f64 = (0..SPEEDS).map(|j| found.curvature.data[i * n + SPEEDS + j] * change[j]).sum();
            let expected = other.slope[i] - found.slope[i];
            assert!((grown - expected).abs() < 0.02 * (1.0 + expected.abs()), "{i}: {grown} for {expected}");
        }
        assert!((0..n).all(|i| (0..n).all(|j| found.curvature.data[i * n + j] == found.curvature.data[j * n + i])));
    }
}

/// The figure stands with offsets that are not quite still, simulated.
fn simulated(config: &Config, polish: &Polish) -> (Target, Nominal, Snapshot, f64) {
    let target = figure::motion(&figure::model(JointKind::Free), 13, |frame| row(&[(ARM[1], 0.05 * frame as f64)]));
    let start = start_state::start_state(&target, config, &[]);
    let offsets = (0..13).flat_map(|f| [0.01 * libm::sin(f as f64), 0.02, 0.0, 0.0]).collect();
    let mut nominal = Nominal::new(offsets, DRIVEN, polish.interval_frames, None);
    let run =
        line_search::simulate(&target, config, polish, &mut nominal, &start, &StepCount::default()).expect("a run");
    assert!(!run.fell);
    (target, nominal, start, run.cost)
}

#[test]
fn a_trajectory_costs_its_moments_its_accelerations_and_its_offsets() {
    let (config, polish) = (config(), Polish { sliding: 0.0, ..polish() });
    let (target, nominal, _, cost) = simulated(&config, &polish);
    let nq = target.model.position_count();
    let mut expected = nominal.offsets_cost(&polish);
    for interval in 0..nominal.frames.len() - 1 {
        let [(_, before), (q, after)] = [0, 1].map(|k| nominal.states[interval + k].values().split_at(nq));
        let frames = [nominal.frames[interval], nominal.frames[interval + 1]];
        let batch = figure::observed(&target.model, q, after);
        expected +=
            Seen::with(&target, &batch.world(0), |seen| moment_cost(seen, &target, frames[1], &config, &polish));
        expected += accelerations_cost(&target, &polish, frames, before, after);
    }
    assert!((cost - expected).abs() < 1e-5 * expected, "{cost} instead of {expected}");
    // Sliding costs friction's work over the weight beside that: nothing else changes.
    let slides = Polish { sliding: 40.0, ..polish };
    let (_, _, _, with_sliding) = simulated(&config, &slides);
    let half = Polish { sliding: 20.0, ..polish };
    let (_, _, _, with_half) = simulated(&config, &half);
    assert!(with_sliding > cost);
    assert!((2.0 * (with_half - cost) - (with_sliding - cost)).abs() < 1e-4 * (with_sliding - cost));
}

#[test]
fn a_correction_is_taken_where_it_costs_less_and_only_there() {
    let (config, polish) = (config(), polish());
    let (target, nominal, start, cost) = simulated(&config, &polish);
    let steps = &StepCount::default();
    let course = Course {
        target: &target,
        config: &config,
        polish: &polish,
        nominal: &nominal,
        noise: None,
        launch: None,
        steps,
    };
    let corrected = |least: f64| {
        let (mut damping, before) = (Some(0.5), steps.total());
        let found = round::correct(course, 1.0, &mut damping, &start, least).expect("a round");
        assert!(steps.total() > before);
        (found, damping)
    };
    let (found, damping) = corrected(cost);
    let found = found.expect("a better trajectory");
    assert!(found.cost < 0.95 * cost, "{} of {cost}", found.cost);
    assert!(
        damping == Some(0.15) || damping == Some(1.0),
        "it grows or shrinks with the share that was taken: {damping:?}"
    );
    assert_eq!(found.share > 0.3, damping == Some(0.15));
    // It costs what it promises, and it is the best that was found: what must cost less is not there.
    let mut better = Nominal::new(found.offsets.clone(), DRIVEN, polish.interval_frames, None);
    let plays = line_search::simulate(&target, &config, &polish, &mut better, &start, steps).expect("a run");
    assert!((plays.motion_cost - found.motion_cost).abs() < 1e-5 * cost, "{} {}", plays.motion_cost, found.motion_cost);
    let (none, damping) = corrected(0.0);
    assert!(none.is_none() && damping.is_none(), "{damping:?}");
}

#[test]
fn a_round_that_gains_nothing_leaves_everything_as_it_was() {
    let config = config();
    let (target, nominal, _, _) = simulated(&config, &polish().at_level(&polish().schedule.levels[0]));
    let solution = Solution { offsets: nominal.offsets.clone(), ..Solution::default() };
    let mut polishing = Polishing::new(solution);
    let mut gained = Vec::new();
    while polishing.level == 0 && !polishing.is_done() {
        let (before, costs) = (polishing.solution().clone(), polishing.costs().len());
        polishing.advance(&target, &config).expect("a round");
        // The first round also tells what it began with.
        let found = polishing.costs().len() > costs.max(1);
        assert_eq!(found, before != *polishing.solution(), "another motion has another cost");
        gained.push(found);
    }
    let costs = polishing.costs();
    assert!(gained.contains(&true) && costs[costs.len() - 1] < 0.9 * costs[0], "{gained:?} {costs:?}");
    // What was found is what plays.
    let run = Performance::record(&target, &config, polishing.solution(), &mut |_, _| ()).expect("a run");
    assert!(run.fell_at.is_none() && run.frames() == target.frames());
}

#[test]
fn who_falls_is_not_polished() {
    let config = config();
    let target = figure::motion(&figure::model(JointKind::Free), 41, |_| [0.0; SPEEDS]);
    // A leg that is thrown forwards at once.
    let offsets: Vec<f64> = (0..41).flat_map(|_| [2.0, 0.0, 0.0, 0.0]).collect();
    let mut polishing = Polishing::new(Solution { offsets: offsets.clone(), ..Solution::default() });
    polishing.advance(&target, &config).expect("a round");
    assert!(polishing.is_done() && polishing.rounds() == 0 && polishing.solution().offsets == offsets);
    assert_eq!(polishing.costs().len(), 1);
}
