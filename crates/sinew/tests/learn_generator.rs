//! From a data set to a learned generator: its files, Ctrl-C and resume.

use sinew::learn::generator::{CHECKPOINT, Event, GENERATOR, GeneratorSettings, Made, Request, load, make};
use sinew::learning::{DataConfig, GeneratorKind, RecurrentConfig, TrialOptions};
use sinew::work::RunOptions;
use std::ops::ControlFlow;
use std::path::Path;

/// A small data set.
pub fn set(out: &Path) {
    let request = sinew::learn::Request {
        input: "quadruped".into(),
        character: None,
        labels: None,
        config: DataConfig { minutes: 0.2, sequence_secs: 10.0, ..DataConfig::default() },
        seed: 0,
        pictures: false,
        out: out.into(),
    };
    sinew::learn::make(&request, &RunOptions::default(), &mut |_| ControlFlow::Continue(())).expect("a set");
}

fn request(set: &Path, out: &Path) -> Request {
    let small =
        RecurrentConfig { lstm_units: vec![16], window_frames: 16, batch: 4, batches: 3, ..RecurrentConfig::default() };
    Request {
        set: set.into(),
        settings: GeneratorSettings::Lstm(small),
        trial: TrialOptions { minutes: 0.1, seed: 1 },
        device: Some(sinew::learn::DeviceKind::Cpu),
        out: out.into(),
    }
}

/// Runs the request; stops after so many pieces of the training.
fn made(request: &Request, resumes: bool, pieces: usize) -> Option<Made> {
    let options = RunOptions { threads: 2, resumes, ..RunOptions::default() };
    let mut told = 0;
    let observe = &mut |event: Event<'_>| {
        told += usize::from(matches!(event, Event::Training { .. }));
        if told > pieces { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    make(request, &options, observe).expect("no fault")
}

/// A generator's folder is a package whose motion is shown, and has nothing that could be pushed off its feet.
fn the_motion_alone_is_played(folder: &Path) {
    let package = sinew::playing::Package::read(folder).expect("a package");
    assert!(package.policy.is_none() && !sinew::playing::Package::head(folder).expect("a head").is_simulated);
    let script = folder.with_file_name("moves.toml");
    let moves = "seconds = 4.0\n[[input]]\nat = 0.5\nstick = [0.5, 0.0]\n[[input]]\nat = 1.0\npush = { body = \"spine2\", force = [2000.0, 0.0, 0.0], secs = 0.1 }\n";
    std::fs::write(&script, moves).expect("a script");
    let request = sinew::play::Request {
        package: folder.into(),
        moves: sinew::play::Moves::Script(script),
        film: None,
        gif: None,
        out: Vec::new(),
        record: None,
    };
    let play = || sinew::play::play(&request, &RunOptions::default()).expect("no fault").expect("played");
    let (summary, again) = (play(), play());
    assert!(!summary.is_simulated && summary.falls == 0 && summary.hash == again.hash);
    assert!(summary.headline().contains("without physics"), "{}", summary.headline());
    let thrown = sinew::play::ResilienceRequest {
        package: folder.into(),
        throws: 1,
        seed: 1,
        is_scaled: false,
        foresight_secs: 0.0,
        film: None,
        gif: None,
    };
    let refused = sinew::play::measure_resilience(&thrown, &RunOptions::default(), &mut |_| {});
    assert!(refused.expect_err("nothing to hit").to_string().contains("no policy"));
}

#[test]
fn a_learned_generator_is_written_and_a_training_that_was_stopped_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let [set_folder, whole, stopped] = ["set", "whole", "stopped"].map(|name| folder.path().join(name));
    set(&set_folder);
    let summary = made(&request(&set_folder, &whole), false, usize::MAX).expect("made").summary;
    assert_eq!((summary.kind, summary.frames_augmented), (GeneratorKind::Lstm, 360));
    let json: serde_json::Value = serde_json::from_str(&summary.to_json().expect("JSON")).expect("JSON");
    for field in ["kind", "train_secs", "target_error_m", "foot_slide_cm", "micros_per_frame", "lstm", "loss"] {
        assert!(json.get(field).is_some(), "{field}");
    }
    assert!(json.get("matching").is_none());
    let page = std::fs::read_to_string(whole.join("report.html")).expect("a page");
    assert!(page.contains("Training") && page.contains("weighted sum"));
    assert!(!whole.join(CHECKPOINT).exists());
    // The file is all that is needed.
    let generator = load(&whole).expect("read").generator().expect("usable");
    assert_eq!(generator.kind(), "lstm");
    the_motion_alone_is_played(&whole);

    assert!(made(&request(&set_folder, &stopped), false, 1).is_none());
    assert!(stopped.join(CHECKPOINT).exists() && !stopped.join(GENERATOR).exists());
    made(&request(&set_folder, &stopped), true, usize::MAX).expect("resumed");
    let bytes = |out: &Path, file: &str| std::fs::read(out.join(file)).expect("a file");
    for file in [GENERATOR, "summary.json", "report.html"] {
        assert!(bytes(&whole, file) == bytes(&stopped, file), "{file} differs");
    }
}
