//! One character and some balls, simulated step by step under a controller.

use super::balls::{Thrown, balls};
use super::controller::{Controller, Next};
use crate::error::Refusal;
use crate::figure::Figure;
use crate::protocol::Frame;
use crate::protocol::Steer;
use crate::protocol::frame::{DIVERGED, FALLEN, JUMPED};
use sinew::transfer::FRAME_SECS;
use sinew_sim::{
    Batch, BatchOptions, Character, DampsTo, FallRule, Heights, Interval, JointKind, Measured, Model, Object, Scene,
    Snapshot, Status, Surface, Track, Wrench,
};
use std::sync::Arc;

/// A character in a session has fallen where its root is below half its height at the start.
const FALL: FallRule = FallRule { root: Some(0.5), ..FallRule::NONE };

/// How it stands, and when it no longer does.
struct Standing {
    rule: FallRule,
    heights: Heights,
    /// Of the root, `[w, x, y, z]`.
    orientation: [f64; 4],
}

/// A world with the character and balls, and one with the character alone, in which controllers look.
pub struct Simulation {
    figure: Figure,
    character: Character,
    balls: Vec<Object>,
    world: Batch,
    alone: Batch,
    controller: Box<dyn Controller>,
    thrown: Thrown,
    pushes: Vec<Push>,
    /// Help from outside in this frame.
    help: Option<Wrench>,
    gravity: [f64; 3],
    /// What the player wants.
    pub steer: Steer,
    /// A frame.
    interval: Interval,
    /// Steps since the start of the controller.
    step: usize,
    track: Track,
    has_jumped: bool,
    /// Part of a step that is still to be simulated, s.
    rest_secs: f64,
    /// How it is judged, where not by the start of its controller.
    standing: Option<Standing>,
}

struct Push {
    body: usize,
    force: [f64; 3],
    point: Option<[f64; 3]>,
    steps_left: usize,
}

impl Simulation {
    /// A character on flat ground under a controller.
    ///
    /// # Errors
    /// Where the character cannot be simulated.
    pub fn new(character: &Character, dt: f64, controller: Box<dyn Controller>) -> Result<Simulation, Refusal> {
        Simulation::on_surface(character, None, dt, controller)
    }

    /// A character on flat ground of a certain kind.
    ///
    /// # Errors
    /// Where the character cannot be simulated.
    pub fn on_surface(
        character: &Character,
        surface: Option<Surface>,
        dt: f64,
        controller: Box<dyn Controller>,
    ) -> Result<Simulation, Refusal> {
        let bad = |e: String| Refusal::bad(e);
        let balls = balls(character.bodies.iter().map(|body| body.mass).sum());
        let plain = Character { origin: None, ..character.clone() };
        let mut scene = Scene::on_ground(plain.clone());
        if let (Some(ground), Some(surface)) = (&mut scene.ground, surface) {
            ground.surface = surface;
        }
        let alone = Arc::new(Model::new(&scene, dt).map_err(|e| bad(e.to_string()))?);
        scene.collide = balls.iter().map(|ball| [ball.name.clone(), plain.name.clone()]).collect();
        scene.objects = balls.clone();
        let model = Arc::new(Model::new(&scene, dt).map_err(|e| bad(e.to_string()))?);
        let one = BatchOptions { threads: 1, ..BatchOptions::default() };
        let mut simulation = Simulation {
            figure: Figure::new(&model, &[&plain], &balls),
            world: Batch::new(&model, 1, one).map_err(|e| bad(e.to_string()))?,
            alone: Batch::new(&alone, 1, one).map_err(|e| bad(e.to_string()))?,
            character: plain,
            thrown: Thrown::new(&balls),
            balls,
            controller,
            pushes: Vec::new(),
            help: None,
            gravity: scene.gravity,
            steer: Steer::default(),
            interval: Interval::ramped((FRAME_SECS / dt).round().max(1.0) as usize, DampsTo::Target),
            step: 0,
            track: Track::new(&model),
            has_jumped: false,
            rest_secs: 0.0,
            standing: None,
        };
        simulation.restart(true);
        Ok(simulation)
    }

