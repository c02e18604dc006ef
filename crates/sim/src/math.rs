//! Small vectors and matrices over lanes.

use crate::lanes::Lanes;

/// A vector in space.
#[derive(Clone, Copy)]
pub(crate) struct Vec3<V> {
    pub x: V,
    pub y: V,
    pub z: V,
}

impl<V: Lanes> Vec3<V> {
    #[inline(always)]
    pub fn new(x: V, y: V, z: V) -> Self {
        Vec3 { x, y, z }
    }
    #[inline(always)]
    pub fn zero() -> Self {
        Vec3::new(V::zero(), V::zero(), V::zero())
    }
    #[inline(always)]
    pub fn splat(a: [V::Scalar; 3]) -> Self {
        Vec3::new(V::splat(a[0]), V::splat(a[1]), V::splat(a[2]))
    }
    #[inline(always)]
    pub fn load(a: &[V]) -> Self {
        Vec3::new(a[0], a[1], a[2])
    }
    #[inline(always)]
    pub fn store(self, a: &mut [V]) {
        a[0] = self.x;
        a[1] = self.y;
        a[2] = self.z;
    }
    #[inline(always)]
    pub fn add(self, b: Self) -> Self {
        Vec3::new(self.x + b.x, self.y + b.y, self.z + b.z)
    }
    #[inline(always)]
    pub fn sub(self, b: Self) -> Self {
        Vec3::new(self.x - b.x, self.y - b.y, self.z - b.z)
    }
    #[inline(always)]
    pub fn neg(self) -> Self {
        Vec3::new(-self.x, -self.y, -self.z)
    }
    #[inline(always)]
    pub fn scale(self, s: V) -> Self {
        Vec3::new(self.x * s, self.y * s, self.z * s)
    }
    /// `self · s + b`.
    #[inline(always)]
    pub fn scale_add(self, s: V, b: Self) -> Self {
        Vec3::new(self.x.mul_add(s, b.x), self.y.mul_add(s, b.y), self.z.mul_add(s, b.z))
    }
    /// `b − self · s`.
    #[inline(always)]
    pub fn scale_sub_from(self, s: V, b: Self) -> Self {
        Vec3::new(self.x.neg_mul_add(s, b.x), self.y.neg_mul_add(s, b.y), self.z.neg_mul_add(s, b.z))
    }
    #[inline(always)]
    pub fn dot(self, b: Self) -> V {
        self.x.mul_add(b.x, self.y.mul_add(b.y, self.z * b.z))
    }
    /// `self · b + c`.
    #[inline(always)]
    pub fn dot_add(self, b: Self, c: V) -> V {
        self.x.mul_add(b.x, self.y.mul_add(b.y, self.z.mul_add(b.z, c)))
    }
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        Vec3::new(
            self.y.mul_add(b.z, -(self.z * b.y)),
            self.z.mul_add(b.x, -(self.x * b.z)),
            self.x.mul_add(b.y, -(self.y * b.x)),
        )
    }
    /// `self × b + c`.
    #[inline(always)]
    pub fn cross_add(self, b: Self, c: Self) -> Self {
        Vec3::new(
            self.y.mul_add(b.z, self.z.neg_mul_add(b.y, c.x)),
            self.z.mul_add(b.x, self.x.neg_mul_add(b.z, c.y)),
            self.x.mul_add(b.y, self.y.neg_mul_add(b.x, c.z)),
        )
    }
    #[inline(always)]
    pub fn length_squared(self) -> V {
        self.dot(self)
    }
    #[inline(always)]
    pub fn length(self) -> V {
        self.length_squared().sqrt()
    }
    #[inline(always)]
    pub fn select(mask: V::Mask, yes: Self, no: Self) -> Self {
        Vec3::new(V::select(mask, yes.x, no.x), V::select(mask, yes.y, no.y), V::select(mask, yes.z, no.z))
    }
}

/// A 3 × 3 matrix by columns.
#[derive(Clone, Copy)]
pub(crate) struct Mat3<V> {
    pub cols: [Vec3<V>; 3],
}

