//! Laws of running long work, on a work that sums numbers.

use serde::{Deserialize, Serialize};
use sinew_work::{
    Cancel, Cancelled, CheckpointError, Identity, Outcome, Progress, RunError, RunOptions, Started, Work,
};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Adds up hashes of 0, 1, … in pieces.
struct Sum {
    pieces: u64,
    seed: u64,
    /// Piece that waits until it is cancelled.
    hangs_at: Option<u64>,
    /// Pieces begun, counted over all runs.
    begun: AtomicUsize,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct SumState {
    done: u64,
    sum: u64,
    #[serde(serialize_with = "refuses_thirteen")]
    unlucky: u64,
}

fn refuses_thirteen<S: serde::Serializer>(value: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    if *value == 13 { Err(serde::ser::Error::custom("thirteen")) } else { serializer.serialize_u64(*value) }
}

impl Work for Sum {
    type State = SumState;
    type Error = Cancelled;
    const KIND: &'static str = "sum";
    const VERSION: u32 = 1;

    fn identity(&self) -> Identity {
        Identity::default().part("number of pieces", &self.pieces).part("seed", &self.seed)
    }
    fn begin(&self) -> Result<SumState, Cancelled> {
        Ok(SumState::default())
    }
    fn is_done(&self, state: &SumState) -> bool {
        state.done == self.pieces
    }
    fn advance(&self, state: &mut SumState) -> Result<(), Cancelled> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        state.sum = (state.sum ^ (state.done + self.seed)).wrapping_mul(0x100_0000_01b3);
        if self.hangs_at == Some(state.done) {
            loop {
                sinew_work::check_cancelled()?;
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        state.done += 1;
        Ok(())
    }
    fn progress(&self, state: &SumState) -> Progress {
        Progress { done: state.done as f64, total: self.pieces as f64, ..Progress::default() }
    }
}

fn sum(pieces: u64) -> Sum {
    Sum { pieces, seed: 7, hangs_at: None, begun: AtomicUsize::new(0) }
}

fn options(path: &Path, resumes: bool) -> RunOptions {
    RunOptions { threads: 2, checkpoint: Some(path.into()), resumes, saves_every: Duration::ZERO, ..Default::default() }
}

fn run(work: &Sum, options: &RunOptions) -> Result<Outcome<SumState>, RunError<Cancelled>> {
    sinew_work::run(work, options, &mut |_, _, _| ControlFlow::Continue(()))
}

#[test]
fn stopped_anywhere_and_resumed_it_ends_the_same() {
    let whole = run(&sum(9), &RunOptions::default()).expect("it runs").into_state();
    for stop in 0..9 {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("checkpoint.bin");
        let part = sinew_work::run(&sum(9), &options(&path, false), &mut |started, state, _| {
            assert_eq!(started, Started::Anew);
            if state.done == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let Outcome::Cancelled(part) = part.expect("it stops") else { panic!("it went on") };
        assert_eq!(part.done, stop);
        let again = sum(9);
        let mut first = None;
        let rest = sinew_work::run(&again, &options(&path, true), &mut |started, state, _| {
            first.get_or_insert((started, state.done));
            ControlFlow::Continue(())
        });
        assert_eq!(rest.expect("it goes on"), Outcome::Finished(whole.clone()));
        assert_eq!(first, Some((Started::Resumed, stop)));
        assert_eq!(again.begun.load(Ordering::Relaxed) as u64, 9 - stop, "nothing is done twice");
    }
}

#[test]
fn a_killed_run_has_left_its_last_piece() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("checkpoint.bin");
    let outcome = sinew_work::run(&sum(5), &options(&path, false), &mut |_, state, _| {
        let copy = folder.path().join("copy.bin");
        std::fs::copy(&path, &copy).expect("there is a checkpoint");
        let left = sinew_work::run(&sum(5), &options(&copy, true), &mut |_, _, _| ControlFlow::Break(()));
        assert_eq!(left.expect("it is read").into_state().done, state.done);
        ControlFlow::Continue(())
    });
    assert_eq!(outcome.expect("it runs").finished().map(|state| state.done), Some(5));
    assert!(Outcome::Cancelled(3).finished().is_none());
}

#[test]
fn cancelled_inside_a_piece_it_stops_soon_and_goes_back_to_the_last_whole_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("checkpoint.bin");
    let cancel = Cancel::new();
    // Saved only where it must be.
    let options =
        RunOptions { cancel: cancel.clone(), saves_every: Duration::from_secs(3600), ..options(&path, false) };
    let hanging = Sum { hangs_at: Some(4), ..sum(9) };
    let watcher = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        cancel.cancel();
        Instant::now()
    });
    let outcome = run(&hanging, &options).expect("it stops");
    let took = watcher.join().expect("no panic").elapsed();
    assert!(took < Duration::from_secs(1), "{took:?}");
    let before = run(&sum(4), &RunOptions::default()).expect("it runs").into_state();
    assert_eq!(outcome, Outcome::Cancelled(before), "what the piece had changed is gone");
    let resumed = RunOptions { cancel: Cancel::new(), resumes: true, ..options };
    let whole = run(&sum(9), &RunOptions::default()).expect("it runs");
    assert_eq!(run(&sum(9), &resumed).expect("it goes on"), whole);
}

