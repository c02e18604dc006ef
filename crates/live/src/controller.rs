//! A character's controller: its state in, PD targets out; a plan is made while the last one acts.
//!
//! In each frame of 0.025 s the host calls [`Controller::plan`] with the present state, which makes the plan that begins with a later frame
//! ([`LiveConfig::replan_frames`]), and [`Controller::targets`] as often as it likes, which is the present plan's feedback law. A host that has no
//! time for a plan leaves it out: the last plan acts to its end, then the PD targets stay where they are and damp.

use crate::config::{LiveConfig, Method};
use crate::error::LiveError;
use crate::fan::{Course, Fan, Way, cheapest, has_fallen};
use crate::gauss_newton::{GaussNewton, Starts};
use crate::motion::{Motion, between};
use crate::plan::{Knot, Plan, own_knot};
use crate::regulator::Regulator;
use crate::sampling::{Noise, Sampling};
use crate::weights::Weights;
use crate::window::Window;
use sinew_learn::GroundTransform;
use sinew_sim::{Measured, Model};
use sinew_transfer::FRAME_SECS;
use std::sync::Arc;

/// Share of the root's height below which the lowest end effector stands, and how fast the height of the ground is felt, s.
const STANDING: f64 = 0.03;
const FEEL_SECS: f64 = 0.1;

/// Where a character is: its `qpos` and `qvel`.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    /// `qpos`.
    pub position: &'a [f64],
    /// `qvel`.
    pub velocity: &'a [f64],
}

/// What the PD targets come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// A plan that was made in time.
    Planned,
    /// A plan that should have been replaced so many frames ago.
    Held(u64),
    /// Nothing any more: the last plan has come to its end, and the targets stay where they were.
    Damped,
}

/// Plans a character's motion while it moves.
pub struct Controller {
    motion: Motion,
    config: LiveConfig,
    weights: Weights,
    regulator: Regulator,
    /// Where the motion lies, as if the ground were level everywhere.
    place: GroundTransform,
    /// Height of the ground under the character over that of the planner's scene, m.
    level: f64,
    frame: u64,
    plan: Plan,
    /// Plans that could not be made.
    failed_plans: u64,
    starts: Fan,
    gauss_newton: Option<GaussNewton>,
    sampling: Option<Sampling>,
    targets: Vec<f64>,
}

impl Controller {
    /// A controller that performs a motion; its plans are simulated in the motion's own scene.
    ///
    /// # Errors
    /// Where a setting is out of its range or no world can be made.
    pub fn new(motion: &Motion, config: &LiveConfig) -> Result<Controller, LiveError> {
        config.check()?;
        let model = Model::new(motion.model().scene(), FRAME_SECS / config.steps_per_frame as f64)?;
        let motion = motion.with_model(Arc::new(model));
        let weights = Weights::new(&motion, &config.sizes);
        let regulator = Regulator::new(&motion, config, &weights)?;
        let window = Window::new(&motion, &GroundTransform::default(), 0, 2);
        let course = Course { motion: &motion, regulator: &regulator, weights: &weights, config, window: &window };
        let gauss_newton = (config.method == Method::GaussNewton).then(|| GaussNewton::new(course)).transpose()?;
        let sampling = (config.method == Method::Sampling).then(|| Sampling::new(course)).transpose()?;
        Ok(Controller {
            starts: Fan::new(&motion, config.starts)?,
            targets: motion.at(0)[2].to_vec(),
            gauss_newton,
            sampling,
            weights,
            regulator,
            config: *config,
            place: GroundTransform::default(),
            level: 0.0,
            frame: 0,
            plan: Plan::default(),
            failed_plans: 0,
            motion,
        })
    }

    /// The motion, with the planner's model.
    pub fn motion(&self) -> &Motion {
        &self.motion
    }
    /// The settings.
    pub fn config(&self) -> &LiveConfig {
        &self.config
    }
    /// Frames since the beginning.
    pub fn frame(&self) -> u64 {
        self.frame
    }
    /// The present plan.
    pub fn present_plan(&self) -> &Plan {
        &self.plan
    }
    /// Plans that could not be made: every way to go on was beyond reason.
    pub fn failed_plans(&self) -> u64 {
        self.failed_plans
    }
    /// Rollouts of one horizon that a plan takes, those for finite differences included.
    pub fn rollouts_per_plan(&self) -> usize {
        let nv = self.motion.model().velocity_count();
        self.config.starts
            + match self.config.method {
                Method::GaussNewton => {
                    let sides = if self.config.two_sided { 2 } else { 1 };
                    self.config.rounds * (1 + sides * (2 * nv + self.motion.dofs().count) + self.config.shares)
                }
                Method::Sampling => (1 + self.config.sample_rounds) * self.config.samples,
            }
    }

