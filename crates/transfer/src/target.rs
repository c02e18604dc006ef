//! The motion that is asked for, sampled at the frames that the whole optimisation counts in.

use crate::TransferError;
use crate::dofs::Dofs;
use sinew_sim::fnv::fnv1a;
use sinew_sim::{Batch, BatchOptions, Model, Observation};
use std::sync::Arc;

/// Time between frames, s: divides the paper's intervals of 0.05, 0.1, 0.25 and 0.5 s.
pub const FRAME_SECS: f64 = 0.025;

/// An end effector that comes down to this share of the centre of mass's height stands on the ground there.
const SOLE_SHARE: f64 = 0.2;

/// A clip in a character's coordinates, at a constant rate, as it enters.
#[derive(Clone, Debug)]
pub struct ClipInput<'a> {
    /// Name of the clip.
    pub name: &'a str,
    /// Frames a second.
    pub rate_hz: f64,
    /// `qpos`, frame after frame.
    pub positions: &'a [f64],
}

/// The target motion: what the character should do at each frame.
#[derive(Clone, Debug)]
pub struct Target {
    pub(crate) model: Arc<Model>,
    pub(crate) dofs: Dofs,
    /// `qpos` and `qvel` of each frame.
    positions: Vec<f64>,
    velocities: Vec<f64>,
    /// Of each frame, as worlds are observed.
    observations: Vec<f64>,
    /// Height of each end effector where it comes closest to the ground; `None` for those that never stand on it, m.
    pub(crate) soles: Vec<Option<f64>>,
    frames: usize,
    /// Weight of the character, N.
    weight: f64,
    /// Its size, m: see [`crate::fidelity::size`].
    pub(crate) size: f64,
}

impl Target {
    /// Samples a clip every [`FRAME_SECS`]; between its frames it is a cubic with the mean velocity of both neighbours.
    ///
    /// # Errors
    /// Where the clip is too short, or not of this model, or the model has no joint to drive.
    pub fn new(model: &Arc<Model>, clip: &ClipInput<'_>) -> Result<Target, TransferError> {
        let dofs = Dofs::new(model);
        if dofs.count == 0 {
            let character = model.scene().characters.first().map_or("", |c| &c.character.name).to_owned();
            return Err(TransferError::NoDrive { character });
        }
        let nq = model.position_count();
        let name = clip.name.to_owned();
        if clip.positions.is_empty() || !clip.positions.len().is_multiple_of(nq) {
            return Err(TransferError::Shape { clip: name, found: clip.positions.len(), row: nq });
        }
        if let Some(at) = clip.positions.iter().position(|x| !x.is_finite()) {
            return Err(TransferError::NotFinite { clip: name, frame: at / nq });
        }
        let source: Vec<&[f64]> = clip.positions.chunks(nq).collect();
        let duration = (source.len() - 1) as f64 / clip.rate_hz;
        let last = (duration / FRAME_SECS + 1e-6).floor();
        if !(clip.rate_hz > 0.0 && last >= 4.0) {
            return Err(TransferError::TooShort { clip: name, frames: source.len(), duration_secs: duration });
        }
        let frames = last as usize + 1;
        let spline = Spline::through(model, &source);
        let mut positions = vec![0.0; frames * nq];
        for (frame, row) in positions.chunks_mut(nq).enumerate() {
            spline.at(model, &source, frame as f64 * FRAME_SECS * clip.rate_hz, row);
        }
        let rows: Vec<&[f64]> = positions.chunks(nq).collect();
        let mut velocities = Spline::through(model, &rows).slopes;
        velocities.iter_mut().for_each(|v| *v /= FRAME_SECS);
        let mut target = Target {
            model: model.clone(),
            dofs,
            soles: Vec::new(),
            observations: Vec::new(),
            velocities,
            positions,
            frames,
            weight: model.weight(),
            size: crate::fidelity::size(model),
        };
        target.observations = target.observe_frames()?;
        target.soles = target.find_soles();
        Ok(target)
    }

    /// What an observer of worlds that follow the target exactly sees.
    fn observe_frames(&self) -> Result<Vec<f64>, TransferError> {
        let mut batch = Batch::new(&self.model, self.frames, BatchOptions { threads: 1, ..BatchOptions::default() })?;
        for frame in 0..self.frames {
            let mut world = batch.world_mut(frame);
            world.set_position(self.position(frame));
            world.set_velocity(self.velocity(frame));
        }
        batch.observe();
        let count = self.model.observation_count();
        let mut observations = vec![0.0; self.frames * count];
        for (frame, row) in observations.chunks_mut(count).enumerate() {
            batch.world(frame).read_observation(row);
        }
        Ok(observations)
    }

