//! Pictures of simulated worlds.

use crate::modeling::Modeling;
use crate::report::{Arrow, Camera, FilmStrip, Frame, Shape as Drawn, Solid};
use crate::sim::rotation::quaternion_product;
use crate::sim::{Batch, BatchError, BatchOptions, ContactReading, Measured, Model, Shape, World};
use crate::source::Source;
use sinew_modeler::fitted_to_clip;
use sinew_motion::Clip;
use sinew_motion::skeleton::{Joint, Placed, Skeleton};
use std::sync::Arc;

/// Colours by the part of the body that a name tells; right limbs are lighter than left ones.
const TRUNK: [u8; 3] = [74, 122, 172];
const LEFT: [u8; 3] = [216, 128, 48];
const RIGHT: [u8; 3] = [84, 96, 118];
const OBJECT: [u8; 3] = [196, 70, 62];
const SCENERY: [u8; 3] = [190, 164, 122];
const CONTACT: [u8; 3] = [34, 148, 92];
const BONE: [u8; 3] = [200, 30, 120];
/// Colour of outer forces.
pub const PUSH: [u8; 3] = [208, 46, 46];
/// Length of an arrow for each newton, m.
const METRES_PER_NEWTON: f64 = 0.0008;
/// No arrow is longer: an impact would fill the picture, m.
const LONGEST_ARROW: f64 = 1.0;

/// One moment of a world, with its contact forces as arrows.
pub fn frame(model: &Model, world: &World<'_>, caption: String) -> Frame {
    frame_of(model, &world.measure(), &world.contacts(), caption)
}

/// One moment that was measured, with contact forces as arrows.
pub fn frame_of(model: &Model, measured: &Measured, contacts: &[ContactReading], caption: String) -> Frame {
    let mut solids = Vec::new();
    for (body, motion) in model.bodies().iter().zip(&measured.bodies) {
        let color = match body.character {
            None => OBJECT,
            Some(_) => side_color(&body.name),
        };
        for shape in &body.shapes {
            let shape = match shape {
                Shape::Capsule { from, to, radius } => {
                    Drawn::Capsule { from: motion.place(*from), to: motion.place(*to), radius: *radius }
                }
                Shape::Sphere { center, radius } => Drawn::Sphere { center: motion.place(*center), radius: *radius },
                Shape::Box { center, half_extents, orientation } => Drawn::Box {
                    center: motion.place(*center),
                    half_extents: *half_extents,
                    orientation: quaternion_product(motion.orientation, *orientation),
                },
            };
            solids.push(Solid { shape, color });
        }
    }
    for fixed in &model.scene().boxes {
        let shape =
            Drawn::Box { center: fixed.center, half_extents: fixed.half_extents, orientation: fixed.orientation };
        solids.push(Solid { shape, color: SCENERY });
    }
    let arrows = contacts.iter().map(|c| arrow(c.point, c.force, CONTACT)).collect();
    let [x, y, _] = measured.center_of_mass;
    Frame { solids, arrows, caption, focus: Some([x, y, 0.0]) }
}

/// A force drawn from its point of application, at most a metre long.
pub fn arrow(from: [f64; 3], force: [f64; 3], color: [u8; 3]) -> Arrow {
    let length = METRES_PER_NEWTON * force.iter().map(|f| f * f).sum::<f64>().sqrt();
    let scale = METRES_PER_NEWTON * (LONGEST_ARROW / length.max(LONGEST_ARROW));
    let to = std::array::from_fn(|i| from[i] + scale * force[i]);
    Arrow { from, to, color }
}

/// A strip seen from the character's left side, following it.
pub fn strip(model: &Model, title: String, frames: Vec<Frame>) -> FilmStrip {
    FilmStrip {
        title,
        frames,
        columns: 4,
        camera: Camera::follow(1.95, 0.16),
        ground_height: model.scene().ground.map(|g| g.height),
        ..FilmStrip::default()
    }
}

/// Bodies with the skeleton drawn over them: the rest pose, then moments of a clip.
///
/// # Errors
/// Where the character cannot be simulated.
pub fn modeling_strip(model: &Arc<Model>, modeling: &Modeling, source: &Source) -> Result<FilmStrip, BatchError> {
    const MOMENTS: usize = 7;
    let skeleton = &source.rig.skeleton;
    let mut batch = Batch::new(model, 1, BatchOptions { threads: 1, ..BatchOptions::default() })?;
    let mut rest = frame(model, &batch.world(0), "rest pose".into());
    let (character, binding) = (modeling.project.character(), modeling.project.binding());
    let stance = fitted_to_clip(character, binding, skeleton, 1.0, "rest", model.rest_position(), None);
    rest.arrows = stance.map_or(Vec::new(), |clip| bones(skeleton, &clip.place(skeleton, 0)));
    let mut frames = vec![rest];
    // A walk says most; else the longest.
    let says_most = |clip: &Clip| (clip.name.to_lowercase().contains("walk"), clip.frame_count());
    let shown = (0..modeling.clips.len()).rev().max_by_key(|&i| says_most(&modeling.clips[i])).unwrap_or(0);
    if let (Some(fitted), Some(clip)) = (modeling.fitted.get(shown), modeling.clips.get(shown)) {
        let last = fitted.frame_count() - 1;
        for moment in 0..MOMENTS.min(last + 1) {
            let at = moment * last / (MOMENTS - 1).max(1);
            batch.world_mut(0).set_position(fitted.position(at));
            let mut picture =
                frame(model, &batch.world(0), format!("{}, {:.2} s", clip.name, at as f64 / clip.rate_hz));
            picture.arrows = bones(skeleton, &clip.place(skeleton, at));
            frames.push(picture);
        }
    }
    let title = format!("{}: {} bodies, {:.1} kg", source.name, model.bodies().len(), model.total_mass());
    Ok(strip(model, title, frames))
}

/// A line from each joint's parent to the joint.
fn bones(skeleton: &Skeleton, placed: &[Placed]) -> Vec<Arrow> {
    let bone = |(index, joint): (usize, &Joint)| {
        let from = placed[joint.parent?].position.to_array();
        Some(Arrow { from, to: placed[index].position.to_array(), color: BONE })
    };
    skeleton.joints.iter().enumerate().filter_map(bone).collect()
}

/// Orange for what is named left (`foot_l`, `Foot.L`, `LeftFoot`, `l_foot`), grey for right, blue for the rest.
fn side_color(name: &str) -> [u8; 3] {
    let words: Vec<String> = name.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase).collect();
    let is_side = |letter: &str, word: &str| words.iter().any(|w| w == letter || w.contains(word));
    match (is_side("l", "left"), is_side("r", "right")) {
        (true, false) => LEFT,
        (false, true) => RIGHT,
        _ => TRUNK,
    }
}
