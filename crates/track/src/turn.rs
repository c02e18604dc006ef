//! Rotations in f32 with the same bits on every machine; quaternions are `[w, x, y, z]`, of unit length.

/// Turns below this, rad², are small: series to the second order are exact to f32.
const SMALL: f32 = 1e-4;

/// Returns `a·b`.
pub(crate) fn product(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    let ([aw, ax, ay, az], [bw, bx, by, bz]) = (a, b);
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

/// Returns the inverse.
pub(crate) fn inverse([w, x, y, z]: [f32; 4]) -> [f32; 4] {
    [w, -x, -y, -z]
}

/// Turns a vector: `v + 2·u × (u × v + w·v)` for `q = (w, u)`.
pub(crate) fn apply([w, x, y, z]: [f32; 4], v: [f32; 3]) -> [f32; 3] {
    let u = [x, y, z];
    let inner = cross(u, v);
    let inner = [inner[0] + w * v[0], inner[1] + w * v[1], inner[2] + w * v[2]];
    let outer = cross(u, inner);
    [v[0] + 2.0 * outer[0], v[1] + 2.0 * outer[1], v[2] + 2.0 * outer[2]]
}

/// Rotation vector of a quaternion, the shorter way: `2·atan2(|u|, w)·u/|u|`.
pub(crate) fn vector([w, x, y, z]: [f32; 4]) -> [f32; 3] {
    let square = x * x + y * y + z * z;
    let sign = if w < 0.0 { -1.0 } else { 1.0 };
    let ratio = if square < SMALL {
        // atan2(s, w)/s with w = √(1 − s²) is asin(s)/s.
        1.0 + square * (1.0 / 6.0)
    } else {
        let s = square.sqrt();
        libm::atan2f(s, w.abs()) / s
    };
    [x, y, z].map(|c| sign * 2.0 * ratio * c)
}

/// Quaternion of a rotation vector.
pub(crate) fn quaternion([x, y, z]: [f32; 3]) -> [f32; 4] {
    let square = x * x + y * y + z * z;
    let (w, ratio) = if square < SMALL {
        (1.0 - square * 0.125, 0.5 - square * (1.0 / 48.0))
    } else {
        let angle = square.sqrt();
        let (sin, cos) = libm::sincosf(0.5 * angle);
        (cos, sin / angle)
    };
    [w, ratio * x, ratio * y, ratio * z]
}

/// Rotation vector in the axes of `a` of the shorter way from `a` to `b`.
pub(crate) fn between(a: [f32; 4], b: [f32; 4]) -> [f32; 3] {
    vector(product(inverse(a), b))
}

/// The quaternion that begins at an index of a row.
pub(crate) fn four(row: &[f32], at: usize) -> [f32; 4] {
    [row[at], row[at + 1], row[at + 2], row[at + 3]]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The turn of a root about the vertical, as a rotation of the ground plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Heading {
    cos: f32,
    sin: f32,
}

impl Heading {
    /// The twist of an orientation about z: half of it has the cosine `w/√(w² + z²)` and the sine `z/√(w² + z²)`.
    pub fn of([w, _, _, z]: [f32; 4]) -> Heading {
        let length = (w * w + z * z).sqrt();
        if length < 1e-6 {
            return Heading { cos: 1.0, sin: 0.0 };
        }
        let (c, s) = (w / length, z / length);
        Heading { cos: c * c - s * s, sin: 2.0 * c * s }
    }

    /// A vector of the world in the heading frame.
    pub fn local(self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        [self.cos * x + self.sin * y, self.cos * y - self.sin * x, z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: &[f32], b: &[f32]) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 2e-6), "{a:?}, {b:?}");
    }

    #[test]
    fn vectors_and_quaternions_are_inverse_and_turn_as_they_say() {
        for turn in [[0.3, -0.4, 1.2], [0.001, 0.002, -0.001], [0.0, 0.0, 0.0], [0.0, 3.0, 0.0]] {
            close(&vector(quaternion(turn)), &turn);
            close(&vector(quaternion(turn).map(|x| -x)), &turn);
        }
        let quarter = quaternion([0.0, 0.0, std::f32::consts::FRAC_PI_2]);
        close(&apply(quarter, [1.0, 2.0, 3.0]), &[-2.0, 1.0, 3.0]);
        let (a, b) = (quaternion([0.2, 0.5, -0.3]), quaternion([-0.7, 0.1, 0.4]));
        close(&product(a, quaternion(between(a, b))), &b);
        close(&apply(product(a, b), [1.0, 2.0, 3.0]), &apply(a, apply(b, [1.0, 2.0, 3.0])));
    }

    #[test]
    fn the_heading_ignores_tilt() {
        let turned = quaternion([0.0, 0.0, 0.7]);
        let tilted = product(turned, quaternion([0.0, 0.4, 0.0]));
        let heading = Heading::of(tilted);
        close(&heading.local(apply(turned, [1.0, 2.0, 3.0])), &[1.0, 2.0, 3.0]);
    }
}
