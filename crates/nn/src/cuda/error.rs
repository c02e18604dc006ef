//! Why something cannot be done on a GPU.

/// Why something cannot be done on a GPU.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// The driver's library is not there.
    #[error("this machine has no CUDA driver ({0}); only NVIDIA's GPUs can be used")]
    NoDriver(String),
    /// The driver knows no GPU.
    #[error("the CUDA driver finds no GPU ({0})")]
    NoDevice(String),
    /// A library of the CUDA toolkit is not there.
    #[error(
        "the library {name} of CUDA was not found; install the CUDA toolkit (12 or 13), or name its folder in LD_LIBRARY_PATH"
    )]
    NoLibrary {
        /// Its name.
        name: &'static str,
    },
    /// The GPU's memory is used up.
    #[error("the GPU has no {mebibytes} MiB of memory left; give smaller batches, or end what else runs on it")]
    OutOfMemory {
        /// What was asked for.
        mebibytes: usize,
    },
    /// The GPU no longer answers.
    #[error("the GPU was lost while {doing} ({problem}); what was saved before is still there")]
    Lost {
        /// What it did.
        doing: &'static str,
        /// The driver's name for it.
        problem: String,
    },
    /// The driver or a library refuses.
    #[error("the GPU failed while {doing} ({problem})")]
    Failed {
        /// What it did.
        doing: &'static str,
        /// The driver's name for it.
        problem: String,
    },
    /// A kernel is refused by the compiler.
    #[error(
        "a kernel of the GPU cannot be compiled ({problem}); this is a fault of the program or of an old CUDA, please report it"
    )]
    Compile {
        /// What the compiler says.
        problem: String,
    },
    /// A tensor is missing among the weights.
    #[error("the weights on the GPU have no tensor \"{0}\"; this is a fault of the program, please report it")]
    Missing(String),
}
