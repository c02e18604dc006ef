//! A world with one character that performs its motion live: pushed, dragged, hit, on steps and slopes, fallen and put back.

use crate::controller::{Controller, Holding, State};
use crate::error::LiveError;
use sinew_sim::{Batch, BatchOptions, DampsTo, Interval, Model, Scene, Status, World};
use sinew_transfer::FRAME_SECS;
use std::sync::Arc;

/// How long a character that has fallen lies limp, s.
const LIMP_SECS: f64 = 1.0;
/// What is left of its PD gains then.
const LIMP_GAIN: f64 = 0.05;

/// A force on a body for some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disturbance {
    /// Index of the body in the world.
    pub body: usize,
    /// Force in world axes at the body's centre of mass, N.
    pub force: [f64; 3],
    /// When it begins, s.
    pub at_secs: f64,
    /// How long it lasts, s.
    pub secs: f64,
}

/// A hand: a damped spring from a body to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Index of the body in the world.
    pub body: usize,
    /// Where it is dragged to, m.
    pub to: [f64; 3],
    /// Stiffness, N/m; it is damped critically for the whole mass.
    pub stiffness: f64,
}

/// What a frame ended with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Whether it fell in this frame.
    pub fell: bool,
    /// Whether it lies limp.
    pub is_limp: bool,
    /// What the PD targets came from.
    pub holding: Holding,
    /// Mean angle between the joints and the motion, rad.
    pub joints_off_rad: f64,
    /// Angle by which the root is tilted or turned against the motion, rad.
    pub root_off_rad: f64,
}

/// What happened since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageFigures {
    /// Frames that are over.
    pub frames: u64,
    /// Falls.
    pub falls: u64,
    /// Frames in which it lay limp.
    pub limp_frames: u64,
    /// Frames in which an older plan was held.
    pub held_frames: u64,
    /// Frames in which there was no plan any more.
    pub damped_frames: u64,
    /// Mean angle between the joints and the motion while it performed, rad.
    pub joints_off_rad: f64,
    /// Mean angle of the root against the motion, rad.
    pub root_off_rad: f64,
}

/// A world with a character under its controller.
pub struct Stage {
    controller: Controller,
    batch: Batch,
    steps_per_frame: usize,
    /// Decisions of the feedback law in a frame.
    decisions: usize,
    disturbances: Vec<Disturbance>,
    drag: Option<Drag>,
    limp_until: Option<u64>,
    figures: StageFigures,
    position: Vec<f64>,
    velocity: Vec<f64>,
}

impl Stage {
    /// Puts the controller's character onto the first frame of its motion, in a scene whose first character it is: its masses, the ground and all
    /// else may be other than the planner thinks. The feedback law decides `decisions` times in a frame.
    ///
    /// # Errors
    /// Where the scene cannot be compiled or begins with another character.
    pub fn new(
        controller: Controller,
        scene: &Scene,
        steps_per_frame: usize,
        decisions: usize,
    ) -> Result<Stage, LiveError> {
        let range = |field, value: usize| LiveError::Setting {
            field,
            value: value as f64,
            range: "at least 1, and steps a multiple of decisions".into(),
        };
        if decisions == 0 || steps_per_frame == 0 || !steps_per_frame.is_multiple_of(decisions) {
            return Err(range("decisions", decisions));
        }
        let model = Arc::new(Model::new(scene, FRAME_SECS / steps_per_frame as f64)?);
        let own = controller.motion().model();
        let (nq, nv) = (own.position_count(), own.velocity_count());
        let same = |(a, b): (&sinew_sim::JointInfo, &sinew_sim::JointInfo)| a.kind == b.kind;
        let fits = model.position_count() >= nq && own.joints().iter().zip(model.joints()).all(same);
        if !fits {
            return Err(LiveError::OtherCharacter { found: model.position_count(), needed: nq });
        }
        let batch = Batch::new(&model, 1, BatchOptions { threads: 1, ..BatchOptions::default() })?;
        let mut stage = Stage {
            controller,
            batch,
            steps_per_frame,
            decisions,
            disturbances: Vec::new(),
            drag: None,
            limp_until: None,
            figures: StageFigures::default(),
            position: vec![0.0; nq],
            velocity: vec![0.0; nv],
        };
        stage.put();
        Ok(stage)
    }

