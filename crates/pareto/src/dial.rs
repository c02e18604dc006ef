//! A jump of any height from a front, in real time: neighbouring controllers blended, and verified in simulation.

use crate::controller::{Assist, Controller, scaled_bounds};
use crate::error::ParetoError;
use crate::evaluate::Evaluator;
use crate::front::Front;
use crate::objectives::Jump;
use crate::parameters::{ASSIST_DURATION, GRAVITY_REDUCTION};
use sinew_optim::NormalStream;

/// Jumps that are simulated side by side.
const TRIES: usize = 16;
/// A height this near the wish is met, m.
const CLOSE: f64 = 0.005;
/// Rounds of the search where no blend will do.
const ROUNDS: usize = 16;
/// Its shortest and its longest step, rad, and the step for each metre that is missing.
const STEPS: [f64; 2] = [0.003, 0.03];
const STEP_PER_METRE: f64 = 0.5;
/// Which of the random streams of the seed 0 the search's come from.
const NEARBY: u64 = u64::from_be_bytes(*b"nearby\0\0");

/// Where a dialled jump comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// A point of the front as it is.
    Point(usize),
    /// Between two points of the front: the first, the second, and the second's share.
    Blend(usize, usize, f64),
    /// Found by a short search near a point of the front, because no blend lands at that height.
    Near(usize),
}

/// A jump that lands, with a height as near as could be had to the one that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Dialled {
    /// Its controller.
    pub controller: Controller,
    /// What it comes to.
    pub jump: Jump,
    /// Where it comes from.
    pub source: Source,
}

/// Picks or blends the controller for a height of the head in metres.
///
/// The blends of the two neighbours are tried at even shares, then again between the two that enclose the wish; of all that land, the nearest wins. Where none comes within
/// 5 mm, the help alone is blended, then points further off, and at last the jumps around the nearest are searched. Every jump is simulated to its end. Beyond the ends of the front
/// it is the end.
///
/// # Errors
/// Where the simulator refuses, or the front has no jump that lands.
pub fn dial(evaluator: &Evaluator, front: &Front, height: f64) -> Result<Dialled, ParetoError> {
    if !height.is_finite() {
        return Err(ParetoError::Config {
            field: "the height",
            value: height.to_string(),
            range: "a number of metres",
        });
    }
    let mut order: Vec<usize> = (0..front.points.len()).collect();
    order.sort_by(|&a, &b| front.points[a].height.total_cmp(&front.points[b].height));
    let point = |rank: usize| -> Result<(usize, Controller), ParetoError> {
        let index = order[rank.min(order.len() - 1)];
        Ok((index, front.points[index].controller()?))
    };
    let mut wish = Wish { evaluator, height, best: None, sides: [None, None] };
    let above = order.iter().position(|&index| front.points[index].height >= height).unwrap_or(order.len());
    if above == 0 || above == order.len() {
        // Beyond the ends, or the nearest that lands here: a front of another evaluator may have some that do not.
        let is_low = above == 0;
        for rank in 0..order.len() {
            let (index, controller) = point(if is_low { rank } else { order.len() - 1 - rank })?;
            wish.try_all(vec![(controller, Source::Point(index))])?;
            if wish.best.is_some() {
                break;
            }
        }
        return wish.best.ok_or_else(|| ParetoError::Seed("no jump of the front lands".into()));
    }
    let (low, high) = (point(above - 1)?, point(above)?);
    wish.blend(&low, &high)?;
    // The joints of one and the help of both.
    let with_help_of = |joints: &Controller, help: &Controller| {
        let mut values = joints.values().to_vec();
        for index in [GRAVITY_REDUCTION, ASSIST_DURATION] {
            values[index] = help.values()[index];
        }
        Controller::new(&values)
    };
    if !wish.is_met() && !front.points[high.0].is_natural() {
        wish.blend(&(low.0, with_help_of(&high.1, &low.1)?), &high)?;
        if !wish.is_met() {
            wish.blend(&low, &(high.0, with_help_of(&low.1, &high.1)?))?;
        }
    }
    for [down, up] in [[1, 0], [0, 1], [1, 1]] {
        if !wish.is_met() && above > down && above + up < order.len() {
            wish.blend(&point(above - 1 - down)?, &point(above + up)?)?;
        }
    }
    if !wish.is_met() {
        wish.search()?;
    }
    if wish.best.is_none() {
        // None of these lands here: the nearest of the rest that does.
        order.sort_by(|&a, &b| {
            let off = |index: usize| (front.points[index].height - height).abs();
            off(a).total_cmp(&off(b))
        });
        for index in order {
            wish.try_all(vec![(front.points[index].controller()?, Source::Point(index))])?;
            if wish.best.is_some() {
                break;
            }
        }
    }
    wish.best.ok_or_else(|| ParetoError::Seed("no jump of the front lands".into()))
}

