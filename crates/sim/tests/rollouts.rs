//! The rollout driver against worlds stepped by hand.

use crate::worlds::*;
use sinew_sim::{
    BatchError, BatchOptions, DampsTo, Flow, Isa, Job, Jobs, Model, Outcome, Push, RolloutError, Rollouts, Snapshot,
    Status, Steering, World, Wrench,
};
use std::sync::{Arc, Condvar, Mutex};

const STEPS: usize = 47;
const KNOT_INTERVAL: usize = 9;
const SAMPLE_INTERVAL: usize = 7;

fn height(world: &World<'_>) -> f64 {
    world.position()[2]
}

/// Start states from which nothing falls over at once.
fn starts(model: &Arc<Model>, count: usize) -> Vec<Snapshot> {
    let mut batch = batch(model, count, Isa::detect(), 1);
    play(&mut batch, &(0..count as u64).map(|s| 40 + s).collect::<Vec<_>>(), 1);
    let save = |w| {
        let mut snapshot = Snapshot::default();
        batch.world(w).save(&mut snapshot);
        snapshot
    };
    (0..count).map(save).collect()
}

/// Jobs with one row of targets, with too few, with enough and with more than are used.
fn jobs(model: &Model, starts: usize, count: usize) -> Vec<Job> {
    let rows = |job: usize| [1, 3, 7, 10][job % 4];
    let knots = |job: usize| (0..rows(job)).flat_map(|k| target(model, job as u64, k)).collect();
    (0..count).map(|job| Job { start: job % starts, knots: knots(job) }).collect()
}

/// A cost that stops some jobs early, at different times.
fn cost(job: usize, step: usize, world: &World<'_>) -> Flow {
    let c = height(world) * (1.0 + step as f64);
    if job % 5 == 1 && step >= 7 + job % 30 { Flow::Stop(c) } else { Flow::Continue(c) }
}

/// What the driver promises, one job in a batch of one.
fn by_hand(model: &Arc<Model>, starts: &[Snapshot], job: usize, jobs: &[Job], isa: Isa) -> Outcome {
    let row = model.position_count();
    let mut batch = batch(model, 1, isa, 1);
    let knots: Vec<&[f64]> = jobs[job].knots.chunks(row).collect();
    batch.world_mut(0).restore(&starts[jobs[job].start]);
    batch.world_mut(0).set_target(knots[0]);
    let begun = starts[jobs[job].start].steps();
    let (mut total, mut done, mut status) = (0.0, 0, Status::Running);
    for step in 0..STEPS {
        if step % KNOT_INTERVAL == 0 {
            let row = |knot: usize| knots[knot.min(knots.len() - 1)];
            batch.world_mut(0).set_target(row(step / KNOT_INTERVAL));
            batch.world_mut(0).ramp_target(row(step / KNOT_INTERVAL + 1), KNOT_INTERVAL);
        }
        batch.step(1);
        done = step + 1;
        if done % SAMPLE_INTERVAL == 0 || done == STEPS {
            match cost(job, done, &batch.world(0)) {
                Flow::Continue(c) => total += c,
                Flow::Stop(c) => {
                    total += c;
                    status = if done == STEPS { Status::Running } else { Status::Stopped };
                    break;
                }
            }
        }
        // A job that diverged ends at the next knot or sample of its own.
        let is_event = done % KNOT_INTERVAL == 0 || done % SAMPLE_INTERVAL == 0 || done == STEPS;
        if is_event && batch.world(0).status() != Status::Running {
            status = batch.world(0).status();
            done = (batch.world(0).steps() - begun) as usize;
            break;
        }
    }
    let mut end = Snapshot::default();
    batch.world(0).save(&mut end);
    Outcome { cost: total, steps: done, end, status }
}

