//! The four terms of the loss, Park et al. 2019, eq. 5 to 8, of one predicted frame, with their gradients.
//!
//! ```text
//! E = w₁·E_motion + w₂·E_objective + w₃·E_contact + w₄·E_rigid                      (5)
//! E_motion = |s − ŝ|²,  E_objective = Σ (β − β̂)²                                     (6)
//! E_contact = Σ_feet ĉ(t)·ĉ(t+1)·|ĥ(t) − ĥ(t+1)|²                                    (7)
//! E_rigid = Σ_links (|ĥ_k − ĥ_m| − l)²                                               (8)
//! ```
//!
//! (6) is in standardised numbers; lengths of (7) and (8) are in hundredths of the character's height, which are about the centimetres of the released code.
//! ĉ counts as 1 above a half and else as 0, and has no gradient.

use super::layout::{Layout, STEP};
use super::standard::Standard;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Weights w₁ to w₄.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LossWeights {
    pub motion: f64,
    pub objective: f64,
    pub contact: f64,
    pub rigid: f64,
    /// How many times as much the columns of [`STEP`] count.
    pub step: f64,
}

/// The terms, without their weights; means over frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LossTerms {
    /// All of it, weighted.
    pub total: f64,
    /// Difference from the motion of the set, eq. 6.
    pub motion: f64,
    /// Difference from the intent of the set, eq. 6.
    pub objective: f64,
    /// Way of feet that stand, eq. 7.
    pub contact: f64,
    /// Change of the links' lengths, eq. 8.
    pub rigid: f64,
}

impl LossTerms {
    /// Adds `share` of another.
    pub(crate) fn add(&mut self, other: &LossTerms, share: f64) {
        self.total += share * other.total;
        self.motion += share * other.motion;
        self.objective += share * other.objective;
        self.contact += share * other.contact;
        self.rigid += share * other.rigid;
    }
}

/// One predicted frame and what it should be. Rows are standardised.
pub(crate) struct Frame<'a> {
    /// The state before, ŝ(t).
    pub before: &'a [f64],
    /// The state that is predicted, ŝ(t+1).
    pub state: &'a [f64],
    /// What the set has instead.
    pub wanted: &'a [f64],
    /// The control values that are predicted.
    pub controls: &'a [f64],
    /// What the set has instead; none where they are open.
    pub wanted_controls: &'a [Option<f64>],
}

/// Gradients by the rows of a [`Frame`], to which is added.
pub(crate) struct FrameGradient<'a> {
    pub before: &'a mut [f64],
    pub state: &'a mut [f64],
    pub controls: &'a mut [f64],
}

/// The terms of a frame; adds `share` of the gradient of the weighted sum.
pub(crate) fn loss(
    layout: &Layout,
    standard: &Standard,
    weights: &LossWeights,
    frame: &Frame<'_>,
    share: f64,
    gradient: &mut FrameGradient<'_>,
) -> LossTerms {
    let mut terms = LossTerms::default();
    for (column, (z, wanted)) in frame.state.iter().zip(frame.wanted).enumerate() {
        let weight = if STEP.contains(&column) { weights.step } else { 1.0 };
        let off = z - wanted;
        terms.motion += weight * off * off;
        gradient.state[column] += share * weights.motion * weight * 2.0 * off;
    }
    for ((x, wanted), gradient) in frame.controls.iter().zip(frame.wanted_controls).zip(&mut *gradient.controls) {
        let off = wanted.map_or(0.0, |wanted| x - wanted);
        terms.objective += off * off;
        *gradient += share * weights.objective * 2.0 * off;
    }
    let raw = |z: &[f64]| -> Vec<f64> { z.iter().enumerate().map(|(k, &z)| standard.raw(k, z)).collect() };
    let (before, state) = (raw(frame.before), raw(frame.state));
    // Gradients by numbers that are not standardised; the deviations come last.
    let (mut by_before, mut by_state) = (vec![0.0; before.len()], vec![0.0; state.len()]);
    terms.contact = contact(layout, &before, &state, share * weights.contact, &mut by_before, &mut by_state);
    terms.rigid = rigid(layout, &state, share * weights.rigid, &mut by_state);
    for (sum, by) in [(&mut *gradient.before, &by_before), (&mut *gradient.state, &by_state)] {
        for ((sum, by), deviation) in sum.iter_mut().zip(by).zip(&standard.deviation) {
            *sum += by * f64::from(*deviation);
        }
    }
    terms.total = weights.motion * terms.motion
        + weights.objective * terms.objective
        + weights.contact * terms.contact
        + weights.rigid * terms.rigid;
    terms
}

