//! Feet that stand, kept from sliding.
//!
//! Key-framed feet often slide a little while they stand, and in cycles that run in place the feet do not agree on one speed. A body on
//! real ground cannot do that. [`plant_feet`] finds how each foot has to be displaced so that it stands still, by as little as possible:
//! the displacement Δ, level and smooth, is the one with the least
//!
//! `∫ s |Δ̇ + s u|² + ε |Δ̇|² + |Δ|²/τ² + T² |Δ̈|² dt`,
//!
//! u being the velocity of the point that the foot stands on and s from 0 to 1 how firmly it stands.

use super::contact::{ContactOptions, Contacts, Floor, contacts, runs, walking_speed_scale};
use super::error::ToolError;
use super::feet::Foot;
use crate::skeleton::Placed;
use crate::{Clip, Skeleton};
use glam::DVec2;

/// Feet that are never slower than this while they are down (see [`ContactOptions::speed`]) are meant to slide.
const SPEED: f64 = 0.2;
/// A foot that is faster than it is mostly in this stand begins to leave at the first of these excesses and has left at the second.
const EXCESSES: [f64; 2] = [0.05, 0.15];
/// The same of the height of its sole over the ground, as shares of the character's.
const HEIGHTS: [f64; 2] = [0.004, 0.015];
/// ε: how straight the way from one stand to the next is.
const TENSION: f64 = 0.02;
/// τ: slides over a longer time are given way to, so that a foot does not stray from where the body needs it, s.
const PATIENCE_SECS: f64 = 1.0;
/// T: time over which a foot comes to stand, s.
const SOFT_SECS: f64 = 0.03;

/// How the feet of a clip have to be displaced to stand still.
#[derive(Clone, Debug, PartialEq)]
pub struct Plants {
    /// Joints of each foot.
    joints: Vec<Vec<usize>>,
    /// Level displacement, m: frame × foot.
    displacements: Vec<DVec2>,
    /// Longest way that a foot slides in one stand of the clip, m.
    pub longest_slide: f64,
    /// Largest displacement, m.
    pub largest_displacement: f64,
}

impl Plants {
    /// Moves the joints of the feet, given the places of all joints in a frame.
    pub fn displace(&self, frame: usize, joints: &mut [Placed]) {
        for (foot, members) in self.joints.iter().enumerate() {
            let by = self.displacements[frame * self.joints.len() + foot].extend(0.0);
            members.iter().for_each(|&joint| joints[joint].position += by);
        }
    }
}

/// Finds displacements with which the feet of a clip on the ground `z = 0` stand still.
///
/// # Errors
/// Where the clip does not fit the skeleton.
pub fn plant_feet(skeleton: &Skeleton, clip: &Clip, feet: &[Foot]) -> Result<Plants, ToolError> {
    let found = contacts(skeleton, clip, feet, &options())?;
    let (frames, count) = (clip.frame_count(), feet.len());
    let mut displacements = vec![DVec2::ZERO; frames * count];
    let mut longest_slide: f64 = 0.0;
    for foot in 0..count {
        let ways = ways(&found, foot, skeleton, clip.rate_hz);
        for (first, end) in runs(ways.len(), |f| ways[f].0 > 0.5) {
            longest_slide = longest_slide.max(ways[first..end].iter().map(|(_, way)| way.length()).sum());
        }
        for (frame, by) in least_displacements(&ways, clip.rate_hz).into_iter().enumerate() {
            displacements[frame * count + foot] = by;
        }
    }
    let largest_displacement = displacements.iter().map(|d| d.length()).fold(0.0, f64::max);
    let joints = feet.iter().map(|foot| members(skeleton, foot.joint)).collect();
    Ok(Plants { joints, displacements, longest_slide, largest_displacement })
}

/// A joint and all that hangs from it.
fn members(skeleton: &Skeleton, joint: usize) -> Vec<usize> {
    let mut members = vec![joint];
    for other in joint + 1..skeleton.joints.len() {
        if skeleton.joints[other].parent.is_some_and(|parent| members.contains(&parent)) {
            members.push(other);
        }
    }
    members
}

fn options() -> ContactOptions {
    ContactOptions { speed: SPEED, floor: Some(Floor::default()), ..ContactOptions::default() }
}

