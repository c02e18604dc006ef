//! What lies between the clips, made feasible: the generator plays the clips under random objectives, and what it makes is transferred as well.
//!
//! The clips of a rig hold no way from a walk to a halt, or from a walk into a jump. Motion matching blends from one to the other, and no body can
//! follow what it blends. So the motion of a first generator is cut into pieces, each is transferred like a clip, and the data set is made of clips
//! and pieces: then the motion that goes into a halt has been simulated before anything is learnt from it.

use super::request::{Event, Request, Stage, make_data, make_generator};
use super::transfers::{Labelled, Planned, Transfers, transfer_all};
use crate::error::Result;
use crate::learn::generator;
use crate::source::Source;
use sinew_learn::{Goal, SavedGenerator, TrialOptions, practise};
use sinew_modeler::{CharacterProject, fitted_to_clip};
use sinew_work::RunOptions;
use std::ops::ControlFlow;

/// Length of a piece, s; it goes on to the end of an action that it would cut.
const PIECE_SECS: f64 = 6.0;
/// Pieces are named so, with their numbers.
const NAME: &str = "rehearsal";

/// A piece of what a generator makes.
struct Piece {
    /// `qpos`, frame after frame.
    rows: Vec<Vec<f64>>,
    /// A bit for each action that a frame shows.
    shown: Vec<u32>,
}

/// Transfers what the clips' generator makes, and labels it. Returns the pieces that can be used and how many there were, or none where it was told to stop.
pub(super) fn rehearse(
    request: &Request,
    source: &Source,
    project: &CharacterProject,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Event<'_>) -> ControlFlow<()> + Send),
) -> Result<Option<(Vec<Labelled>, usize)>> {
    let work = request.work().join("rehearsal");
    let stage = Stage::Rehearsal;
    let Some(()) = make_data(request, &work, stage, options, observe)? else { return Ok(None) };
    let Some(()) = make_generator(request, &work, stage, options, observe)? else { return Ok(None) };
    let SavedGenerator::Matching { set, .. } = &generator::load(&work.join("generator"))? else {
        return Ok(Some((Vec::new(), 0)));
    };
    let player = generator::load(&work.join("generator"))?.generator()?;
    let trial = TrialOptions { minutes: request.rehearsed_minutes, seed: request.seed + 3 };
    let Some(trace) = practise(player.as_ref(), set, &trial) else {
        return Ok(if options.cancel.is_cancelled() { None } else { Some((Vec::new(), 0)) });
    };
    let achieved = (0..32).filter(|&bit| player.actions().get(bit).is_some_and(|a| a.goal == Goal::Achieve));
    let achieved = achieved.fold(0, |bits, bit| bits | 1 << bit);
    let pieces = cut(trace.rows, &trace.shown, achieved, (PIECE_SECS * player.rate_hz()) as usize);

    let mut rehearsed = source.clone();
    rehearsed.rig.clips.clear();
    rehearsed.added = 0;
    let (character, binding) = (project.character(), project.binding());
    let mut planned = Vec::new();
    for (number, piece) in (1..).zip(&pieces) {
        let name = format!("{NAME}-{number:02}");
        let skeleton = &rehearsed.rig.skeleton;
        let clip = fitted_to_clip(character, binding, skeleton, player.rate_hz(), &name, &piece.rows.concat(), None)?;
        rehearsed.rig.clips.push(clip);
        planned.push(Planned::piece(name));
    }
    let transfers = Transfers { request, source: &rehearsed, project, stage };
    let Some(done) = transfer_all(&transfers, &planned, options, observe)? else { return Ok(None) };
    let names: Vec<String> = player.actions().iter().map(|action| action.name.clone()).collect();
    let used = done.used.iter().filter_map(|used| {
        let index = planned.iter().position(|plan| plan.folder == used.folder)?;
        let secs = used.figures.fell_at_secs.unwrap_or(used.figures.duration_secs);
        Some(Labelled {
            folder: used.folder.clone(),
            spans: spans(&pieces[index].shown, &names, player.rate_hz(), secs),
        })
    });
    Ok(Some((used.collect(), planned.len())))
}

/// Cuts motion into pieces of at least `least` frames, never while an action of `achieved` is shown; a rest that is shorter than half a piece is left out.
fn cut(rows: Vec<Vec<f64>>, shown: &[u32], achieved: u32, least: usize) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut piece = Piece { rows: Vec::new(), shown: Vec::new() };
    for (row, &bits) in rows.into_iter().zip(shown) {
        if piece.rows.len() >= least && bits & achieved == 0 {
            pieces.push(std::mem::replace(&mut piece, Piece { rows: Vec::new(), shown: Vec::new() }));
        }
        piece.rows.push(row);
        piece.shown.push(bits);
    }
    if 2 * piece.rows.len() >= least {
        pieces.push(piece);
    }
    pieces
}

/// Spans of time in which each action is shown without a break, up to `secs`.
fn spans(shown: &[u32], names: &[String], rate_hz: f64, secs: f64) -> Vec<(String, f64, f64)> {
    let mut spans = Vec::new();
    for (bit, name) in names.iter().enumerate() {
        let mut from = None;
        for frame in 0..=shown.len() {
            let is_shown = shown.get(frame).is_some_and(|bits| bits >> bit & 1 == 1);
            match (from, is_shown) {
                (None, true) => from = Some(frame),
                (Some(start), false) => {
                    let (start, end) = (start as f64 / rate_hz, (frame as f64 / rate_hz).min(secs));
                    if start < end {
                        spans.push((name.clone(), start, end));
                    }
                    from = None;
                }
                _ => {}
            }
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_cut_where_no_action_is_shown() {
        let rows: Vec<Vec<f64>> = (0..100).map(|f| vec![f64::from(f)]).collect();
        // An action of bit 1 from 28 to 41.
        let shown: Vec<u32> = (0..100).map(|f| if (28..42).contains(&f) { 2 } else { 1 }).collect();
        let lengths = |achieved: u32| -> Vec<usize> {
            let pieces = cut(rows.clone(), &shown, achieved, 30);
            assert!(pieces.iter().all(|piece| piece.rows.len() == piece.shown.len()));
            pieces.iter().map(|piece| piece.rows.len()).collect()
        };
        assert_eq!(lengths(2), [42, 30, 28]);
        assert_eq!(lengths(0), [30, 30, 30], "ten frames more are too few");
        assert_eq!(cut(rows.clone(), &shown, 2, 30)[1].rows[0], [42.0]);
    }

    #[test]
    fn spans_are_those_of_the_frames_until_the_motion_falls() {
        let names = ["MoveTo".to_owned(), "Jump".to_owned()];
        let shown = [1, 1, 2, 2, 3, 1];
        let all = spans(&shown, &names, 2.0, 10.0);
        let expected = [("MoveTo", 0.0, 1.0), ("MoveTo", 2.0, 3.0), ("Jump", 1.0, 2.5)];
        assert_eq!(all, expected.map(|(name, from, to)| (name.to_owned(), from, to)));
        let until = spans(&shown, &names, 2.0, 1.5);
        assert_eq!(until, [("MoveTo".to_owned(), 0.0, 1.0), ("Jump".to_owned(), 1.0, 1.5)]);
    }
}
