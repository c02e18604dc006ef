use super::*;
use crate::test_figure::{self as figure, DRIVEN};
use crate::wrench::{AssistUnits, sizes};
use crate::{Config, Solution, Target, TransferError};
use sinew_sim::JointKind;
use sinew_sim::fnv::fnv1a;

#[test]
fn a_unit_of_help_is_the_weight_and_the_weight_at_a_quarter_of_the_height() {
    let model = figure::model(JointKind::Free);
    let units = AssistUnits::of(&model);
    // 16 kg, and 1.3 m from the sole to the top of the trunk.
    assert!((units.weight_newtons - 16.0 * 9.81).abs() < 1e-9 && (units.arm_m - 0.325).abs() < 1e-9, "{units:?}");
    let units = AssistUnits { weight_newtons: 100.0, arm_m: 0.3 };
    let wrench = units.wrench(&[1.0, -2.0, 0.5, 0.1, 0.2, -0.3]).expect("a wrench");
    assert_eq!(wrench.force, [100.0, -200.0, 50.0]);
    assert!((0..3).all(|k| (wrench.torque[k] - [3.0, 6.0, -9.0][k]).abs() < 1e-12), "{:?}", wrench.torque);
    assert_eq!(units.wrench(&[0.0; 6]), None);
    assert!(units.wrench(&[0.0, 0.0, 0.0, 0.0, 0.0, 1e-9]).is_some());
    assert_eq!(sizes(&[3.0, 0.0, -4.0, 0.0, 5.0, 12.0]), [5.0, 13.0]);
}

#[test]
fn short_pauses_join_stretches_of_help() {
    let with = |frames: &[usize]| {
        let mut rows = vec![[0.0; 6]; 40];
        frames.iter().for_each(|&frame| rows[frame] = [0.6, 0.0, 0.8, 0.0, 0.0, 2.0]);
        AssistFigures::new(&rows)
    };
    // A pause of three frames, and one of four.
    assert_eq!([with(&[10, 14]).spans.len(), with(&[10, 15]).spans.len()], [1, 2]);
    let joined = with(&[10, 14]);
    let span = &joined.spans[0];
    assert_eq!((span.from_secs, span.to_secs), (0.25, 0.375));
    // Two frames of five have a force of one weight.
    assert!((0..3).all(|k| (span.mean_force[k] - [0.24, 0.0, 0.32][k]).abs() < 1e-12), "{span:?}");
    assert_eq!((span.largest_force, span.largest_torque), (1.0, 0.5));
    let near = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
    assert!(near(joined.mean_force, 2.0 / 40.0) && near(joined.mean_torque, 2.0 * 0.5 / 40.0), "{joined:?}");
    assert!(near(joined.mean_assist, 2.0 * 3.0 / 40.0) && near(joined.share_of_time, 2.0 / 40.0), "{joined:?}");
    assert_eq!(AssistFigures::new(&[]), AssistFigures::default());
}

#[test]
fn settings_out_of_their_range_are_refused() {
    let refused = |config: AssistConfig| match config.check() {
        Err(TransferError::Config { field, value, .. }) => (field, value),
        other => panic!("{other:?}"),
    };
    let quick = AssistConfig::quick;
    assert_eq!(refused(AssistConfig { prices: vec![1.0, 0.0], ..quick() }), ("price", 0.0));
    assert_eq!(refused(AssistConfig { prices: vec![f64::INFINITY], ..quick() }), ("price", f64::INFINITY));
    assert_eq!(refused(AssistConfig { drawn_price: -1.0, ..quick() }), ("price", -1.0));
    assert_eq!(refused(AssistConfig { rounds: 0, ..quick() }), ("rounds", 0.0));
    assert_eq!(refused(AssistConfig { rounds: 1001, ..quick() }), ("rounds", 1001.0));
    assert_eq!(refused(AssistConfig { least_assist: 0.0, ..quick() }), ("least_assist", 0.0));
    assert_eq!(refused(AssistConfig { least_assist: f64::INFINITY, ..quick() }), ("least_assist", f64::INFINITY));
    assert_eq!((AssistConfig::standard().check(), quick().check()), (Ok(()), Ok(())));
    assert!(
        quick().rounds < AssistConfig::standard().rounds
            && quick().prices.len() < AssistConfig::standard().prices.len()
    );
}

