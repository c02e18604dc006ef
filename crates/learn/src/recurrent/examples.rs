//! The set as the network learns from it: standardised rows, and stretches of motion with what a user could have asked for.
//!
//! The intents of a set say where the character is after a constant time. Users also ask for a place at a time that draws nearer, and leave values open:
//! half of the segments of a stretch count down to a moment of the motion, and in all of them values are left open at random.

use super::layout::Layout;
use super::standard::Standard;
use crate::actions::{Action, Goal};
use crate::figure::Figure;
use crate::ground_transform::{GroundTransform, wrap_angle};
use crate::intent::{CONTROLS, Control, Intent};
use crate::motion_set::{MotionSet, Sequence};
use crate::random::Stream;
use rayon::prelude::*;

/// Largest input in deviations.
pub(crate) const BOUND: f64 = 8.0;
/// Share of the segments that count down to a moment.
const COUNTDOWN: f64 = 0.5;
/// Share of the segments whose action is left open.
const ANY_ACTION: f64 = 0.1;
/// Duration of segments that do not count down, s.
const SEGMENT_SECS: [f64; 2] = [0.5, 3.0];
/// Control values that are left open together.
const GROUPS: [&[Control]; 7] = [
    &[Control::TargetForward, Control::TargetLeft],
    &[Control::TargetTurn],
    &[Control::TimeLeft],
    &[Control::Speed],
    &[Control::DirectionForward, Control::DirectionLeft],
    &[Control::TurnRate],
    &[Control::RootHeight],
];

/// All frames of a set.
pub(crate) struct Examples {
    pub layout: Layout,
    pub standard: Standard,
    pub controls: Standard,
    /// Control values that the set gives, a bit for each.
    pub known_controls: u16,
    pub actions: Vec<Action>,
    pub rate_hz: f64,
    pub sequences: Vec<ExampleSequence>,
}

/// A sequence of a set.
pub(crate) struct ExampleSequence {
    /// Standardised states, frame after frame.
    rows: Vec<f32>,
    /// The heading frame of each.
    pub frames: Vec<GroundTransform>,
    pub intents: Vec<Intent>,
}

impl ExampleSequence {
    /// Standardised states, frame after frame.
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }
}

/// A stretch of motion to be learnt.
pub(crate) struct Stretch {
    pub sequence: usize,
    pub first: usize,
    /// What is asked for in each frame, seen from the heading frame of the set.
    pub intents: Vec<Intent>,
}

impl Examples {
    pub fn new(set: &MotionSet, figure: &Figure) -> Examples {
        let layout = Layout::new(figure);
        let of = |sequence: &Sequence| {
            let positions = sequence.positions_f64(figure);
            let poses: Vec<&[f64]> = positions.chunks(figure.model().position_count()).collect();
            let frames: Vec<GroundTransform> = poses.iter().map(|pose| figure.heading_frame(pose)).collect();
            let step = |frame: usize| frames[frame - 1].inverse().then_after(&frames[frame]);
            let mut rows = Vec::with_capacity(frames.len() * layout.dims());
            for (frame, pose) in poses.iter().enumerate() {
                // The first frame moves as the second does.
                let step = if frames.len() > 1 { step(frame.max(1)) } else { GroundTransform::default() };
                let row = layout.encode(figure, pose, &step, sequence.contacts[frame]);
                rows.extend(row.iter().map(|&x| x as f32));
            }
            ExampleSequence { rows, frames, intents: sequence.intents.clone() }
        };
        let mut sequences: Vec<ExampleSequence> = set.sequences.par_iter().map(of).collect();
        let dims = layout.dims();
        let standard =
            Standard::of(sequences.iter().flat_map(|s| s.rows.chunks(dims)), dims, |k| layout.least_deviation(k));
        sequences.par_iter_mut().for_each(|sequence| {
            for row in sequence.rows.chunks_mut(dims) {
                row.iter_mut().enumerate().for_each(|(k, x)| *x = standard.standardised(k, f64::from(*x)) as f32);
            }
        });
        let intents = || set.sequences.iter().flat_map(|s| &s.intents);
        let given: Vec<[f32; CONTROLS]> =
            intents().map(|intent| Control::ALL.map(|c| intent.get(c).unwrap_or(f32::NAN))).collect();
        let unit_m = layout.unit_m;
        let least = |k: usize| match Control::ALL[k].unit() {
            "m" => 5.0 * unit_m,
            "s" => 0.3,
            _ => 0.1,
        };
        let controls = Standard::of(given.iter().map(<[f32; CONTROLS]>::as_slice), CONTROLS, least);
        let known = |control: &Control| intents().any(|intent| intent.is_given(*control));
        let known_controls =
            Control::ALL.iter().filter(|c| known(c)).fold(0, |bits, control| bits | 1 << *control as u16);
        let (actions, rate_hz) = (set.header.actions.clone(), set.header.rate_hz);
        Examples { layout, standard, controls, known_controls, actions, rate_hz, sequences }
    }

