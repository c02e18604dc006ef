//! The product of matrices, `C = start + A·B`, where networks spend nearly all their time.
//!
//! Every number of C is one chain of fused multiply–adds over k = 0, 1, 2, …, in this order:
//! `c ← fma(a[i][k], b[k][j], c)`. Blocks of k load C and go on with it, and blocks of rows and columns are independent, so that the bits do not
//! depend on lanes, blocks or threads: they are those of three plain loops. B is packed first (`packed.rs`), tiles of A on the way (`tile.rs`).

mod packed;
mod rows;
mod tile;
mod view;

pub use packed::Packed;
pub use view::View;

use crate::lanes::{Isa, Lanes, Real, Work};
use crate::parallel::{Shared, bound, for_each, parts};
use tile::{Tile, tile};

/// Steps of k in one block: a tile of A with so many stays in the first-level cache.
pub(crate) const BLOCK_DEPTH: usize = 256;
/// Columns of B in one block: with `BLOCK_DEPTH` rows they stay in the second-level cache.
const BLOCK_COLUMNS: usize = 512;
/// The most rows that a tile has on any instruction set.
const MOST_ROWS: usize = 14;
/// Below so many rows, B is read where it lies.
pub(crate) const FEW_ROWS: usize = 4;

/// What the sums of a product begin with.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a, T> {
    /// 0.
    Zero,
    /// What C holds already.
    Present,
    /// The same row of numbers for every row of C.
    Row(&'a [T]),
}

/// `C = start + A·B` for a packed B. C lies row by row without gaps.
///
/// # Panics
/// If the sizes do not fit each other.
pub fn product<T: Real>(isa: Isa, a: View<'_, T>, b: &Packed<T>, start: Start<'_, T>, c: &mut [T]) {
    let (rows, columns) = (a.rows(), b.columns());
    assert_eq!(a.columns(), b.depth(), "columns of A and rows of B");
    assert_eq!(c.len(), rows * columns, "size of C");
    assert_eq!(b.isa(), isa, "B is packed for another instruction set");
    if let Start::Row(row) = start {
        assert_eq!(row.len(), columns, "length of the row that sums begin with");
    }
    let c = Shared::new(c);
    let panels = b.panels();
    let [by_rows, by_panels] = split(rows, panels);
    for_each(by_rows * by_panels, |part| {
        let (row, panel) = (part / by_panels, part % by_panels);
        let range = |items, count, index| [bound(items, count, index), bound(items, count, index + 1)];
        let (rows, panels) = (range(rows, by_rows, row), range(panels, by_panels, panel));
        T::run(isa, Block { a, b, start, c, rows, panels });
    });
}

/// Into how many parts rows and panels are split for the threads of the pool: one of both where that gives every thread two parts, else both.
fn split(rows: usize, panels: usize) -> [usize; 2] {
    let (by_rows, by_panels) = (parts(rows, 4 * MOST_ROWS), parts(panels, 4));
    let enough = 2 * rayon::current_num_threads();
    if by_rows.max(by_panels) >= enough {
        return if by_rows >= by_panels { [by_rows, 1] } else { [1, by_panels] };
    }
    // Lower parts pack more of A for each product.
    let by_rows = if by_rows * by_panels >= enough { by_rows } else { parts(rows, 2 * MOST_ROWS) };
    [by_rows, by_panels.min(enough.div_ceil(by_rows))]
}

/// `C = start + A·B` for a B that is read where it lies, for few rows of A: the same bits as [`product`].
///
/// # Panics
/// If the sizes do not fit each other.
pub fn product_of_few_rows<T: Real>(isa: Isa, a: &[T], b: &[T], columns: usize, start: Start<'_, T>, c: &mut [T]) {
    rows::product(isa, a, b, columns, start, c);
}

/// Some rows and panels of a product.
struct Block<'a, T> {
    a: View<'a, T>,
    b: &'a Packed<T>,
    start: Start<'a, T>,
    c: Shared<T>,
    rows: [usize; 2],
    panels: [usize; 2],
}

impl<T: Real> Work<T> for Block<'_, T> {
    type Outcome = ();

    #[inline(always)]
    fn run<V: Lanes<Element = T>>(self) {
        let Block { a, b, start, c, rows: [first_row, end_row], panels: [first_panel, end_panel] } = self;
        let (depth, columns, width) = (b.depth(), b.columns(), 2 * V::COUNT);
        let rows = end_row - first_row;
        let tiles = rows.div_ceil(V::TILE_ROWS);
        let mut packed_a = [T::default(); MOST_ROWS * BLOCK_DEPTH];
        let mut panel_block = first_panel;
        while panel_block < end_panel {
            let panel_end = (panel_block + BLOCK_COLUMNS / width).min(end_panel);
            // A product of no steps still writes what it starts with.
            for from in (0..depth.max(1)).step_by(BLOCK_DEPTH) {
                let steps = (depth - from).min(BLOCK_DEPTH);
                for index in 0..tiles {
                    // Rows are shared out evenly: 32 become 11 + 11 + 10, not 14 + 14 + 4.
                    let row = first_row + bound(rows, tiles, index);
                    let height = first_row + bound(rows, tiles, index + 1) - row;
                    a.pack_rows(row, height, from, steps, &mut packed_a);
                    for panel in panel_block..panel_end {
                        let column = panel * width;
                        // SAFETY: the tile lies within C, which no other part writes there; the packed A and B have `steps` steps from here on.
                        unsafe {
                            tile::<V>(Tile {
                                height,
                                steps,
                                a: packed_a.as_ptr(),
                                b: b.panel(panel, from),
                                start: match start {
                                    _ if from > 0 => Start::Present,
                                    Start::Row(row) => Start::Row(&row[column..]),
                                    other => other,
                                },
                                c: c.start().add(row * columns + column),
                                stride: columns,
                                columns: (columns - column).min(width),
                            });
                        }
                    }
                }
            }
            panel_block = panel_end;
        }
    }
}

#[cfg(test)]
mod tests;