/// A point with a mean help and a largest force, and a cost.
fn made(help: f64, largest_force: f64, largest_torque: f64, cost_mean: f64) -> AssistPoint {
    let figures = AssistFigures { mean_assist: help, largest_force, largest_torque, ..AssistFigures::default() };
    let price = (help > 0.0).then_some(1.0);
    AssistPoint { price, solution: Solution::default(), figures, cost_mean, effectors_off_m: 0.0, completed: true }
}

fn choices(others: Vec<AssistPoint>, most_points: usize) -> Vec<f64> {
    let settings = AssistConfig { least_assist: 0.02, most_points, ..AssistConfig::quick() };
    point::front(made(0.0, 0.0, 0.0, 1.0), others, &settings).iter().map(|p| p.figures.mean_assist).collect()
}

#[test]
fn help_worth_the_name_is_of_a_size_and_gains_a_hundredth() {
    // A force, or a torque in units of a quarter of the height.
    assert_eq!(choices(vec![made(0.1, 0.02, 0.0, 0.5)], 9), [0.0, 0.1]);
    assert_eq!(choices(vec![made(0.1, 0.0199, 0.0, 0.5)], 9), [0.0]);
    assert_eq!(choices(vec![made(0.1, 0.0, 0.0051, 0.5)], 9), [0.0, 0.1]);
    assert_eq!(choices(vec![made(0.1, 0.0, 0.0049, 0.5)], 9), [0.0]);
    assert_eq!(choices(vec![made(0.1, 1.0, 0.0, 0.989)], 9), [0.0, 0.1]);
    assert_eq!(choices(vec![made(0.1, 1.0, 0.0, 0.991)], 9), [0.0]);
    // Of two with the same help the better one.
    assert_eq!(
        choices(vec![made(0.1, 1.0, 0.0, 0.6), made(0.1, 1.0, 0.0, 0.5), made(0.2, 1.0, 0.0, 0.55)], 9),
        [0.0, 0.1]
    );
}

#[test]
fn of_too_many_points_the_one_goes_where_the_choice_is_least() {
    // By roots of help and cost: help 0, 1, 2, 3, 4 of 4; cost 1, 0.9, 0.8, 0.7, 0.1 of 0.9.
    let others = || {
        [(1.0, 0.9), (4.0, 0.8), (9.0, 0.7), (16.0, 0.1)]
            .map(|(help, cost): (f64, f64)| made(help, 1.0, 0.0, cost * cost))
    };
    // Gaps: 0.5 + 0.2/0.9 for the first two of them, 0.5 + 0.7/0.9 for the third.
    assert_eq!(choices(others().to_vec(), 5), [0.0, 1.0, 4.0, 9.0, 16.0]);
    assert_eq!(choices(others().to_vec(), 4), [0.0, 4.0, 9.0, 16.0]);
    // The ends always stay.
    assert_eq!(choices(others().to_vec(), 2), [0.0, 16.0]);
    assert_eq!(choices(others().to_vec(), 0), [0.0, 16.0]);
    // Cost alone may be what is close: help 0, 1, 2, 3 of 4 with costs 1, 0.9, 0.3, 0.25.
    let close =
        [(1.0, 0.9), (4.0, 0.3), (9.0, 0.25), (16.0, 0.1)].map(|(help, cost)| made(help, 1.0, 0.0, cost * cost));
    assert_eq!(choices(close.to_vec(), 4), [0.0, 1.0, 4.0, 16.0]);
    // Both are measured by their range over the front, 4 and 0.9: neither help nor cost decides alone.
    let third = |at: [(f64, f64); 3]| {
        let points = at.map(|(help, cost)| made(help * help, 1.0, 0.0, cost * cost));
        choices(points.to_vec(), 3)[1].sqrt()
    };
    let near = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
    assert!(near(third([(1.0, 0.3), (2.2, 0.2), (4.0, 0.1)]), 1.0), "the cost decides");
    assert!(near(third([(3.0, 0.72), (3.5, 0.42), (4.0, 0.1)]), 3.0), "the help decides");
}

