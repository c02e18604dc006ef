//! State, uploads and rigs.

use super::{Asked, Id};
use crate::error::{Refusal, on_a_thread};
use crate::project::upload::receive;
use crate::protocol::{RigDetail, State as ProjectState, Uploaded};
use crate::studio::Studio;
use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

pub type App = State<Arc<Studio>>;

pub async fn state(State(studio): App) -> Result<Json<ProjectState>, Refusal> {
    on_a_thread(move || Ok(Json(studio.state()))).await
}

#[derive(Deserialize)]
pub struct UploadName {
    name: String,
    folder: Option<String>,
    /// Rig that the clips are moved to; absent: the file becomes a rig of its own.
    onto: Option<String>,
    /// Character that takes these clips on: its rig is from now on the one with them.
    character: Option<String>,
    /// Whether it takes the place of a rig of the same name, whose characters are made again.
    #[serde(default)]
    replace: bool,
}

pub async fn upload(
    State(studio): App,
    Asked(UploadName { name, folder, onto, character, replace }): Asked<UploadName>,
    request: Request,
) -> Result<Json<Uploaded>, Refusal> {
    studio.project.check_upload(&name, folder.as_deref())?;
    let announced = request.headers().get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|value| value.to_str().ok()?.parse().ok());
    let arrived = receive(&studio.project, request.into_body(), announced, studio.largest_upload).await?;
    on_a_thread(move || {
        let uploaded = match &onto {
            Some(onto) => studio.project.keep_clips(&arrived, &name, folder.as_deref(), onto)?,
            None => studio.project.keep_upload(&arrived, &name, folder.as_deref(), replace)?,
        };
        if let (Some(character), Uploaded::Rig { rig, .. }) = (&character, &uploaded) {
            let detail = studio.project.take_clips_of(character, &rig.id)?;
            studio.tell_character(&detail.id, detail.revision);
        }
        if let Uploaded::Rig { replaced: Some(remade), .. } = &uploaded {
            remade.iter().for_each(|made| studio.tell_character(&made.id, made.revision));
        }
        studio.tell_folder();
        Ok(Json(uploaded))
    })
    .await
}

pub async fn rig(State(studio): App, Asked(Id { id }): Asked<Id>) -> Result<Json<RigDetail>, Refusal> {
    on_a_thread(move || studio.project.rig_detail(&id).map(Json)).await
}

pub async fn remove_rig(State(studio): App, Asked(Id { id }): Asked<Id>) -> Result<Json<Value>, Refusal> {
    on_a_thread(move || {
        studio.project.remove_rig(&id)?;
        studio.tell_folder();
        Ok(Json(json!({})))
    })
    .await
}

pub async fn stage(State(studio): App, Asked(Id { id }): Asked<Id>) -> Result<Response, Refusal> {
    let bytes = on_a_thread(move || studio.project.rig_stage(&id)).await?;
    Ok(binary("model/gltf-binary", Bytes::from(bytes)))
}

#[derive(Deserialize)]
pub struct ClipOf {
    id: String,
    clip: String,
}

pub async fn motion(State(studio): App, Asked(ClipOf { id, clip }): Asked<ClipOf>) -> Result<Response, Refusal> {
    let bytes = on_a_thread(move || studio.project.rig_motion(&id, &clip)).await?;
    Ok(binary("application/octet-stream", bytes))
}

/// Bytes of a kind.
pub fn binary(kind: &'static str, bytes: Bytes) -> Response {
    ([(header::CONTENT_TYPE, kind)], Body::from(bytes)).into_response()
}
