//! Gains, torque limits and rotors from what each joint moves and bears.
//!
//! With `I_sub` the inertia of all that a joint carries about the joint and `I_rest` that of the rest of the body,
//! `I = I_sub I_rest / (I_sub + I_rest)` is what a torque between the two feels, and
//! `kp = ω² I`, `kd = 2 ζ kp / ω` moves it with frequency `ω` and damping `ζ`. Small parts are quicker than large ones,
//! `ω = ω₀ (I_max / I)^¼`, at most `limb_quickening` times ω₀: a hand must not trail behind its forearm.
//! Joints between trunk and sole also hold up the body as an inverted pendulum, which takes
//! `kp ≥ support_factor · s m g h / n`: mass and height of what is above the joint, over `n` legs of `s` joints, which yield one after the other.
//! So does every joint for what stands on it: `kp ≥ support_factor · s m g h`, of `s` joints that bear it in a row.
//! No joint yields more than `hold_sag` to the weight that it bears in the rest pose: `kp ≥ m g d / hold_sag`, `d` the level distance.
//! The torque limit is the largest of `ω² I · torque_angle` and `strength` times the weight of what hangs on the joint at its lever arm;
//! of joints that support, also `strength · m g (d + 0.4 h) / n`. Where the clips need more (`demand.rs`), it is that with `demand_margin`,
//! up to `most_demand` times what statics gave.
//! What bears the body may move a part that is far too light for such a drive, as a foot of one kilogram under 250: a rotor turns with it,
//! `J = kp / (ω₀ · limb_quickening)² − I`, so that no joint is quicker than the quickest limb. As in a geared motor it changes no momentum of the body.

use super::demand;
use super::draft::{Part, Plan};
use glam::{DMat3, DVec3};
use sinew_motion::Clip;
use sinew_sim::{Body, Joint, JointKind, mass_properties};

const GRAVITY: f64 = sinew_sim::STANDARD_GRAVITY;

/// Mass, centre and inertia about the world's axes at the centre.
#[derive(Clone, Copy)]
pub(super) struct Lump {
    pub mass: f64,
    pub center: DVec3,
    pub inertia: DMat3,
}

impl Lump {
    const NONE: Lump = Lump { mass: 0.0, center: DVec3::ZERO, inertia: DMat3::ZERO };

    fn and(self, other: Lump) -> Lump {
        let mass = self.mass + other.mass;
        if mass <= 0.0 {
            return Lump::NONE;
        }
        let center = (self.mass * self.center + other.mass * other.center) / mass;
        Lump { mass, center, inertia: self.about(center) + other.about(center) }
    }

    /// `I + m (d·d 1 − d dᵀ)`.
    fn about(&self, point: DVec3) -> DMat3 {
        let d = self.center - point;
        let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        self.inertia + self.mass * (DMat3::from_diagonal(DVec3::splat(d.dot(d))) - outer)
    }
}

/// Three significant digits.
pub(crate) fn rounded(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let scale = libm::pow(10.0, 2.0 - libm::floor(libm::log10(x.abs())));
    libm::round(x * scale) / scale
}

