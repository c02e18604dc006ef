//! One frame: damped least squares over the character's coordinates.
//!
//! The cost is `½ Σ w |p − p*|² + ½ Σ w |log(R R*⁻¹)|² + ½ s |q ⊖ reference|²` over points, poses and coordinates. Its Gauss–Newton matrix
//! `JᵀWJ` is the mass matrix of a body that has a point mass `w` at each point and a rotational inertia `w·1` at each pose, so composite
//! inertias assemble it (Walker & Orin 1982) and it couples each coordinate to its ancestors alone. The steps are Levenberg's and
//! Marquardt's (1944, 1963). Limits enter as an active set: a joint whose step would cross its limit is led onto it, and the others are solved again.

use super::branch_factor::Branches;
use super::rotation_vector::{rotation_by, rotation_vector};
use super::targets::Targets;
use super::tree::{Tree, read_quaternion};
use glam::{DMat3, DQuat, DVec3};
use sinew_motion::skeleton::Placed;
use sinew_sim::JointKind;

/// Damping of the first step, over the diagonal.
const FIRST_DAMPING: f64 = 1e-7;
/// Damping at which a frame is given up as solved.
const LAST_DAMPING: f64 = 1e3;
/// Weight that keeps coordinates which no target moves where the guess has them.
const ANCHOR: f64 = 1e-6;
/// Stiffness of an active limit, over the largest diagonal entry.
const LIMIT_STIFFNESS: f64 = 1e8;
/// Rounds of adding limits to the active set in one step.
const LIMIT_ROUNDS: usize = 4;

/// What the smoothness term pulls towards.
#[derive(Clone, Copy)]
pub(super) struct Pull<'a> {
    /// `qpos` of the reference.
    pub reference: &'a [f64],
    /// Weight of each degree of freedom, 1/rad²; the same for all of a link.
    pub weights: &'a [f64],
}

/// Constants and scratch memory; nothing is allocated for a frame.
pub(super) struct Solver<'a> {
    tree: &'a Tree,
    targets: &'a Targets,
    branches: Branches,
    /// Weight of each coordinate in the smoothness term and the anchor, over that of an angle.
    scales: Vec<f64>,

    // Asked for by the frame.
    orientations: Vec<DQuat>,
    places: Vec<DVec3>,

    // Written by `evaluate`.
    placed: Vec<Placed>,
    point_residuals: Vec<DVec3>,
    pose_residuals: Vec<DVec3>,
    pull_residuals: Vec<f64>,

    // Written by `assemble`.
    axes: Vec<(DVec3, DVec3)>,
    composites: Vec<Composite>,
    gradient: Vec<f64>,
    matrix: Vec<f64>,
    largest_diagonal: f64,

    // Written by `find_step`.
    factor: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    active: Vec<Option<ActiveLimit>>,
}

/// Weights and forces of a link and all that it carries, about the root's origin, in world axes.
#[derive(Clone, Copy)]
struct Composite {
    mass: f64,
    first_moment: DVec3,
    inertia: DMat3,
    force: DVec3,
    moment: DVec3,
}

/// `direction · step = room` on the turning coordinates of a link.
#[derive(Clone, Copy)]
struct ActiveLimit {
    direction: DVec3,
    room: f64,
}

impl<'a> Solver<'a> {
    pub fn new(tree: &'a Tree, targets: &'a Targets) -> Self {
        let branches = Branches::new(tree);
        let (n, links) = (tree.velocity_count, tree.links.len());
        let mut scales = vec![1.0 / (targets.reach * targets.reach); n];
        for link in &tree.links {
            scales[link.turning()].fill(1.0);
        }
        Solver {
            tree,
            targets,
            scales,
            orientations: Vec::with_capacity(targets.poses.len()),
            places: Vec::with_capacity(targets.points.len()),
            placed: Vec::with_capacity(links),
            point_residuals: vec![DVec3::ZERO; targets.points.len()],
            pose_residuals: vec![DVec3::ZERO; targets.poses.len()],
            pull_residuals: vec![0.0; n],
            axes: vec![(DVec3::ZERO, DVec3::ZERO); n],
            composites: vec![Composite::ZERO; links],
            gradient: vec![0.0; n],
            matrix: vec![0.0; branches.entry_count()],
            largest_diagonal: 0.0,
            factor: vec![0.0; branches.entry_count()],
            step: vec![0.0; n],
            trial: vec![0.0; tree.position_count],
            active: vec![None; links],
            branches,
        }
    }

    /// Takes a frame's targets from the places of the skeleton's joints.
    pub fn aim(&mut self, joints: &[Placed]) {
        self.targets.orientations(joints, &mut self.orientations);
        self.targets.places(joints, &mut self.places);
    }