/// A height that is asked for, and the nearest jumps so far: of all, and below and above it.
struct Wish<'a> {
    evaluator: &'a Evaluator,
    height: f64,
    best: Option<Dialled>,
    sides: [Option<Dialled>; 2],
}

impl Wish<'_> {
    fn off(&self, jump: &Jump) -> f64 {
        (jump.height - self.height).abs()
    }

    fn is_met(&self) -> bool {
        self.best.as_ref().is_some_and(|best| self.off(&best.jump) < CLOSE)
    }

    /// Lets all jump and keeps the nearest that lands.
    fn try_all(&mut self, tries: Vec<(Controller, Source)>) -> Result<Vec<Jump>, ParetoError> {
        let controllers: Vec<Controller> = tries.iter().map(|(controller, _)| controller.clone()).collect();
        let jumps = self.evaluator.evaluate(&controllers)?;
        for ((controller, source), jump) in tries.into_iter().zip(&jumps) {
            if jump.failure.is_some() {
                continue;
            }
            let is_nearer = |than: &Option<Dialled>| than.as_ref().is_none_or(|it| self.off(jump) < self.off(&it.jump));
            let side = usize::from(jump.height > self.height);
            let [nearest, nearest_here] = [is_nearer(&self.best), is_nearer(&self.sides[side])];
            let found = Dialled { controller, jump: jump.clone(), source };
            if nearest_here {
                self.sides[side] = Some(found.clone());
            }
            if nearest {
                self.best = Some(found);
            }
        }
        Ok(jumps)
    }

    /// Tries even shares of two controllers, and again between two that enclose the wish.
    fn blend(&mut self, first: &(usize, Controller), second: &(usize, Controller)) -> Result<(), ParetoError> {
        let mut range = [0.0, 1.0];
        for _ in 0..2 {
            let share_of = |i: usize| range[0] + (range[1] - range[0]) * i as f64 / (TRIES - 1) as f64;
            let blend = |i: usize| {
                let source = match share_of(i) {
                    0.0 => Source::Point(first.0),
                    1.0 => Source::Point(second.0),
                    share => Source::Blend(first.0, second.0, share),
                };
                (first.1.blend(&second.1, share_of(i)), source)
            };
            let jumps = self.try_all((0..TRIES).map(blend).collect())?;
            // Two neighbours that land, one too low and one too high.
            let encloses = |&i: &usize| {
                let [a, b] = [&jumps[i], &jumps[i + 1]];
                a.failure.is_none() && b.failure.is_none() && (a.height - self.height) * (b.height - self.height) <= 0.0
            };
            let pair = (0..TRIES - 1).find(encloses);
            let Some(pair) = pair.filter(|_| !self.is_met()) else { break };
            range = [share_of(pair), share_of(pair + 1)];
        }
        Ok(())
    }

    /// Tries jumps around the nearest below and above, in ever shorter steps, until one is close; without help where those have none.
    fn search(&mut self) -> Result<(), ParetoError> {
        let mut index = 0;
        for _ in 0..ROUNDS {
            if self.is_met() {
                break;
            }
            let mut tries = Vec::new();
            for from in self.sides.iter().flatten() {
                let step = (STEP_PER_METRE * self.off(&from.jump)).clamp(STEPS[0], STEPS[1]);
                let near = match from.source {
                    Source::Point(point) | Source::Near(point) => point,
                    Source::Blend(low, high, share) => [low, high][usize::from(share >= 0.5)],
                };
                for _ in 0..TRIES {
                    tries.push((neighbour(&from.controller, step, index)?, Source::Near(near)));
                    index += 1;
                }
            }
            self.try_all(tries)?;
        }
        Ok(())
    }
}

/// A controller at a normal distance of `step` radians in every coordinate; natural where the given one is.
fn neighbour(from: &Controller, step: f64, index: u64) -> Result<Controller, ParetoError> {
    let mut random = NormalStream::new(0, NEARBY, index);
    let bounds = scaled_bounds();
    let around = |(x, [lower, upper]): (&f64, &[f64; 2])| (x + step * random.normal()).clamp(*lower, *upper);
    let mut sample: Vec<f64> = from.scaled().iter().zip(&bounds).map(around).collect();
    if from.assist() == Assist::default() {
        (sample[GRAVITY_REDUCTION], sample[ASSIST_DURATION]) = (0.0, 0.0);
    }
    Ok(Controller::from_scaled(&sample)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_natural_jumps_are_natural() {
        let seed = Controller::seed();
        let is_helped = |from: &Controller, index| {
            let near = neighbour(from, 0.1, index).expect("a controller");
            assert_ne!(near.values()[0].to_bits(), from.values()[0].to_bits());
            near.assist() != Assist::default()
        };
        assert!((0..50).all(|index| !is_helped(&seed, index)));
        let mut values = seed.values().to_vec();
        (values[GRAVITY_REDUCTION], values[ASSIST_DURATION]) = (5.0, 0.4);
        let helped = Controller::new(&values).expect("within bounds");
        assert!((0..50).all(|index| is_helped(&helped, index)));
    }
}
