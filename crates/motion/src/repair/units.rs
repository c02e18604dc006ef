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
/// Units of the decimal system; those that creatures of any size are modelled in.
const DECIMAL: [f64; 4] = [1.0, 0.1, 0.01, 0.001];
const SMALL: [f64; 2] = [0.01, 0.001];
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

    // Humans: the unit nearest to the usual height, as a ratio. Others, and files that declare a unit: powers of ten alone, as
    // exporters forget those.
    let usual = if humanoid { USUAL_HUMAN_HEIGHT } else { USUAL_OTHER_HEIGHT };
    let fits = |unit: f64| {
        let plausible = within(if humanoid { HUMAN } else { BELIEVED_ANY }, unit * height);
        let likely = if humanoid { declared.is_none() || DECIMAL.contains(&unit) } else { SMALL.contains(&unit) };
        plausible && likely
    };
    let off = |unit: f64| libm::fabs(libm::log(unit * height / usual));
    let best = UNITS.iter().filter(|(unit, _)| fits(*unit)).min_by(|a, b| off(a.0).total_cmp(&off(b.0)));
    if let Some(&(unit, name)) = best {
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

fn metres(height: f64) -> String {
    format!("{height:.2} m")
}
