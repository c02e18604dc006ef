//! Which values of an objective a data set shows, and the projection of what a user asks into that range (Park et al. 2019, §6.1).
//!
//! A target is feasible where the character of the set gets in the time that is left; this is a region of the ground, kept for several times.

use crate::figure::Figure;
use crate::ground_transform::wrap_angle;
use crate::intent::{Control, Intent};
use crate::motion_set::{MotionSet, Sequence};
use crate::polar_range::PolarRange;
use serde::{Deserialize, Serialize};

/// Times up to the lookahead for which the region of targets is kept.
const TIMES: usize = 6;
/// Share of the frames at either end of a value's range that are left out.
const TAIL: f64 = 0.005;
/// The span ahead over which speed, direction, rate of turning and height are averaged, s.
const AHEAD_SECS: [f64; 2] = [0.5, 1.0];

/// What can be asked of a generator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeasibleRange {
    /// Of each action, in the order of the set.
    pub actions: Vec<ActionRange>,
    /// Of all frames, for objectives without an action.
    pub any: ActionRange,
}

/// What can be asked while an action is performed. Values are in the heading frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionRange {
    /// Number of frames that it was found from.
    pub frames: usize,
    /// How far the action looks ahead, s.
    pub lookahead_secs: f64,
    /// Region of the target, m, for times of 1, 2 … sixths of the lookahead.
    pub targets: Vec<PolarRange>,
    /// Region of the velocity, m/s.
    pub velocities: PolarRange,
    /// Least and largest turn to the heading at the target, rad.
    pub turn_rad: Option<[f64; 2]>,
    /// Least and largest rate of turning, rad/s.
    pub turn_rate: Option<[f64; 2]>,
    /// Least and largest height of the root, m.
    pub root_height_m: Option<[f64; 2]>,
}

#[derive(Default)]
struct Samples {
    frames: usize,
    targets: [Vec<[f64; 2]>; TIMES],
    velocities: Vec<[f64; 2]>,
    turns: Vec<f64>,
    turn_rates: Vec<f64>,
    heights: Vec<f64>,
}

impl FeasibleRange {
    /// Finds the ranges of a set.
    pub fn of_set(set: &MotionSet, figure: &Figure) -> FeasibleRange {
        let rate_hz = set.header.rate_hz;
        let of = |lookahead_secs: f64, serves: &dyn Fn(&Intent) -> bool| {
            let mut samples = Samples::default();
            for sequence in &set.sequences {
                samples.add(sequence, figure, rate_hz, lookahead_secs, serves);
            }
            samples.range(lookahead_secs)
        };
        let actions = set.header.actions.iter().enumerate();
        FeasibleRange {
            actions: actions.map(|(index, a)| of(a.lookahead_secs, &|intent| intent.serves(index))).collect(),
            any: of(1.0, &|_| true),
        }
    }

    /// The range of the first of an objective's actions that the set has.
    pub fn of_actions(&self, actions: u32) -> &ActionRange {
        let first =
            self.actions.iter().enumerate().find(|(index, range)| actions >> index & 1 == 1 && range.frames > 0);
        first.map_or(&self.any, |(_, range)| range)
    }

    /// Projects every given value into its range. Returns the intent, and whether anything was changed by more than a thousandth of its unit.
    pub fn project(&self, intent: &Intent) -> (Intent, bool) {
        let projected = self.of_actions(intent.actions).project(intent);
        let changed = projected.values().iter().zip(intent.values()).any(|(a, b)| (a - b).abs() > 1e-3);
        (projected, changed)
    }
}

impl ActionRange {
    /// Region of targets for the kept time that is nearest to `time_left_secs`.
    pub fn targets_in(&self, time_left_secs: f64) -> &PolarRange {
        let index = libm::round(time_left_secs / self.lookahead_secs * TIMES as f64).clamp(1.0, TIMES as f64);
        &self.targets[index as usize - 1]
    }

    fn project(&self, intent: &Intent) -> Intent {
        let mut out = *intent;
        let get = |control| intent.get(control).map(f64::from);
        let time = get(Control::TimeLeft).map(|secs| secs.clamp(0.0, self.lookahead_secs));
        out.set(Control::TimeLeft, time.map(|x| x as f32));
        let time = time.unwrap_or(self.lookahead_secs);
        // A target that is all but due may not be moved any more.
        let is_due = time < 0.5 * self.lookahead_secs / TIMES as f64;
        if let (Some(forward), Some(left), false) = (get(Control::TargetForward), get(Control::TargetLeft), is_due) {
            let [forward, left] = self.targets_in(time).project([forward, left]);
            out.set(Control::TargetForward, Some(forward as f32));
            out.set(Control::TargetLeft, Some(left as f32));
        }
        let direction = get(Control::DirectionForward).zip(get(Control::DirectionLeft));
        match (get(Control::Speed), direction) {
            (Some(speed), Some((forward, left))) => {
                let [x, y] = self.velocities.project([speed * forward, speed * left]);
                let found = (x * x + y * y).sqrt();
                out.set(Control::Speed, Some(found as f32));
                if found > 1e-6 && speed > 1e-6 {
                    out.set(Control::DirectionForward, Some((x / found) as f32));
                    out.set(Control::DirectionLeft, Some((y / found) as f32));
                }
            }
            (Some(speed), None) => {
                let [low, high] = self.velocities.distances().unwrap_or([speed; 2]);
                out.set(Control::Speed, Some(speed.clamp(low, high) as f32));
            }
            (None, Some((forward, left))) => {
                let (sin, cos) = libm::sincos(self.velocities.project_angle(libm::atan2(left, forward)));
                out.set(Control::DirectionForward, Some(cos as f32));
                out.set(Control::DirectionLeft, Some(sin as f32));
            }
            (None, None) => {}
        }
        let ranges = [
            (Control::TargetTurn, self.turn_rad),
            (Control::TurnRate, self.turn_rate),
            (Control::RootHeight, self.root_height_m),
        ];
        for (control, range) in ranges {
            if let (Some(value), Some([low, high])) = (get(control), range) {
                out.set(control, Some(value.clamp(low, high) as f32));
            }
        }
        out
    }
}

