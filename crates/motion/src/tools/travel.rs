//! Makes a cycle that walks in place go somewhere, at the speed that its standing feet say.

use super::contact::{lowest_points, walking_speed_scale};
use super::error::{ToolError, joint_count};
use super::feet::Foot;
use super::moved::{same_hemisphere, turn_about_vertical};
use super::repeat::repeat_cycle;
use crate::{Clip, Skeleton};
use glam::{DMat3, DQuat, DVec2, DVec3};

/// Soles within this part of the height of the floor may stand.
const NEAR_FLOOR: f64 = 0.02;
/// A foot whose lowest place is higher than this part of the height over the floor never stands.
const NEVER_STANDS: f64 = 0.06;
/// Slower than this part of `√(g · height)`, feet that slide are not walking.
const SLOWEST: f64 = 0.03;
/// Faster than this part of `√(g · height)`, nothing runs.
const FASTEST: f64 = 4.0;
/// Shorter ways over a clip, as parts of the height, are feet that slide.
const LEAST_TRAVEL: f64 = 0.3;
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
/// the ground: `0 = c + ω ẑ × x + ẋ`. Soles near the floor (of the bind pose, or where feet are lowest) give `(x, ẋ)`; `c`, and `ω` where it explains much, follow by weighted least
/// squares with Tukey's biweight `(1 − r²/s²)²` of the slip `r`, so that soles that are low but swing do not count (Beaton and Tukey 1974). Then `ψ̇ = ω`,
/// `Ṗ = R_z(ψ) c` is integrated into the root's track. In a clip that turns by itself, `c` turns along.
///
/// The source is in place where its end meets its beginning, `c` is faster than 0.03 `√(g · height)` and four times faster than the root's own travel and goes
/// at least 0.3 heights (or the turn is more than 0.3 rad), at least two feet and half of the low soles move along with it, in an eighth of the frames at
/// least, and going at `c` makes them slip less.
pub fn travel_from_feet(
    skeleton: &Skeleton,
    clip: &Clip,
    feet: &[Foot],
    ground_speed: GroundSpeed,
) -> Result<Travel, ToolError> {
    ToolError::check_skeleton(skeleton, clip)?;
    let mut result = Travel {
        clip: clip.clone(),
        was_in_place: false,
        velocity: DVec2::ZERO,
        speed: 0.0,
        turn_rate: 0.0,
        skate_before: 0.0,
        skate_after: 0.0,
    };
    let frames = clip.frame_count();
    if frames < 3 || feet.is_empty() {
        return Ok(result);
    }
    let turned_per_frame = own_turn(clip) / (frames - 1) as f64;
    let origin = clip.root_positions.iter().sum::<DVec3>() / frames as f64;

    // The floor is that of the bind pose, or where the feet are lowest: whichever more soles stand on.
    let (lowest, velocity) = lowest_points(skeleton, clip, feet);
    let floors = [bind_floors(skeleton, feet), low_floors(&lowest, feet.len())];
    let judged = floors.map(|floors| {
        let mut soles = low_soles(skeleton, &floors, &lowest, &velocity);
        // As seen by someone who turns with the clip.
        for sole in &mut soles {
            let back = DVec2::from_angle(-turned_per_frame * sole.frame as f64);
            sole.place = back.rotate(sole.place - origin.truncate());
            sole.velocity = back.rotate(sole.velocity);
        }
        judge(soles, clip, skeleton)
    });
    let better = |a: Judged, b: Judged| {
        if (b.in_place, b.standing_weight()) > (a.in_place, a.standing_weight()) { b } else { a }
    };
    let Some(mut found) = judged.into_iter().reduce(better) else { return Ok(result) };

    let motion = found.motion;
    result.velocity = motion.velocity;
    result.speed = motion.velocity.length();
    result.turn_rate = motion.turn_rate;
    result.skate_before = mean_slip(&found.soles, &found.standing, &Motion::REST);
    result.skate_after = result.skate_before;
    if !found.in_place {
        return Ok(result);
    }
    let velocities = match ground_speed {
        GroundSpeed::Constant => vec![motion.velocity; frames],
        GroundSpeed::Smoothed { window_secs } => {
            smoothed(&found.soles, &motion, frames, clip.rate_hz * window_secs.max(1e-3))
        }
    };
    result.clip = integrate(clip, origin, &velocities, motion.turn_rate, turned_per_frame);
    result.was_in_place = true;
    for sole in &mut found.soles {
        let ground = Motion { velocity: velocities[sole.frame], ..motion };
        sole.velocity = sole.slip(&ground);
    }
    result.skate_after = mean_slip(&found.soles, &found.standing, &Motion::REST);
    Ok(result)
}

/// What the soles near a floor say.
struct Judged {
    soles: Vec<LowSole>,
    /// Which of them stand by the motion.
    standing: Vec<bool>,
    motion: Motion,
    in_place: bool,
}

impl Judged {
    fn standing_weight(&self) -> f64 {
        self.soles.iter().zip(&self.standing).filter(|(_, stands)| **stands).map(|(sole, _)| sole.weight).sum()
    }

