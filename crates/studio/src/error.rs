//! Refusals: a status and one sentence.

use crate::protocol::ErrorAnswer;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// Why a request was refused.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// HTTP status.
    pub status: StatusCode,
    /// One sentence.
    pub sentence: String,
}

impl Refusal {
    /// The request or the file is wrong.
    pub fn bad(sentence: impl Into<String>) -> Refusal {
        Refusal { status: StatusCode::BAD_REQUEST, sentence: sentence.into() }
    }
    /// There is no such thing.
    pub fn missing(sentence: impl Into<String>) -> Refusal {
        Refusal { status: StatusCode::NOT_FOUND, sentence: sentence.into() }
    }
    /// It has changed meanwhile or is in use.
    pub fn conflict(sentence: impl Into<String>) -> Refusal {
        Refusal { status: StatusCode::CONFLICT, sentence: sentence.into() }
    }
    /// The request did not come in time.
    pub fn late(sentence: impl Into<String>) -> Refusal {
        Refusal { status: StatusCode::REQUEST_TIMEOUT, sentence: sentence.into() }
    }
    /// A fault of ours.
    pub fn fault(sentence: impl Into<String>) -> Refusal {
        Refusal { status: StatusCode::INTERNAL_SERVER_ERROR, sentence: sentence.into() }
    }
}

impl From<anyhow::Error> for Refusal {
    fn from(error: anyhow::Error) -> Refusal {
        Refusal::bad(format!("{error:#}"))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(ErrorAnswer { error: self.sentence })).into_response()
    }
}

/// Does work that takes time on a thread of its own; a panic there becomes a refusal.
///
/// # Errors
/// What the work says, or that it broke down.
pub async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(_) => Err(Refusal::fault("this broke down inside the program; the server goes on, please report it")),
    }
}
