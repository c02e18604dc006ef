//! What each joint is for: trunk, limb, foot, hand, head, tail, or too small for a body of its own.

use super::stance::Stance;
use crate::sides::{Mirror, counterpart, is_left};
use glam::DVec3;
use sinew_motion::Skeleton;
use sinew_motion::skeleton::Placed;

/// What a joint is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Carries limbs.
    Trunk,
    /// Between trunk and head.
    Neck,
    /// Head.
    Head,
    /// A chain in the middle that carries nothing.
    Tail,
    /// Arm, leg, wing.
    Limb,
    /// End of an arm.
    Hand,
    /// Touches the ground: foot, paw, toe.
    Sole,
    /// Finger, face bone, twist helper: part of its parent.
    Small,
}

/// Roles, sides and the plane between them.
#[derive(Clone, Debug)]
pub(crate) struct Anatomy {
    /// For each joint.
    pub roles: Vec<Role>,
    /// The same joint on the other side.
    pub pairs: Vec<Option<usize>>,
    /// Whether a joint with a pair is the left one.
    pub is_left: Vec<bool>,
    /// The plane between left and right in the bind pose.
    pub mirror: Option<Mirror>,
    /// The joint that becomes the root body.
    pub root: usize,
}

const SMALL: [&str; 27] = [
    "thumb",
    "index",
    "pinky",
    "finger",
    "pinkie",
    "metacarpal",
    "eye",
    "brow",
    "lip",
    "tongue",
    "cheek",
    "nose",
    "mouth",
    "teeth",
    "lid",
    "twist",
    "helper",
    "hair",
    "eyelid",
    "eyebrow",
    "mustache",
    "beard",
    "weapon",
    "prop",
    "pole",
    "ring",
    "middle",
];
const SOLES: [&str; 9] = ["foot", "feet", "ankle", "paw", "hoof", "toe", "toes", "toebase", "ball"];
const HANDS: [&str; 3] = ["hand", "wrist", "palm"];
const TRUNKS: [&str; 9] = ["hips", "pelvis", "spine", "chest", "torso", "abdomen", "waist", "thorax", "body"];
const ROOTS: [&str; 9] = ["root", "reference", "armature", "trajectory", "motion", "origin", "world", "base", "ground"];

impl Anatomy {
    /// Reads names first, geometry where they say nothing.
    pub fn of(skeleton: &Skeleton, bind: &[Placed], stance: &Stance) -> Anatomy {
        let count = skeleton.joints.len();
        let names: Vec<&str> = skeleton.joints.iter().map(|j| j.name.as_str()).collect();
        let (pairs, lefts) = pairs(skeleton, &names, bind, stance.height);
        let sides: Vec<(DVec3, DVec3)> = (0..count)
            .filter(|&j| lefts[j])
            .filter_map(|j| pairs[j].map(|other| (bind[j].position, bind[other].position)))
            .collect();
        let mirror = Mirror::between(&sides);

        let reach = reaches(skeleton, bind);
        let large = |j: usize| reach[j] > 0.1 * stance.height;
        // Joints that lead to a fork of limbs.
        let mut carries_fork = vec![false; count];
        for j in (0..count).rev() {
            let forks =
                skeleton.children(j).filter(|&c| large(c) || bone(bind, j, c) + reach[c] > 0.12 * stance.height);
            let is_fork = forks.count() >= 2;
            carries_fork[j] |= is_fork && pairs[j].is_none();
            if let (true, Some(parent)) = (carries_fork[j], skeleton.joints[j].parent) {
                carries_fork[parent] = true;
            }
        }
        // Where feet come in pairs, what lies on the ground between them is a tail.
        let has_feet = (0..count).any(|j| pairs[j].is_some_and(|k| stance.is_low[j] && stance.is_low[k]));
        let is_low_tail = |j: usize, words: &[String], parent: Option<Role>| {
            has_feet && pairs[j].is_none() && (says(words, &["tail"]) || parent == Some(Role::Tail))
        };
        // A chain that lies on the ground for most of its length has a belly, no feet.
        let low = stance.is_low.iter().filter(|l| **l).count();
        let lies = !carries_fork.contains(&true) && 2 * low > count && low >= LEAST_BELLY;
        let is_much = carries_much(skeleton, &reach, stance.height);
        let mut roles = vec![Role::Limb; count];
        for j in 0..count {
            let words = words(names[j]);
            let parent_role = skeleton.joints[j].parent.map(|p| roles[p]);
            roles[j] = if parent_role == Some(Role::Small) || says(&words, &SMALL) && j > 0 && !is_much[j] {
                Role::Small
            } else if !lies
                && (stance.is_low[j] || says(&words, &SOLES) && stance.is_lowish[j])
                && !is_low_tail(j, &words, parent_role)
            {
                Role::Sole
            } else if pairs[j].is_some() {
                let is_end = !skeleton.children(j).any(|c| !says(&self::words(names[c]), &SMALL) && large(c));
                if says(&words, &HANDS) && is_end { Role::Hand } else { Role::Limb }
            } else if says(&words, &["head", "skull"]) || parent_role == Some(Role::Head) {
                Role::Head
            } else if says(&words, &["neck"]) {
                Role::Neck
            } else if says(&words, &["tail"]) || parent_role == Some(Role::Tail) {
                Role::Tail
            } else if carries_fork[j] || says(&words, &TRUNKS) || j == 0 {
                Role::Trunk
            } else {
                Role::Tail
            };
        }
        lift_heels(skeleton, stance, &mut roles);
        merge_split_toes(skeleton, &mut roles);
        let root = root_joint(skeleton, &names, bind, stance);
        Anatomy { roles, pairs, is_left: lefts, mirror, root }
    }
}

