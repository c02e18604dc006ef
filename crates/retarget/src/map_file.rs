//! A map of joints as TOML, for people to read and mend.

use crate::error::MapError;
use crate::joint_map::{Chain, JointMap, Posture, Role};
use crate::sections::{LimbKind, Section};
use serde::Deserialize;
use sinew_motion::Skeleton;
use sinew_motion::names::Side;
use std::fmt::{self, Write};
use toml::Spanned;

const HEAD: &str = "\
# Which joints of a clip's skeleton move which joints of a character.
# A list runs from the body outwards. Lists of different lengths share the turn along their length.
# A chain that is left out, or has an empty list, keeps the character's joints as they are in its bind pose.
# Roles: pelvis, spine, neck (the head last), tail; and for left_ and right_ leg, arm, hind_leg and fore_leg:
# .girdle .upper .lower .foot .toes (of arms: .hand .fingers).
";

const LIMBS: [(LimbKind, &str); 4] =
    [(LimbKind::HindLeg, "hind_leg"), (LimbKind::ForeLeg, "fore_leg"), (LimbKind::Leg, "leg"), (LimbKind::Arm, "arm")];

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, side, section) = match *self {
            Role::Pelvis => return f.write_str("pelvis"),
            Role::Spine => return f.write_str("spine"),
            Role::Neck => return f.write_str("neck"),
            Role::Tail => return f.write_str("tail"),
            Role::Limb(kind, side, section) => (kind, side, section),
        };
        let side = if side == Side::Left { "left" } else { "right" };
        let limb = LIMBS.iter().find(|(known, _)| *known == kind).map_or("", |(_, name)| name);
        let part = match (section, kind.is_leg()) {
            (Section::Girdle, _) => "girdle",
            (Section::Upper, _) => "upper",
            (Section::Lower, _) => "lower",
            (Section::End, true) => "foot",
            (Section::End, false) => "hand",
            (Section::Digits, true) => "toes",
            (Section::Digits, false) => "fingers",
        };
        write!(f, "{side}_{limb}.{part}")
    }
}

impl Role {
    /// The role of a name such as `left_leg.upper`.
    pub fn parse(name: &str) -> Option<Role> {
        let sides = [Side::Left, Side::Right];
        let limbs = LIMBS.iter().flat_map(|(kind, _)| {
            sides.iter().flat_map(|&side| Section::ALL.map(|section| Role::Limb(*kind, side, section)))
        });
        let trunk = [Role::Pelvis, Role::Spine, Role::Neck, Role::Tail];
        trunk.into_iter().chain(limbs).find(|role| role.to_string() == name)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    posture: Option<Spanned<String>>,
    #[serde(default)]
    chain: Vec<FileChain>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileChain {
    role: Spanned<String>,
    source: Vec<Spanned<String>>,
    target: Vec<Spanned<String>>,
}

impl JointMap {
    /// The map as TOML with comments.
    pub fn to_toml(&self) -> String {
        let mut text = String::from(HEAD);
        let posture = match self.posture {
            Posture::Same => "same",
            Posture::Own => "own",
        };
        let explained = "# same: limbs point where the clip's do; own: the character keeps its own stance";
        let _ = write!(text, "\nposture = \"{posture}\" {explained}\n");
        let list = |names: &[String]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
        for chain in &self.chains {
            let (role, source, target) = (chain.role, list(&chain.source), list(&chain.target));
            let _ = write!(text, "\n[[chain]]\nrole = \"{role}\"\nsource = [{source}]\ntarget = [{target}]\n");
        }
        text
    }

    /// Reads a map for two skeletons.
    ///
    /// # Errors
    /// Where it is no map, or names roles or joints that are not there.
    pub fn from_toml(text: &str, source: &Skeleton, target: &Skeleton) -> Result<JointMap, MapError> {
        let line_at =
            |offset: usize| 1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|b| **b == b'\n').count();
        let file: File = toml::from_str(text).map_err(|error| MapError::Syntax {
            line: line_at(error.span().map_or(0, |span| span.start)),
            problem: error.message().lines().next().unwrap_or_default().into(),
        })?;
        let posture = match file.posture.as_ref().map(|p| (p.span().start, p.get_ref().as_str())) {
            None | Some((_, "same")) => Posture::Same,
            Some((_, "own")) => Posture::Own,
            Some((at, other)) => {
                let problem = format!("the posture `{other}` is neither `same` nor `own`");
                return Err(MapError::Syntax { line: line_at(at), problem });
            }
        };
        let mut chains: Vec<Chain> = Vec::new();
        let mut moved: Vec<String> = Vec::new();
        for chain in file.chain {
            let (line, name) = (line_at(chain.role.span().start), chain.role.into_inner());
            let role = Role::parse(&name).ok_or(MapError::Role { line, role: name.clone() })?;
            if chains.iter().any(|known| known.role == role) {
                return Err(MapError::Twice { line, role: name });
            }
            let known = |names: Vec<Spanned<String>>, skeleton: &Skeleton, whose: &'static str| {
                let check = |name: Spanned<String>| {
                    let line = line_at(name.span().start);
                    let joint = name.into_inner();
                    if skeleton.find(&joint).is_some() {
                        return Ok((line, joint));
                    }
                    let nearest = nearest(skeleton, &joint);
                    Err(MapError::Joint { line, whose, joint, nearest })
                };
                names.into_iter().map(check).collect::<Result<Vec<_>, _>>()
            };
            let ours = known(chain.source, source, "the clip's skeleton")?;
            let theirs = known(chain.target, target, "the character")?;
            for (line, joint) in &theirs {
                if moved.contains(joint) {
                    return Err(MapError::MovedTwice { line: *line, joint: joint.clone() });
                }
                moved.push(joint.clone());
            }
            let names = |list: Vec<(usize, String)>| list.into_iter().map(|(_, name)| name).collect();
            chains.push(Chain { role, source: names(ours), target: names(theirs) });
        }
        let pelvis = chains.iter().find(|chain| chain.role == Role::Pelvis);
        if !pelvis.is_some_and(|chain| chain.source.len() == 1 && chain.target.len() == 1) {
            return Err(MapError::NoPelvis);
        }
        Ok(JointMap { posture, chains })
    }
}

/// A basic string of TOML.
fn quoted(name: &str) -> String {
    toml::Value::String(name.into()).to_string()
}

/// The joint whose name has most letters in common at its start and end, where that is at least half of what was typed.
fn nearest(skeleton: &Skeleton, name: &str) -> Option<String> {
    let letters: Vec<char> = name.to_lowercase().chars().collect();
    let alike = |other: &str| {
        let other: Vec<char> = other.to_lowercase().chars().collect();
        let start = letters.iter().zip(&other).take_while(|(a, b)| a == b).count();
        let end = letters.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
        (start + end).min(letters.len()).min(other.len())
    };
    let best = skeleton.joints.iter().map(|j| (alike(&j.name), &j.name)).max_by_key(|(count, _)| *count)?;
    (2 * best.0 >= letters.len()).then(|| best.1.clone())
}
