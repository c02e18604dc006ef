//! A character as learning sees it: where it is and looks, where its bodies and contact sites are, how fast it moves.

use crate::contact_sites::{ContactSite, contact_sites, has_free_root};
use crate::error::LearnError;
use crate::ground_transform::{GroundTransform, wrap_angle};
use crate::motion_set::SetHeader;
use sinew_sim::{Character, Measured, Model, Scene};
use std::sync::Arc;

/// Most contact sites: they are bits of a `u32`.
const MOST_SITES: usize = 32;
/// Step of the compiled model, s; nothing here is stepped.
const TIME_STEP: f64 = 1.0 / 600.0;

/// A character with a free root, compiled.
#[derive(Clone, Debug)]
pub struct Figure {
    model: Arc<Model>,
    sites: Vec<ContactSite>,
    /// Body of each site.
    site_bodies: Vec<usize>,
    forward_rad: f64,
    height_m: f64,
    /// Height of the root at rest, m.
    root_height_m: f64,
}

impl Figure {
    /// Compiles a character; `forward_rad` is the angle that it looks along when its root is not turned.
    ///
    /// # Errors
    /// Where the character cannot be simulated, is held by the world, or has too many contact sites.
    pub fn new(character: &Character, forward_rad: f64) -> Result<Figure, LearnError> {
        let model = Arc::new(Model::new(&Scene::on_ground(character.clone()), TIME_STEP)?);
        let sites = contact_sites(character, &model, forward_rad);
        Figure::with_sites(model, sites, forward_rad)
    }

    /// The figure of a set that was read.
    ///
    /// # Errors
    /// As [`Figure::new`].
    pub fn of_set(header: &SetHeader) -> Result<Figure, LearnError> {
        let model = Arc::new(Model::new(&Scene::on_ground(header.character.clone()), TIME_STEP)?);
        Figure::with_sites(model, header.sites.clone(), header.forward_rad)
    }

    fn with_sites(model: Arc<Model>, sites: Vec<ContactSite>, forward_rad: f64) -> Result<Figure, LearnError> {
        let character = model.scene().characters[0].character.name.clone();
        if !has_free_root(&model) {
            return Err(LearnError::NotFree { character });
        }
        if sites.len() > MOST_SITES {
            return Err(LearnError::Sites { character, found: sites.len(), most: MOST_SITES });
        }
        let site_bodies = sites.iter().map(|site| model.body(&site.body).unwrap_or(0)).collect();
        let rest = Measured::new(&model, model.rest_position(), &vec![0.0; model.velocity_count()], [0.0; 3]);
        let heights = || rest.bodies.iter().map(|b| b.position[2]).chain(rest.end_effectors.iter().map(|e| e[2]));
        let top = heights().fold(f64::NEG_INFINITY, f64::max);
        let low = heights().fold(f64::INFINITY, f64::min);
        let root_height_m = rest.bodies[0].position[2] - low;
        Ok(Figure { site_bodies, sites, forward_rad, height_m: (top - low).max(1e-3), root_height_m, model })
    }

    /// The compiled character on flat ground.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
    /// The character.
    pub fn character(&self) -> &Character {
        &self.model.scene().characters[0].character
    }
    /// Places that may touch the ground.
    pub fn sites(&self) -> &[ContactSite] {
        &self.sites
    }
    /// Angle that it looks along when its root is not turned, rad.
    pub fn forward_rad(&self) -> f64 {
        self.forward_rad
    }
    /// Height at rest, m.
    pub fn height_m(&self) -> f64 {
        self.height_m
    }
    /// Height of the root at rest, m.
    pub fn root_height_m(&self) -> f64 {
        self.root_height_m
    }

    /// Angle that the character looks along, rad: the turn of its root about the vertical (the twist of the orientation `q`,
    /// `2·atan2(q_z, q_w)`), plus that of its front.
    pub fn heading(&self, qpos: &[f64]) -> f64 {
        wrap_angle(2.0 * libm::atan2(qpos[6], qpos[3]) + self.forward_rad)
    }

    /// The heading frame: its origin is the root's place on the ground, its x axis where the character looks.
    pub fn heading_frame(&self, qpos: &[f64]) -> GroundTransform {
        GroundTransform { x: qpos[0], y: qpos[1], yaw: self.heading(qpos) }
    }

