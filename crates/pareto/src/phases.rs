//! The phase machine of a jump: stand → crouch → take-off → rise → fall → land.
//!
//! Each phase has target angles, approached along straight lines. Feet, pelvis (while the feet stand) and chest are servoed to angles in the world, all
//! other joints to their own (Agrawal & van de Panne 2013, section 3.1).

use crate::controller::{Assist, Controller};
use crate::figure::{Figure, Link, State};
use crate::jumper::{GRAVITY, TICK_SECS};
use crate::landing_ik::{hip_angle, time_to_apex, time_to_touch_down};
use crate::parameters::{JOINTS, PHASES, index_of};
use crate::virtual_force::Balance;
use serde::{Deserialize, Serialize};

/// Targets of hips, knees, ankles, abdomen, back, shoulders and elbows, rad.
pub type Pose = [f64; 7];

const HIPS: usize = 0;
const KNEES: usize = 1;
const ANKLES: usize = 2;
const ABDOMEN: usize = 3;
const BACK: usize = 4;
const SHOULDERS: usize = 5;
const ELBOWS: usize = 6;

/// Standing upright, knees unlocked.
pub const STANDING: Pose = [0.0, 0.12, 0.0, 0.0, 0.0, 0.0, -0.15];

/// Time of standing before the crouch, s.
const STAND_SECS: f64 = 0.1;
/// Time in which the crouch is reached, and after which take-off begins, s.
const CROUCH_RAMP_SECS: f64 = 0.4;
const CROUCH_SECS: f64 = 0.6;
/// Time in which the targets of take-off are reached, and after which it has failed, s.
const TAKE_OFF_RAMP_SECS: f64 = 0.12;
const TAKE_OFF_LIMIT_SECS: f64 = 0.6;
/// Share of the predicted rise and fall in which their targets are reached.
const FLIGHT_RAMP: f64 = 0.6;
const LEAST_RAMP_SECS: f64 = 0.06;
/// Time in which the targets of landing are reached; until which they are held; in which the jumper rises from there, s.
const LAND_RAMP_SECS: f64 = 0.08;
const LAND_HOLD_SECS: f64 = 0.35;
const LAND_RAISE_SECS: f64 = 0.65;
/// A jumper that comes down faster than this gives way more, m/s: by how much the knees bend and the trunk leans for each m/s more, rad.
const SOFT_SPEED: f64 = 1.0;
const GIVING_KNEES: f64 = 0.12;
const GIVING_TRUNK: f64 = 0.05;
/// How far ahead of the centre of mass feet are put down for each metre a second that it travels, s.
const STEP_AHEAD_SECS: f64 = 0.2;
/// Time in which an inverted pendulum of the jumper's height falls by a factor e: √(z/g), s.
const FALL_SECS: f64 = 0.3;
/// While landing: by how much trunk and arms turn for each metre that the body would fall to a side, and at most, rad/m and rad.
const LEAN_PER_METRE: f64 = 3.0;
const LARGEST_LEAN: f64 = 0.4;
const LARGEST_BACKWARD_LEAN: f64 = 0.15;
const SWING_PER_METRE: f64 = 6.0;
const LARGEST_SWING: f64 = 1.2;
/// In the crouch the centre of mass goes so far ahead of the middle of the feet, from where take-off pushes straight up, m.
const CROUCH_AHEAD: f64 = 0.03;
/// Soles this high have left the ground, m.
const CLEAR_HEIGHT: f64 = 0.004;

/// Balance before the jump and after it.
const STANDING_BALANCE: Balance = Balance { stiffness: 30.0, damping: 9.0, support: 1.0, largest: 4.0 };
const LANDING_BALANCE: Balance = Balance { stiffness: 25.0, damping: 9.0, support: 1.0, largest: 5.0 };

/// Part of a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Until a time.
    Stand,
    /// Until a time.
    Crouch,
    /// Until the soles leave the ground.
    TakeOff,
    /// Until the centre of mass is highest.
    Rise,
    /// Until the soles touch the ground.
    Fall,
    /// To the end.
    Land,
}

/// The controller of one jump at work.
#[derive(Clone, Debug)]
pub struct Machine {
    poses: [Pose; 5],
    assist: Assist,
    phase: Phase,
    /// Time in the phase, s.
    in_phase: f64,
    /// Targets when the phase began, and how long the way to its own takes, s.
    from: Pose,
    ramp_secs: f64,
    /// Targets of the last tick.
    pose: Pose,
    /// Time since take-off, s.
    in_flight: f64,
    /// Speed beyond the soft one at touch-down, m/s.
    impact: f64,
}

