use super::*;
use crate::character::{EndEffector, Joint, JointKind};
use crate::validate::MAX_LEVELS;

fn capsule() -> Shape {
    Shape::Capsule { from: [0.0; 3], to: [0.0, 0.0, -0.4], radius: 0.05 }
}

fn body(name: &str) -> Body {
    Body { name: name.into(), mass: 1.0, center_of_mass: None, inertia: None, shapes: vec![capsule()] }
}

fn joint(name: &str, kind: JointKind, parent: Option<&str>, child: &str) -> Joint {
    Joint { axis: (kind == JointKind::Hinge).then_some([0.0, 1.0, 0.0]), ..Joint::new(name, kind, parent, child) }
}

/// Pelvis (free), thigh (ball), shin (hinge).
fn leg() -> Character {
    Character {
        name: "leg".into(),
        bodies: ["pelvis", "thigh", "shin"].map(body).into(),
        joints: vec![
            joint("root", JointKind::Free, None, "pelvis"),
            joint("hip", JointKind::Ball, Some("pelvis"), "thigh"),
            joint("knee", JointKind::Hinge, Some("thigh"), "shin"),
        ],
        end_effectors: vec![EndEffector { name: "heel".into(), body: "shin".into(), position: [0.0; 3] }],
        collide: vec![["pelvis".into(), "shin".into()]],
        origin: None,
    }
}

/// The message for a leg with one change holds each of `parts`.
#[track_caller]
fn refused(change: impl FnOnce(&mut Character), parts: &[&str]) {
    let mut character = leg();
    change(&mut character);
    let text = character.validate().expect_err("the change should be refused").to_string();
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
    assert!(text.contains("; ") && !text.contains('\n'), "no remedy, or not one line: {text}");
}

const ROOT: usize = 0;
const HIP: usize = 1;
const KNEE: usize = 2;

#[test]
fn the_leg_is_valid() {
    assert_eq!(leg().validate(), Ok(()));
}

#[test]
fn counts() {
    refused(|c| c.bodies.clear(), &["body list is empty"]);
    refused(|c| c.bodies = vec![body("x"); 1025], &["body list holds 1025 bodies", "1024"]);
}

#[test]
fn names() {
    refused(|c| c.name.clear(), &["character: name is empty"]);
    refused(|c| c.bodies[1].name.clear(), &["body number 2: name is empty"]);
    refused(|c| c.bodies[1].name = " ".into(), &["body \" \": name is only white space"]);
    refused(|c| c.bodies[1].name = "a/b".into(), &["body \"a/b\": name holds '/'"]);
    refused(|c| c.bodies[1].name = "a\"b".into(), &["name holds a quotation mark"]);
    refused(|c| c.bodies[1].name = "it's".into(), &["name holds a quotation mark"]);
    refused(|c| c.bodies[1].name = "a\nb".into(), &["body \"a\\nb\": name holds a control character"]);
    refused(|c| c.bodies[1].name = "thigh ".into(), &["name begins or ends with white space"]);
    refused(|c| c.bodies[1].name = "a".repeat(257), &["name is longer than 256 bytes"]);
    refused(|c| c.bodies[1].name = "shin".into(), &["body \"shin\": name is used twice"]);
    refused(|c| c.joints[1].name = "root".into(), &["joint \"root\": name is used twice"]);
    refused(|c| c.end_effectors.push(c.end_effectors[0].clone()), &["end_effector \"heel\": name is used twice"]);
}

#[test]
fn numbers_are_finite_everywhere() {
    refused(|c| c.bodies[0].mass = f64::NAN, &["body \"pelvis\": mass is nan"]);
    refused(|c| c.bodies[0].center_of_mass = Some([0.0, f64::INFINITY, 0.0]), &["center_of_mass[1] is inf"]);
    refused(|c| c.bodies[0].inertia = Some([1.0, 1.0, 1.0, 0.0, 0.0, f64::NAN]), &["inertia[5] is nan"]);
    let shape = |shape| move |c: &mut Character| c.bodies[0].shapes = vec![capsule(), shape];
    let nan = [f64::NAN, 0.0, 0.0];
    refused(
        shape(Shape::Capsule { from: nan, to: [0.0; 3], radius: 0.1 }),
        &["body \"pelvis\", shape 2: from[0] is nan"],
    );
    refused(shape(Shape::Capsule { from: [0.0; 3], to: nan, radius: 0.1 }), &["to[0] is nan"]);
    refused(shape(Shape::Capsule { from: [0.0; 3], to: [0.0; 3], radius: f64::NAN }), &["radius is nan"]);
    refused(shape(Shape::Sphere { center: nan, radius: 0.1 }), &["center[0] is nan"]);
    refused(|c| c.joints[HIP].position[2] = f64::NEG_INFINITY, &["joint \"hip\": position[2] is -inf"]);
    refused(|c| c.joints[HIP].orientation[3] = f64::NAN, &["orientation[3] is nan"]);
    refused(|c| c.joints[KNEE].axis = Some(nan), &["joint \"knee\": axis[0] is nan"]);
    refused(|c| c.joints[KNEE].limits = Some([0.0, f64::NAN]), &["limits[1] is nan"]);
    refused(|c| c.joints[KNEE].kp = f64::NAN, &["kp is nan"]);
    refused(|c| c.joints[KNEE].kd = f64::INFINITY, &["kd is inf"]);
    refused(|c| c.joints[KNEE].armature = f64::NAN, &["armature is nan"]);
    refused(|c| c.joints[KNEE].torque_limit = Some(f64::INFINITY), &["torque_limit is inf"]);
    refused(|c| c.end_effectors[0].position[1] = f64::NAN, &["end_effector \"heel\": position[1] is nan"]);
}

