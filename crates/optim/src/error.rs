//! What can be wrong with the input of an optimiser.

use thiserror::Error;

/// Why an optimiser refuses its input; each message names the field or the count, and says what to do.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum OptimError {
    /// A start without coordinates.
    #[error("the start has no coordinates; give at least one")]
    EmptyStart,
    /// A list that has not one entry for each coordinate.
    #[error("`{field}` has {got} entries, but the problem has {expected} coordinates; give one entry each")]
    WrongDimension {
        /// Which list.
        field: &'static str,
        /// Entries that it has.
        got: usize,
        /// Entries that it needs.
        expected: usize,
    },
    /// `tell` received another number of values than `ask` gave points.
    #[error("{got} values were told for {expected} points; tell one value for each point, in the order of `ask`")]
    WrongValueCount {
        /// Values told.
        got: usize,
        /// Points asked.
        expected: usize,
    },
    /// `tell` was called before `ask`.
    #[error("values were told before points were asked; call `ask` first")]
    TellBeforeAsk,
    /// A number that cannot be used.
    #[error("`{field}` is {value}{}; {advice}", coordinate.map(|i| format!(" at coordinate {i}")).unwrap_or_default())]
    BadNumber {
        /// Which field.
        field: &'static str,
        /// Its index in a list, if it is one.
        coordinate: Option<usize>,
        /// The number.
        value: f64,
        /// What to do about it.
        advice: &'static str,
    },
    /// A pair of bounds that leaves no room.
    #[error("the bounds of coordinate {coordinate} are [{lower}, {upper}]; the lower must be less than the upper")]
    BadBounds {
        /// Index of the coordinate.
        coordinate: usize,
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
    },
    /// A start outside the bounds.
    #[error("the start is {value} at coordinate {coordinate}, outside its bounds [{lower}, {upper}]; move it inside")]
    StartOutOfBounds {
        /// Index of the coordinate.
        coordinate: usize,
        /// The start there.
        value: f64,
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
    },
}