    /// `qpos` and `qvel` of the motion in the present frame, where it lies now.
    pub fn wanted(&self) -> (Vec<f64>, Vec<f64>) {
        let mut row = self.motion.placed(self.frame, &self.place);
        row.position[2] += self.level;
        (row.position, row.velocity)
    }

    /// A position as it would be with the ground at the height of the planner's scene.
    fn levelled(&self, position: &[f64]) -> Vec<f64> {
        let mut position = position.to_vec();
        position[2] -= self.level;
        position
    }

    /// Whether a character in this state has fallen beside the motion.
    pub fn has_fallen(&self, state: State<'_>) -> bool {
        has_fallen(&self.motion, &self.motion.placed(self.frame, &self.place), &self.levelled(state.position))
    }

    /// What the present PD targets come from.
    pub fn holding(&self) -> Holding {
        let age = self.frame.saturating_sub(self.plan.first);
        match self.plan.knot(self.frame) {
            None => Holding::Damped,
            Some(_) if age < self.config.replan_frames as u64 => Holding::Planned,
            Some(_) => Holding::Held(1 + age - self.config.replan_frames as u64),
        }
    }

    /// Begins anew at a state: the motion is put to where it is, and the first plan is the motion's own policy.
    pub fn begin(&mut self, state: State<'_>) {
        self.place = self.motion.place_at(self.frame, state.position);
        let window = self.window();
        let own = |k: u64| own_knot(&self.motion, &self.regulator, &window, self.frame + k);
        self.plan = Plan { first: self.frame, knots: (0..self.config.horizon_frames as u64).map(own).collect() };
    }

    /// Moves the motion towards where the body is: along the ground to where its extrapolated centre of mass `p + v/ω` is (Hof 2008: steps that
    /// keep their offset to that point keep the balance), and about the vertical to where it looks.
    fn follow(&mut self, state: State<'_>) {
        let row = self.motion.placed(self.frame, &self.place);
        let omega = (self.motion.model().gravity() / self.motion.height()).sqrt();
        let share = |secs: f64| match secs {
            secs if secs > 0.0 => 1.0 - libm::exp(-FRAME_SECS * self.config.replan_frames as f64 / secs),
            _ => 1.0,
        };
        let off = between(&row.position, state.position);
        let yaw = share(self.config.turn_secs) * off.yaw;
        // About the motion's own root.
        let [x, y] = [row.position[0], row.position[1]];
        let (sin, cos) = libm::sincos(yaw);
        let along = |k: usize| {
            let ahead = if omega > 0.0 { (state.velocity[k] - row.velocity[k]) / omega } else { 0.0 };
            share(self.config.follow_secs) * (state.position[k] - row.position[k] + ahead)
        };
        let turn =
            GroundTransform { x: x - (cos * x - sin * y) + along(0), y: y - (sin * x + cos * y) + along(1), yaw };
        self.place = turn.then_after(&self.place);
        self.feel(state, row.frame);
    }

    /// Where the motion stands on the ground, the lowest end effector says how high that is.
    fn feel(&mut self, state: State<'_>, index: usize) {
        if self.motion.clearance(index) > STANDING * self.motion.height() {
            return;
        }
        let measured = Measured::new(self.motion.model(), state.position, state.velocity, [0.0; 3]);
        let low = measured.end_effectors.iter().map(|place| place[2]).fold(f64::INFINITY, f64::min);
        let off = low - self.motion.lowest(index) - self.level;
        let share = 1.0 - libm::exp(-FRAME_SECS * self.config.replan_frames as f64 / FEEL_SECS);
        if off.is_finite() {
            self.level += share * off;
        }
    }

    fn window(&self) -> Window {
        let frames = self.config.horizon_frames + self.config.replan_frames + 2;
        Window::new(&self.motion, &self.place, self.frame, frames)
    }

