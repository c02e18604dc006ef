//! What each joint of a rig is for: pelvis, spine, neck, tail, limbs.

use crate::body_frame::BodyFrame;
use crate::sections::{Limb, LimbKind, arm_sections, leg_sections};
use glam::DVec3;
use sinew_motion::names::{Side, is_head, is_slot, words};
use sinew_motion::skeleton::Placed;
use sinew_motion::tools::{Foot, feet};
use sinew_motion::{Clip, Skeleton};

/// How a body is built, as far as clips can be moved from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// On two legs.
    Biped,
    /// On four.
    Quadruped,
    /// On another number of legs; 0: a snake, a fish, a machine.
    Legs(usize),
}

impl Plan {
    /// The plan as the rest of a sentence: *stands on two legs*.
    pub fn sentence(self) -> String {
        match self {
            Plan::Biped => "stands on two legs".into(),
            Plan::Quadruped => "stands on four legs".into(),
            Plan::Legs(0) => "has no pair of legs".into(),
            Plan::Legs(1) => "stands on one leg".into(),
            Plan::Legs(count) => format!("stands on {count} legs"),
        }
    }
}

/// The parts of a rig, found by its shape, its sides and its names.
#[derive(Clone, Debug)]
pub struct Anatomy {
    /// How it is built.
    pub plan: Plan,
    /// Where the (hind) legs meet.
    pub pelvis: usize,
    /// Joints of the trunk after the pelvis, up to the one that carries arms or fore legs.
    pub spine: Vec<usize>,
    /// Joints from there to the head, the head last.
    pub neck: Vec<usize>,
    /// Joints of a tail, from the pelvis outwards.
    pub tail: Vec<usize>,
    /// Legs and arms: by kind, the left one first.
    pub limbs: Vec<Limb>,
    /// Level direction that it looks in, in the bind pose.
    pub forward: DVec3,
    /// Whether it stands on two legs with its trunk upright, as people do.
    pub upright: bool,
    pub(crate) frame: BodyFrame,
    pub(crate) bind: Vec<Placed>,
}

/// A trunk is upright where its direction rises at least so much for its length.
const UPRIGHT: f64 = 0.7;
/// An arm is at least this long, in heights.
const LEAST_ARM: f64 = 0.06;
const ARMS: [&str; 8] = ["arm", "hand", "shoulder", "clavicle", "elbow", "wrist", "fist", "collar"];
const NO_ARMS: [&str; 18] = [
    "ear", "eye", "brow", "wing", "horn", "antenna", "hair", "pole", "breast", "cheek", "lid", "jaw", "mouth",
    "weapon", "skirt", "cape", "fin", "leaf",
];
const NO_HEADS: [&str; 7] = ["tail", "weapon", "gun", "sword", "cape", "hat", "antenna"];

