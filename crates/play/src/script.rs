//! What users want, over time, as a TOML file: written by hand, or recorded.
//!
//! ```toml
//! seconds = 8.0                 # how long it is played
//! seed = 1                      # where motions begin
//! characters = 1                # how many share the world
//! foresight = 3.5               # how far ahead they try out what they are asked for, s
//!
//! [[input]]
//! at = 0.5                      # seconds
//! stick = [1.2, 0.0]            # velocity along the ground in the world, m/s; holds until something else is asked for
//! [[input]]
//! at = 3.0
//! target = [2.0, 1.0]           # place on the ground, m; or chase = 2: to the nearest of the other of two teams
//! action = "Jump"               # by name
//! [[input]]
//! at = 4.0
//! push = { body = "chest", force = [200.0, 0.0, 0.0], secs = 0.1 }
//! ball = { mass_kg = 5.0, speed = 9.0, from_deg = 90.0 }
//! ```

use crate::error::PlayError;
use crate::input::{Input, Push, Steer, Throw};
use crate::player::{FORESIGHT_SECS, MOST_FORESIGHT_SECS, Player};
use serde::{Deserialize, Serialize};
use sinew_learn::Objective;
use std::path::Path;

/// Largest script, bytes.
const LARGEST: u64 = 1 << 28;
/// Longest play, s.
const LONGEST_SECS: f64 = 36_000.0;
/// Most characters in a world.
pub const MOST_CHARACTERS: usize = 6;

/// What users want, over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// How long it is played, s; none for two seconds after the last input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Seed of where motions begin.
    #[serde(default = "one")]
    pub seed: u64,
    /// How many of the character share the world.
    #[serde(default = "one_character", skip_serializing_if = "is_one")]
    pub characters: usize,
    /// How far ahead characters try out what they are asked for, s; 0 for not at all.
    #[serde(default = "usual_foresight", skip_serializing_if = "is_usual_foresight")]
    pub foresight: f64,
    /// Inputs; those of the same frame in their order.
    #[serde(default)]
    pub input: Vec<TimedInput>,
}

fn one() -> u64 {
    1
}

fn one_character() -> usize {
    1
}

fn usual_foresight() -> f64 {
    FORESIGHT_SECS
}

fn is_usual_foresight(secs: &f64) -> bool {
    *secs == FORESIGHT_SECS
}

fn is_one(number: &usize) -> bool {
    *number == 1
}

/// Something that a user wants from a moment on, or in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedInput {
    /// When, s.
    pub at: f64,
    /// Which character; the first where left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub character: usize,
    /// Steers no longer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free: bool,
    /// Steers by a velocity, m/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stick: Option<[f64; 2]>,
    /// Steers to a place, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<[f64; 2]>,
    /// Steers by an objective.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<Objective>,
    /// Goes for the nearest character of another team; all take turns in so many teams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chase: Option<usize>,
    /// Begins an action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Pushes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push: Option<TimedPush>,
    /// Throws a ball.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ball: Option<Throw>,
}

