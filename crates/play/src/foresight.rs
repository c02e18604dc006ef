//! Foresight: before a character does what it is asked for, its body tries that out in a world of its own.
//!
//! Motion that is made on the way may ask for what no body can do: a halt within a step, a jump from the wrong foot. Whether the body can do it is what the
//! simulator knows. So the character imagines itself for some seconds: its generator goes on under the wish, its policy follows, its body is
//! simulated from where it is now, without balls and other characters. Where it would fall, it does not do it yet: it goes on with what it pursued
//! before, or stands, whatever keeps its feet; and it tries again a moment later, from another phase of its stride. Such a filter in front of a learnt
//! policy is known as model predictive shielding (Bastani 2021). Start reading at [`Foresight::choose`].

use crate::part::Part;
use crate::wish::Wish;
use sinew_learn::{GeneratorState, GroundTransform, Objective};
use sinew_sim::{Batch, BatchOptions, Condition, Readings};
use sinew_track::{Course, PilotState, Seen, TrackError, feeds_back_m};
use std::collections::VecDeque;

/// Wishes that are tried out at the same time.
const MOST_WISHES: usize = 8;
/// A body goes as it was foreseen where its root is no farther off than this, over its height, and no number of its pose by more than this.
const AS_FORESEEN: f64 = 0.02;

/// Worlds in which a character tries out what it may do.
pub(crate) struct Foresight {
    part: Part,
    /// For so many frames.
    frames: usize,
    feeds_back_m: f64,
    /// What the character pursues: it goes on ahead of it.
    plan: Option<Imagined>,
    /// The world of that plan, and worlds for several wishes.
    alone: Worlds,
    several: Worlds,
}

/// What becomes of a wish.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outlook {
    /// The body keeps its feet as far as it looks ahead.
    Good,
    /// It falls after so many frames.
    Falls(usize),
    /// Nothing is known: there is no plan, or the body does not go as it was foreseen.
    Unknown,
}

/// Where a character is, and what it follows.
#[derive(Clone, Copy)]
pub(crate) struct Present<'a> {
    pub course: &'a Course,
    pub state: &'a PilotState,
    pub seen: Seen<'a>,
    pub frame: u64,
}

/// Simulated worlds and their numbers, a row for each.
struct Worlds {
    batch: Batch,
    positions: Vec<f32>,
    velocities: Vec<f32>,
    observed: Vec<f32>,
    conditions: Vec<Condition>,
    targets: [Vec<f32>; 2],
}

/// A character in one of them.
struct Imagined {
    wish: Wish,
    /// The pose before the present one.
    before: Vec<f64>,
    /// The motion now, and in the frames ahead that the policy sees.
    ahead: VecDeque<GeneratorState>,
    /// Frame of the player less that of the motion.
    clock: u64,
    state: PilotState,
    /// Where the body is in the frames that were imagined, the present one first.
    foreseen: VecDeque<Vec<f32>>,
    has_fallen: bool,
}

impl Foresight {
    /// Looks so many seconds ahead.
    ///
    /// # Errors
    /// Where the worlds cannot be made.
    pub fn new(part: &Part, secs: f64) -> Result<Foresight, TrackError> {
        Ok(Foresight {
            frames: libm::round(secs * part.generator().rate_hz()).max(1.0) as usize,
            feeds_back_m: feeds_back_m(part.pilot.body()),
            plan: None,
            alone: Worlds::new(part, 1)?,
            several: Worlds::new(part, MOST_WISHES)?,
            part: part.clone(),
        })
    }

    /// Forgets what was foreseen.
    pub fn forget(&mut self) {
        self.plan = None;
    }

    /// Where the body is in the frames that were imagined, the present one first.
    #[cfg(test)]
    pub fn foreseen(&self) -> Vec<Vec<f32>> {
        self.plan.iter().flat_map(|plan| plan.foreseen.iter().cloned()).collect()
    }