/// Fewest joints on the ground that make a belly.
const LEAST_BELLY: usize = 3;
/// Share of the skin, or of the height, beyond which a joint with all that it carries is no small part, whatever it is called.
const MUCH_SKIN: f64 = 0.3;
const MUCH_REACH: f64 = 0.6;

/// Joints that carry too much to be merged into their parents for their name.
fn carries_much(skeleton: &Skeleton, reach: &[f64], height: f64) -> Vec<bool> {
    let mut skin: Vec<f64> = skeleton.joints.iter().map(|j| j.skin.len() as f64).collect();
    let all: f64 = skin.iter().sum();
    for j in (1..skin.len()).rev() {
        if let Some(parent) = skeleton.joints[j].parent {
            skin[parent] += skin[j];
        }
    }
    skin.iter().zip(reach).map(|(skin, reach)| *skin > MUCH_SKIN * all || *reach > MUCH_REACH * height).collect()
}

fn bone(bind: &[Placed], a: usize, b: usize) -> f64 {
    bind[a].position.distance(bind[b].position)
}

/// Longest way from each joint along its bones to a tip or leaf, m.
pub(crate) fn reaches(skeleton: &Skeleton, bind: &[Placed]) -> Vec<f64> {
    let mut reach = vec![0.0f64; skeleton.joints.len()];
    for j in (0..skeleton.joints.len()).rev() {
        let tips = skeleton.joints[j].tips.iter().map(|t| t.length());
        reach[j] = tips.fold(reach[j], f64::max);
        if let Some(parent) = skeleton.joints[j].parent {
            reach[parent] = reach[parent].max(bone(bind, parent, j) + reach[j]);
        }
    }
    reach
}

/// Rise of the bone above the toes, over its length, from which it is part of the leg; without skin it must be clearer.
const STEEP: f64 = 0.6;
const STEEP_WITHOUT_SKIN: f64 = 0.8;
/// A heel whose skin comes down to this share of the height stands on the ground.
const HEEL_HEIGHT: f64 = 0.03;

/// The steep bone above the toes of an animal that walks on them is part of the leg; one with a heel on the ground is a foot.
fn lift_heels(skeleton: &Skeleton, stance: &Stance, roles: &mut [Role]) {
    for j in 0..roles.len() {
        let (at, skin) = (&stance.placed[j], &skeleton.joints[j].skin);
        let heel = skin.iter().map(|p| at.place(*p).z - stance.ground).fold(f64::INFINITY, f64::min);
        if heel < HEEL_HEIGHT * stance.height {
            continue;
        }
        let steep = if skin.is_empty() { STEEP_WITHOUT_SKIN } else { STEEP };
        let is_steep = |c: usize| (at.position - stance.placed[c].position).normalize_or_zero().z > steep;
        let is_above = |j: usize| skeleton.joints[j].parent.is_none_or(|p| roles[p] != Role::Sole);
        if roles[j] == Role::Sole && is_above(j) && skeleton.children(j).any(|c| roles[c] == Role::Sole && is_steep(c))
        {
            roles[j] = Role::Limb;
        }
    }
}

