//! The pose in which the character stands, and which joints are near the ground in it.

use glam::{DQuat, DVec3};
use sinew_motion::skeleton::Placed;
use sinew_motion::{Clip, Skeleton};

/// Most frames that are looked at, spread over all clips.
pub(crate) const MOST_FRAMES: usize = 4096;

/// The pose in which the character stands.
#[derive(Clone, Debug)]
pub(crate) struct Stance {
    /// Every joint in that pose.
    pub placed: Vec<Placed>,
    /// The clip and frame that it was taken from; `None`: the bind pose.
    pub frame: Option<(usize, usize)>,
    /// Size, m: geometric mean of the height and the largest extent of joints, tips and skin; the height of a person.
    pub height: f64,
    /// Height of the lowest joint, tip or skin point, m.
    pub ground: f64,
    /// Joints of a chain that ends near the ground, themselves near it.
    pub is_low: Vec<bool>,
    /// Joints whose own bone or skin reaches the ground from well above it: legs without feet.
    pub is_stump: Vec<bool>,
    /// The same with a wider bound, for joints whose name says foot.
    pub is_lowish: Vec<bool>,
}

impl Stance {
    /// The bind pose where it stands as the clips do; else the frame in which most feet are near the ground and the figure is tallest.
    pub fn of(skeleton: &Skeleton, clips: &[Clip], bind: &[Placed], sole_height_share: f64) -> Stance {
        let frames = spread_frames(clips, 512);
        let placed_frames: Vec<Vec<Placed>> = frames.iter().map(|&(c, f)| clips[c].place(skeleton, f)).collect();
        let chosen = (!stands(skeleton, bind, &placed_frames)).then(|| best_frame(skeleton, &placed_frames)).flatten();
        let (placed, frame) = match chosen {
            Some(index) => (placed_frames[index].clone(), Some(frames[index])),
            None => (bind.to_vec(), None),
        };
        let (low, high) = extent(skeleton, &placed);
        let size = high - low;
        let tall = size.z.max(0.3 * size.max_element()).max(1e-3);
        let height = (tall * size.max_element().max(1e-3)).sqrt();
        let ground = low.z;

        // Chains that end near the ground, up to where they leave it.
        let lowest = lowest_of_subtree(skeleton, &placed);
        let near = |j: usize, share: f64| {
            lowest[j] < ground + 0.06 * tall && placed[j].position.z < ground + share * tall && j > 0
        };
        let mut is_low: Vec<bool> = (0..placed.len()).map(|j| near(j, sole_height_share)).collect();
        // A chain that only reaches down, like a tail or a hand of a hanging arm, is no leg: a leg hangs from well above.
        for (j, is_low) in is_low.iter_mut().enumerate().skip(1) {
            let top = std::iter::successors(Some(j), |&k| skeleton.joints[k].parent).map(|k| placed[k].position.z);
            *is_low &= top.fold(f64::NEG_INFINITY, f64::max) > ground + 0.25 * (high.z - low.z);
        }
        let is_lowish = (0..placed.len()).map(|j| near(j, 2.0 * sole_height_share)).collect();
        let is_leaf = |j: usize| skeleton.children(j).next().is_none();
        let is_stump =
            (0..placed.len()).map(|j| is_leaf(j) && j > 0 && lowest[j] < ground + 0.04 * tall && !is_low[j]).collect();
        Stance { placed, frame, height, ground, is_low, is_stump, is_lowish }
    }

    /// Turn of each joint from the bind pose to the stance, in the world.
    pub fn turns(&self, bind: &[Placed]) -> Vec<DQuat> {
        self.placed.iter().zip(bind).map(|(s, b)| (s.orientation * b.orientation.inverse()).normalize()).collect()
    }
}

/// Frames spread evenly over all clips, at most `most`: clip and frame.
pub(crate) fn spread_frames(clips: &[Clip], most: usize) -> Vec<(usize, usize)> {
    let total: usize = clips.iter().map(Clip::frame_count).sum();
    let stride = total.div_ceil(most).max(1);
    let all = clips.iter().enumerate().flat_map(|(c, clip)| (0..clip.frame_count()).map(move |f| (c, f)));
    all.step_by(stride).collect()
}

/// Corners of the box around joints, tips and skin.
fn extent(skeleton: &Skeleton, placed: &[Placed]) -> (DVec3, DVec3) {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for (joint, at) in skeleton.joints.iter().zip(placed) {
        for &local in [DVec3::ZERO].iter().chain(&joint.tips).chain(&joint.skin) {
            let x = at.place(local);
            (low, high) = (low.min(x), high.max(x));
        }
    }
    (low, high)
}

fn lowest_of_subtree(skeleton: &Skeleton, placed: &[Placed]) -> Vec<f64> {
    let mut lowest: Vec<f64> = Vec::with_capacity(placed.len());
    for (joint, at) in skeleton.joints.iter().zip(placed) {
        let points = joint.tips.iter().chain(&joint.skin).map(|&p| at.place(p).z);
        lowest.push(points.fold(at.position.z, f64::min));
    }
    for j in (1..placed.len()).rev() {
        if let Some(parent) = skeleton.joints[j].parent {
            lowest[parent] = lowest[parent].min(lowest[j]);
        }
    }
    lowest
}

fn leaves(skeleton: &Skeleton) -> Vec<usize> {
    (0..skeleton.joints.len()).filter(|&j| skeleton.children(j).next().is_none()).collect()
}

fn joint_extent(placed: &[Placed]) -> (f64, f64) {
    let heights = placed.iter().map(|p| p.position.z);
    (heights.clone().fold(f64::INFINITY, f64::min), heights.fold(f64::NEG_INFINITY, f64::max))
}

/// Leaves that are near the ground in most frames.
fn standing_leaves(skeleton: &Skeleton, frames: &[Vec<Placed>]) -> Vec<usize> {
    let is_down = |leaf: usize| {
        let down = frames.iter().filter(|placed| {
            let (low, high) = joint_extent(placed);
            placed[leaf].position.z < low + 0.12 * (high - low)
        });
        2 * down.count() > frames.len()
    };
    leaves(skeleton).into_iter().filter(|&leaf| is_down(leaf)).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Whether the bind pose is about as tall as the clips and has its lowest leaves where they have them.
fn stands(skeleton: &Skeleton, bind: &[Placed], frames: &[Vec<Placed>]) -> bool {
    if frames.is_empty() {
        return true;
    }
    let tall = median(frames.iter().map(|p| joint_extent(p)).map(|(low, high)| high - low).collect());
    let (low, high) = joint_extent(bind);
    let is_tall = high - low > 0.7 * tall && high - low < 1.6 * tall;
    let feet = standing_leaves(skeleton, frames);
    let down = feet.iter().filter(|&&leaf| bind[leaf].position.z < low + 0.12 * (high - low)).count();
    is_tall && (feet.is_empty() || 2 * down > feet.len())
}

/// The frame with its feet lowest and its head highest.
fn best_frame(skeleton: &Skeleton, frames: &[Vec<Placed>]) -> Option<usize> {
    let feet = standing_leaves(skeleton, frames);
    let tall = median(frames.iter().map(|p| joint_extent(p)).map(|(low, high)| high - low).collect()).max(1e-9);
    let score = |placed: &Vec<Placed>| {
        let (low, high) = joint_extent(placed);
        let lifted: f64 = feet.iter().map(|&leaf| placed[leaf].position.z - low).sum();
        lifted / tall - (high - low) / tall
    };
    (0..frames.len()).min_by(|&a, &b| score(&frames[a]).total_cmp(&score(&frames[b])))
}
