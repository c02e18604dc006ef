//! The motion that a policy tracks: frames of one character at a constant rate, with all that rewards and observations need of them.

use crate::body::TrackedBody;
use crate::error::TrackError;
use crate::turn::{between, four};
use rayon::prelude::*;
use sinew_files::fnv::fnv1a;
use sinew_learn::{Figure, Forecast, Sequence, SetHeader};
use sinew_sim::Measured;
use sinew_work::random::Stream;
use std::collections::BTreeMap;
use std::ops::Range;

/// Least change of a joint over the reference for it to count as moved, rad.
const MOVED_RAD: f32 = 1e-4;

/// Frames to be tracked. Stretches are sequences without a cut; an episode stays within one.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Frames a second.
    pub rate_hz: f64,
    /// `qpos` of all frames.
    pub(crate) positions: Vec<f32>,
    /// `qvel` of all frames.
    pub(crate) velocities: Vec<f32>,
    /// PD targets of all frames in the order of `qpos`, where a simulated character made the motion with them; otherwise empty.
    targets: Vec<f32>,
    /// Coordinates of all joints: rotation vectors of balls, angles of hinges.
    pub(crate) coordinates: Vec<f32>,
    /// Centre of mass, then all watched points, m.
    pub(crate) places: Vec<f32>,
    /// Joints that the reference moves: the others are held, and no reward asks for them.
    pub(crate) is_moved: Vec<bool>,
    stretches: Vec<Range<usize>>,
    /// End of the stretch of each frame.
    ends: Vec<u32>,
    /// Of frames whose future was foreseen otherwise than it came: the frames that were foreseen, one for each frame of preview, behind those of all stretches.
    foreseen: BTreeMap<u32, Vec<u32>>,
    widths: [usize; 4],
}

/// A frame of a motion that a simulated character made.
#[derive(Clone, Copy, Debug)]
pub struct PerformedFrame<'a> {
    /// `qpos`.
    pub position: &'a [f64],
    /// `qvel`.
    pub velocity: &'a [f64],
    /// PD target, in the order of `qpos`.
    pub target: &'a [f64],
}

/// A frame of a [`Reference`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    pub position: &'a [f32],
    pub velocity: &'a [f32],
    pub coordinates: &'a [f32],
    pub places: &'a [f32],
}

impl Reference {
    /// Takes stretches of rows of `qpos` in f64.
    ///
    /// # Errors
    /// Where all of them are shorter than `least` frames.
    pub fn new(
        body: &TrackedBody,
        rate_hz: f64,
        stretches_of_rows: &[Vec<f64>],
        least: usize,
    ) -> Result<Reference, TrackError> {
        let figure = Figure::new(&body.character, body.forward_rad)?;
        Reference::of_figure(body, &figure, rate_hz, stretches_of_rows, least)
    }

    /// The same, of a figure of the same character that was made before.
    ///
    /// # Errors
    /// Where all of them are shorter than `least` frames.
    pub(crate) fn of_figure(
        body: &TrackedBody,
        figure: &Figure,
        rate_hz: f64,
        stretches_of_rows: &[Vec<f64>],
        least: usize,
    ) -> Result<Reference, TrackError> {
        let (nq, nv) = (body.model.position_count(), body.model.velocity_count());
        let (nc, np) = (body.coordinate_count(), 3 + 3 * body.points.count());
        let mut reference = Reference {
            rate_hz,
            positions: Vec::new(),
            velocities: Vec::new(),
            targets: Vec::new(),
            coordinates: Vec::new(),
            places: Vec::new(),
            is_moved: vec![false; body.joints.len()],
            stretches: Vec::new(),
            ends: Vec::new(),
            foreseen: BTreeMap::new(),
            widths: [nq, nv, nc, np],
        };
        for rows in stretches_of_rows.iter().filter(|rows| rows.len() / nq >= least) {
            let frames = rows.len() / nq;
            let first = reference.ends.len();
            let velocities = figure.velocities(rows, rate_hz);
            reference.positions.extend(rows.iter().map(|&x| x as f32));
            reference.velocities.extend(velocities.iter().map(|&x| x as f32));
            let places = rows.par_chunks_exact(nq).flat_map_iter(|row| {
                let measured = Measured::new(&body.model, row, &vec![0.0; nv], [0.0; 3]);
                let all = std::iter::once(measured.center_of_mass).chain(measured.end_effectors);
                all.flatten().map(|x| x as f32).collect::<Vec<_>>()
            });
            reference.places.par_extend(places);
            reference.stretches.push(first..first + frames);
            reference.ends.resize(first + frames, (first + frames) as u32);
        }
        if reference.stretches.is_empty() {
            return Err(TrackError::TooShort { least });
        }
        reference.coordinates = vec![0.0; reference.frame_count() * nc];
        let all = reference.coordinates.par_chunks_exact_mut(nc).zip(reference.positions.par_chunks_exact(nq));
        all.for_each(|(coordinates, position)| read_coordinates(body, position, coordinates));
        for (joint, is_moved) in body.joints.iter().zip(&mut reference.is_moved) {
            let columns = joint.c..joint.c + joint.width();
            let first = &reference.coordinates[columns.clone()];
            let far = |row: &[f32]| row[columns.clone()].iter().zip(first).any(|(a, b)| (a - b).abs() > MOVED_RAD);
            *is_moved = reference.coordinates.chunks_exact(nc).any(far);
        }
        Ok(reference)
    }

