//! Measures how well bodies fill the skins of rigs, and draws skin, bodies and both in the bind pose, from the side and the front, one
//! picture a rig into a folder: `cover FOLDER hero.glb…`; with `-` for the folder nothing is drawn.

use glam::{DQuat, DVec3};
use sinew_modeler::{ModelOptions, Modeled, cover, model};
use sinew_motion::{ImportOptions, Skeleton, read};
use sinew_report::{Camera, FilmStrip, Frame, Shape as Drawn, Solid};
use sinew_sim::Shape;
use std::path::Path;

const SKIN: [u8; 3] = [206, 196, 178];
const BODIES: [[u8; 3]; 6] =
    [[74, 122, 172], [216, 128, 48], [92, 150, 84], [180, 84, 120], [120, 96, 168], [60, 150, 160]];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [folder, files @ ..] = &paths[..] else { return Err("usage: cover FOLDER hero.glb…".into()) };
    println!(
        "| file | bodies | shapes | covered % | outside % | centres outside | worst body: covered, outside % | s |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for file in files {
        let name = Path::new(file).file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let drawn = (folder != "-").then(|| Path::new(folder).join(format!("{name}.png")));
        match one(Path::new(file), drawn.as_deref()) {
            Ok(row) => println!("| {name} | {row} |"),
            Err(error) => println!("| {name} | {error} |"),
        }
    }
    Ok(())
}

/// The figures of one rig, and its picture.
fn one(file: &Path, picture: Option<&Path>) -> Result<String, Box<dyn std::error::Error>> {
    let rig = read(file, &ImportOptions::default())?;
    let began = std::time::Instant::now();
    let made = model(&rig.skeleton, &rig.clips, &ModelOptions::default())?;
    let secs = began.elapsed().as_secs_f64();
    let Some(found) = cover(&made.character, &made.binding, &rig.skeleton) else { return Err("it has no skin".into()) };
    if std::env::var_os("BODIES").is_some() {
        for (b, body) in found.bodies.iter().zip(&made.character.bodies) {
            let covered = b.covered.map_or(-1.0, |c| 100.0 * c);
            let out = if b.center_outside { "centre outside" } else { "" };
            let litres = 1000.0 * b.skin_volume_m3;
            eprintln!(
                "  {:24} {covered:5.0} {:5.0} {litres:9.2} l {} {out}",
                b.body,
                100.0 * b.outside,
                body.shapes.len()
            );
        }
    }
    if let Some(picture) = picture {
        draw(&rig.skeleton, &made, picture)?;
    }
    let worst = found.missed().first().map_or(String::new(), |b| {
        format!("{}: {:.0}, {:.0}", b.body, 100.0 * b.covered.unwrap_or(0.0), 100.0 * b.outside)
    });
    let shapes: usize = made.character.bodies.iter().map(|b| b.shapes.len()).sum();
    let out = found.bodies.iter().filter(|b| b.center_outside).count();
    let (covered, outside) = (100.0 * found.covered, 100.0 * found.outside);
    let bodies = found.bodies.len();
    Ok(format!("{bodies} | {shapes} | {covered:.0} | {outside:.0} | {out} | {worst} | {secs:.2}"))
}

fn draw(skeleton: &Skeleton, made: &Modeled, picture: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let (skin, bodies) = (skin(skeleton), bodies(made, skeleton));
    let dots: Vec<Solid> = skin.iter().map(|s| Solid { color: [150, 60, 60], ..*s }).collect();
    let mut frames = Vec::new();
    for turn in [0.0, 1.35] {
        for (name, solids) in [("skin", &skin), ("bodies", &bodies), ("both", &[&bodies[..], &dots[..]].concat())] {
            let solids = solids.iter().map(|s| turned(s, turn)).collect();
            frames.push(Frame { solids, caption: name.into(), ..Frame::default() });
        }
    }
    let title = made.character.name.clone();
    let strip = FilmStrip { title, frames, columns: 3, camera: Camera::follow(1.95, 0.16), ..FilmStrip::default() };
    Ok(strip.render()?.save_png(picture)?)
}

/// Dots all over the skin.
fn skin(skeleton: &Skeleton) -> Vec<Solid> {
    let Some(mesh) = &skeleton.mesh else { return Vec::new() };
    let points = mesh.placed(skeleton);
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    points.iter().for_each(|p| (low, high) = (low.min(*p), high.max(*p)));
    let gap = (high - low).max_element() / 40.0;
    let mut dots = std::collections::BTreeMap::new();
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|corner| points[corner as usize]);
        let steps =
            ((a.distance(b).max(b.distance(c)).max(c.distance(a))) / (0.5 * gap)).ceil().clamp(1.0, 60.0) as i32;
        for i in 0..=steps {
            for j in 0..=steps - i {
                let point = a + (b - a) * f64::from(i) / f64::from(steps) + (c - a) * f64::from(j) / f64::from(steps);
                dots.insert((point / gap).round().to_array().map(|x| x as i64), point);
            }
        }
    }
    dots.values()
        .map(|p| Solid { shape: Drawn::Sphere { center: p.to_array(), radius: 0.35 * gap }, color: SKIN })
        .collect()
}

/// The shapes where the bind pose has them.
fn bodies(made: &Modeled, skeleton: &Skeleton) -> Vec<Solid> {
    let bind = skeleton.bind_pose();
    let mut solids = Vec::new();
    for (index, body) in made.character.bodies.iter().enumerate() {
        let Some(link) = made.binding.links.iter().find(|l| l.body == body.name) else { continue };
        let Some(joint) = skeleton.find(&link.joint) else { continue };
        let (at, turn) = (bind[joint].place(link.offset), bind[joint].orientation * link.rotation);
        let place = |x: [f64; 3]| (at + turn * DVec3::from_array(x)).to_array();
        for shape in &body.shapes {
            let shape = match *shape {
                Shape::Capsule { from, to, radius } => Drawn::Capsule { from: place(from), to: place(to), radius },
                Shape::Sphere { center, radius } => Drawn::Sphere { center: place(center), radius },
                Shape::Box { center, half_extents, orientation: [w, x, y, z] } => {
                    let q = (turn * DQuat::from_xyzw(x, y, z, w)).normalize();
                    Drawn::Box { center: place(center), half_extents, orientation: [q.w, q.x, q.y, q.z] }
                }
            };
            solids.push(Solid { shape, color: BODIES[index % BODIES.len()] });
        }
    }
    solids
}

fn turned(solid: &Solid, angle: f64) -> Solid {
    let turn = DQuat::from_rotation_z(angle);
    let place = |x: [f64; 3]| (turn * DVec3::from_array(x)).to_array();
    let shape = match solid.shape {
        Drawn::Capsule { from, to, radius } => Drawn::Capsule { from: place(from), to: place(to), radius },
        Drawn::Sphere { center, radius } => Drawn::Sphere { center: place(center), radius },
        Drawn::Box { center, half_extents, orientation: [w, x, y, z] } => {
            let q = (turn * DQuat::from_xyzw(x, y, z, w)).normalize();
            Drawn::Box { center: place(center), half_extents, orientation: [q.w, q.x, q.y, q.z] }
        }
    };
    Solid { shape, ..*solid }
}
