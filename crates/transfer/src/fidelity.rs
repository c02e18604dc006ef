//! How much a performance looks like its drawing, in numbers that do not depend on the size of the figure.
//!
//! Lengths are in percent of the figure's size: its height in the rest pose, or half its length where that is more (a snake, a crocodile). A
//! viewer follows the figure with his eyes, so poses are compared where the figure is: the target is moved along the ground and turned about
//! the vertical until centre of mass and heading agree. How far it has come is a figure of its own, `travel_off_percent`.

use crate::ground::{lowest_of, lowest_point};
use crate::metrics::Metrics;
use crate::performance::Performance;
use crate::target::{FRAME_SECS, Target};
use serde::{Deserialize, Serialize};
use sinew_sim::{ContactReading, JointKind, Measured, Model, Touched, rotation};

/// Time over which a moment is judged, s: shorter lapses are not seen.
const MOMENT_SECS: f64 = 0.25;
/// A body of the target that is never this near to the ground, over the size, around a moment does not stand there.
const CLEAR_SHARE: f64 = 0.06;
/// Time on both sides of a moment in which it may have stood, s.
const AROUND_SECS: f64 = 0.15;
/// A figure flies where its lowest point is higher than this, over the size.
const FLYING_SHARE: f64 = 0.02;
/// A flight shorter than this is not seen as one: a hair's breadth between two steps, s.
const SHORTEST_FLIGHT_SECS: f64 = 0.075;

/// Figures of a performance beside its target; all of them are zero where it does exactly what was drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fidelity {
    /// Mean distance of the end effectors from where they were drawn, %.
    pub effectors_off_percent: f64,
    /// Mean distance of the bodies' centres and of the end effectors where the figure is: without how far it has travelled and turned, %.
    pub pose_off_percent: f64,
    /// Mean angle between the joints and how they were drawn, degrees.
    pub joints_off_deg: f64,
    /// Mean angle by which the root is tilted against the drawing, degrees.
    pub tilt_off_deg: f64,
    /// Distance along the ground from where the centre of mass was to be at the end, %.
    pub travel_off_percent: f64,
    /// Length of the way of the drawing's centre of mass along the ground, %.
    #[serde(default)]
    pub drawn_way_percent: f64,
    /// Mean way that a foot slides in one contact, %.
    pub skate_percent: f64,
    /// Deepest that a body sinks into the ground, %.
    pub depth_percent: f64,
    /// Time in the air, s.
    pub air_secs: f64,
    /// Time in the air of the drawing, s.
    pub drawn_air_secs: f64,
    /// Share of the weight, over the whole time, that rests on bodies that are drawn off the ground, %.
    pub leaning_percent: f64,
    /// The body that most of that rests on.
    pub leans_on: Option<String>,
    /// Size that lengths are compared with, m.
    pub size_m: f64,
    /// The worst quarter of a second.
    pub worst: Moment,
}

/// The worst of each figure over a quarter of a second, and when the pose was furthest off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// When, s.
    pub at_secs: f64,
    /// Largest mean distance of bodies and end effectors where the figure is, %.
    pub pose_off_percent: f64,
    /// Largest mean tilt of the root, degrees.
    pub tilt_off_deg: f64,
    /// Largest share of the weight on bodies that are drawn off the ground, %.
    pub leaning_percent: f64,
    /// Largest mean distance of the farthest end effector where the figure is: an arm that hangs, a foot that stays behind, %.
    #[serde(default)]
    pub limb_off_percent: f64,
    /// Largest mean angle about the vertical between the root and the drawing, degrees.
    #[serde(default)]
    pub heading_off_deg: f64,
}

/// What is measured of one frame.
struct Frame {
    effectors_off: f64,
    pose_off: f64,
    joints_off: f64,
    tilt: f64,
    leaning: f64,
    limb_off: f64,
    heading: f64,
}

