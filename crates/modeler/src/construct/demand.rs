//! The torque that each joint needs in the clips, by inverse dynamics.
//!
//! With `c` the centre of a body, `m` its mass and `L = I ω` its spin, Newton's and Euler's laws ask for the force `f = m (c̈ − g)` and the moment
//! `(c − p) × f + L̇` about a point `p`. A joint at `p` gives what all that hangs on it asks for, less what the ground gives to it:
//! `τ = Σ_sub [(c − p) × f + L̇] − Σ_ground (s − p) × w F`, with `F = Σ f` of the whole figure and `w` the share of a place at `s`.
//! The shares are the smallest change of equal ones that puts the common centre of pressure where the whole figure's moment asks for it.
//! Where the soles that stand do not reach it, as in who lies, sits or crawls, whatever else is low bears too.
//!
//! Velocities are differences over `h = 0.1 √(height / g)`, which is 0.04 s for a human: key-frames have corners, and capture trembles.
//! A figure in the air gets no force from the ground, however it was drawn.

use super::draft::{Part, Plan};
use super::slow_stances::sole_corners;
use super::strength::Lump;
use glam::{DMat3, DQuat, DVec2, DVec3};
use sinew_motion::Clip;
use sinew_sim::{Joint, JointKind, Shape};

const GRAVITY: f64 = sinew_sim::STANDARD_GRAVITY;
/// Most frames that are looked at.
const MOST_FRAMES: usize = 3000;
/// Half the time over which velocities change, in `√(height / g)`.
const HALF_WINDOW: f64 = 0.1;
/// What is within this share of the height of the lowest point stands.
const STANDS: f64 = 0.03;
/// The ground bears a figure that asks for this share of its weight.
const BORNE: f64 = 0.2;
/// Share of a clip's frames whose torques are left out: the peaks of a drawing's corners.
const PEAKS: f64 = 0.02;

/// Where a body is, how it is turned from the stance, and what it asks for.
struct Moving {
    origin: DVec3,
    turn: DQuat,
    center: DVec3,
    force: DVec3,
    spin: DVec3,
}

/// Where a part may touch the ground: the middle of a sole and half its length, or a point of a shape.
struct Touch {
    part: usize,
    middle: DVec3,
    reach: f64,
    lowest: f64,
    is_sole: bool,
}

/// For each part the largest torque of its joint in the clips, N·m; 0 where they say nothing.
pub(super) fn demands(plan: &Plan, parts: &[Part], lumps: &[Lump], joints: &[Joint], clips: &[Clip]) -> Vec<f64> {
    let mut needed = vec![0.0f64; parts.len()];
    let corners = sole_corners(parts);
    let weight = GRAVITY * lumps.iter().map(|l| l.mass).sum::<f64>();
    let frames: usize = clips.iter().map(Clip::frame_count).sum();
    let stride = frames.div_ceil(MOST_FRAMES).max(1);
    for clip in clips {
        let half = HALF_WINDOW * libm::sqrt(plan.stance.height / GRAVITY) * clip.rate_hz;
        let half = (libm::round(half) as usize).max(1);
        if clip.frame_count() < 2 * half + 1 {
            continue;
        }
        let mut found: Vec<Vec<f64>> = vec![Vec::new(); parts.len()];
        for frame in (half..clip.frame_count() - half).step_by(stride) {
            let at = [frame - half, frame, frame + half].map(|f| place(plan, parts, lumps, clip, f));
            let bodies = asked(&at, lumps, half as f64 / clip.rate_hz);
            let touches = touches(plan, &corners, parts, clip, frame);
            for (index, torque) in
                torques(parts, joints, &bodies, &touches, weight, plan.stance.height).into_iter().enumerate()
            {
                found[index].push(torque);
            }
        }
        for (index, torques) in found.iter_mut().enumerate() {
            torques.sort_by(f64::total_cmp);
            let last = torques.len().saturating_sub(1 + (PEAKS * torques.len() as f64) as usize);
            needed[index] = needed[index].max(torques.get(last).copied().unwrap_or(0.0));
        }
    }
    needed
}

