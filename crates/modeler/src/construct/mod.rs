//! A skeleton becomes a character.
//!
//! Which joints get a body (`anatomy.rs`, or `paper.rs`), how they move (`motion.rs`), what the bodies look like (`shapes.rs`, `feet.rs`), what
//! they weigh (`weigh.rs`, `balance.rs`), how strongly they are driven (`strength.rs`, `demand.rs`); then everything is laid into frames along the world's axes.

mod anatomy;
mod balance;
mod demand;
mod draft;
mod feet;
mod fit;
mod motion;
mod paper;
mod shapes;
mod slow_stances;
mod stance;
mod strength;
mod weigh;

use crate::binding::{Binding, EffectorLink, Link};
use crate::frames::{lowest, moved, quaternion};
use crate::{ModelOptions, ModelerError, Preset};
use anatomy::{Anatomy, Role};
use draft::{Part, Plan};
pub(crate) use fit::fit_body;
use glam::DVec3;
pub(crate) use shapes::mirrored as mirrored_shape;
use sinew_motion::{Clip, Skeleton};
use sinew_sim::{Body, Character, EndEffector, Joint, JointKind, Shape};
use stance::Stance;
use std::collections::BTreeSet;

/// A character made from a skeleton.
#[derive(Clone, Debug)]
pub struct Modeled {
    /// The character, valid and standing on the ground in its rest pose.
    pub character: Character,
    /// Which joint of the skeleton moves which body.
    pub binding: Binding,
    /// What was guessed, merged or left out, one sentence each.
    pub notes: Vec<String>,
}

/// Makes a character from a skeleton and its clips (Keys-to-Sim 2018, §4).
///
/// The clips say how the joints move; without them their types are guessed. Body frames lie at their joint along the world's
/// axes in the rest pose, which is the bind pose where that stands on its feet, else the clips' frame that does so best.
/// A skeleton without a bone, or with numbers that are not finite, is an error.
pub fn model(skeleton: &Skeleton, clips: &[Clip], options: &ModelOptions) -> Result<Modeled, ModelerError> {
    options.check()?;
    check_input(skeleton, clips)?;
    let bind = skeleton.bind_pose();
    let stance = Stance::of(skeleton, clips, &bind, options.sole_height_share);
    let anatomy = Anatomy::of(skeleton, &bind, &stance);
    let mut notes = Vec::new();
    if let Some((clip, frame)) = stance.frame {
        let name = &clips[clip].name;
        notes.push(format!("The bind pose does not stand; the rest pose is frame {frame} of clip {name:?}."));
    }
    let mut plan = Plan::new(skeleton, options, bind, stance, anatomy);
    let mut parts = match options.preset {
        Preset::Paper => paper_parts(&mut plan),
        Preset::Default => default_parts(&mut plan, clips, &mut notes),
    };
    assemble(&plan, &mut parts, clips, notes)
}

fn paper_parts(plan: &mut Plan) -> Vec<Part> {
    plan.anatomy.root = 0;
    let has_body = paper::has_body(plan);
    let mut parts = plan.parts(&has_body);
    paper::shape_parts(plan, &mut parts);
    paper::join_parts(plan, &mut parts);
    plan.rest_in(&parts);
    parts
}

fn default_parts(plan: &mut Plan, clips: &[Clip], notes: &mut Vec<String>) -> Vec<Part> {
    let mut has_body = bodies_by_role(plan);
    let mut parts = plan.parts(&has_body);
    // Tiny leaves join their parents, until none is left.
    for _ in 0..plan.skeleton.joints.len() {
        shapes::shape_parts(plan, &mut parts);
        let tiny = tiny_leaves(plan, &parts);
        if tiny.is_empty() {
            break;
        }
        tiny.into_iter().for_each(|joint| has_body[joint] = false);
        parts = plan.parts(&has_body);
    }
    for part in &parts {
        let merged: Vec<&str> = part.owned[1..].iter().map(|&j| plan.skeleton.joints[j].name.as_str()).collect();
        if !merged.is_empty() {
            notes.push(format!("{:?} holds {}.", plan.skeleton.joints[part.joint].name, merged.join(", ")));
        }
    }
    notes.extend(motion::fit_joints(plan, clips, &mut parts));
    plan.rest_in(&parts);
    shapes::shape_parts(plan, &mut parts);
    let fitted = fit::fit_shapes(plan, &mut parts);
    let is_fitted = fitted.is_some();
    notes.extend(fitted);
    weigh::weigh(plan, &mut parts, clips, notes);
    if is_fitted {
        fit::even_masses(&mut parts);
    }
    parts
}

