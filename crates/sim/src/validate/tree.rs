//! Whether the joints hang all bodies from one root.

use super::MAX_LEVELS;
use crate::character::Character;
use std::collections::HashMap;

/// Joints that do not make a tree of the bodies.
#[derive(thiserror::Error, Debug, Clone, PartialEq)]
pub enum TreeError {
    /// A reference to a body that does not exist.
    #[error("{place}: {field} is {body:?}, but no [[body]] has that name; correct the spelling, or add the body")]
    UnknownBody {
        /// Entry.
        place: String,
        /// Field.
        field: &'static str,
        /// The name it gives.
        body: String,
    },
    /// A body without a joint.
    #[error("body {body:?}: no joint carries it; add a [[joint]] with child = {body:?}")]
    NotCarried {
        /// Body.
        body: String,
    },
    /// A body with two joints.
    #[error(
        "joint {second:?}: child is {body:?}, which joint {first:?} already carries; \
         remove one of the two joints, or change its child"
    )]
    CarriedTwice {
        /// Body.
        body: String,
        /// The joint that comes first.
        first: String,
        /// The joint that comes second.
        second: String,
    },
    /// No joint to the world.
    #[error("joint list has no root; give one joint the type \"free\", \"planar\" or \"fixed\" and no parent")]
    NoRoot,
    /// Two joints to the world.
    #[error(
        "joint {second:?}: type makes a second root beside joint {first:?}; \
         give it a parent and the type \"hinge\", \"ball\" or \"weld\", or make it a character of its own"
    )]
    ManyRoots {
        /// The root that comes first.
        first: String,
        /// The root that comes second.
        second: String,
    },
    /// A body that hangs from itself.
    #[error(
        "joint {joint:?}: parent is {parent:?}, which hangs from {child:?} itself; \
         change parent so that the joints lead to the root"
    )]
    Cycle {
        /// Joint on the loop.
        joint: String,
        /// Its parent.
        parent: String,
        /// Its child.
        child: String,
    },
    /// Too long a chain.
    #[error(
        "body {body:?}: parent joints lead to the root in more than {MAX_LEVELS} levels; shorten the chain, \
         for instance by merging welded bodies"
    )]
    TooDeep {
        /// Body.
        body: String,
    },
}

/// Each body carried once, by joints that lead to a single root.
///
/// Expects body names to be unique, and joints to have a parent exactly when they are no root.
pub(super) fn check_tree(character: &Character) -> Result<(), TreeError> {
    let bodies: HashMap<&str, usize> =
        character.bodies.iter().enumerate().map(|(index, body)| (body.name.as_str(), index)).collect();
    let find = |joint: &str, field, body: &str| {
        bodies.get(body).copied().ok_or_else(|| unknown_body(format!("joint {joint:?}"), field, body))
    };

    // The joint that carries each body, and the joint's parent.
    let mut carrier: Vec<Option<usize>> = vec![None; character.bodies.len()];
    let mut parents = Vec::with_capacity(character.joints.len());
    for (index, joint) in character.joints.iter().enumerate() {
        parents.push(joint.parent.as_deref().map(|parent| find(&joint.name, "parent", parent)).transpose()?);
        let child = find(&joint.name, "child", &joint.child)?;
        if let Some(first) = carrier[child].replace(index) {
            let first = character.joints[first].name.clone();
            return Err(TreeError::CarriedTwice { body: joint.child.clone(), first, second: joint.name.clone() });
        }
    }

    // One root.
    let mut roots = character.joints.iter().filter(|joint| joint.parent.is_none());
    let first = roots.next().ok_or(TreeError::NoRoot)?;
    if let Some(second) = roots.next() {
        return Err(TreeError::ManyRoots { first: first.name.clone(), second: second.name.clone() });
    }

    // Every body leads to it, without coming by itself.
    for (start, body) in character.bodies.iter().enumerate() {
        let mut at = start;
        let mut levels = 1;
        loop {
            let index = carrier[at].ok_or_else(|| TreeError::NotCarried { body: character.bodies[at].name.clone() })?;
            let joint = &character.joints[index];
            let Some(parent) = parents[index] else { break };
            // After as many steps as there are bodies, the walk goes round a loop.
            if levels == character.bodies.len() {
                let (joint, child) = (joint.name.clone(), joint.child.clone());
                return Err(TreeError::Cycle { joint, parent: character.bodies[parent].name.clone(), child });
            }
            (at, levels) = (parent, levels + 1);
        }
        if levels > MAX_LEVELS {
            return Err(TreeError::TooDeep { body: body.name.clone() });
        }
    }
    Ok(())
}

pub(super) fn unknown_body(place: String, field: &'static str, body: &str) -> TreeError {
    TreeError::UnknownBody { place, field, body: body.into() }
}
