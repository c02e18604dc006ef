//! The table: of each mass, how many throws the character withstood.

use super::{BALL_SPEED, Error, MASSES_KG, Outcomes, PAPER_BODY_KG, Result, Thrown, Throws};
use serde::Serialize;

/// Table 2 of Park et al. 2019: shares withstood without and with the simulated responses learnt.
const PAPER: [[f64; 2]; 5] = [[0.792, 0.983], [0.598, 0.855], [0.237, 0.559], [0.040, 0.377], [0.013, 0.154]];
/// Deviations of a 95 % interval.
const Z: f64 = 1.959_964;
/// Names of the quarters that balls come from, beginning in front and going to the left.
const QUARTERS: [&str; 4] = ["front", "left", "back", "right"];

/// What a character withstands, as `sinew play --resilience --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResilienceSummary {
    /// The package.
    pub name: String,
    /// Mass of the character, kg.
    pub body_kg: f64,
    /// Height of the character, m.
    pub height_m: f64,
    /// Speed of the balls, m/s.
    pub ball_speed: f64,
    /// Mean speed at which the character walked when a ball was thrown, m/s.
    pub walk_speed: f64,
    /// Throws before which the character fell by itself: they are in no row.
    pub fell_before: usize,
    /// One for each mass.
    pub rows: Vec<ResilienceRow>,
}

/// What came of the throws of one mass.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResilienceRow {
    /// Mass of the ball, kg.
    pub ball_kg: f64,
    /// Its mass times its speed, over the mass of the character, m/s: the velocity that it gives a body that catches it.
    pub impulse: f64,
    /// Throws of which the ball met the character.
    pub hits: usize,
    /// Balls that missed it: they do not count.
    pub misses: usize,
    /// Hits after which it kept its feet.
    pub survived: usize,
    /// Share of hits that it survived.
    pub share: f64,
    /// Between these the share lies with 95 % certainty (Wilson 1927).
    pub interval: [f64; 2],
    /// The share of balls from the quarter in front, from the left, from behind and from the right.
    pub by_quarter: [f64; 4],
    /// What the paper's figure survived, whose balls have another impulse where its mass is another: m/s.
    pub paper_impulse: f64,
    /// Its share without, and with, having learnt from simulated hits.
    pub paper_shares: [f64; 2],
}

impl ResilienceSummary {
    pub(super) fn new(name: &str, work: &Throws, outcomes: &Outcomes) -> ResilienceSummary {
        let masses = work.masses_kg.len();
        let walked = outcomes.iter().filter(|thrown| !thrown.outcome.fell_before);
        let (sum, count) = walked.fold((0.0, 0), |(sum, n), thrown| (sum + thrown.outcome.walk_speed, n + 1));
        let row = |mass: usize| {
            let own: Vec<&Thrown> = outcomes.iter().skip(mass).step_by(masses).collect();
            ResilienceRow::new(mass, work.masses_kg[mass], work.body_kg, &own)
        };
        ResilienceSummary {
            name: name.to_owned(),
            body_kg: work.body_kg,
            height_m: work.part.pilot().body().height_m(),
            ball_speed: BALL_SPEED,
            walk_speed: sum / f64::from(count.max(1)),
            fell_before: outcomes.iter().filter(|thrown| thrown.outcome.fell_before).count(),
            rows: (0..masses).map(row).collect(),
        }
    }

    /// The text that `--json` prints.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self).map_err(Error::Json)? + "\n")
    }

    /// The table as lines of text.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!(
                "{}, {:.1} kg and {:.2} m, walks at {:.2} m/s and is hit by balls of {:.0} m/s from all around; {} times it fell before",
                self.name, self.body_kg, self.height_m, self.walk_speed, self.ball_speed, self.fell_before
            ),
            "ball, kg  impulse, m/s  hits  keeps its feet     front left back right  paper: impulse, without, with"
                .into(),
        ];
        let percent = |share: f64| 100.0 * share;
        lines.extend(self.rows.iter().map(|row| {
            let [low, high] = row.interval.map(percent);
            let [front, left, back, right] = row.by_quarter.map(percent);
            let [without, with] = row.paper_shares.map(percent);
            format!(
                "{:8.2}  {:12.2}  {:4}  {:5.1} % ({low:.0}..{high:.0})  {front:5.0} {left:4.0} {back:4.0} {right:5.0}  {:.2} m/s, {without:.1} %, {with:.1} %",
                row.ball_kg,
                row.impulse,
                row.hits,
                percent(row.share),
                row.paper_impulse
            )
        }));
        lines
    }
}

