//! Settings of the weaning.

use crate::TransferError;
use serde::{Deserialize, Serialize};
use sinew_settings::documented;

documented! {
/// What is done where every search falls: see `assist/weaning.rs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WeaningConfig {
    /// How often the windows before a fall are searched again before weaning is tried; where that fails, the search goes on.
    pub after_tries: usize,
    /// Ladders, one after the other until a motion needs no assist.
    pub ladders: Vec<Ladder>,
    /// Assist below this size may go all at once, in its units, where the motion stands without.
    pub let_go: f64,
    /// Whether a motion that ends in something else than was drawn is weaned, too, and the better of both kept.
    pub second_way: bool,
}
}

documented! {
/// Prices of assist that rise, and the rounds at each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ladder {
    /// Prices, the cheapest first; for their unit see [`crate::AssistConfig::prices`].
    pub prices: Vec<f64>,
    /// Most rounds at a price.
    pub rounds: usize,
}
}

impl Default for WeaningConfig {
    /// The second ladder is for motions that the first leaves with some assist: it begins with the cheapest, and hurries.
    fn default() -> WeaningConfig {
        WeaningConfig {
            after_tries: 2,
            ladders: vec![
                Ladder { prices: vec![3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4], rounds: 6 },
                Ladder { prices: vec![0.1, 1.0, 10.0, 100.0, 1e3, 1e4], rounds: 4 },
            ],
            let_go: 0.1,
            second_way: true,
        }
    }
}

impl WeaningConfig {
    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the field.
    pub(super) fn check(&self) -> Result<(), TransferError> {
        let prices =
            self.ladders.iter().flat_map(|ladder| &ladder.prices).map(|price| ("weaning.ladders.prices", *price));
        for (field, value) in prices.chain([("weaning.let_go", self.let_go)]) {
            if !(value > 0.0 && value.is_finite()) {
                return Err(TransferError::Config { field, value, range: "positive" });
            }
        }
        Ok(())
    }
}
