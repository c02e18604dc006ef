//! From a transferred motion to a policy and back from its files, as the library and as a user meet it.

use sinew::feedback::{
    CHECKPOINT, Event, FeedbackConfig, FeedbackPreset, FeedbackTraining, Policy, Request, Results, Test,
    TrackingConfig, Trained, prepare, repeat, train,
};
use sinew::learn::tracker::{Draw, Input};
use sinew::sim::{Character, embedded};
use sinew::source::Source;
use sinew::tracking::{TrackerConfig, TrackerPreset};
use sinew::transfer::{self, Config, Finished, Preset, Push, Task, TransferWork};
use sinew::work::{RunOptions, Started, run};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;
use tempfile::TempDir;

/// Two cycles of the dinosaur's walk, searched for moments.
static TRANSFERRED: LazyLock<TempDir> = LazyLock::new(|| transferred(Some(2)));

fn transferred(cycles: Option<usize>) -> TempDir {
    let config = Config { starts: 3, samples: 12, population: 8, iterations: 6, ..Config::quick() };
    let source = Source::open(Path::new("dinosaur"), &[], &Default::default()).expect("embedded");
    let task = Task { clip: Some("walk".into()), cycles, ..Task::default() };
    let prepared = transfer::prepare(source, &task, &config).expect("prepared");
    let work = TransferWork { target: &prepared.target, config: &config, seed: 0 };
    let found = run(&work, &RunOptions::default(), &mut |_, _, _| ControlFlow::Continue(())).expect("searched");
    let found = found.into_state();
    let finished = Finished::new(&prepared, &found, Preset::Quick).expect("performed");
    let folder = tempfile::tempdir().expect("a folder");
    let character = prepared.modeling.project.to_character().to_toml();
    std::fs::write(folder.path().join("character.toml"), character).expect("written");
    std::fs::write(folder.path().join("controls.json"), finished.controls.to_json().expect("text")).expect("written");
    folder
}

/// What a tracking policy would be trained on.
fn tracked(folder: &Path) -> sinew::Result<Input> {
    Input::read(folder, None, &TrackerConfig::preset(TrackerPreset::Performed), Draw::default())
}

/// A folder of its own with that walk.
fn walk() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["character.toml", "controls.json"] {
        std::fs::copy(TRANSFERRED.path().join(name), folder.path().join(name)).expect("copied");
    }
    folder
}

/// A training that takes moments.
fn tiny() -> FeedbackConfig {
    let mut config = FeedbackConfig::standard();
    (config.population, config.iterations, config.stages) = (6, 4, vec![1, 2]);
    config.trouble.runs = 1;
    config.tries = 2;
    config.chooses_by = Some(Test { push_phase: 0.25, ..TEST });
    config.try_stages = 1;
    config.tracking = None;
    config
}

/// A search of a periodic walk that takes moments.
fn periodic() -> FeedbackConfig {
    let tracking = TrackingConfig {
        starts: 1,
        newton_efforts: vec![1.0],
        reaches: vec![3.0],
        efforts: vec![1000.0],
        chooses_by: Test { push_phase: 0.25, ..TEST },
        ..TrackingConfig::default()
    };
    FeedbackConfig { tracking: Some(tracking), ..tiny() }
}

const TEST: Test = Test {
    repetitions: 6,
    directions: 8,
    newtons_step: 60.0,
    newtons_steps: 2,
    push_frames: 8,
    push_phase: 0.0,
    repetitions_after: 1,
};

fn request(folder: &Path, seed: u64) -> Request {
    let (preset, period_secs) = (FeedbackPreset::Default, None);
    Request { folder: folder.into(), preset, config: tiny(), seed, period_secs, test: TEST }
}

/// Trains and writes everything.
fn with_policy(folder: &Path) -> Trained {
    let trained = train(&request(folder, 0), &RunOptions::default(), &mut |_| ControlFlow::Continue(()));
    let mut trained = trained.expect("trained").expect("to the end");
    (trained.results.wall_secs, trained.results.threads) = (None, None);
    trained
}