#[test]
fn threads_outside_of_a_run_are_never_cancelled() {
    let cancel = Cancel::new();
    cancel.cancel();
    let outcome = run(&sum(3), &RunOptions { cancel, ..RunOptions::default() }).expect("it stops at once");
    assert_eq!(outcome.finished(), None);
    assert!(!sinew_work::is_cancelled());
}

fn refusal(work: &Sum, path: &Path) -> String {
    run(work, &options(path, true)).expect_err("it refuses").to_string()
}

#[test]
fn checkpoints_of_other_runs_are_refused_by_what_differs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("checkpoint.bin");
    run(&sum(3), &options(&path, false)).expect("it runs");
    let bytes = std::fs::read(&path).expect("it was saved");
    assert!(refusal(&sum(4), &path).contains("of another number of pieces"), "{}", refusal(&sum(4), &path));
    let other = Sum { seed: 8, ..sum(3) };
    assert!(refusal(&other, &path).contains("of another seed"));
    assert_eq!(std::fs::read(&path).expect("still there"), bytes, "a refused file stays as it is");
    std::fs::write(&path, b"a novel").expect("written");
    assert!(refusal(&sum(3), &path).contains("no checkpoint of sinew"));
    assert!(refusal(&sum(3), folder.path()).contains("is a folder"));
    // Another kind, and another version of the same: the number behind the kind counts the layouts of its state.
    let kind = bytes.windows(3).position(|word| word == b"sum").expect("its kind");
    let changed = |at: usize, to: u8| {
        let mut changed = bytes[..bytes.len() - 8].to_vec();
        changed[at] = to;
        let checksum = sinew_files::fnv::fnv1a(changed.iter().copied());
        std::fs::write(&path, [&changed[..], &checksum.to_le_bytes()].concat()).expect("written");
        refusal(&sum(3), &path)
    };
    assert!(changed(kind + 2, b'n').contains("another kind of work (sun, not sum)"));
    assert!(changed(kind + 3, 2).contains("another version"));
}

#[test]
fn every_damaged_byte_and_every_missing_end_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("checkpoint.bin");
    run(&sum(3), &options(&path, false)).expect("it runs");
    let bytes = std::fs::read(&path).expect("it was saved");
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        std::fs::write(&path, &damaged).expect("written");
        assert!(refusal(&sum(3), &path).contains("checkpoint"), "byte {at}");
        std::fs::write(&path, &bytes[..at]).expect("written");
        assert!(refusal(&sum(3), &path).contains("checkpoint"), "cut at {at}");
    }
    std::fs::write(&path, [&bytes[..], b"more"].concat()).expect("written");
    assert!(refusal(&sum(3), &path).contains("damaged"));
}

#[test]
fn a_state_that_cannot_be_saved_is_an_error_and_leaves_the_old_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("checkpoint.bin");
    run(&sum(3), &options(&path, false)).expect("it runs");
    let bytes = std::fs::read(&path).expect("it was saved");
    let state = SumState { unlucky: 13, ..SumState::default() };
    let made = sinew_work::Checkpoint::of("sum", 1, Identity::default(), &state, &path);
    assert!(matches!(made, Err(CheckpointError::State { .. })), "{made:?}");
    assert_eq!(std::fs::read(&path).expect("still there"), bytes);
    let nowhere = folder.path().join("missing").join("checkpoint.bin");
    let error = run(&sum(3), &options(&nowhere, false)).expect_err("it cannot be written");
    assert!(error.to_string().contains("cannot write") && error.to_string().contains("missing"), "{error}");
}

#[test]
fn threads_are_those_asked_for_and_too_many_are_refused() {
    let error = run(&sum(1), &RunOptions { threads: 5000, ..RunOptions::default() }).expect_err("too many");
    assert!(error.to_string().contains("5000 threads"), "{error}");
    let once =
        |options: &RunOptions| sinew_work::run_once(options, || Ok::<_, Cancelled>(rayon::current_num_threads()));
    let three = RunOptions { threads: 3, ..RunOptions::default() };
    assert_eq!(once(&three).expect("three"), Some(3));
    assert!(once(&RunOptions { threads: 5000, ..three.clone() }).is_err());
    three.cancel.cancel();
    assert_eq!(once(&three).expect("done all the same"), Some(3));
    let asks = || sinew_work::check_cancelled().map(|()| 1);
    assert_eq!(sinew_work::run_once(&three, asks).expect("told to stop"), None);
    let fails = || Err::<(), _>(Cancelled);
    assert!(sinew_work::run_once(&RunOptions::default(), fails).is_err(), "it failed by itself");
}
