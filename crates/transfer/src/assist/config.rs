//! The constants of a sweep.

use crate::TransferError;
use serde::{Deserialize, Serialize};
use sinew_settings::documented;

documented! {
/// How a front of fidelity against assist is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssistConfig {
    /// Prices of assist from the dearest to the cheapest: what one unit of it (the weight, or the weight times a quarter of the height) costs in
    /// one interval, in units of the transfer's cost.
    pub prices: Vec<f64>,
    /// Price at which the motion is as drawn.
    pub drawn_price: f64,
    /// Most points of a front.
    pub most_points: usize,
    /// Most rounds at a price; half of them before small assist is taken away, half after.
    pub rounds: usize,
    /// Rounds at a price end when one gains less than this share.
    pub stops_below: f64,
    /// Assist below this size is taken away, in its units.
    pub least_assist: f64,
    /// Share of the cost that more assist must gain to be another point of the front.
    pub least_gain: f64,
    /// Softness of the price in the rounds at a price, over the least assist: first soft, so that assist that is not there yet can grow; in
    /// the end so hard that little assist costs as much for its size as much assist. The last one stays on.
    pub softness: [f64; 3],
    /// Reaches of the differences in those rounds: see [`crate::config::Level::reach`].
    pub reaches: [f64; 3],
    /// Softness of the price where a puppet's gains are found, in units of assist.
    pub puppet_softness: f64,
    /// Shares of the least assist below which assist is taken away, one after the other.
    pub taken_away: [f64; 3],
}
}

impl AssistConfig {
    /// For the standard and the paper's preset.
    pub fn standard() -> AssistConfig {
        AssistConfig {
            prices: vec![100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1],
            drawn_price: 0.01,
            most_points: 9,
            rounds: 10,
            stops_below: 0.02,
            least_assist: 0.02,
            least_gain: 0.01,
            softness: [10.0, 1.0, 0.1],
            reaches: [3.0, 1.0, 1.0],
            puppet_softness: 1.0,
            taken_away: [0.1, 0.4, 1.0],
        }
    }

    /// For a first look.
    pub fn quick() -> AssistConfig {
        AssistConfig { prices: vec![100.0, 10.0, 1.0, 0.1], rounds: 4, ..AssistConfig::standard() }
    }

    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the field.
    pub fn check(&self) -> Result<(), TransferError> {
        let wrong = |field, value, range| Err(TransferError::Config { field, value, range });
        for &price in self.prices.iter().chain([&self.drawn_price]) {
            if !(price > 0.0 && price.is_finite()) {
                return wrong("price", price, "positive");
            }
        }
        if !(1..=1000).contains(&self.rounds) {
            return wrong("rounds", self.rounds as f64, "from 1 to 1000");
        }
        let named = [("least_assist", self.least_assist), ("puppet_softness", self.puppet_softness)];
        let softness = self.softness.map(|value| ("softness", value)).into_iter();
        let reaches = self.reaches.map(|value| ("reaches", value)).into_iter();
        for (field, value) in named.into_iter().chain(softness).chain(reaches) {
            if !(value > 0.0 && value.is_finite()) {
                return wrong(field, value, "positive");
            }
        }
        Ok(())
    }
}
