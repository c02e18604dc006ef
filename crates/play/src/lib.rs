//! Characters that are played: what a user wants in each frame enters, simulated motion leaves.
//!
//! A [`Player`] owns one world with characters and balls; each character has a generator that says where it goes, and a policy that moves its body
//! there. It may be steered, told to act, pushed and hit; it falls, and gets up again. A [`Package`] is all that a character needs to be played, in one
//! folder. Start reading at [`Player`].

mod actor;
mod balls;
mod chase;
mod error;
mod event;
mod foresight;
mod input;
mod measured;
mod package;
mod part;
mod player;
mod resilience;
mod room;
mod script;
mod walk;
mod wish;

#[cfg(test)]
mod test_character;

pub use balls::{BallKind, HIDDEN_M, default_balls};
pub use error::PlayError;
pub use event::{Event, Happening, PlayFigures};
pub use input::{Input, Push, Steer, Throw};
pub use measured::Measured;
pub use package::{FORMAT, GENERATOR, KeyedAction, Package, PackageHead};
pub use part::{ActionTiming, Part};
pub use player::{FORESIGHT_SECS, MOST_FORESIGHT_SECS, Placement, Player, PlayerOptions};
pub use resilience::{ThrowOutcome, ThrowTrial, throw_at};
pub use script::{MOST_CHARACTERS, Script, TimedInput, TimedPush};
pub use walk::walk_ahead;
