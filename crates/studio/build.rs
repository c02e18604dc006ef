//! Bundles the page in `web/` with Vite where npm is there, and embeds its files; where it is not, the program says what to install.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is never copied: made from the rest.
const MADE: [&str; 3] = ["node_modules", "dist", ".vite"];

fn main() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=SINEW_STUDIO_PAGE");
    let text = match bundle(&out) {
        Ok(folder) => embedded(&folder),
        Err(why) => {
            println!("cargo:warning=built without the studio's page: {why}");
            // Looks again at the next build: npm may have come.
            println!("cargo:rerun-if-changed={}", out.join("never-there").display());
            let why = format!(
                "this sinew was built without the studio's page, because {why}; install Node.js 20 or newer with npm, connect to the network once, and build again"
            );
            format!("static FILES: &[(&str, &[u8])] = &[];\nconst MISSING: Option<&str> = Some({why:?});\n")
        }
    };
    if let Err(error) = fs::write(out.join("page_files.rs"), text) {
        println!("cargo:warning=cannot write the list of the page's files: {error}");
    }
}

/// Copies `web/` and bundles it there, so that nothing is written beside the sources; gives the folder of the bundle.
fn bundle(out: &Path) -> Result<PathBuf, String> {
    let web = Path::new("web");
    println!("cargo:rerun-if-changed=web/package-lock.json");
    if std::env::var_os("SINEW_STUDIO_PAGE").is_some_and(|value| value == "skip") {
        return Err("SINEW_STUDIO_PAGE=skip was set".into());
    }
    let work = out.join("web");
    let copied = copy(web, &work).map_err(|e| format!("web/ cannot be copied ({e})"))?;
    // What is no longer in web/ must not be bundled.
    remove_others(&work, &work, &copied).map_err(|e| format!("an old file cannot be removed ({e})"))?;
    let lock = fs::read(web.join("package-lock.json")).map_err(|e| format!("package-lock.json is missing ({e})"))?;
    let installed = work.join("node_modules/.installed");
    if fs::read(&installed).is_ok_and(|old| old == lock) {
        npm(&work, &["run", "build"])?;
    } else {
        npm(&work, &["ci", "--no-fund", "--no-audit", "--prefer-offline"])?;
        npm(&work, &["run", "build"])?;
        // Only spares time: where it cannot be written, the next change installs again.
        let _ = fs::write(&installed, &lock);
    }
    Ok(work.join("dist"))
}

fn npm(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.map_err(|_| "npm was not found".to_owned())?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().map(str::trim).find(|line| line.to_lowercase().contains("error"));
    Err(format!("npm {} failed ({})", arguments[0], line.or(text.lines().last()).unwrap_or("no message")))
}

/// Copies a folder; gives the files that it holds now.
fn copy(from: &Path, to: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut copied = Vec::new();
    fs::create_dir_all(to)?;
    println!("cargo:rerun-if-changed={}", from.display());
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if MADE.iter().any(|made| name == *made) {
            continue;
        }
        let target = to.join(&name);
        if entry.file_type()?.is_dir() {
            copied.extend(copy(&entry.path(), &target)?);
        } else {
            let bytes = fs::read(entry.path())?;
            if fs::read(&target).ok().as_ref() != Some(&bytes) {
                fs::write(&target, bytes)?;
            }
            copied.push(target);
        }
    }
    Ok(copied)
}

fn remove_others(top: &Path, folder: &Path, kept: &[PathBuf]) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_made = folder == top && MADE.iter().any(|made| path.ends_with(made));
        if is_made {
            continue;
        }
        if path.is_dir() {
            remove_others(top, &path, kept)?;
        } else if !kept.contains(&path) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Source text that embeds all files of a folder, by name.
fn embedded(folder: &Path) -> String {
    let mut files = Vec::new();
    list(folder, "", &mut files);
    files.sort();
    let mut text = "static FILES: &[(&str, &[u8])] = &[\n".to_owned();
    for (name, path) in &files {
        // Writing to a string does not fail.
        let _ = writeln!(text, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    text + "];\nconst MISSING: Option<&str> = None;\n"
}

fn list(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => list(&entry.path(), &format!("{name}/"), files),
            false => files.push((name, entry.path())),
        }
    }
}
