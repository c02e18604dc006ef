//! How the end of a control interval follows from its beginning and from a change of the PD targets in it: by finite differences, all intervals and
//! coordinates simulated side by side.

use crate::error::LiveError;
use crate::config::LiveConfig;
use rayon::prelude::*;
use sinew_sim::{Batch, BatchOptions, DampsTo, Interval, Model, Readings};
use sinew_transfer::{Dofs, Matrix};
use std::sync::Arc;

/// `x' = A·x + B·u` and `y = C·x + D·u`, deviations from the trajectory that was simulated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linear {
    /// (A, B).
    pub dynamics: Matrix,
    /// (C, D), of the numbers of the observation that cost something.
    pub seen: Matrix,
    /// Their indices in the observation.
    pub seen_rows: Arc<Vec<usize>>,
    /// Position and velocity at the end.
    pub end: (Vec<f64>, Vec<f64>),
    /// The observation there.
    pub end_seen: Vec<f64>,
}

/// An interval to be measured: where it begins, and for each of its frames the motion's PD targets at both ends and their change.
pub(crate) struct Piece<'a> {
    pub position: &'a [f64],
    pub velocity: &'a [f64],
    pub frames: Vec<(&'a [f64], &'a [f64], &'a [f64])>,
}

/// Measures so many intervals of the same length at a time.
pub(crate) struct Linearizer {
    model: Arc<Model>,
    dofs: Dofs,
    batch: Batch,
    pieces: usize,
    steps: [f64; 3],
    interval: Interval,
    seen_rows: Arc<Vec<usize>>,
    rows: Rows,
}

#[derive(Default)]
struct Rows {
    position: Vec<f32>,
    velocity: Vec<f32>,
    observation: Vec<f32>,
    from: Vec<f32>,
    to: Vec<f32>,
}

impl Linearizer {
    /// For so many intervals; `seen` are the weights of the observation.
    pub fn new(model: &Arc<Model>, dofs: &Dofs, config: &LiveConfig, seen: &[f64], pieces: usize) -> Result<Linearizer, LiveError> {
        let (nq, nv, no) = (model.position_count(), model.velocity_count(), model.observation_count());
        let worlds = pieces * columns(nv, dofs.count);
        let rows = Rows {
            position: vec![0.0; worlds * nq],
            velocity: vec![0.0; worlds * nv],
            observation: vec![0.0; worlds * no],
            from: vec![0.0; worlds * nq],
            to: vec![0.0; worlds * nq],
        };
        Ok(Linearizer {
            model: model.clone(),
            dofs: dofs.clone(),
            batch: Batch::new(model, worlds, BatchOptions::default())?,
            pieces,
            steps: [config.position_step, config.velocity_step, config.control_step],
            interval: Interval::ramped(config.steps_per_frame, DampsTo::Target),
            seen_rows: Arc::new((0..no).filter(|&k| seen[k] > 0.0).collect()),
            rows,
        })
    }

