//! The exact nearest frame under weights that change from query to query.
//!
//! Frames that follow each other are alike, so boxes around runs of them are small: boxes of 16 frames within boxes of 64 (Holden et al. 2020, *Learned
//! motion matching*, appendix). A box whose nearest point is farther than the best frame so far is skipped. Within a box, features lie side by side for 16
//! frames, so that the CPU compares several at once; no sum runs across frames, hence the result does not depend on how many.

/// Frames of a small box.
const SMALL: usize = 16;
/// Small boxes of a large one.
const PER_LARGE: usize = 4;

/// What is looked for: `Σ weight·(feature − value)²` is to be least.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Query {
    pub values: Vec<f32>,
    pub weights: Vec<f32>,
    /// Only frames that serve one of these actions; 0 for any.
    pub actions: u32,
}

impl Query {
    /// Cost of given features.
    pub fn cost(&self, features: &[f32]) -> f32 {
        let terms = self.values.iter().zip(&self.weights).zip(features);
        terms.fold(0.0, |sum, ((value, weight), feature)| sum + weight * ((feature - value) * (feature - value)))
    }
}

/// Features of all frames, and boxes around them.
#[derive(Clone, Debug)]
pub(super) struct SearchIndex {
    dims: usize,
    frames: usize,
    /// [small box][feature][16 frames].
    features: Vec<f32>,
    /// Actions of each frame; none for frames that may not be found.
    actions: Vec<Option<u32>>,
    small: Boxes,
    large: Boxes,
}

#[derive(Clone, Debug, Default)]
struct Boxes {
    /// [box][feature] least, then largest.
    low: Vec<f32>,
    high: Vec<f32>,
    actions: Vec<u32>,
    is_used: Vec<bool>,
}

impl SearchIndex {
    /// Builds the index of rows of features; `actions` is none for frames that may not be found.
    pub fn new(rows: &[f32], dims: usize, actions: Vec<Option<u32>>) -> SearchIndex {
        let frames = actions.len();
        let small_count = frames.div_ceil(SMALL);
        let mut features = vec![0.0; small_count * dims * SMALL];
        let (mut small, mut large) = (Boxes::default(), Boxes::default());
        for index in 0..small_count {
            let range = index * SMALL..((index + 1) * SMALL).min(frames);
            for frame in range.clone() {
                for d in 0..dims {
                    features[(index * dims + d) * SMALL + frame % SMALL] = rows[frame * dims + d];
                }
            }
            small.push(rows, dims, range, &actions);
        }
        for index in 0..small_count.div_ceil(PER_LARGE) {
            let size = SMALL * PER_LARGE;
            large.push(rows, dims, index * size..((index + 1) * size).min(frames), &actions);
        }
        SearchIndex { dims, frames, features, actions, small, large }
    }

    /// Writes the features of a frame.
    pub fn features(&self, frame: usize, out: &mut Vec<f32>) {
        let (index, lane) = (frame / SMALL, frame % SMALL);
        out.clear();
        out.extend((0..self.dims).map(|d| self.features[(index * self.dims + d) * SMALL + lane]));
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.frames
    }

    /// Whether a frame may be found.
    pub fn may_find(&self, frame: usize) -> bool {
        self.actions[frame].is_some()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        let boxes = |b: &Boxes| 4 * (b.low.len() + b.high.len() + b.actions.len()) + b.is_used.len();
        4 * self.features.len() + 8 * self.actions.len() + boxes(&self.small) + boxes(&self.large)
    }

    /// Returns the frame of least cost below `below`, and its cost; of equal ones the first. None where no frame that may be found is so near.
    pub fn nearest(&self, query: &Query, below: f32) -> Option<(usize, f32)> {
        let mut best = Best { frame: usize::MAX, cost: below };
        let bounds: Vec<f32> = (0..self.large.actions.len()).map(|i| self.large.bound(i, query)).collect();
        // The most promising box first: its best frame rules out most others.
        let first = (0..bounds.len()).fold(None, |first: Option<usize>, index| {
            if first.is_none_or(|f| bounds[index] < bounds[f]) { Some(index) } else { first }
        })?;
        self.search_large(first, query, &mut best);
        for (index, &bound) in bounds.iter().enumerate() {
            if index != first && bound <= best.cost {
                self.search_large(index, query, &mut best);
            }
        }
        (best.frame != usize::MAX).then_some((best.frame, best.cost))
    }

    fn search_large(&self, large: usize, query: &Query, best: &mut Best) {
        let end = ((large + 1) * PER_LARGE).min(self.small.actions.len());
        for small in large * PER_LARGE..end {
            if self.small.bound(small, query) <= best.cost {
                self.search_small(small, query, best);
            }
        }
    }