/// How firmly a foot stands between each frame and the next, and the way that it should be held back there, m.
fn ways(found: &Contacts, foot: usize, skeleton: &Skeleton, rate_hz: f64) -> Vec<(f64, DVec2)> {
    let frames = found.stands.len() / found.foot_count;
    let at = |frame: usize| frame * found.foot_count + foot;
    let speed = |frame: usize| found.velocity[at(frame)].length() / walking_speed_scale(skeleton);
    let lowness = |frame: usize| fade(HEIGHTS, found.lowest[at(frame)].z / skeleton.height());
    let mut firmness = vec![0.0; frames];
    for (first, end) in found.spans(foot) {
        let mut speeds: Vec<f64> = (first..end).filter(|&f| lowness(f) > 0.5).map(speed).collect();
        speeds.sort_by(f64::total_cmp);
        let Some(&mostly) = speeds.get(speeds.len() / 2) else { continue };
        (first..end).for_each(|f| firmness[f] = lowness(f) * fade(EXCESSES, speed(f) - mostly));
    }
    let between = |frame: usize| {
        let mean = 0.5 * (found.velocity[at(frame)] + found.velocity[at(frame + 1)]);
        let firmness = firmness[frame].min(firmness[frame + 1]);
        (firmness, firmness / rate_hz * mean.truncate())
    };
    (0..frames.saturating_sub(1)).map(between).collect()
}

