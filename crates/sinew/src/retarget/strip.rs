//! A clip and what became of it, side by side.

use crate::report::{Camera, FilmStrip, Frame, Shape, Solid};
use glam::{DQuat, DVec3};
use sinew_motion::names::{Side, side, words};
use sinew_motion::skeleton::Placed;
use sinew_motion::{Clip, Rig, Skeleton};
use sinew_retarget::Anatomy;

const TRUNK: [u8; 3] = [74, 122, 172];
const LEFT: [u8; 3] = [216, 128, 48];
const RIGHT: [u8; 3] = [84, 96, 118];
/// Bones of the character and of the clip's skeleton, as parts of the character's height.
const THICK: f64 = 0.018;
const THIN: f64 = 0.01;

/// Moments of the clip on its own skeleton (thin, made as tall as the character, behind it) and on the character.
pub fn retarget_strip(
    source: &Rig,
    clip: &Clip,
    target: &Rig,
    moved: &Clip,
    title: String,
    moments: usize,
) -> FilmStrip {
    let (from, to) = (Anatomy::of(&source.skeleton, &source.clips), Anatomy::of(&target.skeleton, &target.clips));
    let angle = |v: DVec3| libm::atan2(v.y, v.x);
    let turn = DQuat::from_rotation_z(angle(to.forward) - angle(from.forward));
    let height = target.skeleton.height();
    let scale = height / source.skeleton.height().max(1e-9);
    let last = clip.frame_count().min(moved.frame_count()) - 1;
    let moments = moments.clamp(1, last + 1);
    let frame = |moment: usize| {
        let at = moment * last / (moments - 1).max(1);
        let placed = moved.place(&target.skeleton, at);
        let center = placed[0].position;
        let other = clip.place(&source.skeleton, at);
        let root = scale * (turn * other[0].position);
        let aside = DVec3::new(center.x - root.x - 0.75 * height, center.y - root.y + 0.45 * height, 0.0);
        let beside =
            |p: &Placed| Placed { position: scale * (turn * p.position) + aside, orientation: turn * p.orientation };
        let other: Vec<Placed> = other.iter().map(beside).collect();
        let mut solids = bones(&target.skeleton, &placed, 1.0, THICK * height);
        solids.extend(bones(&source.skeleton, &other, scale, THIN * height));
        let caption = format!("{:.2} s", at as f64 / clip.rate_hz);
        Frame { solids, arrows: Vec::new(), caption, focus: Some([center.x, center.y, 0.0]) }
    };
    FilmStrip {
        title,
        frames: (0..moments).map(frame).collect(),
        columns: 8,
        frame_width: 240,
        frame_height: 240,
        camera: Camera::follow(1.95, 0.16),
        grid_spacing: if height > 3.0 { 2.0 } else { 0.5 },
        ..FilmStrip::default()
    }
}

fn bones(skeleton: &Skeleton, placed: &[Placed], scale: f64, radius: f64) -> Vec<Solid> {
    let mut solids = Vec::new();
    for (index, joint) in skeleton.joints.iter().enumerate() {
        let color = match side(&words(&joint.name)) {
            Some(Side::Left) => LEFT,
            Some(Side::Right) => RIGHT,
            None => TRUNK,
        };
        let at = placed[index].position;
        let mut bone = |from: DVec3, to: DVec3| {
            let shape = Shape::Capsule { from: from.to_array(), to: to.to_array(), radius };
            solids.push(Solid { shape, color });
        };
        if let Some(parent) = joint.parent {
            bone(placed[parent].position, at);
        }
        joint.tips.iter().for_each(|tip| bone(at, placed[index].place(scale * *tip)));
    }
    solids
}
