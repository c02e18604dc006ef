//! Laws of CMA-ES: bounds, bad values, invariances, stored runs. The counts of evaluations stand in `tests/cma_counts.rs`.

use super::*;
use proptest::prelude::*;

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// Of 10 coordinates, condition 1e6.
fn ellipsoid(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(i, x)| libm::pow(1e6, i as f64 / 9.0) * x * x).sum()
}

fn generation(strategy: &mut CmaEs, function: impl Fn(&[f64]) -> f64) {
    let values: Vec<f64> = strategy.ask().map(function).collect();
    strategy.tell(&values).unwrap();
}

fn run(start: &[f64], sigma: f64, options: Options, function: impl Fn(&[f64]) -> f64) -> CmaEs {
    let mut strategy = CmaEs::new(start, sigma, options).unwrap();
    while strategy.stop().is_none() {
        generation(&mut strategy, &function);
    }
    strategy
}

#[test]
fn an_optimum_on_the_bounds_is_found_and_no_point_lies_outside() {
    let bounds = vec![[0.0, 1.0], [-3.0, 0.5], [2.0, f64::INFINITY], [f64::NEG_INFINITY, -1.0], [-1e3, 1e3]];
    let inside = |x: &[f64]| x.iter().zip(&bounds).all(|(x, b)| *x >= b[0] && *x <= b[1]);
    let function = |x: &[f64]| {
        assert!(inside(x), "{x:?}");
        // Free minimum at (−1, 1, 1, 0, 0.25): four coordinates end on a bound.
        x.iter().zip([-1.0, 1.0, 1.0, 0.0, 0.25]).map(|(x, c)| (x - c) * (x - c)).sum()
    };
    let options = Options { bounds: Some(bounds.clone()), ..Options::default() };
    let strategy = run(&[0.9, 0.5, 20.0, -7.0, 3.0], 2.0, options, function);
    for (x, wanted) in strategy.best().0.iter().zip([0.0, 0.5, 2.0, -1.0, 0.25]) {
        assert!((x - wanted).abs() < 1e-5, "{:?} {:?}", strategy.best(), strategy.stop());
    }
    assert!(inside(&strategy.mean()));
}

#[test]
fn values_that_are_no_numbers_rank_last() {
    let half = |x: &[f64]| if x[0] < 0.5 { f64::NAN } else { sphere(x) };
    let strategy = run(&[2.0; 4], 1.0, Options::default(), half);
    assert!(
        (strategy.best().0[0] - 0.5).abs() < 1e-3 && (strategy.best().1 - 0.25).abs() < 1e-3,
        "{:?}",
        strategy.best()
    );
    let nothing = run(&[2.0; 4], 1.0, Options::default(), |_| f64::NAN);
    assert_eq!(nothing.best(), (&[2.0; 4][..], f64::INFINITY));
    assert!(matches!(nothing.stop(), Some(StopReason::FlatValues { .. })));
    let infinite =
        run(&[2.0; 4], 1.0, Options { max_iterations: Some(3), ..Options::default() }, |_| f64::NEG_INFINITY);
    assert_eq!(infinite.best().1, f64::NEG_INFINITY);
}

#[test]
fn a_diagonal_start_is_faster_where_coordinates_are_separate() {
    let count = |diagonal_generations| {
        let options = |seed| Options { seed, diagonal_generations, target: Some(1e-9), ..Options::default() };
        let mut counts: Vec<u64> =
            (0..5).map(|seed| run(&[1.0; 10], 1.0, options(seed), ellipsoid).evaluations()).collect();
        counts.sort();
        counts[2]
    };
    let (full, diagonal, short) = (count(0), count(u64::MAX), count(50));
    assert!(diagonal * 4 < full * 3 && short < full, "{full} {diagonal} {short}");
}

