//! Several clips as one: a jump, its flight, its landing.

use super::error::{ToolError, joint_count};
use super::moved::{moved, same_hemisphere, turn_about_vertical};
use super::resample::resample;
use crate::Clip;
use glam::{DQuat, DVec3};

/// The clips one after the other, at the highest of their rates.
///
/// The first frame of a clip is the same instant as the last frame of the one before. The clip is turned about the vertical by the angle that brings its first
/// root orientation nearest to the last one, `ψ = 2 atan2(D_z, D_w)` with `D = R_last R_first⁻¹`, and shifted on the ground so that the roots meet; heights stay.
/// What then still differs, `Δ_j = q_last q_first⁻¹` in each joint and the root's height, fades over `blend_secs`: the clip's frames are
/// `slerp(1, Δ_j, w) q_j` with `w = 1 − 3u² + 2u³`, so that the pose is continuous. Zero blends nothing.
pub fn concatenate(clips: &[&Clip], blend_secs: f64) -> Result<Clip, ToolError> {
    let first = clips.first().ok_or(ToolError::NoClips)?;
    let joints = joint_count(first);
    for other in &clips[1..] {
        if joint_count(other) != joints {
            return Err(ToolError::DifferentJoints {
                first: first.name.clone(),
                first_joints: joints,
                second: other.name.clone(),
                second_joints: joint_count(other),
            });
        }
    }
    let rate_hz = clips.iter().map(|clip| clip.rate_hz).fold(first.rate_hz, f64::max);
    let frames = clips.iter().map(|clip| clip.duration_secs() * rate_hz + 1.0).sum::<f64>();
    ToolError::check_length(frames as usize, joints)?;

    let mut result = resample(first, rate_hz)?;
    result.name = clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>().join(" + ");
    let blend_frames = if blend_secs > 0.0 { blend_secs * rate_hz } else { 0.0 };
    for clip in &clips[1..] {
        let next = resample(clip, rate_hz)?;
        let end = result.frame_count() - 1;
        let (end_root, end_pose) = (result.root_positions[end], result.rotations_of(end).to_vec());
        let Some(start_root) = next.rotations.first() else { continue };

        // Bring the next clip's beginning to this end.
        let turn = DQuat::from_rotation_z(turn_about_vertical(end_pose[0] * start_root.inverse()));
        let arrived = turn * next.root_positions[0];
        let next = moved(&next, turn, DVec3::new(end_root.x - arrived.x, end_root.y - arrived.y, 0.0));

        // Fade what is left of the difference.
        let rise = end_root.z - next.root_positions[0].z;
        let start = next.rotations_of(0).iter();
        let differences: Vec<DQuat> =
            end_pose.iter().zip(start).map(|(e, s)| near_identity(*e * s.inverse())).collect();
        for frame in 1..next.frame_count() {
            let part = if blend_frames > 0.0 { (frame as f64 / blend_frames).min(1.0) } else { 1.0 };
            let weight = 1.0 - part * part * (3.0 - 2.0 * part);
            result.root_positions.push(next.root_positions[frame] + DVec3::new(0.0, 0.0, weight * rise));
            let pose = next.rotations_of(frame).iter().zip(&differences);
            result.rotations.extend(pose.map(|(q, d)| (DQuat::IDENTITY.slerp(*d, weight) * *q).normalize()));
        }
    }
    same_hemisphere(&mut result.rotations, joints);
    Ok(result)
}

/// Of the two quaternions of a rotation, the one nearer to no rotation.
fn near_identity(q: DQuat) -> DQuat {
    if q.w < 0.0 { -q } else { q }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::velocity::rotation_vector;
    use crate::tools::walkers::{biped_walk, quadruped_walk};
    use crate::tools::{crop, resample};

    #[test]
    fn parts_of_a_walk_join_to_the_walk() {
        let walk = biped_walk();
        let half = 0.5 * walk.clip.duration_secs();
        let first = crop(&walk.clip, 0.0, half).unwrap();
        let second = crop(&walk.clip, half, 10.0).unwrap();
        // Wherever the second part was recorded.
        let second = moved(&second, DQuat::from_rotation_z(2.0), DVec3::new(-3.0, 4.0, 0.0));
        let joined = concatenate(&[&first, &second], 0.0).unwrap();
        assert_eq!(joined.frame_count(), walk.clip.frame_count());
        for frame in [10, walk.clip.frame_count() / 2 + 5, walk.clip.frame_count() - 1] {
            let (a, b) = (joined.place(&walk.skeleton, frame), walk.clip.place(&walk.skeleton, frame));
            assert!(a.iter().zip(&b).all(|(a, b)| a.position.distance(b.position) < 1e-9), "frame {frame}");
        }
    }

    #[test]
    fn a_blend_leaves_no_jump() {
        let walk = biped_walk();
        let first = crop(&walk.clip, 0.0, 0.3 * walk.cycle_secs).unwrap();
        let mut second = resample(&crop(&walk.clip, 0.8 * walk.cycle_secs, 2.0).unwrap(), 30.0).unwrap();
        for position in &mut second.root_positions {
            position.z += 0.1;
        }
        let step = |clip: &Clip| {
            let joints = joint_count(clip);
            let turns = clip.rotations.iter().zip(&clip.rotations[joints..]);
            let turn = turns.map(|(a, b)| rotation_vector(*b * a.inverse()).length()).fold(0.0, f64::max);
            let rises = clip.root_positions.windows(2).map(|w| (w[1].z - w[0].z).abs());
            turn.max(rises.fold(0.0, f64::max))
        };
        let (hard, soft) =
            (concatenate(&[&first, &second], 0.0).unwrap(), concatenate(&[&first, &second], 0.3).unwrap());
        assert_eq!(soft.rate_hz, 60.0);
        assert!(step(&hard) > 0.4, "{}", step(&hard));
        assert!(step(&soft) < step(&walk.clip) + 0.1, "{} {}", step(&soft), step(&walk.clip));
        assert_eq!(hard.root_positions.last().unwrap().truncate(), soft.root_positions.last().unwrap().truncate());
    }

    #[test]
    fn names_join_and_strangers_are_refused() {
        let (two, four) = (biped_walk().clip, quadruped_walk().clip);
        assert_eq!(concatenate(&[&two, &two, &two], 0.1).unwrap().name, "walk + walk + walk");
        assert!(matches!(concatenate(&[&two, &four], 0.1), Err(ToolError::DifferentJoints { .. })));
        assert_eq!(concatenate(&[], 0.1), Err(ToolError::NoClips));
    }
}
