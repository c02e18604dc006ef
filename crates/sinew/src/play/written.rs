//! What was played, as motion for other programs: on the artist's skin, on its skeleton, or every step as arrays.

use super::Take;
use crate::error::Result;
use crate::export::with_clips;
use crate::learn::Hero;
use crate::source::Source;
use crate::trajectory::Trajectory;
use sinew_modeler::{CharacterProject, fitted_to_clip};
use sinew_motion::{Clip, Format, ImportOptions, SizeRule, write_bvh};
use sinew_play::{Input, Package, PlayError, Player};
use std::path::Path;

/// The bytes of a file whose name ends in `.glb`, `.bvh` or `.npz`.
///
/// # Errors
/// Where the package has no rig that a GLB needs, or the name ends otherwise.
pub fn motion(
    package: &Package,
    folder: &Path,
    take: &Take,
    path: &Path,
    player: &mut Player,
    inputs: &[Vec<Input>],
) -> Result<Vec<u8>> {
    let refused = |problem| PlayError::Take { path: path.into(), problem }.into();
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match (ending.as_str(), &package.rig) {
        ("npz", _) => every_step(package, player, inputs),
        ("bvh", None) => {
            // A skeleton of its own bodies.
            let hero = Hero::open(&folder.join("character.toml"))?;
            let clip = fitted_to_clip(
                &hero.character,
                &hero.binding,
                &hero.rig.skeleton,
                take.rate_hz,
                "played",
                &take.rows.concat(),
                None,
            )?;
            Ok(write_bvh(&hero.rig.skeleton, &clip).into_bytes())
        }
        ("bvh", Some((rig, _))) => {
            let (source, clip) = on_rig(package, &folder.join(rig), take)?;
            Ok(write_bvh(&source.rig.skeleton, &clip).into_bytes())
        }
        ("glb", Some((rig, _))) => {
            let (source, clip) = on_rig(package, &folder.join(rig), take)?;
            if source.rig.format != Format::Gltf {
                return Err(refused(
                    "the artist's file is no glTF, so that its skin cannot be written; end the name in .bvh or .npz",
                ));
            }
            Ok(with_clips(&source, &[clip])?.0)
        }
        ("glb", None) => Err(refused(
            "the package has no file of the artist, whose skin could be written; end the name in .bvh or .npz",
        )),
        _ => Err(refused("end the name in .glb, .bvh or .npz")),
    }
}

/// The take as a clip on the artist's skeleton, as large as it was when the character was made.
fn on_rig(package: &Package, rig: &Path, take: &Take) -> Result<(Source, Clip)> {
    let mut source = Source::open(rig, &[], &ImportOptions { size: SizeRule::File, ..ImportOptions::default() })?;
    let project = CharacterProject::from_character(package.character.clone(), "character.toml")?;
    if let Some(metres_per_unit) = project.options().metres_per_unit {
        source.resize_to_unit(metres_per_unit);
    }
    let (character, binding) = (project.character(), project.binding());
    let skeleton = &source.rig.skeleton;
    let clip = fitted_to_clip(character, binding, skeleton, take.rate_hz, "played", &take.rows.concat(), None)?;
    Ok((source, clip))
}

/// Plays it again, step by step.
fn every_step(package: &Package, player: &mut Player, inputs: &[Vec<Input>]) -> Result<Vec<u8>> {
    let mut trajectory = Trajectory::default();
    let model = player.model().clone();
    trajectory.push(&model, &player.world());
    for now in inputs {
        player.decide(now)?;
        for _ in 0..player.steps_per_frame() {
            player.simulate(1);
            trajectory.push(&model, &player.world());
        }
        player.conclude()?;
    }
    Ok(trajectory.to_npz(&model, &package.name)?)
}
