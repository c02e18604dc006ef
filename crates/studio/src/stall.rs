//! A connection whose client takes what is sent: one that does not for too long is given up.

use std::future::Future;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream whose writing fails with [`ErrorKind::TimedOut`] where nothing of it is taken for as long as `patience`.
pub struct Taken<S> {
    stream: S,
    patience: Duration,
    /// When it is given up; none while the client takes what comes.
    until: Option<Pin<Box<Sleep>>>,
}

impl<S> Taken<S> {
    /// Watches a stream.
    pub fn new(stream: S, patience: Duration) -> Taken<S> {
        Taken { stream, patience, until: None }
    }

    /// Lets the time run while the client takes nothing.
    fn watch<T>(&mut self, context: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.until = None;
            return polled;
        }
        let until = self.until.get_or_insert_with(|| Box::pin(sleep(self.patience)));
        until.as_mut().poll(context).map(|()| Err(ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Taken<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Taken<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.watch(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        self.watch(context, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watch(context, polled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// The clock stands still but for sleeping.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_given_up() {
        let patience = Duration::from_secs(10);
        let (server, mut client) = tokio::io::duplex(16);
        let mut server = Taken::new(server, patience);
        // One that takes a little now and then is served to the end.
        let slow = tokio::spawn(async move {
            let mut taken = [0; 10];
            for _ in 0..10 {
                sleep(Duration::from_secs(9)).await;
                client.read_exact(&mut taken).await.expect("bytes");
            }
            client
        });
        server.write_all(&[7; 100]).await.expect("taken");
        let _client = slow.await.expect("read");
        let error = server.write_all(&[7; 100]).await.expect_err("given up");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }
}
