//! What the network sees and predicts of a frame: the state s of Park et al. 2019, §4, as a row of numbers.
//!
//! The root's way and turn since the frame before, its height and tilt, the joints in a continuous encoding (two columns of the rotation matrix of a ball,
//! Zhou et al. 2019; the angle of a hinge), the places of all joints, ends and soles in the heading frame, and contacts.

use crate::figure::Figure;
use crate::ground_transform::GroundTransform;
use glam::{DMat3, DQuat, DVec3};
use sinew_sim::JointKind;
use std::ops::Range;

/// Numbers of the root's way: forward, left, m; turn, rad; in the heading frame of the frame before.
pub(crate) const STEP: Range<usize> = 0..3;
/// Column of the root's height, m.
pub(crate) const HEIGHT: usize = 3;
/// Columns of the root's orientation without its turn about the vertical.
const TILT: Range<usize> = 4..10;

/// Where each number stands in a row.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    joints: Vec<JointColumns>,
    /// Places of all bodies but the root, of end effectors and of the sites of feet; three numbers each.
    places: Range<usize>,
    /// A number for each contact site: 1 where it touches.
    pub contacts: Range<usize>,
    /// Of each site of a foot: its place (see [`Layout::place`]) and its number among the sites.
    pub feet: Vec<(usize, usize)>,
    /// Places that keep their distance, m.
    pub links: Vec<(usize, usize, f64)>,
    /// A hundredth of the character's height, the unit of lengths in losses, m.
    pub unit_m: f64,
    body_and_end_count: usize,
}

#[derive(Clone, Debug)]
struct JointColumns {
    kind: JointKind,
    /// In `qpos`.
    position: usize,
    column: usize,
    limits: Option<[f64; 2]>,
}

impl Layout {
    pub fn new(figure: &Figure) -> Layout {
        let model = figure.model();
        let mut end = TILT.end;
        let mut joints = Vec::new();
        for joint in model.joints().iter().filter(|joint| !joint.kind.is_root()) {
            let count = if joint.kind == JointKind::Ball { 6 } else { joint.kind.position_count() };
            let (kind, position, limits) = (joint.kind, joint.position_index, joint.limits);
            joints.push(JointColumns { kind, position, column: end, limits });
            end += count;
        }
        let rest = figure.joint_places(model.rest_position());
        let soles: Vec<usize> = (0..figure.sites().len()).filter(|&s| figure.sites()[s].is_foot).collect();
        let place_count = rest.len() + soles.len();
        let places = end..end + 3 * (place_count - 1);
        let contacts = places.end..places.end + figure.sites().len();
        let feet: Vec<(usize, usize)> = soles.iter().enumerate().map(|(k, &site)| (rest.len() + k, site)).collect();
        let mut all = rest.clone();
        let site_places = figure.site_places(model.rest_position());
        all.extend(soles.iter().map(|&site| site_places[site]));
        let mut links = figure.links();
        let mut link = |body: &str, place: usize| {
            let body = model.body(body).unwrap_or(0);
            links.push((body, place, (DVec3::from(all[body]) - DVec3::from(all[place])).length()));
        };
        let first_end = model.bodies().len();
        for (k, effector) in figure.character().end_effectors.iter().enumerate() {
            link(&effector.body, first_end + k);
        }
        feet.iter().for_each(|&(place, site)| link(&figure.sites()[site].body, place));
        let unit_m = 0.01 * figure.height_m();
        Layout { joints, places, contacts, feet, links, unit_m, body_and_end_count: rest.len() }
    }

    /// Numbers in a row.
    pub fn dims(&self) -> usize {
        self.contacts.end
    }

    /// Least deviation by which a column is divided: columns that hardly change must not count.
    pub fn least_deviation(&self, column: usize) -> f64 {
        match column {
            0..2 => 0.01 * self.unit_m,
            2 => 1e-3,
            HEIGHT => 0.1 * self.unit_m,
            _ if self.places.contains(&column) => 0.3 * self.unit_m,
            _ if self.contacts.contains(&column) => 0.1,
            _ => 0.01,
        }
    }

    /// Column of the first place that is not the root's.
    pub fn first_place(&self) -> usize {
        self.places.start
    }

    /// Places, the root's included.
    pub fn place_count(&self) -> usize {
        1 + self.places.len() / 3
    }

    /// Column of a place's forward part; none for the root, whose place is its height.
    fn place_column(&self, place: usize) -> Option<usize> {
        place.checked_sub(1).map(|k| self.places.start + 3 * k)
    }

    /// A place in the heading frame, m: bodies (the root first), end effectors, sites of feet.
    pub fn place(&self, row: &[f64], place: usize) -> [f64; 3] {
        match self.place_column(place) {
            Some(at) => [row[at], row[at + 1], row[at + 2]],
            None => [0.0, 0.0, row[HEIGHT]],
        }
    }