/// What the world is to do until the next tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// Upward acceleration by which gravity is less, m/s².
    pub reduction: f64,
    /// Whether the phase began in this tick.
    pub began: bool,
}

impl Machine {
    /// A jump that has not begun.
    pub fn new(controller: &Controller) -> Machine {
        let pose = |phase: &str| -> Pose {
            std::array::from_fn(|joint| index_of(phase, JOINTS[joint]).map_or(0.0, |index| controller.values()[index]))
        };
        Machine {
            poses: PHASES.map(pose),
            assist: controller.assist(),
            phase: Phase::Stand,
            in_phase: 0.0,
            from: STANDING,
            ramp_secs: 1.0,
            pose: STANDING,
            in_flight: 0.0,
            impact: 0.0,
        }
    }

    /// The present phase.
    pub fn phase(&self) -> Phase {
        self.phase
    }
    /// Time in it, s.
    pub fn secs_in_phase(&self) -> f64 {
        self.in_phase
    }
    /// Time from take-off to touch-down so far, s.
    pub fn secs_in_flight(&self) -> f64 {
        self.in_flight
    }
    /// Whether take-off has taken longer than any jump would.
    pub fn is_stuck(&self) -> bool {
        self.phase == Phase::TakeOff && self.in_phase > TAKE_OFF_LIMIT_SECS
    }

    /// Decides for the next tick: transitions, then PD targets in `qpos` order.
    pub fn tick(&mut self, figure: &Figure, state: &State, target: &mut [f64]) -> Order {
        let began = self.go_on(state);
        self.pose = self.pose_now();
        self.aim(figure, state, target);
        let is_flying = matches!(self.phase, Phase::Rise | Phase::Fall);
        let left = 1.0 - self.in_flight / self.assist.duration_secs.max(1e-9);
        let reduction = if is_flying && left > 0.0 { self.assist.reduction * left } else { 0.0 };
        self.in_phase += TICK_SECS;
        if is_flying {
            self.in_flight += TICK_SECS;
        }
        Order { reduction, began }
    }

    /// Goes to the next phase when it is time; whether it did.
    fn go_on(&mut self, state: &State) -> bool {
        let (sole, speed) = (state.sole_height(), state.velocity[1]);
        match self.phase {
            Phase::Stand if self.in_phase >= STAND_SECS => self.begin(Phase::Crouch, CROUCH_RAMP_SECS),
            Phase::Crouch if self.in_phase >= CROUCH_SECS => self.begin(Phase::TakeOff, TAKE_OFF_RAMP_SECS),
            Phase::TakeOff if sole > CLEAR_HEIGHT && speed > 0.0 => {
                let Assist { reduction, duration_secs } = self.assist;
                let rise = time_to_apex(speed, reduction, duration_secs);
                self.begin(Phase::Rise, (FLIGHT_RAMP * rise).max(LEAST_RAMP_SECS));
                // From a pelvis in the world to a thigh against the pelvis.
                self.from[HIPS] = state.angle_of(Link::Thigh);
            }
            Phase::Rise if speed <= 0.0 => {
                let fall = time_to_touch_down(sole, speed);
                self.begin(Phase::Fall, (FLIGHT_RAMP * fall).max(LEAST_RAMP_SECS));
                self.from[HIPS] = state.angle_of(Link::Thigh);
            }
            Phase::Fall if sole <= 0.0 => {
                self.impact = (-speed - SOFT_SPEED).max(0.0);
                self.begin(Phase::Land, LAND_RAMP_SECS);
                self.from[HIPS] = state.pitch_of(Link::Pelvis);
            }
            _ => return false,
        }
        true
    }

    fn begin(&mut self, phase: Phase, ramp_secs: f64) {
        self.from = self.pose;
        (self.phase, self.in_phase, self.ramp_secs) = (phase, 0.0, ramp_secs);
    }

