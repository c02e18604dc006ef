//! From clips to a policy and back from its files, as a program that uses the library meets it.

use sinew::learn::tracker::{
    CHECKPOINT, Draw, Event, Input, Made, POLICY, Request, TestRequest, test, train, usual_preset,
};
use sinew::tracking::{TrackerConfig, TrackerPreset, TrainedPolicy, TrialOptions, record};
use sinew::work::RunOptions;
use std::ops::ControlFlow;
use std::path::Path;

/// Constants with which a training takes moments.
fn small(preset: TrackerPreset) -> TrackerConfig {
    TrackerConfig {
        worlds: 16,
        horizon: 8,
        minibatch: 64,
        policy_layers: vec![16],
        value_layers: vec![16],
        practice_minutes: 1.0,
        ..TrackerConfig::preset(preset)
    }
}

/// A training that takes moments.
fn request(input: &Path, out: &Path) -> Request {
    Request {
        input: input.into(),
        character: None,
        clip: None,
        frames: None,
        from: None,
        config: TrackerConfig { steps_per_frame: 10, transitions: 2000, ..small(TrackerPreset::Default) },
        seed: 1,
        until: None,
        longest: None,
        trial: TrialOptions { episodes: 8, frames: 30, seed: 1 },
        device: Some(sinew::learn::DeviceKind::Cpu),
        out: out.into(),
    }
}

fn trained(request: &Request, options: &RunOptions) -> Made {
    train(request, options, &mut |_| ControlFlow::Continue(())).expect("trained").expect("not stopped")
}

#[test]
fn clips_become_a_policy_that_can_be_read_and_tested() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("policy");
    let made = trained(&request(Path::new("quadruped"), &out), &RunOptions { threads: 1, ..RunOptions::default() });
    for name in [POLICY, "policy.onnx", "character.toml", "summary.json", "report.html", "strip.png"] {
        assert!(out.join(name).metadata().unwrap().len() > 100, "{name}");
    }
    assert!(!out.join(CHECKPOINT).exists());
    let trial = TrialOptions { episodes: 8, frames: 30, seed: 1 };
    let of = |input: &str| TestRequest { policy: out.clone(), input: input.into(), trial, ..TestRequest::default() };
    let tested = test(&of("quadruped"), &RunOptions::default()).unwrap().unwrap();
    assert_eq!(tested.figures, made.summary.figures);
    let json: serde_json::Value = serde_json::from_str(&made.summary.to_json().unwrap()).unwrap();
    for field in [
        "transitions",
        "wall_secs",
        "transitions_per_sec",
        "reward_per_frame",
        "completion",
        "mean_body_error_m",
        "falls",
        "hash",
    ] {
        assert!(!json[field].is_null(), "{field}");
    }
    let other = test(&of("human"), &RunOptions::default()).err().unwrap().to_string();
    assert!(other.contains("has other joints than"), "{other}");
}

