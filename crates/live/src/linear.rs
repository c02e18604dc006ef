//! How the end of a control interval follows from its beginning and from a change of the PD targets in it: by finite differences, all intervals and
//! coordinates simulated side by side.

use crate::config::LiveConfig;
use crate::error::LiveError;
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
    sides: usize,
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
    pub fn new(
        model: &Arc<Model>,
        dofs: &Dofs,
        config: &LiveConfig,
        seen: &[f64],
        pieces: usize,
    ) -> Result<Linearizer, LiveError> {
        let (nq, nv, no) = (model.position_count(), model.velocity_count(), model.observation_count());
        let sides = if config.two_sided { 2 } else { 1 };
        let worlds = pieces * columns(sides, nv, dofs.count);
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
            sides,
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
        let sides = self.sides;
        let columns = columns(sides, nv, m);
        let [by_position, by_velocity, by_control] = self.steps;
        let Linearizer { model, dofs, rows, .. } = self;
        let spread =
            (rows.position.par_chunks_mut(columns * nq), rows.velocity.par_chunks_mut(columns * nv), pieces.par_iter());
        spread.into_par_iter().for_each(|(position, velocity, piece)| {
            let (mut way, mut moved) = (vec![0.0; nv], vec![0.0; nq]);
            for column in 0..columns {
                let q = &mut position[column * nq..(column + 1) * nq];
                let v = &mut velocity[column * nv..(column + 1) * nv];
                narrow(piece.position, q);
                narrow(piece.velocity, v);
                let (coordinate, side) = changed_in(column, sides);
                match coordinate {
                    Some(k) if k < nv => {
                        way.fill(0.0);
                        way[k] = side * by_position;
                        model.displace(piece.position, &way, 1.0, &mut moved);
                        narrow(&moved, q);
                    }
                    Some(k) if k < 2 * nv => v[k - nv] = (piece.velocity[k - nv] + side * by_velocity) as f32,
                    _ => {}
                }
            }
        });
        let all: Vec<usize> = (0..pieces.len() * columns).collect();
        self.batch.reset(&all, &rows.position, &rows.velocity)?;
        let length = pieces[0].frames.len();
        for frame in 0..length {
            let ends =
                (rows.from.par_chunks_mut(columns * nq), rows.to.par_chunks_mut(columns * nq), pieces.par_iter());
            ends.into_par_iter().for_each(|(from, to, piece)| {
                let (before, after, control) = piece.frames[frame];
                let (mut aim, mut moved, mut changed) = (vec![0.0; nq], vec![0.0; nq], control.to_vec());
                for (rows, action) in [(from, before), (to, after)] {
                    dofs.add(action, control, &mut aim);
                    for column in 0..columns {
                        let row = &mut rows[column * nq..(column + 1) * nq];
                        let (coordinate, side) = changed_in(column, sides);
                        match coordinate.and_then(|k| k.checked_sub(2 * nv)) {
                            Some(k) => {
                                let own = std::mem::replace(&mut changed[k], control[k] + side * by_control);
                                dofs.add(action, &changed, &mut moved);
                                changed[k] = own;
                                narrow(&moved, row);
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
        let found = ends.into_par_iter().map(|(q, v, y)| slopes(model, (q, v, y), (sizes, sides), m, &seen_rows));
        Ok(found.collect())
    }
}

/// Runs for each interval: one undisturbed, and on each side one for each number of the state and of the control.
fn columns(sides: usize, nv: usize, m: usize) -> usize {
    1 + sides * (2 * nv + m)
}

/// The number that is changed in a run, and which way; none in the first.
fn changed_in(column: usize, sides: usize) -> (Option<usize>, f64) {
    let Some(at) = column.checked_sub(1) else { return (None, 0.0) };
    (Some(at / sides), if at % sides == 0 { 1.0 } else { -1.0 })
}

fn narrow(from: &[f64], to: &mut [f32]) {
    from.iter().zip(to).for_each(|(from, to)| *to = *from as f32);
}

fn wide(from: &[f32]) -> Vec<f64> {
    from.iter().map(|x| f64::from(*x)).collect()
}

/// Differences of the ends over the sizes of what was changed: between both sides, or from the undisturbed one.
fn slopes(
    model: &Model,
    (q, v, y): (&[f32], &[f32], &[f32]),
    ([by_position, by_velocity, by_control], sides): ([f64; 3], usize),
    m: usize,
    seen_rows: &Arc<Vec<usize>>,
) -> Linear {
    let (nq, nv, no) = (model.position_count(), model.velocity_count(), model.observation_count());
    let total = 2 * nv + m;
    let mut dynamics = Matrix::zeros(2 * nv, total);
    let mut seen = Matrix::zeros(seen_rows.len(), total);
    let (mut way, mut before, mut after) = (vec![0.0; nv], vec![0.0; nq], vec![0.0; nq]);
    let read = |column: usize, out: &mut [f64]| {
        out.iter_mut().zip(&q[column * nq..]).for_each(|(a, b)| *a = f64::from(*b));
    };
    for column in 0..total {
        let size = if column < nv {
            by_position
        } else if column < 2 * nv {
            by_velocity
        } else {
            by_control
        };
        let plus = 1 + sides * column;
        let minus = if sides == 2 { plus + 1 } else { 0 };
        let per = 1.0 / (size * sides as f64);
        read(minus, &mut before);
        read(plus, &mut after);
        model.difference(&before, &after, &mut way);
        let difference = |values: &[f32], width: usize, k: usize| {
            f64::from(values[plus * width + k]) - f64::from(values[minus * width + k])
        };
        for (k, way) in way.iter().enumerate() {
            dynamics.data[k * total + column] = per * way;
            dynamics.data[(nv + k) * total + column] = per * difference(v, nv, k);
        }
        for (i, &k) in seen_rows.iter().enumerate() {
            seen.data[i * total + column] = per * difference(y, no, k);
        }
    }
    let end = (wide(&q[..nq]), wide(&v[..nv]));
    Linear { dynamics, seen, seen_rows: seen_rows.clone(), end, end_seen: wide(&y[..no]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::{Scene, embedded};
    use sinew_transfer::FRAME_SECS;

    #[test]
    fn who_falls_freely_moves_by_his_velocity() {
        let config = LiveConfig::default();
        let dt = FRAME_SECS / config.steps_per_frame as f64;
        let model = Arc::new(Model::new(&Scene::floating(embedded::dinosaur()), dt).expect("a scene"));
        let dofs = Dofs::new(&model);
        let (nv, rest) = (model.velocity_count(), model.rest_position().to_vec());
        let seen: Vec<f64> = (0..model.observation_count()).map(|k| if k == 3 { 1.0 } else { 0.0 }).collect();
        let (still, zero) = (vec![0.0; nv], vec![0.0; dofs.count]);
        for two_sided in [false, true] {
            let config = LiveConfig { two_sided, ..config };
            let mut linearizer = Linearizer::new(&model, &dofs, &config, &seen, 2).expect("worlds");
            let piece = || Piece { position: &rest, velocity: &still, frames: vec![(&rest, &rest, &zero); 2] };
            let found = linearizer.measure(&[piece(), piece()]).expect("measured");
            let total = 2 * nv + dofs.count;
            for linear in &found {
                let at = |row: usize, column: usize| linear.dynamics.data[row * total + column];
                for k in 0..3 {
                    assert!((at(k, k) - 1.0).abs() < 1e-2 && (at(nv + k, nv + k) - 1.0).abs() < 1e-2);
                    assert!((at(k, nv + k) - 2.0 * FRAME_SECS).abs() < 1e-3, "{}", at(k, nv + k));
                }
                // The velocity of the centre of mass ahead follows the root's, and no PD target changes it.
                assert!((linear.seen.data[nv] - 1.0).abs() < 1e-2, "{}", linear.seen.data[nv]);
                let by_control = linear.seen.data[2 * nv..].iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                assert!(by_control < 1e-2, "{by_control}");
                // But it turns joints.
                assert!(at(6, 2 * nv) > 0.05, "{}", at(6, 2 * nv));
                assert!((linear.end.1[2] + 9.81 * 2.0 * FRAME_SECS).abs() < 1e-3);
            }
        }
    }
}