fn still(target: &Target) -> Solution {
    Solution { offsets: vec![0.0; target.frames() * DRIVEN], ..Solution::default() }
}

fn config() -> Config {
    Config { dt: figure::DT, ..Config::quick() }
}

#[test]
fn who_is_held_by_the_world_cannot_be_helped() {
    let model = figure::model(JointKind::Fixed);
    let positions = [0.0, 1.0, 0.0, 0.0, 0.0].repeat(9);
    let clip = crate::ClipInput { name: "still", rate_hz: 40.0, positions: &positions };
    let target = Target::new(&model, &clip).expect("a target");
    let refused = TransferError::NoAssist { character: "figure".into() };
    assert_eq!(can_be_assisted(&target), Err(refused.clone()));
    let begun = Sweep::new(&target, &config(), &AssistConfig::quick(), &still(&target));
    assert_eq!(begun.map(|_| ()), Err(refused));
    assert_eq!(can_be_assisted(&figure::standing()), Ok(()));
}

#[test]
fn the_first_point_is_the_plain_transfer_measured() {
    let target = figure::standing();
    let sweep = Sweep::new(&target, &config(), &AssistConfig::quick(), &still(&target)).expect("a sweep");
    let progress = sweep.progress();
    // The motion as drawn, four prices up and four down.
    assert_eq!((progress.done, progress.total, progress.steps), (0.0, 9.0, 0));
    let points = sweep.points(&target, &config()).expect("points");
    let run = crate::Performance::record(&target, &config(), &still(&target), &mut |_, _| ()).expect("a run");
    let terms = run.mean_terms();
    assert!(points.len() == 1 && points[0].completed && points[0].price.is_none());
    assert_eq!(points[0].cost_mean, terms.total());
    // w_ee times the mean square: 50.
    assert!((points[0].effectors_off_m - (terms.effectors / 50.0).sqrt()).abs() < 1e-12);
    // One that ends too soon does not complete, and nothing goes down from it.
    let short = Solution { offsets: vec![0.0; 5 * DRIVEN], ..Solution::default() };
    let sweep = Sweep::new(&target, &config(), &AssistConfig::quick(), &short).expect("a sweep");
    assert_eq!(sweep.progress().total, 5.0);
}

/// The figure hovers 20 cm above the ground, which it cannot do alone.
fn hovering() -> Target {
    figure::motion(&figure::model(JointKind::Free), 13, |_| figure::row(&[(2, 0.2)]))
}

#[test]
fn a_sweep_goes_up_the_prices_and_down_again() {
    let target = hovering();
    let settings = AssistConfig { prices: vec![10.0, 1.0], rounds: 2, ..AssistConfig::quick() };
    let mut sweep = Sweep::new(&target, &config(), &settings, &still(&target)).expect("a sweep");
    let (mut done, mut steps) = (Vec::new(), 0);
    while !sweep.is_done() {
        sweep.advance(&target, &config()).expect("a pass");
        let progress = sweep.progress();
        assert!(progress.steps > steps && progress.total == 5.0, "{progress:?}");
        steps = progress.steps;
        done.push(progress.done);
    }
    assert_eq!(done, [1.0, 2.0, 3.0, 4.0, 5.0]);
    let before = sweep.clone();
    sweep.advance(&target, &config()).expect("nothing");
    assert!(sweep == before);
    // From physics alone to the motion as drawn: the cheaper help is, the more of it there is, and the closer the motion.
    let points = sweep.points(&target, &config()).expect("points");
    let prices: Vec<Option<f64>> = points.iter().map(|point| point.price).collect();
    assert_eq!((prices[0], prices[prices.len() - 1]), (None, Some(settings.drawn_price)), "{prices:?}");
    assert!(
        points.len() > 2 && points.windows(2).all(|pair| pair[1].cost_mean < 0.99 * pair[0].cost_mean),
        "{prices:?}"
    );
    for point in &points {
        let run = crate::Performance::record(&target, &config(), &point.solution, &mut |_, _| ()).expect("a run");
        assert_eq!(point.cost_mean, run.mean_terms().total());
        assert_eq!(point.figures, AssistFigures::new(&point.solution.assist));
    }
}