impl Samples {
    fn add(
        &mut self,
        sequence: &Sequence,
        figure: &Figure,
        rate_hz: f64,
        lookahead_secs: f64,
        serves: &dyn Fn(&Intent) -> bool,
    ) {
        let positions = sequence.positions_f64(figure);
        let rows: Vec<&[f64]> = positions.chunks(figure.model().position_count()).collect();
        let headings: Vec<f64> = rows.iter().map(|row| figure.heading(row)).collect();
        let frames_in = |secs: f64| libm::round(secs * rate_hz) as usize;
        let times: [usize; TIMES] = std::array::from_fn(|k| frames_in(lookahead_secs * (k + 1) as f64 / TIMES as f64));
        let [from, to] = AHEAD_SECS.map(frames_in);
        for frame in (0..rows.len()).filter(|&frame| serves(&sequence.intents[frame])) {
            self.frames += 1;
            self.heights.push(rows[frame][2]);
            let back = figure.heading_frame(rows[frame]).inverse();
            for (samples, &time) in self.targets.iter_mut().zip(&times) {
                if let Some(row) = rows.get(frame + time) {
                    samples.push(back.point([row[0], row[1]]));
                }
            }
            if let Some(&heading) = headings.get(frame + times[TIMES - 1]) {
                self.turns.push(wrap_angle(heading - headings[frame]));
            }
            if let (Some(a), Some(b)) = (rows.get(frame + from), rows.get(frame + to)) {
                let secs = (to - from) as f64 / rate_hz;
                self.velocities.push(back.vector([(b[0] - a[0]) / secs, (b[1] - a[1]) / secs]));
                self.turn_rates.push(wrap_angle(headings[frame + to] - headings[frame + from]) / secs);
            }
        }
    }

    fn range(mut self, lookahead_secs: f64) -> ActionRange {
        ActionRange {
            frames: self.frames,
            lookahead_secs,
            targets: self.targets.iter().map(|samples| PolarRange::of(samples)).collect(),
            velocities: PolarRange::of(&self.velocities),
            turn_rad: ends(&mut self.turns),
            turn_rate: ends(&mut self.turn_rates),
            root_height_m: ends(&mut self.heights),
        }
    }
}

/// Smallest and largest of the values without their tails.
fn ends(values: &mut [f64]) -> Option<[f64; 2]> {
    if values.is_empty() {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let tail = libm::floor(TAIL * values.len() as f64) as usize;
    Some([values[tail], values[values.len() - 1 - tail]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_walks::circles;

    #[test]
    fn a_set_of_straight_walks_allows_its_speeds_straight_ahead() {
        // At 0.8 and 1.6 m/s straight on.
        let (figure, set) = circles(&[(0.8, 0.0), (1.6, 0.0)], 90);
        let range = FeasibleRange::of_set(&set, &figure);
        let asked = Intent::new(1).with(Control::TargetForward, 5.0).with(Control::TargetLeft, 0.0);
        let (found, changed) = range.project(&asked.with(Control::TimeLeft, 1.0).with(Control::TurnRate, 3.0));
        assert!(changed && (found.get(Control::TargetForward).unwrap() - 1.6).abs() < 1e-3, "{found:?}");
        assert!(found.get(Control::TurnRate).unwrap().abs() < 1e-4);
        // Half the time is left: half as far.
        let (found, _) = range.project(&asked.with(Control::TimeLeft, 0.5));
        assert!((found.get(Control::TargetForward).unwrap() - 0.8).abs() < 1e-3, "{found:?}");
        // More time than the action looks ahead.
        assert_eq!(range.project(&asked.with(Control::TimeLeft, 7.0)).0.get(Control::TimeLeft), Some(1.0));
        let slow = Intent::new(1).with(Control::Speed, 0.1).with(Control::RootHeight, 9.0);
        let (found, _) = range.project(&slow);
        assert!((found.get(Control::Speed).unwrap() - 0.8).abs() < 1e-3);
        assert!((f64::from(found.get(Control::RootHeight).unwrap()) - figure.model().rest_position()[2]).abs() < 1e-4);
    }

    #[test]
    fn what_is_feasible_and_what_is_open_stays() {
        let (figure, set) = circles(&[(1.0, 0.0), (1.0, 0.5), (1.0, -0.5)], 90);
        let range = FeasibleRange::of_set(&set, &figure);
        let asked = Intent::new(1).with(Control::TargetForward, 0.98).with(Control::TargetLeft, 0.17);
        let (found, changed) = range.project(&asked);
        assert!(!changed && found.get(Control::TargetLeft) == Some(0.17), "{found:?}");
        assert_eq!(found.mask(), asked.mask());
    }
}
