//! Changes of clips.

use super::files::App;
use super::{Asked, Sent};
use crate::error::{Refusal, on_a_thread};
use crate::protocol::{ClipEditRequest, ClipEdited, ClipRef, RigDetail};
use crate::studio::Studio;
use axum::Json;
use axum::extract::State;
use std::sync::Arc;

pub async fn edit(State(studio): App, Sent(request): Sent<ClipEditRequest>) -> Result<Json<ClipEdited>, Refusal> {
    on_a_thread(move || {
        let (rig, clip) = studio.project.edit_clip(request)?;
        studio.tell_folder();
        Ok(Json(ClipEdited { clip, rig }))
    })
    .await
}

async fn change(
    studio: Arc<Studio>,
    work: impl FnOnce(&Studio) -> Result<RigDetail, Refusal> + Send + 'static,
) -> Result<Json<RigDetail>, Refusal> {
    on_a_thread(move || {
        let rig = work(&studio)?;
        studio.tell_folder();
        Ok(Json(rig))
    })
    .await
}

pub async fn undo(State(studio): App, Sent(of): Sent<ClipRef>) -> Result<Json<RigDetail>, Refusal> {
    change(studio, move |studio| studio.project.turn_back_clip(&of, false)).await
}

pub async fn redo(State(studio): App, Sent(of): Sent<ClipRef>) -> Result<Json<RigDetail>, Refusal> {
    change(studio, move |studio| studio.project.turn_back_clip(&of, true)).await
}

pub async fn remove(State(studio): App, Asked(of): Asked<ClipRef>) -> Result<Json<RigDetail>, Refusal> {
    change(studio, move |studio| studio.project.remove_clip(&of)).await
}