    /// Targets on their straight way.
    fn pose_now(&self) -> Pose {
        let between = |from: &Pose, to: &Pose, share: f64| -> Pose {
            std::array::from_fn(|joint| from[joint] + share.clamp(0.0, 1.0) * (to[joint] - from[joint]))
        };
        match self.phase {
            Phase::Stand => STANDING,
            Phase::Land => {
                let mut landed = self.poses[4];
                landed[KNEES] += GIVING_KNEES * self.impact;
                landed[HIPS] += GIVING_TRUNK * self.impact;
                landed[BACK] += GIVING_TRUNK * self.impact;
                match self.in_phase > LAND_HOLD_SECS {
                    true => between(&landed, &STANDING, (self.in_phase - LAND_HOLD_SECS) / LAND_RAISE_SECS),
                    false => between(&self.from, &landed, self.in_phase / self.ramp_secs),
                }
            }
            phase => between(&self.from, &self.poses[phase as usize - 1], self.in_phase / self.ramp_secs),
        }
    }

    /// PD targets that servo to the pose and, on the ground, hold the balance.
    fn aim(&self, figure: &Figure, state: &State, target: &mut [f64]) {
        let mut pose = self.pose;
        if self.phase == Phase::Land {
            // Trunk and arms turn towards where the body falls, which pushes the feet there and the body back.
            let falls_to = state.center[0] + state.velocity[0] * FALL_SECS - state.foot_middle();
            let lean = (LEAN_PER_METRE * falls_to).clamp(-LARGEST_BACKWARD_LEAN, LARGEST_LEAN);
            pose[HIPS] += lean;
            pose[BACK] += lean;
            pose[SHOULDERS] += (SWING_PER_METRE * falls_to).clamp(-LARGEST_SWING, LARGEST_SWING);
        }
        let pitch = |link| state.pitch_of(link);
        // The pelvis turns to its pitch when the hips' target is the thigh's pitch less that.
        let (balance, hips) = match self.phase {
            Phase::Stand | Phase::Crouch => (Some(STANDING_BALANCE), pitch(Link::Thigh) - pose[HIPS]),
            Phase::TakeOff => (None, pitch(Link::Thigh) - pose[HIPS]),
            Phase::Rise => (None, pose[HIPS]),
            Phase::Fall => {
                let ahead = STEP_AHEAD_SECS * state.velocity[0];
                let share = (self.in_phase / self.ramp_secs).min(1.0);
                let placed = hip_angle(figure, state, pose[KNEES], ahead, self.poses[3][HIPS]);
                (None, self.from[HIPS] + share * (placed - self.from[HIPS]))
            }
            Phase::Land => (Some(LANDING_BALANCE), pitch(Link::Thigh) - pose[HIPS]),
        };
        let ahead = if self.phase == Phase::Crouch { CROUCH_AHEAD } else { 0.0 };
        let [on_foot, on_shin, on_thigh] =
            balance.map_or([0.0; 3], |balance| balance.torques(figure, state, state.foot_middle() + ahead));
        let mut aim = |link, angle, torque| figure.aim(link, angle + figure.shift_for(link, torque), target);
        aim(Link::Thigh, hips, on_thigh);
        aim(Link::Shin, pose[KNEES], on_shin);
        aim(Link::Foot, pose[ANKLES] - pitch(Link::Shin), on_foot);
        aim(Link::Abdomen, pose[ABDOMEN], 0.0);
        aim(Link::Chest, pose[BACK] - pitch(Link::Abdomen), 0.0);
        aim(Link::UpperArm, pose[SHOULDERS], 0.0);
        aim(Link::Forearm, pose[ELBOWS], 0.0);
        [Link::Neck, Link::Head, Link::Hand].into_iter().for_each(|link| aim(link, 0.0, 0.0));
    }
}

/// Acceleration of gravity under an order, m/s² along `z`.
pub fn gravity_under(order: &Order) -> f64 {
    order.reduction - GRAVITY
}

/// The pose at the start in `qpos` order: [`STANDING`], the soles on the ground.
pub fn standing_position(figure: &Figure, rest: &[f64]) -> Vec<f64> {
    let mut position = rest.to_vec();
    let [thigh, shin] = figure.leg;
    // The hip straight above the ankle: thigh pitched by −α, shin by k − α with L₁ sin α = L₂ sin(k − α).
    let knee = STANDING[KNEES];
    let (sin, cos) = libm::sincos(knee);
    let forward = libm::atan2(shin * sin, thigh + shin * cos);
    figure.aim(Link::Thigh, -forward, &mut position);
    figure.aim(Link::Shin, knee, &mut position);
    figure.aim(Link::Foot, forward - knee, &mut position);
    figure.aim(Link::Forearm, STANDING[ELBOWS], &mut position);
    let mut state = State::default();
    figure.look(&position, &vec![0.0; position.len()], &mut state);
    position[1] -= state.sole_height();
    position
}
