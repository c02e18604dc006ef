use super::*;
use crate::hypervolume::hypervolume;
use crate::mo_cma_options::Resampling;
use std::f64::consts::PI;

type Problem = fn(&[f64]) -> [f64; 2];

fn mean_of_rest(x: &[f64]) -> f64 {
    x[1..].iter().sum::<f64>() / (x.len() - 1) as f64
}

/// Zitzler, Deb & Thiele 2000.
fn zdt1(x: &[f64]) -> [f64; 2] {
    let g = 1.0 + 9.0 * mean_of_rest(x);
    [x[0], g * (1.0 - (x[0] / g).sqrt())]
}

fn zdt2(x: &[f64]) -> [f64; 2] {
    let g = 1.0 + 9.0 * mean_of_rest(x);
    [x[0], g * (1.0 - (x[0] / g) * (x[0] / g))]
}

fn zdt3(x: &[f64]) -> [f64; 2] {
    let g = 1.0 + 9.0 * mean_of_rest(x);
    [x[0], g * (1.0 - (x[0] / g).sqrt() - x[0] / g * libm::sin(10.0 * PI * x[0]))]
}

fn zdt6(x: &[f64]) -> [f64; 2] {
    let first = 1.0 - libm::exp(-4.0 * x[0]) * libm::sin(6.0 * PI * x[0]).powi(6);
    let g = 1.0 + 9.0 * libm::pow(mean_of_rest(x), 0.25);
    [first, g * (1.0 - (first / g) * (first / g))]
}

/// Deb, Thiele, Laumanns & Zitzler 2002, with two objectives.
fn dtlz2(x: &[f64]) -> [f64; 2] {
    let g = x[1..].iter().map(|x| (x - 0.5) * (x - 0.5)).sum::<f64>();
    [(1.0 + g) * libm::cos(x[0] * PI / 2.0), (1.0 + g) * libm::sin(x[0] * PI / 2.0)]
}

/// The problems with the largest hypervolume that ten points can have below (11, 11).
const PROBLEMS: [(&str, Problem, f64); 5] = [
    ("ZDT1", zdt1, 120.613761),
    ("ZDT2", zdt2, 120.286820),
    ("ZDT3", zdt3, 128.748470),
    ("ZDT6", zdt6, 117.483246),
    ("DTLZ2", dtlz2, 120.178966),
];

/// Ten random points of the unit cube in five dimensions.
fn search_in_unit_cube(seed: u64) -> MoCma {
    search_with(seed, Selection::default())
}

fn search_with(seed: u64, selection: Selection) -> MoCma {
    let mut random = NormalStream::new(seed, 1, 0);
    let starts: Vec<Vec<f64>> = (0..10).map(|_| (0..5).map(|_| random.uniform()).collect()).collect();
    let bounds = Some(MoCmaBounds::uniform(5, 0.0, 1.0));
    MoCma::new(&starts, MoCmaOptions { population: 10, bounds, selection, seed, ..MoCmaOptions::default() }).unwrap()
}

fn advance(search: &mut MoCma, problem: impl Fn(&[f64]) -> [f64; 2]) -> Told {
    let values: Vec<Vec<f64>> = search.ask().iter().map(|x| problem(x).to_vec()).collect();
    search.tell(&values, &vec![false; values.len()]).unwrap()
}

fn hypervolume_after(mut search: MoCma, problem: Problem, generations: u64) -> f64 {
    while search.generation() < generations {
        advance(&mut search, problem);
    }
    let values: Vec<Vec<f64>> = search.population().into_iter().map(|solution| solution.values).collect();
    hypervolume(&values, &[11.0, 11.0]).unwrap()
}

#[test]
fn ten_points_come_to_the_best_hypervolume_of_the_usual_problems() {
    for (name, problem, best) in PROBLEMS {
        for seed in 1..=5 {
            let found = hypervolume_after(search_in_unit_cube(seed), problem, 1000);
            println!("{name} seed {seed}: {found:.6} of {best:.6}, short by {:.1e}", best - found);
            assert!((found - best).abs() < 5e-3, "{name} seed {seed}: {found:.6} instead of {best:.6}");
        }
    }
}

#[test]
fn points_settle_when_selected_one_by_one_and_come_near_when_together() {
    let (_, _, best) = PROBLEMS[4];
    for seed in 1..=3 {
        let short = |selection| best - hypervolume_after(search_with(seed, selection), dtlz2, 1000);
        assert!(short(Selection::OneByOne).abs() < 1e-6);
        assert!(short(Selection::Together).abs() < 6e-3);
    }
}

