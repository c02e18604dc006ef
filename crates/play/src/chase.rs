//! Characters that go for one another: who is the nearest of another team.

use crate::input::{Input, Steer};

/// Frames after which a character looks again where the other one is: who is asked for another place in every frame tries out nothing to its end.
const LOOKS_EVERY: u64 = 15;

/// Whom characters go for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chases {
    targets: Vec<Option<[f64; 2]>>,
}

impl Chases {
    /// Inputs in which every chase is a target. `places` are those of all characters' roots on the ground, none of those that lie.
    pub fn led(&mut self, inputs: &[Input], frame: u64, places: &[Option<[f64; 2]>], own: &[[f64; 2]]) -> Vec<Input> {
        self.targets.resize(inputs.len(), None);
        let mut led = inputs.to_vec();
        for (character, input) in led.iter_mut().enumerate() {
            let Steer::Chase(teams) = input.steer else {
                self.targets[character] = None;
                continue;
            };
            let target = &mut self.targets[character];
            if target.is_none() || frame.is_multiple_of(LOOKS_EVERY) {
                *target = nearest(character, teams, places, own[character]);
            }
            // Who has nobody to go for stands.
            input.steer = target.map_or(Steer::Stick([0.0; 2]), Steer::Target);
        }
        led
    }
}

/// Place of the nearest character of another team.
fn nearest(character: usize, teams: usize, places: &[Option<[f64; 2]>], own: [f64; 2]) -> Option<[f64; 2]> {
    let teams = teams.max(1);
    let off = |place: [f64; 2]| (place[0] - own[0]).powi(2) + (place[1] - own[1]).powi(2);
    let others = places.iter().enumerate().filter(|(other, _)| other % teams != character % teams);
    others.filter_map(|(_, place)| *place).min_by(|a, b| off(*a).total_cmp(&off(*b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [[f64; 2]; 4] = [[0.0, 0.0], [3.0, 0.0], [1.0, 0.0], [0.0, -2.0]];

    fn chasing(count: usize) -> Vec<Input> {
        vec![Input { steer: Steer::Chase(2), ..Input::default() }; count]
    }

    fn targets(led: &[Input]) -> Vec<Steer> {
        led.iter().map(|input| input.steer).collect()
    }

    #[test]
    fn the_nearest_of_another_team_who_stands_is_gone_for() {
        let mut chases = Chases::default();
        let up = PLACES.map(Some);
        let led = chases.led(&chasing(4), 0, &up, &PLACES);
        let [a, b, c, d] = PLACES.map(Steer::Target);
        assert_eq!(targets(&led), [d, c, b, a]);
        // Who lies is left alone: the other one of the team is next.
        let fallen = [up[0], up[1], up[2], None];
        let led = chases.led(&chasing(4), LOOKS_EVERY, &fallen, &PLACES);
        assert_eq!(targets(&led), [b, c, b, a]);
        // Without anybody, it stands.
        let alone = chases.led(&chasing(4), 2 * LOOKS_EVERY, &[up[0], None, up[2], None], &PLACES);
        assert_eq!(alone[0].steer, Steer::Stick([0.0; 2]));
    }

    #[test]
    fn it_looks_again_twice_a_second_and_what_is_asked_for_otherwise_stays() {
        let mut chases = Chases::default();
        let mut inputs = chasing(2);
        inputs[1].steer = Steer::Free;
        let led = |chases: &mut Chases, frame, x: f64| {
            let own = [[0.0, 0.0], [x, 0.0]];
            targets(&chases.led(&inputs, frame, &own.map(Some), &own))
        };
        assert_eq!(led(&mut chases, 1, 5.0), [Steer::Target([5.0, 0.0]), Steer::Free]);
        assert_eq!(led(&mut chases, 14, 6.0)[0], Steer::Target([5.0, 0.0]));
        assert_eq!(led(&mut chases, 15, 7.0)[0], Steer::Target([7.0, 0.0]));
    }
}
