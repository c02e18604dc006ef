//! Position, orientation, size and mass of a body.

use super::{Size, effectors};
use crate::ModelerError;
use crate::figure::Figure;
use crate::frames::{moved, quaternion};
use glam::{DMat3, DVec3};
use sinew_sim::mass_properties::of_body;
use sinew_sim::{Body, Shape};

/// Refuses numbers that would poison what is computed from them.
pub(super) fn check_numbers(place: &str, numbers: &[f64]) -> Result<(), ModelerError> {
    match numbers.iter().all(|x| x.is_finite() && x.abs() < 1e6) {
        true => Ok(()),
        false => Err(ModelerError::refused(
            place,
            "the change holds a number that is not finite or absurdly large; give another",
        )),
    }
}

pub(super) fn move_body(figure: &mut Figure, name: &str, by: [f64; 3], with_joint: bool) -> Result<(), ModelerError> {
    check_numbers(&format!("body {name:?}"), &by)?;
    let by = DVec3::from_array(by);
    if !with_joint {
        let body = figure.body(name)?;
        body.shapes = body.shapes.iter().map(|s| moved(s, glam::DQuat::IDENTITY, by)).collect();
        body.center_of_mass = body.center_of_mass.map(|c| (DVec3::from_array(c) + by).to_array());
        for effector in figure.character.end_effectors.iter_mut().filter(|e| e.body == name) {
            effector.position = (DVec3::from_array(effector.position) + by).to_array();
        }
    } else {
        // The frame moves with all that lies in it; the carried joints go the other way, and so stay.
        let joint = figure.carrier(name)?;
        let turn = quaternion(joint.orientation);
        joint.position = (DVec3::from_array(joint.position) + turn * by).to_array();
        for joint in figure.character.joints.iter_mut().filter(|j| j.parent.as_deref() == Some(name)) {
            joint.position = (DVec3::from_array(joint.position) - by).to_array();
        }
        for link in figure.binding.links.iter_mut().filter(|l| l.body == name) {
            link.offset += link.rotation * by;
        }
    }
    effectors::rebind_all(figure, name);
    Ok(())
}

pub(super) fn orient(figure: &mut Figure, name: &str, turn: [f64; 4]) -> Result<(), ModelerError> {
    let place = format!("body {name:?}");
    check_numbers(&place, &turn)?;
    let length = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
    if (length - 1.0).abs() > 1e-3 {
        return Err(ModelerError::refused(
            place,
            "the turn is no unit quaternion [w, x, y, z]; divide it by its length",
        ));
    }
    let turn = quaternion(turn);
    let body = figure.body(name)?;
    let center = DVec3::from_array(of_body(body).center_of_mass);
    let offset = center - turn * center;
    body.shapes = body.shapes.iter().map(|s| moved(s, turn, offset)).collect();
    body.inertia = body.inertia.map(|i| crate::inertia::turned(i, turn));
    for effector in figure.character.end_effectors.iter_mut().filter(|e| e.body == name) {
        effector.position = (offset + turn * DVec3::from_array(effector.position)).to_array();
    }
    effectors::rebind_all(figure, name);
    Ok(())
}

pub(super) fn size(figure: &mut Figure, name: &str, size: Size) -> Result<(), ModelerError> {
    let place = format!("body {name:?}");
    let numbers = match size {
        Size::Scale(x) | Size::Radius(x) | Size::Length(x) => vec![x],
        Size::HalfExtents(h) => h.to_vec(),
    };
    check_numbers(&place, &numbers)?;
    if numbers.iter().any(|&x| x <= 0.0) {
        return Err(ModelerError::refused(place, "a size must be positive; give one in metres, or a scale above 0"));
    }
    let body = figure.body(name)?;
    let fits = |shape: &Shape| match size {
        Size::Scale(_) => true,
        Size::Radius(_) => !matches!(shape, Shape::Box { .. }),
        Size::Length(_) => matches!(shape, Shape::Capsule { from, to, .. } if from != to),
        Size::HalfExtents(_) => matches!(shape, Shape::Box { .. }),
    };
    if !body.shapes.iter().any(fits) {
        return Err(ModelerError::refused(
            place,
            "none of its shapes has that size; use scale, radius, length or half_extents as its shapes have",
        ));
    }
    let before = implied(body);
    let center = DVec3::from_array(before.center_of_mass);
    for shape in body.shapes.iter_mut().filter(|s| fits(s)) {
        resize(shape, size, center);
    }
    changed_shapes(body, &before);
    Ok(())
}

/// Most shapes of a body.
const MOST_SHAPES: usize = 8;

pub(super) fn set_shapes(figure: &mut Figure, name: &str, shapes: &[Shape]) -> Result<(), ModelerError> {
    let place = format!("body {name:?}");
    if shapes.is_empty() || shapes.len() > MOST_SHAPES {
        let problem = format!("a body has from 1 to {MOST_SHAPES} shapes, not {}; give so many", shapes.len());
        return Err(ModelerError::refused(place, problem));
    }
    let body = figure.body(name)?;
    let before = implied(body);
    body.shapes = shapes.to_vec();
    changed_shapes(body, &before);
    Ok(())
}

/// Given mass properties change as those that the shapes imply.
fn changed_shapes(body: &mut Body, before: &sinew_sim::mass_properties::MassProperties) {
    let after = implied(body);
    let trace = |i: [f64; 6]| i[0] + i[1] + i[2];
    let ratio = trace(after.inertia) / trace(before.inertia).max(1e-300);
    body.inertia = body.inertia.map(|i| i.map(|x| x * ratio));
    let shift = DVec3::from_array(after.center_of_mass) - DVec3::from_array(before.center_of_mass);
    body.center_of_mass = body.center_of_mass.map(|c| (DVec3::from_array(c) + shift).to_array());
}

