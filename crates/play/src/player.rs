//! Characters in one world, played frame by frame.
//!
//! A frame is 1/30 s: [`Player::decide`] takes what users want, [`Player::simulate`] steps the world, [`Player::conclude`] judges what came of it.
//! [`Player::step`] is all three; who shows motion more often calls them himself. The same inputs give the same bits, on any machine: [`Player::hash`].

use crate::actor::{Actor, LIMP_GAIN, Upshot, place_of};
use crate::balls::{BallKind, Balls, default_balls};
use crate::chase::Chases;
use crate::error::PlayError;
use crate::event::{Event, Happening, PlayFigures};
use crate::input::{Input, Push, Throw};
use crate::part::Part;
use rayon::prelude::*;
use sinew_files::fnv::fnv1a;
use sinew_learn::{GroundTransform, Objective};
use sinew_sim::{
    Batch, BatchOptions, Interval, Model, PlacedCharacter, STANDARD_GRAVITY, Scene, Snapshot, Status, World,
};
use sinew_track::{Seen, TrackError};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Distance from which a ball is thrown at a character, m.
const THROW_M: f64 = 2.0;

/// How far ahead characters try out what they are asked for, s.
pub const FORESIGHT_SECS: f64 = 3.5;
/// Farthest that they may, s.
pub const MOST_FORESIGHT_SECS: f64 = 10.0;

/// Who is played, and with what.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerOptions {
    /// Seed of where motions begin.
    pub seed: u64,
    /// Balls that may be thrown.
    pub balls: Vec<BallKind>,
    /// Where each character begins; those that are not named stand in a row.
    pub places: Vec<Placement>,
    /// How far ahead a character tries out what it is asked for, s; 0 for not at all.
    pub foresight_secs: f64,
}

/// Where a character begins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Placement {
    /// On the ground, m.
    pub place: [f64; 2],
    /// Angle that it looks along, rad.
    pub heading_rad: f64,
}

impl Default for PlayerOptions {
    fn default() -> PlayerOptions {
        PlayerOptions { seed: 1, balls: default_balls(), places: Vec::new(), foresight_secs: FORESIGHT_SECS }
    }
}

/// Characters in one world.
pub struct Player {
    actors: Vec<Actor>,
    slots: Vec<Slot>,
    batch: Batch,
    balls: Balls,
    ball_joints: Vec<(usize, usize)>,
    pushes: Vec<Pushing>,
    interval: Interval,
    rate_hz: f64,
    /// Frames that are over.
    frame: u64,
    steps_left: usize,
    is_deciding: bool,
    rows: Rows,
    events: Vec<Event>,
    hash: u64,
    chases: Chases,
}

/// Where the numbers of a character are in those of the world.
struct Slot {
    q: Range<usize>,
    v: Range<usize>,
    /// Of its watched points in a row of observations.
    points: Range<usize>,
    first_body: usize,
    bodies: usize,
}

/// Numbers of the whole world, and of each character.
#[derive(Default)]
struct Rows {
    targets: [Vec<f64>; 2],
    seen: Vec<SeenRows>,
}

#[derive(Default)]
struct SeenRows {
    position: Vec<f32>,
    velocity: Vec<f32>,
    observed: Vec<f32>,
}

impl SeenRows {
    fn seen(&self) -> Seen<'_> {
        Seen { position: &self.position, velocity: &self.velocity, observed: &self.observed }
    }
}

struct Pushing {
    body: usize,
    push: Push,
    steps_left: usize,
}

