//! The jumper as its controller sees it: planar poses, velocities and the centre of mass, in f64.
//!
//! Left and right limbs do the same, so that one of each pair is looked at and counts twice. A link turned by θ about `y` carries a
//! point `(x, z)` of its frame to `(x cos θ + z sin θ, z cos θ − x sin θ)`.

use sinew_sim::mass_properties::of_body;
use sinew_sim::{Character, Model, Shape};

/// Links that are looked at, the left one of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Link {
    Pelvis,
    Abdomen,
    Chest,
    Neck,
    Head,
    UpperArm,
    Forearm,
    Hand,
    Thigh,
    Shin,
    Foot,
}

/// How many links are looked at.
pub const LINKS: usize = 11;

/// Each link's left or only body, its right body, and its parent's index.
#[rustfmt::skip]
const TABLE: [(&str, Option<&str>, usize); LINKS] = [
    ("pelvis", None, 0), ("abdomen", None, 0), ("chest", None, 1), ("neck", None, 2), ("head", None, 3),
    ("uarm_l", Some("uarm_r"), 2), ("farm_l", Some("farm_r"), 5), ("hand_l", Some("hand_r"), 6),
    ("thigh_l", Some("thigh_r"), 0), ("shin_l", Some("shin_r"), 8), ("foot_l", Some("foot_r"), 9),
];

/// What the jumper is made of, in the plane.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Joint in the parent's frame, m.
    offsets: [[f64; 2]; LINKS],
    /// Centre of mass in the link's frame, m.
    centers: [[f64; 2]; LINKS],
    /// Mass, both sides together, kg.
    masses: [f64; LINKS],
    /// Index in `qpos` and `qvel` of the link's joint: left (or only), right. Not used for the pelvis.
    joints: [[usize; 2]; LINKS],
    /// Proportional gain of one side, N·m/rad.
    gains: [f64; LINKS],
    /// Mass of all, kg.
    pub mass: f64,
    /// Highest point of the head in its frame, m.
    head_top: f64,
    /// Corners of the sole in the foot's frame: heel, toe, m.
    pub sole: [[f64; 2]; 2],
    /// Lengths of thigh and shin, m.
    pub leg: [f64; 2],
    /// Mass above ankles, knees and hips, kg.
    pub mass_above: [f64; 3],
}

/// Where the jumper is and how it moves.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Pitch of each link in the world, rad.
    pub pitch: [f64; LINKS],
    /// Speed of each link's pitch, rad/s.
    pub pitch_rate: [f64; LINKS],
    /// Joint of each link, `[x, z]`, m.
    pub origin: [[f64; 2]; LINKS],
    /// Speed of each link's joint, m/s.
    pub origin_velocity: [[f64; 2]; LINKS],
    /// Angle of each link's joint, rad.
    pub angle: [f64; LINKS],
    /// Centre of mass, m.
    pub center: [f64; 2],
    /// Centres of mass of what is above ankles, knees and hips, m.
    pub center_above: [[f64; 2]; 3],
    /// Its velocity, m/s.
    pub velocity: [f64; 2],
    /// Heel and toe, m.
    pub sole: [[f64; 2]; 2],
    /// Height of the top of the head, m.
    pub head_height: f64,
}

