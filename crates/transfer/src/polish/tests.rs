use super::course::Course;
use super::nominal::Nominal;
use super::trial::NoiseSource;
use super::*;
use crate::config::{Config, Polish, Schedule};
use crate::start_state;
use crate::steps::StepCount;
use crate::target::Target;
use crate::test_motions::{squat, tiny};
use crate::{Performance, Search, Solution};
use sinew_sim::{Snapshot, embedded};

#[test]
fn a_polish_lowers_its_cost_in_every_round_and_the_motion_that_it_promises_is_the_one_that_plays() {
    let config = tiny();
    let target = squat(embedded::dinosaur(), &config, 37, 0.0);
    let mut search = Search::new(&target, &config, 3).expect("a search");
    while !search.is_done() {
        search.advance(&target, &config, None, 0).expect("a window");
    }
    let before = Performance::record(&target, &config, &search.solution(&target), &mut |_, _| ()).expect("a run");
    let mut polishing = Polishing::new(search.solution(&target));
    while !polishing.is_done() {
        polishing.advance(&target, &config).expect("a round");
    }
    let costs = polishing.costs();
    assert!(costs.len() > 2 && costs[costs.len() - 1] < 0.8 * costs[0], "{costs:?}");
    let after = Performance::record(&target, &config, polishing.solution(), &mut |_, _| ()).expect("a run");
    assert!(after.fell_at.is_none() && after.frames() == before.frames());
    let (before, after) = (before.mean_terms().total(), after.mean_terms().total());
    assert!(after < 0.8 * before, "{before} to {after}");
}

#[test]
fn differences_get_finer_after_two_poor_rounds_in_a_row_and_begin_again_where_the_motion_is_far_off() {
    let mut polishing = Polishing::new(Solution::default());
    let levels = [(true, 0), (false, 0), (true, 0), (true, 1), (true, 1), (true, 2), (true, 2), (true, 3), (true, 3)];
    for (is_poor, level) in levels {
        polishing.judge(&Schedule::default(), is_poor, false, 24);
        assert_eq!((polishing.level, polishing.is_done), (level, false));
    }
    let done = |is_far: bool, rounds: usize| {
        let mut polishing = polishing.clone();
        polishing.rounds = rounds;
        polishing.judge(&Schedule::default(), true, is_far, 24);
        assert_eq!((polishing.level, polishing.passes), (0, 1));
        polishing.is_done
    };
    assert!(done(false, 10), "the finest are done");
    assert!(!done(true, 16), "far off, and rounds for all levels are left");
    assert!(done(true, 17), "too few are left");
}

#[test]
fn who_begins_again_leaves_two_rounds_for_every_level() {
    let mut polishing = Polishing::new(Solution::default());
    (polishing.passes, polishing.rounds) = (1, 17);
    // With 24 rounds in all, levels 1 to 3 need the last six.
    for level in [0, 1, 1, 2, 2, 3, 3] {
        assert_eq!((polishing.level, polishing.is_done), (level, false));
        polishing.rounds += 1;
        polishing.judge(&Schedule::default(), false, true, 24);
    }
    assert!(polishing.is_done);
}

#[test]
fn a_polish_that_begins_again_ends_when_that_gains_nothing() {
    let config = tiny();
    let target = squat(embedded::dinosaur(), &config, 37, 0.0);
    let start = Polishing::new(still(&target));
    for (begun_at, ends) in [(f64::INFINITY, false), (0.0, true)] {
        let mut polishing = start.clone();
        polishing.begun_at = Some(begun_at);
        polishing.advance(&target, &config).expect("a round");
        assert_eq!(polishing.is_done(), ends);
        assert_eq!(polishing.rounds(), usize::from(!ends));
    }
}

/// The target as it is.
fn still(target: &Target) -> Solution {
    Solution { offsets: vec![0.0; target.frames() * target.dofs.count], ..Solution::default() }
}

