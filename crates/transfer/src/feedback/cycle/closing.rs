//! Cycles whose end is their start: bent so that they close, moved by a correction, or taken from a run.

use crate::dofs::Dofs;
use crate::feedback::reference::Reference;
use crate::feedback::tracking::{PLACE, state_deviation};
use sinew_sim::Model;

/// What a difference of 1 m/s or 1 rad/s counts beside one of 1 m or 1 rad.
const SPEED_WEIGHT: f64 = 0.1;

/// `qpos`, `qvel` and PD target of one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::feedback) struct Row {
    pub position: Vec<f64>,
    pub velocity: Vec<f64>,
    pub target: Vec<f64>,
}

/// Size of a state's deviation: root mean square, velocities counting a tenth.
pub(super) fn size(model: &Model, deviation: &[f64]) -> f64 {
    let nv = model.velocity_count();
    let (pose, speed) = deviation[..2 * nv - PLACE].split_at(nv - PLACE);
    let squares = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    ((squares(pose) + SPEED_WEIGHT * SPEED_WEIGHT * squares(speed)) / nv as f64).sqrt()
}

/// How far two moments are from each other, wherever on the ground they are.
pub(super) fn mismatch(model: &Model, a: &Row, b: &Row) -> f64 {
    let mut way = vec![0.0; 2 * model.velocity_count() - PLACE];
    state_deviation(model, (&a.position, &a.velocity), (&b.position, &b.velocity), &mut way);
    size(model, &way)
}

impl Reference {
    /// Takes rows of frames over, the first frame of the next cycle being the last row, and bends them so that they close: each row by its share of
    /// the way from the end to the start, `(i/N − ½)·(x₀ ⊖ x_N)`. The first row keeps its place on the ground.
    pub(in crate::feedback) fn take_rows(&mut self, model: &Model, rows: &[Row]) {
        let (nv, place) = (model.velocity_count(), [self.positions[0], self.positions[1]]);
        let (first, last) = (&rows[0], &rows[self.frames]);
        let (mut way, mut target_way) = (vec![0.0; nv], vec![0.0; nv]);
        model.difference(&last.position, &first.position, &mut way);
        way[..PLACE].fill(0.0);
        model.difference(&last.target, &first.target, &mut target_way);
        target_way[..6].fill(0.0);
        self.gap = mismatch(model, first, last);
        for list in [&mut self.positions, &mut self.velocities, &mut self.actions] {
            list.clear();
        }
        let mut bent = vec![0.0; model.position_count()];
        for (i, row) in rows[..self.frames].iter().enumerate() {
            let share = i as f64 / self.frames as f64 - 0.5;
            model.displace(&row.position, &way, share, &mut bent);
            (0..PLACE).for_each(|k| bent[k] += place[k] - first.position[k]);
            self.positions.extend_from_slice(&bent);
            let speeds = row.velocity.iter().zip(first.velocity.iter().zip(&last.velocity));
            self.velocities.extend(speeds.map(|(v, (first, last))| v + share * (first - last)));
            model.displace(&row.target, &target_way, share, &mut bent);
            self.actions.extend_from_slice(&bent);
        }
    }

    /// The cycle with a share of a deviation (s, o) of every frame added to its states and actions.
    pub(super) fn moved(&self, model: &Model, deviations: &[Vec<f64>], share: f64) -> Reference {
        let (nq, nv, dofs) = (model.position_count(), model.velocity_count(), Dofs::new(model));
        let mut moved = self.clone();
        let mut way = vec![0.0; nv];
        for (i, x) in deviations.iter().enumerate() {
            let (pose, rest) = x.split_at(nv - PLACE);
            let (speed, change) = rest.split_at(nv);
            way[PLACE..].copy_from_slice(pose);
            model.displace(self.position(i), &way, share, &mut moved.positions[i * nq..(i + 1) * nq]);
            let velocity = moved.velocities[i * nv..(i + 1) * nv].iter_mut();
            velocity.zip(speed).for_each(|(v, x)| *v += share * x);
            let change: Vec<f64> = change.iter().map(|o| share * o).collect();
            dofs.add(self.action(i), &change, &mut moved.actions[i * nq..(i + 1) * nq]);
        }
        moved
    }
}
