//! Which joints are feet, and where their soles are.

use super::name_match::words;
use crate::{Clip, Skeleton};
use glam::DVec3;

/// What reaches down to this part of the height above the lowest point of the bind pose may be a foot.
const REACHES_GROUND: f64 = 0.1;
/// A foot's joints lie below this part of the height.
const FOOT_HEIGHT: f64 = 0.15;
/// Points of a foot this far, as a part of the height, above its lowest belong to the sole.
const SOLE_THICKNESS: f64 = 0.02;
/// Frames that are looked at, where the bind pose does not tell.
const MAX_FRAMES_SEEN: usize = 600;

/// A foot: a joint near the ground with what hangs from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Foot {
    /// The uppermost joint of the foot, often the ankle.
    pub joint: usize,
    /// Points that may touch the ground; at least one.
    pub sole: Vec<SolePoint>,
}

/// A point under a foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolePoint {
    /// The joint that it moves with.
    pub joint: usize,
    /// Where it is in the joint's frame, m.
    pub local: DVec3,
}

/// The feet of a skeleton, in the order of their joints; empty where nothing reaches the ground.
///
/// A foot ends a chain of joints, and in the bind pose some of its skin, tips or joints lie within 10 % of the height of the lowest point. Chains that
/// end in names such as *tail* or *sword* are none; where at least two ends are named like feet, paws, legs or hands, ends with other names are none.
/// Where the bind pose gives fewer than two feet, or none that the clips put on the ground, names such as *foot* decide, then the clips: ends that are
/// lowest in a quarter of the frames.
/// The sole is the skin at the bottom of the foot in the bind pose, thinned to the outermost points; without skin, the ends of the bones and the
/// ankle's projection on their height.
pub fn feet(skeleton: &Skeleton, clips: &[Clip]) -> Vec<Foot> {
    let ends = limb_ends(skeleton);
    let low = ends.iter().map(|end| end.low).fold(f64::INFINITY, f64::min);
    let low = skeleton.bind_pose().iter().map(|p| p.position.z).fold(low, f64::min);
    let height = skeleton.height();
    let named = |end: &&LimbEnd| end.named_as_limb;

    let mut found: Vec<&LimbEnd> =
        ends.iter().filter(|e| !e.excluded && e.low < low + REACHES_GROUND * height).collect();
    if found.iter().filter(|e| named(e)).count() >= 2 {
        found.retain(named);
    }
    // Ends that no clip puts on the ground are no feet, unless they are called so.
    let in_clips = lowest_in_clips(skeleton, clips, &ends, height);
    let called_feet = found.iter().filter(|e| e.named_as_foot).count() >= 2;
    let confirmed = |e: &&LimbEnd| in_clips.iter().any(|c| c.joint == e.joint);
    let in_bind_pose = found.len() >= 2 && (called_feet || in_clips.is_empty() || found.iter().any(confirmed));
    if !in_bind_pose {
        let by_name: Vec<&LimbEnd> = ends.iter().filter(|e| e.named_as_foot && !e.excluded).collect();
        if by_name.len() >= 2 {
            found = by_name;
        } else if !in_clips.is_empty() {
            found = in_clips;
        }
    }
    let mut feet: Vec<Foot> =
        found.iter().map(|end| Foot { joint: end.joint, sole: sole(skeleton, end, height, in_bind_pose) }).collect();
    feet.sort_by_key(|foot| foot.joint);
    feet
}

/// The end of a chain of joints.
struct LimbEnd {
    joint: usize,
    /// The joint and all below it.
    members: Vec<usize>,
    /// Lowest height in the bind pose, m.
    low: f64,
    named_as_foot: bool,
    named_as_limb: bool,
    excluded: bool,
}