impl Anatomy {
    /// Finds the parts; `clips` help to find the feet where the bind pose does not stand.
    pub fn of(skeleton: &Skeleton, clips: &[Clip]) -> Anatomy {
        let bind = skeleton.bind_pose();
        let feet = feet(skeleton, clips);
        let frame = BodyFrame::of(skeleton, &bind, &feet);
        let tree = Tree::new(skeleton);

        let mut pairs = foot_pairs(&feet, &frame);
        let plan = match (pairs.len(), feet.len()) {
            (1, 0..=3) => Plan::Biped,
            (2, 0..=5) => Plan::Quadruped,
            (0, _) => Plan::Legs(if feet.len() == 1 { 1 } else { 0 }),
            _ => Plan::Legs(feet.len()),
        };
        // Hind legs first.
        let ahead = |(left, right): &(Foot, Foot)| {
            let top = |foot: &Foot| {
                let path = tree.path(tree.common(left.joint, right.joint), foot.joint);
                bind[path.first().copied().unwrap_or(foot.joint)].position
            };
            (top(left) + top(right)).dot(frame.forward)
        };
        pairs.sort_by(|a, b| ahead(a).total_cmp(&ahead(b)));
        let pelvis = pairs.first().map_or(0, |(left, right)| tree.common(left.joint, right.joint));

        let mut limbs = Vec::new();
        for (index, (left, right)) in pairs.iter().enumerate() {
            let kind = match (plan, index) {
                (Plan::Quadruped, 0) => LimbKind::HindLeg,
                (Plan::Quadruped, _) => LimbKind::ForeLeg,
                _ => LimbKind::Leg,
            };
            let top = tree.common(left.joint, right.joint);
            for (side, foot) in [(Side::Left, left), (Side::Right, right)] {
                let sections = leg_sections(skeleton, &bind, &tree.path(top, foot.joint), foot, frame.forward);
                limbs.push(Limb { kind, side, sections, foot: Some(foot.clone()) });
            }
        }
        let height = skeleton.height();
        if plan == Plan::Biped {
            limbs.extend(arms(skeleton, &bind, &frame, &tree, &limbs, height));
        }
        let on_limb: Vec<bool> = (0..bind.len()).map(|j| limbs.iter().any(|l| belongs(&tree, l, j))).collect();
        let named_head = named_head(skeleton, &frame, &on_limb);
        let is_trunk = |j: usize| named_head.is_some_and(|head| tree.is_below(head, j));
        let may_be_tail: Vec<bool> = (0..bind.len()).map(|j| !on_limb[j] && !is_trunk(j)).collect();
        let tail = tail(skeleton, &bind, &frame, &tree, pelvis, &may_be_tail, height);
        let head = named_head.or_else(|| unnamed_head(skeleton, &bind, &frame, &on_limb, &tail, plan));
        let (spine, neck) = trunk(skeleton, &tree, pelvis, head, &limbs);

        let top = head.map_or(pelvis, |h| spine.last().copied().filter(|s| *s != pelvis).unwrap_or(h));
        let rise = (bind[top].position - bind[pelvis].position).normalize_or(DVec3::Z).z;
        let upright = plan == Plan::Biped && rise > UPRIGHT;
        let forward = frame.forward;
        Anatomy { plan, pelvis, spine, neck, tail, limbs, forward, upright, frame, bind }
    }

    /// The limb of a kind and side.
    pub fn limb(&self, kind: LimbKind, side: Side) -> Option<&Limb> {
        self.limbs.iter().find(|limb| limb.kind == kind && limb.side == side)
    }
}

/// Paths in the tree of joints.
struct Tree<'a>(&'a Skeleton);

impl<'a> Tree<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        Tree(skeleton)
    }

    fn parent(&self, joint: usize) -> Option<usize> {
        self.0.joints[joint].parent
    }

    /// Whether `joint` is `ancestor` or hangs below it.
    fn is_below(&self, joint: usize, ancestor: usize) -> bool {
        std::iter::successors(Some(joint), |&j| self.parent(j)).any(|j| j == ancestor)
    }

    /// The last joint that both hang from.
    fn common(&self, a: usize, b: usize) -> usize {
        std::iter::successors(self.parent(a), |&j| self.parent(j)).find(|&j| self.is_below(b, j)).unwrap_or(0)
    }

    /// Joints from below `ancestor` to `joint`.
    fn path(&self, ancestor: usize, joint: usize) -> Vec<usize> {
        let mut path: Vec<usize> =
            std::iter::successors(Some(joint), |&j| self.parent(j)).take_while(|&j| j != ancestor).collect();
        path.reverse();
        path
    }

    /// Longest way from a joint along its bones, m.
    fn reach(&self, joint: usize) -> f64 {
        let own = self.0.joints[joint].tips.iter().map(|t| t.length()).fold(0.0, f64::max);
        self.0.children(joint).map(|c| self.0.joints[c].offset.length() + self.reach(c)).fold(own, f64::max)
    }
}