/// Sets gains, torque limits and rotors; bodies and joints are those of the parts, in the same order, with frames along the world's axes.
pub(crate) fn drive(
    plan: &Plan,
    parts: &mut [Part],
    bodies: &[Body],
    joints: &mut [Joint],
    clips: &[Clip],
) -> Option<String> {
    let origins: Vec<DVec3> = parts.iter().map(|p| plan.stance.placed[p.joint].position).collect();
    let lumps: Vec<Lump> = bodies
        .iter()
        .zip(&origins)
        .map(|(body, origin)| {
            let of = mass_properties::of_body(body);
            let [xx, yy, zz, xy, xz, yz] = of.inertia;
            let inertia = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
            Lump { mass: of.mass, center: *origin + DVec3::from_array(of.center_of_mass), inertia }
        })
        .collect();
    let mut carried = lumps.clone();
    for index in (1..parts.len()).rev() {
        let parent = parts[index].parent.expect("not the root");
        carried[parent] = carried[parent].and(carried[index]);
    }
    // Legs end in a part that carries a sole and has no child that does.
    let ends = (0..parts.len()).filter(|&i| parts[i].carries_sole);
    let legs = ends.filter(|&i| !parts.iter().any(|p| p.parent == Some(i) && p.carries_sole)).count().max(1);
    let options = plan.options;
    let mut inertias = vec![0.0; parts.len()];
    for index in 1..parts.len() {
        let inside = descendants(parts, index);
        let rest = (0..parts.len()).filter(|&i| !inside[i]).fold(Lump::NONE, |sum, i| sum.and(lumps[i]));
        let (sub, at) = (carried[index], origins[index]);
        let felt = |lump: &Lump| {
            let inertia = lump.about(at);
            match joints[index].kind {
                JointKind::Hinge => {
                    let axis = DVec3::from_array(joints[index].axis.unwrap_or([0.0, 1.0, 0.0])).normalize();
                    axis.dot(inertia * axis)
                }
                _ => 0.5 * (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z),
            }
        };
        let (own, other) = (felt(&sub), felt(&rest));
        inertias[index] = own * other / (own + other).max(1e-12);
    }
    let largest = inertias.iter().copied().fold(0.0, f64::max);
    for index in 1..parts.len() {
        let inside = descendants(parts, index);
        let rest = (0..parts.len()).filter(|&i| !inside[i]).fold(Lump::NONE, |sum, i| sum.and(lumps[i]));
        let (sub, at) = (carried[index], origins[index]);
        let inertia = inertias[index];
        let quicker = libm::sqrt(libm::sqrt(largest / inertia.max(1e-12))).clamp(1.0, options.limb_quickening);
        let frequency = options.drive_frequency * quicker;
        let mut kp = frequency * frequency * inertia;
        let mut torque = options.strength * sub.mass * GRAVITY * sub.center.distance(at);
        torque = torque.max(options.torque_angle * kp / quicker);
        let level = |lump: &Lump| DVec3::new(lump.center.x - at.x, lump.center.y - at.y, 0.0).length();
        kp = kp.max(sub.mass * GRAVITY * level(&sub) / options.hold_sag);
        // What stands on the joint is a pendulum too, and the joints of a spine yield one after the other.
        let is_on_chain = |i: usize| inside[i] || descendants(parts, i)[index];
        let series = (1..parts.len()).filter(|&i| carried[i].mass > 0.4 * sub.mass && is_on_chain(i)).count();
        let standing = sub.mass * GRAVITY * (sub.center.z - at.z).max(0.0);
        kp = kp.max(options.support_factor * series as f64 * standing);
        if parts[index].carries_sole {
            let pendulum = rest.mass * GRAVITY * (rest.center.z - at.z).max(0.0) / legs as f64;
            let load = rest.mass * GRAVITY * level(&rest) / legs as f64;
            let upright = options.support_factor * in_series(parts, index) as f64 * pendulum;
            kp = kp.max(load / options.hold_sag + upright);
            torque = torque.max(options.strength * (load + 0.4 * pendulum));
        }
        let joint = &mut joints[index];
        joint.kp = rounded(kp.clamp(1e-3, 1e6));
        joint.kd = rounded(2.0 * options.drive_damping * joint.kp / frequency);
        joint.torque_limit = Some(rounded(torque.max(1e-3)));
        let quickest = options.drive_frequency * options.limb_quickening;
        joint.armature = rounded((joint.kp / (quickest * quickest) - inertia).max(0.0));
    }
    // Both sides alike.
    for (left, part) in parts.iter().enumerate().skip(1) {
        if let Some(right) = part.pair.filter(|_| plan.anatomy.is_left[part.joint]) {
            let [from, to] = joints.get_disjoint_mut([left, right]).expect("two sides");
            if to.kind == from.kind {
                (to.kp, to.kd, to.torque_limit, to.armature) = (from.kp, from.kd, from.torque_limit, from.armature);
            }
        }
    }
    strengthen(plan, parts, &lumps, joints, clips)
}

/// Raises torque limits to what the clips need, in bounds, and says where.
fn strengthen(plan: &Plan, parts: &[Part], lumps: &[Lump], joints: &mut [Joint], clips: &[Clip]) -> Option<String> {
    let options = plan.options;
    let needed = demand::demands(plan, parts, lumps, joints, clips);
    let mut raised = Vec::new();
    for index in 1..parts.len() {
        let of_pair = parts[index].pair.map_or(0.0, |other| needed[other]);
        let wanted = options.demand_margin * needed[index].max(of_pair);
        let joint = &mut joints[index];
        let resting = joint.torque_limit.expect("set above");
        let limit = rounded(wanted.clamp(resting, options.most_demand.max(1.0) * resting));
        joint.torque_limit = Some(limit);
        raised.push((limit / resting, index));
    }
    raised.retain(|&(times, _)| times > 1.05);
    raised.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let &(times, most) = raised.first()?;
    let count = raised.len();
    let which = if count == 1 { "1 joint".into() } else { format!("{count} joints") };
    let name = &plan.skeleton.joints[parts[most].joint].name;
    Some(format!("The clips need more torque of {which} than standing does: {name:?} got {times:.1} times as much."))
}

/// Joints between the trunk and the ground on the way through a part.
fn in_series(parts: &[Part], index: usize) -> usize {
    let is_leg = |i: usize| parts[i].parent.is_some() && parts[i].role != super::anatomy::Role::Trunk;
    let above = std::iter::successors(Some(index), |&i| parts[i].parent).filter(|&i| is_leg(i)).count();
    let mut deepest = above;
    for part in parts.iter().skip(index + 1).filter(|p| p.carries_sole) {
        let way: Vec<usize> = std::iter::successors(part.parent, |&p| parts[p].parent).collect();
        if way.contains(&index) {
            deepest = deepest.max(1 + way.iter().filter(|&&p| is_leg(p)).count());
        }
    }
    deepest
}

fn descendants(parts: &[Part], index: usize) -> Vec<bool> {
    let mut inside = vec![false; parts.len()];
    inside[index] = true;
    for i in index + 1..parts.len() {
        inside[i] = parts[i].parent.is_some_and(|p| inside[p]);
    }
    inside
}
