//! What was played, frame by frame.

use crate::error::Result;
use sinew_learn::foot_slide_cm;
use sinew_play::{Event, Happening, Input, Part, Player};
use sinew_sim::Model;
use sinew_work::check_cancelled;
use std::sync::Arc;

/// What was played, frame by frame. The first row is the start.
pub struct Take {
    /// Frames a second.
    pub rate_hz: f64,
    /// The compiled world.
    pub model: Arc<Model>,
    /// `qpos` of the world in each frame.
    pub worlds: Vec<Vec<f64>>,
    /// `qpos` of the character in each frame.
    pub rows: Vec<Vec<f64>>,
    /// Sites of the motion in contact, in each frame.
    pub contacts: Vec<u32>,
    /// The target of each frame, where there is one.
    pub targets: Vec<Option<[f64; 2]>>,
    /// Whether it lies limp in each frame.
    pub is_limp: Vec<bool>,
    /// The balls that fly or lie about, in each frame.
    pub thrown: Vec<Vec<bool>>,
    /// What happened.
    pub events: Vec<Event>,
}

impl Take {
    /// Plays all inputs.
    ///
    /// # Errors
    /// Where the player refuses, or the work was told to stop.
    pub fn record(player: &mut Player, inputs: &[Vec<Input>]) -> Result<Take> {
        let mut take = Take {
            rate_hz: player.rate_hz(),
            model: player.model().clone(),
            worlds: Vec::new(),
            rows: Vec::new(),
            contacts: Vec::new(),
            targets: Vec::new(),
            is_limp: Vec::new(),
            thrown: Vec::new(),
            events: Vec::new(),
        };
        take.add(player, None);
        for now in inputs {
            check_cancelled()?;
            take.events.extend(player.step(now)?);
            take.add(player, player.objective(0).target);
        }
        Ok(take)
    }

    fn add(&mut self, player: &Player, target: Option<[f64; 2]>) {
        self.worlds.push(player.world().position());
        self.rows.push(player.position(0));
        self.contacts.push(player.motion(0).contacts);
        self.targets.push(target);
        self.is_limp.push(player.is_limp(0));
        self.thrown.push(player.balls().iter().map(Option::is_some).collect());
    }

    /// Its length, s.
    pub fn secs(&self) -> f64 {
        (self.rows.len() - 1) as f64 / self.rate_hz
    }

    /// Distance of the root from each target when it was no longer asked for, m: median.
    pub fn target_error_m(&self) -> Option<f64> {
        let is_last = |frame: &usize| self.targets.get(frame + 1) != Some(&self.targets[*frame]);
        let mut errors: Vec<f64> = (0..self.rows.len())
            .filter(is_last)
            .filter_map(|frame| {
                let [x, y] = self.targets[frame]?;
                let (a, b) = (x - self.rows[frame][0], y - self.rows[frame][1]);
                Some((a * a + b * b).sqrt())
            })
            .collect();
        errors.sort_by(f64::total_cmp);
        errors.get(errors.len() / 2).copied()
    }

    /// Farthest that a foot gets from where its contact began, cm: median over contacts; while it lies, nothing is a contact.
    pub fn foot_slide_cm(&self, part: &Part) -> f64 {
        let contacts = self.contacts.iter().zip(&self.is_limp).map(|(bits, is_limp)| if *is_limp { 0 } else { *bits });
        foot_slide_cm(part.generator().figure(), &self.rows, &contacts.collect::<Vec<_>>())
    }

    /// How often those of the characters fell that are asked for by their number.
    pub fn falls(&self, counts: impl Fn(usize) -> bool) -> u64 {
        self.events.iter().filter(|event| event.what == Happening::Fell && counts(event.character)).count() as u64
    }

    /// What happened, one sentence each; of several characters with their numbers.
    pub fn sentences(&self, part: &Part) -> Vec<String> {
        let are_several = self.model.scene().characters.len() > 1;
        let name = |action: usize| part.actions().get(action).map_or("?", |action| action.name.as_str());
        let told = |event: &Event| {
            let what = match event.what {
                Happening::Began(action) => format!("began {}", name(action)),
                Happening::Achieved(action) => format!("went through {}", name(action)),
                Happening::Fell => "fell".to_owned(),
                Happening::StandsUp => "stands up".to_owned(),
                Happening::StoodUp => "has stood up".to_owned(),
                Happening::PlacedAnew => "was put onto its motion".to_owned(),
            };
            let at = event.frame as f64 / self.rate_hz;
            if are_several {
                format!("{at:.2} s: character {} {what}", event.character)
            } else {
                format!("{at:.2} s: {what}")
            }
        };
        self.events.iter().map(told).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::{Scene, embedded};

    fn empty() -> Take {
        Take {
            rate_hz: 30.0,
            model: Arc::new(Model::new(&Scene::on_ground(embedded::humanoid()), 0.002).expect("a model")),
            worlds: Vec::new(),
            rows: Vec::new(),
            contacts: Vec::new(),
            targets: Vec::new(),
            is_limp: Vec::new(),
            thrown: Vec::new(),
            events: Vec::new(),
        }
    }

    #[test]
    fn a_target_is_judged_when_it_is_no_longer_asked_for() {
        let rows: Vec<Vec<f64>> = (0..6).map(|frame| vec![f64::from(frame), 0.0]).collect();
        let (first, second) = (Some([2.5, 0.0]), Some([5.0, 3.0]));
        let take = Take {
            rows,
            contacts: vec![0; 6],
            targets: vec![None, first, first, second, second, second],
            is_limp: vec![false; 6],
            ..empty()
        };
        // 0.5 m off the first at frame 2, 3 m off the second at frame 5.
        assert_eq!(take.target_error_m(), Some(3.0));
        assert_eq!(take.secs(), 5.0 / 30.0);
        let free = Take { targets: vec![None; 6], ..take };
        assert_eq!(free.target_error_m(), None);
    }

    #[test]
    fn falls_are_those_of_the_characters_that_count() {
        let event = |character, what| Event { frame: 15, character, what };
        let fell = [0, 3, 3, 1, 2].map(|character| event(character, Happening::Fell));
        let events = [&fell[..], &[event(1, Happening::StandsUp)]].concat();
        let take = Take { events, ..empty() };
        assert_eq!([0, 1].map(|team| take.falls(|number| number % 2 == team)), [2, 3]);
    }
}
