//! The files of a front.

use super::Finished;
use super::page::{four_jumps, front_page, front_plot, method_name, shown_front};
use crate::error::{FileError, Result};
use crate::transfer::OutputFolder;
use std::fs;

/// Writes the front, its page and pictures, all samples and every controller.
///
/// # Errors
/// Where a file cannot be written.
pub fn write(folder: &OutputFolder, finished: &Finished) -> Result<()> {
    let points = finished.front.points.len();
    let mut controllers = OutputFolder::make(&folder.path().join("controllers"))?;
    controllers.keep();
    let texts =
        (0..points).map(|index| Ok((format!("{index:02}.toml"), finished.controller_text(index)?.into_bytes())));
    controllers.write(&texts.collect::<Result<Vec<_>>>()?)?;
    // What an earlier, larger front has left.
    for index in points.. {
        let old = controllers.path().join(format!("{index:02}.toml"));
        if !old.exists() {
            break;
        }
        fs::remove_file(&old).map_err(|error| FileError::Remove { path: old, error })?;
    }
    let front = shown_front(&method_name(finished), finished)?;
    let strip = four_jumps(&front)?.render()?.encode_png()?;
    let page = front_page(finished, front)?;
    let plot = front_plot(&page).as_str().to_owned();
    let page = page.to_html()?;
    folder.write(&[
        ("front.html".to_owned(), page.into_bytes()),
        ("front.svg".to_owned(), plot.into_bytes()),
        ("jumps.png".to_owned(), strip),
        ("front.csv".to_owned(), finished.front.to_csv().into_bytes()),
        ("samples.csv".to_owned(), samples_csv(finished).into_bytes()),
        ("front.json".to_owned(), finished.front.to_json().into_bytes()),
    ])
}

fn samples_csv(finished: &Finished) -> String {
    let mut text = String::from("height_m,effort,assist,landing_m,failed\n");
    for sample in &finished.samples {
        text +=
            &format!("{},{},{},{},{}\n", sample.height, sample.effort, sample.assist, sample.landing, sample.failed);
    }
    text
}