    /// A standardised state.
    pub fn row(&self, sequence: usize, frame: usize) -> impl Iterator<Item = f64> + '_ {
        let dims = self.layout.dims();
        self.sequences[sequence].rows[frame * dims..(frame + 1) * dims].iter().map(|&x| f64::from(x))
    }

    /// Draws a stretch of so many steps; each frame of the set that has as many after it is as likely. None where no sequence is that long.
    pub fn draw(&self, steps: usize, drop_share: f64, stream: &mut Stream) -> Option<Stretch> {
        let starts: Vec<f64> = self.sequences.iter().map(|s| s.frames.len().saturating_sub(steps) as f64).collect();
        if starts.iter().all(|&count| count == 0.0) {
            return None;
        }
        let sequence = stream.weighted(&starts);
        let first = (stream.uniform(0.0, starts[sequence]) as usize).min(starts[sequence] as usize - 1);
        let intents = self.asked(&self.sequences[sequence], first, steps, drop_share, stream);
        Some(Stretch { sequence, first, intents })
    }

    /// What is asked for in each frame of a stretch.
    fn asked(
        &self,
        sequence: &ExampleSequence,
        first: usize,
        steps: usize,
        drop_share: f64,
        stream: &mut Stream,
    ) -> Vec<Intent> {
        let mut asked = Vec::with_capacity(steps);
        while asked.len() < steps {
            let now = first + asked.len();
            let lookahead = self.moving_lookahead(&sequence.intents[now]);
            let counts_down = stream.uniform(0.0, 1.0) < COUNTDOWN;
            let share = if stream.uniform(0.0, 1.0) < 0.5 { 1.0 } else { stream.uniform(0.2, 1.0) };
            let secs = stream.uniform(SEGMENT_SECS[0], SEGMENT_SECS[1]);
            let drop = drop_share * stream.uniform(0.0, 2.0);
            let open: Vec<bool> = GROUPS.iter().map(|_| stream.uniform(0.0, 1.0) < drop).collect();
            let any_action = stream.uniform(0.0, 1.0) < ANY_ACTION;
            let only = (stream.uniform(0.0, 1.0) < 0.5).then(|| stream.uniform(0.0, 1.0));
            let due = match lookahead.filter(|_| counts_down) {
                Some(secs) => Some(now + libm::round(share * secs * self.rate_hz).max(1.0) as usize)
                    .filter(|&due| due < sequence.frames.len()),
                None => None,
            };
            let end = due.unwrap_or(now + libm::round(secs * self.rate_hz) as usize).min(first + steps);
            for frame in now..end.max(now + 1) {
                let mut intent = sequence.intents[frame];
                if let Some(due) = due {
                    let there = sequence.frames[frame].inverse().then_after(&sequence.frames[due]);
                    intent.set(Control::TargetForward, Some(there.x as f32));
                    intent.set(Control::TargetLeft, Some(there.y as f32));
                    intent.set(Control::TargetTurn, Some(wrap_angle(there.yaw) as f32));
                    intent.set(Control::TimeLeft, Some(((due - frame) as f64 / self.rate_hz) as f32));
                }
                for (group, _) in GROUPS.iter().zip(&open).filter(|(_, open)| **open) {
                    let stays = due.is_some() && matches!(group[0], Control::TargetForward | Control::TimeLeft);
                    if !stays {
                        group.iter().for_each(|&control| intent.set(control, None));
                    }
                }
                intent.actions = if any_action { 0 } else { one_of(intent.actions, only) };
                asked.push(intent);
            }
        }
        asked
    }

    /// How far the first action of an intent looks ahead that is no moment to be achieved, s.
    fn moving_lookahead(&self, intent: &Intent) -> Option<f64> {
        let served = self.actions.iter().enumerate().filter(|(index, _)| intent.serves(*index));
        if served.clone().any(|(_, action)| action.goal == Goal::Achieve) {
            return None;
        }
        served.map(|(_, action)| action.lookahead_secs).next()
    }

    /// Numbers of an input of the network.
    pub fn input_count(&self) -> usize {
        input_count(&self.layout, self.actions.len())
    }
}

