//! Balls to throw: a few of each mass wait far away until they are thrown.

use sinew_sim::{Object, ObjectShape};

/// Mass (kg) and radius (m) of the kinds of balls; the first is thrown where none is asked for. 5 kg is the middle of table 2 of Park et al. 2019.
pub const KINDS: [(f64, f64); 3] = [(5.0, 0.1), (1.0, 0.06), (10.0, 0.13)];
/// Balls of each kind.
const OF_EACH: usize = 3;
/// Where they wait, m.
const AWAY: f64 = 400.0;

/// All balls of a scene, waiting.
pub fn balls() -> Vec<Object> {
    let ball = |index: usize| {
        let (mass, radius) = KINDS[index / OF_EACH];
        let position = [AWAY + 2.0 * index as f64, 0.0, radius];
        let shape = ObjectShape::Ball { radius };
        Object { name: format!("ball {}", index + 1), shape, mass, position, orientation: [1.0, 0.0, 0.0, 0.0] }
    };
    (0..KINDS.len() * OF_EACH).map(ball).collect()
}

/// Which balls were thrown, and in which order.
#[derive(Default)]
pub struct Thrown {
    /// The number of the throw of each ball; 0: it waits.
    throws: Vec<u64>,
    count: u64,
}

impl Thrown {
    /// The ball to throw: of the nearest mass, one that waits, or the one that was thrown first.
    pub fn next(&mut self, mass_kg: Option<f64>) -> usize {
        self.throws.resize(KINDS.len() * OF_EACH, 0);
        let wanted = mass_kg.unwrap_or(KINDS[0].0);
        let off = |kind: &usize| (KINDS[*kind].0 - wanted).abs();
        let kind = (0..KINDS.len()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
        let of_kind = kind * OF_EACH..(kind + 1) * OF_EACH;
        let ball = of_kind.min_by_key(|ball| self.throws[*ball]).unwrap_or(0);
        self.count += 1;
        self.throws[ball] = self.count;
        ball
    }

    /// Whether a ball waits.
    pub fn waits(&self, ball: usize) -> bool {
        self.throws.get(ball).is_none_or(|throw| *throw == 0)
    }

    /// All wait again.
    pub fn clear(&mut self) {
        self.throws.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_balls_are_thrown_first_then_the_oldest() {
        let mut thrown = Thrown::default();
        let first: Vec<usize> = (0..3).map(|_| thrown.next(None)).collect();
        assert_eq!((first.as_slice(), thrown.next(Some(4.0)), thrown.next(Some(0.1))), (&[0, 1, 2][..], 0, 3));
        assert!(thrown.waits(4) && !thrown.waits(3));
        thrown.clear();
        assert!(thrown.waits(3));
    }
}
