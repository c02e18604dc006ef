use super::*;
use crate::character::EndEffector;
use crate::scene::{Ground, StaticBox};

fn body(name: &str, shapes: Vec<Shape>) -> Body {
    let inertia = Some([0.02, 0.03, 0.04, 0.0, 0.001, 0.0]);
    Body { name: name.into(), mass: 2.5, center_of_mass: Some([0.0, 0.0, -0.125]), inertia, shapes }
}

fn joint(kind: JointKind, parent: Option<&str>, child: &str) -> Joint {
    Joint::new(format!("{child}_joint"), kind, parent, child)
}

fn limb() -> Shape {
    Shape::Capsule { from: [0.0; 3], to: [0.0, 0.0, -0.25], radius: 0.04 }
}

/// A trunk with a hinged leg, a ball-jointed arm and a hand welded to it, listed out of order.
fn tiny() -> Character {
    let trunk = body(
        "trunk",
        vec![Shape::Box { center: [0.0; 3], half_extents: [0.1, 0.15, 0.2], orientation: [1.0, 0.0, 0.0, 0.0] }],
    );
    let hand = body("hand", vec![Shape::Sphere { center: [0.0, 0.0, -0.05], radius: 0.05 }]);
    Character {
        name: "tiny".into(),
        bodies: vec![hand, body("arm", vec![limb()]), trunk, body("leg", vec![limb()])],
        joints: vec![
            Joint { position: [0.0, 0.0, -0.25], ..joint(JointKind::Weld, Some("arm"), "hand") },
            Joint { position: [0.5, 0.0, 1.0], ..joint(JointKind::Free, None, "trunk") },
            Joint {
                position: [0.0, 0.1, -0.2],
                axis: Some([0.0, 2.0, 0.0]),
                limits: Some([-1.5, 0.5]),
                kp: 500.0,
                kd: 50.0,
                torque_limit: Some(400.0),
                armature: 0.01,
                ..joint(JointKind::Hinge, Some("trunk"), "leg")
            },
            Joint {
                position: [0.0, 0.2, 0.2],
                orientation: [0.0, 2.0, 0.0, 0.0],
                limits: Some([0.0, 2.0]),
                kp: 300.0,
                kd: 30.0,
                ..joint(JointKind::Ball, Some("trunk"), "arm")
            },
        ],
        end_effectors: vec![EndEffector { name: "palm".into(), body: "hand".into(), position: [0.0, 0.0, -0.1] }],
        collide: vec![["hand".into(), "leg".into()]],
        origin: None,
    }
}

fn export(scene: &Scene) -> String {
    to_mjcf(scene, &MjcfOptions::default())
}

/// Lines that hold `pattern`, without indentation.
fn lines<'t>(text: &'t str, pattern: &str) -> Vec<&'t str> {
    text.lines().map(str::trim).filter(|line| line.contains(pattern)).collect()
}

#[test]
fn tiny_character_matches_the_golden_file() {
    let golden = include_str!("../tests/golden/tiny_character.xml");
    assert_eq!(export(&Scene::on_ground(tiny())), golden);
}

