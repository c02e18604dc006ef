//! A jump of any height from a front, in real time: neighbouring controllers blended, and verified in simulation.

use crate::controller::Controller;
use crate::error::ParetoError;
use crate::evaluate::Evaluator;
use crate::front::Front;
use crate::objectives::Jump;

/// Blends that are simulated side by side.
const TRIES: usize = 16;
/// A height this near the wish is met, m.
const CLOSE: f64 = 0.005;

/// Where a dialled jump comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// A point of the front as it is.
    Point(usize),
    /// Between two neighbours of the front: the first, the second, and the second's share.
    Blend(usize, usize, f64),
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
/// The blends of the two neighbours are tried at even shares, then again between the two that enclose the wish; of all that land, the nearest wins. Beyond
/// the ends of the front it is the end.
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
    let points = &front.points;
    let order = {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&a, &b| points[a].height.total_cmp(&points[b].height));
        order
    };
    let above = order.iter().position(|&point| points[point].height >= height);
    let (low, high) = match above {
        Some(0) => (order[0], order[0]),
        Some(rank) => (order[rank - 1], order[rank]),
        None => (order[order.len() - 1], order[order.len() - 1]),
    };
    let (first, second) = (points[low].controller()?, points[high].controller()?);
    let mut best: Option<Dialled> = None;
    let mut range = [0.0, if low == high { 0.0 } else { 1.0 }];
    for _ in 0..2 {
        let count = if range[0] == range[1] { 1 } else { TRIES };
        let share_of = |i: usize| range[0] + (range[1] - range[0]) * i as f64 / (TRIES - 1) as f64;
        let controllers: Vec<Controller> = (0..count).map(|i| first.blend(&second, share_of(i))).collect();
        let jumps = evaluator.evaluate(&controllers)?;
        let off = |jump: &Jump| (jump.height - height).abs();
        let landed: Vec<usize> = (0..count).filter(|&i| jumps[i].failure.is_none()).collect();
        for &i in &landed {
            if best.as_ref().is_none_or(|best| off(&jumps[i]) < off(&best.jump)) {
                let source = match share_of(i) {
                    0.0 => Source::Point(low),
                    1.0 => Source::Point(high),
                    share => Source::Blend(low, high, share),
                };
                best = Some(Dialled { controller: controllers[i].clone(), jump: jumps[i].clone(), source });
            }
        }
        // Two neighbours that land, one too low and one too high.
        let encloses = |pair: &&[usize]| {
            let [a, b] = [jumps[pair[0]].height - height, jumps[pair[1]].height - height];
            pair[1] == pair[0] + 1 && a * b <= 0.0
        };
        let Some(pair) = landed.windows(2).find(encloses) else { break };
        if best.as_ref().is_some_and(|best| off(&best.jump) < CLOSE) {
            break;
        }
        range = [share_of(pair[0]), share_of(pair[1])];
    }
    if let Some(best) = best {
        return Ok(best);
    }
    // None of the two lands here: the nearest of the rest that does.
    let mut nearest = order;
    nearest.sort_by(|&a, &b| (points[a].height - height).abs().total_cmp(&(points[b].height - height).abs()));
    for point in nearest {
        let controller = points[point].controller()?;
        let jump = evaluator.evaluate(std::slice::from_ref(&controller))?.remove(0);
        if jump.failure.is_none() {
            return Ok(Dialled { controller, jump, source: Source::Point(point) });
        }
    }
    Err(ParetoError::Seed("no jump of the front lands".into()))
}
