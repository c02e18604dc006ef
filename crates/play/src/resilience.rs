//! A ball that meets a character on its walk: does it keep its feet? (Park et al. 2019, §6.5)
//!
//! The character walks straight on for a while; then a ball comes at its root from 2 m away, and it is watched while it walks on. Start reading at
//! [`throw_at`].

use crate::balls::BallKind;
use crate::error::PlayError;
use crate::event::Happening;
use crate::input::{Input, Steer, Throw};
use crate::part::Part;
use crate::player::{Player, PlayerOptions};
use crate::walk::walk_speed;
use serde::{Deserialize, Serialize};

/// How long the character is watched after the throw, s.
const WATCHED_SECS: f64 = 3.0;
/// A ball that has not met the character by then has missed it, s.
const FLIGHT_SECS: f64 = 0.4;
/// Farther than this from its free flight, along the ground, a ball has met something, m.
const OFF_FLIGHT_M: f64 = 0.02;
/// Radius of a ball of 5 kg, m; others have the same density.
const RADIUS_OF_5_KG_M: f64 = 0.1;

/// A ball and when it comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThrowTrial {
    /// Where the motion begins: another moment of it for each.
    pub seed: u64,
    /// How long the character walks before, s.
    pub walk_secs: f64,
    /// Mass of the ball, kg.
    pub mass_kg: f64,
    /// Its speed along the ground, m/s, beside the character's own.
    pub speed: f64,
    /// Where it comes from: degrees to the left of where the character looks.
    pub from_deg: f64,
    /// How far ahead the character tries out what it is asked for, s; 0 for not at all. It does not foresee balls.
    pub foresight_secs: f64,
}

/// What came of a throw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThrowOutcome {
    /// Whether the character fell before the ball was thrown: then nothing is known.
    pub fell_before: bool,
    /// Whether the ball met the character.
    pub is_hit: bool,
    /// Whether it fell within the 3 s after the throw.
    pub fell: bool,
    /// How fast it went when the ball was thrown, m/s: the mean of the last half second.
    pub walk_speed: f64,
}

impl ThrowTrial {
    /// The world of this throw: one ball of its mass.
    pub fn options(&self) -> PlayerOptions {
        let radius_m = RADIUS_OF_5_KG_M * libm::cbrt(self.mass_kg / 5.0);
        let balls = vec![BallKind { mass_kg: self.mass_kg, radius_m, count: 1 }];
        PlayerOptions { seed: self.seed, balls, foresight_secs: self.foresight_secs, ..PlayerOptions::default() }
    }
}

/// Throws a ball at a character that walks. Returns what came of it, and all that the character was told and met, so that it can be played again.
///
/// # Errors
/// Where the world cannot be made.
pub fn throw_at(part: &Part, trial: &ThrowTrial) -> Result<(ThrowOutcome, Vec<Input>), PlayError> {
    let mut player = Player::new(std::slice::from_ref(part), &trial.options())?;
    let rate_hz = player.rate_hz();
    let frames = |secs: f64| libm::round(secs * rate_hz).max(1.0) as u64;
    let thrown = frames(trial.walk_secs);
    let (mut end, half_second) = (thrown + frames(WATCHED_SECS), frames(0.5).min(thrown));
    let walks = Input { steer: Steer::Stick([walk_speed(part), 0.0]), ..Input::default() };
    let (mut outcome, mut inputs) = (ThrowOutcome::default(), Vec::new());
    let (mut before, mut flight) = (player.position(0), Vec::new());
    while player.frame() < end {
        let frame = player.frame();
        let mut input = walks.clone();
        if frame == thrown - half_second {
            before = player.position(0);
        }
        if frame == thrown {
            let here = player.position(0);
            let way = [here[0] - before[0], here[1] - before[1]];
            outcome.walk_speed = (way[0] * way[0] + way[1] * way[1]).sqrt() * rate_hz / half_second as f64;
            let from_deg = part.generator().figure().heading(&here).to_degrees() + trial.from_deg;
            input.throws = vec![Throw::At { mass_kg: Some(trial.mass_kg), speed: trial.speed, from_deg }];
        }
        inputs.push(input);
        let fell = player.step(&inputs[inputs.len() - 1..])?.iter().any(|event| event.what == Happening::Fell);
        if frame >= thrown && frame < thrown + frames(FLIGHT_SECS) {
            flight.extend(player.balls()[0]);
        }
        if fell && frame < thrown {
            outcome.fell_before = true;
            break;
        }
        if fell && !outcome.fell {
            outcome.fell = true;
            // As long as it lies limp.
            end = end.min(frame + frames(1.0));
        }
    }
    outcome.is_hit = has_met(&flight);
    Ok((outcome, inputs))
}

/// Whether a ball has left its straight way along the ground, given its places frame by frame.
fn has_met(flight: &[[f64; 3]]) -> bool {
    flight.windows(3).any(|places| {
        let off = [0, 1].map(|k| places[2][k] - 2.0 * places[1][k] + places[0][k]);
        (off[0] * off[0] + off[1] * off[1]).sqrt() > OFF_FLIGHT_M
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_character::part;

    fn trial(mass_kg: f64, speed: f64) -> ThrowTrial {
        ThrowTrial { seed: 3, walk_secs: 0.3, mass_kg, speed, from_deg: 40.0, foresight_secs: 0.5 }
    }

    #[test]
    fn a_light_ball_is_nothing_and_a_heavy_one_fells() {
        let part = part(&[]);
        let thrown = |mass_kg| throw_at(&part, &trial(mass_kg, 9.0)).expect("thrown").0;
        let (light, heavy) = (thrown(0.01), thrown(60.0));
        assert!(light.is_hit && heavy.is_hit && heavy.fell && !heavy.fell_before, "{light:?} {heavy:?}");
        // The untrained figure may fall by itself later, but not in the same way.
        let alone = throw_at(&part, &trial(0.01, 0.2)).expect("thrown").0;
        assert!(!alone.is_hit, "a ball that is on its way has not met it: {alone:?}");
        assert_eq!((light.fell, light.walk_speed), (alone.fell, alone.walk_speed));
    }

    #[test]
    fn what_it_met_can_be_played_again() {
        let part = part(&[]);
        let trial = trial(60.0, 9.0);
        let (outcome, inputs) = throw_at(&part, &trial).expect("thrown");
        let mut player = Player::new(&[part], &trial.options()).expect("a player");
        let fell = |player: &mut Player, input: &Input| {
            let events = player.step(std::slice::from_ref(input)).expect("a step");
            events.iter().any(|event| event.what == Happening::Fell)
        };
        let falls = inputs.iter().filter(|input| fell(&mut player, input)).count();
        assert_eq!((falls > 0, outcome.fell), (true, true));
        // It is watched for a second after its fall.
        assert!(inputs.len() < 9 + 90 && inputs.iter().filter(|input| !input.throws.is_empty()).count() == 1);
    }

    #[test]
    fn balls_of_all_masses_have_one_density() {
        let volume = |mass_kg| trial(mass_kg, 9.0).options().balls[0].radius_m.powi(3);
        assert!((volume(6.0) / volume(4.0) - 1.5).abs() < 1e-12);
        assert_eq!(trial(5.0, 9.0).options().balls[0].radius_m, 0.1);
    }
}
