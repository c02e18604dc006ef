//! Joint speeds of the fit against those of the source, and bridges over bursts that the source does not have.

use super::rotation_vector::{rotation_by, rotation_vector};
use super::targets::Targets;
use super::tree::{Link, Tree, read_quaternion, write_quaternion};
use glam::DQuat;
use sinew_sim::JointKind;

/// Speed that no joint is denied, rad/s.
const SLOW: f64 = 0.2;
/// Part of its branch's largest speed that no joint is denied.
const SLOW_PART: f64 = 0.5;
/// How far from a frame the source's speed still counts, s.
const NEARBY_SECS: f64 = 0.1;

/// The source's joint turns, gathered frame by frame.
pub(super) struct SourceSpeeds {
    /// For each link with a target, the target that its joint is seen from; the root's is the world.
    seen_from: Vec<Option<Option<usize>>>,
    before: Vec<DQuat>,
    /// Turn of each link's joint since the frame before, frame × link, rad; 0 in the first frame and without a target.
    turns: Vec<f64>,
}

impl SourceSpeeds {
    pub fn new(tree: &Tree, targets: &Targets) -> Self {
        let seen_from = |i: usize| {
            targets.pose_of_link[i]?;
            let mut above = tree.links[i].parent;
            while let Some(p) = above {
                if targets.pose_of_link[p].is_some() {
                    return Some(targets.pose_of_link[p]);
                }
                above = tree.links[p].parent;
            }
            Some(None)
        };
        let seen_from = (0..tree.links.len()).map(seen_from).collect();
        SourceSpeeds { seen_from, before: Vec::new(), turns: Vec::new() }
    }

    /// Takes the next frame's target orientations.
    pub fn add(&mut self, targets: &Targets, orientations: &[DQuat]) {
        let is_first = self.before.is_empty();
        self.before.resize(self.seen_from.len(), DQuat::IDENTITY);
        for (i, from) in self.seen_from.iter().enumerate() {
            let mut turn = 0.0;
            if let (Some(from), Some(pose)) = (from, targets.pose_of_link[i]) {
                let from = from.map_or(DQuat::IDENTITY, |f| orientations[f].conjugate());
                let relative = from * orientations[pose];
                if !is_first {
                    turn = rotation_vector(self.before[i].conjugate() * relative).length();
                }
                self.before[i] = relative;
            }
            self.turns.push(turn);
        }
    }

    /// Largest turn of a joint other than the root between two frames, rad.
    pub fn largest_turn(&self) -> f64 {
        self.turns.chunks(self.seen_from.len()).flat_map(|frame| &frame[1..]).copied().fold(0.0, f64::max)
    }

    /// Turn since the frame before that each joint is allowed, frame × link, rad.
    ///
    /// It is `ratio` times the source's largest on the joint's branch within [`NEARBY_SECS`], plus a little. The branch of a joint is what it
    /// carries and what carries it, less the root: there a missing axis of one joint is made up for by others.
    pub fn allowed(&self, tree: &Tree, rate_hz: f64, ratio: f64) -> Vec<f64> {
        let links = tree.links.len();
        let mut branch = self.turns.clone();
        let mut outward = vec![0.0; links];
        for turns in branch.chunks_exact_mut(links) {
            turns[0] = 0.0;
            outward.copy_from_slice(turns);
            for i in 1..links {
                outward[i] = tree.links[i].parent.map_or(outward[i], |p| outward[i].max(outward[p]));
            }
            for i in (1..links).rev() {
                if let Some(p) = tree.links[i].parent.filter(|&p| p != 0) {
                    turns[p] = turns[p].max(turns[i]);
                }
            }
            turns.iter_mut().zip(&outward).for_each(|(turn, outward)| *turn = turn.max(*outward));
        }
        let frames = branch.len() / links;
        let nearby = (NEARBY_SECS * rate_hz) as usize + 1;
        let mut allowed = Vec::with_capacity(branch.len());
        let mut largest = vec![0.0; links];
        for turns in branch.chunks_exact(links) {
            largest.iter_mut().zip(turns).for_each(|(most, turn): (&mut f64, _)| *most = most.max(*turn));
        }
        for frame in 0..frames {
            let window = frame.saturating_sub(nearby)..(frame + nearby + 1).min(frames);
            for link in 0..links {
                let near = window.clone().map(|f| branch[f * links + link]).fold(0.0, f64::max);
                allowed.push(ratio * near.max(SLOW_PART * largest[link]) + SLOW / rate_hz);
            }
        }
        allowed
    }
}

/// Angle by which a link's joint turns from one `qpos` to another, rad.
pub(super) fn turn_between(link: &Link, from: &[f64], to: &[f64]) -> f64 {
    match link.quaternion_index() {
        Some(at) => rotation_vector(read_quaternion(&from[at..]).conjugate() * read_quaternion(&to[at..])).length(),
        None if link.kind == JointKind::Hinge => (to[link.q] - from[link.q]).abs(),
        None => 0.0,
    }
}

