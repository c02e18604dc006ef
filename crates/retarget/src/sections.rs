//! The parts of a limb: girdle, upper, lower, end, digits.

use glam::DVec3;
use sinew_motion::Skeleton;
use sinew_motion::names::{Side, words};
use sinew_motion::skeleton::Placed;
use sinew_motion::tools::Foot;

/// What a limb is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimbKind {
    /// A leg of a body on two legs.
    Leg,
    /// An arm.
    Arm,
    /// A hind leg of a body on four.
    HindLeg,
    /// A fore leg.
    ForeLeg,
}

impl LimbKind {
    /// Whether it carries the body.
    pub fn is_leg(self) -> bool {
        self != LimbKind::Arm
    }
}

/// A part of a limb, from the body outwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Collar bone, shoulder blade, stub of a hip.
    Girdle,
    /// Thigh, upper arm.
    Upper,
    /// Shin, forearm.
    Lower,
    /// Foot or hand; the raised foot of an animal that walks on its toes.
    End,
    /// Toes; the paw of an animal that walks on its toes.
    Digits,
}

impl Section {
    /// All, from the body outwards.
    pub const ALL: [Section; 5] = [Section::Girdle, Section::Upper, Section::Lower, Section::End, Section::Digits];
}

/// A limb: joints of each part, from the body outwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Limb {
    /// What it is for.
    pub kind: LimbKind,
    /// Whether it is the left one.
    pub side: Side,
    /// Joints of each [`Section`], in their order.
    pub sections: [Vec<usize>; 5],
    /// Where it touches the ground.
    pub foot: Option<Foot>,
}

impl Limb {
    /// Joints of a part.
    pub fn joints(&self, section: Section) -> &[usize] {
        &self.sections[section as usize]
    }

    /// First joint of a part.
    pub fn first(&self, section: Section) -> Option<usize> {
        self.joints(section).first().copied()
    }

    /// Whether it stands on its digits, with the foot raised.
    pub fn stands_on_digits(&self) -> bool {
        self.foot.as_ref().is_some_and(|foot| self.joints(Section::Digits).contains(&foot.joint))
    }

    /// The first joint that swings: thigh or upper arm.
    pub fn top(&self) -> Option<usize> {
        self.first(Section::Upper)
    }
}

/// A girdle's bone is shorter than this share of the limb's longest.
const GIRDLE_SHARE: f64 = 0.4;
/// Cosine of the angle to the side from which on the first bone of a leg is a girdle.
const SIDEWAYS: f64 = 0.8;
/// What reaches down at least this share of the bone above it is no foot but the lower part of the limb.
const LOWER_SHARE: f64 = 0.5;

const GIRDLES: [&str; 6] = ["clavicle", "collar", "scapula", "shoulder", "shldr", "hip"];
const UPPERS: [&str; 8] = ["upper", "up", "thigh", "arm", "humerus", "femur", "uparm", "upleg"];
const LOWERS: [&str; 12] =
    ["lower", "low", "lo", "shin", "calf", "knee", "elbow", "forearm", "fore", "radius", "tibia", "ulna"];
const HANDS: [&str; 6] = ["hand", "wrist", "fist", "palm", "claw", "paw"];

fn says(skeleton: &Skeleton, joint: usize, list: &[&str]) -> bool {
    let is = |word: &str, wanted: &str| word == wanted || wanted.len() >= 5 && word.contains(wanted);
    words(&skeleton.joints[joint].name).iter().any(|word| list.iter().any(|wanted| is(word, wanted)))
}

/// Splits a leg: `path` from below the trunk to the joint of the foot. `forward` is where the body looks.
pub(crate) fn leg_sections(
    skeleton: &Skeleton,
    bind: &[Placed],
    path: &[usize],
    foot: &Foot,
    forward: DVec3,
) -> [Vec<usize>; 5] {
    let sideways = Some(DVec3::Z.cross(forward));
    let [mut girdle, mut upper, mut lower, mut end, mut digits]: [Vec<usize>; 5] = Default::default();
    let (above, last) = (&path[..path.len() - 1], foot.joint);
    let below = only_children(skeleton, last);
    match above.len() {
        0 => upper.push(last),
        1 => {
            upper.push(above[0]);
            let bone = bind[above[0]].position.distance(bind[last].position);
            let low = foot.sole.iter().map(|p| bind[p.joint].place(p.local).z).fold(f64::INFINITY, f64::min);
            let reaches_down = bind[last].position.z - low > LOWER_SHARE * bone;
            if reaches_down {
                lower.push(last)
            } else {
                end.push(last)
            }
            digits = below;
        }
        _ => {
            let rest = without_girdle(skeleton, bind, path, 3, sideways, &mut girdle);
            let rest = &rest[..rest.len() - 1];
            let knee = knee(skeleton, bind, rest, last);
            upper.extend(&rest[..knee]);
            match rest.len() - knee {
                0 | 1 => {
                    lower.extend(&rest[knee..]);
                    end.push(last);
                    digits = below;
                }
                // The raised foot of an animal that walks on its toes.
                _ => {
                    lower.push(rest[knee]);
                    end.extend(&rest[knee + 1..]);
                    digits.push(last);
                    digits.extend(below);
                }
            }
        }
    }
    [girdle, upper, lower, end, digits]
}

