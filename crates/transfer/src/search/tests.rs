use super::*;
use crate::Begins;
use crate::test_motions::{squat, tiny};
use sinew_sim::embedded;

/// A search whose windows end early, made by so many threads.
fn searched(threads: usize) -> Search {
    let config = Config { starts: 3, population: 12, iterations: 16, stops_below: Some(0.3), ..tiny() };
    let target = squat(embedded::dinosaur(), &config, 31, 0.0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let mut search = Search::new(&target, &config, 7).expect("a search");
    pool.install(|| {
        while !search.is_done() {
            search.advance(&target, &config, None, 0).expect("a window");
        }
    });
    search
}

#[test]
fn branches_that_run_ahead_change_nothing() {
    let expected = searched(1);
    let generations: Vec<usize> = expected.windows().iter().map(|window| window.generations).collect();
    assert!(generations.iter().any(|made| *made < 16), "some end early: {generations:?}");
    for threads in [2, 3, 8] {
        // More than once: threads do not always meet in the same order.
        for _ in 0..3 {
            assert!(searched(threads) == expected, "{threads} threads");
        }
    }
}

#[test]
fn falls_between_two_looks_are_seen() {
    let config = Config { cost_frames: 4, ..tiny() };
    let target = squat(embedded::dinosaur(), &config, 19, 0.0);
    let count = target.dofs.count;
    let standing = start_state::start_state(&target, &Config { begins: Begins::Rest, ..config.clone() }, &[]);
    let (q, v) = standing.values().split_at(target.model.position_count());
    let mut lying = q.to_vec();
    // On its side, by a turn of 90° about its own axis.
    lying[3..7].copy_from_slice(&[0.5f64.sqrt(), 0.5f64.sqrt(), 0.0, 0.0]);
    let starts = [standing.clone(), Snapshot::new(&lying, v)];
    let stage = Stage { target: &target, config: &config, first_frame: 0, frames: 4, starts: &starts };
    let curves = vec![0.0; 2 * 5 * count];
    let tried = Trial { stage, jobs: &[0, 1], curves: &curves }.run().expect("a run");
    assert_eq!(tried[0].steps, 4 * config.steps_per_frame());
    assert_eq!(tried[1].steps, config.steps_per_frame(), "it is given up after the first frame");
    assert!(tried[0].cost < 10.0 && tried[1].cost >= FALLEN_COST);
}
