//! The body and the reference that the authors of Park et al. 2019 released with their code (snumrl/ICC), read as they are.
//!
//! Both have y up and look along z; here z is up and the body looks along −y: `(x, y, z) → (x, −z, y)`.

mod body;
mod motion;

pub use body::{FORWARD_RAD, read_body};
pub use motion::{JOINTS, RATE_HZ, read_motion};

/// A vector with y up as one with z up.
fn z_up([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x, -z, y]
}
