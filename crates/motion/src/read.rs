//! Reads a character or a motion from any file that is known.

use crate::raw::RawRig;
use crate::{
    ImportOptions, ReadError, Rig, looks_like_bvh, looks_like_deepmimic, looks_like_fbx, looks_like_gltf, read_bvh,
    read_deepmimic, read_fbx, read_gltf, repair,
};
use std::path::Path;

/// Largest file that is read, bytes.
pub const LARGEST_FILE: u64 = 1 << 30;

/// Reads and repairs a file; its content decides the format, not its name.
pub fn read(path: &Path, options: &ImportOptions) -> Result<Rig, ReadError> {
    let bytes = sinew_files::read(path, LARGEST_FILE)?;
    let name = path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy());
    read_bytes(&bytes, &name, path.parent(), options)
}

/// Reads and repairs the bytes of a file called `file`; what a glTF text refers to lies in `folder`.
pub fn read_bytes(bytes: &[u8], file: &str, folder: Option<&Path>, options: &ImportOptions) -> Result<Rig, ReadError> {
    repair(read_raw(bytes, file, folder)?, options, file)
}

/// What the file says, by the reader that knows its content.
fn read_raw(bytes: &[u8], file: &str, folder: Option<&Path>) -> Result<RawRig, ReadError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        Err(ReadError::content(file, "the file is empty; export it again"))
    } else if looks_like_gltf(bytes) {
        read_gltf(bytes, file, folder)
    } else if looks_like_fbx(bytes) {
        read_fbx(bytes, file)
    } else if looks_like_bvh(bytes) {
        read_bvh(bytes, file)
    } else if looks_like_deepmimic(bytes) {
        read_deepmimic(bytes, file)
    } else {
        Err(ReadError::UnknownFormat { path: file.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    const BVH: &str = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
        JOINT Head\n{\nOFFSET 0 80 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 10 0\n}\n}\n}\n\
        MOTION\nFrames: 1\nFrame Time: 0.04\n0 90 0 0 0 0 0 0 0\n";

    #[test]
    fn content_decides_the_format() {
        let rig = read_bytes(BVH.as_bytes(), "misnamed.glb", None, &ImportOptions::default()).unwrap();
        assert_eq!((rig.format, rig.skeleton.joints.len(), rig.clips.len()), (Format::Bvh, 2, 1));
    }

    #[test]
    fn strangers_and_missing_files_are_told_in_a_sentence() {
        let error = read_bytes(b"\x89PNG", "hero.bvh", None, &ImportOptions::default()).unwrap_err().to_string();
        assert!(error.starts_with("hero.bvh: neither BVH"), "{error}");
        let error = read_bytes(b"", "hero.glb", None, &ImportOptions::default()).unwrap_err().to_string();
        assert!(error.contains("empty"), "{error}");
        let tiny = ImportOptions { height: Some(1e-6), ..Default::default() };
        let error = read_bytes(BVH.as_bytes(), "hero.bvh", None, &tiny).unwrap_err().to_string();
        assert!(error.contains("the height must lie between"), "{error}");
        let error = read(Path::new("no/such/file.bvh"), &ImportOptions::default()).unwrap_err().to_string();
        assert!(error.contains("no/such/file.bvh"), "{error}");
    }
}
