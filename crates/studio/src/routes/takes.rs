//! Takes of what is played.

use super::files::App;
use super::results::send;
use super::{Asked, Sent};
use crate::error::{Refusal, on_a_thread};
use crate::protocol::{TakeDetail, TakeRequest};
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

pub async fn save(
    State(studio): App,
    Sent(TakeRequest { session }): Sent<TakeRequest>,
) -> Result<Json<TakeDetail>, Refusal> {
    let ended = |_| Refusal::missing(format!("simulation {session} has ended; start it again"));
    let recording = studio.sessions.recording(session)?.await.map_err(ended)??;
    on_a_thread(move || studio.project.save_take(&recording).map(Json)).await
}

#[derive(Deserialize)]
pub struct FileOf {
    id: String,
    name: String,
}

pub async fn file(State(studio): App, Asked(FileOf { id, name }): Asked<FileOf>) -> Result<Response, Refusal> {
    let path = studio.project.take_file(&id, &name)?;
    send(path, &id, &name, false).await
}
