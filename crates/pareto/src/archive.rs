//! All evaluated jumps that no other dominates.

use crate::controller::Controller;
use crate::objectives::Jump;
use serde::{Deserialize, Serialize};
use sinew_optim::non_dominated::dominates;
use sinew_optim::select_survivors::{Extremes, select_survivors};

/// A controller, what its jump came to, and its objectives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The controller.
    pub controller: Controller,
    /// Its jump.
    pub jump: Jump,
    /// Objectives, all minimised.
    pub values: Vec<f64>,
}

/// Entries none of which dominates another, and which no jump that was ever offered dominates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Archive {
    entries: Vec<Entry>,
}

impl Archive {
    /// Takes an entry in unless one that is there is as good in everything; drops those that it dominates.
    pub fn offer(&mut self, entry: Entry) {
        let is_as_good = |other: &Entry| other.values.iter().zip(&entry.values).all(|(old, new)| old <= new);
        if self.entries.iter().any(is_as_good) {
            return;
        }
        self.entries.retain(|other| !dominates(&entry.values, &other.values));
        self.entries.push(entry);
    }

    /// Whether an entry dominates these objectives.
    pub fn dominates(&self, values: &[f64]) -> bool {
        self.entries.iter().any(|entry| dominates(&entry.values, values))
    }

    /// The entries, in the order in which they came.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// So many entries that leave much hypervolume, the lowest first: the one that adds least goes, again and again, and the ends stay; with two objectives, each
    /// of the others then moves to where it adds most between its neighbours, until none moves.
    pub fn spread(&self, count: usize) -> Vec<Entry> {
        let values: Vec<Option<&[f64]>> = self.entries.iter().map(|entry| Some(entry.values.as_slice())).collect();
        let is_kept = select_survivors(&values, count, Extremes::Kept).unwrap_or_else(|_| vec![true; values.len()]);
        let is_plane = self.entries.first().is_some_and(|entry| entry.values.len() == 2);
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by(|&a, &b| self.entries[a].values[0].total_cmp(&self.entries[b].values[0]));
        let mut kept: Vec<usize> = (0..order.len()).filter(|&rank| is_kept[order[rank]]).collect();
        let value = |rank: usize| &self.entries[order[rank]].values;
        let mut has_moved = is_plane;
        while has_moved {
            has_moved = false;
            for place in 1..kept.len().saturating_sub(1) {
                let (left, right) = (kept[place - 1], kept[place + 1]);
                // What a point between two others adds: (f₁ of the right − f₁)·(f₂ of the left − f₂).
                let adds = |rank: usize| (value(right)[0] - value(rank)[0]) * (value(left)[1] - value(rank)[1]);
                let best = (left + 1..right).max_by(|&a, &b| adds(a).total_cmp(&adds(b))).unwrap_or(kept[place]);
                if adds(best) > adds(kept[place]) {
                    kept[place] = best;
                    has_moved = true;
                }
            }
        }
        sorted(kept.into_iter().map(|rank| self.entries[order[rank]].clone()).collect())
    }
}

/// The lowest first.
pub fn sorted(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by(|a, b| a.jump.height.total_cmp(&b.jump.height));
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(price: f64, height: f64) -> Entry {
        let jump = Jump {
            failure: None,
            height,
            effort: price,
            assist: 0.0,
            landing: 0.0,
            flight_secs: 0.3,
            lasted_secs: 4.0,
        };
        Entry { controller: Controller::seed(), jump, values: vec![price, -height] }
    }

    #[test]
    fn what_is_dominated_stays_out_or_goes() {
        let mut archive = Archive::default();
        [(1.0, 1.7), (2.0, 2.0), (2.5, 1.9), (1.0, 1.7), (1.5, 2.0)]
            .into_iter()
            .for_each(|(p, h)| archive.offer(entry(p, h)));
        let values: Vec<_> = archive.entries().iter().map(|entry| entry.values.clone()).collect();
        assert_eq!(values, [vec![1.0, -1.7], vec![1.5, -2.0]]);
        assert!(archive.dominates(&[2.0, -2.0]) && !archive.dominates(&[1.5, -2.0]));
    }

    #[test]
    fn the_ends_stay_and_crowds_are_thinned() {
        let mut archive = Archive::default();
        [(1.0, 1.7), (1.01, 1.701), (1.5, 2.0), (1.52, 2.01), (2.0, 2.5)]
            .into_iter()
            .for_each(|(p, h)| archive.offer(entry(p, h)));
        let heights: Vec<f64> = archive.spread(3).iter().map(|entry| entry.jump.height).collect();
        assert!(heights[0] <= 1.701 && heights[1] > 1.9 && heights[2] == 2.5, "{heights:?}");
    }
}
