//! What moves a simulated character: the seam through which learnt characters will come too.

use crate::protocol::{ControllerKind, Steer};
use anyhow::{Result, bail};
use sinew_sim::{Model, Snapshot, World, WorldMut, Wrench};
use sinew_transfer::{Pilot, Policy};
use std::sync::Arc;

/// Decides the PD targets of a character, frame by frame of 25 ms.
pub trait Controller: Send {
    /// What it is.
    fn kind(&self) -> ControllerKind;

    /// State of the character in which it begins.
    fn start(&self) -> Snapshot;

    /// Writes the PD target, in `qpos` order, that is to be reached at the end of frame `frame`; 0 is the target at the start.
    /// `world` holds the character alone, as it is at the beginning of that frame, observed.
    fn target(&mut self, frame: usize, world: &World<'_>, steer: &Steer, out: &mut [f64]) -> Next;

    /// Called before every step with the world that is simulated, in which the character's bodies come first: to help it with forces or gravity.
    fn before_step(&mut self, _time_secs: f64, _gravity: [f64; 3], _world: &mut WorldMut<'_>) {}

    /// Where the motion goes on from another state at the beginning of frame `frame`: that state. Asked once, before [`Controller::target`].
    fn jump(&mut self, _frame: usize) -> Option<Snapshot> {
        None
    }

    /// Help from outside at the centre of mass, from the beginning of frame `frame` to the next.
    fn assist(&self, _frame: usize) -> Option<Wrench> {
        None
    }

    /// Whether it goes where [`Steer`] says.
    fn steers(&self) -> bool {
        false
    }

    /// Moves the dial of a front, from 0 to 1.
    ///
    /// # Errors
    /// Where it has none.
    fn set_dial(&mut self, _dial: f64) -> Result<()> {
        bail!("this simulation has no dial; start one of a front")
    }
}

/// How a controller goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// With the next frame.
    Continue,
    /// From its start again.
    Restart,
}

/// Holds one pose.
pub struct HeldPose {
    start: Snapshot,
    pose: Vec<f64>,
}

impl HeldPose {
    /// Holds `pose`, beginning there at rest, `height_m` above.
    pub fn new(model: &Model, pose: &[f64], height_m: f64) -> HeldPose {
        let mut position = pose.to_vec();
        if model.joints().first().is_some_and(|joint| joint.kind == sinew_sim::JointKind::Free) {
            position[2] += height_m;
        }
        let start = Snapshot::new(&position, &vec![0.0; model.velocity_count()]);
        HeldPose { start, pose: pose.to_vec() }
    }
}

impl Controller for HeldPose {
    fn kind(&self) -> ControllerKind {
        ControllerKind::HeldPose
    }
    fn start(&self) -> Snapshot {
        self.start.clone()
    }
    fn target(&mut self, _: usize, _: &World<'_>, _: &Steer, out: &mut [f64]) -> Next {
        out.copy_from_slice(&self.pose);
        Next::Continue
    }
}

/// Performs the targets of a transferred motion, from the start again at their end.
pub struct OpenLoop {
    start: Snapshot,
    /// PD target of each frame.
    targets: Vec<Vec<f64>>,
}

impl OpenLoop {
    /// Of a recorded run.
    pub fn new(run: &sinew::transfer::Performance) -> OpenLoop {
        let first = &run.moments[0];
        OpenLoop {
            start: Snapshot::new(&first.position, &first.velocity),
            targets: (0..run.frames()).map(|frame| run.at_frame(frame).target.clone()).collect(),
        }
    }
}

impl Controller for OpenLoop {
    fn kind(&self) -> ControllerKind {
        ControllerKind::OpenLoop
    }
    fn start(&self) -> Snapshot {
        self.start.clone()
    }
    fn target(&mut self, frame: usize, _: &World<'_>, _: &Steer, out: &mut [f64]) -> Next {
        match self.targets.get(frame) {
            Some(target) => {
                out.copy_from_slice(target);
                Next::Continue
            }
            None => {
                out.copy_from_slice(&self.targets[self.targets.len() - 1]);
                Next::Restart
            }
        }
    }
}

/// Repeats the cycle of a policy and keeps the balance.
pub struct Feedback {
    policy: Policy,
    model: Arc<Model>,
}

impl Feedback {
    /// Of a policy that was checked against the model.
    pub fn new(policy: Policy, model: &Arc<Model>) -> Feedback {
        Feedback { policy, model: model.clone() }
    }
}

impl Controller for Feedback {
    fn kind(&self) -> ControllerKind {
        ControllerKind::Feedback
    }
    fn start(&self) -> Snapshot {
        self.policy.reference.start()
    }
    fn target(&mut self, frame: usize, world: &World<'_>, _: &Steer, out: &mut [f64]) -> Next {
        let Policy { reference, gains } = &self.policy;
        match Pilot::new(&self.model, reference) {
            Ok(pilot) => {
                // The cycle begins with the reference's own heading, so the course is its difference to that: none.
                let course = self.policy.course() - reference.state(0)[2];
                pilot.target(gains, course, frame, frame.saturating_sub(1), world, out);
            }
            Err(_) => out.copy_from_slice(reference.action(frame)),
        }
        Next::Continue
    }
}
