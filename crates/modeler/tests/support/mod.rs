//! Small creatures with clips: a biped, a quadruped and a dinosaur, with and without skin.

use glam::{DQuat, DVec3};
use sinew_motion::{Clip, Joint, Skeleton, SourceFrame, Up};

/// A skeleton under construction, by world positions of the bind pose.
pub struct Creature {
    joints: Vec<(String, Option<usize>, DVec3)>,
    tips: Vec<(usize, DVec3)>,
    skins: Vec<(usize, DVec3, f64)>,
}

impl Creature {
    fn new(root: &str, at: [f64; 3]) -> Creature {
        Creature { joints: vec![(root.into(), None, DVec3::from_array(at))], tips: Vec::new(), skins: Vec::new() }
    }

    fn add(&mut self, name: &str, parent: &str, at: [f64; 3]) {
        let parent = self.index(parent);
        self.joints.push((name.into(), Some(parent), DVec3::from_array(at)));
    }

    /// Both sides; `y` is to the left.
    fn both(&mut self, name: &str, parent: &str, at: [f64; 3]) {
        for (side, sign) in [("l", 1.0), ("r", -1.0)] {
            let full = format!("{parent}_{side}");
            let parent = if self.joints.iter().any(|j| j.0 == full) { full } else { parent.to_owned() };
            self.add(&format!("{name}_{side}"), &parent, [at[0], sign * at[1], at[2]]);
        }
    }

    fn tip(&mut self, name: &str, at: [f64; 3]) {
        let joint = self.index(name);
        self.tips.push((joint, DVec3::from_array(at)));
    }

    fn both_tips(&mut self, name: &str, at: [f64; 3]) {
        self.tip(&format!("{name}_l"), at);
        self.tip(&format!("{name}_r"), [at[0], -at[1], at[2]]);
    }

    /// Skin around the segment from a joint to a point of the world.
    fn skin(&mut self, name: &str, to: [f64; 3], radius: f64) {
        let joint = self.index(name);
        self.skins.push((joint, DVec3::from_array(to), radius));
    }

    fn index(&self, name: &str) -> usize {
        self.joints.iter().position(|j| j.0 == name).expect("a known joint")
    }

    /// Joint frames are turned so that nothing may rely on their axes.
    pub fn skeleton(&self) -> Skeleton {
        let turn = |j: usize| DQuat::from_scaled_axis(DVec3::new(0.4, -0.3, 0.2) * (j % 5) as f64);
        let mut joints = Vec::new();
        for (j, (name, parent, at)) in self.joints.iter().enumerate() {
            let (offset, rotation) = match parent {
                None => (*at, turn(j)),
                Some(p) => (turn(*p).inverse() * (*at - self.joints[*p].2), (turn(*p).inverse() * turn(j)).normalize()),
            };
            let local = |x: DVec3| turn(j).inverse() * (x - *at);
            let tips = self.tips.iter().filter(|t| t.0 == j).map(|t| local(t.1)).collect();
            let mut skin = Vec::new();
            for (_, to, radius) in self.skins.iter().filter(|s| s.0 == j) {
                let along = *to - *at;
                let (u, v) = along.normalize_or(DVec3::Z).any_orthonormal_pair();
                for ring in 0..6 {
                    for spoke in 0..8 {
                        let angle = spoke as f64 * std::f64::consts::FRAC_PI_4;
                        let around = libm::cos(angle) * u + libm::sin(angle) * v;
                        skin.push(local(*at + along * (ring as f64 / 5.0) + *radius * around));
                    }
                }
            }
            joints.push(Joint { name: name.clone(), parent: *parent, offset, rotation, tips, skin, source_node: j });
        }
        Skeleton { joints, source: SourceFrame { up: Up::Z, metres_per_unit: 1.0 }, mesh: None }
    }
}

/// A clip in which named joints turn by rotation vectors in the bind pose's world axes.
pub fn clip(skeleton: &Skeleton, name: &str, frames: usize, turn: impl Fn(&str, f64) -> DVec3) -> Clip {
    let bind = skeleton.bind_pose();
    let mut clip = Clip { name: name.into(), rate_hz: 30.0, root_positions: Vec::new(), rotations: Vec::new() };
    for frame in 0..frames {
        let time = frame as f64 / frames as f64;
        clip.root_positions.push(bind[0].position + DVec3::X * 0.5 * time);
        for (j, joint) in skeleton.joints.iter().enumerate() {
            // R = R_parent⁻¹ · turn · R_own, all in the bind pose.
            let parent = joint.parent.map_or(DQuat::IDENTITY, |p| bind[p].orientation);
            let q = DQuat::from_scaled_axis(turn(&joint.name, time));
            clip.rotations.push((parent.inverse() * q * bind[j].orientation).normalize());
        }
    }
    clip
}

fn wave(time: f64, phase: f64) -> f64 {
    libm::sin(std::f64::consts::TAU * (time + phase))
}

