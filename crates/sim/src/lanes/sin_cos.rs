//! Sine and cosine from exactly rounded operations, the same bits on every CPU.

use super::Lanes;

/// Sine and cosine of `x` in f32 lanes.
///
/// `x = n·π/2 + r` with |r| ≤ π/4 by three-part reduction (Cody & Waite 1980), then minimax polynomials of degree 7 and 8
/// on r, swapped and negated by the quadrant `n mod 4`. Where all lanes lie in the first quadrant's half, as joint angles
/// mostly do, n is 0 and the reduction, which would change no bit, is left out.
#[inline(always)]
pub(super) fn sin_cos<V: Lanes>(x: V) -> (V, V) {
    let c = V::constant;
    if !V::any(c(0.78).lt(x.abs())) {
        return polynomials(x);
    }
    let n = (x * c(std::f64::consts::FRAC_2_PI)).round();
    let r = n.neg_mul_add(c(1.570_312_5), x);
    let r = n.neg_mul_add(c(4.837_512_969_970_703e-4), r);
    let r = n.neg_mul_add(c(7.549_789_948_768_648e-8), r);
    let (sine, cosine) = polynomials(r);

    // Quadrant: q = n mod 4 in {-2, -1, 0, 1, 2}.
    let q = (n * c(0.25)).round().neg_mul_add(c(4.0), n);
    let odd = c(0.5).lt(q.abs().min(c(2.0) - q.abs()));
    let (s, k) = (V::select(odd, cosine, sine), V::select(odd, sine, cosine));
    // Sine changes sign in quadrants 2, −2 and −1; cosine in 1, 2 and −2.
    let half_turn = c(1.5).lt(q.abs());
    let sine_flips = V::or(half_turn, q.lt(c(-0.5)));
    let cosine_flips = V::or(half_turn, c(0.5).lt(q));
    (V::select(sine_flips, -s, s), V::select(cosine_flips, -k, k))
}

/// Sine and cosine of |r| ≤ π/4.
#[inline(always)]
fn polynomials<V: Lanes>(r: V) -> (V, V) {
    let c = V::constant;
    let r2 = r * r;
    let sine = r2.mul_add(c(-1.951_529_589_1e-4), c(8.332_160_873_6e-3)).mul_add(r2, c(-1.666_665_461_1e-1));
    let sine = (sine * r2).mul_add(r, r);
    let cosine = r2.mul_add(c(2.443_315_711_809_948e-5), c(-1.388_731_625_493_765e-3));
    let cosine = cosine.mul_add(r2, c(4.166_664_568_298_827e-2));
    let cosine = (cosine * r2).mul_add(r2, r2.neg_mul_add(c(0.5), c(1.0)));
    (sine, cosine)
}
