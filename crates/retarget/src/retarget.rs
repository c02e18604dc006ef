//! A clip of one skeleton on another: the steps in their order.

use crate::anatomy::Anatomy;
use crate::error::RetargetError;
use crate::figures::{Figures, measure};
use crate::follow::{Poses, follow};
use crate::goals::goals;
use crate::hinge::axes;
use crate::joint_map::{JointMap, Resolved};
use crate::legs_and_arms::{Body, LimbPair, limb_pairs};
use crate::limbs_to_goals::bring_limbs_to_goals;
use crate::rest_pose::{RestPoses, rest_poses};
use crate::rotations::to_local;
use crate::soles::{Ground, source_pose};
use crate::travel::Travel;
use crate::working_clip::WorkingClip;
use glam::{DQuat, DVec3};
use sinew_motion::skeleton::Placed;
use sinew_motion::tools::{Foot, ToolError};
use sinew_motion::{Clip, Rig};

/// What a user may choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetargetOptions {
    /// Keeps feet that stand from sliding.
    pub plant_feet: bool,
    /// Ratio of the paths; by default that of the legs.
    pub scale: Option<f64>,
}

impl Default for RetargetOptions {
    fn default() -> Self {
        RetargetOptions { plant_feet: true, scale: None }
    }
}

/// A clip on another skeleton.
#[derive(Clone, Debug)]
pub struct Retargeted {
    /// The clip, with the source's name and rate, on the ground `z = 0`.
    pub clip: Clip,
    /// How well it went.
    pub figures: Figures,
    /// What was decided, one sentence each.
    pub notes: Vec<String>,
}

/// Both bodies with all that is constant over a clip.
pub(crate) struct Scene<'a> {
    pub source: Body<'a>,
    pub target: Body<'a>,
    /// The clip that is worked on.
    pub clip: &'a Clip,
    pub working: &'a WorkingClip,
    /// Turns the source to look where the character looks.
    pub turn: DQuat,
    pub map: Resolved,
    pub limbs: Vec<LimbPair>,
    pub ground: Ground,
    pub rest: RestPoses,
    pub travel: Travel,
    /// Hinge of each limb in the target's rest pose, and in the source's.
    pub axes: Vec<Option<[DVec3; 2]>>,
}

impl Scene<'_> {
    /// The source in a frame, turned.
    pub fn source_pose(&self, frame: usize) -> Vec<Placed> {
        source_pose(self.source.skeleton, self.clip, frame, self.turn)
    }

    /// Turn of a joint of the source from its rest pose.
    pub fn source_turn(&self, placed: &[Placed], joint: usize) -> DQuat {
        placed[joint].orientation * self.rest.source[joint].orientation.inverse()
    }
}

/// Moves a clip of `source` to `target` by a map of their joints.
///
/// 1. The source is turned about the vertical to look where the character looks, and both get a rest pose in which they correspond.
/// 2. Every mapped joint turns from its rest pose as its source does: `R(t) = S(t) S_rest⁻¹ R_rest` in the world.
/// 3. The pelvis' path is scaled by the ratio of the legs, its height by the ratio of standing heights.
/// 4. Feet get places relative to their hips, scaled alike, and are held where the source's feet stand.
/// 5. The body comes down where a standing leg is too short, and limbs bend so that feet come to their places, never the wrong way.
///
/// # Errors
/// Where the clip is not the source's, or the map has no pelvis.
pub fn retarget(
    source: &Rig,
    clip: &Clip,
    target: &Rig,
    map: &JointMap,
    options: &RetargetOptions,
) -> Result<Retargeted, RetargetError> {
    let joints = source.skeleton.joints.len();
    if clip.frame_count() == 0 || clip.rotations.len() != clip.frame_count() * joints {
        let clip_joints = clip.rotations.len() / clip.frame_count().max(1);
        let wrong = ToolError::OtherSkeleton { clip: clip.name.clone(), clip_joints, skeleton_joints: joints };
        return Err(wrong.into());
    }
    let anatomies = [Anatomy::of(&source.skeleton, &source.clips), Anatomy::of(&target.skeleton, &target.clips)];
    let feet: Vec<Foot> = anatomies[0].limbs.iter().filter_map(|limb| limb.foot.clone()).collect();
    let working = WorkingClip::of(&source.skeleton, clip, &feet)?;
    let scene = scene([source, target], &anatomies, &working, map, options)?;
    let mut poses = follow(&scene);
    let goals = goals(&scene, &poses, options.plant_feet);
    bring_limbs_to_goals(&scene, &mut poses, &goals);
    let figures = measure(&scene, &poses);
    let clip = poses.into_clip(&scene);
    let notes = notes(&scene, &clip, &figures);
    Ok(Retargeted { clip, figures, notes })
}

