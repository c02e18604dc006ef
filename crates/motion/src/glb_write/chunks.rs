//! The bytes of a GLB and of the accessors in it.

use serde_json::{Value, json};

/// A GLB of a document and its binary chunk (Khronos, glTF 2.0, section 4.4).
pub(super) fn pack(document: &Value, mut bin: Vec<u8>) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    bin.resize(bin.len().next_multiple_of(4), 0);
    let length = 12 + 8 + text.len() + if bin.is_empty() { 0 } else { 8 + bin.len() };
    let mut glb = Vec::with_capacity(length);
    glb.extend(b"glTF");
    glb.extend(2u32.to_le_bytes());
    glb.extend((length as u32).to_le_bytes());
    let mut chunk = |kind: &[u8; 4], bytes: &[u8]| {
        glb.extend((bytes.len() as u32).to_le_bytes());
        glb.extend(kind);
        glb.extend(bytes);
    };
    chunk(b"JSON", &text);
    if !bin.is_empty() {
        chunk(b"BIN\0", &bin);
    }
    glb
}

/// Target of a view of positions or normals.
pub(super) const VERTICES: u32 = 34962;
/// Target of a view of triangle indices.
pub(super) const INDICES: u32 = 34963;

/// Accessors that are being appended to a document's binary chunk, with one buffer view for each [`Accessors::start_view`].
pub(super) struct Accessors {
    pub bin: Vec<u8>,
    /// Index that the next view gets.
    view_base: usize,
    views: Vec<View>,
    accessor_base: usize,
    accessors: Vec<Value>,
}

struct View {
    start: usize,
    target: Option<u32>,
}

impl Accessors {
    /// Appends after `bin`, to documents that already have so many views and accessors.
    pub(super) fn new(bin: Vec<u8>, view_base: usize, accessor_base: usize) -> Self {
        Accessors { bin, view_base, views: Vec::new(), accessor_base, accessors: Vec::new() }
    }

    /// Starts a buffer view; `target` says what a graphics card uses it for.
    pub(super) fn start_view(&mut self, target: Option<u32>) {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.views.push(View { start: self.bin.len(), target });
    }

    /// Appends numbers in single precision, `N` to an element, with their bounds; gives the accessor's index.
    pub(super) fn push_floats<const N: usize>(&mut self, values: &[[f32; N]], bounds: bool) -> usize {
        let offset = self.offset();
        self.bin.extend(values.iter().flatten().flat_map(|v| v.to_le_bytes()));
        let kind = ["", "SCALAR", "VEC2", "VEC3", "VEC4"][N];
        let view = self.view();
        let mut accessor = json!({"bufferView": view, "byteOffset": offset, "componentType": 5126, "count": values.len(), "type": kind});
        if bounds {
            let fold = |f: fn(f32, f32) -> f32| -> Vec<f32> {
                (0..N).map(|c| values.iter().map(|v| v[c]).reduce(f).unwrap_or(0.0)).collect()
            };
            accessor["min"] = json!(fold(f32::min));
            accessor["max"] = json!(fold(f32::max));
        }
        self.push(accessor)
    }

    /// Appends triangle indices.
    pub(super) fn push_indices(&mut self, indices: &[u16]) -> usize {
        let offset = self.offset();
        self.bin.extend(indices.iter().flat_map(|i| i.to_le_bytes()));
        let view = self.view();
        self.push(
            json!({"bufferView": view, "byteOffset": offset, "componentType": 5123, "count": indices.len(), "type": "SCALAR"}),
        )
    }

    /// The binary chunk, the buffer views and the accessors that were appended.
    pub(super) fn finish(self) -> (Vec<u8>, Vec<Value>, Vec<Value>) {
        let ends = self.views.iter().skip(1).map(|v| v.start).chain([self.bin.len()]);
        let views = self.views.iter().zip(ends).map(|(view, end)| {
            let mut value = json!({"buffer": 0, "byteOffset": view.start, "byteLength": end - view.start});
            if let Some(target) = view.target {
                value["target"] = json!(target);
                // Several attributes in one view need their stride said.
                if target == VERTICES {
                    value["byteStride"] = json!(12);
                }
            }
            value
        });
        let views = views.collect();
        (self.bin, views, self.accessors)
    }

    fn view(&self) -> usize {
        self.view_base + self.views.len().max(1) - 1
    }

    fn offset(&mut self) -> usize {
        if self.views.is_empty() {
            self.start_view(None);
        }
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.bin.len() - self.views.last().map_or(0, |v| v.start)
    }

    fn push(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessor_base + self.accessors.len() - 1
    }
}
