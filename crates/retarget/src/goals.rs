//! Where feet have to be, and hands that touch the ground.

use crate::follow::Poses;
use crate::legs_and_arms::LimbPair;
use crate::planting::{FADE_SECS, Sole, displacements};
use crate::retarget::Scene;
use crate::rotations::smooth_step;
use crate::sections::Section;
use crate::travel::{floor, heading};
use glam::{DQuat, DVec3};

/// Farthest that a standing foot is moved up or down to the ground, as a part of the height, and a hand.
const LEG_VERTICAL: f64 = 0.04;
const ARM_VERTICAL: f64 = 0.1;

/// Places of a limb's effector in every frame, and whether it stands; empty for limbs that only turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct LimbGoals {
    pub places: Vec<DVec3>,
    pub stands: Vec<bool>,
    /// How firmly the place is held, from 0 to 1, where the body is lowered: feet always, hands around the time that they stand.
    pub holds: Vec<f64>,
}

/// Goals of all limbs.
///
/// A foot is as far from its hip as the source's, scaled: `e = hip + k (e_s − hip_s) + Δ`, Δ being what the two rest poses differ by, turned with the
/// heading; its height is the rest pose's plus `k` times what the source lifts it by. Then it is planted.
pub(crate) fn goals(scene: &Scene, poses: &Poses, plant: bool) -> Vec<LimbGoals> {
    let legs: Vec<&LimbPair> = scene.limbs.iter().filter(|pair| pair.kind.is_leg()).collect();
    let floors = [floor(&scene.rest.source, &legs, true), floor(&scene.rest.target, &legs, false)];
    let one = |(index, pair): (usize, &LimbPair)| {
        let goals = if pair.kind.is_leg() { leg(scene, poses, pair, floors) } else { arm(scene, poses, pair) };
        let mut goals = goals.unwrap_or_default();
        if goals.places.is_empty() {
            return goals;
        }
        let stands = &scene.ground.stands[index];
        goals.stands = vec![false; goals.places.len()];
        stands.iter().for_each(|&(first, end)| goals.stands[first..end].fill(true));
        goals.holds = match pair.kind.is_leg() {
            true => vec![1.0; goals.places.len()],
            false => holds(stands, goals.places.len(), FADE_SECS * scene.clip.rate_hz),
        };
        if let (true, Some(points)) = (plant, sole_points(scene, poses, pair, &goals.places)) {
            let height = scene.target.skeleton.height();
            let most_vertical = if pair.kind.is_leg() { LEG_VERTICAL } else { ARM_VERTICAL };
            let sole = Sole { points: &points, stands, rate_hz: scene.clip.rate_hz, height, most_vertical };
            let moved = displacements(&sole);
            goals.places.iter_mut().zip(moved).for_each(|(place, by)| *place += by);
        }
        goals
    };
    scene.limbs.iter().enumerate().map(one).collect()
}

/// 1 while a limb stands, fading to 0 within `fade` frames around that time.
fn holds(stands: &[(usize, usize)], frames: usize, fade: f64) -> Vec<f64> {
    let away = |frame: usize| {
        let gap = |&(first, end): &(usize, usize)| first.saturating_sub(frame).max((frame + 1).saturating_sub(end));
        stands.iter().map(gap).min().map_or(f64::INFINITY, |gap| gap as f64)
    };
    (0..frames).map(|frame| smooth_step(fade, 0.0, away(frame))).collect()
}

/// A hand is where its arm's turns put it.
fn arm(scene: &Scene, poses: &Poses, pair: &LimbPair) -> Option<LimbGoals> {
    let (wrist, _) = (pair.target.wrist?, pair.target.first(Section::End)?);
    let places = (0..poses.roots.len()).map(|frame| wrist.place(&poses.place(scene, frame))).collect();
    Some(LimbGoals { places, ..LimbGoals::default() })
}

fn leg(scene: &Scene, poses: &Poses, pair: &LimbPair, floors: [f64; 2]) -> Option<LimbGoals> {
    let (top, other_top) = (pair.target.first(Section::Upper)?, pair.source.first(Section::Upper)?);
    pair.target.first(Section::Lower)?;
    let (effector, other) = (pair.target.effector?, pair.source.effector?);
    let k = scene.travel.level;
    let rests = [other.place(&scene.rest.source), effector.place(&scene.rest.target)];
    let tops = [scene.rest.source[other_top].position, scene.rest.target[top].position];
    let differ = ((rests[1] - tops[1]) - k * (rests[0] - tops[0])).with_z(0.0);
    let heights = [rests[0].z - floors[0], rests[1].z - floors[1]];
    let forward = scene.target.forward;
    let mut facing = DQuat::IDENTITY;
    let mut places = Vec::with_capacity(scene.clip.frame_count());
    for frame in 0..scene.clip.frame_count() {
        let source = scene.source_pose(frame);
        let hip = poses.place(scene, frame)[top].position;
        facing = heading(scene.source_turn(&source, scene.map.source_pelvis), forward, facing);
        let at = other.place(&source);
        let level = hip + k * (at - source[other_top].position) + facing * differ;
        places.push(level.with_z(heights[1] + k * (at.z - heights[0])));
    }
    Some(LimbGoals { places, ..LimbGoals::default() })
}

/// Points of the sole in every frame, with the effector at its goal.
fn sole_points(scene: &Scene, poses: &Poses, pair: &LimbPair, goals: &[DVec3]) -> Option<Vec<Vec<DVec3>>> {
    let (foot, effector) = (pair.target.foot.as_ref()?, pair.target.effector?);
    let points = goals.iter().enumerate().map(|(frame, goal)| {
        let placed = poses.place(scene, frame);
        let by = *goal - effector.place(&placed);
        foot.sole.iter().map(|p| placed[p.joint].place(p.local) + by).collect()
    });
    Some(points.collect())
}