    /// Improves `q`, which is and stays within its limits, in at most `iterations` steps.
    pub fn solve(&mut self, q: &mut [f64], pull: Pull<'_>, iterations: usize, tolerance: f64) {
        let mut damping = FIRST_DAMPING;
        let mut cost = self.evaluate(q, pull);
        let mut is_assembled = false;
        for _ in 0..iterations {
            if !is_assembled {
                self.assemble(pull.weights);
                is_assembled = true;
            }
            if self.find_step(q, damping) {
                self.trial.copy_from_slice(q);
                self.tree.advance(&mut self.trial, &self.step);
                self.tree.project(&mut self.trial);
                let squares = self.step.iter().zip(&self.scales).map(|(x, scale)| x * x * scale);
                let is_short = squares.fold(0.0, f64::max) < tolerance * tolerance;
                let trial = std::mem::take(&mut self.trial);
                let trial_cost = self.evaluate(&trial, pull);
                self.trial = trial;
                if trial_cost <= cost {
                    q.copy_from_slice(&self.trial);
                    (cost, is_assembled) = (trial_cost, false);
                    damping = (0.1 * damping).max(FIRST_DAMPING);
                    if is_short {
                        return;
                    }
                    continue;
                }
                // Rounding alone decides about steps as short as this.
                if is_short {
                    return;
                }
            }
            damping = (10.0 * damping).max(1e-4);
            if damping > LAST_DAMPING {
                return;
            }
        }
    }

    /// Cost at `q`; leaves places and residuals.
    fn evaluate(&mut self, q: &[f64], pull: Pull<'_>) -> f64 {
        self.tree.place(q, &mut self.placed);
        let mut cost = 0.0;
        for ((target, wanted), residual) in self.targets.points.iter().zip(&self.places).zip(&mut self.point_residuals)
        {
            *residual = self.placed[target.link].place(target.point) - wanted;
            cost += target.weight * residual.length_squared();
        }
        for ((target, wanted), residual) in
            self.targets.poses.iter().zip(&self.orientations).zip(&mut self.pose_residuals)
        {
            *residual = rotation_vector(self.placed[target.link].orientation * wanted.conjugate());
            cost += target.weight * residual.length_squared();
        }
        self.tree.difference(pull.reference, q, &mut self.pull_residuals);
        for ((residual, scale), weight) in self.pull_residuals.iter().zip(&self.scales).zip(pull.weights) {
            cost += (weight + ANCHOR) * scale * residual * residual;
        }
        0.5 * cost
    }

    /// Gradient and Gauss–Newton matrix at the last evaluated coordinates.
    fn assemble(&mut self, pull_weights: &[f64]) {
        let origin = self.placed[0].position;
        self.composites.fill(Composite::ZERO);
        for (target, &residual) in self.targets.points.iter().zip(&self.point_residuals) {
            let arm = self.placed[target.link].place(target.point) - origin;
            self.composites[target.link].add_point(target.weight, arm, residual);
        }
        for (target, &residual) in self.targets.poses.iter().zip(&self.pose_residuals) {
            self.composites[target.link].add_pose(target.weight, residual);
        }
        self.find_axes(origin);
        self.largest_diagonal = 0.0;
        for i in (0..self.tree.links.len()).rev() {
            let link = &self.tree.links[i];
            let composite = self.composites[i];
            if let Some(parent) = link.parent {
                self.composites[parent].add(&composite);
            }
            let dofs = link.v..link.v + link.kind.velocity_count();
            for (dof, pull_weight) in dofs.clone().zip(&pull_weights[dofs]) {
                let (turn, slide) = self.axes[dof];
                let weight = (pull_weight + ANCHOR) * self.scales[dof];
                self.gradient[dof] =
                    turn.dot(composite.moment) + slide.dot(composite.force) + weight * self.pull_residuals[dof];
                // Momentum of the composite when this coordinate moves at unit speed.
                let linear = composite.mass * slide + turn.cross(composite.first_moment);
                let angular = composite.first_moment.cross(slide) + composite.inertia * turn;
                let row = self.branches.row(dof);
                for (entry, &ancestor) in self.matrix[row].iter_mut().zip(self.branches.ancestors(dof)) {
                    let (turn, slide) = self.axes[ancestor as usize];
                    *entry = turn.dot(angular) + slide.dot(linear);
                }
                let diagonal = &mut self.matrix[self.branches.diagonal(dof)];
                *diagonal += weight;
                self.largest_diagonal = self.largest_diagonal.max(*diagonal);
            }
        }
    }

