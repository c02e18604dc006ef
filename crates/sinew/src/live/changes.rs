//! A world that is not what the planner thinks it is.

use sinew_sim::{Scene, StaticBox, Surface};

/// What differs in the world from the scene in which plans are simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Changes {
    /// Factor of all masses and inertias; none for 1.
    pub mass: Option<f64>,
    /// Friction of the ground.
    pub friction: Option<f64>,
    /// A step up ahead, m.
    pub step_m: Option<f64>,
    /// A slope up ahead, degrees.
    pub slope_deg: Option<f64>,
    /// Distance from the start to the step or the slope, m.
    pub ahead_m: f64,
    /// Angle along which ahead lies, rad.
    pub heading_rad: f64,
}

/// How far a step or a slope reaches ahead and to the sides, m.
const LONG_M: f64 = 60.0;

impl Changes {
    /// The scene with the changes.
    pub fn apply(&self, scene: &Scene) -> Scene {
        let mut scene = scene.clone();
        if let Some(factor) = self.mass {
            for body in scene.characters.iter_mut().flat_map(|placed| &mut placed.character.bodies) {
                body.mass *= factor;
                if let Some(inertia) = &mut body.inertia {
                    inertia.iter_mut().for_each(|i| *i *= factor);
                }
            }
        }
        let mut surface = scene.ground.map_or(Surface::default(), |ground| ground.surface);
        if let Some(friction) = self.friction {
            surface.friction = friction;
        }
        if let Some(ground) = &mut scene.ground {
            ground.surface = surface;
        }
        let (sin, cos) = libm::sincos(self.heading_rad);
        let (half_sin, half_cos) = libm::sincos(0.5 * self.heading_rad);
        let half = 0.5 * LONG_M;
        if let Some(step) = self.step_m {
            let ahead = self.ahead_m + half;
            scene.boxes.push(StaticBox {
                name: "step".into(),
                center: [cos * ahead, sin * ahead, 0.5 * step],
                half_extents: [half, half, 0.5 * step.abs()],
                orientation: [half_cos, 0.0, 0.0, half_sin],
                surface,
            });
        }
        if let Some(slope) = self.slope_deg {
            // A thick slab whose upper face rises from the ground: its upper near edge lies on the ground at `ahead_m`.
            let angle = slope.to_radians();
            let (s, c) = libm::sincos(angle);
            let (along, down) = (half, 1.0);
            let (x, z) = (self.ahead_m + along * c + down * s, along * s - down * c);
            let (ps, pc) = libm::sincos(-0.5 * angle);
            // Heading first, then the pitch about its own y axis.
            let orientation = [half_cos * pc, -half_sin * ps, half_cos * ps, half_sin * pc];
            scene.boxes.push(StaticBox {
                name: "slope".into(),
                center: [cos * x, sin * x, z],
                half_extents: [along, half, down],
                orientation,
                surface,
            });
        }
        scene
    }
}
