//! Points of a character led to places, in a motion that is already in the character's coordinates.
//!
//! The solver is that of [`fit_clip`](super::fit_clip); what it keeps to is not a skeleton but the pose itself: `½ Σ w |p − p*|²` over the points, and every
//! link's orientation and the root's place as they were. A pose whose points are where they should be comes back as it was.

use super::error::IkError;
use super::solver::{Pull, Solver};
use super::targets::{PointTarget, PoseTarget, Targets};
use super::tree::Tree;
use glam::{DQuat, DVec3};
use sinew_motion::skeleton::Placed;
use sinew_sim::Character;

/// A point of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyPoint {
    /// Name of the body.
    pub body: String,
    /// In the body's frame, m.
    pub position: DVec3,
}

/// What counts how much when points are led to places. Lengths are in units of the character's reach, angles in radians.
#[derive(Clone, Debug, PartialEq)]
pub struct PointWeights {
    /// Of each point's distance from its place. Default 20000.
    pub points: f64,
    /// Of the root's distance from where it was. Default 200.
    pub root_position: f64,
    /// Of the root's turn, on top of `pose`. Default 100.
    pub root_orientation: f64,
    /// Of each link's turn away from its orientation. Default 1.
    pub pose: f64,
    /// Of each coordinate's correction against that of the pose before, where poses follow each other. Default 1.
    pub smoothness: f64,
    /// Most steps for a pose. Default 12.
    pub iterations: usize,
    /// A pose is done when no coordinate moves by more than this in a step. Default 1e-5.
    pub tolerance: f64,
}

impl Default for PointWeights {
    fn default() -> PointWeights {
        PointWeights {
            points: 20000.0,
            root_position: 200.0,
            root_orientation: 100.0,
            pose: 1.0,
            smoothness: 1.0,
            iterations: 12,
            tolerance: 1e-5,
        }
    }
}

/// Leads chosen points of a character to places.
#[derive(Clone, Debug)]
pub struct PointIk {
    tree: Tree,
    targets: Targets,
    weights: PointWeights,
    point_count: usize,
}

impl PointIk {
    /// Prepares a character and the points that will be led.
    ///
    /// # Errors
    /// Where the character is not valid, or has no body of a point's name.
    pub fn new(character: &Character, points: &[BodyPoint], weights: &PointWeights) -> Result<PointIk, IkError> {
        let tree = Tree::new(character)?;
        let missing: Vec<String> =
            points.iter().filter(|p| tree.body(&p.body).is_none()).map(|p| p.body.clone()).collect();
        if !missing.is_empty() {
            return Err(IkError::MissingBodies { character: character.name.clone(), bodies: missing });
        }
        let targets = targets(character, &tree, points, weights);
        Ok(PointIk { tree, targets, weights: weights.clone(), point_count: points.len() })
    }

    /// A solver with memory of its own, for one thread.
    pub fn solver(&self) -> PointSolver<'_> {
        PointSolver {
            ik: self,
            solver: Solver::new(&self.tree, &self.targets),
            placed: Vec::new(),
            weights: vec![0.0; self.tree.velocity_count],
            correction: vec![0.0; self.tree.velocity_count],
            reference: vec![0.0; self.tree.position_count],
        }
    }
}

/// Solves pose after pose; see [`PointIk::solver`]. Corrections are smooth from one pose to the next.
pub struct PointSolver<'a> {
    ik: &'a PointIk,
    solver: Solver<'a>,
    placed: Vec<Placed>,
    /// Weight of each coordinate's pull towards the correction of the pose before; 0 for the first.
    weights: Vec<f64>,
    /// What the last pose was corrected by.
    correction: Vec<f64>,
    reference: Vec<f64>,
}

