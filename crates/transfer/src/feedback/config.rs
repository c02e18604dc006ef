//! Every constant of the training of a feedback policy.

use super::report::Test;
use crate::TransferError;
use crate::config::Weights;
use serde::{Deserialize, Serialize};
use sinew_settings::documented;

documented! {
/// How a policy is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedbackConfig {
    /// Rank r of the feedback: 1 in the paper, 2 and 3 keep forwards and sideways apart.
    pub rank: usize,
    /// Sets of gains over the cycle.
    pub sets: usize,
    /// Largest change of an angle, rad.
    pub largest_change: f64,
    /// Whether numbers are counted in typical sizes: deviations by the character's height and weight, actions by `action_scale`.
    pub is_scaled: bool,
    /// Unit of changes of angles where scaled, rad.
    pub action_scale: f64,
    /// Repetitions of each stage.
    pub stages: Vec<usize>,
    /// First step size of the first stage.
    pub sigma: f64,
    /// First step size of the other stages, which start from a policy that is good already.
    pub later_sigma: f64,
    /// Points in a generation.
    pub population: usize,
    /// Most generations of a stage.
    pub iterations: usize,
    /// A stage whose repetitions are survived ends when its best cost fell by less than this share over the last `patience` generations.
    pub stops_below: Option<f64>,
    /// Generations over which that is measured.
    pub patience: usize,
    /// Frames between looks at the cost.
    pub cost_frames: usize,
    /// w_h, of the root's height, m⁻².
    pub height: f64,
    /// w_pose, of the mean over the joints, rad⁻².
    pub pose: f64,
    /// w_balance, of each second that is missing, s⁻¹.
    pub balance: f64,
    /// Out of balance is a root below this share of its height at the start. The paper's half lets a dinosaur sit on its tail.
    pub fallen_height: f64,
    /// Least pace, as a share of the reference's, below which a run is no walk: what is missing costs like missing time. 0 asks for none.
    pub least_pace: f64,
    /// Of the heading against the course, rad⁻².
    pub course: f64,
    /// Of the horizontal velocity of the centre of mass, s²/m².
    pub speed: f64,
    /// What is met beside the plain run.
    pub trouble: Trouble,
    /// How often the first stages are tried, each time with other random numbers; training goes on from the best.
    pub tries: usize,
    /// Stages of a try.
    pub try_stages: usize,
    /// The test by which tries, and at the end the best policies of all stages, are compared; none takes that of the last stage.
    pub chooses_by: Option<Test>,
    /// The periodic motion that is searched near the cycle, with full-state feedback along it. Where that repeats it as often as its test asks for, nothing is
    /// trained; otherwise the training adds to it. None trains on the steadiest cycle, its seam blended.
    pub tracking: Option<TrackingConfig>,
}
}

documented! {
/// How a periodic motion is searched, and full-state feedback along it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrackingConfig {
    /// Cycles of the motion from which the search starts, the steadiest first, until one leads to enough repetitions.
    pub starts: usize,
    /// Most rounds from each: Newton steps, then repetitions under feedback.
    pub rounds: usize,
    /// Most Newton steps of a round.
    pub newton_steps: usize,
    /// A Newton step that closes less than this share of the gaps is the last of its round.
    pub stops_below: f64,
    /// What changes of the PD targets cost in Newton steps, each tried, relative to [`Sizes`].
    pub newton_efforts: Vec<f64>,
    /// Repetitions under feedback in each round.
    pub repetitions: usize,
    /// A motion is periodic whose end is this near to its start: root mean square, m and rad, velocities counting a tenth.
    pub closed_below: f64,
    /// Sizes of the finite differences relative to those of the polish, each tried.
    pub reaches: Vec<f64>,
    /// What changes of the PD targets cost, each tried, relative to [`Sizes`].
    pub efforts: Vec<f64>,
    /// Deviations that are taken for large.
    pub sizes: Sizes,
    /// The test by which gains are compared.
    pub chooses_by: Test,
}
}

impl Default for TrackingConfig {
    fn default() -> TrackingConfig {
        TrackingConfig {
            starts: 3,
            rounds: 8,
            newton_steps: 12,
            stops_below: 0.05,
            newton_efforts: vec![1.0, 30.0],
            repetitions: 12,
            closed_below: 1e-4,
            reaches: vec![1.0, 3.0, 10.0],
            efforts: vec![10.0, 100.0, 1000.0, 10000.0],
            sizes: Sizes::default(),
            chooses_by: Test { newtons_step: 40.0, newtons_steps: 25, push_phase: 0.25, ..Test::default() },
        }
    }
}

