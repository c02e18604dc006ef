//! Authors the GLB files of this crate from the tables in `characters/` and `clips/`: `cargo run -p sinew-assets --example author [FOLDER]`.
//!
//! A character's table becomes a skeleton and a skin (`flesh`, `surface_nets`, `skin_weights`, `paint`, `ornaments`), its clips' tables
//! become sampled motion (`pose_table`, `spline`, `leg_ik`, `bake`), and `glb` writes both. Same tables, same bytes, on every machine.

mod bake;
mod character;
mod flesh;
mod glb;
mod leg_ik;
mod ornaments;
mod paint;
mod pose_table;
mod skin;
mod skin_weights;
mod spline;
mod surface_nets;

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Each character and its clips, in the order in which they stand in the file.
const CAST: [(&str, &[&str]); 3] = [
    ("dinosaur", &["walk", "boxing", "idle"]),
    ("human", &["walk", "jump", "punch", "idle"]),
    ("quadruped", &["walk", "idle"]),
];

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).map_or_else(here, PathBuf::from);
    for (name, clips) in CAST {
        let bytes = author(name, clips)?;
        let path = folder.join(format!("{name}.glb"));
        std::fs::write(&path, &bytes).with_context(|| format!("writing {}", path.display()))?;
        println!("{}: {} bytes", path.display(), bytes.len());
    }
    Ok(())
}

/// The folder of this crate, where the tables lie.
fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// The GLB file of one character.
fn author(name: &str, clips: &[&str]) -> Result<Vec<u8>> {
    let path = here().join("characters").join(format!("{name}.toml"));
    let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let character = character::Character::parse(&text).with_context(|| path.display().to_string())?;
    let skin = skin::grow(&character)?;
    let mut baked = Vec::new();
    for clip in clips {
        let path = here().join("clips").join(format!("{name}_{clip}.toml"));
        let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let table = pose_table::Table::parse(&text, &character).with_context(|| path.display().to_string())?;
        baked.push(bake::bake(&character, &table).with_context(|| path.display().to_string())?);
    }
    println!(
        "{name}: {} joints, {} vertices, {} triangles",
        character.joints.len(),
        skin.vertices.len(),
        skin.triangles.len()
    );
    Ok(glb::write(name, &character, &skin, &baked))
}

#[cfg(test)]
mod tests {
    #[test]
    fn tables_give_the_committed_bytes() {
        for (name, clips) in super::CAST {
            let made = super::author(name, clips).expect("the tables are sound");
            let committed = sinew_assets::find(name).expect("every character is embedded");
            assert!(
                made == committed,
                "{name}.glb is not what its tables say: run `cargo run -p sinew-assets --example author`"
            );
        }
    }
}
