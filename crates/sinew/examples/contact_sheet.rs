//! Many transferred motions on pages of small film strips, the target above the simulation, to look at all of them at once.
//!
//! ```text
//! cargo run --release -p sinew --example contact_sheet -- PAGES_FOLDER RESULT_FOLDER...
//! ```

use sinew::report::Image;
use sinew::transfer::{beside_target, replay};
use std::path::{Path, PathBuf};

/// Motions on a page, moments of each, and pixels of a frame.
const ON_A_PAGE: usize = 6;
const MOMENTS: usize = 8;
const PIXELS: u32 = 150;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut folders = std::env::args_os().skip(1).map(PathBuf::from);
    let pages = folders.next().ok_or("give a folder for the pages and the folders of results")?;
    std::fs::create_dir_all(&pages)?;
    let folders: Vec<PathBuf> = folders.collect();
    for (index, on_page) in folders.chunks(ON_A_PAGE).enumerate() {
        let strips: Vec<Image> = on_page.iter().flat_map(|folder| strips(folder)).collect();
        if let Some(page) = below_each_other(&strips) {
            page.save_png(pages.join(format!("page-{index:03}.png")))?;
        }
    }
    Ok(())
}

/// The two rows of a motion; none where the folder has no result.
fn strips(folder: &Path) -> Vec<Image> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let drawn = replay(folder, None).and_then(|it| beside_target(&it.target, &it.run, &name, MOMENTS, PIXELS));
    drawn.map_or_else(
        |error| {
            eprintln!("{}: {error}", folder.display());
            Vec::new()
        },
        Vec::from,
    )
}

fn below_each_other(strips: &[Image]) -> Option<Image> {
    let width = strips.iter().map(|s| s.width).max()?;
    let height = strips.iter().map(|s| s.height).sum();
    let mut page = Image::filled(width, height, [255; 3]);
    let mut top = 0;
    for strip in strips {
        for row in 0..strip.height {
            let (from, to) = (3 * (row * strip.width) as usize, 3 * ((top + row) * width) as usize);
            let length = 3 * strip.width as usize;
            page.rgb[to..to + length].copy_from_slice(&strip.rgb[from..from + length]);
        }
        top += strip.height;
    }
    Some(page)
}
