//! One group of worlds behind a plain interface, with the instruction set chosen at run time.
//!
//! The only place that enters code compiled for an instruction set; everything above speaks f64 and lane numbers.

use crate::kernel::Kernel;
#[cfg(target_arch = "aarch64")]
use crate::lanes::NeonF32x4;
use crate::lanes::{F32x4, Isa, Lanes, Scalar};
#[cfg(target_arch = "x86_64")]
use crate::lanes::{F32x8, F32x16};
use crate::math::Vec3;
use crate::model::{EndEffectorInfo, Model};
use crate::rotation::{add, apply};
use crate::step::{self, Group, LinkPoint, Scratch, Seen};
use std::any::Any;
use std::sync::Arc;

/// Which of a world's arrays is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Position,
    Velocity,
    Target,
    TargetVelocity,
    Ramp,
    Torque,
    StopTorque,
}

/// A contact of one world as the engine leaves it.
pub(crate) struct RawContact {
    pub link: usize,
    pub other: i32,
    pub point: [f64; 3],
    pub normal: [f64; 3],
    pub force: [f64; 3],
}

/// A group of worlds that share lanes.
pub(crate) trait Worlds: Send + Sync {
    fn lane_count(&self) -> usize;
    fn new_scratch(&self) -> Box<dyn Any + Send>;
    /// `scratch` must come from a group of the same model and instruction set.
    fn advance(&mut self, scratch: &mut dyn Any, steps: usize);
    /// Joint accelerations at the present state, without moving.
    fn accelerations(&mut self, scratch: &mut dyn Any, lane: usize, out: &mut [f64]);
    fn read(&self, field: Field, lane: usize, out: &mut [f64]);
    fn write(&mut self, field: Field, lane: usize, values: &[f64]);
    /// The same value in all numbers of a lane.
    fn fill(&mut self, field: Field, lane: usize, value: f64);
    /// Reads the first lanes, as many as `out` has rows, each into a row of its own.
    fn read_rows(&self, field: Field, out: &mut [f32]);
    /// Like [`Worlds::read_rows`], of what was last observed.
    fn observed_rows(&self, out: &mut [f32]);
    fn set_ramped(&mut self, ramped: bool);
    fn set_gain(&mut self, lane: usize, gain: f64);
    fn set_link_gain(&mut self, lane: usize, link: usize, gain: f64);
    fn gravity(&self, lane: usize) -> [f64; 3];
    fn set_gravity(&mut self, lane: usize, gravity: [f64; 3]);
    fn add_wrench(&mut self, lane: usize, link: usize, force: [f64; 3], torque: [f64; 3]);
    fn clear_wrenches(&mut self, lane: usize);
    fn is_running(&self, lane: usize) -> bool;
    fn set_running(&mut self, lane: usize, running: bool);
    fn steps(&self, lane: usize) -> u64;
    fn diverged(&self, lane: usize) -> Option<(u64, usize)>;
    fn set_history(&mut self, lane: usize, steps: u64, diverged: Option<(u64, usize)>);
    fn contacts(&self, lane: usize) -> Vec<RawContact>;
    fn rubbed(&self, lane: usize) -> f64;
    /// Looks at the present state of all lanes; [`Worlds::observed`] reads what was seen.
    fn observe(&mut self);
    fn observed(&self, lane: usize, out: &mut [f64]);
    fn bytes(&self) -> usize;
    /// Backward passes made with this scratch memory.
    fn passes(&self, scratch: &dyn Any) -> u64;
}

type Advance<V> = unsafe fn(&Kernel<<V as Lanes>::Scalar>, &mut Group<V>, &mut Scratch<V>, usize);

type Observe<V> = unsafe fn(
    &Kernel<<V as Lanes>::Scalar>,
    &Group<V>,
    &[LinkPoint<<V as Lanes>::Scalar>],
    &mut Vec<Seen<V>>,
    &mut Vec<V>,
);

