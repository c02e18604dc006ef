//! A character under a controller, as a session simulates it: all that can be done to it.

use super::build::{check_dial, other_controller};
use super::live::{Live, check_ball, check_push, within};
use super::simulation::Simulation;
use crate::error::Refusal;
use crate::project::Project;
use crate::protocol::{Frame, SessionAction, SessionEntry, Steer};

impl Live for Simulation {
    fn advance(&mut self, secs: f64) -> Result<(), Refusal> {
        self.simulate(secs);
        Ok(())
    }

    fn frame(&mut self) -> Frame {
        self.moment()
    }

    fn act(&mut self, action: SessionAction, entry: &mut SessionEntry, project: &Project) -> Result<(), Refusal> {
        match action {
            SessionAction::Push { body, force, point, secs } => {
                check_push(&force, point, secs)?;
                self.push(body, force, point, secs)?;
            }
            SessionAction::Throw { position, velocity, mass_kg } => {
                within("a ball begins", "m from the middle", &position, 100.0)?;
                check_ball(&velocity)?;
                self.throw(position, velocity, mass_kg);
            }
            SessionAction::Gravity { gravity } => {
                within("gravity is", "m/s²", &gravity, 50.0)?;
                self.set_gravity(gravity);
                entry.gravity = gravity;
            }
            SessionAction::Reset => self.restart(true),
            SessionAction::Controller { controller } => {
                let other = other_controller(project, &entry.start, controller, self)?;
                entry.controller = other.kind();
                entry.steers = other.steers();
                self.set_controller(other);
            }
            SessionAction::Dial { dial } => {
                check_dial(dial)?;
                self.controller().set_dial(dial)?;
                entry.dial = Some(dial);
            }
            SessionAction::Steer { steer, .. } => {
                if !entry.steers {
                    return Err(Refusal::bad("this character cannot be told where to go; play a package"));
                }
                if let Steer::Velocity([x, y]) = steer {
                    within("a character goes", "m/s", &[x, y, 0.0], 20.0)?;
                }
                self.steer = steer;
            }
            SessionAction::Perform { .. } => {
                return Err(Refusal::bad("this character knows no actions; play a package"));
            }
            // The clock is the session's.
            SessionAction::TimeScale { .. } | SessionAction::Pause { .. } | SessionAction::Step => {}
        }
        Ok(())
    }
}
