//! Figures of fidelity and the verdict of transferred motions, one JSON object a line: what `scripts/verdicts.py` compares with what people say.
//!
//! ```text
//! cargo run --release -p sinew --example fidelity -- RESULT_FOLDER...
//! ```

use sinew::transfer::{Fidelity, Judgement, Metrics, replay};
use std::path::PathBuf;

fn main() {
    for folder in std::env::args_os().skip(1).map(PathBuf::from) {
        match replay(&folder, None) {
            Ok(it) => {
                let fidelity = Fidelity::new(&it.target, &it.run, &Metrics::new(&it.target, &it.run));
                let fell = it.run.fell_at.is_some();
                let judgement = Judgement::new(&fidelity, fell);
                let found =
                    serde_json::json!({ "folder": folder, "fell": fell, "judgement": judgement, "fidelity": fidelity });
                println!("{found}");
            }
            Err(error) => eprintln!("{}: {error}", folder.display()),
        }
    }
}
