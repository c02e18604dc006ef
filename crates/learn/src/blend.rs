//! A walk as motion without jumps.
//!
//! Where a transition leads to another stretch of motion, what is left between the two is a displacement that fades out: at the jump the motion goes on as it
//! went, and over `blend_secs` it becomes that of the new stretch. With `u` from 0 to 1, displacement `x₀` and rate `v₀` at the jump over `B` frames,
//! `x(u) = x₀ (1 − 3u² + 2u³) + v₀ B (u − 2u² + u³)`: continuous with its first derivative at both ends.

use crate::captured::Captured;
use crate::config::DataConfig;
use crate::figure::Figure;
use crate::motion_set::RATE_HZ;
use crate::walk::Step;

/// The rows of `qpos` of a walk, its jumps blended.
pub fn blended(figure: &Figure, captured: &Captured, steps: &[Step], config: &DataConfig) -> Vec<f64> {
    let model = figure.model();
    let (nq, nv) = (model.position_count(), model.velocity_count());
    let length = (config.blend_secs * RATE_HZ).round().max(1.0);
    let place = |step: &Step, frame: usize| {
        let mut row = captured.position(frame).to_vec();
        step.transform.move_root(&mut row);
        row
    };
    let mut rows: Vec<f64> = Vec::with_capacity(steps.len() * nq);
    let (mut at_jump, mut rate_at_jump) = (vec![0.0; nv], vec![0.0; nv]);
    // Frames since the last jump; none where nothing is left of it.
    let mut since: Option<usize> = None;
    let mut out = vec![0.0; nq];
    for (index, step) in steps.iter().enumerate() {
        let base = place(step, step.frame as usize);
        if step.is_jump && index >= 2 {
            let (before, last) = (&rows[(index - 2) * nq..(index - 1) * nq], &rows[(index - 1) * nq..index * nq]);
            let (mut pace, mut own) = (vec![0.0; nv], vec![0.0; nv]);
            model.difference(before, last, &mut pace);
            model.displace(last, &pace, 1.0, &mut out);
            model.difference(&base, &out, &mut at_jump);
            model.difference(&place(step, step.frame as usize - 1), &base, &mut own);
            rate_at_jump.iter_mut().zip(pace.iter().zip(&own)).for_each(|(rate, (pace, own))| *rate = pace - own);
            since = Some(0);
        }
        let displacement: Option<Vec<f64>> = since.map(|frames| {
            let u = frames as f64 / length;
            let [of_place, of_rate] = [1.0 - u * u * (3.0 - 2.0 * u), length * u * (1.0 - u) * (1.0 - u)];
            at_jump.iter().zip(&rate_at_jump).map(|(x, v)| of_place * x + of_rate * v).collect()
        });
        match displacement {
            Some(way) => model.displace(&base, &way, 1.0, &mut out),
            None => out.copy_from_slice(&base),
        }
        since = since.map(|frames| frames + 1).filter(|&frames| (frames as f64) < length);
        rows.extend_from_slice(&out);
    }
    keep_signs(figure, &mut rows);
    rows
}

/// Chooses, of each quaternion and its negative, the one nearer to the row before.
pub(crate) fn keep_signs(figure: &Figure, rows: &mut [f64]) {
    use sinew_sim::JointKind;
    let nq = figure.model().position_count();
    for frame in 1..rows.len() / nq {
        for joint in figure.model().joints() {
            let at = match joint.kind {
                JointKind::Free => joint.position_index + 3,
                JointKind::Ball => joint.position_index,
                _ => continue,
            };
            let (before, now) = ((frame - 1) * nq + at, frame * nq + at);
            if (0..4).map(|k| rows[before + k] * rows[now + k]).sum::<f64>() < 0.0 {
                rows[now..now + 4].iter_mut().for_each(|x| *x = -*x);
            }
        }
    }
}
