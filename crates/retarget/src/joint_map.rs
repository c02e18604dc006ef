//! Which joints of one skeleton move which joints of another.

use crate::anatomy::{Anatomy, Plan};
use crate::error::{MapError, RetargetError};
use crate::sections::{Limb, LimbKind, Section};
use sinew_motion::names::Side;
use sinew_motion::{Rig, Skeleton};

/// What a chain of joints is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The joint that carries the travel.
    Pelvis,
    /// The trunk after the pelvis.
    Spine,
    /// From the trunk to the head, the head last.
    Neck,
    /// A tail.
    Tail,
    /// A part of a limb.
    Limb(LimbKind, Side, Section),
}

/// How the poses of the two skeletons correspond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posture {
    /// The bones of the limbs point where the clip's do: between people.
    Same,
    /// The character keeps its own stance and moves as much as the clip does: between creatures that stand differently.
    Own,
}

/// Joints of both skeletons with the same role, from the body outwards. Lists of different lengths share the turn along their length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// What the joints are for.
    pub role: Role,
    /// Joints of the clip's skeleton, by name.
    pub source: Vec<String>,
    /// Joints of the character, by name.
    pub target: Vec<String>,
}

/// Which joints of a clip's skeleton move which joints of a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointMap {
    /// How poses correspond.
    pub posture: Posture,
    /// The chains, each role at most once.
    pub chains: Vec<Chain>,
}

impl JointMap {
    /// Maps joints with the same role in both bodies.
    ///
    /// # Errors
    /// Where the bodies are built differently.
    pub fn between(source: &Rig, target: &Rig) -> Result<JointMap, RetargetError> {
        let from = Anatomy::of(&source.skeleton, &source.clips);
        let to = Anatomy::of(&target.skeleton, &target.clips);
        JointMap::of_anatomies(&source.skeleton, &from, &target.skeleton, &to)
    }

    pub(crate) fn of_anatomies(
        source: &Skeleton,
        from: &Anatomy,
        target: &Skeleton,
        to: &Anatomy,
    ) -> Result<JointMap, RetargetError> {
        match (from.plan, to.plan) {
            (Plan::Legs(0), Plan::Legs(0)) => return Err(RetargetError::NoLegs),
            (Plan::Biped, Plan::Biped) | (Plan::Quadruped, Plan::Quadruped) => {}
            (source_plan, target_plan) => return Err(RetargetError::OtherPlan { source_plan, target_plan }),
        }
        let mut chains = Vec::new();
        let mut add = |role: Role, ours: &[usize], theirs: &[usize]| {
            if !ours.is_empty() && !theirs.is_empty() {
                let names = |skeleton: &Skeleton, joints: &[usize]| {
                    joints.iter().map(|&j| skeleton.joints[j].name.clone()).collect::<Vec<_>>()
                };
                chains.push(Chain { role, source: names(source, ours), target: names(target, theirs) });
            }
        };
        add(Role::Pelvis, &[from.pelvis], &[to.pelvis]);
        add(Role::Spine, &from.spine, &to.spine);
        add(Role::Neck, &from.neck, &to.neck);
        add(Role::Tail, &from.tail, &to.tail);
        for limb in &to.limbs {
            let Some(other) = from.limb(limb.kind, limb.side) else { continue };
            for section in Section::ALL {
                let (ours, theirs) = matched(other, limb, section);
                add(Role::Limb(limb.kind, limb.side, section), &ours, &theirs);
            }
        }
        let posture = if from.upright && to.upright { Posture::Same } else { Posture::Own };
        Ok(JointMap { posture, chains })
    }

    /// The chain of a role.
    pub fn chain(&self, role: Role) -> Option<&Chain> {
        self.chains.iter().find(|chain| chain.role == role)
    }
}

/// Joints of a part in the source and in the target limb. What stands on the ground in one stands on it in the other.
fn matched(source: &Limb, target: &Limb, section: Section) -> (Vec<usize>, Vec<usize>) {
    let of = |limb: &Limb, section: Section| limb.joints(section).to_vec();
    let source_raised = source.stands_on_digits();
    let target_raised = target.stands_on_digits();
    let source_has_digits = !source.joints(Section::Digits).is_empty();
    match section {
        Section::End if source_raised && !target_raised => (of(source, Section::Digits), of(target, section)),
        Section::Digits if source_raised && !target_raised => (Vec::new(), Vec::new()),
        // A foot without toes turns the whole raised foot with its paw.
        Section::End if target_raised && !source_has_digits => {
            (of(source, section), [of(target, section), of(target, Section::Digits)].concat())
        }
        _ => (of(source, section), of(target, section)),
    }
}

/// How one joint of the target follows the source: `D = slerp(D_from, D_to, share)`, with `D` the turns from the rest pose in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Follow {
    pub target: usize,
    pub from: usize,
    pub to: usize,
    pub share: f64,
}