    /// Adds to the gradient by a place.
    pub fn add_to_place(&self, gradient: &mut [f64], place: usize, by: [f64; 3]) {
        match self.place_column(place) {
            Some(at) => gradient[at..at + 3].iter_mut().zip(by).for_each(|(g, by)| *g += by),
            None => gradient[HEIGHT] += by[2],
        }
    }

    /// Joints and end effectors that a row has, in the world.
    pub fn joint_places(&self, row: &[f64], frame: &GroundTransform) -> Vec<[f64; 3]> {
        (0..self.body_and_end_count).map(|place| frame.place(self.place(row, place))).collect()
    }

    /// The row of a pose; `step` is the way of the heading frame since the frame before.
    pub fn encode(&self, figure: &Figure, qpos: &[f64], step: &GroundTransform, contacts: u32) -> Vec<f64> {
        let mut row = vec![0.0; self.dims()];
        let frame = figure.heading_frame(qpos);
        row[STEP].copy_from_slice(&[step.x, step.y, step.yaw]);
        row[HEIGHT] = qpos[2];
        let yaw = GroundTransform { x: 0.0, y: 0.0, yaw: figure.forward_rad() - frame.yaw };
        let mut upright = qpos[..7].to_vec();
        yaw.move_root(&mut upright);
        row[TILT].copy_from_slice(&two_columns(&upright[3..7]));
        for joint in &self.joints {
            let q = &qpos[joint.position..];
            match joint.kind {
                JointKind::Ball => row[joint.column..joint.column + 6].copy_from_slice(&two_columns(&q[..4])),
                kind => {
                    row[joint.column..joint.column + kind.position_count()].copy_from_slice(&q[..kind.position_count()])
                }
            }
        }
        let back = frame.inverse();
        let sites = figure.site_places(qpos);
        let soles = self.feet.iter().map(|&(_, site)| sites[site]);
        let places = figure.joint_places(qpos).into_iter().skip(1).chain(soles);
        for (place, at) in places.zip(self.places.clone().step_by(3)) {
            row[at..at + 3].copy_from_slice(&back.place(place));
        }
        for (site, at) in self.contacts.clone().enumerate() {
            row[at] = f64::from(contacts >> site & 1);
        }
        row
    }

    /// The way of the heading frame that a row has.
    pub fn step(row: &[f64]) -> GroundTransform {
        GroundTransform { x: row[0], y: row[1], yaw: row[2] }
    }

    /// Contacts of a row, a bit for each site.
    pub fn contact_bits(&self, row: &[f64]) -> u32 {
        self.contacts.clone().enumerate().filter(|&(_, at)| row[at] > 0.5).fold(0, |bits, (site, _)| bits | 1 << site)
    }

    /// Writes the pose of a row with its heading frame at `frame`: rotations are orthonormal, and angles within the joints' limits.
    pub fn decode(&self, figure: &Figure, row: &[f64], frame: &GroundTransform, qpos: &mut [f64]) {
        qpos[..3].copy_from_slice(&[0.0, 0.0, row[HEIGHT]]);
        let upright = quaternion(&row[TILT]);
        qpos[3..7].copy_from_slice(&upright);
        let twist = 2.0 * libm::atan2(upright[3], upright[0]);
        GroundTransform { yaw: frame.yaw - figure.forward_rad() - twist, ..*frame }.move_root(qpos);
        for joint in &self.joints {
            let at = joint.column;
            match joint.kind {
                JointKind::Ball => {
                    let turned = quaternion(&row[at..at + 6]);
                    qpos[joint.position..joint.position + 4].copy_from_slice(&within(turned, joint.limits));
                }
                kind => {
                    for k in 0..kind.position_count() {
                        let [low, high] = joint.limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
                        qpos[joint.position + k] = row[at + k].clamp(low, high);
                    }
                }
            }
        }
    }
}

/// First two columns of the matrix of a quaternion `[w, x, y, z]`.
fn two_columns(q: &[f64]) -> [f64; 6] {
    let m = DMat3::from_quat(DQuat::from_xyzw(q[1], q[2], q[3], q[0]).normalize());
    [m.x_axis.x, m.x_axis.y, m.x_axis.z, m.y_axis.x, m.y_axis.y, m.y_axis.z]
}

/// The rotation whose first two columns are nearest in the sense of Gram and Schmidt, `[w, x, y, z]` with w ≥ 0; none where they say nothing.
fn quaternion(columns: &[f64]) -> [f64; 4] {
    let x = DVec3::from_slice(columns).try_normalize().unwrap_or(DVec3::X);
    let y = DVec3::from_slice(&columns[3..]);
    let fallback = x.any_orthonormal_vector();
    let y = (y - x * x.dot(y)).try_normalize().unwrap_or(fallback);
    let q = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize();
    let q = if q.w < 0.0 { -q } else { q };
    [q.w, q.x, q.y, q.z]
}

