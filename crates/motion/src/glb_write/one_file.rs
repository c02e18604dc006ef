//! Folds buffers and images that lie beside a file into one binary chunk.

use crate::gltf_read::{BufferBytes, Container, fetch};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Largest image that is embedded, bytes.
const LARGEST_IMAGE: u64 = 256 << 20;

/// A document all of whose bytes lie in `bin`, which is buffer 0.
pub(super) struct OneFile {
    pub document: Map<String, Value>,
    pub bin: Vec<u8>,
}

/// Everything that the document says is kept, known or not; only where its bytes lie changes. The binary chunk of a GLB stays a prefix.
/// Images that cannot be found keep their names.
pub(super) fn one_file(
    container: &Container,
    buffers: &[BufferBytes],
    folder: Option<&Path>,
) -> Result<OneFile, String> {
    let not_json = || "its JSON is not an object; export the character again".to_owned();
    let value: Value = serde_json::from_slice(container.json).map_err(|_| not_json())?;
    let Value::Object(mut document) = value else { return Err(not_json()) };
    let old = take_array(&mut document, "buffers");
    let mut bin = container.bin.map_or(Vec::new(), <[u8]>::to_vec);
    let mut first = Map::new();
    let mut others: Vec<Value> = Vec::new();
    // New buffer and offset in it for each old buffer.
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (index, (buffer, bytes)) in old.into_iter().zip(buffers).enumerate() {
        let has_uri = buffer.get("uri").is_some();
        match bytes {
            BufferBytes::Present(_) if !has_uri => places.push((0, 0)),
            BufferBytes::Present(bytes) => {
                bin.resize(bin.len().next_multiple_of(4), 0);
                places.push((0, bin.len()));
                bin.extend_from_slice(bytes);
            }
            BufferBytes::Missing(why) if has_uri => return Err(why.clone()),
            // A place that only a compression extension gives a meaning to.
            BufferBytes::Missing(_) => {
                others.push(buffer);
                places.push((others.len(), 0));
                continue;
            }
        }
        if let (0, Value::Object(buffer)) = (index, buffer) {
            first = buffer;
        }
    }
    first.remove("uri");

    let mut views = take_array(&mut document, "bufferViews");
    for (index, view) in views.iter_mut().enumerate() {
        let moved = move_view(view, &places).and_then(|()| {
            let compressed = view.pointer_mut("/extensions/EXT_meshopt_compression");
            compressed.map_or(Some(()), |part| move_view(part, &places))
        });
        moved.ok_or_else(|| format!("buffer view {index} names a buffer that is not there; export it again"))?;
    }
    embed_images(&mut document, &mut views, &mut bin, folder);

    if !bin.is_empty() {
        first.insert("byteLength".into(), json!(bin.len()));
    }
    let mut new_buffers = vec![Value::Object(first)];
    new_buffers.append(&mut others);
    document.insert("buffers".into(), Value::Array(new_buffers));
    document.insert("bufferViews".into(), Value::Array(views));
    Ok(OneFile { document, bin })
}

/// The array of that name, taken out; empty where there is none.
pub(super) fn take_array(document: &mut Map<String, Value>, name: &str) -> Vec<Value> {
    match document.remove(name) {
        Some(Value::Array(values)) => values,
        _ => Vec::new(),
    }
}

fn move_view(view: &mut Value, places: &[(usize, usize)]) -> Option<()> {
    let buffer = usize::try_from(view.get("buffer")?.as_u64()?).ok()?;
    let offset = view.get("byteOffset").and_then(Value::as_u64).unwrap_or(0);
    let &(new_buffer, base) = places.get(buffer)?;
    view["buffer"] = json!(new_buffer);
    if base > 0 {
        view["byteOffset"] = json!(offset.checked_add(base as u64)?);
    }
    Some(())
}

fn embed_images(document: &mut Map<String, Value>, views: &mut Vec<Value>, bin: &mut Vec<u8>, folder: Option<&Path>) {
    let Some(Value::Array(images)) = document.get_mut("images") else { return };
    let mut embedded: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    for image in images.iter_mut().filter_map(Value::as_object_mut) {
        let Some(uri) = image.get("uri").and_then(Value::as_str).filter(|u| !u.starts_with("data:")) else { continue };
        let uri = uri.to_owned();
        if !embedded.contains_key(&uri) {
            let Ok(bytes) = fetch(&uri, folder, LARGEST_IMAGE) else { continue };
            let Some(kind) = image_type(&bytes) else { continue };
            bin.resize(bin.len().next_multiple_of(4), 0);
            views.push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()}));
            bin.extend_from_slice(&bytes);
            embedded.insert(uri.clone(), (views.len() - 1, kind));
        }
        if let Some(&(view, kind)) = embedded.get(&uri) {
            image.remove("uri");
            image.insert("bufferView".into(), json!(view));
            image.insert("mimeType".into(), json!(kind));
        }
    }
}

fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [0xAB, b'K', b'T', b'X', ..] => Some("image/ktx2"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}
