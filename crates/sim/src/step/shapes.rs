//! Where two shapes touch.
//!
//! Everything reduces to points against the distance field of a box, which is convex: a capsule touches a box at its ends and,
//! between them, at the lowest point of the field along its axis; a box touches a box at corners in either and at edges.

use super::{Motion, Scratch, contact};
use crate::kernel::{Kernel, LinkShape};
use crate::lanes::Lanes;
use crate::math::{Mat3, Vec3};

/// A box in the coordinates of the work at hand.
pub(super) struct PosedBox<V> {
    pub center: Vec3<V>,
    pub axes: Mat3<V>,
    pub half: Vec3<V>,
}

impl<V: Lanes> PosedBox<V> {
    /// Signed distance of a point from the surface, negative inside, and the outward normal there.
    #[inline(always)]
    pub fn distance(&self, point: Vec3<V>) -> (V, Vec3<V>) {
        let zero = V::zero();
        let local = self.axes.transpose_mul_vec(point.sub(self.center));
        let past = Vec3::new(local.x.abs(), local.y.abs(), local.z.abs()).sub(self.half);
        let outside = Vec3::new(past.x.max(zero), past.y.max(zero), past.z.max(zero));
        let gap = outside.length();
        let deepest = past.x.max(past.y.max(past.z));
        let is_outside = zero.lt(gap);
        let distance = V::select(is_outside, gap, deepest);
        // Inside, the nearest face: the first axis of the largest `past`.
        let one = V::constant(1.0);
        let on_x = V::and_not(V::from_bits(u32::MAX), past.x.lt(deepest));
        let on_y = V::and_not(V::and_not(V::from_bits(u32::MAX), past.y.lt(deepest)), on_x);
        let on_z = V::and_not(V::and_not(V::from_bits(u32::MAX), on_x), on_y);
        let face = Vec3::new(V::select(on_x, one, zero), V::select(on_y, one, zero), V::select(on_z, one, zero));
        let away = outside.scale(one / gap.max(V::constant(1e-12)));
        let n = Vec3::select(is_outside, away, face);
        let n = Vec3::new(
            V::select(local.x.lt(zero), -n.x, n.x),
            V::select(local.y.lt(zero), -n.y, n.y),
            V::select(local.z.lt(zero), -n.z, n.z),
        );
        (distance, self.axes.mul_vec(n))
    }

    #[inline(always)]
    fn corner(&self, index: usize) -> Vec3<V> {
        let [x, y, z] = [self.half.x, self.half.y, self.half.z];
        let x = if index & 1 == 1 { x } else { -x };
        let y = if index >> 1 & 1 == 1 { y } else { -y };
        let z = if index >> 2 & 1 == 1 { z } else { -z };
        let local = Vec3::new(x, y, z);
        self.axes.mul_vec_add(local, self.center)
    }
}

/// Box edges as pairs of corner numbers.
const EDGES: [(usize, usize); 12] =
    [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7)];

/// Receives point, normal (out of the second shape) and depth (negative: apart).
pub(super) trait Emit<V: Lanes> {
    fn touch(&mut self, point: Vec3<V>, normal: Vec3<V>, depth: V);
}

/// Poses a link's box shape.
#[inline(always)]
pub(super) fn pose_box<V: Lanes>(
    center: &[V::Scalar; 3],
    columns: &[[V::Scalar; 3]; 3],
    half: &[V::Scalar; 3],
    motion: &Motion<V>,
) -> PosedBox<V> {
    PosedBox {
        center: motion.rotation.mul_vec_add(Vec3::splat(*center), motion.position),
        axes: motion.rotation.mul(&Mat3::splat(columns)),
        half: Vec3::splat(*half),
    }
}

/// All touching points of a link's shape with a box.
#[inline(always)]
pub(super) fn shape_against_box<V: Lanes>(
    shape: &LinkShape<V::Scalar>,
    motion: &Motion<V>,
    other: &PosedBox<V>,
    emit: &mut impl Emit<V>,
) {
    match shape {
        LinkShape::Segment { from, to, radius, is_sphere } => {
            let a = motion.rotation.mul_vec_add(Vec3::splat(*from), motion.position);
            let b = motion.rotation.mul_vec_add(Vec3::splat(*to), motion.position);
            let radius = V::splat(*radius);
            let at_a = point_against_box(a, radius, other, emit);
            if !*is_sphere {
                let at_b = point_against_box(b, radius, other, emit);
                between_ends(a, b, radius, at_a, at_b, other, emit);
            }
        }
        LinkShape::Box { center, columns, half } => {
            let own = pose_box(center, columns, half, motion);
            let mut distances = [V::zero(); 8];
            for (k, distance) in distances.iter_mut().enumerate() {
                *distance = point_against_box(own.corner(k), V::zero(), other, emit);
            }
            for (i, k) in EDGES {
                between_ends(own.corner(i), own.corner(k), V::zero(), distances[i], distances[k], other, emit);
            }
            for k in 0..8 {
                let corner = other.corner(k);
                let (distance, normal) = own.distance(corner);
                emit.touch(corner, normal.neg(), -distance);
            }
        }
    }
}

#[inline(always)]
fn point_against_box<V: Lanes>(point: Vec3<V>, radius: V, other: &PosedBox<V>, emit: &mut impl Emit<V>) -> V {
    let (distance, normal) = other.distance(point);
    emit.touch(normal.scale_sub_from(radius, point), normal, radius - distance);
    distance
}

