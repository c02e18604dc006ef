use super::*;

/// Two balls of each mass at the embedded quadruped.
fn request(seed: u64) -> ResilienceRequest {
    ResilienceRequest {
        package: "quadruped".into(),
        throws: 2,
        seed,
        is_scaled: false,
        foresight_secs: 0.2,
        film: None,
        gif: None,
    }
}

fn measured(request: &ResilienceRequest, threads: usize) -> ResilienceSummary {
    let options = RunOptions { threads, ..RunOptions::default() };
    let summary = measure_resilience(request, &options, &mut |_| {});
    summary.expect("measured").expect("to the end")
}

#[test]
fn the_table_is_the_same_on_every_number_of_threads_and_another_for_each_seed() {
    let [one, three] = [1, 3].map(|threads| measured(&request(1), threads));
    assert_eq!(one, three);
    assert!(one.walk_speed > 0.5, "it walks: {one:?}");
    assert_eq!(one.rows.iter().map(|row| row.ball_kg).collect::<Vec<_>>(), MASSES_KG);
    assert!(one.rows.iter().all(|row| row.hits + row.misses + one.fell_before / 5 == 2), "{one:?}");
    assert_ne!(measured(&request(2), 0).walk_speed, one.walk_speed);
    assert!(one.lines().len() == 7 && one.to_json().expect("JSON").contains("paper_shares"));
}

#[test]
fn scaled_balls_have_the_impulse_of_the_papers() {
    let folder = tempfile::tempdir().expect("a folder");
    let film = folder.path().join("hits.png");
    let gif = folder.path().join("hits.gif");
    let asked = ResilienceRequest {
        is_scaled: true,
        film: Some(film.clone()),
        gif: Some(gif.clone()),
        throws: 1,
        ..request(1)
    };
    let scaled = measured(&asked, 0);
    for (row, mass) in scaled.rows.iter().zip(MASSES_KG) {
        assert!((row.impulse - row.paper_impulse).abs() < 1e-9, "{row:?}");
        let scale = row.ball_kg / mass;
        assert!((scale - scaled.body_kg / PAPER_BODY_KG).abs() < 1e-9 && (scale - 1.0).abs() > 0.05, "{row:?}");
    }
    let starts = |path, with: &[u8]| std::fs::read::<&std::path::Path>(path).is_ok_and(|bytes| bytes.starts_with(with));
    assert!(starts(&film, b"\x89PNG") && starts(&gif, b"GIF"));
}

#[test]
fn balls_come_from_all_around_at_all_moments() {
    let package = open("quadruped".as_ref()).expect("a package");
    let work = Throws::new(&package, package.part().expect("a part"), &request(1)).expect("throws");
    let trials: Vec<ThrowTrial> = (0..2000).map(|throw| work.trial(5 * throw)).collect();
    for quarter in 0..4 {
        let from = |trial: &&ThrowTrial| (trial.from_deg / 90.0) as usize == quarter;
        assert!((trials.iter().filter(from).count() as f64 - 500.0).abs() < 80.0, "{quarter}");
    }
    let mean = trials.iter().map(|trial| trial.walk_secs).sum::<f64>() / 2000.0;
    assert!((mean - 2.5).abs() < 0.03 && trials.iter().all(|t| (2.0..3.0).contains(&t.walk_secs)), "{mean}");
    let [first, second] = [work.trial(10), work.trial(11)];
    assert_eq!((first.seed, first.from_deg, first.mass_kg), (second.seed, second.from_deg, 4.0));
    assert_eq!(second.mass_kg, 4.5);
}