impl<V: Lanes> Mat3<V> {
    #[inline(always)]
    pub fn splat(columns: &[[V::Scalar; 3]; 3]) -> Self {
        Mat3 { cols: [Vec3::splat(columns[0]), Vec3::splat(columns[1]), Vec3::splat(columns[2])] }
    }
    #[inline(always)]
    pub fn mul_vec(&self, v: Vec3<V>) -> Vec3<V> {
        self.cols[2].scale_add(v.z, self.cols[1].scale_add(v.y, self.cols[0].scale(v.x)))
    }
    #[inline(always)]
    pub fn scale(&self, s: V) -> Self {
        Mat3 { cols: [self.cols[0].scale(s), self.cols[1].scale(s), self.cols[2].scale(s)] }
    }
    /// `self · v + b`.
    #[inline(always)]
    pub fn mul_vec_add(&self, v: Vec3<V>, b: Vec3<V>) -> Vec3<V> {
        self.cols[2].scale_add(v.z, self.cols[1].scale_add(v.y, self.cols[0].scale_add(v.x, b)))
    }
    /// `selfᵀ · v`.
    #[inline(always)]
    pub fn transpose_mul_vec(&self, v: Vec3<V>) -> Vec3<V> {
        Vec3::new(self.cols[0].dot(v), self.cols[1].dot(v), self.cols[2].dot(v))
    }
    #[inline(always)]
    pub fn mul(&self, b: &Mat3<V>) -> Mat3<V> {
        Mat3 { cols: [self.mul_vec(b.cols[0]), self.mul_vec(b.cols[1]), self.mul_vec(b.cols[2])] }
    }
}

/// A symmetric 3 × 3 matrix.
#[derive(Clone, Copy)]
pub(crate) struct Sym3<V> {
    pub xx: V,
    pub yy: V,
    pub zz: V,
    pub xy: V,
    pub xz: V,
    pub yz: V,
}

