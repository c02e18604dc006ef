//! How well a clip sits on its new skeleton.

use crate::follow::Poses;
use crate::hinge::bend;
use crate::legs_and_arms::{BodyLimb, LimbPair};
use crate::limb_ik::ELBOW;
use crate::planting::step;
use crate::rest_pose::directions;
use crate::retarget::Scene;
use crate::sections::Section;
use crate::travel::heading;
use glam::{DQuat, DVec3};
use serde::Serialize;
use sinew_motion::skeleton::Placed;

/// A limb bent by less than this the wrong way is straight, rad.
const STRAIGHT: f64 = 0.035;

/// How far feet slide while they stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Slides {
    /// How often a foot stands.
    pub contacts: usize,
    /// Farthest that the standing part of the sole strays in a stand: the median over all stands, cm.
    pub median_cm: f64,
    /// The largest of them, cm.
    pub max_cm: f64,
    /// The median as a share of the character's height, %.
    pub median_percent: f64,
    /// The largest as a share of the height, %.
    pub max_percent: f64,
}

/// Frames in which knees and elbows are bent the wrong way by more than two degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Bends {
    /// Knees of all legs: frames times legs.
    pub knees_wrong: usize,
    /// Elbows.
    pub elbows_wrong: usize,
    /// The worst, degrees; 0 where none is.
    pub worst_deg: f64,
}

/// Figures of a clip on its new skeleton.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Ratio of the paths.
    pub scale: f64,
    /// Slides of the feet while the source's feet stand.
    pub foot_slide: Slides,
    /// The same in the source, on its own scale.
    pub source_slide: Slides,
    /// Deepest point of a sole under the ground, cm.
    pub deepest_cm: f64,
    /// Knees and elbows.
    pub bends: Bends,
    /// The same in the source.
    pub source_bends: Bends,
    /// Mean distance of hands and feet from where the source has them relative to shoulders and hips, scaled by the limbs' lengths, % of the height.
    pub effectors_off_percent: f64,
    /// The largest, % of the height.
    pub effectors_off_max_percent: f64,
    /// Largest change of a limb's turn from one frame to the next but one, over the source's largest: above 2 something jumps.
    pub roughness: f64,
}

/// Measures finished poses.
pub(crate) fn measure(scene: &Scene, poses: &Poses) -> Figures {
    let all = 0..poses.roots.len();
    let ours: Vec<Vec<Placed>> = all.clone().map(|frame| scene.source_pose(frame)).collect();
    let theirs: Vec<Vec<Placed>> = all.map(|frame| poses.place(scene, frame)).collect();
    let slide =
        |limb: fn(&LimbPair) -> &BodyLimb, poses: &[Vec<Placed>], height: f64| slides(scene, poses, height, limb);
    let foot_slide = slide(|pair| &pair.target, &theirs, scene.target.skeleton.height());
    let source_slide = slide(|pair| &pair.source, &ours, scene.source.skeleton.height());
    // Of three cycles the middle one counts.
    let own = scene.working.first..scene.working.first + scene.working.frames;
    let (ours, theirs) = (&ours[own.clone()], &theirs[own]);
    let height = scene.target.skeleton.height();
    let [bends, source_bends] =
        [(theirs, true), (ours, false)].map(|(poses, of_target)| count_bends(scene, poses, of_target));
    let (mean, most) = effectors_off(scene, ours, theirs);
    let deepest = scene.limbs.iter().filter_map(|pair| pair.target.foot.as_ref()).flat_map(|foot| {
        theirs.iter().flat_map(move |placed| foot.sole.iter().map(move |p| -placed[p.joint].place(p.local).z))
    });
    Figures {
        scale: scene.travel.level,
        foot_slide,
        source_slide,
        deepest_cm: 100.0 * deepest.fold(0.0, f64::max),
        bends,
        source_bends,
        effectors_off_percent: 100.0 * mean / height,
        effectors_off_max_percent: 100.0 * most / height,
        roughness: roughness(scene, ours, theirs),
    }
}

