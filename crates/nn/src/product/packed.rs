//! The right-hand matrix of a product, copied into the order in which tiles read it.

use super::View;
use crate::lanes::{Isa, Lanes, Real, Work};
use crate::parallel::{Shared, bound, for_each, parts};

/// A matrix in panels of as many columns as a tile has: panel by panel, row by row; the last panel is filled up with 0.
#[derive(Clone, Debug)]
pub struct Packed<T> {
    numbers: Vec<T>,
    isa: Isa,
    depth: usize,
    columns: usize,
    /// Columns of a panel.
    width: usize,
    /// Which values it was packed from; see `Parameter`.
    version: u64,
}

impl<T: Real> Packed<T> {
    /// An empty matrix.
    pub fn new(isa: Isa) -> Packed<T> {
        Packed { numbers: Vec::new(), isa, depth: 0, columns: 0, width: 1, version: 0 }
    }

    /// Takes the numbers of another matrix; allocates only where it needs more room than before.
    pub fn pack(&mut self, b: View<'_, T>) {
        struct Width;
        impl<T> Work<T> for Width {
            type Outcome = usize;
            #[inline(always)]
            fn run<V: Lanes<Element = T>>(self) -> usize {
                2 * V::COUNT
            }
        }
        self.width = T::run(self.isa, Width);
        (self.depth, self.columns, self.version) = (b.rows(), b.columns(), 0);
        let size = self.depth * self.width;
        let panels = self.panels();
        self.numbers.resize(panels * size, T::default());
        let numbers = Shared::new(&mut self.numbers);
        let (width, count) = (self.width, parts(panels, 4));
        for_each(count, |part| {
            for panel in bound(panels, count, part)..bound(panels, count, part + 1) {
                // SAFETY: every panel is packed by one part.
                let out = unsafe { numbers.part(panel * size, (panel + 1) * size) };
                b.pack_columns(panel * width, width, out);
            }
        });
    }

    /// Takes the numbers of another matrix, unless it holds those of this version already. Versions are never 0.
    pub(crate) fn update(&mut self, b: View<'_, T>, version: u64) {
        if self.version != version || self.depth != b.rows() {
            self.pack(b);
            self.version = version;
        }
    }

    /// How many rows the matrix has.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// How many columns the matrix has.
    pub fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn isa(&self) -> Isa {
        self.isa
    }

    pub(super) fn panels(&self) -> usize {
        self.columns.div_ceil(self.width)
    }

    /// Where row `from` of a panel begins.
    #[inline(always)]
    pub(super) fn panel(&self, panel: usize, from: usize) -> *const T {
        self.numbers[(panel * self.depth + from) * self.width..].as_ptr()
    }
}
