//! One cycle of a performance, made to repeat: the steadiest one, with its seam blended.

use super::cycle::Row;
use super::features::{Features, Heading};
use crate::performance::Performance;
use crate::target::{FRAME_SECS, Target};
use crate::{TransferError, dofs::Dofs};
use serde::{Deserialize, Serialize};
use sinew_sim::{Batch, BatchOptions, Model, Observation, Snapshot};
use std::sync::Arc;

/// An end effector that comes as near to the ground as this share of the root's height is a foot. Where none does (low figures with thick
/// soles, on tiptoe), those are that come as near to the lowest.
const FOOT_HEIGHT: f64 = 0.08;
/// Share of the cycle over which its end is blended into its start.
const SEAM: f64 = 0.25;
/// Poses nearer than this share of the range of the motion are the same.
const SAME: f64 = 0.1;
/// Shortest cycle, frames.
const SHORTEST: usize = 8;
/// What a difference of 1 m/s or 1 rad/s counts beside one of 1 m or 1 rad.
const SPEED_WEIGHT: f64 = 0.1;

/// What a policy repeats: actions and the states that go with them, one row for each frame of the cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Frame of the performance at which the cycle starts.
    pub first_frame: usize,
    /// Frames in the cycle.
    pub frames: usize,
    /// How far its end was from its start before the seam was blended; 0 is a perfect cycle.
    pub gap: f64,
    /// End effectors that are feet.
    pub feet: Vec<usize>,
    /// PD targets in `qpos` order, row after row.
    pub actions: Vec<f64>,
    /// States as [`Features`] writes them, with the start's heading as the course.
    pub states: Vec<f64>,
    /// Simulated `qpos`, row after row.
    pub positions: Vec<f64>,
    /// Simulated `qvel`, row after row.
    pub velocities: Vec<f64>,
}

impl Reference {
    /// Finds the steadiest cycle of `period_secs` in a performance: that whose end is nearest to its start in pose and velocity, seen along
    /// the heading. Its actions and states are then changed over the last quarter so that its end leads into its start.
    ///
    /// # Errors
    /// Where the performance is shorter than a cycle, or the character has no end effectors.
    pub fn new(model: &Arc<Model>, run: &Performance, period_secs: f64) -> Result<Reference, TransferError> {
        let frames = (period_secs / FRAME_SECS).round() as usize;
        let last = run.fell_at.map_or(run.frames() - 1, |f| f.saturating_sub(1));
        if !Dofs::new(model).has_free_root {
            return Err(TransferError::NoReference { problem: "its root is not free, so it cannot fall".into() });
        }
        if frames < SHORTEST || last < frames {
            let standing = last as f64 * FRAME_SECS;
            let problem = format!("it stands for {standing:.2} s, but a cycle takes {period_secs:.2} s");
            return Err(TransferError::NoReference { problem });
        }
        // The start of a performance is not steady: left out where enough remains.
        let from = if last >= 3 * frames { frames } else { 0 };
        let gaps = (from..=last - frames).map(|f| gap(model, run, f, f + frames));
        let (first_frame, gap) = (from..).zip(gaps).fold((from, f64::INFINITY), |a, b| if b.1 < a.1 { b } else { a });
        let mut reference = Reference {
            first_frame,
            frames,
            gap,
            feet: Vec::new(),
            actions: Vec::new(),
            states: Vec::new(),
            positions: Vec::new(),
            velocities: Vec::new(),
        };
        reference.fill(model, run)?;
        Ok(reference)
    }

    fn fill(&mut self, model: &Arc<Model>, run: &Performance) -> Result<(), TransferError> {
        let moments: Vec<_> = (0..=self.frames).map(|f| run.at_frame(self.first_frame + f)).collect();
        let seen = observe(model, &moments.iter().map(|m| (&m.position[..], &m.velocity[..])).collect::<Vec<_>>())?;
        let effectors = model.observation_layout().effector_count();
        let ground = model.scene().ground.map_or(0.0, |g| g.height);
        let height = |row: &Vec<f64>, effector: usize| Observation::new(row).effector(effector)[2] - ground;
        let lowest = |effector: usize| seen.iter().map(|row| height(row, effector)).fold(f64::INFINITY, f64::min);
        self.feet = feet_of(&(0..effectors).map(lowest).collect::<Vec<f64>>(), moments[0].position[2] - ground);
        if self.feet.is_empty() {
            return Err(TransferError::NoReference { problem: "it has no end effectors".into() });
        }
        let features = Features::new(model, &self.feet);
        let course = Heading::of(&moments[0].position[3..7]).angle();
        let mut states = vec![0.0; (self.frames + 1) * features.count()];
        for ((row, moment), seen) in states.chunks_mut(features.count()).zip(&moments).zip(&seen) {
            features.write(&moment.position, &moment.velocity, &Observation::new(seen), course, row);
        }
        blend_seam(&mut states, features.count(), self.frames);
        self.states = states[..self.frames * features.count()].to_vec();

        // Actions as ways from the first, so that turns blend like angles.
        let nv = model.velocity_count();
        let first = &moments[0].target;
        let mut ways = vec![0.0; (self.frames + 1) * nv];
        for (way, moment) in ways.chunks_mut(nv).zip(&moments) {
            model.difference(first, &moment.target, way);
        }
        blend_seam(&mut ways, nv, self.frames);
        let nq = model.position_count();
        self.actions = vec![0.0; self.frames * nq];
        for (row, way) in self.actions.chunks_mut(nq).zip(ways.chunks(nv)) {
            model.displace(first, way, 1.0, row);
        }
        for moment in &moments[..self.frames] {
            self.positions.extend_from_slice(&moment.position);
            self.velocities.extend_from_slice(&moment.velocity);
        }
        Ok(())
    }

