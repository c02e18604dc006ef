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
    /// Distance to the step or the slope, m: in a request from where the motion starts, here from the origin.
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

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::{embedded, rotation};

    /// Height of a box's upper face over a point of the ground.
    fn height(fixed: &StaticBox, x: f64, y: f64) -> f64 {
        let up = rotation::rotated(fixed.orientation, [0.0, 0.0, 1.0]);
        let [a, b, c] = [0, 1, 2].map(|k| fixed.center[k] + fixed.half_extents[2] * up[k]);
        c - (up[0] * (x - a) + up[1] * (y - b)) / up[2]
    }

    #[test]
    fn a_slope_rises_from_the_ground_where_it_begins_and_a_step_is_as_high_as_asked_for() {
        let scene = Scene::on_ground(embedded::dinosaur());
        let changes = Changes { slope_deg: Some(5.0), ahead_m: 2.0, heading_rad: 0.6, ..Changes::default() };
        let slope = changes.apply(&scene).boxes.remove(0);
        let at = |metres: f64| height(&slope, metres * libm::cos(0.6), metres * libm::sin(0.6));
        assert!(
            at(2.0).abs() < 1e-9 && (at(12.0) - 10.0 * libm::tan(5f64.to_radians())).abs() < 1e-9,
            "{} {}",
            at(2.0),
            at(12.0)
        );
        // Level to the side.
        assert!(
            (height(&slope, 2.0 * libm::cos(0.6) - libm::sin(0.6), 2.0 * libm::sin(0.6) + libm::cos(0.6))).abs() < 1e-9
        );
        let step = Changes { step_m: Some(0.1), ..changes }.apply(&scene).boxes.remove(0);
        assert!((height(&step, 5.0, 3.0) - 0.1).abs() < 1e-12);
        let near = rotation::rotated(step.orientation, [-step.half_extents[0], 0.0, 0.0]);
        let edge = [0, 1].map(|k| step.center[k] + near[k]);
        assert!((edge[0] - 2.0 * libm::cos(0.6)).abs() < 1e-9 && (edge[1] - 2.0 * libm::sin(0.6)).abs() < 1e-9);
    }

    #[test]
    fn masses_and_friction_change_in_the_world_alone() {
        let scene = Scene::on_ground(embedded::dinosaur());
        let changed = Changes { mass: Some(1.3), friction: Some(0.4), ..Changes::default() }.apply(&scene);
        let mass = |scene: &Scene| scene.characters[0].character.bodies.iter().map(|body| body.mass).sum::<f64>();
        assert!((mass(&changed) / mass(&scene) - 1.3).abs() < 1e-12);
        assert_eq!(changed.ground.map(|ground| ground.surface.friction), Some(0.4));
        assert_eq!(Changes::default().apply(&scene), scene);
    }
}
