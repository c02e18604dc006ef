//! A drawn jumper of 17 capsules: poses are keyed by hand and flights are parabolas. Nothing here is simulated.

use sinew_report::Shape;
use sinew_report::front::{Motion, MotionFrame, MotionPhase};

const RATE_HZ: f64 = 60.0;
const GRAVITY: f64 = 9.81;

/// Angles in radians: hips and shoulders forward, knees backward, elbows forward, trunk forward, ankles toes up.
#[derive(Clone, Copy)]
struct Pose {
    hip: f64,
    knee: f64,
    ankle: f64,
    trunk: f64,
    shoulder: f64,
    elbow: f64,
}

const STAND: Pose = Pose { hip: 0.02, knee: 0.06, ankle: 0.0, trunk: 0.0, shoulder: 0.05, elbow: 0.2 };
const TAKE_OFF: Pose = Pose { hip: -0.06, knee: 0.03, ankle: -0.95, trunk: 0.05, shoulder: 2.75, elbow: 0.25 };
const RISE: Pose = Pose { hip: 0.1, knee: 0.35, ankle: -0.7, trunk: -0.02, shoulder: 2.9, elbow: 0.2 };
const FALL: Pose = Pose { hip: 0.5, knee: 0.75, ankle: -0.1, trunk: 0.18, shoulder: 1.3, elbow: 0.4 };
const REACH: Pose = Pose { hip: 0.25, knee: 0.3, ankle: 0.0, trunk: 0.08, shoulder: 0.9, elbow: 0.4 };

/// A jump: how deep it crouches (0 to 1), how high the head rises, how much of gravity the help takes away at take-off,
/// and for how long.
#[derive(Clone, Copy)]
pub struct DrawnJump {
    pub crouch: f64,
    pub head_height_m: f64,
    pub help: f64,
    pub help_secs: f64,
}

impl DrawnJump {
    /// The motion from standing to standing.
    pub fn motion(&self) -> Motion {
        let c = self.crouch;
        let crouch = Pose {
            hip: 0.3 + 1.1 * c,
            knee: 0.5 + 1.3 * c,
            ankle: 0.2 + 0.3 * c,
            trunk: 0.15 + 0.55 * c,
            shoulder: -0.3 - 0.6 * c,
            elbow: 0.15,
        };
        let land = Pose { trunk: crouch.trunk * 0.8, shoulder: 0.9, elbow: 0.5, ..crouch };
        let ground = [(0.0, STAND), (0.35, STAND), (0.9, crouch), (1.05, crouch), (1.05 + 0.22, TAKE_OFF)];
        let leave = 1.27;
        let start = pelvis_on_ground(&TAKE_OFF)[1];
        let head_over_pelvis = top(&figure(&RISE, [0.0, 0.0])[HEAD]);
        let rise = (self.head_height_m - head_over_pelvis - start).max(0.03);
        // The speed that reaches the height with the helped gravity, by halving.
        let (mut slow, mut fast) = (0.0, 9.0);
        for _ in 0..60 {
            let speed = 0.5 * (slow + fast);
            if self.apex(speed).1 < rise { slow = speed } else { fast = speed }
        }
        let (up_secs, _) = self.apex(fast);
        let touch = pelvis_on_ground(&REACH)[1];
        let down_secs = (2.0 * (start + rise - touch).max(0.01) / GRAVITY).sqrt();
        let (peak, touch_down) = (leave + up_secs, leave + up_secs + down_secs);
        let flight = [
            (leave, TAKE_OFF),
            (leave + 0.5 * up_secs, RISE),
            (peak, RISE),
            (peak + 0.6 * down_secs, FALL),
            (touch_down, REACH),
        ];
        let after = [
            (touch_down, REACH),
            (touch_down + 0.22, land),
            (touch_down + 0.45, land),
            (touch_down + 1.1, STAND),
            (touch_down + 1.4, STAND),
        ];

        let frame = |time: f64| {
            let (pose, pelvis) = if time < leave {
                let pose = keyed(&ground, time);
                (pose, pelvis_on_ground(&pose))
            } else if time < touch_down {
                let pose = keyed(&flight, time);
                let height = if time < peak {
                    start + self.risen(fast, time - leave)
                } else {
                    start + rise - 0.5 * GRAVITY * (time - peak).powi(2)
                };
                let share = (time - leave) / (touch_down - leave);
                let [from, to] = [&TAKE_OFF, &REACH].map(|pose| pelvis_on_ground(pose)[0]);
                (pose, [from + (to - from) * share, height])
            } else {
                let pose = keyed(&after, time);
                (pose, pelvis_on_ground(&pose))
            };
            let since = time - leave;
            let help = if (0.0..self.help_secs).contains(&since) && time < touch_down {
                self.help * (1.0 - since / self.help_secs)
            } else {
                0.0
            };
            MotionFrame {
                shapes: figure(&pose, pelvis),
                center_of_mass: [pelvis[0] + 0.12 * pose.trunk, 0.0, pelvis[1] + 0.14],
                assist: [0.0, 0.0, help],
            }
        };
        let end = touch_down + 1.4;
        let frames: Vec<MotionFrame> = (0..=(end * RATE_HZ) as u32).map(|i| frame(f64::from(i) / RATE_HZ)).collect();
        let highest = frames.iter().flat_map(|frame| frame.shapes.get(HEAD)).map(top).fold(0.0, f64::max);
        let phase = |start_secs: f64, name: &str| MotionPhase { start_secs, name: name.to_owned() };
        Motion {
            rate_hz: RATE_HZ,
            frames,
            phases: vec![
                phase(0.0, "stand"),
                phase(0.62, "crouch"),
                phase(1.05, "take-off"),
                phase(leave, "rise"),
                phase(peak, "fall"),
                phase(touch_down, "land"),
            ],
            height_mark_m: Some(highest),
        }
    }

