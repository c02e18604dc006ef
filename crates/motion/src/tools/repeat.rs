//! A cycle, again and again, with its travel.

use super::error::{ToolError, joint_count};
use super::moved::{same_hemisphere, turn_about_vertical};
use super::velocity::rotation_vector;
use crate::Clip;
use glam::{DQuat, DVec3};

/// A repeated clip, and how well its end meets its beginning.
#[derive(Clone, Debug)]
pub struct Repeated {
    /// The cycles, one after the other.
    pub clip: Clip,
    /// Whether the source's last frame is the first of the next cycle, so that it was not doubled.
    pub last_frame_repeats_first: bool,
    /// Largest change of a joint's rotation from the end of a cycle to the beginning of the next, rad: over no time where the last frame repeats the
    /// first, else over one frame.
    pub seam_rad: f64,
    /// Change of the root's height there, m.
    pub seam_m: f64,
    /// Whether the seam is at most half larger than all but a twentieth of the clip's steps: where it is not, the clip is no cycle and the repeats jump.
    pub is_cycle: bool,
    /// Horizontal travel of the root in one cycle, in the first frame's world, m.
    pub travel_m: DVec3,
    /// Turn about the vertical in one cycle, rad.
    pub turn_rad: f64,
}

/// The clip `times` times in a row (at least once), each cycle going on where the one before arrives.
///
/// With `p_0` the root's first place, `d` its horizontal travel in a cycle and `ψ` the turn, every cycle is the one before moved by
/// `T(x) = R_z(ψ) (x − p_0) + p_0 + d`. If the last pose is nearer to the first than half of the median step between frames, it is the first pose of the next
/// cycle; otherwise one frame lies between them and `d` and `ψ` of the `n − 1` steps are stretched by `n / (n − 1)`.
pub fn repeat_cycle(clip: &Clip, times: usize) -> Result<Repeated, ToolError> {
    let (frames, joints) = (clip.frame_count(), joint_count(clip));
    if frames < 2 || joints == 0 {
        return Err(ToolError::SingleFrame { clip: clip.name.clone() });
    }
    let times = times.max(1);
    ToolError::check_length(frames.saturating_mul(times), joints)?;

    // How far apart the ends are, against the steps within.
    let (seam_rad, seam_m) = pose_distance(clip, frames - 1, 0);
    let mut steps: Vec<(f64, f64)> = (1..frames).map(|frame| pose_distance(clip, frame - 1, frame)).collect();
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (median_step, large_step) = (steps[steps.len() / 2].0, steps[steps.len() * 19 / 20].0);
    let closes = seam_rad <= 0.5 * median_step + 1e-6;
    let most_rise = steps.iter().fold(0.0, |most: f64, step| most.max(step.1));
    let is_cycle = seam_rad <= (1.5 * large_step).max(0.02) && seam_m <= 1.5 * most_rise + 1e-3;

    // Travel and turn of a cycle; whole turns on the way count.
    let stretch = if closes { 1.0 } else { frames as f64 / (frames - 1) as f64 };
    let root = |frame: usize| clip.rotations[frame * joints];
    let turned: f64 = (1..frames).map(|frame| turn_about_vertical(root(frame) * root(frame - 1).inverse())).sum();
    let exactly = turn_about_vertical(root(frames - 1) * root(0).inverse());
    let whole_turns = libm::round((turned - exactly) / std::f64::consts::TAU);
    let turn_rad = stretch * (exactly + whole_turns * std::f64::consts::TAU);
    let first = clip.root_positions[0];
    let net = clip.root_positions[frames - 1] - first;
    let travel_m = stretch * DVec3::new(net.x, net.y, 0.0);

    let per_cycle = if closes { frames - 1 } else { frames };
    let mut result = Clip { name: clip.name.clone(), rate_hz: clip.rate_hz, root_positions: vec![], rotations: vec![] };
    let mut origin = first;
    for cycle in 0..times {
        let rotation = DQuat::from_rotation_z(cycle as f64 * turn_rad);
        let count = if cycle + 1 == times { frames } else { per_cycle };
        for frame in 0..count {
            result.root_positions.push(rotation * (clip.root_positions[frame] - first) + origin);
            let pose = clip.rotations_of(frame);
            result.rotations.push((rotation * pose[0]).normalize());
            result.rotations.extend(&pose[1..]);
        }
        origin = DQuat::from_rotation_z(turn_rad) * (origin - first) + first + travel_m;
    }
    same_hemisphere(&mut result.rotations, joints);
    Ok(Repeated { clip: result, last_frame_repeats_first: closes, seam_rad, seam_m, is_cycle, travel_m, turn_rad })
}

