//! One file for each command of the binary.

pub mod bench_sim;
pub mod demo;
pub mod edit;
pub mod inspect;
pub mod model;
pub mod simulate;

use anyhow::{Context, Result};
use sinew::sim::atomic_write::atomic_write;
use std::path::Path;

/// Writes a file, whole or not at all, and says so unless the output is for a machine.
fn write(path: &Path, bytes: &[u8], is_quiet: bool) -> Result<()> {
    atomic_write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    if !is_quiet {
        println!("wrote {}", path.display());
    }
    Ok(())
}
