//! Values of accessors: strided, sparse, and integers that stand for fractions.

use super::container::BufferBytes;
use super::document::{Accessor, Document};

/// The document with its buffers.
pub(crate) struct Source<'a> {
    pub document: &'a Document,
    pub buffers: &'a [BufferBytes<'a>],
    /// Bytes in all buffers: no accessor may have more values.
    pub byte_count: usize,
}

impl<'a> Source<'a> {
    pub(crate) fn new(document: &'a Document, buffers: &'a [BufferBytes<'a>]) -> Self {
        let length = |b: &BufferBytes| if let BufferBytes::Present(bytes) = b { bytes.len() } else { 0 };
        Source { document, buffers, byte_count: buffers.iter().map(length).sum() }
    }

    /// The accessor's declaration.
    pub(crate) fn accessor(&self, index: usize) -> Result<&Accessor, String> {
        let count = self.document.accessors.len();
        let missing = || format!("accessor {index} is used, but the file has {count}; export the character again");
        self.document.accessors.get(index).ok_or_else(missing)
    }

    /// All elements of an accessor of `kind` (`VEC3`, …) with `N` components.
    /// Normalised integers become `max(c / c_max, −1)` (Khronos, glTF 2.0, section 3.6.2.2).
    pub(crate) fn values<const N: usize>(&self, index: usize, kind: &str) -> Result<Vec<[f64; N]>, String> {
        let accessor = self.accessor(index)?;
        if accessor.kind != kind {
            let has = &accessor.kind;
            return Err(format!(
                "accessor {index} is of type {has} where {kind} is needed; export the character again"
            ));
        }
        let mut values = match accessor.buffer_view {
            Some(view) => {
                let (bytes, stride) = self.view(view)?;
                let place = Place { offset: accessor.byte_offset, stride, count: accessor.count };
                decode(bytes, place, accessor.component_type, accessor.normalized)
                    .map_err(|e| format!("accessor {index} {e}"))?
            }
            None if accessor.count <= self.byte_count => vec![[0.0; N]; accessor.count],
            None => return Err(format!("accessor {index} has more values than the file has bytes; export again")),
        };
        if let Some(sparse) = &accessor.sparse {
            let of = |e: String| format!("accessor {index}, sparse part: {e}");
            let place = |offset| Place { offset, stride: None, count: sparse.count };
            let (bytes, _) = self.view(sparse.indices.buffer_view)?;
            let places: Vec<[f64; 1]> =
                decode(bytes, place(sparse.indices.byte_offset), sparse.indices.component_type, false).map_err(of)?;
            let (bytes, _) = self.view(sparse.values.buffer_view)?;
            let replacements: Vec<[f64; N]> =
                decode(bytes, place(sparse.values.byte_offset), accessor.component_type, accessor.normalized)
                    .map_err(of)?;
            for ([at], replacement) in places.into_iter().zip(replacements) {
                let slot = values.get_mut(at as usize);
                *slot.ok_or_else(|| of(format!("index {at} lies outside; export the character again")))? = replacement;
            }
        }
        Ok(values)
    }

    /// As [`Self::values`], refusing what is not finite.
    pub(crate) fn finite_values<const N: usize>(&self, index: usize, kind: &str) -> Result<Vec<[f64; N]>, String> {
        let values = self.values(index, kind)?;
        match values.iter().position(|v: &[f64; N]| v.iter().any(|c| !c.is_finite())) {
            Some(at) => Err(format!("accessor {index}, value {at} is not a finite number; export the character again")),
            None => Ok(values),
        }
    }

    fn view(&self, index: usize) -> Result<(&[u8], Option<usize>), String> {
        let missing = || format!("buffer view {index} is used, but not in the file; export the character again");
        let view = self.document.buffer_views.get(index).ok_or_else(missing)?;
        let bytes = match self.buffers.get(view.buffer) {
            Some(BufferBytes::Present(bytes)) => bytes,
            Some(BufferBytes::Missing(why)) => return Err(why.clone()),
            None => return Err(format!("buffer view {index} names buffer {}, which is not there", view.buffer)),
        };
        let end = view.byte_offset.checked_add(view.byte_length);
        let part = end.and_then(|end| bytes.get(view.byte_offset..end));
        let outside = || format!("buffer view {index} reaches beyond its buffer; copy or export the file again");
        Ok((part.ok_or_else(outside)?, view.byte_stride))
    }
}

struct Place {
    offset: usize,
    stride: Option<usize>,
    count: usize,
}

fn decode<const N: usize>(bytes: &[u8], place: Place, kind: u32, normalized: bool) -> Result<Vec<[f64; N]>, String> {
    let scale = |largest: f64| if normalized { 1.0 / largest } else { 1.0 };
    match kind {
        5120 => elements(bytes, place, |[a]: [u8; 1]| (f64::from(a as i8) * scale(127.0)).max(low(normalized))),
        5121 => elements(bytes, place, |[a]: [u8; 1]| f64::from(a) * scale(255.0)),
        5122 => elements(bytes, place, |b: [u8; 2]| {
            (f64::from(i16::from_le_bytes(b)) * scale(32767.0)).max(low(normalized))
        }),
        5123 => elements(bytes, place, |b: [u8; 2]| f64::from(u16::from_le_bytes(b)) * scale(65535.0)),
        5125 => elements(bytes, place, |b: [u8; 4]| f64::from(u32::from_le_bytes(b))),
        5126 => elements(bytes, place, |b: [u8; 4]| f64::from(f32::from_le_bytes(b))),
        _ => Err(format!("has the unknown component type {kind}; export the character again")),
    }
}

fn low(normalized: bool) -> f64 {
    if normalized { -1.0 } else { f64::NEG_INFINITY }
}

/// `count` elements of `N` components of `SIZE` bytes. Nothing is reserved before it is known that the bytes are there.
fn elements<const N: usize, const SIZE: usize>(
    bytes: &[u8],
    place: Place,
    component: impl Fn([u8; SIZE]) -> f64,
) -> Result<Vec<[f64; N]>, String> {
    let Place { offset, stride, count } = place;
    if count == 0 {
        return Ok(Vec::new());
    }
    let size = N * SIZE;
    let stride = stride.unwrap_or(size);
    if stride < size {
        return Err(format!("has a stride of {stride} bytes for elements of {size}; export the character again"));
    }
    let end = (count - 1).checked_mul(stride).and_then(|n| n.checked_add(size)).and_then(|n| n.checked_add(offset));
    if end.is_none_or(|end| end > bytes.len()) {
        return Err(format!("has {count} values, more than its bytes hold; copy or export the file again"));
    }
    let mut values = Vec::with_capacity(count);
    for element in 0..count {
        let start = offset + element * stride;
        let mut value = [0.0; N];
        for (slot, chunk) in value.iter_mut().zip(bytes[start..start + size].chunks_exact(SIZE)) {
            let mut raw = [0u8; SIZE];
            raw.copy_from_slice(chunk);
            *slot = component(raw);
        }
        values.push(value);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    fn read<const N: usize>(json: &str, bytes: &[u8], kind: &str) -> Result<Vec<[f64; N]>, String> {
        let document: Document = serde_json::from_str(json).unwrap();
        let buffers = [BufferBytes::Present(Cow::Borrowed(bytes))];
        Source::new(&document, &buffers).values(0, kind)
    }

    #[test]
    fn normalised_integers_are_fractions() {
        let json = |component: u32| {
            format!(
                r#"{{"accessors":[{{"bufferView":0,"componentType":{component},"normalized":true,"count":3,"type":"SCALAR"}}],
                "bufferViews":[{{"buffer":0,"byteLength":6}}]}}"#
            )
        };
        assert_eq!(read::<1>(&json(5120), &[127, 0x80, 0, 0, 0, 0], "SCALAR").unwrap(), [[1.0], [-1.0], [0.0]]);
        assert_eq!(read::<1>(&json(5121), &[255, 51, 0, 0, 0, 0], "SCALAR").unwrap(), [[1.0], [0.2], [0.0]]);
        let shorts: Vec<u8> = [32767i16, -32768, 0].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(read::<1>(&json(5122), &shorts, "SCALAR").unwrap(), [[1.0], [-1.0], [0.0]]);
        assert_eq!(read::<1>(&json(5123), &[255, 255, 0, 0, 255, 255], "SCALAR").unwrap(), [[1.0], [0.0], [1.0]]);
    }

