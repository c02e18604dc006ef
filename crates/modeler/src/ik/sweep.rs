//! Passes over a clip: each frame is solved with its neighbours' corrections in view.

use super::fitted::{ErrorMeter, FitErrors};
use super::guess::guess;
use super::options::IkOptions;
use super::solver::{Pull, Solver};
use super::speed::{SourceSpeeds, bursts};
use super::targets::{Targets, place_joints};
use super::tree::Tree;
use sinew_motion::skeleton::Placed;
use sinew_motion::tools::Plants;
use sinew_motion::{Clip, Skeleton};
use std::ops::Range;

/// The first frame starts from the guess alone and may take this many times the steps of the others.
const FIRST_FRAME_PATIENCE: usize = 10;
/// Rounds of solving again around bursts.
const CALMING_ROUNDS: i32 = 3;
/// By how much each round stiffens the corrections of a joint that bursts.
const STIFFENING: f64 = 8.0;
/// How far around a burst corrections are stiffened, s.
const CALMED_SECS: f64 = 0.1;

/// Direction of a pass, and which neighbours are solved already.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Pass {
    /// Forward from the guess, with the frame before in view.
    First,
    /// Forward, with both neighbours in view.
    Forward,
    /// Backward, with both neighbours in view.
    Backward,
}

impl Pass {
    /// The pass of this number: first, backward, forward, backward …
    pub fn of(number: usize) -> Pass {
        match number {
            0 => Pass::First,
            n if n % 2 == 1 => Pass::Backward,
            _ => Pass::Forward,
        }
    }
}

/// The motion that is asked for.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub skeleton: &'a Skeleton,
    pub clip: &'a Clip,
    /// How its feet are displaced, where they are.
    pub plants: Option<&'a Plants>,
}

impl Source<'_> {
    /// Every joint's place in a frame.
    fn place(&self, frame: usize, joints: &mut Vec<Placed>) {
        place_joints(self.skeleton, self.clip, frame, joints);
        if let Some(plants) = self.plants {
            plants.displace(frame, joints);
        }
    }
}

/// A clip being fitted.
pub(super) struct Fit<'a> {
    tree: &'a Tree,
    targets: &'a Targets,
    source: Source<'a>,
    options: &'a IkOptions,
    solver: Solver<'a>,
    /// `qpos` of the closed form: frame × coordinate.
    pub guesses: Vec<f64>,
    /// `qpos` of the solution: frame × coordinate.
    pub positions: Vec<f64>,
    /// `positions ⊖ guesses`: frame × degree of freedom.
    corrections: Vec<f64>,
    /// By how much the change of a joint's correction since the frame before costs more than usual: frame × link.
    stiffness: Vec<f64>,

    // Of the frame at hand.
    joints: Vec<Placed>,
    reference: Vec<f64>,
    pulled: Vec<f64>,
    weights: Vec<f64>,
}

impl<'a> Fit<'a> {
    pub fn new(tree: &'a Tree, targets: &'a Targets, source: Source<'a>, options: &'a IkOptions) -> Self {
        let (frames, nq, nv) = (source.clip.frame_count(), tree.position_count, tree.velocity_count);
        Fit {
            tree,
            targets,
            source,
            options,
            solver: Solver::new(tree, targets),
            guesses: vec![0.0; frames * nq],
            positions: vec![0.0; frames * nq],
            corrections: vec![0.0; frames * nv],
            stiffness: vec![1.0; frames * tree.links.len()],
            joints: Vec::with_capacity(source.skeleton.joints.len()),
            reference: vec![0.0; nq],
            pulled: vec![0.0; nv],
            weights: vec![0.0; nv],
        }
    }

    /// The closed form for every frame.
    pub fn guess_all(&mut self, speeds: &mut SourceSpeeds) {
        let nq = self.tree.position_count;
        let (mut orientations, mut placed) = (Vec::new(), Vec::new());
        for frame in 0..self.source.clip.frame_count() {
            self.source.place(frame, &mut self.joints);
            self.targets.orientations(&self.joints, &mut orientations);
            speeds.add(self.targets, &orientations);
            let (done, rest) = self.guesses.split_at_mut(frame * nq);
            let before = (frame > 0).then(|| &done[(frame - 1) * nq..]);
            guess(self.tree, self.targets, &self.joints, &orientations, before, &mut rest[..nq], &mut placed);
        }
    }

    /// Solves a range of frames once.
    pub fn sweep(&mut self, pass: Pass, range: Range<usize>) {
        for k in 0..range.len() {
            let frame = if pass == Pass::Backward { range.end - 1 - k } else { range.start + k };
            self.solve_frame(pass, frame);
        }
    }

