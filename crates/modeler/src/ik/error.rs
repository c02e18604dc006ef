//! Why a clip cannot be laid onto a character.

use sinew_sim::validate::CharacterError;
use thiserror::Error;

/// Why a clip cannot be laid onto a character, or a motion of the character onto the skeleton.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum IkError {
    /// The character itself is not valid.
    #[error("character {name:?}: {source}")]
    Character {
        /// The character.
        name: String,
        /// What is wrong with it.
        source: Box<CharacterError>,
    },
    /// The skeleton is another rig's.
    #[error(
        "the skeleton has no joint {}, which the character {character:?} is bound to; use a clip of the rig that the character was \
         made from, or make a character of this rig", list(.joints)
    )]
    MissingJoints {
        /// The character.
        character: String,
        /// The joints that are missing.
        joints: Vec<String>,
    },
    /// The binding names bodies that the character does not have.
    #[error("the binding names the body {}, which the character {character:?} does not have; bind it again", list(.bodies))]
    MissingBodies {
        /// The character.
        character: String,
        /// The bodies that are missing.
        bodies: Vec<String>,
    },
    /// The binding names end effectors that the character does not have.
    #[error(
        "the binding names the end effector {}, which the character {character:?} does not have; bind it again", list(.effectors)
    )]
    MissingEffectors {
        /// The character.
        character: String,
        /// The end effectors that are missing.
        effectors: Vec<String>,
    },
    /// A body follows two joints.
    #[error("the binding ties the body {body:?} to the joints {first:?} and {second:?}; keep one of them")]
    BoundTwice {
        /// The body.
        body: String,
        /// The joint that was named first.
        first: String,
        /// The other.
        second: String,
    },
    /// Nothing says where the root is.
    #[error("the binding ties no joint to the root body {body:?} of the character {character:?}; add a link for it")]
    NoRootLink {
        /// The character.
        character: String,
        /// Its root body.
        body: String,
    },
    /// A number in the binding is unusable.
    #[error(
        "the binding of {name:?} to the joint {joint:?} holds a number that is not finite or a rotation of length 0; bind it again"
    )]
    BindingNumber {
        /// Body or end effector.
        name: String,
        /// Joint.
        joint: String,
    },
    /// No frames.
    #[error("the clip {clip:?} has no frames; choose a clip with at least one")]
    EmptyClip {
        /// The clip.
        clip: String,
    },
    /// The clip is of another skeleton.
    #[error(
        "the clip {clip:?} has {found} rotations in {frames} frames, but a skeleton of {joints} joints needs {expected}; use the skeleton that the clip was read with"
    )]
    JointCount {
        /// The clip.
        clip: String,
        /// Its rotations.
        found: usize,
        /// Its frames.
        frames: usize,
        /// Joints of the skeleton.
        joints: usize,
        /// Rotations that it should have.
        expected: usize,
    },
    /// A rate that is no rate.
    #[error("the clip {clip:?} has {rate_hz} frames a second; give a rate from 0.001 to 100000")]
    Rate {
        /// The clip.
        clip: String,
        /// The rate.
        rate_hz: f64,
    },
    /// A pose that is no pose.
    #[error(
        "the clip {clip:?}, frame {frame}: joint {joint:?} has a number that is not finite, a position beyond 1000 km, or a rotation of length 0; repair the clip"
    )]
    ClipNumber {
        /// The clip.
        clip: String,
        /// The frame, from 0.
        frame: usize,
        /// The joint.
        joint: String,
    },
    /// An option that cannot be used.
    #[error("the option {name} of inverse kinematics is {value}, but must lie {range}")]
    Option {
        /// The field.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        range: &'static str,
    },
    /// A motion of another character.
    #[error(
        "the motion {motion:?} holds {found} numbers, which is no whole number of frames of {expected}, the length of qpos of the character {character:?}; use the character that it was made with"
    )]
    PositionCount {
        /// The motion.
        motion: String,
        /// The character.
        character: String,
        /// Numbers in the motion.
        found: usize,
        /// Numbers in a frame.
        expected: usize,
    },
    /// A motion with a number that is none.
    #[error(
        "the motion {motion:?}, frame {frame}: a coordinate is not finite; leave out the frames after the simulation diverged"
    )]
    PositionNumber {
        /// The motion.
        motion: String,
        /// The frame, from 0.
        frame: usize,
    },
}

/// Most names that a message spells out.
const SHOWN: usize = 8;

fn list(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(SHOWN).map(|n| format!("{n:?}")).collect();
    let more = names.len().saturating_sub(SHOWN);
    let and_more = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(", ") + &and_more
}
