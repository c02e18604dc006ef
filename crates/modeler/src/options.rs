//! Every constant that decides how a character is made.

use crate::ModelerError;
use serde::{Deserialize, Serialize};
use sinew_motion::Up;

/// Which rules make the bodies and joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Keys-to-Sim 2018, §4, to the letter: one capsule per joint with children, hinges only, the same gains everywhere.
    Paper,
    /// Bodies that follow the skin, joints that follow the clips, feet that stand, gains that fit what they move.
    #[default]
    Default,
}

/// How a character is made; every field has a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelOptions {
    /// Name of the character.
    pub name: String,
    /// Name of the file that the skeleton was read from; only remembered.
    pub source: String,
    /// Metres in one unit of that file, where the character has not the size that the file says; only remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metres_per_unit: Option<f64>,
    /// Axis of that file that points up, where somebody overruled what it says; only remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// Which rules make the bodies and joints.
    pub preset: Preset,
    /// Mass of the whole character, kg. Left out: 50 kg (paper), or volume × density (default).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,

    /// Paper: radius of a capsule over its length (§4.1).
    pub paper_radius_share: f64,
    /// Paper: mass of the whole character, kg (§6).
    pub paper_mass: f64,
    /// Paper: proportional gain, N·m/rad (§6).
    pub paper_kp: f64,
    /// Paper: derivative gain, N·m·s/rad (§6).
    pub paper_kd: f64,
    /// Paper: largest torque, N·m (§6).
    pub paper_torque_limit: f64,

    /// Density of the bodies, kg/m³.
    pub density: f64,
    /// Least that the figure weighs by its volume, in weights of a human of its height.
    pub lightest_build: f64,
    /// Most that an upright figure weighs by its volume, in weights of a human of its height.
    pub heaviest_build: f64,
    /// Most that any other figure weighs so, of the geometric mean of its height and its largest extent.
    pub heaviest_beast: f64,
    /// Largest share of the mass that heads have.
    pub head_share: f64,
    /// Least mass of a neck over all that it carries.
    pub neck_share: f64,
    /// Least mass of a part of a limb over all that hangs on it.
    pub limb_share: f64,
    /// Least mass of all legs together over that of the whole; a human's have a third.
    pub leg_share: f64,
    /// Least mass of a collarbone or shoulder blade over all that hangs on it.
    pub girdle_share: f64,
    /// Least mass of a part of the trunk over all that hangs on it.
    pub trunk_share: f64,
    /// Largest 95th percentile of the angle that a hinge leaves unexplained, rad; above it the joint is a ball.
    pub hinge_residual: f64,
    /// Largest displacement of what a hinge carries by that angle, over the height; above it the joint is a ball.
    pub hinge_end_error: f64,
    /// A joint that turns less than this in all clips does not move, rad.
    pub still_angle: f64,
    /// Smallest margin around the angles of the clips, rad.
    pub limit_margin: f64,
    /// Margin around the angles of the clips over their range.
    pub limit_margin_share: f64,
    /// Bodies of a smaller share of the mass, and shorter than [`Self::tiny_length_share`], join their parent.
    pub tiny_mass_share: f64,
    /// Length over height under which a light body is tiny.
    pub tiny_length_share: f64,
    /// Percentile of the skin's distances from the bone that gives the thickness, 0 to 1.
    pub skin_percentile: f64,
    /// Smallest and largest radius of a limb over its length.
    pub radius_bounds: [f64; 2],
    /// Joints lower than this share of the height carry a sole.
    pub sole_height_share: f64,
    /// How far a foot reaches behind its ankle, over its length before it, where there is no skin.
    pub heel_share: f64,
    /// Width of a foot over its length, where there is no skin.
    pub foot_width_share: f64,
    /// Most that a part gets denser or lighter to bring the centre of mass over the feet, over its density; 0 to 1.
    pub balance: f64,
    /// Natural frequency ω of a driven joint, rad/s: `kp = ω² I`.
    pub drive_frequency: f64,
    /// How many times quicker than `drive_frequency` a small part's joint may be; 1: all alike.
    pub limb_quickening: f64,
    /// Damping ratio ζ of a driven joint: `kd = 2 ζ kp / ω`.
    pub drive_damping: f64,
    /// How many times the stiffness that an inverted pendulum needs a leg has, all its joints together.
    pub support_factor: f64,
    /// Largest angle by which a joint yields to the weight that it bears in the rest pose, rad.
    pub hold_sag: f64,
    /// A joint can give the torque of this error of the PD control, rad.
    pub torque_angle: f64,
    /// A joint can lift what it carries this many times.
    pub strength: f64,
    /// A joint can give this many times the torque that the clips need of it.
    pub demand_margin: f64,
    /// Most that this raises a torque limit, in times of what the other rules give; 1: the clips say nothing.
    pub most_demand: f64,
}

