//! Whether a scene can be simulated.

use super::character::CharacterError;
use super::field::{FieldError, Range, SIZE_RANGE};
use super::field::{
    check_finite, check_mass, check_name, check_point, check_quaternion, check_range, check_size, check_sizes, place,
};
use crate::scene::{Object, ObjectShape, Scene, StaticBox, Surface};
use std::collections::{HashMap, HashSet};

/// Strongest gravity along an axis, m/s².
const LARGEST_GRAVITY: f64 = 1000.0;
/// Largest friction coefficient.
const LARGEST_FRICTION: f64 = 10.0;
/// Largest world coordinate, and largest half extent of a static box, m.
const LARGEST_WORLD: f64 = 1e4;

/// Why a scene cannot be simulated; the text names the field and says what to do.
#[derive(thiserror::Error, Debug, Clone, PartialEq)]
pub enum SceneError {
    /// A name or number that cannot be used.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// Two things with one name.
    #[error("{second}: name is also that of {first}; give each character, object and box of a scene a name of its own")]
    DuplicateName {
        /// The one that comes first.
        first: String,
        /// The one that comes second.
        second: String,
    },
    /// A character that cannot be simulated.
    #[error("character {character:?}: {error}")]
    Character {
        /// Character.
        character: String,
        /// What is wrong with it.
        error: Box<CharacterError>,
    },
    /// A name that stands for nothing that moves.
    #[error(
        "collide: pair {number} names {name:?}, which is no object, character or character/body of the scene; \
         correct the name"
    )]
    UnknownName {
        /// Place in the list, from 1.
        number: usize,
        /// Name.
        name: String,
    },
    /// A static box, which collision pairs do not name.
    #[error("collide: pair {number} names the static box {name:?}; list only objects, characters and character/body")]
    StaticName {
        /// Place in the list, from 1.
        number: usize,
        /// Name.
        name: String,
    },
    /// A body that would collide with itself.
    #[error(
        "collide: pair {number}, [{:?}, {:?}], pairs a body with itself; name two different things, and list pairs within \
         one character in that character's own collide",
        .pair[0], .pair[1]
    )]
    SelfPair {
        /// Place in the list, from 1.
        number: usize,
        /// The two names.
        pair: [String; 2],
    },
    /// A pair that is listed before, in either order.
    #[error("collide: pair {number}, [{:?}, {:?}], is listed twice; remove one of the two", .pair[0], .pair[1])]
    DuplicatePair {
        /// Place in the list, from 1.
        number: usize,
        /// The two names.
        pair: [String; 2],
    },
}

impl Scene {
    /// Checks that the scene can be simulated: names, numbers, every character, and the collision pairs.
    ///
    /// The first fault is the error.
    pub fn validate(&self) -> Result<(), SceneError> {
        check_names(self)?;

        // The world.
        let remedy = "give an acceleration in m/s^2, such as [0.0, 0.0, -9.81]";
        let range = Range { low: -LARGEST_GRAVITY, high: LARGEST_GRAVITY, unit: " m/s^2", remedy };
        for (i, &g) in self.gravity.iter().enumerate() {
            check_range("scene", &format!("gravity[{i}]"), g, &range)?;
        }
        check_surface("scene", "between_bodies", &self.between_bodies)?;
        if let Some(ground) = &self.ground {
            let remedy = "give a height in metres";
            let range = Range { low: -LARGEST_WORLD, high: LARGEST_WORLD, unit: " m", remedy };
            check_range("ground", "height", ground.height, &range)?;
            check_surface("ground", "surface", &ground.surface)?;
        }

        // What stands and moves in it.
        self.boxes.iter().try_for_each(check_box)?;
        for placed in &self.characters {
            let character = placed.character.name.clone();
            let here = place("character", &character, 0);
            placed.character.validate().map_err(|error| SceneError::Character { character, error: Box::new(error) })?;
            check_point(&here, "offset", &placed.offset, LARGEST_WORLD)?;
            check_finite(&here, "heading", placed.heading)?;
        }
        self.objects.iter().try_for_each(check_object)?;
        check_collide(self)
    }
}