documented! {
/// Deviations that cost 1 each; those of the joints in the mean over all angles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sizes {
    /// Of the root's height, as a share of it.
    pub height: f64,
    /// Of the root's orientation, rad.
    pub turn_rad: f64,
    /// Of the joints, rad.
    pub angle_rad: f64,
    /// Of the root's velocity, as a share of √(g·height).
    pub speed: f64,
    /// Of the root's angular velocity, rad/s.
    pub spin_rad_per_sec: f64,
    /// Of the joints' velocities, rad/s.
    pub angle_speed_rad_per_sec: f64,
    /// Of changes of the PD targets, rad.
    pub change_rad: f64,
    /// Of how much these change from frame to frame, rad.
    pub rate_rad: f64,
}
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes {
            height: 0.1,
            turn_rad: 0.2,
            angle_rad: 0.2,
            speed: 0.2,
            spin_rad_per_sec: 2.0,
            angle_speed_rad_per_sec: 10.0,
            change_rad: 0.5,
            rate_rad: 0.2,
        }
    }
}

impl TrackingConfig {
    fn check(&self) -> Result<(), TransferError> {
        let wrong = |field, value: f64, range| Err(TransferError::Config { field, value, range });
        let counts = [
            ("starts", self.starts, 1..=100, "from 1 to 100"),
            ("rounds", self.rounds, 1..=1000, "from 1 to 1000"),
            ("newton_steps", self.newton_steps, 1..=1000, "from 1 to 1000"),
            ("repetitions", self.repetitions, 2..=1000, "from 2 to 1000"),
            ("newton_efforts", self.newton_efforts.len(), 1..=100, "from 1 to 100 numbers"),
            ("reaches", self.reaches.len(), 1..=100, "from 1 to 100 numbers"),
            ("efforts", self.efforts.len(), 1..=100, "from 1 to 100 numbers"),
        ];
        for (field, value, range, says) in counts {
            if !range.contains(&value) {
                return wrong(field, value as f64, says);
            }
        }
        if !(0.0..1.0).contains(&self.stops_below) {
            return wrong("stops_below", self.stops_below, "from 0 to less than 1");
        }
        let Sizes { height, turn_rad, angle_rad, speed, spin_rad_per_sec, angle_speed_rad_per_sec, .. } = self.sizes;
        let lists = [("newton_efforts", &self.newton_efforts), ("reaches", &self.reaches), ("efforts", &self.efforts)];
        let sizes = [
            ("closed_below", self.closed_below),
            ("height", height),
            ("turn_rad", turn_rad),
            ("angle_rad", angle_rad),
            ("speed", speed),
            ("spin_rad_per_sec", spin_rad_per_sec),
            ("angle_speed_rad_per_sec", angle_speed_rad_per_sec),
            ("change_rad", self.sizes.change_rad),
            ("rate_rad", self.sizes.rate_rad),
        ];
        let of_lists = lists.iter().flat_map(|(field, values)| values.iter().map(|value| (*field, *value)));
        match of_lists.chain(sizes).find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
            Some((field, value)) => wrong(field, value, "positive"),
            None => Ok(()),
        }
    }
}

documented! {
/// Pushes and disturbed starts in training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trouble {
    /// Runs of each policy with pushes; the plain run comes on top.
    pub runs: usize,
    /// Impulse of a push, as a change of speed of the whole character, m/s.
    pub push_speed: f64,
    /// How long a push takes, frames.
    pub push_frames: usize,
    /// Time between pushes, frames.
    pub push_every: usize,
    /// Standard deviation of the velocities at the start, m/s and rad/s.
    pub start_speed: f64,
}
}