/// The rotation, shortened to the largest angle of a ball's limits.
fn within([w, x, y, z]: [f64; 4], limits: Option<[f64; 2]>) -> [f64; 4] {
    let Some([_, largest]) = limits else { return [w, x, y, z] };
    let s = (x * x + y * y + z * z).sqrt();
    if s < 1e-9 || 2.0 * libm::atan2(s, w) <= largest {
        return [w, x, y, z];
    }
    let (sin, cos) = libm::sincos(0.5 * largest);
    [cos, x * sin / s, y * sin / s, z * sin / s]
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::{Character, embedded};

    /// A character of balls and one with hinges, each in a pose.
    fn all_posed() -> [(Figure, Layout, Vec<f64>); 2] {
        [embedded::humanoid(), embedded::dinosaur()].map(|character| posed(&character))
    }

    fn posed(character: &Character) -> (Figure, Layout, Vec<f64>) {
        let figure = Figure::new(character, 0.4).unwrap();
        let mut way = vec![0.0; figure.model().velocity_count()];
        way.iter_mut().enumerate().for_each(|(k, x)| *x = 0.2 * libm::sin(3.0 * k as f64));
        let mut qpos = vec![0.0; figure.model().position_count()];
        figure.model().displace(figure.model().rest_position(), &way, 1.0, &mut qpos);
        for joint in figure.model().joints() {
            if let (JointKind::Hinge, Some([low, high])) = (joint.kind, joint.limits) {
                qpos[joint.position_index] = qpos[joint.position_index].clamp(low, high);
            }
        }
        let layout = Layout::new(&figure);
        (figure, layout, qpos)
    }

    #[test]
    fn a_pose_comes_back_from_its_row() {
        for (figure, layout, qpos) in all_posed() {
            let frame = figure.heading_frame(&qpos);
            let row = layout.encode(&figure, &qpos, &GroundTransform { x: 0.1, y: -0.02, yaw: 0.03 }, 0b101);
            let mut back = vec![0.0; qpos.len()];
            layout.decode(&figure, &row, &frame, &mut back);
            let mut off = vec![0.0; figure.model().velocity_count()];
            figure.model().difference(&qpos, &back, &mut off);
            assert!(off.iter().all(|x| x.abs() < 1e-9), "{off:?}");
            assert_eq!(layout.contact_bits(&row), 0b101);
            assert_eq!(Layout::step(&row), GroundTransform { x: 0.1, y: -0.02, yaw: 0.03 });
            let (own, shown) = (figure.joint_places(&qpos), layout.joint_places(&row, &frame));
            assert!(own.iter().zip(&shown).all(|(a, b)| (DVec3::from(*a) - DVec3::from(*b)).length() < 1e-9));
        }
    }

    #[test]
    fn a_row_does_not_know_where_the_character_is_and_looks() {
        for (figure, layout, mut qpos) in all_posed() {
            let row = layout.encode(&figure, &qpos, &GroundTransform::default(), 0);
            GroundTransform { x: 3.0, y: -7.0, yaw: 2.0 }.move_root(&mut qpos);
            let moved = layout.encode(&figure, &qpos, &GroundTransform::default(), 0);
            assert!(row.iter().zip(&moved).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }

    #[test]
    fn links_keep_their_lengths_in_every_pose() {
        for (figure, layout, qpos) in all_posed() {
            let row = layout.encode(&figure, &qpos, &GroundTransform::default(), 0);
            assert!(layout.links.len() >= figure.model().bodies().len() - 1 + layout.feet.len());
            for &(a, b, length) in &layout.links {
                let found = (DVec3::from(layout.place(&row, a)) - DVec3::from(layout.place(&row, b))).length();
                assert!((found - length).abs() < 1e-9, "{a} {b}: {found}, not {length}");
            }
        }
    }

    #[test]
    fn any_row_gives_a_valid_pose() {
        for (figure, layout, qpos) in all_posed() {
            let rows = [vec![0.0; layout.dims()], (0..layout.dims()).map(|k| 9.0 * libm::sin(k as f64)).collect()];
            for row in rows {
                let mut pose = vec![0.0; qpos.len()];
                layout.decode(&figure, &row, &GroundTransform::default(), &mut pose);
                for joint in figure.model().joints() {
                    let at = joint.position_index;
                    match (joint.kind, joint.limits) {
                        (JointKind::Ball, limits) => {
                            let length = pose[at..at + 4].iter().map(|x| x * x).sum::<f64>();
                            assert!((length - 1.0).abs() < 1e-9, "{}", joint.name);
                            let angle = 2.0 * libm::acos(pose[at].clamp(-1.0, 1.0));
                            assert!(limits.is_none_or(|[_, most]| angle <= most + 1e-6), "{}", joint.name);
                        }
                        (JointKind::Hinge, Some([low, high])) => assert!((low..=high).contains(&pose[at])),
                        _ => {}
                    }
                }
            }
        }
    }
}
