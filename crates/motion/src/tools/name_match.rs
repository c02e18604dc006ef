//! Clip names as people type them: `jump` finds `Armature|TRex_Jump`.

use crate::Clip;
use thiserror::Error;

/// Most names that an error lists.
const MAX_LISTED: usize = 30;

/// Why a name does not lead to one clip.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ClipNameError {
    /// Several clips fit equally well.
    #[error("`{query}` fits several clips: {}; give more of the name", listed(.fitting))]
    Several {
        /// What was asked for.
        query: String,
        /// Names of the clips that fit.
        fitting: Vec<String>,
    },
    /// No clip fits.
    #[error("no clip is called `{query}`{}; there are: {}", suggestion(.closest), listed(.all))]
    Unknown {
        /// What was asked for.
        query: String,
        /// The clip whose name is spelt most alike, where one is near.
        closest: Option<String>,
        /// Names of all clips.
        all: Vec<String>,
    },
    /// There are no clips at all.
    #[error("there is no clip called `{query}`, because there are no clips; choose a file with animations")]
    NoClips {
        /// What was asked for.
        query: String,
    },
}

fn listed(names: &[String]) -> String {
    let mut list = names.iter().take(MAX_LISTED).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    if names.len() > MAX_LISTED {
        list += &format!(" and {} more", names.len() - MAX_LISTED);
    }
    list
}

fn suggestion(closest: &Option<String>) -> String {
    closest.as_ref().map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}

/// The clip that a name means; letter case never matters, except between names that differ in nothing else.
///
/// The first of these rules that any clip fits decides; if several clips fit it, that is an error that lists them:
/// the whole name; the last part after `|`, `:` or `/`; the last words (`jump` for `TRex_Jump`, `jump land` for `Hero|Jump_Land`), where words
/// end at `|`, `_`, `-`, `.`, space, at a capital and before digits; all of the query's words in any order; any part of the name, separators left
/// out.
pub fn find_clip<'a>(clips: &'a [Clip], query: &str) -> Result<&'a Clip, ClipNameError> {
    if clips.is_empty() {
        return Err(ClipNameError::NoClips { query: query.into() });
    }
    let wanted = query.trim().to_lowercase();
    let wanted_words = words(query);
    let squashed = squash(query);
    let last_part = |clip: &Clip| clip.name.rsplit(['|', ':', '/']).next().unwrap_or("").trim().to_lowercase();
    let rules: [&dyn Fn(&Clip) -> bool; 6] = [
        &|clip| clip.name == query,
        &|clip| clip.name.trim().to_lowercase() == wanted,
        &|clip| !squashed.is_empty() && squash(&last_part(clip)) == squashed,
        &|clip| !wanted_words.is_empty() && words(&clip.name).ends_with(&wanted_words),
        &|clip| {
            let all = words(&clip.name);
            !wanted_words.is_empty() && wanted_words.iter().all(|w| all.contains(w))
        },
        &|clip| !squashed.is_empty() && squash(&clip.name).contains(&squashed),
    ];
    for fits in rules {
        let fitting: Vec<&Clip> = clips.iter().filter(|clip| fits(clip)).collect();
        match fitting[..] {
            [] => {}
            [clip] => return Ok(clip),
            _ => {
                let fitting = fitting.iter().map(|clip| clip.name.clone()).collect();
                return Err(ClipNameError::Several { query: query.into(), fitting });
            }
        }
    }

    // The nearest spelling of a whole name, its last part or its last word, if at most a third of the query is wrong.
    let distance = |clip: &Clip| {
        let last_word = words(&clip.name).pop().unwrap_or_default();
        let spellings = [clip.name.to_lowercase(), last_part(clip), last_word];
        spellings.iter().map(|s| edit_distance(&wanted, s)).min().unwrap_or(usize::MAX)
    };
    let nearest = clips.iter().map(|clip| (distance(clip), clip)).min_by_key(|(distance, _)| *distance);
    let closest =
        nearest.filter(|(distance, _)| 3 * distance <= wanted.chars().count().max(3)).map(|(_, c)| c.name.clone());
    let all = clips.iter().map(|clip| clip.name.clone()).collect();
    Err(ClipNameError::Unknown { query: query.into(), closest, all })
}