/// Mass properties of the shapes alone.
fn implied(body: &Body) -> sinew_sim::mass_properties::MassProperties {
    of_body(&Body { center_of_mass: None, inertia: None, ..body.clone() })
}

fn resize(shape: &mut Shape, size: Size, about: DVec3) {
    let scaled = |x: &mut [f64; 3], s: f64| *x = (about + s * (DVec3::from_array(*x) - about)).to_array();
    match (shape, size) {
        (Shape::Capsule { from, to, radius }, Size::Scale(s)) => {
            scaled(from, s);
            scaled(to, s);
            *radius *= s;
        }
        (Shape::Sphere { center, radius }, Size::Scale(s)) => {
            scaled(center, s);
            *radius *= s;
        }
        (Shape::Box { center, half_extents, .. }, Size::Scale(s)) => {
            scaled(center, s);
            half_extents.iter_mut().for_each(|h| *h *= s);
        }
        (Shape::Capsule { radius, .. } | Shape::Sphere { radius, .. }, Size::Radius(r)) => *radius = r,
        (Shape::Capsule { from, to, .. }, Size::Length(length)) => {
            let (a, b) = (DVec3::from_array(*from), DVec3::from_array(*to));
            let half = (b - a).normalize_or(DVec3::Z) * 0.5 * length;
            let middle = 0.5 * (a + b);
            (*from, *to) = ((middle - half).to_array(), (middle + half).to_array());
        }
        (Shape::Box { half_extents, .. }, Size::HalfExtents(h)) => *half_extents = h,
        _ => {}
    }
}

pub(super) fn set_mass(figure: &mut Figure, name: &str, mass: f64) -> Result<(), ModelerError> {
    let place = format!("body {name:?}");
    check_numbers(&place, &[mass])?;
    let body = figure.body(name)?;
    if mass <= 0.0 {
        return Err(ModelerError::refused(place, "a mass must be positive; give it in kilograms"));
    }
    weigh(body, mass);
    Ok(())
}

/// With `s = M' / M`: masses and inertias, gains and torque limits times `s`, which leaves every motion under gravity as it was; what others weigh
/// that push it does not change.
pub(super) fn set_total_mass(figure: &mut Figure, mass: f64) -> Result<(), ModelerError> {
    let place = format!("character {:?}", figure.character.name);
    check_numbers(&place, &[mass])?;
    if mass < 1e-3 {
        return Err(ModelerError::refused(place, "a character weighs at least a gram; give its mass in kilograms"));
    }
    let factor = mass / figure.character.bodies.iter().map(|body| body.mass).sum::<f64>();
    for body in &mut figure.character.bodies {
        let own = factor * body.mass;
        weigh(body, own);
    }
    for joint in &mut figure.character.joints {
        (joint.kp, joint.kd, joint.armature) = (factor * joint.kp, factor * joint.kd, factor * joint.armature);
        joint.torque_limit = joint.torque_limit.map(|limit| factor * limit);
    }
    Ok(())
}

/// Gives a body a mass, and an inertia in proportion.
fn weigh(body: &mut Body, mass: f64) {
    body.inertia = body.inertia.map(|i| i.map(|x| x * mass / body.mass));
    body.mass = mass;
}

/// Lightest and heaviest that a body may become when mass is shifted, times what it weighs.
const SHIFTED: [f64; 2] = [0.4, 2.5];

/// Moves the centre of mass c by d: `mᵢ' = mᵢ (1 + k · (xᵢ − c))` keeps the sum, and moves c by `C k` with `C = Σ mᵢ (xᵢ − c)(xᵢ − c)ᵀ / M`.
pub(super) fn shift_mass(figure: &mut Figure, by: [f64; 3]) -> Result<(), ModelerError> {
    let place = format!("character {:?}", figure.character.name);
    check_numbers(&place, &by)?;
    let rest = figure.rest();
    let places: Vec<(f64, DVec3)> = figure
        .character
        .bodies
        .iter()
        .map(|body| (body.mass, rest[&body.name].place(DVec3::from_array(of_body(body).center_of_mass))))
        .collect();
    let total: f64 = places.iter().map(|(mass, _)| mass).sum();
    let center = places.iter().map(|(mass, place)| *mass * *place).sum::<DVec3>() / total;
    let mut spread = DMat3::ZERO;
    for (mass, place) in &places {
        let arm = *place - center;
        spread += *mass / total * DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
    }
    // A figure that has no width anywhere has none to shift mass along: a millimetre.
    let slope = (spread + 1e-6 * DMat3::IDENTITY).inverse() * DVec3::from_array(by);
    let factors: Vec<f64> = places.iter().map(|(_, place)| 1.0 + slope.dot(*place - center)).collect();
    if factors.iter().any(|factor| !(SHIFTED[0]..=SHIFTED[1]).contains(factor)) {
        let problem = "a body would have to weigh less than 0.4 or more than 2.5 times what it does; shift less, or set masses one by one";
        return Err(ModelerError::refused(place, problem));
    }
    for (body, factor) in figure.character.bodies.iter_mut().zip(factors) {
        let mass = factor * body.mass;
        weigh(body, mass);
    }
    Ok(())
}