/// A round without noise or another velocity at the start.
fn plain<'a>(
    target: &'a Target,
    config: &'a Config,
    polish: &'a Polish,
    nominal: &'a Nominal,
    steps: &'a StepCount,
) -> Course<'a> {
    Course { target, config, polish, nominal, noise: None, launch: None, steps }
}

/// The target's offsets all zero, simulated.
fn simulated(target: &Target, config: &Config, polish: &Polish) -> (Nominal, f64) {
    let start = start_state::start_state(target, config, &[]);
    let offsets = vec![0.0; target.frames() * target.dofs.count];
    let mut nominal = Nominal::new(offsets, target.dofs.count, polish.interval_frames, None);
    let simulated =
        line_search::simulate(target, config, polish, &mut nominal, &start, &StepCount::default()).expect("a run");
    assert!(!simulated.fell);
    let offsets_cost = simulated.cost - simulated.motion_cost;
    assert!((nominal.offsets_cost(polish) - offsets_cost).abs() < 1e-12);
    (nominal, simulated.cost)
}

#[test]
fn models_are_solved_as_they_are_measured_and_found_trajectories_cost_what_they_promise() {
    let config = tiny();
    let usual = config.polish.expect("a polish");
    // Rates of offsets are guessed from the offsets where a motion is simulated, and known where it is searched: without their costs.
    let share = 1e-6;
    let polish = &Polish {
        offset_accelerations: share * usual.offset_accelerations,
        offset_rates: share * usual.offset_rates,
        offsets: share * usual.offsets,
        ..usual
    };
    let target = &squat(embedded::dinosaur(), &config, 37, 0.0);
    let (nominal, cost) = simulated(target, &config, polish);
    let steps = StepCount::default();
    let noise = NoiseSource { seed: 1, mean_cost: cost / (nominal.frames.len() - 1) as f64 };
    let course =
        Course { target, config: &config, polish, nominal: &nominal, noise: Some(noise), launch: None, steps: &steps };
    let start = start_state::start_state(target, &config, &[]);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let (model, plan) = pool.install(|| model::measure(course, 3.0, polish.damping.first)).expect("a model");
        let (plan, again) = (plan.expect("solved"), model.solve(course, polish.damping.first).expect("solved"));
        assert_eq!(plan.gains.len(), nominal.frames.len() - 1);
        for (gain, again) in plan.gains.iter().zip(&again.gains) {
            assert!(!gain.open.is_empty() && gain.open == again.open && gain.feedback == again.feedback);
        }
        let found = pool.install(|| line_search::search(course, &plan, &start)).expect("a search");
        let found = found.expect("a trajectory");
        let mut better = Nominal::new(found.offsets, nominal.count, polish.interval_frames, None);
        let plays = line_search::simulate(target, &config, polish, &mut better, &start, &steps).expect("a run");
        assert!(!plays.fell && found.cost < 0.9 * cost, "{} of {cost}", found.cost);
        assert!((plays.cost - found.cost).abs() < 1e-5 * cost, "{} but {}", plays.cost, found.cost);
        assert_eq!(better.states, found.states, "what was found need not be simulated again");
        // Friction's work is counted in f32.
        assert!((plays.motion_cost - found.motion_cost).abs() < 1e-6 * cost);
        assert!((better.offsets_cost(polish) - (plays.cost - plays.motion_cost)).abs() < 1e-12 * cost);
    }
}

