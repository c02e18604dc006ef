//! Skeletons and clips, whatever file they come from.
//!
//! A BVH, glTF, FBX or DeepMimic file enters; one [`Skeleton`] and its [`Clip`]s leave, in metres, seconds and `z` up, with a [`Report`] of
//! everything that was guessed or repaired. A reader makes a [`raw::RawRig`], which says what the file says; `repair` makes a [`Rig`] of
//! it. Start reading at [`skeleton`] and [`clip`], then `raw.rs`, then `repair/mod.rs`.

mod bvh;
mod bvh_write;
pub mod clip;
mod deepmimic;
mod error;
mod fbx;
mod glb_write;
mod gltf_read;
pub mod raw;
mod read;
mod repair;
mod report;
mod rig;
mod size;
pub mod skeleton;
pub mod skin_mesh;
pub mod tools;

pub use bvh::{looks_like_bvh, read_bvh};
pub use bvh_write::write_bvh;
pub use clip::Clip;
pub use deepmimic::{looks_like_deepmimic, read_deepmimic};
pub use error::ReadError;
pub use fbx::{looks_like_fbx, read_fbx};
pub use glb_write::{Capsule, WriteError, add_clip_to_gltf, self_contained_glb, write_capsule_glb};
pub use gltf_read::{looks_like_gltf, read_gltf};
pub use read::{LARGEST_FILE, read, read_bytes};
pub use repair::{adopt_clips, fits_by_name, names, repair};
pub use report::{Report, StretchedJoint};
pub use rig::{Format, ImportOptions, Rig};
pub use size::{Evidence, SizeEstimate, SizeFrom, SizeOptions, SizeRule, SizeVote, Sizing, estimate_size, settle_size};
pub use skeleton::{Joint, Skeleton, SourceFrame, Up};
pub use skin_mesh::SkinMesh;
