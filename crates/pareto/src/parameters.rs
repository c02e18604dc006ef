//! The 34 free parameters of a jump: names, units, bounds.
//!
//! Target angles of hips, knees, abdomen, back, shoulders and elbows for five phases, of the ankles for two, and the two numbers of the
//! assist (Agrawal & van de Panne 2013, section 3). Standing, the first phase, is the same for all.

/// How many parameters there are.
pub const PARAMETERS: usize = 34;

/// Phases of a jump that have parameters, in their order.
pub const PHASES: [&str; 5] = ["crouch", "take_off", "rise", "fall", "land"];

/// Joints with a target, in the order of [`crate::phases::Pose`].
pub const JOINTS: [&str; 7] = ["hips", "knees", "ankles", "abdomen", "back", "shoulders", "elbows"];

/// One parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Table of the controller's file: a phase, or `assist`.
    pub table: &'static str,
    /// Key in that table.
    pub key: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Smallest value.
    pub lower: f64,
    /// Largest value.
    pub upper: f64,
    /// What a step of 1 of an optimiser means, in the unit.
    pub scale: f64,
    /// What it says.
    pub meaning: &'static str,
}

const PELVIS: &str = "pitch of the pelvis in the world, forward is positive";
const THIGH: &str = "thigh against pelvis, forward is negative";
const PLACE: &str = "pitch of the leg beyond the one that inverse kinematics asks for";
const KNEE: &str = "flexion; below 0 drives the extension harder than the stop allows";
const ABDOMEN: &str = "abdomen against pelvis, forward is positive";
const CHEST: &str = "pitch of the chest in the world, forward is positive";
const ARM: &str = "upper arm against chest, forward is negative";
const ELBOW: &str = "forearm against upper arm, bent is negative";
const FOOT: &str = "pitch of the foot in the world, toes down is positive";

const fn angle(table: &'static str, key: &'static str, lower: f64, upper: f64, meaning: &'static str) -> Parameter {
    Parameter { table, key, unit: "rad", lower, upper, scale: 1.0, meaning }
}

/// All parameters, in the order of a controller's numbers.
#[rustfmt::skip]
pub const TABLE: [Parameter; PARAMETERS] = [
    angle("crouch", "hips", -0.20, 0.60, PELVIS),
    angle("crouch", "knees", 0.15, 2.00, KNEE),
    angle("crouch", "abdomen", -0.20, 0.50, ABDOMEN),
    angle("crouch", "back", -0.20, 0.85, CHEST),
    angle("crouch", "shoulders", 0.00, 0.90, ARM),
    angle("crouch", "elbows", -1.60, -0.05, ELBOW),
    angle("take_off", "hips", -0.30, 0.50, PELVIS),
    angle("take_off", "knees", -0.60, 1.00, KNEE),
    angle("take_off", "ankles", 0.00, 1.40, FOOT),
    angle("take_off", "abdomen", -0.30, 0.40, ABDOMEN),
    angle("take_off", "back", -0.30, 0.60, CHEST),
    angle("take_off", "shoulders", -3.00, -0.60, ARM),
    angle("take_off", "elbows", -1.60, -0.05, ELBOW),
    angle("rise", "hips", -1.20, 0.20, THIGH),
    angle("rise", "knees", 0.05, 1.40, KNEE),
    angle("rise", "ankles", 0.00, 1.00, FOOT),
    angle("rise", "abdomen", -0.20, 0.40, ABDOMEN),
    angle("rise", "back", -0.30, 0.60, CHEST),
    angle("rise", "shoulders", -3.00, -0.30, ARM),
    angle("rise", "elbows", -1.60, -0.05, ELBOW),
    angle("fall", "hips", -0.50, 0.50, PLACE),
    angle("fall", "knees", 0.35, 1.20, KNEE),
    angle("fall", "abdomen", -0.20, 0.40, ABDOMEN),
    angle("fall", "back", -0.30, 0.60, CHEST),
    angle("fall", "shoulders", -2.50, 0.60, ARM),
    angle("fall", "elbows", -1.60, -0.05, ELBOW),
    angle("land", "hips", -0.20, 0.90, PELVIS),
    angle("land", "knees", 0.50, 1.60, KNEE),
    angle("land", "abdomen", -0.20, 0.50, ABDOMEN),
    angle("land", "back", -0.20, 1.00, CHEST),
    angle("land", "shoulders", -1.80, 0.60, ARM),
    angle("land", "elbows", -1.60, -0.05, ELBOW),
    Parameter {
        table: "assist", key: "gravity_reduction", unit: "m/s²", lower: 0.0, upper: 13.0, scale: 10.0,
        meaning: "by how much gravity is less at take-off; 0: a natural jump",
    },
    Parameter {
        table: "assist", key: "duration", unit: "s", lower: 0.0, upper: 0.8, scale: 1.0,
        meaning: "time in which gravity grows back; 0: a natural jump",
    },
];

/// Index of the parameter that takes gravity away.
pub const GRAVITY_REDUCTION: usize = 32;
/// Index of the parameter that says for how long.
pub const ASSIST_DURATION: usize = 33;

impl Parameter {
    /// `crouch.knees`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.table, self.key)
    }
}

/// Index of the parameter of a phase and a joint; none where the joint is not free in that phase.
pub fn index_of(phase: &str, joint: &str) -> Option<usize> {
    TABLE.iter().position(|parameter| parameter.table == phase && parameter.key == joint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_the_papers_34() {
        for phase in PHASES {
            let free = JOINTS.iter().filter(|joint| index_of(phase, joint).is_some()).count();
            assert_eq!(free, if ["take_off", "rise"].contains(&phase) { 7 } else { 6 }, "{phase}");
        }
        assert_eq!((TABLE[GRAVITY_REDUCTION].key, TABLE[ASSIST_DURATION].key), ("gravity_reduction", "duration"));
        assert!(TABLE.iter().all(|parameter| parameter.lower < parameter.upper && parameter.scale > 0.0));
    }
}
