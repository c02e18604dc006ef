use super::*;
use crate::Solution;
use crate::SweepWork;
use crate::config::Config;
use crate::performance::{Moment, Performance};
use crate::polish::{AssistedPolish, Polishing, PricedAssist, knot_count};
use crate::search::Search;
use crate::steps::StepCount;
use crate::target::Target;
use crate::test_motions::{piece_by_piece, squat, tiny};
use crate::wrench::AssistUnits;
use sinew_sim::{Measured, embedded};
use sinew_work::RunOptions;
use std::ops::ControlFlow;

/// The plain transfer.
fn plain(target: &Target, config: &Config) -> Solution {
    let mut search = Search::new(target, config, 3).expect("a search");
    while !search.is_done() {
        search.advance(target, config, None, 0).expect("a window");
    }
    let mut polishing = Polishing::new(search.solution(target));
    while !polishing.is_done() {
        polishing.advance(target, config).expect("a round");
    }
    polishing.solution().clone()
}

fn swept(target: &Target, config: &Config, assist: &AssistConfig, plain: &Solution) -> Vec<AssistPoint> {
    let work = SweepWork { target, config, settings: assist, plain };
    let done = sinew_work::run(&work, &RunOptions::default(), &mut |_, _, _| ControlFlow::Continue(()));
    done.expect("a sweep").into_state().points(target, config).expect("points")
}

#[test]
fn a_motion_that_the_body_can_do_alone_gets_no_help_at_all() {
    let config = tiny();
    let target = squat(embedded::dinosaur(), &config, 19, 0.0);
    let alone = plain(&target, &config);
    let moderate = AssistConfig { prices: vec![5.0], rounds: 4, ..AssistConfig::quick() };
    let points = swept(&target, &config, &moderate, &alone);
    assert!(points[0].completed && points[0].solution.assist.is_empty() && points[0].solution == alone);
    let priced: Vec<_> = points[1..].iter().filter(|p| p.price != Some(moderate.drawn_price)).collect();
    assert!(priced.is_empty(), "{:?}", priced.iter().map(|p| (p.price, &p.figures)).collect::<Vec<_>>());

    // Exactly none from the first round on, because the first bit of it would not gain its price; for nothing it would be there.
    let after_a_round = |begins_at: f64| {
        let knots = knot_count(&config, target.frames());
        let none = PricedAssist::none(knots, 5.0, moderate.least_assist, AssistUnits::of(target.model()));
        let mut polish = AssistedPolish::new(&alone, PricedAssist { begins_at, ..none });
        polish.advance(&target, &config, 1.0, &StepCount::default()).expect("a round");
        polish.priced.knots.iter().all(|assist| *assist == [0.0; 6])
    };
    assert!(after_a_round(5.0) && !after_a_round(0.0));
}

#[test]
fn a_front_holds_what_is_worth_choosing() {
    let settings = AssistConfig { most_points: 4, ..AssistConfig::quick() };
    let made = |assist: f64, cost_mean: f64, completed: bool| AssistPoint {
        price: (assist > 0.0).then_some(1.0),
        solution: Solution::default(),
        figures: AssistFigures { mean_assist: assist, largest_force: 10.0 * assist, ..AssistFigures::default() },
        cost_mean,
        effectors_off_m: 0.0,
        completed,
    };
    let choices = |first: AssistPoint, others: &[(f64, f64, bool)]| -> Vec<f64> {
        let others = others.iter().map(|&(assist, cost, completed)| made(assist, cost, completed)).collect();
        point::front(first, others, &settings).iter().map(|p| p.figures.mean_assist).collect()
    };
    // By rising assist; neither one that costs more than one with less assist, nor one that falls, nor one whose assist is below the least.
    let others = [(0.3, 0.1, true), (0.1, 0.5, true), (0.2, 0.6, true), (0.15, 0.4, false), (0.0001, 0.9, true)];
    assert_eq!(choices(made(0.0, 1.0, true), &others), [0.0, 0.1, 0.3]);
    // Where physics alone falls, its cost says nothing, and any assist that stands will do.
    assert_eq!(choices(made(0.0, 0.05, false), &others), [0.0, 0.0001, 0.1, 0.3]);
    // Of too many the ends stay, and the one goes whose neighbours are closest.
    let crowd = [(0.04, 0.7, true), (0.09, 0.5, true), (0.1, 0.49, true), (0.36, 0.1, true)];
    let kept = choices(made(0.0, 1.0, true), &crowd);
    assert!(kept.len() == 4 && kept[0] == 0.0 && kept[1] == 0.04 && kept[3] == 0.36, "{kept:?}");
}

#[test]
fn a_target_that_hovers_is_followed_the_closer_the_more_help_there_is() {
    let config = tiny();
    let target = squat(embedded::dinosaur(), &config, 19, 0.3);
    let alone = plain(&target, &config);
    let few = AssistConfig { prices: vec![0.5], rounds: 4, ..AssistConfig::quick() };
    let points = swept(&target, &config, &few, &alone);
    assert!(
        points.len() >= 3,
        "{:?}",
        points.iter().map(|p| (p.price, p.figures.mean_assist, p.cost_mean)).collect::<Vec<_>>()
    );
    for pair in points.windows(2) {
        let assists = [0, 1].map(|k| pair[k].figures.mean_assist);
        assert!(assists[0] < assists[1] && pair[1].cost_mean < pair[0].cost_mean && pair[1].completed);
    }
    let (first, last) = (&points[0], &points[points.len() - 1]);
    assert!(
        last.cost_mean < 0.1 * first.cost_mean && last.effectors_off_m < 0.03,
        "{} {}",
        last.cost_mean,
        first.cost_mean
    );
    // The first point is the plain transfer, bit by bit.
    assert!(first.solution == alone);
    obeys_newton(&target, &config, last);

    // The same on one thread and on two.
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let one = AssistConfig { prices: vec![2.0], rounds: 1, ..few.clone() };
        pool.install(|| swept(&target, &config, &one, &alone))
    };
    assert!(on(1) == on(2));
}