    /// Judges it by a rule against its rest pose on the ground, as the pre-flight does.
    #[must_use]
    pub fn judged_at_rest(mut self, rule: FallRule) -> Simulation {
        let model = self.alone().clone();
        let rest = model.rest_position();
        let measured = Measured::new(&model, rest, &vec![0.0; model.velocity_count()], [0.0; 3]);
        let heights = Heights { root: rest[2], center: measured.center_of_mass[2], top: None };
        self.standing = Some(Standing { rule, heights, orientation: measured.bodies[0].orientation });
        self
    }

    /// The character and its parts, as frames show them.
    pub fn figure(&self) -> &Figure {
        &self.figure
    }
    /// The character alone, compiled.
    pub fn alone(&self) -> &Arc<Model> {
        self.alone.model()
    }
    /// What moves it.
    pub fn controller(&mut self) -> &mut dyn Controller {
        &mut *self.controller
    }
    /// Gravity, m/s².
    pub fn gravity(&self) -> [f64; 3] {
        self.gravity
    }

    /// Puts another controller in its place, from its start.
    pub fn set_controller(&mut self, controller: Box<dyn Controller>) {
        self.controller = controller;
        self.restart(true);
    }

    /// Sets gravity.
    pub fn set_gravity(&mut self, gravity: [f64; 3]) {
        self.gravity = gravity;
        self.world.world_mut(0).set_gravity(gravity);
    }

    /// Back to the start of the controller; with the balls, where they wait.
    pub fn restart(&mut self, with_balls: bool) {
        let start = self.controller.start();
        let rest = self.world.model().rest_position().to_vec();
        let mut world = self.world.world_mut(0);
        if with_balls {
            world.restore(&Snapshot::new(&rest, &vec![0.0; world.as_world().velocity().len()]));
            self.thrown.clear();
            self.pushes.clear();
        }
        world.set_gravity(self.gravity);
        self.step = 0;
        self.place(&start);
        let mut row = self.world.world(0).position();
        let nq = self.alone().position_count();
        self.controller.target(0, &self.alone.world(0), &self.steer, &mut row[..nq]);
        self.track.restart(&row);
    }

    /// Puts the character into a state; balls stay where they are.
    fn place(&mut self, state: &Snapshot) {
        let (nq, nv) = (self.alone().position_count(), self.alone().velocity_count());
        let mut world = self.world.world_mut(0);
        let (mut position, mut velocity) = (world.as_world().position(), world.as_world().velocity());
        position[..nq].copy_from_slice(&state.values()[..nq]);
        velocity[..nv].copy_from_slice(&state.values()[nq..]);
        world.restore(&Snapshot::new(&position, &velocity));
        world.set_target_velocity(&vec![0.0; velocity.len()]);
        self.help = None;
        self.set_forces();
        self.has_jumped = true;
        self.look();
    }

    /// Lets a force act on a body of the character.
    ///
    /// # Errors
    /// Where there is no such body.
    pub fn push(&mut self, body: usize, force: [f64; 3], point: Option<[f64; 3]>, secs: f64) -> Result<(), Refusal> {
        let count = self.character.bodies.len();
        let body = self.figure.model_body(body).filter(|_| body < count);
        let body = body.ok_or_else(|| Refusal::bad(format!("bodies to push have numbers from 0 to {}", count - 1)))?;
        let steps_left = (secs / self.world.model().dt()).ceil().max(1.0) as usize;
        self.pushes.push(Push { body, force, point, steps_left });
        self.set_forces();
        Ok(())
    }

    /// Throws a ball.
    pub fn throw(&mut self, position: [f64; 3], velocity: [f64; 3], mass_kg: Option<f64>) {
        let ball = self.thrown.next(mass_kg);
        let name = &self.balls[ball].name;
        let Some(joint) = self.world.model().joints().iter().find(|joint| joint.name == *name).cloned() else { return };
        let (q, v) = (joint.position_index, joint.velocity_index);
        let mut world = self.world.world_mut(0);
        let (mut all_q, mut all_v) = (world.as_world().position(), world.as_world().velocity());
        all_q[q..q + 3].copy_from_slice(&position);
        all_q[q + 3..q + 7].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
        all_v[v..v + 3].copy_from_slice(&velocity);
        all_v[v + 3..v + 6].fill(0.0);
        world.set_position(&all_q);
        world.set_velocity(&all_v);
    }

    /// Simulates so many seconds; what is less than a step is left for the next time.
    pub fn simulate(&mut self, secs: f64) {
        self.rest_secs += secs;
        let dt = self.world.model().dt();
        while self.rest_secs >= dt {
            self.rest_secs -= dt;
            self.advance_step();
        }
    }

