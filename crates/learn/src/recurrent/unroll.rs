//! A window of frames under the network's own output: the true pose is given at its beginning alone, and the gradient goes back through every frame.

use super::examples::{BOUND, Examples, Stretch, append_input};
use super::layout::{Layout, STEP};
use super::losses::{Frame, FrameGradient, LossTerms, LossWeights, loss};
use super::network::Network;
use crate::ground_transform::{GroundTransform, wrap_angle};
use crate::intent::{CONTROLS, Control};
use crate::objective::Objective;
use sinew_nn::{LstmState, Real};

/// How windows are run through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unroll<'a> {
    pub examples: &'a Examples,
    pub weights: LossWeights,
    /// Share of the present pose that the next one begins with.
    pub carried_share: f64,
    /// Share of the difference to the root of the set that the next step is to take back.
    pub return_share: f64,
}

/// Share of a column that is carried on to the next state: nothing of the root's way and of contacts.
pub(crate) fn carried(layout: &Layout, share: f64, column: usize) -> f64 {
    if STEP.contains(&column) || layout.contacts.contains(&column) { 0.0 } else { share }
}

impl std::fmt::Debug for Examples {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Examples of {} sequences", self.sequences.len())
    }
}

impl Unroll<'_> {
    /// Runs a window of `frames` steps of all stretches, from their step `offset` on, and adds the gradient of the mean loss of a number to the network's.
    /// `state` is replaced by that after the window.
    pub fn window<T: Real>(
        &self,
        network: &mut Network<T>,
        state: &mut LstmState<T>,
        stretches: &[Stretch],
        offset: usize,
        frames: usize,
    ) -> LossTerms {
        let (layout, dims, rows) = (&self.examples.layout, self.examples.layout.dims(), stretches.len());
        let share = 1.0 / (rows * frames) as f64;
        let mut own: Vec<GroundTransform> = stretches.iter().map(|s| self.true_frame(s, offset)).collect();
        // States from the true one on, and the gradients by them; row by row.
        let mut states: Vec<Vec<f64>> = Vec::with_capacity(frames + 1);
        states.push(stretches.iter().flat_map(|s| self.examples.row(s.sequence, s.first + offset)).collect());
        let mut gradients: Vec<Vec<f64>> = vec![vec![0.0; rows * dims]; frames + 1];
        let mut control_gradients: Vec<Vec<f64>> = vec![vec![0.0; rows * CONTROLS]; frames];
        let mut terms = LossTerms::default();
        network.begin(state, rows, frames);
        let mut input = Vec::new();
        for step in 0..frames {
            input.clear();
            for (row, stretch) in stretches.iter().enumerate() {
                self.append(stretch, offset + step, &own[row], &states[step][row * dims..][..dims], &mut input);
            }
            let output = network.forward_step(&input);
            let mut next = vec![0.0; rows * dims];
            for (row, stretch) in stretches.iter().enumerate() {
                let output = &output[row * (dims + CONTROLS)..][..dims + CONTROLS];
                let before = &states[step][row * dims..][..dims];
                let now = &mut next[row * dims..][..dims];
                for column in 0..dims {
                    now[column] =
                        carried(layout, self.carried_share, column) * before[column] + output[column].to_f64();
                }
                let controls: Vec<f64> = output[dims..].iter().map(|x| x.to_f64()).collect();
                let frame = Frame {
                    before,
                    state: now,
                    wanted: &self.wanted(stretch, offset + step, &own[row]),
                    controls: &controls,
                    wanted_controls: &self.wanted_controls(stretch, offset + step),
                };
                let (earlier, later) = gradients.split_at_mut(step + 1);
                let mut gradient = FrameGradient {
                    before: &mut earlier[step][row * dims..][..dims],
                    state: &mut later[0][row * dims..][..dims],
                    controls: &mut control_gradients[step][row * CONTROLS..][..CONTROLS],
                };
                let standard = &self.examples.standard;
                let scale = share / dims as f64;
                terms.add(&loss(layout, standard, &self.weights, &frame, scale, &mut gradient), scale);
                let way: Vec<f64> = STEP.map(|column| standard.raw(column, now[column])).collect();
                own[row] = own[row].then_after(&Layout::step(&way));
            }
            states.push(next);
        }
        network.end(state);
        self.backward(network, &states, &mut gradients, &control_gradients, rows);
        terms
    }

    fn backward<T: Real>(
        &self,
        network: &mut Network<T>,
        states: &[Vec<f64>],
        gradients: &mut [Vec<f64>],
        control_gradients: &[Vec<f64>],
        rows: usize,
    ) {
        let (layout, dims) = (&self.examples.layout, self.examples.layout.dims());
        let inputs = self.examples.input_count();
        let mut by_output = Vec::new();
        for step in (0..control_gradients.len()).rev() {
            by_output.clear();
            let (earlier, later) = gradients.split_at_mut(step + 1);
            for row in 0..rows {
                by_output.extend(later[0][row * dims..][..dims].iter().map(|&g| T::from_f64(g)));
                by_output.extend(control_gradients[step][row * CONTROLS..][..CONTROLS].iter().map(|&g| T::from_f64(g)));
            }
            let by_input = network.backward_step(&by_output);
            for row in 0..rows {
                let sums = &mut earlier[step][row * dims..][..dims];
                for (column, sum) in sums.iter_mut().enumerate() {
                    if states[step][row * dims + column].abs() < BOUND {
                        *sum += by_input[row * inputs + column].to_f64();
                    }
                    *sum += carried(layout, self.carried_share, column) * later[0][row * dims + column];
                }
            }
        }
        network.finish_backward();
    }

    fn true_frame(&self, stretch: &Stretch, step: usize) -> GroundTransform {
        self.examples.sequences[stretch.sequence].frames[stretch.first + step]
    }

    /// Appends the input of a row: what is asked for is seen from where the generated root is.
    fn append<T: Real>(
        &self,
        stretch: &Stretch,
        step: usize,
        own: &GroundTransform,
        state: &[f64],
        input: &mut Vec<T>,
    ) {
        let asked = Objective::of_intent(&stretch.intents[step], &self.true_frame(stretch, step), 0.0);
        let examples = self.examples;
        append_input(state, &asked.seen_from(own, 0.0), examples.actions.len(), &examples.controls, T::from_f64, input);
    }

    /// The state of the set after a step, with the root's way towards that of the set.
    fn wanted(&self, stretch: &Stretch, step: usize, own: &GroundTransform) -> Vec<f64> {
        let mut wanted: Vec<f64> = self.examples.row(stretch.sequence, stretch.first + step + 1).collect();
        if self.return_share > 0.0 {
            let off = own.inverse().then_after(&self.true_frame(stretch, step));
            for (column, off) in STEP.zip([off.x, off.y, wrap_angle(off.yaw)]) {
                let deviation = f64::from(self.examples.standard.deviation[column]);
                wanted[column] += self.return_share * off / deviation;
            }
        }
        wanted
    }

    fn wanted_controls(&self, stretch: &Stretch, step: usize) -> Vec<Option<f64>> {
        let intent = &self.examples.sequences[stretch.sequence].intents[stretch.first + step + 1];
        let standardised = |(k, control): (usize, &Control)| {
            intent.get(*control).map(|x| self.examples.controls.standardised(k, f64::from(x)))
        };
        Control::ALL.iter().enumerate().map(standardised).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::network::NetworkShape;
    use super::*;
    use crate::intent::Intent;
    use crate::test_walks::stepping;
    use sinew_nn::Parameters;

    #[test]
    fn the_gradient_of_a_window_is_that_of_its_loss() {
        let (figure, mut set) = stepping(1.0, 12);
        set.sequences[0].intents.fill(Intent::new(1).with(Control::Speed, 1.0));
        let examples = Examples::new(&set, &figure);
        for (carried_share, encoder) in [(0.7, vec![]), (0.0, vec![4])] {
            let weights = LossWeights { motion: 1.0, objective: 0.3, contact: 6e-3, rigid: 0.01, step: 2.0 };
            let unroll = Unroll { examples: &examples, weights, carried_share, return_share: 0.0 };
            let outputs = examples.layout.dims() + CONTROLS;
            let shape = NetworkShape { inputs: examples.input_count(), encoder, hidden: vec![3, 2], outputs };
            let mut network = Network::<f64>::new(&shape, 5);
            let intents = vec![Intent::new(1).with(Control::Speed, 1.2); 6];
            let stretches: Vec<Stretch> =
                (0..2).map(|first| Stretch { sequence: 0, first, intents: intents.clone() }).collect();
            let run =
                |network: &mut Network<f64>| unroll.window(network, &mut network.zero_state(2), &stretches, 1, 4).total;
            network.clear_gradients();
            run(&mut network);
            let mut found = Vec::new();
            network.each(&mut |p| found.extend_from_slice(p.gradient()));
            let change = |network: &mut Network<f64>, at: usize, by: f64| {
                let mut from = 0;
                network.each_mut(&mut |p| {
                    let count = p.values().len();
                    if (from..from + count).contains(&at) {
                        p.values_mut()[at - from] += by;
                    }
                    from += count;
                });
            };
            // Some of the parameters of every layer.
            for at in (0..found.len()).step_by(17) {
                change(&mut network, at, 1e-5);
                let above = run(&mut network);
                change(&mut network, at, -2e-5);
                let below = run(&mut network);
                change(&mut network, at, 1e-5);
                let expected = (above - below) / 2e-5;
                let off = (found[at] - expected).abs();
                assert!(off < 1e-6 * (1.0 + expected.abs()), "{at}: {}, by differences {expected}", found[at]);
            }
        }
    }

    #[test]
    fn a_root_beside_that_of_the_set_is_told_to_return() {
        let (figure, set) = stepping(1.0, 12);
        let examples = Examples::new(&set, &figure);
        let weights = LossWeights { motion: 1.0, objective: 0.0, contact: 0.0, rigid: 0.0, step: 1.0 };
        let unroll = Unroll { examples: &examples, weights, carried_share: 0.5, return_share: 0.1 };
        let stretch = Stretch { sequence: 0, first: 2, intents: Vec::new() };
        let here = unroll.true_frame(&stretch, 3);
        // 0.2 m to the left of where it should be.
        let beside = here.then_after(&GroundTransform { x: 0.0, y: 0.2, yaw: 0.0 });
        let [straight, back] = [here, beside].map(|own| unroll.wanted(&stretch, 3, &own));
        let raw = |row: &[f64]| examples.standard.raw(1, row[1]);
        assert!((raw(&back) - raw(&straight) + 0.02).abs() < 1e-9, "{}", raw(&back));
        assert_eq!(straight[0], back[0]);
    }
}
