//! Whether a character can stand, bear itself and follow its clips, before hours are spent on it.

use crate::ModelerError;
use crate::cover::Cover;
use crate::figure::rest_poses;
use crate::frames::{angle_of, quaternion};
use crate::mend::Mend;
use crate::sides::counterpart;
use glam::DVec3;
use serde::Serialize;
use sinew_sim::mass_properties::of_body;
use sinew_sim::{
    Batch, BatchOptions, Character, FallRule, Heights, JointKind, Model, STANDARD_GRAVITY, Scene, Shape, Status,
};
use std::sync::Arc;

/// How a character is tried.
#[derive(Clone, Debug, PartialEq)]
pub struct PreflightOptions {
    /// Pose to hold, as `qpos`; absent: the rest pose.
    pub start: Option<Vec<f64>>,
    /// How long it is to stand, s.
    pub duration_secs: f64,
    /// Time step, s.
    pub dt: f64,
    /// Least height of the centre of mass at the end, over that at the start.
    pub least_height: f64,
    /// Largest turn of the root from its start, rad.
    pub largest_tilt: f64,
    /// How far beyond a limit a pose of a clip may be, rad.
    pub limit_tolerance: f64,
}

impl Default for PreflightOptions {
    fn default() -> Self {
        PreflightOptions {
            start: None,
            duration_secs: 3.0,
            dt: 1.0 / 600.0,
            least_height: 0.9,
            largest_tilt: 0.35,
            limit_tolerance: 0.02,
        }
    }
}

impl PreflightOptions {
    /// When a character does not stand: its centre of mass has sunk, or its root has turned, whichever way.
    pub fn fall_rule(&self) -> FallRule {
        let tilt_cosine = Some(libm::cos(self.largest_tilt));
        FallRule { center: Some(self.least_height), tilt_cosine, ..FallRule::NONE }
    }
}

/// Soles that are not quite level come down within this time, s.
const SETTLING_SECS: f64 = 0.125;
/// Bones of the two sides may differ by this share: those of performers who were captured do by up to an eighth.
const SIDE_LENGTHS: f64 = 0.2;

/// A clip as the character's own coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipPoses {
    /// Name of the clip.
    pub name: String,
    /// `qpos` of each frame.
    pub poses: Vec<Vec<f64>>,
}

/// What the trial found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Preflight {
    /// Whether nothing is wrong.
    pub ok: bool,
    /// Whether it holds its pose.
    pub stands: bool,
    /// What is wrong and what to change, one sentence each.
    pub problems: Vec<String>,
    /// What looks wrong but need not be, one sentence each.
    pub warnings: Vec<String>,
    /// Mass of the character, kg.
    pub mass: f64,
    /// Height of the centre of mass at the start, m.
    pub center_of_mass_height: f64,
    /// The centre of mass along the ground, once its soles have come down, m.
    #[serde(skip)]
    pub center_of_mass: [f64; 2],
    /// The middle of the polygon on which it stands, m.
    #[serde(skip)]
    pub support_center: Option<[f64; 2]>,
    /// Bodies that touch the ground.
    #[serde(skip)]
    pub standing_on: Vec<String>,
    /// Largest torque that takes what a joint carries, when level, over the joint's limit.
    #[serde(skip)]
    pub largest_load: f64,
    /// Height of the centre of mass at the end over that at the start.
    pub height_kept: f64,
    /// Turn of the root from start to end, rad.
    pub tilt: f64,
    /// Distance of the centre of mass from the edge of the support, m; negative: outside. `None` where nothing touches the ground.
    pub support_margin: Option<f64>,
    /// Area of the support, m².
    pub support_area: f64,
    /// Largest torque while standing over the joint's limit, and the joint.
    pub largest_effort: Option<(f64, String)>,
    /// For each clip, the largest angle beyond a limit, rad, and the joint.
    pub clip_excess: Vec<(String, f64, String)>,
    /// One edit that would mend it, where something is wrong and one was looked for: see [`crate::mend()`].
    pub mend: Option<Mend>,
}

