//! What a character means to do in a frame: C = (α, {β}) of Park et al. 2019, §3.

use serde::{Deserialize, Serialize};

/// Number of control values.
pub const CONTROLS: usize = 9;

/// A control value β. Places and directions are in the heading frame: the origin is the root's place on the ground, forward is where the character looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// The target's place, forward, m.
    TargetForward,
    /// The target's place, to the left, m.
    TargetLeft,
    /// Turn from the present heading to that at the target, rad.
    TargetTurn,
    /// Time until the target is reached, s.
    TimeLeft,
    /// Mean speed along the ground 0.5 to 1.0 s ahead, m/s.
    Speed,
    /// Mean direction of moving 0.5 to 1.0 s ahead, a unit vector: its forward part.
    DirectionForward,
    /// Its part to the left.
    DirectionLeft,
    /// Mean rate of turning 0.5 to 1.0 s ahead, rad/s; positive to the left.
    TurnRate,
    /// Height of the root: mean 0.5 to 1.0 s ahead, or at the target, m.
    RootHeight,
}

impl Control {
    /// All control values, in the order of [`Intent::values`].
    pub const ALL: [Control; CONTROLS] = [
        Control::TargetForward,
        Control::TargetLeft,
        Control::TargetTurn,
        Control::TimeLeft,
        Control::Speed,
        Control::DirectionForward,
        Control::DirectionLeft,
        Control::TurnRate,
        Control::RootHeight,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        [
            "target_forward",
            "target_left",
            "target_turn",
            "time_left",
            "speed",
            "direction_forward",
            "direction_left",
            "turn_rate",
            "root_height",
        ][self as usize]
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        ["m", "m", "rad", "s", "m/s", "", "", "rad/s", "m"][self as usize]
    }
}

/// The intent of a frame: the actions that it serves and the control values that are known. Any value may be left open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Intent {
    /// Actions, a bit for each of the set's; several may hold, and none is possible.
    pub actions: u32,
    /// Which values are given, a bit for each of [`Control::ALL`].
    given: u16,
    /// The values; 0 where not given.
    values: [f32; CONTROLS],
}

impl Intent {
    /// An intent to perform actions, with all values open.
    pub fn new(actions: u32) -> Intent {
        Intent { actions, ..Intent::default() }
    }

    /// A value; none where it is open.
    pub fn get(&self, control: Control) -> Option<f32> {
        self.is_given(control).then(|| self.values[control as usize])
    }

    /// Gives a value, or leaves it open.
    pub fn set(&mut self, control: Control, value: Option<f32>) {
        let bit = 1 << control as u16;
        self.given = if value.is_some() { self.given | bit } else { self.given & !bit };
        self.values[control as usize] = value.unwrap_or(0.0);
    }

    /// The same intent with a value.
    #[must_use]
    pub fn with(mut self, control: Control, value: f32) -> Intent {
        self.set(control, Some(value));
        self
    }

    /// Whether a value is given.
    pub fn is_given(&self, control: Control) -> bool {
        self.given & (1 << control as u16) != 0
    }

    /// All values in the order of [`Control::ALL`]; 0 where open. See [`Intent::mask`].
    pub fn values(&self) -> &[f32; CONTROLS] {
        &self.values
    }

    /// 1 for each value that is given, 0 for each that is open, as inputs of a network.
    pub fn mask(&self) -> [f32; CONTROLS] {
        Control::ALL.map(|control| f32::from(u8::from(self.is_given(control))))
    }

    /// Whether it serves an action, by the action's index in the set.
    pub fn serves(&self, action: usize) -> bool {
        self.actions & (1 << action) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_given_and_left_open() {
        let mut intent = Intent::new(0b10).with(Control::Speed, 1.5).with(Control::TargetForward, 0.0);
        assert!(intent.serves(1) && !intent.serves(0));
        assert_eq!((intent.get(Control::Speed), intent.get(Control::TargetForward)), (Some(1.5), Some(0.0)));
        assert_eq!(intent.get(Control::RootHeight), None);
        intent.set(Control::Speed, None);
        assert_eq!((intent.get(Control::Speed), intent.values()[Control::Speed as usize]), (None, 0.0));
        assert_eq!(intent.mask(), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn controls_stand_where_their_numbers_say() {
        assert!(Control::ALL.iter().enumerate().all(|(index, control)| *control as usize == index));
    }
}
