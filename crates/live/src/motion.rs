//! What a character is to do: rows of its coordinates every 0.025 s, looped where it is a cycle, held at its end otherwise.

use crate::error::LiveError;
use sinew_learn::{GroundTransform, wrap_angle};
use sinew_sim::rotation::{quaternion_product, rotated};
use sinew_sim::{Batch, BatchOptions, JointKind, Model, Readings};
use sinew_transfer::{Dofs, FRAME_SECS, Performance, Reference, Target};
use std::sync::Arc;

/// Fewest frames of a motion.
const LEAST_FRAMES: usize = 4;
/// A motion that is slower stays on its place, m/s.
const SLOWEST: f64 = 0.05;

/// A motion of one character: `qpos`, `qvel` and PD target of every frame.
#[derive(Clone, Debug)]
pub struct Motion {
    model: Arc<Model>,
    dofs: Dofs,
    frames: usize,
    positions: Vec<f64>,
    velocities: Vec<f64>,
    actions: Vec<f64>,
    observations: Vec<f64>,
    /// From the beginning of a cycle to that of the next; none where the motion ends.
    advance: Option<GroundTransform>,
    /// Height of the root over the ground in the mean, m.
    height: f64,
    /// Height of the lowest end effector in each frame, m.
    lowest: Vec<f64>,
}

/// A frame of a motion, somewhere on the ground.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub position: Vec<f64>,
    pub velocity: Vec<f64>,
    pub action: Vec<f64>,
    pub observation: Vec<f64>,
    /// Index of the frame in the motion.
    pub frame: usize,
}

impl Motion {
    /// A motion of rows, one every 0.025 s; `advance` leads from the beginning of a cycle to the next one's.
    ///
    /// # Errors
    /// Where the rows are not of this model's only character, or too few.
    pub fn new(
        model: &Arc<Model>,
        positions: Vec<f64>,
        velocities: Vec<f64>,
        actions: Vec<f64>,
        advance: Option<GroundTransform>,
    ) -> Result<Motion, LiveError> {
        let dofs = Dofs::new(model);
        let starts_free = model.joints().first().is_some_and(|joint| joint.kind == JointKind::Free);
        if !starts_free || dofs.count == 0 {
            let character = model.scene().characters.first().map_or("nobody", |c| &c.character.name).to_owned();
            return Err(LiveError::NoFreeRoot { character });
        }
        let (nq, nv) = (model.position_count(), model.velocity_count());
        let frames = positions.len() / nq;
        let shapes = [
            ("positions", positions.len(), nq),
            ("velocities", velocities.len(), nv),
            ("PD targets", actions.len(), nq),
        ];
        if let Some(&(what, found, width)) = shapes.iter().find(|(_, found, width)| *found != frames * width) {
            return Err(LiveError::Shape { what, found, needed: frames * width });
        }
        if frames < LEAST_FRAMES {
            return Err(LiveError::TooShort { frames, least: LEAST_FRAMES });
        }
        let observations = observe(model, &positions, &velocities)?;
        let ground = model.scene().ground.map_or(0.0, |ground| ground.height);
        let height = positions.chunks(nq).map(|row| row[2] - ground).sum::<f64>() / frames as f64;
        let height = height.max(0.05);
        let layout = model.observation_layout();
        let low = |row: &[f64]| row[layout.effectors()].chunks(3).map(|place| place[2]).fold(f64::INFINITY, f64::min);
        let lowest = observations.chunks(layout.count()).map(low).collect();
        let model = model.clone();
        Ok(Motion { model, dofs, frames, positions, velocities, actions, observations, advance, height, lowest })
    }

    /// A motion as it was drawn, PD targets being its poses. `cycle` names the frames at which one cycle begins and ends.
    ///
    /// # Errors
    /// As [`Motion::new`].
    pub fn of_target(target: &Target, cycle: Option<[usize; 2]>) -> Result<Motion, LiveError> {
        let [first, end] = cycle.unwrap_or([0, target.frames()]);
        let rows = |of: &dyn Fn(usize) -> Vec<f64>| (first..end).flat_map(of).collect::<Vec<f64>>();
        let positions = rows(&|frame| target.position(frame).to_vec());
        let mut velocities = rows(&|frame| target.velocity(frame).to_vec());
        if cycle.is_none() {
            // It stands at the end.
            let nv = target.model().velocity_count();
            let last = velocities.len().saturating_sub(nv);
            velocities[last..].fill(0.0);
        }
        let advance = cycle.map(|_| between(target.position(first), target.position(end)));
        Motion::new(target.model(), positions.clone(), velocities, positions, advance)
    }

    /// A cycle of a transferred motion, closed; `run` is the performance that it was taken from.
    ///
    /// # Errors
    /// As [`Motion::new`].
    pub fn of_cycle(model: &Arc<Model>, run: &Performance, cycle: &Reference) -> Result<Motion, LiveError> {
        let [first, last] = [0, cycle.frames].map(|f| &run.at_frame(cycle.first_frame + f).position);
        let advance = GroundTransform { x: last[0] - first[0], y: last[1] - first[1], yaw: 0.0 };
        // The shift holds about the origin: a cycle that is closed does not turn.
        let Reference { positions, velocities, actions, .. } = cycle.clone();
        Motion::new(model, positions, velocities, actions, Some(advance))
    }