/// Feet that are each other's image: left, right.
fn foot_pairs(feet: &[Foot], frame: &BodyFrame) -> Vec<(Foot, Foot)> {
    let mut pairs = Vec::new();
    for foot in feet.iter().filter(|foot| frame.side[foot.joint] == Some(Side::Left)) {
        let other = feet.iter().find(|other| frame.partner[foot.joint] == Some(other.joint));
        pairs.extend(other.map(|other| (foot.clone(), other.clone())));
    }
    pairs
}

fn belongs(tree: &Tree, limb: &Limb, joint: usize) -> bool {
    let first = limb.sections.iter().flatten().next();
    first.is_some_and(|&first| tree.is_below(joint, first))
}

fn says(skeleton: &Skeleton, joint: usize, list: &[&str]) -> bool {
    words(&skeleton.joints[joint].name).iter().any(|w| list.iter().any(|l| w == l || l.len() >= 5 && w.contains(l)))
}

/// The pair of limbs that are no legs: the one called arms, else the longest, that hangs from the middle of the body.
fn arms(skeleton: &Skeleton, bind: &[Placed], frame: &BodyFrame, tree: &Tree, legs: &[Limb], height: f64) -> Vec<Limb> {
    let is_middle = |joint: usize| frame.side[joint].is_none();
    let is_leg = |joint: usize| legs.iter().any(|leg| belongs(tree, leg, joint));
    let below_head = |joint: usize| {
        let mut above = std::iter::successors(tree.parent(joint), |&j| tree.parent(j));
        above.any(|j| is_head(&words(&skeleton.joints[j].name)) && is_middle(j))
    };
    let mut best: Option<(bool, f64, usize, usize)> = None;
    for joint in 1..bind.len() {
        let (Some(Side::Left), Some(other)) = (frame.side[joint], frame.partner[joint]) else { continue };
        let starts = tree.parent(joint).is_some_and(is_middle);
        if !starts || is_leg(joint) || below_head(joint) || says(skeleton, joint, &NO_ARMS) {
            continue;
        }
        let below: Vec<usize> = (joint..bind.len()).filter(|&j| tree.is_below(j, joint)).collect();
        let named = below.iter().any(|&j| says(skeleton, j, &ARMS));
        let reach = tree.reach(joint);
        if !named && reach < LEAST_ARM * height {
            continue;
        }
        if best.is_none_or(|(was_named, longest, ..)| (named, reach) > (was_named, longest)) {
            best = Some((named, reach, joint, other));
        }
    }
    let Some((_, _, left, right)) = best else { return Vec::new() };
    let make = |(side, top): (Side, usize)| {
        let sections = arm_sections(skeleton, bind, &arm_path(skeleton, tree, top));
        Limb { kind: LimbKind::Arm, side, sections, foot: None }
    };
    [(Side::Left, left), (Side::Right, right)].map(make).into_iter().collect()
}

/// From the top of an arm outwards, up to where fingers begin.
fn arm_path(skeleton: &Skeleton, tree: &Tree, top: usize) -> Vec<usize> {
    const FINGERS: [&str; 11] =
        ["thumb", "index", "middle", "ring", "pinky", "finger", "pinkie", "palm", "metacarpal", "knuckle", "slot"];
    let mut path = vec![top];
    let mut at = top;
    loop {
        let goes_on = |c: &usize| !says(skeleton, *c, &FINGERS) && !is_slot(&words(&skeleton.joints[*c].name));
        let children: Vec<usize> = skeleton.children(at).filter(goes_on).collect();
        let longest = children.iter().copied().max_by(|a, b| {
            let length = |c: usize| skeleton.joints[c].offset.length() + tree.reach(c);
            length(*a).total_cmp(&length(*b))
        });
        let Some(next) = longest else { return path };
        path.push(next);
        at = next;
    }
}