#[test]
fn scales_stretch_the_first_steps() {
    let scales: Vec<f64> = (0..10).map(|i| 1.0 / libm::pow(1e3, i as f64 / 9.0)).collect();
    let options = |scales| Options { scales, target: Some(1e-9), seed: 3, ..Options::default() };
    let start: Vec<f64> = scales.clone();
    let known = run(&start, 1.0, options(Some(scales)), ellipsoid).evaluations();
    // With the right scales the ellipsoid is a sphere.
    assert!(known < 1700, "{known}");
}

#[test]
fn a_stored_run_goes_on_with_the_same_bits() {
    let options =
        Options { bounds: Some(vec![[-2.0, 2.0]; 10]), diagonal_generations: 12, seed: 5, ..Options::default() };
    let mut strategy = CmaEs::new(&[1.0; 10], 0.5, options).unwrap();
    for step in 0..60 {
        // Stored between generations, and between ask and tell.
        let stored =
            |strategy: &CmaEs| -> CmaEs { postcard::from_bytes(&postcard::to_stdvec(strategy).unwrap()).unwrap() };
        let mut copy = stored(&strategy);
        let asked: Vec<f64> = strategy.ask().flatten().copied().collect();
        if step % 2 == 0 {
            let _ = copy.ask();
            copy = stored(&copy);
        }
        assert!(copy.ask().flatten().zip(&asked).all(|(a, b)| a.to_bits() == b.to_bits()));
        generation(&mut strategy, ellipsoid);
        generation(&mut copy, ellipsoid);
        assert_eq!(postcard::to_stdvec(&strategy).unwrap(), postcard::to_stdvec(&copy).unwrap());
    }
}

#[test]
fn only_the_order_of_values_counts() {
    let points = |transform: fn(f64) -> f64| {
        let mut strategy = CmaEs::new(&[1.0; 10], 1.0, Options { seed: 2, ..Options::default() }).unwrap();
        (0..100).for_each(|_| generation(&mut strategy, |x| transform(ellipsoid(x))));
        strategy.ask().flatten().copied().collect::<Vec<f64>>()
    };
    let plain = points(|f| f);
    assert_eq!(plain, points(libm::log));
    assert_eq!(plain, points(|f| 3.0 * f * f * f));
}

#[test]
fn a_rotation_of_the_function_changes_the_count_little() {
    // H = I − 2 v vᵀ/‖v‖², mixes all coordinates.
    let mut stream = NormalStream::new(4, 4, 4);
    let v: Vec<f64> = (0..10).map(|_| stream.normal()).collect();
    let square = sphere(&v);
    let mirror = |x: &[f64]| -> Vec<f64> {
        let dot: f64 = x.iter().zip(&v).map(|(x, v)| x * v).sum();
        x.iter().zip(&v).map(|(x, v)| x - 2.0 * dot / square * v).collect()
    };
    let median = |function: &dyn Fn(&[f64]) -> f64| {
        let options = |seed| Options { seed, target: Some(1e-9), ..Options::default() };
        let mut counts: Vec<u64> =
            (0..21).map(|seed| run(&[1.0; 10], 1.0, options(seed), function).evaluations()).collect();
        counts.sort();
        counts[10] as f64
    };
    let (plain, turned) = (median(&ellipsoid), median(&|x| ellipsoid(&mirror(x))));
    assert!((turned / plain - 1.0).abs() < 0.08, "{plain} {turned}");
}

#[test]
fn one_coordinate() {
    for (active, population) in [(true, None), (false, None), (true, Some(2)), (true, Some(50))] {
        let options = Options { active, population, seed: 1, ..Options::default() };
        let strategy = run(&[5.0], 1.0, options, |x| (x[0] - 2.0) * (x[0] - 2.0));
        assert!((strategy.best().0[0] - 2.0).abs() < 1e-4, "{:?} {:?}", strategy.best(), strategy.stop());
    }
}