    /// Takes one motion that a simulated character made: its states, and the PD targets that it was made with.
    ///
    /// # Errors
    /// Where it is shorter than `least` frames.
    pub fn performed(
        body: &TrackedBody,
        rate_hz: f64,
        frames: &[PerformedFrame<'_>],
        least: usize,
    ) -> Result<Reference, TrackError> {
        let rows: Vec<f64> = frames.iter().flat_map(|frame| frame.position).copied().collect();
        let mut reference = Reference::new(body, rate_hz, &[rows], least)?;
        reference.velocities = frames.iter().flat_map(|frame| frame.velocity).map(|x| *x as f32).collect();
        reference.targets = frames.iter().flat_map(|frame| frame.target).map(|x| *x as f32).collect();
        Ok(reference)
    }

    /// So many frames of stretches of rows, in random order; all of them where there are no more.
    fn sampled(mut stretches_of_rows: Vec<Vec<f64>>, row: usize, frames: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut chosen = Vec::new();
        let (mut stream, mut left) = (Stream::new(seed, "frames to track", 0), frames);
        while left > 0 && !stretches_of_rows.is_empty() {
            let at = stream.weighted(&vec![1.0; stretches_of_rows.len()]);
            let mut rows = stretches_of_rows.swap_remove(at);
            rows.truncate(left * row);
            left -= rows.len() / row;
            chosen.push(rows);
        }
        chosen
    }

    /// Takes the sequences of a data set; where `frames` says so, only that many, drawn by a seed.
    ///
    /// # Errors
    /// Where none is long enough, or the character cannot be used.
    pub fn of_set(
        body: &TrackedBody,
        header: &SetHeader,
        sequences: &[Sequence],
        least: usize,
        frames: Option<(usize, u64)>,
    ) -> Result<Reference, TrackError> {
        let figure = Figure::of_set(header)?;
        let mut rows: Vec<Vec<f64>> = sequences.iter().map(|sequence| sequence.positions_f64(&figure)).collect();
        if let Some((frames, seed)) = frames {
            rows = Reference::sampled(rows, body.model.position_count(), frames, seed);
        }
        Reference::new(body, header.rate_hz, &rows, least)
    }

    /// Shows policies in some frames what was foreseen there instead of what came; only the frames ahead that `preview` names are kept.
    ///
    /// # Errors
    /// Where a forecast is shorter than the farthest preview and one more frame.
    pub fn foresee(&mut self, body: &TrackedBody, forecasts: &[Forecast], preview: &[usize]) -> Result<(), TrackError> {
        let figure = Figure::new(&body.character, body.forward_rad)?;
        let least = 2 + 1 + preview.iter().copied().max().unwrap_or(0);
        let seen = forecasts.par_iter().map(|forecast| {
            // As at play: velocities are by differences, to the next frame.
            let known = [forecast.frame.saturating_sub(1), forecast.frame].map(|frame| self.position(frame)).concat();
            let rows = [known, forecast.rows.concat()].concat();
            Reference::of_figure(body, &figure, self.rate_hz, &[rows], least)
        });
        let seen = seen.collect::<Result<Vec<Reference>, TrackError>>()?;
        let [nq, nv, nc, np] = self.widths;
        for (forecast, window) in forecasts.iter().zip(seen) {
            let first = self.positions.len() / nq;
            for &ahead in preview {
                let frame = window.frame(1 + ahead);
                self.positions.extend(frame.position);
                self.velocities.extend(frame.velocity);
                self.coordinates.extend(frame.coordinates);
                self.places.extend(frame.places);
            }
            let shown = (first..first + preview.len()).map(|frame| frame as u32).collect();
            self.foreseen.insert(forecast.frame as u32, shown);
        }
        debug_assert_eq!(
            [nv, nc, np].map(|n| n * self.positions.len() / nq),
            [self.velocities.len(), self.coordinates.len(), self.places.len()]
        );
        Ok(())
    }

    /// The frame that a policy sees `ahead` of a frame, the preview with this index: what was foreseen, or what came, at most the last frame of the stretch.
    pub(crate) fn ahead(&self, frame: usize, index: usize, ahead: usize) -> Frame<'_> {
        let came = (frame + ahead).min(self.end_of(frame) - 1);
        let foreseen = self.foreseen.get(&(frame as u32)).and_then(|shown| shown.get(index));
        self.frame(foreseen.map_or(came, |foreseen| *foreseen as usize))
    }

