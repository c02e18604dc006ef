//! Refusals: a status and one sentence.

use crate::protocol::ErrorAnswer;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use sinew::transfer::TransferError;
use sinew::{ClipError, MotionError};

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
    /// A fault of ours.
    pub fn fault(sentence: impl Into<String>) -> Refusal {
        Refusal { status: StatusCode::INTERNAL_SERVER_ERROR, sentence: sentence.into() }
    }
}

impl From<anyhow::Error> for Refusal {
    fn from(error: anyhow::Error) -> Refusal {
        let advice = error.chain().find_map(|cause| match cause.downcast_ref::<TransferError>() {
            Some(error) => advice_of_transfer(error),
            None => advice(cause.downcast_ref()?),
        });
        Refusal::bad(advised(format!("{error:#}"), advice))
    }
}

impl From<sinew::Error> for Refusal {
    fn from(error: sinew::Error) -> Refusal {
        Refusal::bad(advised(error.to_string(), advice(&error)))
    }
}

/// A sentence with what the page's user can do.
fn advised(sentence: String, advice: Option<&str>) -> String {
    match advice {
        Some(advice) => format!("{sentence} ({advice})"),
        None => sentence,
    }
}

/// What the page's user can do about an error of the library, which knows nothing of the page.
fn advice(error: &sinew::Error) -> Option<&'static str> {
    match error.cause() {
        sinew::Error::Clip(ClipError::None { .. }) => Some("drop a rig with clips into the project"),
        sinew::Error::Clip(ClipError::Several { .. }) => Some("choose it from the list of clips"),
        sinew::Error::Clip(ClipError::NoCycle { .. } | ClipError::NoCycles) => Some("set Cycles to 1"),
        sinew::Error::Motion(MotionError::NoCycle { .. }) => Some("transfer it again with more Cycles"),
        sinew::Error::Transfer(error) => advice_of_transfer(error),
        _ => None,
    }
}

fn advice_of_transfer(error: &TransferError) -> Option<&'static str> {
    match error {
        TransferError::TooShort { .. } => Some("set more Cycles"),
        TransferError::NoAssist { .. } => Some("untick \"With help from outside\""),
        TransferError::OtherRun { .. } | TransferError::Checkpoint { .. } => Some("cancel this job and start it again"),
        _ => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_library_say_what_can_be_clicked() {
        let several = ClipError::Several { file: "hero".into(), names: vec!["walk".into(), "run".into()] };
        let sentence = Refusal::from(sinew::Error::from(several)).sentence;
        assert_eq!(sentence, "hero has several clips: `walk`, `run`; name one (choose it from the list of clips)");
        let other = anyhow::Error::from(TransferError::OtherRun { what: "seed" }).context("the transfer");
        let sentence = Refusal::from(other).sentence;
        assert!(sentence.ends_with("or start anew (cancel this job and start it again)"), "{sentence}");
        assert_eq!(Refusal::from(anyhow::anyhow!("something else")).sentence, "something else");
    }
}