    /// Makes the next plan from the present state. Where none can be made the present one stays.
    ///
    /// # Errors
    /// Where a world cannot be used: not on its way.
    pub fn plan(&mut self, state: State<'_>) -> Result<(), LiveError> {
        self.follow(state);
        let levelled = self.levelled(state.position);
        let state = State { position: &levelled, ..state };
        let window = self.window();
        let Controller { motion, regulator, weights, config, .. } = self;
        let course = Course { motion, regulator, weights, config, window: &window };
        let (lead, horizon) = (config.replan_frames, config.horizon_frames);
        let frames = lead + horizon;
        let own: Vec<Knot> = (0..frames as u64).map(|k| own_knot(motion, regulator, &window, self.frame + k)).collect();
        let planned: Vec<Knot> =
            (0..frames).map(|k| self.plan.knot(self.frame + k as u64).unwrap_or(&own[k]).clone()).collect();
        let noise = Noise::new(config, config.starts - 2, frames, motion.dofs().count, 1, self.frame);
        let starts = Starts { course, planned: &planned, own: &own, noise: &noise, common: lead };
        let start = (state.position, state.velocity);
        let ways = self.starts.run(course, start, self.frame, frames, lead, &starts)?;
        let best = &ways[cheapest(&ways)];
        let mut nominal =
            Way { states: best.states[lead..].to_vec(), controls: best.controls[lead..].to_vec(), ..Way::default() };
        let first = self.frame + lead as u64;
        let mut found = None;
        if best.cost < f64::MAX {
            if let Some(method) = &mut self.gauss_newton {
                for round in 0..config.rounds {
                    let Some(plan) = method.improve(course, first, &nominal)? else { break };
                    if round + 1 < config.rounds {
                        let knots = plan.knots.iter();
                        nominal.states = knots.clone().map(|k| (k.position.clone(), k.velocity.clone())).collect();
                        nominal.controls = knots.map(|k| k.control.clone()).collect();
                    }
                    found = Some(plan);
                }
            }
            if let Some(method) = &mut self.sampling {
                found = method.improve(course, first, &nominal, &own[lead..])?;
            }
        }
        match found {
            Some(mut plan) => {
                // Until it begins, the present plan goes on.
                let before = planned[..lead].to_vec();
                plan.knots.splice(..0, before);
                plan.first = self.frame;
                self.plan = plan;
            }
            None => self.failed_plans += 1,
        }
        Ok(())
    }

    /// PD targets in `qpos` order at a share of the present frame and at a later one, for a character in this state at the first.
    pub fn targets(&mut self, state: State<'_>, shares: [f64; 2]) -> [Vec<f64>; 2] {
        let Some(knot) = self.plan.knot(self.frame) else {
            return [self.targets.clone(), self.targets.clone()];
        };
        let model = self.motion.model();
        let mut expected = knot.clone();
        if shares[0] > 0.0
            && let Some(next) = self.plan.knot(self.frame + 1)
        {
            let mut way = vec![0.0; model.velocity_count()];
            model.difference(&knot.position, &next.position, &mut way);
            model.displace(&knot.position, &way, shares[0], &mut expected.position);
            let speeds = expected.velocity.iter_mut().zip(&next.velocity);
            speeds.for_each(|(v, next)| *v += shares[0] * (next - *v));
        }
        let mut control = vec![0.0; self.motion.dofs().count];
        let mut room = Vec::new();
        let levelled = self.levelled(state.position);
        expected.decide(model, &levelled, state.velocity, self.config.largest_change_rad, &mut room, &mut control);
        let [now, next] = [0, 1].map(|k| self.motion.at(self.motion.index(self.frame + k).0)[2]);
        let mut way = vec![0.0; model.velocity_count()];
        model.difference(now, next, &mut way);
        let mut action = now.to_vec();
        let rows = shares.map(|share| {
            model.displace(now, &way, share, &mut action);
            let mut row = vec![0.0; model.position_count()];
            self.motion.dofs().add(&action, &control, &mut row);
            row
        });
        self.targets.clone_from(&rows[1]);
        rows
    }

    /// The present frame is over.
    pub fn advance(&mut self) {
        self.frame += 1;
    }
}