impl<V: Lanes> Sym3<V> {
    #[inline(always)]
    pub fn zero() -> Self {
        Sym3::diagonal(V::zero())
    }
    #[inline(always)]
    pub fn diagonal(d: V) -> Self {
        let o = V::zero();
        Sym3 { xx: d, yy: d, zz: d, xy: o, xz: o, yz: o }
    }
    #[inline(always)]
    pub fn splat(a: &[V::Scalar; 6]) -> Self {
        Sym3 {
            xx: V::splat(a[0]),
            yy: V::splat(a[1]),
            zz: V::splat(a[2]),
            xy: V::splat(a[3]),
            xz: V::splat(a[4]),
            yz: V::splat(a[5]),
        }
    }
    #[inline(always)]
    pub fn add(self, b: Self) -> Self {
        Sym3 {
            xx: self.xx + b.xx,
            yy: self.yy + b.yy,
            zz: self.zz + b.zz,
            xy: self.xy + b.xy,
            xz: self.xz + b.xz,
            yz: self.yz + b.yz,
        }
    }
    #[inline(always)]
    pub fn scale(self, s: V) -> Self {
        Sym3 { xx: self.xx * s, yy: self.yy * s, zz: self.zz * s, xy: self.xy * s, xz: self.xz * s, yz: self.yz * s }
    }
    #[inline(always)]
    pub fn add_diagonal(self, d: V) -> Self {
        Sym3 { xx: self.xx + d, yy: self.yy + d, zz: self.zz + d, ..self }
    }
    /// `self + s · a aᵀ`.
    #[inline(always)]
    pub fn add_outer(self, a: Vec3<V>, s: V) -> Self {
        let b = a.scale(s);
        Sym3 {
            xx: a.x.mul_add(b.x, self.xx),
            yy: a.y.mul_add(b.y, self.yy),
            zz: a.z.mul_add(b.z, self.zz),
            xy: a.x.mul_add(b.y, self.xy),
            xz: a.x.mul_add(b.z, self.xz),
            yz: a.y.mul_add(b.z, self.yz),
        }
    }
    /// `self − a bᵀ`, for an `a bᵀ` that is symmetric.
    #[inline(always)]
    pub fn sub_symmetric_outer(self, a: Vec3<V>, b: Vec3<V>) -> Self {
        Sym3 {
            xx: a.x.neg_mul_add(b.x, self.xx),
            yy: a.y.neg_mul_add(b.y, self.yy),
            zz: a.z.neg_mul_add(b.z, self.zz),
            xy: a.x.neg_mul_add(b.y, self.xy),
            xz: a.x.neg_mul_add(b.z, self.xz),
            yz: a.y.neg_mul_add(b.z, self.yz),
        }
    }
    #[inline(always)]
    pub fn mul_vec(&self, v: Vec3<V>) -> Vec3<V> {
        Vec3::new(
            self.xx.mul_add(v.x, self.xy.mul_add(v.y, self.xz * v.z)),
            self.xy.mul_add(v.x, self.yy.mul_add(v.y, self.yz * v.z)),
            self.xz.mul_add(v.x, self.yz.mul_add(v.y, self.zz * v.z)),
        )
    }
    /// `self · M` for a general matrix.
    #[inline(always)]
    pub fn mul_mat(&self, m: &Mat3<V>) -> Mat3<V> {
        Mat3 { cols: [self.mul_vec(m.cols[0]), self.mul_vec(m.cols[1]), self.mul_vec(m.cols[2])] }
    }
    #[inline(always)]
    pub fn col(&self, k: usize) -> Vec3<V> {
        match k {
            0 => Vec3::new(self.xx, self.xy, self.xz),
            1 => Vec3::new(self.xy, self.yy, self.yz),
            _ => Vec3::new(self.xz, self.yz, self.zz),
        }
    }
    /// `L⁻¹` (its three entries below the diagonal: yx, zx, zy) and the inverse pivots of `self = L·diag·Lᵀ`, which must be positive definite.
    ///
    /// Backward stable, unlike an inverse by cofactors: what is taken from a Schur complement with it is wrong by the rounding of
    /// that complement, however badly conditioned the matrix is.
    #[inline(always)]
    pub fn factor(&self, least: V) -> ([V; 3], [V; 3]) {
        let one = V::constant(1.0);
        let ix = one / self.xx.max(least);
        let (yx, zx) = (self.xy * ix, self.xz * ix);
        let iy = one / yx.neg_mul_add(self.xy, self.yy).max(least);
        let rest = zx.neg_mul_add(self.xy, self.yz);
        let zy = rest * iy;
        let iz = one / zy.neg_mul_add(rest, zx.neg_mul_add(self.xz, self.zz)).max(least);
        ([-yx, yx.mul_add(zy, -zx), -zy], [ix, iy, iz])
    }
    /// The inverse from [`Sym3::factor`].
    #[inline(always)]
    pub fn from_factor([yx, zx, zy]: [V; 3], [ix, iy, iz]: [V; 3]) -> Self {
        let (a, b, c) = (yx * iy, zx * iz, zy * iz);
        Sym3 { xx: zx.mul_add(b, yx.mul_add(a, ix)), yy: zy.mul_add(c, iy), zz: iz, xy: zx.mul_add(c, a), xz: b, yz: c }
    }
    /// `R self Rᵀ`.
    #[inline(always)]
    pub fn rotated(&self, r: &Mat3<V>) -> Self {
        // t = R · self by columns; the result is t · Rᵀ.
        let (t0, t1, t2) = (r.mul_vec(self.col(0)), r.mul_vec(self.col(1)), r.mul_vec(self.col(2)));
        let [c0, c1, c2] = r.cols;
        Sym3 {
            xx: t0.x.mul_add(c0.x, t1.x.mul_add(c1.x, t2.x * c2.x)),
            yy: t0.y.mul_add(c0.y, t1.y.mul_add(c1.y, t2.y * c2.y)),
            zz: t0.z.mul_add(c0.z, t1.z.mul_add(c1.z, t2.z * c2.z)),
            xy: t0.x.mul_add(c0.y, t1.x.mul_add(c1.y, t2.x * c2.y)),
            xz: t0.x.mul_add(c0.z, t1.x.mul_add(c1.z, t2.x * c2.z)),
            yz: t0.y.mul_add(c0.z, t1.y.mul_add(c1.z, t2.y * c2.z)),
        }
    }
}

/// A rotation as a unit quaternion.
#[derive(Clone, Copy)]
pub(crate) struct Quat<V> {
    pub w: V,
    pub v: Vec3<V>,
}

