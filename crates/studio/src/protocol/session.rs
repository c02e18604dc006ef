//! Simulations in real time.

use serde::{Deserialize, Serialize};
use sinew_sim::Shape;

/// What is to be simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case", deny_unknown_fields)]
pub enum SessionStart {
    /// A character holds its rest pose: "drop it".
    Drop {
        /// Character.
        character: String,
        /// How far above its place it begins, m.
        #[serde(default)]
        height_m: f64,
    },
    /// The character of a result, under a controller.
    Play {
        /// Result.
        result: String,
        /// What moves it.
        controller: ControllerKind,
    },
    /// A point of a front.
    Front {
        /// Front.
        front: String,
        /// From 0, its first point, to 1, its last.
        dial: f64,
    },
    /// Characters of a package, which are steered.
    Package {
        /// Package.
        package: String,
        /// How many of it share the world, from 1 to 6.
        #[serde(default = "one_character")]
        characters: usize,
        /// Where their motion begins.
        #[serde(default = "first_seed")]
        seed: u64,
    },
}

fn one_character() -> usize {
    1
}

fn first_seed() -> u64 {
    1
}

/// What moves a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControllerKind {
    /// PD control holds one pose.
    HeldPose,
    /// The motion of a transfer, as found; begins again at its end.
    OpenLoop,
    /// The policy of `sinew feedback` repeats its cycle.
    Feedback,
    /// The controller of a front.
    Front,
    /// A learnt policy.
    Learnt,
}

/// A simulation that runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionEntry {
    /// Number; also that of its stream.
    pub id: u32,
    /// Headline.
    pub title: String,
    /// What was asked for.
    pub start: SessionStart,
    /// What moves it.
    pub controller: ControllerKind,
    /// Whether it stands still.
    pub paused: bool,
    /// Seconds simulated in a second; 1 is real time.
    pub time_scale: f64,
    /// Gravity, m/s².
    pub gravity: [f64; 3],
    /// Dial of a front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dial: Option<f64>,
    /// Whether it answers [`SessionAction::Steer`].
    pub steers: bool,
}

/// What is done to a simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
pub enum SessionAction {
    /// Pushes a body at a point of the world.
    Push {
        /// Index of the body.
        body: usize,
        /// Force, N.
        force: [f64; 3],
        /// Point in the world, m; absent: its centre of mass.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        point: Option<[f64; 3]>,
        /// How long, s.
        secs: f64,
    },
    /// Throws a ball.
    Throw {
        /// Where it begins, m.
        position: [f64; 3],
        /// Its velocity, m/s.
        velocity: [f64; 3],
        /// One of the masses in the scene, kg; absent: the first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mass_kg: Option<f64>,
    },
    /// Sets gravity, m/s².
    Gravity {
        /// In the world's axes.
        gravity: [f64; 3],
    },
    /// Slow motion.
    TimeScale {
        /// From 0.01 to 4.
        time_scale: f64,
    },
    /// Lets it stand still, or go on.
    Pause {
        /// Whether it stands still.
        paused: bool,
    },
    /// One frame, where it stands still.
    Step,
    /// Back to the start; balls go, gravity and time scale stay.
    Reset,
    /// Another controller.
    Controller {
        /// What moves it from now on.
        controller: ControllerKind,
    },
    /// Moves the dial of a front.
    Dial {
        /// From 0 to 1.
        dial: f64,
    },
    /// Tells a learnt character where to go, until it is told something else.
    Steer {
        /// Which of the characters.
        #[serde(default)]
        character: usize,
        /// The command.
        steer: Steer,
    },
    /// Lets a learnt character begin an action.
    Perform {
        /// Which of the characters.
        #[serde(default)]
        character: usize,
        /// Name of the action.
        name: String,
    },
}

/// Where a learnt character is to go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Steer {
    /// As its motion goes.
    #[default]
    Free,
    /// A stick: a velocity along the ground, m/s, in the world's axes.
    Velocity([f64; 2]),
    /// To a place on the ground, m, where it stops.
    Target([f64; 2]),
    /// To the nearest character of another team; characters take turns in so many teams.
    Chase(usize),
}

/// What the numbers of a stream's frames mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneDescription {
    /// Stream.
    pub stream: u32,
    /// Bodies in the order of the frames: the character's in the order of its file, then balls.
    pub bodies: Vec<SceneBody>,
    /// Joints in the order of the frames' torques.
    pub joints: Vec<SceneJoint>,
    /// The characters, where they are steered; the skin is that of the first, and of the others with their bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub characters: Vec<SceneCharacter>,
    /// Character, where the project has it.
    pub character: Option<String>,
    /// Rig whose skin follows the bodies.
    pub rig: Option<String>,
    /// How that skin follows the bodies; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skin: Option<super::Skin>,
    /// Frames a second.
    pub rate_hz: f64,
}

/// A body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneBody {
    /// Name.
    pub name: String,
    /// Whether it is the character's; otherwise a ball.
    pub is_character: bool,
    /// Mass, kg.
    pub mass_kg: f64,
    /// Shapes in its frame. Quaternions are `[w, x, y, z]`.
    pub shapes: Vec<Shape>,
}

/// One of the characters of a package.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneCharacter {
    /// Index of its first body.
    pub first_body: usize,
    /// How many bodies it has.
    pub bodies: usize,
    /// Index of the body that its root is.
    pub root: usize,
    /// Its height, m.
    pub height_m: f64,
}

/// A joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneJoint {
    /// Name.
    pub name: String,
    /// Index of the body that it carries.
    pub body: usize,
    /// Index of the body at its other end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// Largest torque, N·m.
    pub torque_limit: Option<f64>,
}
