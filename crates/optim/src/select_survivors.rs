//! Which of parents and children live on: better fronts first, and of the front that does not fit, those that add most hypervolume.

use crate::hypervolume::{HypervolumeError, contributions, contributions_with_extremes, reference_beyond};
use crate::non_dominated::fronts;
use serde::{Deserialize, Serialize};

/// How children compete with their parents for the places of the next generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Selection {
    /// [`select_one_by_one`]. The default, because the hypervolume does not fall, so that step sizes shrink and the points settle.
    #[default]
    OneByOne,
    /// [`select_survivors`] from all at once, as in Igel, Hansen & Roth 2007 and Agrawal & van de Panne 2013. Points that are dropped in turn,
    /// each for adding least, can leave less than the parents had: near the front the population then wanders without end.
    Together,
}

/// How the best points of single objectives are treated when a front is thinned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Extremes {
    /// They add what they add below [`reference_beyond`] the front: much, unless a neighbour is almost as good in their objective and better
    /// in the others. The default, because with [`Extremes::Kept`] such a point takes a place for nothing until the end: at a bound, say,
    /// where one objective falls by ever less and the other is left as bad as it was.
    #[default]
    Weighed,
    /// They add infinitely much, and always stay (Igel, Hansen & Roth 2007, section 3.2.2; Agrawal & van de Panne 2013, section 4.2.3).
    Kept,
}

/// Marks the `keep` best of the candidates; `None` stands for a candidate that failed, and is worse than any with values.
///
/// Fronts that fit are kept whole. From the first that does not, the point that adds least to the hypervolume of the rest of the front is
/// dropped, again and again, until it fits (Igel, Hansen & Roth 2007, section 3.2; Voß, Hansen & Igel 2010, section 2).
/// Among equals the later candidate goes first, so that of a parent and an equal child the parent stays.
pub fn select_survivors(
    candidates: &[Option<&[f64]>],
    keep: usize,
    extremes: Extremes,
) -> Result<Vec<bool>, HypervolumeError> {
    let (valued, points): (Vec<usize>, Vec<&[f64]>) =
        candidates.iter().enumerate().filter_map(|(i, values)| values.map(|values| (i, values))).unzip();
    let mut is_kept = vec![false; candidates.len()];
    let mut room = keep;
    for mut front in fronts(&points) {
        if front.len() > room {
            thin(&mut front, &points, room, extremes)?;
        }
        room -= front.len();
        front.iter().for_each(|&index| is_kept[valued[index]] = true);
        if room == 0 {
            return Ok(is_kept);
        }
    }
    // The failed fill what is left, the first first.
    let failed = (0..candidates.len()).filter(|&i| candidates[i].is_none());
    failed.take(room).for_each(|i| is_kept[i] = true);
    Ok(is_kept)
}

/// Marks as many of the candidates as there are parents, who come first: the others join the parents one by one, and each time the worst goes.
///
/// Each step is that of [`select_survivors`] with one candidate too many (the steady-state selection of Igel, Suttorp & Hansen 2006),
/// so that the hypervolume below a given reference point never falls.
pub fn select_one_by_one(
    candidates: &[Option<&[f64]>],
    parents: usize,
    extremes: Extremes,
) -> Result<Vec<bool>, HypervolumeError> {
    let mut alive: Vec<usize> = (0..parents).collect();
    for newcomer in (parents..candidates.len()).filter(|&i| candidates[i].is_some()) {
        alive.push(newcomer);
        let values: Vec<Option<&[f64]>> = alive.iter().map(|&i| candidates[i]).collect();
        let is_kept = select_survivors(&values, parents, extremes)?;
        let mut kept = is_kept.iter();
        alive.retain(|_| kept.next() == Some(&true));
    }
    let mut is_kept = vec![false; candidates.len()];
    alive.iter().for_each(|&i| is_kept[i] = true);
    Ok(is_kept)
}

