//! CUDA's libraries, looked for when a GPU is asked for.
//!
//! The driver's library is where the system finds libraries. cuBLAS and NVRTC are there, too, or in a folder of the toolkit, or in a folder of
//! NVIDIA's Python packages; the latter two are opened here by their full path, so that opening them by name finds them.

use super::error::CudaError;
use super::raw;
use std::path::PathBuf;

/// Versions of the toolkit that are looked for, the best first.
const VERSIONS: [&str; 2] = ["13", "12"];

/// A library of CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Library {
    Driver,
    CuBlas,
    Nvrtc,
}

/// Finds the driver.
///
/// # Errors
/// Where there is none.
pub(super) fn find_driver() -> Result<(), CudaError> {
    match raw::is_present(Library::Driver) {
        true => Ok(()),
        false => Err(CudaError::NoDriver("its library was not found".into())),
    }
}

/// Finds the libraries of the toolkit.
///
/// # Errors
/// Which of them is not there.
pub(super) fn find_toolkit() -> Result<(), CudaError> {
    for (library, name, parts) in
        [(Library::CuBlas, "cuBLAS", ["cublasLt", "cublas"].as_slice()), (Library::Nvrtc, "NVRTC", &["nvrtc"])]
    {
        if raw::is_present(library) {
            continue;
        }
        for folder in folders() {
            for version in VERSIONS {
                let paths = parts.iter().map(|part| folder.join(format!("lib{part}.so.{version}")));
                let paths: Vec<PathBuf> = paths.filter(|path| path.exists()).collect();
                if paths.len() == parts.len() {
                    paths.iter().for_each(|path| raw::keep_open(path));
                }
            }
            if raw::is_present(library) {
                break;
            }
        }
        if !raw::is_present(library) {
            return Err(CudaError::NoLibrary { name });
        }
    }
    Ok(())
}

/// Where toolkits are installed.
fn folders() -> Vec<PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let usual = ["/usr/local/cuda", "/opt/cuda"].into_iter().map(PathBuf::from);
    named
        .chain(usual)
        .flat_map(|root| ["lib64", "lib", "targets/x86_64-linux/lib"].map(|part| root.join(part)))
        .collect()
}