    /// Looks a frame farther ahead, where the body is now as it was foreseen. Call it once in each frame that goes by without [`Foresight::choose`].
    ///
    /// # Errors
    /// Where the policy asks for more than the generator predicts.
    pub fn go_on(&mut self, seen: Seen<'_>) -> Result<Outlook, TrackError> {
        let Some(mut plan) = self.plan.take() else { return Ok(Outlook::Unknown) };
        plan.foreseen.pop_front();
        let far = AS_FORESEEN * self.part.pilot.body().height_m().max(1.0);
        let is_near = |foreseen: &Vec<f32>| {
            foreseen.iter().zip(seen.position).all(|(own, now)| f64::from((own - now).abs()) <= far)
        };
        if !plan.foreseen.front().is_some_and(is_near) {
            return Ok(Outlook::Unknown);
        }
        let mut plans = [plan];
        imagine(&self.part, &mut self.alone, &mut plans, self.frames, self.feeds_back_m)?;
        let [plan] = plans;
        let outlook = plan.outlook();
        self.plan = Some(plan);
        Ok(outlook)
    }

    /// Tries the first wish, and where the body would fall, the others. Returns the index of the first by which it keeps its feet; where it falls by all of
    /// them, of the one by which it does so last. That one is the plan from now on.
    ///
    /// # Errors
    /// Where the policy asks for more than the generator predicts.
    pub fn choose(&mut self, wishes: &[Wish], now: Present<'_>) -> Result<usize, TrackError> {
        self.alone.begin(now.seen)?;
        let mut first = [Imagined::new(&self.part, wishes[0], now)];
        imagine(&self.part, &mut self.alone, &mut first, self.frames, self.feeds_back_m)?;
        let [first] = first;
        let (mut best, mut chosen) = (first, 0);
        let others = &wishes[1..wishes.len().min(1 + MOST_WISHES)];
        if best.has_fallen && !others.is_empty() {
            self.several.begin(now.seen)?;
            let mut all: Vec<Imagined> = others.iter().map(|wish| Imagined::new(&self.part, *wish, now)).collect();
            imagine(&self.part, &mut self.several, &mut all, self.frames, self.feeds_back_m)?;
            for (index, other) in (1..).zip(all) {
                if best.has_fallen && (!other.has_fallen || other.foreseen.len() > best.foreseen.len()) {
                    (best, chosen) = (other, index);
                }
            }
            if chosen > 0 {
                // The plan goes on in the world of its own.
                self.alone.begin(self.several.seen(chosen - 1))?;
            }
        }
        self.plan = Some(best);
        Ok(chosen)
    }
}

/// Goes on in all worlds until `frames` frames lie ahead, or the body has fallen.
fn imagine(
    part: &Part,
    worlds: &mut Worlds,
    imagined: &mut [Imagined],
    frames: usize,
    feeds_back_m: f64,
) -> Result<(), TrackError> {
    let pilot = &part.pilot;
    let goes_on = |own: &Imagined| !own.has_fallen && own.foreseen.len() <= frames;
    while imagined.iter().any(goes_on) {
        for (world, own) in imagined.iter_mut().enumerate().filter(|(_, own)| goes_on(own)) {
            let window = own.window(part);
            pilot.follow(&mut own.state, &window)?;
            let targets = pilot.decide(&mut own.state, worlds.seen(world));
            worlds.aim(world, targets);
        }
        worlds.step(pilot.interval())?;
        for (world, own) in imagined.iter_mut().enumerate().filter(|(_, own)| goes_on(own)) {
            let seen = worlds.seen(world);
            let moment = pilot.judge(&own.state, seen);
            if moment.has_fallen || worlds.conditions[world] != Condition::Running {
                own.has_fallen = true;
                continue;
            }
            own.foreseen.push_back(seen.position.to_vec());
            own.step(part);
            if moment.body_error_m > feeds_back_m {
                own.move_to(part, seen);
            }
        }
    }
    Ok(())
}

impl Imagined {
    /// A wish, from where the character is.
    fn new(part: &Part, wish: Wish, now: Present<'_>) -> Imagined {
        let motion = &now.course.motion;
        let mut own = Imagined {
            wish,
            before: now.course.before().to_vec(),
            ahead: VecDeque::from([motion.clone()]),
            clock: now.frame.wrapping_sub(motion.frame),
            state: now.state.clone(),
            foreseen: VecDeque::from([now.seen.position.to_vec()]),
            has_fallen: false,
        };
        own.look_on(part);
        own
    }

    fn outlook(&self) -> Outlook {
        if self.has_fallen { Outlook::Falls(self.foreseen.len()) } else { Outlook::Good }
    }

