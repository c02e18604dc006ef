//! What the character of a motion means to do, inferred from what it does next (Park et al. 2019, §4.2).

use crate::actions::{Action, Goal};
use crate::contacts::runs;
use crate::figure::Figure;
use crate::ground_transform::wrap_angle;
use crate::intent::{Control, Intent};

/// t_min and t_max: the span ahead over which maintenance goals are averaged, s.
const AHEAD_SECS: [f64; 2] = [0.5, 1.0];
/// Below this speed, over the character's height, the direction of moving is left open, 1/s.
const STANDING: f64 = 0.05;

/// Infers the intent of every frame. `positions` are rows of `qpos`, `labels` a bit of each of `actions` that a frame shows.
///
/// A value whose moment lies behind the end of the sequence is left open.
pub fn infer_intents(
    figure: &Figure,
    positions: &[f64],
    labels: &[u32],
    actions: &[Action],
    rate_hz: f64,
) -> Vec<Intent> {
    let nq = figure.model().position_count();
    let motion = Motion {
        figure,
        rate_hz,
        rows: positions.chunks(nq).collect(),
        headings: unwrapped(positions.chunks(nq).map(|row| figure.heading(row))),
    };
    let mut intents: Vec<Intent> = labels
        .iter()
        .enumerate()
        .map(|(frame, &bits)| {
            let mut intent = Intent::default();
            for (index, action) in actions.iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1) {
                if action.goal != Goal::Achieve {
                    intent.actions |= 1 << index;
                    motion.keep_up(frame, action, &mut intent);
                }
            }
            intent
        })
        .collect();
    for (index, action) in actions.iter().enumerate().filter(|(_, action)| action.goal == Goal::Achieve) {
        motion.achieve(index, action, labels, &mut intents);
    }
    intents
}

struct Motion<'a> {
    figure: &'a Figure,
    rate_hz: f64,
    rows: Vec<&'a [f64]>,
    /// Headings without jumps by whole turns, rad.
    headings: Vec<f64>,
}

impl Motion<'_> {
    /// Values of an action that every labelled frame serves.
    fn keep_up(&self, frame: usize, action: &Action, intent: &mut Intent) {
        let target = frame + self.frames(action.lookahead_secs);
        if target < self.rows.len() {
            self.set_target(frame, target, intent);
        }
        let [from, to] = AHEAD_SECS.map(|secs| frame + self.frames(secs));
        if action.goal == Goal::Maintain && to < self.rows.len() {
            self.set_means(frame, from, to, intent);
        }
    }

    /// Direction, speed, rate of turning and height, as means from one frame to another.
    fn set_means(&self, frame: usize, from: usize, to: usize, intent: &mut Intent) {
        let secs = (to - from) as f64 / self.rate_hz;
        let way = [self.rows[to][0] - self.rows[from][0], self.rows[to][1] - self.rows[from][1]];
        let speed = (way[0] * way[0] + way[1] * way[1]).sqrt() / secs;
        intent.set(Control::Speed, Some(speed as f32));
        if speed > STANDING * self.figure.height_m() {
            let [forward, left] = self.figure.heading_frame(self.rows[frame]).inverse().vector(way);
            intent.set(Control::DirectionForward, Some((forward / (speed * secs)) as f32));
            intent.set(Control::DirectionLeft, Some((left / (speed * secs)) as f32));
        }
        intent.set(Control::TurnRate, Some(((self.headings[to] - self.headings[from]) / secs) as f32));
        let heights: f64 = self.rows[from..=to].iter().map(|row| row[2]).sum();
        intent.set(Control::RootHeight, Some((heights / (to - from + 1) as f64) as f32));
    }

    /// The next labelled moment, the middle of its label, in the frames before it that look so far ahead.
    fn achieve(&self, index: usize, action: &Action, labels: &[u32], intents: &mut [Intent]) {
        let lookahead = self.frames(action.lookahead_secs);
        // Later moments first: an earlier one overrules them in the frames that see both.
        for (first, end) in runs(labels.len(), |frame| labels[frame] >> index & 1 == 1).into_iter().rev() {
            let moment = first + (end - first) / 2;
            let sees_it = moment.saturating_sub(lookahead)..=moment;
            for (frame, intent) in sees_it.clone().zip(&mut intents[sees_it]) {
                intent.actions |= 1 << index;
                self.set_target(frame, moment, intent);
                intent.set(Control::RootHeight, Some(self.rows[moment][2] as f32));
            }
            intents[moment..end].iter_mut().for_each(|intent| intent.actions |= 1 << index);
        }
    }

    /// Place, heading and time of a later frame, seen from an earlier one.
    fn set_target(&self, frame: usize, target: usize, intent: &mut Intent) {
        let [x, y] = [self.rows[target][0], self.rows[target][1]];
        let [forward, left] = self.figure.heading_frame(self.rows[frame]).inverse().point([x, y]);
        intent.set(Control::TargetForward, Some(forward as f32));
        intent.set(Control::TargetLeft, Some(left as f32));
        intent.set(Control::TargetTurn, Some(wrap_angle(self.headings[target] - self.headings[frame]) as f32));
        intent.set(Control::TimeLeft, Some(((target - frame) as f64 / self.rate_hz) as f32));
    }

    fn frames(&self, secs: f64) -> usize {
        libm::round(secs * self.rate_hz) as usize
    }
}

