//! The limbs of both bodies side by side, as the later steps need them.

use crate::anatomy::Anatomy;
use crate::joint_map::MappedLimb;
use crate::sections::{LimbKind, Section};
use glam::{DQuat, DVec3};
use sinew_motion::Skeleton;
use sinew_motion::skeleton::Placed;
use sinew_motion::tools::{Foot, SolePoint};

/// A point that moves with a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub joint: usize,
    /// In the joint's frame, m.
    pub local: DVec3,
}

impl Point {
    pub fn place(&self, placed: &[Placed]) -> DVec3 {
        placed[self.joint].place(self.local)
    }
}

/// A limb of one body.
#[derive(Clone, Debug)]
pub(crate) struct BodyLimb {
    /// Joints of each section.
    pub sections: [Vec<usize>; 5],
    /// Ankle or wrist: where the lower part ends.
    pub wrist: Option<Point>,
    /// What is brought to its place: the joint that stands on the ground, or the wrist.
    pub effector: Option<Point>,
    /// Where it touches the ground: the sole of a foot, the palm of a hand.
    pub foot: Option<Foot>,
    /// Whether it stands on its digits.
    pub on_digits: bool,
}

/// A limb of both bodies.
#[derive(Clone, Debug)]
pub(crate) struct LimbPair {
    pub kind: LimbKind,
    pub source: BodyLimb,
    pub target: BodyLimb,
}

/// One body: the clip's, turned to look where the character looks, or the character.
#[derive(Clone, Debug)]
pub(crate) struct Body<'a> {
    pub skeleton: &'a Skeleton,
    /// The bind pose, turned.
    pub bind: Vec<Placed>,
    pub upright: bool,
    /// Level direction that it looks in, turned.
    pub forward: DVec3,
}

impl<'a> Body<'a> {
    pub fn new(skeleton: &'a Skeleton, anatomy: &Anatomy, turn: DQuat) -> Body<'a> {
        let bind = anatomy.bind.iter().map(|p| turned(p, turn)).collect();
        Body { skeleton, bind, upright: anatomy.upright, forward: turn * anatomy.forward }
    }
}

/// A place after the whole world was turned about the vertical.
pub(crate) fn turned(placed: &Placed, turn: DQuat) -> Placed {
    Placed { position: turn * placed.position, orientation: turn * placed.orientation }
}

impl BodyLimb {
    pub fn joints(&self, section: Section) -> &[usize] {
        &self.sections[section as usize]
    }

    pub fn first(&self, section: Section) -> Option<usize> {
        self.joints(section).first().copied()
    }

    /// Hip, knee and ankle in a pose; shoulder, elbow and wrist.
    pub fn three(&self, placed: &[Placed]) -> Option<[DVec3; 3]> {
        let (top, middle) = (self.first(Section::Upper)?, self.first(Section::Lower)?);
        Some([placed[top].position, placed[middle].position, self.wrist?.place(placed)])
    }

    /// Length of the bones from the top to the effector, m; constant.
    pub fn length(&self, bind: &[Placed]) -> Option<f64> {
        let top = bind[self.first(Section::Upper)?].position;
        let Some([_, knee, ankle]) = self.three(bind) else {
            return Some(top.distance(self.effector?.place(bind)));
        };
        Some(top.distance(knee) + knee.distance(ankle) + ankle.distance(self.effector?.place(bind)))
    }

    fn new(sections: &[Vec<usize>; 5], anatomy: &Anatomy, skeleton: &Skeleton) -> BodyLimb {
        let feet = anatomy.limbs.iter().filter_map(|limb| limb.foot.clone());
        let foot = feet.into_iter().find(|foot| sections.iter().flatten().any(|&j| j == foot.joint));
        let end = sections[Section::End as usize].first().copied();
        let lower = sections[Section::Lower as usize].last().copied();
        // A map may put the paw behind the raised foot, into one list.
        let behind_foot = sections[Section::End as usize].iter().skip(1).chain(&sections[Section::Digits as usize]);
        let on_digits = foot.as_ref().is_some_and(|foot| behind_foot.into_iter().any(|&joint| joint == foot.joint));
        let origin = |joint: usize| Point { joint, local: DVec3::ZERO };
        let wrist = end.map(origin).or_else(|| lower.map(|joint| tip(joint, foot.as_ref(), anatomy, skeleton)));
        let effector = match &foot {
            Some(foot) if on_digits => Some(origin(foot.joint)),
            _ => wrist.or_else(|| {
                sections[Section::Upper as usize].last().map(|&j| tip(j, foot.as_ref(), anatomy, skeleton))
            }),
        };
        let foot = foot.or_else(|| end.map(|end| palm(end, skeleton)));
        BodyLimb { sections: sections.clone(), wrist, effector, foot, on_digits }
    }
}

/// What of a hand may touch the ground: the wrist, and the ends of what hangs from it.
fn palm(hand: usize, skeleton: &Skeleton) -> Foot {
    let mut members = vec![hand];
    for joint in hand + 1..skeleton.joints.len() {
        if skeleton.joints[joint].parent.is_some_and(|p| members.contains(&p)) {
            members.push(joint);
        }
    }
    let points = |&joint: &usize| {
        let tips = skeleton.joints[joint].tips.iter().copied();
        std::iter::once(DVec3::ZERO).chain(tips).map(move |local| SolePoint { joint, local }).collect::<Vec<_>>()
    };
    Foot { joint: hand, sole: members.iter().flat_map(points).collect() }
}

/// Where the last bone of a limb ends: the middle of its sole, else its tip or child.
fn tip(joint: usize, foot: Option<&Foot>, anatomy: &Anatomy, skeleton: &Skeleton) -> Point {
    let at = &anatomy.bind[joint];
    let local = |world: DVec3| at.orientation.inverse() * (world - at.position);
    let middle = foot.map(|foot| {
        let places = foot.sole.iter().map(|p| local(anatomy.bind[p.joint].place(p.local)));
        places.sum::<DVec3>() / foot.sole.len().max(1) as f64
    });
    let data = &skeleton.joints[joint];
    let tips = data.tips.iter().copied().chain(skeleton.children(joint).map(|c| skeleton.joints[c].offset));
    let far = tips.max_by(|a, b| a.length().total_cmp(&b.length()));
    let skin = (!data.skin.is_empty()).then(|| 2.0 * data.skin.iter().sum::<DVec3>() / data.skin.len() as f64);
    Point { joint, local: middle.or(far).or(skin).unwrap_or(DVec3::ZERO) }
}

/// The limbs of a map in both bodies. What is brought to its place is what stands on the ground: toes are brought to toes where the
/// character walks on them.
pub(crate) fn limb_pairs(
    limbs: &[MappedLimb],
    source: (&Skeleton, &Anatomy),
    target: (&Skeleton, &Anatomy),
) -> Vec<LimbPair> {
    let pair = |limb: &MappedLimb| {
        let mut ours = BodyLimb::new(&limb.source, source.1, source.0);
        let theirs = BodyLimb::new(&limb.target, target.1, target.0);
        if let (true, false, Some(toe)) = (theirs.on_digits, ours.on_digits, ours.first(Section::Digits)) {
            ours.effector = Some(Point { joint: toe, local: DVec3::ZERO });
        }
        LimbPair { kind: limb.kind, source: ours, target: theirs }
    };
    limbs.iter().map(pair).collect()
}