/// Origin, turn from the stance and centre of each part.
fn place(plan: &Plan, parts: &[Part], lumps: &[Lump], clip: &Clip, frame: usize) -> Vec<(DVec3, DQuat, DVec3)> {
    let placed = clip.place(plan.skeleton, frame);
    let of = |(part, lump): (&Part, &Lump)| {
        let (now, stance) = (&placed[part.joint], &plan.stance.placed[part.joint]);
        let turn =
            (now.orientation * (plan.turns[part.joint] * plan.bind[part.joint].orientation).inverse()).normalize();
        (now.position, turn, now.position + turn * (lump.center - stance.position))
    };
    parts.iter().zip(lumps).map(of).collect()
}

/// What each body's motion through three moments, `step` seconds apart, asks for.
fn asked(at: &[Vec<(DVec3, DQuat, DVec3)>; 3], lumps: &[Lump], step: f64) -> Vec<Moving> {
    let [before, now, after] = at;
    let body = |index: usize| {
        let (lump, (origin, turn, center)) = (&lumps[index], now[index]);
        let acceleration = (after[index].2 - 2.0 * center + before[index].2) / (step * step);
        let rate = |from: DQuat, to: DQuat| {
            let change = (to * from.inverse()).normalize();
            crate::frames::rotation_vector(if change.w < 0.0 { -change } else { change }) / step
        };
        let (first, second) = (rate(before[index].1, turn), rate(turn, after[index].1));
        let turned = DMat3::from_quat(turn);
        let inertia = turned * lump.inertia * turned.transpose();
        let mean = 0.5 * (first + second);
        let spin = inertia * ((second - first) / step) + mean.cross(inertia * mean);
        Moving { origin, turn, center, force: lump.mass * (acceleration + GRAVITY * DVec3::Z), spin }
    };
    (0..lumps.len()).map(body).collect()
}

/// A part, a place on it, and the share of the load that it bears there.
type Loads = Vec<(usize, DVec3, f64)>;

/// Where the parts may touch the ground in a frame.
fn touches(plan: &Plan, corners: &[(usize, DVec3)], parts: &[Part], clip: &Clip, frame: usize) -> Vec<Touch> {
    let placed = clip.place(plan.skeleton, frame);
    let mut touches = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let place = |point: DVec3| placed[part.joint].place(plan.bind[part.joint].orientation.inverse() * point);
        let sole: Vec<DVec3> = corners.iter().filter(|c| c.0 == part.joint).map(|c| place(c.1)).collect();
        if sole.is_empty() {
            let points = part.shapes.iter().flat_map(ends);
            touches.extend(points.map(|(end, radius)| {
                let middle = place(end) - radius * DVec3::Z;
                Touch { part: index, middle, reach: 0.0, lowest: middle.z, is_sole: false }
            }));
            continue;
        }
        let middle = sole.iter().sum::<DVec3>() / sole.len() as f64;
        let reach = sole.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
        let lowest = sole.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        touches.push(Touch { part: index, middle, reach, lowest, is_sole: true });
    }
    touches
}

/// The points of a shape that can be its lowest, each with the radius around it.
fn ends(shape: &Shape) -> Vec<(DVec3, f64)> {
    match *shape {
        Shape::Sphere { center, radius } => vec![(DVec3::from_array(center), radius)],
        Shape::Capsule { from, to, radius } => [from, to].map(|p| (DVec3::from_array(p), radius)).to_vec(),
        Shape::Box { center, half_extents: [x, y, z], orientation } => {
            let (center, turn) = (DVec3::from_array(center), crate::frames::quaternion(orientation));
            let signs = |i: usize| [1, 2, 4].map(|bit| if i & bit == 0 { -1.0 } else { 1.0 });
            let corner = |i: usize| center + turn * (DVec3::from_array(signs(i)) * DVec3::new(x, y, z));
            (0..8).map(|i| (corner(i), 0.0)).collect()
        }
    }
}

