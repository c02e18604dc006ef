//! Draws the rest pose of a character file, and what it does in the second after: `draw character.toml picture.png`.

use sinew_report::{Camera, FilmStrip, Frame, Shape as Drawn, Solid};
use sinew_sim::{Batch, BatchOptions, Character, Model, Scene, Shape, World};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [character, picture] = &paths[..] else { return Err("usage: draw character.toml picture.png".into()) };
    let character = Character::read(character.as_ref())?;
    let title = format!("{}: {} bodies", character.name, character.bodies.len());
    let model = Arc::new(Model::new(&Scene::on_ground(character), 1.0 / 600.0)?);
    let mut batch = Batch::new(&model, 1, BatchOptions::default())?;
    let mut frames = Vec::new();
    for (moment, steps) in [0, 0, 300, 300].into_iter().enumerate() {
        batch.step(steps);
        let caption = format!("{:.1} s", batch.world(0).time());
        frames.push(frame(&model, &batch.world(0), caption, moment == 1));
    }
    let strip = FilmStrip {
        title,
        frames,
        columns: 4,
        camera: Camera::follow(1.95, 0.16),
        ground_height: Some(0.0),
        ..FilmStrip::default()
    };
    Ok(strip.render()?.save_png(picture)?)
}

/// One moment; `is_turned` shows it from the front.
fn frame(model: &Model, world: &World<'_>, caption: String, is_turned: bool) -> Frame {
    let measured = world.measure();
    let [cx, cy, _] = measured.center_of_mass;
    let seen = |p: [f64; 3]| if is_turned { [cx + (p[1] - cy), cy - (p[0] - cx), p[2]] } else { p };
    let mut solids = Vec::new();
    for (body, motion) in model.bodies().iter().zip(&measured.bodies) {
        let color = match body.name.to_lowercase() {
            name if name.ends_with("_l") || name.contains("left") => [216, 128, 48],
            name if name.ends_with("_r") || name.contains("right") => [84, 96, 118],
            _ => [74, 122, 172],
        };
        let place = |x: [f64; 3]| seen(motion.place(x));
        for shape in &body.shapes {
            let shape = match *shape {
                Shape::Capsule { from, to, radius } => Drawn::Capsule { from: place(from), to: place(to), radius },
                Shape::Sphere { center, radius } => Drawn::Sphere { center: place(center), radius },
                Shape::Box { center, half_extents, orientation } => {
                    let quarter =
                        if is_turned { [0.5f64.sqrt(), 0.0, 0.0, -(0.5f64.sqrt())] } else { [1.0, 0.0, 0.0, 0.0] };
                    let orientation = product(quarter, product(motion.orientation, orientation));
                    Drawn::Box { center: place(center), half_extents, orientation }
                }
            };
            solids.push(Solid { shape, color });
        }
    }
    Frame { solids, caption, focus: Some([cx, cy, 0.0]), ..Frame::default() }
}

fn product([aw, ax, ay, az]: [f64; 4], [bw, bx, by, bz]: [f64; 4]) -> [f64; 4] {
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}