impl Figure {
    /// Reads it off the compiled jumper.
    pub fn new(model: &Model) -> Figure {
        let character: &Character = &model.scene().characters[0].character;
        let index_of = |name: &str| {
            let full = format!("{}/{name}", character.name);
            model.joints().iter().find(|joint| joint.name == full).map_or(0, |joint| joint.position_index)
        };
        let mut figure = Figure {
            offsets: [[0.0; 2]; LINKS],
            centers: [[0.0; 2]; LINKS],
            masses: [0.0; LINKS],
            joints: [[0; 2]; LINKS],
            gains: [0.0; LINKS],
            mass: 0.0,
            head_top: character.end_effectors.first().map_or(0.0, |top| top.position[2]),
            sole: [[0.0; 2]; 2],
            leg: [0.0; 2],
            mass_above: [0.0; 3],
        };
        for (link, (name, right, _)) in TABLE.iter().enumerate() {
            let body = character.bodies.iter().find(|body| body.name == *name).expect("the jumper has all links");
            let joint = character.joints.iter().find(|joint| joint.child == *name).expect("each on a joint");
            let mass = of_body(body);
            figure.offsets[link] = [joint.position[0], joint.position[2]];
            figure.centers[link] = [mass.center_of_mass[0], mass.center_of_mass[2]];
            figure.masses[link] = mass.mass * if right.is_some() { 2.0 } else { 1.0 };
            figure.joints[link] = [index_of(name), index_of(right.unwrap_or(name))];
            figure.gains[link] = joint.kp;
            figure.mass += figure.masses[link];
            if let (Link::Foot, Some(Shape::Box { center, half_extents, .. })) = (LINK[link], body.shapes.first()) {
                let bottom = center[2] - half_extents[2];
                figure.sole = [[center[0] - half_extents[0], bottom], [center[0] + half_extents[0], bottom]];
            }
        }
        let mut above = figure.mass;
        figure.mass_above = [Link::Foot, Link::Shin, Link::Thigh].map(|link| {
            above -= figure.masses[link as usize];
            above
        });
        figure.leg = [Link::Shin, Link::Foot].map(|link| -figure.offsets[link as usize][1]);
        figure
    }

    /// Looks at a state in `qpos` and `qvel`.
    pub fn look(&self, position: &[f64], velocity: &[f64], state: &mut State) {
        let turned = |[x, z]: [f64; 2], [sin, cos]: [f64; 2]| [x * cos + z * sin, z * cos - x * sin];
        // d/dt of a turned arm (x, z) is ω·(z, −x).
        let carried = |[vx, vz]: [f64; 2], [x, z]: [f64; 2], rate: f64| [vx + rate * z, vz - rate * x];
        let mut turns = [[0.0; 2]; LINKS];
        let (mut moment, mut momentum) = ([0.0; 2], [0.0; 2]);
        for link in 0..LINKS {
            if link == 0 {
                state.pitch[0] = position[2];
                state.pitch_rate[0] = velocity[2];
                state.origin[0] = [position[0], position[1]];
                state.origin_velocity[0] = [velocity[0], velocity[1]];
            } else {
                let (parent, joint) = (TABLE[link].2, self.joints[link][0]);
                state.angle[link] = position[joint];
                state.pitch[link] = state.pitch[parent] + position[joint];
                state.pitch_rate[link] = state.pitch_rate[parent] + velocity[joint];
                let arm = turned(self.offsets[link], turns[parent]);
                state.origin[link] = [state.origin[parent][0] + arm[0], state.origin[parent][1] + arm[1]];
                state.origin_velocity[link] = carried(state.origin_velocity[parent], arm, state.pitch_rate[parent]);
            }
            let (sin, cos) = libm::sincos(state.pitch[link]);
            turns[link] = [sin, cos];
            let arm = turned(self.centers[link], turns[link]);
            let speed = carried(state.origin_velocity[link], arm, state.pitch_rate[link]);
            for axis in 0..2 {
                moment[axis] += self.masses[link] * (state.origin[link][axis] + arm[axis]);
                momentum[axis] += self.masses[link] * speed[axis];
            }
        }
        state.center = moment.map(|m| m / self.mass);
        // What the leg carries: all but the feet, less the shins, less the thighs.
        let mut mass = self.mass;
        for (above, link) in state.center_above.iter_mut().zip([Link::Foot, Link::Shin, Link::Thigh]) {
            let link = link as usize;
            let arm = turned(self.centers[link], turns[link]);
            mass -= self.masses[link];
            for axis in 0..2 {
                moment[axis] -= self.masses[link] * (state.origin[link][axis] + arm[axis]);
                above[axis] = moment[axis] / mass;
            }
        }
        state.velocity = momentum.map(|p| p / self.mass);
        let (foot, head) = (Link::Foot as usize, Link::Head as usize);
        state.sole = self.sole.map(|corner| {
            let arm = turned(corner, turns[foot]);
            [state.origin[foot][0] + arm[0], state.origin[foot][1] + arm[1]]
        });
        state.head_height = state.origin[head][1] + self.head_top * turns[head][1];
    }