    /// A transferred motion that ends.
    ///
    /// # Errors
    /// As [`Motion::new`].
    pub fn of_performance(model: &Arc<Model>, run: &Performance) -> Result<Motion, LiveError> {
        let count = run.fell_at.unwrap_or(run.frames());
        let rows = |of: &dyn Fn(usize) -> Vec<f64>| (0..count).flat_map(of).collect::<Vec<f64>>();
        let positions = rows(&|frame| run.at_frame(frame).position.clone());
        let mut velocities = rows(&|frame| run.at_frame(frame).velocity.clone());
        let last = velocities.len().saturating_sub(model.velocity_count());
        velocities[last..].fill(0.0);
        Motion::new(model, positions, velocities, rows(&|frame| run.at_frame(frame).target.clone()), None)
    }

    /// The same, with a model of the same scene and another time step.
    pub(crate) fn with_model(&self, model: Arc<Model>) -> Motion {
        Motion { model, ..self.clone() }
    }

    /// The compiled character.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
    /// Its driven joints.
    pub fn dofs(&self) -> &Dofs {
        &self.dofs
    }
    /// Frames in a cycle, or to the end.
    pub fn frames(&self) -> usize {
        self.frames
    }
    /// Whether it is a cycle.
    pub fn is_cycle(&self) -> bool {
        self.advance.is_some()
    }
    /// Height of the root over the ground in the mean, m.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// `qpos`, `qvel` and PD target of a frame, as the motion has them.
    ///
    /// # Panics
    /// Where there is no such frame.
    pub fn frame(&self, index: usize) -> [&[f64]; 3] {
        let [position, velocity, action, _] = self.at(index);
        [position, velocity, action]
    }
    /// From the beginning of a cycle to that of the next; none where the motion ends.
    pub fn advance(&self) -> Option<GroundTransform> {
        self.advance
    }
    /// Where its root begins, and where a cycle, or all of it, leads that to along the ground, m.
    fn way(&self) -> [[f64; 2]; 2] {
        let nq = self.model.position_count();
        let place = |row: usize| [self.positions[row * nq], self.positions[row * nq + 1]];
        [place(0), self.advance.map_or(place(self.frames - 1), |advance| advance.point(place(0)))]
    }
    /// Speed along the ground from cycle to cycle, or to the end, m/s.
    pub fn speed(&self) -> f64 {
        let [begin, end] = self.way();
        let (x, y) = (end[0] - begin[0], end[1] - begin[1]);
        (x * x + y * y).sqrt() / (self.frames as f64 * FRAME_SECS)
    }
    /// Where it leads to, or, where it stays, where its root's x axis points at the beginning, rad.
    pub fn heading_rad(&self) -> f64 {
        let [begin, end] = self.way();
        match self.speed() > SLOWEST {
            true => libm::atan2(end[1] - begin[1], end[0] - begin[0]),
            false => heading(&self.positions[3..7]),
        }
    }

    /// Index of a frame that is counted on over cycles, and how many cycles are over.
    pub(crate) fn index(&self, frame: u64) -> (usize, u64) {
        let frames = self.frames as u64;
        match self.advance {
            Some(_) => ((frame % frames) as usize, frame / frames),
            None => (frame.min(frames - 1) as usize, 0),
        }
    }

    /// The place of a cycle that comes so many after the first one.
    pub(crate) fn after(&self, place: &GroundTransform, cycles: u64) -> GroundTransform {
        let advance = self.advance.unwrap_or_default();
        (0..cycles).fold(*place, |place, _| place.then_after(&advance))
    }

    /// `qpos`, `qvel`, PD target and observation of a frame of the motion itself.
    pub(crate) fn at(&self, index: usize) -> [&[f64]; 4] {
        let (nq, nv, no) = (self.model.position_count(), self.model.velocity_count(), self.model.observation_count());
        let row = |values: &'_ [f64], width: usize| -> std::ops::Range<usize> {
            debug_assert!(values.len() >= (index + 1) * width);
            index * width..(index + 1) * width
        };
        [
            &self.positions[row(&self.positions, nq)],
            &self.velocities[row(&self.velocities, nv)],
            &self.actions[row(&self.actions, nq)],
            &self.observations[row(&self.observations, no)],
        ]
    }

    /// A frame, counted on over cycles, with its first cycle at a place.
    pub(crate) fn placed(&self, frame: u64, place: &GroundTransform) -> Row {
        let (index, cycles) = self.index(frame);
        let place = self.after(place, cycles);
        let [position, velocity, action, observation] = self.at(index);
        let mut row = Row {
            position: position.to_vec(),
            velocity: velocity.to_vec(),
            action: action.to_vec(),
            observation: observation.to_vec(),
            frame: index,
        };
        place.move_root(&mut row.position);
        turn(&place, &mut row.velocity[..3]);
        let layout = self.model.observation_layout();
        for (index, three) in row.observation.chunks_mut(3).enumerate() {
            let at = 3 * index;
            let is_place = layout.center().contains(&at) || layout.effectors().contains(&at);
            turn(&place, three);
            if is_place {
                three[0] += place.x;
                three[1] += place.y;
            }
        }
        row
    }

    /// The place at which a frame, counted on over cycles, lies where a root is: along the ground and by its heading.
    pub(crate) fn place_at(&self, frame: u64, root: &[f64]) -> GroundTransform {
        let (index, cycles) = self.index(frame);
        let before = self.after(&GroundTransform::default(), cycles);
        let [position, ..] = self.at(index);
        between(position, root).then_after(&before.inverse())
    }

    /// Height of the lowest end effector in a frame over the lowest of all frames, m.
    pub(crate) fn clearance(&self, index: usize) -> f64 {
        self.lowest[index] - self.lowest.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Height of the lowest end effector in a frame, m.
    pub(crate) fn lowest(&self, index: usize) -> f64 {
        self.lowest[index]
    }
}

