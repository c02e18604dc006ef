use super::*;
use crate::character::{Body, EndEffector, Joint, JointKind, Shape};
use proptest::prelude::*;

const PENDULUM: &str = r#"
name = "pendulum"
[[body]]
name = "bob"
mass = 1
shape = [{ type = "sphere", radius = 0.1 }]
[[joint]]
name = "root"
type = "fixed"
child = "bob"
"#;

fn message(text: &str) -> String {
    let message = Character::from_toml(text).unwrap_err().to_string();
    assert!(!message.contains('\n'), "{message:?}");
    message
}

#[test]
fn defaults_are_filled_in() {
    let character = Character::from_toml(PENDULUM).unwrap();
    assert_eq!(character.joints[0].orientation, [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(character.bodies[0].shapes, [Shape::Sphere { center: [0.0; 3], radius: 0.1 }]);
}

#[test]
fn tables_of_shapes_read_like_lists_of_shapes() {
    let tables = PENDULUM
        .replace("shape = [{ type = \"sphere\", radius = 0.1 }]", "[[body.shape]]\ntype = \"sphere\"\nradius = 0.1");
    assert_eq!(Character::from_toml(&tables).unwrap(), Character::from_toml(PENDULUM).unwrap());
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_read() {
    let windows = format!("\u{feff}{}", PENDULUM.replace('\n', "\r\n"));
    assert_eq!(Character::from_toml(&windows).unwrap(), Character::from_toml(PENDULUM).unwrap());
}

#[test]
fn syntax_errors_carry_line_and_column() {
    let text = message("name = \"a\"\nbody = [\n  oops]\n");
    assert!(text.starts_with("line 3, column 3: "), "{text}");
    let text = message(&PENDULUM.replace("mass = 1", "mass = \"heavy\""));
    assert!(text.starts_with("line 5, column 8: ") && text.contains("expected f64"), "{text}");
}

#[test]
fn unknown_and_missing_fields_are_named() {
    let text = message(&PENDULUM.replace("mass = 1", "mass = 1\nmas = 2"));
    assert!(text.starts_with("line 6, column 1: unknown field `mas`"), "{text}");
    let text = message(&PENDULUM.replace("mass = 1", ""));
    assert!(text.contains("missing field `mass`"), "{text}");
    let text = message(&PENDULUM.replace("radius", "radios"));
    assert!(text.starts_with("line 6, column ") && text.contains("`radios`"), "{text}");
    let text = message(&PENDULUM.replace("\"fixed\"", "\"fixd\""));
    assert!(text.starts_with("line 9, column 8: ") && text.contains("`fixd`"), "{text}");
}

#[test]
fn invalid_characters_are_refused() {
    let text = message(&PENDULUM.replace("mass = 1", "mass = -1"));
    assert_eq!(text, "body \"bob\": mass is -1 kg, but must be greater than 0; give a positive mass in kilograms");
    assert!(message(&PENDULUM.replace("mass = 1", "mass = nan")).contains("mass is nan"));
}

#[test]
fn files_are_written_and_read_and_their_faults_name_them() {
    let directory = std::env::temp_dir().join(format!("sinew-character-file-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("pendulum.toml");
    let fault = |path: &Path| {
        let text = Character::read(path).unwrap_err().to_string();
        assert!(text.starts_with(&format!("character file {}", path.display())), "{text}");
        text
    };
    assert!(fault(&path).contains("does not exist"));
    assert!(fault(&directory).contains("is a directory"));

    let character = Character::from_toml(PENDULUM).unwrap();
    character.write(&path).unwrap();
    assert_eq!(Character::read(&path).unwrap(), character);

    std::fs::write(&path, b"name = \"\xff\"").unwrap();
    assert!(fault(&path).contains("not UTF-8"));
    std::fs::write(&path, "name = 3").unwrap();
    assert!(fault(&path).contains("line 1, column 8: "));
    std::fs::File::create(&path).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
    assert!(fault(&path).contains("larger than 16 MiB"));

    let nowhere = directory.join("none").join("pendulum.toml");
    let text = character.write(&nowhere).unwrap_err().to_string();
    assert!(text.contains("cannot be written"), "{text}");
    let mut invalid = character;
    invalid.bodies[0].mass = 0.0;
    assert!(invalid.write(&path).unwrap_err().to_string().contains("mass"));
    std::fs::remove_dir_all(directory).unwrap();
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>().prop_filter("finite", |x| x.is_finite()), -10.0..10.0, Just(0.0), Just(-0.0), Just(1.0)]
}

fn point() -> impl Strategy<Value = [f64; 3]> {
    proptest::array::uniform3(finite())
}

fn quaternion() -> impl Strategy<Value = [f64; 4]> {
    prop_oneof![Just([1.0, 0.0, 0.0, 0.0]), proptest::array::uniform4(finite())]
}

fn any_shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        (point(), point(), finite()).prop_map(|(from, to, radius)| Shape::Capsule { from, to, radius }),
        (point(), finite()).prop_map(|(center, radius)| Shape::Sphere { center, radius }),
        (point(), point(), quaternion()).prop_map(|(center, half_extents, orientation)| Shape::Box {
            center,
            half_extents,
            orientation
        }),
    ]
}

fn any_body() -> impl Strategy<Value = Body> {
    let inertia = proptest::option::of(proptest::array::uniform6(finite()));
    let shapes = proptest::collection::vec(any_shape(), 0..3);
    (any::<String>(), finite(), proptest::option::of(point()), inertia, shapes)
        .prop_map(|(name, mass, center_of_mass, inertia, shapes)| Body { name, mass, center_of_mass, inertia, shapes })
}

fn any_joint() -> impl Strategy<Value = Joint> {
    use JointKind::{Ball, Fixed, Free, Hinge, Planar, Weld};
    let kind = proptest::sample::select(vec![Free, Planar, Fixed, Hinge, Ball, Weld]);
    let names = (any::<String>(), proptest::option::of(any::<String>()), any::<String>());
    let geometry = (point(), quaternion(), proptest::option::of(point()));
    let limits = proptest::option::of(proptest::array::uniform2(finite()));
    let gains = (finite(), finite(), proptest::option::of(finite()), finite());
    (kind, names, geometry, limits, gains).prop_map(|(kind, names, geometry, limits, gains)| {
        let (name, parent, child) = names;
        let (position, orientation, axis) = geometry;
        let (kp, kd, torque_limit, armature) = gains;
        Joint { name, kind, parent, child, position, orientation, axis, limits, kp, kd, torque_limit, armature }
    })
}

fn any_character() -> impl Strategy<Value = Character> {
    let effector = (any::<String>(), any::<String>(), point()).prop_map(|(name, body, position)| EndEffector {
        name,
        body,
        position,
    });
    (
        any::<String>(),
        proptest::collection::vec(any_body(), 0..4),
        proptest::collection::vec(any_joint(), 0..4),
        proptest::collection::vec(effector, 0..3),
        proptest::collection::vec(proptest::array::uniform2(any::<String>()), 0..3),
        proptest::option::of(any_origin()),
    )
        .prop_map(|(name, bodies, joints, end_effectors, collide, origin)| Character {
            name,
            bodies,
            joints,
            end_effectors,
            collide,
            origin,
        })
}

fn any_origin() -> impl Strategy<Value = toml::Table> {
    let leaf = prop_oneof![
        any::<String>().prop_map(toml::Value::String),
        any::<i64>().prop_map(toml::Value::Integer),
        finite().prop_map(toml::Value::Float),
        any::<bool>().prop_map(toml::Value::Boolean),
    ];
    let value = leaf.prop_recursive(3, 16, 3, |inner| {
        let table = proptest::collection::btree_map(any::<String>(), inner.clone(), 0..3);
        prop_oneof![
            proptest::collection::vec(inner, 0..3).prop_map(toml::Value::Array),
            table.prop_map(|entries| toml::Value::Table(entries.into_iter().collect())),
        ]
    });
    proptest::collection::btree_map(any::<String>(), value, 0..4).prop_map(|entries| entries.into_iter().collect())
}

proptest! {
    /// Any character, valid or not, survives the trip through text.
    #[test]
    fn to_toml_loses_nothing(character in any_character()) {
        let text = character.to_toml();
        let back: Character = toml::from_str(&text).unwrap();
        prop_assert_eq!(back, character);
    }

    /// Text that is not a character is an error, never a panic; so is a character with a few bytes changed.
    #[test]
    fn any_text_is_read_without_panic(
        text in any::<String>(), at in 0..PENDULUM.len(), length in 0..8usize, patch in "[ -~\n]{0,4}",
    ) {
        let _ = Character::from_toml(&text);
        let mut patched = PENDULUM.to_string();
        patched.replace_range(at..(at + length).min(PENDULUM.len()), &patch);
        let _ = Character::from_toml(&patched);
    }

    /// Validation answers for any character.
    #[test]
    fn validate_never_panics(character in any_character()) {
        let _ = character.validate();
    }
}
