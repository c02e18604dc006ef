//! The queue.

use super::files::{App, binary};
use super::{Asked, Sent};
use crate::error::{Refusal, on_a_thread};
use crate::protocol::{Job, JobRef, JobRequest, Skin};
use crate::studio::Studio;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};
use std::sync::Arc;

pub async fn get(State(studio): App, Asked(JobRef { id }): Asked<JobRef>) -> Result<Json<Job>, Refusal> {
    studio.jobs.get(id).map(Json)
}

pub async fn submit(State(studio): App, Sent(request): Sent<JobRequest>) -> Result<Json<Job>, Refusal> {
    on_a_thread(move || studio.jobs.submit(request).map(Json)).await
}

async fn turn(
    studio: Arc<Studio>,
    id: u64,
    how: impl FnOnce(&Studio, u64) -> Result<Job, Refusal> + Send + 'static,
) -> Result<Json<Job>, Refusal> {
    on_a_thread(move || how(&studio, id).map(Json)).await
}

pub async fn pause(State(studio): App, Sent(JobRef { id }): Sent<JobRef>) -> Result<Json<Job>, Refusal> {
    turn(studio, id, |studio, id| studio.jobs.pause(id)).await
}

pub async fn resume(State(studio): App, Sent(JobRef { id }): Sent<JobRef>) -> Result<Json<Job>, Refusal> {
    turn(studio, id, |studio, id| studio.jobs.resume(id)).await
}

pub async fn cancel(State(studio): App, Sent(JobRef { id }): Sent<JobRef>) -> Result<Json<Job>, Refusal> {
    turn(studio, id, |studio, id| studio.jobs.cancel(id)).await
}

pub async fn remove(State(studio): App, Asked(JobRef { id }): Asked<JobRef>) -> Result<Json<Value>, Refusal> {
    on_a_thread(move || studio.jobs.remove(id).map(|()| Json(json!({})))).await
}

pub async fn motion(State(studio): App, Asked(JobRef { id }): Asked<JobRef>) -> Result<Response, Refusal> {
    let bytes = on_a_thread(move || studio.jobs.motion(id, false)).await?;
    Ok(binary("application/octet-stream", bytes))
}

pub async fn skin(State(studio): App, Asked(JobRef { id }): Asked<JobRef>) -> Result<Json<Skin>, Refusal> {
    on_a_thread(move || studio.jobs.skin(id).map(Json)).await
}

pub async fn target(State(studio): App, Asked(JobRef { id }): Asked<JobRef>) -> Result<Response, Refusal> {
    let bytes = on_a_thread(move || studio.jobs.motion(id, true)).await?;
    Ok(binary("application/octet-stream", bytes))
}
