//! Triangles of a primitive: listed, in a strip or in a fan.

use super::accessor::Source;
use super::document::Primitive;

/// Corners of the triangles (Khronos, glTF 2.0, section 3.7.2.1); points and lines have none. `count` is the number of vertices.
pub(super) fn triangles(source: &Source, primitive: &Primitive, count: usize) -> Result<Vec<[u32; 3]>, String> {
    let indices: Vec<u32> = match primitive.indices {
        Some(accessor) => {
            source.values::<1>(accessor, "SCALAR")?.into_iter().map(|[index]| index.max(0.0) as u32).collect()
        }
        None => (0..count as u32).collect(),
    };
    Ok(match primitive.mode.unwrap_or(4) {
        4 => indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
        // Every other triangle of a strip runs the other way round.
        5 => indices
            .windows(3)
            .enumerate()
            .map(|(k, t)| if k % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] })
            .collect(),
        6 => indices.windows(2).skip(1).map(|t| [indices[0], t[0], t[1]]).collect(),
        _ => Vec::new(),
    })
}
