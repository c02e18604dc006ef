//! The points of a front of jumps, with the columns of tables 2 and 3 of Agrawal & van de Panne 2013.

use super::data::{FrontPoint, FrontView, Quantity};
use super::motion::Motion;

/// A jump on the front between height and effort.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jump {
    /// Name, such as `sample 3`.
    pub label: String,
    /// Highest place of the head, metres.
    pub height_m: f64,
    /// What is minimised: the logarithm of weighted effort and assist, `log(w_JE·e_JE + w_SE·e_SE)`.
    pub cost: f64,
    /// Weighted sum of squared joint torques, `e_JE`.
    pub internal_effort: f64,
    /// Gravity at take-off, m/s²; -9.8 without help.
    pub takeoff_gravity: f64,
    /// Time until gravity is back to normal, seconds; 0 without help.
    pub assist_secs: f64,
    /// Whether any external force was used.
    pub is_assisted: bool,
    /// The jump, to be played.
    pub motion: Option<Motion>,
}

impl Jump {
    /// The plot and the columns of a front of jumps: height to the right, cost upwards. More quantities may be pushed,
    /// with a value in every point for each.
    pub fn view() -> FrontView {
        FrontView {
            quantities: vec![
                Quantity::new("height", "m", 3),
                Quantity::new("log effort", "", 3),
                Quantity::new("internal effort", "", 3),
                Quantity::new("take-off gravity", "m/s²", 3),
                Quantity::new("assist time", "s", 3),
            ],
            x: 0,
            y: 1,
            color: None,
            kinds: ["natural".to_owned(), "supernatural".to_owned()],
        }
    }
}

impl From<Jump> for FrontPoint {
    fn from(jump: Jump) -> Self {
        let values = vec![jump.height_m, jump.cost, jump.internal_effort, jump.takeoff_gravity, jump.assist_secs];
        Self { label: jump.label, values, is_assisted: jump.is_assisted, motion: jump.motion }
    }
}
