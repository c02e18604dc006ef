//! Results, their files, and fronts.

use super::characters::attachment;
use super::files::{App, binary};
use super::{Asked, Id};
use crate::error::{Refusal, on_a_thread};
use crate::protocol::{FrontDetail, FrontEntry, Job, JobStatus, ResultDetail, Skin};
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;

pub async fn get(State(studio): App, Asked(Id { id }): Asked<Id>) -> Result<Json<ResultDetail>, Refusal> {
    on_a_thread(move || studio.project.result_detail(&id).map(Json)).await
}

pub async fn remove(State(studio): App, Asked(Id { id }): Asked<Id>) -> Result<Json<Value>, Refusal> {
    on_a_thread(move || {
        let ended = [JobStatus::Done, JobStatus::Failed, JobStatus::Cancelled];
        studio.project.result_path(&id)?;
        let uses = |job: &Job| !ended.contains(&job.status) && studio.project.is_within(&id, &job.result);
        if studio.jobs.list().iter().any(uses) {
            return Err(Refusal::conflict(format!("a job works on {id}; cancel it first")));
        }
        studio.project.remove_result(&id)?;
        studio.tell_folder();
        Ok(Json(json!({})))
    })
    .await
}

#[derive(Deserialize)]
pub struct Which {
    id: String,
    which: Option<String>,
}

pub async fn motion(State(studio): App, Asked(Which { id, which }): Asked<Which>) -> Result<Response, Refusal> {
    let is_target = match which.as_deref() {
        None | Some("simulated") => false,
        Some("target") => true,
        Some(other) => return Err(Refusal::bad(format!("there is no motion {other:?}; ask for simulated or target"))),
    };
    let bytes = on_a_thread(move || studio.project.result_motion(&id, is_target)).await?;
    Ok(binary("application/octet-stream", bytes))
}

pub async fn skin(State(studio): App, Asked(Id { id }): Asked<Id>) -> Result<Json<Skin>, Refusal> {
    on_a_thread(move || studio.project.skin_of_result(&id).map(Json)).await
}

/// Largest file that is sent, bytes.
const LARGEST_DOWNLOAD: u64 = 2 << 30;

#[derive(Deserialize)]
pub struct FileOf {
    id: String,
    name: String,
    #[serde(default)]
    inline: bool,
}

pub async fn file(State(studio): App, Asked(FileOf { id, name, inline }): Asked<FileOf>) -> Result<Response, Refusal> {
    let path = studio.project.result_file(&id, &name)?;
    send(path, &id, &name, inline).await
}

/// A file of a result under an address that ends as its path does, so that links between the files of a report lead on.
pub async fn linked(State(studio): App, Path(path): Path<String>) -> Result<Response, Refusal> {
    let missing = || Refusal::missing(format!("there is no file {path:?} of a result"));
    let (id, name) = path.rsplit_once('/').ok_or_else(missing)?;
    let file = studio.project.result_file(id, name)?;
    let is_shown = ["html", "png", "gif", "json"].iter().any(|ending| file.extension().is_some_and(|e| e == *ending));
    send(file, id, name, is_shown).await
}

/// A file of a folder of the project; its name as a download has the folder's before it.
pub(super) async fn send(path: PathBuf, id: &str, name: &str, inline: bool) -> Result<Response, Refusal> {
    let kind = match path.extension().unwrap_or_default().to_string_lossy().as_ref() {
        "html" => "text/html; charset=utf-8",
        "png" => "image/png",
        "gif" => "image/gif",
        "json" => "application/json",
        "glb" => "model/gltf-binary",
        _ => "application/octet-stream",
    };
    let read = move || sinew_files::read(&path, LARGEST_DOWNLOAD).map_err(|e| Refusal::bad(e.reason()));
    let bytes = on_a_thread(read).await.map_err(|e| Refusal::bad(format!("{name} cannot be read ({})", e.sentence)))?;
    let mut response = ([(header::CONTENT_TYPE, kind)], Body::from(bytes)).into_response();
    let headers = response.headers_mut();
    // Whatever the file holds, it has no part in the studio's own page.
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("sandbox allow-scripts allow-popups allow-downloads"),
    );
    if !inline {
        let folder = id.rsplit('/').next().unwrap_or_default();
        if let Ok(value) = HeaderValue::from_str(&attachment(&format!("{folder}-{name}"))) {
            headers.insert(header::CONTENT_DISPOSITION, value);
        }
    }
    Ok(response)
}

pub async fn fronts(State(studio): App) -> Result<Json<Vec<FrontEntry>>, Refusal> {
    on_a_thread(move || Ok(Json(studio.fronts(&studio.project.scan())))).await
}

pub async fn front(State(studio): App, Asked(Id { id }): Asked<Id>) -> Result<Json<FrontDetail>, Refusal> {
    on_a_thread(move || {
        studio.project.path(&id)?;
        Ok(Json(studio.fronts.open(studio.project.root(), &id)?.detail()))
    })
    .await
}