#[test]
fn mass() {
    refused(
        |c| c.bodies[2].mass = -1.0,
        &["body \"shin\": mass is -1 kg, but must be greater than 0; give a positive mass"],
    );
    refused(|c| c.bodies[2].mass = 0.0, &["mass is 0 kg"]);
    refused(|c| c.bodies[2].mass = 1e-7, &["mass is 1e-7 kg", "between 1e-6 and 1000000 kg"]);
    refused(|c| c.bodies[2].mass = 2e6, &["mass is 2000000 kg"]);
}

#[test]
fn inertia() {
    let given = |inertia| move |c: &mut Character| c.bodies[0].inertia = Some(inertia);
    let place = "body \"pelvis\": inertia has the principal moments";
    refused(given([1.0, 1.0, -1.0, 0.0, 0.0, 0.0]), &[place, "-1, 1 and 1", "greater than 0"]);
    refused(given([1.0, 1.0, 1.0, 1.0, 0.0, 0.0]), &[place, "greater than 0"]);
    refused(given([0.0; 6]), &[place, "0, 0 and 0"]);
    refused(given([1.0, 1.0, 2.1, 0.0, 0.0, 0.0]), &[place, "1, 1 and 2.1", "sum of the other two"]);
    refused(given([1e-20, 1e-20, 1e-20, 0.0, 0.0, 0.0]), &[place, "between 1e-15 and 1e10"]);
    refused(given([1e300, 1e300, 1e300, 0.0, 0.0, 0.0]), &[place, "between 1e-15 and 1e10"]);
    refused(given([f64::MAX; 6]), &[place]);
}