/// Lets a character hold its pose on flat ground and looks at it.
///
/// An error means that the character or the pose is none; everything else is a problem in the answer.
pub fn preflight(
    character: &Character,
    clips: &[ClipPoses],
    options: &PreflightOptions,
) -> Result<Preflight, ModelerError> {
    character.validate()?;
    let refuse = |problem: String| ModelerError::refused(format!("character {:?}", character.name), problem);
    let scene = Scene::on_ground(Character { origin: None, ..character.clone() });
    let model = Arc::new(Model::new(&scene, options.dt).map_err(|e| refuse(e.to_string()))?);
    let start = options.start.clone().unwrap_or_else(|| model.rest_position().to_vec());
    if start.len() != model.position_count() || start.iter().any(|x| !x.is_finite()) {
        return Err(refuse(format!(
            "the pose to hold has {} numbers, but its qpos holds {} finite ones; lay the clip onto this character again",
            start.len(),
            model.position_count()
        )));
    }
    let mut found = Preflight {
        ok: false,
        stands: true,
        problems: Vec::new(),
        warnings: Vec::new(),
        mass: model.total_mass(),
        center_of_mass_height: 0.0,
        center_of_mass: [0.0; 2],
        support_center: None,
        standing_on: Vec::new(),
        largest_load: 0.0,
        height_kept: 1.0,
        tilt: 0.0,
        support_margin: None,
        support_area: 0.0,
        largest_effort: None,
        clip_excess: Vec::new(),
        mend: None,
    };
    if !character.joints.iter().any(|j| matches!(j.kind, JointKind::Hinge | JointKind::Ball)) {
        found.problems.push(
            "Nothing can move it: it is one body, or all its joints are welds; take clips that move its joints, or make some hinges or balls."
                .into(),
        );
    }
    compare_sides(character, &mut found);
    stand(&model, &start, options, &mut found)?;
    lift(character, &mut found);
    check_clips(&model, clips, options, &mut found);
    found.ok = found.problems.is_empty();
    Ok(found)
}

impl Preflight {
    /// Warns of bodies that miss their skin, in one sentence.
    pub fn look_at_skin(&mut self, cover: &Cover) {
        let missed = cover.missed();
        let Some(worst) = missed.first() else { return };
        let covered = worst.covered.map_or(String::new(), |c| format!("covers {:.0} % of its skin and ", 100.0 * c));
        let others = match &missed[1..] {
            [] => String::new(),
            [one] => format!("; so does {:?}", one.body),
            more => format!("; so do {} more, {:?} first", more.len(), more[0].body),
        };
        self.warnings.push(format!(
            "Body {:?} misses its skin: it {covered}lies {:.0} % outside{others}; move or resize its shapes.",
            worst.body,
            100.0 * worst.outside
        ));
    }
}