impl Player {
    /// Puts characters into a world, each at a moment of its motion.
    ///
    /// # Errors
    /// Where there are none, they decide at different rates, or the world cannot be made.
    pub fn new(parts: &[Part], options: &PlayerOptions) -> Result<Player, PlayError> {
        let first = parts.first().ok_or(PlayError::Nobody)?;
        let clock = |part: &Part| (part.pilot.policy().rate_hz, part.pilot.interval());
        if let Some(other) = parts.iter().find(|part| clock(part) != clock(first)) {
            let name = |part: &Part| part.pilot.body().character.name.clone();
            let ((first_hz, mine), (second_hz, theirs)) = (clock(first), clock(other));
            return Err(PlayError::OtherRates {
                first: name(first),
                second: name(other),
                first_hz,
                second_hz,
                first_steps: mine.steps,
                second_steps: theirs.steps,
            });
        }
        let balls = Balls::new(&options.balls);
        let scene = scene_of(parts, &balls);
        let model = Arc::new(Model::new(&scene, first.pilot.body().model().dt())?);
        let places =
            (0..parts.len()).map(|index| options.places.get(index).copied().unwrap_or_else(|| in_row(index, parts)));
        let actors =
            parts.iter().zip(places).enumerate().map(|(index, (part, Placement { place: [x, y], heading_rad }))| {
                Actor::new(
                    part,
                    options.seed + index as u64,
                    &GroundTransform { x, y, yaw: heading_rad },
                    options.foresight_secs,
                )
            });
        let actors = actors.collect::<Result<Vec<Actor>, TrackError>>()?;
        let slots = slots_of(parts);
        let ball_joints = ball_joints(&model, &scene);
        let (rate_hz, interval) = clock(first);
        let rest = model.rest_position().to_vec();
        let mut player = Player {
            rows: Rows { targets: [rest.clone(), rest], seen: actors.iter().map(|_| SeenRows::default()).collect() },
            batch: Batch::new(&model, 1, BatchOptions { threads: 1, ..BatchOptions::default() })?,
            actors,
            slots,
            balls,
            ball_joints,
            pushes: Vec::new(),
            interval,
            rate_hz,
            frame: 0,
            steps_left: 0,
            is_deciding: true,
            events: Vec::new(),
            hash: fnv1a([]),
            chases: Chases::default(),
        };
        let all: Vec<usize> = (0..parts.len()).collect();
        player.place(&all, false);
        Ok(player)
    }

    /// One frame: [`Player::decide`], all steps, [`Player::conclude`]. Returns what happened.
    ///
    /// # Errors
    /// See [`Player::decide`].
    ///
    /// # Panics
    /// Where there are not as many inputs as characters.
    pub fn step(&mut self, inputs: &[Input]) -> Result<&[Event], PlayError> {
        self.decide(inputs)?;
        self.simulate(self.interval.steps);
        self.conclude()?;
        Ok(&self.events)
    }

    /// Begins a frame: generators look ahead under what users want, policies decide, pushes and balls begin.
    ///
    /// # Errors
    /// Where a policy asks for more than its generator predicts: not in what was made by this program.
    ///
    /// # Panics
    /// Where there are not as many inputs as characters, or the frame before is not concluded.
    pub fn decide(&mut self, inputs: &[Input]) -> Result<(), PlayError> {
        assert_eq!(inputs.len(), self.actors.len(), "one input for each character");
        assert!(self.is_deciding, "the frame before is concluded");
        (self.is_deciding, self.steps_left) = (false, self.interval.steps);
        self.events.clear();
        let frame = self.frame;
        let own: Vec<[f64; 2]> = (0..inputs.len()).map(|character| self.place_of(character)).collect();
        let up = own.iter().zip(&self.actors).map(|(place, actor)| actor.follows().then_some(*place));
        let inputs = self.chases.led(inputs, frame, &up.collect::<Vec<_>>(), &own);
        let happened = self.actors.par_iter_mut().zip(&inputs).zip(&self.rows.seen).map(|((actor, input), rows)| {
            let mut happened = Vec::new();
            actor.look_ahead(input, rows.seen(), frame, &mut happened).map(|()| happened)
        });
        let happened = happened.collect::<Result<Vec<Vec<Happening>>, TrackError>>()?;
        self.tell(happened);
        for ((actor, slot), rows) in self.actors.iter_mut().zip(&self.slots).zip(&self.rows.seen) {
            if !actor.follows() {
                // Targets stay where they were.
                let [from, to] = &mut self.rows.targets;
                from[slot.q.clone()].copy_from_slice(&to[slot.q.clone()]);
                continue;
            }
            let decided = actor.part.pilot.decide(&mut actor.state, rows.seen());
            for (row, decided) in self.rows.targets.iter_mut().zip(decided) {
                row[slot.q.clone()].iter_mut().zip(decided).for_each(|(to, x)| *to = f64::from(*x));
            }
        }
        let [from, to] = &self.rows.targets;
        let mut world = self.batch.world_mut(0);
        world.set_target(from);
        world.begin_interval(to, self.interval);
        for (character, input) in inputs.iter().enumerate() {
            input.pushes.iter().for_each(|push| self.push(character, *push));
            input.throws.iter().for_each(|throw| self.throw(character, throw));
        }
        self.set_forces();
        Ok(())
    }

