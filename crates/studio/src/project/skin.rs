//! How the nodes of a rig follow the bodies of a character.

use super::Project;
use super::characters::find_rig;
use crate::error::Refusal;
use crate::project::rigs::{stage_frame, wxyz};
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
        self.skin_on(&rig, character).map(Some)
    }

    /// The skin of a character whose rig is known.
    ///
    /// # Errors
    /// Where the rig cannot be read.
    pub fn skin_on(&self, rig: &str, character: &CharacterProject) -> Result<Skin, Refusal> {
        let (drawn, source) = (self.rig(rig)?, self.rig_of(rig, character)?);
        let larger = source.rig.skeleton.source.metres_per_unit / drawn.rig.skeleton.source.metres_per_unit;
        let shown = stage_frame(&drawn).metres_per_unit;
        Ok(Skin { metres_per_unit: larger * shown, ..skin(rig, &source, character) })
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
    Skin { rig: rig.into(), metres_per_unit: stage_frame(source).metres_per_unit, nodes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::characters::body_indices;
    use crate::protocol::MakeRequest;
    use glam::DVec3;
    use sinew_modeler::{IkOptions, fit_clip, fitted_to_clip};
    use sinew_sim::{Measured, Model, Scene};

    #[test]
    fn nodes_go_where_the_exported_clip_has_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        for rig in sinew::assets::NAMES {
            let request = MakeRequest {
                rig: rig.into(),
                name: None,
                clips: vec![],
                preset: None,
                mass_kg: None,
                height_m: None,
                up: None,
                size: None,
            };
            let made = project.make_character(&request).expect("made");
            let made = project.character(&made.id).expect("saved");
            let skin = project.skin(&made).expect("read").expect("a rig");
            let source = project.rig(rig).expect("read");
            let (skeleton, character, binding) = (&source.rig.skeleton, made.character(), made.binding());
            let walk = source.rig.clips.iter().find(|clip| clip.name == "walk").expect("walk");
            let fitted = fit_clip(character, binding, skeleton, walk, &IkOptions::default()).expect("fitted");
            let row = fitted.position(7);
            let placed = fitted_to_clip(character, binding, skeleton, 30.0, "x", row, None).expect("a clip");
            let placed = placed.place(skeleton, 0);
            let model = Model::new(&Scene::on_ground(character.clone()), 0.002).expect("a model");
            let measured = Measured::new(&model, row, &vec![0.0; model.velocity_count()], [0.0; 3]);
            let bodies = body_indices(&model, character);
            assert!(skin.nodes.len() > 10 && skin.nodes[0].position.is_some());
            for node in &skin.nodes {
                let joint = skeleton.find(&node.joint).expect("a joint");
                assert_eq!(node.node, skeleton.joints[joint].source_node);
                let quaternion = |[w, x, y, z]: [f64; 4]| DQuat::from_xyzw(x, y, z, w);
                let body = &measured.bodies[bodies[node.body]];
                let turn = quaternion(body.orientation) * quaternion(node.rotation);
                let angle = turn.normalize().angle_between(placed[joint].orientation);
                assert!(angle < 1e-6, "{rig} {}: turned by {angle}", node.joint);
                if let Some(position) = node.position {
                    let place =
                        DVec3::from_array(body.position) + quaternion(body.orientation) * DVec3::from_array(position);
                    assert!(place.distance(placed[joint].position) < 1e-6, "{rig} {}", node.joint);
                }
            }
        }
    }
}