#[test]
fn wrong_input_is_an_error() {
    let make = |mean: &[f64], sigma: f64, options: Options| CmaEs::new(mean, sigma, options).err();
    let plain = Options::default;
    assert_eq!(make(&[], 1.0, plain()), Some(OptimError::EmptyStart));
    for (mean, sigma) in
        [([f64::NAN, 0.0], 1.0), ([0.0; 2], 0.0), ([0.0; 2], -1.0), ([0.0; 2], f64::NAN), ([0.0; 2], f64::INFINITY)]
    {
        assert!(matches!(make(&mean, sigma, plain()), Some(OptimError::BadNumber { .. })));
    }
    let bad = [
        Options { population: Some(1), ..plain() },
        Options { population: Some(usize::MAX), ..plain() },
        Options { scales: Some(vec![1.0]), ..plain() },
        Options { scales: Some(vec![1.0, 0.0]), ..plain() },
        Options { bounds: Some(vec![[0.0, 1.0]; 3]), ..plain() },
        Options { bounds: Some(vec![[1.0, 0.0]; 2]), ..plain() },
        Options { bounds: Some(vec![[1.0, 2.0]; 2]), ..plain() },
    ];
    for options in bad {
        let error = make(&[0.0; 2], 1.0, options).unwrap().to_string();
        assert!(error.len() > 30 && !error.contains('\n'), "{error}");
    }
    let mut strategy = CmaEs::new(&[0.0; 2], 1.0, plain()).unwrap();
    assert_eq!(strategy.tell(&[0.0; 6]), Err(OptimError::TellBeforeAsk));
    let _ = strategy.ask();
    assert_eq!(strategy.tell(&[0.0; 3]), Err(OptimError::WrongValueCount { got: 3, expected: 6 }));
    assert!(strategy.inject(&[0.0]).is_err() && strategy.inject(&[0.0, f64::NAN]).is_err());
    assert_eq!(strategy.tell(&[0.0; 6]), Ok(()));
}

#[test]
fn an_injected_point_is_tried_and_drawn_to() {
    let mut strategy = CmaEs::new(&[1.0; 5], 0.1, Options { seed: 1, ..Options::default() }).unwrap();
    generation(&mut strategy, sphere);
    strategy.inject(&[0.0; 5]).unwrap();
    assert_eq!(strategy.ask().next().unwrap(), [0.0; 5]);
    let before = sphere(&strategy.mean());
    generation(&mut strategy, sphere);
    assert!(strategy.best() == (&[0.0; 5][..], 0.0) && sphere(&strategy.mean()) < before);
    // Points far away or beyond the bounds do no harm.
    let options = Options { bounds: Some(vec![[-1.0, 1.0]; 3]), ..Options::default() };
    let mut bounded = CmaEs::new(&[0.5; 3], 1e-3, options).unwrap();
    for _ in 0..20 {
        bounded.inject(&[1e300, -1e300, 0.0]).unwrap();
    }
    assert_eq!(bounded.ask().next().unwrap(), [1.0, -1.0, 0.0]);
    generation(&mut bounded, |x| -x[0]);
    assert!(bounded.sigma() < 1e-2 && bounded.mean().iter().all(|x| x.abs() <= 1.0));
}

#[test]
fn a_hopeless_condition_does_no_harm() {
    let mut strategy = CmaEs::new(&[1.0; 4], 1.0, Options::default()).unwrap();
    for _ in 0..6000 {
        generation(&mut strategy, |x| x[0].abs() + 1e20 * (x[1] - x[2]).abs() + 1e-20 * x[3].abs());
    }
    assert!(strategy.points().iter().all(|x| x.is_finite()) && strategy.sigma() > 0.0);
}

