//! Writes the characters that the crate embeds: `cargo run -p sinew-sim --example author_assets`.

use std::path::Path;

mod figures;

fn main() -> Result<(), sinew_sim::character_file::CharacterFileError> {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    for character in figures::all() {
        let path = assets.join(format!("{}.toml", character.name));
        character.write(&path)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}
