//! Three characters of our own as GLB files: a cartoon dinosaur, a human and a dog-like quadruped, each a skinned mesh with hand-keyed clips.
//!
//! Nothing enters; what leaves are the bytes of the files, embedded in the program. They are authored by `examples/author` from the
//! tables in `characters/` (skeleton and flesh) and `clips/` (poses, timelines and foot plants), where reading should start.
//!
//! glTF conventions: metres, y up, facing +z, left is +x; the joint `hips` under the identity node `rig` is the root of the skeleton;
//! the rest pose is the bind pose; clips are sampled at 30 Hz with linear interpolation. Each animation carries, in its `extras`,
//! `plants`: for each toe joint the spans of time `[from, to]` in seconds for which its sole rests on the ground.

#![forbid(unsafe_code)]

/// Names of the characters, in alphabetical order.
pub const NAMES: [&str; 3] = ["dinosaur", "human", "quadruped"];

/// A cartoon biped with a long tail (22 joints), clips `walk` (travelling cycle of 1 s), `boxing` (9 s, with a forward jump that hovers
/// longer than gravity allows) and `idle` (loop).
pub fn dinosaur() -> &'static [u8] {
    include_bytes!("../dinosaur.glb")
}

/// A human of 1.7 m, clips `walk` (travelling cycle), `jump` (with a ballistic flight), `punch` and `idle` (loop).
pub fn human() -> &'static [u8] {
    include_bytes!("../human.glb")
}

/// A dog-like quadruped, clips `walk` (travelling cycle of four beats in lateral sequence) and `idle` (loop).
pub fn quadruped() -> &'static [u8] {
    include_bytes!("../quadruped.glb")
}

/// The GLB file of the character of this name, if there is one; see [`NAMES`].
pub fn find(name: &str) -> Option<&'static [u8]> {
    match name {
        "dinosaur" => Some(dinosaur()),
        "human" => Some(human()),
        "quadruped" => Some(quadruped()),
        _ => None,
    }
}

/// Names of the recipes, in alphabetical order.
pub const RECIPES: [&str; 4] = ["gorilla", "hop", "walk_run_stand_up", "zombie"];

/// The recipe of this name, if there is one: how a character is made of captured clips; see [`RECIPES`].
pub fn recipe(name: &str) -> Option<&'static str> {
    match name {
        "gorilla" => Some(include_str!("../recipes/gorilla.toml")),
        "hop" => Some(include_str!("../recipes/hop.toml")),
        "walk_run_stand_up" => Some(include_str!("../recipes/walk_run_stand_up.toml")),
        "zombie" => Some(include_str!("../recipes/zombie.toml")),
        _ => None,
    }
}

/// A file by its name in a folder.
pub type File = (&'static str, &'static [u8]);

macro_rules! package {
    ($name:literal) => {
        Some(&[
            ("package.toml", include_bytes!(concat!("../packages/", $name, "/package.toml"))),
            ("character.toml", include_bytes!(concat!("../packages/", $name, "/character.toml"))),
            ("motion.generator", include_bytes!(concat!("../packages/", $name, "/motion.generator"))),
            ("policy.safetensors", include_bytes!(concat!("../packages/", $name, "/policy.safetensors"))),
        ])
    };
}

/// The files of the package of this name, if there is one: a character that was brought to life, all but its GLB; see [`NAMES`].
pub fn package(name: &str) -> Option<&'static [File]> {
    match name {
        "dinosaur" => package!("dinosaur"),
        "human" => package!("human"),
        "quadruped" => package!("quadruped"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_name_finds_a_glb() {
        for name in super::NAMES {
            assert_eq!(&super::find(name).expect(name)[..4], b"glTF");
        }
        assert!(super::find("unicorn").is_none());
    }

    #[test]
    fn every_name_has_a_package_of_at_most_three_megabytes() {
        for name in super::NAMES {
            let files = super::package(name).expect(name);
            let bytes =
                |wanted: &str| files.iter().find(|(file, _)| *file == wanted).map_or(0, |(_, bytes)| bytes.len());
            assert!((1..1 << 20).contains(&bytes("policy.safetensors")), "{name}");
            assert!((1..2 << 20).contains(&bytes("motion.generator")), "{name}");
            assert!(bytes("package.toml") > 0 && bytes("character.toml") > 0, "{name}");
        }
        assert!(super::package("unicorn").is_none());
    }
}
