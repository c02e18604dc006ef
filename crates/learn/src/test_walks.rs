//! Motions in closed form for tests: a rigid figure whose root moves along circles.

use crate::actions::Action;
use crate::figure::Figure;
use crate::ground_transform::GroundTransform;
use crate::intent::Intent;
use crate::motion_set::{MotionSet, Origin, Sequence, SetHeader};
use sinew_sim::embedded;

/// A sequence of `frames` for each speed, m/s, and rate of turning, rad/s. Nothing touches the ground.
pub(crate) fn circles(walks: &[(f64, f64)], frames: usize) -> (Figure, MotionSet) {
    let figure = Figure::new(&embedded::humanoid(), 0.0).unwrap();
    let header = SetHeader::new(&figure, vec![Action::move_to()]);
    let sequences = walks.iter().enumerate().map(|(index, &(speed, turn_rate))| {
        let mut positions = Vec::new();
        let mut frame = GroundTransform { x: index as f64, y: 0.0, yaw: 0.3 * index as f64 };
        for _ in 0..frames {
            let mut row = figure.model().rest_position().to_vec();
            (row[0], row[1]) = (0.0, 0.0);
            frame.move_root(&mut row);
            positions.extend(row.iter().map(|&x| x as f32));
            // The exact step along an arc.
            let turn = turn_rate / 30.0;
            let chord = if turn == 0.0 { speed / 30.0 } else { 2.0 * speed / turn_rate * libm::sin(0.5 * turn) };
            let (sin, cos) = libm::sincos(0.5 * turn);
            frame = frame.then_after(&GroundTransform { x: chord * cos, y: chord * sin, yaw: turn });
        }
        Sequence {
            name: format!("circle {index}"),
            source: "closed form".into(),
            origin: Origin::Captured,
            positions,
            contacts: vec![0; frames],
            labels: vec![1; frames],
            intents: vec![Intent::new(1); frames],
        }
    });
    let sequences = sequences.collect();
    (figure, MotionSet { header, sequences })
}

/// One walk straight on at `speed`, m/s, all of whose feet touch the ground all the time.
pub(crate) fn stepping(speed: f64, frames: usize) -> (Figure, MotionSet) {
    let (figure, mut set) = circles(&[(speed, 0.0)], frames);
    let feet = figure.sites().iter().enumerate().filter(|(_, site)| site.is_foot).fold(0, |bits, (i, _)| bits | 1 << i);
    set.sequences[0].contacts.fill(feet);
    (figure, set)
}
