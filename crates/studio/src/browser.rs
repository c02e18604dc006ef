//! Opens the browser.

use std::process::{Command, Stdio};

/// Opens an address in the user's browser; whether a program for that was found.
pub fn open(address: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(target_os = "windows") {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let spawned = Command::new(program)
        .args(arguments)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match spawned {
        Ok(mut child) => {
            // Waited for, so that nothing is left of it.
            std::thread::spawn(move || child.wait());
            true
        }
        Err(_) => false,
    }
}
