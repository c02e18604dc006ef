//! Where the simulation starts: the first frame, on the ground.

use crate::target::Target;
use sinew_sim::{Model, Shape, Snapshot};

/// How deep the lowest point may start in the ground, m.
const SUNK: f64 = 0.001;

/// The first frame as a state; where it starts in the ground, it is lifted out.
pub(crate) fn start_state(target: &Target, is_moving: bool) -> Snapshot {
    let mut position = target.position(0).to_vec();
    let mut velocity = target.velocity(0).to_vec();
    if !is_moving {
        velocity.fill(0.0);
    }
    if target.dofs.has_free_root
        && let Some(ground) = target.model.scene().ground
    {
        let low = lowest_point(&target.model, &position) - ground.height;
        if low < -SUNK {
            position[2] -= low + SUNK;
        }
        velocity[2] = velocity[2].max(if low <= SUNK { 0.0 } else { f64::NEG_INFINITY });
    }
    Snapshot::new(&position, &velocity)
}

/// Height of the lowest point of any body, m.
pub(crate) fn lowest_point(model: &Model, position: &[f64]) -> f64 {
    let measured = sinew_sim::Measured::new(model, position, &vec![0.0; model.velocity_count()], [0.0; 3]);
    let mut lowest = f64::INFINITY;
    for (body, motion) in model.bodies().iter().zip(&measured.bodies) {
        for shape in &body.shapes {
            let low = match *shape {
                Shape::Capsule { from, to, radius } => motion.place(from)[2].min(motion.place(to)[2]) - radius,
                Shape::Sphere { center, radius } => motion.place(center)[2] - radius,
                Shape::Box { center, half_extents, orientation } => {
                    let corner = |i: usize| {
                        let sign = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
                        let [x, y, z] = half_extents;
                        let [x, y, z] = turned(orientation, [sign(1) * x, sign(2) * y, sign(4) * z]);
                        motion.place([center[0] + x, center[1] + y, center[2] + z])[2]
                    };
                    (0..8).map(corner).fold(f64::INFINITY, f64::min)
                }
            };
            lowest = lowest.min(low);
        }
    }
    lowest
}

/// A vector turned by a quaternion `[w, x, y, z]`: `v + 2 u×(u×v + w v)`.
fn turned([w, a, b, c]: [f64; 4], [x, y, z]: [f64; 3]) -> [f64; 3] {
    let t = [b * z - c * y + w * x, c * x - a * z + w * y, a * y - b * x + w * z];
    [x + 2.0 * (b * t[2] - c * t[1]), y + 2.0 * (c * t[0] - a * t[2]), z + 2.0 * (a * t[1] - b * t[0])]
}
