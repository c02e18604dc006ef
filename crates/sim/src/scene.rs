//! What is in the world: ground, static boxes, loose objects and characters.

use crate::character::{Character, identity_quaternion, is_identity};
use serde::{Deserialize, Serialize};

/// Gravity of a scene that names none, m/s²; it acts downwards.
pub const STANDARD_GRAVITY: f64 = 9.81;

/// One world's contents. Every world of a batch holds the same scene in its own state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Acceleration of gravity at the start, m/s²; each world may change its own.
    #[serde(default = "standard_gravity")]
    pub gravity: [f64; 3],
    /// The floor, if there is one.
    #[serde(default)]
    pub ground: Option<Ground>,
    /// Steps, walls, obstacles.
    #[serde(default)]
    pub boxes: Vec<StaticBox>,
    /// Characters, in the order of their degrees of freedom.
    #[serde(default)]
    pub characters: Vec<PlacedCharacter>,
    /// Loose rigid bodies, after the characters in the order of degrees of freedom.
    #[serde(default)]
    pub objects: Vec<Object>,
    /// Pairs that may collide with each other. A name is an object's, `character/body`, or a character's (all its bodies).
    #[serde(default)]
    pub collide: Vec<[String; 2]>,
    /// Friction and restitution between moving bodies.
    #[serde(default)]
    pub between_bodies: Surface,
}

/// How a surface rubs and bounces.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Surface {
    /// Coulomb coefficient; 0 is ice.
    pub friction: f64,
    /// Rebound speed over impact speed, 0 to 1.
    pub restitution: f64,
}

impl Default for Surface {
    /// Keys-to-Sim 2018, §6: friction 0.8, restitution 0.2.
    fn default() -> Self {
        Surface { friction: 0.8, restitution: 0.2 }
    }
}

/// The plane `z = height`.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ground {
    /// Height of the plane, m.
    #[serde(default)]
    pub height: f64,
    /// Friction and restitution.
    #[serde(default)]
    pub surface: Surface,
}

/// An immovable box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaticBox {
    /// Unique name.
    pub name: String,
    /// Centre in the world, m.
    pub center: [f64; 3],
    /// Half the edge lengths, m.
    pub half_extents: [f64; 3],
    /// Orientation, quaternion `[w, x, y, z]`.
    #[serde(default = "identity_quaternion", skip_serializing_if = "is_identity")]
    pub orientation: [f64; 4],
    /// Friction and restitution.
    #[serde(default)]
    pub surface: Surface,
}

/// A character and where it starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacedCharacter {
    /// The description; its name must be unique in the scene.
    pub character: Character,
    /// Added to the root's position, m.
    #[serde(default)]
    pub offset: [f64; 3],
    /// Turn about the vertical through the world's origin before the offset, rad.
    #[serde(default)]
    pub heading: f64,
}

/// A loose rigid body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// Unique name.
    pub name: String,
    /// Ball or box.
    pub shape: ObjectShape,
    /// Mass, kg.
    pub mass: f64,
    /// Starting position of the centre, m.
    pub position: [f64; 3],
    /// Starting orientation, quaternion `[w, x, y, z]`.
    #[serde(default = "identity_quaternion", skip_serializing_if = "is_identity")]
    pub orientation: [f64; 4],
}

/// What a loose object looks like, about its centre.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum ObjectShape {
    /// A solid ball.
    Ball {
        /// Radius, m.
        radius: f64,
    },
    /// A solid box.
    Box {
        /// Half the edge lengths, m.
        half_extents: [f64; 3],
    },
}

impl Default for Scene {
    /// An empty world under standard gravity, without a floor.
    fn default() -> Self {
        Scene {
            gravity: standard_gravity(),
            ground: None,
            boxes: Vec::new(),
            characters: Vec::new(),
            objects: Vec::new(),
            collide: Vec::new(),
            between_bodies: Surface::default(),
        }
    }
}

impl Scene {
    /// A character standing where its file puts it, on a flat floor of default friction.
    pub fn on_ground(character: Character) -> Scene {
        Scene { ground: Some(Ground::default()), ..Scene::floating(character) }
    }

    /// A character alone in the world.
    pub fn floating(character: Character) -> Scene {
        let placed = PlacedCharacter { character, offset: [0.0; 3], heading: 0.0 };
        Scene { characters: vec![placed], ..Scene::default() }
    }
}

fn standard_gravity() -> [f64; 3] {
    [0.0, 0.0, -STANDARD_GRAVITY]
}