/// Knees, elbows and toes bend about `y`; hips, shoulders and spine turn every way.
pub fn walk(skeleton: &Skeleton, name: &str, frames: usize) -> Clip {
    clip(skeleton, name, frames, |joint, t| {
        let phase = if joint.ends_with("_l") { 0.0 } else { 0.5 };
        let w = wave(t, phase);
        let part = joint.trim_end_matches("_l").trim_end_matches("_r");
        match part {
            "thigh" | "upper_leg" => DVec3::new(0.2 * wave(t, phase + 0.2), 0.5 * w, 0.2 * wave(t, phase + 0.4)),
            "shin" | "lower_leg" => DVec3::new(0.0, 0.5 - 0.45 * w, 0.0),
            "foot" => DVec3::new(0.02 * w, -0.3 * w, 0.01 * w),
            "toe" => DVec3::new(0.0, 0.2 * w, 0.0),
            "upper_arm" => DVec3::new(if phase == 0.0 { -1.2 } else { 1.2 }, -0.6 * w, 0.3 * w),
            "forearm" => DVec3::new(0.0, -0.6 + 0.4 * w, 0.0),
            "spine" | "chest" => DVec3::new(0.1 * wave(t, 0.0), 0.1 * wave(t, 0.3), 0.15 * wave(t, 0.6)),
            "neck" | "head" => DVec3::new(0.1 * wave(t, 0.1), 0.2 * wave(t, 0.4), 0.15 * wave(t, 0.7)),
            _ if part.starts_with("tail") => DVec3::new(0.0, 0.1 * wave(t, 0.2), 0.2 * wave(t, 0.5)),
            _ => DVec3::ZERO,
        }
    })
}

/// A person of 1.75 m in a T-pose, with fingers; with tips, or with skin.
pub fn biped(with_skin: bool) -> Skeleton {
    let mut c = Creature::new("hips", [0.0, 0.0, 0.95]);
    c.add("spine", "hips", [0.0, 0.0, 1.1]);
    c.add("chest", "spine", [0.0, 0.0, 1.3]);
    c.add("neck", "chest", [0.0, 0.0, 1.5]);
    c.add("head", "neck", [0.02, 0.0, 1.58]);
    c.tip("head", [0.02, 0.0, 1.75]);
    c.both("clavicle", "chest", [0.0, 0.03, 1.45]);
    c.both("upper_arm", "clavicle", [0.0, 0.18, 1.45]);
    c.both("forearm", "upper_arm", [0.0, 0.46, 1.45]);
    c.both("hand", "forearm", [0.0, 0.71, 1.45]);
    c.both("index1", "hand", [0.02, 0.80, 1.45]);
    c.both("index2", "index1", [0.02, 0.84, 1.45]);
    c.both("thumb1", "hand", [0.05, 0.75, 1.45]);
    c.both_tips("index2", [0.02, 0.88, 1.45]);
    c.both_tips("thumb1", [0.08, 0.78, 1.45]);
    c.both("thigh", "hips", [0.0, 0.1, 0.9]);
    c.both("shin", "thigh", [0.0, 0.1, 0.48]);
    c.both("foot", "shin", [-0.02, 0.1, 0.08]);
    c.both("toe", "foot", [0.11, 0.1, 0.02]);
    c.both_tips("toe", [0.18, 0.1, 0.0]);
    if with_skin {
        c.skin("hips", [0.0, 0.0, 1.1], 0.14);
        c.skin("spine", [0.0, 0.0, 1.3], 0.13);
        c.skin("chest", [0.0, 0.0, 1.5], 0.15);
        c.skin("neck", [0.02, 0.0, 1.58], 0.05);
        c.skin("head", [0.02, 0.0, 1.75], 0.09);
        for (side, s) in [("l", 1.0), ("r", -1.0)] {
            c.skin(&format!("thigh_{side}"), [0.0, s * 0.1, 0.48], 0.075);
            c.skin(&format!("shin_{side}"), [-0.02, s * 0.1, 0.08], 0.05);
            c.skin(&format!("foot_{side}"), [0.11, s * 0.1, 0.04], 0.04);
            c.skin(&format!("upper_arm_{side}"), [0.0, s * 0.46, 1.45], 0.045);
            c.skin(&format!("forearm_{side}"), [0.0, s * 0.71, 1.45], 0.035);
            c.skin(&format!("hand_{side}"), [0.02, s * 0.8, 1.45], 0.03);
        }
    }
    c.skeleton()
}

