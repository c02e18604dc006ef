//! Which flag to change, for errors of the libraries: they speak of clips and cycles, not of flags.

use sinew::learning::GeneratorError;
use sinew::retargeting::RetargetError;
use sinew::tracking::TrackError;
use sinew::transfer::TransferError;
use sinew::work::CheckpointError;
use sinew::{BringError, ClipError, Error, FileError, MotionError};
use sinew_studio::PortError;
use std::borrow::Cow;

/// Returns the flag or command that an error is about, as ` (--clip NAME)`; empty where there is none.
pub fn hint(error: &anyhow::Error) -> String {
    let flag = error.chain().find_map(|cause| {
        let of_facade = || cause.downcast_ref::<Error>().and_then(flag_of);
        let of_transfer = || cause.downcast_ref::<TransferError>().and_then(flag_of_transfer);
        let of_studio = || cause.downcast_ref::<PortError>().map(|_| "--port N, or leave it out".into());
        of_facade().or_else(of_transfer).or_else(of_studio)
    });
    flag.map_or(String::new(), |flag| format!(" ({flag})"))
}

fn flag_of(error: &Error) -> Option<Cow<'static, str>> {
    let flag = match error.cause() {
        Error::Clip(ClipError::None { .. }) => "--motion FILE",
        Error::Clip(ClipError::Several { .. } | ClipError::MissingPart { .. } | ClipError::Join { .. }) => {
            "--clip NAME"
        }
        Error::Clip(ClipError::NoCycle { .. }) => "sinew export crops it with --from S and --to S",
        Error::Clip(ClipError::NoCycles) | Error::Motion(MotionError::Cycles { .. }) => "--cycles N",
        Error::Bring(BringError::NoGait { .. }) => "--clips NAMES",
        Error::Bring(BringError::OtherRequest { .. }) => "leave --resume out, or -o DIR",
        Error::File(FileError::NoFolder { .. }) => "--out DIR",
        Error::File(FileError::Read { path, .. }) if path.ends_with("policy.json") => {
            return path.parent().map(|folder| format!("sinew feedback {}", folder.display()).into());
        }
        Error::File(FileError::Read { path, .. }) if path.ends_with("controls.json") => "sinew transfer makes one",
        Error::Retarget(RetargetError::NoLegs) => "--map map.toml",
        Error::Generator(GeneratorError::Cuda(_)) | Error::Track(TrackError::Cuda(_)) => "--device cpu",
        Error::Threads { .. } => "--threads N",
        Error::Checkpoint(CheckpointError::Write { .. }) => "--out DIR",
        Error::Checkpoint(_) => "leave --resume out",
        Error::Motion(MotionError::PushTime { .. }) => "--at SECS",
        Error::Motion(MotionError::Period { .. }) => "--period SECS",
        Error::Motion(MotionError::NoCycle { .. }) => "sinew transfer --cycles 5, or --period SECS",
        Error::Motion(MotionError::NoLanding { .. }) => "leave --from out",
        Error::Transfer(error) => return flag_of_transfer(error),
        _ => return None,
    };
    Some(flag.into())
}

fn flag_of_transfer(error: &TransferError) -> Option<Cow<'static, str>> {
    let flag = match error {
        TransferError::TooShort { .. } => "--cycles N",
        TransferError::NoAssist { .. } => "leave --assist out",
        _ => return None,
    };
    Some(flag.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;

    #[test]
    fn hints_are_found_below_places_and_contexts() {
        let other = CheckpointError::OtherRun { path: "checkpoint.bin".into(), what: "seed".into() };
        let error = Error::At { place: "out".into(), error: Box::new(other.into()) };
        assert_eq!(hint(&error.into()), " (leave --resume out)");
        let plain: Result<(), TransferError> = Err(TransferError::NoAssist { character: "x".into() });
        assert_eq!(hint(&plain.context("while asking").expect_err("an error")), " (leave --assist out)");
        let missing = sinew::networks::cuda::CudaError::NoLibrary { name: "cuBLAS" };
        assert_eq!(hint(&Error::from(GeneratorError::Cuda(missing.clone())).into()), " (--device cpu)");
        assert_eq!(hint(&Error::from(TrackError::Cuda(missing)).into()), " (--device cpu)");
        assert_eq!(hint(&anyhow::anyhow!("something else")), "");
        assert_eq!(hint(&Error::from(ClipError::NoCycles).into()), " (--cycles N)");
    }
}