    fn solve_frame(&mut self, pass: Pass, frame: usize) {
        let (nq, nv) = (self.tree.position_count, self.tree.velocity_count);
        self.pull_to_neighbours(pass, frame);
        let guess = &self.guesses[frame * nq..(frame + 1) * nq];
        self.reference.copy_from_slice(guess);
        self.tree.advance(&mut self.reference, &self.pulled);
        self.tree.project(&mut self.reference);

        let q = &mut self.positions[frame * nq..(frame + 1) * nq];
        if pass == Pass::First {
            q.copy_from_slice(&self.reference);
        }
        self.source.place(frame, &mut self.joints);
        self.solver.aim(&self.joints);
        let pull = Pull { reference: &self.reference, weights: &self.weights };
        let patience = if pass == Pass::First && frame == 0 { FIRST_FRAME_PATIENCE } else { 1 };
        self.solver.solve(q, pull, patience * self.options.iterations, self.options.tolerance);
        self.tree.difference(guess, q, &mut self.corrections[frame * nv..(frame + 1) * nv]);
    }

    /// `pulled ← Σ w e / Σ w` and `weights ← Σ w` over the neighbours that are solved already.
    fn pull_to_neighbours(&mut self, pass: Pass, frame: usize) {
        let (links, nv) = (self.tree.links.len(), self.tree.velocity_count);
        let edge = self.options.smoothing_secs * self.source.clip.rate_hz;
        let edge = edge * edge;
        let has_next = pass != Pass::First && frame + 1 < self.source.clip.frame_count();
        // A neighbour's frame, and the frame at the end of the way between.
        let neighbours = [frame.checked_sub(1).map(|n| (n, frame)), has_next.then_some((frame + 1, frame + 1))];
        self.pulled.fill(0.0);
        self.weights.fill(0.0);
        for &(neighbour, end) in neighbours.iter().flatten() {
            for (l, link) in self.tree.links.iter().enumerate() {
                let weight = edge * self.stiffness[end * links + l];
                for dof in link.v..link.v + link.kind.velocity_count() {
                    self.weights[dof] += weight;
                    self.pulled[dof] += weight * self.corrections[neighbour * nv + dof];
                }
            }
        }
        for (pulled, weight) in self.pulled.iter_mut().zip(&self.weights) {
            *pulled /= weight.max(f64::MIN_POSITIVE);
        }
    }

    /// Solves again around bursts of speed, with stiffer corrections of the joints that burst.
    pub fn calm_bursts(&mut self, allowed: &[f64]) {
        let (frames, links) = (self.source.clip.frame_count(), self.tree.links.len());
        let around = (CALMED_SECS * self.source.clip.rate_hz) as usize + 2;
        let mut stiffness = 1.0;
        for _ in 0..CALMING_ROUNDS {
            let bursts = bursts(self.tree, &self.positions, allowed);
            if bursts.is_empty() {
                return;
            }
            stiffness *= STIFFENING;
            let mut ranges: Vec<Range<usize>> = Vec::new();
            for (frame, link) in bursts {
                for near in frame.saturating_sub(around)..(frame + around + 1).min(frames) {
                    self.stiffness[near * links + link] = stiffness;
                }
                let range = frame.saturating_sub(2 * around)..(frame + 2 * around + 1).min(frames);
                match ranges.last_mut() {
                    Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
                    _ => ranges.push(range),
                }
            }
            for range in ranges {
                self.sweep(Pass::Forward, range.clone());
                self.sweep(Pass::Backward, range);
            }
        }
    }

    /// Makes neighbouring quaternions lie in the same hemisphere.
    pub fn align_signs(&mut self) {
        let nq = self.tree.position_count;
        for frame in 1..self.source.clip.frame_count() {
            let (done, rest) = self.positions.split_at_mut(frame * nq);
            self.tree.align_signs(&mut rest[..nq], &done[(frame - 1) * nq..]);
        }
    }

    /// How far the solution is from the source.
    pub fn errors(&mut self, speeds: &SourceSpeeds) -> FitErrors {
        let nq = self.tree.position_count;
        let mut meter = ErrorMeter::new(self.tree, self.targets, self.source.clip.rate_hz);
        for frame in 0..self.source.clip.frame_count() {
            self.source.place(frame, &mut self.joints);
            let before = (frame > 0).then(|| &self.positions[(frame - 1) * nq..frame * nq]);
            meter.add(&self.joints, before, &self.positions[frame * nq..(frame + 1) * nq]);
        }
        meter.finish(speeds.largest_turn())
    }
}