struct Engine<V: Lanes> {
    kernel: Arc<Kernel<V::Scalar>>,
    group: Group<V>,
    advance: Advance<V>,
    observe: Observe<V>,
    /// The end effectors, and what the last look at them saw.
    effectors: Arc<Vec<LinkPoint<V::Scalar>>>,
    seen: Vec<Seen<V>>,
    observed: Vec<V>,
}

macro_rules! entry_points {
    ($name:ident, $observe:ident, $lanes:ty $(, $feature:literal)?) => {
        $(#[target_feature(enable = $feature)])?
        unsafe fn $observe(
            kernel: &Kernel<<$lanes as Lanes>::Scalar>,
            group: &Group<$lanes>,
            points: &[LinkPoint<<$lanes as Lanes>::Scalar>],
            seen: &mut Vec<Seen<$lanes>>,
            out: &mut Vec<$lanes>,
        ) {
            step::observe(kernel, group, points, seen, out);
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn $name(
            kernel: &Kernel<<$lanes as Lanes>::Scalar>,
            group: &mut Group<$lanes>,
            scratch: &mut Scratch<$lanes>,
            steps: usize,
        ) {
            step::advance(kernel, group, scratch, steps);
        }
    };
}
entry_points!(advance_portable, observe_portable, F32x4);
entry_points!(advance_reference, observe_reference, f64);
#[cfg(target_arch = "aarch64")]
entry_points!(advance_neon, observe_neon, NeonF32x4);
#[cfg(target_arch = "x86_64")]
entry_points!(advance_avx2, observe_avx2, F32x8, "avx2,fma");
#[cfg(target_arch = "x86_64")]
entry_points!(advance_avx512, observe_avx512, F32x16, "avx512f,avx512vl,avx512dq,avx2,fma");

/// Makes `count` groups of worlds, all at rest in the scene's starting pose and none of them running.
///
/// # Panics
/// When the CPU lacks the instruction set; callers check [`Isa::is_available`].
pub(crate) fn new_groups(model: &Model, isa: Isa, count: usize) -> Vec<Box<dyn Worlds>> {
    assert!(isa.is_available(), "this CPU has no {}", isa.name());
    match isa {
        Isa::Portable => make::<F32x4>(model, count, advance_portable, observe_portable),
        Isa::Reference64 => make::<f64>(model, count, advance_reference, observe_reference),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => make::<F32x8>(model, count, advance_avx2, observe_avx2),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => make::<F32x16>(model, count, advance_avx512, observe_avx512),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => make::<NeonF32x4>(model, count, advance_neon, observe_neon),
        #[cfg(not(target_arch = "x86_64"))]
        Isa::Avx2 | Isa::Avx512 => unreachable!("checked above"),
        #[cfg(not(target_arch = "aarch64"))]
        Isa::Neon => unreachable!("checked above"),
    }
}

fn make<V: Lanes>(model: &Model, count: usize, advance: Advance<V>, observe: Observe<V>) -> Vec<Box<dyn Worlds>> {
    let kernel = Arc::new(model.kernel.convert::<V::Scalar>());
    let fill = |values: &[f64]| -> Vec<V> {
        values
            .iter()
            .map(|&x| {
                let mut v = V::zero();
                (0..V::COUNT).for_each(|lane| v.set(lane, x));
                v
            })
            .collect()
    };
    let zeros = fill(&vec![0.0; model.velocity_count()]);
    let gravity = fill(&model.scene().gravity);
    let group = Group {
        q: fill(model.rest_position()),
        v: zeros.clone(),
        target_q: fill(model.rest_position()),
        target_v: zeros.clone(),
        ramp_q: fill(&vec![0.0; model.position_count()]),
        is_ramped: false,
        gain: fill(&vec![1.0; model.kernel.links.len()]),
        gravity: Vec3 { x: gravity[0], y: gravity[1], z: gravity[2] },
        wrench: Vec::new(),
        running: 0,
        steps: [0; 16],
        diverged: [None; 16],
        rubbed: V::zero(),
        torque: zeros.clone(),
        stop_torque: zeros,
        contacts: Vec::new(),
    };
    let point = |e: &EndEffectorInfo| {
        let body = &model.bodies[e.body];
        let [x, y, z] = add(body.position, apply(&body.rotation, e.position)).map(V::Scalar::from_f64);
        LinkPoint { link: body.link, position: [x, y, z] }
    };
    let effectors = Arc::new(model.end_effectors.iter().map(point).collect::<Vec<_>>());
    let engine = || Engine {
        kernel: kernel.clone(),
        group: group.clone(),
        advance,
        observe,
        effectors: effectors.clone(),
        seen: Vec::new(),
        observed: Vec::new(),
    };
    (0..count).map(|_| -> Box<dyn Worlds> { Box::new(engine()) }).collect()
}

impl<V: Lanes> Engine<V> {
    fn field(&self, field: Field) -> &[V] {
        match field {
            Field::Position => &self.group.q,
            Field::Velocity => &self.group.v,
            Field::Target => &self.group.target_q,
            Field::TargetVelocity => &self.group.target_v,
            Field::Ramp => &self.group.ramp_q,
            Field::Torque => &self.group.torque,
            Field::StopTorque => &self.group.stop_torque,
        }
    }
    fn field_mut(&mut self, field: Field) -> &mut [V] {
        match field {
            Field::Position => &mut self.group.q,
            Field::Velocity => &mut self.group.v,
            Field::Target => &mut self.group.target_q,
            Field::TargetVelocity => &mut self.group.target_v,
            Field::Ramp => &mut self.group.ramp_q,
            Field::Torque => &mut self.group.torque,
            Field::StopTorque => &mut self.group.stop_torque,
        }
    }
}

fn get3<V: Lanes>(v: &Vec3<V>, lane: usize) -> [f64; 3] {
    [v.x.get(lane), v.y.get(lane), v.z.get(lane)]
}

/// One row for each lane from one value of all lanes after another: the transpose.
fn lanes_to_rows<V: Lanes>(values: &[V], rows: &mut [f32]) {
    for (lane, row) in rows.chunks_exact_mut(values.len().max(1)).enumerate() {
        row.iter_mut().zip(values).for_each(|(out, v)| *out = v.get(lane) as f32);
    }
}

impl<V: Lanes> Worlds for Engine<V> {
    fn lane_count(&self) -> usize {
        V::COUNT
    }
    fn new_scratch(&self) -> Box<dyn Any + Send> {
        Box::new(Scratch::<V>::new(&self.kernel))
    }
    fn advance(&mut self, scratch: &mut dyn Any, steps: usize) {
        let scratch = scratch.downcast_mut::<Scratch<V>>().expect("scratch of the same instruction set");
        if steps == 0 {
            return;
        }
        // SAFETY: `new_groups` made this engine only after finding the instruction set on this CPU.
        unsafe { (self.advance)(&self.kernel, &mut self.group, scratch, steps) }
    }
    fn accelerations(&mut self, scratch: &mut dyn Any, lane: usize, out: &mut [f64]) {
        let scratch = scratch.downcast_mut::<Scratch<V>>().expect("scratch of the same instruction set");
        // SAFETY: as in `advance`.
        unsafe { (self.advance)(&self.kernel, &mut self.group, scratch, 0) }
        for (out, a) in out.iter_mut().zip(&scratch.acceleration) {
            *out = a.get(lane);
        }
    }
    fn read(&self, field: Field, lane: usize, out: &mut [f64]) {
        for (out, v) in out.iter_mut().zip(self.field(field)) {
            *out = v.get(lane);
        }
    }
    fn write(&mut self, field: Field, lane: usize, values: &[f64]) {
        for (v, &x) in self.field_mut(field).iter_mut().zip(values) {
            v.set(lane, x);
        }
    }
    fn fill(&mut self, field: Field, lane: usize, value: f64) {
        self.field_mut(field).iter_mut().for_each(|v| v.set(lane, value));
    }
    fn read_rows(&self, field: Field, out: &mut [f32]) {
        lanes_to_rows(self.field(field), out);
    }
    fn observed_rows(&self, out: &mut [f32]) {
        lanes_to_rows(&self.observed, out);
    }
    fn set_ramped(&mut self, ramped: bool) {
        self.group.is_ramped = ramped;
    }
    fn set_gain(&mut self, lane: usize, gain: f64) {
        self.group.gain.iter_mut().for_each(|v| v.set(lane, gain));
    }
    fn set_link_gain(&mut self, lane: usize, link: usize, gain: f64) {
        self.group.gain[link].set(lane, gain);
    }
    fn gravity(&self, lane: usize) -> [f64; 3] {
        get3(&self.group.gravity, lane)
    }
    fn set_gravity(&mut self, lane: usize, [x, y, z]: [f64; 3]) {
        self.group.gravity.x.set(lane, x);
        self.group.gravity.y.set(lane, y);
        self.group.gravity.z.set(lane, z);
    }
    fn add_wrench(&mut self, lane: usize, link: usize, force: [f64; 3], torque: [f64; 3]) {
        if self.group.wrench.is_empty() {
            self.group.wrench = vec![[Vec3::zero(); 2]; self.kernel.links.len()];
        }
        for (v, add) in self.group.wrench[link].iter_mut().zip([force, torque]) {
            let old = get3(v, lane);
            v.x.set(lane, old[0] + add[0]);
            v.y.set(lane, old[1] + add[1]);
            v.z.set(lane, old[2] + add[2]);
        }
    }
    fn clear_wrenches(&mut self, lane: usize) {
        for v in self.group.wrench.iter_mut().flatten() {
            v.x.set(lane, 0.0);
            v.y.set(lane, 0.0);
            v.z.set(lane, 0.0);
        }
    }
    fn is_running(&self, lane: usize) -> bool {
        self.group.running >> lane & 1 == 1
    }
    fn set_running(&mut self, lane: usize, running: bool) {
        self.group.running = self.group.running & !(1 << lane) | (running as u32) << lane;
    }
    fn steps(&self, lane: usize) -> u64 {
        self.group.steps[lane]
    }
    fn diverged(&self, lane: usize) -> Option<(u64, usize)> {
        self.group.diverged[lane]
    }
    fn set_history(&mut self, lane: usize, steps: u64, diverged: Option<(u64, usize)>) {
        self.group.steps[lane] = steps;
        self.group.diverged[lane] = diverged;
        self.group.rubbed.set(lane, 0.0);
    }
    fn contacts(&self, lane: usize) -> Vec<RawContact> {
        let here = |c: &&step::Contact<V>| V::bits(c.mask) >> lane & 1 == 1;
        let contacts = self.group.contacts.iter().filter(here);
        contacts
            .map(|c| RawContact {
                link: c.link as usize,
                other: c.other,
                point: get3(&c.point, lane),
                normal: get3(&c.normal, lane),
                force: get3(&c.force, lane),
            })
            .collect()
    }
    fn rubbed(&self, lane: usize) -> f64 {
        self.group.rubbed.get(lane)
    }
    fn observe(&mut self) {
        // SAFETY: as in `advance`.
        unsafe {
            (self.observe)(&self.kernel, &self.group, &self.effectors, &mut self.seen, &mut self.observed);
        }
    }
    fn observed(&self, lane: usize, out: &mut [f64]) {
        for (out, v) in out.iter_mut().zip(&self.observed) {
            *out = v.get(lane);
        }
    }
    fn bytes(&self) -> usize {
        let g = &self.group;
        let values = [&g.q, &g.v, &g.target_q, &g.target_v, &g.ramp_q, &g.torque, &g.stop_torque];
        size_of::<Self>()
            + values.iter().map(|v| v.capacity() * size_of::<V>()).sum::<usize>()
            + g.wrench.capacity() * size_of::<[Vec3<V>; 2]>()
            + g.contacts.capacity() * size_of::<step::Contact<V>>()
    }
    fn passes(&self, scratch: &dyn Any) -> u64 {
        scratch.downcast_ref::<Scratch<V>>().map_or(0, |s| s.passes)
    }
}
