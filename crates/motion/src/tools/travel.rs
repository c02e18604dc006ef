//! Makes a cycle that walks in place go somewhere, at the speed that its standing feet say.

use super::contact::{lowest_points, walking_speed_scale};
use super::error::{ToolError, joint_count};
use super::feet::Foot;
use super::moved::{same_hemisphere, turn_about_vertical};
use crate::{Clip, Skeleton};
use glam::{DMat3, DQuat, DVec2, DVec3};

/// Soles within this part of the height of their lowest place may stand.
const NEAR_FLOOR: f64 = 0.02;
/// A foot whose lowest place is higher than this part of the height over the floor never stands.
const NEVER_STANDS: f64 = 0.06;
/// Slower than this part of `√(g · height)`, feet that slide are not walking.
const SLOWEST: f64 = 0.05;
/// Turns over a clip below this are none, rad.
const LEAST_TURN: f64 = 0.15;

/// How the speed over the ground may change within the clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum GroundSpeed {
    /// One velocity for the whole clip.
    #[default]
    Constant,
    /// Averaged over a window of this width, s.
    Smoothed {
        /// Width of the window (standard deviation of a Gaussian), s.
        window_secs: f64,
    },
}

/// A clip that goes where its feet push it.
#[derive(Clone, Debug)]
pub struct Travel {
    /// The clip; the source unchanged where that is not in place.
    pub clip: Clip,
    /// Whether the source walks, runs or turns in place: its standing feet slide together while the root stays.
    pub was_in_place: bool,
    /// Velocity over the ground that the feet say, in the world of the first frame, m/s.
    pub velocity: DVec2,
    /// Its magnitude, m/s.
    pub speed: f64,
    /// Turn to the left that the feet say, beyond that of the root, rad/s.
    pub turn_rate: f64,
    /// Mean speed over the ground of soles that stand, in the source, m/s.
    pub skate_before: f64,
    /// The same in the result.
    pub skate_after: f64,
}

/// Turns a cycle in place into one that travels.
///
/// The clip's world is taken as a platform that moves with velocity `c` and turns at rate `ω` over the ground. A sole at `x` that stands is at rest on the ground:
/// `0 = c + ω ẑ × x + ẋ`. Soles near their lowest place give `(x, ẋ)`; `c`, and `ω` where it explains much, follow by weighted least squares with Cauchy's weights
/// `1 / (1 + r²/s²)` against soles that are low but swing. Then `ψ̇ = ω`, `Ṗ = R_z(ψ) c` is integrated into the root's track. In a clip that turns by itself, `c` turns along.
/// The source is in place where `c` is faster than 0.05 `√(g · height)` (or the turn more than 0.15 rad), four times faster than the root's own
/// travel, and shared by at least half of the soles.
pub fn travel_from_feet(
    skeleton: &Skeleton,
    clip: &Clip,
    feet: &[Foot],
    ground_speed: GroundSpeed,
) -> Result<Travel, ToolError> {
    ToolError::check_skeleton(skeleton, clip)?;
    let frames = clip.frame_count();
    let speed_scale = walking_speed_scale(skeleton);
    let turned_per_frame = own_turn(clip) / (frames.max(2) - 1) as f64;
    let mut soles = low_soles(skeleton, clip, feet);
    let origin = clip.root_positions.iter().sum::<DVec3>() / frames as f64;
    let mut result = Travel {
        clip: clip.clone(),
        was_in_place: false,
        velocity: DVec2::ZERO,
        speed: 0.0,
        turn_rate: 0.0,
        skate_before: mean_slip(&soles),
        skate_after: mean_slip(&soles),
    };
    if frames < 3 || soles.is_empty() {
        return Ok(result);
    }

    // As seen by someone who turns with the clip.
    for sole in &mut soles {
        let back = DVec2::from_angle(-turned_per_frame * sole.frame as f64);
        sole.place = back.rotate(sole.place - origin.truncate());
        sole.velocity = back.rotate(sole.velocity);
    }
    let duration = clip.duration_secs();
    let floor_speed = 0.02 * speed_scale;
    let straight = fit(&mut soles, false, floor_speed);
    let straight_slip = robust_slip(&soles, &straight);
    let curved = fit(&mut soles, true, floor_speed);
    let bends = (curved.turn_rate * duration).abs() > LEAST_TURN && robust_slip(&soles, &curved) < 0.7 * straight_slip;
    let motion = if bends { curved } else { fit(&mut soles, false, floor_speed) };

    result.velocity = motion.velocity;
    result.speed = motion.velocity.length();
    result.turn_rate = motion.turn_rate;
    let net = (clip.root_positions[frames - 1] - clip.root_positions[0]).truncate();
    let moves = result.speed > SLOWEST * speed_scale || bends;
    let root_stays = net.length() / duration < 0.25 * result.speed.max(SLOWEST * speed_scale);
    let agreement = 0.35 * result.speed.max(SLOWEST * speed_scale);
    let agreeing: f64 = soles.iter().filter(|s| s.slip(&motion).length() < agreement).map(|s| s.weight).sum();
    let shared = agreeing > 0.5 * soles.iter().map(|s| s.weight).sum::<f64>();
    if !(moves && root_stays && shared) {
        return Ok(result);
    }

    let velocities = match ground_speed {
        GroundSpeed::Constant => vec![motion.velocity; frames],
        GroundSpeed::Smoothed { window_secs } => {
            smoothed(&soles, &motion, frames, clip.rate_hz * window_secs.max(1e-3))
        }
    };
    result.clip = integrate(clip, origin, &velocities, motion.turn_rate, turned_per_frame);
    result.was_in_place = true;
    result.skate_after = mean_slip(&low_soles(skeleton, &result.clip, feet));
    Ok(result)
}

