//! The HTTP routes of `PROTOCOL.md`.

mod characters;
mod clips;
mod files;
mod jobs;
mod results;
mod takes;

use crate::error::Refusal;
use crate::pace::is_late;
use crate::studio::Studio;
use crate::{page, socket};
use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::IntoResponse;
use axum::routing::{delete, get, post};
pub(crate) use files::App;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Longest JSON body, bytes.
const LONGEST_JSON: usize = 1 << 20;

/// All routes.
pub fn routes(studio: Arc<Studio>) -> Router {
    let api = Router::new()
        .route("/state", get(files::state))
        .route("/upload", post(files::upload).layer(DefaultBodyLimit::disable()))
        .route("/rig", get(files::rig).delete(files::remove_rig))
        .route("/rig/stage.glb", get(files::stage))
        .route("/rig/motion", get(files::motion))
        .route("/clip", delete(clips::remove))
        .route("/clip/edit", post(clips::edit))
        .route("/clip/undo", post(clips::undo))
        .route("/clip/redo", post(clips::redo))
        .route("/character", get(characters::get).post(characters::make).delete(characters::remove))
        .route("/character/copy", post(characters::copy))
        .route("/character/edit", post(characters::edit))
        .route("/character/remake", post(characters::remake))
        .route("/character/refit", post(characters::refit))
        .route("/character/undo", post(characters::undo))
        .route("/character/redo", post(characters::redo))
        .route("/character/preflight", get(characters::preflight))
        .route("/character/skin", get(characters::skin))
        .route("/character/motion", get(characters::motion))
        .route("/character/file", get(characters::file))
        .route("/job", get(jobs::get).post(jobs::submit).delete(jobs::remove))
        .route("/job/motion", get(jobs::motion))
        .route("/job/skin", get(jobs::skin))
        .route("/job/target", get(jobs::target))
        .route("/job/pause", post(jobs::pause))
        .route("/job/resume", post(jobs::resume))
        .route("/job/cancel", post(jobs::cancel))
        .route("/result", get(results::get).delete(results::remove))
        .route("/result/motion", get(results::motion))
        .route("/result/skin", get(results::skin))
        .route("/result/file", get(results::file))
        .route("/take", post(takes::save))
        .route("/take/file", get(takes::file))
        .route("/fronts", get(results::fronts))
        .route("/front", get(results::front))
        .route("/socket", get(socket::upgrade))
        .fallback(unknown)
        .method_not_allowed_fallback(unknown)
        .layer(DefaultBodyLimit::max(LONGEST_JSON))
        .with_state(studio.clone());
    let files = Router::new().route("/{*path}", get(results::linked)).with_state(studio);
    Router::new().nest("/api", api).nest("/files", files).fallback(get(page::serve))
}

async fn unknown() -> impl IntoResponse {
    Refusal::missing("there is no such route; the page and the server are of different versions, load it again")
}

/// An id in the query.
#[derive(Deserialize)]
pub(crate) struct Id {
    pub id: String,
}

/// A query, refused with one sentence.
pub(crate) struct Asked<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Refusal;
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        query
            .map(|Query(asked)| Asked(asked))
            .map_err(|e| Refusal::bad(format!("the request is incomplete: {}", e.body_text())))
    }
}

/// A JSON body, refused with one sentence.
pub(crate) struct Sent<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Sent<T> {
    type Rejection = Refusal;
    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        let bytes = bytes::Bytes::from_request(request, state).await.map_err(|e| match e.status() {
            StatusCode::PAYLOAD_TOO_LARGE => {
                Refusal { status: e.status(), sentence: "the request is longer than a megabyte".into() }
            }
            _ if is_late(&e) => Refusal::late("the request did not come to its end in time; try again"),
            status => Refusal { status, sentence: "the request broke off; try again".into() },
        })?;
        serde_json::from_slice(&bytes)
            .map(Sent)
            .map_err(|e| Refusal::bad(format!("the request is not what this route reads: {e}")))
    }
}