    /// Simulates so many steps of the frame; no more than are left of it. Returns how many are left.
    pub fn simulate(&mut self, steps: usize) -> usize {
        let mut wanted = steps.min(self.steps_left);
        while wanted > 0 {
            let ends = self.pushes.iter().map(|push| push.steps_left).min().unwrap_or(wanted);
            let steps = wanted.min(ends.max(1));
            self.batch.step(steps);
            wanted -= steps;
            self.steps_left -= steps;
            let before = self.pushes.len();
            self.pushes.iter_mut().for_each(|push| push.steps_left = push.steps_left.saturating_sub(steps));
            self.pushes.retain(|push| push.steps_left > 0);
            if self.pushes.len() < before {
                self.set_forces();
            }
        }
        self.steps_left
    }

    /// Ends a frame: simulates what is left of it, and judges what came of it.
    ///
    /// # Errors
    /// See [`Player::decide`].
    pub fn conclude(&mut self) -> Result<(), PlayError> {
        if self.is_deciding {
            return Ok(());
        }
        self.simulate(self.steps_left);
        self.read();
        self.frame += 1;
        let is_lost = matches!(self.batch.world(0).status(), Status::Diverged { .. });
        let (mut happened, mut upshots) = (Vec::new(), Vec::new());
        let mut places: Vec<[f64; 2]> = self.rows.seen.iter().map(|rows| place_of(rows.seen())).collect();
        for (index, (actor, rows)) in self.actors.iter_mut().zip(&self.rows.seen).enumerate() {
            let others: Vec<[f64; 2]> =
                places.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, place)| *place).collect();
            let mut own = Vec::new();
            let upshot = actor.conclude(rows.seen(), &others, self.frame, is_lost, &mut own)?;
            if upshot == Upshot::IsPlaced {
                places[index] = actor.motion_place();
            }
            upshots.push(upshot);
            happened.push(own);
        }
        self.tell(happened);
        for (character, upshot) in upshots.iter().enumerate() {
            let gain = match upshot {
                Upshot::Goes => continue,
                Upshot::GoesLimp => LIMP_GAIN,
                Upshot::Stiffens | Upshot::IsPlaced => 1.0,
            };
            self.batch.world_mut(0).set_character_gain(character, gain);
        }
        let placed: Vec<usize> = (0..upshots.len()).filter(|&index| upshots[index] == Upshot::IsPlaced).collect();
        if !placed.is_empty() {
            self.place(&placed, is_lost);
        }
        let world = self.batch.world(0);
        let values = world.position().into_iter().chain(world.velocity());
        let bytes = values.flat_map(|x| (x as f32).to_le_bytes());
        self.hash = fnv1a(self.hash.to_le_bytes().into_iter().chain(bytes));
        self.is_deciding = true;
        Ok(())
    }

    /// What happened in the last frame.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Frames that are over.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Frames a second.
    pub fn rate_hz(&self) -> f64 {
        self.rate_hz
    }

    /// Steps of the simulator in a frame.
    pub fn steps_per_frame(&self) -> usize {
        self.interval.steps
    }

    /// A number that another motion does not share: of the states of the world at the end of every frame so far.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// How many characters there are.
    pub fn character_count(&self) -> usize {
        self.actors.len()
    }

    /// What a character plays with.
    pub fn part(&self, character: usize) -> &Part {
        &self.actors[character].part
    }

    /// What happened to a character since the start.
    pub fn figures(&self, character: usize) -> PlayFigures {
        self.actors[character].figures
    }

    /// What a character is asked for in the present frame.
    pub fn objective(&self, character: usize) -> Objective {
        self.actors[character].objective()
    }

    /// The action that a character is in.
    pub fn action(&self, character: usize) -> Option<usize> {
        self.actors[character].action()
    }

    /// Whether a character has fallen and lies limp.
    pub fn is_limp(&self, character: usize) -> bool {
        !self.actors[character].follows()
    }

    /// The motion that a character follows: its contacts, its pose beside that of the body.
    pub fn motion(&self, character: usize) -> &sinew_learn::GeneratorState {
        &self.actors[character].course.motion
    }

    /// The world: poses, contacts, torques. Its bodies are those of the characters in their order, then the balls.
    pub fn world(&self) -> World<'_> {
        self.batch.world(0)
    }

    /// The compiled world.
    pub fn model(&self) -> &Arc<Model> {
        self.batch.model()
    }

    /// The bodies of a character among those of the world.
    pub fn bodies(&self, character: usize) -> Range<usize> {
        let Slot { first_body, bodies, .. } = self.slots[character];
        first_body..first_body + bodies
    }

    /// `qpos` of a character now.
    pub fn position(&self, character: usize) -> Vec<f64> {
        self.batch.world(0).position()[self.slots[character].q.clone()].to_vec()
    }

    /// Where the root of a character is on the ground.
    fn place_of(&self, character: usize) -> [f64; 2] {
        let position = self.batch.world(0).position();
        let q = self.slots[character].q.start;
        [position[q], position[q + 1]]
    }

    /// `qvel` of a character now.
    pub fn velocity(&self, character: usize) -> Vec<f64> {
        self.batch.world(0).velocity()[self.slots[character].v.clone()].to_vec()
    }

    /// Place of each ball; none for those that wait.
    pub fn balls(&self) -> Vec<Option<[f64; 3]>> {
        let position = self.batch.world(0).position();
        let place = |(ball, &(q, _)): (usize, &(usize, usize))| {
            (!self.balls.waits(ball)).then(|| [position[q], position[q + 1], position[q + 2]])
        };
        self.ball_joints.iter().enumerate().map(place).collect()
    }

    fn tell(&mut self, happened: Vec<Vec<Happening>>) {
        let frame = self.frame;
        let events = happened.into_iter().enumerate();
        self.events.extend(
            events.flat_map(|(character, all)| all.into_iter().map(move |what| Event { frame, character, what })),
        );
    }

    fn push(&mut self, character: usize, push: Push) {
        let Slot { first_body, bodies, .. } = self.slots[character];
        let steps_left = libm::round(push.secs / self.batch.model().dt()).max(0.0) as usize;
        if push.body < bodies && steps_left > 0 {
            self.pushes.push(Pushing { body: first_body + push.body, push, steps_left });
        }
    }

    fn set_forces(&mut self) {
        let mut world = self.batch.world_mut(0);
        world.clear_forces();
        for Pushing { body, push, .. } in &self.pushes {
            let center = world.as_world().measure().bodies[*body].center_of_mass;
            world.add_force(*body, push.force, push.point.unwrap_or(center));
        }
    }

    fn throw(&mut self, character: usize, throw: &Throw) {
        let Some(ball) = self.balls.next(throw.mass_kg()) else { return };
        let (position, velocity) = match *throw {
            Throw::From { position, velocity, .. } => (position, velocity),
            Throw::At { speed, from_deg, .. } => self.aimed(character, speed, from_deg),
        };
        let (q, v) = self.ball_joints[ball];
        let mut world = self.batch.world_mut(0);
        let (mut all_q, mut all_v) = (world.as_world().position(), world.as_world().velocity());
        all_q[q..q + 3].copy_from_slice(&position);
        all_q[q + 3..q + 7].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
        all_v[v..v + 3].copy_from_slice(&velocity);
        all_v[v + 3..v + 6].fill(0.0);
        world.set_position(&all_q);
        world.set_velocity(&all_v);
    }

    /// Place and velocity of a ball that meets the root of a character which goes on as it does now.
    fn aimed(&self, character: usize, speed: f64, from_deg: f64) -> ([f64; 3], [f64; 3]) {
        let (root, own) = (self.position(character), self.velocity(character));
        let (sin, cos) = libm::sincos(from_deg.to_radians());
        let secs = THROW_M / speed.abs().max(0.1);
        let position = [root[0] + THROW_M * cos, root[1] + THROW_M * sin, root[2].max(0.0)];
        let up = 0.5 * STANDARD_GRAVITY * secs;
        (position, [own[0] - THROW_M * cos / secs, own[1] - THROW_M * sin / secs, up])
    }

    /// Reads the numbers of all characters out of the world.
    fn read(&mut self) {
        self.batch.observe();
        let world = self.batch.world(0);
        let (position, velocity) = (world.position(), world.velocity());
        let mut observed = vec![0.0; self.batch.model().observation_count()];
        world.read_observation(&mut observed);
        let narrow = |values: &[f64], out: &mut Vec<f32>| out.extend(values.iter().map(|x| *x as f32));
        for (slot, rows) in self.slots.iter().zip(&mut self.rows.seen) {
            let SeenRows { position: q, velocity: v, observed: o } = rows;
            q.clear();
            v.clear();
            o.clear();
            narrow(&position[slot.q.clone()], q);
            narrow(&velocity[slot.v.clone()], v);
            o.resize(6, 0.0);
            narrow(&observed[slot.points.clone()], o);
        }
    }

    /// Puts characters onto their motion. Everything else stays; in a world beyond reason, balls wait again.
    fn place(&mut self, characters: &[usize], is_lost: bool) {
        let mut world = self.batch.world_mut(0);
        let (mut position, mut velocity) = (world.as_world().position(), world.as_world().velocity());
        if is_lost {
            position.copy_from_slice(self.batch.model().clone().rest_position());
            velocity.fill(0.0);
            world = self.batch.world_mut(0);
        }
        for &character in characters {
            let (slot, actor) = (&self.slots[character], &self.actors[character]);
            let [q, v] = actor.state.start();
            position[slot.q.clone()].iter_mut().zip(q).for_each(|(to, x)| *to = f64::from(*x));
            velocity[slot.v.clone()].iter_mut().zip(v).for_each(|(to, x)| *to = f64::from(*x));
            let rows = &mut self.rows.seen[character];
            *rows = SeenRows { position: q.to_vec(), velocity: v.to_vec(), observed: actor.state.start_observed() };
        }
        if is_lost {
            world.restore(&Snapshot::new(&position, &velocity));
        }
        world.set_position(&position);
        world.set_velocity(&velocity);
    }
}

