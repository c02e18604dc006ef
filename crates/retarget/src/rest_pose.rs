//! The pose in which both bodies correspond.
//!
//! Bind poses differ: arms out, arms down, legs apart. Turns are therefore counted from a *rest pose*, which is the same in both bodies.
//! Between people (posture *same*) it is the character's bind pose, to which the clip's skeleton is brought limb by limb. Between other
//! creatures (posture *own*) each body rests in its own stance; what stands upright rests with straight legs and hanging arms.

use crate::joint_map::Posture;
use crate::legs_and_arms::{Body, BodyLimb, LimbPair};
use crate::rotations::{arc, from_up_and_forward, placed_from_world};
use crate::sections::Section;
use glam::{DQuat, DVec3};
use sinew_motion::Skeleton;
use sinew_motion::skeleton::Placed;

/// The rest poses of both bodies.
#[derive(Clone, Debug)]
pub(crate) struct RestPoses {
    pub source: Vec<Placed>,
    pub target: Vec<Placed>,
}

/// Finds the rest poses; `soles` holds, for each limb, which direction of the source's foot is up when the foot is flat on the ground.
pub(crate) fn rest_poses(
    source: &Body,
    target: &Body,
    limbs: &[LimbPair],
    soles: &[Option<DVec3>],
    posture: Posture,
) -> RestPoses {
    let mut ours = Turns::new(source);
    let mut theirs = Turns::new(target);
    for (pair, sole) in limbs.iter().zip(soles) {
        let goal = match posture {
            Posture::Same => directions(&pair.target, &target.bind),
            Posture::Own => [Some(DVec3::NEG_Z); 2],
        };
        if posture == Posture::Same || source.upright {
            ours.straighten(&pair.source, goal);
            let flat = match posture {
                Posture::Same => toe_direction(&pair.target, &target.bind),
                Posture::Own => None,
            };
            if pair.kind.is_leg() {
                ours.flatten(&pair.source, *sole, flat);
            }
        }
        if posture == Posture::Own && target.upright {
            theirs.straighten(&pair.target, goal);
            if let (true, Some(end)) = (pair.kind.is_leg(), pair.target.first(Section::End)) {
                theirs.explicit[end] = Some(DQuat::IDENTITY);
            }
        }
    }
    RestPoses { source: ours.pose(), target: theirs.pose() }
}

/// Turns of joints from the bind pose; what is not turned by itself goes with its parent.
struct Turns<'a> {
    skeleton: &'a Skeleton,
    bind: &'a [Placed],
    explicit: Vec<Option<DQuat>>,
}

impl<'a> Turns<'a> {
    fn new(body: &'a Body) -> Self {
        Turns { skeleton: body.skeleton, bind: &body.bind, explicit: vec![None; body.bind.len()] }
    }

    /// Swings upper and lower part along the given directions, each by the least turn.
    fn straighten(&mut self, limb: &BodyLimb, [upper, lower]: [Option<DVec3>; 2]) {
        let [own_upper, own_lower] = directions(limb, self.bind);
        let mut turn = DQuat::IDENTITY;
        for (section, from, to) in [(Section::Upper, own_upper, upper), (Section::Lower, own_lower, lower)] {
            if let (Some(from), Some(to)) = (from, to) {
                turn = arc(turn * from, to) * turn;
            }
            limb.joints(section).iter().for_each(|&j| self.explicit[j] = Some(turn));
        }
        for section in [Section::End, Section::Digits] {
            limb.joints(section).iter().for_each(|&j| self.explicit[j] = Some(turn));
        }
    }

    /// Lays a foot flat on the ground: its `sole` direction up, its toes along `forward` or where they are.
    fn flatten(&mut self, limb: &BodyLimb, sole: Option<DVec3>, forward: Option<DVec3>) {
        let (Some(up), Some(end)) = (sole, limb.first(Section::End)) else { return };
        let Some(toes) = toe_vector(limb, self.bind) else { return };
        let orientation = self.bind[end].orientation;
        let carried = self.explicit[end].unwrap_or(DQuat::IDENTITY);
        let forward = forward.unwrap_or((carried * toes).with_z(0.0));
        let local = from_up_and_forward(up, orientation.inverse() * toes);
        let (Some(local), Some(flat)) = (local, from_up_and_forward(DVec3::Z, forward)) else { return };
        let turn = flat * local.inverse() * orientation.inverse();
        for section in [Section::End, Section::Digits] {
            limb.joints(section).iter().for_each(|&j| self.explicit[j] = Some(turn));
        }
    }

    fn pose(&self) -> Vec<Placed> {
        let mut turns: Vec<DQuat> = Vec::with_capacity(self.bind.len());
        for (index, joint) in self.skeleton.joints.iter().enumerate() {
            let carried = joint.parent.map_or(DQuat::IDENTITY, |p| turns[p]);
            turns.push(self.explicit[index].unwrap_or(carried));
        }
        let orientations: Vec<DQuat> =
            turns.iter().zip(self.bind).map(|(t, b)| (*t * b.orientation).normalize()).collect();
        placed_from_world(self.skeleton, self.bind[0].position, &orientations)
    }
}

/// Directions of upper and lower part in a pose.
pub(crate) fn directions(limb: &BodyLimb, placed: &[Placed]) -> [Option<DVec3>; 2] {
    match limb.three(placed) {
        Some([top, middle, end]) => [(middle - top).try_normalize(), (end - middle).try_normalize()],
        None => {
            let top = limb.first(Section::Upper).map(|j| placed[j].position);
            let whole = top.zip(limb.effector).and_then(|(top, e)| (e.place(placed) - top).try_normalize());
            [whole, whole]
        }
    }
}

/// From the ankle to the toes.
fn toe_vector(limb: &BodyLimb, placed: &[Placed]) -> Option<DVec3> {
    let ankle = placed[limb.first(Section::End)?].position;
    let digits = limb.first(Section::Digits).map(|j| placed[j].position);
    let sole = limb.foot.as_ref().map(|foot| {
        let places = foot.sole.iter().map(|p| placed[p.joint].place(p.local));
        places.sum::<DVec3>() / foot.sole.len().max(1) as f64
    });
    Some(digits.or(sole)? - ankle)
}

/// Level direction of the toes, where they have one.
fn toe_direction(limb: &BodyLimb, placed: &[Placed]) -> Option<DVec3> {
    let toes = toe_vector(limb, placed)?;
    (toes.with_z(0.0).length() > 0.2 * toes.length()).then(|| toes.with_z(0.0).normalize())
}
