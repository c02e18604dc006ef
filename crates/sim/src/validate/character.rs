//! Whether a character can be simulated.

use super::MAX_BODIES;
use super::field::{FieldError, LARGEST_OFFSET, SIZE_RANGE};
use super::field::{
    check_mass, check_name, check_names, check_point, check_quaternion, check_size, check_sizes, place,
};
use super::inertia::{InertiaError, check_inertia};
use super::joint::{JointError, check_joint};
use super::tree::{TreeError, check_tree, unknown_body};
use crate::character::{Body, Character, Shape};
use std::collections::HashSet;

/// Why a character cannot be simulated; the text names the field and says what to do.
#[derive(thiserror::Error, Debug, Clone, PartialEq)]
pub enum CharacterError {
    /// No bodies at all.
    #[error("body list is empty; add at least one [[body]] and the [[joint]] that carries it")]
    NoBodies,
    /// Too many bodies.
    #[error("body list holds {count} bodies, but at most {MAX_BODIES} fit; split the character or merge bodies")]
    TooManyBodies {
        /// How many there are.
        count: usize,
    },
    /// A name or number that cannot be used.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// An inertia that no rigid body has.
    #[error(transparent)]
    Inertia(#[from] InertiaError),
    /// A joint whose fields do not fit its type.
    #[error(transparent)]
    Joint(#[from] JointError),
    /// Joints that do not make a tree of the bodies.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// Nothing to take the inertia from.
    #[error("body {body:?}: inertia is missing and there is no shape to take it from; add inertia, or a shape")]
    NoInertia {
        /// Body.
        body: String,
    },
    /// Nothing to take the centre of mass from.
    #[error(
        "body {body:?}: center_of_mass is missing and there is no shape to take it from; add center_of_mass, or a shape"
    )]
    NoCenterOfMass {
        /// Body.
        body: String,
    },
    /// A body that would collide with itself.
    #[error("collide: pair {number} names {body:?} twice; name two different bodies")]
    SelfPair {
        /// Place in the list, from 1.
        number: usize,
        /// Body.
        body: String,
    },
    /// A pair that is listed before, in either order.
    #[error("collide: pair {number}, [{:?}, {:?}], is listed twice; remove one of the two", .pair[0], .pair[1])]
    DuplicatePair {
        /// Place in the list, from 1.
        number: usize,
        /// The two bodies.
        pair: [String; 2],
    },
}

impl Character {
    /// Checks that the character can be simulated: names, numbers, mass, joints, and that they make a tree.
    ///
    /// The first fault is the error. At most [`MAX_BODIES`] bodies in [`MAX_LEVELS`](super::MAX_LEVELS) levels pass.
    pub fn validate(&self) -> Result<(), CharacterError> {
        let bodies = &self.bodies;
        match bodies.len() {
            0 => return Err(CharacterError::NoBodies),
            count if count > MAX_BODIES => return Err(CharacterError::TooManyBodies { count }),
            _ => {}
        }

        // Names first, because all other messages use them.
        check_name("character", &self.name)?;
        check_names("body", bodies.iter().map(|body| body.name.as_str()))?;
        check_names("joint", self.joints.iter().map(|joint| joint.name.as_str()))?;
        check_names("end_effector", self.end_effectors.iter().map(|effector| effector.name.as_str()))?;

        // Each entry by itself, then how they hang together.
        bodies.iter().try_for_each(check_body)?;
        self.joints.iter().try_for_each(check_joint)?;
        check_tree(self)?;

        // What refers to bodies.
        let names: HashSet<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
        for effector in &self.end_effectors {
            let place = place("end_effector", &effector.name, 0);
            if !names.contains(effector.body.as_str()) {
                return Err(unknown_body(place, "body", &effector.body).into());
            }
            check_point(&place, "position", &effector.position, LARGEST_OFFSET)?;
        }
        check_collide(&self.collide, &names)
    }
}

fn check_body(body: &Body) -> Result<(), CharacterError> {
    let here = place("body", &body.name, 0);
    check_mass(&here, body.mass)?;
    if let Some(center) = &body.center_of_mass {
        check_point(&here, "center_of_mass", center, LARGEST_OFFSET)?;
    }
    if let Some(inertia) = &body.inertia {
        check_inertia(&here, inertia)?;
    }
    if body.shapes.is_empty() {
        let body_name = body.name.clone();
        if body.inertia.is_none() {
            return Err(CharacterError::NoInertia { body: body_name });
        }
        if body.center_of_mass.is_none() {
            return Err(CharacterError::NoCenterOfMass { body: body_name });
        }
    }
    for (index, shape) in body.shapes.iter().enumerate() {
        check_shape(&format!("{here}, shape {}", index + 1), shape)?;
    }
    Ok(())
}

fn check_shape(place: &str, shape: &Shape) -> Result<(), FieldError> {
    let largest = SIZE_RANGE[1];
    match shape {
        Shape::Capsule { from, to, radius } => {
            check_point(place, "from", from, LARGEST_OFFSET)?;
            check_point(place, "to", to, LARGEST_OFFSET)?;
            check_size(place, "radius", *radius, largest)
        }
        Shape::Sphere { center, radius } => {
            check_point(place, "center", center, LARGEST_OFFSET)?;
            check_size(place, "radius", *radius, largest)
        }
        Shape::Box { center, half_extents, orientation } => {
            check_point(place, "center", center, LARGEST_OFFSET)?;
            check_sizes(place, "half_extents", half_extents, largest)?;
            check_quaternion(place, "orientation", orientation)
        }
    }
}

fn check_collide(pairs: &[[String; 2]], names: &HashSet<&str>) -> Result<(), CharacterError> {
    let mut seen = HashSet::new();
    for (index, pair) in pairs.iter().enumerate() {
        let number = index + 1;
        let [a, b] = [pair[0].as_str(), pair[1].as_str()];
        for (name, field) in [(a, "first name"), (b, "second name")] {
            if !names.contains(name) {
                return Err(unknown_body(format!("collide, pair {number}"), field, name).into());
            }
        }
        if a == b {
            return Err(CharacterError::SelfPair { number, body: a.into() });
        }
        if !seen.insert(if a < b { [a, b] } else { [b, a] }) {
            return Err(CharacterError::DuplicatePair { number, pair: pair.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "character_tests.rs"]
mod tests;
