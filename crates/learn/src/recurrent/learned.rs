//! What a training leaves: the weights, and all that is needed to drive the character without the set.

use super::config::RecurrentConfig;
use super::examples::input_count;
use super::layout::Layout;
use super::network::Network;
use super::standard::Standard;
use super::training::{CurvePoint, network_shape};
use crate::feasible::FeasibleRange;
use crate::intent::CONTROLS;
use crate::motion_set::SetHeader;
use serde::{Deserialize, Serialize};
use sinew_nn::safetensors::TensorFile;

/// What was learnt of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedMotion {
    /// The constants.
    pub config: RecurrentConfig,
    /// Captured and augmented frames of the set.
    pub frames: [usize; 2],
    /// The loss on its way.
    pub curve: Vec<CurvePoint>,
    /// What can be asked for.
    pub feasible: FeasibleRange,
    pub(crate) standard: Standard,
    pub(crate) controls: Standard,
    /// Control values that the set gives, a bit for each.
    pub(crate) known_controls: u16,
    /// States to start from, not standardised.
    pub(crate) starts: Vec<Vec<f32>>,
    /// The network in the safetensors format.
    pub(crate) weights: Vec<u8>,
}

impl LearnedMotion {
    /// The network; or what does not fit the character or each other, in words.
    pub(crate) fn network(&self, header: &SetHeader, layout: &Layout) -> Result<Network<f32>, String> {
        if let Some((field, value, range)) = self.config.fault() {
            return Err(format!("{field} = {value}, but may be {range}"));
        }
        let dims = layout.dims();
        if !self.standard.fits(dims) || !self.controls.fits(CONTROLS) {
            return Err("means and deviations do not fit the character".into());
        }
        if self.starts.is_empty() {
            return Err("there is no pose to start from".into());
        }
        if self.starts.iter().any(|row| row.len() != dims || row.iter().any(|x| !x.is_finite())) {
            return Err("a pose to start from does not fit the character".into());
        }
        if self.feasible.actions.len() != header.actions.len() {
            return Err(format!("ranges of {} actions, not {}", self.feasible.actions.len(), header.actions.len()));
        }
        let shape = network_shape(&self.config, input_count(layout, header.actions.len()), dims);
        let mut network = Network::new(&shape, 0);
        let file = TensorFile::from_bytes(&self.weights).map_err(|error| error.to_string())?;
        file.load_parameters(&mut network).map_err(|error| error.to_string())?;
        Ok(network)
    }
}
