//! Puts the floor under a clip where the feet say that it is.

use super::contact::{ContactOptions, Contacts, Floor, contacts};
use super::error::ToolError;
use super::feet::Foot;
use super::moved::moved;
use crate::{Clip, Skeleton};
use glam::{DQuat, DVec2, DVec3};

/// A slope needs at least this many places where a foot stood.
const FEWEST_SPOTS: usize = 4;
/// A slope needs spots that reach over this multiple of the character's height.
const LEAST_REACH: f64 = 0.75;
/// Steeper fits are stairs or climbs, not a floor that was measured badly, degrees.
const STEEPEST_DEG: f64 = 5.0;
/// Where no foot stands, feet that slide slower than this part of `√(g · height)` count.
const SLIDING: f64 = 0.5;
/// Spots farther from the fit than this part of the height speak against a plane.
const UNEVEN: f64 = 0.02;

/// A clip on level ground at `z = 0`, and what had to be corrected.
#[derive(Clone, Debug)]
pub struct Grounded {
    /// The corrected clip.
    pub clip: Clip,
    /// Height over `z = 0` at which the feet stood, in the middle of where they stood, m.
    pub offset_m: f64,
    /// Angle between the floor that was found and the level, rad; zero where no slope was fitted.
    pub slope_rad: f64,
    /// Horizontal direction in which the found floor rises.
    pub uphill: DVec2,
    /// Number of places where a foot stood.
    pub spots: usize,
}

/// Turns and shifts the clip so that the soles of standing feet are at `z = 0`.
///
/// Every contact of a foot gives a spot: the mean of its lowest points over the frames, each weighted by `max(0, cos θ)⁴`, with `θ` the foot's tilt from
/// the bind pose, so that feet of someone who lies or crawls say nothing. The floor is the plane
/// `z = a + b · (x, y)` of weighted least squares with Tukey's biweight against outliers (Beaton and Tukey 1974), its slope fitted only along principal axes on which
/// the spots reach over 0.75 heights. With fewer than four spots, a slope over 5°, or spots that lie on no plane, only the height is corrected; without
/// any contact nothing is. Feet that slide, up to half of `√(g · height)`, count where none stands.
///
/// A clip in place belongs through [`travel_from_feet`](super::travel_from_feet) first, and parts of a jump through
/// [`concatenate`](super::concatenate): a part that hangs still in the air looks as if it stood.
///
/// # Errors
/// Where the clip does not fit the skeleton.
pub fn align_to_ground(skeleton: &Skeleton, clip: &Clip, feet: &[Foot]) -> Result<Grounded, ToolError> {
    align(skeleton, clip, feet, Slope::Fitted)
}

/// [`align_to_ground`] for a cycle that was made to travel: it ends as high as it begins, so its floor is level however its feet differ.
pub(super) fn align_cycle_to_ground(skeleton: &Skeleton, clip: &Clip, feet: &[Foot]) -> Result<Grounded, ToolError> {
    align(skeleton, clip, feet, Slope::None)
}

/// Whether a floor may slope.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slope {
    None,
    Fitted,
}

fn align(skeleton: &Skeleton, clip: &Clip, feet: &[Foot], slope: Slope) -> Result<Grounded, ToolError> {
    let mut result = Grounded { clip: clip.clone(), offset_m: 0.0, slope_rad: 0.0, uphill: DVec2::ZERO, spots: 0 };
    let height = skeleton.height();
    let flat = flatness(skeleton, clip, feet)?;
    let look = |limits: ContactOptions| -> Result<(Option<Floor>, Vec<Spot>), ToolError> {
        let spots = spots(&contacts(skeleton, clip, feet, &limits)?, &flat);
        Ok((fit(&spots, height, slope), spots))
    };
    // A sloping floor leaves the level one by some centimetres: first look with wide limits, then again around what was found.
    for speed in [ContactOptions::default().speed, SLIDING] {
        let wide = ContactOptions { height: 0.06, release: 1.5, speed, ..Default::default() };
        let (Some(first), spots) = look(wide)? else { continue };
        let (closer, close_spots) = look(ContactOptions { floor: Some(first), speed, ..Default::default() })?;
        let (floor, spots) = closer.map_or((first, spots), |floor| (floor, close_spots));
        level(&mut result, clip, &floor, &spots);
        break;
    }
    Ok(result)
}

