//! The files of a training.

use super::{Pictures, Prepared, Trained, draw, page};
use crate::error::{Error, Result};

/// Names of the files beside the page, and what they hold.
pub const FILES: [(&str, &str); 4] = [
    ("policy.json", "the policy: the cycle, and what is done about deviations from it"),
    ("feedback.json", "the figures of this page"),
    ("feedback.png", "the last cycles with feedback, with contact forces"),
    ("open-loop.png", "the last cycles without feedback"),
];

/// Names and bytes of all files that a training leaves.
///
/// # Errors
/// Where a picture cannot be drawn.
pub fn files(prepared: &Prepared, trained: &Trained) -> Result<Vec<(String, Vec<u8>)>> {
    let pictures = draw(prepared.model(), trained)?;
    let page = page(prepared, trained, &pictures).to_html();
    let Pictures { with_feedback, open_loop } = pictures;
    let results = serde_json::to_string_pretty(&trained.results).map_err(Error::Json)? + "\n";
    let contents = [trained.policy_text.clone().into_bytes(), results.into_bytes(), with_feedback, open_loop];
    let mut files: Vec<(String, Vec<u8>)> =
        FILES.iter().zip(contents).map(|((name, _), bytes)| ((*name).to_owned(), bytes)).collect();
    files.push(("feedback.html".into(), page.into_bytes()));
    Ok(files)
}
