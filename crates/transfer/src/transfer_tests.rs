use super::*;
use crate::config::{EmphasisConfig, Ladder, Polish, WeaningConfig};
use crate::test_figure::{self as figure, ARM, LEG, row};
use crate::test_motions::piece_by_piece;
use crate::{Fidelity, Judgement, Metrics, TransferWork};
use sinew_sim::JointKind;
use sinew_sim::fnv::fnv1a;
use sinew_work::RunOptions;
use std::ops::ControlFlow;

/// A budget of moments: one window, or two.
fn config() -> Config {
    let polish = Config::quick().polish.map(|polish| Polish { iterations: 3, ..polish });
    Config { dt: figure::DT, starts: 2, samples: 4, population: 6, iterations: 3, polish, ..Config::quick() }
}

/// The figure swings its arm and bends its leg a little.
fn target(frames: usize) -> Target {
    figure::motion(&figure::model(JointKind::Free), frames, |frame| {
        let wave = libm::sin(0.3 * frame as f64);
        row(&[(LEG[1], 0.02 * wave), (ARM[1], 0.3 * wave), (ARM[1] + 2, 0.1 * wave)])
    })
}

fn done(target: &Target, config: &Config) -> Transfer {
    let mut transfer = Transfer::new(target, config, 7).expect("a transfer");
    while !transfer.is_done() {
        transfer.advance(target).expect("a piece of work");
    }
    transfer
}

#[test]
fn windows_come_first_then_rounds() {
    let (target, config) = (target(25), config());
    let mut transfer = Transfer::new(&target, &config, 7).expect("a transfer");
    let mut stages = Vec::new();
    let mut steps = 0;
    while !transfer.is_done() {
        let progress = transfer.progress(&target);
        let doing = match stages.len() {
            windows @ 0..2 => format!("window {} of 2", windows + 1),
            pieces => format!("polish, round {} of 3", pieces - 1),
        };
        assert_eq!((progress.done, progress.total, progress.doing), (stages.len() as f64, 2.0 + 3.0, doing));
        let best = (!stages.is_empty()).then(|| transfer.search().best_cost());
        assert_eq!(progress.best.map(|best| best.value), best);
        stages.push(transfer.stage());
        transfer.advance(&target).expect("a piece of work");
        assert!(transfer.steps() > steps, "every piece of work simulates something");
        steps = transfer.steps();
        assert_eq!(transfer.progress(&target).steps, steps);
    }
    assert_eq!(stages[..2], [Stage::Search, Stage::Search]);
    assert!(stages.len() > 2 && stages[2..].iter().all(|stage| *stage == Stage::Polish), "{stages:?}");
    let progress = transfer.progress(&target);
    assert!(progress.done == progress.total && transfer.stage() == Stage::Done && !transfer.was_weaned());
    // Nothing is left to do.
    let before = transfer.clone();
    transfer.advance(&target).expect("nothing");
    assert!(transfer == before && transfer.seed() == 7 && *transfer.config() == config);
    assert!(transfer.first_verdict().is_none() && transfer.emphasized().is_empty());
    let run = transfer.perform(&target).expect("a run");
    assert!(run.fell_at.is_none() && run.frames() == 25 && run.mean_terms().total() < 0.2, "{:?}", run.mean_terms());
}

