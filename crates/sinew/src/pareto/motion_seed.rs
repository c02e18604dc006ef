//! The first jump of a search, made from any transferred motion that has a flight in it.
//!
//! Crouch, take-off, rise, fall and landing are read off the motion, seen from the side, as the jumper's angles; a short search then repairs the jump until it lands.

use super::{Controller, Evaluator, Failure, Jump, Repair, parameters, repair};
use crate::error::{MotionError, Result};
use crate::transfer::{Moment, replay, thread_pool};
use sinew_sim::{Measured, Model};
use std::path::Path;

/// Shortest time without contact that is a jump, s.
const LEAST_FLIGHT_SECS: f64 = 0.08;
/// How long before take-off the crouch may be, and how long after touch-down the lowest pose, s.
const BEFORE_SECS: f64 = 1.2;
const AFTER_SECS: f64 = 0.6;
/// How far beyond its angle at take-off the knee's target is, so that it extends with force, rad.
const KNEE_DRIVE: f64 = 0.4;

/// Shares of the hand-made jump that are mixed in, one after the other, until the mixture can be repaired: characters of another build bend otherwise.
const MIXED_IN: [f64; 4] = [0.0, 0.25, 0.5, 0.75];

/// A jump that lands, and what it was made from.
pub struct MotionSeed {
    /// Its controller.
    pub controller: Controller,
    /// What it comes to.
    pub jump: Jump,
    /// Name of the character and the clip.
    pub motion: String,
    /// When the motion took off and touched down, s.
    pub flight_secs: [f64; 2],
    /// Share of the hand-made jump in what was repaired; 0 where the motion's own could be.
    pub mixed_in: f64,
}

impl MotionSeed {
    /// What was made from what, in one sentence.
    pub fn sentence(&self) -> String {
        let [from, to] = self.flight_secs;
        let mixed = match self.mixed_in {
            0.0 => String::new(),
            share => format!(" (with {:.0} % of the hand-made jump mixed in)", 100.0 * share),
        };
        format!(
            "first jump from {}, which flies from {from:.2} s to {to:.2} s{mixed}: the head reaches {:.2} m",
            self.motion, self.jump.height
        )
    }
}

/// Makes a jump from the motion in a folder of `sinew transfer`.
///
/// # Errors
/// Where the folder holds no motion, the motion no flight, the character no legs, or the jump cannot be repaired.
pub fn seed_from(folder: &Path, evaluator: &Evaluator, seed: u64, threads: usize) -> Result<MotionSeed> {
    let replayed = replay(folder, None)?;
    let motion = format!("{}, {}", replayed.controls.character, replayed.controls.clip);
    let (model, run) = (replayed.target.model(), &replayed.run);
    let steps = [LEAST_FLIGHT_SECS, BEFORE_SECS, AFTER_SECS].map(|secs| (secs / run.dt) as usize);
    let Some([take_off, touch_down]) = longest_flight(&run.moments, steps[0]) else {
        let least_secs = LEAST_FLIGHT_SECS;
        return Err(MotionError::NoFlight { folder: folder.into(), motion, least_secs }.into());
    };
    let Some(side) = Side::find(model) else {
        return Err(MotionError::NoLeg { folder: folder.into(), motion }.into());
    };
    let lowest = |from: usize, to: usize| {
        (from..=to).min_by(|&a, &b| side.height(model, &run.moments[a]).total_cmp(&side.height(model, &run.moments[b])))
    };
    let last = run.moments.len() - 1;
    let crouch = lowest(take_off.saturating_sub(steps[1]), take_off).unwrap_or(take_off);
    let land = lowest(touch_down, (touch_down + steps[2]).min(last)).unwrap_or(touch_down);
    let apex = take_off + (touch_down - take_off) / 2;
    let moments = [crouch, take_off, apex, touch_down.saturating_sub(1), land];
    let draft = draft(&moments.map(|moment| side.angles(model, &run.moments[moment])))?;

    let settings = Repair { seed, ..Repair::default() };
    let flight_secs = [take_off, touch_down].map(|step| step as f64 * run.dt);
    let mut best: Option<Jump> = None;
    for mixed_in in MIXED_IN {
        let start = draft.blend(&Controller::seed(), mixed_in);
        let (controller, jump) = thread_pool(threads)?.install(|| repair(evaluator, &start, &settings))?;
        if jump.failure.is_none() {
            return Ok(MotionSeed { controller, jump, motion, flight_secs, mixed_in });
        }
        if best.as_ref().is_none_or(|best| best.lasted_secs < jump.lasted_secs) {
            best = Some(jump);
        }
    }
    let (secs, failure) = best.map_or((0.0, None), |jump| (jump.lasted_secs, jump.failure));
    let failure = failure.map_or("", Failure::words);
    Err(MotionError::NoLanding { folder: folder.into(), motion, secs, failure }.into())
}