#[test]
fn the_same_seed_gives_the_same_bits_everywhere() {
    let mut strategy = CmaEs::new(&[1.0; 10], 1.0, Options { seed: 7, ..Options::default() }).unwrap();
    (0..150).for_each(|_| generation(&mut strategy, ellipsoid));
    // FNV-1a over the bits of the points.
    let bytes = strategy.points().iter().flat_map(|x| x.to_bits().to_le_bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    assert_eq!(hash, GOLDEN, "{hash:#x}");
}

/// Hash of the run above.
const GOLDEN: u64 = 0xcd21_7aff_8761_9bdd;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn no_values_break_a_run(
        seed: u64,
        n in 1usize..6,
        population in 2usize..12,
        active: bool,
        values in prop::collection::vec(prop_oneof![
            -1e3..1e3f64, Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(0.0), Just(f64::MAX)], 12),
        growing: bool,
    ) {
        let options = Options { seed, population: Some(population), active, ..Options::default() };
        let mut strategy = CmaEs::new(&vec![0.0; n], 1.0, options).unwrap();
        for step in 0..1500 {
            let told: Vec<f64> = strategy.ask().enumerate()
                .map(|(k, x)| if growing && values[k].is_finite() { -x[0] } else { values[(k + step) % 12] }).collect();
            strategy.tell(&told).unwrap();
            strategy.stop();
            prop_assert!(strategy.points().iter().all(|x| x.is_finite()) && strategy.sigma() > 0.0);
        }
    }
}

#[test]
fn deviations_are_of_each_coordinate() {
    let options = Options { scales: Some(vec![1.0, 10.0, 0.1]), ..Options::default() };
    let run = CmaEs::new(&[0.0; 3], 0.3, options).unwrap();
    let found = run.deviations();
    assert!(found.iter().zip([0.3, 3.0, 0.03]).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?}");
}

#[test]
fn an_injected_point_counts_as_the_step_that_leads_there() {
    // Five standard deviations away in one of four coordinates, beyond what is likely: √4 + 2·4/6.
    let mut strategy = CmaEs::new(&[1.0; 4], 0.5, Options::default()).unwrap();
    strategy.inject(&[3.5, 1.0, 1.0, 1.0]).unwrap();
    let _ = strategy.ask();
    assert_eq!(strategy.points()[..4], [3.5, 1.0, 1.0, 1.0]);
    let longest = 2.0 + 8.0 / 6.0;
    assert!(
        (strategy.y[0] - longest).abs() < 1e-12 && strategy.y[1..4].iter().all(|y| *y == 0.0),
        "{:?}",
        &strategy.y[..4]
    );
    // A likely one is taken as it is.
    strategy.tell(&vec![1.0; strategy.points().len() / 4]).unwrap();
    let mut near = CmaEs::new(&[1.0; 4], 0.5, Options::default()).unwrap();
    near.inject(&[2.5, 1.0, 1.0, 1.0]).unwrap();
    let _ = near.ask();
    assert!((near.y[0] - 3.0).abs() < 1e-12, "{}", near.y[0]);
}

/// One generation as the tutorial writes it (Hansen 2016, figure 6, with pycma's test for h), in plain loops over the whole matrix.
/// Gives m, p_σ, p_c, C (n × n), σ and whether p_c was halted.
fn textbook(before: &CmaEs, order: &[usize]) -> (Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>, f64, bool) {
    let constants = before.parameters();
    let (n, rates) = (constants.dimension, &constants.full);
    let (c_sigma, c_c, c_1, c_mu) = (constants.step_path_rate, rates.path_rate, rates.rank_one, rates.rank_mu);
    let (dimension, generation) = (n as f64, before.iterations as i32 + 1);
    let weighted = |of: &[f64], i: usize| -> f64 {
        (0..constants.parents).map(|rank| rates.weights[rank] * of[order[rank] * n + i]).sum()
    };
    let mean = (0..n).map(|i| before.mean[i] + before.sigma * before.scales[i] * weighted(&before.y, i)).collect();
    let step_gain = (c_sigma * (2.0 - c_sigma) * constants.effective_parents).sqrt();
    let step_path: Vec<f64> =
        (0..n).map(|i| (1.0 - c_sigma) * before.step_path[i] + step_gain * weighted(&before.z, i)).collect();
    let square = sphere(&step_path);
    let likely = square / (1.0 - (1.0 - c_sigma).powi(2 * generation)) / dimension < 2.0 + 4.0 / (dimension + 1.0);
    let h = if likely { 1.0 } else { 0.0 };
    let path_gain = h * (c_c * (2.0 - c_c) * constants.effective_parents).sqrt();
    let path: Vec<f64> =
        (0..n).map(|i| (1.0 - c_c) * before.covariance_path[i] + path_gain * weighted(&before.y, i)).collect();
    let lost = (1.0 - h) * c_1 * c_c * (2.0 - c_c);
    let kept = 1.0 + lost - c_1 - c_mu * rates.weights.iter().sum::<f64>();
    let entry = |i: usize, j: usize| {
        let drawn = order.iter().zip(&rates.weights).map(|(&k, &w)| {
            let length_square = (sphere(&before.z[k * n..][..n]).sqrt() + 1e-9).powi(2);
            let w = if w < 0.0 { w * dimension / length_square } else { w };
            w * before.y[k * n + i] * before.y[k * n + j]
        });
        kept * before.covariance[i * n + j] + c_1 * path[i] * path[j] + c_mu * drawn.sum::<f64>()
    };
    let covariance = (0..n * n).map(|e| if e / n <= e % n { entry(e / n, e % n) } else { 0.0 }).collect();
    let growth = c_sigma / constants.step_damping * (square.sqrt() / constants.expected_length - 1.0);
    (mean, step_path, path, covariance, before.sigma * libm::exp(growth), !likely)
}