    /// The motion carried forward at a speed, with a ball for a head and a box for a pelvis.
    pub fn travelling(&self, metres_per_second: f64) -> Motion {
        let mut motion = self.motion();
        for (number, frame) in motion.frames.iter_mut().enumerate() {
            let way = metres_per_second * number as f64 / RATE_HZ;
            frame.center_of_mass[0] += way;
            for (link, shape) in frame.shapes.iter_mut().enumerate() {
                let Shape::Capsule { from, to, radius } = shape else { continue };
                from[0] += way;
                to[0] += way;
                let center = std::array::from_fn(|axis| 0.5 * (from[axis] + to[axis]));
                if link == HEAD {
                    *shape = Shape::Sphere { center, radius: *radius + 0.03 };
                } else if link == 0 {
                    let half_extents = [0.08, 0.14, 0.09];
                    *shape = Shape::Box { center, half_extents, orientation: [0.99, 0.0, 0.14, 0.0] };
                }
            }
        }
        motion
    }

    /// Height gained after a time.
    fn risen(&self, speed: f64, time: f64) -> f64 {
        let (mut height, mut velocity, steps) = (0.0, speed, 200);
        let dt = time / f64::from(steps);
        for i in 0..steps {
            velocity -= self.gravity(f64::from(i) * dt) * dt;
            height += velocity * dt;
        }
        height
    }

    /// Time and height of the peak.
    fn apex(&self, speed: f64) -> (f64, f64) {
        let (mut time, mut height, mut velocity) = (0.0, 0.0, speed);
        while velocity > 0.0 && time < 6.0 {
            velocity -= self.gravity(time) * 0.001;
            height += velocity * 0.001;
            time += 0.001;
        }
        (time, height)
    }

    fn gravity(&self, since: f64) -> f64 {
        let left = if since < self.help_secs { 1.0 - since / self.help_secs } else { 0.0 };
        GRAVITY * (1.0 - self.help * left)
    }
}

/// Index of the head among the shapes.
const HEAD: usize = 4;

fn top(shape: &Shape) -> f64 {
    match shape {
        Shape::Capsule { from, to, radius } => from[2].max(to[2]) + radius,
        _ => 0.0,
    }
}

/// The pose at a time, with an easy start and end at every key.
fn keyed(keys: &[(f64, Pose)], time: f64) -> Pose {
    let after = keys.iter().position(|(at, _)| *at > time).unwrap_or(keys.len() - 1).max(1);
    let ((from, a), (to, b)) = (keys[after - 1], keys[after]);
    let share = ((time - from) / (to - from).max(1e-9)).clamp(0.0, 1.0);
    let share = share * share * (3.0 - 2.0 * share);
    let mix = |a: f64, b: f64| a + (b - a) * share;
    Pose {
        hip: mix(a.hip, b.hip),
        knee: mix(a.knee, b.knee),
        ankle: mix(a.ankle, b.ankle),
        trunk: mix(a.trunk, b.trunk),
        shoulder: mix(a.shoulder, b.shoulder),
        elbow: mix(a.elbow, b.elbow),
    }
}