fn limb_ends(skeleton: &Skeleton) -> Vec<LimbEnd> {
    let bind = skeleton.bind_pose();
    let height = skeleton.height();
    let count = skeleton.joints.len();
    let lowest =
        |joint: usize| local_points(skeleton, joint).map(|l| bind[joint].place(l).z).fold(f64::INFINITY, f64::min);
    let ground = (0..count).map(lowest).fold(f64::INFINITY, f64::min);
    let inner_parent = |joint: usize| skeleton.joints[joint].parent.filter(|p| *p != 0);

    let any = |words: &[String], hints: &[&str]| words.iter().any(|w| hints.iter().any(|hint| w.contains(hint)));

    // From each last joint up through the joints of its foot.
    let mut tops: Vec<usize> = Vec::new();
    for leaf in (1..count).filter(|j| skeleton.children(*j).next().is_none()) {
        let mut path = vec![leaf];
        while path.len() < 4 {
            match inner_parent(path[path.len() - 1]) {
                Some(parent) if bind[parent].position.z < ground + FOOT_HEIGHT * height => path.push(parent),
                _ => break,
            }
        }
        // Short legs lie low too: a joint that is called a foot is the top of it.
        let called_foot = path.iter().rev().find(|j| any(&words(&skeleton.joints[**j].name), FOOT_NAMES));
        tops.push(*called_foot.unwrap_or(&path[path.len() - 1]));
    }
    tops.sort_unstable();
    tops.dedup();
    // Toes on one high ankle are one foot.
    for (parent, place) in bind.iter().enumerate().skip(1) {
        let toes = tops.iter().filter(|t| skeleton.joints[**t].parent == Some(parent)).count();
        let near_ground = |t: &usize| lowest(*t) < ground + REACHES_GROUND * height;
        if toes >= 2 && place.position.z < ground + 0.4 * height && tops.iter().any(near_ground) {
            tops.retain(|t| skeleton.joints[*t].parent != Some(parent));
            tops.push(parent);
        }
    }
    tops.sort_unstable();
    tops.dedup();

    let describe = |joint: usize| {
        let mut members = vec![joint];
        for other in joint + 1..count {
            if skeleton.joints[other].parent.is_some_and(|p| members.contains(&p)) {
                members.push(other);
            }
        }
        let low = members.iter().map(|m| lowest(*m)).fold(f64::INFINITY, f64::min);
        let own_words: Vec<String> = words(&skeleton.joints[joint].name);
        let all_words: Vec<String> = members.iter().flat_map(|m| words(&skeleton.joints[*m].name)).collect();
        LimbEnd {
            joint,
            low,
            named_as_foot: any(&all_words, FOOT_NAMES),
            named_as_limb: any(&all_words, FOOT_NAMES) || any(&all_words, LIMB_NAMES),
            excluded: any(&own_words, OTHER_NAMES),
            members,
        }
    };
    let ends: Vec<LimbEnd> = tops.iter().map(|top| describe(*top)).collect();
    // An end within another belongs to it.
    let inside: Vec<bool> =
        ends.iter().map(|e| ends.iter().any(|o| o.joint != e.joint && o.members.contains(&e.joint))).collect();
    ends.into_iter().zip(inside).filter(|(_, inside)| !inside).map(|(end, _)| end).collect()
}

const FOOT_NAMES: &[&str] = &["foot", "feet", "toe", "ankle", "paw", "hoof", "heel", "ball"];
const LIMB_NAMES: &[&str] = &["leg", "shin", "calf", "knee", "hand", "finger", "wrist", "arm", "claw", "digit", "limb"];
const OTHER_NAMES: &[&str] = &[
    "tail", "hair", "ear", "sword", "weapon", "shield", "skirt", "cloth", "cape", "cloak", "wing", "slot", "prop",
    "jaw",
];

/// Skin of a joint; without skin, its origin and tips.
fn local_points(skeleton: &Skeleton, joint: usize) -> impl Iterator<Item = DVec3> + '_ {
    let joint = &skeleton.joints[joint];
    let bones = joint.skin.is_empty().then(|| std::iter::once(DVec3::ZERO).chain(joint.tips.iter().copied()));
    joint.skin.iter().copied().chain(bones.into_iter().flatten())
}

/// The points of an end that may touch the ground.
fn sole(skeleton: &Skeleton, end: &LimbEnd, height: f64, stands_in_bind_pose: bool) -> Vec<SolePoint> {
    let bind = skeleton.bind_pose();
    let has_skin = end.members.iter().any(|m| !skeleton.joints[*m].skin.is_empty());
    let mut points: Vec<(DVec3, SolePoint)> = Vec::new();
    for &joint in &end.members {
        if has_skin && skeleton.joints[joint].skin.is_empty() {
            continue;
        }
        points
            .extend(local_points(skeleton, joint).map(|local| (bind[joint].place(local), SolePoint { joint, local })));
    }
    if stands_in_bind_pose {
        let low = points.iter().map(|(world, _)| world.z).fold(f64::INFINITY, f64::min);
        points.retain(|(world, _)| world.z <= low + SOLE_THICKNESS * height);
        if !has_skin {
            let ankle = bind[end.joint];
            let under = DVec3::new(ankle.position.x, ankle.position.y, low);
            let local = ankle.orientation.inverse() * (under - ankle.position);
            points.push((under, SolePoint { joint: end.joint, local }));
        }
    }
    if points.len() <= 8 {
        return points.into_iter().map(|(_, point)| point).collect();
    }
    // The lowest, and the outermost in eight directions that point outwards and down: the corners of the sole, not the rim of the shoe.
    let mut kept: Vec<usize> = Vec::new();
    let around = |eighth: i32| {
        let angle = f64::from(eighth) * std::f64::consts::FRAC_PI_4;
        DVec3::new(libm::cos(angle), libm::sin(angle), -1.0)
    };
    for direction in (0..8).map(around).chain([DVec3::NEG_Z]) {
        let farthest =
            (0..points.len()).max_by(|a, b| points[*a].0.dot(direction).total_cmp(&points[*b].0.dot(direction)));
        kept.extend(farthest);
    }
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|index| points[index].1).collect()
}