/// Two metres apart, along y.
fn in_row(index: usize, parts: &[Part]) -> Placement {
    let height = parts[index].pilot.body().height_m();
    Placement { place: [0.0, 1.5 * height * index as f64], heading_rad: 0.0 }
}

/// All characters with the points that are watched, on the ground with all balls. Everything may touch everything.
fn scene_of(parts: &[Part], balls: &Balls) -> Scene {
    let mut names = BTreeSet::new();
    let mut characters = Vec::new();
    for part in parts {
        let watched = part.pilot.body().model().scene().characters[0].character.clone();
        let plain = watched.name.clone();
        let numbered = (2..).map(|number| format!("{plain} {number}"));
        let name = std::iter::once(plain.clone()).chain(numbered).find(|name| !names.contains(name)).unwrap_or(plain);
        names.insert(name.clone());
        let character = sinew_sim::Character { name, origin: None, ..watched };
        characters.push(PlacedCharacter { character, offset: [0.0; 3], heading: 0.0 });
    }
    let objects = balls.objects();
    let names: Vec<&String> =
        characters.iter().map(|placed| &placed.character.name).chain(objects.iter().map(|ball| &ball.name)).collect();
    let mut collide = Vec::new();
    for (index, first) in names.iter().enumerate().take(characters.len()) {
        collide.extend(names[index + 1..].iter().map(|second| [(*first).clone(), (*second).clone()]));
    }
    let ground = part_ground(parts);
    Scene { ground, characters, objects, collide, ..Scene::default() }
}

fn part_ground(parts: &[Part]) -> Option<sinew_sim::Ground> {
    parts[0].pilot.body().model().scene().ground
}

fn slots_of(parts: &[Part]) -> Vec<Slot> {
    let (mut q, mut v, mut point, mut body) = (0, 0, 6, 0);
    let mut slots = Vec::new();
    for part in parts {
        let model = part.pilot.body().model();
        let points = 3 * model.end_effectors().count();
        let (nq, nv, bodies) = (model.position_count(), model.velocity_count(), model.bodies().len());
        slots.push(Slot { q: q..q + nq, v: v..v + nv, points: point..point + points, first_body: body, bodies });
        (q, v, point, body) = (q + nq, v + nv, point + points, body + bodies);
    }
    slots
}

/// First numbers of each ball in `qpos` and `qvel`.
fn ball_joints(model: &Model, scene: &Scene) -> Vec<(usize, usize)> {
    let joint = |name: &str| model.joints().iter().find(|joint| joint.name == name);
    let place = |ball: &sinew_sim::Object| joint(&ball.name).map(|joint| (joint.position_index, joint.velocity_index));
    scene.objects.iter().filter_map(place).collect()
}

#[cfg(test)]
#[path = "player_tests.rs"]
mod tests;
