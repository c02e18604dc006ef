//! From a clip to a simulated motion: the same for every number of threads, resumable, and true to physics.

use sinew::motion::tools::crop;
use sinew::sim::Measured;
use sinew::source::Source;
use sinew::transfer::{
    Begins, CHECKPOINT, Config, Event, FRAME_SECS, Finished, OutputFolder, Prepared, Preset, Push, Request, Task,
    Transfer, TransferWork, files, lowest_point, prepare, replay, transfer,
};
use sinew::work::{RunOptions, Started, run};
use sinew::{ClipError, Error, FileError, MotionError};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

/// A search that takes moments.
fn tiny() -> Config {
    Config { starts: 3, samples: 12, population: 8, iterations: 6, ..Config::quick() }
}

/// A part of a clip of an embedded character.
fn part(name: &str, clip: &str, from_secs: f64, to_secs: f64) -> Prepared {
    let mut source = Source::open(Path::new(name), &[], &Default::default()).expect("embedded");
    let whole = source.rig.clips.iter_mut().find(|c| c.name == clip).expect("the clip");
    *whole = crop(whole, from_secs, to_secs).expect("a part");
    prepare(source, &Task { clip: Some(clip.into()), ..Task::default() }, &tiny()).expect("prepared")
}

fn clip_count(name: &str) -> usize {
    Source::open(Path::new(name), &[], &Default::default()).expect("embedded").rig.clips.len()
}

fn searched(prepared: &Prepared, seed: u64, threads: usize) -> Transfer {
    let work = TransferWork { target: &prepared.target, config: &tiny(), seed };
    let options = RunOptions { threads, ..RunOptions::default() };
    run(&work, &options, &mut |_, _, _| ControlFlow::Continue(())).expect("searched").into_state()
}

fn all_files(prepared: &Prepared, transfer: &Transfer) -> Vec<(String, Vec<u8>)> {
    let finished = Finished::new(prepared, transfer, Preset::Quick).expect("performed");
    files(prepared, transfer, &finished).expect("files")
}

#[test]
fn threads_change_nothing() {
    let prepared = part("dinosaur", "walk", 0.0, 0.5);
    let hash = |seed: u64, threads: usize| {
        let transfer = searched(&prepared, seed, threads);
        Finished::new(&prepared, &transfer, Preset::Quick).expect("performed").summary.hash
    };
    let first = hash(3, 1);
    assert_eq!(first, hash(3, 2));
    assert_eq!(first, hash(3, 3));
    assert_ne!(first, hash(4, 2));
}

/// The punch of the embedded human, short, into a folder.
pub fn punch(out: &Path, seed: u64) -> (Source, Request) {
    let mut source = Source::open(Path::new("human"), &[], &Default::default()).expect("embedded");
    let clip = source.rig.clips.iter_mut().find(|c| c.name == "punch").expect("the clip");
    *clip = crop(clip, 0.0, 0.75).expect("a part");
    let task = Task { clip: Some("punch".into()), ..Task::default() };
    (source, Request { config: tiny(), seed, out: Some(out.into()), ..Request::new(task, Preset::Quick) })
}