fn check_names(scene: &Scene) -> Result<(), SceneError> {
    let characters = scene.characters.iter().map(|placed| ("character", &placed.character.name));
    let objects = scene.objects.iter().map(|object| ("object", &object.name));
    let boxes = scene.boxes.iter().map(|static_box| ("box", &static_box.name));
    let mut seen = HashMap::new();
    for entries in [characters.collect::<Vec<_>>(), objects.collect(), boxes.collect()] {
        for (index, (kind, name)) in entries.into_iter().enumerate() {
            let second = place(kind, name, index);
            check_name(&second, name)?;
            if let Some(first) = seen.insert(name, second.clone()) {
                return Err(SceneError::DuplicateName { first, second });
            }
        }
    }
    Ok(())
}

fn check_surface(place: &str, field: &str, surface: &Surface) -> Result<(), FieldError> {
    let remedy = "give 0 for ice, about 0.8 for rubber";
    let range = Range { low: 0.0, high: LARGEST_FRICTION, unit: "", remedy };
    check_range(place, &format!("{field}.friction"), surface.friction, &range)?;
    let remedy = "give 0 for no bounce, 1 for a full one";
    let range = Range { low: 0.0, high: 1.0, unit: "", remedy };
    check_range(place, &format!("{field}.restitution"), surface.restitution, &range)
}

fn check_box(static_box: &StaticBox) -> Result<(), FieldError> {
    let place = place("box", &static_box.name, 0);
    check_point(&place, "center", &static_box.center, LARGEST_WORLD)?;
    check_sizes(&place, "half_extents", &static_box.half_extents, LARGEST_WORLD)?;
    check_quaternion(&place, "orientation", &static_box.orientation)?;
    check_surface(&place, "surface", &static_box.surface)
}

fn check_object(object: &Object) -> Result<(), FieldError> {
    let place = place("object", &object.name, 0);
    check_mass(&place, object.mass)?;
    check_point(&place, "position", &object.position, LARGEST_WORLD)?;
    check_quaternion(&place, "orientation", &object.orientation)?;
    match &object.shape {
        ObjectShape::Ball { radius } => check_size(&place, "shape.ball.radius", *radius, SIZE_RANGE[1]),
        ObjectShape::Box { half_extents } => check_sizes(&place, "shape.box.half_extents", half_extents, SIZE_RANGE[1]),
    }
}

/// Every name resolves, and no pair holds the same body on both sides.
fn check_collide(scene: &Scene) -> Result<(), SceneError> {
    let mut known: HashSet<String> = scene.objects.iter().map(|object| object.name.clone()).collect();
    for placed in &scene.characters {
        let character = &placed.character;
        known.insert(character.name.clone());
        known.extend(character.bodies.iter().map(|body| format!("{}/{}", character.name, body.name)));
    }
    let mut seen = HashSet::new();
    for (index, pair) in scene.collide.iter().enumerate() {
        let number = index + 1;
        if let Some(name) = pair.iter().find(|name| !known.contains(*name)).cloned() {
            return Err(match scene.boxes.iter().any(|static_box| static_box.name == name) {
                true => SceneError::StaticName { number, name },
                false => SceneError::UnknownName { number, name },
            });
        }
        let [a, b] = [pair[0].as_str(), pair[1].as_str()];
        if a == b || holds(a, b) || holds(b, a) {
            return Err(SceneError::SelfPair { number, pair: pair.clone() });
        }
        if !seen.insert(if a < b { [a, b] } else { [b, a] }) {
            return Err(SceneError::DuplicatePair { number, pair: pair.clone() });
        }
    }
    Ok(())
}

/// Whether `body` is `character/…`.
fn holds(character: &str, body: &str) -> bool {
    body.strip_prefix(character).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
#[path = "scene_tests.rs"]
mod tests;