#[test]
fn prices_are_taken_in_their_order() {
    // Three of them up from the cheapest, and down from the dearest.
    let target = hovering();
    let settings = AssistConfig { prices: vec![30.0, 3.0, 0.3], rounds: 1, ..AssistConfig::quick() };
    let mut sweep = Sweep::new(&target, &config(), &settings, &still(&target)).expect("a sweep");
    let mut passes = 0;
    while !sweep.is_done() {
        sweep.advance(&target, &config()).expect("a pass");
        passes += 1;
    }
    assert_eq!((passes, sweep.progress().total), (7, 7.0));
    let prices: Vec<f64> = sweep.points(&target, &config()).expect("points").iter().filter_map(|p| p.price).collect();
    assert!(prices.len() > 2 && prices.is_sorted_by(|a, b| a > b), "{prices:?}");
}

#[test]
fn where_the_plain_transfer_ends_too_soon_there_is_no_way_down() {
    let target = hovering();
    let settings = AssistConfig { prices: vec![1.0], rounds: 1, ..AssistConfig::quick() };
    let short = Solution { offsets: vec![0.0; 5 * DRIVEN], ..Solution::default() };
    let mut sweep = Sweep::new(&target, &config(), &settings, &short).expect("a sweep");
    let mut passes = 0;
    while !sweep.is_done() {
        sweep.advance(&target, &config()).expect("a pass");
        passes += 1;
    }
    assert_eq!((passes, sweep.progress().total), (2, 2.0));
    let points = sweep.points(&target, &config()).expect("points");
    assert!(!points[0].completed && points.len() > 1 && points[1..].iter().all(|point| point.completed));
}

#[test]
fn a_puppet_is_weaned_rung_by_rung() {
    // Standing still: it needs no help, and what the puppet began with goes.
    let target = figure::motion(&figure::model(JointKind::Free), 13, |_| [0.0; figure::SPEEDS]);
    let mut weaning = Weaning::default();
    assert_eq!((weaning.progress(&config()), weaning.steps(), weaning.is_done(&config())), ([0, 16], 0, false));
    let mut done = 0;
    while !weaning.is_done(&config()) {
        weaning.advance(&target, &config()).expect("a rung");
        done += 1;
        assert_eq!(weaning.progress(&config()), [done, 16]);
        assert_eq!(weaning.has_weaned(), weaning.solution().is_some());
    }
    let solution = weaning.solution().expect("weaned");
    assert!(solution.assist.is_empty() && weaning.steps() > 0 && weaning.has_weaned());
    let run = crate::Performance::record(&target, &config(), &solution, &mut |_, _| ()).expect("a run");
    assert!(run.fell_at.is_none() && run.mean_terms().total() < 0.1, "{:?}", run.mean_terms());
    let before = weaning.clone();
    weaning.advance(&target, &config()).expect("nothing");
    assert!(weaning == before);
}

/// Bits of solutions.
fn bits<'a>(solutions: impl IntoIterator<Item = &'a Solution>) -> u64 {
    let numbers = |s: &Solution| [&s.offsets[..], &s.push_off, s.assist.as_flattened()].concat();
    fnv1a(solutions.into_iter().flat_map(numbers).flat_map(f64::to_le_bytes))
}

/// As in `transfer_tests.rs`: where these numbers change, results change, and the changelog has to say so.
#[test]
fn a_small_sweep_ends_in_the_bits_in_which_it_always_ended() {
    let target = hovering();
    let settings = AssistConfig { prices: vec![30.0, 3.0, 0.3], rounds: 4, ..AssistConfig::quick() };
    let mut sweep = Sweep::new(&target, &config(), &settings, &still(&target)).expect("a sweep");
    while !sweep.is_done() {
        sweep.advance(&target, &config()).expect("a pass");
    }
    let points = sweep.points(&target, &config()).expect("points");
    assert_eq!(
        (points.len(), bits(points.iter().map(|p| &p.solution)), sweep.progress().steps),
        (4, 8658088894972367988, 636240)
    );
}