/// Ends that lie within 6 % of the height of the lowest end in at least a quarter of the frames.
fn lowest_in_clips<'a>(skeleton: &Skeleton, clips: &[Clip], ends: &'a [LimbEnd], height: f64) -> Vec<&'a LimbEnd> {
    let frames: usize = clips.iter().map(Clip::frame_count).sum();
    let every = frames.div_ceil(MAX_FRAMES_SEEN).max(1);
    let (mut seen, mut low_frames) = (0, vec![0; ends.len()]);
    for clip in clips.iter().filter(|clip| clip.rotations.len() == clip.frame_count() * skeleton.joints.len()) {
        for frame in (0..clip.frame_count()).step_by(every) {
            let placed = clip.place(skeleton, frame);
            let low_of = |end: &LimbEnd| {
                let heights =
                    end.members.iter().flat_map(|m| local_points(skeleton, *m).map(|l| placed[*m].place(l).z));
                heights.fold(f64::INFINITY, f64::min)
            };
            let lows: Vec<f64> = ends.iter().map(low_of).collect();
            let lowest = lows.iter().copied().fold(f64::INFINITY, f64::min);
            seen += 1;
            for (count, low) in low_frames.iter_mut().zip(lows) {
                *count += usize::from(low < lowest + 0.06 * height);
            }
        }
    }
    let often = ends.iter().zip(low_frames).filter(|(end, low)| !end.excluded && 4 * low >= seen && *low > 0);
    often.map(|(end, _)| end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::walkers::{biped_walk, quadruped_walk};

    fn names(skeleton: &Skeleton, clips: &[Clip]) -> Vec<String> {
        feet(skeleton, clips).iter().map(|foot| skeleton.joints[foot.joint].name.clone()).collect()
    }

    #[test]
    fn two_and_four_feet_are_found() {
        assert_eq!(names(&biped_walk().skeleton, &[]), ["LeftFoot", "RightFoot"]);
        let paws = ["b_HindPaw_L_06", "b_HindPaw_R_09", "b_ForePaw_L_12", "b_ForePaw_R_15"];
        assert_eq!(names(&quadruped_walk().skeleton, &[]), paws);
    }

    #[test]
    fn a_sole_is_under_the_foot() {
        let mut skeleton = biped_walk().skeleton;
        let foot = skeleton.find("LeftFoot").unwrap();
        let ankle = skeleton.bind_pose()[foot];
        // A shoe whose rim, 2 cm over the sole, is wider than the sole.
        let shoe =
            |x: i32, y: i32, z: f64, wide: f64| DVec3::new(0.1 * wide * f64::from(x), 0.04 * wide * f64::from(y), z);
        let mut skin = Vec::new();
        for (x, y) in (-2..=2).flat_map(|x| (-2..=2).map(move |y| (x, y))) {
            skin.extend([shoe(x, y, 0.0, 1.0), shoe(x, y, 0.02, 1.2)]);
        }
        let low = ankle.position.z - 0.1;
        let local = |p: DVec3| {
            let world = DVec3::new(ankle.position.x + p.x, ankle.position.y + p.y, low + p.z);
            ankle.orientation.inverse() * (world - ankle.position)
        };
        skeleton.joints[foot].skin = skin.into_iter().map(local).collect();
        let sole = feet(&skeleton, &[]).into_iter().find(|f| f.joint == foot).unwrap().sole;
        let heights: Vec<f64> = sole.iter().map(|p| skeleton.bind_pose()[p.joint].place(p.local).z - low).collect();
        assert!(heights.iter().any(|z| z.abs() < 1e-9), "{heights:?}");
        assert!(sole.len() >= 4);
    }

    #[test]
    fn names_are_not_needed() {
        let mut skeleton = quadruped_walk().skeleton;
        for (index, joint) in skeleton.joints.iter_mut().enumerate() {
            joint.name = format!("bone{index}");
        }
        assert_eq!(names(&skeleton, &[]), ["bone6", "bone9", "bone12", "bone15"]);
    }

    #[test]
    fn a_bind_pose_that_lies_is_settled_by_the_clips() {
        let walk = biped_walk();
        let mut skeleton = walk.skeleton.clone();
        // Thighs straight up in the bind pose.
        for (index, joint) in skeleton.joints.iter_mut().enumerate() {
            joint.name = format!("bone{index}");
        }
        let frames = walk.skeleton.bind_pose();
        for thigh in [7, 10] {
            let up = frames[0].orientation.inverse() * glam::DQuat::from_rotation_y(3.0) * frames[thigh].orientation;
            skeleton.joints[thigh].rotation = up;
        }
        assert_eq!(names(&skeleton, &[walk.clip]), ["bone9", "bone12"]);
    }

    #[test]
    fn soles_are_on_the_ground_in_the_bind_pose() {
        let skeleton = biped_walk().skeleton;
        let bind = skeleton.bind_pose();
        for foot in feet(&skeleton, &[]) {
            assert!(foot.sole.len() >= 2);
            assert!(foot.sole.iter().all(|p| bind[p.joint].place(p.local).z.abs() < 1e-9));
        }
    }
}
