//! Linear feedback along a motion whose controls are known: `u = K·(x ⊖ x̄)`, a gain matrix for every frame.
//!
//! The linear–quadratic regulator (Anderson & Moore 1990) of the simulator's own linear models: from the end of a stretch backwards, with the value
//! `½ xᵀ·V·x` of a deviation,
//!
//! ```text
//! K = −(R + Bᵀ·V·B)⁻¹·Bᵀ·V·A,   V ← Q + Aᵀ·V·(A + B·K)
//! ```
//!
//! It keeps a body exactly on its motion and is lost some centimetres away from it, so that it is a teacher (see `update`), and no policy.

use crate::body::TrackedBody;
use crate::config::TrackerConfig;
use crate::environment::Environment;
use crate::error::TrackError;
use crate::frame_model::FrameModel;
use crate::reference::{Frame, Reference};
use rayon::prelude::*;
use sinew_transfer::{Cores, Matrix};

/// Deviations that cost 1 each. Of the root: its place and height, as shares of its height; its turn, rad; its velocity, as a share of √(g·height); its spin,
/// rad/s. Of the joints, in the mean over all angles: angles, rad; velocities, rad/s; turns of PD targets, rad.
const ROOT_PLACE: f64 = 0.3;
const ROOT_HEIGHT: f64 = 0.1;
const ROOT_TURN: f64 = 0.2;
const ROOT_SPEED: f64 = 0.2;
const ROOT_SPIN: f64 = 2.0;
const ANGLE: f64 = 0.2;
const ANGLE_SPEED: f64 = 10.0;
const TARGET_TURN: f64 = 0.016;
/// Largest action that it asks for.
const MOST_ACTION: f64 = 4.0;
/// Frames whose models are measured together.
const AT_A_TIME: usize = 8;

/// Gains of every frame of a reference.
pub(crate) struct Expert {
    gains: Vec<Matrix>,
}

impl Expert {
    /// Finds the gains.
    ///
    /// # Errors
    /// Where the controls of the motion are not fed forward, worlds cannot be made, or the work was told to stop.
    pub fn new(body: &TrackedBody, reference: &Reference, config: &TrackerConfig) -> Result<Expert, TrackError> {
        if !config.feeds_controls {
            return Err(TrackError::NoControls);
        }
        let (states, actions) = (2 * body.model.velocity_count(), body.coordinate_count());
        let cost = Cost::new(body, f64::from(reference.frame(0).position[2]));
        // Nothing follows the last frame.
        let mut gains = vec![Matrix::zeros(actions, states); reference.frame_count()];
        for stretch in reference.stretches() {
            let frames: Vec<usize> = (stretch.start..stretch.end - 1).collect();
            let mut value = Matrix::zeros(states, states);
            cost.add(&mut value);
            for frames in frames.rchunks(AT_A_TIME) {
                sinew_work::check_cancelled()?;
                let models = FrameModel::of_frames(body, reference, config, frames)?;
                for (&frame, model) in frames.iter().zip(&models).rev() {
                    (gains[frame], value) = cost.back(model, &value);
                }
            }
        }
        Ok(Expert { gains })
    }

    /// What it would do in all worlds of an environment.
    pub fn actions(&self, environment: &Environment<'_>, config: &TrackerConfig) -> Vec<f32> {
        let (body, reference, state) = (environment.body, environment.reference, &environment.state);
        let (nq, nv, n) = (body.model.position_count(), body.model.velocity_count(), body.coordinate_count());
        let mut actions = vec![0.0; n * environment.worlds()];
        actions.par_chunks_exact_mut(n).zip(&state.places).enumerate().for_each(|(world, (action, place))| {
            let frame = place.frame as usize;
            let position = &state.positions[world * nq..(world + 1) * nq];
            let velocity = &state.velocities[world * nv..(world + 1) * nv];
            let deviation = deviation(body, &reference.frame(frame), position, velocity);
            let mut turns = vec![0.0; n];
            self.gains[frame].add_vector(&deviation, &mut turns);
            for (action, turn) in action.iter_mut().zip(turns) {
                *action = (turn / config.action_rad).clamp(-MOST_ACTION, MOST_ACTION) as f32;
            }
        });
        actions
    }
}

/// `x ⊖ x̄`: coordinates, then velocities.
fn deviation(body: &TrackedBody, frame: &Frame<'_>, position: &[f32], velocity: &[f32]) -> Vec<f64> {
    let nv = body.model.velocity_count();
    let wide = |row: &[f32]| row.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
    let mut deviation = vec![0.0; nv];
    body.model.difference(&wide(frame.position), &wide(position), &mut deviation);
    deviation.extend(velocity.iter().zip(frame.velocity).map(|(own, wanted)| f64::from(own - wanted)));
    deviation
}

/// `½ xᵀ·Q·x + ½ r·|u|²` of a frame, Q diagonal.
struct Cost {
    state: Vec<f64>,
    action: f64,
}

