//! The characters of a package, as a session simulates them: steered, pushed and hit, and recorded from the start.

use super::live::{Live, Recording, check_ball, check_push, within};
use crate::error::Refusal;
use crate::figure::Figure;
use crate::project::Project;
use crate::protocol::frame::{DIVERGED, FALLEN, JUMPED};
use crate::protocol::{Doing, Frame, Played, PlayedCharacter, SceneCharacter, SessionAction, SessionEntry, Steer};
use sinew::playing::{self, Event, Happening, Input, MOST_CHARACTERS, Part, Player, Push, Script, Throw};
use sinew_sim::{Object, Status};

/// A character that is nearer to its target than so many of its heights has arrived, and stands.
const ARRIVED: f64 = 0.25;

/// Characters of a package in one world.
pub struct PlayedPackage {
    package: String,
    part: Part,
    player: Player,
    figure: Figure,
    /// What was told so far, up to the last whole frame.
    script: Script,
    characters: Vec<Told>,
    /// Balls for the next frame.
    throws: Vec<Throw>,
    /// Inputs of the last whole frame.
    before: Option<Vec<Input>>,
    /// Inputs of the present frame.
    now: Vec<Input>,
    /// Steps that are left of the present frame; 0 where the next one is to begin.
    steps_left: usize,
    /// Part of a step that is still to be simulated, s.
    rest_secs: f64,
    has_jumped: bool,
}

/// What a character is told in the next frame.
struct Told {
    steer: Steer,
    action: Option<usize>,
    pushes: Vec<Push>,
    stands_up: bool,
}

impl Default for Told {
    /// Who is told nothing stands.
    fn default() -> Told {
        Told { steer: Steer::Velocity([0.0; 2]), action: None, pushes: Vec::new(), stands_up: false }
    }
}

impl PlayedPackage {
    /// Puts as many characters as the script says into a world.
    ///
    /// # Errors
    /// Where the world cannot be made.
    pub fn new(package: &str, part: Part, script: Script) -> Result<PlayedPackage, Refusal> {
        let player = sinew::play::player(&part, &script)?;
        let scene = player.model().scene();
        let characters: Vec<_> = scene.characters.iter().map(|placed| &placed.character).collect();
        let balls: &[Object] = &scene.objects;
        let figure = Figure::new(player.model(), &characters, balls);
        let told = (0..script.characters).map(|_| Told::default()).collect();
        Ok(PlayedPackage {
            package: package.into(),
            part,
            player,
            figure,
            script,
            characters: told,
            throws: Vec::new(),
            before: None,
            now: Vec::new(),
            steps_left: 0,
            rest_secs: 0.0,
            has_jumped: true,
        })
    }

    /// The characters and balls, as frames show them.
    pub fn figure(&self) -> &Figure {
        &self.figure
    }

    /// The characters among the bodies of the frames.
    pub fn characters(&self) -> Vec<SceneCharacter> {
        let scene = self.player.model().scene();
        let mut first_body = 0;
        let described = scene.characters.iter().enumerate().map(|(index, placed)| {
            let character = &placed.character;
            let root = character.joints.iter().find(|joint| joint.parent.is_none());
            let root = root.and_then(|joint| character.bodies.iter().position(|body| body.name == joint.child));
            let bodies = character.bodies.len();
            first_body += bodies;
            SceneCharacter {
                first_body: first_body - bodies,
                bodies,
                root: first_body - bodies + root.unwrap_or(0),
                height_m: self.player.part(index).pilot().body().height_m(),
            }
        });
        described.collect()
    }

    fn begin_frame(&mut self) -> Result<(), Refusal> {
        self.now = self.characters.iter_mut().map(Told::input).collect();
        // Balls belong to nobody; the record has them with the first.
        if let Some(first) = self.now.first_mut() {
            first.throws = std::mem::take(&mut self.throws);
        }
        self.player.decide(&self.now).map_err(sinew::Error::from)?;
        self.steps_left = self.player.steps_per_frame();
        Ok(())
    }

