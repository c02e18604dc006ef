//! Bodies of requests that come in time: one that stands still, or drips in for ever, is given up.

use axum::body::Body;
use futures_util::{StreamExt, stream};
use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Slowest pace of a body once its patience is used up, bytes per second.
const SLOWEST: f64 = 65536.0;

/// The same body, which fails with [`ErrorKind::TimedOut`] where it brings nothing for as long as `patience`, or where after `t` seconds fewer than
/// `SLOWEST · (t − patience)` bytes have come.
pub fn paced(body: Body, patience: Duration) -> Body {
    let began = Instant::now();
    let pieces = stream::try_unfold((body.into_data_stream(), 0), move |(mut pieces, count)| async move {
        let pace = began + patience + Duration::from_secs_f64(count as f64 / SLOWEST);
        match timeout_at(pace.min(Instant::now() + patience), pieces.next()).await {
            Ok(Some(Ok(piece))) => {
                let count = count + piece.len() as u64;
                Ok(Some((piece, (pieces, count))))
            }
            Ok(Some(Err(error))) => Err(io::Error::other(error)),
            Ok(None) => Ok(None),
            Err(_) => Err(ErrorKind::TimedOut.into()),
        }
    });
    Body::from_stream(pieces)
}

/// Whether a body failed because it did not come in time.
pub fn is_late(error: &(dyn Error + 'static)) -> bool {
    let is_timeout = error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::TimedOut);
    is_timeout || error.source().is_some_and(is_late)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    /// Pieces of `size` bytes, one every `pause_ms`; returns how many came and whether it was given up.
    async fn comes(size: usize, pause_ms: u64, count: usize) -> (usize, bool) {
        let pieces = stream::unfold(0, move |index| async move {
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
            (index < count).then(|| (Ok::<_, io::Error>(Bytes::from(vec![0; size])), index + 1))
        });
        let mut body = paced(Body::from_stream(pieces), Duration::from_secs(10)).into_data_stream();
        let mut came = 0;
        loop {
            match body.next().await {
                Some(Ok(_)) => came += 1,
                Some(Err(error)) => return (came, is_late(&error)),
                None => return (came, false),
            }
        }
    }

    /// The clock stands still but for sleeping.
    #[tokio::test(start_paused = true)]
    async fn what_stands_still_or_drips_is_given_up() {
        assert_eq!(comes(65536, 900, 100).await, (100, false), "slow, but fast enough");
        assert_eq!(comes(1, 900, 100).await, (11, true), "drips");
        assert_eq!(comes(1 << 20, 11_000, 3).await, (0, true), "stands still");
        assert_eq!(comes(1 << 20, 9_000, 20).await, (20, false), "large pieces with pauses");
    }
}