    /// Cycles of a performance, each bent so that it closes, in the order of their steadiness: in every `period_secs` of it the one whose end is nearest to its
    /// start. [`super::CycleSearch`] starts from them.
    ///
    /// # Errors
    /// As [`Reference::new`].
    pub fn closed(model: &Arc<Model>, run: &Performance, period_secs: f64) -> Result<Vec<Reference>, TransferError> {
        let steadiest = Reference::new(model, run, period_secs)?;
        let frames = steadiest.frames;
        let last = run.fell_at.map_or(run.frames() - 1, |f| f.saturating_sub(1));
        let from = if last >= 3 * frames { frames } else { 0 };
        let firsts: Vec<usize> = (from..=last - frames).collect();
        let nearest = firsts.chunks(frames).filter_map(|firsts| {
            let gaps = firsts.iter().map(|f| (*f, gap(model, run, *f, f + frames)));
            gaps.min_by(|a, b| a.1.total_cmp(&b.1))
        });
        let mut nearest: Vec<(usize, f64)> = nearest.collect();
        nearest.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut all = Vec::new();
        for (first_frame, _) in nearest {
            let mut cycle = Reference { first_frame, ..steadiest.clone() };
            let row = |frame: usize| {
                let moment = run.at_frame(frame);
                let (position, velocity) = (moment.position.clone(), moment.velocity.clone());
                Row { position, velocity, target: moment.target.clone() }
            };
            let rows: Vec<Row> = (first_frame..=first_frame + frames).map(row).collect();
            cycle.take_rows(model, &rows);
            cycle.fill_states(model)?;
            all.push(cycle);
        }
        Ok(all)
    }

    /// States of the rows as they are now.
    pub(super) fn fill_states(&mut self, model: &Arc<Model>) -> Result<(), TransferError> {
        let rows: Vec<(&[f64], &[f64])> = (0..self.frames).map(|f| (self.position(f), self.velocity(f))).collect();
        let seen = observe(model, &rows)?;
        let features = Features::new(model, &self.feet);
        let course = Heading::of(&self.positions[3..7]).angle();
        let mut states = vec![0.0; self.frames * features.count()];
        for ((row, (q, v)), seen) in states.chunks_mut(features.count()).zip(&rows).zip(&seen) {
            features.write(q, v, &Observation::new(seen), course, row);
        }
        self.states = states;
        Ok(())
    }

    /// The state at the start of the cycle.
    pub fn start(&self) -> Snapshot {
        let (nq, nv) = (self.positions.len() / self.frames, self.velocities.len() / self.frames);
        Snapshot::new(&self.positions[..nq], &self.velocities[..nv])
    }
    /// Length of the cycle, s.
    pub fn period_secs(&self) -> f64 {
        self.frames as f64 * FRAME_SECS
    }
    /// PD target of a frame, counted on over the cycles.
    pub fn action(&self, frame: usize) -> &[f64] {
        row(&self.actions, self.frames, frame)
    }
    /// State of a frame, counted on over the cycles.
    pub fn state(&self, frame: usize) -> &[f64] {
        row(&self.states, self.frames, frame)
    }
    /// Simulated `qpos` of a frame, counted on over the cycles; the root stays at its place in the performance.
    pub fn position(&self, frame: usize) -> &[f64] {
        row(&self.positions, self.frames, frame)
    }

    /// Simulated `qvel` of a frame, counted on over the cycles.
    pub fn velocity(&self, frame: usize) -> &[f64] {
        row(&self.velocities, self.frames, frame)
    }
}