/// Holds the pose, then compares heights, tilt and torques.
fn stand(
    model: &Arc<Model>,
    start: &[f64],
    options: &PreflightOptions,
    found: &mut Preflight,
) -> Result<(), ModelerError> {
    let failed = |e: sinew_sim::BatchError| ModelerError::refused("trial", e.to_string());
    let one_thread = BatchOptions { threads: 1, ..BatchOptions::default() };
    let mut batch = Batch::new(model, 1, one_thread).map_err(failed)?;
    batch.world_mut(0).set_position(start);
    batch.world_mut(0).set_target(start);
    let before = batch.world(0).measure();
    found.center_of_mass_height = before.center_of_mass[2];

    let steps = (options.duration_secs / options.dt).round().clamp(1.0, 1e5) as usize;
    let settled = ((SETTLING_SECS / options.dt) as usize).min(steps - 1);
    let mut efforts = vec![0.0f64; model.joints().len()];
    for step in 0..steps {
        if step == settled {
            // Soles that are not quite level have come down by now.
            support(model, &batch.world(0).measure(), found);
        }
        batch.step(1);
        // The first instants settle the contacts.
        if 4 * step > steps {
            let torques = batch.world(0).torques();
            for (effort, joint) in efforts.iter_mut().zip(model.joints()) {
                let count = joint.kind.velocity_count();
                let slots = &torques[joint.velocity_index..joint.velocity_index + count];
                let torque = slots.iter().map(|t| t * t).sum::<f64>().sqrt();
                *effort = effort.max(joint.torque_limit.map_or(0.0, |limit| torque / limit));
            }
        }
    }
    let world = batch.world(0);
    let problems = &mut found.problems;
    if let Status::Diverged { step, joint } = world.status() {
        let (secs, joint) = (step as f64 * options.dt, plain(&joint));
        found.stands = false;
        problems.push(format!("It falls apart after {secs:.2} s at joint {joint:?}; lower that joint's kp, or raise the mass of what it carries."));
        return Ok(());
    }
    let after = world.measure();
    found.height_kept = after.center_of_mass[2] / before.center_of_mass[2].max(1e-9);
    let (first, last) = (before.bodies[0].orientation, after.bodies[0].orientation);
    found.tilt = angle_of(quaternion(first).inverse() * quaternion(last));
    let heights = |center: f64| Heights { root: f64::NAN, center, top: None };
    let [before, after] = [&before, &after].map(|measured| heights(measured.center_of_mass[2]));
    if options.fall_rule().has_fallen(&after, &before, libm::cos(found.tilt)) {
        found.stands = false;
        problems.push(format!(
            "It does not stand: after {:.1} s its centre of mass is at {:.0} % of its height and its root has turned {:.0}°; \
             widen its feet, move its mass over them, or raise kp of its legs.",
            options.duration_secs,
            100.0 * found.height_kept,
            found.tilt.to_degrees()
        ));
    }
    let most = (0..efforts.len()).max_by(|&a, &b| efforts[a].total_cmp(&efforts[b]));
    found.largest_effort = most.map(|i| (efforts[i], plain(&model.joints()[i].name).to_owned()));
    if let Some((effort, joint)) = &found.largest_effort
        && *effort >= 0.98
    {
        problems.push(format!("Joint {joint:?} needs all its torque to hold the pose; raise its torque_limit."));
    }
    Ok(())
}

