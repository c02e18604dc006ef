use super::*;
use sinew_learn::{Action, Figure, Intent, MatchingConfig, MotionSet, Origin, Sequence, SetHeader, infer_intents};
use sinew_sim::embedded;
use sinew_track::{TrackedBody, TrackerConfig, TrainedPolicy, time_step};

/// A package of a figure that stands, under a policy that has learnt nothing.
fn package(folder: &Path) {
    let figure = Figure::new(&embedded::humanoid(), 0.0).expect("a figure");
    let rest = figure.model().rest_position().to_vec();
    let actions = vec![Action::move_to()];
    let header = SetHeader::new(&figure, actions.clone());
    let frames = 120;
    let intents: Vec<Intent> = infer_intents(&figure, &rest.repeat(frames), &vec![1; frames], &actions, 30.0);
    let sequence = Sequence {
        name: "stands".into(),
        source: "stands".into(),
        origin: Origin::Captured,
        positions: rest.repeat(frames).iter().map(|x| *x as f32).collect(),
        contacts: vec![u32::MAX >> (32 - header.sites.len() as u32); frames],
        labels: vec![1; frames],
        intents,
    };
    let set = Box::new(MotionSet { header, sequences: vec![sequence] });
    let config = TrackerConfig { steps_per_frame: 8, policy_layers: vec![16], ..TrackerConfig::default() };
    let body = TrackedBody::new(&embedded::humanoid(), 0.0, time_step(&config, 30.0)).expect("a body");
    let policy = TrainedPolicy::untrained(&body, &config, 30.0, 5);
    let generator = SavedGenerator::Matching { config: MatchingConfig::default(), set };
    Package::new("hero", embedded::humanoid(), generator, policy).write(folder).expect("written");
}

fn request(folder: &Path, moves: Moves) -> Request {
    Request { package: folder.into(), moves, film: None, gif: None, out: Vec::new(), record: None }
}

#[test]
fn random_play_is_recorded_and_played_again_to_the_same_hash() {
    let folder = tempfile::tempdir().expect("a folder");
    package(folder.path());
    let take = folder.path().join("take.toml");
    let moves = Moves::Random { seconds: 3.0, seed: 4, foresight_secs: 0.5 };
    let asked = Request { record: Some(take.clone()), ..request(folder.path(), moves) };
    let first = play(&asked, &RunOptions::default()).expect("played").expect("to the end");
    assert!(first.seconds >= 3.0 && first.target_error_m.is_some() && first.real_time_factor > 0.0);
    let again = play(&request(folder.path(), Moves::Script(take.clone())), &RunOptions::default());
    let again = again.expect("played").expect("to the end");
    assert_eq!((&again.hash, again.seconds, again.falls), (&first.hash, first.seconds, first.falls));
    let mut text = std::fs::read_to_string(&take).expect("a script");
    text += "[[input]]\nat = 1.0\npush = { body = \"chest\", force = [9.0, 0.0, 0.0], secs = 0.1 }\n";
    std::fs::write(&take, text).expect("written");
    let other = play(&request(folder.path(), Moves::Script(take)), &RunOptions::default());
    let other = other.expect("played").expect("to the end");
    assert_ne!(other.hash, first.hash);
}

#[test]
fn several_characters_of_a_script_share_the_world() {
    let folder = tempfile::tempdir().expect("a folder");
    package(folder.path());
    let moves = folder.path().join("moves.toml");
    let take = folder.path().join("take.toml");
    let inputs = "seconds = 0.5\n[[input]]\nat = 0.1\ncharacter = 1\nball = { speed = 9.0, from_deg = 0.0 }\n";
    let played = |text: &str| {
        std::fs::write(&moves, text).expect("written");
        let asked = Request { record: Some(take.clone()), ..request(folder.path(), Moves::Script(moves.clone())) };
        play(&asked, &RunOptions::default())
    };
    let two = played(&format!("characters = 2\n{inputs}")).expect("played").expect("to the end");
    let again = play(&request(folder.path(), Moves::Script(take.clone())), &RunOptions::default());
    assert_eq!(again.expect("played").expect("to the end").hash, two.hash, "a record keeps how many there were");
    let alone = played(inputs).expect_err("there is one only").to_string();
    assert!(alone.contains("no character 1"), "{alone}");
}

#[test]
fn a_game_counts_the_falls_of_both_teams_and_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    package(folder.path());
    let take = folder.path().join("take.toml");
    let moves = Moves::Game { a_side: 2, seconds: 0.5, seed: 1, foresight_secs: 0.0 };
    let asked = Request { record: Some(take.clone()), ..request(folder.path(), moves) };
    let game = play(&asked, &RunOptions::default()).expect("played").expect("to the end");
    let [first, second] = game.team_falls.expect("two teams");
    assert_eq!(first + second, game.falls);
    assert!(game.headline().contains(&format!("team 1 {second} times")), "{}", game.headline());
    let script = std::fs::read_to_string(&take).expect("a script");
    assert_eq!((script.matches("chase = 2").count(), script.matches("target").count()), (4, 0), "{script}");
    let again = play(&request(folder.path(), Moves::Script(take)), &RunOptions::default());
    assert_eq!(again.expect("played").expect("to the end").hash, game.hash);
}

#[test]
fn a_take_is_written_as_pictures_and_motion() {
    let folder = tempfile::tempdir().expect("a folder");
    package(folder.path());
    let place = |name: &str| Some(folder.path().join(name));
    let moves = folder.path().join("moves.toml");
    std::fs::write(&moves, "seconds = 0.5\n[[input]]\nat = 0.1\nball = { speed = 9.0, from_deg = 0.0 }\n")
        .expect("written");
    let asked = |out: &[&str]| Request {
        film: place("film.png"),
        gif: place("film.gif"),
        out: out.iter().filter_map(|out| place(out)).collect(),
        ..request(folder.path(), Moves::Script(moves.clone()))
    };
    let starts = |name: &str, with: &[u8]| std::fs::read(folder.path().join(name)).is_ok_and(|b| b.starts_with(with));
    play(&asked(&["take.bvh", "take.npz"]), &RunOptions::default()).expect("played").expect("to the end");
    assert!(starts("film.png", b"\x89PNG") && starts("film.gif", b"GIF"));
    assert!(starts("take.bvh", b"HIERARCHY") && starts("take.npz", b"PK"));
    let said = play(&asked(&["take.glb"]), &RunOptions::default()).expect_err("no skin").to_string();
    assert!(said.contains("take.glb") && said.contains("no file of the artist"), "{said}");
    let said = play(&request(&folder.path().join("none"), Moves::Script(moves)), &RunOptions::default());
    assert!(said.expect_err("no package").to_string().contains("sinew bring"));
}
