//! What a contact does when its law asks for the impossible: it gives up its friction, gives way, or comes back.
//!
//! Each pass solves all contacts by their present laws at once; `limit` then looks at one of them and replaces its law where that was broken.
//! Laws change in a few passes only, so what is found is not always a solution of Coulomb's law, but none ever pulls, and none rubs by
//! more than a few percent too much.

use super::contact::Contact;
use crate::kernel::Kernel;
use crate::lanes::Lanes;
use crate::math::Vec3;

/// How far friction may lie outside its cone in the first pass, relative.
pub(super) const FIRST_SLACK: f64 = 0.01;
/// Once the regular passes are spent: how far friction may lie outside its cone, relative, and how many pull tolerances count.
const LAST_SLACK: f64 = 0.02;
const LAST_TOLERANCES: f64 = 10.0;
/// Speed inwards, m/s, at which a contact at rest that gave way is held when it comes back.
const RETURNING_SPEED: f64 = 0.5;
/// Share of its cone that friction gets back after it was given up.
const RUBBING: f64 = 0.6;
/// Speed, m/s, from which a point slides rather than creeps.
const SLIDING_SPEED: f64 = 0.02;
/// Speed, m/s, at which fixed friction may push a point backwards.
const BACKWARDS_SPEED: f64 = 0.1;

/// A contact under the accelerations of a pass.
#[derive(Clone, Copy)]
struct Response<V: Lanes> {
    /// Change of the point's velocity in the step, across the surface.
    change_n: V,
    /// Force without acceleration, across the surface.
    explicit_n: V,
    /// Velocity along the surface after the step.
    slip: Vec3<V>,
    force_t: Vec3<V>,
    /// Sizes of friction and of its cone.
    size: V,
    cone: V,
    /// Force that counts as none.
    tolerance: V,
    /// Largest gain of friction.
    stick: V,
    /// Lanes in which it bears.
    bears: V::Mask,
}

impl<V: Lanes> Response<V> {
    /// Gain with which friction of a size brakes the slip: `c_t = f/|u'_t|`.
    #[inline(always)]
    fn secant(&self, force: V) -> V {
        (force / self.slip.length().max(V::constant(1e-9))).min(self.stick)
    }
}

/// The contact's force under the link's acceleration; replaces its law where it pulls or leaves the cone.
/// Returns the lanes that changed.
#[inline(always)]
pub(super) fn limit<V: Lanes>(
    kernel: &Kernel<V::Scalar>,
    contact: &mut Contact<V>,
    acceleration: &[Vec3<V>; 2],
    running: V::Mask,
    slack: Option<f64>,
) -> V::Mask {
    let zero = V::zero();
    let [alpha, a] = *acceleration;
    let n = contact.normal;
    let change = alpha.cross_add(contact.point, a).scale(V::splat(kernel.dt));
    let change_n = n.dot(change);
    let tree = &kernel.trees[kernel.links[contact.link as usize].tree];
    if !V::any(V::and(contact.mask, running)) {
        // Most of what is watched stays away.
        let [force, gain] = contact.law;
        let pressed = V::splat(tree.pull_tolerance).lt(gain.neg_mul_add(change_n, force));
        if !V::any(V::and(pressed, contact.gone)) {
            return V::from_bits(0);
        }
    }
    let explicit_n = n.dot(contact.explicit_force);
    let force_n = contact.normal_gain.neg_mul_add(change_n, explicit_n);
    let explicit_t = n.scale_sub_from(explicit_n, contact.explicit_force);
    let force_t = n.scale_sub_from(change_n, change).scale_sub_from(contact.tangent_gain, explicit_t);
    contact.force = n.scale_add(force_n, force_t);
    // A contact that pulls, or rubs far too hard, must not outlive the regular passes: it would glue or kick.
    let is_late = slack.is_none();
    let (slack, tolerances) = match slack {
        Some(slack) => (slack, 1.0),
        None => (LAST_SLACK, LAST_TOLERANCES),
    };
    let now = Response {
        change_n,
        explicit_n,
        slip: contact.slip.add(n.scale_sub_from(change_n, change)),
        force_t,
        size: force_t.length(),
        cone: contact.friction * force_n.max(zero),
        tolerance: V::splat(tree.pull_tolerance) * V::constant(tolerances),
        stick: V::splat(tree.stick_implicit),
        bears: V::and(contact.mask, running),
    };
    let pulls = V::and(force_n.lt(-now.tolerance), now.bears);
    let most = now.cone.mul_add(V::constant(1.0 + slack), now.tolerance);
    let slips = V::and_not(V::and(most.lt(now.size), now.bears), pulls);
    // Friction of fixed size that has turned the slip around drives it: it was more than stopping took.
    let is_fixed = V::and_not(now.bears, zero.lt(contact.tangent_gain));
    let backwards = (now.size * V::constant(BACKWARDS_SPEED)).lt(force_t.dot(now.slip));
    let kicks = V::and_not(V::and(is_fixed, backwards), V::or(pulls, slips));
    let replaced = V::or(V::or(pulls, slips), kicks);
    let mut changed = replaced;
    if slack == FIRST_SLACK {
        changed = V::or(changed, raise(contact, &now, changed));
    }
    if V::any(contact.eased) {
        changed = V::or(changed, rub_again(contact, &now, changed));
    }
    if V::any(contact.gone) {
        changed = V::or(changed, come_back(contact, &now, is_late));
    }
    if V::any(replaced) {
        give_in(contact, &now, [pulls, slips, kicks]);
    }
    changed
}

