//! A skeleton made of a character's own bodies, so that clips can be moved to characters whose rig is not at hand.

use glam::{DQuat, DVec3};
use sinew_modeler::{Binding, EffectorLink, Link};
use sinew_motion::{Joint, Skeleton, SourceFrame, Up};
use sinew_sim::{Character, Measured, Model, Shape};

/// A joint at every body's origin, parents first, in the pose at rest; and the binding that ties each body to its own.
pub fn body_skeleton(character: &Character, model: &Model) -> (Skeleton, Binding) {
    let rest = Measured::new(model, model.rest_position(), &vec![0.0; model.velocity_count()], [0.0; 3]);
    let place = |body: &str| {
        let motion = &rest.bodies[model.body(body).unwrap_or(0)];
        let [w, x, y, z] = motion.orientation;
        (DVec3::from_array(motion.position), DQuat::from_xyzw(x, y, z, w))
    };
    let mut joints: Vec<Joint> = Vec::new();
    let roots = character.joints.iter().filter(|j| j.kind.is_root());
    let mut open: Vec<(String, Option<usize>)> = roots.map(|j| (j.child.clone(), None)).collect();
    while let Some((body, parent)) = open.pop() {
        let (position, orientation) = place(&body);
        let (offset, rotation) = match parent {
            None => (position, orientation),
            Some(parent) => {
                let (above, turn) = place(&joints[parent].name);
                (turn.conjugate() * (position - above), turn.conjugate() * orientation)
            }
        };
        let tips = character.end_effectors.iter().filter(|e| e.body == body);
        let tips = tips.map(|e| DVec3::from_array(e.position)).collect();
        let index = joints.len();
        let children = character.joints.iter().filter(|j| j.parent.as_deref() == Some(&body));
        open.extend(children.rev().map(|j| (j.child.clone(), Some(index))));
        joints.push(Joint {
            parent,
            offset,
            rotation,
            tips,
            skin: skin(character, &body),
            source_node: index,
            name: body,
        });
    }
    let links = joints.iter().map(|j| Link {
        body: j.name.clone(),
        joint: j.name.clone(),
        offset: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    });
    let effectors = character.end_effectors.iter().map(|e| EffectorLink {
        name: e.name.clone(),
        joint: e.body.clone(),
        point: DVec3::from_array(e.position),
    });
    let binding = Binding { links: links.collect(), effectors: effectors.collect() };
    (Skeleton { joints, source: SourceFrame { up: Up::Z, metres_per_unit: 1.0 }, mesh: None }, binding)
}

/// Corners of boxes, and the outermost points of round shapes along the axes.
fn skin(character: &Character, body: &str) -> Vec<DVec3> {
    let around = |center: [f64; 3], radius: f64| {
        let center = DVec3::from_array(center);
        [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z].map(|axis| center + radius * axis)
    };
    let shapes = character.bodies.iter().filter(|b| b.name == body).flat_map(|b| &b.shapes);
    shapes
        .flat_map(|shape| match shape {
            Shape::Sphere { center, radius } => around(*center, *radius).to_vec(),
            Shape::Capsule { from, to, radius } => [around(*from, *radius), around(*to, *radius)].concat(),
            Shape::Box { center, half_extents, orientation: [w, x, y, z] } => {
                let turn = DQuat::from_xyzw(*x, *y, *z, *w);
                let sign = |bits: usize, k: usize| if bits >> k & 1 == 1 { 1.0 } else { -1.0 };
                let corner = |bits: usize| DVec3::from_array(std::array::from_fn(|k| sign(bits, k) * half_extents[k]));
                (0..8).map(|bits| DVec3::from_array(*center) + turn * corner(bits)).collect()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::{Scene, embedded};

    #[test]
    fn joints_lie_where_bodies_are() {
        let character = embedded::humanoid();
        let model = Model::new(&Scene::on_ground(character.clone()), 0.002).expect("a model");
        let (skeleton, binding) = body_skeleton(&character, &model);
        assert_eq!((skeleton.joints.len(), binding.links.len()), (character.bodies.len(), character.bodies.len()));
        let rest = Measured::new(&model, model.rest_position(), &vec![0.0; model.velocity_count()], [0.0; 3]);
        for (joint, placed) in skeleton.joints.iter().zip(skeleton.bind_pose()) {
            let body = rest.bodies[model.body(&joint.name).expect("a body")].position;
            assert!(placed.position.distance(DVec3::from_array(body)) < 1e-9, "{}", joint.name);
            assert!(joint.parent.is_none_or(|parent| skeleton.joints[parent].name != joint.name));
        }
    }
}
