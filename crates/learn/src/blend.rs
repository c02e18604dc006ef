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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::captured::InputClip;
    use crate::ground_transform::GroundTransform;
    use sinew_sim::embedded;

    #[test]
    fn a_jump_goes_on_as_it_went_and_ends_in_the_new_motion() {
        let figure = Figure::new(&embedded::humanoid(), 0.0).unwrap();
        let config = DataConfig::default();
        // A root that rises by 1 cm a frame, then, in the second clip, falls by 1 cm a frame from 20 cm higher.
        let clip = |name: &str, height: f64, step: f64| {
            let rows = (0..40).flat_map(|frame| {
                let mut row = figure.model().rest_position().to_vec();
                row[2] += height + step * f64::from(frame);
                row
            });
            let (name, source) = (name.to_owned(), name.to_owned());
            InputClip { name, source, rate_hz: RATE_HZ, positions: rows.collect(), labels: Vec::new() }
        };
        let clips = [clip("up", 0.0, 0.01), clip("down", 0.4, -0.01)];
        let captured = Captured::new(&figure, &clips, &[], &config).unwrap();
        let step = |frame: u32, is_jump: bool| Step { frame, transform: GroundTransform::default(), is_jump };
        let steps: Vec<Step> = (0..20).map(|f| step(f, false)).chain((45..70).map(|f| step(f, f == 45))).collect();
        let rows = blended(&figure, &captured, &steps, &config);
        let nq = figure.model().position_count();
        let height = |frame: usize| rows[frame * nq + 2] - figure.model().rest_position()[2];
        // At the jump, frame 20, the root goes on to 20 cm with the speed that it had, though the new clip has it at 35 cm.
        assert!((height(20) - 0.2).abs() < 1e-9, "{}", height(20));
        assert!((height(21) - height(20) - 0.01).abs() < 0.005, "{}", height(21) - height(20));
        // After 12 frames it is that of the new clip.
        assert!((31..45).all(|f| (height(f) - (0.4 - 0.01 * (f - 15) as f64)).abs() < 0.012), "{}", height(31));
        assert!((32..45).all(|f| (height(f) - (0.4 - 0.01 * (f - 15) as f64)).abs() < 1e-9));
        let bend = (1..44).map(|f| (height(f + 1) - 2.0 * height(f) + height(f - 1)).abs()).fold(0.0, f64::max);
        assert!(bend < 0.01, "no kinks: {bend}");
    }
}