impl Fidelity {
    /// Measures a performance against its target, until it ends or falls.
    pub fn new(target: &Target, run: &Performance, metrics: &Metrics) -> Fidelity {
        let model = &target.model;
        let size = target.size;
        let percent = 100.0 / size;
        let leaning = Leaning::of(target, run, size);
        let count = run.frames().min(run.fell_at.map_or(usize::MAX, |frame| frame + 1));
        let frames: Vec<Frame> = (0..count).map(|f| frame(target, run, f, leaning.shares[f])).collect();
        let mean = |of: &dyn Fn(&Frame) -> f64| frames.iter().map(of).sum::<f64>() / count.max(1) as f64;
        let (_, tilt) = worst(&frames, &|f| f.tilt);
        let (_, leaned) = worst(&frames, &|f| f.leaning);
        let (at, pose) = worst(&frames, &|f| f.pose_off);
        let (_, limb) = worst(&frames, &|f| f.limb_off);
        let (_, heading) = worst(&frames, &|f| f.heading);
        let air_secs = flight_secs(model, (0..count).map(|f| &run.at_frame(f).position[..]), size);
        let drawn_air_secs = flight_secs(model, (0..count).map(|f| target.position(f)), size);
        Fidelity {
            effectors_off_percent: percent * mean(&|f| f.effectors_off),
            pose_off_percent: percent * mean(&|f| f.pose_off),
            joints_off_deg: mean(&|f| f.joints_off).to_degrees(),
            tilt_off_deg: mean(&|f| f.tilt).to_degrees(),
            travel_off_percent: percent * travel_off(target, run, count.saturating_sub(1)),
            drawn_way_percent: percent * drawn_way(target, count),
            skate_percent: percent * metrics.foot_skate,
            depth_percent: percent * metrics.max_penetration,
            air_secs,
            drawn_air_secs,
            leaning_percent: 100.0 * mean(&|f| f.leaning),
            leans_on: leaning.body.map(|body| model.bodies()[body].name.clone()),
            size_m: size,
            worst: Moment {
                at_secs: at as f64 * FRAME_SECS,
                pose_off_percent: percent * pose,
                tilt_off_deg: tilt.to_degrees(),
                leaning_percent: 100.0 * leaned,
                limb_off_percent: percent * limb,
                heading_off_deg: heading.to_degrees(),
            },
        }
    }
}

/// Height of the figure in its rest pose, or half its length along the ground where that is more, m.
pub fn size(model: &Model) -> f64 {
    let still = vec![0.0; model.velocity_count()];
    let measured = Measured::new(model, model.rest_position(), &still, [0.0; 3]);
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for (body, motion) in model.bodies().iter().zip(&measured.bodies) {
        for (center, radius) in crate::ground::balls_of(body) {
            let place = motion.place(center);
            for k in 0..3 {
                low[k] = low[k].min(place[k] - radius);
                high[k] = high[k].max(place[k] + radius);
            }
        }
    }
    let [x, y, z] = [0, 1, 2].map(|k| (high[k] - low[k]).max(0.0));
    z.max(0.5 * x.max(y)).max(1e-6)
}