    #[test]
    fn strides_and_offsets_skip_what_lies_between() {
        let json = r#"{"accessors":[{"bufferView":0,"byteOffset":1,"componentType":5121,"count":2,"type":"VEC2"}],
            "bufferViews":[{"buffer":0,"byteOffset":1,"byteLength":7,"byteStride":4}]}"#;
        assert_eq!(read::<2>(json, &[9, 9, 1, 2, 9, 9, 3, 4], "VEC2").unwrap(), [[1.0, 2.0], [3.0, 4.0]]);
    }

    #[test]
    fn sparse_values_replace() {
        let json = r#"{"accessors":[{"componentType":5121,"count":4,"type":"SCALAR","sparse":{"count":2,
            "indices":{"bufferView":0,"componentType":5121},"values":{"bufferView":0,"byteOffset":2}}}],
            "bufferViews":[{"buffer":0,"byteLength":4}]}"#;
        assert_eq!(read::<1>(json, &[1, 3, 7, 8], "SCALAR").unwrap(), [[0.0], [7.0], [0.0], [8.0]]);
        assert!(read::<1>(json, &[1, 4, 7, 8], "SCALAR").unwrap_err().contains("index 4 lies outside"));
    }

    #[test]
    fn promises_beyond_the_bytes_are_refused() {
        let json = |count: u64, offset: u64| {
            format!(
                r#"{{"accessors":[{{"bufferView":0,"byteOffset":{offset},"componentType":5126,"count":{count},"type":"VEC3"}}],
                "bufferViews":[{{"buffer":0,"byteLength":24}}]}}"#
            )
        };
        assert!(read::<3>(&json(2, 0), &[0; 24], "VEC3").is_ok());
        for (count, offset) in [(3, 0), (2, 4), (u64::MAX, 0), (1 << 60, 0), (2, u64::MAX)] {
            assert!(read::<3>(&json(count, offset), &[0; 24], "VEC3").is_err());
        }
        assert!(read::<3>(&json(2, 0), &[0; 20], "VEC3").is_err());
        assert!(read::<4>(&json(1, 0), &[0; 24], "VEC4").is_err());
        let without_bytes = r#"{"accessors":[{"componentType":5126,"count":99999999999,"type":"SCALAR"}]}"#;
        assert!(read::<1>(without_bytes, &[0; 24], "SCALAR").unwrap_err().contains("more values"));
    }
}