/// Numbers of an input.
pub(crate) fn input_count(layout: &Layout, actions: usize) -> usize {
    layout.dims() + actions + 2 * CONTROLS
}

/// Appends the input of the network: a standardised state, actions, standardised control values (0 where open), and which of them are given.
pub(crate) fn append_input<T>(
    state: &[f64],
    intent: &Intent,
    actions: usize,
    controls: &Standard,
    of: impl Fn(f64) -> T,
    out: &mut Vec<T>,
) {
    out.extend(state.iter().map(|z| of(z.clamp(-BOUND, BOUND))));
    out.extend((0..actions).map(|action| of(f64::from(u8::from(intent.serves(action))))));
    out.extend(Control::ALL.iter().enumerate().map(|(k, &control)| {
        let value = intent.get(control).map_or(0.0, |x| controls.standardised(k, f64::from(x)));
        of(value.clamp(-BOUND, BOUND))
    }));
    out.extend(intent.mask().iter().map(|&given| of(f64::from(given))));
}

/// One of the actions where `only` is given, else all.
fn one_of(actions: u32, only: Option<f64>) -> u32 {
    let bits: Vec<u32> = (0..32).filter(|bit| actions >> bit & 1 == 1).collect();
    match only {
        Some(share) if !bits.is_empty() => 1 << bits[((share * bits.len() as f64) as usize).min(bits.len() - 1)],
        _ => actions,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_walks::circles;

    #[test]
    fn a_countdown_names_where_the_motion_is_when_it_is_due() {
        let (figure, set) = circles(&[(1.0, 0.6)], 120);
        let examples = Examples::new(&set, &figure);
        let mut found = 0;
        for index in 0..20 {
            let stretch = examples.draw(60, 0.5, &mut Stream::new(3, "stretch", index)).unwrap();
            assert_eq!(stretch.intents.len(), 60);
            let frames = &examples.sequences[0].frames;
            for (k, intent) in stretch.intents.iter().enumerate() {
                let Some(secs) = intent.get(Control::TimeLeft) else { continue };
                let frame = stretch.first + k;
                let due = frame + libm::round(f64::from(secs) * 30.0) as usize;
                let there = frames[frame].inverse().point([frames[due].x, frames[due].y]);
                let asked = [Control::TargetForward, Control::TargetLeft].map(|c| f64::from(intent.get(c).unwrap()));
                assert!((0..2).all(|k| (asked[k] - there[k]).abs() < 1e-5), "{asked:?}, not {there:?}");
                found += 1;
            }
        }
        assert!(found > 100, "{found}");
    }

    #[test]
    fn values_are_left_open_as_often_as_asked_for() {
        let (figure, mut set) = circles(&[(1.0, 0.6)], 120);
        set.sequences[0].intents.fill(Intent::new(0b1).with(Control::Speed, 1.0).with(Control::RootHeight, 0.9));
        let examples = Examples::new(&set, &figure);
        let share = |drop_share: f64| {
            let stretches =
                (0..200).map(|index| examples.draw(60, drop_share, &mut Stream::new(1, "stretch", index)).unwrap());
            let all: Vec<Intent> = stretches.flat_map(|stretch| stretch.intents).collect();
            all.iter().filter(|intent| intent.is_given(Control::Speed)).count() as f64 / all.len() as f64
        };
        assert_eq!(share(0.0), 1.0);
        assert!((share(0.5) - 0.5).abs() < 0.08, "{}", share(0.5));
        assert_eq!(examples.known_controls, 1 << Control::Speed as u16 | 1 << Control::RootHeight as u16);
        assert_eq!((one_of(0b110, Some(0.1)), one_of(0b110, Some(0.9)), one_of(0b110, None)), (0b10, 0b100, 0b110));
    }
}
