//! How far frames are from each other, and where two stretches of motion come closest.
//!
//! A frame is the places of its joints and end effectors in the heading frame, and their velocities times a weight, so that frames compare wherever the
//! character stands and looks. The matrix of all distances is never held: blocks of its rows are computed and searched side by side.

use crate::captured::Captured;
use crate::config::DataConfig;
use crate::figure::Figure;
use crate::motion_set::RATE_HZ;
use rayon::prelude::*;

/// Rows of the matrix in one block.
const BLOCK: usize = 64;
/// Frames of one clip that are nearer than this are no transition, s.
const NEAR_SECS: f64 = 0.5;

/// The frames of all clips as vectors, whose distance is the root mean square over the points, m.
pub struct Features {
    width: usize,
    values: Vec<f32>,
    /// Which feet touch the ground, a bit for each; frames with other bits do not meet.
    feet: Vec<u32>,
    /// Whether a transition may leave or enter a frame.
    is_open: Vec<bool>,
    clip_of: Vec<u32>,
    frames: usize,
}

/// A place where two stretches of motion come closest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// The earlier frame.
    pub first: u32,
    /// The later frame.
    pub second: u32,
    /// Their distance, m.
    pub distance: f32,
}

impl Features {
    /// Computes the vectors of all frames.
    pub fn new(figure: &Figure, captured: &Captured, config: &DataConfig) -> Features {
        let frames = captured.frame_count();
        let places: Vec<Vec<[f64; 3]>> =
            (0..frames).into_par_iter().map(|frame| figure.joint_places(captured.position(frame))).collect();
        let points = places.first().map_or(0, Vec::len);
        let width = 6 * points;
        let scale = 1.0 / (points.max(1) as f64).sqrt();
        let mut values = vec![0.0f32; frames * width];
        values.par_chunks_mut(width.max(1)).enumerate().for_each(|(frame, out)| {
            let clip = captured.frames_of(captured.clip_of(frame));
            let (before, after) = (frame.saturating_sub(1).max(clip.start), (frame + 1).min(clip.end - 1));
            let rate = RATE_HZ / (after - before).max(1) as f64;
            let to_heading = figure.heading_frame(captured.position(frame)).inverse();
            for point in 0..points {
                let place = to_heading.place(places[frame][point]);
                let moved: [f64; 3] = std::array::from_fn(|k| places[after][point][k] - places[before][point][k]);
                let [x, y] = to_heading.vector([moved[0], moved[1]]);
                let velocity = [x, y, moved[2]].map(|v| v * rate * config.velocity_secs);
                for k in 0..3 {
                    out[6 * point + k] = (scale * place[k]) as f32;
                    out[6 * point + 3 + k] = (scale * velocity[k]) as f32;
                }
            }
        });
        let feet = captured.contacts.iter().map(|&bits| foot_bits(figure, bits)).collect();
        let is_open = captured.labels.iter().map(|bits| bits & captured.achieved == 0).collect();
        let clip_of = (0..frames).map(|frame| captured.clip_of(frame) as u32).collect();
        Features { width, values, feet, is_open, clip_of, frames }
    }

    fn row(&self, frame: usize) -> &[f32] {
        &self.values[frame * self.width..(frame + 1) * self.width]
    }

    /// Which feet touch the ground in a frame.
    pub fn feet(&self, frame: usize) -> u32 {
        self.feet[frame]
    }

    /// Whether a transition may leave or enter a frame.
    pub fn is_open(&self, frame: usize) -> bool {
        self.is_open[frame]
    }

    /// Distance of two frames by pose and velocity, m.
    pub fn distance(&self, a: usize, b: usize) -> f32 {
        square_distance(self.row(a), self.row(b)).sqrt()
    }