/// Joints that get a body before sizes are known.
fn bodies_by_role(plan: &Plan) -> Vec<bool> {
    let joints = &plan.skeleton.joints;
    let least = 0.015 * plan.stance.height;
    (0..joints.len())
        .map(|j| {
            let role = plan.anatomy.roles[j];
            let is_leaf = plan.skeleton.children(j).next().is_none();
            let has_skin = joints[j].skin.len() >= shapes::ENOUGH_SKIN;
            let is_end = matches!(role, Role::Hand | Role::Head)
                || role == Role::Sole && joints[j].parent.is_some_and(|p| plan.anatomy.roles[p] != Role::Sole);
            let bones = plan.skeleton.children(j).map(|c| plan.bind[c].position.distance(plan.bind[j].position));
            let is_short = !bones.chain(joints[j].tips.iter().map(|t| t.length())).any(|length| length > least);
            let parent_is_head = joints[j].parent.is_some_and(|p| plan.anatomy.roles[p] == Role::Head);
            match role {
                Role::Small => false,
                Role::Head if parent_is_head => false,
                _ if is_leaf && joints[j].tips.is_empty() => has_skin || is_end,
                _ => !is_short || has_skin,
            }
        })
        .collect()
}

/// Joints of leaves that are light and short, of twins both or none.
fn tiny_leaves(plan: &Plan, parts: &[Part]) -> Vec<usize> {
    let volume: f64 = parts.iter().map(Part::volume).sum();
    let is_tiny = |index: usize| {
        let part = &parts[index];
        let is_leaf = !parts.iter().any(|p| p.parent == Some(index));
        let is_foot = part.role == Role::Sole && part.parent.is_none_or(|p| parts[p].role != Role::Sole);
        let is_kept = is_foot || matches!(part.role, Role::Head | Role::Hand);
        let length = part.main_end.length();
        is_leaf
            && !is_kept
            && part.parent.is_some()
            && part.volume() < plan.options.tiny_mass_share * volume
            && length < plan.options.tiny_length_share * plan.stance.height
    };
    let all = 0..parts.len();
    all.filter(|&i| is_tiny(i) && parts[i].pair.is_none_or(is_tiny)).map(|i| parts[i].joint).collect()
}

/// Numbers a person can read: micrometres, and no minus zero.
fn tidy(v: DVec3) -> [f64; 3] {
    v.to_array().map(|x| libm::round(x * 1e6) / 1e6 + 0.0)
}

fn tidy_shape(shape: &Shape) -> Shape {
    let point = |x: [f64; 3]| tidy(DVec3::from_array(x));
    let size = |x: f64| (libm::round(x * 1e6) / 1e6).max(1e-4);
    match *shape {
        Shape::Capsule { from, to, radius } => {
            Shape::Capsule { from: point(from), to: point(to), radius: size(radius) }
        }
        Shape::Sphere { center, radius } => Shape::Sphere { center: point(center), radius: size(radius) },
        Shape::Box { center, half_extents, orientation } => {
            let is_level = crate::frames::angle_of(quaternion(orientation)) < 1e-5;
            let rounded = orientation.map(|x| libm::round(x * 1e9) / 1e9 + 0.0);
            let orientation = if is_level { [1.0, 0.0, 0.0, 0.0] } else { rounded };
            Shape::Box { center: point(center), half_extents: half_extents.map(size), orientation }
        }
    }
}

