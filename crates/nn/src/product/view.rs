//! A matrix that lies in a slice, as it is or transposed.

use crate::lanes::Real;

/// A matrix in a slice: number (i, j) lies at `i · row_stride + j · column_stride`.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T> {
    numbers: &'a [T],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a, T: Real> View<'a, T> {
    /// A matrix that lies row by row without gaps.
    ///
    /// # Panics
    /// If the slice does not hold `rows · columns` numbers.
    pub fn new(numbers: &'a [T], rows: usize, columns: usize) -> View<'a, T> {
        assert_eq!(numbers.len(), rows * columns, "numbers of a matrix of {rows} × {columns}");
        View { numbers, rows, columns, row_stride: columns, column_stride: 1 }
    }

    /// Its transpose, in the same slice.
    pub fn transposed(self) -> View<'a, T> {
        View {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }

    /// How many rows it has.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// How many columns it has.
    pub fn columns(self) -> usize {
        self.columns
    }

    /// Copies `height` rows and `steps` columns, column by column: out[k · height + i] = (row + i, from + k).
    #[inline(always)]
    pub(super) fn pack_rows(self, row: usize, height: usize, from: usize, steps: usize, out: &mut [T]) {
        assert!(row + height <= self.rows && from + steps <= self.columns && height * steps <= out.len());
        if steps == 0 {
            return;
        }
        let source = self.numbers[row * self.row_stride + from * self.column_stride..].as_ptr();
        let out = out.as_mut_ptr();
        if self.column_stride == 1 {
            // A cache line of every row at a time: rows that lie a power of two apart push each other out of the cache.
            const TOGETHER: usize = 16;
            let mut first = 0;
            while first < steps {
                let end = (first + TOGETHER).min(steps);
                for i in 0..height {
                    for k in first..end {
                        // SAFETY: (row + i, from + k) lies in the matrix, and `out` has room for all of them.
                        unsafe { *out.add(k * height + i) = *source.add(i * self.row_stride + k) };
                    }
                }
                first = end;
            }
            return;
        }
        for k in 0..steps {
            for i in 0..height {
                // SAFETY: as above.
                unsafe {
                    *out.add(k * height + i) = *source.add(i * self.row_stride + k * self.column_stride);
                }
            }
        }
    }

    /// Copies `width` columns from `column` on, row by row; columns beyond the last are 0.
    #[inline(always)]
    pub(super) fn pack_columns(self, column: usize, width: usize, out: &mut [T]) {
        let present = (self.columns - column).min(width);
        assert_eq!(out.len(), self.rows * width);
        if self.rows == 0 || present == 0 {
            return;
        }
        let source = self.numbers[column * self.column_stride..].as_ptr();
        if self.column_stride == 1 {
            for (k, out) in out.chunks_exact_mut(width).enumerate() {
                // SAFETY: row k has `present` numbers from `column` on.
                let row = unsafe { std::slice::from_raw_parts(source.add(k * self.row_stride), present) };
                out[..present].copy_from_slice(row);
                out[present..].fill(T::default());
            }
            return;
        }
        // Some rows of the transpose at a time, so that what is read lies together.
        const TOGETHER: usize = 16;
        for (block, out) in out.chunks_mut(width * TOGETHER).enumerate() {
            let (first, rows) = (block * TOGETHER, out.len() / width);
            for j in 0..width {
                for i in 0..rows {
                    out[i * width + j] = if j < present {
                        // SAFETY: (first + i, column + j) lies in the matrix.
                        unsafe { *source.add((first + i) * self.row_stride + j * self.column_stride) }
                    } else {
                        T::default()
                    };
                }
            }
        }
    }
}
