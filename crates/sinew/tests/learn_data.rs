//! `sinew::learn` from files to a data set: embedded clips, labels, transferred characters, refusals.

use sinew::learn::{Event, Made, Request, SET, make};
use sinew::learning::{DataConfig, MotionSet, Origin};
use sinew::work::RunOptions;
use std::ops::ControlFlow;
use std::path::Path;

fn request(input: &Path, out: &Path) -> Request {
    let config = DataConfig { minutes: 0.2, sequence_secs: 10.0, ..DataConfig::default() };
    Request { input: input.into(), character: None, labels: None, config, seed: 0, pictures: false, out: out.into() }
}

fn made(request: &Request, threads: usize) -> sinew::Result<Made> {
    let options = RunOptions { threads, ..RunOptions::default() };
    make(request, &options, &mut |_: Event<'_>| ControlFlow::Continue(())).map(|made| made.expect("not stopped"))
}

fn refusal(request: &Request) -> String {
    made(request, 1).map(|_| ()).expect_err("refused").to_string()
}

#[test]
fn an_embedded_character_becomes_a_set_with_its_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("set");
    let asked = Request { pictures: true, ..request(Path::new("quadruped"), &out) };
    let summary = made(&asked, 2).expect("a set").summary;
    let set = MotionSet::read(&out.join(SET)).expect("read");
    assert_eq!(set.frames(Origin::Captured), summary.frames_in);
    assert_eq!((set.frames(Origin::Augmented), summary.frames_out), (360, 360));
    assert!(summary.graph.core_frames > 0, "a cycle is repeated until it has a core: {:?}", summary.graph);
    assert!(summary.foot_slide_after.mean_cm_per_sec < 0.3 * summary.foot_slide_unplanted.mean_cm_per_sec);
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("summary.json")).expect("figures")).expect("JSON");
    assert_eq!(json["frames_out"], 360);
    assert!(json.get("wall_secs").is_none(), "times are printed, not written");
    let page = std::fs::read_to_string(out.join("report.html")).expect("a page");
    assert!(page.contains("edit-1-path.png") && page.contains("Foot slide") && page.contains("target forward"));
    assert!(out.join("edit-1-path.png").is_file() && !out.join("motions.unfinished").exists());
    assert!(!out.join("data-checkpoint.bin").exists());
    // The same bytes again, on another number of threads, in place of the old result.
    let before = std::fs::read(out.join(SET)).expect("a set");
    made(&request(Path::new("quadruped"), &out), 1).expect("again");
    assert_eq!(before, std::fs::read(out.join(SET)).expect("a set"));
}

#[test]
fn a_folder_of_clips_and_labels_on_a_character_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let clips = folder.path().join("clips");
    std::fs::create_dir(&clips).expect("made");
    std::fs::write(clips.join("beast.glb"), sinew::assets::find("quadruped").expect("embedded")).expect("written");
    std::fs::write(clips.join("notes.txt"), "no clip").expect("written");
    std::fs::write(clips.join("broken.bvh"), "HIERARCHY\nROOT").expect("written");
    std::fs::write(clips.join("labels.toml"), "[[clip]]\nfile = 'beast'\naction = ['Trot', 'MoveTo']\n")
        .expect("written");
    let hero = folder.path().join("hero.toml");
    let source = sinew::source::Source::open("quadruped".as_ref(), &[], &Default::default()).expect("a rig");
    let modeling = sinew::modeling::Modeling::new(&source, &[], &Default::default()).expect("a character");
    modeling.project.to_character().write(&hero).expect("written");
    let asked = Request { character: Some(hero), ..request(&clips, &folder.path().join("set")) };
    let summary = made(&asked, 2).expect("a set").summary;
    let names: Vec<&str> = summary.actions.iter().map(|action| action.name.as_str()).collect();
    assert_eq!(names, ["Trot", "MoveTo"]);
    assert_eq!(summary.skipped.len(), 1, "{:?}", summary.skipped);
    assert!(summary.skipped[0].file == "broken.bvh" && !summary.skipped[0].why.contains("broken.bvh: broken"));
    assert!(summary.ranges_after.iter().any(|range| range.control == "speed"));
}

#[test]
fn what_cannot_be_used_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let [clips, out] = ["clips", "set"].map(|name| folder.path().join(name));
    std::fs::create_dir(&clips).expect("made");
    let asked = || request(&clips, &out);
    assert!(refusal(&asked()).contains("there are no clips in this folder"));
    assert!(refusal(&request(Path::new("nowhere"), &out)).contains("no such file"));
    // A beast whose joints have other names than the human's.
    let source = sinew::source::Source::open("quadruped".as_ref(), &[], &Default::default()).expect("a rig");
    let mut skeleton = source.rig.skeleton.clone();
    skeleton.joints.iter_mut().for_each(|joint| joint.name = format!("beast_{}", joint.name));
    let text = sinew::motion::write_bvh(&skeleton, &source.rig.clips[0]);
    std::fs::write(clips.join("beast.bvh"), text).expect("written");
    let said = refusal(&asked());
    assert!(said.contains("none of the clips can be used") && said.contains("four legs"), "{said}");
    let minutes = DataConfig { minutes: f64::NAN, ..asked().config };
    assert!(refusal(&Request { config: minutes, ..asked() }).contains("minutes is NaN"));
    std::fs::write(clips.join("labels.toml"), "[[clip]]\nfile = 'beast'\naction = 'Fly'\n").expect("written");
    let said = refusal(&Request { character: Some("quadruped".into()), ..asked() });
    assert!(said.contains("labels.toml") && said.contains("\"Fly\" is not known"), "{said}");
    assert!(!out.exists());
}
