//! One file for each command of the binary.

pub mod bench_control;
pub mod bench_rig;
pub mod bench_scaling;
pub mod bench_sim;
pub mod bring;
pub mod edit;
pub mod export;
pub mod feedback;
pub mod inspect;
pub mod jump;
pub mod learn;
pub mod learn_drive;
pub mod learn_export;
pub mod learn_generator;
pub mod learn_tracker;
pub mod live;
pub mod model;
pub mod pareto;
pub mod play;
pub mod replay;
pub mod retarget;
pub mod simulate;
pub mod studio;
pub mod transfer;

use anyhow::{Context, Result, bail};
use sinew::sim::atomic_write::atomic_write;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Prints text; a reader that has gone, as in `sinew inspect hero.glb | head`, is no error.
pub fn show(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("cannot write to standard output"),
        _ => Ok(()),
    }
}

/// Refuses outputs that would fall on the input or on each other, or whose names end otherwise than what they hold.
fn check_outputs(input: Option<&Path>, outputs: &[(&str, Option<&PathBuf>, &[&str])]) -> Result<()> {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let mut taken: Vec<PathBuf> = input.iter().map(|path| real(path)).collect();
    for (option, path, endings) in outputs {
        let Some(path) = path else { continue };
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let is_plain = !path.exists() || path.is_file();
        if is_plain && !endings.contains(&ending.as_str()) {
            bail!("{option} {}: end the name in .{}", path.display(), endings.join(" or ."));
        }
        if is_plain && taken.contains(&real(path)) {
            bail!("{option} {}: that file is also the input or another output; give another name", path.display());
        }
        taken.push(real(path));
    }
    Ok(())
}

/// Writes a file, whole or not at all, and says so unless the output is for a machine.
fn write(path: &Path, bytes: &[u8], is_quiet: bool) -> Result<()> {
    atomic_write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    if !is_quiet {
        show(&format!("wrote {}\n", path.display()))?;
    }
    Ok(())
}
