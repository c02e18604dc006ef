//! Draws a made-up figure that is pushed, staggers and catches itself.
//!
//! `cargo run --release -p sinew-report --example strip -- [out.png] [fixed]`; with `fixed` the camera stays in place.

use std::time::Instant;

use sinew_report::{Arrow, Camera, FilmStrip, Frame, ReportError, Shape, Solid};

const SKIN: [u8; 3] = [226, 178, 148];
const SHIRT: [u8; 3] = [70, 128, 186];
const TROUSERS: [u8; 3] = [86, 96, 116];
const LEFT: [u8; 3] = [232, 148, 74];
const CRATE: [u8; 3] = [196, 164, 120];
const BALL: [u8; 3] = [206, 84, 78];
const PUSH: [u8; 3] = [214, 48, 49];
const CONTACT: [u8; 3] = [30, 144, 96];

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

struct Figure {
    solids: Vec<Solid>,
    arrows: Vec<Arrow>,
    origin_m: [f64; 3],
}

impl Figure {
    fn at(&self, p: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| self.origin_m[i] + p[i])
    }

    fn capsule(&mut self, from: [f64; 3], to: [f64; 3], radius: f64, color: [u8; 3]) {
        self.solids.push(Solid { shape: Shape::Capsule { from: self.at(from), to: self.at(to), radius }, color });
    }

    fn pose(&mut self, lean: f64, stride: f64) {
        let hip_height = 0.92 - 0.10 * stride.abs();
        let up_spine = |length: f64, y: f64| [length * lean.sin(), y, hip_height + length * lean.cos()];

        // Pelvis, trunk, neck, head.
        self.capsule([0.0, -0.07, hip_height], [0.0, 0.07, hip_height], 0.095, TROUSERS);
        self.capsule(up_spine(0.14, -0.05), up_spine(0.14, 0.05), 0.095, SHIRT);
        self.capsule(up_spine(0.24, -0.06), up_spine(0.24, 0.06), 0.10, SHIRT);
        self.capsule(up_spine(0.36, -0.09), up_spine(0.36, 0.09), 0.105, SHIRT);
        self.capsule(up_spine(0.46, -0.13), up_spine(0.46, 0.13), 0.075, SHIRT);
        self.capsule(up_spine(0.50, 0.0), up_spine(0.60, 0.0), 0.045, SKIN);
        self.capsule(up_spine(0.68, 0.0), up_spine(0.74, 0.0), 0.10, SKIN);

        for (side, swing) in [(1.0, stride), (-1.0, -stride)] {
            let (limb, y) = (if side > 0.0 { LEFT } else { TROUSERS }, 0.1 * side);
            // Leg: hip, knee, ankle, foot.
            let bend = 0.25 + 0.45 * f64::max(-swing, 0.0);
            let knee = [0.42 * swing.sin(), y, hip_height - 0.42 * swing.cos()];
            let shin = swing - bend;
            let ankle = [knee[0] + 0.42 * shin.sin(), y, (knee[2] - 0.42 * shin.cos()).max(0.08)];
            self.capsule([0.0, y, hip_height], knee, 0.072, limb);
            self.capsule(knee, ankle, 0.054, limb);
            let toe = [ankle[0] + 0.17, y, (ankle[2] - 0.04 + 0.1 * swing).max(0.035)];
            self.capsule([ankle[0] - 0.05, y, (ankle[2] - 0.04).max(0.035)], toe, 0.038, limb);

            // Arm: shoulder, elbow, wrist, hand; they swing against the legs.
            let (arm, shoulder) = (if side > 0.0 { LEFT } else { SHIRT }, up_spine(0.46, 0.19 * side));
            let upper = -0.9 * swing + 0.6 * lean;
            let elbow = [shoulder[0] + 0.28 * upper.sin(), shoulder[1] + 0.05 * side, shoulder[2] - 0.28 * upper.cos()];
            let fore = upper + 0.55;
            let wrist = [elbow[0] + 0.25 * fore.sin(), elbow[1], elbow[2] - 0.25 * fore.cos()];
            let hand = [wrist[0] + 0.08 * fore.sin(), wrist[1], wrist[2] - 0.08 * fore.cos()];
            self.capsule(shoulder, elbow, 0.05, arm);
            self.capsule(elbow, wrist, 0.04, SKIN);
            self.capsule(wrist, hand, 0.042, SKIN);
        }
    }
    /// Lowers the figure onto the ground and draws a force where a foot stands on it.
    fn stand(&mut self) {
        let lowest = |solid: &Solid| match solid.shape {
            Shape::Capsule { from, to, radius } => from[2].min(to[2]) - radius,
            _ => f64::INFINITY,
        };
        let drop_m = self.solids.iter().map(lowest).fold(f64::INFINITY, f64::min);
        for solid in &mut self.solids {
            if let Shape::Capsule { from, to, .. } = &mut solid.shape {
                from[2] -= drop_m;
                to[2] -= drop_m;
            }
            if let Shape::Capsule { from, to, .. } = solid.shape
                && lowest(solid) < 0.01
            {
                let sole = [0.5 * (from[0] + to[0]), from[1], 0.0];
                let to = [sole[0] + 0.3 * (self.origin_m[0] - sole[0]), sole[1], 0.36];
                self.arrows.push(Arrow { from: sole, to, color: CONTACT });
            }
        }
    }
}
