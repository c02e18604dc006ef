//! Many copies of one articulated character.
pub mod character;
pub mod scene;
