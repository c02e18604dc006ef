//! The whole program: project, server, browser, and the end.

use crate::fronts::AllFronts;
use crate::project::packages::PACKAGE;
use crate::server::Server;
use crate::studio::{LARGEST_UPLOAD, Studio};
use crate::{browser, page};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::sync::Arc;

/// The port that is tried first, so that the page has the same address, and browsers what they remember of it, from day to day.
pub const USUAL_PORT: u16 = 8377;

/// How the studio is started.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folder of the project.
    pub folder: PathBuf,
    /// Port; 0 for any that is free, none for the usual one or, where that is taken, any that is free.
    pub port: Option<u16>,
    /// Whether the browser is opened.
    pub opens_browser: bool,
    /// Threads of a job; 0 for one on each core.
    pub threads: usize,
}

/// Serves until Ctrl-C; `tell` gets lines for the terminal.
///
/// # Errors
/// Where the program was built without the page, the folder cannot be used, or the port is taken.
pub fn run(options: &Options, tell: &dyn Fn(&str)) -> Result<()> {
    if let Some(why) = page::missing() {
        bail!("{why}");
    }
    // Few threads: the machine's cores are for simulation.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.context("the system starts no threads")?;
    let outcome = runtime.block_on(async {
        let server = match options.port {
            Some(port) => Server::bind(port).await?,
            None => match Server::bind(USUAL_PORT).await {
                Ok(server) => server,
                Err(_) => Server::bind(0).await?,
            },
        };
        let studio = Studio::open(&options.folder, Arc::new(AllFronts), LARGEST_UPLOAD, options.threads)?;
        // A package is there to be played.
        let is_package = options.folder.join(PACKAGE).is_file();
        let address = if is_package { format!("{}#/play", server.address()) } else { server.address() };
        tell(&format!("studio of {} at {address}", options.folder.display()));
        if options.opens_browser && !browser::open(&address) {
            tell("no browser was found to open; open that address yourself");
        }
        tell("press Ctrl-C to end; everything is saved at any time");
        server.serve(Arc::new(studio), ended()).await
    });
    // A job in the middle of a window goes on from its checkpoint next time.
    runtime.shutdown_background();
    outcome?;
    tell("ended; jobs go on from where they were when the studio is opened again");
    Ok(())
}

/// Ctrl-C, or the signal with which a system ends programs.
async fn ended() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut term) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = term.recv() => {}
            }
            return;
        }
    }
    // Where no signals can be listened to, the system ends the program itself.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
