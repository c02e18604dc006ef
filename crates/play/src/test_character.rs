//! A figure that stands as it does at rest, under a policy that has learnt nothing, for tests.

use crate::part::Part;
use sinew_learn::{
    Action, Figure, Goal, Intent, MatchingConfig, MotionSet, Origin, SavedGenerator, Sequence, SetHeader, infer_intents,
};
use sinew_sim::embedded;
use sinew_track::{TrackedBody, TrackerConfig, TrainedPolicy, time_step};

/// Frames of each action that the figure shows.
pub(crate) const ACTION_FRAMES: usize = 40;

pub(crate) fn policy() -> TrainedPolicy {
    let config = TrackerConfig { steps_per_frame: 8, policy_layers: vec![16], ..TrackerConfig::default() };
    let body = TrackedBody::new(&embedded::humanoid(), 0.0, time_step(&config, 30.0)).expect("a body");
    TrainedPolicy::untrained(&body, &config, 30.0, 5)
}

/// A generator of a figure that stands, with actions by name, for each of which it stands, too.
pub(crate) fn standing(actions: &[&str]) -> SavedGenerator {
    let figure = Figure::new(&embedded::humanoid(), 0.0).expect("a figure");
    let rest: Vec<f32> = figure.model().rest_position().iter().map(|x| *x as f32).collect();
    let mut all = vec![Action::move_to()];
    all.extend(actions.iter().map(|name| Action::new(*name, Goal::Achieve)));
    let header = SetHeader::new(&figure, all.clone());
    let contacts = u32::MAX >> (32 - header.sites.len() as u32);
    let sequence = |name: &str, labels: Vec<u32>| {
        let frames = labels.len();
        let rows: Vec<f64> = rest.iter().map(|x| f64::from(*x)).collect::<Vec<_>>().repeat(frames);
        let intents: Vec<Intent> = infer_intents(&figure, &rows, &labels, &all, 30.0);
        Sequence {
            name: name.into(),
            source: name.into(),
            origin: Origin::Captured,
            positions: rest.repeat(frames),
            contacts: vec![contacts; frames],
            labels,
            intents,
        }
    };
    let mut sequences = vec![sequence("stands", vec![1; 120])];
    for (index, name) in actions.iter().enumerate() {
        let labels = [vec![1; 40], vec![2 << index; ACTION_FRAMES], vec![1; 40]].concat();
        sequences.push(sequence(name, labels));
    }
    let set = Box::new(MotionSet { header, sequences });
    SavedGenerator::Matching { config: MatchingConfig::default(), set }
}

pub(crate) fn part(actions: &[&str]) -> Part {
    Part::new(&standing(actions), &policy()).expect("a part")
}
