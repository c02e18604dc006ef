//! Foresight: before a character does what it is asked for, its body tries that out in a world of its own.
//!
//! Motion that is made on the way may ask for what no body can do: a halt within a step, a jump from the wrong foot. Whether the body can do it is what the
//! simulator knows. So the character imagines itself for a second and a half: its generator goes on under the wish, its policy follows, its body is
//! simulated from where it is now, without balls and other characters. Where it would fall, it does not do it yet: it goes on with what it pursued
//! before, or stands, whatever keeps its feet; and it tries again a moment later, from another phase of its stride. Such a filter in front of a learnt
//! policy is known as model predictive shielding (Bastani 2021). Start reading at [`Foresight::choose`].

use crate::part::Part;
use crate::wish::Wish;
use sinew_learn::{GeneratorState, GroundTransform};
use sinew_sim::{Batch, BatchOptions, Condition, Readings};
use sinew_track::{Course, PilotState, Seen, TrackError, feeds_back_m};
use std::collections::VecDeque;

/// Wishes that are tried out at the same time.
const MOST_WISHES: usize = 4;

/// Worlds in which a character tries out what it may do.
pub(crate) struct Foresight {
    part: Part,
    /// For so many frames.
    frames: usize,
    feeds_back_m: f64,
    /// For one wish, and for several.
    alone: Worlds,
    several: Worlds,
}

/// How far a wish went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outlook {
    /// Frames before the body falls; none where it does not.
    pub falls_after: Option<usize>,
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
    /// The motion where the window ends.
    motion: GeneratorState,
    /// The frame before the present one, the present one, those ahead.
    window: VecDeque<Vec<f64>>,
    state: PilotState,
    falls_after: Option<usize>,
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
            alone: Worlds::new(part, 1)?,
            several: Worlds::new(part, MOST_WISHES)?,
            part: part.clone(),
        })
    }

    /// Tries the first wish, and where the body would fall, the others. Returns the index of the first by which it keeps its feet; where it falls by all of
    /// them, of the one by which it does so last, and how far that goes.
    ///
    /// # Errors
    /// Where the policy asks for more than the generator predicts.
    pub fn choose(
        &mut self,
        wishes: &[Wish],
        course: &Course,
        state: &PilotState,
        seen: Seen<'_>,
        frame: u64,
    ) -> Result<(usize, Outlook), TrackError> {
        let first = self.imagine(&wishes[..1], course, state, seen, frame)?[0];
        if first.falls_after.is_none() || wishes.len() == 1 {
            return Ok((0, first));
        }
        let others = &wishes[1..wishes.len().min(1 + MOST_WISHES)];
        let outlooks = self.imagine(others, course, state, seen, frame)?;
        let mut best = (0, first);
        for (index, outlook) in (1..).zip(outlooks) {
            let Some(falls_after) = outlook.falls_after else { return Ok((index, outlook)) };
            if best.1.falls_after.is_some_and(|least| falls_after > least) {
                best = (index, outlook);
            }
        }
        Ok(best)
    }

    fn imagine(
        &mut self,
        wishes: &[Wish],
        course: &Course,
        state: &PilotState,
        seen: Seen<'_>,
        frame: u64,
    ) -> Result<Vec<Outlook>, TrackError> {
        let (part, pilot) = (&self.part, &self.part.pilot);
        let ahead = pilot.policy().frames_ahead();
        let worlds = if wishes.len() == 1 { &mut self.alone } else { &mut self.several };
        worlds.begin(seen)?;
        let mut imagined: Vec<Imagined> = wishes
            .iter()
            .map(|wish| {
                let mut own = Imagined {
                    wish: *wish,
                    motion: course.motion.clone(),
                    window: VecDeque::from([course.before().to_vec(), course.motion.qpos.clone()]),
                    state: state.clone(),
                    falls_after: None,
                };
                (0..ahead).for_each(|_| own.look_on(part, frame, course.motion.frame));
                own
            })
            .collect();
        for after in 0..self.frames {
            for (world, own) in imagined.iter_mut().enumerate().filter(|(_, own)| own.falls_after.is_none()) {
                pilot.follow(&mut own.state, own.window.make_contiguous())?;
                let targets = pilot.decide(&mut own.state, worlds.seen(world));
                worlds.aim(world, targets);
            }
            worlds.step(pilot.interval())?;
            for (world, own) in imagined.iter_mut().enumerate().filter(|(_, own)| own.falls_after.is_none()) {
                let moment = pilot.judge(&own.state, worlds.seen(world));
                if moment.has_fallen || worlds.conditions[world] != Condition::Running {
                    own.falls_after = Some(after);
                    continue;
                }
                own.window.pop_front();
                own.look_on(part, frame, course.motion.frame);
                if moment.body_error_m > self.feeds_back_m {
                    own.move_to(part, worlds.seen(world));
                }
            }
            if imagined.iter().all(|own| own.falls_after.is_some()) {
                break;
            }
        }
        Ok(imagined.iter().map(|own| Outlook { falls_after: own.falls_after }).collect())
    }
}

impl Imagined {
    /// The window gets another frame. `frame` is that of the player when the motion's clock says `clock`.
    fn look_on(&mut self, part: &Part, frame: u64, clock: u64) {
        let objective = self.wish.objective_in_time(part, &self.motion, frame + self.motion.frame - clock);
        part.generator().step(&mut self.motion, &objective);
        self.window.push_back(self.motion.qpos.clone());
    }

    /// The motion goes on where the body is, as at play.
    fn move_to(&mut self, part: &Part, seen: Seen<'_>) {
        let here = &self.window[1];
        let [x, y] = std::array::from_fn(|k| f64::from(seen.position[k]) - here[k]);
        let shift = GroundTransform { x, y, yaw: 0.0 };
        self.window.iter_mut().for_each(|row| shift.move_root(row));
        part.generator().move_ground(&mut self.motion, &shift);
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
