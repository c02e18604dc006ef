//! A made-up figure of capsules for the examples.

use sinew_report::{Arrow, Shape, Solid};

const SKIN: [u8; 3] = [226, 178, 148];
const SHIRT: [u8; 3] = [70, 128, 186];
const TROUSERS: [u8; 3] = [86, 96, 116];
const LEFT: [u8; 3] = [232, 148, 74];
const CONTACT: [u8; 3] = [30, 144, 96];

/// The figure under construction.
pub struct Figure {
    pub solids: Vec<Solid>,
    pub arrows: Vec<Arrow>,
    pub origin_m: [f64; 3],
}

impl Figure {
    /// A point of the figure in the world.
    pub fn at(&self, p: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| self.origin_m[i] + p[i])
    }

    fn capsule(&mut self, from: [f64; 3], to: [f64; 3], radius: f64, color: [u8; 3]) {
        self.solids.push(Solid { shape: Shape::Capsule { from: self.at(from), to: self.at(to), radius }, color });
    }

    /// Leaning forward by `lean` with the left leg `stride` ahead, radians.
    pub fn pose(&mut self, lean: f64, stride: f64) {
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
    pub fn stand(&mut self) {
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