#[test]
fn outcomes_are_those_of_stepping_by_hand() {
    for (name, model) in models().into_iter().filter(|(name, _)| *name != "planar") {
        let starts = starts(&model, 3);
        for isa in isas() {
            let count = if isa == Isa::Portable { 9 } else { 50 };
            let jobs = jobs(&model, starts.len(), count);
            let expected: Vec<Outcome> = (0..count).map(|job| by_hand(&model, &starts, job, &jobs, isa)).collect();
            assert!(expected.iter().any(|o| o.status == Status::Stopped) && expected[0].status == Status::Running);
            for threads in if isa == Isa::Portable { vec![2] } else { vec![1, 2, 7] } {
                let rollouts = Rollouts {
                    model: &model,
                    starts: &starts,
                    steps: STEPS,
                    knot_interval: KNOT_INTERVAL,
                    sample_interval: SAMPLE_INTERVAL,
                    damps_to: DampsTo::Rest,
                    observes: false,
                    options: BatchOptions { isa: Some(isa), threads },
                };
                let found = rollouts.run(&jobs, &cost).unwrap();
                for (job, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    assert!(found == expected, "{name} on {} with {threads} threads: job {job}", isa.name());
                    assert_eq!(found.cost.to_bits(), expected.cost.to_bits());
                }
            }
        }
    }
}

fn dinosaur() -> (Arc<Model>, Vec<Snapshot>) {
    let (_, model) = models().swap_remove(0);
    let starts = starts(&model, 2);
    (model, starts)
}

fn rollouts<'a>(model: &'a Model, starts: &'a [Snapshot]) -> Rollouts<'a> {
    Rollouts {
        model,
        starts,
        steps: STEPS,
        knot_interval: KNOT_INTERVAL,
        sample_interval: SAMPLE_INTERVAL,
        damps_to: DampsTo::Rest,
        observes: false,
        options: BatchOptions { isa: Some(Isa::detect()), threads: 2 },
    }
}

#[test]
fn the_cost_looks_every_interval_and_at_the_end() {
    let (model, starts) = dinosaur();
    let jobs = jobs(&model, 2, 40);
    let looks: Mutex<Vec<Vec<usize>>> = Mutex::new(vec![Vec::new(); jobs.len()]);
    let begun = starts[0].steps();
    let outcomes = rollouts(&model, &starts)
        .run(&jobs, &|job, step, world| {
            assert_eq!(world.steps(), begun + step as u64);
            looks.lock().unwrap()[job].push(step);
            cost(job, step, world)
        })
        .unwrap();
    for (job, (looks, outcome)) in looks.into_inner().unwrap().iter().zip(&outcomes).enumerate() {
        let all: Vec<usize> = (1..=STEPS).filter(|s| s % SAMPLE_INTERVAL == 0 || *s == STEPS).collect();
        assert_eq!(looks[..], all[..looks.len()], "job {job}");
        assert_eq!(looks.last(), Some(&outcome.steps));
    }
}

/// One start spins beyond all reason, so that its jobs diverge while others run, stop early and take lanes over.
#[test]
fn where_a_job_diverges_does_not_depend_on_lanes_and_threads() {
    let (model, mut starts) = dinosaur();
    let (q, v) = starts[0].values().split_at(model.position_count());
    let wild: Vec<f64> = v.iter().enumerate().map(|(i, _)| if i % 3 == 0 { 9e4 } else { -7e4 }).collect();
    starts[1] = Snapshot::new(q, &wild);
    let jobs = jobs(&model, 2, 60);
    let run = |isa, threads| {
        let mut rollouts = rollouts(&model, &starts);
        rollouts.options = BatchOptions { isa: Some(isa), threads };
        rollouts.run(&jobs, &|job, step, world| cost(job, step, world)).unwrap()
    };
    let expected = run(Isa::detect(), 1);
    for (job, outcome) in expected.iter().enumerate() {
        let diverged = matches!(outcome.status, Status::Diverged { .. });
        assert_eq!(diverged, jobs[job].start == 1, "job {job}: {:?}", outcome.status);
        assert!(outcome.end.values().iter().all(|x| x.is_finite()) && outcome.cost.is_finite());
        if let Status::Diverged { step, joint } = &outcome.status {
            assert_eq!(*step, outcome.steps as u64, "job {job}");
            assert!(!joint.is_empty() && outcome.steps < STEPS);
        }
    }
    for isa in isas() {
        for threads in [1, 2, 7] {
            assert!(run(isa, threads) == expected, "{} with {threads} threads", isa.name());
        }
    }
}