/// Distances of x from two points, on slanted axes whose units differ by 10³ between the first and the last.
///
/// By the triangle inequality their sum is at least the distance of the two points, 1, and equal to it on the front alone.
fn slanted_distances(x: &[f64]) -> [f64; 2] {
    let along = |axis: usize| libm::pow(1e3, axis as f64 / 4.0) * (x[..=axis].iter().sum::<f64>() - 0.5 * x[axis]);
    let rest: f64 = (1..5).map(|axis| along(axis) * along(axis)).sum();
    [0.0, 1.0].map(|shift| ((along(0) - shift) * (along(0) - shift) + rest).sqrt())
}

#[test]
fn directions_are_learnt_on_slanted_and_stretched_problems() {
    let options = MoCmaOptions { population: 5, step_size: 0.5, ..MoCmaOptions::default() };
    let mut search = MoCma::new(&[vec![1.0; 5]], options).unwrap();
    while search.generation() < 3000 {
        advance(&mut search, slanted_distances);
    }
    let worst = search.population().iter().map(|s| s.values.iter().sum::<f64>() - 1.0).fold(0.0, f64::max);
    assert!(worst < 1e-6);
}

#[test]
fn three_objectives_spread_over_the_sphere() {
    let sphere = |x: &[f64]| {
        let g = 1.0 + x[2..].iter().map(|x| (x - 0.5) * (x - 0.5)).sum::<f64>();
        let (a, b) = (x[0] * PI / 2.0, x[1] * PI / 2.0);
        vec![g * libm::cos(a) * libm::cos(b), g * libm::cos(a) * libm::sin(b), g * libm::sin(a)]
    };
    let options = MoCmaOptions {
        population: 20,
        objectives: 3,
        bounds: Some(MoCmaBounds::uniform(6, 0.0, 1.0)),
        ..MoCmaOptions::default()
    };
    let mut search = MoCma::new(&[vec![0.3; 6]], options).unwrap();
    while search.generation() < 400 {
        let values: Vec<Vec<f64>> = search.ask().iter().map(|x| sphere(x)).collect();
        search.tell(&values, &vec![false; values.len()]).unwrap();
    }
    let front = search.front();
    let radius = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>().sqrt();
    assert_eq!(front.len(), 20);
    assert!(front.iter().all(|solution| (radius(&solution.values) - 1.0).abs() < 0.01));
    let values: Vec<Vec<f64>> = front.into_iter().map(|solution| solution.values).collect();
    // Points without end would have 1.331 − π/6 = 0.807; the steps between twenty take a part of it.
    assert!(hypervolume(&values, &[1.1; 3]).unwrap() > 0.68);
}

/// Fails in most of the cube.
fn narrow(x: &[f64]) -> Option<[f64; 2]> {
    (x[1] < 0.3 && x[2] > 0.5).then(|| zdt1(&[x[0], x[1], 1.0 - x[2]]))
}

fn search_in_narrow_space(resampling: Option<Resampling>) -> MoCma {
    let bounds = Some(MoCmaBounds::uniform(3, 0.0, 1.0));
    let options = MoCmaOptions { step_size: 0.5, bounds, resampling, seed: 4, ..MoCmaOptions::default() };
    MoCma::new(&[vec![0.5, 0.2, 0.6]], options).unwrap()
}

/// Evaluates what is asked for; what was done with it, and how many failed.
fn advance_narrow(search: &mut MoCma) -> (Told, usize) {
    let found: Vec<Option<[f64; 2]>> = search.ask().iter().map(|x| narrow(x)).collect();
    let values: Vec<Vec<f64>> = found.iter().map(|values| values.unwrap_or([1e5; 2]).to_vec()).collect();
    let failed: Vec<bool> = found.iter().map(Option::is_none).collect();
    (search.tell(&values, &failed).unwrap(), failed.iter().filter(|failed| **failed).count())
}

#[test]
fn resampling_leaves_at_most_three_failures_in_a_generation() {
    let mut search = search_in_narrow_space(Some(Resampling::default()));
    let mut resampled = 0;
    while search.generation() < 60 {
        let strategies = |search: &MoCma| search.parents.iter().map(|p| p.strategy.clone()).collect::<Vec<_>>();
        let before = strategies(&search);
        match advance_narrow(&mut search) {
            (Told::Starts, _) => assert_eq!(search.ask().len(), 16),
            (Told::Generation(_), failures) => assert!(failures <= 3),
            (Told::Resampled(count), failures) => {
                // All that failed and nothing else is asked for again, and nobody has learnt from it.
                assert!(failures > 3 && count == failures && search.ask().len() == count);
                assert_eq!(before, strategies(&search));
                resampled += count;
            }
        }
        assert!(search.population().iter().all(|solution| narrow(&solution.point).is_some()));
    }
    assert!(resampled > 60, "the problem fails too rarely to test anything");
    assert_eq!(search.evaluations(), 1 + 60 * 16 + resampled as u64);
}

