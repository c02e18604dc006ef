//! The solver against differences of its own cost.

use super::super::options::IkOptions;
use super::super::test_rigs::{Rig, TestRig, biped};
use super::*;

fn shake(i: usize, k: f64) -> f64 {
    0.4 * libm::sin(k * i as f64 + 1.0)
}

fn aimed<'a>(rig: &TestRig, tree: &'a Tree, targets: &'a Targets) -> Solver<'a> {
    let clip = rig.clip(1, 30.0, |i, _| DVec3::new(shake(i, 3.0), shake(i, 5.0), shake(i, 7.0)));
    let mut solver = Solver::new(tree, targets);
    solver.aim(&clip.place(&rig.skeleton, 0));
    solver
}

fn pose(tree: &Tree) -> Vec<f64> {
    let step: Vec<f64> = (0..tree.velocity_count).map(|i| 0.3 * shake(i, 2.3)).collect();
    let mut q = tree.rest();
    tree.advance(&mut q, &step);
    q
}

#[test]
fn gradient_is_the_slope_of_the_cost() {
    for kind in [JointKind::Free, JointKind::Planar, JointKind::Fixed] {
        let mut rig = biped(Rig::Hinged);
        rig.character.joints[0].kind = kind;
        let tree = Tree::new(&rig.character).unwrap();
        let targets = Targets::new(&rig.character, &tree, &rig.binding, &rig.skeleton, &IkOptions::default()).unwrap();
        let mut solver = aimed(&rig, &tree, &targets);
        let (q, reference) = (pose(&tree), tree.rest());
        let mut weights = vec![0.0; tree.velocity_count];
        for (i, link) in tree.links.iter().enumerate() {
            weights[link.v..link.v + link.kind.velocity_count()].fill(1.0 + i as f64);
        }
        let pull = Pull { reference: &reference, weights: &weights };
        solver.evaluate(&q, pull);
        solver.assemble(&weights);
        let gradient = solver.gradient.clone();
        for dof in 0..tree.velocity_count {
            let mut cost_at = |h: f64| {
                let mut step = vec![0.0; tree.velocity_count];
                step[dof] = h;
                let mut moved = q.clone();
                tree.advance(&mut moved, &step);
                solver.evaluate(&moved, pull)
            };
            let slope = (cost_at(1e-5) - cost_at(-1e-5)) / 2e-5;
            assert!((slope - gradient[dof]).abs() < 1e-4 * (1.0 + slope.abs()), "{kind:?} {dof}");
        }
    }
}

#[test]
fn matrix_is_the_curvature_where_the_fit_is_exact() {
    // With no residual left, the Gauss–Newton matrix is the Hessian.
    let rig = biped(Rig::Balls);
    let tree = Tree::new(&rig.character).unwrap();
    let targets = Targets::new(&rig.character, &tree, &rig.binding, &rig.skeleton, &IkOptions::default()).unwrap();
    let mut solver = Solver::new(&tree, &targets);
    let clip = rig.clip(1, 30.0, |_, _| DVec3::ZERO);
    solver.aim(&clip.place(&rig.skeleton, 0));
    let mut q = tree.rest();
    let joints = clip.place(&rig.skeleton, 0);
    let mut orientations = Vec::new();
    targets.orientations(&joints, &mut orientations);
    super::super::guess::guess(&tree, &targets, &joints, &orientations, None, &mut q, &mut Vec::new());
    let n = tree.velocity_count;
    let (reference, weights) = (q.clone(), vec![0.0; n]);
    let pull = Pull { reference: &reference, weights: &weights };
    assert!(solver.evaluate(&q, pull) < 1e-20);
    solver.assemble(&weights);
    let matrix = solver.matrix.clone();
    let h = 1e-3;
    for i in 0..n {
        for (entry, j) in solver.branches.row(i).zip(solver.branches.ancestors(i).to_vec()) {
            let mut cost_at = |a: f64, b: f64| {
                let mut step = vec![0.0; n];
                step[i] += a;
                step[j as usize] += b;
                let mut moved = q.clone();
                tree.advance(&mut moved, &step);
                solver.evaluate(&moved, pull)
            };
            let curvature = (cost_at(h, h) - cost_at(h, -h) - cost_at(-h, h) + cost_at(-h, -h)) / (4.0 * h * h);
            assert!((curvature - matrix[entry]).abs() < 2e-3 * (1.0 + matrix[entry].abs()), "{i} {j}");
        }
    }
}

#[test]
fn the_solution_is_a_minimum_on_the_limits() {
    let mut rig = biped(Rig::Hinged);
    for joint in &mut rig.character.joints {
        joint.limits = match joint.kind {
            JointKind::Hinge => Some([-0.1, 0.1]),
            JointKind::Ball => Some([0.0, 0.2]),
            _ => None,
        };
    }
    let tree = Tree::new(&rig.character).unwrap();
    let targets = Targets::new(&rig.character, &tree, &rig.binding, &rig.skeleton, &IkOptions::default()).unwrap();
    let mut solver = aimed(&rig, &tree, &targets);
    let (mut q, weights) = (tree.rest(), vec![0.0; tree.velocity_count]);
    let reference = q.clone();
    let pull = Pull { reference: &reference, weights: &weights };
    solver.solve(&mut q, pull, 500, 1e-12);
    let best = solver.evaluate(&q, pull);
    for dof in 0..tree.velocity_count {
        for h in [-1e-3, 1e-3] {
            let mut step = vec![0.0; tree.velocity_count];
            step[dof] = h;
            let mut moved = q.clone();
            tree.advance(&mut moved, &step);
            tree.project(&mut moved);
            assert!(solver.evaluate(&moved, pull) >= best * (1.0 - 1e-6), "{dof} {h}");
        }
    }
    let on_limits = tree.links.iter().filter(|l| l.kind == JointKind::Hinge && q[l.q].abs() == 0.1).count();
    assert!(on_limits > 0, "the targets must press some hinge onto its limit");
}
