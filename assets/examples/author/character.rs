//! A character's table: joints, legs, flesh, ornaments and colours. Whatever is named `…_l` gets a mirror image `…_r`.

use anyhow::{Context, Result, ensure};
use glam::{DQuat, DVec3};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The table as the file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    joint: Vec<JointRow>,
    leg: Vec<LegRow>,
    part: Vec<Part>,
    #[serde(default)]
    ball: Vec<Ball>,
    #[serde(default)]
    spike: Vec<Spike>,
    paint: BTreeMap<String, Paint>,
    soften: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JointRow {
    name: String,
    parent: Option<String>,
    at: DVec3,
    #[serde(default)]
    zero: [f64; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LegRow {
    name: String,
    upper: String,
    lower: String,
    foot: String,
    toe: String,
    knee: Knee,
    heel: f64,
    tip: f64,
}

/// To which side of the line from hip to ankle the middle joint of a leg lies.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Knee {
    /// As a knee.
    Forward,
    /// As an elbow.
    Back,
}

/// A connected piece of skin, polygonised on its own.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Edge of the grid's cells, m.
    pub cell: f64,
    /// What it is made of.
    pub flesh: Vec<Flesh>,
}

/// A rounded cone: the hull of two balls.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flesh {
    /// The joint that carries it.
    pub bone: String,
    /// Centre of the first ball in the bind pose, m.
    pub a: DVec3,
    /// Centre of the second ball, m.
    pub b: DVec3,
    /// Radii of the two, m.
    pub r: [f64; 2],
    /// Width over which it melts into the flesh before it, m.
    pub blend: f64,
    /// Name of its paint.
    pub paint: String,
}

/// A ball that sits on the skin, such as an eye.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ball {
    /// The joint that carries it.
    pub bone: String,
    /// Centre in the bind pose, m.
    pub at: DVec3,
    /// Half axes, m.
    pub r: DVec3,
    /// Name of its paint.
    pub paint: String,
}

/// A cone that sticks out of the skin, such as a claw.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spike {
    /// The joint that carries it.
    pub bone: String,
    /// Centre of its base in the bind pose, m.
    pub from: DVec3,
    /// Its point, m.
    pub to: DVec3,
    /// Radius of its base, m.
    pub r: f64,
    /// Name of its paint.
    pub paint: String,
}

/// A colour that may differ below and may have stripes; sRGB, 0 to 255.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paint {
    /// Colour of the upper side.
    pub top: DVec3,
    /// Colour of the side that faces `toward`.
    pub under: Option<DVec3>,
    /// Direction of the under side.
    #[serde(default = "down")]
    pub toward: DVec3,
    /// Colour of stripes across the back.
    pub stripe: Option<DVec3>,
    /// Distance of the stripes, m.
    #[serde(default)]
    pub every: f64,
}

fn down() -> DVec3 {
    DVec3::NEG_Y
}

/// A joint: in the bind pose all joints have the axes of the world.
pub struct Joint {
    /// Readable name; `_l` is left (+x).
    pub name: String,
    /// Index of the parent, which stands before it.
    pub parent: Option<usize>,
    /// Place in the bind pose, m.
    pub at: DVec3,
    /// Turn from the bind pose into the pose from which the animator counts angles (arms hanging), in the world.
    pub zero: DQuat,
}

/// Four joints from hip to toe, posed by where the sole is.
pub struct Leg {
    /// Name in the clips' tables.
    pub name: String,
    /// Index of the joint at the hip or shoulder.
    pub upper: usize,
    /// Index of the joint at the knee or elbow.
    pub lower: usize,
    /// Index of the joint at the ankle, hock or wrist.
    pub foot: usize,
    /// Index of the joint at the ball of the foot.
    pub toe: usize,
    /// Where the middle joint points.
    pub knee: Knee,
    /// Rear end of the sole: z relative to the toe joint, m.
    pub heel: f64,
    /// Front end of the sole: z relative to the toe joint, m.
    pub tip: f64,
}

/// A character's skeleton, flesh and colours.
pub struct Character {
    /// Joints, parents first.
    pub joints: Vec<Joint>,
    /// Legs.
    pub legs: Vec<Leg>,
    /// Pieces of skin.
    pub parts: Vec<Part>,
    /// Eyes and the like.
    pub balls: Vec<Ball>,
    /// Claws and the like.
    pub spikes: Vec<Spike>,
    /// Colours by name.
    pub paints: BTreeMap<String, Paint>,
    /// Width of the bend of the skin at the joints, m.
    pub soften: f64,
}

