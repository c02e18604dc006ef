//! Balls to throw: a few of each kind wait far away until they are thrown.

use sinew_sim::{Object, ObjectShape};

/// Where they wait, m.
const AWAY_M: f64 = 400.0;
/// Height that viewers may give a ball that waits, m: nobody sees it.
pub const HIDDEN_M: f64 = -1000.0;

/// Balls of one mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallKind {
    /// Mass, kg.
    pub mass_kg: f64,
    /// Radius, m.
    pub radius_m: f64,
    /// How many of them may fly at the same time.
    pub count: usize,
}

/// Two of 5 kg, the middle of table 2 of Park et al. 2019, and two of 1 and of 10 kg.
pub fn default_balls() -> Vec<BallKind> {
    let kind = |(mass_kg, radius_m)| BallKind { mass_kg, radius_m, count: 2 };
    [(5.0, 0.1), (1.0, 0.06), (10.0, 0.13)].map(kind).to_vec()
}

/// All balls of a world, and which of them were thrown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balls {
    kinds: Vec<BallKind>,
    /// The kind of each ball.
    kind_of: Vec<usize>,
    /// The number of the last throw of each ball; 0: it waits.
    throws: Vec<u64>,
    count: u64,
}

impl Balls {
    pub fn new(kinds: &[BallKind]) -> Balls {
        let kind_of: Vec<usize> = kinds.iter().enumerate().flat_map(|(k, kind)| vec![k; kind.count]).collect();
        Balls { kinds: kinds.to_vec(), throws: vec![0; kind_of.len()], kind_of, count: 0 }
    }

    /// They as objects of a scene, waiting.
    pub fn objects(&self) -> Vec<Object> {
        let object = |(index, kind): (usize, &usize)| {
            let BallKind { mass_kg, radius_m, .. } = self.kinds[*kind];
            Object {
                name: format!("ball {}", index + 1),
                shape: ObjectShape::Ball { radius: radius_m },
                mass: mass_kg,
                position: [AWAY_M + 2.0 * index as f64, 0.0, radius_m],
                orientation: [1.0, 0.0, 0.0, 0.0],
            }
        };
        self.kind_of.iter().enumerate().map(object).collect()
    }

    /// The ball to throw: of the nearest mass, one that waits, or the one that was thrown first. None where there are no balls.
    pub fn next(&mut self, mass_kg: Option<f64>) -> Option<usize> {
        let wanted = mass_kg.or_else(|| Some(self.kinds.first()?.mass_kg))?;
        let off = |ball: usize| (self.kinds[self.kind_of[ball]].mass_kg - wanted).abs();
        let all = 0..self.kind_of.len();
        let least = all.clone().map(off).min_by(f64::total_cmp)?;
        let ball = all.filter(|&ball| off(ball) == least).min_by_key(|&ball| self.throws[ball])?;
        self.count += 1;
        self.throws[ball] = self.count;
        Some(ball)
    }

    /// Whether a ball waits.
    pub fn waits(&self, ball: usize) -> bool {
        self.throws.get(ball).is_none_or(|throw| *throw == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_balls_are_thrown_first_then_the_oldest() {
        let mut balls = Balls::new(&default_balls());
        let thrown: Vec<Option<usize>> =
            [None, None, None, Some(4.0), Some(0.1), Some(99.0)].map(|mass| balls.next(mass)).to_vec();
        assert_eq!(thrown, [0, 1, 0, 1, 2, 4].map(Some));
        assert!(balls.waits(3) && !balls.waits(2));
        assert_eq!(Balls::new(&[]).next(Some(5.0)), None);
    }
}
