//! The node hierarchy: parents, an order with parents first, and transforms in the rest pose.

use super::document::{Document, Node};
use crate::raw::Transform;
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// Parents, order and rest pose of all nodes of the file.
pub(crate) struct NodeTree {
    pub parents: Vec<Option<usize>>,
    /// All nodes, parents before children, otherwise in the order in which the file lists children.
    pub order: Vec<usize>,
    pub locals: Vec<Transform>,
    pub world_rest: Vec<DAffine3>,
}

/// Largest magnitude of a coordinate, and of the product of all scales above a node: beyond it a file is broken.
pub(crate) const LARGEST: f64 = 1e12;

impl NodeTree {
    /// Checks that the nodes form trees, and places them.
    pub(crate) fn build(document: &Document, notes: &mut Vec<String>) -> Result<NodeTree, String> {
        let count = document.nodes.len();
        let mut parents = vec![None; count];
        for (index, node) in document.nodes.iter().enumerate() {
            for &child in &node.children {
                let name = document.node_name(index);
                match parents.get_mut(child) {
                    None => return Err(format!("node `{name}` has the child {child}, but the file has {count} nodes")),
                    Some(Some(_)) => {
                        let child = document.node_name(child);
                        return Err(format!("node `{child}` has two parents, one of them `{name}`; export it again"));
                    }
                    Some(parent) => *parent = Some(index),
                }
            }
        }
        let mut order = Vec::with_capacity(count);
        let mut stack: Vec<usize> = (0..count).rev().filter(|&n| parents[n].is_none()).collect();
        while let Some(node) = stack.pop() {
            order.push(node);
            stack.extend(document.nodes[node].children.iter().rev());
        }
        if order.len() < count {
            let mut reached = vec![false; count];
            order.iter().for_each(|&n| reached[n] = true);
            let lost = reached.iter().position(|r| !r).unwrap_or(0);
            let name = document.node_name(lost);
            return Err(format!("node `{name}` is its own ancestor; export the character again"));
        }

        let mut locals = Vec::with_capacity(count);
        for (index, node) in document.nodes.iter().enumerate() {
            let (local, note) =
                local_transform(node).map_err(|e| format!("node `{}` {e}", document.node_name(index)))?;
            notes.extend(note.map(|note| format!("Node `{}` {note}.", document.node_name(index))));
            locals.push(local);
        }
        let mut world_rest = vec![DAffine3::IDENTITY; count];
        let mut scales = vec![1.0; count];
        for &node in &order {
            let local = locals[node].to_affine();
            let (above, scale) = parents[node].map_or((DAffine3::IDENTITY, 1.0), |p| (world_rest[p], scales[p]));
            world_rest[node] = above * local;
            scales[node] = scale * locals[node].scale.abs().max_element().max(1.0);
            let far = world_rest[node].translation.abs().max_element();
            if far.is_nan() || far > LARGEST || scales[node] > LARGEST {
                let name = document.node_name(node);
                return Err(format!(
                    "node `{name}` is placed or scaled beyond {LARGEST:e}; export the character again"
                ));
            }
        }
        Ok(NodeTree { parents, order, locals, world_rest })
    }

    /// The node's ancestors, nearest first.
    pub(crate) fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parents[node], |&n| self.parents[n])
    }
}

fn local_transform(node: &Node) -> Result<(Transform, Option<&'static str>), String> {
    let too_large = || format!("has a number beyond {LARGEST:e} in its transform; export the character again");
    if let Some(m) = &node.matrix {
        if m.iter().any(|v| v.abs() > LARGEST) {
            return Err(too_large());
        }
        let columns = [0, 4, 8, 12].map(|c| DVec3::new(m[c], m[c + 1], m[c + 2]));
        let affine =
            DAffine3 { matrix3: DMat3::from_cols(columns[0], columns[1], columns[2]), translation: columns[3] };
        let transform = decompose(&affine);
        let error = (transform.to_affine().matrix3 - affine.matrix3).abs();
        let largest = columns[..3].iter().fold(0.0, |a: f64, c| a.max(c.abs().max_element()));
        let shear = error.x_axis.max(error.y_axis).max(error.z_axis).max_element() > 1e-4 * largest;
        return Ok((transform, shear.then_some("has a sheared matrix; the shear is left out")));
    }
    let rotation = node.rotation.map_or(DQuat::IDENTITY, DQuat::from_array);
    let transform = Transform {
        translation: node.translation.map_or(DVec3::ZERO, DVec3::from_array),
        rotation: unit(rotation).unwrap_or(DQuat::IDENTITY),
        scale: node.scale.map_or(DVec3::ONE, DVec3::from_array),
    };
    if transform.translation.abs().max_element() > LARGEST || transform.scale.abs().max_element() > LARGEST {
        return Err(too_large());
    }
    Ok((transform, unit(rotation).is_none().then_some("has a rotation of length 0; it is taken as none")))
}

/// The quaternion at length 1; `None` where it has no direction.
pub(crate) fn unit(q: DQuat) -> Option<DQuat> {
    let length = q.length();
    (length.is_finite() && length > 1e-9).then(|| q / length)
}

/// Translation, rotation and scale of an affine map, its axes made orthogonal by Gram and Schmidt, `x` first.
/// A reflection becomes a negative `x` scale; axes without a length leave the rotation at identity.
pub(crate) fn decompose(affine: &DAffine3) -> Transform {
    let m = affine.matrix3;
    let mirror = if m.determinant() < 0.0 { -1.0 } else { 1.0 };
    let lengths = DVec3::new(m.x_axis.length() * mirror, m.y_axis.length(), m.z_axis.length());
    let axes = m.x_axis.try_normalize().and_then(|x| {
        let x = x * mirror;
        let y = (m.y_axis - x * x.dot(m.y_axis)).try_normalize()?;
        Some(DMat3::from_cols(x, y, x.cross(y)))
    });
    let rotation = axes.map(|a| DQuat::from_mat3(&a).normalize()).filter(|q| q.is_finite()).unwrap_or(DQuat::IDENTITY);
    Transform { translation: affine.translation, rotation, scale: lengths }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decomposing_gives_back_what_was_composed(
            axis in prop::array::uniform3(-1.0f64..1.0), angle in -3.0f64..3.0, scale in prop::array::uniform3(0.01f64..100.0),
            mirrored: bool, translation in prop::array::uniform3(-10.0f64..10.0)
        ) {
            let Some(axis) = DVec3::from_array(axis).try_normalize() else { return Ok(()) };
            let mut scale = DVec3::from_array(scale);
            if mirrored { scale.x = -scale.x }
            let t = Transform {
                translation: DVec3::from_array(translation), rotation: DQuat::from_axis_angle(axis, angle), scale
            };
            let back = decompose(&t.to_affine());
            prop_assert!(back.rotation.dot(t.rotation).abs() > 1.0 - 1e-9);
            prop_assert!((back.scale - t.scale).length() < 1e-9 * t.scale.length());
            prop_assert_eq!(back.translation, t.translation);
        }
    }

    #[test]
    fn flattened_axes_do_not_make_nan() {
        let flat = DAffine3::from_scale(DVec3::new(0.0, 1.0, 0.0));
        assert_eq!(decompose(&flat).rotation, DQuat::IDENTITY);
    }
}
