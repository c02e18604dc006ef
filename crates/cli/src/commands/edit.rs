//! `sinew edit`: changes a character file, with undo.

use super::show;
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use sinew::modeler::{Change, CharacterProject, Edit as Edits, Preflight, PreflightOptions, Size, mend, preflight};
use sinew::sim::{EndEffector, JointKind};
use std::path::PathBuf;

/// Options of `sinew edit`.
#[derive(Args)]
pub struct Edit {
    /// Character file, as `sinew model -o` writes it
    #[arg(value_name = "hero.toml")]
    file: PathBuf,
    /// Makes the same change on the other side, mirrored
    #[arg(long, global = true)]
    mirror: bool,
    /// Writes to another file
    #[arg(short, long, global = true, value_name = "other.toml")]
    output: Option<PathBuf>,
    #[command(subcommand)]
    what: What,
}

// Lengths in metres along the body's axes, which lie along the world's (x ahead, y left, z up) in the rest pose; angles in degrees, masses in kilograms.
#[derive(Subcommand)]
enum What {
    /// Moves the shapes of a body; with --joint also the joint that carries it
    Move {
        body: String,
        #[arg(required = true, num_args = 3, allow_negative_numbers = true, value_names = ["X", "Y", "Z"])]
        by: Vec<f64>,
        #[arg(long)]
        joint: bool,
    },
    /// Turns the shapes of a body about their centre: axis and angle in degrees
    Turn {
        body: String,
        #[arg(required = true, num_args = 4, allow_negative_numbers = true, value_names = ["X", "Y", "Z", "DEGREES"])]
        turn: Vec<f64>,
    },
    /// Sizes a body: one of --scale, --radius, --length, --box
    Size {
        body: String,
        #[command(flatten)]
        size: SizeArgs,
    },
    /// Sets the mass of a body, kg
    Mass {
        body: String,
        #[arg(allow_negative_numbers = true)]
        mass: f64,
    },
    /// Sets the mass of the whole character, kg; gains and torque limits grow with it
    TotalMass {
        #[arg(allow_negative_numbers = true)]
        mass: f64,
    },
    /// Sets the axis of a hinge
    Axis {
        joint: String,
        #[arg(required = true, num_args = 3, allow_negative_numbers = true, value_names = ["X", "Y", "Z"])]
        axis: Vec<f64>,
    },
    /// Sets the limits of a joint, degrees; none without numbers
    Limits {
        joint: String,
        #[arg(num_args = 0..=2, allow_negative_numbers = true, value_names = ["LOW", "HIGH"])]
        limits: Vec<f64>,
    },
    /// Makes a joint a hinge, a ball or a weld
    Type {
        joint: String,
        kind: KindName,
        /// Axis of a new hinge
        #[arg(long, num_args = 3, allow_negative_numbers = true, value_names = ["X", "Y", "Z"])]
        axis: Option<Vec<f64>>,
    },
    /// Sets gains of a joint
    Gains {
        joint: String,
        /// Proportional gain, N m/rad
        #[arg(long, allow_negative_numbers = true)]
        kp: Option<f64>,
        /// Derivative gain, N m s/rad
        #[arg(long, allow_negative_numbers = true)]
        kd: Option<f64>,
        /// Largest torque, N m
        #[arg(long, allow_negative_numbers = true)]
        torque: Option<f64>,
    },
    /// Multiplies kp and torque limits of all joints, and kd by the square root of the factor
    Stiffen {
        #[arg(allow_negative_numbers = true)]
        factor: f64,
    },
    /// Moves the centre of mass of the whole character by making bodies on that side heavier and the others lighter
    ShiftMass {
        #[arg(required = true, num_args = 3, allow_negative_numbers = true, value_names = ["X", "Y", "Z"])]
        by: Vec<f64>,
    },
    /// Makes the one change that `check` offers
    Mend,
    /// Adds an end effector to a body, with a ball as its contact where --radius is given
    AddEffector {
        name: String,
        body: String,
        #[arg(required = true, num_args = 3, allow_negative_numbers = true, value_names = ["X", "Y", "Z"])]
        position: Vec<f64>,
        #[arg(long, allow_negative_numbers = true)]
        radius: Option<f64>,
    },
    /// Moves an end effector
    MoveEffector {
        name: String,
        #[arg(required = true, num_args = 3, allow_negative_numbers = true, value_names = ["X", "Y", "Z"])]
        position: Vec<f64>,
    },
    /// Sizes the ball of an end effector
    SizeEffector {
        name: String,
        #[arg(allow_negative_numbers = true)]
        radius: f64,
    },
    /// Takes an end effector away
    RemoveEffector { name: String },
    /// Makes a body the root
    Root { body: String },
    /// Takes a body away; what it carries hangs from its parent
    Delete { body: String },
    /// Makes a body part of its parent
    Merge { body: String },
    /// Takes the last change back
    Undo,
    /// Makes the change that was undone last again
    Redo,
    /// Lists bodies, joints and changes
    List,
    /// Tries whether the character stands, as `sinew model` does
    Check,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct SizeArgs {
    /// Times all lengths
    #[arg(long, allow_negative_numbers = true)]
    scale: Option<f64>,
    /// Radius of capsules and balls, m
    #[arg(long, allow_negative_numbers = true)]
    radius: Option<f64>,
    /// Length of capsules, m
    #[arg(long, allow_negative_numbers = true)]
    length: Option<f64>,
    /// Half the edges of boxes, m
    #[arg(long = "box", num_args = 3, value_names = ["X", "Y", "Z"])]
    half_extents: Option<Vec<f64>>,
}

#[derive(Clone, Copy, ValueEnum)]
enum KindName {
    Hinge,
    Ball,
    Weld,
}

impl Edit {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        let mut project = CharacterProject::load(&self.file)?;
        match self.what {
            What::List => return show(&list(&project)),
            What::Check => return check(&project),
            What::Undo if !project.undo() => bail!("{}: there is no change to take back", self.file.display()),
            What::Redo if !project.redo() => bail!("{}: no change was taken back", self.file.display()),
            What::Undo | What::Redo => {}
            What::Mend => {
                let found = checked(&project)?;
                match found.mend {
                    Some(mend) => project.edit(mend.change)?,
                    None if found.ok => bail!("{}: nothing is wrong with it", self.file.display()),
                    None => bail!("{}: no single change mends it; see `check`", self.file.display()),
                }
            }
            what => project.edit(Change { edit: what.edit()?, mirror: self.mirror })?,
        }
        let output = self.output.as_ref().unwrap_or(&self.file);
        project.save(output)?;
        let (count, file) = (project.edits().len(), output.display());
        let changes = if count == 1 { "change" } else { "changes" };
        show(&format!("wrote {file} ({count} {changes} since it was made)\n"))
    }
}