/// Name without the character's.
fn plain(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Where the mass is over the polygon of all shape points within a centimetre of the ground.
fn support(model: &Model, measured: &sinew_sim::Measured, found: &mut Preflight) {
    let mut points: Vec<[f64; 2]> = Vec::new();
    let mut low = f64::INFINITY;
    for (body, motion) in model.bodies().iter().zip(&measured.bodies) {
        let below = body.shapes.iter().flat_map(|s| bottom_points(s, |x| DVec3::from_array(motion.place(x))));
        let before = points.len();
        for p in below {
            low = low.min(p.z);
            if p.z < 0.01 {
                points.push([p.x, p.y]);
            }
        }
        if points.len() > before {
            found.standing_on.push(plain(&body.name).to_owned());
        }
    }
    if points.is_empty() {
        found
            .problems
            .push(format!("Nothing touches the ground: its lowest point is {low:.3} m above; lower the root joint."));
        return;
    }
    if low < -0.02 {
        found.problems.push(format!("It starts {:.3} m inside the ground; raise the root joint.", -low));
    }
    let hull = convex_hull(points);
    let [x, y, _] = measured.center_of_mass;
    found.center_of_mass = [x, y];
    found.support_center = Some([0, 1].map(|k| hull.iter().map(|corner| corner[k]).sum::<f64>() / hull.len() as f64));
    found.support_area = area(&hull);
    let margin = inside_by(&hull, [x, y]);
    found.support_margin = Some(margin);
    if margin < 0.0 {
        found.problems.push(format!(
            "Its centre of mass lies {:.3} m outside its feet; enlarge or move the feet, or move mass to the other end.",
            -margin
        ));
    }
}

/// Points of a shape that can touch flat ground.
fn bottom_points(shape: &Shape, place: impl Fn([f64; 3]) -> DVec3) -> Vec<DVec3> {
    match *shape {
        Shape::Capsule { from, to, radius } => [from, to].map(|x| place(x) - radius * DVec3::Z).to_vec(),
        Shape::Sphere { center, radius } => vec![place(center) - radius * DVec3::Z],
        Shape::Box { center, half_extents: [hx, hy, hz], orientation } => {
            let turn = quaternion(orientation);
            let corner = |i: i32| {
                let sign = |bit: i32| if i & bit == 0 { -1.0 } else { 1.0 };
                let local = DVec3::new(sign(1) * hx, sign(2) * hy, sign(4) * hz);
                place((DVec3::from_array(center) + turn * local).to_array())
            };
            (0..8).map(corner).collect()
        }
    }
}

fn cross(o: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
}

/// Corners of the convex hull, anticlockwise (Andrew 1979, monotone chain).
fn convex_hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while chain.len() >= 2 && cross(chain[chain.len() - 2], chain[chain.len() - 1], p) <= 0.0 {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut hull = half(&mut points.iter().copied());
    hull.extend(half(&mut points.iter().rev().copied()));
    hull
}

fn area(hull: &[[f64; 2]]) -> f64 {
    let next = |i: usize| hull[(i + 1) % hull.len()];
    0.5 * (0..hull.len()).map(|i| hull[i][0] * next(i)[1] - next(i)[0] * hull[i][1]).sum::<f64>()
}

/// Distance of a point from the nearest edge; negative outside.
fn inside_by(hull: &[[f64; 2]], point: [f64; 2]) -> f64 {
    let mut inside = hull.len() >= 3;
    let mut nearest = f64::INFINITY;
    for i in 0..hull.len() {
        let (a, b) = (hull[i], hull[(i + 1) % hull.len()]);
        inside &= cross(a, b, point) >= 0.0;
        let edge = [b[0] - a[0], b[1] - a[1]];
        let length2 = edge[0] * edge[0] + edge[1] * edge[1];
        let along = (point[0] - a[0]) * edge[0] + (point[1] - a[1]) * edge[1];
        let t = if length2 > 0.0 { (along / length2).clamp(0.0, 1.0) } else { 0.0 };
        let gap = [a[0] + t * edge[0] - point[0], a[1] + t * edge[1] - point[1]];
        nearest = nearest.min((gap[0] * gap[0] + gap[1] * gap[1]).sqrt());
    }
    if inside { nearest } else { -nearest }
}

/// Left and right weigh and reach the same.
fn compare_sides(character: &Character, found: &mut Preflight) {
    let names: Vec<&str> = character.bodies.iter().map(|b| b.name.as_str()).collect();
    let length_of = |name: &str| {
        let joint = character.joints.iter().find(|j| j.child == name);
        joint.map_or(0.0, |j| if j.parent.is_none() { 0.0 } else { DVec3::from_array(j.position).length() })
    };
    for (index, body) in character.bodies.iter().enumerate() {
        let Some(other) = counterpart(&body.name, &names) else { continue };
        let Some(twin) = character.bodies.iter().position(|b| b.name == other).filter(|&t| t > index) else { continue };
        let (a, b) = (body, &character.bodies[twin]);
        if (a.mass - b.mass).abs() > 0.02 * a.mass.max(b.mass) {
            found.problems.push(format!(
                "Bodies {:?} and {:?} weigh {:.3} and {:.3} kg; give both sides the same mass.",
                a.name, b.name, a.mass, b.mass
            ));
        }
        let (la, lb) = (length_of(&a.name), length_of(&b.name));
        if (la - lb).abs() > SIDE_LENGTHS * la.max(lb) + 0.005 {
            found.problems.push(format!(
                "Joints of {:?} and {:?} sit {la:.3} and {lb:.3} m from their parents; move one so that the sides are equal.",
                a.name, b.name
            ));
        }
    }
}

/// Whether each joint can hold up what it carries when that is level.
fn lift(character: &Character, found: &mut Preflight) {
    let rest = rest_poses(character);
    let carried_by = |body: &str| {
        // All bodies below, the body itself first.
        let mut inside: Vec<&str> = vec![body];
        let mut at = 0;
        while at < inside.len() {
            let parent = inside[at];
            let below = character.joints.iter().filter(|j| j.parent.as_deref() == Some(parent));
            inside.extend(below.map(|j| j.child.as_str()));
            at += 1;
        }
        inside.iter().map(|s| (*s).to_owned()).collect::<Vec<String>>()
    };
    for joint in character.joints.iter().filter(|j| matches!(j.kind, JointKind::Hinge | JointKind::Ball)) {
        let (Some(limit), Some(at)) = (joint.torque_limit, rest.get(&joint.child)) else { continue };
        let (mut mass, mut moment) = (0.0, DVec3::ZERO);
        for name in carried_by(&joint.child) {
            let Some(body) = character.bodies.iter().find(|b| b.name == name) else { continue };
            let Some(pose) = rest.get(&name) else { continue };
            let of = of_body(body);
            mass += of.mass;
            moment += of.mass * pose.place(DVec3::from_array(of.center_of_mass));
        }
        let arm = (moment / mass.max(1e-12)).distance(at.position);
        let torque = STANDARD_GRAVITY * mass * arm;
        found.largest_load = found.largest_load.max(torque / limit);
        if torque > limit {
            found.problems.push(format!(
                "Joint {:?} carries {mass:.2} kg at {arm:.2} m, which takes {torque:.1} N m when level, but its torque_limit is {limit:.1}; raise it, or make that part lighter.",
                joint.name
            ));
        }
    }
}

/// Whether every frame of every clip lies within the limits.
fn check_clips(model: &Model, clips: &[ClipPoses], options: &PreflightOptions, found: &mut Preflight) {
    for clip in clips {
        if clip.poses.iter().any(|q| q.len() != model.position_count() || q.iter().any(|x| !x.is_finite())) {
            found.problems.push(format!(
                "Clip {:?} does not hold {} finite numbers in each frame; lay it onto this character again.",
                clip.name,
                model.position_count()
            ));
            continue;
        }
        let (mut worst, mut worst_joint) = (0.0f64, "");
        for joint in model.joints() {
            let Some([low, high]) = joint.limits else { continue };
            for pose in &clip.poses {
                let q = &pose[joint.position_index..];
                let excess = match joint.kind {
                    JointKind::Hinge => (low - q[0]).max(q[0] - high),
                    JointKind::Ball => {
                        let length = q[..4].iter().map(|x| x * x).sum::<f64>().sqrt();
                        if length < 1e-9 { 0.0 } else { angle_of(quaternion([q[0], q[1], q[2], q[3]])) - high }
                    }
                    _ => 0.0,
                };
                if excess > worst {
                    (worst, worst_joint) = (excess, plain(&joint.name));
                }
            }
        }
        if worst > options.limit_tolerance {
            found.problems.push(format!(
                "Clip {:?} turns joint {worst_joint:?} {:.0}° beyond its limits; widen them.",
                clip.name,
                worst.to_degrees()
            ));
        }
        found.clip_excess.push((clip.name.clone(), worst, worst_joint.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hull_of_a_square_with_points_inside() {
        let hull =
            convex_hull(vec![[0.0, 0.0], [1.0, 0.0], [0.5, 0.5], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0], [0.5, 0.0]]);
        assert_eq!(hull.len(), 4);
        assert!((area(&hull) - 1.0).abs() < 1e-15);
        assert!((inside_by(&hull, [0.3, 0.5]) - 0.3).abs() < 1e-15);
        assert!((inside_by(&hull, [-0.25, 0.5]) + 0.25).abs() < 1e-15);
    }

    #[test]
    fn the_embedded_dinosaur_passes() {
        let found = preflight(&sinew_sim::embedded::dinosaur(), &[], &PreflightOptions::default()).unwrap();
        assert!(found.ok, "{:#?}", found.problems);
    }
}