    /// Frames of all stretches.
    pub fn frame_count(&self) -> usize {
        self.ends.len()
    }

    /// Stretches without a cut.
    pub fn stretches(&self) -> &[Range<usize>] {
        &self.stretches
    }

    /// The end of the stretch that a frame is of: the first frame behind it.
    pub fn end_of(&self, frame: usize) -> usize {
        self.ends[frame] as usize
    }

    /// `qpos` of a frame.
    pub fn position(&self, frame: usize) -> Vec<f64> {
        self.frame(frame).position.iter().map(|x| f64::from(*x)).collect()
    }

    /// `qvel` of a frame.
    pub fn velocity(&self, frame: usize) -> Vec<f64> {
        self.frame(frame).velocity.iter().map(|x| f64::from(*x)).collect()
    }

    /// A hash of all that is tracked.
    pub fn hash(&self) -> u64 {
        let foreseen = self.foreseen.keys().chain(self.ends.iter());
        fnv1a(
            self.positions
                .iter()
                .chain(&self.targets)
                .flat_map(|x| x.to_le_bytes())
                .chain(foreseen.flat_map(|x| x.to_le_bytes())),
        )
    }

    /// Whether the controls that made the motion are known.
    pub fn has_controls(&self) -> bool {
        !self.targets.is_empty()
    }

    /// The PD target with which a frame of the motion was made.
    ///
    /// # Panics
    /// Where the controls of the motion are not known.
    pub(crate) fn target(&self, frame: usize) -> &[f32] {
        &self.targets[frame * self.widths[0]..(frame + 1) * self.widths[0]]
    }

    pub(crate) fn frame(&self, frame: usize) -> Frame<'_> {
        let [nq, nv, nc, np] = self.widths;
        let row = |values: &'_ [f32], width: usize| -> Range<usize> {
            debug_assert!((frame + 1) * width <= values.len());
            frame * width..(frame + 1) * width
        };
        Frame {
            position: &self.positions[row(&self.positions, nq)],
            velocity: &self.velocities[row(&self.velocities, nv)],
            coordinates: &self.coordinates[row(&self.coordinates, nc)],
            places: &self.places[row(&self.places, np)],
        }
    }
}

/// Rotation vectors of balls and angles of hinges, of a row of `qpos`.
pub(crate) fn read_coordinates(body: &TrackedBody, position: &[f32], out: &mut [f32]) {
    for joint in &body.joints {
        if joint.is_ball {
            out[joint.c..joint.c + 3].copy_from_slice(&crate::turn::vector(four(position, joint.q)));
        } else {
            out[joint.c] = position[joint.q];
        }
    }
}

impl Frame<'_> {
    /// Orientation of the root.
    pub fn root(&self) -> [f32; 4] {
        four(self.position, 3)
    }
    /// Cosine of the angle between the upward axes of a root and of the frame's.
    pub fn upright(&self, position: &[f32]) -> f32 {
        let up = |root: [f32; 4]| crate::turn::apply(crate::turn::inverse(root), [0.0, 0.0, 1.0]);
        up(four(position, 3)).iter().zip(up(self.root())).map(|(a, b)| a * b).sum()
    }
    /// How far a root is turned off, rad.
    pub fn root_turn(&self, position: &[f32]) -> [f32; 3] {
        between(four(position, 3), self.root())
    }
}