/// Where the distance field along a segment is lowest between its ends: at one point, or at both rims of a face along
/// which the segment lies. Bisection on the slope, which rises along the segment because the field is convex.
#[inline(always)]
fn between_ends<V: Lanes>(
    a: Vec3<V>,
    b: Vec3<V>,
    radius: V,
    at_a: V,
    at_b: V,
    other: &PosedBox<V>,
    emit: &mut impl Emit<V>,
) {
    let along = b.sub(a);
    let reach = along.length();
    // The field falls at most by the distance travelled: no contact can lie between ends that are far away.
    let is_near = (at_a + at_b).lt(radius + radius + reach);
    if !V::any(is_near) {
        return;
    }
    let (one, near) = (V::constant(1.0), V::constant(1e-3));
    let level = reach * V::constant(LEVEL);
    let (first, _) = crossing(a, along, -level, other);
    let (_, last) = crossing(a, along, level, other);
    // Ends are contacts of their own.
    let inside = V::and(is_near, V::and(near.lt(last), last.lt(one - near)));
    rim(along.scale_add(last, a), radius, inside, other, emit);
    let apart = V::and(V::and(near.lt(first), first.lt(one - near)), V::and(is_near, near.lt(last - first)));
    if V::any(apart) {
        rim(along.scale_add(first, a), radius, apart, other, emit);
    }
}

/// Slope, rad, below which a segment lies along a face.
const LEVEL: f64 = 0.02;

/// The place beyond which the field rises faster than `slope` over the whole segment, seen from above and from below.
#[inline(always)]
fn crossing<V: Lanes>(a: Vec3<V>, along: Vec3<V>, slope: V, other: &PosedBox<V>) -> (V, V) {
    let (mut low, mut high) = (V::zero(), V::constant(1.0));
    for _ in 0..14 {
        let t = (low + high) * V::constant(0.5);
        let (_, normal) = other.distance(along.scale_add(t, a));
        let rises = slope.lt(normal.dot(along));
        high = V::select(rises, t, high);
        low = V::select(rises, low, t);
    }
    (high, low)
}

#[inline(always)]
fn rim<V: Lanes>(point: Vec3<V>, radius: V, mask: V::Mask, other: &PosedBox<V>, emit: &mut impl Emit<V>) {
    let (distance, normal) = other.distance(point);
    let depth = V::select(mask, radius - distance, V::constant(-1.0));
    emit.touch(normal.scale_sub_from(radius, point), normal, depth);
}

/// Closest points of two capsules or spheres.
#[inline(always)]
pub(super) fn segment_against_segment<V: Lanes>(
    (a0, a1, radius_a): (Vec3<V>, Vec3<V>, V),
    (b0, b1, radius_b): (Vec3<V>, Vec3<V>, V),
    emit: &mut impl Emit<V>,
) {
    // Ericson 2005, "Real-Time Collision Detection", §5.1.9.
    let (zero, one, tiny) = (V::zero(), V::constant(1.0), V::constant(1e-10));
    let (d1, d2, r) = (a1.sub(a0), b1.sub(b0), a0.sub(b0));
    let (a, e, f) = (d1.dot(d1).max(tiny), d2.dot(d2).max(tiny), d2.dot(r));
    let (b, c) = (d1.dot(d2), d1.dot(r));
    let det = a.mul_add(e, -(b * b));
    let s = V::select(tiny.lt(det), b.mul_add(f, -(c * e)) / det.max(tiny), V::constant(0.5)).clamp(zero, one);
    let t = (b.mul_add(s, f) / e).clamp(zero, one);
    let s = ((b * t - c) / a).clamp(zero, one);
    let pa = d1.scale_add(s, a0);
    let pb = d2.scale_add(t, b0);
    let apart = pa.sub(pb);
    let distance = apart.length();
    let up = Vec3::new(zero, zero, one);
    let normal = Vec3::select(V::constant(1e-6).lt(distance), apart.scale(one / distance.max(tiny)), up);
    let depth = radius_a + radius_b - distance;
    // Half-way between the two surfaces.
    let middle = normal.scale_sub_from(V::constant(0.5).neg_mul_add(depth, radius_a), pa);
    emit.touch(middle, normal, depth);
}

/// Contacts of link `i` with static box `b`.
#[inline(always)]
pub(super) fn link_against_box<V: Lanes>(
    kernel: &Kernel<V::Scalar>,
    scratch: &mut Scratch<V>,
    i: usize,
    motion: &Motion<V>,
    b: usize,
    running: V::Mask,
) {
    let (link, fixed) = (&kernel.links[i], &kernel.boxes[b]);
    let other = PosedBox {
        center: Vec3::splat(fixed.center).sub(scratch.origins[link.tree]),
        axes: Mat3::splat(&fixed.columns),
        half: Vec3::splat(fixed.half),
    };
    let (distance, _) = other.distance(scratch.centers[i]);
    // A lane that the bound rules out stays out even where another's makes the work begin.
    let near = V::and(distance.lt(V::splat(link.bounding_radius)), running);
    if !V::any(near) {
        return;
    }
    let mut onto = OntoStatic { kernel, scratch, link: i, motion, b, running: near };
    for shape in &kernel.shapes[link.shapes.clone()] {
        shape_against_box(shape, motion, &other, &mut onto);
    }
}

struct OntoStatic<'a, V: Lanes> {
    kernel: &'a Kernel<V::Scalar>,
    scratch: &'a mut Scratch<V>,
    link: usize,
    motion: &'a Motion<V>,
    b: usize,
    running: V::Mask,
}

impl<V: Lanes> Emit<V> for OntoStatic<'_, V> {
    #[inline(always)]
    fn touch(&mut self, point: Vec3<V>, normal: Vec3<V>, depth: V) {
        let mask = V::and(V::zero().lt(depth), self.running);
        if V::any(mask) {
            let touch = contact::Touch { other: 1 + self.b as i32, mask, point, normal, depth };
            let surface = &self.kernel.boxes[self.b].surface;
            contact::push(self.kernel, self.scratch, self.link, self.motion, touch, surface);
        }
    }
}