    fn search_small(&self, small: usize, query: &Query, best: &mut Best) {
        let block = &self.features[small * self.dims * SMALL..(small + 1) * self.dims * SMALL];
        let mut costs = [0.0f32; SMALL];
        for ((lanes, &value), &weight) in block.chunks_exact(SMALL).zip(&query.values).zip(&query.weights) {
            for (cost, feature) in costs.iter_mut().zip(lanes) {
                *cost += weight * ((feature - value) * (feature - value));
            }
        }
        let first = small * SMALL;
        for (lane, &cost) in costs.iter().enumerate().take(self.frames - first) {
            let frame = first + lane;
            let is_better = cost < best.cost || cost == best.cost && frame < best.frame && best.frame != usize::MAX;
            if is_better && self.actions[frame].is_some_and(|actions| serves(actions, query)) {
                *best = Best { frame, cost };
            }
        }
    }
}

struct Best {
    frame: usize,
    cost: f32,
}

fn serves(actions: u32, query: &Query) -> bool {
    query.actions == 0 || actions & query.actions != 0
}

impl Boxes {
    fn push(&mut self, rows: &[f32], dims: usize, frames: std::ops::Range<usize>, actions: &[Option<u32>]) {
        let (mut low, mut high) = (vec![f32::INFINITY; dims], vec![f32::NEG_INFINITY; dims]);
        let (mut all, mut is_used) = (0, false);
        for frame in frames {
            let Some(bits) = actions[frame] else { continue };
            (all, is_used) = (all | bits, true);
            for (d, &x) in rows[frame * dims..(frame + 1) * dims].iter().enumerate() {
                (low[d], high[d]) = (low[d].min(x), high[d].max(x));
            }
        }
        self.low.extend(low);
        self.high.extend(high);
        self.actions.push(all);
        self.is_used.push(is_used);
    }

    /// Cost of the nearest point of a box. In the order of [`Query::cost`], so that rounding cannot make it larger than the cost of a frame inside.
    fn bound(&self, index: usize, query: &Query) -> f32 {
        if !self.is_used[index] || !serves(self.actions[index], query) {
            return f32::INFINITY;
        }
        let dims = query.values.len();
        let (low, high) = (&self.low[index * dims..(index + 1) * dims], &self.high[index * dims..(index + 1) * dims]);
        let mut sum = 0.0;
        for d in 0..dims {
            let outside = (low[d] - query.values[d]).max(query.values[d] - high[d]).max(0.0);
            sum += query.weights[d] * (outside * outside);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A path that turns slowly through the features, with a jump here and there, as motion does.
    fn path(frames: usize, dims: usize, seed: u32) -> Vec<f32> {
        let mut rows = Vec::new();
        for frame in 0..frames {
            let piece = (frame / 37) as f32 * 1.7 + seed as f32;
            rows.extend((0..dims).map(|d| {
                // Quantised, so that equal costs occur.
                (8.0 * ((0.07 * frame as f32 + piece) * (d + 1) as f32).sin()).round() / 8.0
            }));
        }
        rows
    }

    fn brute_force(rows: &[f32], query: &Query, actions: &[Option<u32>]) -> Option<(usize, f32)> {
        let mut best: Option<(usize, f32)> = None;
        for (frame, bits) in actions.iter().enumerate() {
            if !bits.is_some_and(|bits| query.actions == 0 || bits & query.actions != 0) {
                continue;
            }
            let cost = query.cost(&rows[frame * query.values.len()..(frame + 1) * query.values.len()]);
            if best.is_none_or(|(_, least)| cost < least) {
                best = Some((frame, cost));
            }
        }
        best
    }

    proptest! {
        #[test]
        fn the_same_frame_is_found_as_by_looking_at_all(
            frames in 1usize..400,
            seed in 0u32..50,
            wanted in proptest::collection::vec(-1.5f32..1.5, 5),
            weights in proptest::collection::vec(prop_oneof![Just(0.0f32), 0.1f32..4.0], 5),
            mask in 0u32..4,
        ) {
            let rows = path(frames, 5, seed);
            let actions: Vec<Option<u32>> =
                (0..frames).map(|f| (f % 23 != 5).then_some(if f / 50 % 2 == 0 { 1 } else { 2 })).collect();
            let query = Query { values: wanted, weights, actions: mask };
            let index = SearchIndex::new(&rows, 5, actions.clone());
            prop_assert_eq!(index.nearest(&query, f32::INFINITY), brute_force(&rows, &query, &actions));
        }
    }

    #[test]
    fn only_what_is_below_the_bound_is_found() {
        let rows = path(200, 5, 1);
        let index = SearchIndex::new(&rows, 5, vec![Some(1); 200]);
        let query = Query { values: rows[35..40].to_vec(), weights: vec![1.0; 5], actions: 0 };
        assert_eq!(index.nearest(&query, 0.5), Some((7, 0.0)));
        assert_eq!(index.nearest(&query, 0.0), None, "as good is not better");
        let mut features = Vec::new();
        index.features(7, &mut features);
        assert_eq!(features, rows[35..40]);
        assert_eq!(index.nearest(&Query { actions: 4, ..query }, f32::INFINITY), None);
    }
}
