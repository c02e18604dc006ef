use super::features::Heading;
use super::scenarios::scenarios;
use super::trial::{Judge, Scenario, Trial};
use super::*;
use crate::test_motions::piece_by_piece;
use crate::{ClipInput, Config, FRAME_SECS, FeedbackWork, Performance, Solution, Target};
use sinew_sim::{Batch, BatchOptions, DampsTo, Flow, Job, Model, Rollouts, Scene, Snapshot, embedded};
use sinew_work::RunOptions;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The dinosaur, bobbing at its place: a cycle of half a second, recorded for 2 s.
pub(super) fn bobbing() -> (Arc<Model>, Target, Performance) {
    let config = Config::quick();
    let model = Arc::new(Model::new(&Scene::on_ground(embedded::dinosaur()), config.dt).unwrap());
    let rest = model.rest_position();
    let rows = (0..=80).flat_map(|frame| {
        let bend = 0.08 * libm::sin(std::f64::consts::TAU * frame as f64 / 20.0);
        let mut row = rest.to_vec();
        row[9] += bend;
        row
    });
    let positions: Vec<f64> = rows.collect();
    let target =
        Target::new(&model, &ClipInput { name: "bob", rate_hz: 1.0 / FRAME_SECS, positions: &positions }).unwrap();
    let offsets = vec![0.0; target.frames() * (model.velocity_count() - 6)];
    let still = Solution { offsets, ..Solution::default() };
    let run = Performance::record(&target, &config, &still, &mut |_, _| ()).unwrap();
    assert_eq!(run.fell_at, None);
    (model, target, run)
}

fn reference(model: &Arc<Model>, target: &Target, run: &Performance) -> Reference {
    Reference::new(model, run, period_secs(target).unwrap()).unwrap()
}

fn small() -> FeedbackConfig {
    let mut config = FeedbackConfig::standard();
    (config.population, config.iterations, config.stages) = (10, 10, vec![3, 6]);
    config.trouble.runs = 1;
    config.trouble.push_speed = 1.2;
    (config.tries, config.try_stages, config.chooses_by) = (2, 1, Some(SMALL_TEST));
    config
}

const SMALL_TEST: Test = Test {
    repetitions: 3,
    directions: 2,
    newtons_step: 80.0,
    newtons_steps: 2,
    push_frames: 8,
    push_phase: 0.25,
    repetitions_after: 1,
};

fn trial<'a>(model: &'a Model, reference: &'a Reference, scenarios: &'a [Scenario], threads: usize) -> Trial<'a> {
    let judge = Judge::new(&FeedbackConfig::standard());
    Trial { model, reference, judge, frames: 6 * reference.frames, pace_from: 0, scenarios, threads }
}

fn some_gains(n: usize, m: usize) -> Gains {
    let wave = |count: usize, size: f64| (0..count).map(|i| size * libm::sin(1.0 + 2.0 * i as f64)).collect::<Vec<_>>();
    Gains {
        rank: 2,
        largest_change: 0.5,
        from_state: vec![wave(2 * n, 0.5); 2],
        to_action: vec![wave(2 * m, 0.3); 2],
        tracking: None,
    }
}