#[test]
fn linear_models_foretell_the_end_of_an_interval() {
    let config = tiny();
    let polish = config.polish.expect("a polish");
    let target = squat(embedded::dinosaur(), &config, 37, 0.0);
    let (model, count) = (target.model.clone(), target.dofs.count);
    let start = start_state::start_state(&target, &config, &[]);
    let (nominal, _) = simulated(&target, &config, &polish);
    let steps = StepCount::default();
    let linear = linear::linearize(plain(&target, &config, &polish, &nominal, &steps), 5, 1.0).expect("a model");
    assert!(steps.total() > 0);
    // An offset of every joint, as a rate: what the model says against what the simulation does.
    let rate = 0.01;
    let mut moved = Nominal {
        offsets: nominal.offsets.clone(),
        states: nominal.states.clone(),
        frames: nominal.frames.clone(),
        count,
        assist: None,
        has_gaps: false,
    };
    let [first, last] = [nominal.frames[5], nominal.frames[6]];
    for frame in first..=last {
        let share = nominal.share(5, frame);
        moved.offsets[frame * count..(frame + 1) * count].iter_mut().for_each(|o| *o += rate * share);
    }
    let (nq, nv) = (model.position_count(), model.velocity_count());
    let mut foretold = vec![0.0; 2 * nv];
    linear.offsets[1].add_vector(&vec![rate; count], &mut foretold);
    let mut states = moved;
    states.states.clear();
    line_search::simulate(&target, &config, &polish, &mut states, &start, &StepCount::default()).expect("a run");
    let (is, was) = (states.states[6].values(), nominal.states[6].values());
    let mut found = vec![0.0; nv];
    model.difference(&was[..nq], &is[..nq], &mut found);
    let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let off: Vec<f64> = found.iter().zip(&foretold).map(|(a, b)| a - b).collect();
    assert!(length(&found) > 0.01 && length(&off) < 0.15 * length(&found), "{} of {}", length(&off), length(&found));
}

#[test]
fn sliding_is_seen_and_grows_with_the_speed() {
    let config = tiny();
    let polish = config.polish.expect("a polish");
    let target = squat(embedded::dinosaur(), &config, 37, 0.0);
    let (model, count) = (target.model.clone(), target.dofs.count);
    let slid_at = |speed: f64| {
        let start = start_state::start_state(&target, &config, &[]);
        let (q, v) = start.values().split_at(model.position_count());
        let mut v = v.to_vec();
        v[0] += speed;
        let offsets = vec![0.0; target.frames() * count];
        let mut nominal = Nominal::new(offsets, count, polish.interval_frames, None);
        let steps = StepCount::default();
        line_search::simulate(&target, &config, &polish, &mut nominal, &Snapshot::new(q, &v), &steps).expect("a run");
        let linear = linear::linearize(plain(&target, &config, &polish, &nominal, &steps), 0, 1.0).expect("a model");
        (linear.slid, linear.slides[model.velocity_count()])
    };
    let ((stands, _), (slides, by_speed)) = (slid_at(0.0), slid_at(1.0));
    // A metre a second under friction of 0.8 for 50 ms: 0.8 · 0.05 m at most, and as much more for each m/s more.
    assert!(stands < 2e-3 && slides > 5.0 * stands.max(1e-3) && slides < 0.05, "{stands} and {slides}");
    assert!(by_speed > 0.2 * slides && by_speed < 0.1, "{by_speed}");
}

#[test]
fn a_shove_at_the_start_is_taken_back() {
    let config = tiny();
    let target = squat(embedded::dinosaur(), &config, 37, 0.0);
    let count = target.dofs.count;
    let shove = |x: f64| (0..count + 6).map(|k| if k == 1 { x } else { 0.0 }).collect::<Vec<_>>();
    let mut polishing = Polishing::new(Solution { push_off: shove(0.3), ..still(&target) });
    for _ in 0..3 {
        polishing.advance(&target, &config).expect("a round");
    }
    let left = &polishing.solution().push_off;
    assert!(left[1].abs() < 0.1, "{} m/s of 0.3 are left", left[1]);
    assert!(left[2] == 0.0 && left[6..].iter().all(|x| *x == 0.0), "neither jumps nor kicks are given: {left:?}");
    // What was found is what is performed.
    let run = Performance::record(&target, &config, polishing.solution(), &mut |_, _| ()).expect("a run");
    assert!(run.fell_at.is_none());
    // Who starts at rest does so.
    let rests = Config { begins: crate::Begins::Rest, ..tiny() };
    let mut polishing = Polishing::new(still(&target));
    polishing.advance(&target, &rests).expect("a round");
    assert!(polishing.solution().push_off.is_empty());
}
