//! Factors a symmetric matrix that couples each degree of freedom to its ancestors alone.
//!
//! `H = LᵀL` keeps the pattern of the tree: no entry fills in. Featherstone, *Rigid Body Dynamics Algorithms* (2008), §6.5.
//! Row `i` holds the entries of the ancestors of `i`, from the root to `i` itself, one after another.

use super::tree::Tree;

/// Which degree of freedom hangs from which.
#[derive(Clone, Debug)]
pub(super) struct Branches {
    /// Ancestors of each degree of freedom, from the root to itself, row after row.
    ancestors: Vec<u32>,
    /// Where each row begins, and where the last ends.
    starts: Vec<usize>,
}

impl Branches {
    pub fn new(tree: &Tree) -> Branches {
        let mut branches = Branches { ancestors: Vec::new(), starts: vec![0] };
        // Last degree of freedom of each link or, where it has none, of the nearest link below it.
        let mut last: Vec<Option<usize>> = Vec::new();
        for link in &tree.links {
            let mut above = link.parent.and_then(|p| last[p]);
            for i in link.v..link.v + link.kind.velocity_count() {
                if let Some(above) = above {
                    let row = branches.starts[above]..branches.starts[above + 1];
                    branches.ancestors.extend_from_within(row);
                }
                branches.ancestors.push(i as u32);
                branches.starts.push(branches.ancestors.len());
                above = Some(i);
            }
            last.push(above);
        }
        branches
    }

    /// Number of degrees of freedom.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Entries of the whole matrix.
    pub fn entry_count(&self) -> usize {
        self.ancestors.len()
    }

    /// Where the entries of row `i` lie.
    pub fn row(&self, i: usize) -> std::ops::Range<usize> {
        self.starts[i]..self.starts[i + 1]
    }

    /// Ancestors of `i`, from the root to itself.
    pub fn ancestors(&self, i: usize) -> &[u32] {
        &self.ancestors[self.row(i)]
    }

    /// Where the diagonal entry of `i` lies.
    pub fn diagonal(&self, i: usize) -> usize {
        self.starts[i + 1] - 1
    }

    /// Replaces `H` by `L`; false when `H` is not positive definite.
    pub fn factor(&self, h: &mut [f64]) -> bool {
        for k in (0..self.count()).rev() {
            let (above, row) = h.split_at_mut(self.starts[k]);
            let depth = self.row(k).len() - 1;
            let pivot = row[depth];
            // Also refuses what is not a number.
            if !(pivot > 0.0 && pivot.is_finite()) {
                return false;
            }
            let root = pivot.sqrt();
            row[depth] = root;
            let row = &mut row[..depth];
            row.iter_mut().for_each(|x| *x /= root);
            for (d, &i) in self.ancestors(k)[..depth].iter().enumerate() {
                let start = self.starts[i as usize];
                let scale = row[d];
                for (target, x) in above[start..=start + d].iter_mut().zip(&row[..=d]) {
                    *target -= scale * x;
                }
            }
        }
        true
    }

    /// `b ← (LᵀL)⁻¹ b`.
    pub fn solve(&self, l: &[f64], b: &mut [f64]) {
        for i in (0..self.count()).rev() {
            let row = &l[self.row(i)];
            let depth = row.len() - 1;
            b[i] /= row[depth];
            let x = b[i];
            for (&j, entry) in self.ancestors(i)[..depth].iter().zip(row) {
                b[j as usize] -= entry * x;
            }
        }
        for i in 0..self.count() {
            let row = &l[self.row(i)];
            let depth = row.len() - 1;
            let mut x = b[i];
            for (&j, entry) in self.ancestors(i)[..depth].iter().zip(row) {
                x -= entry * b[j as usize];
            }
            b[i] = x / row[depth];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_rigs::{Rig, biped};
    use super::*;

    #[test]
    fn solution_solves_the_dense_system() {
        let tree = Tree::new(&biped(Rig::Hinged).character).unwrap();
        let branches = Branches::new(&tree);
        let n = branches.count();
        assert_eq!(n, tree.velocity_count);
        let mut h = vec![0.0; branches.entry_count()];
        let mut dense = vec![0.0; n * n];
        for i in 0..n {
            for (entry, &j) in branches.row(i).zip(branches.ancestors(i)) {
                let j = j as usize;
                h[entry] = if i == j { 30.0 } else { libm::sin((i * 7 + j) as f64) };
                (dense[i * n + j], dense[j * n + i]) = (h[entry], h[entry]);
            }
        }
        let b: Vec<f64> = (0..n).map(|i| libm::cos(i as f64)).collect();
        let mut x = b.clone();
        assert!(branches.factor(&mut h));
        branches.solve(&h, &mut x);
        for (row, b) in dense.chunks(n).zip(&b) {
            let product: f64 = row.iter().zip(&x).map(|(h, x)| h * x).sum();
            assert!((product - b).abs() < 1e-12);
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let tree = Tree::new(&biped(Rig::Hinged).character).unwrap();
        let branches = Branches::new(&tree);
        let mut h = vec![0.0; branches.entry_count()];
        assert!(!branches.factor(&mut h));
        h.fill(f64::NAN);
        assert!(!branches.factor(&mut h));
    }
}
