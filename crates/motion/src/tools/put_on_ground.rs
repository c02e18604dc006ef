//! A clip as it would happen on level ground: travelling where it ran in place, standing where it floated or sloped.

use super::{Foot, GroundSpeed, Grounded, ToolError, Travel, align_to_ground, travel_from_feet};
use crate::{Clip, Skeleton};

/// A clip on level ground at `z = 0`.
#[derive(Clone, Debug)]
pub struct OnGround {
    /// The clip.
    pub clip: Clip,
    /// One sentence for each change.
    pub notes: Vec<String>,
    /// Speed that an in-place cycle was given, m/s; `None`: it travels by itself or stays.
    pub given_speed: Option<f64>,
}

/// [`travel_from_feet`], then [`align_to_ground`]. A skeleton without feet keeps its clip as it is.
///
/// # Errors
/// Where the clip does not fit the skeleton.
pub fn put_on_ground(skeleton: &Skeleton, clip: &Clip, feet: &[Foot]) -> Result<OnGround, ToolError> {
    if feet.is_empty() {
        return Ok(OnGround { clip: clip.clone(), notes: Vec::new(), given_speed: None });
    }
    let mut notes = Vec::new();
    let Travel { clip: moving, was_in_place, speed, skate_before, skate_after, .. } =
        travel_from_feet(skeleton, clip, feet, GroundSpeed::default())?;
    if was_in_place {
        notes.push(format!(
            "{}: runs in place; its stance feet say {speed:.2} m/s, so it now travels (feet slid {skate_before:.2} m/s, now {skate_after:.2} m/s)",
            clip.name
        ));
    }
    let Grounded { clip: level, offset_m, slope_rad, .. } = align_to_ground(skeleton, &moving, feet)?;
    if offset_m.abs() > 0.002 {
        let (way, by) = if offset_m > 0.0 { ("lowered", offset_m) } else { ("raised", -offset_m) };
        notes.push(format!("{}: {way} by {:.1} cm onto the ground", clip.name, 100.0 * by));
    }
    if slope_rad > 1e-3 {
        notes.push(format!(
            "{}: its floor sloped by {:.1} degrees and was levelled",
            clip.name,
            slope_rad.to_degrees()
        ));
    }
    Ok(OnGround { clip: level, notes, given_speed: was_in_place.then_some(speed) })
}