const THIGH: f64 = 0.40;
const SHANK: f64 = 0.39;
const FOOT: f64 = 0.17;

/// A point further along a direction in the plane; 0 is down, positive is forward.
fn along([x, z]: [f64; 2], angle: f64, length: f64) -> [f64; 2] {
    [x + length * angle.sin(), z - length * angle.cos()]
}

/// Hip at the origin: knee, ankle, heel and toe.
fn leg(pose: &Pose, hip: [f64; 2]) -> [[f64; 2]; 4] {
    let knee = along(hip, pose.hip, THIGH);
    let ankle = along(knee, pose.hip - pose.knee, SHANK);
    // The foot keeps its angle to the world.
    let pitch = pose.ankle.min(0.0);
    let heel = [ankle[0] - 0.05 * pitch.cos() + 0.04 * pitch.sin(), ankle[1] - 0.04 * pitch.cos() - 0.05 * pitch.sin()];
    let toe = [heel[0] + (FOOT + 0.05) * pitch.cos(), heel[1] + (FOOT + 0.05) * pitch.sin()];
    [knee, ankle, heel, toe]
}

/// Where the pelvis is while the toes stay at one place of the ground.
fn pelvis_on_ground(pose: &Pose) -> [f64; 2] {
    let [_, _, heel, toe] = leg(pose, [0.0, 0.0]);
    [0.16 - toe[0], 0.035 - heel[1].min(toe[1])]
}

/// Pelvis, abdomen, chest, neck, head, then both sides: upper arm, forearm, hand, thigh, shank, foot.
fn figure(pose: &Pose, pelvis: [f64; 2]) -> Vec<Shape> {
    let capsule = |a: [f64; 2], b: [f64; 2], y: f64, radius: f64| Shape::Capsule {
        from: [a[0], y, a[1]],
        to: [b[0], y, b[1]],
        radius,
    };
    let up = |from: [f64; 2], lean: f64, length: f64| along(from, std::f64::consts::PI - lean, length);
    let waist = up(pelvis, 0.4 * pose.trunk, 0.12);
    let chest = up(waist, 0.8 * pose.trunk, 0.13);
    let neck = up(chest, pose.trunk, 0.2);
    let chin = up(neck, 0.6 * pose.trunk, 0.07);
    let crown = up(chin, 0.4 * pose.trunk, 0.1);
    let across = |a: [f64; 2], half: f64, radius: f64| Shape::Capsule {
        from: [a[0], -half, a[1]],
        to: [a[0], half, a[1]],
        radius,
    };
    let mut shapes = vec![
        across(pelvis, 0.07, 0.095),
        capsule(waist, up(waist, pose.trunk, 0.06), 0.0, 0.1),
        across(up(chest, pose.trunk, 0.06), 0.06, 0.125),
        capsule(neck, chin, 0.0, 0.05),
        capsule(chin, crown, 0.0, 0.085),
    ];
    let shoulder = up(chest, pose.trunk, 0.15);
    for side in [-1.0, 1.0] {
        let elbow = along(shoulder, pose.shoulder + pose.trunk, 0.26);
        let wrist = along(elbow, pose.shoulder + pose.trunk + pose.elbow, 0.22);
        let tip = along(wrist, pose.shoulder + pose.trunk + 1.2 * pose.elbow, 0.08);
        shapes.push(capsule(shoulder, elbow, 0.2 * side, 0.045));
        shapes.push(capsule(elbow, wrist, 0.205 * side, 0.037));
        shapes.push(capsule(wrist, tip, 0.205 * side, 0.035));
        let [knee, ankle, heel, toe] = leg(pose, pelvis);
        shapes.push(capsule(pelvis, knee, 0.1 * side, 0.07));
        shapes.push(capsule(knee, ankle, 0.1 * side, 0.05));
        shapes.push(capsule(heel, toe, 0.1 * side, 0.035));
    }
    shapes
}
