//! Writes a skeleton and a clip as a Biovision hierarchy, in the units and axes of the file that the skeleton came from.

use crate::{Clip, Skeleton};
use glam::{DMat3, DQuat, DVec3};
use std::fmt::Write;

/// Decimals of an angle in degrees: 10⁻⁷° at the end of a chain of a dozen joints moves a point of a body by less than 10⁻⁷ m.
const ANGLE_DECIMALS: usize = 7;

/// Steps of written positions and offsets, m, at most.
const POSITION_STEP_M: f64 = 1e-8;

/// Below this cosine of the middle angle, the first and the last rotate about one axis, and the last is taken from the frame before.
const GIMBAL_COSINE: f64 = 1e-7;

/// Writes a BVH file.
///
/// The format has no rest rotations, so that its zero pose is the bind pose: with `S` the rotation from the source's axes to ours, `B` a joint's
/// orientation in the bind pose and `A` in a frame, both in our world, the joint's world rotation in the file is `G = S⁻¹ A B⁻¹ S`, its channels
/// are `G_parent⁻¹ G`, and its offset is `S⁻¹ B_parent offset`. Joints are where they were in every frame, and a skeleton that was read from
/// BVH gets its own numbers back. The root has `OFFSET 0 0 0` and its position in its channels, so that readers that add the offset and readers
/// that replace it agree. A leaf without a tip gets an `End Site` without length, for the readers that need one.
pub fn write_bvh(skeleton: &Skeleton, clip: &Clip) -> String {
    let zero_pose = ZeroPose::of(skeleton);
    let mut text = String::from("HIERARCHY\n");
    let order = zero_pose.write_hierarchy(&mut text);

    let frame_secs = 1.0 / clip.rate_hz;
    let _ = write!(text, "MOTION\nFrames: {}\nFrame Time: {frame_secs}\n", clip.frame_count());
    let mut angles = vec![DVec3::ZERO; skeleton.joints.len()];
    let mut turned = vec![DQuat::IDENTITY; skeleton.joints.len()];
    for frame in 0..clip.frame_count() {
        for (index, placed) in clip.place(skeleton, frame).iter().enumerate() {
            turned[index] = zero_pose.turned(index, placed.orientation);
        }
        let root = skeleton.source.source_position(clip.root_positions[frame]);
        write_vector(&mut text, root, zero_pose.decimals);
        for &joint in &order {
            let local = skeleton.joints[joint].parent.map_or(turned[joint], |p| turned[p].inverse() * turned[joint]);
            angles[joint] = euler_zyx_near(local, angles[joint]);
            text.push(' ');
            write_vector(&mut text, angles[joint], ANGLE_DECIMALS);
        }
        text.push('\n');
    }
    text
}

/// The bind pose, as the pose in which all channels are zero.
struct ZeroPose<'a> {
    skeleton: &'a Skeleton,
    /// `S⁻¹ B` of each joint.
    orientations: Vec<DQuat>,
    /// `S⁻¹`.
    to_source: DQuat,
    /// Decimals of a length in source units.
    decimals: usize,
}

impl<'a> ZeroPose<'a> {
    fn of(skeleton: &'a Skeleton) -> Self {
        let source = &skeleton.source;
        let orientations = skeleton.bind_pose().iter().map(|p| source.source_orientation(p.orientation)).collect();
        let decimals = libm::ceil(libm::log10(source.metres_per_unit / POSITION_STEP_M)).clamp(4.0, 12.0) as usize;
        ZeroPose { skeleton, orientations, to_source: source.up.rotation().inverse(), decimals }
    }

    /// `S⁻¹ A (S⁻¹ B)⁻¹`, the world rotation in the file of a joint that is oriented so in our world.
    fn turned(&self, joint: usize, orientation: DQuat) -> DQuat {
        (self.to_source * orientation * self.orientations[joint].inverse()).normalize()
    }

    /// A vector of a joint's frame in the file's axes and units.
    fn in_file(&self, joint: usize, local: DVec3) -> DVec3 {
        self.orientations[joint] * local / self.skeleton.source.metres_per_unit
    }

    /// Writes all joints, depth first, and gives the order in which they stand.
    fn write_hierarchy(&self, text: &mut String) -> Vec<usize> {
        let joints = &self.skeleton.joints;
        let mut children = vec![Vec::new(); joints.len()];
        for (index, joint) in joints.iter().enumerate().rev() {
            if let Some(parent) = joint.parent {
                children[parent].push(index);
            }
        }
        let mut order = Vec::with_capacity(joints.len());
        // What is still to be written, last first: joints to open, and joints to close.
        let mut pending = vec![Step::Open(0)];
        let mut depth = 0;
        while let Some(step) = pending.pop() {
            match step {
                Step::Close => {
                    depth -= 1;
                    line(text, depth, "}");
                }
                Step::Open(joint) => {
                    self.open_joint(text, depth, joint, children[joint].is_empty());
                    order.push(joint);
                    depth += 1;
                    pending.push(Step::Close);
                    pending.extend(children[joint].iter().map(|&child| Step::Open(child)));
                }
            }
        }
        order
    }