#[test]
fn the_cycle_of_a_motion_is_found() {
    let (model, target, run) = bobbing();
    let period = period_secs(&target).unwrap();
    assert!((period - 0.5).abs() < 1e-9, "{period}");
    let reference = reference(&model, &target, &run);
    assert_eq!((reference.frames, reference.feet.len()), (20, 2));
    assert!(reference.gap < 0.05, "{}", reference.gap);
    // The seam is no larger a step than the others.
    let step = |a: usize, b: usize| {
        let (a, b) = (&reference.action(a)[7..], &reference.action(b)[7..]);
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let largest = (0..19).map(|f| step(f, f + 1)).fold(0.0, f64::max);
    assert!(step(19, 20) <= 1.2 * largest, "{} {largest}", step(19, 20));
}

#[test]
fn no_gains_are_the_open_loop_bit_for_bit() {
    let (model, target, run) = bobbing();
    let reference = reference(&model, &target, &run);
    let scenarios = [Scenario { start: reference.start(), pushes: Vec::new() }];
    let trial = trial(&model, &reference, &scenarios, 1);
    let (n, m) = Pilot::new(&model, &reference).unwrap().counts();
    let ran = trial.run(&[Gains::zero(n, m), some_gains(n, m)]).unwrap();
    let steps_per_frame = (FRAME_SECS / model.dt()).round() as usize;
    let rollouts = Rollouts {
        model: &model,
        starts: &[reference.start()],
        steps: trial.frames * steps_per_frame,
        knot_interval: steps_per_frame,
        sample_interval: steps_per_frame,
        damps_to: DampsTo::Target,
        observes: false,
        options: BatchOptions { threads: 1, ..BatchOptions::default() },
    };
    let knots = (0..=trial.frames).flat_map(|f| reference.action(f).to_vec()).collect();
    let open = rollouts.run(&[Job { start: 0, knots }], &|_, _, _| Flow::Continue(0.0)).unwrap();
    assert_eq!(ran[0].end, open[0].end);
    assert_ne!(ran[1].end, open[0].end);
}

#[test]
fn a_turned_world_gets_the_same_changes() {
    let (model, target, run) = bobbing();
    let reference = reference(&model, &target, &run);
    let pilot = Pilot::new(&model, &reference).unwrap();
    let (n, m) = pilot.counts();
    let gains = some_gains(n, m);
    // A state that deviates in everything.
    let (mut position, mut velocity) =
        (reference.positions[..model.position_count()].to_vec(), vec![0.0; model.velocity_count()]);
    let way: Vec<f64> = (0..velocity.len()).map(|i| 0.1 * libm::sin(3.0 * i as f64)).collect();
    velocity.iter_mut().enumerate().for_each(|(i, v)| *v = 0.4 * libm::cos(i as f64));
    let straight = position.clone();
    model.displace(&straight, &way, 1.0, &mut position);
    let row = |angle: f64| {
        let (c, s) = (libm::cos(angle), libm::sin(angle));
        let (half_c, half_s) = (libm::cos(angle / 2.0), libm::sin(angle / 2.0));
        let (mut q, mut v) = (position.clone(), velocity.clone());
        (q[0], q[1]) = (2.0 + c * position[0] - s * position[1], -1.0 + s * position[0] + c * position[1]);
        let [w, x, y, z] = [3, 4, 5, 6].map(|k| position[k]);
        let turned =
            [half_c * w - half_s * z, half_c * x - half_s * y, half_c * y + half_s * x, half_c * z + half_s * w];
        q[3..7].copy_from_slice(&turned);
        (v[0], v[1]) = (c * velocity[0] - s * velocity[1], s * velocity[0] + c * velocity[1]);
        let mut batch = Batch::new(&model, 1, BatchOptions { threads: 1, ..BatchOptions::default() }).unwrap();
        batch.world_mut(0).set_position(&q);
        batch.world_mut(0).set_velocity(&v);
        batch.observe();
        let mut out = vec![0.0; model.position_count()];
        pilot.target(&gains, angle, 7, 6, &batch.world(0), &mut out);
        out[7..].to_vec()
    };
    let straight = row(0.0);
    let open = &reference.action(7)[7..];
    assert!(straight.iter().zip(open).any(|(a, b)| (a - b).abs() > 1e-2));
    for angle in [0.7, 2.9, -1.6, 4.0] {
        let worst = straight.iter().zip(row(angle)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-5, "{angle}: {worst}");
    }
}

/// Full-state gains of about the size that is found, of every frame.
fn some_tracking(model: &Model, reference: &Reference, m: usize) -> Tracking {
    let count = m * tracking::deviation_count(model, m);
    let gains = |frame: usize| (0..count).map(|i| 0.1 * libm::sin((frame + 3 * i) as f64)).collect();
    Tracking::new((0..reference.frames).map(gains))
}

#[test]
fn full_state_feedback_does_not_know_where_it_is_nor_where_north_is() {
    let (model, target, run) = bobbing();
    let reference = reference(&model, &target, &run);
    let pilot = Pilot::new(&model, &reference).unwrap();
    let (n, m) = pilot.counts();
    let tracking = Some(Arc::new(some_tracking(&model, &reference, m)));
    let gains = Gains { largest_change: 9.0, tracking, ..Gains::zero(n, m) };
    // A state that deviates in everything, turned by `off` against its course.
    let row = |course: f64, off: f64, place: f64| {
        let (nq, nv) = (model.position_count(), model.velocity_count());
        let way: Vec<f64> = (0..nv).map(|i| if i == 5 { 0.0 } else { 0.05 * libm::sin(3.0 * i as f64) }).collect();
        let mut q = vec![0.0; nq];
        model.displace(reference.position(6), &way, 1.0, &mut q);
        let mut v: Vec<f64> = (0..nv).map(|i| 0.4 * libm::cos(i as f64)).collect();
        let angle = course + off;
        let (c, s) = (libm::cos(angle), libm::sin(angle));
        (q[0], q[1]) = (place, -place);
        let turn = [libm::cos(0.5 * angle), 0.0, 0.0, libm::sin(0.5 * angle)];
        let turned = sinew_sim::rotation::quaternion_product(turn, [q[3], q[4], q[5], q[6]]);
        q[3..7].copy_from_slice(&turned);
        (v[0], v[1]) = (c * v[0] - s * v[1], s * v[0] + c * v[1]);
        let mut batch = Batch::new(&model, 1, BatchOptions { threads: 1, ..BatchOptions::default() }).unwrap();
        let mut world = batch.world_mut(0);
        world.set_position(&q);
        world.set_velocity(&v);
        world.set_target(reference.action(6));
        batch.observe();
        let mut out = vec![0.0; nq];
        let course = course + Heading::of(&reference.positions[3..7]).angle();
        pilot.target(&gains, course, 7, 6, &batch.world(0), &mut out);
        out[7..].to_vec()
    };
    let differ = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let straight = row(0.0, 0.0, 0.0);
    assert!(differ(&straight, &reference.action(7)[7..]) > 1e-2);
    for course in [0.7, 2.9, -1.6, 4.0] {
        assert!(differ(&straight, &row(course, 0.0, 3.0)) < 1e-4, "{course}");
    }
    // A turn against the course counts, up to half a radian.
    assert!(differ(&straight, &row(0.0, 0.2, 0.0)) > 1e-3);
    assert!(differ(&row(0.0, 0.7, 0.0), &row(0.0, 1.1, 0.0)) < 1e-4);
    assert!(differ(&row(0.0, 0.3, 0.0), &row(0.0, 0.4, 0.0)) > 1e-3);
}

#[test]
fn a_target_that_was_changed_already_counts() {
    let (model, target, run) = bobbing();
    let reference = reference(&model, &target, &run);
    let pilot = Pilot::new(&model, &reference).unwrap();
    let (n, m) = pilot.counts();
    let tracking = Some(Arc::new(some_tracking(&model, &reference, m)));
    let gains = Gains { largest_change: 0.02, tracking, ..Gains::zero(n, m) };
    let row = |change: f64| {
        let mut batch = Batch::new(&model, 1, BatchOptions { threads: 1, ..BatchOptions::default() }).unwrap();
        let mut world = batch.world_mut(0);
        world.set_position(reference.position(6));
        world.set_velocity(reference.velocity(6));
        let mut now = reference.action(6).to_vec();
        now[9] += change;
        world.set_target(&now);
        batch.observe();
        let mut out = vec![0.0; model.position_count()];
        pilot.target(&gains, Heading::of(&reference.positions[3..7]).angle(), 7, 6, &batch.world(0), &mut out);
        out[7..].iter().zip(&reference.action(7)[7..]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    assert!(row(0.0) < 1e-5, "{}", row(0.0));
    assert!(row(0.1) > 1e-3);
    // Never by more than the largest change.
    assert!((row(9.0) - 0.02).abs() < 1e-9, "{}", row(9.0));
}

#[test]
fn sitting_and_standing_still_are_no_walk() {
    let (model, target, run) = bobbing();
    let mut reference = reference(&model, &target, &run);
    let scenarios = [Scenario { start: reference.start(), pushes: Vec::new() }];
    let (n, m) = Pilot::new(&model, &reference).unwrap().counts();
    let open = [Gains::zero(n, m)];
    let good = trial(&model, &reference, &scenarios, 1).run(&open).unwrap()[0].clone();
    assert!(good.survives);
    // The same run, where a walk was asked for.
    reference.states.chunks_mut(n).for_each(|row| row[10] += 1.0);
    let still = trial(&model, &reference, &scenarios, 1).run(&open).unwrap()[0].clone();
    assert_eq!(still.frames, good.frames);
    assert!(!still.survives && still.cost > good.cost + 50.0, "{} {}", still.cost, good.cost);
    // A root at seven tenths of its height sits: fallen here, in balance for the paper.
    let mut low = reference.start().values().to_vec();
    low[2] *= 0.7;
    let nq = model.position_count();
    let low = [Scenario { start: Snapshot::new(&low[..nq], &low[nq..]), pushes: Vec::new() }];
    let mut strict = trial(&model, &reference, &low, 1);
    strict.frames = 2;
    assert!(!strict.run(&open).unwrap()[0].survives);
    strict.judge = Judge::new(&FeedbackConfig::paper());
    assert!(strict.run(&open).unwrap()[0].survives);
}

#[test]
fn training_lengthens_the_balance_and_goes_on_after_a_pause_on_any_threads() {
    let (model, target, run) = bobbing();
    let reference = reference(&model, &target, &run);
    let config = small();
    let mut training = FeedbackTraining::new(&model, &reference, &[], &config, 5).unwrap();
    let open = training.policy();
    while !training.is_done() {
        training.advance(&model, 1).unwrap();
    }
    // A pause after every generation, and three threads.
    let work = FeedbackWork { model: &model, reference: &reference, cycles: &[], config: &config, seed: 5 };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint.bin");
    let pieces = piece_by_piece(&work, &path);
    let (paused, _) = pieces.last().unwrap();
    assert_eq!(postcard::to_stdvec(&training).unwrap(), postcard::to_stdvec(paused).unwrap());
    // Repetitions done only grow, and in the end nothing is left.
    assert!(pieces.windows(2).all(|pair| pair[0].1.done < pair[1].1.done));
    let end = &pieces.last().unwrap().1;
    assert!(end.done == end.total && pieces[0].1.total_is_bound, "{end:?}");
    let other = FeedbackWork { seed: 6, ..work };
    let options = RunOptions { checkpoint: Some(path), resumes: true, ..RunOptions::default() };
    let refused = sinew_work::run(&other, &options, &mut |_, _, _| ControlFlow::Continue(())).unwrap_err();
    assert!(refused.to_string().contains("another seed"), "{refused}");

    // The troubles of the last stage.
    let scenarios = scenarios(&model, &reference, &config, 5, 1, 6 * reference.frames);
    let ran = trial(&model, &reference, &scenarios, 1).run(&[open.gains, training.policy().gains]).unwrap();
    let [open, trained] = [&ran[..2], &ran[2..]].map(|runs| (runs[1].frames, runs.iter().map(|r| r.cost).sum::<f64>()));
    assert!(open.0 < 120, "the open loop does not fall: {}", open.0);
    assert!(trained.0 > open.0 && trained.1 < open.1, "{trained:?} {open:?}");
}

#[test]
fn what_is_recorded_is_what_is_counted() {
    let (model, target, run) = bobbing();
    let reference = reference(&model, &target, &run);
    let (n, m) = Pilot::new(&model, &reference).unwrap().counts();
    let policy = Policy { gains: some_gains(n, m), reference };
    let frames = policy.reference.frames;
    for (newtons, direction_deg, falls) in [(0.0, 0.0, false), (1500.0, 90.0, true)] {
        let push = TimedPush { newtons, direction_deg, first_frame: 7, frames: 8 };
        for policy in [policy.open_loop(&model).unwrap(), policy.clone()] {
            let angle = policy.course() + direction_deg * std::f64::consts::PI / 180.0;
            let force = [newtons * libm::cos(angle), newtons * libm::sin(angle), 0.0];
            let scenarios = [Scenario {
                start: policy.reference.start(),
                pushes: vec![(7, 8, sinew_sim::Push { body: 0, force })],
            }];
            let counted =
                trial(&model, &policy.reference, &scenarios, 1).run(std::slice::from_ref(&policy.gains)).unwrap();
            let recorded = policy.perform(&model, 6, Some(&push)).unwrap();
            assert_eq!(recorded.repetitions, counted[0].frames / frames);
            assert_eq!(recorded.run.fell_at, falls.then_some(counted[0].frames));
            let end = &recorded.run.at_frame(counted[0].frames);
            assert_eq!(counted[0].end.values(), [&end.position[..], &end.velocity[..]].concat());
            assert!(falls == (recorded.run.frames() < 6 * frames + 1), "{}", recorded.run.frames());
            assert!(falls || (recorded.pace_from(0) - counted[0].pace).abs() < 1e-9);
            assert!(!falls || recorded.pace_from(5 * frames).to_bits() == 0, "nothing is 0, not −0");
        }
    }
}

#[test]
fn pushes_along_the_heading_are_reported() {
    let (model, target, run) = bobbing();
    let reference = reference(&model, &target, &run);
    let (n, m) = Pilot::new(&model, &reference).unwrap().counts();
    let policy = Policy { gains: Gains::zero(n, m), reference };
    let test = Test {
        repetitions: 2,
        directions: 2,
        newtons_step: 80.0,
        newtons_steps: 8,
        repetitions_after: 4,
        ..Test::default()
    };
    let report = FeedbackReport::new(&model, &policy, test, 1).unwrap();
    assert_eq!((report.repetitions_open_loop, report.repetitions_feedback), (2, 2));
    assert_eq!(report.pushes.len(), 2);
    // The same policy twice: the same limits.
    assert!(report.pushes.iter().all(|p| p.newtons_open_loop == p.newtons_feedback && p.newtons_feedback < 640.0));
    assert!(Heading::of(&policy.reference.positions[3..7]).angle().abs() < 0.1);
}

#[test]
fn a_policy_comes_back_from_its_text_and_damage_is_told() {
    let (model, target, run) = bobbing();
    let reference = reference(&model, &target, &run);
    let (n, m) = Pilot::new(&model, &reference).unwrap().counts();
    let policy = Policy { gains: some_gains(n, m), reference };
    let text = policy.to_json();
    assert_eq!(Policy::from_json(&text, &model).unwrap(), policy);
    assert!(text.lines().count() < 4 * policy.reference.frames + 40);
    let other = Model::new(&Scene::on_ground(embedded::humanoid()), model.dt()).unwrap();
    assert!(Policy::from_json(&text, &other).is_err());
    let rank = Policy::from_json(&text.replace("\"rank\": 2", "\"rank\": 3"), &model).unwrap_err();
    assert!(rank.to_string().contains("rank 3"), "{rank}");
    assert!(Policy::from_json(&text[..text.len() / 2], &model).is_err());

    // With full-state gains, and with a frame of them missing.
    let tracking = some_tracking(&model, &policy.reference, m);
    let full = |tracking: Tracking| Policy {
        gains: Gains { tracking: Some(Arc::new(tracking)), ..policy.gains.clone() },
        reference: policy.reference.clone(),
    };
    let text = full(tracking.clone()).to_json();
    assert_eq!(Policy::from_json(&text, &model).unwrap(), full(tracking.clone()));
    let short = Tracking { gains: tracking.gains[1..].to_vec() };
    let refused = Policy::from_json(&full(short).to_json(), &model).unwrap_err();
    assert!(refused.to_string().contains("full-state gains are not 20 frames"), "{refused}");
    let mut thin = tracking;
    thin.gains[3].pop();
    assert!(Policy::from_json(&full(thin).to_json(), &model).is_err());
}

#[test]
fn settings_out_of_their_ranges_are_refused_by_name() {
    let with = |change: &dyn Fn(&mut TrackingConfig)| {
        let mut tracking = TrackingConfig::default();
        change(&mut tracking);
        FeedbackConfig { tracking: Some(tracking), ..FeedbackConfig::standard() }.check().unwrap_err().to_string()
    };
    assert!(with(&|t| t.reaches = vec![1.0, 0.0]).contains("reaches"));
    assert!(with(&|t| t.efforts.clear()).contains("efforts"));
    assert!(with(&|t| t.newton_efforts = vec![f64::NAN]).contains("newton_efforts"));
    assert!(with(&|t| t.repetitions = 1).contains("repetitions"));
    assert!(with(&|t| t.sizes.rate_rad = -1.0).contains("rate_rad"));
    assert!(with(&|t| t.stops_below = 1.0).contains("stops_below"));
    assert!(with(&|t| t.starts = 0).contains("starts"));
}

#[test]
fn heavy_characters_are_pushed_in_larger_steps() {
    let (model, target, run) = bobbing();
    let test = Test { repetitions: 1, directions: 1, newtons_step: 10.0, newtons_steps: 12, ..Test::default() };
    let heavy = (model.weight() / 1000.0).round().max(1.0);
    assert_eq!(test.step_newtons(&model), 10.0 * heavy);
    // A ladder of more rungs than are tried at a time ends where that of all at once would.
    let reference = reference(&model, &target, &run);
    let (n, m) = Pilot::new(&model, &reference).unwrap().counts();
    let policy = Policy { gains: Gains::zero(n, m), reference };
    let report = FeedbackReport::new(&model, &policy, test, 1).unwrap();
    let limit = &report.pushes[0];
    assert_eq!(limit.newtons_feedback, 12.0 * test.step_newtons(&model), "the ladder is too long for this test");
    assert!((limit.weight_secs_feedback - limit.newtons_feedback * 0.2 / model.weight()).abs() < 1e-12);
}
