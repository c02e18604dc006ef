//! One jump as 34 numbers, and its readable file.

use crate::parameters::{ASSIST_DURATION, GRAVITY_REDUCTION, PARAMETERS, Parameter, TABLE};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Least reduction of gravity of a jump that is helped, m/s².
///
/// The price of help grows with its square, so that a very little of it would be worth having in every jump; from this step on it must pay.
pub const LEAST_REDUCTION: f64 = 0.5;
/// Least time in which gravity grows back, s.
pub const LEAST_DURATION_SECS: f64 = 0.05;

/// Half the band of an optimiser's coordinate in which there is no help.
const DEAD_BAND: f64 = 0.03;
/// Table of the parameters of help.
const ASSIST: &str = "assist";

/// Largest controller file, bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The free parameters of a jump, in the order of [`TABLE`], each within its bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Controller {
    values: Vec<f64>,
}

/// Gravity reduced at take-off, growing linearly back: `g(t) = g + reduction·(1 − t / duration)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Assist {
    /// Reduction at take-off, m/s²; 0 for a natural jump.
    pub reduction: f64,
    /// Time in which it vanishes, s; 0 for a natural jump.
    pub duration_secs: f64,
}

/// What is wrong with a controller.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the sentences say it")]
pub enum ControllerError {
    #[error("controller {path}: cannot be read: {problem}; check the path")]
    Read { path: String, problem: String },
    #[error("controller {path}: {problem}")]
    InFile { path: String, problem: Box<ControllerError> },
    #[error("is not TOML of a controller: {0}; take a file that sinew pareto has written")]
    Syntax(String),
    #[error("{0} is missing; add it")]
    Missing(String),
    #[error("{0} is no parameter of a jump; remove it")]
    Unknown(String),
    #[error("{name} is {value}, but must be a number from {lower} to {upper} {unit}")]
    Value { name: String, value: String, lower: f64, upper: f64, unit: &'static str },
    #[error("{0} numbers were given, but a jump has 34 parameters")]
    Count(usize),
}

impl Controller {
    /// A controller of 34 numbers; each is moved to the nearest bound where it lies outside.
    ///
    /// # Errors
    /// Where they are not 34 finite numbers.
    pub fn new(values: &[f64]) -> Result<Controller, ControllerError> {
        if values.len() != PARAMETERS {
            return Err(ControllerError::Count(values.len()));
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(out_of_bounds(index, values[index].to_string()));
        }
        let inside = values.iter().zip(&TABLE).map(|(value, parameter)| value.clamp(parameter.lower, parameter.upper));
        let mut values: Vec<f64> = inside.collect();
        // One half of the assist alone is none, also in blends.
        if values[GRAVITY_REDUCTION] <= 0.0 || values[ASSIST_DURATION] <= 0.0 {
            (values[GRAVITY_REDUCTION], values[ASSIST_DURATION]) = (0.0, 0.0);
        }
        Ok(Controller { values })
    }

    /// From the coordinates of an optimiser, in which a step of 1 is each parameter's scale.
    ///
    /// A coordinate x of the assist stands for `max(|x| − 0.03, 0)`: none at all in a band, on both sides of which there is some. With a bound at
    /// zero instead, natural jumps would drift beyond it, where no step brings help back.
    ///
    /// # Errors
    /// As [`Controller::new`].
    pub fn from_scaled(point: &[f64]) -> Result<Controller, ControllerError> {
        let value = |(x, parameter): (&f64, &Parameter)| match parameter.table == ASSIST {
            true => folded((x.abs() - DEAD_BAND).max(0.0) * parameter.scale, parameter.upper),
            false => x * parameter.scale,
        };
        Controller::new(&point.iter().zip(&TABLE).map(value).collect::<Vec<f64>>())
    }

    /// The coordinates of an optimiser.
    pub fn scaled(&self) -> Vec<f64> {
        let coordinate = |(value, parameter): (&f64, &Parameter)| match parameter.table == ASSIST && *value > 0.0 {
            true => value / parameter.scale + DEAD_BAND,
            false => value / parameter.scale,
        };
        self.values.iter().zip(&TABLE).map(coordinate).collect()
    }