    /// Measures intervals, as many as it was made for.
    ///
    /// # Panics
    /// Where there are more or fewer of them, or they are of different lengths.
    pub fn measure(&mut self, pieces: &[Piece<'_>]) -> Result<Vec<Linear>, LiveError> {
        assert_eq!(pieces.len(), self.pieces, "as many intervals as it was made for");
        let (nq, nv, m) = (self.model.position_count(), self.model.velocity_count(), self.dofs.count);
        let columns = columns(nv, m);
        let [by_position, by_velocity, by_control] = self.steps;
        let Linearizer { model, dofs, rows, .. } = self;
        let spread = (rows.position.par_chunks_mut(columns * nq), rows.velocity.par_chunks_mut(columns * nv), pieces.par_iter());
        spread.into_par_iter().for_each(|(position, velocity, piece)| {
            let (mut way, mut moved) = (vec![0.0; nv], vec![0.0; nq]);
            for column in 0..columns {
                let q = &mut position[column * nq..(column + 1) * nq];
                let v = &mut velocity[column * nv..(column + 1) * nv];
                narrow(piece.position, q);
                narrow(piece.velocity, v);
                match column.checked_sub(1) {
                    Some(k) if k < nv => {
                        way.fill(0.0);
                        way[k] = by_position;
                        model.displace(piece.position, &way, 1.0, &mut moved);
                        narrow(&moved, q);
                    }
                    Some(k) if k < 2 * nv => v[k - nv] = (piece.velocity[k - nv] + by_velocity) as f32,
                    _ => {}
                }
            }
        });
        let all: Vec<usize> = (0..pieces.len() * columns).collect();
        self.batch.reset(&all, &rows.position, &rows.velocity)?;
        let length = pieces[0].frames.len();
        for frame in 0..length {
            let ends = (rows.from.par_chunks_mut(columns * nq), rows.to.par_chunks_mut(columns * nq), pieces.par_iter());
            ends.into_par_iter().for_each(|(from, to, piece)| {
                let (before, after, control) = piece.frames[frame];
                let (mut aim, mut changed) = (vec![0.0; nq], control.to_vec());
                for (rows, action) in [(from, before), (to, after)] {
                    dofs.add(action, control, &mut aim);
                    for column in 0..columns {
                        let row = &mut rows[column * nq..(column + 1) * nq];
                        match column.checked_sub(1 + 2 * nv) {
                            Some(k) => {
                                let own = std::mem::replace(&mut changed[k], control[k] + by_control);
                                let mut aim = vec![0.0; nq];
                                dofs.add(action, &changed, &mut aim);
                                changed[k] = own;
                                narrow(&aim, row);
                            }
                            None => narrow(&aim, row),
                        }
                    }
                }
            });
            let readings = match frame + 1 == length {
                true => Readings {
                    positions: Some(&mut rows.position),
                    velocities: Some(&mut rows.velocity),
                    observations: Some(&mut rows.observation),
                    ..Readings::none()
                },
                false => Readings::none(),
            };
            self.batch.control_from(&rows.from, &rows.to, self.interval, readings)?;
        }
        let no = model.observation_count();
        let sizes = [by_position, by_velocity, by_control];
        let seen_rows = self.seen_rows.clone();
        let ends = (
            rows.position.par_chunks(columns * nq),
            rows.velocity.par_chunks(columns * nv),
            rows.observation.par_chunks(columns * no),
        );
        let found = ends.into_par_iter().map(|(q, v, y)| slopes(model, (q, v, y), sizes, m, &seen_rows));
        Ok(found.collect())
    }
}

/// Runs for each interval: one undisturbed, one for each number of the state and of the control.
fn columns(nv: usize, m: usize) -> usize {
    1 + 2 * nv + m
}

fn narrow(from: &[f64], to: &mut [f32]) {
    from.iter().zip(to).for_each(|(from, to)| *to = *from as f32);
}

fn wide(from: &[f32]) -> Vec<f64> {
    from.iter().map(|x| f64::from(*x)).collect()
}

/// Differences of the ends from the undisturbed one over the sizes of what was changed.
fn slopes(
    model: &Model,
    (q, v, y): (&[f32], &[f32], &[f32]),
    [by_position, by_velocity, by_control]: [f64; 3],
    m: usize,
    seen_rows: &Arc<Vec<usize>>,
) -> Linear {
    let (nq, nv, no) = (model.position_count(), model.velocity_count(), model.observation_count());
    let total = 2 * nv + m;
    let end = (wide(&q[..nq]), wide(&v[..nv]));
    let end_seen = wide(&y[..no]);
    let mut dynamics = Matrix::zeros(2 * nv, total);
    let mut seen = Matrix::zeros(seen_rows.len(), total);
    let (mut way, mut other) = (vec![0.0; nv], vec![0.0; nq]);
    for column in 0..total {
        let size = if column < nv {
            by_position
        } else if column < 2 * nv {
            by_velocity
        } else {
            by_control
        };
        let at = column + 1;
        other.iter_mut().zip(&q[at * nq..]).for_each(|(a, b)| *a = f64::from(*b));
        model.difference(&end.0, &other, &mut way);
        for k in 0..nv {
            dynamics.data[k * total + column] = way[k] / size;
            dynamics.data[(nv + k) * total + column] = (f64::from(v[at * nv + k]) - end.1[k]) / size;
        }
        for (i, &k) in seen_rows.iter().enumerate() {
            seen.data[i * total + column] = (f64::from(y[at * no + k]) - end_seen[k]) / size;
        }
    }
    Linear { dynamics, seen, seen_rows: seen_rows.clone(), end, end_seen }
}