#[test]
fn what_cannot_be_run_is_refused() {
    let (model, starts) = dinosaur();
    let row = model.position_count();
    let good = Job { start: 0, knots: model.rest_position().to_vec() };
    let run = |change: &dyn Fn(&mut Rollouts<'_>), job: Job| {
        let mut rollouts = rollouts(&model, &starts);
        change(&mut rollouts);
        rollouts.run(&[good.clone(), job], &cost).map(|outcomes| outcomes.len())
    };
    let as_is = |_: &mut Rollouts<'_>| {};
    assert_eq!(run(&as_is, good.clone()), Ok(2));
    let bad_start = Job { start: 2, ..good.clone() };
    assert_eq!(run(&as_is, bad_start), Err(RolloutError::Start { job: 1, start: 2, count: 2 }));
    for found in [0, row - 1, 2 * row + 1] {
        let bad_knots = Job { start: 0, knots: vec![0.0; found] };
        assert_eq!(run(&as_is, bad_knots), Err(RolloutError::Knots { job: 1, found, row }));
    }
    assert_eq!(run(&|r| r.knot_interval = 0, good.clone()), Err(RolloutError::Interval("knot interval")));
    assert_eq!(run(&|r| r.sample_interval = 0, good.clone()), Err(RolloutError::Interval("sample interval")));
    let missing = Isa::ALL.into_iter().find(|isa| !isa.is_available());
    if let Some(isa) = missing {
        let refused = run(&|r| r.options.isa = Some(isa), good.clone());
        assert_eq!(refused, Err(RolloutError::Batch(BatchError::Isa(isa.name()))));
    }
    let other = [Snapshot::new(&[0.0; 7], &[0.0; 6])];
    let mut of_another_model = rollouts(&model, &starts);
    of_another_model.starts = &other;
    let count = row + model.velocity_count();
    let refused = of_another_model.run(std::slice::from_ref(&good), &cost);
    assert_eq!(refused, Err(RolloutError::StartState { start: 0, found: 13, count }));
}

#[test]
fn no_jobs_and_no_steps_are_little_work() {
    let (model, starts) = dinosaur();
    let mut rollouts = rollouts(&model, &starts);
    assert_eq!(rollouts.run(&[], &cost), Ok(Vec::new()));
    rollouts.steps = 0;
    let jobs = jobs(&model, 2, 20);
    for (job, outcome) in rollouts.run(&jobs, &|_, _, _| Flow::Continue(1.5)).unwrap().into_iter().enumerate() {
        let end = starts[jobs[job].start].clone();
        assert_eq!(outcome, Outcome { cost: 1.5, steps: 0, end, status: Status::Running });
    }
}

/// Rounds of jobs, each queued when the one before has ended.
struct Rounds {
    starts: Vec<usize>,
    rounds: usize,
    state: Mutex<(Vec<usize>, usize, Vec<Vec<Outcome>>)>,
    news: Condvar,
}

impl Jobs for Rounds {
    fn next(&self, waits: bool) -> Option<(usize, usize)> {
        let mut state = self.state.lock().unwrap();
        loop {
            let (queue, _, ended) = &mut *state;
            if let Some(job) = queue.pop() {
                return Some((job, self.starts[job]));
            }
            if !waits || ended.iter().all(|outcomes| outcomes.len() == self.rounds) {
                return None;
            }
            state = self.news.wait(state).unwrap();
        }
    }

    fn ended(&self, job: usize, outcome: Outcome) {
        let mut state = self.state.lock().unwrap();
        let (queue, out, ended) = &mut *state;
        ended[job].push(outcome);
        *out -= 1;
        if *out == 0 {
            if ended[job].len() < self.rounds {
                *out = self.starts.len();
                queue.extend(0..self.starts.len());
            }
            self.news.notify_all();
        }
    }
}

#[test]
fn jobs_that_come_up_on_the_way_end_as_those_known_beforehand() {
    let (model, starts) = dinosaur();
    let steering = Pushed(starts[0].values()[..model.position_count()].to_vec());
    let of: Vec<usize> = (0..21).map(|job| job % 2).collect();
    for threads in [1, 2, 5] {
        let options = BatchOptions { isa: Some(Isa::detect()), threads };
        let rollouts = Rollouts { options, ..rollouts(&model, &starts) };
        let expected = rollouts.run_steered(&of, &steering, &cost).unwrap();
        let state = Mutex::new(((0..of.len()).collect(), of.len(), vec![Vec::new(); of.len()]));
        let rounds = Rounds { starts: of.clone(), rounds: 3, state, news: Condvar::new() };
        rollouts.run_jobs(of.len(), &rounds, &steering, &cost).unwrap();
        let (_, _, ended) = rounds.state.into_inner().unwrap();
        for (job, outcomes) in ended.iter().enumerate() {
            assert!(*outcomes == vec![expected[job].clone(); 3], "job {job} with {threads} threads");
        }
    }
}