/// Turns and shifts the clip so that the floor becomes `z = 0`, about the middle of the spots.
fn level(result: &mut Grounded, clip: &Clip, floor: &Floor, spots: &[Spot]) {
    let total: f64 = spots.iter().map(|s| s.weight).sum();
    let middle = spots.iter().map(|s| s.weight * s.place).sum::<DVec3>() / total;
    let pivot = DVec3::new(middle.x, middle.y, floor.height_at(middle));
    let normal = DVec3::new(-floor.slope.x, -floor.slope.y, 1.0).normalize();
    let upright = DQuat::from_rotation_arc(normal, DVec3::Z);
    let on_ground = DVec3::new(pivot.x, pivot.y, 0.0);
    result.clip = moved(clip, upright, on_ground - upright * pivot);
    result.offset_m = pivot.z;
    result.slope_rad = libm::atan(floor.slope.length());
    result.uphill = floor.slope.normalize_or_zero();
    result.spots = spots.len();
}

/// How flat each foot lies, `max(0, cos θ)⁴` of its tilt from the bind pose: frame × foot.
fn flatness(skeleton: &Skeleton, clip: &Clip, feet: &[Foot]) -> Result<Vec<f64>, ToolError> {
    ToolError::check_skeleton(skeleton, clip)?;
    let bind = skeleton.bind_pose();
    let mut flat = Vec::with_capacity(clip.frame_count() * feet.len());
    for frame in 0..clip.frame_count() {
        let placed = clip.place(skeleton, frame);
        flat.extend(feet.iter().map(|foot| {
            let up = placed[foot.joint].orientation * (bind[foot.joint].orientation.inverse() * DVec3::Z);
            up.z.max(0.0).powi(4)
        }));
    }
    Ok(flat)
}

/// Where a foot stood, and for how many frames.
struct Spot {
    foot: usize,
    place: DVec3,
    weight: f64,
}

fn spots(found: &Contacts, flat: &[f64]) -> Vec<Spot> {
    let mut spots = Vec::new();
    for foot in 0..found.foot_count {
        for (first, end) in found.spans(foot) {
            let indices = (first..end).map(|frame| frame * found.foot_count + foot);
            let weight: f64 = indices.clone().map(|index| flat[index]).sum();
            // A frame's worth at least.
            if weight >= 0.5 {
                let place = indices.map(|index| flat[index] * found.lowest[index]).sum::<DVec3>() / weight;
                spots.push(Spot { foot, place, weight });
            }
        }
    }
    spots
}

/// The floor through the spots; `None` without spots.
fn fit(spots: &[Spot], height: f64, slope: Slope) -> Option<Floor> {
    let level = level_fit(spots)?;
    if slope == Slope::None || spots.len() < FEWEST_SPOTS {
        return Some(level);
    }
    let mut floor = level;
    let mut weights: Vec<f64> = spots.iter().map(|s| s.weight).collect();
    for _ in 0..10 {
        floor = plane_fit(spots, &weights, height)?;
        // Tukey's biweight of the distances from the plane.
        for (weight, spot) in weights.iter_mut().zip(spots) {
            let distance = (spot.place.z - floor.height_at(spot.place)) / (4.0 * UNEVEN * height);
            let keep = (1.0 - distance * distance).max(0.0);
            *weight = spot.weight * keep * keep;
        }
        if weights.iter().sum::<f64>() <= 0.0 {
            return Some(level);
        }
    }
    let total: f64 = spots.iter().map(|s| s.weight).sum();
    let uneven = spots.iter().map(|s| s.weight * (s.place.z - floor.height_at(s.place)).powi(2)).sum::<f64>() / total;
    let too_steep = libm::atan(floor.slope.length()) > STEEPEST_DEG.to_radians();
    Some(if too_steep || uneven.sqrt() > UNEVEN * height { level } else { floor })
}

