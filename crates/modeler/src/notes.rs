//! What was guessed when a character was made, as far as no edit has overruled it.
//!
//! The sentences of the making, the character that was made and the present one enter. A sentence about a joint that has changed since, or about
//! a body that is no more, is left out; the mass and the counts are those of now.

use sinew_sim::{Character, Joint};

/// Masses that differ by less than this share are the same.
const SAME: f64 = 1e-6;

/// The sentences that still hold.
pub(crate) fn present(notes: &[String], made: &Character, now: &Character) -> Vec<String> {
    notes.iter().filter_map(|note| told(note, made, now)).collect()
}

fn told(note: &str, made: &Character, now: &Character) -> Option<String> {
    let mass = |character: &Character| character.bodies.iter().map(|body| body.mass).sum::<f64>();
    if let Some(name) = quoted(note, "Joint ") {
        let find = |character: &Character| character.joints.iter().find(|joint| joint.name == name).cloned();
        let (before, after) = (find(made), find(now));
        return (before.is_none() || before.map(|j| turns(&j)) == after.map(|j| turns(&j))).then(|| note.to_owned());
    }
    if let Some(name) = quoted(note, "") {
        let has = |character: &Character| character.bodies.iter().any(|body| body.name == name);
        return (!has(made) || has(now)).then(|| note.to_owned());
    }
    let (guessed, weighs) = (mass(made), mass(now));
    if note.starts_with("It weighs ") && (guessed - weighs).abs() > SAME * guessed {
        return Some(format!("It weighs {weighs:.1} kg, as it was edited; the guess was {guessed:.1} kg."));
    }
    if note.ends_with(" degrees of freedom.") && made.bodies.len() != now.bodies.len() {
        return Some(format!("{} bodies; {} when it was made.", now.bodies.len(), made.bodies.len()));
    }
    Some(note.to_owned())
}

/// How a joint turns.
fn turns(joint: &Joint) -> (sinew_sim::JointKind, Option<[f64; 3]>, Option<[f64; 2]>) {
    (joint.kind, joint.axis, joint.limits)
}

/// The name that a sentence begins with, after a word.
fn quoted<'a>(note: &'a str, word: &str) -> Option<&'a str> {
    note.strip_prefix(word)?.strip_prefix('"')?.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::embedded;

    #[test]
    fn what_was_edited_is_no_longer_called_a_guess() {
        let made = embedded::dinosaur();
        let (joint, body) = (made.joints[3].name.clone(), made.bodies[2].name.clone());
        let notes = [
            format!("Joint {joint:?} does not move in any clip."),
            format!("{body:?} holds \"x\"."),
            "It weighs 50.0 kg by its volume; give a mass to overrule.".to_owned(),
            "Something else.".to_owned(),
        ];
        assert_eq!(present(&notes, &made, &made), notes);

        let mut now = made.clone();
        now.joints[3].limits = Some([-0.1, 0.1]);
        now.bodies.retain(|b| b.name != body);
        now.bodies[0].mass += 1.0;
        let told = present(&notes, &made, &now);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("as it was edited; the guess was") && told[1] == notes[3], "{told:?}");
    }
}