#[test]
fn bodies_come_depth_first_in_joint_order() {
    let text = export(&Scene::floating(tiny()));
    let names: Vec<&str> = lines(&text, "<body ").iter().map(|line| line.split('"').nth(1).expect("a name")).collect();
    assert_eq!(names, ["trunk", "leg", "arm", "hand"]);
    assert_eq!(lines(&text, "<key "), [r#"<key name="rest" qpos="0.5 0 1 1 0 0 0 0 1 0 0 0"/>"#]);
}

#[test]
fn no_gains_no_actuator_and_no_limit_no_user_value() {
    let mut character = tiny();
    character.joints[2].torque_limit = None;
    character.joints[3].kp = 0.0;
    character.joints[3].kd = 0.0;
    let text = export(&Scene::floating(character));
    assert_eq!(lines(&text, "<position "), [r#"<position name="leg_joint" joint="leg_joint" kp="500" kv="51"/>"#]);
}

#[test]
fn planar_root_reads_world_coordinates() {
    let mut character = tiny();
    character.joints[1].kind = JointKind::Planar;
    let mut scene = Scene::floating(character);
    scene.characters[0].offset = [0.25, 0.0, 0.5];
    scene.characters[0].heading = std::f64::consts::PI;
    let text = export(&scene);
    let joints: Vec<_> = lines(&text, "trunk_joint_").iter().map(|line| attribute(line, "ref")).collect();
    assert_eq!(joints, ["-0.25", "1.5", "0"]);
    // Turned by half a revolution, the world's x is the body's -x, its z is still z.
    let axis: Vec<f64> =
        attribute(lines(&text, "trunk_joint_x")[0], "axis").split(' ').map(|x| x.parse().unwrap()).collect();
    assert!((axis[0] + 1.0).abs() < 1e-12 && axis[1].abs() < 1e-12 && axis[2].abs() < 1e-12, "{axis:?}");
    assert_eq!(attribute(lines(&text, "trunk_joint_z")[0], "axis"), "0 0 1");
}

#[test]
fn fixed_root_has_no_joint() {
    let mut character = tiny();
    character.joints[1].kind = JointKind::Fixed;
    let text = export(&Scene::floating(character));
    assert!(!text.contains("freejoint") && !text.contains("trunk_joint"), "{text}");
}

#[test]
fn two_characters_are_told_apart_and_collide_where_listed() {
    let mut scene = Scene::on_ground(tiny());
    let mut other = scene.characters[0].clone();
    other.character.name = "other".into();
    other.character.collide.clear();
    scene.characters.push(other);
    let shape = ObjectShape::Ball { radius: 0.1 };
    let ball = Object { name: "ball".into(), shape, mass: 1.0, position: [2.0; 3], orientation: [1.0, 0.0, 0.0, 0.0] };
    scene.objects.push(ball);
    scene.collide = vec![["ball".into(), "other".into()], ["other/leg".into(), "ball".into()]];
    let text = export(&scene);
    assert_eq!(lines(&text, "name=\"other/leg\"").len(), 1);
    // One from the character's own list, four from ball against all of `other`; the repeated one counts once.
    let pairs = lines(&text, "<pair ");
    assert_eq!(pairs.len(), 5, "{pairs:?}");
    assert_eq!((attribute(pairs[0], "geom1"), attribute(pairs[0], "geom2")), ("tiny/hand#0", "tiny/leg#0"));
    assert_eq!(attribute(pairs[0], "friction"), "0.8 0.8 0.005 0.0001 0.0001");
}

#[test]
fn names_are_escaped_and_unique() {
    let mut character = tiny();
    character.name = "a<b>&\"c\"".into();
    let mut scene = Scene::on_ground(character);
    scene.ground = Some(Ground::default());
    let wall = StaticBox {
        name: "ground".into(),
        center: [0.0; 3],
        half_extents: [1.0; 3],
        orientation: [1.0, 0.0, 0.0, 0.0],
        surface: Surface { friction: 0.25, restitution: 0.0 },
    };
    scene.boxes.push(wall);
    let text = export(&scene);
    assert!(text.starts_with("<mujoco model=\"a&lt;b&gt;&amp;&quot;c&quot;\">"), "{text}");
    let walls = lines(&text, "priority=");
    assert_eq!([attribute(walls[0], "name"), attribute(walls[1], "name")], ["ground", "ground_"]);
    assert_eq!(attribute(walls[1], "friction"), "0.25 0.005 0.0001");
}

/// Against a ball dropped in MuJoCo 4.0 at these values: rebound 0.21 and 0.52 of the impact speed.
#[test]
fn restitution_sets_the_damping() {
    let of = |restitution| solref(&Surface { friction: 0.0, restitution }, 0.002);
    assert_eq!(of(0.0), "0.005 1");
    assert_eq!(of(0.2), "0.006838 0.731247");
    assert_eq!(of(0.5), "0.019587 0.255276");
    assert_eq!(of(1.0).split(' ').nth(1), Some("0.001"));
}

/// Long steps get soft contacts and stops: MuJoCo resolves no time constant below two steps.
#[test]
fn contacts_and_stops_are_as_stiff_as_the_steps_resolve() {
    let surface = Surface { friction: 0.0, restitution: 0.0 };
    assert_eq!([solref(&surface, 0.0005), solref(&surface, 0.004)], ["0.005 1", "0.01 1"]);
    assert_eq!([stop_solref(0.0005), stop_solref(0.004)], ["0.004 1", "0.008 1"]);
    assert_eq!(stop_solref(0.025 / 12.0), "0.004167 1", "never less than two steps");
}

#[test]
fn a_damped_joint_without_stiffness_has_a_velocity_actuator() {
    let mut character = tiny();
    character.joints[2].kp = 0.0;
    let text = export(&Scene::floating(character));
    let expected = r#"<velocity name="leg_joint" joint="leg_joint" kv="50" user="400"/>"#;
    assert_eq!(lines(&text, "name=\"leg_joint\" joint"), [expected]);
    assert_eq!(lines(&text, "<position ").len(), 3, "the ball's, after it");
}

/// `τ = kp (q* − q − dt v') + kd (v* − v')` is the actuator's law `kp (u − q) − kv v'` at this control.
#[test]
fn the_control_is_the_target_with_its_velocity() {
    let (dt, kp, kd) = (0.002, 500.0, 50.0);
    let [q, end, q_target, v_target] = [0.3, -1.5, 0.7, 2.0];
    let leg = Joint { kp, kd, axis: Some([0.0, 1.0, 0.0]), ..joint(JointKind::Hinge, Some("trunk"), "leg") };
    let torque = kp * (q_target - q - dt * end) + kd * (v_target - end);
    let control = Drive::of(&leg, dt).expect("a drive").control(q, end, torque);
    assert!((control - (q_target + v_target * kd / kp)).abs() < 1e-12, "{control}");
    let damped = Joint { kp: 0.0, ..leg.clone() };
    let control = Drive::of(&damped, dt).expect("a drive").control(q, end, kd * (v_target - end));
    assert!((control - v_target).abs() < 1e-12, "{control}");
    assert_eq!(Drive::of(&Joint { kp: 0.0, kd: 0.0, ..leg.clone() }, dt), None);
    assert_eq!(Drive::of(&Joint { kind: JointKind::Free, ..leg }, dt), None);
}

fn attribute<'t>(line: &'t str, key: &str) -> &'t str {
    let start = line.find(&format!(" {key}=\"")).expect("the attribute") + key.len() + 3;
    &line[start..start + line[start..].find('"').expect("a closing quote")]
}