    /// Which end effectors stand on the ground at some time, and how high they are then.
    fn find_soles(&self) -> Vec<Option<f64>> {
        let ground = self.model.scene().ground.map_or(0.0, |g| g.height);
        let height = self.observation(0).center()[2] - ground;
        let lowest = |e: usize| {
            (0..self.frames).map(|f| self.observation(f).effector(e)[2] - ground).fold(f64::INFINITY, f64::min)
        };
        (0..self.model.observation_layout().effector_count())
            .map(lowest)
            .map(|low| (low < SOLE_SHARE * height).then_some(ground + low.max(0.0)))
            .collect()
    }

    /// A number that another motion or another character does not share: FNV-1a of the time step, the positions of all frames, and the scene
    /// as JSON, which has every field of the character under its name.
    pub fn hash(&self) -> u64 {
        let scene = serde_json::to_vec(self.model.scene()).unwrap_or_default();
        let numbers = std::iter::once(self.model.dt()).chain(self.positions.iter().copied());
        fnv1a(numbers.flat_map(f64::to_le_bytes).chain(scene))
    }
    /// The model of the character.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
    /// Weight of the character, N.
    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }
    /// Number of frames; they are [`FRAME_SECS`] apart.
    pub fn frames(&self) -> usize {
        self.frames
    }
    /// From the first frame to the last, s.
    pub fn duration_secs(&self) -> f64 {
        (self.frames - 1) as f64 * FRAME_SECS
    }
    /// `qpos` of a frame; the last one stays on.
    pub fn position(&self, frame: usize) -> &[f64] {
        row(&self.positions, self.model.position_count(), frame.min(self.frames - 1))
    }
    /// `qvel` of a frame.
    pub fn velocity(&self, frame: usize) -> &[f64] {
        row(&self.velocities, self.model.velocity_count(), frame.min(self.frames - 1))
    }
    /// What an observer of a world that follows the target exactly sees at a frame.
    pub fn observation(&self, frame: usize) -> Observation<'_, f64> {
        Observation::new(row(&self.observations, self.model.observation_count(), frame.min(self.frames - 1)))
    }
}

fn row(values: &[f64], width: usize, index: usize) -> &[f64] {
    &values[index * width..(index + 1) * width]
}

/// A cubic through rows of positions.
struct Spline {
    /// Differences of neighbouring rows.
    between: Vec<f64>,
    /// At each row the mean of the differences on both sides.
    slopes: Vec<f64>,
}

impl Spline {
    fn through(model: &Model, rows: &[&[f64]]) -> Spline {
        let nv = model.velocity_count();
        let mut between = vec![0.0; rows.len().saturating_sub(1) * nv];
        for (i, way) in between.chunks_mut(nv).enumerate() {
            model.difference(rows[i], rows[i + 1], way);
        }
        let mut slopes = vec![0.0; rows.len() * nv];
        for (i, slope) in slopes.chunks_mut(nv).enumerate() {
            let before = (i > 0).then(|| row(&between, nv, i - 1));
            let after = (i + 1 < rows.len()).then(|| row(&between, nv, i));
            for (k, v) in slope.iter_mut().enumerate() {
                *v = match (before, after) {
                    (Some(a), Some(b)) => 0.5 * (a[k] + b[k]),
                    (Some(a), None) => a[k],
                    (None, Some(b)) => b[k],
                    (None, None) => 0.0,
                };
            }
        }
        Spline { between, slopes }
    }

    /// Cubic Hermite interpolation at `time` in rows.
    fn at(&self, model: &Model, rows: &[&[f64]], time: f64, out: &mut [f64]) {
        let nv = model.velocity_count();
        let i = (time.floor() as usize).min(rows.len() - 2);
        let t = (time - i as f64).clamp(0.0, 1.0);
        let (way, v0, v1) = (row(&self.between, nv, i), row(&self.slopes, nv, i), row(&self.slopes, nv, i + 1));
        let (h10, h01, h11) = (t * (1.0 - t) * (1.0 - t), t * t * (3.0 - 2.0 * t), t * t * (t - 1.0));
        let step: Vec<f64> = (0..nv).map(|k| h10 * v0[k] + h01 * way[k] + h11 * v1[k]).collect();
        model.displace(rows[i], &step, 1.0, out);
    }
}

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;