/// A sole near the floor in a frame.
struct LowSole {
    frame: usize,
    place: DVec2,
    velocity: DVec2,
    /// How near: 1 on the floor.
    weight: f64,
    /// Its part in the fit.
    robust: f64,
}

/// Velocity and turn of the clip's world over the ground.
#[derive(Clone, Copy)]
struct Motion {
    velocity: DVec2,
    turn_rate: f64,
}

impl LowSole {
    /// Velocity over the ground, were the clip's world moving so: `ẋ + c + ω ẑ × x`.
    fn slip(&self, motion: &Motion) -> DVec2 {
        self.velocity + motion.velocity + motion.turn_rate * self.place.perp()
    }
}

fn low_soles(skeleton: &Skeleton, clip: &Clip, feet: &[Foot]) -> Vec<LowSole> {
    let (lowest, velocity) = lowest_points(skeleton, clip, feet);
    let height = skeleton.height();
    let floors: Vec<f64> = (0..feet.len())
        .map(|foot| lowest.iter().skip(foot).step_by(feet.len()).map(|p| p.z).fold(f64::INFINITY, f64::min))
        .collect();
    let floor = floors.iter().copied().fold(f64::INFINITY, f64::min);
    let mut soles = Vec::new();
    for (index, (place, velocity)) in lowest.iter().zip(&velocity).enumerate() {
        let own_floor = floors[index % feet.len()];
        let weight = 1.0 - (place.z - own_floor) / (NEAR_FLOOR * height);
        if weight > 0.0 && own_floor < floor + NEVER_STANDS * height {
            let (place, velocity) = (place.truncate(), velocity.truncate());
            soles.push(LowSole { frame: index / feet.len(), place, velocity, weight, robust: weight });
        }
    }
    soles
}

/// Mean speed over the ground of soles near it, m/s.
fn mean_slip(soles: &[LowSole]) -> f64 {
    let total: f64 = soles.iter().map(|s| s.weight).sum();
    if total > 0.0 { soles.iter().map(|s| s.weight * s.velocity.length()).sum::<f64>() / total } else { 0.0 }
}

fn robust_slip(soles: &[LowSole], motion: &Motion) -> f64 {
    let total: f64 = soles.iter().map(|s| s.robust).sum();
    (soles.iter().map(|s| s.robust * s.slip(motion).length_squared()).sum::<f64>() / total).sqrt()
}