fn slides(scene: &Scene, poses: &[Vec<Placed>], height: f64, limb: impl Fn(&LimbPair) -> &BodyLimb) -> Slides {
    let mut all = Vec::new();
    for (pair, stands) in scene.limbs.iter().zip(&scene.ground.stands) {
        let Some(foot) = limb(pair).foot.as_ref().filter(|_| pair.kind.is_leg()) else { continue };
        let points =
            |frame: usize| -> Vec<DVec3> { foot.sole.iter().map(|p| poses[frame][p.joint].place(p.local)).collect() };
        let (from, to) = (scene.working.first, scene.working.first + scene.working.frames);
        for &(first, end) in stands.iter().filter(|(first, end)| *end > from && *first < to) {
            let (mut at, mut farthest) = (DVec3::ZERO, 0.0f64);
            for frame in first..end - 1 {
                at += step(&points(frame), &points(frame + 1), height);
                farthest = farthest.max(at.length());
            }
            all.push(farthest);
        }
    }
    all.sort_by(f64::total_cmp);
    let (median, most) = (all.get(all.len() / 2).copied().unwrap_or(0.0), all.last().copied().unwrap_or(0.0));
    let percent = |m: f64| 100.0 * m / height;
    Slides {
        contacts: all.len(),
        median_cm: 100.0 * median,
        max_cm: 100.0 * most,
        median_percent: percent(median),
        max_percent: percent(most),
    }
}

fn count_bends(scene: &Scene, poses: &[Vec<Placed>], of_target: bool) -> Bends {
    let mut bends = Bends::default();
    for (pair, axes) in scene.limbs.iter().zip(&scene.axes) {
        let Some([target_axis, source_axis]) = axes else { continue };
        let (limb, axis, rest) = match of_target {
            true => (&pair.target, target_axis, &scene.rest.target),
            false => (&pair.source, source_axis, &scene.rest.source),
        };
        let Some(upper) = limb.joints(Section::Upper).last().copied() else { continue };
        for placed in poses {
            let [Some(u), Some(l)] = directions(limb, placed) else { continue };
            let turn = placed[upper].orientation * rest[upper].orientation.inverse();
            let axis = (turn * *axis).reject_from_normalized(u).normalize_or(DVec3::Y);
            // An elbow that bends sideways is no wrong one.
            let sideways = u.cross(l).normalize_or_zero().dot(axis) > ELBOW.none;
            let bent = if pair.kind.is_leg() || !sideways { bend(u, l, axis) } else { 0.0 };
            if bent < -STRAIGHT {
                *if pair.kind.is_leg() { &mut bends.knees_wrong } else { &mut bends.elbows_wrong } += 1;
                bends.worst_deg = bends.worst_deg.max(-bent.to_degrees());
            }
        }
    }
    bends
}

/// Mean and largest distance of effectors from the source's, scaled by the lengths of the limbs and counted from the rest poses, m.
fn effectors_off(scene: &Scene, ours: &[Vec<Placed>], theirs: &[Vec<Placed>]) -> (f64, f64) {
    let (mut sum, mut most, mut count) = (0.0, 0.0f64, 0usize);
    for pair in &scene.limbs {
        let ends = |limb: &BodyLimb| Some((limb.first(Section::Upper)?, limb.effector?));
        let lengths = (pair.source.length(&scene.source.bind), pair.target.length(&scene.target.bind));
        let (Some((top_s, end_s)), Some((top_t, end_t)), (Some(length_s), Some(length_t))) =
            (ends(&pair.source), ends(&pair.target), lengths)
        else {
            continue;
        };
        let k = length_t / length_s.max(1e-9);
        let offset = |end: DVec3, top: DVec3| end - top;
        let rest_s = offset(end_s.place(&scene.rest.source), scene.rest.source[top_s].position);
        let rest_t = offset(end_t.place(&scene.rest.target), scene.rest.target[top_t].position);
        let mut facing = DQuat::IDENTITY;
        for (source, target) in ours.iter().zip(theirs) {
            facing = heading(scene.source_turn(source, scene.map.source_pelvis), scene.target.forward, facing);
            let wanted = k * offset(end_s.place(source), source[top_s].position) + facing * (rest_t - k * rest_s);
            let off = wanted.distance(offset(end_t.place(target), target[top_t].position));
            sum += off;
            most = most.max(off);
            count += 1;
        }
    }
    (sum / count.max(1) as f64, most)
}

/// Largest second difference of the directions of limbs, target over source.
fn roughness(scene: &Scene, ours: &[Vec<Placed>], theirs: &[Vec<Placed>]) -> f64 {
    let largest = |poses: &[Vec<Placed>], limb: &dyn Fn(&LimbPair) -> &BodyLimb| {
        let mut most = 0.0f64;
        for pair in &scene.limbs {
            for three in poses.windows(3) {
                let [a, b, c] = [0, 1, 2].map(|i| directions(limb(pair), &three[i]));
                for part in 0..2 {
                    if let (Some(a), Some(b), Some(c)) = (a[part], b[part], c[part]) {
                        most = most.max((a - 2.0 * b + c).length());
                    }
                }
            }
        }
        most
    };
    largest(theirs, &|pair| &pair.target) / largest(ours, &|pair| &pair.source).max(1e-3)
}
