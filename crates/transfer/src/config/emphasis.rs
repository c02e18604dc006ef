//! Settings of the polish that weighs more what is wrong.

use crate::TransferError;
use serde::{Deserialize, Serialize};
use sinew_settings::documented;

documented! {
/// How a motion that is not faithful is polished again: see `transfer/emphasis.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmphasisConfig {
    /// Most times; it ends sooner where the motion is faithful.
    pub tries: usize,
    /// Factor on the weights of the terms that measure what the verdict names, once more each time.
    pub factor: f64,
}
}

impl Default for EmphasisConfig {
    fn default() -> EmphasisConfig {
        EmphasisConfig { tries: 3, factor: 4.0 }
    }
}

impl EmphasisConfig {
    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the field.
    pub(super) fn check(&self) -> Result<(), TransferError> {
        if self.factor > 1.0 && self.factor.is_finite() {
            return Ok(());
        }
        Err(TransferError::Config { field: "emphasis.factor", value: self.factor, range: "above 1" })
    }
}
