//! Derives the clips of the repaired skeleton from the source's world transforms, frame by frame.

use super::limb_reach::{Limb, reach, swing};
use super::limbs::limbs;
use super::source::Walker;
use super::tree::Tree;
use crate::raw::{RawClip, RawRig};
use crate::report::StretchedJoint;
use crate::skeleton::Skeleton;
use crate::{Clip, Report};
use glam::{DQuat, DVec3};

/// An end nearer to its place than this, in heights, needs no bending.
const NEAR_ENOUGH: f64 = 1e-6;
/// Errors above this, m, are told.
const TOLD: f64 = 1e-3;

/// All clips of the skeleton.
///
/// Each joint keeps the world orientation of the source. Where the source stretches bones, limbs bend so that their ends (feet, hands) come
/// to their places nevertheless; the orientation of the ends stays. The distance that remains goes into [`Report::stretch_error_m`].
pub(super) fn build(
    raw: &RawRig,
    first_frames: &[usize],
    tree: &Tree,
    skeleton: &Skeleton,
    report: &mut Report,
) -> Vec<Clip> {
    let mut builder = Builder::new(raw, tree, skeleton);
    let clips = raw.clips.iter().zip(first_frames).map(|(clip, &first)| builder.clip(clip, first)).collect();
    builder.tell(report);
    clips
}

/// What one frame needs, reused for all.
struct Builder<'a> {
    raw: &'a RawRig,
    skeleton: &'a Skeleton,
    walker: Walker,
    /// Raw node of each joint.
    nodes: Vec<usize>,
    /// Limb that starts at a joint.
    limb_at: Vec<Option<Limb>>,
    height: f64,
    /// Places that the source gives, in our world: joint.
    wanted: Vec<DVec3>,
    /// Places that constant bones give.
    positions: Vec<DVec3>,
    orientations: Vec<DQuat>,
    points: Vec<DVec3>,
    /// Sum of the errors of each joint over all frames, m.
    error_sums: Vec<f64>,
    frames: usize,
    /// Largest error of each joint.
    worst: Vec<f64>,
}

impl<'a> Builder<'a> {
    fn new(raw: &'a RawRig, tree: &Tree, skeleton: &'a Skeleton) -> Self {
        let count = skeleton.joints.len();
        let mut limb_at = vec![None; count];
        for limb in limbs(skeleton) {
            let start = limb.joints[0];
            limb_at[start] = Some(limb);
        }
        Builder {
            raw,
            skeleton,
            walker: Walker::new(raw),
            nodes: tree.in_order(),
            limb_at,
            height: skeleton.height(),
            wanted: vec![DVec3::ZERO; count],
            positions: vec![DVec3::ZERO; count],
            orientations: vec![DQuat::IDENTITY; count],
            points: Vec::new(),
            error_sums: vec![0.0; count],
            frames: 0,
            worst: vec![0.0; count],
        }
    }

    fn clip(&mut self, clip: &RawClip, first: usize) -> Clip {
        let count = self.skeleton.joints.len();
        let frames = clip.frame_count - first;
        let mut root_positions = Vec::with_capacity(frames);
        let mut rotations: Vec<DQuat> = Vec::with_capacity(frames * count);
        for frame in first..clip.frame_count {
            self.place_source(clip, frame);
            self.place_joints();
            root_positions.push(self.positions[0]);
            for (index, joint) in self.skeleton.joints.iter().enumerate() {
                let world = self.orientations[index];
                let local = joint.parent.map_or(world, |p| self.orientations[p].inverse() * world).normalize();
                // The same hemisphere as in the frame before, so that neighbours can be blended.
                let turned = rotations.len() >= count && rotations[rotations.len() - count].dot(local) < 0.0;
                rotations.push(if turned { -local } else { local });
                let error = self.positions[index].distance(self.wanted[index]);
                self.error_sums[index] += error;
                self.worst[index] = self.worst[index].max(error);
            }
            self.frames += 1;
        }
        Clip { name: clip.name.clone(), rate_hz: clip.rate_hz, root_positions, rotations }
    }

    /// Positions and orientations of the source in our world.
    fn place_source(&mut self, clip: &RawClip, frame: usize) {
        let source = &self.skeleton.source;
        let up = source.up.rotation();
        let placed = self.walker.place(self.raw, clip, frame);
        for (index, &node) in self.nodes.iter().enumerate() {
            self.wanted[index] = source.metres_per_unit * (up * placed[node].position);
            self.orientations[index] = up * placed[node].orientation;
        }
    }

    /// Places the joints by constant offsets, parents first, and bends the limbs on the way.
    fn place_joints(&mut self) {
        for (index, joint) in self.skeleton.joints.iter().enumerate() {
            self.positions[index] = match joint.parent {
                None => self.wanted[index],
                Some(p) => self.positions[p] + self.orientations[p] * joint.offset,
            };
            if self.limb_at[index].is_some() {
                self.bend(index);
            }
        }
    }

    fn bend(&mut self, start: usize) {
        let Some(limb) = &self.limb_at[start] else { return };
        let joints = &self.skeleton.joints;
        let mut end = self.positions[start];
        for pair in limb.joints.windows(2) {
            end += self.orientations[pair[0]] * joints[pair[1]].offset;
        }
        let target = self.wanted[limb.joints[limb.joints.len() - 1]];
        if end.distance(target) < NEAR_ENOUGH * self.height {
            return;
        }
        self.points.clear();
        self.points.push(self.positions[start]);
        self.points.extend(limb.joints[1..].iter().map(|&j| self.wanted[j]));
        let bend = self.orientations[start] * limb.bend;
        reach(&limb.lengths, &mut self.points, bend, end, 0.1 * NEAR_ENOUGH * self.height);
        for (k, pair) in limb.joints.windows(2).enumerate() {
            let direction = self.points[k + 1] - self.points[k];
            self.orientations[pair[0]] = swing(self.orientations[pair[0]], joints[pair[1]].offset, direction);
        }
    }

    fn tell(&self, report: &mut Report) {
        let (mut worst_joint, mut worst) = (0, 0.0);
        for (joint, &error) in self.worst.iter().enumerate() {
            if error > worst {
                (worst_joint, worst) = (joint, error);
            }
        }
        let frames = self.frames.max(1) as f64;
        let mean = self.error_sums.iter().sum::<f64>() / frames / self.worst.len() as f64;
        report.stretch_error_m = [worst, mean];
        for ((joint, sum), most) in self.skeleton.joints.iter().zip(&self.error_sums).zip(&self.worst) {
            if *most > TOLD {
                let (joint, mean_m, max_m) = (joint.name.clone(), sum / frames, *most);
                report.stretched.push(StretchedJoint { joint, mean_m, max_m });
            }
        }
        if worst > TOLD {
            let name = &self.skeleton.joints[worst_joint].name;
            report.stretch_worst_joint = Some(name.clone());
            report.repairs.push(format!(
                "The source stretches bones; with constant lengths joints are off by {:.1} cm in the mean and {:.1} cm at most (`{name}`).",
                100.0 * mean,
                100.0 * worst
            ));
        }
    }
}