/// The momentum changes by gravity, contacts and the assist that is recorded, and by nothing else.
fn obeys_newton(target: &Target, config: &Config, point: &AssistPoint) {
    let run = Performance::record(target, config, &point.solution, &mut |_, _| ()).expect("a run");
    let (model, mass) = (target.model(), target.model().total_mass());
    // A step by semi-implicit Euler takes its forces in the pose before it: so is its velocity.
    let momentum =
        |pose: &Moment, speed: &Moment| Measured::new(model, &pose.position, &speed.velocity, [0.0; 3]).linear_momentum;
    let mut largest: f64 = 0.0;
    for three in run.moments.windows(3) {
        let (before, after) = (momentum(&three[0], &three[1]), momentum(&three[1], &three[2]));
        for k in 0..3 {
            let contacts: f64 = three[2].contacts.iter().map(|c| c.force[k]).sum();
            let expected = mass * model.scene().gravity[k] + contacts + three[2].assist.force[k];
            let found = (after[k] - before[k]) / run.dt;
            assert!((found - expected).abs() < 0.02 * model.weight(), "axis {k}: {found} instead of {expected} N");
            largest = largest.max(three[2].assist.force[k].abs());
        }
    }
    assert!(largest > 0.3 * model.weight(), "help of {largest} N");
}

#[test]
fn where_the_plain_transfer_falls_help_makes_it_complete() {
    let config = tiny();
    let target = squat(embedded::dinosaur(), &config, 19, 0.1);
    // A search that gave up half way.
    let half = Solution { offsets: vec![0.0; target.frames() / 2 * target.dofs.count], ..Solution::default() };
    let one = AssistConfig { prices: vec![1.0], rounds: 2, ..AssistConfig::quick() };
    let points = swept(&target, &config, &one, &half);
    assert!(!points[0].completed && points.len() > 1, "{} points", points.len());
    assert!(points[1..].iter().all(|p| p.completed));
}

#[test]
fn a_sweep_that_was_saved_goes_on_to_the_same_bytes() {
    let config = tiny();
    let target = squat(embedded::dinosaur(), &config, 19, 0.1);
    let alone = plain(&target, &config);
    let two = AssistConfig { prices: vec![10.0, 1.0], rounds: 1, ..AssistConfig::quick() };
    let work = SweepWork { target: &target, config: &config, settings: &two, plain: &alone };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("checkpoint.bin");
    let pieces = piece_by_piece(&work, &path);
    let shares: Vec<_> = pieces.iter().map(|(_, progress)| (progress.done, progress.total)).collect();
    assert_eq!(shares, (0..6).map(|done| (done as f64, 5.0)).collect::<Vec<_>>());
    let (resumed, _) = pieces.last().expect("the last");
    assert!(resumed.points(&target, &config).expect("points") == swept(&target, &config, &two, &alone));
    let told = |settings: &AssistConfig, plain: &Solution| {
        let work = SweepWork { settings, plain, ..work };
        let options = RunOptions { checkpoint: Some(path.clone()), resumes: true, ..RunOptions::default() };
        let done = sinew_work::run(&work, &options, &mut |_, _, _| ControlFlow::Continue(()));
        done.expect_err("refused").to_string()
    };
    assert!(told(&AssistConfig { rounds: 2, ..two.clone() }, &alone).contains("another configuration"));
    assert!(told(&two, &Solution { push_off: Vec::new(), ..alone.clone() }).contains("another transfer"));
}

#[test]
fn settings_of_a_sweep_that_cannot_work_are_refused_by_name() {
    assert!(AssistConfig::standard().check().is_ok() && AssistConfig::quick().check().is_ok());
    let standard = AssistConfig::standard;
    for (field, settings) in [
        ("price", AssistConfig { prices: vec![1.0, 0.0], ..standard() }),
        ("rounds", AssistConfig { rounds: 0, ..standard() }),
        ("least_assist", AssistConfig { least_assist: 0.0, ..standard() }),
        ("puppet_softness", AssistConfig { puppet_softness: -1.0, ..standard() }),
        ("softness", AssistConfig { softness: [1.0, f64::NAN, 1.0], ..standard() }),
        ("reaches", AssistConfig { reaches: [1.0, 1.0, 0.0], ..standard() }),
    ] {
        let told = settings.check().expect_err("refused").to_string();
        assert!(told.starts_with(field), "{field}: {told}");
    }
}

#[test]
fn figures_tell_where_help_was_used() {
    let mut rows = vec![[0.0; 6]; 40];
    rows[10] = [0.0, 0.0, 0.5, 0.0, 0.0, 0.0];
    rows[11] = [0.3, 0.0, 0.4, 0.0, 0.4, 0.0];
    rows[30] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.8];
    let figures = AssistFigures::new(&rows);
    assert_eq!((figures.spans.len(), figures.largest_force, figures.largest_torque), (2, 0.5, 0.2));
    assert_eq!([figures.spans[0].from_secs, figures.spans[0].to_secs], [0.25, 0.3]);
    assert!((figures.mean_force - 1.0 / 40.0).abs() < 1e-12 && (figures.share_of_time - 3.0 / 40.0).abs() < 1e-12);
    assert!((figures.mean_assist - (1.0 + 1.2) / 40.0).abs() < 1e-12);
    assert_eq!(AssistFigures::new(&[[0.0; 6]; 3]).spans, []);
}
