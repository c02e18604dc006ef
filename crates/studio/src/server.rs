//! The server: listens on loopback, looks at the folder now and then, ends cleanly.

use crate::guard::guard;
use crate::routes::routes;
use crate::studio::Studio;
use anyhow::{Context, Result};
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::serve::ListenerExt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// How often the folder is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);

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
        Ok(Server { listener, port })
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
    /// Where the listener breaks.
    pub async fn serve(self, studio: Arc<Studio>, end: impl Future<Output = ()>) -> Result<()> {
        let port = self.port;
        let watcher = tokio::spawn(watch_folder(studio.clone()));
        let router = routes(studio.clone())
            .layer(middleware::from_fn(move |request: Request, next: Next| guard(port, request, next)));
        // Frames are small and must not wait for more.
        let listener = self.listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        // Sockets stay open for ever: what is under way when the end comes is cut off; everything is saved at any time.
        let served = tokio::select! {
            served = axum::serve(listener, router).into_future() => served.context("the server broke down"),
            () = end => Ok(()),
        };
        watcher.abort();
        studio.close();
        served
    }
}

async fn watch_folder(studio: Arc<Studio>) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let studio = studio.clone();
        // A look that breaks down is made again.
        let _ = tokio::task::spawn_blocking(move || studio.look()).await;
    }
}
