//! A player as a generator, so that what measures generators measures it.

use crate::error::PlayError;
use crate::input::{Input, Steer};
use crate::part::Part;
use crate::player::{Player, PlayerOptions};
use sinew_learn::{Action, FeasibleRange, Figure, Generator, GeneratorState, GroundTransform, Intent, Objective};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One character that is played by objectives. Its poses are those of the simulated body. It is one character: [`Generator::start`] begins anew.
pub struct Measured {
    part: Part,
    options: PlayerOptions,
    player: Mutex<Player>,
}

impl Measured {
    /// A character alone in its world.
    ///
    /// # Errors
    /// Where the world cannot be made.
    pub fn new(part: &Part, options: &PlayerOptions) -> Result<Measured, PlayError> {
        let player = Player::new(std::slice::from_ref(part), options)?;
        Ok(Measured { part: part.clone(), options: options.clone(), player: Mutex::new(player) })
    }

    /// The player, after what was played.
    pub fn into_player(self) -> Player {
        self.player.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Player> {
        self.player.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generator for Measured {
    fn kind(&self) -> &'static str {
        self.part.generator().kind()
    }
    fn figure(&self) -> &Figure {
        self.part.generator().figure()
    }
    fn actions(&self) -> &[Action] {
        self.part.actions()
    }
    fn rate_hz(&self) -> f64 {
        self.part.generator().rate_hz()
    }
    fn feasible(&self) -> &FeasibleRange {
        self.part.generator().feasible()
    }
    fn bytes(&self) -> usize {
        self.part.generator().bytes()
    }

    /// # Panics
    /// Where the world cannot be made, though it could before.
    fn start(&self, seed: u64) -> GeneratorState {
        let options = PlayerOptions { seed, ..self.options.clone() };
        let player = Player::new(std::slice::from_ref(&self.part), &options).expect("a world as before");
        let state = GeneratorState { qpos: player.position(0), ..player.motion(0).clone() };
        *self.lock() = player;
        state
    }

    /// # Panics
    /// Where a policy asks for more than its generator predicts.
    fn step(&self, state: &mut GeneratorState, objective: &Objective) -> Intent {
        let mut player = self.lock();
        let input = Input { steer: Steer::Objective(*objective), ..Input::default() };
        player.step(&[input]).expect("a window as long as the policy asks for");
        state.frame += 1;
        state.qpos = player.position(0);
        state.contacts = player.motion(0).contacts;
        objective.seen_from(&self.figure().heading_frame(&state.qpos), state.frame as f64 / self.rate_hz())
    }

    fn move_ground(&self, _state: &mut GeneratorState, _by: &GroundTransform) {
        // The body is where the simulation has it.
    }

    fn set_pose(&self, _state: &mut GeneratorState, _qpos: &[f64], _qvel: &[f64]) {
        // The body is where the simulation has it.
    }
}
