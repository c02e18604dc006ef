//! The product of few rows with a matrix that is read where it lies, once for each row of A and in its own order.

use super::Start;
use crate::lanes::{Isa, Lanes, Real, Work, groups, read, write};
use crate::parallel::{Shared, bound, for_each, parts};

/// Numbers of B that are worth another part.
const PART: usize = 1 << 18;

/// `C = start + A·B`; all three lie row by row.
pub(super) fn product<T: Real>(isa: Isa, a: &[T], b: &[T], columns: usize, start: Start<'_, T>, c: &mut [T]) {
    if columns == 0 {
        return;
    }
    let depth = b.len() / columns;
    let rows = c.len() / columns;
    assert_eq!((b.len(), c.len(), a.len()), (depth * columns, rows * columns, rows * depth), "sizes of a product");
    match start {
        Start::Zero => c.fill(T::default()),
        Start::Present => {}
        Start::Row(row) => c.chunks_exact_mut(columns).for_each(|c| c.copy_from_slice(row)),
    }
    let c = Shared::new(c);
    let count = parts(b.len(), PART);
    for_each(rows * count, |part| {
        let (row, part) = (part / count, part % count);
        let (from, to) = (bound(columns, count, part), bound(columns, count, part + 1));
        // SAFETY: every part writes columns of its own.
        let c = unsafe { c.part(row * columns + from, row * columns + to) };
        T::run(isa, Row { a: &a[row * depth..][..depth], b: &b[from..], stride: columns, c });
    });
}

/// Some columns of one row of C.
struct Row<'a, T> {
    a: &'a [T],
    b: &'a [T],
    stride: usize,
    c: &'a mut [T],
}

impl<T: Real> Work<T> for Row<'_, T> {
    type Outcome = ();

    #[inline(always)]
    fn run<V: Lanes<Element = T>>(self) {
        let Row { a, b, stride, c } = self;
        // Eight rows of B at a time, so that C is read and written rarely; the sums go on in the order of k.
        const TOGETHER: usize = 8;
        let (blocks, rest) = a.as_chunks::<TOGETHER>();
        for (block, a) in blocks.iter().enumerate() {
            accumulate::<V, TOGETHER>(a, &b[block * TOGETHER * stride..], stride, c);
        }
        let done = a.len() - rest.len();
        for (k, a) in rest.iter().enumerate() {
            accumulate::<V, 1>(&[*a], &b[(done + k) * stride..], stride, c);
        }
    }
}

#[inline(always)]
fn accumulate<V: Lanes, const STEPS: usize>(
    a: &[V::Element; STEPS],
    b: &[V::Element],
    stride: usize,
    c: &mut [V::Element],
) {
    assert!(b.len() >= (STEPS - 1) * stride + c.len());
    let a = a.map(V::splat);
    let (b, length, c) = (b.as_ptr(), c.len(), c.as_mut_ptr());
    for (at, count) in groups::<V>(length) {
        // SAFETY: `at + count` is at most the length of C, and B has so many numbers in each of its rows here.
        unsafe {
            let mut sum = read::<V>(c.add(at), count);
            for (k, a) in a.iter().enumerate() {
                sum = a.mul_add(read(b.add(k * stride + at), count), sum);
            }
            write(sum, c.add(at), count);
        }
    }
}
