//! Checks on single fields that characters and scenes share: names, numbers, sizes, orientations.

use std::collections::HashSet;

/// Lightest and heaviest body, kg.
const MASS_RANGE: [f64; 2] = [1e-6, 1e6];
/// Smallest and largest radius or half extent, m.
pub(crate) const SIZE_RANGE: [f64; 2] = [1e-4, 100.0];
/// Largest coordinate of a point in its body's or its parent's frame, m.
pub(crate) const LARGEST_OFFSET: f64 = 100.0;
/// How far the length of a quaternion may be from one.
const QUATERNION_TOLERANCE: f64 = 1e-3;

/// A field whose value cannot be used, whatever the rest of the description says.
///
/// `place` is the entry that holds the field, such as `body "shin_l"`.
#[derive(thiserror::Error, Debug, Clone, PartialEq)]
pub enum FieldError {
    /// A name that is empty, or cannot stand in a scene path or an XML file.
    #[error("{place}: name {problem}; {remedy}")]
    Name {
        /// Entry.
        place: String,
        /// What is wrong with the name.
        problem: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// Two entries with one name.
    #[error("{place}: name is used twice; give each {kind} a name of its own")]
    DuplicateName {
        /// Entry.
        place: String,
        /// Kind of entry.
        kind: &'static str,
    },
    /// Infinite, or not a number.
    #[error("{place}: {field} is {}, but must be a finite number; write a plain number", shown(*.value))]
    NotFinite {
        /// Entry.
        place: String,
        /// Field.
        field: String,
        /// Its value.
        value: f64,
    },
    /// Outside what can be simulated.
    #[error("{place}: {field} is {}{unit}, but must be {bounds}; {remedy}", shown(*.value))]
    OutOfRange {
        /// Entry.
        place: String,
        /// Field.
        field: String,
        /// Its value.
        value: f64,
        /// Unit with a space before it, or nothing.
        unit: &'static str,
        /// What is allowed.
        bounds: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A quaternion that is not of unit length.
    #[error(
        "{place}: {field} is a quaternion of length {}, but its length must be 1; \
         divide its four numbers by their length, or leave {field} out for no turn",
        shown(*.length)
    )]
    Quaternion {
        /// Entry.
        place: String,
        /// Field.
        field: String,
        /// Its length.
        length: f64,
    },
}

/// A number as a person would write it in the file.
pub(super) fn shown(x: f64) -> String {
    if x.is_nan() {
        "nan".into()
    } else if x == 0.0 || !x.is_finite() || (1e-4..1e7).contains(&x.abs()) {
        format!("{x}")
    } else {
        format!("{x:e}")
    }
}

/// The entry that messages are about, such as `body "shin_l"`; one without a name goes by its number.
pub(super) fn place(kind: &str, name: &str, index: usize) -> String {
    if name.is_empty() { format!("{kind} number {}", index + 1) } else { format!("{kind} {name:?}") }
}

/// Names go into scene paths (`character/body`) and XML attributes.
pub(super) fn check_name(place: &str, name: &str) -> Result<(), FieldError> {
    let (problem, remedy) = if name.is_empty() {
        ("is empty", "give it a name")
    } else if name.trim().is_empty() {
        ("is only white space", "give it a name with letters or digits")
    } else if name.chars().any(char::is_control) {
        ("holds a control character such as a tab or a line break", "remove it")
    } else if name.contains('/') {
        ("holds '/', which separates a character from its body in a scene", "use '_' or '.' instead")
    } else if name.contains(['"', '\'']) {
        ("holds a quotation mark", "remove it")
    } else if name.trim() != name {
        ("begins or ends with white space", "remove the white space")
    } else if name.len() > 256 {
        ("is longer than 256 bytes", "shorten it")
    } else {
        return Ok(());
    };
    Err(FieldError::Name { place: place.into(), problem, remedy })
}

/// Every name well formed and used once.
pub(super) fn check_names<'a>(kind: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), FieldError> {
    let mut seen = HashSet::new();
    for (index, name) in names.enumerate() {
        let place = place(kind, name, index);
        check_name(&place, name)?;
        if !seen.insert(name) {
            return Err(FieldError::DuplicateName { place, kind });
        }
    }
    Ok(())
}

/// What a number must lie within, both ends included, and what to do otherwise.
pub(super) struct Range {
    pub low: f64,
    pub high: f64,
    pub unit: &'static str,
    pub remedy: &'static str,
}

pub(super) fn check_range(place: &str, field: &str, value: f64, range: &Range) -> Result<(), FieldError> {
    check_finite(place, field, value)?;
    if (range.low..=range.high).contains(&value) {
        return Ok(());
    }
    let (place, field, unit) = (place.into(), field.into(), range.unit);
    let bounds = format!("between {} and {}{unit}", shown(range.low), shown(range.high));
    Err(FieldError::OutOfRange { place, field, value, unit, bounds, remedy: range.remedy })
}

pub(super) fn check_finite(place: &str, field: &str, value: f64) -> Result<(), FieldError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(FieldError::NotFinite { place: place.into(), field: field.into(), value })
}

/// Positive, with a message that says so, and within `range`.
pub(super) fn check_positive(place: &str, field: &str, value: f64, range: &Range) -> Result<(), FieldError> {
    if value <= 0.0 && value.is_finite() {
        let (place, field, unit, bounds) = (place.into(), field.into(), range.unit, "greater than 0".into());
        return Err(FieldError::OutOfRange { place, field, value, unit, bounds, remedy: range.remedy });
    }
    check_range(place, field, value, range)
}

pub(super) fn check_mass(place: &str, mass: f64) -> Result<(), FieldError> {
    let [low, high] = MASS_RANGE;
    let remedy = "give a positive mass in kilograms";
    check_positive(place, "mass", mass, &Range { low, high, unit: " kg", remedy })
}

/// A radius or half extent.
pub(super) fn check_size(place: &str, field: &str, value: f64, largest: f64) -> Result<(), FieldError> {
    let remedy = "give a positive size in metres";
    check_positive(place, field, value, &Range { low: SIZE_RANGE[0], high: largest, unit: " m", remedy })
}

/// Each of three half extents.
pub(super) fn check_sizes(place: &str, field: &str, values: &[f64; 3], largest: f64) -> Result<(), FieldError> {
    values.iter().enumerate().try_for_each(|(i, &value)| check_size(place, &format!("{field}[{i}]"), value, largest))
}

/// Each coordinate finite and not absurdly far out.
pub(super) fn check_point(place: &str, field: &str, point: &[f64; 3], largest: f64) -> Result<(), FieldError> {
    let range = Range { low: -largest, high: largest, unit: " m", remedy: "give coordinates in metres" };
    point.iter().enumerate().try_for_each(|(i, &x)| check_range(place, &format!("{field}[{i}]"), x, &range))
}

/// Finite and of unit length within a thousandth.
pub(super) fn check_quaternion(place: &str, field: &str, q: &[f64; 4]) -> Result<(), FieldError> {
    q.iter().enumerate().try_for_each(|(i, &x)| check_finite(place, &format!("{field}[{i}]"), x))?;
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if (length - 1.0).abs() <= QUATERNION_TOLERANCE {
        return Ok(());
    }
    Err(FieldError::Quaternion { place: place.into(), field: field.into(), length })
}
