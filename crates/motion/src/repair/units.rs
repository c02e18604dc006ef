//! Decides how many metres are in one unit of the file.

use super::names::is_humanoid;
use super::source::Source;
use super::tree::{Tree, extent, size};
use super::up_axis::axis;
use crate::raw::RawRig;
use crate::{ImportOptions, ReadError, Report, Up};

/// Units that files are written in, with their names.
const UNITS: [(f64, &str); 7] = [
    (1.0, "metres"),
    (0.1, "decimetres"),
    (0.01, "centimetres"),
    (0.001, "millimetres"),
    (0.0254, "inches"),
    (0.3048, "feet"),
    (CMU_UNIT, "units of the CMU motion-capture database, 5.64 cm"),
];
/// Unit of the CMU database's BVH conversion: an inch scaled by 0.45, 2.54 cm / 0.45.
const CMU_UNIT: f64 = 0.0254 / 0.45;
/// Joints that only the CMU database's BVH conversion has together.
const CMU_JOINTS: [&str; 3] = ["LowerBack", "Neck1", "LeftHandIndex1"];
/// Heights, m, at which a declared unit is believed: people, and any creature.
const BELIEVED_HUMAN: [f64; 2] = [0.8, 3.0];
const BELIEVED_ANY: [f64; 2] = [0.2, 6.0];
/// Heights, m, that let a unit be guessed.
const HUMAN: [f64; 2] = [1.2, 2.3];
const USUAL_HUMAN_HEIGHT: f64 = 1.7;
const USUAL_OTHER_HEIGHT: f64 = 1.0;

/// Metres in a unit: the scale given; else from the height given; else what the file declares where the size is plausible; else the
/// usual unit that makes a human of plausible height; else whatever makes the character of usual height.
pub(super) fn choose(
    raw: &RawRig,
    tree: &Tree,
    source: &Source,
    up: Up,
    options: &ImportOptions,
    file: &str,
    report: &mut Report,
) -> Result<f64, ReadError> {
    let standing = extent(tree, source, axis(up));
    // What lies flat (a snake) is measured by its length.
    let largest = size(tree, source);
    let height = if standing > 0.1 * largest { standing } else { largest };
    let (unit, sentence) = if let Some(scale) = options.scale {
        (scale, format!("One unit is {scale} m, as given: the character is {} tall.", metres(scale * height)))
    } else if let Some(wanted) = options.height {
        if height <= 0.0 {
            let message =
                "the bind pose has no height, so that a height cannot decide the scale; give the scale instead";
            return Err(ReadError::content(file, message));
        }
        let unit = wanted / height;
        (unit, format!("One unit is {unit:.4} m, so that the character is {} tall, as given.", metres(wanted)))
    } else {
        guess(raw, tree, height)
    };
    if !(unit.is_finite() && unit > 0.0) {
        return Err(ReadError::content(file, "the character has no sensible size; give the scale or the height"));
    }
    report.unit = sentence;
    Ok(unit)
}

fn guess(raw: &RawRig, tree: &Tree, height: f64) -> (f64, String) {
    let humanoid = is_humanoid(tree.joints().map(|j| tree.words[j].as_slice()));
    let within = |range: [f64; 2], height: f64| height >= range[0] && height <= range[1];
    let declared = raw.metres_per_unit.filter(|m| m.is_finite() && *m > 0.0);
    if height <= 0.0 {
        let unit = declared.unwrap_or(1.0);
        return (unit, format!("One unit is {unit} m: the bind pose has no height to judge it by."));
    }
    if let Some(unit) = declared {
        let believed = if humanoid { BELIEVED_HUMAN } else { BELIEVED_ANY };
        if within(believed, unit * height) {
            return (
                unit,
                format!("One unit is {unit} m, as the file says: the character is {} tall.", metres(unit * height)),
            );
        }
    }
    let why_not = declared.map_or(String::new(), |unit| {
        format!(" (the file says {unit} m a unit, which would make it {} tall)", metres(unit * height))
    });

    // The unit that comes nearest to the usual height, as a ratio.
    let usual = if humanoid { USUAL_HUMAN_HEIGHT } else { USUAL_OTHER_HEIGHT };
    let plausible = |unit: f64| within(if humanoid { HUMAN } else { BELIEVED_ANY }, unit * height);
    let off = |unit: f64| libm::fabs(libm::log(unit * height / usual));
    let candidates = candidates(tree, declared, humanoid);
    let best = candidates.into_iter().filter(|&unit| plausible(unit)).min_by(|a, b| off(*a).total_cmp(&off(*b)));
    if let Some(unit) = best {
        let known = UNITS.iter().find(|(known, _)| libm::fabs(known / unit - 1.0) < 1e-9);
        let name = known.map_or(format!("units of {unit} m"), |(_, name)| name.to_string());
        let tall = metres(unit * height);
        return (unit, format!("The file is taken to be in {name}: the character is then {tall} tall{why_not}."));
    }
    let unit = usual / height;
    let kind = if humanoid { "person" } else { "creature" };
    let sentence = format!(
        "No usual unit gives this {kind} a plausible size{why_not}: it was made {} tall; give a height to change that.",
        metres(usual)
    );
    (unit, sentence)
}

/// Units to try. A file that declares one is off by a power of ten at most (for creatures, which have no usual size, by a hundred or more).
/// A skeleton of the CMU database is known by its joints.
fn candidates(tree: &Tree, declared: Option<f64>, humanoid: bool) -> Vec<f64> {
    let has = |name: &str| tree.names.iter().any(|n| n == name);
    if declared.is_none() && CMU_JOINTS.iter().all(|name| has(name)) {
        return vec![CMU_UNIT];
    }
    match declared {
        Some(unit) if humanoid => [1e-3, 1e-2, 0.1, 10.0, 100.0, 1e3].map(|factor| factor * unit).to_vec(),
        Some(unit) => [1e-3, 1e-2, 100.0, 1e3].map(|factor| factor * unit).to_vec(),
        None if humanoid => UNITS.map(|(unit, _)| unit).to_vec(),
        None => vec![1.0, 0.01, 0.001],
    }
}

fn metres(height: f64) -> String {
    format!("{height:.2} m")
}
