//! A clip as it would happen on level ground: travelling where it ran in place, standing where it floated or sloped.

use super::ground::align_cycle_to_ground;
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
    let align = if was_in_place { align_cycle_to_ground } else { align_to_ground };
    let Grounded { clip: level, offset_m, slope_rad, .. } = align(skeleton, &moving, feet)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::walkers::biped_walk;
    use crate::tools::{feet, moved, repeat_cycle};
    use glam::{DQuat, DVec3};

    #[test]
    fn a_floating_clip_comes_down_and_one_in_mid_air_stays() {
        let walk = biped_walk();
        let feet = feet(&walk.skeleton, &[]);
        let ground = put_on_ground(&walk.skeleton, &walk.clip, &feet).unwrap();
        let raised = |share: f64| {
            let up = DVec3::new(0.0, 0.0, share * walk.skeleton.height());
            put_on_ground(&walk.skeleton, &moved(&ground.clip, DQuat::IDENTITY, up), &feet).unwrap()
        };
        let height = |placed: &OnGround| placed.clip.root_positions[0].z - ground.clip.root_positions[0].z;
        assert!(height(&raised(0.05)).abs() < 0.005, "{}", height(&raised(0.05)));
        // The bind pose stands on zero, so feet that stay high above it are in the air.
        let floor = walk.skeleton.bind_pose()[feet[0].sole[0].joint].place(feet[0].sole[0].local).z;
        let mut standing = walk.skeleton.clone();
        standing.joints[0].offset.z -= floor;
        let up = DVec3::new(0.0, 0.0, 0.3 * standing.height());
        let high = put_on_ground(&standing, &moved(&ground.clip, DQuat::IDENTITY, up), &feet).unwrap();
        assert!(height(&high) > 0.25 * standing.height(), "{}", height(&high));
        assert!(high.notes.iter().any(|n| n.contains("mid-air")), "{:?}", high.notes);
    }

    /// A cycle without its travel.
    fn in_place(cycle: &Clip) -> Clip {
        let mut still = cycle.clone();
        let frames = still.frame_count();
        let travel = still.root_positions[frames - 1] - still.root_positions[0];
        for (frame, position) in still.root_positions.iter_mut().enumerate() {
            let share = frame as f64 / (frames - 1) as f64;
            *position -= share * DVec3::new(travel.x, travel.y, 0.0);
        }
        still
    }

    #[test]
    fn a_cycle_in_place_is_told_its_speed() {
        let walk = biped_walk();
        let feet = feet(&walk.skeleton, &[]);
        let still = in_place(&walk.cycle);
        let speed = put_on_ground(&walk.skeleton, &still, &feet).unwrap().given_speed.expect("in place");
        assert!((speed - walk.speed).abs() < 0.05 * walk.speed, "{speed} instead of {}", walk.speed);
    }

    #[test]
    fn a_cycle_in_place_stays_one_where_later_steps_are_higher() {
        let walk = biped_walk();
        let feet = feet(&walk.skeleton, &[]);
        let mut cycles = in_place(&repeat_cycle(&walk.cycle, 4).unwrap().clip);
        // A wave that ends as it begins, and is taken for a slope by the steps of its rising half.
        let frames = cycles.frame_count();
        for (frame, position) in cycles.root_positions.iter_mut().enumerate() {
            let share = frame as f64 / (frames - 1) as f64;
            position.z += 0.03 * libm::sin(std::f64::consts::TAU * (share - 0.1)) * walk.skeleton.height();
        }
        let ground = put_on_ground(&walk.skeleton, &cycles, &feet).unwrap();
        assert!(ground.given_speed.is_some());
        let rise = ground.clip.root_positions[frames - 1].z - ground.clip.root_positions[0].z;
        assert!(rise.abs() < 1e-6, "{rise}");
        let sloped = align_to_ground(&walk.skeleton, &ground.clip, &feet).unwrap();
        assert!(sloped.slope_rad > 2e-3, "the test tells nothing: {}", sloped.slope_rad);
    }
}