/// How far two poses of a clip are apart: largest angle between a joint's rotations (the root's but for its turn about the vertical), and heights.
fn pose_distance(clip: &Clip, from: usize, to: usize) -> (f64, f64) {
    let (a, b) = (clip.rotations_of(from), clip.rotations_of(to));
    let root = b[0] * a[0].inverse();
    let upright = DQuat::from_rotation_z(-turn_about_vertical(root)) * root;
    let mut largest = rotation_vector(upright).length();
    for (a, b) in a.iter().zip(b).skip(1) {
        largest = largest.max(rotation_vector(*b * a.inverse()).length());
    }
    (largest, (clip.root_positions[to].z - clip.root_positions[from].z).abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::walkers::biped_walk;
    use crate::tools::{crop, moved};

    #[test]
    fn a_repeated_cycle_is_the_long_walk() {
        let walk = biped_walk();
        let frame_secs = 1.0 / walk.clip.rate_hz;
        for (end, repeats_first) in [(walk.cycle_secs, true), (walk.cycle_secs - frame_secs, false)] {
            let cycle = crop(&walk.clip, 0.0, end).unwrap();
            let repeated = repeat_cycle(&cycle, 4).unwrap();
            assert_eq!(repeated.last_frame_repeats_first, repeats_first);
            assert!(repeated.is_cycle, "{repeated:?}");
            assert!((repeated.travel_m.x - walk.speed * walk.cycle_secs).abs() < 1e-9);
            for frame in 0..repeated.clip.frame_count() {
                assert!(repeated.clip.root_positions[frame].distance(walk.clip.root_positions[frame]) < 1e-9);
                let poses = repeated.clip.rotations_of(frame).iter().zip(walk.clip.rotations_of(frame));
                assert!(poses.into_iter().all(|(a, b)| a.dot(*b).abs() > 1.0 - 1e-9), "frame {frame}");
            }
        }
    }

    #[test]
    fn turns_compose() {
        // A quarter circle of radius 1 in each cycle comes back after four.
        let (frames, quarter) = (31, 0.5 * std::f64::consts::PI);
        let angle = |frame: usize| quarter * frame as f64 / (frames - 1) as f64;
        let arc = Clip {
            name: "arc".into(),
            rate_hz: 30.0,
            root_positions: (0..frames)
                .map(|f| DVec3::new(libm::sin(angle(f)), 1.0 - libm::cos(angle(f)), 1.0))
                .collect(),
            rotations: (0..frames)
                .flat_map(|f| [DQuat::from_rotation_z(angle(f)), DQuat::from_rotation_x(libm::sin(4.0 * angle(f)))])
                .collect(),
        };
        let arc = moved(&arc, DQuat::from_rotation_z(0.3), DVec3::new(3.0, 1.0, 0.0));
        let repeated = repeat_cycle(&arc, 4).unwrap();
        assert!((repeated.turn_rad - quarter).abs() < 1e-9);
        assert_eq!(repeated.clip.frame_count(), 4 * (frames - 1) + 1);
        let (first, last) = (repeated.clip.root_positions[0], repeated.clip.root_positions[4 * (frames - 1)]);
        assert!(first.distance(last) < 1e-9, "{first} {last}");
    }

    #[test]
    fn what_is_no_cycle_is_told() {
        let walk = biped_walk();
        let part = crop(&walk.clip, 0.0, 0.37 * walk.cycle_secs).unwrap();
        let repeated = repeat_cycle(&part, 2).unwrap();
        assert!(!repeated.is_cycle && repeated.seam_rad > 0.2, "{}", repeated.seam_rad);
        let still = crop(&walk.clip, 0.0, 0.0).unwrap();
        assert!(matches!(repeat_cycle(&still, 3), Err(ToolError::SingleFrame { .. })));
        assert!(matches!(repeat_cycle(&walk.clip, usize::MAX), Err(ToolError::TooLong { .. })));
    }
}
