//! A clip at other times and rates.

use super::error::{ToolError, joint_count};
use super::moved::same_hemisphere;
use crate::Clip;
use glam::{DQuat, DVec3};

/// Root position and joint rotations at `secs` from the clip's first frame; times outside of the clip give its ends.
///
/// With `s = secs · rate`, `i = ⌊s⌋`, `u = s − i`: position `(1 − u) p_i + u p_{i+1}`, rotations `slerp(q_i, q_{i+1}, u)` along the shorter arc
/// (Shoemake 1985).
pub fn sample(clip: &Clip, secs: f64) -> (DVec3, Vec<DQuat>) {
    let last = clip.frame_count() - 1;
    let at = (secs * clip.rate_hz).max(0.0).min(last as f64);
    let frame = (at as usize).min(last);
    let next = (frame + 1).min(last);
    let part = at - frame as f64;
    if part == 0.0 {
        return (clip.root_positions[frame], clip.rotations_of(frame).to_vec());
    }
    let position = clip.root_positions[frame].lerp(clip.root_positions[next], part);
    let rotations = clip.rotations_of(frame).iter().zip(clip.rotations_of(next));
    (position, rotations.map(|(a, b)| a.slerp(*b, part).normalize()).collect())
}

/// The clip at another rate, from its first frame to its last.
///
/// The new clip has `n = round(T · rate) + 1` frames, sampled at `t_k = k T / (n − 1)`: the last frame is kept, and where `T` is not a whole
/// number of new frames the motion is stretched evenly by less than half a frame in all.
pub fn resample(clip: &Clip, rate_hz: f64) -> Result<Clip, ToolError> {
    if !(0.1..=10_000.0).contains(&rate_hz) {
        return Err(ToolError::Rate { rate_hz });
    }
    if rate_hz == clip.rate_hz {
        return Ok(clip.clone());
    }
    let duration = clip.duration_secs();
    let frames = libm::round(duration * rate_hz) as usize + 1;
    let joints = joint_count(clip);
    ToolError::check_length(frames, joints)?;
    let mut root_positions = Vec::with_capacity(frames);
    let mut rotations = Vec::with_capacity(frames * joints);
    for frame in 0..frames {
        // The last frame is the last frame, whatever rounding says; a clip shorter than half a new frame keeps its first.
        let secs = match frame {
            0 => 0.0,
            _ if frame + 1 == frames => f64::INFINITY,
            _ => duration * frame as f64 / (frames - 1) as f64,
        };
        let (position, pose) = sample(clip, secs);
        root_positions.push(position);
        rotations.extend(pose);
    }
    same_hemisphere(&mut rotations, joints);
    Ok(Clip { name: clip.name.clone(), rate_hz, root_positions, rotations })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::walkers::biped_walk;
    use proptest::prelude::*;

    #[test]
    fn a_whole_multiple_of_the_rate_keeps_every_old_frame() {
        let clip = biped_walk().clip;
        let dense = resample(&clip, 3.0 * clip.rate_hz).unwrap();
        assert_eq!(dense.frame_count(), 3 * (clip.frame_count() - 1) + 1);
        let back = resample(&dense, clip.rate_hz).unwrap();
        assert_eq!(back.frame_count(), clip.frame_count());
        for (a, b) in clip.rotations.iter().zip(&back.rotations) {
            assert!(a.dot(*b) > 1.0 - 1e-12);
        }
        for (a, b) in clip.root_positions.iter().zip(&back.root_positions) {
            assert!(a.distance(*b) < 1e-12);
        }
    }

    #[test]
    fn samples_between_frames_lie_on_the_arc() {
        let clip = Clip {
            name: "turn".into(),
            rate_hz: 10.0,
            root_positions: vec![DVec3::ZERO, DVec3::X],
            rotations: vec![DQuat::IDENTITY, DQuat::from_rotation_z(1.0)],
        };
        let (position, rotations) = sample(&clip, 0.025);
        assert!(position.distance(0.25 * DVec3::X) < 1e-15);
        assert!(rotations[0].dot(DQuat::from_rotation_z(0.25)) > 1.0 - 1e-14);
        for (secs, frame) in [(-1.0, 0), (9.0, 1), (f64::NAN, 0), (f64::INFINITY, 1)] {
            assert_eq!(sample(&clip, secs).0, clip.root_positions[frame]);
        }
    }

    #[test]
    fn senseless_rates_are_refused() {
        for rate_hz in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(resample(&biped_walk().clip, rate_hz), Err(ToolError::Rate { .. })));
        }
    }

    proptest! {
        #[test]
        fn duration_and_ends_are_kept(rate_hz in 5.0..240.0) {
            let clip = biped_walk().clip;
            let other = resample(&clip, rate_hz).unwrap();
            prop_assert!((other.duration_secs() - clip.duration_secs()).abs() <= 0.5 / rate_hz + 1e-12);
            prop_assert_eq!(other.root_positions[0], clip.root_positions[0]);
            prop_assert_eq!(other.root_positions.last(), clip.root_positions.last());
        }
    }
}
