//! Refuses descriptions that cannot be simulated, before anything is built from them.
//!
//! A description enters; the first fault leaves, as one sentence that names the field as the file spells it and says what
//! to do. Start reading at [`Character::validate`](crate::character::Character::validate).

mod character;
mod field;
mod inertia;
mod joint;
mod scene;
mod tree;

pub use character::CharacterError;
pub use field::FieldError;
pub use inertia::InertiaError;
pub use joint::JointError;
pub use scene::SceneError;
pub use tree::TreeError;

/// Most bodies in one character.
pub const MAX_BODIES: usize = 1024;
/// Most bodies on the path from the root to a leaf, both counted.
pub const MAX_LEVELS: usize = 64;