#[test]
fn a_search_that_falls_hands_over_to_weaning() {
    // Samples far from the target: all of them fall.
    let wild = Config {
        sigma: 30.0,
        torque_share: None,
        shares_distributions: false,
        second_tries: 1,
        most_effort: 1e6,
        ..config()
    };
    let target = target(33);
    let mut transfer = Transfer::new(&target, &wild, 7).expect("a transfer");
    let folder = tempfile::tempdir().expect("a folder");
    let work = TransferWork { target: &target, config: &wild, seed: 7 };
    let pieces = piece_by_piece(&work, &folder.path().join("checkpoint.bin"));
    let windows = Search::window_count(&target, &wild);
    let mut stages = vec![transfer.stage()];
    let mut steps = 0;
    while !transfer.is_done() {
        transfer.advance(&target).expect("a piece of work");
        let (stage, progress) = (transfer.stage(), transfer.progress(&target));
        // Both ladders of the weaning have sixteen pieces of work.
        let rungs = if stages.contains(&Stage::Weaning) || stage == Stage::Weaning { 16 } else { 0 };
        assert_eq!(progress.total, (windows + rungs + 3) as f64, "{progress:?}");
        assert!(progress.done <= progress.total, "{progress:?}");
        assert!(transfer.steps() >= steps, "{} after {steps}", transfer.steps());
        steps = transfer.steps();
        stages.push(stage);
    }
    let first = |wanted: Stage| stages.iter().position(|stage| *stage == wanted);
    let (weaning, polish) = (first(Stage::Weaning).expect("a weaning"), first(Stage::Polish).expect("a polish"));
    let (resumed, _) = pieces.last().expect("the end");
    assert!(
        transfer == *resumed
            && pieces.len() == stages.len()
            && weaning + 1 < polish
            && transfer.was_weaned()
            && !transfer.search().is_done(),
        "{stages:?}"
    );
    assert!(stages[weaning..polish].iter().all(|stage| *stage == Stage::Weaning), "{stages:?}");
    assert!(transfer.first_verdict().is_none(), "there was no other motion");
    let run = transfer.perform(&target).expect("a run");
    assert!(run.fell_at.is_none() && run.frames() == 33 && run.mean_terms().total() < 0.3, "{:?}", run.mean_terms());
    // Without a polish there is no weaning: the search gives up.
    let plain = done(&target, &Config { polish: None, ..wild });
    assert!(
        !plain.was_weaned() && plain.search().is_done() && plain.perform(&target).expect("a run").fell_at.is_some()
    );
}

/// Hardly searched and hardly polished: the arm swings far and the search cannot follow, the weaning can.
fn poor() -> (Target, Config) {
    let far = figure::motion(&figure::model(JointKind::Free), 33, |frame| {
        let wave = libm::sin(0.3 * frame as f64);
        row(&[(LEG[1], 0.1 * wave), (ARM[1], 1.2 * wave), (ARM[1] + 2, 0.6 * wave)])
    });
    let polish = Config::quick().polish.map(|polish| Polish { iterations: 1, ..polish });
    let (weaning, most_effort) = (WeaningConfig::default(), 1e6);
    (
        far,
        Config {
            population: 4,
            iterations: 1,
            sigma: 1.5,
            torque_share: None,
            polish,
            weaning,
            most_effort,
            ..config()
        },
    )
}

fn judged(transfer: &Transfer, target: &Target) -> Judgement {
    let run = transfer.perform(target).expect("a run");
    Judgement::new(&Fidelity::new(target, &run, &Metrics::new(target, &run)), run.fell_at.is_some())
}

#[test]
fn what_is_not_as_drawn_goes_a_second_way_and_the_better_is_kept() {
    let (target, config) = poor();
    let plain = WeaningConfig { second_way: false, ..config.weaning.clone() };
    let plain = Config { weaning: plain, ..config.clone() };
    let first = done(&target, &plain);
    assert!(first.first_verdict().is_none() && !first.was_weaned());
    let both = done(&target, &config);
    let verdict = |transfer: &Transfer| judged(transfer, &target).verdict;
    let before = verdict(&first);
    assert!(before > Verdict::Faithful, "the search is too poor");
    assert_eq!(both.first_verdict(), Some(before));
    assert!(both.was_weaned() && verdict(&both) < before, "{:?} after {before:?}", verdict(&both));
    assert!(both.search() == first.search() && both.steps() > first.steps());
    // Both polishes and all rungs count.
    let progress = both.progress(&target);
    assert!(progress.done == progress.total && both.is_done());
    // Cut anywhere, it goes on to the same bits.
    let folder = tempfile::tempdir().expect("a folder");
    let work = TransferWork { target: &target, config: &config, seed: 7 };
    let pieces = piece_by_piece(&work, &folder.path().join("checkpoint.bin"));
    assert!(pieces.last().is_some_and(|(resumed, _)| *resumed == both));
}

