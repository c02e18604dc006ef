//! What joint names say: words, sides, body parts, helpers.

/// Side of the body that a name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The character's left.
    Left,
    /// The character's right.
    Right,
}

/// Words of a joint name in lower case: split at anything that is no letter, and where small letters turn into capitals
/// (`IKBackLeg.L` → `ik back leg l`, `mixamorig:LeftHand` → `mixamorig left hand`).
pub fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (i, &c) in letters.iter().enumerate() {
        let after_small = i > 0 && letters[i - 1].is_lowercase();
        let before_small = letters.get(i + 1).is_some_and(|n| n.is_lowercase());
        let after_capital = i > 0 && letters[i - 1].is_uppercase();
        if !c.is_alphabetic() || (c.is_uppercase() && (after_small || (after_capital && before_small))) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphabetic(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

/// Name without case, separators and the prefixes of exporters: what two files that mean the same joint have in common.
pub fn normalised(name: &str) -> String {
    let bare = name.rsplit([':', '|']).next().unwrap_or(name);
    bare.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The side of the body, where the name tells one.
pub fn side(words: &[String]) -> Option<Side> {
    words.iter().find_map(|w| match w.as_str() {
        "l" | "left" | "lft" => Some(Side::Left),
        "r" | "right" | "rgt" => Some(Side::Right),
        w if w.starts_with("left") => Some(Side::Left),
        w if w.starts_with("right") => Some(Side::Right),
        _ => None,
    })
}

/// Whether a word is, or ends with, one of `list` (`handslot` ends with `slot`).
fn any_ends(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|w| list.iter().any(|l| w.ends_with(l)))
}

fn any_is(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|w| list.contains(&w.as_str()))
}

/// A place to hang things from, or the thing: never a part of the body, even where a mesh hangs from it.
pub fn is_slot(words: &[String]) -> bool {
    any_ends(words, &["slot", "socket", "attachment", "holster"]) || any_is(words, &["weapon", "prop", "attach"])
}

/// A control of the animator: a part of the body only where skin follows it.
pub fn is_control(words: &[String]) -> bool {
    let exact = ["ik", "fk", "pole", "ctl", "helper", "locator", "effector", "goal", "aim", "lookat", "camera", "mch"];
    is_slot(words) || any_is(words, &exact) || any_ends(words, &["target", "ctrl", "control", "controller"])
}

/// A marker of where a bone ends.
pub fn is_end_marker(words: &[String]) -> bool {
    words.last().is_some_and(|w| ["end", "nub", "tip", "site", "endsite", "leaf"].contains(&w.as_str()))
        || any_is(words, &["nub", "end"])
}

/// Feet, and everything that a limb's end is called.
pub fn is_limb_end(words: &[String]) -> bool {
    let finger = any_is(words, &["thumb", "index", "middle", "ring", "pinky", "finger"]);
    is_foot(words)
        || (any_is(words, &["hand", "fist", "wrist", "claw"]) && !finger)
        || (any_is(words, &["ik"]) && any_is(words, &["leg", "arm"]))
}

/// Feet and toes.
pub fn is_foot(words: &[String]) -> bool {
    any_ends(words, &["foot", "feet", "toe", "toes", "ankle", "paw", "hoof"]) || any_is(words, &["toebase"])
}

/// Heads.
pub fn is_head(words: &[String]) -> bool {
    any_is(words, &["head", "skull"])
}

/// A part that matters even where no skin follows it most.
pub fn is_body_part(words: &[String]) -> bool {
    let parts = [
        "head", "neck", "spine", "chest", "torso", "hip", "hips", "pelvis", "arm", "leg", "thigh", "shin", "calf",
        "knee", "elbow", "shoulder", "clavicle", "tail", "jaw", "wing",
    ];
    is_limb_end(words) || any_is(words, &parts) || any_ends(words, &["leg", "arm"])
}

/// The middle of a body, which is no mere ground mark even where no skin follows it.
pub fn is_trunk(words: &[String]) -> bool {
    any_is(
        words,
        &["hip", "hips", "pelvis", "body", "torso", "spine", "waist", "cog", "center", "centre", "back", "chest"],
    )
}

/// The origin of a character.
pub fn is_origin(words: &[String]) -> bool {
    let origins = [
        "root",
        "rootjoint",
        "armature",
        "master",
        "reference",
        "origin",
        "world",
        "trajectory",
        "ground",
        "base",
        "main",
        "global",
        "rig",
        "bone",
        "motion",
    ];
    any_is(words, &origins)
}

/// Whether these joints are a human's: head, arms and legs, and nothing that only animals have.
pub fn is_humanoid<'a>(joints: impl Iterator<Item = &'a [String]>) -> bool {
    let (mut head, mut arm, mut leg, mut animal) = (false, false, false, false);
    for words in joints {
        head |= is_head(words) || any_is(words, &["neck"]);
        arm |= any_ends(words, &["arm"]) || any_is(words, &["hand", "elbow", "wrist"]);
        leg |= any_ends(words, &["leg"]) || any_is(words, &["thigh", "knee", "shin"]) || is_foot(words);
        animal |= any_is(words, &["tail", "front", "wing", "paw", "hoof", "hind", "fin", "trunk", "antenna"]);
    }
    head && arm && leg && !animal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_into_words() {
        assert_eq!(words("IKBackLeg.L"), ["ik", "back", "leg", "l"]);
        assert_eq!(words("mixamorig:LeftHandIndex1"), ["mixamorig", "left", "hand", "index"]);
        assert_eq!(words("Bip01 L Toe0Nub"), ["bip", "l", "toe", "nub"]);
        assert_eq!(words("control-toe-roll.l"), ["control", "toe", "roll", "l"]);
        assert_eq!(words("17"), Vec::<String>::new());
    }

    #[test]
    fn helpers_are_known_by_name() {
        for name in
            ["PoleTarget.L", "kneeIK.l", "handslot.r", "socket_hat", "control-heel-roll.l", "CTRL_hips", "IK-foot.r"]
        {
            assert!(is_control(&words(name)), "{name}");
        }
        for name in ["Foot.L", "LeftUpLeg", "Spine", "Back", "Tail5", "b_Neck_04", "LThumb"] {
            assert!(!is_control(&words(name)), "{name}");
        }
        assert!(is_end_marker(&words("HeadTop_End")) && is_end_marker(&words("Bip01 L Toe0Nub")));
        assert!(!is_end_marker(&words("Bend.L")) && !is_end_marker(&words("LeftHand")));
    }

    #[test]
    fn sides_and_kinds() {
        assert_eq!(side(&words("LeftUpLeg")), Some(Side::Left));
        assert_eq!(side(&words("foot.r")), Some(Side::Right));
        assert_eq!(side(&words("Spine1")), None);
        let human: Vec<_> = ["Hips", "Head", "LeftArm", "LeftUpLeg"].iter().map(|n| words(n)).collect();
        assert!(is_humanoid(human.iter().map(Vec::as_slice)));
        let fox: Vec<_> = ["b_Head_05", "b_LeftHand_08", "b_LeftLeg01", "b_Tail01"].iter().map(|n| words(n)).collect();
        assert!(!is_humanoid(fox.iter().map(Vec::as_slice)));
    }
}