    /// Places, orientations and velocities of all bodies, end effectors and the centre of mass.
    pub fn measure(&self, qpos: &[f64], qvel: &[f64]) -> Measured {
        Measured::new(&self.model, qpos, qvel, [0.0; 3])
    }

    /// Origins of all bodies (the joints that carry them), then end effectors, m.
    pub fn joint_places(&self, qpos: &[f64]) -> Vec<[f64; 3]> {
        let measured = self.measure_pose(qpos);
        measured.bodies.iter().map(|b| b.position).chain(measured.end_effectors.iter().copied()).collect()
    }

    /// Bodies that a joint holds together and the distance of their origins, m.
    pub fn links(&self) -> Vec<(usize, usize, f64)> {
        let rest = self.joint_places(self.model.rest_position());
        let joints = self.character().joints.iter().filter(|joint| !joint.kind.is_root());
        joints
            .filter_map(|joint| {
                let (a, b) = (self.model.body(joint.parent.as_deref()?)?, self.model.body(&joint.child)?);
                let square: f64 = (0..3).map(|k| (rest[a][k] - rest[b][k]) * (rest[a][k] - rest[b][k])).sum();
                Some((a, b, square.sqrt()))
            })
            .collect()
    }

    /// Centres of all contact sites, m.
    pub fn site_places(&self, qpos: &[f64]) -> Vec<[f64; 3]> {
        let measured = self.measure_pose(qpos);
        self.sites.iter().zip(&self.site_bodies).map(|(site, &body)| measured.bodies[body].place(site.center)).collect()
    }

    fn measure_pose(&self, qpos: &[f64]) -> Measured {
        self.measure(qpos, &vec![0.0; self.model.velocity_count()])
    }

    /// `qvel` of all frames of rows of `qpos`: the mean of the differences to both neighbours; one-sided at the ends; zero for a single frame.
    pub fn velocities(&self, positions: &[f64], rate_hz: f64) -> Vec<f64> {
        let (nq, nv) = (self.model.position_count(), self.model.velocity_count());
        let frames = positions.len() / nq;
        let mut velocities = vec![0.0; frames * nv];
        let mut difference = vec![0.0; nv];
        for frame in 1..frames {
            self.model.difference(
                &positions[(frame - 1) * nq..frame * nq],
                &positions[frame * nq..(frame + 1) * nq],
                &mut difference,
            );
            for (side, end) in [(frame - 1, 0), (frame, frames - 1)] {
                let part = if side == end { rate_hz } else { 0.5 * rate_hz };
                velocities[side * nv..(side + 1) * nv].iter_mut().zip(&difference).for_each(|(v, d)| *v += part * d);
            }
        }
        velocities
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::embedded;

    #[test]
    fn the_heading_follows_the_root_and_ignores_its_tilt() {
        let figure = Figure::new(&embedded::humanoid(), 0.5).unwrap();
        let mut qpos = figure.model().rest_position().to_vec();
        assert!((figure.heading(&qpos) - 0.5).abs() < 1e-12);
        // Tilted forwards by 0.6 rad, then turned by 1 rad about the vertical.
        qpos[3..7].copy_from_slice(&[libm::cos(0.3), 0.0, libm::sin(0.3), 0.0]);
        GroundTransform { x: 1.0, y: 2.0, yaw: 1.0 }.move_root(&mut qpos);
        assert!((figure.heading(&qpos) - 1.5).abs() < 1e-12);
        let frame = figure.heading_frame(&qpos);
        assert_eq!((frame.x, frame.y), (qpos[0], qpos[1]));
    }

    #[test]
    fn velocities_are_those_of_even_motion() {
        let figure = Figure::new(&embedded::humanoid(), 0.0).unwrap();
        let rest = figure.model().rest_position();
        let mut rows = Vec::new();
        for frame in 0..5 {
            let mut row = rest.to_vec();
            GroundTransform { x: 0.1 * frame as f64, y: 0.0, yaw: 0.05 * frame as f64 }.move_root(&mut row);
            rows.extend(row);
        }
        let velocities = figure.velocities(&rows, 30.0);
        let nv = figure.model().velocity_count();
        for row in velocities.chunks(nv) {
            assert!((row[0] - 3.0).abs() < 1e-9 && (row[5] - 1.5).abs() < 1e-9, "{row:?}");
        }
    }
}
