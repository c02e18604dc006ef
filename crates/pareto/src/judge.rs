//! Watches one jump and says what it came to.

use crate::figure::{Link, State};
use crate::jumper::TICK_SECS;
use crate::objectives::{Failure, Jump};
use crate::phases::{Machine, Phase};

/// Time after touch-down in which the jumper may find its balance, s.
const SETTLE_SECS: f64 = 1.2;
/// Time for which it must stand after that, s.
pub const STAND_SECS: f64 = 2.0;
/// Shortest flight that is a jump, s.
const LEAST_FLIGHT_SECS: f64 = 0.1;
/// Pelvis, knees, hands and head must stay above these heights, m.
const LOWEST: [(Link, f64); 4] = [(Link::Pelvis, 0.22), (Link::Shin, 0.10), (Link::Hand, 0.08), (Link::Head, 0.5)];
/// Pelvis and chest may lean so far on the ground, rad.
const LARGEST_LEAN: f64 = 1.5;
/// In flight the body may turn so far, and the legs may be drawn up so far, rad.
const LARGEST_LEAN_IN_FLIGHT: f64 = 0.9;
/// While it stands: soles this near the ground, centre of mass this near the middle of the feet, m.
const STANDING_SOLE: f64 = 0.01;
const STANDING_PLACE: f64 = 0.12;
/// At the end: speed of the centre of mass below, m/s; head above, m.
const STILL_SPEED: f64 = 0.1;
const UPRIGHT_HEAD: f64 = 1.5;

/// What was seen of a jump so far.
#[derive(Clone, Debug)]
pub struct Judge {
    start: f64,
    landing: Option<f64>,
    height: f64,
    effort: f64,
    assist: f64,
    failure: Option<Failure>,
    is_over: bool,
    flight_secs: f64,
    lasted_secs: f64,
}

impl Judge {
    /// Before the jump; `start` is the middle of the feet.
    pub fn new(start: f64) -> Judge {
        Judge {
            start,
            landing: None,
            height: 0.0,
            effort: 0.0,
            assist: 0.0,
            failure: None,
            is_over: false,
            flight_secs: 0.0,
            lasted_secs: 0.0,
        }
    }

    /// Whether nothing is left to be seen.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Adds the torques of the last tick's steps: `Σ wᵢ τᵢ² dt`.
    pub fn pay(&mut self, weights: &[f64], torques: &[f64]) {
        self.effort +=
            TICK_SECS * weights.iter().zip(torques).map(|(weight, torque)| weight * torque * torque).sum::<f64>();
    }

    /// Adds the force of the next tick: `|F|² dt`.
    pub fn help(&mut self, force: f64) {
        self.assist += TICK_SECS * force * force;
    }

    /// Gives up.
    pub fn fail(&mut self, failure: Failure) {
        self.failure = Some(failure);
        self.is_over = true;
    }

    /// Looks at the state at the beginning of a tick, after the machine has decided. `landing_band` is none where any place will do.
    pub fn look(&mut self, machine: &Machine, state: &State, landing_band: Option<f64>) {
        self.lasted_secs += TICK_SECS;
        let phase = machine.phase();
        let lean = state.pitch_of(Link::Pelvis).abs().max(state.pitch_of(Link::Chest).abs());
        let largest = if matches!(phase, Phase::Rise | Phase::Fall) { LARGEST_LEAN_IN_FLIGHT } else { LARGEST_LEAN };
        if LOWEST.iter().any(|(link, lowest)| state.place_of(*link)[1] < *lowest) || lean > LARGEST_LEAN {
            return self.fail(Failure::Fell);
        }
        if lean > largest {
            return self.fail(Failure::Contorted);
        }
        if machine.is_stuck() {
            return self.fail(Failure::NoFlight);
        }
        if matches!(phase, Phase::TakeOff | Phase::Rise | Phase::Fall) {
            self.height = self.height.max(state.head_height);
        }
        if phase == Phase::Land {
            self.look_at_landing(machine, state, landing_band);
        }
    }

    fn look_at_landing(&mut self, machine: &Machine, state: &State, landing_band: Option<f64>) {
        let place = state.foot_middle() - self.start;
        if self.landing.is_none() {
            self.landing = Some(place);
            self.flight_secs = machine.secs_in_flight();
            if self.flight_secs < LEAST_FLIGHT_SECS {
                return self.fail(Failure::NoFlight);
            }
            if landing_band.is_some_and(|band| place.abs() > band) {
                return self.fail(Failure::MissedPlace);
            }
        }
        // Also later: the feet may not wander off.
        let slid = (place - self.landing.unwrap_or(place)).abs();
        let off = (state.center[0] - state.foot_middle()).abs();
        let secs = machine.secs_in_phase();
        if off > 0.35 || slid > 0.1 {
            return self.fail(Failure::Fell);
        }
        if secs > SETTLE_SECS && (state.sole_height() > STANDING_SOLE || off > STANDING_PLACE) {
            return self.fail(Failure::Unsteady);
        }
        if secs >= SETTLE_SECS + STAND_SECS {
            let speed = libm::hypot(state.velocity[0], state.velocity[1]);
            self.is_over = true;
            if speed > STILL_SPEED || state.head_height < UPRIGHT_HEAD {
                self.fail(Failure::Unsteady);
            }
        }
    }

    /// What it came to.
    pub fn verdict(&self) -> Jump {
        Jump {
            failure: self.failure,
            height: self.height,
            effort: self.effort,
            assist: self.assist,
            landing: self.landing.unwrap_or(0.0),
            flight_secs: self.flight_secs,
            lasted_secs: self.lasted_secs,
        }
    }
}
