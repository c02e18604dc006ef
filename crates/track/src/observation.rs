//! What a policy sees: the state of the body and the reference ahead, both in the heading frame of the body (Park et al. 2019, §5.1).
//!
//! | part | numbers |
//! |---|---|
//! | coordinates of all joints: rotation vectors of balls, angles of hinges | n |
//! | their velocities, 0.1 s | n |
//! | up vector of the world in the root's axes | 3 |
//! | height of the root | 1 |
//! | velocity of the root; its angular velocity, 0.1 s | 6 |
//! | end effectors, from the root's place on the ground | 3 each |
//! | heights of heels and toes | 1 each |
//! | for each frame of preview: place and orientation of the root (two axes), its velocity, coordinates of all joints | 12 + n each |
//! | velocities of all joints in the first of these, 0.1 s | n |
//! | phase, where it is asked for | 1 |
//!
//! Lengths are in units of the figure's height over 1.7 m, so that small and large figures give numbers of the same size.

use crate::body::TrackedBody;
use crate::config::TrackerConfig;
use crate::reference::{Reference, read_coordinates};
use crate::reward::USUAL_HEIGHT_M;
use crate::turn::{Heading, apply, four, inverse};
use serde::Serialize;

/// Unit in which angular velocities are seen: rad in so many seconds.
pub(crate) const VELOCITY_SCALE: f32 = 0.1;

/// A part of what a policy sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ObservationPart {
    /// What it is.
    pub name: &'static str,
    /// Numbers.
    pub size: usize,
    /// Of the motion: how far ahead of the present frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames_ahead: Option<usize>,
}

/// Writes what a policy sees.
#[derive(Clone, Debug)]
pub(crate) struct Observer {
    preview: Vec<usize>,
    sees_phase: bool,
    per_length: f32,
}

/// A row of each reading of a world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State<'a> {
    pub position: &'a [f32],
    pub velocity: &'a [f32],
    /// Centre of mass, its velocity, watched points (and whatever follows).
    pub seen: &'a [f32],
}

impl Observer {
    pub fn new(body: &TrackedBody, config: &TrackerConfig) -> Observer {
        let per_length = (USUAL_HEIGHT_M / body.height_m) as f32;
        Observer { preview: config.preview.clone(), sees_phase: config.sees_phase, per_length }
    }

    /// Numbers of a row.
    pub fn width(&self, body: &TrackedBody) -> usize {
        self.parts(body).iter().map(|part| part.size).sum()
    }

    /// What a row is made of, in its order: what [`Observer::write`] writes.
    pub fn parts(&self, body: &TrackedBody) -> Vec<ObservationPart> {
        let n = body.coordinate_count();
        let own = |name, size| ObservationPart { name, size, frames_ahead: None };
        let mut parts = vec![
            own("joint_coordinates", n),
            own("joint_velocities", n),
            own("up", 3),
            own("root_height", 1),
            own("root_velocity", 3),
            own("root_angular_velocity", 3),
            own("effectors", 3 * body.points.effectors),
            own("sole_heights", body.points.soles),
        ];
        for (index, ahead) in self.preview.iter().enumerate() {
            let seen = |name, size| ObservationPart { name, size, frames_ahead: Some(*ahead) };
            parts.extend([
                seen("motion_root_place", 3),
                seen("motion_root_x_axis", 3),
                seen("motion_root_z_axis", 3),
                seen("motion_root_velocity", 3),
                seen("motion_joint_coordinates", n),
            ]);
            if index == 0 {
                parts.push(seen("motion_joint_velocities", n));
            }
        }
        if self.sees_phase {
            parts.push(own("phase", 1));
        }
        parts
    }

    /// Length of the unit in which a policy sees lengths, m.
    pub fn length_unit_m(&self) -> f64 {
        1.0 / f64::from(self.per_length)
    }

    /// Writes the row of a world that is to follow the reference from `frame` on.
    pub fn write(&self, body: &TrackedBody, reference: &Reference, frame: usize, state: State<'_>, out: &mut [f32]) {
        let State { position, velocity, seen } = state;
        let n = body.coordinate_count();
        let mut row = Row { out, at: 0 };
        let root = four(position, 3);
        let heading = Heading::of(root);
        let unit = |v: [f32; 3]| v.map(|x| x * self.per_length);
        read_coordinates(body, position, row.take(n));
        let speeds = row.take(n);
        for joint in &body.joints {
            for k in 0..joint.width() {
                speeds[joint.c + k] = VELOCITY_SCALE * velocity[joint.v + k];
            }
        }
        row.put(&apply(inverse(root), [0.0, 0.0, 1.0]));
        row.put(&[position[2] * self.per_length]);
        row.put(&unit(heading.local(three(velocity, 0))));
        row.put(&heading.local(apply(root, three(velocity, 3))).map(|x| VELOCITY_SCALE * x));
        let ground = [position[0], position[1], 0.0];
        for effector in 0..body.points.effectors {
            row.put(&unit(heading.local(less(three(seen, 6 + 3 * effector), ground))));
        }
        let first_sole = body.points.effectors + body.points.bodies;
        for sole in first_sole..first_sole + body.points.soles {
            row.put(&[seen[6 + 3 * sole + 2] * self.per_length]);
        }
        for (index, ahead) in self.preview.iter().enumerate() {
            let next = reference.ahead(frame, index, *ahead);
            row.put(&unit(heading.local(less(three(next.position, 0), ground))));
            let turned = next.root();
            row.put(&heading.local(apply(turned, [1.0, 0.0, 0.0])));
            row.put(&heading.local(apply(turned, [0.0, 0.0, 1.0])));
            row.put(&unit(heading.local(three(next.velocity, 0))));
            row.put(next.coordinates);
            if index == 0 {
                let speeds = row.take(n);
                for joint in &body.joints {
                    for k in 0..joint.width() {
                        speeds[joint.c + k] = VELOCITY_SCALE * next.velocity[joint.v + k];
                    }
                }
            }
        }
        if self.sees_phase {
            row.put(&[frame as f32 / reference.frame_count() as f32]);
        }
        debug_assert_eq!(row.at, row.out.len());
    }
}