#[test]
fn a_second_way_that_leads_nowhere_leaves_the_first() {
    let (target, config) = poor();
    // No rung lets go of help.
    let held = Ladder { prices: vec![1e-6], rounds: 1 };
    let nowhere = WeaningConfig { ladders: vec![held], let_go: 1e-9, ..config.weaning.clone() };
    let both = done(&target, &Config { weaning: nowhere, ..config.clone() });
    let plain = WeaningConfig { second_way: false, ..config.weaning.clone() };
    let first = done(&target, &Config { weaning: plain, ..config });
    assert!(both.first_verdict().is_some() && !both.was_weaned());
    assert_eq!(both.solution(&target), first.solution(&target));
}

#[test]
fn what_the_verdict_names_is_polished_with_more_weight() {
    let (target, config) = poor();
    let weaning = WeaningConfig { second_way: false, ..config.weaning.clone() };
    let weighing = |tries: usize, factor: f64| Config {
        weaning: weaning.clone(),
        emphasis: EmphasisConfig { tries, factor },
        ..config.clone()
    };
    let with = |tries: usize| weighing(tries, 8.0);
    let plain = done(&target, &with(0));
    let before = judged(&plain, &target);
    assert!(before.verdict > Verdict::Faithful && plain.emphasized().is_empty());
    let mut under_way = Transfer::new(&target, &with(2), 7).expect("a transfer");
    let mut doing = Vec::new();
    while !under_way.is_done() {
        under_way.advance(&target).expect("a piece of work");
        doing.push(under_way.progress(&target).doing);
    }
    let weighed =
        |n: usize| doing.iter().filter(|doing| doing.starts_with("not yet as drawn: more weight on")).count() == n;
    // A polish of one round each time; the second time only if the first did not suffice.
    assert!(weighed(1) || weighed(2), "{doing:?}");
    assert_eq!(under_way.first_verdict(), Some(before.verdict));
    let after = judged(&under_way, &target);
    assert!(after.verdict <= before.verdict && under_way.solution(&target) != plain.solution(&target), "{after:?}");
    assert!(under_way.emphasized().iter().all(|aspect| before.because.contains(aspect) || weighed(2)));
    assert!(!under_way.emphasized().is_empty() && under_way.search() == plain.search());
    // It is the weight that changes the motion, not the rounds more.
    let heavy = done(&target, &weighing(1, 8.0));
    assert_ne!(heavy.endings[1].solution, done(&target, &weighing(1, 1.0 + 1e-9)).endings[1].solution);
    // Cut anywhere, it goes on to the same bits.
    let folder = tempfile::tempdir().expect("a folder");
    let (config, seed) = (&with(2), 7);
    let pieces = piece_by_piece(&TransferWork { target: &target, config, seed }, &folder.path().join("checkpoint.bin"));
    assert!(pieces.last().is_some_and(|(resumed, _)| *resumed == under_way));
}

#[test]
fn who_has_worked_enough_begins_no_other_way() {
    let (target, config) = poor();
    let tired = done(&target, &Config { most_effort: 1.0, ..config });
    assert!(tired.first_verdict().is_none() && !tired.was_weaned() && tired.emphasized().is_empty());
    assert!(judged(&tired, &target).verdict > Verdict::Faithful);
}

