use super::*;
use sinew_live::LiveConfig;
use sinew_pareto::{Budget, Method, SearchConfig};
use sinew_settings::Named;
use sinew_transfer::{Begins, FeedbackConfig, FeedbackPreset, Preset, TransferError};

/// Every base reads what any other base was written as.
fn round_trips<S: Settings + std::fmt::Debug>(all: &[S]) {
    for written in all {
        let text = to_toml(written, "Settings.");
        for base in all {
            assert_eq!(&parse(&text, "all.toml", base).expect("settings"), written, "{text}");
        }
        // Each field once, under a comment of its own.
        let lines: Vec<&str> = text.lines().collect();
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.contains(" = ") && !line.starts_with('#'))
        {
            assert!(lines[index - 1].starts_with("# "), "no comment above {line}");
        }
    }
}

#[test]
fn what_is_printed_loads_as_the_same_settings_on_every_preset() {
    let transfers: Vec<TransferSettings> = Preset::ALL.iter().map(|preset| TransferSettings::of(*preset)).collect();
    round_trips(&transfers);
    round_trips(&[FeedbackPreset::Paper.config(), FeedbackPreset::Default.config()]);
    let [mut linear, paper, binned] =
        [(Budget::Default, Method::Rmoo), (Budget::Paper, Method::Rmoo), (Budget::Paper, Method::Bsoo)]
            .map(|(budget, method)| budget.config(method));
    (linear.objectives.is_linear, linear.allowed_failures, linear.seed) = (true, None, 7);
    round_trips(&[linear, paper, binned]);
}

#[test]
fn every_field_is_printed_or_is_a_section() {
    fn walk(section: &str, values: &Map<String, Value>, text: &str) {
        for (name, value) in values {
            match value {
                Value::Object(fields) => {
                    let inner = if section.is_empty() { name.clone() } else { format!("{section}.{name}") };
                    assert!(text.contains(&format!("\n[{inner}]\n")), "[{inner}] is not in\n{text}");
                    walk(&inner, fields, text);
                }
                _ => assert!(text.contains(&format!("\n{name} = ")), "{section}.{name} is not in\n{text}"),
            }
        }
    }
    fn check<S: Settings>() {
        walk("", &object_of(&S::complete()), &to_toml(&S::complete(), ""));
    }
    check::<TransferSettings>();
    check::<FeedbackConfig>();
    check::<SearchConfig>();
    check::<LiveConfig>();
}

#[test]
fn a_file_changes_only_the_fields_that_it_names() {
    let text = "population = 64\nbegins = \"rest\"\ntorque_share = \"none\"\n[polish]\niterations = 7\n[assist]\nprices = [5, 0.5]\n";
    let base = TransferSettings::of(Preset::Quick);
    let found = parse(text, "my.toml", &base).expect("settings");
    let mut expected = base.clone();
    (expected.config.population, expected.config.begins, expected.config.torque_share) = (64, Begins::Rest, None);
    if let Some(polish) = &mut expected.config.polish {
        polish.iterations = 7;
    }
    expected.assist.prices = vec![5.0, 0.5];
    assert_eq!(found, expected);
    assert_eq!(parse("", "my.toml", &base).expect("settings"), base);
}

#[test]
fn a_section_that_the_preset_leaves_out_starts_from_the_default() {
    let paper = TransferSettings::of(Preset::Paper);
    let found = parse("[polish]\niterations = 7\nsliding = 1\n", "my.toml", &paper).expect("settings");
    let standard = Preset::Default.config().polish.expect("a polish");
    assert_eq!(found.config.polish, Some(sinew_transfer::config::Polish { iterations: 7, sliding: 1.0, ..standard }));
    let without = parse("polish = \"none\"", "my.toml", &TransferSettings::of(Preset::Default)).expect("settings");
    assert_eq!(without.config.polish, None);
}

/// The sentence with which a text is refused.
fn told(text: &str) -> String {
    parse(text, "my.toml", &TransferSettings::of(Preset::Default)).expect_err("refused").to_string()
}

#[test]
fn unknown_fields_are_refused_with_file_line_and_names() {
    let sentence = told("population = 64\n\npopulatoin = 5\n");
    assert!(sentence.starts_with("my.toml, line 3: there is no setting populatoin; choose one of "), "{sentence}");
    assert!(sentence.contains("population") && sentence.contains("polish"), "{sentence}");
    let sentence = told("[polish]\nrounds = 5\n");
    assert!(sentence.starts_with("my.toml, line 2: there is no setting polish.rounds; choose one of "), "{sentence}");
    assert!(sentence.contains("iterations") && !sentence.contains("population"), "{sentence}");
    // Also in a section that the preset leaves out.
    let paper = parse("[polish]\nrounds = 5\n", "p.toml", &TransferSettings::of(Preset::Paper));
    assert!(matches!(paper, Err(ConfigFileError::UnknownField { field, .. }) if field == "polish.rounds"));
}

#[test]
fn wrong_types_are_refused_with_the_field_and_what_it_must_be() {
    let cases = [
        ("population = \"many\"", "my.toml, line 1: population is \"many\", but must be a whole number, 0 or more"),
        ("population = -1", "my.toml, line 1: population is -1, but must be a whole number, 0 or more"),
        ("population = 1.5", "my.toml, line 1: population is 1.5, but must be a whole number, 0 or more"),
        ("\nsigma = true", "my.toml, line 2: sigma is true, but must be a number"),
        ("sigma = \"none\"", "my.toml, line 1: sigma is \"none\", but must be a number"),
        ("begins = \"late\"", "my.toml, line 1: begins is \"late\", but must be `rest` or `moving`"),
        ("shares_distributions = 1", "my.toml, line 1: shares_distributions is 1, but must be true or false"),
        ("[assist]\nprices = 3", "my.toml, line 2: assist.prices is 3, but must be a list"),
        ("weights = 3", "my.toml, line 1: weights is 3, but must be a section"),
        (
            "sigma = nan",
            "my.toml, line 1: sigma is a date or not finite, but must be a finite number, text, true or false",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(told(text), expected);
    }
}

#[test]
fn ranges_are_checked_and_blamed_on_their_line() {
    assert_eq!(told("starts = 2\npopulation = 2\n"), "my.toml, line 2: population is 2, but must be at least 4");
    assert_eq!(told("[assist]\nrounds = 0\n"), "my.toml, line 2: rounds is 0, but must be from 1 to 1000");
    // Two wrong values: no single line is to blame.
    assert_eq!(told("population = 2\nstarts = 0\n"), "my.toml: starts is 0, but must be from 1 to 100000");
    let error = parse("population = 2", "my.toml", &TransferSettings::of(Preset::Default)).expect_err("refused");
    let ConfigFileError::Range { problem, .. } = error else { panic!("{error}") };
    assert!(matches!(*problem, crate::Error::Transfer(TransferError::Config { field: "population", .. })));
}

#[test]
fn text_that_is_no_toml_is_refused_with_its_line() {
    let sentence = told("population = 64\nstarts = = 4\n");
    assert!(sentence.starts_with("my.toml, line 2: this is no TOML: "), "{sentence}");
    assert!(!sentence.contains('\n'), "{sentence}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = load(Path::new("no/such.toml"), &FeedbackPreset::Default.config()).expect_err("refused");
    assert!(matches!(&error, crate::Error::File(FileError::Read { .. })), "{error}");
    assert!(error.to_string().contains("no/such.toml"), "{error}");
}