fn frame(target: &Target, run: &Performance, index: usize, leaning: f64) -> Frame {
    let model = &target.model;
    let moment = run.at_frame(index);
    let measured = Measured::new(model, &moment.position, &moment.velocity, [0.0; 3]);
    let drawn = Measured::new(model, target.position(index), target.velocity(index), [0.0; 3]);
    let turn = heading_between(target, target.position(index), &moment.position);
    // Where a point of the drawing would be if it were where the figure is.
    let (here, there) = (measured.center_of_mass, drawn.center_of_mass);
    let brought = |point: [f64; 3]| {
        let arm = turned([0, 1, 2].map(|k| point[k] - there[k]), turn);
        [here[0] + arm[0], here[1] + arm[1], there[2] + arm[2]]
    };
    let points = |m: &Measured| -> Vec<[f64; 3]> {
        m.bodies.iter().map(|body| body.center_of_mass).chain(m.end_effectors.iter().copied()).collect()
    };
    let pose = points(&measured).into_iter().zip(points(&drawn)).map(|(is, to_be)| distance(is, brought(to_be)));
    let limbs =
        measured.end_effectors.iter().zip(&drawn.end_effectors).map(|(is, to_be)| distance(*is, brought(*to_be)));
    let limb_off = limbs.fold(0.0, f64::max);
    let ends = measured.end_effectors.iter().zip(&drawn.end_effectors).map(|(is, to_be)| distance(*is, *to_be));
    let (joints_off, tilt) = angles(target, &moment.position, index);
    let heading = turn.abs().min(std::f64::consts::TAU - turn.abs());
    Frame { effectors_off: mean(ends), pose_off: mean(pose), joints_off, tilt, leaning, limb_off, heading }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

/// Mean angle between the driven joints and the drawing's, and the tilt of the root against it, rad.
fn angles(target: &Target, position: &[f64], frame: usize) -> (f64, f64) {
    let model = &target.model;
    let mut way = vec![0.0; model.velocity_count()];
    model.difference(position, target.position(frame), &mut way);
    let driven = model.joints().iter().filter(|j| matches!(j.kind, JointKind::Hinge | JointKind::Ball));
    let (mut sum, mut count) = (0.0, 0usize);
    for joint in driven {
        let turn = &way[joint.velocity_index..][..joint.kind.velocity_count()];
        sum += turn.iter().map(|x| x * x).sum::<f64>().sqrt();
        count += 1;
    }
    let tilt = match target.dofs.has_free_root {
        true => libm::acos(crate::cost::tilt_cosine(&position[3..7], &target.position(frame)[3..7]).clamp(-1.0, 1.0)),
        false => 0.0,
    };
    (sum / count.max(1) as f64, tilt)
}

/// Angle about the vertical from one pose's root to another's, rad: the twist of `b a⁻¹` about z.
fn heading_between(target: &Target, a: &[f64], b: &[f64]) -> f64 {
    if !target.dofs.has_free_root {
        return 0.0;
    }
    let inverse = [a[3], -a[4], -a[5], -a[6]];
    let [w, _, _, z] = rotation::quaternion_product([b[3], b[4], b[5], b[6]], inverse);
    2.0 * libm::atan2(z, w)
}

fn turned([x, y, z]: [f64; 3], angle: f64) -> [f64; 3] {
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    [cos * x - sin * y, sin * x + cos * y, z]
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt()
}

/// Distance of the centre of mass along the ground from where it was drawn at a frame, m.
fn travel_off(target: &Target, run: &Performance, frame: usize) -> f64 {
    let moment = run.at_frame(frame);
    let center = |q: &[f64], v: &[f64]| Measured::new(&target.model, q, v, [0.0; 3]).center_of_mass;
    let [x, y, _] = center(&moment.position, &moment.velocity);
    let [drawn_x, drawn_y, _] = center(target.position(frame), target.velocity(frame));
    libm::hypot(x - drawn_x, y - drawn_y)
}

/// Length of the way of the drawing's centre of mass along the ground over so many frames, m.
fn drawn_way(target: &Target, count: usize) -> f64 {
    let place = |frame: usize| target.observation(frame).center();
    let step = |frame: usize| {
        let ([x, y, _], [before_x, before_y, _]) = (place(frame), place(frame - 1));
        libm::hypot(x - before_x, y - before_y)
    };
    (1..count).map(step).sum()
}

/// The frame in the middle of the [`MOMENT_SECS`] in which a figure is largest in the mean, and that mean.
fn worst(frames: &[Frame], of: &dyn Fn(&Frame) -> f64) -> (usize, f64) {
    let length = ((MOMENT_SECS / FRAME_SECS).round() as usize).clamp(1, frames.len().max(1));
    let means = frames.windows(length).map(|w| w.iter().map(of).sum::<f64>() / length as f64);
    let largest = means.enumerate().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    largest.map_or((0, 0.0), |(first, mean)| (first + length / 2, mean))
}

/// Time in flights, s: while the lowest point of all poses is clear of the ground, for long enough to be seen.
fn flight_secs<'a>(model: &Model, poses: impl Iterator<Item = &'a [f64]>, size: f64) -> f64 {
    if model.scene().ground.is_none() {
        return 0.0;
    }
    let (mut sum, mut span) = (0.0, 0usize);
    let flies = poses.map(|position| lowest_point(model, position) > FLYING_SHARE * size);
    for flies in flies.chain([false]) {
        if flies {
            span += 1;
            continue;
        }
        let secs = span as f64 * FRAME_SECS;
        sum += if secs >= SHORTEST_FLIGHT_SECS { secs } else { 0.0 };
        span = 0;
    }
    sum
}

