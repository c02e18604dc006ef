//! Kernels, compiled by NVRTC for the GPU that is there.

use super::error::CudaError;
use super::raw::{Argument, Grid, failed, launch};
use cudarc::driver::{CudaContext, CudaFunction, CudaStream};
use cudarc::nvrtc::{CompileError, CompileOptions, compile_ptx_with_opts};
use std::collections::HashMap;
use std::sync::Arc;

/// Compiled kernels by their names.
pub struct Program {
    functions: HashMap<&'static str, CudaFunction>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} kernels", self.functions.len())
    }
}

impl Program {
    pub(super) fn new(context: &Arc<CudaContext>, source: &str, names: &[&'static str]) -> Result<Program, CudaError> {
        let (major, minor) = context.compute_capability().map_err(failed("compiling kernels"))?;
        let options = vec![format!("--gpu-architecture=compute_{major}{minor}")];
        let options = CompileOptions { options, ..CompileOptions::default() };
        let compiled = compile_ptx_with_opts(source, options).map_err(|error| CudaError::Compile {
            problem: match error {
                CompileError::CompileError { log, .. } => log.to_string_lossy().trim().replace('\n', "; "),
                other => format!("{other:?}"),
            },
        })?;
        let module = context.load_module(compiled).map_err(failed("loading kernels"))?;
        let function =
            |name: &&'static str| Ok((*name, module.load_function(name).map_err(failed("loading kernels"))?));
        Ok(Program { functions: names.iter().map(function).collect::<Result<_, CudaError>>()? })
    }

    pub(super) fn launch(
        &self,
        name: &str,
        stream: &CudaStream,
        grid: Grid,
        arguments: &[Argument],
    ) -> Result<(), CudaError> {
        let function = self.functions.get(name).unwrap_or_else(|| panic!("no kernel {name}"));
        launch(function, stream, grid, arguments)
    }
}

/// The kernels of networks; all sources are compiled as one.
pub(super) struct Kernels(Program);

/// Sources and names of the kernels of networks.
const SOURCES: [&str; 6] = [
    include_str!("kernels/activation.cu"),
    include_str!("kernels/lstm_cell.cu"),
    include_str!("kernels/adam.cu"),
    include_str!("kernels/loss.cu"),
    include_str!("kernels/rows.cu"),
    include_str!("kernels/few_rows.cu"),
];
const NAMES: [&str; 15] = [
    "add_bias_and_activate",
    "derive_and_sum",
    "sum_parts",
    "lstm_forward",
    "lstm_backward",
    "sum_squares",
    "prepare_step",
    "adam",
    "squared_error",
    "sum_numbers",
    "gather_rows",
    "normalise_rows",
    "lstm_step",
    "dense_step",
    "back_step",
];

impl Kernels {
    /// Compiles them; products of few rows are exact in 32 bits, or have factors rounded to TF32.
    pub fn new(context: &Arc<CudaContext>, is_exact: bool) -> Result<Kernels, CudaError> {
        let source = format!("#define EXACT {}\n{}", u8::from(is_exact), SOURCES.concat());
        Ok(Kernels(Program::new(context, &source, &NAMES)?))
    }

    pub fn program(&self) -> &Program {
        &self.0
    }
}