#[test]
fn who_has_worked_enough_leaves_the_weaning() {
    // Steps after each piece of the weaning.
    let rungs = |transfer: &mut Transfer, target: &Target| {
        let mut rungs = Vec::new();
        while !transfer.is_done() {
            let weans = transfer.stage() == Stage::Weaning;
            transfer.advance(target).expect("a piece of work");
            if weans {
                rungs.push(transfer.steps() as f64);
            }
        }
        rungs
    };
    // No rung lets go of help: two ladders of a puppet and two prices each.
    let held = Ladder { prices: vec![1e-6; 2], rounds: 1 };
    let weaning = WeaningConfig { ladders: vec![held; 2], let_go: 1e-9, ..WeaningConfig::default() };
    // Who falls has a tenth more for the first ladder.
    let wild = Config {
        sigma: 30.0,
        torque_share: None,
        shares_distributions: false,
        second_tries: 1,
        weaning: weaning.clone(),
        ..config()
    };
    let falling = target(33);
    let weaned = |most_effort: f64| {
        let config = Config { most_effort, ..wild.clone() };
        rungs(&mut Transfer::new(&falling, &config, 7).expect("a transfer"), &falling)
    };
    let all = search::most_steps(&falling, &Config { most_effort: 1.0, ..wild.clone() });
    let steps = weaned(1e6);
    assert_eq!(steps.len(), 6);
    // So that a tenth more lies between two pieces of the first ladder, or just before its end.
    let after = |piece: usize| steps[piece] / (1.1 * all) - 1e-3;
    assert_eq!([0, 1, 2].map(|piece| weaned(after(piece)).len()), [1, 2, 3]);
    assert_eq!(weaned(steps[2] / (1.05 * all)).len(), 3, "the second ladder does not begin");
    // A second way ends at once: here within the weaning, which begins just before enough has been done.
    let (far, config) = poor();
    let config = Config { weaning, emphasis: EmphasisConfig { tries: 0, ..config.emphasis }, ..config };
    let plain = WeaningConfig { second_way: false, ..config.weaning.clone() };
    let first = done(&far, &Config { weaning: plain, ..config.clone() });
    let all = search::most_steps(&far, &Config { most_effort: 1.0, ..config.clone() });
    let most_effort = (first.steps() + 1) as f64 / all;
    let config = Config { most_effort, ..config };
    let mut transfer = Transfer::new(&far, &config, 7).expect("a transfer");
    assert_eq!(rungs(&mut transfer, &far).len(), 1);
    assert_eq!(transfer.solution(&far), first.solution(&far));
}

#[test]
fn without_a_polish_the_search_is_all() {
    let (target, config) = (target(13), Config { polish: None, ..config() });
    let transfer = done(&target, &config);
    assert!(transfer.is_done() && transfer.search().windows().len() == 1);
    assert_eq!(transfer.solution(&target), transfer.search().solution(&target));
    assert_eq!(transfer.progress(&target).total, 1.0);
}

#[test]
fn a_transfer_that_was_saved_goes_on_to_the_same_bits() {
    let (target, config) = (target(25), config());
    let whole = done(&target, &config);
    let folder = tempfile::tempdir().expect("a folder");
    let work = TransferWork { target: &target, config: &config, seed: 7 };
    let pieces = piece_by_piece(&work, &folder.path().join("checkpoint.bin"));
    let (resumed, _) = pieces.last().expect("the end");
    assert!(whole == *resumed && pieces.len() > 4);
}