impl<V: Lanes> Quat<V> {
    #[inline(always)]
    pub fn load(a: &[V]) -> Self {
        Quat { w: a[0], v: Vec3::new(a[1], a[2], a[3]) }
    }
    #[inline(always)]
    pub fn store(self, a: &mut [V]) {
        a[0] = self.w;
        self.v.store(&mut a[1..4]);
    }
    #[inline(always)]
    pub fn mul(self, b: Self) -> Self {
        Quat {
            w: self.v.x.neg_mul_add(b.v.x, self.v.y.neg_mul_add(b.v.y, self.v.z.neg_mul_add(b.v.z, self.w * b.w))),
            v: self.v.cross_add(b.v, b.v.scale_add(self.w, self.v.scale(b.w))),
        }
    }
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        Quat { w: self.w, v: self.v.neg() }
    }
    #[inline(always)]
    pub fn normalized(self) -> Self {
        let n = self.v.dot_add(self.v, self.w * self.w);
        let r = V::constant(1.0) / n.sqrt();
        Quat { w: self.w * r, v: self.v.scale(r) }
    }
    /// Rotation matrix of a unit quaternion.
    #[inline(always)]
    pub fn matrix(self) -> Mat3<V> {
        let (one, two) = (V::constant(1.0), V::constant(2.0));
        let d = self.v.scale(two);
        let (xx, yy, zz) = (self.v.x * d.x, self.v.y * d.y, self.v.z * d.z);
        let (xy, xz, yz) = (self.v.x * d.y, self.v.x * d.z, self.v.y * d.z);
        let (wx, wy, wz) = (self.w * d.x, self.w * d.y, self.w * d.z);
        Mat3 {
            cols: [
                Vec3::new(one - (yy + zz), xy + wz, xz - wy),
                Vec3::new(xy - wz, one - (xx + zz), yz + wx),
                Vec3::new(xz + wy, yz - wx, one - (xx + yy)),
            ],
        }
    }
    /// `exp(r/2)`: the turn by the rotation vector `r`, |r| up to about 2; a longer one turns by at most half a circle.
    ///
    /// `cos h` and `sin h / h` of the half angle `h = |r|/2` by their series in h², then one normalisation.
    #[inline(always)]
    pub fn from_rotation_vector(r: Vec3<V>) -> Self {
        let c = V::constant;
        // Beyond 2.4 the series would leave its range, and far beyond that f32.
        let h2 = (r.length_squared() * c(0.25)).min(c(2.4));
        let terms = if V::SINGLE { 5 } else { 10 };
        let (mut cosine, mut sinc) = (V::zero(), V::zero());
        for k in (0..terms).rev() {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            cosine = cosine.mul_add(h2, c(sign / FACTORIAL[2 * k]));
            sinc = sinc.mul_add(h2, c(sign / FACTORIAL[2 * k + 1]));
        }
        Quat { w: cosine, v: r.scale(sinc * c(0.5)) }
    }
    /// The rotation vector of the shorter way round, of length up to π.
    ///
    /// θ/sin(θ/2) times the vector part; the angle from its half-angle sine and cosine by `atan2` in polynomial form.
    #[inline(always)]
    pub fn to_rotation_vector(self) -> Vec3<V> {
        let c = V::constant;
        let flip = self.w.lt(V::zero());
        let w = self.w.abs();
        let v = Vec3::select(flip, self.v.neg(), self.v);
        let s = v.length();
        // atan(s/w) for s, w ≥ 0, with the argument folded to at most 1.
        let swap = w.lt(s);
        let (num, den) = (V::select(swap, w, s), V::select(swap, s, w));
        let tiny = c(1e-12);
        let angle = atan_unit(num / den.max(tiny));
        let angle = V::select(swap, c(std::f64::consts::FRAC_PI_2) - angle, angle);
        let small = s.lt(c(1e-4));
        let ratio = V::select(small, c(2.0), (angle + angle) / s.max(tiny));
        v.scale(ratio)
    }
}

/// n! for n up to 19.
const FACTORIAL: [f64; 20] = {
    let mut table = [1.0; 20];
    let mut n = 1;
    while n < 20 {
        table[n] = table[n - 1] * n as f64;
        n += 1;
    }
    table
};

/// Arc tangent of `t` in 0 ..= 1: fold at tan(π/8), then a series long enough for the precision of the lanes.
#[inline(always)]
fn atan_unit<V: Lanes>(t: V) -> V {
    let c = V::constant;
    let fold = c(0.414_213_562_373_095_1).lt(t);
    let u = V::select(fold, (t - c(1.0)) / (t + c(1.0)), t);
    let u2 = u * u;
    let terms = if V::SINGLE { 8 } else { 22 };
    let mut sum = V::zero();
    for k in (1..terms).rev() {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        sum = (sum * u2) + c(sign / (2 * k + 1) as f64);
    }
    let series = (sum * u2).mul_add(u, u);
    V::select(fold, c(std::f64::consts::FRAC_PI_4) + series, series)
}