/// Lays the parts into body frames along the world's axes of the rest pose and puts the whole on the ground.
fn assemble(plan: &Plan, parts: &mut [Part], clips: &[Clip], mut notes: Vec<String>) -> Result<Modeled, ModelerError> {
    let names = body_names(plan.skeleton, parts);
    let mut bodies = Vec::with_capacity(parts.len());
    let mut joints = Vec::with_capacity(parts.len());
    let mut links = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let turn = plan.turns[part.joint];
        let shapes: Vec<Shape> = part.shapes.iter().map(|s| tidy_shape(&moved(s, turn, DVec3::ZERO))).collect();
        let inertia = part.inertia.map(|i| crate::inertia::turned(i, turn));
        let mass = (part.mass * 1e6).round().max(1.0) / 1e6;
        bodies.push(Body { name: names[index].clone(), mass, center_of_mass: None, inertia, shapes });
        let position = match part.parent {
            Some(p) => {
                plan.turns[parts[p].joint] * (plan.bind[part.joint].position - plan.bind[parts[p].joint].position)
            }
            None => plan.stance.placed[part.joint].position,
        };
        let is_driven = part.parent.is_some();
        joints.push(Joint {
            name: names[index].clone(),
            kind: part.kind,
            parent: part.parent.map(|p| names[p].clone()),
            child: names[index].clone(),
            position: tidy(position),
            orientation: [1.0, 0.0, 0.0, 0.0],
            axis: (part.kind == JointKind::Hinge).then(|| tidy((turn * part.axis).normalize())),
            limits: part.limits.filter(|_| is_driven).map(|[low, high]| {
                [libm::floor(low * 1e3) / 1e3, (libm::ceil(high * 1e3) / 1e3).min(std::f64::consts::PI)]
            }),
            kp: if is_driven { part.kp } else { 0.0 },
            kd: if is_driven { part.kd } else { 0.0 },
            torque_limit: is_driven.then_some(part.torque_limit),
            armature: 0.0,
        });
        links.push(Link {
            body: names[index].clone(),
            joint: plan.skeleton.joints[part.joint].name.clone(),
            offset: DVec3::ZERO,
            rotation: (turn * plan.bind[part.joint].orientation).inverse().normalize(),
        });
    }
    if plan.options.preset == Preset::Default {
        notes.extend(strength::drive(plan, parts, &bodies, &mut joints, clips));
    }
    stand_on_ground(plan, parts, &bodies, &mut joints);
    let mut binding = Binding { links, effectors: Vec::new() };
    let mut end_effectors = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let has_child = parts.iter().any(|p| p.parent == Some(index));
        let Some(point) = effector(plan, part, &bodies[index], has_child) else { continue };
        let link = &binding.links[index];
        let (name, body) = (names[index].clone(), names[index].clone());
        let point = DVec3::from_array(tidy(point));
        binding.effectors.push(EffectorLink {
            name: name.clone(),
            joint: link.joint.clone(),
            point: link.rotation * point,
        });
        end_effectors.push(EndEffector { name, body, position: point.to_array() });
    }
    let character = Character {
        name: tidy_name(&plan.options.name),
        bodies,
        joints,
        end_effectors,
        collide: Vec::new(),
        origin: None,
    };
    character.validate()?;
    let moving = character.joints.iter().map(|j| j.kind.velocity_count()).sum::<usize>();
    notes.push(format!("{} bodies, {moving} degrees of freedom.", character.bodies.len()));
    Ok(Modeled { character, binding, notes })
}

/// Lifts or lowers the root so that the lowest shape touches `z = 0`.
fn stand_on_ground(plan: &Plan, parts: &[Part], bodies: &[Body], joints: &mut [Joint]) {
    let mut low = f64::INFINITY;
    for (part, body) in parts.iter().zip(bodies) {
        let height = plan.stance.placed[part.joint].position.z;
        low = body.shapes.iter().map(|s| height + lowest(s, DVec3::Z)).fold(low, f64::min);
    }
    if low.is_finite() {
        let position = DVec3::from_array(joints[0].position) - low * DVec3::Z;
        joints[0].position = tidy(position);
    }
}