fn sinew(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sinew")).args(arguments).current_dir(folder).output().expect("the binary runs")
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The one line of an error, after which the folder is as before.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let before = names(folder);
    let output = sinew(folder, arguments);
    assert!(!output.status.success(), "it was taken");
    let text = String::from_utf8(output.stderr).expect("text");
    assert!(text.trim_end().lines().count() == 1 && text.starts_with("error: "), "{text}");
    assert_eq!(names(folder), before, "{text}");
    text
}

#[test]
fn a_training_that_was_killed_goes_on_to_the_same_bytes_on_any_threads() {
    let [whole, parts] = [walk(), walk()];
    with_policy(whole.path());
    let checkpoint = parts.path().join(CHECKPOINT);
    // Stopped after each third generation, then resumed on another number of threads.
    let mut starts = Vec::new();
    for threads in [1, 2, 3, 1, 2, 3, 1, 2, 3] {
        let options = RunOptions { threads, resumes: true, ..RunOptions::default() };
        let mut generations = 0;
        let done = train(&request(parts.path(), 0), &options, &mut |event| {
            if let Event::Training { started, .. } = event {
                starts.push(started);
                generations += 1;
            }
            if generations > 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if done.expect("trained").is_some() {
            break;
        }
        assert!(checkpoint.exists());
    }
    assert!(starts.len() > 9 && starts[0] == Started::WithoutCheckpoint && starts.last() == Some(&Started::Resumed));
    for (name, _) in sinew::feedback::FILES {
        let [whole, parts] = [&whole, &parts].map(|folder| std::fs::read(folder.path().join(name)).expect("a file"));
        assert!(whole == parts, "{name} differs");
    }
    assert!(!checkpoint.exists(), "nobody needs it any more");
}

#[test]
fn a_periodic_walk_is_repeated_from_its_files_and_after_a_kill() {
    let [whole, parts] = [walk(), walk()];
    let request = |folder: &Path| Request { config: periodic(), ..request(folder, 0) };
    let go_on = &mut |_: Event<'_>| ControlFlow::Continue(());
    let trained = train(&request(whole.path()), &RunOptions::default(), go_on).expect("trained").expect("to the end");
    let results = &trained.results;
    // The end of the walk is its start, so no training is needed.
    assert!(results.survives_all() && results.stage == 0 && results.gap < 1e-3, "{results:?}");
    assert!(trained.policy.gains.tracking.is_some() && results.nearest_gap.is_none());
    assert!(results.pushes.iter().all(|push| !push.limited_by.is_empty()), "{:?}", results.pushes);
    let page = std::fs::read_to_string(whole.path().join("feedback.html")).expect("a page");
    assert!(page.contains("of the full state, along a periodic motion") && page.contains("what ends the next one"));
    let again = repeat(whole.path(), TEST.repetitions, None).expect("repeated");
    assert_eq!((again.policy, again.repeated), (trained.policy.clone(), trained.with_feedback.clone()));
    // A tracking policy is trained on a minute of it.
    let reference = tracked(whole.path()).expect("a reference").reference;
    assert!(reference.has_controls() && (2400..2500).contains(&reference.frame_count()), "{}", reference.frame_count());
    assert_eq!(reference.stretches().len(), 1);
    // Stopped again and again, on other threads.
    let mut pieces = 0;
    for threads in (0..1000).map(|piece| 1 + piece % 3) {
        let options = RunOptions { threads, resumes: true, ..RunOptions::default() };
        let mut steps = 0;
        let done = train(&request(parts.path()), &options, &mut |event| {
            steps += usize::from(matches!(event, Event::Training { .. }));
            if steps > 6 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        pieces += 1;
        if done.expect("trained").is_some() {
            break;
        }
    }
    assert!(pieces > 1, "it was never stopped");
    let [whole, parts] = [&whole, &parts].map(|f| std::fs::read(f.path().join("policy.json")).expect("a policy"));
    assert!(whole == parts, "the policies differ");
}

#[test]
fn a_checkpoint_of_another_training_is_refused() {
    let folder = walk();
    let train = |seed: u64| {
        let options = RunOptions { resumes: true, ..RunOptions::default() };
        let stopped = train(&request(folder.path(), seed), &options, &mut |event| match event {
            Event::Training { .. } => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        stopped.map(|trained| trained.is_none()).map_err(|error| error.to_string())
    };
    assert_eq!(train(0), Ok(true));
    assert!(train(1).expect_err("refused").contains("another seed"));
    std::fs::write(folder.path().join(CHECKPOINT), b"sinew checkpoint\n").expect("written");
    let text = train(0).expect_err("refused");
    assert!(text.contains("damaged") && text.contains(CHECKPOINT), "{text}");
}

#[test]
fn saved_files_repeat_what_the_report_says() {
    let folder = walk();
    let here = folder.path();
    let trained = with_policy(here);
    let results = &trained.results;
    let written = ["feedback.html", "feedback.json", "feedback.png", "open-loop.png", "policy.json"];
    assert!(written.iter().all(|name| names(here).contains(&(*name).to_owned())), "{:?}", names(here));
    let page = std::fs::read_to_string(here.join("feedback.html")).expect("a page");
    assert!(page.contains("Pushes survived") && page.contains("backwards and left") && page.contains("data:image/png"));

    // What is written, and what is printed.
    let text = std::fs::read_to_string(here.join("feedback.json")).expect("figures");
    assert_eq!(serde_json::from_str::<Results>(&text).expect("figures"), *results);
    assert!(!text.contains("wall_secs") && !text.contains("threads"), "{text}");
    let printed = Results { wall_secs: Some(1.5), threads: Some(2), ..results.clone() };
    let printed = serde_json::to_value(&printed).expect("JSON");
    let counts = ["repetitions_open_loop", "repetitions_feedback", "tested_repetitions", "steps", "threads", "seed"];
    assert!(counts.iter().all(|name| printed[name].is_u64()), "{printed}");
    assert!(printed["wall_secs"].is_f64() && printed["preset"] == "default");
    assert_eq!(printed["hash"].as_str().map(str::len), Some(16));
    let pushes = printed["pushes"].as_array().expect("pushes");
    assert_eq!((pushes.len(), &pushes[2]["direction_deg"]), (8, &90.0.into()));
    let forces = ["newtons_open_loop", "newtons_feedback", "weight_secs_feedback"];
    assert!(pushes.iter().all(|push| forces.iter().all(|name| push[name].is_f64())), "{printed}");

    // From the files alone: the repetitions of the report.
    let again = repeat(here, TEST.repetitions, None).expect("repeated");
    assert_eq!(again.policy, trained.policy);
    assert_eq!(again.repeated, trained.with_feedback);
    assert_eq!(again.repeated.repetitions, results.repetitions_feedback);
    assert_eq!(trained.open_loop.repetitions, results.repetitions_open_loop);
    let answer = stdout(&sinew(here, &["replay", ".", "--feedback", "--cycles", "6", "--json", "--film", "f.png"]));
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("one JSON object");
    assert_eq!(answer["repetitions"].as_u64(), Some(results.repetitions_feedback as u64));
    assert_eq!(answer["tested_repetitions"], 6);
    assert_eq!(answer["completed"].as_bool(), Some(results.survives_all()));
    assert_eq!(answer["hash"].as_str(), Some(&again.hash[..]));
    assert!(std::fs::read(here.join("f.png")).expect("a film").starts_with(b"\x89PNG"));

    // This one falls before a minute is over, and is not tracked.
    let refused = tracked(here).err().expect("it falls").to_string();
    assert!(refused.contains("what falls cannot be tracked"), "{refused}");

    // A policy that the folder's next motion left behind.
    assert!(!again.is_stale);
    let other = text.replace(&results.trajectory_hash, "0123456789abcdef");
    std::fs::write(here.join("feedback.json"), other).expect("written");
    let output = sinew(here, &["replay", ".", "--feedback", "--cycles", "1"]);
    assert!(output.status.success() && String::from_utf8_lossy(&output.stderr).contains("another motion"));

    // A push that nobody survives.
    let push = Push { newtons: 4000.0, at_secs: 0.3, direction_deg: 90.0 };
    let pushed = repeat(here, 4, Some(&push)).expect("repeated");
    let y = |run: &transfer::Performance, frame: usize| run.at_frame(frame).position[1];
    assert!(pushed.fall.is_some() && pushed.repeated.repetitions < 2);
    assert!(y(&pushed.repeated.run, 20) > y(&again.repeated.run, 20) + 0.1);
    let arguments = ["replay", ".", "--feedback", "--push", "4000", "--at", "0.3", "--direction", "90"];
    let text = stdout(&sinew(here, &arguments));
    assert!(text.contains("of 32 repetitions survived. Fell at"), "{text}");
}

#[test]
fn what_cannot_be_trained_or_repeated_is_refused_in_one_sentence() {
    let folder = walk();
    let here = folder.path();
    std::fs::create_dir(here.join("empty")).expect("a folder");
    let text = refused(here, &["feedback", "empty"]);
    assert!(text.contains("controls.json") && text.contains("sinew transfer"), "{text}");
    let unknown = sinew(here, &["feedback", ".", "--preset", "quick"]);
    assert!(!unknown.status.success());
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("possible values: paper, default"));
    let text = refused(here, &["feedback", ".", "--period", "-1"]);
    assert!(text.contains("cycle of -1 s") && text.contains("(--period SECS)"), "{text}");
    let text = refused(here, &["feedback", ".", "--period", "30"]);
    assert!(text.contains("a cycle takes 30.00 s"), "{text}");
    assert!(refused(here, &["feedback", ".", "--threads", "99999"]).contains("(--threads N)"));
    let text = refused(here, &["replay", ".", "--feedback"]);
    assert!(text.contains("policy.json") && text.contains("sinew feedback ."), "{text}");

    let text = |policy: &str| {
        std::fs::write(here.join("policy.json"), policy).expect("written");
        let text = refused(here, &["replay", ".", "--feedback"]);
        assert!(text.contains("policy.json") && text.contains("train it again"), "{text}");
        text
    };
    let policy = policy_of(here).to_json();
    assert!(text(&policy[..policy.len() / 2]).contains("damaged"));
    assert!(text(&policy.replacen("\"rank\": 2", "\"rank\": 5", 1)).contains("rank 5"));
    std::fs::write(here.join("policy.json"), &policy).expect("written");
    assert!(refused(here, &["replay", ".", "--feedback", "--cycles", "0"]).contains("(--cycles N)"));
    assert!(refused(here, &["replay", ".", "--feedback", "--push", "9", "--at", "99"]).contains("(--at SECS)"));

    // Another character under the same controls.
    let other: Character = embedded::humanoid();
    std::fs::write(here.join("character.toml"), other.to_toml()).expect("written");
    assert!(text(&policy).contains("of another character"));
}

fn policy_of(folder: &Path) -> Policy {
    let prepared = prepare(folder, None).expect("a cycle");
    FeedbackTraining::new(prepared.model(), &prepared.reference, &[], &tiny(), 0).expect("begun").policy()
}

#[test]
fn a_motion_without_a_period_is_refused() {
    let folder = transferred(None);
    let text = refused(folder.path(), &["feedback", "."]);
    assert!(
        text.contains("does not repeat itself") && text.contains("--cycles 5") && text.contains("--period"),
        "{text}"
    );
    // Its length can be told.
    assert!(prepare(folder.path(), Some(0.5)).is_ok());
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_to_is_told_before_training() {
    let folder = walk();
    let here = folder.path();
    if Path::new("/dev/full").exists() {
        std::os::unix::fs::symlink("/dev/full", here.join(CHECKPOINT)).expect("a link");
        let text = refused(here, &["feedback", "."]);
        assert!(text.contains("cannot write") && text.contains(CHECKPOINT), "{text}");
    }
}
