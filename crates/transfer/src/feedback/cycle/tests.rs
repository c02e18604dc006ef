use super::CycleSearch;
use super::closing::{Row, mismatch};
use super::linear::{linearize, total_gaps};
use crate::feedback::config::{FeedbackConfig, TrackingConfig};
use crate::feedback::reference::Reference;
use crate::feedback::report::Test;
use crate::feedback::tests::bobbing;
use crate::feedback::{FeedbackTraining, period_secs};
use crate::steps::StepCount;
use crate::target::FRAME_SECS;
use crate::test_motions::piece_by_piece;
use crate::{FeedbackWork, TransferError};
use sinew_sim::{BatchOptions, DampsTo, Flow, Job, Model, Rollouts};
use std::sync::Arc;

fn settings() -> TrackingConfig {
    TrackingConfig {
        starts: 2,
        rounds: 4,
        repetitions: 4,
        reaches: vec![1.0, 3.0],
        efforts: vec![100.0, 1000.0],
        chooses_by: Test {
            repetitions: 8,
            directions: 2,
            newtons_step: 100.0,
            newtons_steps: 2,
            repetitions_after: 1,
            ..Test::default()
        },
        ..TrackingConfig::default()
    }
}

fn config() -> FeedbackConfig {
    FeedbackConfig { tracking: Some(settings()), ..FeedbackConfig::standard() }
}

/// Closed cycles of the bobbing dinosaur.
fn cycles() -> (Arc<Model>, Reference, Vec<Reference>) {
    let (model, target, run) = bobbing();
    let period = period_secs(&target).expect("a period");
    let cycles = Reference::closed(&model, &run, period).expect("cycles");
    (model.clone(), Reference::new(&model, &run, period).expect("a cycle"), cycles)
}

fn searched(model: &Arc<Model>, cycles: &[Reference]) -> CycleSearch {
    let mut search = CycleSearch::new(cycles).expect("cycles");
    while !search.is_done() {
        search.advance(model, &config(), &settings(), 1).expect("simulated");
    }
    search
}

#[test]
fn the_end_of_a_periodic_motion_is_its_start() -> Result<(), TransferError> {
    let (model, _, cycles) = cycles();
    let before = total_gaps(&model, &cycles[..1], 1, &StepCount::default())?[0];
    let search = searched(&model, &cycles);
    let found = search.found().expect("found");
    let reference = &found.reference;
    assert!(found.tested.repetitions == 8 && reference.gap <= 1e-4, "{} {}", found.tested.repetitions, reference.gap);
    let after = total_gaps(&model, std::slice::from_ref(reference), 1, &StepCount::default())?[0];
    assert!(before > 1e-3 && after < 0.1 * before, "{before} {after}");
    // One cycle of the plain simulation, without feedback.
    let steps = (FRAME_SECS / model.dt()).round() as usize;
    let rollouts = Rollouts {
        model: &model,
        starts: &[reference.start()],
        steps: reference.frames * steps,
        knot_interval: steps,
        sample_interval: steps,
        damps_to: DampsTo::Target,
        observes: false,
        options: BatchOptions { threads: 1, ..BatchOptions::default() },
    };
    let knots = (0..=reference.frames).flat_map(|frame| reference.action(frame).to_vec()).collect();
    let open = rollouts.run(&[Job { start: 0, knots }], &|_, _, _| Flow::Continue(0.0))?;
    let row = |values: &[f64]| {
        let (position, velocity) = values.split_at(model.position_count());
        Row { position: position.to_vec(), velocity: velocity.to_vec(), target: Vec::new() }
    };
    let gap = mismatch(&model, &row(reference.start().values()), &row(open[0].end.values()));
    assert!(gap < 1e-3, "{gap}");
    Ok(())
}

#[test]
fn a_search_is_the_same_on_any_threads_and_after_every_pause() {
    let (model, reference, cycles) = cycles();
    let config = config();
    let mut training = FeedbackTraining::new(&model, &reference, &cycles, &config, 5).expect("begun");
    while !training.is_done() {
        training.advance(&model, 1).expect("simulated");
    }
    let work = FeedbackWork { model: &model, reference: &reference, cycles: &cycles, config: &config, seed: 5 };
    let folder = tempfile::tempdir().expect("a folder");
    let pieces = piece_by_piece(&work, &folder.path().join("checkpoint.bin"));
    let (paused, end) = pieces.last().expect("pieces");
    assert_eq!(postcard::to_stdvec(&training).expect("bytes"), postcard::to_stdvec(paused).expect("bytes"));
    assert!(pieces.windows(2).all(|pair| pair[0].1.done < pair[1].1.done) && end.done == end.total, "{end:?}");
    // Nothing was left to train: the policy is the search's.
    let choice = training.choose(&model, 1).expect("chosen");
    assert!(choice.stage == 0 && choice.policy.gains.tracking.is_some() && training.generations() == 0);
    assert_eq!(choice.policy.reference, training.reference().clone());
}

