//! Each reason to stop has its function.

use crate::cma_options::Tolerances;
use crate::{CmaEs, NormalStream, Options, StopReason};

/// No test stops of itself.
const OFF: Tolerances = Tolerances {
    values: 0.0,
    history: 0.0,
    deviation: 0.0,
    growth: f64::INFINITY,
    condition: f64::INFINITY,
    flat_generations: u64::MAX,
    stagnation: Some(u64::MAX),
};

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn reason(options: Options, start: f64, mut function: impl FnMut(&[f64]) -> f64) -> StopReason {
    let options = Options { max_iterations: options.max_iterations.or(Some(20_000)), ..options };
    let mut strategy = CmaEs::new(&[start; 4], 0.5, options).unwrap();
    loop {
        if let Some(reason) = strategy.stop() {
            assert!(!reason.to_string().is_empty());
            return reason;
        }
        let values: Vec<f64> = strategy.ask().map(&mut function).collect();
        strategy.tell(&values).unwrap();
    }
}

fn with(tolerances: Tolerances) -> Options {
    Options { tolerances, ..Options::default() }
}

#[test]
fn what_the_user_set() {
    let target = Options { target: Some(1e-3), ..Options::default() };
    assert!(matches!(reason(target, 1.0, sphere), StopReason::Target { value } if value <= 1e-3));
    let evaluations = Options { max_evaluations: Some(100), ..Options::default() };
    assert_eq!(reason(evaluations, 1.0, sphere), StopReason::Evaluations { count: 104 });
    let iterations = Options { max_iterations: Some(9), ..Options::default() };
    assert_eq!(reason(iterations, 1.0, sphere), StopReason::Iterations { count: 9 });
}

#[test]
fn values_that_agree() {
    assert_eq!(reason(Options::default(), 1.0, |_| 3.0), StopReason::FlatValues { generations: 4 });
    let range = reason(Options::default(), 1.0, sphere);
    assert!(matches!(range, StopReason::Values { range } if range < 1e-11), "{range}");
    let history = reason(with(Tolerances { history: 1e-9, ..OFF }), 1.0, sphere);
    assert!(matches!(history, StopReason::History { range } if range < 1e-9), "{history}");
}

#[test]
fn values_that_do_not_improve() {
    let mut stream = NormalStream::new(1, 1, 1);
    let noise = reason(with(Tolerances { stagnation: None, ..OFF }), 1.0, |_| stream.normal());
    assert!(matches!(noise, StopReason::Stagnation { generations } if generations >= 200), "{noise}");
}

#[test]
fn distributions_that_lead_nowhere() {
    let deviation = reason(with(Tolerances { deviation: 1e-8, ..OFF }), 1.0, sphere);
    assert!(matches!(deviation, StopReason::Deviation { largest } if largest < 1e-8), "{deviation}");
    let growth = reason(with(Tolerances { growth: 1e3, ..OFF }), 1.0, |x| x[2]);
    assert!(matches!(growth, StopReason::Growth { factor, .. } if factor > 1e3), "{growth}");
    let condition = reason(with(Tolerances { condition: 1e4, ..OFF }), 1.0, |x| x[0] * x[0] + 1e6 * sphere(&x[1..]));
    assert!(matches!(condition, StopReason::Condition { number } if number > 1e4 && number < 1e7), "{condition}");
    let lost = reason(with(OFF), 1e10, |x| x.iter().map(|x| (x - 1e10).abs()).sum());
    assert!(matches!(lost, StopReason::NoEffect { .. }), "{lost}");
}

#[test]
fn nothing_stops_what_is_switched_off() {
    assert_eq!(
        reason(Options { max_iterations: Some(300), ..with(OFF) }, 1.0, |_| 1.0),
        StopReason::Iterations { count: 300 }
    );
}

fn record(stagnation: u64) -> super::Record {
    super::Record::new(2, 8, &Tolerances { stagnation: Some(stagnation), ..OFF })
}

const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 1.0];

#[test]
fn flat_is_where_three_quarters_of_the_values_are_equal() {
    let mut record = record(100);
    record.generation(1, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], &IDENTITY);
    assert_eq!(record.flat_generations, 1);
    record.generation(2, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0], &IDENTITY);
    assert_eq!(record.flat_generations, 0);
}

#[test]
fn a_covariance_that_is_not_positive_has_no_condition() {
    for (least, wanted) in [(0.25, 4.0), (0.0, f64::INFINITY), (-1.0, f64::INFINITY)] {
        let mut record = record(100);
        record.generation(10, &[0.0, 1.0], &[1.0, 0.0, 0.0, least]);
        assert!(record.condition == wanted || (record.condition / wanted - 1.0).abs() < 1e-12, "{least}");
    }
}

/// What is said of stagnation after each tenth generation of these values.
fn stagnant(span: u64, values: impl Iterator<Item = f64>) -> Vec<Option<u64>> {
    let mut record = record(span);
    let said = values.enumerate().map(|(index, value)| {
        record.generation(index as u64 + 1, &[value, value + 1.0, value + 2.0], &IDENTITY);
        ((index + 1) % 10 == 0).then_some(record.stagnant)
    });
    said.flatten().collect()
}

#[test]
fn stagnation_compares_the_newest_values_with_those_a_span_ago() {
    // From as many generations as the span has, and never over fewer than ten.
    assert_eq!(stagnant(20, [3.0; 30].into_iter()), [None, Some(20), Some(20)]);
    assert_eq!(stagnant(5, [3.0; 20].into_iter()), [None, None]);
    // Over a fifth of a long run.
    assert_eq!(stagnant(20, [3.0; 200].into_iter()).last(), Some(&Some(40)));
    // Good values of long ago do not count: since then every generation was better than the one before.
    let falling = (0..40).map(|k| if k < 20 { 0.0 } else { 100.0 - k as f64 });
    assert_eq!(stagnant(20, falling).last(), Some(&None));
    // A rise is no progress either.
    assert_eq!(stagnant(20, (0..20).map(f64::from)), [None, Some(20)]);
}
