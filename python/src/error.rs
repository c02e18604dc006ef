//! The exception of the module: one sentence that says what to do, as the libraries write them.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use std::fmt::Display;

pyo3::create_exception!(
    sinew,
    Error,
    PyException,
    "Something could not be done. The message is one sentence that names the file, clip, joint or value, and says what to change."
);

/// The exception of an error.
pub(crate) fn raised(error: impl Display) -> PyErr {
    Error::new_err(error.to_string())
}

/// Turns the errors of the libraries into exceptions.
pub(crate) trait OrRaise<T> {
    /// The same result, with an exception as the error.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Display> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(raised)
    }
}

/// The exception of a fault in the program itself, by what was thrown.
pub(crate) fn fault(thrown: &(dyn std::any::Any + Send)) -> PyErr {
    let text = thrown.downcast_ref::<String>().map(String::as_str).or_else(|| thrown.downcast_ref().copied());
    raised(format!("a fault in the program ended the work ({}); please report it", text.unwrap_or("no message")))
}
