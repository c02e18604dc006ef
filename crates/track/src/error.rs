//! Why a policy cannot be trained, tested or read.

use std::path::PathBuf;

/// Why a policy cannot be trained, tested or read: one sentence each.
#[derive(Debug, thiserror::Error)]
pub enum TrackError {
    /// The character is bolted to the world, or there are several.
    #[error("{character} is held by the world; a tracking policy needs a character with a free root")]
    NotFree {
        /// Its name.
        character: String,
    },
    /// Nothing to look at.
    #[error("{character} has no end effector; add hands and feet as [[end_effector]] to its file")]
    NoEffectors {
        /// Its name.
        character: String,
    },
    /// Nothing to drive.
    #[error("{character} has no joint that turns, so that there is nothing to track with")]
    NoJoints {
        /// Its name.
        character: String,
    },
    /// A character whose coordinates are not those of the motion.
    #[error(
        "{character} has other joints than {set}, whose motion is to be tracked; make a data set for it, or leave the character out"
    )]
    OtherJoints {
        /// Its name.
        character: String,
        /// Name of the motion's character.
        set: String,
    },
    /// A policy that cannot be gone on from.
    #[error(
        "the policy of {other} cannot be trained further for {character}: it has other joints, or sees or decides something else; begin without it"
    )]
    OtherPolicy {
        /// The character that is trained.
        character: String,
        /// The policy's.
        other: String,
    },
    /// A generator without a set.
    #[error(
        "{}: objectives are drawn from the set of a generator, and a learned one keeps none; give the data set, or a generator of kind matching", .path.display()
    )]
    NoSet {
        /// Its file.
        path: PathBuf,
    },
    /// Too short.
    #[error("the reference has no stretch of at least {least} frames; give a longer clip")]
    TooShort {
        /// Frames that are needed.
        least: usize,
    },
    /// Pushes are tested on a cycle.
    #[error("{} is not one clip that repeats, on which pushes are tested; give a cycle, or name one of the clips", path.display())]
    NoCycle {
        /// Its file.
        path: PathBuf,
    },
    /// Something is to be chosen where there is no choice.
    #[error("{} is {what}, of which no {choice} can be chosen; leave that out", path.display())]
    NoChoice {
        /// Its file or folder.
        path: PathBuf,
        /// What it is.
        what: &'static str,
        /// What was to be chosen.
        choice: &'static str,
    },
    /// A policy that is given nothing to follow.
    #[error("{} is a policy alone; name what it is to follow: a generator, a set or clips of {character}", path.display())]
    NoMotion {
        /// Its file or folder.
        path: PathBuf,
        /// Its character.
        character: String,
    },
    /// A policy of one motion alone.
    #[error(
        "the policy of {character} sees the phase of the motion that it was trained on, and can follow no other; train it with sees_phase = false"
    )]
    SeesPhase {
        /// Its character.
        character: String,
    },
    /// A policy of one motion alone.
    #[error(
        "the policy of {character} adds to the controls of the motion that it was trained on, and can follow no other; train it with feeds_controls = false and clone_transitions = 0"
    )]
    OwnControls {
        /// Its character.
        character: String,
    },
    /// Controls that nobody knows.
    #[error(
        "there are no controls to feed forward or to clone: they are known only of motion that a simulated character made; give the folder of a transfer, or set feeds_controls = false and clone_transitions = 0"
    )]
    NoControls,
    /// A motion that was made with other steps.
    #[error(
        "the motion was made with {made} steps of the simulator in a frame, and steps_per_frame is {asked}; track it with preset performed, or set that to {made}"
    )]
    OtherSteps {
        /// Those of the motion.
        made: usize,
        /// Those of the constants.
        asked: usize,
    },
    /// A constant cannot be used.
    #[error("{field} is {value}, but must be {range}")]
    Config {
        /// Its name.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        range: &'static str,
    },
    /// Training has left all reason.
    #[error(
        "training diverged after {transitions} transitions ({what} is not a finite number); try a smaller policy_rate, or another seed"
    )]
    Diverged {
        /// How far it was.
        transitions: u64,
        /// What is not finite.
        what: &'static str,
    },
    /// A file of a released body or reference.
    #[error("{}: {problem}", path.display())]
    Released {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A policy that cannot be used.
    #[error("{}: {problem}", path.display())]
    Policy {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The GPU cannot be used.
    #[error(transparent)]
    Cuda(#[from] sinew_nn::cuda::CudaError),
    /// The work was told to stop.
    #[error(transparent)]
    Cancelled(#[from] sinew_work::Cancelled),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] sinew_files::FileError),
    /// The character cannot be simulated.
    #[error(transparent)]
    Model(#[from] sinew_sim::ModelError),
    /// The worlds cannot be made.
    #[error(transparent)]
    Batch(#[from] sinew_sim::BatchError),
    /// The worlds cannot be driven.
    #[error(transparent)]
    Bulk(#[from] sinew_sim::BulkError),
    /// A network cannot be read.
    #[error(transparent)]
    Network(#[from] sinew_nn::NetworkError),
    /// A data set cannot be used.
    #[error(transparent)]
    Data(#[from] sinew_learn::LearnError),
}