impl ResilienceRow {
    fn new(mass: usize, ball_kg: f64, body_kg: f64, thrown: &[&Thrown]) -> ResilienceRow {
        let counted = |thrown: &&&Thrown| !thrown.outcome.fell_before && thrown.outcome.is_hit;
        let hits: Vec<&Thrown> = thrown.iter().filter(counted).copied().collect();
        let misses = thrown.iter().filter(|t| !t.outcome.fell_before && !t.outcome.is_hit).count();
        let stood = |of: &dyn Fn(&Thrown) -> bool| {
            let (all, stood) = hits
                .iter()
                .filter(|t| of(t))
                .fold((0, 0), |(all, stood), t| (all + 1, stood + usize::from(!t.outcome.fell)));
            (all, stood)
        };
        let share = |(all, stood): (usize, usize)| stood as f64 / all.max(1) as f64;
        let all = stood(&|_| true);
        ResilienceRow {
            ball_kg,
            impulse: ball_kg * BALL_SPEED / body_kg,
            hits: all.0,
            misses,
            survived: all.1,
            share: share(all),
            interval: wilson(all.1, all.0),
            by_quarter: std::array::from_fn(|quarter| share(stood(&|t| quarter_of(t.from_deg) == quarter))),
            paper_impulse: MASSES_KG[mass] * BALL_SPEED / PAPER_BODY_KG,
            paper_shares: PAPER[mass],
        }
    }
}

/// The quarter that an angle to the left of the front lies in: 0 in front, then to the left.
fn quarter_of(from_deg: f64) -> usize {
    ((from_deg + 45.0).rem_euclid(360.0) / 90.0) as usize % QUARTERS.len()
}

/// The interval of a share: `(p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)` (Wilson 1927).
fn wilson(successes: usize, of: usize) -> [f64; 2] {
    if of == 0 {
        return [0.0, 1.0];
    }
    let n = of as f64;
    let (p, z2) = (successes as f64 / n, Z * Z);
    let middle = p + z2 / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    [middle - half, middle + half].map(|x| (x / (1.0 + z2 / n)).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_play::ThrowOutcome;

    #[test]
    fn intervals_are_wilsons() {
        // Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (k, n, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let [a, b] = wilson(k, n);
            assert!((a - low).abs() < 6e-5 && (b - high).abs() < 6e-5, "{k} of {n}: {a} {b}");
        }
        assert_eq!(wilson(0, 0), [0.0, 1.0]);
    }

    #[test]
    fn balls_that_miss_and_characters_that_lie_do_not_count() {
        let thrown = |from_deg, fell_before, is_hit, fell| Thrown {
            from_deg,
            outcome: ThrowOutcome { fell_before, is_hit, fell, walk_speed: 1.0 },
        };
        let all = [
            thrown(10.0, false, true, false),
            thrown(350.0, false, true, true),
            thrown(100.0, false, true, false),
            thrown(200.0, false, false, true),
            thrown(300.0, true, true, true),
        ];
        let row = ResilienceRow::new(2, 7.0, 70.0, &all.iter().collect::<Vec<_>>());
        assert_eq!((row.hits, row.misses, row.survived), (3, 1, 2));
        assert_eq!(row.by_quarter, [0.5, 1.0, 0.0, 0.0]);
        assert!((row.impulse - 0.9).abs() < 1e-12 && (row.paper_impulse - 0.918).abs() < 1e-3);
        assert_eq!(row.paper_shares, [0.237, 0.559]);
        assert_eq!([-44.0, 44.0, 46.0, 134.0, 136.0, 226.0, 314.0, 316.0].map(quarter_of), [0, 0, 1, 1, 2, 3, 3, 0]);
    }
}
