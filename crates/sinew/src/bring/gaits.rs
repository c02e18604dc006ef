//! Which clips are gaits, with which a character moves about, and which are actions.

use sinew_learn::{Goal, known_actions};
use sinew_motion::Clip;
use sinew_motion::tools::repeat_cycle;

/// Words that name a gait, or standing about.
const GAITS: [&str; 22] = [
    "walk",
    "walking",
    "run",
    "running",
    "jog",
    "jogging",
    "trot",
    "trotting",
    "canter",
    "gallop",
    "galloping",
    "sprint",
    "stroll",
    "march",
    "sneak",
    "crawl",
    "strafe",
    "idle",
    "stand",
    "standing",
    "locomotion",
    "pace",
];
/// A cycle whose name says nothing is a gait where it travels faster than this, over the character's height, 1/s.
const TRAVELS: f64 = 0.3;

/// What a clip is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Moving about: it serves `MoveTo`.
    Gait,
    /// An action of its own.
    Action,
}

/// Returns what a clip is for: by its name where that says so, else a cycle that travels is a gait. `clip` is on the ground and travels.
pub fn role_of(clip: &Clip, height_m: f64) -> Role {
    let words = words(&clip.name);
    let squashed = words.concat();
    let is_action = known_actions()
        .iter()
        .filter(|action| action.goal == Goal::Achieve)
        .any(|action| squashed.contains(&action.name.to_lowercase()));
    if is_action {
        return Role::Action;
    }
    if words.iter().any(|word| GAITS.contains(&word.as_str())) {
        return Role::Gait;
    }
    let is_cycle = repeat_cycle(clip, 1).is_ok_and(|repeated| repeated.is_cycle);
    let travel_m = match (clip.root_positions.first(), clip.root_positions.last()) {
        (Some(first), Some(last)) => (*last - *first).truncate().length(),
        _ => 0.0,
    };
    let travels = travel_m > TRAVELS * height_m * clip.duration_secs();
    if is_cycle && travels { Role::Gait } else { Role::Action }
}

/// Returns the name of the action that a clip becomes: `Armature|stand_up` becomes `StandUp`.
pub fn action_name(clip: &str) -> String {
    let last = clip.rsplit(['|', ':', '/']).next().unwrap_or(clip);
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    };
    let name: String = last.split(|c: char| !c.is_alphanumeric()).map(capital).collect();
    if name.is_empty() { "Action".into() } else { name }
}

/// Small words of a name: at signs and where a capital follows a small letter.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let begins = letter.is_uppercase() && before.is_lowercase() || letter.is_numeric() != before.is_numeric();
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.extend(letter.to_lowercase()));
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use glam::{DQuat, DVec3};

    fn moving(name: &str, speed: f64) -> Clip {
        let frames = 31;
        Clip {
            name: name.into(),
            rate_hz: 30.0,
            root_positions: (0..frames).map(|f| DVec3::new(speed * f as f64 / 30.0, 0.0, 1.0)).collect(),
            rotations: vec![DQuat::IDENTITY; frames],
        }
    }

    #[test]
    fn names_say_what_a_clip_is_for_and_cycles_that_travel_are_gaits() {
        let role = |name: &str, speed: f64| role_of(&moving(name, speed), 1.7);
        for gait in ["walk", "Armature|Run_Fast", "WalkForward", "idle01", "horse|trot"] {
            assert_eq!(role(gait, 0.0), Role::Gait, "{gait}");
        }
        for action in ["jump", "Run_Jump", "stand_up", "boxing", "punch", "Crunch"] {
            assert_eq!(role(action, 0.0), Role::Action, "{action}");
        }
        assert_eq!((role("take 1", 1.2), role("take 1", 0.1)), (Role::Gait, Role::Action));
    }

    #[test]
    fn actions_are_named_after_their_clips() {
        let names = ["jump", "Armature|stand_up", "Punch Left-02", "||"].map(action_name);
        assert_eq!(names, ["Jump", "StandUp", "PunchLeft02", "Action"]);
    }

    #[test]
    fn every_embedded_character_has_a_gait() {
        for name in sinew_assets::NAMES {
            let source = Source::open(name.as_ref(), &[], &Default::default()).expect("a source");
            let height = source.rig.skeleton.height();
            let gaits = source.rig.clips.iter().filter(|clip| role_of(clip, height) == Role::Gait);
            assert!(gaits.count() >= 1, "{name}");
        }
    }
}