/// From 1 up to the first of two values smoothly down to 0 at the second.
fn fade([first, second]: [f64; 2], value: f64) -> f64 {
    let share = ((second - value) / (second - first)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// The displacements of all frames, from how firmly the foot stands between them and how far it slides there.
fn least_displacements(ways: &[(f64, DVec2)], rate_hz: f64) -> Vec<DVec2> {
    let n = ways.len() + 1;
    // In units of frames: differences instead of derivatives.
    let (pull, bend) = (1.0 / (PATIENCE_SECS * rate_hz), SOFT_SECS * rate_hz);
    let mut matrix = vec![[pull * pull, 0.0, 0.0]; n];
    let mut right = vec![DVec2::ZERO; n];
    let add = |row: &[(usize, f64)], weight: f64, matrix: &mut [[f64; 3]]| {
        for &(i, a) in row {
            row.iter().filter(|(j, _)| *j <= i).for_each(|&(j, b)| matrix[i][i - j] += weight * a * b);
        }
    };
    for (f, &(firmness, way)) in ways.iter().enumerate() {
        add(&[(f, -1.0), (f + 1, 1.0)], firmness + TENSION, &mut matrix);
        right[f] += firmness * way;
        right[f + 1] -= firmness * way;
        if f > 0 {
            add(&[(f - 1, 1.0), (f, -2.0), (f + 1, 1.0)], bend * bend, &mut matrix);
        }
    }
    solve_banded(matrix, right)
}

/// Solves a symmetric positive system with two bands beside its diagonal, by `L D Lᵀ`; row `i` holds entries `i`, `i − 1`, `i − 2`.
fn solve_banded(mut matrix: Vec<[f64; 3]>, mut right: Vec<DVec2>) -> Vec<DVec2> {
    let n = right.len();
    for i in 0..n {
        // Entry (i, i − 2) first, then (i, i − 1), then the pivot.
        if i >= 2 {
            matrix[i][1] -= matrix[i][2] * matrix[i - 1][1];
            let l = matrix[i][2] / matrix[i - 2][0];
            matrix[i][0] -= matrix[i][2] * l;
            right[i] = right[i] - l * right[i - 2];
            matrix[i][2] = l;
        }
        if i >= 1 {
            let l = matrix[i][1] / matrix[i - 1][0];
            matrix[i][0] -= matrix[i][1] * l;
            right[i] = right[i] - l * right[i - 1];
            matrix[i][1] = l;
        }
    }
    for i in (0..n).rev() {
        right[i] /= matrix[i][0];
        if i + 1 < n {
            right[i] = right[i] - matrix[i + 1][1] * right[i + 1];
        }
        if i + 2 < n {
            right[i] = right[i] - matrix[i + 2][2] * right[i + 2];
        }
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::feet;
    use crate::tools::walkers::{biped_walk, quadruped_walk};

    /// Longest way of a sole's point between the second frame of a stand and the last but one, with and without displacement.
    fn slides(skeleton: &Skeleton, clip: &Clip, plants: &Plants, displaced: bool) -> f64 {
        let feet = feet(skeleton, &[]);
        let found = contacts(skeleton, clip, &feet, &options()).unwrap();
        let place = |frame: usize, foot: usize| {
            let mut joints = clip.place(skeleton, frame);
            if displaced {
                plants.displace(frame, &mut joints);
            }
            let point = feet[foot].sole[0];
            joints[point.joint].place(point.local)
        };
        let mut longest: f64 = 0.0;
        for foot in 0..feet.len() {
            for (first, end) in found.spans(foot) {
                let margin = (end - first) / 4;
                let (a, b) = (place(first + margin, foot), place(end - 1 - margin, foot));
                longest = longest.max((b - a).truncate().length());
            }
        }
        longest
    }

    #[test]
    fn feet_that_slide_are_held_and_those_that_stand_are_left() {
        for walk in [biped_walk(), quadruped_walk()] {
            let feet = feet(&walk.skeleton, &[]);
            let still = plant_feet(&walk.skeleton, &walk.clip, &feet).unwrap();
            let size = walk.skeleton.height();
            assert!(still.largest_displacement < 0.01 * size, "{}", still.largest_displacement);
            // A fifth too fast.
            let mut fast = walk.clip.clone();
            for (frame, position) in fast.root_positions.iter_mut().enumerate() {
                position.x += 0.2 * walk.speed * frame as f64 / fast.rate_hz;
            }
            let plants = plant_feet(&walk.skeleton, &fast, &feet).unwrap();
            let (before, after) =
                (slides(&walk.skeleton, &fast, &plants, false), slides(&walk.skeleton, &fast, &plants, true));
            assert!(after < 0.25 * before, "{after} of {before}");
            assert!(
                plants.largest_displacement < 2.0 * plants.longest_slide,
                "{} {}",
                plants.largest_displacement,
                plants.longest_slide
            );
        }
    }

    #[test]
    fn nothing_is_moved_in_flight_and_one_frame_is_no_motion() {
        let walk = biped_walk();
        let feet = feet(&walk.skeleton, &[]);
        let mut flight = walk.clip.clone();
        flight.root_positions.iter_mut().for_each(|p| p.z += 1.0);
        let plants = plant_feet(&walk.skeleton, &flight, &feet).unwrap();
        assert_eq!((plants.largest_displacement, plants.longest_slide), (0.0, 0.0));
        let mut short = walk.clip.clone();
        short.root_positions.truncate(1);
        short.rotations.truncate(walk.skeleton.joints.len());
        assert_eq!(plant_feet(&walk.skeleton, &short, &feet).unwrap().largest_displacement, 0.0);
    }

    #[test]
    fn the_banded_system_is_solved() {
        let ways: Vec<(f64, DVec2)> =
            (0..40).map(|i| (f64::from(i % 7) / 6.0, DVec2::new(0.01 * f64::from(i % 5), -0.02))).collect();
        let found = least_displacements(&ways, 30.0);
        let cost = |x: &[DVec2]| {
            let (pull, bend) = (1.0 / (PATIENCE_SECS * 30.0), SOFT_SECS * 30.0);
            let mut sum = x.iter().map(|d| pull * pull * d.length_squared()).sum::<f64>();
            for (f, (s, way)) in ways.iter().enumerate() {
                let step = x[f + 1] - x[f];
                sum += s * (step + *way).length_squared() + TENSION * step.length_squared();
            }
            sum + x.windows(3).map(|w| bend * bend * (w[0] - 2.0 * w[1] + w[2]).length_squared()).sum::<f64>()
        };
        let least = cost(&found);
        for i in 0..found.len() {
            for by in [DVec2::X, DVec2::Y, -DVec2::X, -DVec2::Y] {
                let mut other = found.clone();
                other[i] += 1e-3 * by;
                assert!(cost(&other) > least);
            }
        }
    }
}
