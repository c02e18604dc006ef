//! A part of a clip.

use super::error::{ToolError, joint_count};
use crate::Clip;

/// The frames from `from_secs` to `to_secs`, both rounded to the nearest frame and included. An end past the clip's is taken as the clip's.
pub fn crop(clip: &Clip, from_secs: f64, to_secs: f64) -> Result<Clip, ToolError> {
    let last = clip.frame_count() - 1;
    let first_frame = libm::round(from_secs * clip.rate_hz);
    let last_frame = libm::round(to_secs * clip.rate_hz).min(last as f64);
    if !(from_secs <= to_secs && first_frame >= 0.0 && first_frame <= last_frame) {
        return Err(ToolError::Span {
            clip: clip.name.clone(),
            from_secs,
            to_secs,
            duration_secs: clip.duration_secs(),
        });
    }
    let (first, last) = (first_frame as usize, last_frame as usize);
    let joints = joint_count(clip);
    Ok(Clip {
        name: clip.name.clone(),
        rate_hz: clip.rate_hz,
        root_positions: clip.root_positions[first..=last].to_vec(),
        rotations: clip.rotations[first * joints..(last + 1) * joints].to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::walkers::biped_walk;

    #[test]
    fn frames_are_those_of_the_source() {
        let clip = biped_walk().clip;
        let part = crop(&clip, 10.2 / clip.rate_hz, 19.9 / clip.rate_hz).unwrap();
        assert_eq!(part.frame_count(), 11);
        assert_eq!(part.rotations_of(3), clip.rotations_of(13));
        assert_eq!(part.root_positions[10], clip.root_positions[20]);
        assert_eq!(crop(&clip, 0.0, 1e9).unwrap(), clip);
    }

    #[test]
    fn empty_spans_are_refused() {
        let clip = biped_walk().clip;
        for (from, to) in [(1.0, 0.5), (-1.0, 0.5), (1e3, 2e3), (f64::NAN, 1.0), (0.0, f64::NAN)] {
            assert!(matches!(crop(&clip, from, to), Err(ToolError::Span { .. })), "{from} to {to}");
        }
    }
}
