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
/// Faster than this part of `√(g · height)`, nothing runs.
const FASTEST: f64 = 4.0;
/// Turns over a clip below this are none, rad.
const LEAST_TURN: f64 = 0.3;

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
    /// Mean speed over the ground, in the source, of the soles that stand by that velocity, m/s.
    pub skate_before: f64,
    /// The same soles in the result. What stays is the artist's: feet that ease in and out of their steps, or drag.
    pub skate_after: f64,
}

/// Turns a cycle in place into one that travels.
///
/// The clip's world is taken as a platform that moves with velocity `c` and turns at rate `ω` over the ground. A sole at `x` that stands is at rest on
/// the ground: `0 = c + ω ẑ × x + ẋ`. Soles near their lowest place give `(x, ẋ)`; `c`, and `ω` where it explains much, follow by weighted least
/// squares with Tukey's biweight `(1 − r²/s²)²` of the slip `r`, so that soles that are low but swing do not count (Beaton and Tukey 1974). Then `ψ̇ = ω`,
/// `Ṗ = R_z(ψ) c` is integrated into the root's track. In a clip that turns by itself, `c` turns along.
///
/// The source is in place where `c` is faster than 0.05 `√(g · height)` (or the turn more than 0.3 rad) and four times faster than the root's own
/// travel, where half of the low soles move along with it in a quarter of the frames at least, and where going at `c` makes them slip less.
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
        skate_before: 0.0,
        skate_after: 0.0,
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
    let bends = (curved.turn_rate * duration).abs() > LEAST_TURN && robust_slip(&soles, &curved) < 0.5 * straight_slip;
    let motion = if bends { curved } else { fit(&mut soles, false, floor_speed) };

    result.velocity = motion.velocity;
    result.speed = motion.velocity.length();
    result.turn_rate = motion.turn_rate;
    let net = (clip.root_positions[frames - 1] - clip.root_positions[0]).truncate();
    let slowest = SLOWEST * speed_scale;
    let standing: Vec<bool> = soles.iter().map(|s| s.slip(&motion).length() < result.speed.max(slowest)).collect();
    let in_place = (slowest..FASTEST * speed_scale).contains(&result.speed) || bends;
    let root_stays = net.length() / duration < 0.25 * result.speed.max(slowest);
    let weight_of =
        |chosen: bool| soles.iter().zip(&standing).filter(|(_, s)| **s || chosen).map(|(s, _)| s.weight).sum::<f64>();
    let shared = weight_of(false) > 0.5 * weight_of(true);
    let frames_with =
        (0..frames).filter(|f| soles.iter().zip(&standing).any(|(s, stands)| *stands && s.frame == *f)).count();
    result.skate_before = mean_slip(&soles, &standing, &Motion::REST);
    let slips_less = mean_slip(&soles, &standing, &motion) < 0.8 * result.skate_before;
    if !(in_place && root_stays && shared && 4 * frames_with >= frames && slips_less) {
        result.skate_after = result.skate_before;
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
    for sole in &mut soles {
        let ground = Motion { velocity: velocities[sole.frame], ..motion };
        sole.velocity = sole.slip(&ground);
    }
    result.skate_after = mean_slip(&soles, &standing, &Motion::REST);
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

impl Motion {
    const REST: Motion = Motion { velocity: DVec2::ZERO, turn_rate: 0.0 };
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
    // Lowest place of each foot, but for the lowest twentieth of the frames.
    let floor_of = |foot: usize| {
        let mut heights: Vec<f64> = lowest.iter().skip(foot).step_by(feet.len()).map(|p| p.z).collect();
        heights.sort_by(f64::total_cmp);
        heights.get(heights.len() / 20).copied().unwrap_or(f64::INFINITY)
    };
    let floors: Vec<f64> = (0..feet.len()).map(floor_of).collect();
    let floor = floors.iter().copied().fold(f64::INFINITY, f64::min);
    let mut soles = Vec::new();
    for (index, (place, velocity)) in lowest.iter().zip(&velocity).enumerate() {
        let own_floor = floors[index % feet.len()];
        let weight = 1.0 - (place.z - own_floor).max(0.0) / (NEAR_FLOOR * height);
        if weight > 0.0 && own_floor < floor + NEVER_STANDS * height {
            let (place, velocity) = (place.truncate(), velocity.truncate());
            soles.push(LowSole { frame: index / feet.len(), place, velocity, weight, robust: weight });
        }
    }
    soles
}

/// Mean speed over the ground of the soles that stand, m/s.
fn mean_slip(soles: &[LowSole], standing: &[bool], motion: &Motion) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (sole, _) in soles.iter().zip(standing).filter(|(_, stands)| **stands) {
        sum += sole.weight * sole.slip(motion).length();
        total += sole.weight;
    }
    if total > 0.0 { sum / total } else { 0.0 }
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
        let widest = widest_slip(soles, &motion).max(floor_speed);
        // Normal equations of `c + ω ẑ × x = −ẋ` in (c_x, c_y, ω).
        let (mut matrix, mut right) = (DMat3::ZERO, DVec3::ZERO);
        for sole in soles.iter_mut() {
            let slip = sole.slip(&motion);
            let keep = (1.0 - slip.length_squared() / (widest * widest)).max(0.0);
            sole.robust = sole.weight * keep * keep;
            let turn = if with_turn { sole.place.perp() } else { DVec2::ZERO };
            for (row, target) in
                [(DVec3::new(1.0, 0.0, turn.x), -sole.velocity.x), (DVec3::new(0.0, 1.0, turn.y), -sole.velocity.y)]
            {
                matrix += sole.robust * DMat3::from_cols(row.x * row, row.y * row, row.z * row);
                right += sole.robust * target * row;
            }
        }
        // A little against turns that the soles hardly tell.
        matrix.z_axis.z += if with_turn { 1e-4 * matrix.x_axis.x } else { 1.0 };
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

/// Slip beyond which a sole does not stand: four times the median slip of those slower than 1.25 `|c|`, within 0.25 and 1.5 `|c|`. Feet that an artist
/// eases in and out of each step thus count from touch to lift, while measured ones keep out what is near a swing.
fn widest_slip(soles: &[LowSole], motion: &Motion) -> f64 {
    let speed = motion.velocity.length();
    let mut slips: Vec<f64> =
        soles.iter().map(|s| s.slip(motion).length()).filter(|slip| *slip < 1.25 * speed).collect();
    slips.sort_by(f64::total_cmp);
    let median = slips.get(slips.len() / 2).copied().unwrap_or(speed);
    (4.0 * median).clamp(0.25 * speed, 1.5 * speed)
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
