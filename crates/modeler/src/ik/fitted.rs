//! A clip as the character does it, and how far that is from the source.

use super::rotation_vector::rotation_vector;
use super::speed::turn_between;
use super::targets::Targets;
use super::tree::Tree;
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use sinew_motion::skeleton::Placed;

/// A clip in the character's coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedClip {
    /// Name of the clip.
    pub name: String,
    /// Frames a second.
    pub rate_hz: f64,
    /// Length of one frame in [`Self::positions`]: of `qpos` of the character alone.
    pub position_count: usize,
    /// `qpos` frame after frame, in the layout of [`sinew_sim::Model`]. Neighbouring quaternions lie in the same hemisphere.
    pub positions: Vec<f64>,
    /// Distances from the source.
    pub errors: FitErrors,
    pub(super) frames: usize,
    pub(super) tree: Tree,
}

/// How far a fitted clip is from its source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FitErrors {
    /// Names of the end effectors, in the order of the binding.
    pub effector_names: Vec<String>,
    /// Distance of each end effector from its target, frame × effector, m.
    pub effector_distances: Vec<f64>,
    /// Mean of these, m; 0 without end effectors.
    pub effector_mean: f64,
    /// Largest of these, m.
    pub effector_max: f64,
    /// Where the largest is: frame and name.
    pub worst_effector: Option<(usize, String)>,
    /// Mean distance of the root from its joint, m.
    pub root_mean: f64,
    /// Largest of these, m.
    pub root_max: f64,
    /// Mean angle between bodies and their joints, rad.
    pub pose_mean: f64,
    /// Largest of these, rad.
    pub pose_max: f64,
    /// Largest angular speed of a joint other than the root, rad/s.
    pub joint_speed_max: f64,
    /// Frame at whose end, and joint in which it occurs.
    pub fastest_joint: Option<(usize, String)>,
    /// Frames in which a joint's burst of speed was bridged, summed over joints.
    pub bridged_frames: usize,
    /// Largest angular speed of a joint other than the root in the source, rad/s.
    pub source_speed_max: f64,
}

impl FittedClip {
    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.frames
    }

    /// `qpos` of one frame.
    pub fn position(&self, frame: usize) -> &[f64] {
        &self.positions[frame * self.position_count..(frame + 1) * self.position_count]
    }

    /// `qvel` frame after frame: a free root's linear velocity in the world, then its angular velocity in its own axes; a ball's in the child's.
    ///
    /// The mean of the differences to both neighbours, second order in the frame time; one-sided at the ends; zero for a single frame.
    pub fn velocities(&self) -> Vec<f64> {
        let (frames, nv) = (self.frame_count(), self.tree.velocity_count);
        let mut velocities = vec![0.0; frames * nv];
        let mut difference = vec![0.0; nv];
        for frame in 1..frames {
            self.tree.difference(self.position(frame - 1), self.position(frame), &mut difference);
            // A turn along the way from one frame to the next has the same numbers in the axes of both.
            for (side, at) in [(frame - 1, 0), (frame, frames - 1)] {
                let part = if side == at { 1.0 } else { 0.5 };
                for (v, d) in velocities[side * nv..(side + 1) * nv].iter_mut().zip(&difference) {
                    *v += part * self.rate_hz * d;
                }
            }
        }
        velocities
    }
}

/// Gathers the errors of a clip frame by frame.
pub(super) struct ErrorMeter<'a> {
    tree: &'a Tree,
    targets: &'a Targets,
    rate_hz: f64,
    frames: usize,
    orientations: Vec<DQuat>,
    places: Vec<DVec3>,
    placed: Vec<Placed>,
    errors: FitErrors,
}

impl<'a> ErrorMeter<'a> {
    pub fn new(tree: &'a Tree, targets: &'a Targets, rate_hz: f64) -> Self {
        let errors = FitErrors { effector_names: targets.effector_names.clone(), ..FitErrors::default() };
        ErrorMeter {
            tree,
            targets,
            rate_hz,
            frames: 0,
            orientations: Vec::new(),
            places: Vec::new(),
            placed: Vec::new(),
            errors,
        }
    }

    /// Takes the next frame.
    pub fn add(&mut self, joints: &[Placed], before: Option<&[f64]>, q: &[f64]) {
        self.targets.orientations(joints, &mut self.orientations);
        self.targets.places(joints, &mut self.places);
        self.tree.place(q, &mut self.placed);
        let (errors, frame) = (&mut self.errors, self.frames);
        let effectors = self.targets.points.iter().zip(&self.places).zip(&errors.effector_names);
        for ((target, wanted), name) in effectors {
            let distance = self.placed[target.link].place(target.point).distance(*wanted);
            errors.effector_distances.push(distance);
            errors.effector_mean += distance;
            if errors.worst_effector.is_none() || distance > errors.effector_max {
                errors.effector_max = distance;
                errors.worst_effector = Some((frame, name.clone()));
            }
        }
        if let Some(root) = self.targets.root.map(|r| &self.targets.poses[r]) {
            let distance = self.placed[0].position.distance(joints[root.joint].place(root.offset));
            errors.root_mean += distance;
            errors.root_max = errors.root_max.max(distance);
        }
        for (target, wanted) in self.targets.poses.iter().zip(&self.orientations) {
            let angle = rotation_vector(self.placed[target.link].orientation * wanted.conjugate()).length();
            errors.pose_mean += angle;
            errors.pose_max = errors.pose_max.max(angle);
        }
        for link in self.tree.links.iter().skip(1) {
            let Some(before) = before else { break };
            let speed = turn_between(link, before, q) * self.rate_hz;
            if speed > errors.joint_speed_max {
                errors.joint_speed_max = speed;
                errors.fastest_joint = Some((frame, link.joint.clone()));
            }
        }
        self.frames += 1;
    }

    /// The means over all frames.
    pub fn finish(mut self, largest_source_turn: f64) -> FitErrors {
        let frames = self.frames.max(1) as f64;
        let errors = &mut self.errors;
        errors.effector_mean /= errors.effector_distances.len().max(1) as f64;
        errors.root_mean /= frames;
        errors.pose_mean /= frames * self.targets.poses.len().max(1) as f64;
        errors.source_speed_max = self.rate_hz * largest_source_turn;
        self.errors
    }
}
