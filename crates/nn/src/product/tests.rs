use super::*;
use proptest::prelude::*;

/// Numbers with many bits, some of them far apart.
pub(crate) fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f32 / (1u64 << 31) as f32 - 0.5
    };
    (0..count).map(|_| next() * if next() > 0.4 { 300.0 } else { 1.0 }).collect()
}

/// Three plain loops with the fused multiply–add of the language.
fn plain(a: View<'_, f32>, b: View<'_, f32>, mut c: Vec<f32>) -> Vec<f32> {
    let mut column = vec![0.0; a.columns()];
    for j in 0..b.columns() {
        b.pack_columns_into(j, &mut column);
        for i in 0..a.rows() {
            let mut row = vec![0.0; a.columns()];
            a.pack_rows(i, 1, 0, a.columns(), &mut row);
            let sum = &mut c[i * b.columns() + j];
            *sum = row.iter().zip(&column).fold(*sum, |sum, (x, y)| x.mul_add(*y, sum));
        }
    }
    c
}

impl View<'_, f32> {
    fn pack_columns_into(self, column: usize, out: &mut [f32]) {
        self.pack_columns(column, 1, out);
    }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started")
}

/// Every way to compute a product gives the bits of three plain loops.
fn check(rows: usize, depth: usize, columns: usize, transpose: (bool, bool), start: usize, threads: usize) {
    let (a, b) = (numbers(rows * depth, 1 + rows as u64), numbers(depth * columns, 2 + columns as u64));
    let view = |numbers, rows, columns, transposed: bool| {
        if transposed { View::new(numbers, columns, rows).transposed() } else { View::new(numbers, rows, columns) }
    };
    let (a_view, b_view) = (view(&a, rows, depth, transpose.0), view(&b, depth, columns, transpose.1));
    let (present, row) = (numbers(rows * columns, 5), numbers(columns, 6));
    let (start, begun) = match start {
        0 => (Start::Zero, vec![0.0; rows * columns]),
        1 => (Start::Present, present.clone()),
        _ => (Start::Row(&row), row.repeat(rows)),
    };
    let expected = bits(&plain(a_view, b_view, begun));
    for isa in Isa::available() {
        let mut c = present.clone();
        pool(threads).install(|| {
            let mut packed = Packed::new(isa);
            packed.pack(b_view);
            product(isa, a_view, &packed, start, &mut c);
        });
        assert_eq!(bits(&c), expected, "{isa:?}, {threads} threads, {rows} × {depth} × {columns}");
        if transpose == (false, false) {
            let mut c = present.clone();
            pool(threads).install(|| product_of_few_rows(isa, &a, &b, columns, start, &mut c));
            assert_eq!(bits(&c), expected, "few rows, {isa:?}, {rows} × {depth} × {columns}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn bits_are_those_of_three_plain_loops(
        rows in 0..70usize, depth in 0..40usize, columns in 0..140usize,
        transpose in any::<(bool, bool)>(), start in 0..3usize, threads in prop::sample::select(vec![1, 2, 3, 8]),
    ) {
        check(rows, depth, columns, transpose, start, threads);
    }
}

#[test]
fn blocks_of_depth_and_columns_change_no_bit() {
    for threads in [1, 2, 3, 8] {
        check(33, 2 * BLOCK_DEPTH + 3, BLOCK_COLUMNS + 37, (false, false), 2, threads);
        check(300, BLOCK_DEPTH, 45, (true, false), 0, threads);
        check(5, BLOCK_DEPTH + 1, 700, (false, true), 1, threads);
    }
}

#[test]
fn the_f64_reference_is_a_product() {
    let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.5, -1.0, 2.0, 3.0, 0.25]);
    let mut packed = Packed::new(Isa::detect());
    packed.pack(View::new(&b, 3, 2));
    let mut c = [10.0, 20.0, 30.0, 40.0];
    product(Isa::detect(), View::new(&a, 2, 3), &packed, Start::Present, &mut c);
    assert_eq!(c, [10.0 + 8.0, 20.0 + 5.25, 30.0 + 17.0, 40.0 + 13.5]);
}

#[test]
fn every_thread_has_work_where_there_is_enough() {
    let at = |threads: usize, rows: usize, panels: usize| pool(threads).install(|| split(rows, panels));
    assert_eq!(at(1, 1024, 8), [1, 1]);
    assert_eq!(at(2, 1024, 8), [8, 1]);
    assert_eq!(at(2, 256, 8), [4, 1]);
    // Gradients of a layer of 256 units, on many threads.
    let [by_rows, by_panels] = at(16, 256, 8);
    assert!(by_rows * by_panels >= 16, "{by_rows} × {by_panels}");
    assert_eq!(at(16, 3, 40), [1, 10]);
    assert_eq!(at(16, 3, 3), [1, 1]);
}