impl What {
    fn edit(self) -> Result<Edits> {
        Ok(match self {
            What::Move { body, by, joint } => Edits::MoveBody { body, by: three(&by)?, with_joint: joint },
            What::Turn { body, turn } => Edits::OrientBody { body, turn: quaternion(&turn)? },
            What::Size { body, size } => Edits::SizeBody { body, size: size.size()? },
            What::Mass { body, mass } => Edits::SetMass { body, mass },
            What::TotalMass { mass } => Edits::SetTotalMass { mass },
            What::Axis { joint, axis } => Edits::SetAxis { joint, axis: three(&axis)? },
            What::Limits { joint, limits } => {
                let limits = match limits[..] {
                    [] => None,
                    [low, high] => Some([low.to_radians(), high.to_radians()]),
                    _ => bail!("limits of {joint}: give the lowest and the highest angle, or nothing to lift them"),
                };
                Edits::SetLimits { joint, limits }
            }
            What::Type { joint, kind, axis } => {
                let kind = match kind {
                    KindName::Hinge => JointKind::Hinge,
                    KindName::Ball => JointKind::Ball,
                    KindName::Weld => JointKind::Weld,
                };
                Edits::SetType { joint, kind, axis: axis.as_deref().map(three).transpose()? }
            }
            What::Gains { joint, kp: None, kd: None, torque: None } => {
                bail!("gains of {joint}: give at least one of --kp, --kd and --torque")
            }
            What::Gains { joint, kp, kd, torque } => Edits::SetGains { joint, kp, kd, torque_limit: torque },
            What::Stiffen { factor } => Edits::ScaleGains { factor },
            What::ShiftMass { by } => Edits::ShiftMass { by: three(&by)? },
            What::AddEffector { name, body, position, radius } => {
                Edits::AddEffector { name, body, position: three(&position)?, radius }
            }
            What::MoveEffector { name, position } => Edits::MoveEffector { name, position: three(&position)? },
            What::SizeEffector { name, radius } => Edits::SizeEffector { name, radius },
            What::RemoveEffector { name } => Edits::RemoveEffector { name },
            What::Root { body } => Edits::SetRoot { body },
            What::Delete { body } => Edits::DeleteBody { body },
            What::Merge { body } => Edits::MergeBody { body },
            What::Undo | What::Redo | What::Mend | What::List | What::Check => bail!("not a change"),
        })
    }
}