impl Character {
    /// Reads a table.
    pub fn parse(text: &str) -> Result<Character> {
        let file: File = toml::from_str(text)?;
        let mut joints: Vec<Joint> = Vec::new();
        let left: Vec<&JointRow> = file.joint.iter().filter(|row| row.name.ends_with("_l")).collect();
        for (row, mirror) in file.joint.iter().map(|r| (r, false)).chain(left.into_iter().map(|r| (r, true))) {
            let name = side(&row.name, mirror);
            let parent = match &row.parent {
                Some(p) => Some(find(&joints, &side(p, mirror)).with_context(|| format!("joint {name}"))?),
                None => None,
            };
            let zero = if mirror { mirror_angles(row.zero) } else { row.zero };
            let at = if mirror { mirror_point(row.at) } else { row.at };
            joints.push(Joint { name, parent, at, zero: rotation(zero) });
        }
        let mut legs = Vec::new();
        for (row, mirror) in file.leg.iter().flat_map(|r| [(r, false), (r, true)]) {
            let joint = |name: &str| find(&joints, &side(name, mirror)).with_context(|| format!("leg {}", row.name));
            let [upper, lower] = [joint(&row.upper)?, joint(&row.lower)?];
            let [foot, toe] = [joint(&row.foot)?, joint(&row.toe)?];
            let name = side(&row.name, mirror);
            legs.push(Leg { name, upper, lower, foot, toe, knee: row.knee, heel: row.heel, tip: row.tip });
        }
        let mut parts = file.part;
        for part in &mut parts {
            part.flesh = with_mirrors(
                &part.flesh,
                |f| &f.bone,
                |f| Flesh { bone: side(&f.bone, true), a: mirror_point(f.a), b: mirror_point(f.b), ..f.clone() },
            );
        }
        let balls = with_mirrors(
            &file.ball,
            |b| if b.at.x > 0.0 { "_l" } else { "" },
            |b| Ball { bone: side(&b.bone, true), at: mirror_point(b.at), ..b.clone() },
        );
        let spikes = with_mirrors(
            &file.spike,
            |s| if s.from.x > 0.0 { "_l" } else { "" },
            |s| Spike { bone: side(&s.bone, true), from: mirror_point(s.from), to: mirror_point(s.to), ..s.clone() },
        );
        let character = Character { joints, legs, parts, balls, spikes, paints: file.paint, soften: file.soften };
        for (bone, paint) in character.parts.iter().flat_map(|p| &p.flesh).map(|f| (&f.bone, &f.paint)) {
            find(&character.joints, bone)?;
            ensure!(character.paints.contains_key(paint), "flesh of {bone}: there is no paint called {paint}");
        }
        Ok(character)
    }

    /// The index of the joint of this name.
    pub fn joint(&self, name: &str) -> Result<usize> {
        find(&self.joints, name)
    }
}

fn find(joints: &[Joint], name: &str) -> Result<usize> {
    joints.iter().position(|j| j.name == name).with_context(|| format!("there is no joint called {name}"))
}

/// Each item, followed, where its key ends in `_l`, by its mirror image.
fn with_mirrors<T: Clone>(items: &[T], key: impl Fn(&T) -> &str, mirror: impl Fn(&T) -> T) -> Vec<T> {
    let mut all = Vec::new();
    for item in items {
        all.push(item.clone());
        if key(item).ends_with("_l") {
            all.push(mirror(item));
        }
    }
    all
}

/// The name, or with `mirror` that of the other side.
pub fn side(name: &str, mirror: bool) -> String {
    match (mirror, name.strip_suffix("_l"), name.strip_suffix("_r")) {
        (true, Some(stem), _) => format!("{stem}_r"),
        (true, _, Some(stem)) => format!("{stem}_l"),
        _ => name.to_string(),
    }
}

fn mirror_point(p: DVec3) -> DVec3 {
    DVec3::new(-p.x, p.y, p.z)
}

/// Angles [bend, turn, tilt] seen in the mirror.
pub fn mirror_angles([bend, turn, tilt]: [f64; 3]) -> [f64; 3] {
    [bend, -turn, -tilt]
}

/// The rotation of angles in degrees: tilt about z (left side up), then bend about x (forward, down), then turn about y (to the left).
pub fn rotation([bend, turn, tilt]: [f64; 3]) -> DQuat {
    DQuat::from_rotation_y(turn.to_radians())
        * DQuat::from_rotation_x(bend.to_radians())
        * DQuat::from_rotation_z(tilt.to_radians())
}
