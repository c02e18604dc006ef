use super::*;

#[test]
fn sine_and_cosine_are_within_two_units_of_the_last_place_scale() {
    for i in -40_000..40_000 {
        let x = i as f32 * 0.0137;
        let (s, c) = F32x4::splat(x).sin_cos();
        let (es, ec) = (x as f64).sin_cos();
        assert!((s.get(0) - es).abs() < 2e-7, "sin {x}: {} for {es}", s.get(0));
        assert!((c.get(3) - ec).abs() < 2e-7, "cos {x}: {} for {ec}", c.get(3));
    }
}

#[test]
fn rounding_is_to_even() {
    let values = [0.5, 1.5, -2.5, 3.49];
    let expected = [0.0, 2.0, -2.0, 3.0];
    for (x, e) in values.into_iter().zip(expected) {
        assert_eq!(F32x4::splat(x).round().get(0), e);
    }
}

#[test]
fn every_name_of_an_instruction_set_reads_back() {
    for isa in Isa::ALL {
        assert_eq!(isa.name().parse::<Isa>(), Ok(isa));
    }
    assert!("sve".parse::<Isa>().unwrap_err().contains("choose"));
}

/// Numbers of all kinds: awkward ones, any bit pattern, and everyday sizes.
fn operands(count: usize, mut seed: u64) -> Vec<f32> {
    const AWKWARD: [f32; 20] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MIN_POSITIVE,
        1e-40,
        -1e-45,
        f32::MAX,
        f32::MIN,
        f32::EPSILON,
        0.5,
        -0.5,
        -0.3,
        2.5,
        4_194_303.5,
        8_388_607.5,
        -16_777_217.0,
    ];
    (0..count)
        .map(|_| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let r = (seed >> 32) as u32;
            match r % 5 {
                0 => AWKWARD[(r / 5) as usize % AWKWARD.len()],
                1 => f32::from_bits(r.rotate_left(7)),
                2 => (r as f32 / u32::MAX as f32 - 0.5) * 2e4,
                3 => f32::from_bits(r & 0x807f_ffff),
                _ => f32::from_bits((r & 0x807f_ffff) | ((120 + (r >> 23) % 16) << 23)),
            }
        })
        .collect()
}

fn load<V: Lanes>(values: &[f32]) -> V {
    let mut v = V::zero();
    values.iter().enumerate().for_each(|(lane, &x)| v.set(lane, x as f64));
    v
}

const OPERATIONS: [&str; 25] = [
    "+",
    "-",
    "*",
    "/",
    "neg",
    "mul_add",
    "neg_mul_add",
    "sqrt",
    "abs",
    "min",
    "max",
    "clamp",
    "round",
    "select",
    "sin",
    "cos",
    "lt",
    "and",
    "or",
    "and_not",
    "from_bits",
    "splat",
    "zero",
    "constant",
    "any",
];

/// The bits of every operation's result, by operation and then by element; all quiet NaNs count as one.
fn results<V: Lanes<Scalar = f32>>(a: &[f32], b: &[f32], c: &[f32]) -> Vec<Vec<u32>> {
    let mut out = vec![Vec::new(); OPERATIONS.len()];
    let one = V::constant(1.0);
    for i in (0..a.len()).step_by(V::COUNT) {
        let [x, y, z] = [a, b, c].map(|s| load::<V>(&s[i..i + V::COUNT]));
        let (less, more) = (x.lt(y), y.lt(z));
        let ones = |mask| V::select(mask, one, V::zero());
        // Which lanes these bits name depends on the lane's place in 16, not on the back-end.
        let pattern = 0b1011_0010_0111_0001u32 >> (i % 16);
        let (sine, cosine) = x.sin_cos();
        let values = [
            x + y,
            x - y,
            x * y,
            x / y,
            -x,
            x.mul_add(y, z),
            x.neg_mul_add(y, z),
            x.sqrt(),
            x.abs(),
            x.min(y),
            x.max(y),
            x.clamp(y, z),
            x.round(),
            V::select(less, y, z),
            sine,
            cosine,
            ones(less),
            ones(V::and(less, more)),
            ones(V::or(less, more)),
            ones(V::and_not(less, more)),
            ones(V::from_bits(pattern)),
            V::splat(3.25),
            V::zero(),
            V::constant(0.1),
            if V::any(V::and_not(less, less)) { V::zero() } else { one },
        ];
        for ((out, v), name) in out.iter_mut().zip(values).zip(OPERATIONS) {
            let is_trigonometric = matches!(name, "sin" | "cos");
            out.extend((0..V::COUNT).map(|lane| {
                let x = v.get(lane) as f32;
                // −0 plus 0 is 0: the sign of zero may depend on the neighbours in the sine, and is taken out when it is stored.
                let x = if is_trigonometric { x + 0.0 } else { x };
                if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }
            }));
        }
        // Masks read back as bits.
        let expected = (0..V::COUNT).fold(0, |bits, k| bits | ((a[i + k] < b[i + k]) as u32) << k);
        assert_eq!(V::bits(less), expected);
    }
    out
}

