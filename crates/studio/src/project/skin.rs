//! How the nodes of a rig follow the bodies of a character.

use super::Project;
use super::characters::find_rig;
use crate::error::Refusal;
use crate::project::rigs::wxyz;
use crate::protocol::{Skin, SkinNode};
use glam::DQuat;
use sinew::source::Source;
use sinew_modeler::CharacterProject;
use sinew_motion::Format;

impl Project {
    /// The skin of a character, where the project has its rig.
    ///
    /// # Errors
    /// Where the rig cannot be read.
    pub fn skin(&self, character: &CharacterProject) -> Result<Option<Skin>, Refusal> {
        let Some(rig) = find_rig(&self.scan(), &character.options().source) else { return Ok(None) };
        let source = self.rig(&rig)?;
        Ok(Some(skin(&rig, &source, character)))
    }
}

/// `body orientation = joint orientation · rotation` and `body origin = joint.place(offset)`, turned round:
/// the joint in the body's frame is at `−rotation⁻¹·offset`, turned by `rotation⁻¹`.
///
/// A joint's place follows from its parent's and the bone between them, but for the root, and for joints that hang from another parent than
/// their node does, or whose parent no body moves.
pub fn skin(rig: &str, source: &Source, project: &CharacterProject) -> Skin {
    let skeleton = &source.rig.skeleton;
    let character = project.character();
    let is_gltf = source.rig.format == Format::Gltf;
    let mut nodes = Vec::new();
    let mut has_root = false;
    for (index, joint) in skeleton.joints.iter().enumerate() {
        let Some(link) = project.binding().links.iter().find(|link| link.joint == joint.name) else { continue };
        let Some(body) = character.bodies.iter().position(|body| body.name == link.body) else { continue };
        let inverse: DQuat = link.rotation.inverse();
        let hangs_elsewhere = source.rig.report.reattached.iter().any(|[name, _]| *name == joint.name);
        let is_placed = !has_root || hangs_elsewhere;
        has_root = true;
        nodes.push(SkinNode {
            // Capsules are written with a node for each joint.
            node: if is_gltf { joint.source_node } else { index },
            joint: joint.name.clone(),
            body,
            rotation: wxyz(inverse),
            position: is_placed.then(|| (-(inverse * link.offset)).to_array()),
        });
    }
    Skin { rig: rig.into(), nodes }
}