/// A foot with several toes is one body; a single toe may be its own.
fn merge_split_toes(skeleton: &Skeleton, roles: &mut [Role]) {
    for j in 0..roles.len() {
        if roles[j] == Role::Sole && skeleton.children(j).filter(|&c| roles[c] != Role::Small).count() > 1 {
            let toes: Vec<usize> = skeleton.children(j).collect();
            toes.into_iter().for_each(|toe| roles[toe] = Role::Small);
        }
        if skeleton.joints[j].parent.is_some_and(|p| roles[p] == Role::Small) {
            roles[j] = Role::Small;
        }
    }
}

/// Lower-case words of a name: `mixamorig:LeftHandThumb1` gives mixamorig, left, hand, thumb.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before_is_lower = false;
    for c in name.chars() {
        if !c.is_alphabetic() || c.is_uppercase() && before_is_lower {
            words.push(String::new());
        }
        if c.is_alphabetic() {
            words.last_mut().expect("never empty").extend(c.to_lowercase());
        }
        before_is_lower = c.is_lowercase();
    }
    words.retain(|w| !w.is_empty());
    words
}

fn says(words: &[String], list: &[&str]) -> bool {
    let is = |word: &str, wanted: &str| {
        word == wanted
            || word.strip_suffix('s') == Some(wanted)
            || word.strip_prefix(['l', 'r']) == Some(wanted)
            || wanted.len() >= 5 && word.contains(wanted)
    };
    words.iter().any(|word| list.iter().any(|wanted| is(word, wanted)))
}

/// The same joint on the other side, by name, else by place, and which is the left one.
fn pairs(skeleton: &Skeleton, names: &[&str], bind: &[Placed], height: f64) -> (Vec<Option<usize>>, Vec<bool>) {
    let count = names.len();
    let mut pairs: Vec<Option<usize>> = vec![None; count];
    for j in 0..count {
        pairs[j] = counterpart(names[j], names).and_then(|name| skeleton.find(name)).filter(|&k| k != j);
    }
    let mutual: Vec<Option<usize>> = (0..count).map(|j| pairs[j].filter(|&k| pairs[k] == Some(j))).collect();
    pairs = mutual;
    if pairs.iter().all(Option::is_none) {
        pairs = pairs_by_place(skeleton, bind, height);
        let lefts = (0..count).map(|j| pairs[j].is_some_and(|k| bind[j].position.y > bind[k].position.y)).collect();
        return (pairs, lefts);
    }
    let lefts = (0..count).map(|j| pairs[j].is_some() && is_left(names[j]) == Some(true)).collect();
    (pairs, lefts)
}

/// Joints that are each other's image in the plane `y = y(root)`, and whose parents are.
fn pairs_by_place(skeleton: &Skeleton, bind: &[Placed], height: f64) -> Vec<Option<usize>> {
    let mirror = Mirror { normal: DVec3::Y, point: bind[0].position };
    let mut pairs: Vec<Option<usize>> = vec![None; bind.len()];
    for j in 1..bind.len() {
        if pairs[j].is_some() || (bind[j].position.y - bind[0].position.y).abs() < 0.01 * height {
            continue;
        }
        let image = mirror.place(bind[j].position);
        let parent = skeleton.joints[j].parent.map(|p| pairs[p].unwrap_or(p));
        let other = (j + 1..bind.len()).find(|&k| {
            pairs[k].is_none()
                && skeleton.joints[k].parent == parent
                && bind[k].position.distance(image) < 0.02 * height
        });
        if let Some(k) = other {
            (pairs[j], pairs[k]) = (Some(k), Some(j));
        }
    }
    pairs
}

/// The first joint that is part of the figure: controls above the hips, which carry no skin, are left out.
fn root_joint(skeleton: &Skeleton, names: &[&str], bind: &[Placed], stance: &Stance) -> usize {
    let mut at = 0;
    loop {
        let children: Vec<usize> = skeleton.children(at).collect();
        let [only] = children[..] else { return at };
        let leads_to_fork = {
            let mut next = only;
            loop {
                let children: Vec<usize> = skeleton.children(next).collect();
                match children[..] {
                    [] => break false,
                    [one] => next = one,
                    _ => break true,
                }
            }
        };
        let is_control = says(&words(names[at]), &ROOTS) && !says(&words(names[at]), &TRUNKS)
            || bone(bind, at, only) > 0.25 * stance.height
            || bone(bind, at, only) < 1e-3 * stance.height;
        if !leads_to_fork || !is_control || skeleton.joints[at].skin.len() >= 8 {
            return at;
        }
        at = only;
    }
}