#[test]
fn bodies_without_shapes() {
    refused(|c| c.bodies[0].shapes.clear(), &["body \"pelvis\": inertia is missing"]);
    let inertia = Some([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    refused(
        |c| c.bodies[0] = Body { inertia, shapes: vec![], ..body("pelvis") },
        &["body \"pelvis\": center_of_mass is missing"],
    );
    let mut ghost = leg();
    ghost.bodies[0] = Body { inertia, center_of_mass: Some([0.0; 3]), shapes: vec![], ..body("pelvis") };
    assert_eq!(ghost.validate(), Ok(()));
}

#[test]
fn sizes_and_offsets() {
    let shape = |shape| move |c: &mut Character| c.bodies[0].shapes = vec![shape];
    let ball = |radius| shape(Shape::Sphere { center: [0.0; 3], radius });
    refused(ball(0.0), &["body \"pelvis\", shape 1: radius is 0 m, but must be greater than 0"]);
    refused(ball(-0.1), &["radius is -0.1 m"]);
    refused(ball(1e-5), &["radius is 1e-5 m", "between 0.0001 and 100 m"]);
    refused(ball(101.0), &["radius is 101 m"]);
    let cuboid = |half_extents, orientation| shape(Shape::Box { center: [0.0; 3], half_extents, orientation });
    refused(cuboid([0.1, 0.0, 0.1], [1.0, 0.0, 0.0, 0.0]), &["half_extents[1] is 0 m"]);
    refused(cuboid([0.1; 3], [0.0; 4]), &["shape 1: orientation is a quaternion of length 0"]);
    refused(shape(Shape::Sphere { center: [0.0, 0.0, 101.0], radius: 0.1 }), &["center[2] is 101 m"]);
    refused(|c| c.joints[HIP].position[0] = -101.0, &["joint \"hip\": position[0] is -101 m"]);
    refused(|c| c.end_effectors[0].position[0] = 101.0, &["end_effector \"heel\": position[0] is 101 m"]);
    refused(|c| c.joints[HIP].orientation = [2.0, 0.0, 0.0, 0.0], &["joint \"hip\": orientation", "length 2"]);
    let mut nearly_unit = leg();
    nearly_unit.joints[HIP].orientation = [0.6, 0.8004, 0.0, 0.0];
    assert_eq!(nearly_unit.validate(), Ok(()));
}

#[test]
fn parents_and_axes_fit_the_joint_type() {
    refused(
        |c| c.joints[ROOT].parent = Some("shin".into()),
        &["joint \"root\": parent is \"shin\"", "type \"free\" carries a root"],
    );
    refused(|c| c.joints[KNEE].parent = None, &["joint \"knee\": parent is missing", "\"hinge\""]);
    refused(|c| c.joints[KNEE].axis = None, &["joint \"knee\": axis is missing"]);
    refused(|c| c.joints[KNEE].axis = Some([0.0; 3]), &["joint \"knee\": axis has no length"]);
    refused(|c| c.joints[HIP].axis = Some([1.0, 0.0, 0.0]), &["joint \"hip\": axis is given", "\"ball\""]);
}

#[test]
fn limits() {
    let knee = |limits| move |c: &mut Character| c.joints[KNEE].limits = Some(limits);
    refused(knee([1.0, -1.0]), &["joint \"knee\": limits are [1, -1] rad"]);
    refused(knee([1.0, 1.0]), &["limits are [1, 1] rad"]);
    refused(knee([0.0, 150.0]), &["limits[1] is 150 rad", "between -100 and 100 rad"]);
    let hip = |limits| move |c: &mut Character| c.joints[HIP].limits = Some(limits);
    refused(hip([-1.0, 1.0]), &["joint \"hip\": limits are [-1, 1] rad", "[0, largest angle]"]);
    refused(hip([0.0, 0.0]), &["limits are [0, 0] rad"]);
    refused(hip([0.0, 3.2]), &["at most pi"]);
    refused(|c| c.joints[ROOT].limits = Some([0.0, 1.0]), &["joint \"root\": limits is given", "remove limits"]);
}

#[test]
fn gains() {
    refused(|c| c.joints[KNEE].kp = -1.0, &["joint \"knee\": kp is -1 N m/rad"]);
    refused(|c| c.joints[KNEE].kd = -1.0, &["kd is -1 N m s/rad"]);
    refused(|c| c.joints[KNEE].armature = -1.0, &["armature is -1 kg m^2"]);
    refused(|c| c.joints[KNEE].torque_limit = Some(0.0), &["torque_limit is 0 N m", "greater than 0"]);
    refused(|c| c.joints[KNEE].torque_limit = Some(-5.0), &["torque_limit is -5 N m"]);
    refused(|c| c.joints[KNEE].kp = 1e12, &["kp is 1e12"]);
    refused(|c| c.joints[ROOT].kp = 1.0, &["joint \"root\": kp is given", "\"free\""]);
    refused(|c| c.joints[ROOT].kd = 1.0, &["kd is given"]);
    refused(|c| c.joints[ROOT].armature = 1.0, &["armature is given"]);
    refused(
        |c| {
            c.joints[HIP].kind = JointKind::Weld;
            c.joints[HIP].torque_limit = Some(1.0);
        },
        &["joint \"hip\": torque_limit is given", "\"weld\""],
    );
}

#[test]
fn references_resolve() {
    refused(|c| c.joints[KNEE].parent = Some("thihg".into()), &["joint \"knee\": parent is \"thihg\""]);
    refused(|c| c.joints[KNEE].child = "shni".into(), &["joint \"knee\": child is \"shni\""]);
    refused(|c| c.end_effectors[0].body = "foot".into(), &["end_effector \"heel\": body is \"foot\""]);
    refused(|c| c.collide[0][1] = "foot".into(), &["collide, pair 1: second name is \"foot\""]);
}

#[test]
fn joints_make_a_tree() {
    refused(|c| c.bodies.push(body("tail")), &["body \"tail\": no joint carries it", "child = \"tail\""]);
    let second = || joint("second", JointKind::Ball, Some("pelvis"), "shin");
    refused(|c| c.joints.push(second()), &["joint \"second\": child is \"shin\"", "\"knee\" already carries"]);
    refused(|c| c.joints[ROOT] = joint("root", JointKind::Ball, Some("shin"), "pelvis"), &["joint list has no root"]);
    refused(
        |c| c.joints[KNEE] = joint("knee", JointKind::Fixed, None, "shin"),
        &["joint \"knee\": type makes a second root", "\"root\""],
    );
    refused(|c| c.joints[HIP].parent = Some("shin".into()), &["joint", "parent is", "itself"]);
    refused(
        |c| c.joints[KNEE].parent = Some("shin".into()),
        &["joint \"knee\": parent is \"shin\", which hangs from \"shin\" itself"],
    );
}

#[test]
fn chains_have_a_longest_length() {
    let chain = |length: usize| {
        let mut c = leg();
        (c.collide, c.end_effectors) = (vec![], vec![]);
        c.bodies = (0..length).map(|i| body(&format!("b{i}"))).collect();
        c.joints = (1..length)
            .map(|i| joint(&format!("j{i}"), JointKind::Ball, Some(&format!("b{}", i - 1)), &format!("b{i}")))
            .collect();
        c.joints.push(joint("root", JointKind::Free, None, "b0"));
        c
    };
    assert_eq!(chain(MAX_LEVELS).validate(), Ok(()));
    refused(|c| *c = chain(MAX_LEVELS + 1), &["body \"b64\": parent joints", "64 levels"]);
}

#[test]
fn collision_pairs() {
    refused(|c| c.collide[0] = ["shin".into(), "shin".into()], &["collide: pair 1 names \"shin\" twice"]);
    refused(
        |c| c.collide.push(["shin".into(), "pelvis".into()]),
        &["collide: pair 2, [\"shin\", \"pelvis\"], is listed twice"],
    );
}
