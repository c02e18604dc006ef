//! Draws a made-up figure that is pushed, staggers and catches itself.
//!
//! `cargo run --release -p sinew-report --example strip -- [out.png] [fixed]`; with `fixed` the camera stays in place.

mod figure;

use std::time::Instant;

use figure::Figure;
use sinew_report::{Arrow, Camera, FilmStrip, Frame, ReportError, Shape, Solid};

const CRATE: [u8; 3] = [196, 164, 120];
const BALL: [u8; 3] = [206, 84, 78];
const PUSH: [u8; 3] = [214, 48, 49];

fn main() -> Result<(), ReportError> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "strip.png".to_owned());
    let is_fixed = std::env::args().nth(2).is_some_and(|word| word == "fixed");
    let strip = FilmStrip {
        title: "Pushed at 0.25 s with 150 N: staggers, recovers, walks on".to_owned(),
        frames: (0..6).map(moment).collect(),
        columns: 3,
        camera: if is_fixed { Camera::fixed(1.95, 0.24).orthographic() } else { Camera::follow(1.95, 0.24) },
        ..FilmStrip::default()
    };
    let start = Instant::now();
    let image = strip.render()?;
    println!("{} x {} pixels in {:.0?}", image.width, image.height, start.elapsed());
    image.save_png(&path)
}

/// The figure at `index` quarters of a second.
fn moment(index: u32) -> Frame {
    let time_s = f64::from(index) * 0.25;
    let travel_m = 0.35 * f64::from(index);
    // Lean forward after the push, then come back.
    let lean_rad = [0.03, 0.12, 0.38, 0.46, 0.24, 0.06][index as usize % 6];
    let stride_rad = 0.55 * (time_s * 5.2).sin();
    let mut figure = Figure { solids: Vec::new(), arrows: Vec::new(), origin_m: [travel_m, 0.0, 0.0] };
    figure.pose(lean_rad, stride_rad);
    figure.stand();

    let is_pushed = index == 1;
    if is_pushed {
        let chest = figure.at([0.0, 0.0, 1.35]);
        figure.arrows.push(Arrow {
            from: [chest[0] - 0.75, chest[1], chest[2]],
            to: [chest[0] - 0.12, chest[1], chest[2]],
            color: PUSH,
        });
    }
    figure.solids.push(Solid {
        shape: Shape::Box {
            center: [1.0, 0.85, 0.17],
            half_extents: [0.2, 0.17, 0.17],
            orientation: [0.966, 0.0, 0.0, 0.259],
        },
        color: CRATE,
    });
    figure.solids.push(Solid {
        shape: Shape::Sphere { center: [0.35 + 0.7 * travel_m, -0.45, 0.12], radius: 0.12 },
        color: BALL,
    });
    let caption = if is_pushed { format!("{time_s:.2} s   pushed 150 N") } else { format!("{time_s:.2} s") };
    Frame { solids: figure.solids, arrows: figure.arrows, caption, focus: Some([travel_m, 0.0, 0.0]) }
}
