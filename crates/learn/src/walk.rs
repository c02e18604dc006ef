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
                // Who had to leave may go on as he likes: else he might be kept in a small ring for ever.
                since = if can_stay { 0 } else { since };
                Step { frame: taken.like + 1, transform: transform.then_after(&taken.align), is_jump: true }
            }
            None => Step { frame: frame + 1, transform, is_jump: false },
        });
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::captured::InputClip;
    use crate::figure::Figure;
    use sinew_sim::embedded;

    /// A figure that stands for 2 s, nods for 2 s and stands again: standing frames are all alike, and lead back to each other in small rings.
    #[test]
    fn a_walk_is_not_caught_in_a_small_ring() {
        let figure = Figure::new(&embedded::humanoid(), 0.0).unwrap();
        let mut positions = Vec::new();
        for frame in 0..180 {
            let mut row = figure.model().rest_position().to_vec();
            if (60..120).contains(&frame) {
                row[2] -= 0.1 * libm::sin(std::f64::consts::PI * f64::from(frame - 60) / 60.0);
            }
            // Breath, so that no two frames are quite the same.
            row[2] += 0.002 * libm::sin(0.37 * f64::from(frame));
            positions.extend(row);
        }
        let labels = Vec::new();
        let clip = InputClip { name: "nod".into(), source: "nod".into(), rate_hz: 30.0, positions, labels };
        let config = DataConfig::default();
        let captured = Captured::new(&figure, &[clip], &[], &config).unwrap();
        let graph = MotionGraph::new(&figure, &captured, &config);
        assert!(graph.report.core_frames > 150, "{:?}", graph.report);
        for index in 0..8 {
            let steps = random_walk(&captured, &graph, 1800, &config, &mut Stream::new(1, "test", index));
            let nods = steps.iter().filter(|step| (60..120).contains(&step.frame)).count();
            assert!(steps.len() == 1800 && nods > 200, "a third of the frames, but {nods} of 1800 were seen");
        }
    }
}
