//! `sinew studio`: the page on which characters are shown, edited and simulated.

use super::show;
use anyhow::Result;
use clap::Args;
use sinew_studio::Options;
use std::path::PathBuf;

/// Options of `sinew studio`.
#[derive(Args)]
pub struct Studio {
    /// Folder of the project: rigs, characters and results as plain files; made where it is not there
    #[arg(value_name = "PROJECT_DIR", default_value = "sinew-project")]
    folder: PathBuf,
    /// Port on this machine; 0 for any that is free; left out, 8377 or, where that is taken, any that is free
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Opens no browser; prints the address only
    #[arg(long)]
    no_open: bool,
    /// Threads of a transfer; 0 for one on each core; the result is the same for every number
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

impl Studio {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        let Studio { folder, port, no_open, threads } = self;
        let options = Options { folder, port, opens_browser: !no_open, threads };
        // A terminal that has gone is no reason to end.
        sinew_studio::run(&options, &|line| drop(show(&format!("{line}\n"))))
    }
}
