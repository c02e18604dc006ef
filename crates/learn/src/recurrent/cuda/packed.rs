//! What the GPU needs of a batch of stretches, step by step and row by row.

use super::super::examples::{Examples, Stretch};
use crate::ground_transform::GroundTransform;
use crate::intent::{CONTROLS, Control};
use crate::objective::Objective;
use rayon::prelude::*;

/// Numbers of a step of a stretch, as `window.cu` names them: what is asked for in the world; the true heading frame; control values of the set.
pub(super) const FIELDS: usize = CONTROLS + 3 + CONTROLS;

/// A batch of stretches, packed. Places are relative to where each stretch begins, so that 32 bits are enough.
pub(crate) struct Packed {
    /// [`FIELDS`] numbers of each row of each step.
    pub steps: Vec<f32>,
    /// Control values that are given, actions; of each row of each step.
    pub flags: Vec<u32>,
    /// Sequence and first frame of each row.
    pub starts: Vec<(usize, usize)>,
}

impl Packed {
    pub fn new(examples: &Examples, stretches: &[Stretch], steps: usize) -> Packed {
        let rows = stretches.len();
        let (mut fields, mut flags) = (vec![0.0; steps * rows * FIELDS], vec![0; steps * rows * 2]);
        let each = fields.par_chunks_exact_mut(rows * FIELDS).zip(flags.par_chunks_exact_mut(rows * 2)).enumerate();
        each.for_each(|(step, (fields, flags))| {
            for ((stretch, fields), flags) in
                stretches.iter().zip(fields.chunks_exact_mut(FIELDS)).zip(flags.chunks_exact_mut(2))
            {
                pack(examples, stretch, step, fields, flags);
            }
        });
        Packed { steps: fields, flags, starts: stretches.iter().map(|s| (s.sequence, s.first)).collect() }
    }
}

fn pack(examples: &Examples, stretch: &Stretch, step: usize, fields: &mut [f32], flags: &mut [u32]) {
    let sequence = &examples.sequences[stretch.sequence];
    let origin = sequence.frames[stretch.first];
    let frame = sequence.frames[stretch.first + step];
    let here = GroundTransform { x: frame.x - origin.x, y: frame.y - origin.y, yaw: frame.yaw };
    let intent = &stretch.intents[step];
    let asked = Objective::of_intent(intent, &here, 0.0);
    let (asked_fields, rest) = fields.split_at_mut(CONTROLS);
    for control in Control::ALL {
        let value = match control {
            Control::TargetForward => asked.target.map(|[x, _]| x),
            Control::TargetLeft => asked.target.map(|[_, y]| y),
            Control::TargetTurn => asked.heading_rad,
            Control::TimeLeft => asked.due_secs,
            Control::Speed => asked.speed,
            Control::DirectionForward | Control::DirectionLeft => asked.direction_rad,
            Control::TurnRate => asked.turn_rate,
            Control::RootHeight => asked.root_height,
        };
        asked_fields[control as usize] = value.unwrap_or(0.0) as f32;
        flags[0] |= u32::from(value.is_some()) << control as u32;
    }
    flags[1] = asked.actions;
    let (place, wanted) = rest.split_at_mut(3);
    place.copy_from_slice(&[here.x as f32, here.y as f32, here.yaw as f32]);
    let next = &sequence.intents[stretch.first + step + 1];
    for (k, (to, control)) in wanted.iter_mut().zip(Control::ALL).enumerate() {
        let value = next.get(control).map(|x| examples.controls.standardised(k, f64::from(x)) as f32);
        *to = value.unwrap_or(f32::NAN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intent::Intent;
    use crate::test_walks::circles;

    #[test]
    fn what_is_asked_for_lies_in_the_world_of_the_stretch() {
        let (figure, mut set) = circles(&[(1.0, 0.6)], 40);
        set.sequences[0].intents.fill(Intent::new(1).with(Control::Speed, 1.0));
        let examples = Examples::new(&set, &figure);
        let intent = Intent::new(1).with(Control::TargetForward, 2.0).with(Control::TargetLeft, 0.0);
        let stretch = Stretch { sequence: 0, first: 7, intents: vec![intent; 20] };
        let packed = Packed::new(&examples, &[stretch], 20);
        let frames = &examples.sequences[0].frames;
        let expected = frames[19].point([2.0, 0.0]);
        let fields = &packed.steps[12 * FIELDS..13 * FIELDS];
        assert!((f64::from(fields[0]) - (expected[0] - frames[7].x)).abs() < 1e-5, "{fields:?}");
        assert!((f64::from(fields[1]) - (expected[1] - frames[7].y)).abs() < 1e-5, "{fields:?}");
        assert_eq!(packed.flags[24..26], [0b11, 1]);
        // The set only knows the speed.
        let wanted: Vec<bool> = fields[CONTROLS + 3..].iter().map(|x| x.is_nan()).collect();
        assert_eq!(wanted, Control::ALL.map(|control| control != Control::Speed));
    }
}