/// Eq. 7: a place of the later frame in the heading frame of the earlier one is `step + R(turn)·ĥ(t+1)`.
fn contact(
    layout: &Layout,
    before: &[f64],
    state: &[f64],
    factor: f64,
    by_before: &mut [f64],
    by_state: &mut [f64],
) -> f64 {
    let scale = 1.0 / (layout.unit_m * layout.unit_m);
    let (sin, cos) = libm::sincos(state[STEP.start + 2]);
    let mut sum = 0.0;
    for &(place, site) in &layout.feet {
        let touches = |row: &[f64]| row[layout.contacts.start + site] > 0.5;
        if !(touches(before) && touches(state)) {
            continue;
        }
        let (was, is) = (layout.place(before, place), layout.place(state, place));
        let turned = [cos * is[0] - sin * is[1], sin * is[0] + cos * is[1]];
        let way = [state[0] + turned[0] - was[0], state[1] + turned[1] - was[1], is[2] - was[2]];
        sum += scale * way.iter().map(|x| x * x).sum::<f64>();
        let g = way.map(|x| factor * scale * 2.0 * x);
        by_state[0] += g[0];
        by_state[1] += g[1];
        by_state[2] += g[1] * turned[0] - g[0] * turned[1];
        layout.add_to_place(by_state, place, [cos * g[0] + sin * g[1], cos * g[1] - sin * g[0], g[2]]);
        layout.add_to_place(by_before, place, g.map(|g| -g));
    }
    sum
}