    /// The controller.
    pub fn controller(&self) -> &Controller {
        &self.controller
    }
    /// The world.
    pub fn world(&self) -> World<'_> {
        self.batch.world(0)
    }
    /// The compiled world.
    pub fn model(&self) -> &Arc<Model> {
        self.batch.model()
    }
    /// What happened so far.
    pub fn figures(&self) -> StageFigures {
        self.figures
    }
    /// `qpos` of the character.
    pub fn position(&self) -> &[f64] {
        &self.position
    }
    /// Time since the beginning, s.
    pub fn time_secs(&self) -> f64 {
        self.figures.frames as f64 * FRAME_SECS
    }
    /// A force that will act.
    pub fn disturb(&mut self, disturbance: Disturbance) {
        self.disturbances.push(disturbance);
    }
    /// A hand that drags from now on, or lets go.
    pub fn drag(&mut self, drag: Option<Drag>) {
        self.drag = drag;
    }

    /// Puts the character onto the motion, where that lies.
    fn put(&mut self) {
        let (position, velocity) = self.controller.wanted();
        let mut world = self.batch.world_mut(0);
        let (mut q, mut v) = (world.as_world().position(), world.as_world().velocity());
        q[..position.len()].copy_from_slice(&position);
        v[..velocity.len()].copy_from_slice(&velocity);
        world.restore(&sinew_sim::Snapshot::new(&q, &v));
        world.set_character_gain(0, 1.0);
        self.read();
        self.controller.begin(State { position: &self.position, velocity: &self.velocity });
    }

    fn read(&mut self) {
        let world = self.batch.world(0);
        let (q, v) = (world.position(), world.velocity());
        let (nq, nv) = (self.position.len(), self.velocity.len());
        self.position.copy_from_slice(&q[..nq]);
        self.velocity.copy_from_slice(&v[..nv]);
    }

    /// Makes the next plan from the present state; a host without time for one leaves this out. A character that lies limp plans nothing.
    ///
    /// # Errors
    /// See [`Controller::plan`].
    pub fn plan(&mut self) -> Result<(), LiveError> {
        if self.limp_until.is_some()
            || !self.controller.frame().is_multiple_of(self.controller.config().replan_frames as u64)
        {
            return Ok(());
        }
        self.controller.plan(State { position: &self.position, velocity: &self.velocity })
    }

    /// Simulates a frame under the present plan, and judges what came of it.
    pub fn step(&mut self) -> Frame {
        let holding = self.controller.holding();
        let steps = self.steps_per_frame / self.decisions;
        for decision in 0..self.decisions {
            let shares = [decision, decision + 1].map(|k| k as f64 / self.decisions as f64);
            let time = self.time_secs() + shares[0] * FRAME_SECS;
            let state = State { position: &self.position, velocity: &self.velocity };
            let [from, to] = self.controller.targets(state, shares);
            let nq = from.len();
            let mut world = self.batch.world_mut(0);
            let mut whole = world.as_world().target();
            whole[..nq].copy_from_slice(&from);
            world.set_target(&whole);
            whole[..nq].copy_from_slice(&to);
            world.begin_interval(&whole, Interval::ramped(steps, DampsTo::Target));
            self.set_forces(time);
            self.batch.step(steps);
            self.read();
        }
        self.controller.advance();
        self.judge(holding)
    }

    fn set_forces(&mut self, time: f64) {
        let mass = self.batch.model().total_mass();
        let mut world = self.batch.world_mut(0);
        world.clear_forces();
        let acts = |d: &&Disturbance| (d.at_secs - 1e-9..d.at_secs + d.secs - 1e-9).contains(&time);
        let active: Vec<Disturbance> = self.disturbances.iter().filter(acts).copied().collect();
        if active.is_empty() && self.drag.is_none() {
            return;
        }
        let measured = world.as_world().measure();
        for Disturbance { body, force, .. } in active {
            world.add_force(body, force, measured.bodies[body].center_of_mass);
        }
        if let Some(Drag { body, to, stiffness }) = self.drag {
            let damping = 2.0 * (stiffness * mass).sqrt();
            let at = measured.bodies[body].center_of_mass;
            let speed = measured.linear_momentum.map(|p| p / mass);
            world.add_force(body, [0, 1, 2].map(|k| stiffness * (to[k] - at[k]) - damping * speed[k]), at);
        }
    }

    fn judge(&mut self, holding: Holding) -> Frame {
        self.figures.frames += 1;
        let frame = self.controller.frame();
        let state = State { position: &self.position, velocity: &self.velocity };
        let is_lost = self.batch.world(0).status() != Status::Running;
        let (wanted, _) = self.controller.wanted();
        let model = self.controller.motion().model();
        let mut way = vec![0.0; model.velocity_count()];
        model.difference(&wanted, &self.position, &mut way);
        let root_off_rad = way[3..6].iter().map(|x| x * x).sum::<f64>().sqrt();
        let joints = self.controller.motion().dofs();
        let angle = |joint: &sinew_transfer::Driven| {
            let numbers = if joint.is_ball { 3 } else { 1 };
            way[joint.v..joint.v + numbers].iter().map(|x| x * x).sum::<f64>().sqrt()
        };
        let joints_off_rad = joints.joints.iter().map(angle).sum::<f64>() / joints.joints.len().max(1) as f64;
        let mut fell = false;
        if let Some(until) = self.limp_until {
            self.figures.limp_frames += 1;
            if frame >= until || is_lost {
                self.limp_until = None;
                self.put();
            }
        } else {
            let performed = self.figures.frames - self.figures.limp_frames;
            self.figures.joints_off_rad += (joints_off_rad - self.figures.joints_off_rad) / performed as f64;
            self.figures.root_off_rad += (root_off_rad - self.figures.root_off_rad) / performed as f64;
            match holding {
                Holding::Planned => {}
                Holding::Held(_) => self.figures.held_frames += 1,
                Holding::Damped => self.figures.damped_frames += 1,
            }
            fell = is_lost || self.controller.has_fallen(state);
            if fell {
                self.figures.falls += 1;
                self.limp_until = Some(frame + (LIMP_SECS / FRAME_SECS) as u64);
                self.batch.world_mut(0).set_character_gain(0, LIMP_GAIN);
            }
        }
        Frame { fell, is_limp: self.limp_until.is_some(), holding, joints_off_rad, root_off_rad }
    }
}
