//! The tree itself: another root, one body less, two bodies as one.

use crate::ModelerError;
use crate::figure::{Figure, Pose};
use crate::frames::{moved, quaternion, wxyz};
use crate::inertia;
use glam::{DQuat, DVec3};
use sinew_sim::Joint;
use sinew_sim::mass_properties::of_body;

/// Turns the joints between the old root and the new one round.
///
/// A joint with child `C` in parent `P`, `R = o · rot(a, θ)`, becomes one with child `P` in parent `C`:
/// `R⁻¹ = o⁻¹ · rot(−o a, θ)`. The frame of `P` moves to that joint, since a body's origin lies at the joint that carries it.
pub(super) fn set_root(figure: &mut Figure, name: &str) -> Result<(), ModelerError> {
    figure.body_index(name)?;
    let rest = figure.rest();
    // From the new root up to the old one: indices of joints.
    let mut path = Vec::new();
    let mut body = name.to_owned();
    loop {
        let index = figure.character.joints.iter().position(|j| j.child == body);
        let index =
            index.ok_or_else(|| ModelerError::refused(format!("body {body:?}"), "no joint carries it; add one"))?;
        match figure.character.joints[index].parent.clone() {
            Some(parent) => {
                path.push(index);
                body = parent;
            }
            None => {
                path.push(index);
                break;
            }
        }
    }
    let Some((&old_root, path)) = path.split_last() else { return Ok(()) };
    if path.is_empty() {
        return Ok(());
    }
    let root_joint = figure.character.joints[old_root].clone();
    let mut shift_before = DVec3::ZERO;
    for &index in path {
        let joint = figure.character.joints[index].clone();
        let (old_parent, shift) = (joint.parent.clone().unwrap_or_default(), DVec3::from_array(joint.position));
        let turn = quaternion(joint.orientation);
        // The joint seen from its other side.
        let reversed = &mut figure.character.joints[index];
        reversed.parent = Some(joint.child.clone());
        reversed.child = old_parent.clone();
        reversed.position = (-shift_before).to_array().map(|x| x + 0.0);
        reversed.orientation = wxyz(turn.inverse());
        reversed.axis = joint.axis.map(|a| (-(turn * DVec3::from_array(a))).to_array());
        shift_frame(figure, &old_parent, shift, index, path);
        shift_before = shift;
    }
    // The free joint goes to the new root.
    let pose = rest[name];
    figure.character.joints[old_root] = Joint {
        child: name.into(),
        position: pose.position.to_array(),
        orientation: wxyz(pose.orientation),
        ..root_joint
    };
    Ok(())
}

/// Moves the origin of a body's frame by `shift`; all that lies in it, and what the body carries, stays where it is.
fn shift_frame(figure: &mut Figure, name: &str, shift: DVec3, reversed: usize, path: &[usize]) {
    let minus = |x: [f64; 3]| (DVec3::from_array(x) - shift).to_array();
    for body in figure.character.bodies.iter_mut().filter(|b| b.name == name) {
        body.shapes = body.shapes.iter().map(|s| moved(s, DQuat::IDENTITY, -shift)).collect();
        body.center_of_mass = body.center_of_mass.map(minus);
    }
    for effector in figure.character.end_effectors.iter_mut().filter(|e| e.body == name) {
        effector.position = minus(effector.position);
    }
    for (index, joint) in figure.character.joints.iter_mut().enumerate() {
        // Joints of the path get their new place as they are turned round.
        if index != reversed && !path.contains(&index) && joint.parent.as_deref() == Some(name) {
            joint.position = minus(joint.position);
        }
    }
    for link in figure.binding.links.iter_mut().filter(|l| l.body == name) {
        link.offset += link.rotation * shift;
    }
}

/// Hangs what a body carries from its parent, in the same place; gives the parent's name and the body's pose in it.
fn reattach(figure: &mut Figure, name: &str) -> Result<(String, Pose), ModelerError> {
    let carrier = figure.carrier(name)?.clone();
    let place = format!("body {name:?}");
    let Some(parent) = carrier.parent.clone() else {
        return Err(ModelerError::refused(place, "it is the root; choose another root first"));
    };
    let own = Pose::of_joint(&carrier);
    for joint in figure.character.joints.iter_mut().filter(|j| j.parent.as_deref() == Some(name)) {
        let pose = own.then(&Pose::of_joint(joint));
        joint.parent = Some(parent.clone());
        joint.position = pose.position.to_array();
        joint.orientation = wxyz(pose.orientation);
    }
    figure.character.joints.retain(|j| j.child != name);
    figure.binding.links.retain(|l| l.body != name);
    Ok((parent, own))
}

pub(super) fn delete(figure: &mut Figure, name: &str) -> Result<(), ModelerError> {
    reattach(figure, name)?;
    let character = &mut figure.character;
    character.bodies.retain(|b| b.name != name);
    let gone: Vec<String> = character.end_effectors.iter().filter(|e| e.body == name).map(|e| e.name.clone()).collect();
    character.end_effectors.retain(|e| e.body != name);
    figure.binding.effectors.retain(|e| !gone.contains(&e.name));
    character.collide.retain(|pair| !pair.iter().any(|b| b == name));
    Ok(())
}

pub(super) fn merge(figure: &mut Figure, name: &str) -> Result<(), ModelerError> {
    let index = figure.body_index(name)?;
    let (parent, own) = reattach(figure, name)?;
    let merged = figure.character.bodies.remove(index);
    let body = figure.body(&parent)?;
    let in_parent = inertia::moved(&of_body(&merged), own.orientation, own.position);
    let whole = inertia::together(&of_body(body), &in_parent);
    (body.mass, body.center_of_mass, body.inertia) = (whole.mass, Some(whole.center_of_mass), Some(whole.inertia));
    body.shapes.extend(merged.shapes.iter().map(|s| moved(s, own.orientation, own.position)));
    for effector in figure.character.end_effectors.iter_mut().filter(|e| e.body == name) {
        effector.body = parent.clone();
        effector.position = own.place(DVec3::from_array(effector.position)).to_array();
    }
    // Pairs that may collide go to the parent, each once and never with itself.
    let mut pairs: Vec<[String; 2]> = Vec::new();
    for pair in std::mem::take(&mut figure.character.collide) {
        let [a, b] = pair.map(|b| if b == name { parent.clone() } else { b });
        let is_known = pairs.iter().any(|p| *p == [a.clone(), b.clone()] || *p == [b.clone(), a.clone()]);
        if a != b && !is_known {
            pairs.push([a, b]);
        }
    }
    figure.character.collide = pairs;
    Ok(())
}