/// The secant was drawn for less than the ground now bears: sliding takes all friction that there is.
#[inline(always)]
fn raise<V: Lanes>(contact: &mut Contact<V>, now: &Response<V>, changed: V::Mask) -> V::Mask {
    let sliding = V::constant(SLIDING_SPEED).lt(now.slip.length());
    let weak = V::and(now.size.lt(now.cone * V::constant(0.7)), V::and(sliding, V::zero().lt(contact.tangent_gain)));
    let weak = V::and_not(V::and(weak, now.bears), V::or(changed, contact.enters));
    if V::any(weak) {
        brake(contact, now, weak, now.secant(now.cone));
    }
    weak
}

/// What gave up its friction and slides all the same gets some of it back, once, as a drag, which can only brake.
#[inline(always)]
fn rub_again<V: Lanes>(contact: &mut Contact<V>, now: &Response<V>, changed: V::Mask) -> V::Mask {
    let sliding = V::and(V::constant(SLIDING_SPEED).lt(now.slip.length()), now.tolerance.lt(now.cone));
    let rubs = V::and_not(V::and(V::and(contact.eased, sliding), now.bears), changed);
    brake(contact, now, rubs, now.secant(now.cone * V::constant(RUBBING)));
    contact.eased = V::and_not(contact.eased, rubs);
    contact.may_rub = V::and_not(contact.may_rub, rubs);
    rubs
}

/// Friction becomes a drag with a gain in some lanes.
#[inline(always)]
fn brake<V: Lanes>(contact: &mut Contact<V>, now: &Response<V>, lanes: V::Mask, gain: V) {
    contact.tangent_gain = V::select(lanes, gain, contact.tangent_gain);
    let explicit = contact.slip.scale(-gain).add(contact.normal.scale(now.explicit_n));
    contact.explicit_force = Vec3::select(lanes, explicit, contact.explicit_force);
}

/// What is watched and would now push comes back: with friction, unless it flies in.
#[inline(always)]
fn come_back<V: Lanes>(contact: &mut Contact<V>, now: &Response<V>, is_late: bool) -> V::Mask {
    let [force, gain] = contact.law;
    let pressed = gain.neg_mul_add(now.change_n, force);
    let returns = V::and(now.tolerance.lt(pressed), contact.gone);
    let grip = V::select(contact.enters, V::zero(), now.secant(contact.friction * pressed));
    let explicit = contact.slip.scale(-grip).add(contact.normal.scale(force));
    contact.explicit_force = Vec3::select(returns, explicit, contact.explicit_force);
    contact.normal_gain = V::select(returns, gain, contact.normal_gain);
    contact.tangent_gain = V::select(returns, grip, contact.tangent_gain);
    contact.mask = V::or(contact.mask, returns);
    // While torques still find their limits it may go and come again.
    if is_late {
        contact.enters = V::and_not(contact.enters, returns);
        contact.may_return = V::and_not(contact.may_return, returns);
    }
    contact.gone = V::and_not(contact.gone, returns);
    returns
}

/// Slipping: μ·f_n against the slip. Kicking: a drag of about that size, which can only brake. Pulling: nothing.
#[inline(always)]
fn give_in<V: Lanes>(contact: &mut Contact<V>, now: &Response<V>, [pulls, slips, kicks]: [V::Mask; 3]) {
    let (zero, n) = (V::zero(), contact.normal);
    let limited = now.force_t.scale(now.cone / now.size.max(V::constant(1e-12)));
    let drag = now.secant(now.size);
    let tangential = Vec3::select(kicks, contact.slip.scale(-drag), limited);
    let explicit = n.scale_add(now.explicit_n, tangential);
    let explicit = Vec3::select(V::or(slips, kicks), explicit, contact.explicit_force);
    // Friction that grips at once can lever a point out that flies in; without it the point must still not pass.
    let eases = V::and(V::and(pulls, contact.enters), zero.lt(now.size));
    let leaves = V::and_not(pulls, eases);
    contact.eased = V::or(contact.eased, V::and(eases, contact.may_rub));
    let explicit = Vec3::select(eases, n.scale(now.explicit_n), explicit);
    contact.explicit_force = Vec3::select(leaves, Vec3::zero(), explicit);
    let replaced = V::or(V::or(pulls, slips), kicks);
    contact.tangent_gain = V::select(replaced, V::select(kicks, drag, zero), contact.tangent_gain);
    contact.normal_gain = V::select(leaves, zero, contact.normal_gain);
    contact.mask = V::and_not(contact.mask, leaves);
    contact.gone = V::or(contact.gone, V::and(leaves, contact.may_return));
    // What was at rest comes back only against what drives it in fast.
    let rests = V::and_not(leaves, contact.enters);
    let [force, gain] = contact.law;
    contact.law[0] = V::select(rests, gain.neg_mul_add(V::constant(RETURNING_SPEED), force), force);
    contact.force = Vec3::select(leaves, Vec3::zero(), contact.force);
}