#[test]
fn a_round_may_hold_several_samples_of_a_child_and_the_first_that_lives_counts() {
    let resampling = Resampling { per_round: Some(40), ..Resampling::default() };
    let mut search = search_in_narrow_space(Some(resampling));
    while search.generation() < 30 {
        let asked = search.ask();
        let slots = search.asked.clone();
        let is_again = !search.again.is_empty();
        if let (Told::Generation(_), _) = advance_narrow(&mut search) {
            continue;
        }
        if is_again {
            assert_eq!(asked.len(), 40);
            for slot in 0..16 {
                let first = slots.iter().zip(&asked).find(|(s, x)| **s == slot && narrow(x).is_some());
                if let Some((_, point)) = first {
                    assert_eq!(&search.inside(&search.children[slot].point), point);
                }
            }
        }
    }
}

#[test]
fn without_resampling_failures_shorten_the_steps() {
    let (mut with, mut without) = (search_in_narrow_space(Some(Resampling::default())), search_in_narrow_space(None));
    for search in [&mut with, &mut without] {
        while search.generation() < 1 {
            advance_narrow(search);
        }
    }
    let sum_of_steps = |search: &MoCma| search.population().iter().map(|s| s.step_size).sum::<f64>();
    assert_eq!(without.evaluations(), 1 + 16);
    assert!(sum_of_steps(&with) > sum_of_steps(&without));
}

#[test]
fn a_hopeless_generation_ends_after_its_rounds() {
    let mut search = search_in_narrow_space(Some(Resampling { allowed_failures: 3, max_rounds: 5, per_round: None }));
    advance_narrow(&mut search);
    let mut tells = 0;
    while search.generation() == 0 {
        search.tell(&vec![vec![]; 16], &[true; 16]).unwrap();
        tells += 1;
    }
    assert_eq!(tells, 6);
    assert_eq!(search.population().len(), 16);
}

