use super::*;

/// Numbers of all sizes and signs within the range of the functions, and some outside.
fn arguments() -> Vec<f32> {
    let mut all: Vec<f32> = (-60_000..60_000).map(|i| i as f32 * 0.0017).collect();
    all.extend((0..4000).flat_map(|i| [1.0, -1.0].map(|sign| sign * libm::exp(-i as f64 * 0.01) as f32)));
    all.extend([0.0, -0.0, 1e-40, -1e-40, 3e38, -3e38, f32::INFINITY, f32::NEG_INFINITY, 87.3, -87.3]);
    all
}

/// Results of every function in lanes: by function, then by argument.
struct Functions<'a>(&'a [f32]);

const NAMES: [&str; 6] = ["exp", "exp_minus_one", "tanh", "sigmoid", "round", "sqrt"];

impl Work<f32> for Functions<'_> {
    type Outcome = Vec<Vec<f32>>;
    #[inline(always)]
    fn run<V: Lanes<Element = f32>>(self) -> Vec<Vec<f32>> {
        let mut out = vec![vec![0.0; self.0.len()]; NAMES.len()];
        for (at, count) in groups::<V>(self.0.len()) {
            // SAFETY: `at + count` is at most the length of all slices.
            unsafe {
                let x = read::<V>(self.0.as_ptr().add(at), count);
                let values = [x.exp(), x.exp_minus_one(), tanh(x), sigmoid(x), x.round(), x.sqrt()];
                for (out, value) in out.iter_mut().zip(values) {
                    write(value, out.as_mut_ptr().add(at), count);
                }
            }
        }
        out
    }
}

#[test]
fn functions_are_as_accurate_as_f32_allows() {
    let x = arguments();
    let found = f32::run(Isa::detect(), Functions(&x));
    let exact: [fn(f64) -> f64; 4] = [libm::exp, libm::expm1, libm::tanh, |x| 1.0 / (1.0 + libm::exp(-x))];
    // Largest error relative to the value.
    for ((name, found), (exact, bound)) in NAMES.iter().zip(&found).zip(exact.into_iter().zip([1e-7, 2e-7, 3e-7, 2e-7]))
    {
        let mut worst: f64 = 0.0;
        for (x, y) in x.iter().zip(found).filter(|(x, _)| x.abs() <= 86.0) {
            let exact = exact(*x as f64);
            worst = worst.max((*y as f64 - exact).abs() / exact.abs().max(1e-38));
        }
        println!("{name}: {worst:.2e}");
        assert!(worst < bound, "{name} is off by {worst:e}");
    }
    let [last_high, last_low] = [x.len() - 4, x.len() - 3];
    assert_eq!([found[2][last_high], found[2][last_low]], [1.0, -1.0], "tanh of infinities");
    assert!(found[3][last_high] == 1.0 && found[3][last_low] < 1e-37, "sigmoid of infinities");
}

#[test]
fn every_instruction_set_gives_the_bits_of_the_portable_one() {
    let x = arguments();
    let bits = |isa| -> Vec<Vec<u32>> {
        let all = f32::run(isa, Functions(&x));
        all.iter().map(|v| v.iter().map(|x| if x.is_nan() { 1 } else { x.to_bits() }).collect()).collect()
    };
    let portable = bits(Isa::Portable);
    for isa in Isa::available() {
        for ((name, found), expected) in NAMES.iter().zip(bits(isa)).zip(&portable) {
            for ((x, found), expected) in x.iter().zip(&found).zip(expected) {
                assert_eq!(found, expected, "{name}({x:e}) on {isa:?}");
            }
        }
    }
}

#[test]
fn what_is_not_a_number_stays_so() {
    for isa in Isa::available() {
        let found = f32::run(isa, Functions(&[f32::NAN; 19]));
        for (name, values) in NAMES.iter().zip(found) {
            assert!(values.iter().all(|x| x.is_nan()), "{name} on {isa:?}");
        }
    }
}

#[test]
fn every_name_of_an_instruction_set_reads_back() {
    for isa in Isa::ALL {
        assert_eq!(isa.name().parse::<Isa>(), Ok(isa));
    }
    assert!("sve".parse::<Isa>().unwrap_err().contains("choose"));
}
