//! Gradients of at most 32 rows by what went into a layer, in one launch with what follows.

use super::device::Lane;
use super::error::CudaError;
use super::raw::{Argument, Grid, Matrix, Slice};

/// Rows of a weight to a block.
const EACH: usize = 16;

/// A weight, and where the gradient by what it was multiplied with goes.
pub(super) struct Back<'a> {
    pub weight: &'a Matrix,
    pub onto: Onto<'a>,
}

/// Where a gradient goes.
pub(super) enum Onto<'a> {
    /// Rows of numbers.
    Rows(&'a Matrix),
    /// The h of an LSTM layer, whose step is taken back at once.
    Cell(Cell),
}

/// What the step of an LSTM layer is taken back with; see `lstm_backward`.
pub(super) struct Cell {
    pub gates: Slice,
    pub cells: Slice,
    pub cell_tanh: Slice,
    pub by_later: Slice,
    pub by_cell: Slice,
    pub is_last: bool,
}

/// `G·W₁ᵀ` and `G·W₂ᵀ`; either may be left out. The second goes into rows without room between them.
pub(super) fn take_back(
    lane: Lane<'_>,
    gradient: &Matrix,
    first: Option<Back<'_>>,
    second: Option<(&Matrix, &Slice)>,
) -> Result<(), CudaError> {
    let blocks = first.as_ref().map_or(0, |back| back.weight.rows.div_ceil(EACH));
    let blocks_2 = second.map_or(0, |(weight, _)| weight.rows.div_ceil(EACH));
    if blocks + blocks_2 == 0 {
        return Ok(());
    }
    let onto = first.as_ref().map(|back| &back.onto);
    let (out, stride) = match onto {
        Some(Onto::Rows(rows)) => (Argument::from(rows.slice()), rows.stride),
        _ => (Argument::Null, 0),
    };
    let weight = first.as_ref().map(|back| back.weight);
    let weight_stride = weight.map(|w| w.stride).or(second.map(|(w, _)| w.stride)).unwrap_or(0);
    let mut arguments = vec![
        gradient.slice().into(),
        gradient.columns.into(),
        gradient.stride.into(),
        weight.map(|w| w.slice()).into(),
        weight_stride.into(),
        weight.map_or(0, |w| w.rows).into(),
        blocks.into(),
        out,
        stride.into(),
        second.map(|(w, _)| w.slice()).into(),
        second.map(|(_, out)| out).into(),
        second.map_or(0, |(w, _)| w.rows).into(),
        gradient.rows.into(),
    ];
    match onto {
        Some(Onto::Cell(cell)) => {
            let slices = [&cell.gates, &cell.cells, &cell.cell_tanh, &cell.by_later, &cell.by_cell];
            arguments.extend(slices.map(Argument::from));
            arguments.push(usize::from(cell.is_last).into());
        }
        _ => {
            arguments.extend([const { Argument::Null }; 5]);
            arguments.push(0usize.into());
        }
    }
    let grid = Grid { blocks: [blocks + blocks_2, 1], threads: [512, 1], shared_bytes: 0 };
    lane.launch(lane.device().kernels().program(), "back_step", grid, &arguments)
}