#[cfg(test)]
mod tests {
    use super::{Forecast, Reference};
    use crate::test_motion::{performed, small_config, small_performed_config, swaying};

    #[test]
    fn short_stretches_are_left_out_and_frames_know_their_end() {
        let (body, reference) = swaying(&small_config());
        assert_eq!(reference.stretches(), [0..40, 40..70]);
        assert_eq!([0, 39, 40, 69].map(|frame| reference.end_of(frame)), [40, 40, 70, 70]);
        assert_eq!(reference.is_moved.iter().filter(|moved| **moved).count(), 1);
        // The root moves by 0.01 m a frame.
        for frame in [0, 20, 39, 50] {
            assert!((reference.frame(frame).velocity[0] - 0.3).abs() < 1e-4, "{frame}");
        }
        let frame = reference.frame(3);
        let moved = body.joints[0];
        let angle: f32 = frame.coordinates[moved.c..moved.c + moved.width()].iter().map(|x| x * x).sum::<f32>().sqrt();
        assert!((angle - 0.2 * (0.6f32).sin()).abs() < 1e-5, "{angle}");
    }

    #[test]
    fn controls_are_part_of_what_is_tracked() {
        let (_, reference) = performed(&small_performed_config());
        let plain = Reference { targets: Vec::new(), ..reference.clone() };
        assert!(reference.has_controls() && !plain.has_controls());
        assert_ne!(reference.hash(), plain.hash());
    }

    #[test]
    fn who_foresees_otherwise_sees_that_and_nothing_else_changes() {
        let config = small_config();
        let (body, mut reference) = swaying(&config);
        let (plain, nq) = (reference.clone(), body.model.position_count());
        // In frame 7 it was foreseen to go on twice as fast.
        let row = |ahead: usize| {
            let mut row = plain.position(7);
            row[0] += 0.02 * ahead as f64;
            row
        };
        let forecast = Forecast { frame: 7, rows: (1..=11).map(row).collect() };
        reference.foresee(&body, &[forecast], &[1, 10]).unwrap();
        let seen = |frame, index, ahead| reference.ahead(frame, index, ahead).position[0];
        assert!((seen(7, 1, 10) - plain.frame(7).position[0] - 0.2).abs() < 1e-5);
        assert!((reference.ahead(7, 1, 10).velocity[0] - 0.6).abs() < 1e-4);
        assert!((seen(7, 0, 1) - plain.frame(7).position[0] - 0.02).abs() < 1e-5);
        assert_eq!((seen(8, 1, 10), seen(38, 1, 10)), (plain.frame(18).position[0], plain.frame(39).position[0]));
        assert_eq!((reference.frame_count(), reference.stretches()), (plain.frame_count(), plain.stretches()));
        assert_eq!(reference.positions[..plain.positions.len()], plain.positions);
        assert_eq!(reference.positions.len(), plain.positions.len() + 2 * nq);
        assert_ne!(reference.hash(), plain.hash());
        let short = Forecast { frame: 7, rows: vec![row(1); 10] };
        assert!(reference.foresee(&body, &[short], &[1, 10]).is_err());
    }

    #[test]
    fn a_sample_has_so_many_frames_by_its_seed_alone() {
        // Rows of two numbers; the first says which stretch it is of.
        let stretches = || (0..5).map(|k| [f64::from(k), 0.0].repeat(10)).collect::<Vec<_>>();
        let frames = |frames: usize, seed: u64| -> Vec<(f64, usize)> {
            Reference::sampled(stretches(), 2, frames, seed).iter().map(|rows| (rows[0], rows.len() / 2)).collect()
        };
        assert_eq!(frames(23, 1), frames(23, 1));
        assert_eq!(frames(23, 1).iter().map(|(_, n)| *n).collect::<Vec<_>>(), [10, 10, 3]);
        assert!((2..20).any(|seed| frames(23, seed) != frames(23, 1)));
        let mut all: Vec<f64> = frames(1000, 1).iter().map(|(k, _)| *k).collect();
        all.sort_by(f64::total_cmp);
        assert_eq!(all, [0.0, 1.0, 2.0, 3.0, 4.0]);
    }
}