impl SizeArgs {
    fn size(self) -> Result<Size> {
        match (self.scale, self.radius, self.length, self.half_extents) {
            (Some(scale), ..) => Ok(Size::Scale(scale)),
            (_, Some(radius), ..) => Ok(Size::Radius(radius)),
            (_, _, Some(length), _) => Ok(Size::Length(length)),
            (.., Some(half_extents)) => Ok(Size::HalfExtents(three(&half_extents)?)),
            _ => bail!("give one of --scale, --radius, --length and --box"),
        }
    }
}

fn three(numbers: &[f64]) -> Result<[f64; 3]> {
    numbers.try_into().context("three numbers are needed: x, y and z")
}

/// `(cos ½θ, sin ½θ · axis)`, of an axis of any length and an angle in degrees.
fn quaternion(turn: &[f64]) -> Result<[f64; 4]> {
    let [x, y, z, degrees]: [f64; 4] = turn.try_into().context("four numbers are needed: axis and degrees")?;
    let length = (x * x + y * y + z * z).sqrt();
    if !(length.is_finite() && length > 0.0) {
        bail!("the axis to turn about has no direction; give three numbers that are not all zero");
    }
    let half = 0.5 * degrees.to_radians();
    let (sine, cosine) = (libm::sin(half) / length, libm::cos(half));
    Ok([cosine, sine * x, sine * y, sine * z])
}

fn list(project: &CharacterProject) -> String {
    let character = project.character();
    let (bodies, effectors) = (character.bodies.len(), character.end_effectors.len());
    let mut lines = vec![format!("{}: {bodies} bodies, {effectors} end effectors", character.name)];
    for joint in &character.joints {
        let mass = character.bodies.iter().find(|b| b.name == joint.child).map_or(0.0, |b| b.mass);
        let kind = format!("{:?}", joint.kind).to_lowercase();
        let degrees = |[low, high]: [f64; 2]| format!("  {:.0} to {:.0} degrees", low.to_degrees(), high.to_degrees());
        let limits = joint.limits.map_or(String::new(), degrees);
        let carrier = joint.parent.as_deref().unwrap_or("the world");
        lines.push(format!("  {} ({mass:.2} kg), {kind} {} on {carrier}{limits}", joint.child, joint.name));
    }
    let effector = |e: &EndEffector| format!("  end effector {} on {}", e.name, e.body);
    lines.extend(character.end_effectors.iter().map(effector));
    for (number, change) in project.edits().iter().enumerate() {
        let text = serde_json::to_string(change).unwrap_or_default();
        lines.push(format!("  change {}: {text}", number + 1));
    }
    lines.join("\n") + "\n"
}

/// The pre-flight, and the change that would mend what it finds.
fn checked(project: &CharacterProject) -> Result<Preflight> {
    let mut found = preflight(project.character(), &[], &PreflightOptions::default())?;
    found.mend = mend(project, &[], &found);
    Ok(found)
}

fn check(project: &CharacterProject) -> Result<()> {
    let found = checked(project)?;
    let mut lines =
        vec![format!("{}: {}", project.character().name, if found.ok { "it stands" } else { "something is wrong" })];
    lines.extend(found.problems.iter().map(|problem| format!("  ! {problem}")));
    lines.extend(found.mend.iter().map(|mend| format!("  > `sinew edit hero.toml mend`: {}", mend.sentence)));
    lines.push(format!(
        "  after 3 s of holding its pose its centre of mass is at {:.0} % of its height",
        100.0 * found.height_kept
    ));
    show(&(lines.join("\n") + "\n"))
}