#[test]
fn a_training_that_was_stopped_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
    let input = Path::new("dinosaur");
    trained(&request(input, &whole), &RunOptions { threads: 2, ..RunOptions::default() });
    let options = RunOptions { threads: 1, resumes: true, ..RunOptions::default() };
    let mut updates = 0;
    let stopped = train(&request(input, &parts), &options, &mut |event| {
        updates += usize::from(matches!(event, Event::Training { .. }));
        if updates > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(stopped.unwrap().is_none() && parts.join(CHECKPOINT).exists());
    trained(&request(input, &parts), &options);
    for name in [POLICY, "summary.json", "report.html"] {
        assert!(std::fs::read(whole.join(name)).unwrap() == std::fs::read(parts.join(name)).unwrap(), "{name}");
    }
}

/// A transferred motion: its controls are fed forward, and a policy is cloned along it.
#[test]
fn a_transferred_motion_is_followed_by_its_own_controls() {
    let folder = tempfile::tempdir().unwrap();
    let [motion, policy] = ["motion", "policy"].map(|name| folder.path().join(name));
    let (source, transfer) = crate::transfer::punch(&motion, 0);
    sinew::transfer::transfer(source, &transfer, &RunOptions::default(), &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(usual_preset(&motion), TrackerPreset::Performed);
    let config = TrackerConfig { transitions: 512, clone_transitions: 256, ..small(TrackerPreset::Performed) };
    let read = |config: &TrackerConfig| Input::read(&motion, None, config, Draw::default());
    let Input { body, reference, .. } = read(&config).unwrap();
    assert_eq!((reference.rate_hz, reference.frame_count()), (40.0, 31));
    // Actions of a policy that has learnt nothing are next to zero.
    let off = |feeds_controls: bool| {
        let config = TrackerConfig { feeds_controls, ..config.clone() };
        let policy = TrainedPolicy::untrained(&body, &config, 40.0, 1);
        let rows = record(&body, &reference, &policy, 0, 20).unwrap();
        let differ = |(frame, row): (usize, &Vec<f64>)| {
            let wanted = reference.position(frame);
            row.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        rows.iter().enumerate().map(differ).fold(0.0, f64::max)
    };
    let (fed, posed) = (off(true), off(false));
    assert!(fed < 0.03 && fed < 0.3 * posed, "{fed} with its controls, {posed} without");
    let made = trained(&Request { config: config.clone(), ..request(&motion, &policy) }, &RunOptions::default());
    assert_eq!(made.summary.transitions, 512);
    let trial = TrialOptions { episodes: 8, frames: 30, seed: 1 };
    let asked =
        |input: &Path| TestRequest { policy: policy.clone(), input: input.into(), trial, ..TestRequest::default() };
    let tested = test(&asked(&motion), &RunOptions::default()).unwrap().unwrap();
    assert_eq!(tested.figures, made.summary.figures);
    // What does not fit is said.
    let error = read(&TrackerConfig { steps_per_frame: 20, ..config }).err().unwrap().to_string();
    assert!(error.contains("set that to 12"), "{error}");
    let named = test(&TestRequest { clip: Some("walk".into()), ..asked(&motion) }, &RunOptions::default());
    let named = named.err().unwrap().to_string();
    assert!(named.contains("is a transferred motion, of which no clip can be chosen"), "{named}");
    let clips = Request { config: small(TrackerPreset::Performed), ..request(Path::new("human"), &policy) };
    let elsewhere = train(&clips, &RunOptions::default(), &mut |_| ControlFlow::Continue(()));
    let elsewhere = elsewhere.err().unwrap().to_string();
    assert!(elsewhere.contains("there are no controls to feed forward"), "{elsewhere}");
}

#[test]
fn a_training_out_of_time_leaves_what_it_learnt_and_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("policy");
    let request = Request {
        longest: Some(std::time::Duration::ZERO),
        config: TrackerConfig { transitions: 1 << 40, ..request(Path::new("quadruped"), &out).config },
        ..request(Path::new("quadruped"), &out)
    };
    trained(&request, &RunOptions::default());
    assert!(out.join(POLICY).exists() && out.join(CHECKPOINT).exists());
}

#[test]
fn bad_input_gets_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let config = TrackerConfig::default();
    let said = |path: &Path| Input::read(path, None, &config, Draw::default()).err().expect("refused").to_string();
    assert!(said(&folder.path().join("nothing.bvh")).contains("check the path, or name one of"));
    let array = folder.path().join("reference.npy");
    std::fs::write(&array, "no array").unwrap();
    assert!(said(&array).contains("humanoid.xml"), "{}", said(&array));
    let body = folder.path().join("humanoid.xml");
    std::fs::write(&body, "<Skeleton name='a'/>").unwrap();
    assert!(!said(&array).is_empty());
    let set = folder.path().join("motions.set");
    std::fs::write(&set, "no set").unwrap();
    assert!(said(&set).contains("motions.set"), "{}", said(&set));
    std::fs::remove_file(&set).unwrap();
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    assert!(said(&empty).contains("empty"), "{}", said(&empty));
}

#[test]
fn what_a_generator_makes_can_be_tracked() {
    use sinew::learn::generator::{GeneratorSettings, make};
    use sinew::learning::{MatchingConfig, RecurrentConfig, TrialOptions};
    let folder = tempfile::tempdir().unwrap();
    let [set, matching, learned] = ["set", "matching", "learned"].map(|name| folder.path().join(name));
    crate::learn_generator::set(&set);
    let small = RecurrentConfig { lstm_units: vec![8], window_frames: 16, batch: 2, batches: 1, ..Default::default() };
    let kinds = [
        (GeneratorSettings::Matching(MatchingConfig::default()), &matching),
        (GeneratorSettings::Lstm(small), &learned),
    ];
    for (settings, out) in kinds {
        let trial = TrialOptions { minutes: 0.1, seed: 1 };
        let request = sinew::learn::generator::Request {
            set: set.clone(),
            settings,
            trial,
            device: Some(sinew::learn::DeviceKind::Cpu),
            out: out.clone(),
        };
        make(&request, &RunOptions::default(), &mut |_| ControlFlow::Continue(())).unwrap();
    }
    let config = TrackerConfig { practice_minutes: 2.0, ..TrackerConfig::default() };
    let read = |path: &Path, seed: u64| Input::read(path, None, &config, Draw { seed, ..Draw::default() });
    let hash = |seed: u64| {
        let input = read(&matching, seed).unwrap();
        assert!(input.reference.frame_count() >= 3600, "two minutes: {}", input.reference.frame_count());
        input.reference.hash()
    };
    assert_eq!(hash(1), hash(1));
    assert_ne!(hash(1), hash(2));
    let refused = read(&learned, 1).err().unwrap().to_string();
    assert!(refused.contains("a learned one keeps none"), "{refused}");
    let some = Input::read(&set, None, &config, Draw { frames: Some(100), seed: 3, ..Draw::default() }).unwrap();
    assert_eq!(some.reference.frame_count(), 100);
    // A policy that hardly learnt is driven all the same, and comes away from its motion.
    let policy = folder.path().join("policy");
    trained(&request(&matching, &policy), &RunOptions::default());
    let drive = |generator: &Path| {
        let trial = TrialOptions { minutes: 0.1, seed: 2 };
        let out = Some(folder.path().join("drive"));
        let request = sinew::learn::DriveRequest { generator: generator.into(), policy: policy.clone(), trial, out };
        sinew::learn::drive(&request, &RunOptions::default())
    };
    let driving = drive(&matching).unwrap().unwrap();
    assert!(driving.body.frames >= 180 && driving.body.falls + driving.body.feedbacks > 0, "{driving:?}");
    let json: serde_json::Value = serde_json::from_str(&driving.to_json().unwrap()).unwrap();
    for field in ["falls", "target_error_m", "foot_slide_cm", "real_time_factor", "mean_body_error_m"] {
        assert!(json[field].is_number(), "{field}");
    }
    assert!(driving.headline().contains("falls"), "{}", driving.headline());
    assert!(["strip.png", "driven.gif"].iter().all(|name| folder.path().join("drive").join(name).is_file()));
    assert!(drive(&learned).err().unwrap().to_string().contains("a learned one keeps none"));
}

/// A motion of DeepMimic's humanoid: a second in which it goes 1.2 m ahead, swings its right arm and ends in another pose than it began with.
fn going(repeats: &str) -> String {
    let frames: Vec<Vec<f64>> = (0..31)
        .map(|frame| {
            let (share, duration) = (f64::from(frame) / 30.0, if frame < 30 { 1.0 / 30.0 } else { 0.0 });
            let (sin, cos) = (0.35 * (4.0 * share).sin()).sin_cos();
            let one = [1.0, 0.0, 0.0, 0.0];
            let mut row = vec![duration, 1.2 * share, 0.86, 0.0];
            // It turns a little, too, which a repeated clip does not add up.
            row.extend([(0.1 * share).cos(), 0.0, (0.1 * share).sin(), 0.0]);
            row.extend([one, one, one].concat());
            row.push(-0.1);
            row.extend(one);
            row.extend([cos, 0.0, 0.0, sin]);
            row.push(0.2);
            row.extend(one);
            row.push(-0.1);
            row.extend([one, one].concat());
            row.push(0.2);
            row
        })
        .collect();
    format!("{{\"Loop\": \"{repeats}\", \"Frames\": {}}}", serde_json::to_string(&frames).unwrap())
}

#[test]
fn a_clip_that_repeats_is_tracked_for_as_long_as_it_takes_and_any_other_once() {
    let folder = tempfile::tempdir().unwrap();
    let read = |repeats: &str, cycle_secs: f64| {
        let path = folder.path().join(format!("{repeats}.txt"));
        std::fs::write(&path, going(repeats)).unwrap();
        let draw = Draw { cycle_secs, ..Draw::default() };
        Input::read(&path, None, &TrackerConfig::default(), draw).unwrap()
    };
    let once = read("none", 0.0);
    assert_eq!((once.reference.frame_count(), once.period_secs), (31, None));
    let again = read("wrap", 0.0);
    assert!(again.reference.frame_count() > 600 && (again.period_secs.unwrap() - 1.0).abs() < 1e-9);
    assert!(again.notes.iter().any(|note| note.contains("was repeated 21 times")), "{:?}", again.notes);
    assert!(read("wrap", 40.0).reference.frame_count() > 1200);
    // Each cycle goes on where the last one ended, in the pose in which it began.
    let row = |frame: usize| again.reference.position(frame);
    for frame in [0, 10, 29] {
        let (here, there) = (row(frame), row(frame + 300));
        let way = (there[0] - here[0]).hypot(there[1] - here[1]);
        assert!((way - 12.0).abs() < 0.05, "{way}");
        assert!(here[2..].iter().zip(&there[2..]).all(|(a, b)| (a - b).abs() < 0.02), "{here:?} {there:?}");
    }
    // Its arm does not jump at the seam.
    let step =
        |frame: usize| row(frame)[7..].iter().zip(&row(frame + 1)[7..]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let most = (0..25).map(step).fold(0.0, f64::max);
    assert!(most > 0.01 && (25..35).all(|frame| step(frame) < 2.0 * most), "{most}");
}

#[test]
fn a_policy_of_a_cycle_is_tested_without_a_break_and_pushed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("policy");
    let asked = Request { clip: Some("walk".into()), ..request(Path::new("quadruped"), &out) };
    trained(&asked, &RunOptions::default());
    let all = TestRequest {
        policy: out,
        input: "quadruped".into(),
        clip: Some("walk".into()),
        trial: TrialOptions { episodes: 8, frames: 30, seed: 1 },
        track_secs: Some(30.0),
        is_pushed: true,
        ..TestRequest::default()
    };
    let tested = test(&all, &RunOptions::default()).unwrap().unwrap();
    let (track, pushes) = (tested.track.unwrap(), tested.pushes.as_ref().unwrap());
    assert!((track.seconds - 30.0).abs() < 1e-9 && track.ends == 0, "{track:?}");
    assert!(pushes.pushes.len() == 8 && pushes.period_secs == tested.period_secs.unwrap(), "{pushes:?}");
    let json: serde_json::Value = serde_json::from_str(&tested.to_json().unwrap()).unwrap();
    assert!(json["track"]["falls"].is_number() && json["pushes"]["pushes"][7]["weights"].is_number(), "{json}");
    // Several clips are no cycle.
    let refused = test(&TestRequest { clip: None, ..all.clone() }, &RunOptions::default()).err().unwrap().to_string();
    assert!(refused.contains("is not one clip that repeats"), "{refused}");
    let unknown = TestRequest { clip: Some("swim".into()), ..all };
    assert!(test(&unknown, &RunOptions::default()).err().unwrap().to_string().contains("swim"));
}
