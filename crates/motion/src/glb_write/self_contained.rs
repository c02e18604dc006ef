//! A glTF file as one GLB that needs nothing beside it.

use super::WriteError;
use super::chunks::pack;
use super::one_file::one_file;
use crate::ReadError;
use crate::gltf_read::{Document, load_buffers, open};
use serde_json::{Value, json};
use std::path::Path;

/// The source as one GLB: what lies beside it in `folder` is folded in, everything else stays as it is.
///
/// # Errors
/// Where the source is no glTF, a buffer is missing, or it becomes larger than 4 GiB.
pub fn self_contained_glb(source: &[u8], folder: Option<&Path>) -> Result<Vec<u8>, WriteError> {
    let wrong = |message: String| WriteError::Source(ReadError::content("the source file", message));
    let container = open(source).map_err(wrong)?;
    let document = Document::parse(container.json).map_err(wrong)?;
    let buffers = load_buffers(&document, container.bin, folder);
    let one = one_file(&container, &buffers, folder).map_err(wrong)?;
    let mut json = one.document;
    if one.bin.is_empty() {
        json.remove("buffers");
    } else {
        json["buffers"][0]["byteLength"] = json!(one.bin.len());
    }
    if json.get("bufferViews").is_some_and(|views| views.as_array().is_some_and(Vec::is_empty)) {
        json.remove("bufferViews");
    }
    // The format counts bytes in 32 bits; the text may grow where numbers are written anew.
    if u32::try_from(one.bin.len() + 4 * container.json.len() + 1024).is_err() {
        return Err(wrong("it is larger than 4 GiB; leave meshes or images out".into()));
    }
    Ok(pack(&Value::Object(json), one.bin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_beside_the_file_are_folded_in() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a b.bin"), [0u8; 48]).expect("written");
        let text = r#"{"asset": {"version": "2.0"}, "buffers": [{"uri": "a%20b.bin", "byteLength": 48}],
            "bufferViews": [{"buffer": 0, "byteLength": 48}], "nodes": [{"name": "a", "children": [1]}, {"name": "b", "translation": [0, 1, 0]}],
            "scenes": [{"nodes": [0]}], "scene": 0}"#;
        let glb = self_contained_glb(text.as_bytes(), Some(folder.path())).expect("packed");
        assert_eq!(&glb[..4], b"glTF");
        let length = u32::from_le_bytes(glb[12..16].try_into().expect("four")) as usize;
        let json: Value = serde_json::from_slice(&glb[20..20 + length]).expect("JSON");
        assert_eq!((json["buffers"][0].get("uri"), &json["buffers"][0]["byteLength"]), (None, &json!(48)));
        let missing = self_contained_glb(text.as_bytes(), None).expect_err("no buffer").to_string();
        assert!(missing.contains("a b.bin") || missing.contains("a%20b.bin"), "{missing}");
        // Packed once more it stays as it is.
        assert_eq!(self_contained_glb(&glb, None).expect("packed"), glb);
    }
}