    fn end_frame(&mut self) -> Result<(), Refusal> {
        let frame = self.player.frame();
        self.player.conclude().map_err(sinew::Error::from)?;
        self.script.record(&self.player, frame, self.before.as_deref(), &self.now);
        self.before = Some(std::mem::take(&mut self.now));
        for Event { character, what, .. } in self.player.events().to_vec() {
            self.characters[character].stands_up = match what {
                Happening::StandsUp => true,
                Happening::StoodUp | Happening::PlacedAnew | Happening::Fell => false,
                Happening::Began(_) | Happening::Achieved(_) => continue,
            };
            self.has_jumped |= what == Happening::PlacedAnew;
        }
        for (index, told) in self.characters.iter_mut().enumerate() {
            let Steer::Target([x, y]) = told.steer else { continue };
            let root = self.player.position(index);
            let height_m = self.player.part(index).pilot().body().height_m();
            if (root[0] - x).hypot(root[1] - y) < ARRIVED * height_m {
                told.steer = Steer::Velocity([0.0; 2]);
            }
        }
        Ok(())
    }

    fn told(&mut self, character: usize) -> Result<&mut Told, Refusal> {
        let count = self.characters.len();
        let missing =
            || Refusal::bad(format!("there is no character {character}; they have numbers from 0 to {}", count - 1));
        self.characters.get_mut(character).ok_or_else(missing)
    }

    fn push(&mut self, body: usize, force: [f64; 3], point: Option<[f64; 3]>, secs: f64) -> Result<(), Refusal> {
        let place = self.figure.model_body(body);
        let of = |place: usize| (0..self.characters.len()).find(|&index| self.player.bodies(index).contains(&place));
        let Some((place, character)) = place.and_then(|place| Some((place, of(place)?))) else {
            return Err(Refusal::bad(format!("body {body} is none of a character; push one of theirs")));
        };
        let body = place - self.player.bodies(character).start;
        self.characters[character].pushes.push(Push { body, force, point, secs });
        Ok(())
    }

    fn perform(&mut self, character: usize, name: &str) -> Result<(), Refusal> {
        let known = || self.part.actions().iter().map(|action| action.name.as_str()).collect::<Vec<_>>().join(", ");
        let missing = || Refusal::bad(format!("there is no action {name:?}; there are {}", known()));
        let action = self.part.action(name).ok_or_else(missing)?;
        self.told(character)?.action = Some(action);
        Ok(())
    }

    fn doing(&self, character: usize) -> Doing {
        match self.player.action(character) {
            _ if self.player.is_limp(character) => Doing::Limp,
            Some(_) if self.characters[character].stands_up => Doing::StandingUp,
            Some(_) => Doing::Acting,
            None => Doing::Moving,
        }
    }
}

impl Told {
    /// As an input; what happens at once happens once.
    fn input(&mut self) -> Input {
        let steer = match self.steer {
            Steer::Free => playing::Steer::Free,
            Steer::Velocity(velocity) => playing::Steer::Stick(velocity),
            Steer::Target(place) => playing::Steer::Target(place),
            Steer::Chase(teams) => playing::Steer::Chase(teams),
        };
        Input { steer, action: self.action.take(), pushes: std::mem::take(&mut self.pushes), throws: Vec::new() }
    }
}

impl Live for PlayedPackage {
    fn advance(&mut self, secs: f64) -> Result<(), Refusal> {
        let dt = self.player.model().dt();
        self.rest_secs += secs;
        // A little more than nothing, so that sixtieths of a second are whole steps.
        let mut steps = ((self.rest_secs + 1e-9) / dt) as usize;
        self.rest_secs -= steps as f64 * dt;
        while steps > 0 {
            if self.steps_left == 0 {
                self.begin_frame()?;
            }
            let some = steps.min(self.steps_left);
            self.steps_left = self.player.simulate(some);
            steps -= some;
            if self.steps_left == 0 {
                self.end_frame()?;
            }
        }
        Ok(())
    }