    /// Writes a joint up to its children.
    fn open_joint(&self, text: &mut String, depth: usize, index: usize, is_leaf: bool) {
        let joint = &self.skeleton.joints[index];
        let (kind, channels, offset) = match joint.parent {
            None => ("ROOT", "6 Xposition Yposition Zposition", DVec3::ZERO),
            Some(parent) => ("JOINT", "3", self.in_file(parent, joint.offset)),
        };
        line(text, depth, &format!("{kind} {}", plain_name(&joint.name, index)));
        line(text, depth, "{");
        self.write_offset(text, depth + 1, offset);
        line(text, depth + 1, &format!("CHANNELS {channels} Zrotation Yrotation Xrotation"));
        let no_length = [DVec3::ZERO];
        let tips = if is_leaf && joint.tips.is_empty() { &no_length[..] } else { &joint.tips };
        for &tip in tips {
            line(text, depth + 1, "End Site");
            line(text, depth + 1, "{");
            self.write_offset(text, depth + 2, self.in_file(index, tip));
            line(text, depth + 1, "}");
        }
    }

    fn write_offset(&self, text: &mut String, depth: usize, offset: DVec3) {
        indent(text, depth);
        text.push_str("OFFSET ");
        write_vector(text, offset, self.decimals);
        text.push('\n');
    }
}

enum Step {
    Open(usize),
    Close,
}

/// Angles `(z, y, x)`, degrees, with `R = R_z R_y R_x`, of the two solutions the one nearer to the frame before, whole turns included, so that
/// programs that interpolate angles do not spin.
///
/// `x = atan2(r₂₁, r₂₂)`, `y = atan2(−r₂₀, √(r₀₀² + r₁₀²))`, and `z` from what `R_x(−x)` leaves, which holds for any `x` where `cos y = 0`
/// (Day 2012, "Extracting Euler Angles from a Rotation Matrix").
fn euler_zyx_near(rotation: DQuat, before: DVec3) -> DVec3 {
    let r = DMat3::from_quat(rotation);
    let cosine_y = (r.x_axis.x * r.x_axis.x + r.x_axis.y * r.x_axis.y).sqrt();
    let y = libm::atan2(-r.x_axis.z, cosine_y);
    let x = if cosine_y > GIMBAL_COSINE { libm::atan2(r.y_axis.z, r.z_axis.z) } else { before.z.to_radians() };
    let (sin_x, cos_x) = libm::sincos(x);
    let z = libm::atan2(sin_x * r.z_axis.x - cos_x * r.y_axis.x, cos_x * r.y_axis.y - sin_x * r.z_axis.y);

    let first = unwrapped(DVec3::new(z.to_degrees(), y.to_degrees(), x.to_degrees()), before);
    let second = unwrapped(DVec3::new(first.x + 180.0, 180.0 - first.y, first.z + 180.0), before);
    let away = |angles: DVec3| (angles - before).abs().element_sum();
    if away(second) < away(first) { second } else { first }
}

/// The same angles, each by whole turns as near to `before` as it gets.
fn unwrapped(angles: DVec3, before: DVec3) -> DVec3 {
    angles - 360.0 * ((angles - before) / 360.0).round()
}

/// A name without white space and braces, which end a name in other readers.
fn plain_name(name: &str, index: usize) -> String {
    let replaced = |c: char| if c.is_whitespace() || c.is_control() || matches!(c, '{' | '}') { '_' } else { c };
    if name.is_empty() { format!("joint_{index}") } else { name.chars().map(replaced).collect() }
}

fn indent(text: &mut String, depth: usize) {
    text.extend(std::iter::repeat_n('\t', depth));
}

fn line(text: &mut String, depth: usize, content: &str) {
    indent(text, depth);
    text.push_str(content);
    text.push('\n');
}

/// Three numbers with at most so many decimals, without trailing zeros.
fn write_vector(text: &mut String, vector: DVec3, decimals: usize) {
    for (axis, value) in vector.to_array().into_iter().enumerate() {
        if axis > 0 {
            text.push(' ');
        }
        let start = text.len();
        let _ = write!(text, "{value:.decimals$}");
        let kept = text[start..].trim_end_matches('0').trim_end_matches('.').len();
        text.truncate(start + kept);
        if &text[start..] == "-0" {
            text.replace_range(start.., "0");
        }
    }
}

#[cfg(test)]
#[path = "bvh_write_tests.rs"]
mod tests;
