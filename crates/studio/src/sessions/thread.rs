//! The clock of a simulation: steps in real time, frames to all who watch, orders in between.

use super::build::{check_dial, other_controller};
use super::simulation::Simulation;
use super::{Order, RATE_HZ, Shared};
use crate::error::Refusal;
use crate::protocol::frame::PAUSED;
use crate::protocol::{SessionAction, SessionEntry};
use bytes::Bytes;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tokio::sync::broadcast;

/// A simulation that nobody watches for so long ends.
const PATIENCE: Duration = Duration::from_secs(20);
/// Where the machine is slower than real time, what it is behind by more than this is dropped.
const LARGEST_LAG: Duration = Duration::from_millis(100);
/// Frames between two that are sent of a simulation that stands still.
const STILL_EVERY: u32 = 6;

/// Runs until it is ended.
pub(super) fn run(
    shared: &Shared,
    entry: SessionEntry,
    simulation: Simulation,
    frames: &broadcast::Sender<Bytes>,
    orders: &Receiver<Order>,
) {
    let id = entry.id;
    let mut session = Session { shared, entry, simulation, sequence: 0, single_steps: 0 };
    let ended = catch_unwind(AssertUnwindSafe(|| session.run(frames, orders)));
    let reason = ended.unwrap_or_else(|_| "The simulation broke down inside the program; start it again.".into());
    shared.ended(id, &reason);
}

struct Session<'a> {
    shared: &'a Shared,
    entry: SessionEntry,
    simulation: Simulation,
    sequence: u32,
    /// Frames to go on although it stands still.
    single_steps: u32,
}

impl Session<'_> {
    /// Gives the reason of the end.
    fn run(&mut self, frames: &broadcast::Sender<Bytes>, orders: &Receiver<Order>) -> String {
        let tick = Duration::from_secs_f64(1.0 / RATE_HZ);
        let mut next = Instant::now();
        let mut watched = Instant::now();
        let mut still = 0;
        loop {
            // Orders are taken up to the moment of the next frame.
            loop {
                let wait = next.saturating_duration_since(Instant::now());
                match orders.recv_timeout(wait) {
                    Ok(Order::Act(action, answer)) => {
                        still = 0;
                        // Who asked may have gone.
                        let _ = answer.send(self.act(action).map(|()| self.entry.clone()));
                    }
                    Ok(Order::End(reason)) => return reason,
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return "The server ends.".into(),
                }
            }
            let is_still = self.entry.paused && self.single_steps == 0;
            if !is_still {
                self.single_steps = self.single_steps.saturating_sub(1);
                self.simulation.advance(self.entry.time_scale / RATE_HZ);
            }
            if frames.receiver_count() > 0 {
                watched = Instant::now();
                if !is_still || still % STILL_EVERY == 0 {
                    // Those who watched may have gone.
                    let _ = frames.send(self.frame());
                }
                still = if is_still { still + 1 } else { 0 };
            } else if watched.elapsed() > PATIENCE {
                return "Nobody was watching.".into();
            }
            next += tick;
            let now = Instant::now();
            if now > next + LARGEST_LAG {
                next = now;
            }
        }
    }

    fn frame(&mut self) -> Bytes {
        let mut frame = self.simulation.frame();
        frame.stream = self.entry.id;
        frame.sequence = self.sequence;
        frame.clock_ms = self.shared.hub.clock_ms();
        if self.entry.paused {
            frame.flags |= PAUSED;
        }
        self.sequence = self.sequence.wrapping_add(1);
        frame.encode()
    }

    fn act(&mut self, action: SessionAction) -> Result<(), Refusal> {
        let before = self.entry.clone();
        match action {
            SessionAction::Push { body, force, point, secs } => {
                within("a push", "N", &force, 20_000.0)?;
                within("the point of a push", "m", &point.unwrap_or_default(), 1000.0)?;
                if !(0.0..=5.0).contains(&secs) {
                    return Err(Refusal::bad("a push lasts from 0 to 5 s; give such a time"));
                }
                self.simulation.push(body, force, point, secs)?;
            }
            SessionAction::Throw { position, velocity, mass_kg } => {
                within("a ball begins", "m from the middle", &position, 100.0)?;
                within("a ball flies", "m/s", &velocity, 60.0)?;
                self.simulation.throw(position, velocity, mass_kg);
            }
            SessionAction::Gravity { gravity } => {
                within("gravity is", "m/s²", &gravity, 50.0)?;
                self.simulation.set_gravity(gravity);
                self.entry.gravity = gravity;
            }
            SessionAction::TimeScale { time_scale } => {
                if !(0.01..=4.0).contains(&time_scale) {
                    return Err(Refusal::bad("time goes from 0.01 to 4 times as fast; give such a number"));
                }
                self.entry.time_scale = time_scale;
            }
            SessionAction::Pause { paused } => self.entry.paused = paused,
            SessionAction::Step => self.single_steps = self.single_steps.saturating_add(1).min(60),
            SessionAction::Reset => self.simulation.restart(true),
            SessionAction::Controller { controller } => {
                let start = &self.entry.start;
                let other = other_controller(&self.shared.project, start, controller, &self.simulation)?;
                self.entry.controller = other.kind();
                self.entry.steers = other.steers();
                self.simulation.set_controller(other);
            }
            SessionAction::Dial { dial } => {
                check_dial(dial)?;
                self.simulation.controller().set_dial(dial)?;
                self.entry.dial = Some(dial);
            }
            SessionAction::Steer { steer } => {
                if !self.entry.steers {
                    return Err(Refusal::bad("this character cannot be told where to go"));
                }
                let [x, y] = steer.velocity;
                within("a character goes", "m/s", &[x, y, steer.heading_rad.unwrap_or(0.0)], 20.0)?;
                self.simulation.steer = steer;
            }
        }
        if self.entry != before {
            self.shared.changed(&self.entry);
        }
        Ok(())
    }
}

fn within(what: &str, unit: &str, values: &[f64; 3], most: f64) -> Result<(), Refusal> {
    match values.iter().all(|x| x.abs() <= most) {
        true => Ok(()),
        false => Err(Refusal::bad(format!("{what} at most {most} {unit} along each axis; give smaller numbers"))),
    }
}
