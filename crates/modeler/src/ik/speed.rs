//! Joint speeds of the fit against those of the source, and bridges over bursts that the source does not have.

use super::rotation_vector::{rotation_by, rotation_vector};
use super::targets::Targets;
use super::tree::{Link, Tree, read_quaternion, write_quaternion};
use glam::{DQuat, DVec3};
use sinew_sim::JointKind;

/// Speed that no joint is denied, rad/s.
const SLOW: f64 = 0.2;

/// Largest angular speed of each joint in the source, gathered frame by frame.
pub(super) struct SourceSpeeds {
    /// For each link with a target, the target that its joint is seen from; the root's is the world.
    seen_from: Vec<Option<Option<usize>>>,
    before: Vec<DQuat>,
    /// Largest turn between two frames, rad.
    pub largest_turns: Vec<f64>,
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
        let links = tree.links.len();
        SourceSpeeds {
            seen_from: (0..links).map(seen_from).collect(),
            before: Vec::with_capacity(links),
            largest_turns: vec![0.0; links],
        }
    }

    /// Takes the next frame's target orientations.
    pub fn add(&mut self, targets: &Targets, orientations: &[DQuat]) {
        let is_first = self.before.is_empty();
        self.before.resize(self.seen_from.len(), DQuat::IDENTITY);
        for (i, from) in self.seen_from.iter().enumerate() {
            let (Some(from), Some(pose)) = (from, targets.pose_of_link[i]) else { continue };
            let from = from.map_or(DQuat::IDENTITY, |f| orientations[f].conjugate());
            let relative = from * orientations[pose];
            if !is_first {
                let turn = rotation_vector(self.before[i].conjugate() * relative).length();
                self.largest_turns[i] = self.largest_turns[i].max(turn);
            }
            self.before[i] = relative;
        }
    }

    /// Largest turn between frames that each joint is allowed, rad: `ratio` times the largest on its branch in the source, plus a little.
    ///
    /// The branch of a joint is what it carries and what carries it, less the root: there a missing axis of one joint is made up for by others.
    pub fn allowed(&self, tree: &Tree, rate_hz: f64, ratio: f64) -> Vec<f64> {
        let mut outward = self.largest_turns.clone();
        outward[0] = 0.0;
        let mut inward = outward.clone();
        for i in 1..tree.links.len() {
            if let Some(p) = tree.links[i].parent {
                outward[i] = outward[i].max(outward[p]);
            }
        }
        for i in (1..tree.links.len()).rev() {
            if let Some(p) = tree.links[i].parent.filter(|&p| p != 0) {
                inward[p] = inward[p].max(inward[i]);
            }
        }
        outward.iter().zip(&inward).map(|(a, b)| ratio * a.max(*b) + SLOW / rate_hz).collect()
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

/// Replaces each burst of a joint by the shortest even turn around it that is no faster than allowed.
///
/// Between frames `a` and `b`, the closest around the burst with `turn(a, b) ≤ allowed · (b − a)`, the joint turns evenly from its place at
/// `a` to that at `b`. A burst for which the clip is too short stays.
pub(super) fn bridge(tree: &Tree, positions: &mut [f64], allowed: &[f64]) {
    let nq = tree.position_count;
    let frames = positions.len() / nq.max(1);
    for (link, &allowed) in tree.links.iter().zip(allowed) {
        if !matches!(link.kind, JointKind::Hinge | JointKind::Ball) {
            continue;
        }
        let turn = |positions: &[f64], a: usize, b: usize| {
            turn_between(link, &positions[a * nq..(a + 1) * nq], &positions[b * nq..(b + 1) * nq])
        };
        let mut frame = 1;
        while frame < frames {
            if turn(positions, frame - 1, frame) <= allowed * (1.0 + 1e-9) {
                frame += 1;
                continue;
            }
            // Grow to both sides, as far as the clip goes.
            let (mut a, mut b) = (frame - 1, frame);
            while turn(positions, a, b) > allowed * (b - a) as f64 && (a > 0 || b + 1 < frames) {
                (a, b) = (a.saturating_sub(1), (b + 1).min(frames - 1));
            }
            if turn(positions, a, b) <= allowed * (b - a) as f64 {
                turn_evenly(link, positions, nq, a, b);
            }
            frame = b + 1;
        }
    }
}

fn turn_evenly(link: &Link, positions: &mut [f64], nq: usize, a: usize, b: usize) {
    let (head, tail) = positions.split_at_mut((a + 1) * nq);
    let first = &head[a * nq..];
    let (between, rest) = tail.split_at_mut((b - a - 1) * nq);
    let last = &rest[..nq];
    for (k, q) in between.chunks_exact_mut(nq).enumerate() {
        let part = (k + 1) as f64 / (b - a) as f64;
        match link.quaternion_index() {
            Some(at) => {
                let from = read_quaternion(&first[at..]);
                let turn: DVec3 = rotation_vector(from.conjugate() * read_quaternion(&last[at..]));
                write_quaternion(&mut q[at..], (from * rotation_by(part * turn)).normalize());
            }
            None => q[link.q] = first[link.q] + part * (last[link.q] - first[link.q]),
        }
        link.project(q);
    }
}
