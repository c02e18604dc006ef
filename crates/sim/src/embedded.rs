//! Characters that come with the crate, as the TOML files in its `assets` folder.
//!
//! `cargo run -p sinew-sim --example author_assets` writes the files.

use crate::character::Character;

/// A two-legged dinosaur of 50 kg: 22 bodies, a free root and 21 hinges, three-toed feet flat on the ground.
pub fn dinosaur() -> Character {
    parsed(include_str!("../assets/dinosaur.toml"))
}

/// A humanoid of 49 kg: 18 bodies, a free root and 17 ball joints, box feet flat on the ground.
pub fn humanoid() -> Character {
    parsed(include_str!("../assets/humanoid.toml"))
}

/// The benchmark's first figure, as its peers simulate it: the dinosaur with one capsule per toe and without limits.
///
/// It starts 0.5 mm into the ground.
pub fn peer_a() -> Character {
    parsed(include_str!("../assets/peer_a.toml"))
}

/// The benchmark's second figure, as its peers simulate it: the humanoid without limits.
///
/// It starts 0.5 mm into the ground. Peers limit the torque of each axis of a ball; here its length is limited.
pub fn peer_b() -> Character {
    parsed(include_str!("../assets/peer_b.toml"))
}

fn parsed(text: &str) -> Character {
    Character::from_toml(text).expect("embedded characters are valid, which a test checks")
}
