//! Inertia matrices `[xx, yy, zz, xy, xz, yz]`, turned and added up.

use glam::{DMat3, DQuat, DVec3};
use sinew_sim::mass_properties::MassProperties;

pub(crate) fn matrix([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> DMat3 {
    DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
}

pub(crate) fn entries(m: DMat3) -> [f64; 6] {
    [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.y_axis.x, m.z_axis.x, m.z_axis.y]
}

/// `R I Rᵀ`.
pub(crate) fn turned(inertia: [f64; 6], turn: DQuat) -> [f64; 6] {
    let r = DMat3::from_quat(turn);
    entries(r * matrix(inertia) * r.transpose())
}

/// `m (d·d 1 − d dᵀ)`.
fn of_point(mass: f64, d: DVec3) -> DMat3 {
    mass * (DMat3::from_diagonal(DVec3::splat(d.dot(d))) - DMat3::from_cols(d * d.x, d * d.y, d * d.z))
}

/// Mass properties after `x → offset + rotation · x`.
pub(crate) fn moved(of: &MassProperties, rotation: DQuat, offset: DVec3) -> MassProperties {
    let center = offset + rotation * DVec3::from_array(of.center_of_mass);
    MassProperties { mass: of.mass, center_of_mass: center.to_array(), inertia: turned(of.inertia, rotation) }
}

/// Two rigid bodies as one, in the same frame: Steiner's theorem about the common centre.
pub(crate) fn together(a: &MassProperties, b: &MassProperties) -> MassProperties {
    let mass = a.mass + b.mass;
    let (ca, cb) = (DVec3::from_array(a.center_of_mass), DVec3::from_array(b.center_of_mass));
    let center = (a.mass * ca + b.mass * cb) / mass;
    let inertia = matrix(a.inertia) + matrix(b.inertia) + of_point(a.mass, ca - center) + of_point(b.mass, cb - center);
    MassProperties { mass, center_of_mass: center.to_array(), inertia: entries(inertia) }
}