impl Cost {
    fn new(body: &TrackedBody, height: f64) -> Cost {
        let driven = body.model.velocity_count() - 6;
        let of = |size: f64| 1.0 / (size * size);
        let of_joints = |size: f64| of(size) / driven as f64;
        let mut state = vec![of(ROOT_PLACE * height); 2];
        state.push(of(ROOT_HEIGHT * height));
        state.extend([of(ROOT_TURN); 3]);
        state.extend(vec![of_joints(ANGLE); driven]);
        state.extend([of(ROOT_SPEED * (body.model.gravity() * height).sqrt()); 3]);
        state.extend([of(ROOT_SPIN); 3]);
        state.extend(vec![of_joints(ANGLE_SPEED); driven]);
        Cost { state, action: of_joints(TARGET_TURN) }
    }

    /// Adds Q.
    fn add(&self, value: &mut Matrix) {
        self.state.iter().enumerate().for_each(|(i, cost)| value.row_mut(i)[i] += cost);
    }

    /// The gains of a frame, and the value at its beginning from that at its end. Where numbers leave all bounds, the frame has no gains.
    fn back(&self, model: &FrameModel, value: &Matrix) -> (Matrix, Matrix) {
        let FrameModel { by_state: a, by_action: b } = model;
        let (n, m) = (a.cols, b.cols);
        let (mut va, mut vb) = (Matrix::default(), Matrix::default());
        va.set_product(value, a, Cores::One);
        vb.set_product(value, b, Cores::One);
        let (mut curvature, mut slope) = (Matrix::zeros(m, m), Matrix::zeros(m, n));
        curvature.add_symmetric_product(b, &vb, Cores::One);
        (0..m).for_each(|i| curvature.row_mut(i)[i] += self.action);
        curvature.mirror();
        slope.add_transposed_product(b, &va, Cores::One);
        let mut gains = slope.clone();
        gains.data.iter_mut().for_each(|x| *x = -*x);
        match curvature.cholesky() {
            Some(factor) => factor.solve(&mut gains),
            None => gains = Matrix::zeros(m, n),
        }
        let mut earlier = Matrix::zeros(n, n);
        earlier.add_symmetric_product(a, &va, Cores::One);
        earlier.add_symmetric_product(&slope, &gains, Cores::One);
        earlier.mirror();
        self.add(&mut earlier);
        (gains, earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disturbance::Kick;
    use crate::environment::Ends;
    use crate::test_motion::{performed, small_config, small_performed_config};

    /// Steps a world for so many frames from frame 5 on. Returns the root mean square of its deviation after the first frame and after the last.
    fn run(config: &TrackerConfig, with: Option<&Expert>, kick: f32, frames: usize) -> [f64; 2] {
        let (body, reference) = performed(config);
        let mut environment = Environment::new(&body, &reference, config, Ends::new(&body, config), 1).unwrap();
        environment.place(&[0], &[5]).unwrap();
        environment.kick(&[Kick { world: 0, change: [0.0, kick, 0.0, 0.0, 0.0, kick] }]).unwrap();
        let mut sizes = Vec::new();
        for _ in 0..frames {
            let actions = match with {
                Some(expert) => expert.actions(&environment, config),
                None => vec![0.0; body.coordinate_count()],
            };
            environment.step(&actions).unwrap();
            let state = &environment.state;
            let frame = reference.frame(state.places[0].frame as usize);
            let off = deviation(&body, &frame, &state.positions, &state.velocities);
            sizes.push((off.iter().map(|x| x * x).sum::<f64>() / off.len() as f64).sqrt());
        }
        [sizes[0], sizes[frames - 1]]
    }

    #[test]
    fn controls_that_are_fed_forward_repeat_their_motion_and_poses_do_not() {
        let config = small_performed_config();
        let [_, fed] = run(&config, None, 0.0, 30);
        assert!(fed < 1e-3, "{fed}");
        let [_, posed] = run(&TrackerConfig { feeds_controls: false, ..config }, None, 0.0, 30);
        assert!(posed > 0.05, "{posed}");
    }

    #[test]
    fn the_expert_brings_a_pushed_body_back_to_its_motion() {
        let config = small_performed_config();
        let (body, reference) = performed(&config);
        let expert = Expert::new(&body, &reference, &config).unwrap();
        let ([first, alone], [_, led]) = (run(&config, None, 0.1, 30), run(&config, Some(&expert), 0.1, 30));
        assert!(led < 0.3 * first && led < 0.3 * alone, "{first}, {alone} alone, {led} led");
        assert!(expert.gains.last().unwrap().data.iter().all(|x| *x == 0.0), "nothing follows the last frame");
        let unknown = Expert::new(&body, &reference, &small_config()).err().unwrap().to_string();
        assert!(unknown.contains("no controls to feed forward"), "{unknown}");
    }
}