#[test]
fn what_repeats_too_seldom_is_trained_on_top() {
    let (model, reference, cycles) = cycles();
    let mut config = config();
    let asked = Test { repetitions: 3, ..settings().chooses_by };
    config.tracking = Some(TrackingConfig { starts: 1, rounds: 1, newton_steps: 1, chooses_by: asked, ..settings() });
    (config.population, config.iterations, config.stages, config.tries) = (6, 1, vec![1], 1);
    config.trouble.runs = 0;
    // Cycles in the air: whoever starts there drops.
    let lifted = |cycle: &Reference| {
        let mut lifted = cycle.clone();
        lifted.positions.chunks_mut(model.position_count()).for_each(|q| q[2] += 0.6);
        lifted
    };
    let fallen: Vec<Reference> = cycles[..1].iter().map(lifted).collect();
    let mut training = FeedbackTraining::new(&model, &reference, &fallen, &config, 0).expect("begun");
    while !training.is_done() {
        training.advance(&model, 1).expect("simulated");
    }
    assert_eq!(training.generations(), 1, "nothing was trained");
    // Where nothing periodic was found, the reference is the steadiest cycle.
    let found = training.policy().gains.tracking.is_some();
    assert_eq!(training.reference() == &reference, !found);
}

#[test]
fn a_bent_cycle_closes_and_stays_at_its_place() {
    let (model, reference, _) = cycles();
    let (nq, nv) = (model.position_count(), model.velocity_count());
    // Rows that drift in one joint and one velocity, and walk.
    let rows: Vec<Row> = (0..=reference.frames)
        .map(|frame| {
            let share = frame as f64 / reference.frames as f64;
            let mut row = Row {
                position: reference.position(0).to_vec(),
                velocity: vec![0.0; nv],
                target: reference.action(0).to_vec(),
            };
            (row.position[0], row.position[9], row.target[9]) = (3.0 + share, 0.2 * share, 0.4 * share);
            row.velocity[8] = share;
            row
        })
        .collect();
    let mut bent = reference.clone();
    bent.take_rows(&model, &rows);
    for frame in 0..reference.frames {
        let (q, v, a) = (bent.position(frame), bent.velocity(frame), bent.action(frame));
        assert!((q[9] - 0.1).abs() < 1e-12 && (a[9] - 0.2).abs() < 1e-12 && (v[8] - 0.5).abs() < 1e-12);
        let walked = frame as f64 / reference.frames as f64;
        assert!((q[0] - reference.position(0)[0] - walked).abs() < 1e-12, "{}", q[0]);
    }
    assert!((bent.gap - ((0.04 + 0.01) / nv as f64).sqrt()).abs() < 1e-12, "{}", bent.gap);
    assert_eq!((bent.positions.len(), bent.actions.len()), (reference.frames * nq, reference.frames * nq));
}

#[test]
fn linear_models_say_where_a_changed_frame_ends() -> Result<(), TransferError> {
    let (model, _, mut cycles) = cycles();
    // In the air, where nothing comes into contact.
    cycles[0].positions.chunks_mut(model.position_count()).for_each(|q| q[2] += 2.0);
    let steps = StepCount::default();
    let linear = linearize(&model, &cycles[0], 1.0, 1, &steps)?;
    let (ns, m) = (linear[0].by_state.rows, linear[0].by_control.cols);
    // A small change of everything: the gaps of the moved cycle are d + F·x + G·u − x'.
    let wave = |frame: usize, i: usize| 1e-3 * libm::sin((3 * frame + 7 * i) as f64);
    let x: Vec<Vec<f64>> = (0..cycles[0].frames).map(|f| (0..ns + m).map(|i| wave(f, i)).collect()).collect();
    let moved = cycles[0].moved(&model, &x, 1.0);
    let again = linearize(&model, &moved, 1.0, 1, &steps)?;
    let (mut off, mut size) = (0.0, 0.0);
    for (frame, linear) in linear.iter().enumerate() {
        let next = &x[(frame + 1) % x.len()];
        let mut expected = linear.gap.clone();
        linear.by_state.add_vector(&x[frame], &mut expected);
        linear.by_control.add_vector(&next[ns..], &mut expected);
        for i in 0..ns {
            let change = expected[i] - next[i] - linear.gap[i];
            let found = again[frame].gap[i] - linear.gap[i];
            off += (change - found) * (change - found);
            size += change * change;
        }
    }
    assert!(off < 1e-3 * size, "{off} of {size}");
    assert!(steps.total() > 0);
    Ok(())
}
