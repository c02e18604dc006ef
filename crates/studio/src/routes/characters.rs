//! Characters: made, edited, undone, tried.

use super::files::{App, binary};
use super::{Asked, Id, Sent};
use crate::error::{Refusal, on_a_thread};
use crate::protocol::{
    CharacterDetail, CopyRequest, EditRequest, HistoryRequest, MakeRequest, PreflightAnswer, RefitRequest,
    RemakeRequest, ServerMessage, Skin,
};
use crate::studio::Studio;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

type Detail = Result<Json<CharacterDetail>, Refusal>;

pub async fn get(State(studio): App, Asked(Id { id }): Asked<Id>) -> Detail {
    on_a_thread(move || studio.project.character_detail(&id).map(Json)).await
}

/// Does something to a character and tells everybody.
async fn change(
    studio: Arc<Studio>,
    work: impl FnOnce(&Studio) -> Result<CharacterDetail, Refusal> + Send + 'static,
) -> Detail {
    on_a_thread(move || {
        let detail = work(&studio)?;
        studio.tell_character(&detail.id, detail.revision);
        Ok(Json(detail))
    })
    .await
}

pub async fn make(State(studio): App, Sent(request): Sent<MakeRequest>) -> Detail {
    change(studio, move |studio| studio.project.make_character(&request)).await
}

pub async fn copy(State(studio): App, Sent(request): Sent<CopyRequest>) -> Detail {
    change(studio, move |studio| studio.project.copy_character(&request)).await
}

pub async fn edit(State(studio): App, Sent(request): Sent<EditRequest>) -> Detail {
    change(studio, move |studio| studio.project.edit_character(request)).await
}

pub async fn remake(State(studio): App, Sent(request): Sent<RemakeRequest>) -> Detail {
    change(studio, move |studio| studio.project.remake_character(&request)).await
}

pub async fn refit(State(studio): App, Sent(request): Sent<RefitRequest>) -> Detail {
    change(studio, move |studio| studio.project.refit_body(&request)).await
}

pub async fn undo(State(studio): App, Sent(HistoryRequest { id }): Sent<HistoryRequest>) -> Detail {
    change(studio, move |studio| studio.project.undo_character(&id)).await
}

pub async fn redo(State(studio): App, Sent(HistoryRequest { id }): Sent<HistoryRequest>) -> Detail {
    change(studio, move |studio| studio.project.redo_character(&id)).await
}

pub async fn remove(State(studio): App, Asked(Id { id }): Asked<Id>) -> Result<Json<Value>, Refusal> {
    on_a_thread(move || {
        studio.project.remove_character(&id)?;
        studio.tell_folder();
        studio.hub.tell(&ServerMessage::Notice { text: format!("{id} was removed.") });
        Ok(Json(json!({})))
    })
    .await
}

#[derive(Deserialize)]
pub struct Trial {
    id: String,
    #[serde(default)]
    clips: bool,
}

pub async fn preflight(
    State(studio): App,
    Asked(Trial { id, clips }): Asked<Trial>,
) -> Result<Json<PreflightAnswer>, Refusal> {
    on_a_thread(move || studio.project.preflight(&id, clips).map(Json)).await
}

pub async fn skin(State(studio): App, Asked(Id { id }): Asked<Id>) -> Result<Json<Skin>, Refusal> {
    on_a_thread(move || {
        let made = studio.project.character(&id)?;
        let missing = || Refusal::missing(format!("{id}: its rig is not in the project; drop it in"));
        studio.project.skin(&made)?.map(Json).ok_or_else(missing)
    })
    .await
}

#[derive(Deserialize)]
pub struct ClipOn {
    id: String,
    clip: String,
    cycles: Option<usize>,
}

pub async fn motion(
    State(studio): App,
    Asked(ClipOn { id, clip, cycles }): Asked<ClipOn>,
) -> Result<Response, Refusal> {
    let bytes = on_a_thread(move || studio.project.character_motion(&id, &clip, cycles)).await?;
    Ok(binary("application/octet-stream", bytes))
}

pub async fn file(State(studio): App, Asked(Id { id }): Asked<Id>) -> Result<Response, Refusal> {
    on_a_thread(move || {
        let text = studio.project.character(&id)?.to_character().to_toml();
        let name = id.rsplit('/').next().unwrap_or("character.toml").to_owned();
        let attachment = (header::CONTENT_DISPOSITION, attachment(&name));
        Ok(([(header::CONTENT_TYPE, "application/toml".to_owned()), attachment], text).into_response())
    })
    .await
}

/// Lets the browser save under a name, whatever is in it (RFC 6266).
pub fn attachment(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_. ".contains(c) { c } else { '_' }).collect();
    let mut encoded = String::new();
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}")
}
