//! An artist's key-frames brought to life: from a rigged file with clips to a package that can be played.
//!
//! [`bring`] goes through the [`Stage`]s one after the other: model, transfers of all clips, rehearsal of what lies between them, data set of the simulated motions, generator, training of the
//! policy, package, measurement. What a stage has made is kept in the folder `work` of the result, so that the same request goes on where it was
//! stopped. `gaits.rs` says which clips are gaits; every other clip becomes an action.

mod gaits;
mod page;
mod recipe;
mod rehearsal;
mod request;
mod summary;
mod transfers;

pub use gaits::{Role, action_name, role_of};
pub use recipe::Recipe;
pub use request::{Brought, Event, Request, Stage, bring};
pub use summary::{ClipRow, StageRow, Summary};
pub use transfers::{LeftOut, TransferredClip};