/// A push on a body by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedPush {
    /// The body.
    pub body: String,
    /// Force in world axes, N.
    pub force: [f64; 3],
    /// Where it acts, in the world, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// How long, s.
    pub secs: f64,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Script {
    /// A game of two teams with so many characters each, all of whom go for the nearest of the other team.
    pub fn game(a_side: usize, seconds: f64, seed: u64) -> Script {
        let characters = 2 * a_side;
        let chase = |character| TimedInput { character, chase: Some(2), ..TimedInput::default() };
        let input = (0..characters).map(chase).collect();
        Script { seconds: Some(seconds), characters, input, ..Script::new(seed) }
    }

    /// Nothing so far.
    pub fn new(seed: u64) -> Script {
        Script { seconds: None, seed, characters: 1, foresight: FORESIGHT_SECS, input: Vec::new() }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Where it cannot be read or has values that make no sense, with the line or the input.
    pub fn read(path: &Path) -> Result<Script, PlayError> {
        let wrong = |problem: String| PlayError::Script { path: path.into(), problem };
        let text = sinew_files::read_text(path, LARGEST)?;
        let script: Script = toml::from_str(&text).map_err(|e| wrong(e.to_string().trim().replace('\n', " ")))?;
        script.fault().map_or(Ok(script), |problem| Err(wrong(problem)))
    }

    /// Its text.
    ///
    /// # Errors
    /// Where it cannot be written as TOML.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }

    fn fault(&self) -> Option<String> {
        let seconds = self.seconds.unwrap_or(0.0);
        if !(0.0..=LONGEST_SECS).contains(&seconds) {
            return Some(format!("seconds is {seconds}, but must lie between 0 and {LONGEST_SECS}"));
        }
        if !(1..=MOST_CHARACTERS).contains(&self.characters) {
            return Some(format!("characters is {}, but must lie between 1 and {MOST_CHARACTERS}", self.characters));
        }
        if !(0.0..=MOST_FORESIGHT_SECS).contains(&self.foresight) {
            return Some(format!("foresight is {}, but must lie between 0 and {MOST_FORESIGHT_SECS}", self.foresight));
        }
        self.input.iter().enumerate().find_map(|(index, input)| {
            let number = index + 1;
            let led = [input.target.is_some(), input.objective.is_some(), input.chase.is_some()];
            let steers = [[input.free, input.stick.is_some()].as_slice(), &led].concat();
            if !(0.0..=LONGEST_SECS).contains(&input.at) {
                Some(format!("input {number}: at is {}, but must lie between 0 and {LONGEST_SECS}", input.at))
            } else if steers.iter().filter(|is_there| **is_there).count() > 1 {
                Some(format!("input {number}: give only one of free, stick, target, objective and chase"))
            } else if input.chase.is_some_and(|teams| !(2..=MOST_CHARACTERS).contains(&teams)) {
                Some(format!("input {number}: chase is a number of teams, from 2 to {MOST_CHARACTERS}"))
            } else if input.push.as_ref().is_some_and(|push| !(push.secs > 0.0 && push.secs <= 60.0)) {
                Some(format!("input {number}: a push lasts more than 0 and at most 60 s"))
            } else {
                None
            }
        })
    }

    /// Frames that it lasts.
    pub fn frames(&self, rate_hz: f64) -> u64 {
        let last = self.input.iter().map(|input| input.at).fold(0.0, f64::max);
        libm::round(self.seconds.unwrap_or(last + 2.0) * rate_hz) as u64
    }

    /// The inputs of all characters in each frame, for a player.
    ///
    /// # Errors
    /// Where an action, a body or a character is not there, with those that are; as in [`Script::read`], `path` says where the script is from.
    pub fn inputs(&self, player: &Player, path: &Path) -> Result<Vec<Vec<Input>>, PlayError> {
        let wrong = |number: usize, problem: String| PlayError::Script {
            path: path.into(),
            problem: format!("input {number}: {problem}"),
        };
        let frames = self.frames(player.rate_hz());
        let frame_of = |input: &TimedInput| libm::round(input.at * player.rate_hz()) as u64;
        let mut order: Vec<(usize, &TimedInput)> = self.input.iter().enumerate().collect();
        order.sort_by_key(|(_, input)| frame_of(input));
        let mut next = order.into_iter().peekable();
        let mut steers = vec![Steer::Free; player.character_count()];
        let mut all = Vec::with_capacity(frames as usize);
        for frame in 0..frames {
            let mut inputs: Vec<Input> = vec![Input::default(); steers.len()];
            while let Some((index, timed)) = next.next_if(|(_, timed)| frame_of(timed) <= frame) {
                let Some(input) = inputs.get_mut(timed.character) else {
                    let most = steers.len() - 1;
                    let problem =
                        format!("there is no character {}; they have numbers from 0 to {most}", timed.character);
                    return Err(wrong(index + 1, problem));
                };
                if let Some(steer) = timed.steer() {
                    steers[timed.character] = steer;
                }
                timed.write(player, input).map_err(|problem| wrong(index + 1, problem))?;
            }
            inputs.iter_mut().zip(&steers).for_each(|(input, steer)| input.steer = *steer);
            all.push(inputs);
        }
        Ok(all)
    }

    /// Adds what is new in the inputs of a frame; `before` are those of the frame before.
    pub fn record(&mut self, player: &Player, frame: u64, before: Option<&[Input]>, inputs: &[Input]) {
        let at = frame as f64 / player.rate_hz();
        for (character, input) in inputs.iter().enumerate() {
            let timed = TimedInput { at, character, ..TimedInput::default() };
            let old = before.and_then(|before| before.get(character)).map_or(Steer::Free, |before| before.steer);
            if old != input.steer {
                self.input.push(timed.clone().steered(input.steer));
            }
            if let Some(action) = input.action.and_then(|action| player.part(character).actions().get(action)) {
                self.input.push(TimedInput { action: Some(action.name.clone()), ..timed.clone() });
            }
            for push in &input.pushes {
                let Some(body) = player.part(character).body_names().get(push.body).copied() else {
                    continue;
                };
                let Push { force, point, secs, .. } = *push;
                let push = TimedPush { body: body.to_owned(), force, point, secs };
                self.input.push(TimedInput { push: Some(push), ..timed.clone() });
            }
            for throw in &input.throws {
                self.input.push(TimedInput { ball: Some(*throw), ..timed.clone() });
            }
        }
        self.seconds = Some((frame + 1) as f64 / player.rate_hz());
    }
}

impl TimedInput {
    fn steer(&self) -> Option<Steer> {
        let free = self.free.then_some(Steer::Free);
        let stick = self.stick.map(Steer::Stick);
        let led = self.target.map(Steer::Target).or(self.objective.map(Steer::Objective));
        free.or(stick).or(led).or(self.chase.map(Steer::Chase))
    }

    fn steered(self, steer: Steer) -> TimedInput {
        match steer {
            Steer::Free => TimedInput { free: true, ..self },
            Steer::Stick(stick) => TimedInput { stick: Some(stick), ..self },
            Steer::Target(target) => TimedInput { target: Some(target), ..self },
            Steer::Objective(objective) => TimedInput { objective: Some(objective), ..self },
            Steer::Chase(teams) => TimedInput { chase: Some(teams), ..self },
        }
    }

    /// Writes what happens at once.
    fn write(&self, player: &Player, input: &mut Input) -> Result<(), String> {
        let part = player.part(self.character);
        if let Some(name) = &self.action {
            let known = || part.actions().iter().map(|action| action.name.as_str()).collect::<Vec<_>>().join(", ");
            let index =
                part.action(name).ok_or_else(|| format!("there is no action {name:?}; there are {}", known()))?;
            input.action = Some(index);
        }
        if let Some(TimedPush { body: name, force, point, secs }) = &self.push {
            let bodies = part.body_names();
            let body = bodies.iter().position(|body| body == name);
            let body = body.ok_or_else(|| format!("there is no body {name:?}; there are {}", bodies.join(", ")))?;
            input.pushes.push(Push { body, force: *force, point: *point, secs: *secs });
        }
        input.throws.extend(self.ball);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::PlayerOptions;
    use crate::test_character::part;

    fn player() -> Player {
        Player::new(&[part(&["Jump"])], &PlayerOptions::default()).unwrap()
    }

    fn read(text: &str) -> Result<Script, PlayError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("moves.toml");
        std::fs::write(&path, text).unwrap();
        Script::read(&path)
    }

    const TEXT: &str = "seconds = 1.0\n[[input]]\nat = 0.2\nball = { mass_kg = 5.0, speed = 9.0, from_deg = 90.0 }\n\
        [[input]]\nat = 0.1\nstick = [1.2, 0.0]\naction = 'jump'\n[[input]]\nat = 0.5\ntarget = [1.0, 2.0]\n";

    #[test]
    fn inputs_come_at_their_time_and_steering_holds() {
        let inputs = read(TEXT).unwrap().inputs(&player(), Path::new("moves.toml")).unwrap();
        assert_eq!(inputs.len(), 30);
        let steers = [0, 3, 14, 15, 29].map(|frame: usize| inputs[frame][0].steer);
        let (stick, target) = (Steer::Stick([1.2, 0.0]), Steer::Target([1.0, 2.0]));
        assert_eq!(steers, [Steer::Free, stick, stick, target, target]);
        let acting: Vec<usize> = (0..30).filter(|&frame| inputs[frame][0].action == Some(1)).collect();
        let thrown: Vec<usize> = (0..30).filter(|&frame| !inputs[frame][0].throws.is_empty()).collect();
        assert_eq!((acting, thrown), (vec![3], vec![6]));
    }

    #[test]
    fn a_chase_has_at_least_two_teams_and_nothing_beside_it() {
        let refused = |line: &str| read(&format!("[[input]]\nat = 0.1\n{line}")).unwrap_err().to_string();
        assert!(refused("chase = 1").contains("number of teams, from 2 to 6"));
        assert!(refused("chase = 2\ntarget = [0.0, 1.0]").contains("only one of"));
        let game = Script::game(2, 3.0, 7);
        assert_eq!((game.characters, game.seconds, game.seed), (4, Some(3.0), 7));
        let led: Vec<(usize, Option<usize>)> = game.input.iter().map(|input| (input.character, input.chase)).collect();
        assert_eq!(led, [0, 1, 2, 3].map(|character| (character, Some(2))));
        let read = read(&game.to_toml().unwrap()).unwrap();
        assert_eq!(read, game);
    }

    #[test]
    fn what_was_recorded_is_played_to_the_same_hash() {
        let mut player = player();
        let mut inputs = read(TEXT).unwrap().inputs(&player, Path::new("moves.toml")).unwrap();
        inputs[8][0].pushes.push(Push { body: 1, force: [9.0, 0.1, 0.0], point: None, secs: 0.1 });
        inputs[20][0].steer =
            Steer::Objective(Objective { heading_rad: Some(0.1), ..Objective::at(1, [0.3, 0.7], 1.1) });
        let mut script = Script::new(1);
        let mut before: Option<Vec<Input>> = None;
        for (frame, now) in inputs.iter().enumerate() {
            script.record(&player, frame as u64, before.as_deref(), now);
            player.step(now).unwrap();
            before = Some(now.clone());
        }
        let mut again = self::player();
        let recorded = read(&script.to_toml().unwrap()).unwrap();
        let replayed = recorded.inputs(&again, Path::new("take.toml")).unwrap();
        assert_eq!(replayed, inputs);
        for now in &replayed {
            again.step(now).unwrap();
        }
        assert_eq!(again.hash(), player.hash());
    }

    #[test]
    fn what_is_wrong_is_said_in_a_sentence() {
        let said = |text: &str| {
            let script = read(text);
            script.and_then(|script| script.inputs(&player(), Path::new("moves.toml"))).unwrap_err().to_string()
        };
        let found = said("[[input]]\nat = 1.0\naction = 'Fly'\n");
        assert!(found.contains("moves.toml: input 1") && found.contains("MoveTo, Jump"), "{found}");
        let found = said("[[input]]\nat = 1.0\npush = { body = 'tail', force = [1.0, 0.0, 0.0], secs = 0.1 }\n");
        assert!(found.contains("no body \"tail\""), "{found}");
        let found = said("[[input]]\nat = 1.0\ncharacter = 3\nfree = true\n");
        assert!(found.contains("no character 3"), "{found}");
        let found = said("[[input]]\nat = 1.0\nstick = [1.0, 0.0]\ntarget = [1.0, 0.0]\n");
        assert!(found.contains("only one of"), "{found}");
        assert!(said("[[input]]\nat = -1.0\n").contains("at is -1"));
        assert!(said("characters = 9\n").contains("between 1 and 6"));
        assert!(said("foresight = 11.0\n").contains("foresight is 11, but must lie between 0 and 10"));
        let told = |script: &Script| script.to_toml().unwrap().contains("foresight");
        assert!(!told(&Script::new(1)) && told(&Script { foresight: 0.0, ..Script::new(1) }));
        assert!(said("seconds = nan\n").contains("seconds is NaN"));
        assert!(said("[[input]]\nat = 1.0\nstik = [1.0, 0.0]\n").contains("stik"));
    }
}