/// A name without its separators, in lower case.
fn squash(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The words of a name in lower case: split at anything that is no letter or digit, at capitals, and between letters and digits.
pub(super) fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (index, &letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            words.extend(Some(std::mem::take(&mut word)).filter(|w| !w.is_empty()));
            continue;
        }
        let before = index.checked_sub(1).map(|i| letters[i]);
        let after = letters.get(index + 1);
        let begins = before.is_some_and(|before| {
            let camel = letter.is_uppercase() && before.is_lowercase();
            let after_capitals =
                letter.is_uppercase() && before.is_uppercase() && after.is_some_and(|a| a.is_lowercase());
            camel || after_capitals || letter.is_numeric() != before.is_numeric()
        });
        if begins {
            words.extend(Some(std::mem::take(&mut word)).filter(|w| !w.is_empty()));
        }
        word.extend(letter.to_lowercase());
    }
    words.extend(Some(word).filter(|w| !w.is_empty()));
    words
}

/// Fewest insertions, deletions and replacements that make one text of the other (Levenshtein 1966). Only the first 64 letters count.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter_a) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, letter_b) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter_a != letter_b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3};

    fn clips(names: &[&str]) -> Vec<Clip> {
        let clip = |name: &&str| Clip {
            name: name.to_string(),
            rate_hz: 30.0,
            root_positions: vec![DVec3::ZERO],
            rotations: vec![DQuat::IDENTITY],
        };
        names.iter().map(clip).collect()
    }

    #[test]
    fn people_find_their_clips() {
        let trex = ["Armature|TRex_Attack", "Armature|TRex_Jump", "Armature|TRex_Run", "Armature|TRex_Walk"];
        let dino = ["Jump", "Jump_Idle", "Jump_Land", "Walk", "RunFast2"];
        let kay = ["Rig_Medium|Walking_A", "Rig_Medium|Walking_B", "Rig_Medium|T-Pose", "Rig_Medium|Idle_A"];
        for (names, query, expected) in [
            (&trex[..], "jump", "Armature|TRex_Jump"),
            (&trex, "TRex_Run", "Armature|TRex_Run"),
            (&trex, "trex walk", "Armature|TRex_Walk"),
            (&dino, "jump", "Jump"),
            (&dino, "land", "Jump_Land"),
            (&dino, "jump idle", "Jump_Idle"),
            (&dino, "fast", "RunFast2"),
            (&kay, "walking_a", "Rig_Medium|Walking_A"),
            (&kay, "tpose", "Rig_Medium|T-Pose"),
            (&kay, "idle", "Rig_Medium|Idle_A"),
            (&["walk", "Walk"], "Walk", "Walk"),
        ] {
            let all = clips(names);
            let found = find_clip(&all, query).map(|c| c.name.as_str());
            assert_eq!(found, Ok(expected), "{query}");
        }
    }

    #[test]
    fn several_and_none_say_what_there_is() {
        let all = clips(&["Rig|Walking_A", "Rig|Walking_B", "Rig|Run"]);
        let several = find_clip(&all, "walk").unwrap_err().to_string();
        assert_eq!(several, "`walk` fits several clips: `Rig|Walking_A`, `Rig|Walking_B`; give more of the name");
        let unknown = find_clip(&all, "runn").unwrap_err().to_string();
        assert!(
            unknown.starts_with("no clip is called `runn` (did you mean `Rig|Run`?); there are: `Rig|Walking_A`"),
            "{unknown}"
        );
        let far = find_clip(&all, "somersault").unwrap_err().to_string();
        assert!(!far.contains("did you mean"), "{far}");
        let empty = find_clip(&all, "").unwrap_err();
        assert!(matches!(empty, ClipNameError::Unknown { .. }));
        assert!(matches!(find_clip(&[], "x"), Err(ClipNameError::NoClips { .. })));
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..200).map(|i| format!("clip{i}")).collect();
        let all = clips(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let message = find_clip(&all, "dance").unwrap_err().to_string();
        assert!(message.ends_with("and 170 more"), "{message}");
    }

    #[test]
    fn names_fall_into_words() {
        for (name, expected) in [
            ("Armature|TRex_Jump", "armature t rex jump"),
            ("RunFast2", "run fast 2"),
            ("LHipJoint", "l hip joint"),
            ("mixamorig:LeftArm", "mixamorig left arm"),
            ("thigh.L.001", "thigh l 001"),
            ("b_LeftLeg01_015", "b left leg 01 015"),
            ("FKLeg", "fk leg"),
        ] {
            assert_eq!(words(name).join(" "), expected);
        }
    }
}