    /// Each coordinate's motion: angular velocity, and velocity of what is at `origin`.
    fn find_axes(&mut self, origin: DVec3) {
        for (link, placed) in self.tree.links.iter().zip(&self.placed) {
            let center = placed.position - origin;
            let about = |axis: DVec3| (axis, center.cross(axis));
            let v = link.v;
            match link.kind {
                JointKind::Hinge => self.axes[v] = about(placed.orientation * link.axis),
                JointKind::Planar => {
                    self.axes[v] = (DVec3::ZERO, DVec3::X);
                    self.axes[v + 1] = (DVec3::ZERO, DVec3::Z);
                    self.axes[v + 2] = about(DVec3::Y);
                }
                JointKind::Ball | JointKind::Free => {
                    let own = DMat3::from_quat(placed.orientation);
                    let turning = link.turning();
                    for k in 0..3 {
                        self.axes[turning.start + k] = about(own.col(k));
                    }
                    for k in v..turning.start {
                        self.axes[k] = (DVec3::ZERO, DVec3::AXES[k - v]);
                    }
                }
                JointKind::Fixed | JointKind::Weld => {}
            }
        }
    }

    /// `step ← −(H + damping · diag H)⁻¹ gradient` on the active limits; false when the matrix cannot be factored.
    fn find_step(&mut self, q: &[f64], damping: f64) -> bool {
        self.active.fill(None);
        for _ in 0..LIMIT_ROUNDS {
            self.factor.copy_from_slice(&self.matrix);
            for (step, g) in self.step.iter_mut().zip(&self.gradient) {
                *step = -g;
            }
            for dof in 0..self.branches.count() {
                let diagonal = &mut self.factor[self.branches.diagonal(dof)];
                *diagonal += damping * *diagonal;
            }
            self.stiffen_active_limits();
            if !self.branches.factor(&mut self.factor) {
                return false;
            }
            self.branches.solve(&self.factor, &mut self.step);
            if !self.activate_crossed_limits(q) {
                break;
            }
        }
        self.step.iter().all(|x| x.is_finite())
    }

    fn stiffen_active_limits(&mut self) {
        let stiffness = LIMIT_STIFFNESS * self.largest_diagonal;
        for (link, active) in self.tree.links.iter().zip(&self.active) {
            let Some(ActiveLimit { direction, room }) = *active else { continue };
            for (a, dof) in link.turning().enumerate() {
                self.step[dof] += stiffness * room * direction[a];
                let diagonal = self.branches.diagonal(dof);
                for b in 0..=a {
                    self.factor[diagonal - (a - b)] += stiffness * direction[a] * direction[b];
                }
            }
        }
    }

    /// Whether the step crosses a limit that was not active.
    fn activate_crossed_limits(&mut self, q: &[f64]) -> bool {
        let mut is_new = false;
        for (link, active) in self.tree.links.iter().zip(&mut self.active) {
            let (Some([low, high]), None) = (link.limits, &active) else { continue };
            *active = match link.kind {
                JointKind::Hinge => {
                    let (angle, next) = (q[link.q], q[link.q] + self.step[link.v]);
                    let room = if next > high { high - angle } else { low - angle };
                    (next > high || next < low).then_some(ActiveLimit { direction: DVec3::X, room })
                }
                JointKind::Ball => {
                    let turn = read_quaternion(&q[link.q..]);
                    let next = turn * rotation_by(DVec3::from_slice(&self.step[link.turning()]));
                    // Far inside the cone its wall is no plane; there the projection does.
                    let (vector, next) = (rotation_vector(turn), rotation_vector(next).length());
                    let angle = vector.length();
                    let is_crossed = next > high && angle > 0.1 * high;
                    is_crossed.then(|| ActiveLimit { direction: vector / angle, room: high - angle })
                }
                _ => None,
            };
            is_new |= active.is_some();
        }
        is_new
    }
}

impl Composite {
    const ZERO: Composite = Composite {
        mass: 0.0,
        first_moment: DVec3::ZERO,
        inertia: DMat3::ZERO,
        force: DVec3::ZERO,
        moment: DVec3::ZERO,
    };

    fn add_point(&mut self, weight: f64, arm: DVec3, residual: DVec3) {
        self.mass += weight;
        self.first_moment += weight * arm;
        let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
        self.inertia += (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer) * weight;
        self.force += weight * residual;
        self.moment += arm.cross(weight * residual);
    }

    fn add_pose(&mut self, weight: f64, residual: DVec3) {
        self.inertia += DMat3::from_diagonal(DVec3::splat(weight));
        self.moment += weight * residual;
    }

    fn add(&mut self, other: &Composite) {
        self.mass += other.mass;
        self.first_moment += other.first_moment;
        self.inertia += other.inertia;
        self.force += other.force;
        self.moment += other.moment;
    }
}

#[cfg(test)]
#[path = "solver_tests.rs"]
mod tests;