/// Turns the first two of three numbers about the vertical.
fn turn(ground: &GroundTransform, three: &mut [f64]) {
    let [x, y] = ground.vector([three[0], three[1]]);
    (three[0], three[1]) = (x, y);
}

/// Heading of a root: of the turn about the vertical that is nearest to its orientation.
pub(crate) fn heading(orientation: &[f64]) -> f64 {
    wrap_angle(2.0 * libm::atan2(orientation[3], orientation[0]))
}

/// The transform of the ground that takes one root to another, as far as it can. Their headings are compared by how they turned from one to the other.
pub(crate) fn between(from: &[f64], to: &[f64]) -> GroundTransform {
    let conjugate = [from[3], -from[4], -from[5], -from[6]];
    let way = quaternion_product([to[3], to[4], to[5], to[6]], conjugate);
    let yaw = heading(&way);
    let turned = rotated([libm::cos(0.5 * yaw), 0.0, 0.0, libm::sin(0.5 * yaw)], [from[0], from[1], 0.0]);
    GroundTransform { x: to[0] - turned[0], y: to[1] - turned[1], yaw }
}

/// What an observer of worlds sees that are in these states.
fn observe(model: &Arc<Model>, positions: &[f64], velocities: &[f64]) -> Result<Vec<f64>, LiveError> {
    let narrow = |values: &[f64]| values.iter().map(|x| *x as f32).collect::<Vec<f32>>();
    let worlds = positions.len() / model.position_count();
    let mut batch = Batch::new(model, worlds, BatchOptions { threads: 1, ..BatchOptions::default() })?;
    let all: Vec<usize> = (0..worlds).collect();
    batch.reset(&all, &narrow(positions), &narrow(velocities))?;
    let mut observations = vec![0.0; worlds * model.observation_count()];
    batch.read(Readings { observations: Some(&mut observations), ..Readings::none() })?;
    Ok(observations.iter().map(|x| f64::from(*x)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live_tests::standing;

    #[test]
    fn cycles_go_on_where_the_last_one_ended() {
        let standing = standing();
        let advance = GroundTransform { x: 0.5, y: 0.1, yaw: 0.3 };
        let motion = Motion { advance: Some(advance), ..standing };
        let place = GroundTransform { x: 2.0, y: -1.0, yaw: 1.0 };
        let [first, again] = [3, 3 + 2 * motion.frames() as u64].map(|frame| motion.placed(frame, &place));
        let twice = place.then_after(&advance).then_after(&advance);
        let mut moved = motion.placed(3, &GroundTransform::default()).position;
        twice.move_root(&mut moved);
        let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(same(&again.position, &moved) && !same(&again.position, &first.position));
        assert_eq!(again.position[7..], first.position[7..]);
        let found = motion.place_at(3 + 2 * motion.frames() as u64, &again.position);
        assert!((found.x - place.x).abs() + (found.y - place.y).abs() + (found.yaw - place.yaw).abs() < 1e-9);
        let [begin, end] = [0, motion.frames() as u64].map(|frame| motion.placed(frame, &GroundTransform::default()));
        let way = [0, 1].map(|k| end.position[k] - begin.position[k]);
        let secs = motion.frames() as f64 * FRAME_SECS;
        assert!((motion.speed() * secs - way[0].hypot(way[1])).abs() < 1e-9);
        assert!((motion.heading_rad() - way[1].atan2(way[0])).abs() < 1e-9);
    }

    #[test]
    fn effectors_move_with_the_place() {
        let motion = standing();
        let place = GroundTransform { x: 2.0, y: -1.0, yaw: 1.0 };
        let [plain, moved] = [GroundTransform::default(), place].map(|place| motion.placed(0, &place));
        let layout = motion.model().observation_layout();
        let three =
            |row: &Row, e: usize| -> [f64; 3] { row.observation[layout.effector(e)].try_into().expect("three") };
        for e in 0..layout.effector_count() {
            let (wanted, found) = (place.place(three(&plain, e)), three(&moved, e));
            assert!((0..3).all(|k| (wanted[k] - found[k]).abs() < 1e-9), "{e}: {wanted:?} {found:?}");
        }
    }
}
