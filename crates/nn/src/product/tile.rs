//! A tile of a product whose sums stay in registers: the inner loop of all training.

use super::Start;
use crate::lanes::{Lanes, read, write};

/// What a tile reads and writes.
pub(super) struct Tile<'a, T> {
    /// Rows, at most [`Lanes::TILE_ROWS`].
    pub height: usize,
    /// Steps of k.
    pub steps: usize,
    /// `height` numbers for each step.
    pub a: *const T,
    /// Two registers for each step.
    pub b: *const T,
    pub start: Start<'a, T>,
    pub c: *mut T,
    /// From one row of C to the next.
    pub stride: usize,
    /// Columns that C has here, at most two registers.
    pub columns: usize,
}

/// Adds `steps` products to the sums of a tile.
///
/// # Safety
/// The pointers reach as far as the sizes say.
#[inline(always)]
pub(super) unsafe fn tile<V: Lanes>(tile: Tile<'_, V::Element>) {
    macro_rules! of_height {
        ($($height:literal)*) => {
            match tile.height {
                // SAFETY: the caller vouches for the pointers.
                $($height if $height <= V::TILE_ROWS => unsafe { fixed::<V, $height>(tile) },)*
                0 => {}
                height => unreachable!("a tile of {height} rows"),
            }
        };
    }
    of_height!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
}

#[inline(always)]
unsafe fn fixed<V: Lanes, const HEIGHT: usize>(tile: Tile<'_, V::Element>) {
    let Tile { steps, mut a, mut b, start, c, stride, columns, .. } = tile;
    let counts = [columns.min(V::COUNT), columns.saturating_sub(V::COUNT)];
    let mut sums = [[V::zero(); 2]; HEIGHT];
    // SAFETY: the caller vouches for all pointers; of the second register only the columns that there are are read and written.
    unsafe {
        match start {
            Start::Zero => {}
            Start::Present => {
                for (i, sums) in sums.iter_mut().enumerate() {
                    let c = c.add(i * stride);
                    *sums = [read(c, counts[0]), read(c.add(counts[0]), counts[1])];
                }
            }
            Start::Row(row) => {
                sums = [[read(row.as_ptr(), counts[0]), read(row.as_ptr().add(counts[0]), counts[1])]; HEIGHT];
            }
        }
        for _ in 0..steps {
            let (b0, b1) = (V::load(b), V::load(b.add(V::COUNT)));
            for (i, sums) in sums.iter_mut().enumerate() {
                let x = V::splat(*a.add(i));
                sums[0] = x.mul_add(b0, sums[0]);
                sums[1] = x.mul_add(b1, sums[1]);
            }
            a = a.add(HEIGHT);
            b = b.add(2 * V::COUNT);
        }
        for (i, sums) in sums.iter().enumerate() {
            let c = c.add(i * stride);
            write(sums[0], c, counts[0]);
            write(sums[1], c.add(counts[0]), counts[1]);
        }
    }
}
