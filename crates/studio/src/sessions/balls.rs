//! Balls to throw: a few of each mass wait far away until they are thrown.

use sinew_sim::{Object, ObjectShape};

/// Mass (kg) and radius (m) of the kinds of balls for a figure of [`USUAL_KG`]; the first is thrown where none is asked for. 5 kg is the middle of
/// table 2 of Park et al. 2019.
const KINDS: [(f64, f64); 3] = [(5.0, 0.1), (1.0, 0.06), (10.0, 0.13)];
/// Mass of the figure of that table, kg.
const USUAL_KG: f64 = 49.0;
/// Balls of figures between these shares of that mass are those of the table.
const USUAL: [f64; 2] = [0.4, 3.0];
/// Balls of each kind.
const OF_EACH: usize = 3;
/// Where they wait, m.
const AWAY: f64 = 400.0;

/// All balls of a scene with a character of a mass, waiting. Those of a figure that is far lighter or heavier than a person weigh as much less or
/// more, rounded to 1, 2 or 5 times a power of ten, and are as dense.
pub fn balls(figure_kg: f64) -> Vec<Object> {
    let scale = scale(figure_kg / USUAL_KG);
    let ball = |index: usize| {
        let (mass, radius) = KINDS[index / OF_EACH];
        let (mass, radius) = (mass * scale, radius * libm::cbrt(scale));
        let position = [AWAY + 2.0 * index as f64, 0.0, radius];
        let shape = ObjectShape::Ball { radius };
        Object { name: format!("ball {}", index + 1), shape, mass, position, orientation: [1.0, 0.0, 0.0, 0.0] }
    };
    (0..KINDS.len() * OF_EACH).map(ball).collect()
}

fn scale(share: f64) -> f64 {
    if !share.is_finite() || share <= 0.0 || (USUAL[0]..USUAL[1]).contains(&share) {
        return 1.0;
    }
    let power = libm::pow(10.0, libm::floor(libm::log10(share)));
    let steps = [1.0_f64, 2.0, 5.0, 10.0].map(|step| step * power);
    let off = |step: &f64| libm::fabs(libm::log(step / share));
    steps.into_iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(1.0).clamp(1e-3, 1e3)
}

/// Which balls were thrown, and in which order.
#[derive(Default)]
pub struct Thrown {
    /// Mass of each kind, kg.
    masses: Vec<f64>,
    /// The number of the throw of each ball; 0: it waits.
    throws: Vec<u64>,
    count: u64,
}

impl Thrown {
    /// None of these balls was thrown.
    pub fn new(balls: &[Object]) -> Thrown {
        let masses = balls.iter().step_by(OF_EACH).map(|ball| ball.mass).collect();
        Thrown { masses, throws: vec![0; balls.len()], count: 0 }
    }

    /// The ball to throw: of the nearest mass, one that waits, or the one that was thrown first.
    pub fn next(&mut self, mass_kg: Option<f64>) -> usize {
        let wanted = mass_kg.or(self.masses.first().copied()).unwrap_or_default();
        let off = |kind: &usize| (self.masses[*kind] - wanted).abs();
        let kind = (0..self.masses.len()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
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
        self.throws.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_balls_are_thrown_first_then_the_oldest() {
        let mut thrown = Thrown::new(&balls(USUAL_KG));
        let first: Vec<usize> = (0..3).map(|_| thrown.next(None)).collect();
        assert_eq!((first.as_slice(), thrown.next(Some(4.0)), thrown.next(Some(0.1))), (&[0, 1, 2][..], 0, 3));
        assert!(thrown.waits(4) && !thrown.waits(3));
        thrown.clear();
        assert!(thrown.waits(3));
    }

    #[test]
    fn small_figures_get_small_balls() {
        let first = |kg: f64| {
            let ObjectShape::Ball { radius } = balls(kg)[0].shape else { panic!("a ball") };
            (balls(kg)[0].mass, radius)
        };
        assert_eq!((first(49.0), first(100.0), first(25.0)), ((5.0, 0.1), (5.0, 0.1), (5.0, 0.1)));
        let ((mouse, radius), (elephant, _)) = (first(0.05), first(5000.0));
        assert!((mouse - 0.005).abs() < 1e-9 && (radius - 0.01).abs() < 1e-9, "{mouse} kg, {radius} m");
        assert!((elephant - 500.0).abs() < 1e-6, "{elephant} kg");
    }
}
