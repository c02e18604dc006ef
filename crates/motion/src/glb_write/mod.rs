//! GLB files: a clip added to the file that the skeleton came from, or a skeleton of capsules where there was no mesh.
//!
//! A [`Skeleton`](crate::Skeleton) and [`Clip`](crate::Clip)s enter, the bytes of one self-contained GLB leave. Start at [`add_clip_to_gltf`].

mod add_clip;
mod capsule_glb;
mod capsule_mesh;
mod chunks;
mod error;
mod follow;
mod one_file;
mod self_contained;
#[cfg(test)]
mod tests;

pub use add_clip::add_clip_to_gltf;
pub use capsule_glb::{Capsule, write_capsule_glb};
pub use error::WriteError;
pub use self_contained::self_contained_glb;