    /// How far a pose moves in 0.1 s: the median over all frames, m.
    pub fn reference(&self) -> f32 {
        let later = libm::round(0.1 * RATE_HZ) as usize;
        let same_clip = |frame: &usize| self.clip_of[*frame] == self.clip_of[frame + later];
        let mut all: Vec<f32> = (0..self.frames.saturating_sub(later))
            .filter(same_clip)
            .map(|frame| self.distance(frame, frame + later))
            .collect();
        all.sort_by(f32::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(0.0)
    }

    /// Finds all meetings within a distance: entries of the matrix above its diagonal that are not larger than their eight neighbours.
    pub fn meetings(&self, largest: f32) -> Vec<Meeting> {
        let blocks = self.frames.div_ceil(BLOCK);
        let found: Vec<Vec<Meeting>> =
            (0..blocks).into_par_iter().map(|b| self.meetings_of_block(b, largest)).collect();
        found.into_iter().flatten().collect()
    }

    fn meetings_of_block(&self, block: usize, largest: f32) -> Vec<Meeting> {
        if sinew_work::is_cancelled() {
            return Vec::new();
        }
        let rows = block * BLOCK..((block + 1) * BLOCK).min(self.frames);
        // One row more on either side, to compare with.
        let (from, to) = (rows.start.saturating_sub(1), (rows.end + 1).min(self.frames));
        let columns = self.frames;
        let mut squares = vec![f32::INFINITY; (to - from) * columns];
        for (i, row) in (from..to).zip(squares.chunks_mut(columns)) {
            for (j, square) in row.iter_mut().enumerate().skip(from) {
                if self.may_meet(i, j) {
                    *square = square_distance(self.row(i), self.row(j));
                }
            }
        }
        let at = |i: usize, j: usize| squares[(i - from) * columns + j];
        let limit = largest * largest;
        let mut found = Vec::new();
        for i in rows {
            for j in i + 1..columns {
                let own = at(i, j);
                if own > limit {
                    continue;
                }
                let around = (i.saturating_sub(1)..(i + 2).min(self.frames))
                    .flat_map(|a| (j - 1..(j + 2).min(columns)).map(move |b| (a, b)))
                    .filter(|&(a, b)| {
                        (a, b) != (i, j) && self.clip_of[a] == self.clip_of[i] && self.clip_of[b] == self.clip_of[j]
                    });
                // Of equal neighbours the first one counts.
                let is_least =
                    around.into_iter().all(|(a, b)| if (a, b) < (i, j) { at(a, b) > own } else { at(a, b) >= own });
                if is_least {
                    found.push(Meeting { first: i as u32, second: j as u32, distance: own.sqrt() });
                }
            }
        }
        found
    }

    fn may_meet(&self, i: usize, j: usize) -> bool {
        let is_near = self.clip_of[i] == self.clip_of[j] && i.abs_diff(j) < (NEAR_SECS * RATE_HZ) as usize;
        !is_near && self.feet[i] == self.feet[j] && self.is_open[i] && self.is_open[j]
    }
}

/// Contacts of feet as a whole: a foot touches where any of its sites does.
fn foot_bits(figure: &Figure, contacts: u32) -> u32 {
    let mut bits = 0;
    let mut feet: Vec<&str> = Vec::new();
    for (index, site) in figure.sites().iter().enumerate().filter(|(_, site)| site.is_foot) {
        let foot = site.limb();
        let number = feet.iter().position(|f| *f == foot).unwrap_or_else(|| {
            feet.push(foot);
            feet.len() - 1
        });
        bits |= (contacts >> index & 1) << number;
    }
    bits
}

/// `Σ (a − b)²`, in sixteen sums that run side by side, added up in one fixed order.
fn square_distance(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 16];
    let (long_a, rest_a) = a.as_chunks::<16>();
    let (long_b, rest_b) = b.as_chunks::<16>();
    for (x, y) in long_a.iter().zip(long_b) {
        for k in 0..16 {
            let d = x[k] - y[k];
            sums[k] += d * d;
        }
    }
    for (k, (x, y)) in rest_a.iter().zip(rest_b).enumerate() {
        let d = x - y;
        sums[k] += d * d;
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_side_by_side_are_the_sum() {
        let a: Vec<f32> = (0..53).map(|i| (i % 7) as f32).collect();
        let b: Vec<f32> = (0..53).map(|i| (i % 3) as f32).collect();
        let plain: f32 = a.iter().zip(&b).map(|(x, y)| (x - y) * (x - y)).sum();
        assert_eq!(square_distance(&a, &b), plain);
    }

    /// Two clips of numbers on a line, each frame one number.
    fn line(first: &[f32], second: &[f32]) -> Features {
        let values: Vec<f32> = first.iter().chain(second).copied().collect();
        let frames = values.len();
        let clip_of = (0..frames).map(|f| u32::from(f >= first.len())).collect();
        Features { width: 1, values, feet: vec![0; frames], is_open: vec![true; frames], clip_of, frames }
    }

    #[test]
    fn clips_meet_where_they_come_closest() {
        let first: Vec<f32> = (0..80).map(|i| i as f32).collect();
        let second: Vec<f32> = (0..50).map(|i| 30.2 + 1.0 - i as f32 * 0.5).collect();
        // 31.2 − j/2 comes closest to whole numbers i at i = 31, j = 0 and so on: one meeting for each whole number.
        let features = line(&first, &second);
        let found = features.meetings(0.25);
        assert!(found.contains(&Meeting { first: 31, second: 80, distance: features.distance(31, 80) }), "{found:?}");
        assert!(found.iter().all(|m| m.first < 80 && m.second >= 80 && m.distance <= 0.25));
        let mut closed = line(&first, &second);
        closed.is_open[31] = false;
        assert!(closed.meetings(0.25).iter().all(|m| m.first != 31));
        let mut lifted = line(&first, &second);
        lifted.feet[80..].fill(1);
        let met = lifted.meetings(100.0);
        assert!(
            !met.is_empty() && met.iter().all(|m| (m.first < 80) == (m.second < 80)),
            "a foot that stands does not meet one in the air"
        );
    }

    #[test]
    fn blocks_leave_no_seams() {
        let first: Vec<f32> = (0..150).map(|i| libm::sinf(0.11 * i as f32)).collect();
        let second: Vec<f32> = (0..150).map(|i| libm::sinf(0.09 * i as f32 + 1.0)).collect();
        let features = line(&first, &second);
        let all = |i: usize, j: usize| -> f32 {
            if features.may_meet(i, j) { square_distance(features.row(i), features.row(j)) } else { f32::INFINITY }
        };
        let mut plain = Vec::new();
        for (i, j) in (0..300usize).flat_map(|i| (i + 1..300).map(move |j| (i, j))) {
            let mut is_least = all(i, j) <= 0.01 * 0.01;
            for (a, b) in
                (i.saturating_sub(1)..=(i + 1).min(299)).flat_map(|a| (j - 1..=(j + 1).min(299)).map(move |b| (a, b)))
            {
                let same = features.clip_of[a] == features.clip_of[i] && features.clip_of[b] == features.clip_of[j];
                is_least &= !same
                    || (a, b) == (i, j)
                    || if (a, b) < (i, j) { all(a, b) > all(i, j) } else { all(a, b) >= all(i, j) };
            }
            if is_least {
                plain.push((i as u32, j as u32));
            }
        }
        let found: Vec<(u32, u32)> = features.meetings(0.01).iter().map(|m| (m.first, m.second)).collect();
        assert!(plain.len() > 20);
        assert_eq!(found, plain);
    }
}
