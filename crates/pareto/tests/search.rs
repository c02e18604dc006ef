//! Both searches: resumed to the same bytes, with a front that nothing dominates.

use sinew_optim::non_dominated::dominates;
use sinew_pareto::{Controller, Front, FrontWork, Method, Search, SearchConfig};
use sinew_work::{Outcome, RunOptions};
use std::ops::ControlFlow;
use std::path::Path;

fn small(method: Method) -> SearchConfig {
    SearchConfig { points: 4, generations: 6, patience: 3, most_generations: 4, ..SearchConfig::standard(method) }
}

fn advance(search: &mut Search, generations: usize, config: &SearchConfig) {
    let evaluator = Search::evaluator(config);
    for _ in 0..generations {
        if !search.is_done() {
            search.advance(&evaluator).expect("a generation");
        }
    }
}

fn begun(config: &SearchConfig) -> Search {
    Search::new(&Search::evaluator(config), config, &Controller::seed()).expect("the seed lands")
}

/// Runs a search for so many generations, or to its end, with a checkpoint.
fn run(config: &SearchConfig, start: &Controller, path: &Path, resumes: bool, stop: u64) -> Result<Search, String> {
    let evaluator = Search::evaluator(config);
    let work = FrontWork { evaluator: &evaluator, config, start };
    let options = RunOptions { checkpoint: Some(path.into()), resumes, ..RunOptions::default() };
    let outcome = sinew_work::run(&work, &options, &mut |_, search, _| {
        if search.progress().0 >= stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    outcome.map(Outcome::into_state).map_err(|e| e.to_string())
}

#[test]
fn a_saved_search_goes_on_to_the_same_bytes() {
    for method in [Method::Rmoo, Method::Bsoo] {
        let folder = tempfile::tempdir().expect("a folder");
        let (config, path) = (small(method), folder.path().join("checkpoint.bin"));
        let mut whole = begun(&config);
        advance(&mut whole, 23, &config);
        let part = run(&config, &Controller::seed(), &path, false, 3).expect("it stops");
        assert!(!part.is_done() && part.progress().0 >= 3, "{method:?}");
        let resumed = run(&config, &Controller::seed(), &path, true, u64::MAX).expect("the same run");
        let bytes = |search: &Search| postcard::to_stdvec(search).expect("plain data");
        assert!(whole.is_done() && bytes(&whole) == bytes(&resumed), "{method:?}");
        assert_eq!(Front::of(&whole).to_json(), Front::of(&resumed).to_json());
    }
}

#[test]
fn checkpoints_of_other_runs_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (config, path) = (small(Method::Rmoo), folder.path().join("checkpoint.bin"));
    run(&config, &Controller::seed(), &path, false, 0).expect("it stops");
    let refused = |config: &SearchConfig, start: &Controller| run(config, start, &path, true, 0).unwrap_err();
    let seed = Controller::seed();
    let other = SearchConfig { seed: 9, ..config.clone() };
    assert!(refused(&other, &seed).contains("of another seed"));
    assert!(refused(&small(Method::Bsoo), &seed).contains("of another method"));
    let longer = SearchConfig { generations: 7, ..config.clone() };
    assert!(refused(&longer, &seed).contains("of another budget or other setting"));
    let mut other_jump = seed.values().to_vec();
    other_jump[1] += 0.01;
    let other_jump = Controller::new(&other_jump).expect("within bounds");
    assert!(refused(&config, &other_jump).contains("of another first jump"));
}

#[test]
fn no_point_of_the_front_is_dominated_by_a_sample() {
    for method in [Method::Rmoo, Method::Bsoo] {
        let config = small(method);
        let mut search = begun(&config);
        advance(&mut search, 20, &config);
        let front = search.front();
        assert!(!front.is_empty() && front.len() <= 4);
        for sample in search.samples().iter().filter(|sample| !sample.failed) {
            let values = [libm::log(sample.effort + sample.assist), -sample.height];
            // The price is summed in another order here.
            let worse = |entry: &sinew_pareto::Entry| [entry.values[0] - 1e-12, entry.values[1]];
            assert!(!front.iter().any(|entry| dominates(&values, &worse(entry))));
        }
        assert!(search.hypervolume() >= search.front_hypervolume());
    }
}

#[test]
fn without_resampling_a_generation_asks_once_for_each_point() {
    let config = SearchConfig { allowed_failures: None, ..small(Method::Rmoo) };
    let mut search = begun(&config);
    advance(&mut search, 12, &config);
    assert_eq!(search.evaluations(), 1 + 6 * 4);
}

#[test]
fn three_objectives_reward_distance() {
    let farthest = |objective_count: usize| {
        let config = SearchConfig { objective_count, points: 8, generations: 40, ..small(Method::Rmoo) };
        let mut search = begun(&config);
        advance(&mut search, 200, &config);
        let front = search.front();
        assert!(front.len() > 1 && front.iter().all(|entry| entry.values.len() == objective_count));
        front.iter().map(|entry| entry.jump.landing).fold(f64::NEG_INFINITY, f64::max)
    };
    let (with, without) = (farthest(3), farthest(2));
    assert!(with > 0.0 && with > without + 0.03, "{with} m, and {without} m where distance is no objective");
}

#[test]
fn settings_out_of_range_are_named() {
    let told = |config: SearchConfig| config.check().unwrap_err().to_string();
    assert!(told(SearchConfig { points: 1, ..small(Method::Rmoo) }).contains("number of points is 1"));
    assert!(told(SearchConfig { objective_count: 3, ..small(Method::Bsoo) }).contains("bsoo"));
    assert!(told(SearchConfig { bin_heights: [3.0, 2.0], ..small(Method::Bsoo) }).contains("range of heights"));
}
