//! One file for each command of the binary.

pub mod bench_rig;
pub mod bench_sim;
pub mod demo;
pub mod edit;
pub mod export;
pub mod inspect;
pub mod model;
pub mod simulate;

use anyhow::{Context, Result};
use sinew::sim::atomic_write::atomic_write;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// Prints text; a reader that has gone, as in `sinew inspect hero.glb | head`, is no error.
fn show(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("cannot write to standard output"),
        _ => Ok(()),
    }
}

/// Writes a file, whole or not at all, and says so unless the output is for a machine.
fn write(path: &Path, bytes: &[u8], is_quiet: bool) -> Result<()> {
    atomic_write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    if !is_quiet {
        show(&format!("wrote {}\n", path.display()))?;
    }
    Ok(())
}
