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

/// A clip whose feet keep this share of the height over the ground on which the bind pose stands is one in mid-air.
const AIRBORNE: f64 = 0.1;
/// A bind pose whose soles are this near to `z = 0`, in heights, stands on it.
const ON_ZERO: f64 = 0.03;

/// Whether the soles of the bind pose are on `z = 0`: then that is the ground of the file's clips too.
fn stands_in_bind_pose(skeleton: &Skeleton, feet: &[Foot]) -> bool {
    let bind = skeleton.bind_pose();
    let soles = feet.iter().flat_map(|foot| &foot.sole).map(|point| bind[point.joint].place(point.local).z);
    soles.fold(f64::INFINITY, f64::min).abs() < ON_ZERO * skeleton.height()
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
    if offset_m > AIRBORNE * skeleton.height() && stands_in_bind_pose(skeleton, feet) {
        notes.push(format!(
            "{}: stays {:.1} cm over the ground of the bind pose, as in mid-air",
            clip.name,
            100.0 * offset_m
        ));
        return Ok(OnGround { clip: moving, notes, given_speed: was_in_place.then_some(speed) });
    }
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
