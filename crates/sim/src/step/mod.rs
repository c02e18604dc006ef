//! One step of one group of worlds.
//!
//! Per step, per tree, all about an origin O at the tree's root and along world axes (Featherstone 2008, ch. 7, in one frame):
//!
//! 1. [`forward`] poses and velocities outwards; the force that each link would need if no joint accelerated; contacts.
//! 2. [`backward`] articulated inertias inwards, with implicit PD, joint stops and contact inside.
//! 3. [`accelerate`] joint accelerations outwards; where a torque limit, the friction cone or a one-sided contact was
//!    overstepped, the offender is replaced by its limit and 2–3 are repeated.
//! 4. [`integrate`] semi-implicit Euler.
//!
//! Together 1–3 solve `(M + dt·Σ JᵀCJ)·q̈ = τ − bias + Σ Jᵀ f` exactly, in time linear in the number of links.

mod accelerate;
mod backward;
mod contact;
mod forward;
mod integrate;
mod limit;
mod observe;
mod pairs;
mod shapes;

use crate::kernel::{Kernel, Op};
use crate::lanes::{Lanes, Work};
use crate::math::{Mat3, Sym3, Vec3};
pub(crate) use contact::{Contact, GROUND};
pub(crate) use observe::{LinkPoint, Seen, observe};

/// The worlds that share lanes: state, control and what the last recorded step left to be read.
#[derive(Clone)]
pub(crate) struct Group<V: Lanes> {
    /// State: `[position_count]`, `[velocity_count]`, in MuJoCo's convention.
    pub q: Vec<V>,
    pub v: Vec<V>,
    /// PD targets in the same layout (a root's entries are not used), and what is added to `target_q` before each step.
    pub target_q: Vec<V>,
    pub target_v: Vec<V>,
    pub ramp_q: Vec<V>,
    pub is_ramped: bool,
    /// Scales kp and kd of the joint of each link.
    pub gain: Vec<V>,
    pub gravity: Vec3<V>,
    /// Force and torque about the centre of mass of each link, world axes; empty until first used.
    pub wrench: Vec<[Vec3<V>; 2]>,
    /// Lanes that move.
    pub running: u32,
    /// Steps taken by each lane.
    pub steps: [u64; 16],
    /// Lanes that diverged: at which step and velocity index.
    pub diverged: [Option<(u64, usize)>; 16],

    /// Work of friction on what stands still since the lane's state was set, J.
    pub rubbed: V,

    /// Of the last step: joint torque of PD `[velocity_count]`, that of the stops, and contacts.
    pub torque: Vec<V>,
    pub stop_torque: Vec<V>,
    pub contacts: Vec<Contact<V>>,
}

/// Pose and motion of a link, relative to the tree's origin.
#[derive(Clone, Copy)]
pub(crate) struct Motion<V> {
    pub rotation: Mat3<V>,
    /// Joint origin.
    pub position: Vec3<V>,
    pub angular_velocity: Vec3<V>,
    /// Of the joint origin.
    pub velocity: Vec3<V>,
    /// Accelerations if every joint's own acceleration were zero, with gravity as an upward acceleration of the root.
    pub angular_bias: Vec3<V>,
    pub bias: Vec3<V>,
}

/// A link as `forward` leaves it to the ways inwards.
#[derive(Clone, Copy)]
pub(crate) struct LinkWork<V> {
    /// Rigid inertia about O: rotational part and first moment m·c.
    pub rotational: Sym3<V>,
    pub first_moment: Vec3<V>,
    /// Force that the link needs to follow the bias acceleration, less outer forces.
    pub bias_torque: Vec3<V>,
    pub bias_force: Vec3<V>,
    /// A hinge's PD torque as the law has it.
    pub pd_wish: V,
}

/// What the way outwards needs of each joint, apart from the rest because it is read again in every pass.
#[derive(Clone, Copy)]
pub(crate) struct JointWork<V> {
    // Written by `forward`: a hinge's motion about O, `S = (axis, moment)`.
    pub axis: Vec3<V>,
    pub moment: Vec3<V>,
    /// PD torque that is in force and its implicit part: those of the law, or the limit and zero.
    pub pd_torque: V,
    pub pd_implicit: V,
    // Written by `backward`: U = I·S, 1/D, u.
    pub u_angular: Vec3<V>,
    pub u_linear: Vec3<V>,
    pub d_inverse: V,
    pub u: V,
}

/// Torque and implicit part of a joint's stop; a ball's has an axis n, and its response `k·D⁻¹·n` is written by `backward`.
#[derive(Clone, Copy)]
pub(crate) struct StopWork<V> {
    pub torque: V,
    pub implicit: V,
    pub axis: Vec3<V>,
    pub response: Vec3<V>,
}