struct Row<'a> {
    out: &'a mut [f32],
    at: usize,
}

impl Row<'_> {
    fn take(&mut self, count: usize) -> &mut [f32] {
        self.at += count;
        &mut self.out[self.at - count..self.at]
    }
    fn put(&mut self, values: &[f32]) {
        self.take(values.len()).copy_from_slice(values);
    }
}

fn three(row: &[f32], at: usize) -> [f32; 3] {
    [row[at], row[at + 1], row[at + 2]]
}

fn less(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TrackerConfig;
    use crate::test_motion::{small_config, swaying};
    use crate::turn::{product, quaternion};
    use sinew_sim::{Measured, Model};

    fn seen(model: &Model, position: &[f32]) -> Vec<f32> {
        let wide: Vec<f64> = position.iter().map(|x| f64::from(*x)).collect();
        let measured = Measured::new(model, &wide, &vec![0.0; model.velocity_count()], [0.0; 3]);
        let zero = [0.0; 3];
        let all = [measured.center_of_mass, zero].into_iter().chain(measured.end_effectors);
        all.flatten().map(|x| x as f32).collect()
    }

    /// What is seen of a frame, with body and reference moved over the ground and turned.
    fn row(config: &TrackerConfig, turn: f32, place: [f32; 2]) -> Vec<f32> {
        let (body, mut reference) = swaying(config);
        let rotation = quaternion([0.0, 0.0, turn]);
        let (nq, nv) = (body.model.position_count(), body.model.velocity_count());
        for position in reference.positions.chunks_exact_mut(nq) {
            let moved = apply(rotation, three(position, 0));
            position[..3].copy_from_slice(&[moved[0] + place[0], moved[1] + place[1], moved[2]]);
            let turned = product(rotation, four(position, 3));
            position[3..7].copy_from_slice(&turned);
        }
        for velocity in reference.velocities.chunks_exact_mut(nv) {
            let moved = apply(rotation, three(velocity, 0));
            velocity[..3].copy_from_slice(&moved);
        }
        let observer = Observer::new(&body, config);
        let mut out = vec![f32::NAN; observer.width(&body)];
        // The body is a little off the reference.
        let mut position = reference.frame(3).position.to_vec();
        position[2] += 0.02;
        let seen = seen(&body.model, &position);
        let velocity = reference.frame(5).velocity.to_vec();
        observer.write(&body, &reference, 3, State { position: &position, velocity: &velocity, seen: &seen }, &mut out);
        out
    }

    #[test]
    fn where_the_world_lies_makes_no_difference() {
        let config = small_config();
        let (plain, moved) = (row(&config, 0.0, [0.0; 2]), row(&config, 2.1, [5.0, -3.0]));
        assert!(plain.iter().all(|x| x.is_finite()));
        for (at, (a, b)) in plain.iter().zip(&moved).enumerate() {
            assert!((a - b).abs() < 1e-4, "number {at}: {a}, {b}");
        }
    }

    #[test]
    fn the_preview_is_the_frame_ahead_and_stops_at_the_end_of_a_stretch() {
        let config = TrackerConfig { preview: vec![2], ..small_config() };
        let (body, reference) = swaying(&config);
        let observer = Observer::new(&body, &config);
        let n = body.coordinate_count();
        let at = |frame: usize| {
            let now = reference.frame(frame);
            let mut out = vec![0.0; observer.width(&body)];
            let seen = seen(&body.model, now.position);
            let state = State { position: now.position, velocity: now.velocity, seen: &seen };
            observer.write(&body, &reference, frame, state, &mut out);
            out
        };
        let (middle, last) = (at(10), at(39));
        let coordinates = middle.len() - 2 * n..middle.len() - n;
        assert_eq!(middle[coordinates.clone()], *reference.frame(12).coordinates);
        assert_eq!(last[coordinates], *reference.frame(39).coordinates);
        // Two frames ahead the root is 0.02 m farther.
        let place = middle.len() - 2 * n - 12;
        assert!((middle[place] * body.height_m as f32 / 1.7 - 0.02).abs() < 1e-5, "{}", middle[place]);
        assert_eq!(&middle[..n], reference.frame(10).coordinates);
    }

    #[test]
    fn the_phase_is_the_last_number() {
        let config = TrackerConfig { preview: Vec::new(), sees_phase: true, ..small_config() };
        assert_eq!(row(&config, 0.0, [0.0; 2]).last(), Some(&(3.0 / 70.0)));
    }
}