    /// The numbers, in the order of [`TABLE`].
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The help that it gets: exactly none where one of the two parameters is 0, else at least the least of both.
    pub fn assist(&self) -> Assist {
        let (reduction, duration) = (self.values[GRAVITY_REDUCTION], self.values[ASSIST_DURATION]);
        if reduction <= 0.0 || duration <= 0.0 {
            return Assist::default();
        }
        Assist { reduction: reduction.max(LEAST_REDUCTION), duration_secs: duration.max(LEAST_DURATION_SECS) }
    }

    /// The jump between two: `(1 − share)·self + share·other`; natural where both are.
    pub fn blend(&self, other: &Controller, share: f64) -> Controller {
        let pairs = self.values.iter().zip(&other.values);
        Controller { values: pairs.map(|(a, b)| a + share * (b - a)).collect() }
    }

    /// The text of its file; [`Controller::from_toml`] gives back the same bits. `head` lines become comments.
    pub fn to_toml(&self, head: &[String]) -> String {
        let mut text: String = head.iter().map(|line| format!("# {line}\n")).collect();
        let mut table = "";
        for (value, parameter) in self.values.iter().zip(&TABLE) {
            if parameter.table != table {
                table = parameter.table;
                text += &format!("\n[{table}]\n");
            }
            text += &format!("{} = {value:?} # {}: {}\n", parameter.key, parameter.unit, parameter.meaning);
        }
        text
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// Where a parameter is missing, unknown or out of its bounds.
    pub fn from_toml(text: &str) -> Result<Controller, ControllerError> {
        let file: toml::Table =
            toml::from_str(text).map_err(|error| ControllerError::Syntax(error.message().replace('\n', " ")))?;
        for (table, keys) in &file {
            let keys = keys.as_table().ok_or_else(|| ControllerError::Unknown(table.clone()))?;
            for key in keys.keys() {
                if !TABLE.iter().any(|parameter| parameter.table == table && parameter.key == key) {
                    return Err(ControllerError::Unknown(format!("{table}.{key}")));
                }
            }
        }
        let mut values = Vec::with_capacity(PARAMETERS);
        for (index, parameter) in TABLE.iter().enumerate() {
            let found = file.get(parameter.table).and_then(|table| table.get(parameter.key));
            let found = found.ok_or_else(|| ControllerError::Missing(parameter.name()))?;
            let value = found.as_float().or_else(|| found.as_integer().map(|whole| whole as f64));
            match value.filter(|value| (parameter.lower..=parameter.upper).contains(value)) {
                Some(value) => values.push(value),
                None => return Err(out_of_bounds(index, found.to_string())),
            }
        }
        Controller::new(&values)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Where it cannot be read or is no controller.
    pub fn read(path: &Path) -> Result<Controller, ControllerError> {
        let path_text = path.display().to_string();
        let unread = |problem: String| ControllerError::Read { path: path_text.clone(), problem };
        let text = sinew_files::read_text(path, MAX_FILE_BYTES).map_err(|error| unread(error.reason()))?;
        let in_file = |problem| ControllerError::InFile { path: path_text.clone(), problem: Box::new(problem) };
        Controller::from_toml(&text).map_err(in_file)
    }

    /// The hand-made low jump that searches start from.
    pub fn seed() -> Controller {
        Controller::from_toml(include_str!("../assets/seed.toml"))
            .expect("the embedded seed is valid, which a test checks")
    }
}

/// Bounds of the coordinates of an optimiser.
pub fn scaled_bounds() -> Vec<[f64; 2]> {
    let bounds = |parameter: &Parameter| {
        let [lower, upper] = [parameter.lower / parameter.scale, parameter.upper / parameter.scale];
        // Help turns back at its upper bound: see `folded`.
        if parameter.table == ASSIST { [-2.0 * upper - DEAD_BAND, 2.0 * upper + DEAD_BAND] } else { [lower, upper] }
    };
    TABLE.iter().map(bounds).collect()
}

/// A value of at most twice its upper bound, turned back at the bound: beyond it an optimiser that drifts comes to less help again, and does not stay at the most.
fn folded(value: f64, upper: f64) -> f64 {
    if value > upper { (2.0 * upper - value).max(0.0) } else { value }
}

fn out_of_bounds(index: usize, value: String) -> ControllerError {
    let parameter = &TABLE[index];
    ControllerError::Value {
        name: parameter.name(),
        value,
        lower: parameter.lower,
        upper: parameter.upper,
        unit: parameter.unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_turns_back_at_its_bound() {
        let mut point = Controller::seed().scaled();
        let at = |point: &mut Vec<f64>, x: f64| {
            (point[GRAVITY_REDUCTION], point[ASSIST_DURATION]) = (x + DEAD_BAND, 0.3 + DEAD_BAND);
            Controller::from_scaled(point).expect("finite").assist().reduction
        };
        // The scale is 10 m/s², the bound 13 m/s².
        for (x, reduction) in [(1.2, 12.0), (1.3, 13.0), (1.4, 12.0), (2.5, 1.0), (2.7, 0.0), (-1.36, 13.0)] {
            assert!((at(&mut point, x) - reduction).abs() < 1e-9, "{x}: {}", at(&mut point, x));
        }
        let [lower, upper] = scaled_bounds()[GRAVITY_REDUCTION];
        assert!((upper - 2.6 - DEAD_BAND).abs() < 1e-12 && lower == -upper);
    }

    #[test]
    fn a_file_gives_back_the_same_bits() {
        let mut values = Controller::seed().values().to_vec();
        values.iter_mut().zip(&TABLE).for_each(|(value, p)| *value = p.lower + (p.upper - p.lower) / 3.0);
        let controller = Controller::new(&values).unwrap();
        let text = controller.to_toml(&["a jump".into()]);
        assert_eq!(Controller::from_toml(&text).unwrap(), controller);
    }

    #[test]
    fn faults_are_named() {
        let text = Controller::seed().to_toml(&[]);
        let told = |text: &str| Controller::from_toml(text).unwrap_err().to_string();
        assert!(told(&text.replacen("knees", "kneez", 1)).contains("crouch.kneez is no parameter"));
        let cut: String =
            text.lines().filter(|line| !line.starts_with("ankles")).map(|line| format!("{line}\n")).collect();
        assert!(told(&cut).contains("take_off.ankles is missing"));
        assert!(told(&text.replacen("duration = ", "duration = 9", 1)).contains("assist.duration is 9"));
        assert!(told(&text.replacen("duration = ", "duration = nan #", 1)).contains("assist.duration is nan"));
        assert!(told("}{").contains("is not TOML"));
        assert!(Controller::new(&[0.0; 3]).is_err() && Controller::new(&[f64::NAN; 34]).is_err());
    }

    #[test]
    fn help_is_none_or_at_least_the_least() {
        let with = |reduction, duration| {
            let mut values = Controller::seed().values().to_vec();
            (values[GRAVITY_REDUCTION], values[ASSIST_DURATION]) = (reduction, duration);
            values
        };
        let assist = |reduction, duration| Controller::new(&with(reduction, duration)).unwrap().assist();
        assert_eq!(assist(0.0, 0.4), Assist::default());
        let halves = [Controller::new(&with(0.0, 0.4)).unwrap(), Controller::new(&with(3.0, 0.0)).unwrap()];
        assert_eq!(halves[0].blend(&halves[1], 0.5).assist(), Assist::default());
        assert_eq!(assist(3.0, -0.1), Assist::default());
        assert_eq!(assist(1e-9, 1e-9), Assist { reduction: LEAST_REDUCTION, duration_secs: LEAST_DURATION_SECS });
        assert_eq!(assist(3.0, 0.4), Assist { reduction: 3.0, duration_secs: 0.4 });
    }
}
