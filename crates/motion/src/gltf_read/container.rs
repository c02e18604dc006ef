//! The shell of a glTF file: a GLB's chunks, or the text itself, and the buffers that lie inside or beside it.

use super::document::Document;
use std::borrow::Cow;
use std::io::Read;
use std::path::{Component, Path};

/// JSON and binary chunk of a file.
pub(crate) struct Container<'a> {
    pub json: &'a [u8],
    /// The BIN chunk of a GLB.
    pub bin: Option<&'a [u8]>,
}

/// A buffer's bytes, or a sentence that says why there are none.
pub(crate) enum BufferBytes<'a> {
    Present(Cow<'a, [u8]>),
    Missing(String),
}

const JSON_CHUNK: u32 = 0x4E4F_534A;
const BIN_CHUNK: u32 = 0x004E_4942;

/// Whether the bytes are a GLB, or JSON with an `asset`.
pub fn looks_like_gltf(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"glTF") {
        return true;
    }
    let text = without_byte_order_mark(bytes);
    let starts_as_object = text.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{');
    starts_as_object && text.windows(7).any(|w| w == b"\"asset\"")
}

/// Splits a file into JSON and binary chunk (Khronos, glTF 2.0, section 4.4).
pub(crate) fn open(bytes: &[u8]) -> Result<Container<'_>, String> {
    if !bytes.starts_with(b"glTF") {
        return Ok(Container { json: without_byte_order_mark(bytes), bin: None });
    }
    let truncated = || "the file is cut short; copy or export it again".to_owned();
    let version = u32_at(bytes, 4).ok_or_else(truncated)?;
    if version != 2 {
        return Err(format!("GLB version {version} is not read; export the character as glTF 2.0"));
    }
    let length = u32_at(bytes, 8).ok_or_else(truncated)? as usize;
    let bytes = bytes.get(..length).ok_or_else(truncated)?;
    let (mut json, mut bin, mut at) = (None, None, 12);
    while at + 8 <= bytes.len() {
        let length = u32_at(bytes, at).ok_or_else(truncated)? as usize;
        let kind = u32_at(bytes, at + 4).ok_or_else(truncated)?;
        let end = (at + 8).checked_add(length).ok_or_else(truncated)?;
        let chunk = bytes.get(at + 8..end).ok_or_else(truncated)?;
        match kind {
            JSON_CHUNK if json.is_none() => json = Some(chunk),
            BIN_CHUNK if bin.is_none() => bin = Some(chunk),
            _ => {}
        }
        at = end;
    }
    let json = json.ok_or("the GLB has no JSON chunk; export the character again")?;
    Ok(Container { json, bin })
}

/// Every buffer of the document. What cannot be had is an error only where it is used.
pub(crate) fn load_buffers<'a>(
    document: &Document,
    bin: Option<&'a [u8]>,
    folder: Option<&Path>,
) -> Vec<BufferBytes<'a>> {
    let load = |index: usize| -> Result<Cow<'a, [u8]>, String> {
        let buffer = &document.buffers[index];
        let bytes = match (&buffer.uri, bin) {
            (Some(uri), _) => Cow::Owned(fetch(uri, folder, buffer.byte_length as u64)?),
            (None, Some(bin)) if index == 0 => Cow::Borrowed(bin),
            (None, _) => return Err("has no bytes; export the character without compression of its buffers".into()),
        };
        let (has, needs) = (bytes.len(), buffer.byte_length);
        if has < needs {
            return Err(format!("has {has} bytes where {needs} are promised; copy or export the file again"));
        }
        Ok(match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..needs]),
            Cow::Owned(mut bytes) => {
                bytes.truncate(needs);
                Cow::Owned(bytes)
            }
        })
    };
    (0..document.buffers.len())
        .map(|index| match load(index) {
            Ok(bytes) => BufferBytes::Present(bytes),
            Err(why) => BufferBytes::Missing(format!("buffer {index} {why}")),
        })
        .collect()
}

/// Bytes of a `data:` URI or of a file under `folder`, at most `limit` of them. The error continues a sentence that names what is fetched.
pub(crate) fn fetch(uri: &str, folder: Option<&Path>, limit: u64) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        let encoded = data.split_once(";base64,").map(|(_, encoded)| encoded);
        return encoded
            .and_then(decode_base64)
            .ok_or_else(|| "is a `data:` URI that is not base64; export the character as .glb".into());
    }
    let name = decode_percent(uri).ok_or("has a file name that cannot be decoded; export the character as .glb")?;
    if name.contains("://") {
        return Err(format!("lies on the network (`{name}`), which is not read; download it and export as .glb"));
    }
    let inside = Path::new(&name).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if !inside || name.is_empty() || name.contains(['\\', ':', '\0']) {
        return Err(format!("names `{name}`, which is not inside the file's folder; put it there or export as .glb"));
    }
    let Some(folder) = folder else {
        return Err(format!("lies in `{name}` beside the file, whose folder is not known; export as .glb"));
    };
    let unreadable = |why: String| format!("lies in `{name}`, which cannot be read ({why}); put it beside the file");
    let path = folder.join(&name);
    let file = sinew_files::open(&path).map_err(|e| unreadable(e.reason()))?;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(|e| unreadable(e.to_string()))?;
    Ok(bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Base64 (RFC 4648), with or without padding.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 3);
    let (mut bits, mut held) = (0u32, 0u32);
    for &digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'\r' | b'\n' => continue,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Some(bytes)
}

/// `%20` and its like (RFC 3986).
fn decode_percent(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_rfc_4648() {
        for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar")] {
            assert_eq!(decode_base64(text).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(decode_base64("Zm9*"), None);
    }

    #[test]
    fn names_stay_inside_the_folder() {
        let folder = std::env::temp_dir();
        for name in ["../a.bin", "/etc/hostname", "a/../../b", "%2e%2e/a", "C:\\a", "..\\a", "", "http://x.org/a.bin"] {
            let error = fetch(name, Some(&folder), 10).unwrap_err();
            assert!(error.contains("not inside") || error.contains("network"), "{name}: {error}");
        }
        assert!(fetch("no such file.bin", Some(&folder), 10).unwrap_err().contains("cannot be read"));
        assert!(fetch("a.bin", None, 10).unwrap_err().contains("folder is not known"));
    }

    #[test]
    fn recognises_its_files() {
        assert!(looks_like_gltf(b"glTF\x02\0\0\0"));
        assert!(looks_like_gltf(b" \n{ \"asset\": {} }"));
        assert!(!looks_like_gltf(b"{ \"Loop\": \"wrap\" }"));
        assert!(!looks_like_gltf(b"HIERARCHY"));
    }
}