/// The time after which the joints of a motion come back to the same angles, if they do, s: where a clip was repeated, the length of one.
pub fn period_secs(target: &Target) -> Option<f64> {
    let model = target.model();
    let mut way = vec![0.0; model.velocity_count()];
    let mut differs = |a: usize, b: usize| {
        model.difference(target.position(a), target.position(b), &mut way);
        way.iter().skip(6).fold(0.0, |most: f64, x| most.max(x.abs()))
    };
    // How much the joints move at all.
    let range = (1..target.frames()).map(|f| differs(0, f)).fold(0.0, f64::max);
    let mut repeats = |period: usize| (0..target.frames() - period).all(|f| differs(f, f + period) <= SAME * range);
    let mut periods = SHORTEST..=target.frames().saturating_sub(1) * 2 / 3;
    periods.find(|period| repeats(*period)).filter(|_| range > 0.0).map(|period| period as f64 * FRAME_SECS)
}

/// The end effectors that are feet, by the least height of each above the ground.
fn feet_of(lowest: &[f64], root_height: f64) -> Vec<usize> {
    let near = FOOT_HEIGHT * root_height;
    let least = lowest.iter().copied().fold(f64::INFINITY, f64::min);
    let limit = if least < near { near } else { least + near };
    (0..lowest.len()).filter(|effector| lowest[*effector] < limit).collect()
}

fn row(values: &[f64], rows: usize, index: usize) -> &[f64] {
    let (width, index) = (values.len() / rows, index % rows);
    &values[index * width..(index + 1) * width]
}

/// Observations of states.
fn observe(model: &Arc<Model>, states: &[(&[f64], &[f64])]) -> Result<Vec<Vec<f64>>, TransferError> {
    let mut batch = Batch::new(model, states.len(), BatchOptions { threads: 1, ..BatchOptions::default() })?;
    for (index, (position, velocity)) in states.iter().enumerate() {
        let mut world = batch.world_mut(index);
        world.set_position(position);
        world.set_velocity(velocity);
    }
    batch.observe();
    let read = |index: usize| {
        let mut row = vec![0.0; model.observation_count()];
        batch.world(index).read_observation(&mut row);
        row
    };
    Ok((0..states.len()).map(read).collect())
}

/// How far two moments of a run are from each other in pose and velocity, seen along their headings: root mean square.
fn gap(model: &Model, run: &Performance, a: usize, b: usize) -> f64 {
    let along_heading = |frame: usize| {
        let moment = run.at_frame(frame);
        let (mut q, mut v) = (moment.position.clone(), moment.velocity.clone());
        let heading = Heading::of(&q[3..7]);
        let tilt = heading.tilt(&q[3..7]);
        q[3..7].copy_from_slice(&tilt);
        q[..2].fill(0.0);
        let velocity = heading.into_frame([v[0], v[1], v[2]]);
        v[..3].copy_from_slice(&velocity);
        (q, v)
    };
    let ((qa, va), (qb, vb)) = (along_heading(a), along_heading(b));
    let mut way = vec![0.0; va.len()];
    model.difference(&qa, &qb, &mut way);
    let pose = way.iter().map(|x| x * x).sum::<f64>();
    let speed = va.iter().zip(&vb).map(|(a, b)| SPEED_WEIGHT * SPEED_WEIGHT * (a - b) * (a - b)).sum::<f64>();
    ((pose + speed) / way.len() as f64).sqrt()
}

/// Makes the row after the last equal to the first: `xᵢ ← xᵢ + b(i)·(x₀ − x_N)`, b rising smoothly from 0 to 1 over the last quarter.
fn blend_seam(rows: &mut [f64], width: usize, frames: usize) {
    let length = ((SEAM * frames as f64).round() as usize).clamp(1, frames);
    let jump: Vec<f64> = (0..width).map(|k| rows[k] - rows[frames * width + k]).collect();
    for i in 1..=length {
        let t = i as f64 / length as f64;
        let share = t * t * (3.0 - 2.0 * t);
        let row = (frames - length + i) * width;
        rows[row..row + width].iter_mut().zip(&jump).for_each(|(x, jump)| *x += share * jump);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feet_come_near_the_ground_or_as_near_as_the_lowest() {
        // Of a root at 1 m: 8 cm, whatever the lowest does.
        assert_eq!(feet_of(&[0.01, 0.079, 0.081, 0.9], 1.0), [0, 1]);
        // Where none does, 8 cm from the lowest.
        assert_eq!(feet_of(&[0.5, 0.10, 0.179, 0.181], 1.0), [1, 2]);
        assert_eq!(feet_of(&[0.05, 0.03], 0.5), [1]);
        assert!(feet_of(&[], 1.0).is_empty());
    }

    #[test]
    fn a_blended_seam_closes_and_leaves_the_rest_alone() {
        let mut rows: Vec<f64> = (0..=20).flat_map(|i| [i as f64, 1.0]).collect();
        let before = rows.clone();
        blend_seam(&mut rows, 2, 20);
        assert_eq!(rows[40..], rows[..2]);
        assert_eq!(rows[..32], before[..32]);
        assert!(rows.chunks(2).all(|r| r[1] == 1.0));
    }
}