/// A dog of 0.6 m at the shoulder.
pub fn quadruped() -> Skeleton {
    let mut c = Creature::new("pelvis", [-0.35, 0.0, 0.55]);
    c.add("spine", "pelvis", [-0.15, 0.0, 0.57]);
    c.add("chest", "spine", [0.1, 0.0, 0.58]);
    c.add("neck", "chest", [0.3, 0.0, 0.62]);
    c.add("head", "neck", [0.45, 0.0, 0.75]);
    c.tip("head", [0.65, 0.0, 0.72]);
    c.add("tail1", "pelvis", [-0.45, 0.0, 0.55]);
    c.add("tail2", "tail1", [-0.6, 0.0, 0.5]);
    c.tip("tail2", [-0.75, 0.0, 0.45]);
    c.both("thigh", "pelvis", [-0.35, 0.09, 0.5]);
    c.both("shin", "thigh", [-0.28, 0.09, 0.28]);
    c.both("foot", "shin", [-0.38, 0.09, 0.12]);
    c.both("toe", "foot", [-0.35, 0.09, 0.02]);
    c.both_tips("toe", [-0.27, 0.09, 0.0]);
    c.both("upper_arm", "chest", [0.2, 0.09, 0.45]);
    c.both("forearm", "upper_arm", [0.14, 0.09, 0.28]);
    c.both("paw", "forearm", [0.16, 0.09, 0.05]);
    c.both_tips("paw", [0.24, 0.09, 0.0]);
    c.skeleton()
}

/// The two-legged dinosaur of the simulator's assets, three toes on each foot.
pub fn dinosaur() -> Skeleton {
    let mut c = Creature::new("pelvis", [-0.12, 0.0, 0.8]);
    c.add("spine1", "pelvis", [0.15, 0.0, 0.8]);
    c.add("spine2", "spine1", [0.33, 0.0, 0.86]);
    c.add("neck", "spine2", [0.52, 0.0, 0.93]);
    c.add("head", "neck", [0.68, 0.0, 1.1]);
    c.tip("head", [0.92, 0.0, 1.1]);
    c.add("jaw", "head", [0.7, 0.0, 1.03]);
    c.tip("jaw", [0.88, 0.0, 1.0]);
    c.both("upper_arm", "spine2", [0.47, 0.1, 0.86]);
    c.both("forearm", "upper_arm", [0.45, 0.1, 0.7]);
    c.both_tips("forearm", [0.58, 0.1, 0.62]);
    c.add("tail1", "pelvis", [-0.2, 0.0, 0.8]);
    c.add("tail2", "tail1", [-0.42, 0.0, 0.8]);
    c.add("tail3", "tail2", [-0.63, 0.0, 0.79]);
    c.add("tail4", "tail3", [-0.82, 0.0, 0.78]);
    c.tip("tail4", [-1.0, 0.0, 0.78]);
    c.both("thigh", "pelvis", [-0.08, 0.11, 0.74]);
    c.both("shin", "thigh", [0.04, 0.11, 0.45]);
    c.both("foot", "shin", [-0.1, 0.11, 0.21]);
    c.both("toe", "foot", [-0.01, 0.11, 0.025]);
    c.both_tips("toe", [0.19, 0.11, 0.0]);
    c.both_tips("toe", [0.14, 0.18, 0.0]);
    c.both_tips("toe", [0.14, 0.04, 0.0]);
    c.skeleton()
}

/// A cartoon of 1.7 m: a head like a pumpkin on a neck like a straw, hands like loaves on arms like sticks, and a trunk like a barrel.
pub fn cartoon() -> Skeleton {
    let mut c = Creature::new("hips", [0.0, 0.0, 0.55]);
    c.add("chest", "hips", [0.0, 0.0, 0.8]);
    c.add("neck", "chest", [0.0, 0.0, 1.1]);
    c.add("head", "neck", [0.0, 0.0, 1.2]);
    c.tip("head", [0.0, 0.0, 1.7]);
    c.both("upper_arm", "chest", [0.0, 0.3, 1.0]);
    c.both("forearm", "upper_arm", [0.0, 0.5, 1.0]);
    c.both("hand", "forearm", [0.0, 0.7, 1.0]);
    c.both_tips("hand", [0.0, 0.9, 1.0]);
    c.both("thigh", "hips", [0.0, 0.15, 0.5]);
    c.both("shin", "thigh", [0.0, 0.15, 0.3]);
    c.both("foot", "shin", [-0.02, 0.15, 0.08]);
    c.both_tips("foot", [0.2, 0.15, 0.0]);
    c.skin("hips", [0.0, 0.0, 0.8], 0.3);
    c.skin("chest", [0.0, 0.0, 1.1], 0.35);
    c.skin("neck", [0.0, 0.0, 1.2], 0.02);
    c.skin("head", [0.0, 0.0, 1.7], 0.35);
    for (side, s) in [("l", 1.0), ("r", -1.0)] {
        c.skin(&format!("upper_arm_{side}"), [0.0, s * 0.5, 1.0], 0.03);
        c.skin(&format!("forearm_{side}"), [0.0, s * 0.7, 1.0], 0.03);
        c.skin(&format!("hand_{side}"), [0.0, s * 0.9, 1.0], 0.12);
        c.skin(&format!("thigh_{side}"), [0.0, s * 0.15, 0.3], 0.1);
        c.skin(&format!("shin_{side}"), [-0.02, s * 0.15, 0.08], 0.08);
        c.skin(&format!("foot_{side}"), [0.2, s * 0.15, 0.05], 0.07);
    }
    c.skeleton()
}