impl Default for ModelOptions {
    fn default() -> Self {
        ModelOptions {
            name: "character".into(),
            source: String::new(),
            metres_per_unit: None,
            up: None,
            preset: Preset::Default,
            mass: None,
            paper_radius_share: 0.10,
            paper_mass: 50.0,
            paper_kp: 500.0,
            paper_kd: 50.0,
            paper_torque_limit: 400.0,
            density: 1000.0,
            lightest_build: 0.35,
            heaviest_build: 1.6,
            heaviest_beast: 2.5,
            head_share: 0.15,
            neck_share: 0.1,
            limb_share: 0.15,
            leg_share: 0.12,
            girdle_share: 0.05,
            trunk_share: 0.02,
            hinge_residual: 0.14,
            hinge_end_error: 0.03,
            still_angle: 0.01,
            limit_margin: 0.26,
            limit_margin_share: 0.2,
            tiny_mass_share: 0.003,
            tiny_length_share: 0.06,
            skin_percentile: 0.7,
            radius_bounds: [0.1, 0.45],
            sole_height_share: 0.12,
            heel_share: 0.3,
            foot_width_share: 0.42,
            balance: 0.6,
            drive_frequency: 25.0,
            limb_quickening: 4.0,
            drive_damping: 1.0,
            support_factor: 3.0,
            hold_sag: 0.03,
            torque_angle: 0.5,
            strength: 2.5,
            demand_margin: 1.5,
            most_demand: 3.0,
        }
    }
}

impl ModelOptions {
    /// Refuses numbers that no character can be made with.
    pub(crate) fn check(&self) -> Result<(), ModelerError> {
        let positive = [
            ("paper_radius_share", self.paper_radius_share),
            ("paper_mass", self.paper_mass),
            ("paper_torque_limit", self.paper_torque_limit),
            ("density", self.density),
            ("lightest_build", self.lightest_build),
            ("heaviest_build", self.heaviest_build),
            ("heaviest_beast", self.heaviest_beast),
            ("drive_frequency", self.drive_frequency),
            ("limb_quickening", self.limb_quickening),
            ("hold_sag", self.hold_sag),
            ("torque_angle", self.torque_angle),
            ("strength", self.strength),
            ("foot_width_share", self.foot_width_share),
            ("radius_bounds[0]", self.radius_bounds[0]),
            ("mass", self.mass.unwrap_or(1.0)),
            ("metres_per_unit", self.metres_per_unit.unwrap_or(1.0)),
        ];
        for (option, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                return Err(ModelerError::Option { option, value, remedy: "a positive number" });
            }
        }
        let not_negative = [
            ("paper_kp", self.paper_kp),
            ("paper_kd", self.paper_kd),
            ("neck_share", self.neck_share),
            ("limb_share", self.limb_share),
            ("girdle_share", self.girdle_share),
            ("trunk_share", self.trunk_share),
            ("hinge_residual", self.hinge_residual),
            ("hinge_end_error", self.hinge_end_error),
            ("still_angle", self.still_angle),
            ("limit_margin", self.limit_margin),
            ("limit_margin_share", self.limit_margin_share),
            ("tiny_mass_share", self.tiny_mass_share),
            ("tiny_length_share", self.tiny_length_share),
            ("sole_height_share", self.sole_height_share),
            ("heel_share", self.heel_share),
            ("drive_damping", self.drive_damping),
            ("support_factor", self.support_factor),
            ("demand_margin", self.demand_margin),
            ("most_demand", self.most_demand),
        ];
        for (option, value) in not_negative {
            if !(value.is_finite() && value >= 0.0) {
                return Err(ModelerError::Option { option, value, remedy: "0 or a positive number" });
            }
        }
        let [low, high] = self.radius_bounds;
        if !(high.is_finite() && high >= low) {
            return Err(ModelerError::Option {
                option: "radius_bounds[1]",
                value: high,
                remedy: "at least the lower bound",
            });
        }
        if !(0.01..1.0).contains(&self.head_share) {
            return Err(ModelerError::Option {
                option: "head_share",
                value: self.head_share,
                remedy: "a number from 0.01 to below 1",
            });
        }
        if !(0.0..=0.9).contains(&self.leg_share) {
            return Err(ModelerError::Option {
                option: "leg_share",
                value: self.leg_share,
                remedy: "a number from 0 to 0.9",
            });
        }
        if !(0.0..1.0).contains(&self.balance) {
            return Err(ModelerError::Option {
                option: "balance",
                value: self.balance,
                remedy: "a number from 0 to below 1",
            });
        }
        if !(0.0..=1.0).contains(&self.skin_percentile) {
            return Err(ModelerError::Option {
                option: "skin_percentile",
                value: self.skin_percentile,
                remedy: "a number from 0 to 1",
            });
        }
        Ok(())
    }
}