    /// Writes an angle for a link's joints, left and right, into a target in `qpos` order.
    pub fn aim(&self, link: Link, angle: f64, target: &mut [f64]) {
        self.joints[link as usize].iter().for_each(|&joint| target[joint] = angle);
    }

    /// The shift of a PD target that adds a torque at each side's joint of a link: `τ / kp`.
    pub fn shift_for(&self, link: Link, torque: f64) -> f64 {
        torque / self.gains[link as usize]
    }

    /// Indices in `qvel` of a link's joints: left, right; the same twice where there is one.
    pub fn velocity_indices(&self, link: Link) -> [usize; 2] {
        self.joints[link as usize]
    }
}

/// All links in order.
pub const LINK: [Link; LINKS] = [
    Link::Pelvis,
    Link::Abdomen,
    Link::Chest,
    Link::Neck,
    Link::Head,
    Link::UpperArm,
    Link::Forearm,
    Link::Hand,
    Link::Thigh,
    Link::Shin,
    Link::Foot,
];

impl State {
    /// Pitch of a link in the world, rad.
    pub fn pitch_of(&self, link: Link) -> f64 {
        self.pitch[link as usize]
    }
    /// Place of a link's joint, m.
    pub fn place_of(&self, link: Link) -> [f64; 2] {
        self.origin[link as usize]
    }
    /// Angle of a link's joint, rad.
    pub fn angle_of(&self, link: Link) -> f64 {
        self.angle[link as usize]
    }
    /// Height of the lower one of heel and toe, m.
    pub fn sole_height(&self) -> f64 {
        self.sole[0][1].min(self.sole[1][1])
    }
    /// Middle between heel and toe, m along `x`.
    pub fn foot_middle(&self) -> f64 {
        0.5 * (self.sole[0][0] + self.sole[1][0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jumper::jumper_model;
    use sinew_sim::Measured;

    #[test]
    fn the_figure_is_what_the_simulator_measures() {
        let model = jumper_model();
        let figure = Figure::new(&model);
        let mut position = model.rest_position().to_vec();
        let mut velocity = vec![0.0; model.velocity_count()];
        (position[0], position[1], position[2]) = (0.3, 1.2, 0.4);
        (velocity[0], velocity[1], velocity[2]) = (0.5, -0.7, 0.9);
        for (link, kind) in LINK.iter().enumerate().skip(1) {
            figure.aim(*kind, 0.1 * link as f64 - 0.4, &mut position);
            figure.aim(*kind, 0.6 - 0.2 * link as f64, &mut velocity);
        }
        let mut state = State::default();
        figure.look(&position, &velocity, &mut state);
        let measured = Measured::new(&model, &position, &velocity, [0.0; 3]);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} instead of {b}");
        near(state.center[0], measured.center_of_mass[0]);
        near(state.center[1], measured.center_of_mass[2]);
        near(80.0 * state.velocity[0], measured.linear_momentum[0]);
        near(80.0 * state.velocity[1], measured.linear_momentum[2]);
        near(state.head_height, measured.end_effectors[0][2]);
        let foot = model.body("foot_l").expect("a foot");
        near(state.place_of(Link::Foot)[0], measured.bodies[foot].position[0]);
        near(state.sole[1][1], measured.bodies[foot].place([0.18, 0.0, -0.07])[2]);
    }
}
