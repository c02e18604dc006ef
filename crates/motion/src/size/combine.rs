//! All votes together.
//!
//! Votes of one kind are by one hand and share its mistakes: their weighted median speaks for them, with the spread that one hand has, however many they are.
//! Each kind may be quite wrong, `p(x) = (1 − ε) N(x; m, s) + ε U`; a bound is a step of that width instead. The product over the kinds, times what is known
//! beforehand, on a grid of logarithms of heights, gives the median and its spread.

use super::prior::{Kind, normal};
use super::{Evidence, SizeEstimate, SizeOptions, SizeVote};
use crate::{Format, Rig};

/// Heights that are thought of, m, and steps of the grid.
const HEIGHTS: [f64; 2] = [0.02, 60.0];
const STEPS: usize = 800;

/// What the votes of one kind say.
struct Opinion {
    /// Logarithm of the height.
    at: f64,
    spread: f64,
    at_most: bool,
}

impl Opinion {
    fn density(&self, x: f64, stray: f64) -> f64 {
        let uniform = 1.0 / libm::log(HEIGHTS[1] / HEIGHTS[0]);
        if self.at_most {
            let below = 0.5 * libm::erfc((x - self.at) / (self.spread * std::f64::consts::SQRT_2));
            return (1.0 - stray) * below + stray;
        }
        (1.0 - stray) * normal(x - self.at, self.spread) + stray * uniform
    }
}

/// The estimate from all votes.
pub(super) fn combine(rig: &Rig, file_height: f64, votes: Vec<SizeVote>, options: &SizeOptions) -> SizeEstimate {
    let kind = Kind::of(rig);
    let all = [Evidence::Flight, Evidence::Gait, Evidence::Fall, Evidence::Pace];
    let opinions: Vec<Opinion> = all.iter().filter_map(|&evidence| opinion(&votes, evidence, options)).collect();
    let [low, high] = HEIGHTS.map(libm::log);
    let grid: Vec<f64> = (0..=STEPS).map(|i| low + (high - low) * i as f64 / STEPS as f64).collect();
    let by_clips = |x: f64| opinions.iter().map(|o| o.density(x, options.stray)).product::<f64>();
    let density = |x: f64| by_clips(x) * kind.density(x, options).max(1e-12);
    let values: Vec<f64> = grid.iter().map(|&x| density(x)).collect();
    let quantile = |share: f64| {
        let wanted = share * values.iter().sum::<f64>();
        let mut sum = 0.0;
        let reached = values.iter().position(|v| {
            sum += v;
            sum >= wanted
        });
        grid[reached.unwrap_or(STEPS)]
    };
    let middle = quantile(0.5);
    let spread = 0.5 * (quantile(0.8413) - quantile(0.1587));
    let is_heard = !opinions.is_empty() && file_height > 0.0;
    let odds = if is_heard { density(middle) / density(libm::log(file_height)).max(1e-300) } else { 1.0 };
    let height_m = if is_heard { libm::exp(middle) } else { file_height };

    // Captured motion has the size of who was captured; a person of a person's height is one.
    let is_captured = matches!(rig.format, Format::Bvh | Format::DeepMimic);
    let [least, most] = options.trusted_person;
    let is_trusted = kind == Kind::Person && (least..=most).contains(&file_height);
    let off = libm::log(height_m / file_height);
    let least_odds = if off > 0.0 { options.odds_of_larger } else { options.odds };
    let is_far = libm::fabs(off) > libm::log(options.least_factor).max(options.least_spreads * spread);
    // What is known beforehand decides nothing by itself, nor do bounds.
    let is_told = opinions.iter().any(|o| !o.at_most)
        && by_clips(middle) > options.odds_of_clips * by_clips(libm::log(file_height));
    let contradicts_file = is_heard && is_told && !is_captured && !is_trusted && is_far && odds > least_odds;
    SizeEstimate {
        file_height_m: file_height,
        height_m,
        within_factor: libm::exp(spread),
        odds,
        contradicts_file,
        votes,
    }
}

/// Weighted median of one kind's votes, each with the weight `1 / spread²`; of bounds the quantile `quick_clips`.
fn opinion(votes: &[SizeVote], evidence: Evidence, options: &SizeOptions) -> Option<Opinion> {
    let mut own: Vec<(f64, f64)> = votes
        .iter()
        .filter(|vote| vote.evidence == evidence)
        .map(|vote| (libm::log(vote.height_m), libm::log(vote.within_factor)))
        .collect();
    own.sort_by(|a, b| a.0.total_cmp(&b.0));
    let weight = |spread: f64| 1.0 / (spread * spread).max(1e-6);
    let total: f64 = own.iter().map(|(_, spread)| weight(*spread)).sum();
    let at_most = evidence == Evidence::Pace;
    let share = if at_most { options.quick_clips } else { 0.5 };
    let mut sum = 0.0;
    let at = own.iter().find(|(_, spread)| {
        sum += weight(*spread);
        sum >= share * total
    })?;
    // Spread of the mean of independent votes, their disagreement, and what they share.
    let disagreement = own.iter().map(|(x, s)| weight(*s) * libm::fabs(x - at.0)).sum::<f64>() / total;
    let chance = (1.0 / total + disagreement * disagreement / own.len() as f64).max(0.0);
    let spread = libm::sqrt(options.hand_spread * options.hand_spread + chance);
    Some(Opinion { at: at.0, spread, at_most })
}
