//! Vectors in three dimensions, as far as ray casting needs them.

use std::ops::{Add, Mul, Neg, Sub};

/// A point or a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vec3 {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

impl Vec3 {
    pub const ZERO: Self = Self::new(0.0, 0.0, 0.0);
    pub const UP: Self = Self::new(0.0, 0.0, 1.0);

    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }

    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    pub fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// The unit vector along `self`; straight up for the zero vector.
    pub fn normalized(self) -> Self {
        let length = self.length();
        if length > 0.0 { self * (1.0 / length) } else { Self::UP }
    }

    pub fn min(self, other: Self) -> Self {
        Self::new(self.x.min(other.x), self.y.min(other.y), self.z.min(other.z))
    }

    pub fn max(self, other: Self) -> Self {
        Self::new(self.x.max(other.x), self.y.max(other.y), self.z.max(other.z))
    }

    /// Whether every component is finite and below `limit` in size.
    pub fn is_within(self, limit: f64) -> bool {
        [self.x, self.y, self.z].iter().all(|c| c.is_finite() && c.abs() <= limit)
    }
}

impl From<[f64; 3]> for Vec3 {
    fn from([x, y, z]: [f64; 3]) -> Self {
        Self { x, y, z }
    }
}

impl Add for Vec3 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for Vec3 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Mul<f64> for Vec3 {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }
}

impl Neg for Vec3 {
    type Output = Self;
    fn neg(self) -> Self {
        self * -1.0
    }
}

/// Length of a vector in the plane, `√(x² + y²)`: exactly rounded steps, so the same on every machine.
pub(crate) fn length_2d(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// 0 below `low`, 1 above `high`, and the smooth cubic `3s² − 2s³` in between.
pub(crate) fn smoothstep(low: f64, high: f64, value: f64) -> f64 {
    let s = ((value - low) / (high - low)).clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}
