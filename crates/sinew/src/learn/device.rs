//! On which device networks are trained.

use sinew_nn::cuda::{CudaError, Device, Precision};
use sinew_settings::named;
use std::sync::Arc;

named! {
/// A device that networks are trained on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind, "device" {
    /// The CPU: the same bits everywhere.
    Cpu = "cpu",
    /// An NVIDIA GPU.
    Cuda = "cuda",
}
}

/// Opens the device that is asked for; by default a GPU if there is one that works. None is the CPU. Products of a GPU are in TF32, as documented at
/// [`Precision`].
///
/// # Errors
/// Where a GPU is asked for and cannot be used.
pub fn open_device(kind: Option<DeviceKind>) -> Result<Option<Arc<Device>>, CudaError> {
    match kind {
        Some(DeviceKind::Cpu) => Ok(None),
        Some(DeviceKind::Cuda) => Device::open(Precision::Tf32).map(Some),
        None => Ok(Device::open(Precision::Tf32).ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_takes_what_is_there_and_a_gpu_that_is_asked_for_must_be_there() {
        assert!(open_device(Some(DeviceKind::Cpu)).unwrap().is_none());
        let by_default = open_device(None).unwrap();
        match open_device(Some(DeviceKind::Cuda)) {
            Ok(device) => assert!(device.is_some() && by_default.is_some()),
            Err(error) => assert!(by_default.is_none() && error.to_string().contains("CUDA"), "{error}"),
        }
    }
}
