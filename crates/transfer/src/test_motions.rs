//! Small motions and budgets for tests.

use crate::config::Config;
use crate::target::{ClipInput, Target};
use sinew_sim::{Character, Model, Scene};
use sinew_work::{Outcome, Progress, RunOptions, Work};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// A budget that takes moments.
pub(crate) fn tiny() -> Config {
    Config { starts: 2, samples: 4, population: 8, iterations: 4, ..Config::quick() }
}

/// A character that squats and nods a little for so many frames of 1/30 s, and hovers `lift` metres higher in between.
pub(crate) fn squat(character: Character, config: &Config, frames: usize, lift: f64) -> Target {
    let model = Arc::new(Model::new(&Scene::on_ground(character), config.dt).expect("a valid scene"));
    let (rest, nv) = (model.rest_position().to_vec(), model.velocity_count());
    let mut positions = Vec::new();
    for frame in 0..frames {
        let wave = 0.5 * (1.0 - libm::cos(frame as f64 / (frames - 1) as f64 * std::f64::consts::TAU));
        let mut way = vec![0.0; nv];
        way[6..].iter_mut().enumerate().for_each(|(i, w)| *w = 0.2 * wave * libm::sin(i as f64));
        let mut row = rest.clone();
        model.displace(&rest, &way, 1.0, &mut row);
        row[2] += lift * wave;
        positions.extend(row);
    }
    Target::new(&model, &ClipInput { name: "squat", rate_hz: 30.0, positions: &positions }).expect("a target")
}

/// Runs work on three threads, stopped after every piece and resumed from its checkpoint; gives its states and how far each was.
pub(crate) fn piece_by_piece<W: Work>(work: &W, path: &Path) -> Vec<(W::State, Progress)> {
    let mut pieces: Vec<(W::State, Progress)> = Vec::new();
    loop {
        let resumes = !pieces.is_empty();
        let options = RunOptions { threads: 3, checkpoint: Some(path.into()), resumes, ..RunOptions::default() };
        let mut pieces_now = 0;
        let outcome = sinew_work::run(work, &options, &mut |_, state, progress| {
            if pieces_now > 0 || !resumes {
                pieces.push((state.clone(), progress.clone()));
            }
            pieces_now += 1;
            if pieces_now > usize::from(resumes) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Outcome::Finished(_) = outcome.unwrap_or_else(|error| panic!("{error}")) {
            return pieces;
        }
    }
}
