//! End effectors: points that tasks refer to, with a ball as contact where one is wanted.

use super::bodies::check_numbers;
use crate::ModelerError;
use crate::binding::EffectorLink;
use crate::figure::Figure;
use glam::DVec3;
use sinew_sim::{EndEffector, Shape};

pub(super) fn add(
    figure: &mut Figure,
    name: &str,
    body: &str,
    position: [f64; 3],
    radius: Option<f64>,
) -> Result<(), ModelerError> {
    check_numbers(&format!("end effector {name:?}"), &position)?;
    if figure.character.end_effectors.iter().any(|e| e.name == name) {
        let place = format!("end effector {name:?}");
        return Err(ModelerError::refused(place, "it exists already; give the new one another name, or move it"));
    }
    let shapes = &mut figure.body(body)?.shapes;
    if let Some(radius) = radius {
        shapes.push(Shape::Sphere { center: position, radius });
    }
    figure.character.end_effectors.push(EndEffector { name: name.into(), body: body.into(), position });
    rebind(figure, name);
    Ok(())
}

/// The ball of an end effector: the one that lies at its position.
fn ball<'a>(figure: &'a mut Figure, name: &str) -> Result<Option<&'a mut Shape>, ModelerError> {
    let effector = figure.effector(name)?.clone();
    let is_ball = |s: &&mut Shape| matches!(s, Shape::Sphere { center, .. } if *center == effector.position);
    Ok(figure.body(&effector.body)?.shapes.iter_mut().find(is_ball))
}

pub(super) fn place(figure: &mut Figure, name: &str, to: [f64; 3]) -> Result<(), ModelerError> {
    check_numbers(&format!("end effector {name:?}"), &to)?;
    if let Some(Shape::Sphere { center, .. }) = ball(figure, name)? {
        *center = to;
    }
    figure.effector(name)?.position = to;
    rebind(figure, name);
    Ok(())
}

pub(super) fn size(figure: &mut Figure, name: &str, new_radius: f64) -> Result<(), ModelerError> {
    if let Some(Shape::Sphere { radius, .. }) = ball(figure, name)? {
        *radius = new_radius;
        return Ok(());
    }
    let effector = figure.effector(name)?.clone();
    figure.body(&effector.body)?.shapes.push(Shape::Sphere { center: effector.position, radius: new_radius });
    Ok(())
}

pub(super) fn remove(figure: &mut Figure, name: &str) -> Result<(), ModelerError> {
    let effector = figure.effector(name)?.clone();
    figure.character.end_effectors.retain(|e| e.name != name);
    figure.binding.effectors.retain(|e| e.name != name);
    // A body keeps its last shape.
    let shared =
        figure.character.end_effectors.iter().any(|e| e.body == effector.body && e.position == effector.position);
    let shapes = &mut figure.body(&effector.body)?.shapes;
    let is_ball = |s: &Shape| matches!(s, Shape::Sphere { center, .. } if *center == effector.position);
    if let (Some(index), true, false) = (shapes.iter().position(is_ball), shapes.len() > 1, shared) {
        shapes.remove(index);
    }
    Ok(())
}

/// Ties all end effectors of a body to the skeleton again.
pub(super) fn rebind_all(figure: &mut Figure, body: &str) {
    let on_body = figure.character.end_effectors.iter().filter(|e| e.body == body);
    let names: Vec<String> = on_body.map(|e| e.name.clone()).collect();
    names.iter().for_each(|name| rebind(figure, name));
}

/// Ties an end effector to the joint that its body follows, or the nearest body above it that follows one.
pub(super) fn rebind(figure: &mut Figure, name: &str) {
    figure.binding.effectors.retain(|e| e.name != name);
    let Some(effector) = figure.character.end_effectors.iter().find(|e| e.name == name).cloned() else { return };
    let rest = figure.rest();
    let mut body = effector.body.clone();
    loop {
        if let (Some(link), Some(own), Some(at)) = (figure.link(&body), rest.get(&effector.body), rest.get(&body)) {
            let world = own.place(DVec3::from_array(effector.position));
            let local = at.orientation.inverse() * (world - at.position);
            let local = if body == effector.body { DVec3::from_array(effector.position) } else { local };
            let point = link.offset + link.rotation * local;
            let tie = EffectorLink { name: name.into(), joint: link.joint.clone(), point };
            // The order is that of the character.
            let order = |n: &str| figure.character.end_effectors.iter().position(|e| e.name == n);
            let index = figure.binding.effectors.iter().take_while(|e| order(&e.name) < order(name)).count();
            figure.binding.effectors.insert(index, tie);
            return;
        }
        match figure.character.joints.iter().find(|j| j.child == body).and_then(|j| j.parent.clone()) {
            Some(parent) => body = parent,
            None => return,
        }
    }
}
