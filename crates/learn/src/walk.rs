//! A random walk through the motion graph.

use crate::captured::Captured;
use crate::config::DataConfig;
use crate::graph::MotionGraph;
use crate::ground_transform::GroundTransform;
use crate::motion_set::RATE_HZ;
use crate::random::Stream;

/// A frame of a walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The captured frame.
    pub frame: u32,
    /// Lays its clip where the walk is.
    pub transform: GroundTransform,
    /// Whether a transition leads here.
    pub is_jump: bool,
}

/// Walks for at most `frames` frames from a random one.
///
/// At every transition it stays or takes one, with chances `1/(1 + v)²`, v being how often on the average this walk has been in the second that follows, so
/// that it goes everywhere; within `least_walk_secs` of the last one it stays where it can.
/// Without a core, it plays one clip to its end.
pub(crate) fn random_walk(
    captured: &Captured,
    graph: &MotionGraph,
    frames: usize,
    config: &DataConfig,
    stream: &mut Stream,
) -> Vec<Step> {
    let start = match graph.has_core() {
        true => {
            let core: Vec<u32> = (0..captured.frame_count() as u32).filter(|&f| graph.is_core[f as usize]).collect();
            core[(stream.uniform(0.0, core.len() as f64) as usize).min(core.len() - 1)]
        }
        false => {
            let lengths: Vec<f64> =
                (0..captured.names.len()).map(|clip| captured.frames_of(clip).len() as f64).collect();
            captured.starts[stream.weighted(&lengths)] as u32
        }
    };
    let least = (config.least_walk_secs * RATE_HZ) as usize;
    let mut visits = vec![0u32; captured.frame_count()];
    let mut steps = vec![Step { frame: start, transform: GroundTransform::default(), is_jump: false }];
    let mut since = 0;
    while steps.len() < frames {
        let Step { frame, transform, .. } = steps[steps.len() - 1];
        let here = frame as usize;
        visits[here] += 1;
        let leaving = graph.leaving(here);
        let can_stay = captured.has_next(here) && (!graph.has_core() || graph.is_core[here + 1]);
        let chance = |to: usize| {
            let ahead = &visits[to..(to + RATE_HZ as usize).min(captured.starts[captured.clip_of(to) + 1])];
            let mean = f64::from(ahead.iter().sum::<u32>()) / ahead.len() as f64;
            1.0 / ((1.0 + mean) * (1.0 + mean))
        };
        let mut weights: Vec<f64> = leaving.iter().map(|t| chance(t.like as usize + 1)).collect();
        if can_stay {
            if since < least {
                weights.fill(0.0);
            }
            weights.push(chance(here + 1));
        }
        since += 1;
        if weights.is_empty() {
            break;
        }
        let chosen = stream.weighted(&weights);
        steps.push(match leaving.get(chosen) {
            Some(taken) => {
                since = 0;
                Step { frame: taken.like + 1, transform: transform.then_after(&taken.align), is_jump: true }
            }
            None => Step { frame: frame + 1, transform, is_jump: false },
        });
    }
    steps
}