/// The weighted median height.
fn level_fit(spots: &[Spot]) -> Option<Floor> {
    let mut sorted: Vec<(f64, f64)> = spots.iter().map(|s| (s.place.z, s.weight)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = 0.5 * sorted.iter().map(|s| s.1).sum::<f64>();
    let mut sum = 0.0;
    let median = sorted.iter().find(|(_, weight)| {
        sum += weight;
        sum >= half
    });
    median.map(|(height, _)| Floor { height: *height, slope: DVec2::ZERO })
}

/// Weighted least squares along those principal axes on which a foot's spots reach far enough, each foot's about their own mean, since
/// soles may differ in height: `b_k = Σ w s_k z / Σ w s_k²`.
fn plane_fit(spots: &[Spot], weights: &[f64], height: f64) -> Option<Floor> {
    let total: f64 = weights.iter().sum();
    let weighted = || spots.iter().zip(weights);
    let mean = weighted().map(|(s, w)| *w * s.place).sum::<DVec3>() / total;
    let foot_count = spots.iter().map(|s| s.foot + 1).max()?;
    let mut sums = vec![(DVec3::ZERO, 0.0); foot_count];
    for (spot, weight) in weighted() {
        let sum = &mut sums[spot.foot];
        *sum = (sum.0 + *weight * spot.place, sum.1 + weight);
    }
    let apart: Vec<(DVec3, f64)> = weighted()
        .filter(|(_, weight)| **weight > 0.0)
        .map(|(spot, weight)| (spot.place - sums[spot.foot].0 / sums[spot.foot].1, *weight))
        .collect();
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (d, weight) in &apart {
        (xx, xy, yy) = (xx + weight * d.x * d.x, xy + weight * d.x * d.y, yy + weight * d.y * d.y);
    }
    // Principal axes of the spots on the ground: half of the angle of (xx − yy, 2 xy).
    let angle = 0.5 * libm::atan2(2.0 * xy, xx - yy);
    let along = DVec2::new(libm::cos(angle), libm::sin(angle));
    let mut slope = DVec2::ZERO;
    for axis in [along, along.perp()] {
        let (mut least, mut most, mut up, mut spread) = (0.0_f64, 0.0_f64, 0.0, 0.0);
        for (d, weight) in &apart {
            let s = axis.dot(d.truncate());
            (least, most) = (least.min(s), most.max(s));
            (up, spread) = (up + weight * s * d.z, spread + weight * s * s);
        }
        if most - least > LEAST_REACH * height && spread > 0.0 {
            slope += axis * (up / spread);
        }
    }
    mean.is_finite().then(|| Floor { height: mean.z - slope.dot(mean.truncate()), slope })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::walkers::{biped_walk, quadruped_walk};
    use crate::tools::{crop, feet};

    #[test]
    fn a_slope_and_a_height_are_taken_back() {
        for walk in [biped_walk(), quadruped_walk()] {
            let feet = feet(&walk.skeleton, &[]);
            for (degrees, heading, rise) in [(1.2, 0.0, 0.03), (-2.0, 2.4, -0.1), (0.0, 1.0, 0.2)] {
                let heading = DQuat::from_rotation_z(heading);
                let tilt = heading * DQuat::from_rotation_y(f64::to_radians(-degrees));
                let wrong = moved(&walk.clip, tilt, DVec3::new(3.0, 1.0, rise));
                let right = align_to_ground(&walk.skeleton, &wrong, &feet).unwrap();
                let error_deg = (right.slope_rad.to_degrees() - f64::abs(degrees)).abs();
                assert!(error_deg < 0.1, "{degrees}: {}", right.slope_rad.to_degrees());
                if degrees != 0.0 {
                    let uphill = (heading * DVec3::X).truncate() * f64::signum(degrees);
                    assert!(right.uphill.dot(uphill) > 0.99, "{}", right.uphill);
                }
                let found = contacts(&walk.skeleton, &right.clip, &feet, &ContactOptions::default()).unwrap();
                for (stands, place) in found.stands.iter().zip(&found.lowest) {
                    assert!(!stands || place.z.abs() < 0.02 * walk.skeleton.height(), "{place}");
                }
            }
        }
    }

    #[test]
    fn standing_in_one_place_gives_the_height_alone() {
        let walk = biped_walk();
        let feet = feet(&walk.skeleton, &[]);
        let mut still = crop(&walk.clip, 0.0, 0.0).unwrap();
        for _ in 0..30 {
            still.root_positions.push(still.root_positions[0] + DVec3::ZERO);
            still.rotations.extend(walk.clip.rotations_of(0));
        }
        let tilted = moved(&still, DQuat::from_rotation_y(0.03), DVec3::new(0.0, 0.0, 0.5));
        let right = align_to_ground(&walk.skeleton, &tilted, &feet).unwrap();
        assert_eq!(right.slope_rad, 0.0);
        assert!((right.offset_m - 0.5).abs() < 0.02, "{}", right.offset_m);
    }

    #[test]
    fn someone_who_lies_is_left_where_he_lies() {
        let walk = biped_walk();
        let feet = feet(&walk.skeleton, &[]);
        let lying = moved(&walk.cycle, DQuat::from_rotation_y(-1.6), DVec3::new(0.0, 0.0, 0.4));
        let right = align_to_ground(&walk.skeleton, &lying, &feet).unwrap();
        assert_eq!((right.spots, right.clip == lying), (0, true));
    }

    #[test]
    fn stairs_stay_stairs() {
        let walk = biped_walk();
        let feet = feet(&walk.skeleton, &[]);
        let climb = moved(&walk.clip, DQuat::from_rotation_y(f64::to_radians(-20.0)), DVec3::ZERO);
        assert_eq!(align_to_ground(&walk.skeleton, &climb, &feet).unwrap().slope_rad, 0.0);
    }
}
