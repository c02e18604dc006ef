//! CMA-ES needs as many evaluations as pycma 4.5: the median of 41 runs lies between the 10 % and 90 % quantiles of its runs.
//!
//! The ranges are evaluations to f ≤ 1e-9 of `cma.CMAEvolutionStrategy(x0, sigma0, {'CMA_active': …, 'ftarget': 1e-9})` on `cma.ff`;
//! x0 = (1, …), σ = 1, and for Rosenbrock's function x0 = 0, σ = 0.1. `pycma_counts.py` measures such ranges anew.

use sinew_optim::{CmaEs, Options, StopReason};

type Function = fn(&[f64]) -> f64;

fn square(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn ellipsoid(x: &[f64]) -> f64 {
    let last = x.len() as f64 - 1.0;
    x.iter().enumerate().map(|(i, x)| libm::pow(1e6, i as f64 / last) * x * x).sum()
}

fn cigar(x: &[f64]) -> f64 {
    x[0] * x[0] + 1e6 * square(&x[1..])
}

fn tablet(x: &[f64]) -> f64 {
    1e6 * x[0] * x[0] + square(&x[1..])
}

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|x| 100.0 * (x[0] * x[0] - x[1]).powi(2) + (1.0 - x[0]).powi(2)).sum()
}

fn evaluations(function: impl Fn(&[f64]) -> f64, start: &[f64], sigma: f64, active: bool, seed: u64) -> u64 {
    let options = Options { active, seed, target: Some(1e-9), ..Options::default() };
    let mut strategy = CmaEs::new(start, sigma, options).unwrap();
    loop {
        let values: Vec<f64> = strategy.ask().map(&function).collect();
        strategy.tell(&values).unwrap();
        match strategy.stop() {
            None => continue,
            Some(StopReason::Target { .. }) => return strategy.evaluations(),
            Some(reason) => panic!("seed {seed}: {reason}"),
        }
    }
}

fn median(mut counts: Vec<u64>) -> u64 {
    counts.sort();
    counts[counts.len() / 2]
}

/// Ranges: n = 10 active, n = 10, n = 20 active, n = 20.
fn check(name: &str, function: Function, ranges: [[u64; 2]; 4]) {
    let cases = [(10, true), (10, false), (20, true), (20, false)];
    let mut outside = Vec::new();
    for ((n, active), [low, high]) in cases.into_iter().zip(ranges) {
        let (start, sigma) = if name == "rosenbrock" { (0.0, 0.1) } else { (1.0, 1.0) };
        let count = median((0..41).map(|seed| evaluations(function, &vec![start; n], sigma, active, seed)).collect());
        println!("{name:10} n = {n}, active {active:5}: {count:6} [{low}-{high}]");
        if !(low..=high).contains(&count) {
            outside.push((n, active, count));
        }
    }
    assert!(outside.is_empty(), "{name}: (n, active, median) outside pycma's range: {outside:?}");
}

#[test]
fn sphere_counts() {
    check("sphere", square, [[1430, 1560], [1370, 1550], [2724, 2952], [2712, 2928]]);
}

#[test]
fn ellipsoid_counts() {
    check("ellipsoid", ellipsoid, [[4000, 4460], [5520, 6020], [12168, 13104], [17508, 18564]]);
}

#[test]
fn cigar_counts() {
    check("cigar", cigar, [[3880, 4310], [4130, 4500], [8052, 8424], [8112, 8532]]);
}

#[test]
fn tablet_counts() {
    check("tablet", tablet, [[3030, 3320], [5170, 5610], [7404, 7884], [14256, 15096]]);
}

#[test]
fn rosenbrock_counts() {
    check("rosenbrock", rosenbrock, [[4770, 5210], [5580, 6120], [16128, 17052], [19752, 20556]]);
}