/// A map with indices instead of names.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub source_pelvis: usize,
    pub target_pelvis: usize,
    pub follows: Vec<Follow>,
    /// Kind, and the joints of each section in source and target.
    pub limbs: Vec<MappedLimb>,
}

/// A limb in both skeletons.
#[derive(Clone, Debug)]
pub(crate) struct MappedLimb {
    pub kind: LimbKind,
    pub source: [Vec<usize>; 5],
    pub target: [Vec<usize>; 5],
}

impl Resolved {
    pub fn new(map: &JointMap, source: &Skeleton, target: &Skeleton) -> Result<Resolved, MapError> {
        let indices = |role: Role| -> (Vec<usize>, Vec<usize>) {
            let find = |skeleton: &Skeleton, names: &[String]| {
                names.iter().filter_map(|name| skeleton.find(name)).collect::<Vec<usize>>()
            };
            map.chain(role).map_or_else(Default::default, |c| (find(source, &c.source), find(target, &c.target)))
        };
        let (source_pelvis, target_pelvis) = match indices(Role::Pelvis) {
            (s, t) if s.len() == 1 && t.len() == 1 => (s[0], t[0]),
            _ => return Err(MapError::NoPelvis),
        };
        let mut follows = vec![Follow { target: target_pelvis, from: source_pelvis, to: source_pelvis, share: 1.0 }];
        let mut add = |role: Role, base: usize| -> usize {
            let (ours, theirs) = indices(role);
            follows.extend(distributed(source, &ours, target, &theirs, base));
            ours.last().copied().unwrap_or(base)
        };
        let chest = add(Role::Spine, source_pelvis);
        add(Role::Neck, chest);
        add(Role::Tail, source_pelvis);
        let mut limbs = Vec::new();
        for kind in [LimbKind::Leg, LimbKind::Arm, LimbKind::HindLeg, LimbKind::ForeLeg] {
            for side in [Side::Left, Side::Right] {
                let above = if matches!(kind, LimbKind::Arm | LimbKind::ForeLeg) { chest } else { source_pelvis };
                let mut base = above;
                for section in Section::ALL {
                    base = add(Role::Limb(kind, side, section), base);
                }
                let parts = Section::ALL.map(|section| indices(Role::Limb(kind, side, section)));
                if parts.iter().any(|(_, theirs)| !theirs.is_empty()) {
                    let (ours, theirs) = (parts.clone().map(|p| p.0), parts.map(|p| p.1));
                    limbs.push(MappedLimb { kind, source: ours, target: theirs });
                }
            }
        }
        follows.sort_by_key(|follow| follow.target);
        Ok(Resolved { source_pelvis, target_pelvis, follows, limbs })
    }
}

/// Shares the turns of a chain along its length: joint for joint where both have as many, else by arc length. `τ_k`, the length up to the end of
/// bone `k` over the whole, is 0 at the base and 1 at the last joint of either chain, so that ends always correspond.
fn distributed(source: &Skeleton, ours: &[usize], target: &Skeleton, theirs: &[usize], base: usize) -> Vec<Follow> {
    if ours.is_empty() {
        return Vec::new();
    }
    if ours.len() == theirs.len() {
        return ours.iter().zip(theirs).map(|(&o, &t)| Follow { target: t, from: o, to: o, share: 1.0 }).collect();
    }
    let (knots, places) = (shares(source, ours), shares(target, theirs));
    let follow = |(&joint, &tau): (&usize, &f64)| {
        let after = knots.iter().position(|&knot| knot >= tau - 1e-12).unwrap_or(ours.len() - 1);
        let (before, low) = if after == 0 { (base, 0.0) } else { (ours[after - 1], knots[after - 1]) };
        let share = ((tau - low) / (knots[after] - low).max(1e-12)).clamp(0.0, 1.0);
        Follow { target: joint, from: before, to: ours[after], share }
    };
    theirs.iter().zip(&places).map(follow).collect()
}

/// Length up to the end of each bone of a chain, over the whole.
fn shares(skeleton: &Skeleton, chain: &[usize]) -> Vec<f64> {
    let length = |i: usize| {
        let joint = chain[i];
        match chain.get(i + 1) {
            Some(&next) if skeleton.joints[next].parent == Some(joint) => skeleton.joints[next].offset.length(),
            _ => {
                let children = skeleton.children(joint).map(|c| skeleton.joints[c].offset.length());
                children.chain(skeleton.joints[joint].tips.iter().map(|t| t.length())).fold(0.0, f64::max)
            }
        }
    };
    let lengths: Vec<f64> = (0..chain.len()).map(length).collect();
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    // A bone of no length still takes its part of the turn.
    let lengths = lengths.iter().map(|l| if mean > 0.0 { l.max(0.1 * mean) } else { 1.0 });
    let mut sum = 0.0;
    let sums: Vec<f64> = lengths
        .map(|l| {
            sum += l;
            sum
        })
        .collect();
    sums.iter().map(|s| s / sum).collect()
}
