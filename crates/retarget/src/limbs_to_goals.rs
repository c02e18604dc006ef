//! Bends limbs so that feet come to their places, and straightens what is bent the wrong way.

use crate::follow::Poses;
use crate::goals::LimbGoals;
use crate::limb_ik::{ELBOW, KNEE, longest_reach, reach};
use crate::reach::{StandingLeg, lowerings, needed};
use crate::retarget::Scene;
use crate::sections::Section;
use glam::DVec3;

/// Lowers the body where it must be, and bends every limb with a hinge; limbs without a goal keep their ends.
pub(crate) fn bring_limbs_to_goals(scene: &Scene, poses: &mut Poses, goals: &[LimbGoals]) {
    let frames = poses.roots.len();
    let needs: Vec<f64> = (0..frames).map(|frame| need(scene, poses, goals, frame)).collect();
    let lowered = lowerings(&needs, scene.clip.rate_hz);
    poses.roots.iter_mut().zip(&lowered).for_each(|(root, by)| root.z -= by);
    for (frame, by) in lowered.iter().enumerate() {
        let placed = poses.place(scene, frame);
        for ((pair, goals), axes) in scene.limbs.iter().zip(goals).zip(&scene.axes) {
            let limb = &pair.target;
            let (Some([top, middle, end]), Some([axis, _]), Some(upper)) =
                (limb.three(&placed), axes, limb.first(Section::Upper))
            else {
                continue;
            };
            // The ankle keeps its place relative to what stands on the ground.
            let effector = limb.effector.map_or(end, |e| e.place(&placed));
            let goal = goals.places.get(frame).map_or(end, |goal| {
                let along = DVec3::new(0.0, 0.0, (1.0 - goals.holds[frame]) * by);
                *goal - along + (end - effector)
            });
            let turn = placed[upper].orientation * scene.rest.target[upper].orientation.inverse();
            let freedom = if pair.kind.is_leg() { KNEE } else { ELBOW };
            let turns = reach(top, middle - top, end - middle, goal, turn * *axis, freedom);
            let world = poses.frame_mut(frame);
            limb.joints(Section::Upper).iter().for_each(|&j| world[j] = (turns.upper * world[j]).normalize());
            limb.joints(Section::Lower).iter().for_each(|&j| world[j] = (turns.lower * world[j]).normalize());
        }
        poses.carry(scene, frame);
    }
}

/// How far the body must come down in a frame, m.
fn need(scene: &Scene, poses: &Poses, goals: &[LimbGoals], frame: usize) -> f64 {
    let placed = poses.place(scene, frame);
    let mut most: f64 = 0.0;
    for (pair, goals) in scene.limbs.iter().zip(goals) {
        if !pair.kind.is_leg() || !goals.stands.get(frame).copied().unwrap_or(false) {
            continue;
        }
        let Some([hip, knee, ankle]) = pair.target.three(&placed) else { continue };
        let effector = pair.target.effector.map_or(ankle, |e| e.place(&placed));
        let goal: DVec3 = goals.places[frame] + (ankle - effector);
        let reach = longest_reach(hip.distance(knee), knee.distance(ankle));
        most = most.max(needed(&StandingLeg { hip, goal, reach: 0.998 * reach }));
    }
    most
}