fn scene<'a>(
    [source, target]: [&'a Rig; 2],
    [from, to]: &[Anatomy; 2],
    working: &'a WorkingClip,
    map: &JointMap,
    options: &RetargetOptions,
) -> Result<Scene<'a>, RetargetError> {
    let turn = from.frame.turn_to(&to.frame);
    let resolved = Resolved::new(map, &source.skeleton, &target.skeleton)?;
    let limbs = limb_pairs(&resolved.limbs, (&source.skeleton, from), (&target.skeleton, to));
    let ground = Ground::of(&source.skeleton, working, &limbs)?;
    let ours = Body::new(&source.skeleton, from, turn);
    let theirs = Body::new(&target.skeleton, to, DQuat::IDENTITY);
    let rest = rest_poses(&ours, &theirs, &limbs, &ground.soles, map.posture);
    let pelvises = [resolved.source_pelvis, resolved.target_pelvis];
    let mut travel = Travel::between(&ours, &theirs, &limbs, &rest, pelvises, map.posture);
    if let Some(scale) = options.scale {
        travel.level = scale;
    }
    let (clip, axes_to_come) = (&working.clip, Vec::new());
    let (source, target) = (ours, theirs);
    let mut scene =
        Scene { source, target, clip, working, turn, map: resolved, limbs, ground, rest, travel, axes: axes_to_come };
    scene.axes = axes(&scene, map.posture);
    Ok(scene)
}

fn notes(scene: &Scene, clip: &Clip, figures: &Figures) -> Vec<String> {
    let followed: Vec<usize> = scene.map.follows.iter().map(|f| f.target).collect();
    let joints = scene.target.skeleton.joints.len();
    let mut notes = vec![format!(
        "{}: moves {} of the character's {joints} joints by their roles; its travel is scaled by {:.3}.",
        clip.name,
        followed.len(),
        scene.travel.level
    )];
    if figures.foot_slide.contacts > 0 {
        notes.push(format!(
            "{}: its feet stand {} times and slide {:.2} cm then (median; at most {:.2} cm).",
            clip.name, figures.foot_slide.contacts, figures.foot_slide.median_cm, figures.foot_slide.max_cm
        ));
    }
    notes
}

impl Poses {
    /// The poses as a clip: rotations in the parents' frames, neighbouring frames in the same hemisphere.
    fn into_clip(self, scene: &Scene) -> Clip {
        let count = scene.target.skeleton.joints.len();
        let working = scene.working;
        let mut clip = Clip {
            name: scene.clip.name.clone(),
            rate_hz: scene.clip.rate_hz,
            root_positions: Vec::with_capacity(working.frames),
            rotations: Vec::with_capacity(working.frames * count),
        };
        for frame in 0..working.frames {
            let at = working.first + frame;
            let mut local = to_local(scene.target.skeleton, &self.orientations[at * count..(at + 1) * count]);
            let (root, orientation) = working.undo(frame, self.roots[at], local[0], scene.turn, scene.travel.level);
            local[0] = orientation.normalize();
            clip.root_positions.push(root);
            for rotation in local {
                let before = clip.rotations.len().checked_sub(count).map(|at| clip.rotations[at]);
                let turned = before.is_some_and(|b| b.dot(rotation) < 0.0);
                clip.rotations.push(if turned { -rotation } else { rotation });
            }
        }
        clip
    }
}