#[test]
fn a_run_continues_to_the_bit_after_it_was_saved_even_between_resamplings() {
    let mut search = search_in_narrow_space(Some(Resampling::default()));
    while search.generation() < 5 || !matches!(advance_narrow(&mut search).0, Told::Resampled(_)) {
        advance_narrow(&mut search);
    }
    let mut restored: MoCma = postcard::from_bytes(&postcard::to_stdvec(&search).unwrap()).unwrap();
    assert_eq!(restored, search);
    for _ in 0..100 {
        assert_eq!(advance_narrow(&mut restored), advance_narrow(&mut search));
    }
    assert_eq!(postcard::to_stdvec(&restored).unwrap(), postcard::to_stdvec(&search).unwrap());
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_others() {
    let front = |seed| {
        let mut search = search_in_unit_cube(seed);
        (0..50).for_each(|_| assert_ne!(advance(&mut search, zdt3), Told::Resampled(0)));
        postcard::to_stdvec(&search.front()).unwrap()
    };
    assert_eq!(front(1), front(1));
    assert_ne!(front(1), front(2));
}

#[test]
fn points_asked_for_lie_within_the_bounds_and_those_outside_pay_for_the_distance() {
    let mut search = search_in_unit_cube(3);
    for _ in 0..50 {
        assert!(search.ask().iter().flatten().all(|x| (0.0..=1.0).contains(x)));
        advance(&mut search, zdt1);
    }
    let bounds = MoCmaBounds { lower: vec![0.0, 0.0], upper: vec![1.0, 2.0], penalty: 0.5 };
    assert_eq!(bounds.closest(&[-1.0, 4.0]), [0.0, 2.0]);
    assert_eq!(bounds.penalty_of(&[-1.0, 4.0]), 2.5);
    assert_eq!(penalised(&[1.0, 2.0], &[-1.0, 4.0], Some(&bounds)).penalised, [3.5, 4.5]);
}

#[test]
fn values_that_are_no_numbers_count_as_failures() {
    let mut search = search_in_unit_cube(1);
    advance(&mut search, zdt1);
    let before = search.population();
    search.tell(&vec![vec![f64::NAN, f64::NEG_INFINITY]; 10], &[false; 10]).unwrap();
    let values = |solutions: Vec<Solution>| solutions.into_iter().map(|s| s.values).collect::<Vec<_>>();
    assert_eq!(values(search.population()), values(before));
}

#[test]
fn failed_starts_make_way_for_the_first_children_that_do_not_fail() {
    let mut search = MoCma::new(&[vec![0.0; 2]], MoCmaOptions { population: 4, ..MoCmaOptions::default() }).unwrap();
    search.tell(&[vec![]], &[true]).unwrap();
    assert!(search.population().is_empty() && search.front().is_empty());
    let values = [[3.0, 3.0], [1.0, 2.0], [0.0, 0.0], [2.0, 1.0]].map(|v| v.to_vec());
    assert_eq!(search.tell(&values, &[false, false, true, false]).unwrap(), Told::Generation(3));
    assert_eq!(search.population().len(), 3);
    assert_eq!(search.front().iter().map(|s| s.values[0]).collect::<Vec<_>>(), [1.0, 2.0]);
}

#[test]
fn reasons_to_stop() {
    let run = |options: MoCmaOptions| {
        let mut search = MoCma::new(&[vec![2.0; 2]], MoCmaOptions { population: 6, ..options }).unwrap();
        while search.stop().is_none() && search.generation() < 20_000 {
            advance(&mut search, |x| [x[0] * x[0] + x[1] * x[1], (x[0] - 1.0) * (x[0] - 1.0) + x[1] * x[1]]);
        }
        (search.stop(), search.generation())
    };
    let options = MoCmaOptions::default;
    assert_eq!(run(MoCmaOptions { max_generations: Some(7), ..options() }), (Some(MoCmaStop::Generations), 7));
    let (stop, generations) = run(MoCmaOptions { tolerance: 1e-3, patience: 50, ..options() });
    assert!(stop == Some(MoCmaStop::Converged) && (60..2000).contains(&generations), "{generations}");
    let mut hopeless = MoCma::new(&[vec![0.0]], options()).unwrap();
    hopeless.tell(&[vec![0.0; 2]], &[false]).unwrap();
    while hopeless.stop().is_none() {
        hopeless.tell(&vec![vec![]; 16], &[true; 16]).unwrap();
    }
    assert_eq!(hopeless.stop(), Some(MoCmaStop::StepSizes));
}

#[test]
fn wrong_options_and_wrong_tellings_are_refused_and_change_nothing() {
    let start = |starts: &[Vec<f64>], options: MoCmaOptions| MoCma::new(starts, options).unwrap_err();
    let options = MoCmaOptions::default;
    assert_eq!(start(&[], options()), MoCmaError::Starts { starts: 0, population: 16 });
    assert_eq!(start(&vec![vec![0.0]; 17], options()), MoCmaError::Starts { starts: 17, population: 16 });
    assert_eq!(start(&[vec![0.0], vec![]], options()), MoCmaError::Start { index: 1 });
    assert_eq!(start(&[vec![f64::NAN]], options()), MoCmaError::Start { index: 0 });
    assert_eq!(start(&[vec![0.0]], MoCmaOptions { step_size: 0.0, ..options() }), MoCmaError::StepSize(0.0));
    assert_eq!(start(&[vec![0.0]], MoCmaOptions { objectives: 4, ..options() }), MoCmaError::Objectives(4));
    let bounds =
        |lower: f64, upper: f64, penalty: f64| MoCmaBounds { penalty, ..MoCmaBounds::uniform(1, lower, upper) };
    let bounded = |starts, bounds| start(&[vec![0.0; starts]], MoCmaOptions { bounds: Some(bounds), ..options() });
    assert_eq!(bounded(1, bounds(1.0, 0.0, 0.0)), MoCmaError::Bounds { index: 0, lower: 1.0, upper: 0.0 });
    assert!(matches!(bounded(2, bounds(0.0, 1.0, 0.0)), MoCmaError::Bounds { index: 1, .. }));
    assert_eq!(bounded(1, bounds(0.0, 1.0, -1.0)), MoCmaError::Penalty(-1.0));

    let mut search = search_in_unit_cube(1);
    advance(&mut search, zdt1);
    let before = search.clone();
    let count = search.tell(&vec![vec![0.0; 2]; 9], &[false; 10]).unwrap_err();
    assert_eq!(count, MoCmaError::Count { told: 9, flags: 10, asked: 10 });
    let values = search.tell(&vec![vec![0.0; 3]; 10], &[false; 10]).unwrap_err();
    assert_eq!(values, MoCmaError::Values { index: 0, found: 3, expected: 2 });
    assert_eq!(search, before);
}