/// First step and step after the last of the longest time without contact.
fn longest_flight(moments: &[Moment], least: usize) -> Option<[usize; 2]> {
    let mut best: Option<[usize; 2]> = None;
    let mut from = None;
    for (step, moment) in moments.iter().enumerate() {
        // The start has no step that led to it, hence no contacts.
        if moment.contacts.is_empty() && step > 0 {
            let first = *from.get_or_insert(step);
            if best.is_none_or(|[a, b]| step - first > b - a) {
                best = Some([first, step]);
            }
        } else {
            from = None;
        }
    }
    // A jump takes off and lands within the motion.
    best.filter(|[first, last]| last - first >= least && *first > 1 && last + 1 < moments.len())
}

/// The bodies of one side that the jumper has, too.
struct Side {
    pelvis: usize,
    thigh: usize,
    shin: usize,
    foot: usize,
    chest: Option<usize>,
    /// Upper arm, forearm, and what the forearm carries.
    arm: Option<[usize; 3]>,
}

/// Pitches of pelvis, chest and foot; angles of hip, knee, shoulder and elbow; rad.
struct Angles {
    pelvis: f64,
    foot: f64,
    hip: f64,
    knee: f64,
    chest: Option<f64>,
    arm: Option<[f64; 2]>,
}

impl Side {
    /// Finds a leg by where its joints lie in the rest pose, chest and arm by height and name.
    fn find(model: &Model) -> Option<Side> {
        let character = &model.scene().characters.first()?.character;
        let still = vec![0.0; model.velocity_count()];
        let rest = Measured::new(model, model.rest_position(), &still, [0.0; 3]);
        let index = |name: &str| model.body(name);
        let parent = |body: usize| {
            let name = model.bodies()[body].name.rsplit('/').next()?;
            index(character.joints.iter().find(|joint| joint.child == name)?.parent.as_deref()?)
        };
        let path = |leaf: usize| {
            let mut path = vec![leaf];
            while let Some(up) = parent(path[path.len() - 1]) {
                path.push(up);
            }
            path.reverse();
            path
        };
        let height = |body: usize| rest.bodies[body].position[2];
        let bodies = 0..model.bodies().len();
        let leaf = |body: &usize| !bodies.clone().any(|other| parent(other) == Some(*body));
        // The leg: from the root to the lowest leaf.
        let lowest = bodies.clone().filter(leaf).min_by(|&a, &b| height(a).total_cmp(&height(b)))?;
        let leg = path(lowest);
        let hip_height = height(*leg.get(1)?);
        let nearest = |share: f64| {
            let off = |body: usize| (height(body) - share * hip_height).abs();
            leg[2..].iter().copied().min_by(|&a, &b| off(a).total_cmp(&off(b)))
        };
        if leg.len() < 4 {
            return None;
        }
        let (shin, foot) = (nearest(0.52)?, nearest(0.09)?);
        let highest = bodies.clone().filter(leaf).max_by(|&a, &b| height(a).total_cmp(&height(b)))?;
        let trunk = path(highest);
        let chest = trunk[1..].iter().copied().rfind(|&body| height(body) < 1.7 * hip_height);
        Some(Side { pelvis: leg[0], thigh: leg[1], shin, foot, chest, arm: find_arm(model, &parent) })
            .filter(|_| shin != foot)
    }

