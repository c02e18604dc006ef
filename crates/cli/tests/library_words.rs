//! Libraries speak of clips, cycles and presets; only this crate knows flags.

use std::path::{Path, PathBuf};

/// Crates whose errors and sentences reach programs without a command line, too.
const LIBRARIES: [&str; 10] =
    ["settings", "motion", "sim", "modeler", "optim", "transfer", "pareto", "report", "sinew", "studio"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => sources(&path, found),
            false if path.extension().is_some_and(|ending| ending == "rs") => found.push(path),
            false => {}
        }
    }
}

/// The texts between quotes in a Rust source, without comments; quotes in characters (`'"'`) are passed over.
fn literals(source: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), source);
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let (before, here) = rest.split_at(at);
        rest = if here.starts_with("//") {
            here.find('\n').map_or("", |end| &here[end..])
        } else if here.starts_with("'\"'") || here.starts_with("'\\\"'") {
            &here[3..]
        } else if let Some(text) = here.strip_prefix('"') {
            let hashes = before.len() - before.trim_end_matches('#').len();
            let is_raw = before.trim_end_matches('#').ends_with('r');
            let end = match is_raw {
                true => text.find(&format!("\"{}", "#".repeat(hashes))),
                false => (0..text.len()).find(|&end| {
                    let escapes = text.as_bytes()[..end].iter().rev().take_while(|b| **b == b'\\').count();
                    text.as_bytes()[end] == b'"' && escapes % 2 == 0
                }),
            };
            let end = end.expect("a text ends");
            found.push(text[..end].to_owned());
            &text[end + 1..]
        } else {
            &here[1..]
        };
    }
    found
}

/// Whether a text names a flag: two dashes before a letter, at its beginning or after a space or bracket, but no variable of a style sheet.
fn names_a_flag(text: &str) -> bool {
    text.match_indices("--").any(|(at, _)| {
        let before = &text[..at];
        let begins = before.is_empty() || (before.ends_with([' ', '(', '`']) && !before.ends_with("var("));
        begins && text[at + 2..].starts_with(|c: char| c.is_ascii_lowercase())
    })
}

#[test]
fn no_library_names_a_flag() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crates");
    let mut files = Vec::new();
    LIBRARIES.iter().for_each(|name| sources(&crates.join(name).join("src"), &mut files));
    assert!(files.len() > 200, "only {} files were found", files.len());
    let mut found = Vec::new();
    for file in files {
        // A page about a folder of results shows the command lines that work in it.
        let is_page = file.file_name().is_some_and(|name| name == "page.rs");
        let source = std::fs::read_to_string(&file).expect("a source");
        let texts = literals(&source).into_iter().filter(|text| names_a_flag(text));
        found.extend(texts.filter(|text| !(is_page && text.starts_with("sinew "))).map(|text| (file.clone(), text)));
    }
    assert!(found.is_empty(), "the command line adds flags in hints.rs; these name them: {found:#?}");
}

#[test]
fn flags_are_seen_in_texts_and_nowhere_else() {
    let source = r##"
        // "--comment"
        let quote = '"'; /// "--doc"
        bail!("give it with --clip"); let raw = r#"a "--raw" text"#; "an \" escape --here"; "a -- dash"; "--first"; "color:var(--ink)"; "(--clip)"
    "##;
    let flagged: Vec<String> = literals(source).into_iter().filter(|text| names_a_flag(text)).collect();
    assert_eq!(flagged, ["give it with --clip", "an \\\" escape --here", "--first", "(--clip)"]);
}