impl PointSolver<'_> {
    /// Writes where the points are in a pose, m.
    pub fn places(&mut self, qpos: &[f64], out: &mut Vec<DVec3>) {
        self.ik.tree.place(qpos, &mut self.placed);
        out.clear();
        out.extend(self.ik.targets.points[..self.ik.point_count].iter().map(|t| self.placed[t.link].place(t.point)));
    }

    /// Changes a pose as little as possible so that its points are at `goals`, within the joints' limits. The pose before is the one that was solved last.
    pub fn solve(&mut self, qpos: &mut [f64], goals: &[DVec3]) {
        let tree = &self.ik.tree;
        tree.place(qpos, &mut self.placed);
        // What is asked for: every link as it is, and each point where its goal is.
        self.placed.extend(goals.iter().map(|&position| Placed { position, orientation: DQuat::IDENTITY }));
        self.solver.aim(&self.placed);
        let own = qpos.to_vec();
        self.reference.copy_from_slice(&own);
        tree.advance(&mut self.reference, &self.correction);
        tree.project(&mut self.reference);
        qpos.copy_from_slice(&self.reference);
        let pull = Pull { reference: &self.reference, weights: &self.weights };
        self.solver.solve(qpos, pull, self.ik.weights.iterations, self.ik.weights.tolerance);
        tree.align_signs(qpos, &own);
        tree.difference(&own, qpos, &mut self.correction);
        self.weights.fill(self.ik.weights.smoothness);
    }
}

/// Every link follows a joint of its own; each point follows one more, which lies at its goal.
fn targets(character: &Character, tree: &Tree, points: &[BodyPoint], weights: &PointWeights) -> Targets {
    let reach = super::targets::reach(character, tree);
    let per_length2 = 1.0 / (reach * reach);
    let links = tree.links.len();
    let mut all: Vec<PointTarget> = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let Some(body) = tree.body(&point.body).map(|b| &tree.bodies[b]) else { continue };
        all.push(PointTarget {
            link: body.link,
            point: body.position + body.rotation * point.position,
            joint: links + index,
            target: DVec3::ZERO,
            weight: weights.points * per_length2,
        });
    }
    all.push(PointTarget {
        link: 0,
        point: DVec3::ZERO,
        joint: 0,
        target: DVec3::ZERO,
        weight: weights.root_position * per_length2,
    });
    let pose = |link: usize| PoseTarget {
        link,
        joint: link,
        offset: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        weight: weights.pose + if link == 0 { weights.root_orientation } else { 0.0 },
    };
    Targets {
        poses: (0..links).map(pose).collect(),
        points: all,
        effector_names: Vec::new(),
        pose_of_link: (0..links).map(Some).collect(),
        chain_of_link: vec![Vec::new(); links],
        is_chained: vec![false; links],
        root: Some(0),
        reach,
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_rigs::{Rig, biped};
    use super::*;

    fn feet(rig: &super::super::test_rigs::TestRig) -> Vec<BodyPoint> {
        let ends = rig.character.end_effectors.iter().filter(|e| e.name.contains("foot") || e.name.contains("toe"));
        ends.map(|e| BodyPoint { body: e.body.clone(), position: DVec3::from_array(e.position) }).collect()
    }

    #[test]
    fn points_reach_their_goals_and_others_stay() {
        for kind in [Rig::Hinged, Rig::Balls] {
            let rig = biped(kind);
            let points = feet(&rig);
            assert!(!points.is_empty(), "{:?}", rig.character.end_effectors);
            let ik = PointIk::new(&rig.character, &points, &PointWeights::default()).unwrap();
            let mut solver = ik.solver();
            let bent = rig.motion(1, 1.0, |_, _| 0.3);
            let mut goals = Vec::new();
            solver.places(&bent, &mut goals);
            let mut same = bent.clone();
            for _ in 0..3 {
                solver.solve(&mut same, &goals);
            }
            assert!(same.iter().zip(&bent).all(|(a, b)| (a - b).abs() < 1e-9), "goals that are met change nothing");
            goals[0] += DVec3::new(0.02, 0.01, 0.03);
            let (mut moved, mut found) = (bent.clone(), Vec::new());
            solver.solve(&mut moved, &goals);
            solver.places(&moved, &mut found);
            let off = found.iter().zip(&goals).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(off < 1e-3, "{off}");
        }
    }

    #[test]
    fn bodies_that_are_not_there_are_named() {
        let rig = biped(Rig::Balls);
        let points = [BodyPoint { body: "wing".into(), position: DVec3::ZERO }];
        let error = PointIk::new(&rig.character, &points, &PointWeights::default()).unwrap_err();
        assert!(error.to_string().contains("wing"), "{error}");
    }
}
