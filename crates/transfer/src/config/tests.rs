use super::*;

type Change<'a> = &'a dyn Fn(&mut Config);

#[test]
fn settings_that_a_file_leaves_out_have_their_defaults() {
    let standard = Config::standard();
    let mut file = serde_json::to_value(&standard).expect("an object");
    let top = file.as_object_mut().expect("an object");
    assert!(["patience", "weaning", "emphasis"].iter().all(|field| top.remove(*field).is_some()));
    let polish = top["polish"].as_object_mut().expect("an object");
    let newer = ["sliding_softness_m", "schedule", "differences", "damping", "line_search", "push_off", "puppet"];
    assert!(newer.iter().all(|field| polish.remove(*field).is_some()));
    assert_eq!(serde_json::from_value::<Config>(file.clone()).expect("a configuration"), standard);
    // Some of them alone may be given, and none that there is not.
    file["polish"]["line_search"] = serde_json::json!({ "noisy": 0 });
    let quiet = serde_json::from_value::<Config>(file.clone()).expect("a configuration").polish.expect("a polish");
    assert_eq!(quiet.line_search, LineSearch { noisy: 0, ..LineSearch::default() });
    file["polish"]["line_search"] = serde_json::json!({ "loud": 0 });
    assert!(serde_json::from_value::<Config>(file).is_err());
}

#[test]
fn settings_that_cannot_work_are_refused_by_name() {
    assert!([Config::paper(), Config::standard(), Config::quick()].iter().all(|preset| preset.check().is_ok()));
    let told = |change: Change<'_>| {
        let mut config = Config::standard();
        change(&mut config);
        config.check().expect_err("refused").to_string()
    };
    fn polish(config: &mut Config) -> &mut Polish {
        config.polish.as_mut().expect("a polish")
    }
    let cases: [(&str, Change<'_>); 10] = [
        ("dt", &|c| c.dt = 0.007),
        ("advance_frames", &|c| c.advance_frames = c.window_frames + 1),
        ("polish.differences.velocity", &|c| polish(c).differences.velocity = 0.0),
        ("polish.schedule.levels.reach", &|c| polish(c).schedule.levels[1].reach = f64::NAN),
        ("polish.puppet.reaches", &|c| polish(c).puppet.reaches[11] = -1.0),
        ("polish.interval_frames", &|c| polish(c).interval_frames = 0),
        ("polish.line_search.piece_intervals", &|c| polish(c).line_search.piece_intervals = 0),
        ("weaning.ladders.prices", &|c| c.weaning.ladders[1].prices[0] = 0.0),
        ("emphasis.factor", &|c| c.emphasis.factor = 1.0),
        ("weaning.let_go", &|c| c.weaning.let_go = f64::INFINITY),
    ];
    for (field, change) in cases {
        assert!(told(change).contains(field), "{field}: {}", told(change));
    }
}
