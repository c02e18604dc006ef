//! The server: listens on loopback, gives up on clients that do not go on, looks at the folder now and then, ends cleanly.

use crate::guard::guard;
use crate::pace::paced;
use crate::routes::routes;
use crate::stall::Taken;
use crate::studio::Studio;
use anyhow::{Context, Result};
use axum::Router;
use axum::extract::Request;
use axum::middleware::{self, Next};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// How often the folder is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Most connections at once that are no web sockets; more wait to be taken.
const MOST_CONNECTIONS: usize = 256;
/// Pause after the system has refused a connection, for instance because too many files are open.
const REFUSED_PAUSE: Duration = Duration::from_secs(1);

/// How long a client may take before it is given up.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the head of a request, counted from the connection or from the last answer.
    pub head: Duration,
    /// Between two pieces of a body; what takes longer on the whole has to come at 64 KiB a second.
    pub body: Duration,
    /// For taking the next bytes of an answer.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        let usual = Duration::from_secs(30);
        Patience { head: usual, body: usual, answer: usual }
    }
}

/// The port cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("port {port} cannot be opened ({error}); another studio may have it, choose another port")]
pub struct PortError {
    /// The port that was asked for.
    pub port: u16,
    /// What the system says.
    pub error: std::io::Error,
}

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    port: u16,
    patience: Patience,
}

impl Server {
    /// Takes a port on loopback; 0 for any that is free.
    ///
    /// # Errors
    /// Where the port is taken.
    pub async fn bind(port: u16) -> Result<Server> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await;
        let listener = listener.map_err(|error| PortError { port, error })?;
        let port = listener.local_addr().context("the system does not say which port was opened")?.port();
        Ok(Server { listener, port, patience: Patience::default() })
    }

    /// The same server with another patience.
    pub fn with_patience(self, patience: Patience) -> Server {
        Server { patience, ..self }
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Serves until `end` comes.
    ///
    /// # Errors
    /// None so far: a connection that breaks ends alone.
    pub async fn serve(self, studio: Arc<Studio>, end: impl Future<Output = ()>) -> Result<()> {
        let Server { listener, port, patience } = self;
        let watcher = tokio::spawn(watch_folder(studio.clone()));
        let router = routes(studio.clone()).layer(middleware::from_fn(move |request: Request, next: Next| {
            guard(port, request.map(|body| paced(body, patience.body)), next)
        }));
        // Sockets stay open for ever: what is under way when the end comes is cut off; everything is saved at any time.
        tokio::select! {
            () = accept(listener, router, patience) => {}
            () = end => {}
        }
        watcher.abort();
        studio.close();
        Ok(())
    }
}

/// Takes connections for ever, each served by a task of its own.
async fn accept(listener: TcpListener, router: Router, patience: Patience) {
    let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    // The semaphore is never closed.
    while let Ok(permit) = permits.clone().acquire_owned().await {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // A client that has gone meanwhile is no trouble of ours.
                if !matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset) {
                    tokio::time::sleep(REFUSED_PAUSE).await;
                }
                continue;
            }
        };
        let router = router.clone();
        tokio::spawn(async move {
            converse(stream, router, patience).await;
            drop(permit);
        });
    }
}

/// Answers the requests of a connection, until it becomes a web socket or ends.
async fn converse(stream: TcpStream, router: Router, patience: Patience) {
    // Frames are small and must not wait for more; where that cannot be set, they wait.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience.head);
    let stream = TokioIo::new(Taken::new(stream, patience.answer));
    let connection = http.serve_connection(stream, TowerToHyperService::new(router));
    // A connection that breaks is the client's affair.
    let _ = connection.with_upgrades().await;
}

async fn watch_folder(studio: Arc<Studio>) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let studio = studio.clone();
        // A look that breaks down is made again.
        let _ = tokio::task::spawn_blocking(move || studio.look()).await;
    }
}