#[test]
fn a_generation_is_that_of_the_tutorial() {
    let near = |found: &[f64], wanted: &[f64]| {
        let size = wanted.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        found.iter().zip(wanted).all(|(a, b)| (a - b).abs() <= 1e-12 * size)
    };
    // Down a slope, so that p_σ grows long and halts p_c; then in a bowl.
    for (active, slope) in [(true, true), (false, true), (true, false), (false, false)] {
        let options = Options { active, seed: 6, scales: Some(vec![1.0, 3.0, 0.5]), ..Options::default() };
        let mut strategy = CmaEs::new(&[1.0, -2.0, 3.0], 0.1, options).unwrap();
        let (mut halted, mut counted) = (0, 0);
        for _ in 0..40 {
            let values: Vec<f64> =
                strategy.ask().map(|x| if slope { x[0] + 0.1 * x[1] } else { sphere(x) + x[0] * x[1] }).collect();
            let before = strategy.clone();
            let mut order: Vec<usize> = (0..values.len()).collect();
            order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
            strategy.tell(&values).unwrap();
            counted += 1;
            assert_eq!((strategy.iterations(), strategy.evaluations()), (counted, counted * values.len() as u64));
            let (mean, step_path, path, covariance, sigma, halts) = textbook(&before, &order);
            let upper: Vec<f64> = (0..9).map(|e| if e / 3 <= e % 3 { strategy.covariance[e] } else { 0.0 }).collect();
            assert!(near(&strategy.mean, &mean) && near(&strategy.step_path, &step_path), "{counted}");
            assert!(near(&strategy.covariance_path, &path), "{counted}: {:?} {path:?}", strategy.covariance_path);
            assert!(near(&upper, &covariance), "{counted}: {upper:?} {covariance:?}");
            assert!((strategy.sigma / sigma - 1.0).abs() < 1e-12, "{counted}");
            halted += u64::from(halts);
        }
        assert!(if slope { halted >= 3 } else { halted < 20 }, "{halted} of 40 generations halt the path");
    }
}

#[test]
fn a_tiny_distribution_stops_only_when_its_path_is_short_too() {
    let tolerances = crate::cma_options::Tolerances { deviation: 1e-2, ..Options::default().tolerances };
    let options = Options { scales: Some(vec![1.0, 4.0]), tolerances, ..Options::default() };
    let mut strategy = CmaEs::new(&[1.0, 1.0], 1e-3, options).unwrap();
    strategy.iterations = 1;
    // σ s p_c = 0.001 · 4 · 2 lies below the limit of 0.01, three times 0.004 above it.
    strategy.covariance_path = vec![0.0, -2.0];
    assert_eq!(strategy.stop(), Some(StopReason::Deviation { largest: 4e-3 }));
    strategy.covariance_path = vec![0.0, -3.0];
    assert_eq!(strategy.stop(), None);
}