/// Eq. 8.
fn rigid(layout: &Layout, state: &[f64], factor: f64, by_state: &mut [f64]) -> f64 {
    let scale = 1.0 / (layout.unit_m * layout.unit_m);
    let mut sum = 0.0;
    for &(a, b, length) in &layout.links {
        let way = DVec3::from(layout.place(state, a)) - DVec3::from(layout.place(state, b));
        let found = way.length();
        if found < 1e-9 {
            continue;
        }
        let off = found - length;
        sum += scale * off * off;
        let g = way * (factor * scale * 2.0 * off / found);
        layout.add_to_place(by_state, a, g.to_array());
        layout.add_to_place(by_state, b, (-g).to_array());
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Figure;
    use sinew_sim::embedded;

    struct Given {
        layout: Layout,
        standard: Standard,
        /// before, state, wanted, controls
        rows: [Vec<f64>; 4],
    }

    fn given() -> Given {
        let layout = Layout::new(&Figure::new(&embedded::humanoid(), 0.0).unwrap());
        let dims = layout.dims();
        let wave = |seed: f64, count: usize| (0..count).map(|k| libm::sin(seed + 1.7 * k as f64)).collect::<Vec<f64>>();
        let deviation = (0..dims).map(|k| 0.1 + 0.02 * (k % 7) as f32).collect();
        let standard = Standard { mean: wave(4.0, dims).iter().map(|&x| 0.3 * x as f32).collect(), deviation };
        let mut rows = [wave(0.3, dims), wave(1.1, dims), wave(2.2, dims), wave(0.7, 9)];
        // All sites touch in both frames, but the first of a foot, which has lifted.
        for row in &mut rows[..2] {
            row[layout.contacts.clone()].fill(30.0);
        }
        rows[1][layout.contacts.start + layout.feet[0].1] = -30.0;
        Given { layout, standard, rows }
    }

    fn evaluate(given: &Given, weights: &LossWeights) -> (LossTerms, [Vec<f64>; 3]) {
        let [before, state, wanted, controls] = &given.rows;
        let open: Vec<Option<f64>> = (0..9).map(|k| (k % 3 != 1).then_some(0.2 * k as f64)).collect();
        let frame = Frame { before, state, wanted, controls, wanted_controls: &open };
        let mut by = [vec![0.0; before.len()], vec![0.0; before.len()], vec![0.0; 9]];
        let [b, s, c] = &mut by;
        let mut gradient = FrameGradient { before: b, state: s, controls: c };
        let terms = loss(&given.layout, &given.standard, weights, &frame, 1.0, &mut gradient);
        (terms, by)
    }

    fn assert_gradient(name: &str, weights: &LossWeights, is_there: [bool; 3]) {
        let mut given = given();
        let (terms, by) = evaluate(&given, weights);
        assert!(terms.total > 0.0, "{name}");
        for (part, (row, by)) in [0, 1, 3].into_iter().zip(&by).enumerate() {
            assert_eq!(by.iter().any(|g| *g != 0.0), is_there[part], "{name}, part {part}");
            for column in 0..by.len() {
                let mut moved = |by: f64| {
                    given.rows[row][column] += by;
                    evaluate(&given, weights).0.total
                };
                let (above, below) = (moved(1e-5), moved(-2e-5));
                moved(1e-5);
                let expected = (above - below) / 2e-5;
                let off = (by[column] - expected).abs();
                assert!(
                    off < 1e-6 * (1.0 + expected.abs() + 1e-3 * terms.total),
                    "{name}, part {part}, column {column}: {}, by differences {expected}",
                    by[column]
                );
            }
        }
    }

    const NONE: LossWeights = LossWeights { motion: 0.0, objective: 0.0, contact: 0.0, rigid: 0.0, step: 3.0 };

    #[test]
    fn the_gradient_of_the_motion() {
        assert_gradient("motion", &LossWeights { motion: 0.7, ..NONE }, [false, true, false]);
    }

    #[test]
    fn the_gradient_of_the_objective() {
        assert_gradient("objective", &LossWeights { objective: 0.7, ..NONE }, [false, false, true]);
    }

    #[test]
    fn the_gradient_of_the_contact() {
        assert_gradient("contact", &LossWeights { contact: 0.7, ..NONE }, [true, true, false]);
    }

    #[test]
    fn the_gradient_of_the_rigid_links() {
        assert_gradient("rigid", &LossWeights { rigid: 0.7, ..NONE }, [false, true, false]);
    }

    #[test]
    fn a_walk_whose_feet_stand_has_no_loss() {
        // The root moves and turns; every foot stays where it is, seen from the new heading frame.
        let given = given();
        let layout = &given.layout;
        let plain = Standard { mean: vec![0.0; layout.dims()], deviation: vec![1.0; layout.dims()] };
        let figure = Figure::new(&embedded::humanoid(), 0.0).unwrap();
        let step = crate::GroundTransform { x: 0.05, y: 0.02, yaw: 0.2 };
        let before = layout.encode(&figure, figure.model().rest_position(), &step, u32::MAX);
        let mut state = before.clone();
        for &(place, _) in &layout.feet {
            let was = layout.place(&before, place);
            let by = step.inverse().place(was);
            layout.add_to_place(&mut state, place, [by[0] - was[0], by[1] - was[1], 0.0]);
        }
        let weights = LossWeights { contact: 1.0, ..NONE };
        let found = |state: &Vec<f64>| {
            let mut rows = [vec![0.0; layout.dims()], vec![0.0; layout.dims()]];
            let [b, s] = &mut rows;
            let mut gradient = FrameGradient { before: b, state: s, controls: &mut [] };
            let frame = Frame { before: &before, state, wanted: state, controls: &[], wanted_controls: &[] };
            loss(layout, &plain, &weights, &frame, 1.0, &mut gradient)
        };
        assert!(found(&state).contact < 1e-20);
        // One foot slides by a hundredth of the height.
        layout.add_to_place(&mut state, layout.feet[0].0, [layout.unit_m, 0.0, 0.0]);
        assert!((found(&state).contact - 1.0).abs() < 1e-9);
        // Links of the true pose have their lengths.
        assert!(found(&before).rigid < 1e-15);
    }
}