    fn frame(&mut self) -> Frame {
        let world = self.player.world();
        let mut frame = self.figure.frame(&world.measure(), &world.torques(), &world.contacts());
        let balls = self.player.balls();
        self.figure.hide(&mut frame, |ball| balls.get(ball).is_none_or(Option::is_none));
        let steps = self.player.steps_per_frame();
        let done = if self.steps_left == 0 { 0 } else { steps - self.steps_left };
        frame.time_secs = (self.player.frame() as f64 + done as f64 / steps as f64) / self.player.rate_hz();
        if matches!(world.status(), Status::Diverged { .. }) {
            frame.flags |= DIVERGED;
        }
        if (0..self.characters.len()).any(|character| self.player.is_limp(character)) {
            frame.flags |= FALLEN;
        }
        if std::mem::take(&mut self.has_jumped) {
            frame.flags |= JUMPED;
        }
        frame
    }

    fn act(&mut self, action: SessionAction, _: &mut SessionEntry, _: &Project) -> Result<(), Refusal> {
        match action {
            SessionAction::Push { body, force, point, secs } => {
                check_push(&force, point, secs)?;
                self.push(body, force, point, secs)?;
            }
            SessionAction::Throw { position, velocity, mass_kg } => {
                // Characters may have walked far.
                within("a ball begins", "m from the middle", &position, 10_000.0)?;
                check_ball(&velocity)?;
                self.throws.push(Throw::From { mass_kg, position, velocity });
            }
            SessionAction::Steer { character, steer } => {
                match steer {
                    Steer::Free => {}
                    Steer::Velocity([x, y]) => within("a character goes", "m/s", &[x, y, 0.0], 20.0)?,
                    Steer::Target([x, y]) => within("a target lies", "m from the middle", &[x, y, 0.0], 10_000.0)?,
                    Steer::Chase(teams) if (2..=MOST_CHARACTERS).contains(&teams) => {}
                    Steer::Chase(teams) => {
                        let problem = format!("{teams} teams: give from 2 to {MOST_CHARACTERS}");
                        return Err(Refusal::bad(problem));
                    }
                }
                self.told(character)?.steer = steer;
            }
            SessionAction::Perform { character, name } => self.perform(character, &name)?,
            SessionAction::Reset => {
                let begun = Script {
                    characters: self.script.characters,
                    foresight: self.script.foresight,
                    ..Script::new(self.script.seed)
                };
                *self = PlayedPackage::new(&self.package, self.part.clone(), begun)?;
            }
            SessionAction::Gravity { .. } | SessionAction::Controller { .. } | SessionAction::Dial { .. } => {
                return Err(Refusal::bad("a package is played by its own policy under the Earth's gravity"));
            }
            // The clock is the session's.
            SessionAction::TimeScale { .. } | SessionAction::Pause { .. } | SessionAction::Step => {}
        }
        Ok(())
    }

    fn played(&self) -> Option<Played> {
        let character = |index: usize| {
            let figures = self.player.figures(index);
            let action = self.player.action(index).and_then(|action| self.part.actions().get(action));
            PlayedCharacter {
                doing: self.doing(index),
                action: action.map(|action| action.name.clone()),
                target: match self.characters[index].steer {
                    Steer::Target(place) => Some(place),
                    Steer::Free | Steer::Velocity(_) | Steer::Chase(_) => None,
                },
                team: match self.characters[index].steer {
                    Steer::Chase(teams) => Some(index % teams),
                    Steer::Free | Steer::Velocity(_) | Steer::Target(_) => None,
                },
                falls: figures.falls,
                stand_ups: figures.stand_ups,
            }
        };
        Some(Played {
            time_secs: self.player.frame() as f64 / self.player.rate_hz(),
            hash: format!("{:016x}", self.player.hash()),
            real_time_factor: None,
            frame_ms: None,
            characters: (0..self.characters.len()).map(character).collect(),
        })
    }

    fn recording(&self) -> Result<Recording, Refusal> {
        let frames = self.player.frame();
        if frames == 0 {
            return Err(Refusal::bad("nothing was played yet; let it play first"));
        }
        Ok(Recording { package: self.package.clone(), script: self.script.clone(), hash: self.player.hash(), frames })
    }
}