/// Weight that rests on bodies that the drawing keeps off the ground and that are no feet: a figure that lies on its arms, a horse on its belly.
struct Leaning {
    /// Share of the weight at each frame.
    shares: Vec<f64>,
    /// The body that most of it rests on.
    body: Option<usize>,
}

impl Leaning {
    fn of(target: &Target, run: &Performance, size: f64) -> Leaning {
        let model = &target.model;
        let clear = clear_bodies(target, run.frames(), CLEAR_SHARE * size);
        let feet = feet(model, CLEAR_SHARE * size);
        let weight = model.weight().max(1e-9);
        let mut on_body = vec![0.0; model.bodies().len()];
        let mut shares = vec![0.0; run.frames()];
        for (step, moment) in run.moments.iter().enumerate().skip(1) {
            let frame = ((step - 1) / run.steps_per_frame).min(shares.len() - 1);
            let leans = |c: &&ContactReading| c.other == Touched::Ground && clear[frame][c.body] && !feet[c.body];
            for contact in moment.contacts.iter().filter(leans) {
                let share = contact.force[2].max(0.0) / weight / run.steps_per_frame as f64;
                shares[frame] += share;
                on_body[contact.body] += share;
            }
        }
        // A knock is no more than a body that bears all the weight.
        shares.iter_mut().for_each(|share| *share = share.min(1.0));
        let most = (0..on_body.len()).max_by(|&a, &b| on_body[a].total_cmp(&on_body[b]).then(b.cmp(&a)));
        Leaning { shares, body: most.filter(|&body| on_body[body] > 0.0) }
    }
}

/// Bodies that stand on the ground in the rest pose: where the drawing hovers or steps at another time, they still may.
fn feet(model: &Model, height: f64) -> Vec<bool> {
    let ground = model.scene().ground.map_or(f64::NEG_INFINITY, |ground| ground.height);
    let measured = Measured::new(model, model.rest_position(), &vec![0.0; model.velocity_count()], [0.0; 3]);
    let bodies = model.bodies().iter().zip(&measured.bodies);
    bodies.map(|(body, motion)| lowest_of(body, motion).is_some_and(|p| p[2] - ground < height)).collect()
}

/// For each frame, which bodies the drawing keeps off the ground around it.
fn clear_bodies(target: &Target, frames: usize, height: f64) -> Vec<Vec<bool>> {
    let model = &target.model;
    let ground = model.scene().ground.map_or(f64::NEG_INFINITY, |ground| ground.height);
    let is_clear = |frame: usize| -> Vec<bool> {
        let measured = Measured::new(model, target.position(frame), target.velocity(frame), [0.0; 3]);
        let bodies = model.bodies().iter().zip(&measured.bodies);
        bodies.map(|(body, motion)| lowest_of(body, motion).is_none_or(|p| p[2] - ground > height)).collect()
    };
    let each: Vec<Vec<bool>> = (0..frames).map(is_clear).collect();
    let around = (AROUND_SECS / FRAME_SECS).round() as usize;
    let all_around = |frame: usize| -> Vec<bool> {
        let span = &each[frame.saturating_sub(around)..(frame + around + 1).min(frames)];
        (0..model.bodies().len()).map(|body| span.iter().all(|clear| clear[body])).collect()
    };
    (0..frames).map(all_around).collect()
}

#[cfg(test)]
#[path = "fidelity_tests.rs"]
mod tests;