    /// Goes on with the motion until as much lies ahead as the policy sees.
    fn look_on(&mut self, part: &Part) {
        while self.ahead.len() <= part.pilot.policy().frames_ahead() {
            let mut next = self.ahead[self.ahead.len() - 1].clone();
            let objective = self.objective(part, &next);
            part.generator().step(&mut next, &objective);
            self.ahead.push_back(next);
        }
    }

    fn objective(&self, part: &Part, motion: &GeneratorState) -> Objective {
        self.wish.objective(part, motion, motion.frame.wrapping_add(self.clock))
    }

    /// What the policy is shown: where the wish asks for something else soon, it does not know that yet.
    fn window(&self, part: &Part) -> Vec<Vec<f64>> {
        let first = &self.ahead[0];
        let (now, then) = (self.objective(part, first), self.objective(part, &self.ahead[self.ahead.len() - 1]));
        let mut rows = vec![self.before.clone(), first.qpos.clone()];
        if now.due_secs == then.due_secs && now.actions == then.actions {
            rows.extend(self.ahead.iter().skip(1).map(|motion| motion.qpos.clone()));
        } else {
            let mut motion = first.clone();
            rows.extend((1..self.ahead.len()).map(|_| {
                part.generator().step(&mut motion, &now);
                motion.qpos.clone()
            }));
        }
        rows
    }

    /// On by a frame.
    fn step(&mut self, part: &Part) {
        if let Some(past) = self.ahead.pop_front() {
            self.before = past.qpos;
        }
        self.look_on(part);
    }

    /// The motion goes on where the body is, as at play.
    fn move_to(&mut self, part: &Part, seen: Seen<'_>) {
        self.ahead.truncate(1);
        let here = &mut self.ahead[0];
        let [x, y] = std::array::from_fn(|k| f64::from(seen.position[k]) - here.qpos[k]);
        let shift = GroundTransform { x, y, yaw: 0.0 };
        shift.move_root(&mut self.before);
        part.generator().move_ground(here, &shift);
        self.look_on(part);
    }
}

impl Worlds {
    fn new(part: &Part, count: usize) -> Result<Worlds, TrackError> {
        let model = part.pilot.body().model();
        let targets = || vec![0.0; count * model.position_count()];
        Ok(Worlds {
            batch: Batch::new(model, count, BatchOptions { threads: 1, ..BatchOptions::default() })?,
            positions: vec![0.0; count * model.position_count()],
            velocities: vec![0.0; count * model.velocity_count()],
            observed: vec![0.0; count * model.observation_count()],
            conditions: vec![Condition::Running; count],
            targets: [targets(), targets()],
        })
    }

    /// All worlds begin where the character is.
    fn begin(&mut self, seen: Seen<'_>) -> Result<(), TrackError> {
        let count = self.conditions.len();
        self.positions = seen.position.repeat(count);
        self.velocities = seen.velocity.repeat(count);
        let all: Vec<usize> = (0..count).collect();
        self.batch.reset(&all, &self.positions, &self.velocities)?;
        let width = self.observed.len() / count;
        for row in self.observed.chunks_mut(width) {
            row[..seen.observed.len()].copy_from_slice(seen.observed);
        }
        self.conditions.fill(Condition::Running);
        self.targets = [self.positions.clone(), self.positions.clone()];
        Ok(())
    }

    fn seen(&self, world: usize) -> Seen<'_> {
        let row = |values: &'_ [f32]| {
            let width = values.len() / self.conditions.len();
            world * width..(world + 1) * width
        };
        Seen {
            position: &self.positions[row(&self.positions)],
            velocity: &self.velocities[row(&self.velocities)],
            observed: &self.observed[row(&self.observed)],
        }
    }

    fn aim(&mut self, world: usize, decided: [&[f32]; 2]) {
        for (rows, decided) in self.targets.iter_mut().zip(decided) {
            rows[world * decided.len()..(world + 1) * decided.len()].copy_from_slice(decided);
        }
    }

    fn step(&mut self, interval: sinew_sim::Interval) -> Result<(), TrackError> {
        let readings = Readings {
            positions: Some(&mut self.positions),
            velocities: Some(&mut self.velocities),
            observations: Some(&mut self.observed),
            conditions: Some(&mut self.conditions),
            ..Readings::none()
        };
        Ok(self.batch.control_from(&self.targets[0], &self.targets[1], interval, readings)?)
    }
}
