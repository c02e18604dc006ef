//! Moving along coordinates, differences of coordinates, and their limits.
//!
//! Differences are in the convention of `qvel`: a free root's translation in the world, then its turn in its own axes; a ball's turn in the
//! child's axes. So `advance(q, difference(q, p)) = p`.

use super::rotation_vector::{rotation_by, rotation_vector, same_hemisphere};
use super::tree::{Link, Tree, read_quaternion, write_quaternion};
use glam::{DQuat, DVec3};
use sinew_sim::JointKind;

impl Tree {
    /// `q ← q ⊕ step`.
    pub fn advance(&self, q: &mut [f64], step: &[f64]) {
        for link in &self.links {
            link.advance(q, step);
        }
    }

    /// `out ← to ⊖ from`.
    pub fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        for link in &self.links {
            link.difference(from, to, out);
        }
    }

    /// Brings every joint into its limits by the shortest way.
    pub fn project(&self, q: &mut [f64]) {
        for link in &self.links {
            link.project(q);
        }
    }

    /// Chooses, of each quaternion and its negative, the one that lies nearer to `before`.
    pub fn align_signs(&self, q: &mut [f64], before: &[f64]) {
        for link in &self.links {
            if let Some(at) = link.quaternion_index() {
                let turn = same_hemisphere(read_quaternion(&q[at..]), read_quaternion(&before[at..]));
                write_quaternion(&mut q[at..], turn);
            }
        }
    }
}

impl Link {
    /// Where the link's quaternion begins in `qpos`, if it has one.
    pub fn quaternion_index(&self) -> Option<usize> {
        match self.kind {
            JointKind::Free => Some(self.q + 3),
            JointKind::Ball => Some(self.q),
            _ => None,
        }
    }

    /// Indices in `qvel` that turn the link.
    pub fn turning(&self) -> std::ops::Range<usize> {
        match self.kind {
            JointKind::Free => self.v + 3..self.v + 6,
            JointKind::Planar => self.v + 2..self.v + 3,
            kind => self.v..self.v + kind.velocity_count(),
        }
    }

    fn advance(&self, q: &mut [f64], step: &[f64]) {
        let straight = if self.kind == JointKind::Ball { 0 } else { self.kind.velocity_count().min(3) };
        for k in 0..straight {
            q[self.q + k] += step[self.v + k];
        }
        if let Some(at) = self.quaternion_index() {
            let turn = DVec3::from_slice(&step[self.turning()]);
            let turned = (read_quaternion(&q[at..]) * rotation_by(turn)).normalize();
            write_quaternion(&mut q[at..], turned);
        }
    }

    /// `out ← to ⊖ from` on the link's own coordinates; the arguments are whole `qpos` and `qvel`.
    pub fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        let straight = if self.kind == JointKind::Ball { 0 } else { self.kind.velocity_count().min(3) };
        for k in 0..straight {
            out[self.v + k] = to[self.q + k] - from[self.q + k];
        }
        if let Some(at) = self.quaternion_index() {
            let turn = read_quaternion(&from[at..]).conjugate() * read_quaternion(&to[at..]);
            rotation_vector(turn).write_to_slice(&mut out[self.turning()]);
        }
    }

    /// Brings the joint into its limits by the shortest way.
    pub fn project(&self, q: &mut [f64]) {
        let Some([low, high]) = self.limits else { return };
        match self.kind {
            JointKind::Hinge => q[self.q] = q[self.q].clamp(low, high),
            JointKind::Ball => {
                let turn = read_quaternion(&q[self.q..]);
                let inside = within_cone(turn, high);
                if inside != turn {
                    write_quaternion(&mut q[self.q..], same_hemisphere(inside, turn));
                }
            }
            _ => {}
        }
    }
}

/// The rotation about the same axis by at most `largest`.
fn within_cone(turn: DQuat, largest: f64) -> DQuat {
    let vector = rotation_vector(turn);
    let angle = vector.length();
    if angle <= largest { turn } else { rotation_by(vector * (largest / angle)) }
}

#[cfg(test)]
mod tests {
    use super::super::test_rigs::{Rig, biped};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn advancing_by_the_difference_arrives(seed in prop::collection::vec(-1.2f64..1.2, 200)) {
            let tree = Tree::new(&biped(Rig::Hinged).character).unwrap();
            let (nq, nv) = (tree.position_count, tree.velocity_count);
            let mut from = tree.rest();
            tree.advance(&mut from, &seed[..nv]);
            let mut to = from.clone();
            tree.advance(&mut to, &seed[100..100 + nv]);
            let mut step = vec![0.0; nv];
            tree.difference(&from, &to, &mut step);
            let mut back = from.clone();
            tree.advance(&mut back, &step);
            tree.align_signs(&mut back, &to);
            for i in 0..nq {
                prop_assert!((back[i] - to[i]).abs() < 1e-12);
            }
            for i in 0..nv {
                prop_assert!((step[i] - seed[100 + i]).abs() < 1e-12);
            }
        }
    }
}