    fn height(&self, model: &Model, moment: &Moment) -> f64 {
        Measured::new(model, &moment.position, &moment.velocity, [0.0; 3]).bodies[self.pelvis].position[2]
    }

    /// The jumper's angles at a moment, seen from the side that the pelvis shows.
    fn angles(&self, model: &Model, moment: &Moment) -> Angles {
        let bodies = Measured::new(model, &moment.position, &moment.velocity, [0.0; 3]).bodies;
        let x_axis = |body: usize| {
            let [origin, tip] = [[0.0; 3], [1.0, 0.0, 0.0]].map(|point| bodies[body].place(point));
            [tip[0] - origin[0], tip[1] - origin[1], tip[2] - origin[2]]
        };
        let [x, y, _] = x_axis(self.pelvis);
        let length = libm::hypot(x, y).max(1e-9);
        let ahead = |v: [f64; 3]| (v[0] * x + v[1] * y) / length;
        // Bodies' axes lie along the world's in the rest pose: x ahead.
        let pitch = |body: usize| {
            let axis = x_axis(body);
            libm::atan2(-axis[2], ahead(axis))
        };
        // A limb that hangs down at rest.
        let hanging = |from: usize, to: usize| {
            let [a, b] = [bodies[from].position, bodies[to].position];
            let way = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
            libm::atan2(-ahead(way), -way[2])
        };
        let (pelvis, chest) = (pitch(self.pelvis), self.chest.map(pitch));
        let (thigh, shin) = (hanging(self.thigh, self.shin), hanging(self.shin, self.foot));
        let arm = self.arm.map(|[upper, fore, hand]| {
            let (upper_pitch, fore_pitch) = (hanging(upper, fore), hanging(fore, hand));
            [turn(upper_pitch - chest.unwrap_or(pelvis)), turn(fore_pitch - upper_pitch)]
        });
        Angles { pelvis, foot: pitch(self.foot), hip: turn(thigh - pelvis), knee: turn(shin - thigh), chest, arm }
    }
}

/// Upper arm, forearm and hand by their names; none where they have others.
fn find_arm(model: &Model, parent: &dyn Fn(usize) -> Option<usize>) -> Option<[usize; 3]> {
    let names: Vec<String> = model.bodies().iter().map(|body| body.name.to_lowercase()).collect();
    let is_fore =
        |name: &str| ["fore", "farm", "lower_arm", "lowerarm", "elbow"].iter().any(|word| name.contains(word));
    let fore = (0..names.len()).find(|&body| is_fore(&names[body]))?;
    let hand = (0..names.len()).find(|&body| parent(body) == Some(fore))?;
    Some([parent(fore)?, fore, hand])
}

/// The same angle from −π to π.
fn turn(angle: f64) -> f64 {
    angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round()
}

/// The hand-made jump with the angles of crouch, take-off, rise, fall and landing put in.
fn draft(moments: &[Angles; 5]) -> Result<Controller> {
    let mut values = Controller::seed().values().to_vec();
    let mut set = |phase: &str, joint: &str, value: f64| {
        if let Some(index) = parameters::index_of(phase, joint) {
            values[index] = value;
        }
    };
    for (phase, angles) in parameters::PHASES.into_iter().zip(moments) {
        let is_standing = ["crouch", "take_off", "land"].contains(&phase);
        match phase {
            "rise" => set(phase, "hips", angles.hip),
            // Where feet are put down is for inverse kinematics.
            "fall" => set(phase, "hips", 0.0),
            _ => set(phase, "hips", angles.pelvis),
        }
        let drive = if phase == "take_off" { KNEE_DRIVE } else { 0.0 };
        set(phase, "knees", angles.knee - drive);
        set(phase, "ankles", angles.foot);
        if let Some(chest) = angles.chest {
            set(phase, "back", chest);
            set(phase, "abdomen", if is_standing { 0.5 * (chest - angles.pelvis) } else { 0.0 });
        }
        if let Some([shoulder, elbow]) = angles.arm {
            set(phase, "shoulders", shoulder);
            set(phase, "elbows", elbow);
        }
    }
    Ok(Controller::new(&values)?)
}