/// Angles that go on across ±π.
pub(crate) fn unwrapped(angles: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all: Vec<f64> = Vec::new();
    for angle in angles {
        let before = all.last().copied().unwrap_or(angle);
        all.push(before + wrap_angle(angle - before));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground_transform::GroundTransform;
    use sinew_sim::embedded;

    /// A walk at 1.2 m/s along the angle `course`, looking to `course + 0.3`, from 4 m off the origin.
    fn straight(frames: usize, course: f64) -> (Figure, Vec<f64>) {
        let figure = Figure::new(&embedded::humanoid(), 0.0).unwrap();
        let mut rows = Vec::new();
        for frame in 0..frames {
            let way = 4.0 + 1.2 * frame as f64 / 30.0;
            let mut row = figure.model().rest_position().to_vec();
            (row[0], row[1]) = (0.0, 0.0);
            GroundTransform { x: way * libm::cos(course), y: way * libm::sin(course), yaw: course + 0.3 }
                .move_root(&mut row);
            rows.extend(row);
        }
        (figure, rows)
    }

    fn near(found: Option<f32>, wanted: f64) -> bool {
        found.is_some_and(|found| (f64::from(found) - wanted).abs() < 1e-5)
    }

    #[test]
    fn a_straight_walk_means_to_go_straight_on() {
        for course in [0.0, 2.0, -3.0] {
            let (figure, rows) = straight(60, course);
            let actions = [Action::move_to(), Action::new("Walk", Goal::Maintain)];
            let intents = infer_intents(&figure, &rows, &[0b11; 60], &actions, 30.0);
            let intent = intents[7];
            assert_eq!(intent.actions, 0b11);
            assert!(near(intent.get(Control::TargetForward), 1.2 * libm::cos(0.3)), "{intent:?}");
            assert!(near(intent.get(Control::TargetLeft), -1.2 * libm::sin(0.3)), "{intent:?}");
            assert!(near(intent.get(Control::TargetTurn), 0.0) && near(intent.get(Control::TimeLeft), 1.0));
            assert!(near(intent.get(Control::Speed), 1.2) && near(intent.get(Control::TurnRate), 0.0));
            assert!(near(intent.get(Control::DirectionForward), libm::cos(0.3)));
            assert!(near(intent.get(Control::DirectionLeft), -libm::sin(0.3)));
            assert!(near(intent.get(Control::RootHeight), rows[2]));
            // The end of the sequence says nothing about what would come.
            assert_eq!(intents[45].get(Control::Speed), None);
            assert_eq!(intents[29].get(Control::Speed), intents[0].get(Control::Speed));
        }
    }

    #[test]
    fn who_moves_to_has_no_speed_and_who_stands_no_direction() {
        let (figure, mut rows) = straight(60, 0.0);
        let only = infer_intents(&figure, &rows, &[1; 60], &[Action::move_to()], 30.0);
        assert!(only[0].is_given(Control::TargetForward) && !only[0].is_given(Control::Speed));
        let nq = figure.model().position_count();
        let first = rows[..nq].to_vec();
        rows.chunks_mut(nq).for_each(|row| row.copy_from_slice(&first));
        let stands = infer_intents(&figure, &rows, &[1; 60], &[Action::new("Stand", Goal::Maintain)], 30.0);
        assert!(near(stands[0].get(Control::Speed), 0.0) && !stands[0].is_given(Control::DirectionForward));
    }

    #[test]
    fn a_punch_is_meant_from_its_lookahead_on() {
        let (figure, rows) = straight(120, 0.0);
        let action = Action { lookahead_secs: 2.0, ..Action::new("Punch", Goal::Achieve) };
        let mut labels = vec![0; 120];
        labels[80..91].fill(1);
        let intents = infer_intents(&figure, &rows, &labels, &[action], 30.0);
        let seen: Vec<usize> = (0..120).filter(|&f| intents[f].serves(0)).collect();
        assert_eq!(seen, (25..91).collect::<Vec<_>>(), "from 2 s before the middle, frame 85, to the end of the label");
        assert!(near(intents[25].get(Control::TimeLeft), 2.0) && near(intents[85].get(Control::TimeLeft), 0.0));
        assert!(near(intents[55].get(Control::TargetForward), 1.2 * libm::cos(0.3)));
        assert!(!intents[88].is_given(Control::TimeLeft));
    }

    #[test]
    fn of_two_moments_the_next_one_is_meant() {
        let (figure, rows) = straight(120, 0.0);
        let mut labels = vec![0; 120];
        (labels[40], labels[80]) = (1, 1);
        let intents = infer_intents(&figure, &rows, &labels, &[Action::new("Punch", Goal::Achieve)], 30.0);
        assert!(near(intents[30].get(Control::TimeLeft), 10.0 / 30.0));
        assert!(near(intents[41].get(Control::TimeLeft), 39.0 / 30.0));
    }
}