    /// Number of feet whose standing soles weigh at least so much.
    fn feet_that_bear(&self, least: f64) -> usize {
        let feet = self.soles.iter().map(|s| s.foot + 1).max().unwrap_or(0);
        let mut weights = vec![0.0; feet];
        for (sole, _) in self.soles.iter().zip(&self.standing).filter(|(_, stands)| **stands) {
            weights[sole.foot] += sole.weight;
        }
        weights.iter().filter(|w| **w >= least && **w > 0.0).count()
    }
}

/// Fits the motion and decides whether the clip is in place.
fn judge(mut soles: Vec<LowSole>, clip: &Clip, skeleton: &Skeleton) -> Judged {
    let speed_scale = walking_speed_scale(skeleton);
    let (frames, duration) = (clip.frame_count(), clip.duration_secs());
    let (slowest, floor_speed) = (SLOWEST * speed_scale, 0.02 * speed_scale);
    let straight = fit(&mut soles, false, floor_speed);
    let straight_slip = robust_slip(&soles, &straight);
    let curved = fit(&mut soles, true, floor_speed);
    let bends = (curved.turn_rate * duration).abs() > LEAST_TURN && robust_slip(&soles, &curved) < 0.5 * straight_slip;
    let motion = if bends { curved } else { fit(&mut soles, false, floor_speed) };

    let speed = motion.velocity.length();
    let standing: Vec<bool> = soles.iter().map(|s| s.slip(&motion).length() < speed.max(slowest)).collect();
    let net = (clip.root_positions[frames - 1] - clip.root_positions[0]).truncate();
    let moves = (slowest..FASTEST * speed_scale).contains(&speed) || bends;
    let root_stays = net.length() / duration < 0.25 * speed.max(slowest);
    let slips_less = mean_slip(&soles, &standing, &motion) < 0.8 * mean_slip(&soles, &standing, &Motion::REST);
    let stands_in = |frame: &usize| soles.iter().zip(&standing).any(|(s, stands)| *stands && s.frame == *frame);
    let often = 8 * (0..frames).filter(stands_in).count() >= frames;
    let all: f64 = soles.iter().map(|s| s.weight).sum();
    let mut judged = Judged { soles, standing, motion, in_place: false };
    let goes_far = speed * duration > LEAST_TRAVEL * skeleton.height() || bends;
    let standing_weight = judged.standing_weight();
    let on_several_feet = judged.feet_that_bear(0.08 * standing_weight) >= 2;
    let is_cycle = repeat_cycle(clip, 1).is_ok_and(|repeated| repeated.is_cycle);
    judged.in_place = moves && goes_far && root_stays && slips_less && often && on_several_feet && is_cycle;
    judged.in_place &= standing_weight > 0.5 * all;
    judged
}

/// A sole near the floor in a frame.
struct LowSole {
    frame: usize,
    foot: usize,
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

/// Height of each foot's sole in the bind pose, m.
fn bind_floors(skeleton: &Skeleton, feet: &[Foot]) -> Vec<f64> {
    let bind = skeleton.bind_pose();
    let low = |foot: &Foot| foot.sole.iter().map(|p| bind[p.joint].place(p.local).z).fold(f64::INFINITY, f64::min);
    feet.iter().map(low).collect()
}

/// Height of each foot's sole below which it is in a twentieth of the frames, m; feet that stay far above the lowest never stand.
fn low_floors(lowest: &[DVec3], foot_count: usize) -> Vec<f64> {
    let low = |foot: usize| {
        let mut heights: Vec<f64> = lowest.iter().skip(foot).step_by(foot_count).map(|p| p.z).collect();
        heights.sort_by(f64::total_cmp);
        heights.get(heights.len() / 20).copied().unwrap_or(f64::INFINITY)
    };
    (0..foot_count).map(low).collect()
}

/// Soles near the floor, weighted by `(1 − |z − floor| / 0.02 height) / (1 + (ż / 0.1 √(g · height))²)`.
fn low_soles(skeleton: &Skeleton, floors: &[f64], lowest: &[DVec3], velocity: &[DVec3]) -> Vec<LowSole> {
    let height = skeleton.height();
    let sinking = 0.1 * walking_speed_scale(skeleton);
    let floor = floors.iter().copied().fold(f64::INFINITY, f64::min);
    let mut soles = Vec::new();
    for (index, (place, velocity)) in lowest.iter().zip(velocity).enumerate() {
        let own_floor = floors[index % floors.len()];
        let near = 1.0 - (place.z - own_floor).abs() / (NEAR_FLOOR * height);
        if near > 0.0 && own_floor < floor + NEVER_STANDS * height {
            let weight = near / (1.0 + (velocity.z / sinking).powi(2));
            let (place, velocity) = (place.truncate(), velocity.truncate());
            let (frame, foot) = (index / floors.len(), index % floors.len());
            soles.push(LowSole { frame, foot, place, velocity, weight, robust: weight });
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
