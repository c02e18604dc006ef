//! One step of an LSTM cell for some rows, and its gradient (Hochreiter & Schmidhuber 1997, with the forget gate of Gers et al. 2000).
//!
//! Of the sums z = x·Wx + h·Wh + b, in four parts of as many numbers as there are hidden units:
//! `i = σ(z_i)`, `f = σ(z_f)`, `g = tanh(z_g)`, `o = σ(z_o)`, `c' = f·c + i·g`, `h' = o·tanh(c')`.

use crate::lanes::{Isa, Lanes, Real, Work, groups, read, sigmoid, tanh, write};
use crate::parallel::{Shared, bound, for_each, parts};

/// Hidden units that are worth another part.
const PART: usize = 4096;

/// What a step reads and writes, row by row.
pub(crate) struct Step<'a, T> {
    pub hidden: usize,
    /// z, and afterwards i, f, g, o.
    pub gates: &'a mut [T],
    /// c
    pub cells: &'a [T],
    /// c'
    pub new_cells: &'a mut [T],
    /// tanh(c')
    pub cell_tanh: &'a mut [T],
    /// h'
    pub output: &'a mut [T],
}

pub(crate) fn forward<T: Real>(isa: Isa, step: Step<'_, T>) {
    let Step { hidden, gates, cells, new_cells, cell_tanh, output } = step;
    let rows = cells.len() / hidden;
    assert!(gates.len() == 4 * cells.len() && [&*new_cells, cell_tanh, output].iter().all(|s| s.len() == cells.len()));
    let (gates, all) = (Shared::new(gates), [new_cells, cell_tanh, output].map(Shared::new));
    let count = parts(cells.len(), PART).min(rows.max(1));
    for_each(count, |part| {
        let (from, to) = (bound(rows, count, part) * hidden, bound(rows, count, part + 1) * hidden);
        // SAFETY: every part has rows of its own.
        let (gates, [new_cells, cell_tanh, output]) =
            unsafe { (gates.part(4 * from, 4 * to), all.map(|all| all.part(from, to))) };
        let step = Step { hidden, gates, cells: &cells[from..to], new_cells, cell_tanh, output };
        T::run(isa, step);
    });
}

impl<T: Real> Work<T> for Step<'_, T> {
    type Outcome = ();
    #[inline(always)]
    fn run<V: Lanes<Element = T>>(self) {
        let hidden = self.hidden;
        for row in 0..self.cells.len() / hidden {
            let gates = self.gates[row * 4 * hidden..][..4 * hidden].as_mut_ptr();
            let cells = self.cells[row * hidden..][..hidden].as_ptr();
            let [new_cells, cell_tanh, output] = [&mut *self.new_cells, &mut *self.cell_tanh, &mut *self.output]
                .map(|slice| slice[row * hidden..][..hidden].as_mut_ptr());
            for (at, count) in groups::<V>(hidden) {
                // SAFETY: `at + count` is at most the number of hidden units, and every row has so many, the gates four times.
                unsafe {
                    let gate = |k: usize| gates.add(k * hidden + at);
                    let i = sigmoid(read::<V>(gate(0), count));
                    let f = sigmoid(read::<V>(gate(1), count));
                    let g = tanh(read::<V>(gate(2), count));
                    let o = sigmoid(read::<V>(gate(3), count));
                    let c = f.mul_add(read(cells.add(at), count), i * g);
                    let t = tanh(c);
                    for (k, value) in [i, f, g, o].into_iter().enumerate() {
                        write(value, gate(k), count);
                    }
                    write(c, new_cells.add(at), count);
                    write(t, cell_tanh.add(at), count);
                    write(o * t, output.add(at), count);
                }
            }
        }
    }
}

/// What the gradient of a step reads and writes, row by row.
pub(crate) struct BackStep<'a, T> {
    pub hidden: usize,
    /// i, f, g, o, and afterwards the gradient by z.
    pub gates: &'a mut [T],
    /// c
    pub cells: &'a [T],
    /// tanh(c')
    pub cell_tanh: &'a [T],
    /// Gradient by h'.
    pub output_gradient: &'a [T],
    /// Gradient by c' from later steps, and afterwards that by c.
    pub cell_gradient: &'a mut [T],
}

pub(crate) fn backward<T: Real>(isa: Isa, step: BackStep<'_, T>) {
    let BackStep { hidden, gates, cells, cell_tanh, output_gradient, cell_gradient } = step;
    let rows = cells.len() / hidden;
    assert!(gates.len() == 4 * cells.len());
    assert!([cell_tanh, output_gradient, &*cell_gradient].iter().all(|s| s.len() == cells.len()));
    let (gates, cell_gradient) = (Shared::new(gates), Shared::new(cell_gradient));
    let count = parts(cells.len(), PART).min(rows.max(1));
    for_each(count, |part| {
        let (from, to) = (bound(rows, count, part) * hidden, bound(rows, count, part + 1) * hidden);
        // SAFETY: every part has rows of its own.
        let (gates, cell_gradient) = unsafe { (gates.part(4 * from, 4 * to), cell_gradient.part(from, to)) };
        let [cells, cell_tanh, output_gradient] = [cells, cell_tanh, output_gradient].map(|all| &all[from..to]);
        T::run(isa, BackStep { hidden, gates, cells, cell_tanh, output_gradient, cell_gradient });
    });
}

impl<T: Real> Work<T> for BackStep<'_, T> {
    type Outcome = ();
    #[inline(always)]
    fn run<V: Lanes<Element = T>>(self) {
        let (hidden, one) = (self.hidden, V::constant(1.0));
        for row in 0..self.cells.len() / hidden {
            let gates = self.gates[row * 4 * hidden..][..4 * hidden].as_mut_ptr();
            let cell_gradient = self.cell_gradient[row * hidden..][..hidden].as_mut_ptr();
            let [cells, cell_tanh, output_gradient] =
                [self.cells, self.cell_tanh, self.output_gradient].map(|s| s[row * hidden..][..hidden].as_ptr());
            for (at, count) in groups::<V>(hidden) {
                // SAFETY: `at + count` is at most the number of hidden units, and every row has so many, the gates four times.
                unsafe {
                    let gate = |k: usize| gates.add(k * hidden + at);
                    let (i, f) = (read::<V>(gate(0), count), read::<V>(gate(1), count));
                    let (g, o) = (read::<V>(gate(2), count), read::<V>(gate(3), count));
                    let t = read::<V>(cell_tanh.add(at), count);
                    let by_output = read::<V>(output_gradient.add(at), count);
                    // ∂L/∂c' = later steps + ∂L/∂h'·o·(1 − tanh²)
                    let by_cell = (by_output * o).mul_add((-t).mul_add(t, one), read(cell_gradient.add(at), count));
                    let by_sums = [
                        (by_cell * g) * (i * (one - i)),
                        (by_cell * read(cells.add(at), count)) * (f * (one - f)),
                        (by_cell * i) * (-g).mul_add(g, one),
                        (by_output * t) * (o * (one - o)),
                    ];
                    for (k, value) in by_sums.into_iter().enumerate() {
                        write(value, gate(k), count);
                    }
                    write(by_cell * f, cell_gradient.add(at), count);
                }
            }
        }
    }
}