impl FeedbackConfig {
    /// Keys-to-Sim, supplement, to the letter.
    pub fn paper() -> FeedbackConfig {
        FeedbackConfig {
            rank: 1,
            sets: 1,
            largest_change: 3.0,
            is_scaled: false,
            action_scale: 1.0,
            stages: vec![2, 4, 8, 16, 32],
            sigma: 0.1,
            later_sigma: 0.1,
            population: 30,
            iterations: 1000,
            stops_below: None,
            patience: 100,
            cost_frames: 2,
            height: Weights::PAPER.height,
            pose: Weights::PAPER.pose,
            balance: 200.0,
            fallen_height: 0.5,
            least_pace: 0.0,
            course: 0.0,
            speed: 0.0,
            trouble: Trouble { runs: 0, push_speed: 0.0, push_frames: 8, push_every: 80, start_speed: 0.0 },
            tries: 1,
            try_stages: 1,
            chooses_by: None,
            tracking: None,
        }
    }

    /// Ours: scaled coordinates, pushes in training, stages that end when they are survived.
    pub fn standard() -> FeedbackConfig {
        FeedbackConfig {
            rank: 2,
            sets: 1,
            largest_change: 0.6,
            is_scaled: true,
            action_scale: 0.2,
            sigma: 0.3,
            later_sigma: 0.1,
            population: 30,
            iterations: 200,
            stops_below: Some(0.05),
            patience: 10,
            fallen_height: 0.8,
            least_pace: 0.7,
            course: 10.0,
            speed: 5.0,
            trouble: Trouble { runs: 3, push_speed: 0.15, push_frames: 8, push_every: 80, start_speed: 0.02 },
            tries: 3,
            try_stages: 2,
            // Halfway between the pushes of the report, so that it tests what nobody chose by.
            chooses_by: Some(Test { push_phase: 0.25, ..Test::default() }),
            tracking: Some(TrackingConfig::default()),
            ..FeedbackConfig::paper()
        }
    }

    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the field.
    pub fn check(&self) -> Result<(), TransferError> {
        let wrong = |field, value: f64, range| Err(TransferError::Config { field, value, range });
        let counts = [
            ("rank", self.rank, 1..=19, "from 1 to 19"),
            ("sets", self.sets, 1..=64, "from 1 to 64"),
            ("population", self.population, 4..=100_000, "from 4 to 100000"),
            ("iterations", self.iterations, 1..=100_000, "from 1 to 100000"),
            ("patience", self.patience, 1..=100_000, "from 1 to 100000"),
            ("cost_frames", self.cost_frames, 1..=1000, "from 1 to 1000"),
            ("stages", self.stages.len(), 1..=100, "from 1 to 100 stages"),
            ("push_frames", self.trouble.push_frames, 1..=1000, "from 1 to 1000"),
            ("runs", self.trouble.runs, 0..=1000, "from 0 to 1000"),
            ("tries", self.tries, 1..=100, "from 1 to 100"),
            ("try_stages", self.try_stages, 1..=100, "from 1 to 100"),
            ("push_every", self.trouble.push_every, 1..=100_000, "from 1 to 100000"),
        ];
        for (field, value, range, says) in counts {
            if !range.contains(&value) {
                return wrong(field, value as f64, says);
            }
        }
        self.tracking.as_ref().map_or(Ok(()), TrackingConfig::check)?;
        if let Some(repetitions) = self.stages.iter().find(|r| !(1..=10_000).contains(*r)) {
            return wrong("stages", *repetitions as f64, "from 1 to 10000 repetitions each");
        }
        if self.tries > 1 && self.chooses_by.is_none() {
            return wrong("tries", self.tries as f64, "1 where nothing is chosen by");
        }
        let shares = [("fallen_height", self.fallen_height), ("least_pace", self.least_pace)];
        if let Some((field, value)) = shares.iter().find(|(_, value)| !(0.0..1.0).contains(value)) {
            return wrong(field, *value, "from 0 to less than 1");
        }
        let weights = [
            ("height", self.height),
            ("pose", self.pose),
            ("balance", self.balance),
            ("course", self.course),
            ("speed", self.speed),
            ("push_speed", self.trouble.push_speed),
            ("start_speed", self.trouble.start_speed),
        ];
        if let Some((field, value)) = weights.iter().find(|(_, value)| !(*value >= 0.0 && value.is_finite())) {
            return wrong(field, *value, "0 or more");
        }
        let positive = [
            ("sigma", self.sigma),
            ("later_sigma", self.later_sigma),
            ("largest_change", self.largest_change),
            ("action_scale", self.action_scale),
        ];
        match positive.iter().find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
            Some((field, value)) => wrong(field, *value, "positive"),
            None => Ok(()),
        }
    }
}