/// Frames in which a joint has turned by more than allowed since the frame before, with the index of its link, by frame.
pub(super) fn bursts(tree: &Tree, positions: &[f64], allowed: &[f64]) -> Vec<(usize, usize)> {
    let (nq, links) = (tree.position_count, tree.links.len());
    let frames = positions.len() / nq.max(1);
    let mut bursts = Vec::new();
    for frame in 1..frames {
        let (before, now) = (&positions[(frame - 1) * nq..frame * nq], &positions[frame * nq..(frame + 1) * nq]);
        for (l, link) in tree.links.iter().enumerate().skip(1) {
            if turn_between(link, before, now) > allowed[frame * links + l] * (1.0 + 1e-9) {
                bursts.push((frame, l));
            }
        }
    }
    bursts
}

/// Replaces each burst of a joint by the shortest even turn around it that is no faster than allowed.
///
/// Between frames `a` and `b`, the closest around the burst with `turn(a, b) ≤ Σ allowed`, the joint turns from its place at `a` to that at
/// `b`, in each frame in proportion to what is allowed there. A burst for which the clip is too short stays.
/// Returns the number of frames that changed, summed over joints.
pub(super) fn bridge(tree: &Tree, positions: &mut [f64], allowed: &[f64]) -> usize {
    let (nq, links) = (tree.position_count, tree.links.len());
    let frames = positions.len() / nq.max(1);
    let mut changed = 0;
    for (l, link) in tree.links.iter().enumerate() {
        if !matches!(link.kind, JointKind::Hinge | JointKind::Ball) {
            continue;
        }
        let turn = |positions: &[f64], a: usize, b: usize| {
            turn_between(link, &positions[a * nq..(a + 1) * nq], &positions[b * nq..(b + 1) * nq])
        };
        let room = |frame: usize| allowed[frame * links + l];
        let mut frame = 1;
        while frame < frames {
            if turn(positions, frame - 1, frame) <= room(frame) * (1.0 + 1e-9) {
                frame += 1;
                continue;
            }
            // Grow to both sides, as far as the clip goes.
            let (mut a, mut b, mut sum) = (frame - 1, frame, room(frame));
            while turn(positions, a, b) > sum && (a > 0 || b + 1 < frames) {
                if a > 0 {
                    sum += room(a);
                    a -= 1;
                }
                if b + 1 < frames {
                    b += 1;
                    sum += room(b);
                }
            }
            if turn(positions, a, b) <= sum {
                let (mut part, sum) = (0.0, sum);
                for between in a + 1..b {
                    part += room(between) / sum;
                    turn_part(link, positions, nq, [a, between, b], part);
                }
                changed += b - a - 1;
            }
            frame = b + 1;
        }
    }
    changed
}

/// Sets the joint in the middle one of three frames to a part of the way from the first to the last.
fn turn_part(link: &Link, positions: &mut [f64], nq: usize, [first, middle, last]: [usize; 3], part: f64) {
    match link.quaternion_index() {
        Some(at) => {
            let from = read_quaternion(&positions[first * nq + at..]);
            let to = read_quaternion(&positions[last * nq + at..]);
            let turned = from * rotation_by(part * rotation_vector(from.conjugate() * to));
            write_quaternion(&mut positions[middle * nq + at..], turned.normalize());
        }
        None => {
            let (from, to) = (positions[first * nq + link.q], positions[last * nq + link.q]);
            positions[middle * nq + link.q] = from + part * (to - from);
        }
    }
    link.project(&mut positions[middle * nq..(middle + 1) * nq]);
}

#[cfg(test)]
mod tests {
    use super::super::test_rigs::{Rig, biped};
    use super::*;

    /// A hinge and a ball that jump by 1 rad in the middle of the clip.
    fn jump(frames: usize) -> (Tree, Vec<f64>) {
        let rig = biped(Rig::Hinged);
        let positions = rig.motion(frames, 1.0, |i, t| if i >= 6 && t >= (frames / 2) as f64 { 0.5 } else { 0.0 });
        (Tree::new(&rig.character).unwrap(), positions)
    }

    #[test]
    fn a_jump_becomes_an_even_turn() {
        let (tree, mut positions) = jump(40);
        let before = positions.clone();
        let allowed = vec![0.1; 40 * tree.links.len()];
        assert_eq!(bursts(&tree, &positions, &allowed).first(), Some(&(20, 1)));
        assert!(bridge(&tree, &mut positions, &allowed) > 0);
        assert!(bursts(&tree, &positions, &allowed).is_empty());
        // What is far from the jump stays.
        let nq = tree.position_count;
        assert_eq!(positions[..10 * nq], before[..10 * nq]);
        assert_eq!(positions[30 * nq..], before[30 * nq..]);
        assert_eq!(bridge(&tree, &mut positions, &allowed), 0);
    }

    #[test]
    fn a_jump_without_room_stays() {
        let (tree, mut positions) = jump(4);
        let before = positions.clone();
        assert_eq!(bridge(&tree, &mut positions, &vec![0.01; 4 * tree.links.len()]), 0);
        assert_eq!(positions, before);
    }
}