/// Middle of a sole, tip of a hand, head or tail; in the body's frame.
fn effector(plan: &Plan, part: &Part, body: &Body, has_child: bool) -> Option<DVec3> {
    match part.role {
        Role::Sole => match body.shapes.first()? {
            Shape::Box { center, half_extents, orientation } => {
                Some(DVec3::from_array(*center) - quaternion(*orientation) * (half_extents[2] * DVec3::Z))
            }
            other => Some(paper::center(other)),
        },
        _ if has_child || part.parent.is_none() => None,
        Role::Trunk => None,
        _ => match *body.shapes.first()? {
            Shape::Capsule { from, to, radius } => {
                let (from, to) = (DVec3::from_array(from), DVec3::from_array(to));
                Some(to + radius * (to - from).normalize_or(plan.turns[part.joint] * part.main_end.normalize_or_zero()))
            }
            ref other => Some(paper::center(other)),
        },
    }
}

/// Joint names without a rig's prefix and without what a character file refuses; each once.
fn body_names(skeleton: &Skeleton, parts: &[Part]) -> Vec<String> {
    let mut used = BTreeSet::new();
    let mut names = Vec::with_capacity(parts.len());
    for part in parts {
        let full = &skeleton.joints[part.joint].name;
        let plain = tidy_name(full.rsplit(':').next().unwrap_or(full));
        let mut name = plain.clone();
        let mut number = 2;
        while !used.insert(name.clone()) {
            name = format!("{plain}_{number}");
            number += 1;
        }
        names.push(name);
    }
    names
}

fn tidy_name(name: &str) -> String {
    let clean: String =
        name.chars().map(|c| if c.is_control() || matches!(c, '/' | '"' | '\'') { '_' } else { c }).take(60).collect();
    let clean = clean.trim();
    if clean.is_empty() { "body".into() } else { clean.into() }
}

fn check_input(skeleton: &Skeleton, clips: &[Clip]) -> Result<(), ModelerError> {
    let count = skeleton.joints.len();
    let wrong = |place: String, problem: &str| Err(ModelerError::Input { place, problem: problem.into() });
    let mut has_bone = false;
    for (j, joint) in skeleton.joints.iter().enumerate() {
        let place = || format!("joint {:?}", joint.name);
        let is_finite = joint.offset.is_finite()
            && joint.rotation.is_finite()
            && joint.tips.iter().chain(&joint.skin).all(|p| p.is_finite());
        if !is_finite || (joint.rotation.length() - 1.0).abs() > 1e-3 {
            return wrong(place(), "its offset, rotation, tips or skin are not finite numbers or no rotation");
        }
        if joint.parent.is_none_or(|p| p >= j) != (j == 0) || j == 0 && joint.parent.is_some() {
            return wrong(place(), "it must come after its parent, and only the first joint has none");
        }
        if joint.offset.abs().max_element() > 50.0 && j > 0 {
            return wrong(place(), "it is more than 50 m from its parent; give the scale of the file");
        }
        has_bone |= j > 0 && joint.offset.length() > 1e-4 || joint.tips.iter().any(|t| t.length() > 1e-4);
    }
    if !has_bone {
        return Err(ModelerError::NoBones { joints: count });
    }
    for clip in clips {
        let frames = clip.root_positions.len();
        if frames == 0 || clip.rotations.len() != frames * count {
            return wrong(format!("clip {:?}", clip.name), "its frames do not hold one rotation for each joint");
        }
        let is_finite =
            clip.root_positions.iter().all(|p| p.is_finite()) && clip.rotations.iter().all(|q| q.is_finite());
        if !is_finite || clip.rotations.iter().any(|q| q.length() < 0.5) {
            return wrong(format!("clip {:?}", clip.name), "it holds numbers that are not finite or no rotation");
        }
    }
    Ok(())
}
