//! The layout of a character file: comments first, one field per line, short arrays on one line.

use crate::character::{Body, Character, EndEffector, Joint, JointKind, Shape, is_identity};
use std::fmt::Write;

const HEADER: &str = "\
# A simulated character: rigid bodies, the joints that hold them together, and the PD control that moves them.
#
# Units are metres, kilograms, seconds, radians and newton metres. Axes are right-handed, z up.
# Quaternions are [w, x, y, z]. A body's frame has its origin at the joint that carries the body.
#
# [[body]]          one rigid body
#   mass            kg
#   center_of_mass  in the body's frame; left out: that of the shapes at uniform density
#   inertia         about the centre of mass, [xx, yy, zz, xy, xz, yz], kg m^2; left out: that of the shapes
#   shape           what collides: capsule (from, to, radius), sphere (center, radius),
#                   box (center, half_extents, orientation)
#
# [[joint]]         one for each body: the joint that carries it
#   type            root: free, planar (moves in x and z, turns about y) or fixed; else: hinge, ball or weld
#   parent, child   bodies that the joint connects; a root has no parent
#   position        origin of the child's frame in the parent's frame; of a root, in the world
#   orientation     of the child's frame in the parent's when the joint is at zero; left out: no turn
#   axis            of a hinge, in the child's frame
#   limits          hinge: [smallest, largest] angle; ball: [0, largest angle]; left out: none
#   kp, kd          gains of the PD control, N m/rad and N m s/rad
#   torque_limit    largest torque of the PD control, N m; left out: none
#   armature        rotor inertia added to the joint's own, kg m^2
#
# [[end_effector]]  a named point on a body, in the body's frame
# collide           pairs of bodies that may collide; all others pass through each other
# [origin]          what the tool that made the character remembers; the simulator ignores it
";

pub(super) fn to_toml(character: &Character) -> String {
    let mut out = String::from(HEADER);
    line(&mut out, "\nname", &string(&character.name));
    if !character.collide.is_empty() {
        out.push_str("collide = [\n");
        for [a, b] in &character.collide {
            push(&mut out, format_args!("  [{}, {}],\n", string(a), string(b)));
        }
        out.push_str("]\n");
    }
    // Empty lists have no [[entries]], but the reader asks for the key.
    if character.bodies.is_empty() {
        line(&mut out, "body", "[]");
    }
    if character.joints.is_empty() {
        line(&mut out, "joint", "[]");
    }
    character.bodies.iter().for_each(|body| write_body(&mut out, body));
    character.joints.iter().for_each(|joint| write_joint(&mut out, joint));
    character.end_effectors.iter().for_each(|effector| write_end_effector(&mut out, effector));
    if let Some(origin) = &character.origin {
        write_origin(&mut out, origin);
    }
    out
}

fn write_body(out: &mut String, body: &Body) {
    out.push_str("\n[[body]]\n");
    line(out, "name", &string(&body.name));
    line(out, "mass", &number(body.mass));
    if let Some(center) = &body.center_of_mass {
        line(out, "center_of_mass", &array(center));
    }
    if let Some(inertia) = &body.inertia {
        line(out, "inertia", &array(inertia));
    }
    match body.shapes.as_slice() {
        [] => {}
        [only] => line(out, "shape", &format!("[{}]", shape(only))),
        several => {
            out.push_str("shape = [\n");
            several.iter().for_each(|one| push(out, format_args!("  {},\n", shape(one))));
            out.push_str("]\n");
        }
    }
}

fn shape(shape: &Shape) -> String {
    match shape {
        Shape::Capsule { from, to, radius } => {
            let (from, to, radius) = (array(from), array(to), number(*radius));
            format!("{{ type = \"capsule\", from = {from}, to = {to}, radius = {radius} }}")
        }
        Shape::Sphere { center, radius } => {
            format!("{{ type = \"sphere\", center = {}, radius = {} }}", array(center), number(*radius))
        }
        Shape::Box { center, half_extents, orientation } => {
            let turn = match is_identity(orientation) {
                true => String::new(),
                false => format!(", orientation = {}", array(orientation)),
            };
            let (center, half_extents) = (array(center), array(half_extents));
            format!("{{ type = \"box\", center = {center}, half_extents = {half_extents}{turn} }}")
        }
    }
}

fn write_joint(out: &mut String, joint: &Joint) {
    let kind = match joint.kind {
        JointKind::Free => "free",
        JointKind::Planar => "planar",
        JointKind::Fixed => "fixed",
        JointKind::Hinge => "hinge",
        JointKind::Ball => "ball",
        JointKind::Weld => "weld",
    };
    out.push_str("\n[[joint]]\n");
    line(out, "name", &string(&joint.name));
    line(out, "type", &string(kind));
    if let Some(parent) = &joint.parent {
        line(out, "parent", &string(parent));
    }
    line(out, "child", &string(&joint.child));
    line(out, "position", &array(&joint.position));
    if !is_identity(&joint.orientation) {
        line(out, "orientation", &array(&joint.orientation));
    }
    if let Some(axis) = &joint.axis {
        line(out, "axis", &array(axis));
    }
    if let Some(limits) = &joint.limits {
        line(out, "limits", &array(limits));
    }
    if joint.kp != 0.0 {
        line(out, "kp", &number(joint.kp));
    }
    if joint.kd != 0.0 {
        line(out, "kd", &number(joint.kd));
    }
    if let Some(torque_limit) = joint.torque_limit {
        line(out, "torque_limit", &number(torque_limit));
    }
    if joint.armature != 0.0 {
        line(out, "armature", &number(joint.armature));
    }
}

fn write_end_effector(out: &mut String, effector: &EndEffector) {
    out.push_str("\n[[end_effector]]\n");
    line(out, "name", &string(&effector.name));
    line(out, "body", &string(&effector.body));
    line(out, "position", &array(&effector.position));
}

fn write_origin(out: &mut String, origin: &toml::Table) {
    let document = toml::Table::from_iter([("origin".to_owned(), toml::Value::Table(origin.clone()))]);
    push(out, format_args!("\n{document}"));
}

fn line(out: &mut String, key: &str, value: &str) {
    push(out, format_args!("{key} = {value}\n"));
}

fn push(out: &mut String, text: std::fmt::Arguments) {
    // Writing to a String cannot fail.
    let _ = out.write_fmt(text);
}

/// The shortest decimal that reads back as the same number.
fn number(x: f64) -> String {
    if x.is_nan() { "nan".into() } else { format!("{x:?}") }
}

fn array(values: &[f64]) -> String {
    format!("[{}]", values.iter().map(|&x| number(x)).collect::<Vec<_>>().join(", "))
}

/// A basic string: quotes, backslashes and control characters escaped.
fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => push(&mut out, format_args!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