/// Drops the point that adds least, the last of equals, until `room` are left.
fn thin(front: &mut Vec<usize>, points: &[&[f64]], room: usize, extremes: Extremes) -> Result<(), HypervolumeError> {
    let mut values: Vec<&[f64]> = front.iter().map(|&index| points[index]).collect();
    let reference = reference_beyond(&values);
    while front.len() > room {
        let added = match extremes {
            Extremes::Weighed => contributions(&values, &reference)?,
            Extremes::Kept => contributions_with_extremes(&values, &reference)?,
        };
        let least = (0..front.len()).rev().min_by(|&i, &j| added[i].total_cmp(&added[j])).unwrap_or(0);
        front.remove(least);
        values.remove(least);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(candidates: &[Option<[f64; 2]>], keep: usize) -> Vec<bool> {
        let candidates: Vec<Option<&[f64]>> = candidates.iter().map(|c| c.as_ref().map(<[f64; 2]>::as_slice)).collect();
        let [weighed, kept] =
            [Extremes::Weighed, Extremes::Kept].map(|extremes| select_survivors(&candidates, keep, extremes).unwrap());
        assert_eq!(weighed, kept);
        kept
    }

    #[test]
    fn better_fronts_come_first_and_the_last_is_thinned_where_it_is_densest() {
        let candidates = [[9.0, 9.0], [0.0, 4.0], [4.0, 0.0], [2.0, 2.0], [2.1, 1.95], [1.0, 3.0]].map(Some);
        assert_eq!(select(&candidates, 4), [false, true, true, true, false, true]);
        assert_eq!(select(&candidates, 6), [true; 6]);
        assert_eq!(select(&candidates, 0), [false; 6]);
    }

    #[test]
    fn of_equal_candidates_the_first_stays() {
        assert_eq!(select(&[Some([1.0, 1.0]), Some([1.0, 1.0])], 1), [true, false]);
        let twins = [[0.0, 2.0], [1.0, 1.0], [2.0, 0.0], [0.0, 2.0], [1.0, 1.0], [2.0, 0.0]].map(Some);
        assert_eq!(select(&twins, 3), [true, true, true, false, false, false]);
    }

    #[test]
    fn the_failed_live_on_only_where_there_is_room() {
        let candidates = [None, Some([5.0, 5.0]), None, Some([1.0, 1.0])];
        assert_eq!(select(&candidates, 1), [false, false, false, true]);
        assert_eq!(select(&candidates, 3), [true, true, false, true]);
    }

    #[test]
    fn least_contributors_go_one_by_one() {
        // The two in the middle add least while both are there; once one has gone, the other adds more than its neighbour.
        let candidates = [[0.0, 10.0], [4.9, 5.1], [5.0, 5.0], [7.0, 4.0], [10.0, 0.0]].map(Some);
        assert_eq!(select(&candidates, 4), [true, true, false, true, true]);
        assert_eq!(select(&candidates, 3), [true, true, false, false, true]);
    }

    #[test]
    fn one_by_one_does_not_lose_hypervolume_where_all_together_does() {
        use crate::hypervolume::hypervolume;
        let mut losses = 0;
        for index in 0..200 {
            // Eight points on a circle, the first four of which are the parents; the ends of the circle are among them.
            let mut random = crate::NormalStream::new(1, 0, index);
            let angles = (0..8)
                .map(|k| [0.0, 1.0].get(k).copied().unwrap_or_else(|| random.uniform()) * std::f64::consts::FRAC_PI_2);
            let points: Vec<[f64; 2]> = angles.map(|a| [1.0 - libm::cos(a), 1.0 - libm::sin(a)]).collect();
            let candidates: Vec<Option<&[f64]>> = points.iter().map(|p| Some(p.as_slice())).collect();
            let volume = |is_kept: Vec<bool>| {
                let kept: Vec<[f64; 2]> = (0..8).filter(|&i| is_kept[i]).map(|i| points[i]).collect();
                assert_eq!(kept.len(), 4);
                hypervolume(&kept, &[11.0, 11.0]).unwrap()
            };
            let before = hypervolume(&points[..4], &[11.0, 11.0]).unwrap();
            assert!(volume(select_one_by_one(&candidates, 4, Extremes::Weighed).unwrap()) >= before - 1e-12);
            losses +=
                usize::from(volume(select_survivors(&candidates, 4, Extremes::Weighed).unwrap()) < before - 1e-12);
        }
        assert!(losses > 0);
    }

    #[test]
    fn an_extreme_that_is_better_by_nothing_stays_only_where_extremes_are_kept() {
        let candidates: [Option<&[f64]>; 4] =
            [Some(&[0.0, 9.0]), Some(&[1e-12, 1.0]), Some(&[0.5, 0.5]), Some(&[1.0, 0.0])];
        assert_eq!(select_survivors(&candidates, 3, Extremes::Weighed).unwrap(), [false, true, true, true]);
        assert_eq!(select_survivors(&candidates, 3, Extremes::Kept).unwrap(), [true, true, false, true]);
    }
}