/// Stopped after every piece of work, and in the middle of one, then resumed: the files of a run that was left alone.
#[test]
fn a_request_that_was_stopped_goes_on_to_the_same_bytes() {
    let top = tempfile::tempdir().expect("a folder");
    let [whole, parts] = ["whole", "parts"].map(|name| top.path().join(name));
    let (source, request) = punch(&whole, 0);
    let done = transfer(source, &request, &RunOptions::default(), &mut |_| ControlFlow::Continue(()));
    assert_eq!(done.expect("transferred").expect("to the end").out, whole);

    let mut starts = Vec::new();
    loop {
        let (source, request) = punch(&parts, 0);
        let options = RunOptions { resumes: true, ..RunOptions::default() };
        let mut pieces = 0;
        let done = transfer(source, &request, &options, &mut |event| {
            if let Event::Searching { started, .. } = event {
                starts.push(started);
                pieces += 1;
            }
            // Within the second piece.
            if pieces == 2 && starts.len() < 9 {
                options.cancel.cancel();
            }
            if pieces == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if done.expect("transferred").is_some() {
            break;
        }
        assert!(parts.join(CHECKPOINT).exists() && !parts.join("report.html").exists());
    }
    assert!(starts[0] == Started::WithoutCheckpoint && starts[2..].iter().all(|s| *s == Started::Resumed));
    for name in sinew::transfer::NAMES {
        let [whole, parts] = [&whole, &parts].map(|folder| std::fs::read(folder.join(name)).expect("a file"));
        assert!(whole == parts, "{name} differs");
    }
    assert!(!parts.join(CHECKPOINT).exists(), "nobody needs it any more");

    // Told to stop while it draws: nothing is written, and the checkpoint stays.
    let drawn = top.path().join("drawn");
    let (source, request) = punch(&drawn, 0);
    let options = RunOptions::default();
    let done = transfer(source, &request, &options, &mut |event| {
        if matches!(event, Event::Writing) {
            options.cancel.cancel();
        }
        ControlFlow::Continue(())
    });
    assert!(done.expect("searched").is_none());
    assert!(drawn.join(CHECKPOINT).exists() && !drawn.join("report.html").exists());
}

#[test]
fn a_checkpoint_of_another_request_is_refused_and_stays() {
    let top = tempfile::tempdir().expect("a folder");
    let (source, request) = punch(top.path(), 0);
    let stopped = transfer(source, &request, &RunOptions::default(), &mut |event| match event {
        Event::Searching { .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert!(stopped.expect("begun").is_none());
    let saved = std::fs::read(top.path().join(CHECKPOINT)).expect("a checkpoint");
    let refused = |change: &dyn Fn(&mut Request)| {
        let (source, mut request) = punch(top.path(), 0);
        change(&mut request);
        let options = RunOptions { resumes: true, ..RunOptions::default() };
        let error = transfer(source, &request, &options, &mut |_| ControlFlow::Continue(())).err().expect("refused");
        assert!(matches!(&error, Error::Checkpoint(_)), "{error}");
        error.to_string()
    };
    assert!(refused(&|request| request.seed = 1).contains("another seed"));
    assert!(refused(&|request| request.config.weights.pose = 11.0).contains("another configuration"));
    assert_eq!(std::fs::read(top.path().join(CHECKPOINT)).expect("still there"), saved);
    std::fs::write(top.path().join(CHECKPOINT), &saved[..saved.len() / 2]).expect("written");
    let text = refused(&|_| ());
    assert!(text.contains("damaged") && text.contains(CHECKPOINT), "{text}");
}

#[test]
fn files_can_be_read_again() {
    let prepared = part("dinosaur", "boxing", 1.0, 1.6);
    let transfer = searched(&prepared, 0, 0);
    let files = all_files(&prepared, &transfer);
    let folder = tempfile::tempdir().expect("a folder");
    let mut out = OutputFolder::make(folder.path()).expect("made");
    out.write(&files).expect("written");
    out.keep();
    let open = |name: &str| Source::open(&folder.path().join(name), &[], &Default::default()).expect("read");
    let glb = open("simulated.glb");
    let simulated = glb.rig.clips.iter().find(|c| c.name == "boxing simulated").expect("the new clip");
    assert!((simulated.duration_secs() - 0.6).abs() < 1e-3, "{}", simulated.duration_secs());
    assert_eq!(glb.rig.clips.len(), 1 + clip_count("dinosaur"));
    assert!((open("simulated.bvh").rig.clips[0].duration_secs() - 0.6).abs() < 1e-3);
    let report = String::from_utf8(std::fs::read(folder.path().join("report.html")).expect("a page")).expect("text");
    assert!(
        report.contains("Cost per window") && report.contains("Worst deviations") && report.contains("data:image/gif")
    );

    // The same motion from the files alone; another one when pushed.
    let again = replay(folder.path(), None).expect("replayed");
    assert!(again.is_same(), "{} instead of {}", again.hash, again.controls.hash);
    let push = Push { newtons: 3000.0, at_secs: 0.1, direction_deg: 90.0 };
    let pushed = replay(folder.path(), Some(&push)).expect("replayed");
    let side = |run: &sinew::transfer::Performance| run.moments[run.moments.len() - 1].position[1];
    assert!(!pushed.is_same() && side(&pushed.run) > side(&again.run) + 0.1);
    let late = Push { at_secs: 5.0, ..push };
    let error = replay(folder.path(), Some(&late)).err().expect("refused");
    assert!(matches!(&error, Error::Motion(MotionError::PushTime { at_secs, .. }) if *at_secs == 5.0), "{error}");
    assert!(error.to_string().contains("at 5 s is outside of the motion"), "{error}");
    // A file of the first layout, with the push-off among the settings and the offsets at the top, performs the same.
    let path = folder.path().join("controls.json");
    let text = std::fs::read_to_string(&path).expect("controls");
    let mut old: serde_json::Value = serde_json::from_str(&text).expect("an object");
    let solution = old.as_object_mut().and_then(|fields| fields.remove("solution")).expect("a solution");
    (old["version"], old["offsets"]) = (1.into(), solution["offsets"].clone());
    old["config"]["push_off"] = solution["push_off"].clone();
    std::fs::write(&path, old.to_string()).expect("written");
    let error = replay(folder.path(), None).err().expect("refused");
    assert!(matches!(&error, Error::File(FileError::Mixed { .. })), "a changed file is told: {error}");
    std::fs::remove_file(folder.path().join(sinew::transfer::MANIFEST)).expect("removed");
    let upgraded = replay(folder.path(), None).expect("replayed");
    assert!(upgraded.is_same() && upgraded.controls == again.controls);
    std::fs::write(folder.path().join("controls.json"), b"{}").expect("written");
    let error = replay(folder.path(), None).err().expect("refused");
    assert!(matches!(&error, Error::File(FileError::Damaged { .. })), "{error}");
    assert!(error.to_string().contains("controls.json"), "{error}");
    std::fs::remove_file(folder.path().join("controls.json")).expect("removed");
    let error = replay(folder.path(), None).err().expect("refused");
    assert!(matches!(&error, Error::File(FileError::Read { .. })), "{error}");
}

#[test]
fn a_motion_can_begin_at_rest() {
    let prepared = part("human", "walk", 0.0, 0.5);
    let first = |begins: Begins| {
        let config = Config { begins, ..tiny() };
        let transfer = Transfer::new(&prepared.target, &config, 0).expect("begun");
        let mut transfer = transfer;
        transfer.advance(&prepared.target).expect("a window");
        let run = transfer.perform(&prepared.target).expect("performed");
        run.moments[0].velocity.iter().map(|v| v.abs()).fold(0.0, f64::max)
    };
    assert_eq!(first(Begins::Rest), 0.0);
    assert!(first(Begins::Moving) > 0.5);
}

#[test]
fn clips_that_cannot_be_transferred_are_refused() {
    let open = || Source::open(Path::new("human"), &[], &Default::default()).expect("embedded");
    let refused = |source: Source, task: &Task| {
        let error = prepare(source, task, &tiny()).err().expect("refused");
        let text = error.to_string();
        assert!(!text.contains('\n'), "{text}");
        (text, error)
    };
    let named = |clip: &str| Task { clip: Some(clip.into()), ..Task::default() };
    let mut source = open();
    source.rig.clips[0].root_positions[7].z = f64::NAN;
    let name = source.rig.clips[0].name.clone();
    let (text, _) = refused(source, &named(&name));
    assert!(text.contains(&name) && text.contains("finite"), "{text}");
    let mut source = open();
    let joints = source.rig.skeleton.joints.len();
    source.rig.clips[0].root_positions.truncate(1);
    source.rig.clips[0].rotations.truncate(joints);
    let (text, _) = refused(source, &named(&name));
    assert!(text.contains("1 frame"), "{text}");
    let (text, error) = refused(open(), &named("swim"));
    assert!(text.contains("walk") && matches!(error, Error::Clip(ClipError::Name(_))), "{text}");
    let (text, error) = refused(open(), &Task::default());
    assert!(text.contains("`walk`") && matches!(error, Error::Clip(ClipError::Several { .. })), "{text}");
    let (text, error) = refused(open(), &Task { cycles: Some(0), ..named("walk") });
    assert!(matches!(error, Error::Clip(ClipError::NoCycles)), "{text}");
    let mut source = open();
    source.rig.clips.clear();
    let (text, error) = refused(source, &Task::default());
    assert!(text.contains("human") && matches!(error, Error::Clip(ClipError::None { .. })), "{text}");
    let (text, error) = refused(open(), &named("walk++jump"));
    assert!(text.contains("walk++jump") && matches!(error, Error::Clip(ClipError::MissingPart { .. })), "{text}");
    let mut source = open();
    let jump = source.rig.clips.iter_mut().find(|c| c.name == "jump").expect("a jump");
    *jump = crop(jump, 0.0, 1.2).expect("a part");
    let (text, error) = refused(source, &Task { cycles: Some(2), ..named("jump") });
    assert!(text.contains("no cycle") && matches!(error, Error::Clip(ClipError::NoCycle { .. })), "{text}");
}

/// Newton's law for the whole body, from the written arrays alone: `m (a − g)` is what the ground does, and the ground only pushes, within
/// its cone, and only where something touches it. A step by semi-implicit Euler computes its forces in the pose before it, so the momentum of
/// a step is that of its velocity in that pose.
#[test]
fn the_written_motion_obeys_newton() {
    for (name, clip, from, to) in [("human", "jump", 0.6, 1.7), ("dinosaur", "walk", 0.0, 0.6)] {
        let prepared = part(name, clip, from, to);
        let transfer = searched(&prepared, 0, 0);
        let model = prepared.model();
        let finished = Finished::new(&prepared, &transfer, Preset::Quick).expect("performed");
        let arrays = read_npz(&finished.trajectory.to_npz(model, name).expect("arrays"));
        let (nq, nv) = (model.position_count(), model.velocity_count());
        let rows = arrays["time"].len();
        assert_eq!((arrays["qpos"].len(), arrays["qvel"].len()), (rows * nq, rows * nv));
        let dt = arrays["dt"][0];
        let states = arrays["qpos"].chunks(nq).zip(arrays["qvel"].chunks(nv).skip(1));
        let measured: Vec<Measured> = states.map(|(q, v)| Measured::new(model, q, v, [0.0; 3])).collect();
        let heights: Vec<f64> = arrays["qpos"].chunks(nq).map(|q| lowest_point(model, q)).collect();
        let mass = model.total_mass();
        let friction = model.scene().ground.expect("ground").surface.friction;
        let span = (0.010 / dt).round() as usize;
        let (mut flights, mut stances) = (0, 0);
        for first in 0..measured.len() - span {
            let change = |k: usize| measured[first + span].linear_momentum[k] - measured[first].linear_momentum[k];
            let force = [0, 1, 2].map(|k| change(k) / (span as f64 * dt) + if k == 2 { 9.81 * mass } else { 0.0 });
            let near = heights[first.saturating_sub(2)..=first + span].iter().copied().fold(f64::INFINITY, f64::min);
            let sideways = (force[0] * force[0] + force[1] * force[1]).sqrt();
            let weight = 9.81 * mass;
            if near > 0.003 {
                flights += 1;
                let size = (sideways * sideways + force[2] * force[2]).sqrt();
                assert!(size < 0.02 * weight, "{name}: {size:.1} N in flight at step {first}");
            } else {
                stances += 1;
                assert!(force[2] > -0.02 * weight, "{name}: the ground pulls with {:.1} N at step {first}", force[2]);
                // The simulator lets friction lie 2 % outside its cone once the first pass is over.
                assert!(
                    sideways < 1.02 * friction * force[2].max(0.0) + 0.02 * weight,
                    "{name}: {sideways:.1} N sideways under {:.1} N at step {first}",
                    force[2]
                );
            }
        }
        assert!(stances > 50 && (name != "human" || flights > 50), "{name}: {stances} stances, {flights} flights");
    }
}

/// Arrays of f64 in an NPZ of stored members.
fn read_npz(bytes: &[u8]) -> BTreeMap<String, Vec<f64>> {
    let short = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let long = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four")) as usize;
    let mut arrays = BTreeMap::new();
    let mut at = 0;
    while bytes[at..].starts_with(b"PK\x03\x04") {
        let (size, name, extra) = (long(at + 18), short(at + 26), short(at + 28));
        let key = String::from_utf8_lossy(&bytes[at + 30..at + 30 + name]).trim_end_matches(".npy").to_owned();
        let member = &bytes[at + 30 + name + extra..][..size];
        let header = 10 + usize::from(u16::from_le_bytes([member[8], member[9]]));
        if member[..header].windows(5).any(|w| w == b"'<f8'") {
            let numbers = member[header..].chunks(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight")));
            arrays.insert(key, numbers.collect());
        }
        at += 30 + name + extra + size;
    }
    arrays
}

/// How far the end effectors of a target slide in all while they are within a centimetre of the ground, m.
fn slid(prepared: &Prepared) -> f64 {
    let target = &prepared.target;
    let effectors = target.observation(0).effector_count();
    let lowest =
        |e: usize| (0..target.frames()).map(|f| target.observation(f).effector(e)[2]).fold(f64::INFINITY, f64::min);
    let mut sum = 0.0;
    for e in (0..effectors).filter(|e| lowest(*e) < 0.1) {
        let frames = (0..target.frames()).map(|f| target.observation(f));
        for now in frames.filter(|now| now.effector(e)[2] < lowest(e) + 0.01) {
            let [x, y, _] = now.effector_velocity(e);
            sum += x.hypot(y) * FRAME_SECS;
        }
    }
    sum
}

#[test]
fn feet_that_slide_while_they_stand_are_planted_unless_they_should_slide() {
    let prepared = |keeps_slides: bool| {
        let mut source = Source::open(Path::new("human"), &[], &Default::default()).expect("embedded");
        let walk = source.rig.clips.iter_mut().find(|clip| clip.name == "walk").expect("a walk");
        // A quarter of a metre a second too fast.
        for (frame, position) in walk.root_positions.iter_mut().enumerate() {
            position.x += 0.25 * frame as f64 / walk.rate_hz;
        }
        let task = Task { clip: Some("walk".into()), keeps_slides, ..Task::default() };
        prepare(source, &task, &tiny()).expect("prepared")
    };
    let (planted, sliding) = (prepared(false), prepared(true));
    assert!(slid(&planted) < 0.5 * slid(&sliding), "{} of {}", slid(&planted), slid(&sliding));
    let says = |prepared: &Prepared| prepared.modeling.clip_notes.iter().any(|note| note.contains("they are planted"));
    assert!(says(&planted) && !says(&sliding));
}