    fn advance_step(&mut self) {
        if self.step.is_multiple_of(self.interval.steps) && self.steer_frame() == Next::Restart {
            self.restart(false);
            self.steer_frame();
        }
        let time_secs = self.step as f64 * self.world.model().dt();
        self.controller.before_step(time_secs, self.gravity, &mut self.world.world_mut(0));
        self.world.step(1);
        self.step += 1;
        if !self.pushes.is_empty() {
            self.pushes.iter_mut().for_each(|push| push.steps_left -= 1);
            let before = self.pushes.len();
            self.pushes.retain(|push| push.steps_left > 0);
            if self.pushes.len() < before {
                self.set_forces();
            }
        }
    }

    /// At the beginning of a frame: asks the controller where the targets go.
    fn steer_frame(&mut self) -> Next {
        self.look();
        let nq = self.alone().position_count();
        let now = self.step / self.interval.steps;
        if let Some(state) = self.controller.jump(now) {
            self.place(&state);
            self.controller.target(now, &self.alone.world(0), &self.steer, &mut self.track.row_mut()[..nq]);
        }
        // What a controller sees also has the PD target at which the interval begins.
        self.alone.world_mut(0).set_target(&self.track.row_mut()[..nq]);
        let (controller, alone, steer) = (&mut self.controller, self.alone.world(0), &self.steer);
        let next = self.track.begin(&mut self.world.world_mut(0), self.interval, |_, target| {
            controller.target(now + 1, &alone, steer, &mut target[..nq])
        });
        let help = self.controller.assist(now).filter(|_| next == Next::Continue);
        if help != self.help {
            self.help = help;
            self.set_forces();
        }
        next
    }

    /// Brings the character's state into the world in which controllers look.
    fn look(&mut self) {
        let (nq, nv) = (self.alone().position_count(), self.alone().velocity_count());
        let (position, velocity) = (self.world.world(0).position(), self.world.world(0).velocity());
        let mut alone = self.alone.world_mut(0);
        alone.set_position(&position[..nq]);
        alone.set_velocity(&velocity[..nv]);
        self.alone.observe();
    }

    fn set_forces(&mut self) {
        let mut world = self.world.world_mut(0);
        world.clear_forces();
        for push in &self.pushes {
            let center = world.as_world().measure().bodies[push.body].center_of_mass;
            world.add_force(push.body, push.force, push.point.unwrap_or(center));
        }
        if let Some(help) = &self.help {
            // Spread over the bodies by their mass, as gravity is; balls get none of it.
            let measured = world.as_world().measure();
            let total: f64 = self.character.bodies.iter().map(|body| body.mass).sum();
            for (index, body) in self.character.bodies.iter().enumerate() {
                let Some(place) = self.figure.model_body(index) else { continue };
                let force = help.force.map(|f| f * body.mass / total.max(1e-12));
                world.add_force(place, force, measured.bodies[place].center_of_mass);
            }
            world.add_torque(0, help.torque);
        }
    }

    /// The present moment.
    pub fn moment(&mut self) -> Frame {
        let world = self.world.world(0);
        let mut frame = self.figure.frame(&world.measure(), &world.torques(), &world.contacts());
        self.figure.hide(&mut frame, |ball| self.thrown.waits(ball));
        frame.help = self.help;
        frame.time_secs = self.step as f64 * self.world.model().dt();
        if matches!(world.status(), Status::Diverged { .. }) {
            frame.flags |= DIVERGED;
        }
        if self.has_fallen(frame.center_of_mass[2]) {
            frame.flags |= FALLEN;
        }
        if std::mem::take(&mut self.has_jumped) {
            frame.flags |= JUMPED;
        }
        frame
    }