/// Holds a pose; odd jobs are pushed between two knots.
struct Pushed(Vec<f64>);

const PUSHED_KNOT: usize = 2;

impl Steering for Pushed {
    fn target(&self, _: usize, _: usize, _: &World<'_>, target: &mut [f64]) {
        target.copy_from_slice(&self.0);
    }
    fn push(&self, job: usize, knot: usize) -> Option<Push> {
        (job % 2 == 1 && knot == PUSHED_KNOT).then_some(Push { body: 0, force: [0.0, 40.0, 0.0] })
    }
}

/// A state at rest, high above the ground, where nothing but gravity and what is tested moves it.
fn high_above(model: &Model, state: &Snapshot) -> Snapshot {
    let nq = model.position_count();
    let mut values = state.values().to_vec();
    values[2] += 50.0;
    values[nq..].fill(0.0);
    Snapshot::new(&values[..nq], &values[nq..])
}

#[test]
fn a_push_lasts_from_its_knot_to_the_next_and_leaves_other_jobs_alone() {
    let (model, starts) = dinosaur();
    let nq = model.position_count();
    let high = [high_above(&model, &starts[0])];
    let rollouts = rollouts(&model, &high);
    let steering = Pushed(high[0].values()[..nq].to_vec());
    let run = |jobs: usize| rollouts.run_steered(&vec![0; jobs], &steering, &|_, _, _| Flow::Continue(0.0)).unwrap();
    let outcomes = run(37);
    let momentum = |outcome: &Outcome| {
        let (q, v) = outcome.end.values().split_at(nq);
        sinew_sim::Measured::new(&model, q, v, [0.0; 3]).linear_momentum[1]
    };
    let impulse = 40.0 * KNOT_INTERVAL as f64 * model.dt();
    for (job, outcome) in outcomes.iter().enumerate() {
        let expected = if job % 2 == 1 { impulse } else { 0.0 };
        let found = momentum(outcome);
        assert!((found - expected).abs() < 0.02 * impulse, "job {job}: {found} of {expected}");
    }
    assert!(outcomes[0] == run(1)[0]);
}

/// Holds a pose; odd jobs are carried by their weight and turned about the vertical.
struct Carried {
    pose: Vec<f64>,
    wrench: Wrench,
}

impl Steering for Carried {
    fn target(&self, _: usize, _: usize, _: &World<'_>, target: &mut [f64]) {
        target.copy_from_slice(&self.pose);
    }
    fn assist(&self, job: usize, _: usize) -> Option<Wrench> {
        (job % 2 == 1).then_some(self.wrench)
    }
}

#[test]
fn help_acts_at_the_centre_of_mass_and_leaves_other_jobs_alone() {
    let (model, starts) = dinosaur();
    let nq = model.position_count();
    let high = [high_above(&model, &starts[0])];
    let rollouts = rollouts(&model, &high);
    let weight = 9.81 * model.total_mass();
    let wrench = Wrench { force: [0.0, 0.0, weight], torque: [0.0, 0.0, 5.0] };
    let steering = Carried { pose: high[0].values()[..nq].to_vec(), wrench };
    let run = |jobs: usize| rollouts.run_steered(&vec![0; jobs], &steering, &|_, _, _| Flow::Continue(0.0)).unwrap();
    let outcomes = run(37);
    let secs = outcomes[0].steps as f64 * model.dt();
    for (job, outcome) in outcomes.iter().enumerate() {
        let (q, v) = outcome.end.values().split_at(nq);
        let measured = sinew_sim::Measured::new(&model, q, v, [0.0; 3]);
        let (fall, turn) = if job % 2 == 1 { (0.0, 5.0 * secs) } else { (-weight * secs, 0.0) };
        let [fell, turned] = [measured.linear_momentum[2], measured.angular_momentum[2]];
        assert!((fell - fall).abs() < 0.01 * weight * secs, "job {job}: {fell} of {fall}");
        assert!((turned - turn).abs() < 0.02 * 5.0 * secs, "job {job}: {turned} of {turn}");
        // The force alone turns nothing.
        assert!(measured.angular_momentum[..2].iter().all(|l| l.abs() < 0.02 * 5.0 * secs), "job {job}");
    }
    assert!(outcomes[0] == run(1)[0] && outcomes[1] == run(2)[1]);
}
