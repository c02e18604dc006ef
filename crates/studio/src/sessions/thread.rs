//! The clock of a simulation: steps in real time, frames to all who watch, orders in between.

use super::live::Live;
use super::tempo::Tempo;
use super::{Order, RATE_HZ, Shared};
use crate::error::Refusal;
use crate::protocol::frame::PAUSED;
use crate::protocol::{Played, ServerMessage, SessionAction, SessionEntry};
use bytes::Bytes;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tokio::sync::broadcast;

/// A simulation that nobody watches for so long ends.
const PATIENCE: Duration = Duration::from_secs(20);
/// Where the machine is slower than real time, the clock waits for it: it is never behind by more than this, and no step is left out.
const LARGEST_LAG: Duration = Duration::from_millis(100);
/// Frames between two that are sent of a simulation that stands still.
const STILL_EVERY: u32 = 6;

/// Runs until it is ended.
pub(super) fn run(
    shared: &Shared,
    entry: SessionEntry,
    live: Box<dyn Live>,
    frames: &broadcast::Sender<Bytes>,
    orders: &Receiver<Order>,
) {
    let id = entry.id;
    let mut session = Session { shared, entry, live, sequence: 0, single_steps: 0, tempo: Tempo::new(), told: None };
    let ended = catch_unwind(AssertUnwindSafe(|| session.run(frames, orders)));
    let reason = ended.unwrap_or_else(|_| "The simulation broke down inside the program; start it again.".into());
    shared.ended(id, &reason);
}

struct Session<'a> {
    shared: &'a Shared,
    entry: SessionEntry,
    live: Box<dyn Live>,
    sequence: u32,
    /// Frames to go on although it stands still.
    single_steps: u32,
    tempo: Tempo,
    /// How the characters of a package were when it was told last.
    told: Option<Played>,
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
                    Ok(Order::Record(answer)) => drop(answer.send(self.live.recording())),
                    Ok(Order::End(reason)) => return reason,
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return "The server ends.".into(),
                }
            }
            let is_still = self.entry.paused && self.single_steps == 0;
            if !is_still {
                self.single_steps = self.single_steps.saturating_sub(1);
                let (secs, began) = (self.entry.time_scale / RATE_HZ, Instant::now());
                if let Err(refusal) = self.live.advance(secs) {
                    return refusal.sentence;
                }
                self.tempo.add(secs, began.elapsed());
            }
            self.tell_played();
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

    /// Tells how the characters of a package are, where that has changed, and now and then.
    fn tell_played(&mut self) {
        let is_due = self.tempo.is_due(Instant::now());
        let Some(mut played) = self.live.played() else { return };
        let same = |told: &Played| told.characters == played.characters;
        if !is_due && self.told.as_ref().is_some_and(same) {
            return;
        }
        (played.real_time_factor, played.frame_ms) = self.tempo.told().unzip();
        self.told = Some(played.clone());
        self.shared.hub.tell(&ServerMessage::Played { stream: self.entry.id, played: Box::new(played) });
    }

    fn frame(&mut self) -> Bytes {
        let mut frame = self.live.frame();
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
            SessionAction::TimeScale { time_scale } => {
                if !(0.01..=4.0).contains(&time_scale) {
                    return Err(Refusal::bad("time goes from 0.01 to 4 times as fast; give such a number"));
                }
                self.entry.time_scale = time_scale;
            }
            SessionAction::Pause { paused } => self.entry.paused = paused,
            SessionAction::Step => self.single_steps = self.single_steps.saturating_add(1).min(60),
            other => self.live.act(other, &mut self.entry, &self.shared.project)?,
        }
        if self.entry != before {
            self.shared.changed(&self.entry);
        }
        Ok(())
    }
}