/// The torque of each joint.
fn torques(
    parts: &[Part],
    joints: &[Joint],
    bodies: &[Moving],
    touches: &[Touch],
    weight: f64,
    height: f64,
) -> Vec<f64> {
    let total: DVec3 = bodies.iter().map(|b| b.force).sum();
    let ground = pressed(bodies, touches, total, weight, height);
    // What everything that hangs on a joint asks for, as a force and a moment about the world's origin.
    let mut load: Vec<(DVec3, DVec3)> = bodies.iter().map(|b| (b.force, b.center.cross(b.force) + b.spin)).collect();
    for &(part, point, share) in &ground {
        let force = share * total;
        load[part].0 -= force;
        load[part].1 -= point.cross(force);
    }
    for index in (1..parts.len()).rev() {
        let parent = parts[index].parent.expect("not the root");
        let (force, moment) = load[index];
        load[parent].0 += force;
        load[parent].1 += moment;
    }
    let torque = |index: usize| {
        let Some(parent) = parts[index].parent else { return 0.0 };
        let (force, moment) = load[index];
        let torque = moment - bodies[index].origin.cross(force);
        match (joints[index].kind, joints[index].axis) {
            (JointKind::Hinge, Some(axis)) => torque.dot(bodies[parent].turn * DVec3::from_array(axis)).abs(),
            _ => torque.length(),
        }
    };
    (0..parts.len()).map(torque).collect()
}

/// Where the ground bears which parts with which share of the whole force.
fn pressed(bodies: &[Moving], touches: &[Touch], total: DVec3, weight: f64, height: f64) -> Loads {
    let low = touches.iter().map(|t| t.lowest).fold(f64::INFINITY, f64::min);
    let standing: Vec<&Touch> = touches.iter().filter(|t| t.lowest < low + STANDS * height).collect();
    if standing.is_empty() || total.z < BORNE * weight {
        return Vec::new();
    }
    // The centre of pressure: where the moment of the whole has no level part.
    let moment: DVec3 = bodies.iter().map(|b| (b.center - low * DVec3::Z).cross(b.force) + b.spin).sum();
    let wanted = DVec2::new(-moment.y, moment.x) / total.z;
    let soles: Vec<&Touch> = standing.iter().copied().filter(|t| t.is_sole).collect();
    let feet = shared(&soles, wanted, height);
    match feet {
        Some((pressed, rest)) if rest <= STANDS * height => pressed,
        _ => shared(&standing, wanted, height).map_or_else(Vec::new, |(pressed, _)| pressed),
    }
}

/// The load on each of the touching places with the common centre nearest to `wanted`, and how far it stays off.
fn shared(standing: &[&Touch], wanted: DVec2, height: f64) -> Option<(Loads, f64)> {
    let count = standing.len() as f64;
    let level = |t: &Touch| t.middle.truncate();
    let mean = standing.iter().map(|t| level(t)).sum::<DVec2>() / count;
    // w = 1/n + (s − s̄)·μ,  (Σ (s − s̄)(s − s̄)ᵀ + ε) μ = p − s̄
    let softness = 1e-5 * height * height;
    let [mut xx, mut yy, mut xy] = [softness, softness, 0.0];
    for d in standing.iter().map(|t| level(t) - mean) {
        xx += d.x * d.x;
        yy += d.y * d.y;
        xy += d.x * d.y;
    }
    let (off, det) = (wanted - mean, xx * yy - xy * xy);
    let slope = DVec2::new(yy * off.x - xy * off.y, xx * off.y - xy * off.x) / det;
    let mut shares: Vec<f64> = standing.iter().map(|t| (1.0 / count + (level(t) - mean).dot(slope)).max(0.0)).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    // Each sole bears where it is nearest to what the shares leave over.
    let reached: DVec2 = standing.iter().zip(&shares).map(|(t, w)| *w * level(t)).sum();
    let rest = wanted - reached;
    let point = |t: &Touch| (level(t) + rest.clamp_length_max(t.reach)).extend(t.lowest);
    let pressed: Vec<_> = standing.iter().zip(&shares).map(|(t, share)| (t.part, point(t), *share)).collect();
    let left = pressed.iter().fold(wanted, |left, (_, at, share)| left - *share * at.truncate()).length();
    left.is_finite().then_some((pressed, left))
}

#[cfg(test)]
#[path = "demand_tests.rs"]
mod tests;
