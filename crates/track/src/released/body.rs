//! The body: an XML file with joints and bodies at their places in the T-pose.

use super::z_up;
use crate::error::TrackError;
use sinew_sim::{Body, Character, EndEffector, Joint, JointKind, Shape};
use std::path::Path;

/// Angle that the body looks along at rest, rad.
pub const FORWARD_RAD: f64 = -std::f64::consts::FRAC_PI_2;
/// Gains of the authors' PD control; torques are not limited.
const KP: f64 = 500.0;
const KD: f64 = 50.0;
/// Bodies whose centres are end effectors in the authors' reward.
const EFFECTORS: [&str; 5] = ["FootL", "FootR", "HandL", "HandR", "Head"];
const LARGEST_FILE: u64 = 1 << 20;
const MOST_BODIES: usize = 256;

/// Reads the body.
///
/// # Errors
/// Where the file is no such body.
pub fn read_body(path: &Path) -> Result<Character, TrackError> {
    let text = sinew_files::read_text(path, LARGEST_FILE)?;
    parse(&text).map_err(|problem| TrackError::Released { path: path.into(), problem })
}

fn parse(text: &str) -> Result<Character, String> {
    let document = roxmltree::Document::parse(text).map_err(|e| e.to_string())?;
    let root = document.root_element();
    if !root.has_tag_name("Skeleton") {
        return Err(format!("this is no released body: <{}> where <Skeleton> should stand", root.tag_name().name()));
    }
    let mut character = Character {
        name: root.attribute("name").unwrap_or("body").to_lowercase(),
        bodies: Vec::new(),
        joints: Vec::new(),
        end_effectors: Vec::new(),
        collide: Vec::new(),
        origin: None,
    };
    let mut places: Vec<(String, [f64; 3])> = Vec::new();
    for node in root.children().filter(|node| node.has_tag_name("Joint")).take(MOST_BODIES) {
        let name = attribute(node, "name")?.to_owned();
        let place = |tag: &str| {
            let child = node.children().find(|child| child.has_tag_name(tag));
            let child = child.ok_or_else(|| format!("joint {name} has no <{tag}>"))?;
            Ok::<_, String>(z_up(three(&name, attribute(child, "translation")?)?))
        };
        let (joint_place, center) = (place("JointPosition")?, place("BodyPosition")?);
        let center: [f64; 3] = std::array::from_fn(|k| center[k] - joint_place[k]);
        let [x, y, z] = three(&name, attribute(node, "size")?)?;
        let mass: f64 = attribute(node, "mass")?.parse().map_err(|_| format!("the mass of {name} is no number"))?;
        let parent = Some(attribute(node, "parent_name")?).filter(|parent| *parent != "None");
        let kind = if parent.is_some() { JointKind::Ball } else { JointKind::Free };
        let at = match parent {
            Some(parent) => {
                let found = places.iter().find(|(name, _)| name == parent);
                let (_, at) =
                    found.ok_or_else(|| format!("{name} hangs from {parent}, which does not stand before it"))?;
                *at
            }
            None => [0.0; 3],
        };
        let half_extents = [0.5 * x, 0.5 * z, 0.5 * y];
        let shape = Shape::Box { center, half_extents, orientation: [1.0, 0.0, 0.0, 0.0] };
        character.bodies.push(Body {
            name: name.clone(),
            mass,
            center_of_mass: None,
            inertia: None,
            shapes: vec![shape],
        });
        let position = std::array::from_fn(|k| joint_place[k] - at[k]);
        let gains = if parent.is_some() { (KP, KD) } else { (0.0, 0.0) };
        character.joints.push(Joint {
            position,
            kp: gains.0,
            kd: gains.1,
            ..Joint::new(name.clone(), kind, parent, name.clone())
        });
        if EFFECTORS.contains(&name.as_str()) {
            character.end_effectors.push(EndEffector { name: name.clone(), body: name.clone(), position: center });
        }
        places.push((name, joint_place));
    }
    stand(&mut character, &places);
    Ok(character)
}

/// Lifts the root so that the lowest shape touches the ground at rest.
fn stand(character: &mut Character, places: &[(String, [f64; 3])]) {
    let bottom = |body: &Body| match &body.shapes[..] {
        [Shape::Box { center, half_extents, .. }] => center[2] - half_extents[2],
        _ => 0.0,
    };
    let lowest = character.bodies.iter().zip(places).map(|(body, (_, place))| place[2] + bottom(body));
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    if let Some(root) = character.joints.first_mut() {
        root.position[2] -= lowest;
    }
}

fn attribute<'a>(node: roxmltree::Node<'a, '_>, name: &str) -> Result<&'a str, String> {
    let line = || node.document().text_pos_at(node.range().start).row;
    node.attribute(name).ok_or_else(|| format!("line {}: <{}> has no {name}", line(), node.tag_name().name()))
}

fn three(joint: &str, text: &str) -> Result<[f64; 3], String> {
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let all_finite = numbers.iter().all(|x| f64::is_finite(*x));
    <[f64; 3]>::try_from(numbers)
        .ok()
        .filter(|_| all_finite)
        .ok_or_else(|| format!("`{text}` of joint {joint} is not three numbers"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"<Skeleton name="Two">
        <Joint type="FreeJoint" name="Torso" parent_name="None" size="0.2 0.4 0.1" mass="5">
            <BodyPosition translation="0 0.1 0"/><JointPosition translation="0 0 0"/></Joint>
        <Joint type="BallJoint" name="FootL" parent_name="Torso" size="0.1 0.05 0.2" mass="3">
            <BodyPosition translation="0.1 -0.5 0.03"/><JointPosition translation="0.1 -0.4 0.01"/></Joint>
    </Skeleton>"#;

    #[test]
    fn places_and_boxes_have_z_up() {
        let character = parse(TEXT).unwrap();
        let foot = &character.joints[1];
        assert_eq!((foot.position, foot.parent.as_deref()), ([0.1, -0.01, -0.4], Some("Torso")));
        assert_eq!((foot.kp, foot.kd, foot.torque_limit), (500.0, 50.0, None));
        let Shape::Box { center, half_extents, .. } = character.bodies[1].shapes[0] else { panic!("a box") };
        assert!((0..3).all(|k| (center[k] - [0.0, -0.02, -0.1][k]).abs() < 1e-12), "{center:?}");
        assert_eq!(half_extents, [0.05, 0.1, 0.025]);
        // The foot's sole is 0.525 below the root.
        assert!((character.joints[0].position[2] - 0.525).abs() < 1e-12);
        assert_eq!(character.end_effectors.len(), 1);
    }

    #[test]
    fn what_is_missing_is_named() {
        let problem = |from: &str, to: &str| parse(&TEXT.replace(from, to)).unwrap_err();
        assert!(problem("mass=\"3\"", "").contains("line 4: <Joint> has no mass"), "{}", problem("mass=\"3\"", ""));
        assert!(problem("parent_name=\"Torso\"", "parent_name=\"Hip\"").contains("hangs from Hip"));
        assert!(problem("0.1 -0.5 0.03", "0.1 x 0.03").contains("is not three numbers"));
        assert!(problem("<Skeleton", "<Scene").contains("<Scene>") || parse("<a").is_err());
    }
}
