//! Exponential, hyperbolic tangent and logistic function in f32 lanes, from exactly rounded operations, the same bits on every CPU.

use super::Lanes;

/// Returns `p = eʳ − 1` and `2ⁿ` with `x = n·ln 2 + r`, |r| ≤ ln 2 / 2, for −87 ≤ x ≤ 88.
///
/// Two-part reduction (Cody & Waite 1980), then the Taylor series of degree 7, whose remainder is below 6·10⁻⁹.
#[inline(always)]
fn reduced<V: Lanes>(x: V) -> (V, V) {
    let c = V::constant;
    let n = (x * c(std::f64::consts::LOG2_E)).round();
    let r = (-n).mul_add(c(0.693_359_375), x);
    let r = (-n).mul_add(c(-2.121_944_400_546_905_8e-4), r);
    let mut p = c(1.0 / 5040.0);
    for coefficient in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5] {
        p = p.mul_add(r, c(coefficient));
    }
    ((p * r).mul_add(r, r), n.power_of_two())
}

/// Bounds within which powers of two are normal numbers; what is not a number stays so.
#[inline(always)]
fn bounded<V: Lanes>(x: V) -> V {
    V::constant(88.0).min(V::constant(-87.0).max(x))
}

/// `eˣ`; constant outside −87 ≤ x ≤ 88.
#[inline(always)]
pub(super) fn exp<V: Lanes>(x: V) -> V {
    let (p, scale) = reduced(bounded(x));
    scale.mul_add(p, scale)
}

/// `eˣ − 1 = 2ⁿ·p + (2ⁿ − 1)`; constant outside −87 ≤ x ≤ 88.
#[inline(always)]
pub(super) fn exp_minus_one<V: Lanes>(x: V) -> V {
    let (p, scale) = reduced(bounded(x));
    scale.mul_add(p, scale - V::constant(1.0))
}

/// Hyperbolic tangent, `tanh |x| = −w / (2 + w)` with `w = e^(−2|x|) − 1`.
#[inline(always)]
pub fn tanh<V: Lanes>(x: V) -> V {
    let (zero, two) = (V::zero(), V::constant(2.0));
    let w = V::select_less(x, zero, x * two, x * -two).exp_minus_one();
    let t = w / (w + two);
    V::select_less(x, zero, t, -t)
}

/// Logistic function, `1 / (1 + e⁻ˣ)`.
#[inline(always)]
pub fn sigmoid<V: Lanes>(x: V) -> V {
    let one = V::constant(1.0);
    one / (one + (-x).exp())
}