#[test]
fn what_was_saved_of_another_run_is_refused() {
    let (motion, config) = (target(13), config());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("checkpoint.bin");
    let stopped = |resumes: bool, target: &Target, config: &Config, seed: u64| {
        let options = RunOptions { checkpoint: Some(path.clone()), resumes, ..RunOptions::default() };
        let work = TransferWork { target, config, seed };
        sinew_work::run(&work, &options, &mut |_, _, _| ControlFlow::Break(())).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(stopped(false, &motion, &config, 7), Ok(()));
    assert_eq!(stopped(true, &motion, &config, 7), Ok(()));
    let told = |target: &Target, config: &Config, seed: u64| stopped(true, target, config, seed).expect_err("refused");
    let other = Config { sigma: 0.051, ..config.clone() };
    assert!(told(&motion, &other, 7).contains("another configuration"));
    assert!(told(&motion, &Config { polish: None, ..config.clone() }, 7).contains("another configuration"));
    assert!(told(&motion, &config, 8).contains("another seed"));
    assert!(told(&target(14), &config, 7).contains("another motion or character"));
}

#[test]
fn what_cannot_work_is_refused_before_anything_runs() {
    let refused = |config: Config| match Transfer::new(&target(13), &config, 1) {
        Err(TransferError::Config { field, .. }) => field,
        other => panic!("not refused: {:?}", other.map(|_| ())),
    };
    assert_eq!(refused(Config { dt: 0.0051, ..config() }), "dt");
    assert_eq!(refused(Config { dt: 0.0041, ..config() }), "dt");
    assert_eq!(refused(Config { dt: 0.00625, ..config() }), "dt");
    assert_eq!(refused(Config { dt: 0.00499995, ..config() }), "dt");
    assert_eq!(refused(Config { dt: 0.9e-5, ..config() }), "dt");
    assert_eq!(refused(Config { window_frames: 0, ..config() }), "window_frames");
    assert_eq!(refused(Config { advance_frames: 0, ..config() }), "advance_frames");
    assert_eq!(refused(Config { advance_frames: 21, ..config() }), "advance_frames");
    assert_eq!(refused(Config { knot_frames: 0, ..config() }), "knot_frames");
    assert_eq!(refused(Config { cost_frames: 0, ..config() }), "cost_frames");
    assert_eq!(refused(Config { starts: 0, ..config() }), "starts");
    assert_eq!(refused(Config { samples: 0, ..config() }), "samples");
    assert_eq!(refused(Config { iterations: 100_001, ..config() }), "iterations");
    assert_eq!(refused(Config { population: 3, ..config() }), "population");
    assert_eq!(refused(Config { sigma: 0.0, ..config() }), "sigma");
    assert_eq!(refused(Config { sigma: f64::INFINITY, ..config() }), "sigma");
    for good in [Config::paper(), Config::standard(), Config::quick()] {
        assert_eq!(good.check(), Ok(()));
    }
    let limits = Config { population: 4, advance_frames: 20, window_frames: 20, dt: 0.005, ..config() };
    assert_eq!((limits.check(), limits.steps_per_frame()), (Ok(()), 5));
    assert_eq!([Config::paper(), Config::standard()].map(|config| config.steps_per_frame()), [50, 12]);
}

#[test]
fn presets_are_what_the_documents_say() {
    let (paper, standard, quick) = (Config::paper(), Config::standard(), Config::quick());
    // Keys-to-Sim, §5 and §6.
    assert_eq!((paper.starts, paper.samples, paper.population, paper.iterations), (20, 400, 30, 200));
    assert!(paper.polish.is_none() && paper.dt == 0.0005 && paper.sigma == 0.01);
    assert_eq!((standard.starts, standard.samples, standard.population, standard.iterations), (4, 32, 32, 48));
    assert_eq!((quick.starts, quick.samples, quick.population, quick.iterations), (4, 32, 16, 16));
    let rounds = |config: &Config| config.polish.map(|polish| polish.iterations);
    assert_eq!([rounds(&standard), rounds(&quick)], [Some(26), Some(5)]);
    assert_eq!([standard.weaning.second_way, quick.weaning.second_way], [true, false]);
    assert_eq!([standard.emphasis.tries, quick.emphasis.tries], [3, 0]);
    assert_eq!(standard.emphasis.factor, 4.0);
    assert_eq!([standard.most_effort, quick.most_effort], [6.0, 18.0]);
    // The rest of the quick preset is the standard one's.
    let (polish, weaning, emphasis) = (standard.polish, standard.weaning.clone(), standard.emphasis);
    let most_effort = standard.most_effort;
    let same = Config { population: 32, iterations: 48, polish, weaning, emphasis, most_effort, ..quick };
    assert_eq!(same, standard);
}

/// Results are the same on every machine, for every number of threads and every instruction set. Where this number changes, every transfer
/// changes: the changelog has to say so.
#[test]
fn a_small_transfer_ends_in_the_bits_in_which_it_always_ended() {
    let (target, config) = (target(33), config());
    let bits = |numbers: &[f64]| fnv1a(numbers.iter().flat_map(|x| x.to_le_bytes()));
    let transfer = done(&target, &config);
    let solution = transfer.solution(&target);
    let searched = bits(&transfer.search().solution(&target).offsets);
    let polished = bits(&solution.offsets);
    let push_off = bits(&solution.push_off);
    let run = transfer.perform(&target).expect("a run");
    let last = run.moments.last().expect("a moment");
    let performed = bits(&[&last.position[..], &last.velocity].concat());
    let steps = transfer.steps();
    let expected = (8164121070118978981, 8709237615919449864, 14071894475524357180, 15714735832525539223, 169120);
    assert_eq!((searched, polished, push_off, performed, steps), expected);
}