/// The motion under which the soles slip least, by iterated weights, from their median velocity.
fn fit(soles: &mut [LowSole], with_turn: bool, floor_speed: f64) -> Motion {
    let median = |component: fn(&LowSole) -> f64| {
        let mut sorted: Vec<(f64, f64)> = soles.iter().map(|s| (component(s), s.weight)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let half = 0.5 * sorted.iter().map(|s| s.1).sum::<f64>();
        let mut sum = 0.0;
        let middle = sorted.iter().find(|s| {
            sum += s.1;
            sum >= half
        });
        middle.map_or(0.0, |s| s.0)
    };
    let start = -DVec2::new(median(|s| s.velocity.x), median(|s| s.velocity.y));
    let mut motion = Motion { velocity: start, turn_rate: 0.0 };
    for _ in 0..30 {
        let scale = (0.1 * motion.velocity.length()).max(floor_speed);
        // Normal equations of `c + ω ẑ × x = −ẋ` in (c_x, c_y, ω).
        let (mut matrix, mut right) = (DMat3::ZERO, DVec3::ZERO);
        for sole in soles.iter_mut() {
            let slip = sole.slip(&motion);
            sole.robust = sole.weight / (1.0 + slip.length_squared() / (scale * scale));
            let turn = if with_turn { sole.place.perp() } else { DVec2::ZERO };
            for (row, target) in
                [(DVec3::new(1.0, 0.0, turn.x), -sole.velocity.x), (DVec3::new(0.0, 1.0, turn.y), -sole.velocity.y)]
            {
                matrix += sole.robust * DMat3::from_cols(row.x * row, row.y * row, row.z * row);
                right += sole.robust * target * row;
            }
        }
        if !with_turn {
            matrix.z_axis.z = 1.0;
        }
        if matrix.determinant().abs() <= f64::MIN_POSITIVE {
            break;
        }
        let solution = matrix.inverse() * right;
        if !solution.is_finite() {
            break;
        }
        motion = Motion { velocity: solution.truncate(), turn_rate: if with_turn { solution.z } else { 0.0 } };
    }
    motion
}

/// Velocity in each frame: the soles' around it, weighted by a Gaussian, drawn a little to the mean where none stands.
fn smoothed(soles: &[LowSole], motion: &Motion, frames: usize, window_frames: f64) -> Vec<DVec2> {
    let at = |frame: usize| {
        let (mut sum, mut total) = (0.1 * motion.velocity, 0.1);
        for sole in soles {
            let apart = (sole.frame as f64 - frame as f64) / window_frames;
            let weight = sole.robust * libm::exp(-0.5 * apart * apart);
            sum += weight * (motion.velocity - sole.slip(motion));
            total += weight;
        }
        sum / total
    };
    (0..frames).map(at).collect()
}

/// Moves each frame with its platform: `x ↦ o + P + R_z(ψ) (x − o)`.
fn integrate(clip: &Clip, origin: DVec3, velocities: &[DVec2], turn_rate: f64, turned_per_frame: f64) -> Clip {
    let joints = joint_count(clip);
    let origin = DVec3::new(origin.x, origin.y, 0.0);
    let secs = 1.0 / clip.rate_hz;
    let mut result = clip.clone();
    let (mut along, mut turned) = (DVec2::ZERO, 0.0);
    for frame in 0..clip.frame_count() {
        if frame > 0 {
            // By the midpoint of the step, in which the direction turns.
            let heading = turned + 0.5 * turn_rate * secs + turned_per_frame * (frame as f64 - 0.5);
            let mean = 0.5 * (velocities[frame - 1] + velocities[frame]);
            along += secs * DVec2::from_angle(heading).rotate(mean);
            turned += turn_rate * secs;
        }
        let rotation = DQuat::from_rotation_z(turned);
        result.root_positions[frame] = origin + along.extend(0.0) + rotation * (clip.root_positions[frame] - origin);
        result.rotations[frame * joints] = (rotation * clip.rotations[frame * joints]).normalize();
    }
    same_hemisphere(&mut result.rotations, joints);
    result
}

/// Turn of the root about the vertical from the first frame to the last, rad; sways that come back, and small turns, are none.
fn own_turn(clip: &Clip) -> f64 {
    let joints = joint_count(clip);
    let roots: Vec<DQuat> = clip.rotations.iter().step_by(joints.max(1)).copied().collect();
    let turn: f64 = roots.windows(2).map(|w| turn_about_vertical(w[1] * w[0].inverse())).sum();
    if turn.abs() > LEAST_TURN { turn } else { 0.0 }
}

#[cfg(test)]
#[path = "travel_tests.rs"]
mod tests;
