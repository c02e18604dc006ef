//! A finished front and its file.

use crate::config::Method;
use crate::controller::Controller;
use crate::error::ParetoError;
use crate::jumper::GRAVITY;
use crate::objectives::{Jump, Objectives};
use crate::search::Search;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the layout.
const VERSION: u32 = 1;
/// Largest file of a front, bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Jumps none of which is better than another in everything, the lowest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Front {
    /// Version of the layout.
    pub version: u32,
    /// Algorithm.
    pub method: Method,
    /// 2: effort and height; 3: also the distance of the landing.
    pub objective_count: usize,
    /// Seed.
    pub seed: u64,
    /// Jumps tried.
    pub evaluations: usize,
    /// Hypervolume of the points below [`crate::search::REFERENCE`].
    pub hypervolume: f64,
    /// The jumps.
    pub points: Vec<FrontPoint>,
}

/// One jump of a front.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrontPoint {
    /// Greatest height of the top of the head, m.
    pub height: f64,
    /// `w_JE e_JE`, the paper's internal energy metric.
    pub effort: f64,
    /// `w_SE e_SE`; exactly 0 for a natural jump.
    pub assist: f64,
    /// Gravity at take-off, m/s².
    pub take_off_gravity: f64,
    /// Time in which gravity grew back, s; 0 for a natural jump.
    pub assist_secs: f64,
    /// Where it landed, from where it began, m.
    pub landing: f64,
    /// Time in the air, s.
    pub flight_secs: f64,
    /// The controller's 34 numbers, in the order of [`crate::parameters::TABLE`].
    pub parameters: Vec<f64>,
}

impl FrontPoint {
    /// Whether no outer force helped.
    pub fn is_natural(&self) -> bool {
        self.assist == 0.0
    }
    /// The controller.
    ///
    /// # Errors
    /// Where the parameters are not 34 finite numbers.
    pub fn controller(&self) -> Result<Controller, ParetoError> {
        Ok(Controller::new(&self.parameters)?)
    }
    /// `log(w_JE e_JE + w_SE e_SE)`.
    pub fn price(&self) -> f64 {
        libm::log(self.effort + self.assist)
    }
    /// A controller and what its jump came to.
    pub fn new(controller: &Controller, jump: &Jump, objectives: &Objectives) -> FrontPoint {
        let assist = controller.assist();
        let Objectives { effort_weight, assist_ratio, .. } = objectives;
        FrontPoint {
            height: jump.height,
            effort: effort_weight * jump.effort,
            assist: effort_weight * assist_ratio * jump.assist,
            take_off_gravity: assist.reduction - GRAVITY,
            assist_secs: assist.duration_secs,
            landing: jump.landing,
            flight_secs: jump.flight_secs,
            parameters: controller.values().to_vec(),
        }
    }
}

impl Front {
    /// The front of a search so far.
    pub fn of(search: &Search) -> Front {
        let config = search.config();
        Front {
            version: VERSION,
            method: config.method,
            objective_count: config.objective_count,
            seed: config.seed,
            evaluations: search.evaluations(),
            hypervolume: search.front_hypervolume(),
            points: search
                .front()
                .iter()
                .map(|entry| FrontPoint::new(&entry.controller, &entry.jump, &config.objectives))
                .collect(),
        }
    }

    /// The front that comes with the crate: the method rmoo at the default budget.
    pub fn embedded() -> Front {
        Front::from_json(include_str!("../assets/front.json"))
            .expect("the embedded front is valid, which a test checks")
    }

    /// Greatest height without help, m; none where all are helped.
    pub fn highest_natural(&self) -> Option<f64> {
        self.points.iter().filter(|point| point.is_natural()).map(|point| point.height).reduce(f64::max)
    }

    /// The text of its file.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).map_or_else(|_| String::new(), |text| text + "\n")
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// Where it is not of this layout.
    pub fn from_json(text: &str) -> Result<Front, ParetoError> {
        let wrong = |problem: String| ParetoError::Front { path: "front.json".into(), problem };
        let front: Front = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if front.version != VERSION {
            return Err(wrong(format!("it has version {}, but {VERSION} is read here", front.version)));
        }
        if front.points.is_empty() {
            return Err(wrong("it has no points".into()));
        }
        front.points.iter().try_for_each(|point| point.controller().map(|_| ()))?;
        Ok(front)
    }

    /// Reads `front.json` in a folder, or the file itself.
    ///
    /// # Errors
    /// Where it cannot be read or is no front.
    pub fn read(path: &Path) -> Result<Front, ParetoError> {
        let path = if path.is_dir() { path.join("front.json") } else { path.to_path_buf() };
        let name = path.display().to_string();
        let wrong = |problem: String| ParetoError::Front { path: name.clone(), problem };
        let text = sinew_files::read_text(&path, MAX_FILE_BYTES).map_err(|error| wrong(error.reason()))?;
        Front::from_json(&text).map_err(|error| match error {
            ParetoError::Front { problem, .. } => wrong(problem),
            other => wrong(other.to_string()),
        })
    }

    /// The front as a table of comma-separated values.
    pub fn to_csv(&self) -> String {
        let mut text =
            String::from("point,height_m,effort,assist,take_off_gravity,assist_secs,landing_m,flight_secs,natural\n");
        for (index, point) in self.points.iter().enumerate() {
            let FrontPoint { height, effort, assist, take_off_gravity, assist_secs, landing, flight_secs, .. } = point;
            text += &format!(
                "{index},{height},{effort},{assist},{take_off_gravity},{assist_secs},{landing},{flight_secs},{}\n",
                point.is_natural()
            );
        }
        text
    }
}
