//! A transfer with help from outside: whole folders that play again bit by bit, and hide nothing.

use sinew::motion::tools::crop;
use sinew::source::Source;
use sinew::transfer::{
    AssistConfig, Assisted, Config, Finished, OutputFolder, Prepared, RunOptions, Started, Task, Transfer, assist,
    prepare, replay, run,
};
use std::path::Path;

/// A front whose run was killed ends as if it had not been; a checkpoint of something else is refused.
fn goes_on_from_a_checkpoint(
    path: &Path,
    prepared: &Prepared,
    transfer: &Transfer,
    settings: &AssistConfig,
    whole: &Assisted,
) {
    let options = RunOptions { checkpoint: Some(path.to_path_buf()), resumes: true, ..RunOptions::default() };
    let run = |settings: &AssistConfig| {
        let mut passes = Vec::new();
        let assisted = assist(prepared, transfer, "tiny", settings, &options, &mut |started, progress| {
            passes.push((started, progress.done));
        });
        assisted.map(|assisted| (assisted.points, passes))
    };
    // Without a checkpoint from the start, then from the one that this left.
    let (points, passes) = run(settings).expect("a front");
    assert!(points == whole.points && passes == [(Started::Anew, 0), (Started::Anew, 1)], "{passes:?}");
    let (points, passes) = run(settings).expect("a front");
    assert!(points == whole.points && passes == [(Started::After(1), 1)], "{passes:?}");
    let other = AssistConfig { rounds: 3, ..settings.clone() };
    let refused = format!("{:#}", run(&other).expect_err("refused"));
    assert!(refused.contains("saved.bin") && refused.contains("another preset"), "{refused}");
    std::fs::remove_file(path).expect("a file");
}

#[test]
fn every_point_is_a_transfer_of_its_own_that_owns_up_to_its_help() {
    let config = Config { starts: 2, samples: 8, population: 8, iterations: 4, ..Config::quick() };
    let mut source = Source::open(Path::new("human"), &[], &Default::default()).expect("embedded");
    let whole = source.rig.clips.iter_mut().find(|c| c.name == "jump").expect("the clip");
    *whole = crop(whole, 1.0, 1.3).expect("a part");
    let prepared = prepare(source, &Task { clip: Some("jump".into()), ..Task::default() }, &config).expect("prepared");
    let transfer = run(&prepared.target, &config, &RunOptions::default(), &mut |_, _| ()).expect("searched");
    let plain = Finished::new(&prepared, &transfer, "tiny").expect("performed");
    let settings = AssistConfig { prices: Vec::new(), rounds: 2, ..AssistConfig::quick() };
    let alone = RunOptions::default();
    let assisted = assist(&prepared, &transfer, "tiny", &settings, &alone, &mut |_, _| ()).expect("a front");
    assert!(assisted.points.len() > 1, "{:?}", assisted.points.iter().map(|p| p.cost_mean).collect::<Vec<_>>());

    let top = tempfile::tempdir().expect("a folder");
    goes_on_from_a_checkpoint(&top.path().join("saved.bin"), &prepared, &transfer, &settings, &assisted);
    // A point of an earlier run, and something that is none.
    std::fs::create_dir_all(top.path().join("assist/42")).expect("a folder");
    std::fs::write(top.path().join("assist/42/controls.json"), "{}").expect("written");
    std::fs::create_dir_all(top.path().join("assist/77")).expect("a folder");
    let mut folder = OutputFolder::make(top.path()).expect("a folder");
    folder.keep();
    assisted.write(&prepared, &transfer, &plain, &folder).expect("written");
    assert!(!top.path().join("assist/42").exists() && top.path().join("assist/77").exists());

    // The first point and the files above are the plain transfer's, but for the report's section.
    assert_eq!(assisted.finished[0].summary.hash, plain.summary.hash);
    for name in ["simulated.png", "simulated.glb", "trajectory.npz", "controls.json", "character.toml"] {
        let read = |folder: &str| std::fs::read(top.path().join(folder).join(name)).expect("a file");
        assert!(read("assist/00") == read(""), "{name}");
    }
    assert!(
        plain.controls.to_json().expect("text")
            == std::fs::read_to_string(top.path().join("controls.json")).expect("a file")
    );
    let text = |name: &str| std::fs::read_to_string(top.path().join(name)).expect("a file");
    assert!(text("report.html").contains("With help from outside"));
    assert!(
        text("assist.html").contains("physics alone")
            && text("assist.csv").lines().count() == assisted.points.len() + 1
    );

    for (row, point) in assisted.rows(top.path()).iter().zip(&assisted.points) {
        let replayed = replay(Path::new(&row.folder), None).expect("replayed");
        assert!(replayed.is_same() && replayed.hash == row.hash, "{}", row.folder);
        let npz = std::fs::read(Path::new(&row.folder).join("trajectory.npz")).expect("arrays");
        let owns_up = npz.windows(10).any(|bytes| bytes == b"assist.npy");
        assert_eq!(owns_up, point.figures.mean_help > 0.0);
        let says = std::fs::read_to_string(Path::new(&row.folder).join("report.html")).expect("a report");
        assert_eq!(says.contains("Help from outside"), owns_up);
    }
    let helped = Path::new(&assisted.rows(top.path())[1].folder).to_path_buf();
    let refused = sinew::feedback::prepare(&helped, Some(0.5)).err().expect("refused").to_string();
    assert!(refused.contains("helped from outside"), "{refused}");
    // A row that is cut short is refused.
    let controls = helped.join("controls.json");
    let text = std::fs::read_to_string(&controls).expect("controls");
    let at = text.find("\"assist\": [").expect("rows");
    let broken = text[..at].to_owned() + &text[at..].replacen("      [", "      [1.0,", 1);
    std::fs::write(&controls, broken).expect("written");
    let error = format!("{:#}", replay(&helped, None).err().expect("refused"));
    assert!(error.contains("controls.json is damaged") && error.contains("invalid length 7"), "{error}");
}