/// Friction in a joint that turns too far in a step: η·D on top of the inertia D that the joint carries, and η·v/dt, of which
/// D times as much is the torque against the turning. A hinge uses `x` alone.
#[derive(Clone, Copy)]
pub(crate) struct BrakeWork<V: Lanes> {
    pub share: V,
    pub rate: Vec3<V>,
    /// Lanes in which this joint or one that carries it is braked.
    pub is_braked: V::Mask,
}

/// What ball joints need besides.
#[derive(Clone, Copy)]
pub(crate) struct BallWork<V> {
    pub rotation: Mat3<V>,
    pub position: Vec3<V>,
    pub pd_wish: Vec3<V>,
    pub pd_torque: Vec3<V>,
    /// β, D⁻¹, D⁻¹·H and D⁻¹·u about the joint.
    pub implicit: V,
    pub d_inverse: Sym3<V>,
    pub d_inverse_h: Mat3<V>,
    pub d_inverse_u: Vec3<V>,
}

/// Articulated inertia and bias force about O: `(torque, force) = [J H; Hᵀ M]·(α, a) + (n, f)`.
#[derive(Clone, Copy)]
pub(crate) struct Articulated<V> {
    pub j: Sym3<V>,
    pub h: Mat3<V>,
    pub m: Sym3<V>,
    pub n: Vec3<V>,
    pub f: Vec3<V>,
}

/// Working memory of one thread; holds nothing between steps.
pub(crate) struct Scratch<V: Lanes> {
    pub motions: Vec<Motion<V>>,
    pub links: Vec<LinkWork<V>>,
    pub joints: Vec<JointWork<V>>,
    pub balls: Vec<BallWork<V>>,
    pub stops: Vec<StopWork<V>>,
    /// Only written and read in steps where a lane `is_fast`.
    pub brakes: Vec<BrakeWork<V>>,
    pub is_fast: bool,
    /// Centres of mass relative to the tree's origin, where the kernel keeps them.
    pub centers: Vec<Vec3<V>>,
    /// By segment.
    pub articulated: Vec<Articulated<V>>,
    /// Accelerations (angular, linear at O) by slot.
    pub accelerations: Vec<[Vec3<V>; 2]>,
    /// The same by link, of those that touch something.
    pub touching: Vec<[Vec3<V>; 2]>,
    /// Origin of each tree in the world.
    pub origins: Vec<Vec3<V>>,
    pub contacts: Vec<Contact<V>>,
    pub contact_ranges: Vec<(u32, u32)>,
    pub acceleration: Vec<V>,
    /// Whether any torque met its limit in this step.
    pub limits_hit: bool,
    /// Segments whose law changed in the last outward pass, with all that carry them.
    pub dirty: Vec<bool>,
    /// Backward passes so far, for measuring.
    pub passes: u64,
}

impl<V: Lanes> Scratch<V> {
    pub fn new(kernel: &Kernel<V::Scalar>) -> Self {
        let (z, o) = (V::zero(), Vec3::zero());
        let zero_matrix = Mat3 { cols: [o; 3] };
        let motion =
            Motion { rotation: zero_matrix, position: o, angular_velocity: o, velocity: o, angular_bias: o, bias: o };
        let link = LinkWork { rotational: Sym3::zero(), first_moment: o, bias_torque: o, bias_force: o, pd_wish: z };
        let joint = JointWork {
            axis: o,
            moment: o,
            pd_torque: z,
            pd_implicit: z,
            u_angular: o,
            u_linear: o,
            d_inverse: z,
            u: z,
        };
        let ball = BallWork {
            rotation: zero_matrix,
            position: o,
            pd_wish: o,
            pd_torque: o,
            implicit: z,
            d_inverse: Sym3::zero(),
            d_inverse_h: zero_matrix,
            d_inverse_u: o,
        };
        let articulated = Articulated { j: Sym3::zero(), h: zero_matrix, m: Sym3::zero(), n: o, f: o };
        let has_ball = kernel.links.iter().any(|l| l.kind == crate::kernel::LinkKind::Ball);
        Scratch {
            motions: vec![motion; kernel.motion_slot_count],
            links: vec![link; kernel.links.len()],
            joints: vec![joint; kernel.links.len()],
            balls: vec![ball; if has_ball { kernel.links.len() } else { 0 }],
            stops: vec![StopWork { torque: z, implicit: z, axis: o, response: o }; kernel.links.len()],
            brakes: vec![BrakeWork { share: z, rate: o, is_braked: V::from_bits(0) }; kernel.links.len()],
            is_fast: false,
            centers: vec![o; if kernel.keeps_centers { kernel.links.len() } else { 0 }],
            articulated: vec![articulated; kernel.segment_parents.len()],
            accelerations: vec![[o; 2]; kernel.slot_count],
            touching: vec![[o; 2]; kernel.links.len()],
            origins: vec![o; kernel.trees.len()],
            contacts: Vec::with_capacity(64),
            contact_ranges: vec![(0, 0); kernel.links.len()],
            acceleration: vec![z; kernel.velocity_count],
            limits_hit: false,
            dirty: vec![true; kernel.segment_parents.len()],
            passes: 0,
        }
    }
}