    fn has_fallen(&self, center: f64) -> bool {
        let is_free = self.alone().joints().first().is_some_and(|joint| joint.kind == JointKind::Free);
        let height = self.world.world(0).position().get(2).copied().unwrap_or(0.0);
        let heights = |root: f64| Heights { root, center: f64::NAN, top: None };
        match &self.standing {
            _ if !is_free => false,
            None => FALL.has_fallen(&heights(height), &heights(self.controller.start().values()[2]), f64::NAN),
            Some(standing) => {
                // Of the angle between two orientations: cos θ = 2 (q · q*)² − 1.
                let now = self.world.world(0).measure().bodies[0].orientation;
                let along: f64 = now.iter().zip(standing.orientation).map(|(a, b)| a * b).sum();
                let heights = Heights { center, ..heights(height) };
                standing.rule.has_fallen(&heights, &standing.heights, 2.0 * along * along - 1.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::controller::HeldPose;
    use super::*;

    fn dropped(height_m: f64) -> Simulation {
        let character = sinew_sim::embedded::dinosaur();
        let model = Model::new(&Scene::on_ground(character.clone()), 1.0 / 480.0).expect("a model");
        let held = HeldPose::new(&model, model.rest_position(), height_m);
        Simulation::new(&character, 1.0 / 480.0, Box::new(held)).expect("a simulation")
    }

    #[test]
    fn a_dropped_character_lands_and_stands() {
        let mut simulation = dropped(0.2);
        let before = simulation.moment();
        assert!(before.flags & JUMPED != 0 && before.contacts.is_empty());
        simulation.simulate(1.5);
        let after = simulation.moment();
        assert_eq!(after.flags, 0);
        let fallen = before.center_of_mass[2] - after.center_of_mass[2];
        assert!((0.1..0.3).contains(&fallen), "it came down by {fallen}");
        let weight: f64 = after.contacts.iter().map(|c| c.force[2]).sum();
        assert!((weight / (9.81 * 50.0) - 1.0).abs() < 0.3, "{weight}");
        assert!(after.torques.iter().any(|t| *t > 1.0));
        assert!(after.bodies.iter().rev().take(9).all(|(p, _)| p[2] == sinew::playing::HIDDEN_M));
    }

    /// Whether the pre-flight and a drop say that it stands.
    fn judged(change: impl Fn(&mut Character)) -> [bool; 2] {
        let mut character = sinew_sim::embedded::dinosaur();
        change(&mut character);
        let options = sinew_modeler::PreflightOptions::default();
        let found = sinew_modeler::preflight(&character, &[], &options).expect("a trial");
        let model = Model::new(&Scene::on_ground(character.clone()), 1.0 / 480.0).expect("a model");
        let held = HeldPose::new(&model, model.rest_position(), 0.02);
        let simulation = Simulation::new(&character, 1.0 / 480.0, Box::new(held)).expect("a simulation");
        let mut simulation = simulation.judged_at_rest(options.fall_rule());
        simulation.simulate(options.duration_secs);
        [found.stands, simulation.moment().flags & FALLEN == 0]
    }

    #[test]
    fn a_drop_says_what_the_pre_flight_says() {
        assert_eq!(judged(|_| ()), [true, true]);
        let weak = |character: &mut Character| {
            for joint in &mut character.joints {
                (joint.kp, joint.kd) = (0.3 * joint.kp, 0.55 * joint.kd);
            }
        };
        assert_eq!(judged(weak), [false, false]);
    }

    #[test]
    fn a_heavy_ball_knocks_it_over_and_a_reset_takes_it_back() {
        let mut simulation = dropped(0.0);
        let center = simulation.moment().center_of_mass;
        simulation.throw([center[0] + 2.0, center[1], center[2] + 0.2], [-20.0, 0.0, 0.0], Some(10.0));
        simulation.simulate(0.25);
        let hit = simulation.moment();
        assert!(hit.center_of_mass[0] < center[0] - 0.05, "{:?} was {center:?}", hit.center_of_mass);
        simulation.restart(true);
        let again = simulation.moment();
        assert!((again.center_of_mass[0] - center[0]).abs() < 1e-6 && again.flags & JUMPED != 0);
        assert!(again.bodies.iter().rev().take(9).all(|(p, _)| p[2] == sinew::playing::HIDDEN_M));
    }

    #[test]
    fn pushes_end_and_the_moon_is_light() {
        let mut simulation = dropped(0.0);
        simulation.push(0, [400.0, 0.0, 0.0], None, 0.1).expect("a body");
        assert!(simulation.push(999, [1.0, 0.0, 0.0], None, 0.1).is_err());
        simulation.simulate(0.2);
        assert!(simulation.pushes.is_empty());
        simulation.restart(true);
        simulation.set_gravity([0.0, 0.0, 3.0]);
        let low = simulation.moment().center_of_mass[2];
        simulation.simulate(0.5);
        assert!(simulation.moment().center_of_mass[2] > low + 0.2, "it rises");
    }
}
