//! The Python module `sinew`, as far as it is written in Rust.
//!
//! What enters are the arguments of Python's functions, what leaves are NumPy arrays, files and sentences; the work is done by the façade. The package around it is `python/sinew`.
//! Start reading at `batch.rs` for views on memory that Rust writes, and at `long_work.rs` for progress and Ctrl-C.

mod arguments;
mod batch;
mod character;
mod error;
mod long_work;
mod play;
mod results;
mod rows;

/// The part of `sinew` that is written in Rust; import `sinew` instead.
#[pyo3::pymodule]
mod _sinew {
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::character::{Character, Joint};
    #[pymodule_export]
    use crate::error::Error;
    #[pymodule_export]
    use crate::long_work::Progress;
    #[pymodule_export]
    use crate::play::{Action, Event, Package, Player};
    #[pymodule_export]
    use crate::results::{Front, search_front, train_policy, transfer_clip};

    /// Version of the program.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