/// Splits an arm: `path` from below the trunk to the last joint before fingers.
pub(crate) fn arm_sections(skeleton: &Skeleton, bind: &[Placed], path: &[usize]) -> [Vec<usize>; 5] {
    let [mut girdle, mut upper, mut lower, mut end, digits]: [Vec<usize>; 5] = Default::default();
    // From the first joint that is called a hand; without such a name the fourth joint, or the third of an arm without a girdle.
    let named = (1..path.len()).find(|&i| says(skeleton, path[i], &HANDS) && !says(skeleton, path[i], &LOWERS));
    let is_lower = |joint: usize| says(skeleton, joint, &LOWERS);
    let hand = named.unwrap_or_else(|| match path.len() {
        0..=2 => path.len(),
        3 if is_lower(path[2]) => 3,
        length => (length - 1).max(2),
    });
    end.extend(&path[hand..]);
    let core = &path[..hand];
    if core.len() <= 2 {
        upper.extend(core.first());
        lower.extend(core.get(1));
    } else {
        let with_hand = &path[..(hand + 1).min(path.len())];
        // An arm without a hand still has two parts.
        let least = if end.is_empty() { 2 } else { 3 };
        let rest = without_girdle(skeleton, bind, with_hand, least, None, &mut girdle);
        let core = &rest[..rest.len().min(core.len() - girdle.len())];
        let elbow = (1..core.len()).find(|&i| is_lower(core[i])).unwrap_or(core.len().div_ceil(2));
        upper.extend(&core[..elbow]);
        lower.extend(&core[elbow..]);
    }
    [girdle, upper, lower, end, digits]
}

/// Takes the girdle off the front of a path: a first joint that is called so before one that is called an upper part, whose bone is short, or (of a leg) points to the side.
/// At least `least` joints stay.
fn without_girdle<'a>(
    skeleton: &Skeleton,
    bind: &[Placed],
    path: &'a [usize],
    least: usize,
    sideways: Option<DVec3>,
    girdle: &mut Vec<usize>,
) -> &'a [usize] {
    let mut rest = path;
    while rest.len() > least {
        let bone = |i: usize| bind[rest[i]].position.distance(bind[rest[i + 1]].position);
        let longest = (0..rest.len() - 1).map(bone).fold(0.0, f64::max);
        let named = says(skeleton, rest[0], &GIRDLES) && says(skeleton, rest[1], &UPPERS);
        // From the middle of the body to the hip: no thigh points to the side in a stance.
        let along = (bind[rest[1]].position - bind[rest[0]].position).normalize_or_zero();
        let is_sideways = sideways.is_some_and(|side| along.dot(side).abs() > SIDEWAYS);
        if !(named || is_sideways || bone(0) < GIRDLE_SHARE * longest) {
            break;
        }
        girdle.push(rest[0]);
        rest = &rest[1..];
    }
    rest
}

/// Index of the knee among the joints of a leg above its foot: by name, else the second joint after those that only twist.
fn knee(skeleton: &Skeleton, bind: &[Placed], leg: &[usize], foot: usize) -> usize {
    let place = |i: usize| bind[leg.get(i).copied().unwrap_or(foot)].position;
    let direction = |i: usize| (place(i + 1) - place(i)).normalize_or(DVec3::NEG_Z);
    let twists = |i: usize| says(skeleton, leg[i], &["twist", "roll"]) && direction(i).dot(direction(i - 1)) > 0.98;
    (1..leg.len()).find(|&i| !twists(i)).unwrap_or(leg.len().min(1))
}

/// The joints below one, as long as each has but one child.
fn only_children(skeleton: &Skeleton, joint: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = joint;
    loop {
        let children: Vec<usize> = skeleton.children(at).collect();
        let [only] = children[..] else { return found };
        found.push(only);
        at = only;
    }
}