/// Passes in which friction and one-sidedness may still be corrected; torque limits always may.
const CONTACT_PASSES: usize = 2;

/// Passes in which a ball joint's law is scaled to its torque limit before the torque is fixed there.
const SCALE_PASSES: usize = 4;
/// Passes in which a saturated joint may go back to its law.
const RELEASE_PASSES: usize = 6;

/// How far friction may lie outside its cone before the contact is solved again, relative; `None`: not again.
#[inline(always)]
fn contact_slack(pass: usize) -> Option<f64> {
    match pass {
        1 => Some(limit::FIRST_SLACK),
        _ if pass <= CONTACT_PASSES => Some(0.02),
        _ => None,
    }
}

/// Gives a stage with its arguments a name, so that it can run [`Lanes::apart`].
macro_rules! apart {
    ($work:ident($($name:ident: $type:ty),*) -> $outcome:ty $body:block) => {
        struct $work<'a, V: Lanes> {
            $($name: $type,)*
        }
        impl<V: Lanes> Work for $work<'_, V> {
            type Outcome = $outcome;
            #[inline(always)]
            fn run(self) -> $outcome {
                let $work { $($name),* } = self;
                $body
            }
        }
    };
}
apart!(Pairs(kernel: &'a Kernel<V::Scalar>, group: &'a Group<V>, scratch: &'a mut Scratch<V>) -> () {
    pairs::collide(kernel, group, scratch)
});
apart!(Accelerate(
    kernel: &'a Kernel<V::Scalar>, group: &'a Group<V>, scratch: &'a mut Scratch<V>, running: V::Mask, pass: usize
) -> bool {
    accelerate::accelerate(kernel, group, scratch, running, pass)
});
apart!(Integrate(kernel: &'a Kernel<V::Scalar>, group: &'a mut Group<V>, scratch: &'a Scratch<V>) -> () {
    integrate::integrate(kernel, group, scratch)
});
apart!(Record(kernel: &'a Kernel<V::Scalar>, group: &'a mut Group<V>, scratch: &'a Scratch<V>) -> () {
    contact::record(kernel, group, scratch)
});

/// Advances a group by `steps`, and leaves the last one's torques and contacts to be read. No steps: only solves for the
/// accelerations at the present state, which stay in the scratch memory.
///
/// The one function that is compiled for each instruction set, with the stages that it runs [`Lanes::apart`]; all else is inlined into
/// them at one place.
#[inline(always)]
pub(crate) fn advance<V: Lanes>(
    kernel: &Kernel<V::Scalar>,
    group: &mut Group<V>,
    scratch: &mut Scratch<V>,
    steps: usize,
) {
    let mut left = steps;
    while group.running != 0 || steps == 0 {
        if group.is_ramped && steps > 0 {
            let running = V::from_bits(group.running);
            for (target, ramp) in group.target_q.iter_mut().zip(&group.ramp_q) {
                *target = V::select(running, *target + *ramp, *target);
            }
        }
        solve(kernel, group, scratch);
        if steps == 0 {
            return;
        }
        if !scratch.contacts.is_empty() {
            contact::rub(kernel, group, scratch);
        }
        V::apart(Integrate { kernel, group, scratch });
        left -= 1;
        if left == 0 {
            V::apart(Record { kernel, group, scratch });
            break;
        }
    }
}

/// Joint accelerations at the group's state, with everything implicit inside.
#[inline(always)]
fn solve<V: Lanes>(kernel: &Kernel<V::Scalar>, group: &Group<V>, scratch: &mut Scratch<V>) {
    scratch.contacts.clear();
    scratch.dirty.fill(true);
    scratch.limits_hit = false;
    let running = V::from_bits(group.running);
    // No vector whose entries are all below half the tame speed is longer than that speed.
    let tame_speed = V::splat(kernel.tame_speed) * V::constant(0.5);
    let mut tame = V::from_bits(u32::MAX);
    for v in &group.v {
        tame = V::and(tame, v.abs().lt(tame_speed));
    }
    scratch.is_fast = V::any(V::and_not(running, tame));
    // Two or three passes are usual. After `RELEASE_PASSES` each repetition saturates at least one more joint, so that the
    // loop ends with every torque within its limit.
    for pass in 1..kernel.velocity_count + RELEASE_PASSES + 2 {
        for op in &kernel.schedule {
            match *op {
                Op::Forward(i) if pass == 1 => forward::forward(kernel, group, scratch, i as usize),
                Op::Pairs if pass == 1 => V::apart(Pairs { kernel, group, scratch }),
                Op::Backward(i) if scratch.dirty[kernel.links[i as usize].segment] => {
                    backward::backward(kernel, scratch, i as usize);
                }
                _ => {}
            }
        }
        scratch.passes += 1;
        scratch.dirty.fill(false);
        if !V::apart(Accelerate { kernel, group, scratch, running, pass }) {
            break;
        }
    }
}