/// A chain called a tail; without the name one that leaves the pelvis backwards.
fn tail(
    skeleton: &Skeleton,
    bind: &[Placed],
    frame: &BodyFrame,
    tree: &Tree,
    pelvis: usize,
    may_be: &[bool],
    height: f64,
) -> Vec<usize> {
    let is_tail = |j: usize| says(skeleton, j, &["tail"]) && frame.side[j].is_none();
    let named = (1..bind.len()).find(|&j| is_tail(j));
    let backwards = |&j: &usize| {
        let end = (j..bind.len()).filter(|&k| tree.is_below(k, j)).map(|k| bind[k].position - bind[pelvis].position);
        let back = end.map(|e| -e.dot(frame.forward)).fold(0.0, f64::max);
        frame.side[j].is_none() && may_be[j] && back > 0.15 * height
    };
    let Some(first) = named.or_else(|| skeleton.children(pelvis).find(backwards)) else { return Vec::new() };
    let mut chain = vec![first];
    let mut at = first;
    while let Some(next) = skeleton.children(at).find(|&c| frame.side[c].is_none()) {
        chain.push(next);
        at = next;
    }
    if named.is_some() || chain.len() > 1 { chain } else { Vec::new() }
}

/// The joint in the middle that is called a head.
fn named_head(skeleton: &Skeleton, frame: &BodyFrame, on_limb: &[bool]) -> Option<usize> {
    let may_be = |j: &usize| frame.side[*j].is_none() && !on_limb[*j];
    (1..on_limb.len()).filter(may_be).find(|&j| is_head(&words(&skeleton.joints[j].name)))
}

/// The end in the middle that is highest (of two-legged bodies) or farthest ahead.
fn unnamed_head(
    skeleton: &Skeleton,
    bind: &[Placed],
    frame: &BodyFrame,
    on_limb: &[bool],
    tail: &[usize],
    plan: Plan,
) -> Option<usize> {
    let may_be = |j: &usize| *j > 0 && frame.side[*j].is_none() && !on_limb[*j] && !tail.contains(j);
    let is_end = |j: &usize| !skeleton.children(*j).any(|c| may_be(&c));
    let called_else = |j: &usize| says(skeleton, *j, &NO_HEADS) || is_slot(&words(&skeleton.joints[*j].name));
    let far = |j: usize| match plan {
        Plan::Biped => bind[j].position.z,
        _ => bind[j].position.dot(frame.forward) + bind[j].position.z,
    };
    let ends = (1..bind.len()).filter(may_be).filter(is_end).filter(|j| !called_else(j));
    ends.max_by(|a, b| far(*a).total_cmp(&far(*b)))
}

/// Joints from the pelvis to the head, split after the joint that carries arms or fore legs, else before what is called a neck, else before the head.
fn trunk(
    skeleton: &Skeleton,
    tree: &Tree,
    pelvis: usize,
    head: Option<usize>,
    limbs: &[Limb],
) -> (Vec<usize>, Vec<usize>) {
    let Some(head) = head.filter(|&head| head != pelvis) else { return (Vec::new(), Vec::new()) };
    // Up from the pelvis to where the head hangs from, and down to it.
    let fork = if tree.is_below(head, pelvis) { pelvis } else { tree.common(pelvis, head) };
    let mut path: Vec<usize> = tree.path(fork, pelvis).into_iter().rev().filter(|&j| j != pelvis).collect();
    if fork != pelvis {
        path.push(fork);
    }
    path.extend(tree.path(fork, head));
    let carriers = limbs.iter().filter(|l| matches!(l.kind, LimbKind::Arm | LimbKind::ForeLeg));
    let carriers: Vec<usize> =
        carriers.filter_map(|l| l.sections.iter().flatten().next().and_then(|&first| tree.parent(first))).collect();
    let last = path.len() - 1;
    let carrier = path[..last].iter().rposition(|j| carriers.contains(j)).map(|i| i + 1);
    let called_neck = path[..last].iter().position(|&j| says(skeleton, j, &["neck"]));
    let split = carrier.or(called_neck).unwrap_or(last);
    let neck = path.split_off(split);
    (path, neck)
}
