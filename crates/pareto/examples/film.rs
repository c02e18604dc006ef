//! Draws a film strip of a controller's jump: `film CONTROLLER.toml OUT.png [moments a second]`, and prints what it came to.

use sinew_pareto::{Controller, Evaluator};
use sinew_report::{Camera, FilmStrip, Frame, Shape, Solid};
use sinew_sim::{Measured, Shape as Body};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let controller = match arguments.first().map(String::as_str) {
        None | Some("seed") => Controller::seed(),
        Some(path) => Controller::read(path.as_ref())?,
    };
    let evaluator = Evaluator::new(None);
    let recording = evaluator.perform(&controller)?;
    println!("{:?} assist {:?}", recording.jump, controller.assist());
    let mut last = None;
    for moment in &recording.moments {
        if last != Some(moment.phase) {
            println!("{:.3} s {:?}", moment.time_secs, moment.phase);
            last = Some(moment.phase);
        }
    }
    let Some(out) = arguments.get(1) else { return Ok(()) };
    let every = arguments.get(2).and_then(|text| text.parse::<f64>().ok()).unwrap_or(10.0);
    let count = (recording.moments.len() as f64 * 0.005 * every) as usize + 1;
    let model = evaluator.model();
    let frames = (0..count.min(40)).map(|index| {
        let moment = &recording.moments[((index as f64 * 200.0 / every) as usize).min(recording.moments.len() - 1)];
        let measured = Measured::new(model, &moment.position, &moment.velocity, [0.0; 3]);
        let mut solids = Vec::new();
        for (body, motion) in model.bodies().iter().zip(&measured.bodies) {
            let color = if body.name.ends_with("_r") { [150, 150, 160] } else { [180, 120, 70] };
            for shape in &body.shapes {
                let shape = match shape {
                    Body::Capsule { from, to, radius } => {
                        Shape::Capsule { from: motion.place(*from), to: motion.place(*to), radius: *radius }
                    }
                    Body::Sphere { center, radius } => Shape::Sphere { center: motion.place(*center), radius: *radius },
                    Body::Box { center, half_extents, .. } => Shape::Box {
                        center: motion.place(*center),
                        half_extents: *half_extents,
                        orientation: motion.orientation,
                    },
                };
                solids.push(Solid { shape, color });
            }
        }
        let [x, y, _] = measured.center_of_mass;
        let caption = format!("{:.2} s {:?}", moment.time_secs, moment.phase);
        Frame { solids, arrows: Vec::new(), caption, focus: Some([x, y, 0.0]) }
    });
    let strip = FilmStrip {
        title: format!("{:.2} m, effort {:.1}", recording.jump.height, 1e-4 * recording.jump.effort),
        frames: frames.collect(),
        columns: 8,
        camera: Camera::follow(2.0, 0.05),
        ground_height: Some(0.0),
        ..FilmStrip::default()
    };
    strip.render()?.save_png(out)?;
    Ok(())
}