fn assert_same(name: &str, found: &[Vec<u32>], expected: &[Vec<u32>], [a, b, c]: [&[f32]; 3]) {
    for ((operation, found), expected) in OPERATIONS.iter().zip(found).zip(expected) {
        for (i, (f, e)) in found.iter().zip(expected).enumerate() {
            let (shown, wanted) = (f32::from_bits(*f), f32::from_bits(*e));
            assert_eq!(f, e, "{name} {operation} of {:e}, {:e}, {:e}: {shown:e}, not {wanted:e}", a[i], b[i], c[i]);
        }
    }
}

#[test]
fn every_back_end_gives_the_bits_of_the_portable_one() {
    let [a, b, c] = [1, 2, 3].map(|seed| operands(96_000, seed));
    let all = [&a[..], &b, &c];
    let portable = results::<F32x4>(&a, &b, &c);
    #[cfg(target_arch = "aarch64")]
    assert_same("neon", &results::<NeonF32x4>(&a, &b, &c), &portable, all);
    #[cfg(target_arch = "x86_64")]
    {
        if Isa::Avx2.is_available() {
            assert_same("avx2", &results::<F32x8>(&a, &b, &c), &portable, all);
        }
        if Isa::Avx512.is_available() {
            assert_same("avx512", &results::<F32x16>(&a, &b, &c), &portable, all);
        }
    }
    // And the portable one those of the language, where it has the operation.
    type Plain = fn(f32, f32, f32) -> f32;
    let plain: [(&str, Plain); 9] = [
        ("+", |x, y, _| x + y),
        ("-", |x, y, _| x - y),
        ("*", |x, y, _| x * y),
        ("/", |x, y, _| x / y),
        ("mul_add", f32::mul_add),
        ("neg_mul_add", |x, y, z| (-x).mul_add(y, z)),
        ("sqrt", |x, _, _| x.sqrt()),
        ("abs", |x, _, _| x.abs()),
        ("round", |x, _, _| x.round_ties_even()),
    ];
    for (name, operation) in plain {
        let at = OPERATIONS.iter().position(|o| *o == name).expect("listed");
        for (i, &found) in portable[at].iter().enumerate() {
            let expected = operation(a[i], b[i], c[i]);
            let expected = if expected.is_nan() { f32::NAN } else { expected };
            assert_eq!(found, expected.to_bits(), "{name} of {:e}, {:e}, {:e}", a[i], b[i], c[i]);
        }
    }
}

#[test]
fn where_either_is_not_a_number_the_second_operand_is_taken() {
    fn check<V: Lanes<Scalar = f32>>() {
        let (nan, one) = (V::splat(f32::NAN), V::splat(1.0));
        for (found, is_nan) in
            [(nan.min(one), false), (one.min(nan), true), (nan.max(one), false), (one.max(nan), true)]
        {
            assert!((0..V::COUNT).all(|lane| found.get(lane).is_nan() == is_nan));
        }
        let (zero, minus) = (V::splat(0.0), V::splat(-0.0));
        assert!(zero.min(minus).get(0).is_sign_negative() && minus.min(zero).get(0).is_sign_positive());
        assert!(!V::any(nan.lt(one)) && !V::any(one.lt(nan)));
    }
    check::<F32x4>();
    #[cfg(target_arch = "aarch64")]
    check::<NeonF32x4>();
    #[cfg(target_arch = "x86_64")]
    {
        if Isa::Avx2.is_available() {
            check::<F32x8>();
        }
        if Isa::Avx512.is_available() {
            check::<F32x16>();
        }
    }
}

/// Denormal numbers are neither flushed to zero nor read as zero, on this thread and on those of the pool.
#[test]
fn denormals_are_kept() {
    fn check<V: Lanes<Scalar = f32>>() {
        let tiny = V::splat(f32::from_bits(3));
        let half = V::splat(std::hint::black_box(0.5));
        assert_eq!((tiny * half).get(0) as f32, f32::from_bits(2));
        assert_eq!((tiny + tiny).get(0) as f32, f32::from_bits(6));
        assert_eq!(tiny.mul_add(half, tiny).get(0) as f32, f32::from_bits(4));
        let normal = V::splat(std::hint::black_box(f32::MIN_POSITIVE));
        assert_eq!((normal * half).get(V::COUNT - 1) as f32, f32::MIN_POSITIVE / 2.0);
    }
    fn check_all() {
        check::<F32x4>();
        #[cfg(target_arch = "aarch64")]
        check::<NeonF32x4>();
        #[cfg(target_arch = "x86_64")]
        {
            let mut csr = 0u32;
            // SAFETY: stores the control register of SSE, which every x86-64 has, into a word of its size.
            unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &mut csr, options(nostack, preserves_flags)) };
            assert_eq!(csr & 0xe040, 0, "rounding to nearest, no flush to zero, denormals read as they are: {csr:#x}");
            if Isa::Avx2.is_available() {
                check::<F32x8>();
            }
            if Isa::Avx512.is_available() {
                check::<F32x16>();
            }
        }
    }
    check_all();
    rayon::broadcast(|_| check_all());
}
