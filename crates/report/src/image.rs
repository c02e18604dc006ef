//! A picture in memory, and its way to a PNG file.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::error::ReportError;

/// A picture: rows from the top, three sRGB bytes per pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue of each pixel; `3 · width · height` bytes.
    pub rgb: Vec<u8>,
}

impl Image {
    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, color: [u8; 3]) -> Self {
        Self { width, height, rgb: color.repeat(width as usize * height as usize) }
    }

    /// Colour of a pixel; `None` outside the picture.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        let at = self.offset(i64::from(x), i64::from(y))?;
        Some([self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]])
    }

    /// Covers a share of a pixel, 0 to 1, with a colour. Nothing happens outside the picture.
    pub(crate) fn blend(&mut self, x: i64, y: i64, color: [u8; 3], coverage: f64) {
        let Some(at) = self.offset(x, y) else { return };
        let coverage = coverage.clamp(0.0, 1.0);
        for (old, new) in self.rgb[at..at + 3].iter_mut().zip(color) {
            *old = (f64::from(*old) + (f64::from(new) - f64::from(*old)) * coverage).round() as u8;
        }
    }

    /// Copies `other` with its top left corner at `left, top`; what does not fit is cut.
    pub(crate) fn paste(&mut self, other: &Self, left: u32, top: u32) {
        let columns = other.width.min(self.width.saturating_sub(left)) as usize;
        let rows = other.height.min(self.height.saturating_sub(top));
        for row in 0..rows {
            let to = ((top + row) as usize * self.width as usize + left as usize) * 3;
            let from = row as usize * other.width as usize * 3;
            self.rgb[to..to + columns * 3].copy_from_slice(&other.rgb[from..from + columns * 3]);
        }
    }

    /// Mixes a share of a colour, 0 to 1, into every pixel.
    pub(crate) fn fade(&mut self, color: [u8; 3], share: f64) {
        for pixel in self.rgb.as_chunks_mut::<3>().0 {
            *pixel = std::array::from_fn(|c| {
                let (old, new) = (f64::from(pixel[c]), f64::from(color[c]));
                (old + (new - old) * share).round() as u8
            });
        }
    }

    fn offset(&self, x: i64, y: i64) -> Option<usize> {
        let inside = (0..i64::from(self.width)).contains(&x) && (0..i64::from(self.height)).contains(&y);
        let at = inside.then(|| (y as usize * self.width as usize + x as usize) * 3)?;
        (at + 3 <= self.rgb.len()).then_some(at)
    }

    /// The picture as the bytes of a PNG file.
    pub fn encode_png(&self) -> Result<Vec<u8>, ReportError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        writer.finish()?;
        Ok(bytes)
    }

    /// Saves the picture as PNG. The file appears whole or not at all: the bytes go to a temporary file beside it,
    /// which then takes its name. The folder must exist.
    pub fn save_png(&self, path: impl AsRef<Path>) -> Result<(), ReportError> {
        let path = path.as_ref();
        let bytes = self.encode_png()?;
        replace_file(path, &bytes).map_err(|source| ReportError::Write { path: path.to_path_buf(), source })
    }
}

/// Writes `bytes` to a temporary neighbour of `path` and renames it onto `path`.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no file name in path"))?;
    let mut temporary_name = OsString::from(".");
    temporary_name.push(name);
    temporary_name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary_name);

    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        // Best effort: the error that is returned says more than a failed clean-up.
        let _ = fs::remove_file(&temporary);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture in which every pixel differs.
    fn gradient() -> Image {
        let mut image = Image::filled(17, 9, [0; 3]);
        for (i, byte) in image.rgb.iter_mut().enumerate() {
            *byte = (i * 7 % 256) as u8;
        }
        image
    }

    #[test]
    fn png_decodes_to_the_same_pixels() {
        let image = gradient();
        let bytes = image.encode_png().unwrap();
        let mut reader = png::Decoder::new(io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (image.width, image.height));
        assert_eq!(pixels, image.rgb);
    }

    #[test]
    fn save_replaces_the_file_and_leaves_no_temporary() {
        let folder = std::env::temp_dir().join(format!("sinew-report-image-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("picture.png");
        fs::write(&path, b"old").unwrap();
        gradient().save_png(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), gradient().encode_png().unwrap());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn save_into_a_missing_folder_names_the_file() {
        let path = std::env::temp_dir().join("sinew-report-no-such-folder/picture.png");
        let error = gradient().save_png(&path).unwrap_err();
        assert!(error.to_string().contains("picture.png"), "{error}");
    }

    #[test]
    fn drawing_outside_is_ignored() {
        let mut image = gradient();
        image.blend(-1, 0, [255; 3], 1.0);
        image.blend(17, 0, [255; 3], 1.0);
        image.paste(&Image::filled(5, 5, [9; 3]), 40, 40);
        assert_eq!(image, gradient());
        assert_eq!(image.pixel(17, 0), None);
    }
}
