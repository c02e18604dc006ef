//! A rig at another size than its file says: what is written back is in the file's own units.

use sinew::export::export;
use sinew::modeler::{ModelOptions, fitted_to_clip};
use sinew::modeling::Modeling;
use sinew::motion::{ImportOptions, Rig, SizeFrom, SizeRule, read_bytes};
use sinew::source::Source;
use sinew::transfer::{Preset, Task, prepare};
use std::path::Path;

fn open(options: &ImportOptions) -> Source {
    Source::open(Path::new("human"), &[], options).expect("embedded")
}

/// Positions of all joints in some frames of the last clip.
fn places(rig: &Rig) -> Vec<glam::DVec3> {
    let clip = rig.clips.last().expect("a clip");
    let frames = (0..clip.frame_count()).step_by(5);
    frames.flat_map(|frame| clip.place(&rig.skeleton, frame)).map(|placed| placed.position).collect()
}

fn farthest(one: &Rig, other: &Rig) -> f64 {
    let (one, other) = (places(one), places(other));
    assert_eq!(one.len(), other.len());
    one.iter().zip(&other).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[test]
fn what_is_written_back_has_the_files_units() {
    let whole = open(&ImportOptions::default());
    let height = whole.rig.skeleton.height();
    let half = open(&ImportOptions { height: Some(0.5 * height), ..Default::default() });
    let halved = half.rig.skeleton.height() / height;
    assert!((halved - 0.5).abs() < 0.01, "{halved}");
    assert_eq!((whole.sizing.from, half.sizing.from), (SizeFrom::File, SizeFrom::User));
    assert_eq!(whole.changed_unit(), None);
    for ending in ["x.glb", "x.bvh"] {
        let written = [&whole, &half].map(|source| {
            // Posed on the character of its own size, and back onto the skeleton.
            let clip = source.rig.clips.iter().find(|clip| clip.name == "walk").expect("walk").clone();
            let modeling = Modeling::new(source, &["walk".into()], &ModelOptions::default()).expect("made");
            let (project, fitted) = (&modeling.project, &modeling.fitted[0]);
            let rows = &fitted.positions;
            let (character, binding) = (project.character(), project.binding());
            let posed =
                fitted_to_clip(character, binding, &source.rig.skeleton, clip.rate_hz, "posed", rows, Some(&clip));
            let bytes = export(source, &posed.expect("posed"), Path::new(ending)).expect("written");
            let unit = whole.rig.skeleton.source.metres_per_unit;
            let options = ImportOptions { scale: Some(unit), ..Default::default() };
            read_bytes(&bytes, ending, None, &options).expect("read")
        });
        let off = farthest(&written[0], &written[1]);
        assert!(off < 0.02 * height, "{ending}: {off} m");
        let tall = written[1].skeleton.height() / written[0].skeleton.height();
        assert!((tall - 1.0).abs() < 0.02, "{ending}: {tall}");
    }
}

#[test]
fn a_clip_that_is_only_resized_is_written_as_it_was() {
    let whole = open(&ImportOptions::default());
    let mut half = open(&ImportOptions::default());
    half.rig.resize(0.37);
    let unit = whole.rig.skeleton.source.metres_per_unit;
    assert!((half.rig.skeleton.source.metres_per_unit / unit - 0.37).abs() < 1e-12);
    for ending in ["x.glb", "x.bvh"] {
        let written = [&whole, &half].map(|source| {
            let bytes = export(source, &source.rig.clips[0], Path::new(ending)).expect("written");
            read_bytes(&bytes, ending, None, &ImportOptions { scale: Some(unit), ..Default::default() }).expect("read")
        });
        let off = farthest(&written[0], &written[1]);
        assert!(off < 1e-5, "{ending}: {off} m");
    }
    half.resize_to_unit(unit);
    assert!((half.rig.skeleton.height() - whole.rig.skeleton.height()).abs() < 1e-9);
}

#[test]
fn an_embedded_character_keeps_its_size_and_says_what_its_clips_vote() {
    for name in ["human", "dinosaur", "quadruped"] {
        let source = Source::open(Path::new(name), &[], &ImportOptions::default()).expect("embedded");
        assert_eq!(source.sizing.from, SizeFrom::File, "{name}");
        let votes = &source.sizing.estimate.votes;
        assert!(votes.iter().any(|vote| !vote.at_most), "{name}: {votes:?}");
        assert!(votes.iter().all(|vote| vote.height_m.is_finite() && vote.within_factor > 1.0), "{name}");
    }
    let asked = open(&ImportOptions { size: SizeRule::Motion, ..Default::default() });
    assert_eq!(asked.sizing.from, SizeFrom::Motion);
    let height = asked.rig.skeleton.height();
    assert!((height / asked.sizing.estimate.height_m - 1.0).abs() < 1e-9);
}

#[test]
fn a_transfer_is_prepared_at_the_size_that_was_asked_for() {
    let source = open(&ImportOptions { height: Some(0.8), ..Default::default() });
    let unit = source.changed_unit();
    let options = ModelOptions { metres_per_unit: unit, ..ModelOptions::default() };
    let task = Task { clip: Some("walk".into()), options, ..Task::default() };
    let prepared = prepare(source, &task, &Preset::Quick.config()).expect("prepared");
    assert!(prepared.modeling.height_m < 0.85);
    let text = prepared.modeling.project.to_character().to_toml();
    assert!(text.contains("metres_per_unit"), "{text}");
}
