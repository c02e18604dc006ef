//! Clips whose root stays at one height: figures that sit or lie in the air.
//!
//! Some exporters keep the rotations of the root and lose its translation. Who sits down then stays where the hips were when it stood, and hangs.
//! Such a figure is lowered onto the ground where it would hang for longer than a jump; a clip whose root moves is believed.

use sinew_modeler::FittedClip;
use sinew_motion::Clip;
use sinew_sim::Model;
use sinew_transfer::ground::lowest_point;

/// A root that rises and sinks by less than this share of the height stays at one height.
const STILL: f64 = 1e-3;
/// Who is higher than this share of the height over the ground is in the air.
const IN_THE_AIR: f64 = 0.06;
/// Who is lower than this share of the height is on the ground.
const ON_THE_GROUND: f64 = 0.005;
/// No flight without a run lasts longer, s: half a metre high.
const LONGEST_FLIGHT_SECS: f64 = 0.6;

/// Lowers a clip of a figure of a height where it hangs in the air although its root stays at one height; returns what was done.
pub(crate) fn lower_hanging(model: &Model, height: f64, clip: &mut Clip, fitted: &mut FittedClip) -> Option<String> {
    let (low, high) = clip
        .root_positions
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), position| (low.min(position.z), high.max(position.z)));
    let frames = fitted.frame_count();
    let has_free_root = model.joints().first().is_some_and(|joint| joint.kind == sinew_sim::JointKind::Free);
    if high - low > STILL * height || !has_free_root || clip.root_positions.len() != frames {
        return None;
    }
    let over: Vec<f64> = (0..frames).map(|frame| lowest_point(model, fitted.position(frame))).collect();
    let spans = hanging_spans(&over, height, fitted.rate_hz);
    let width = fitted.position_count;
    for frame in spans.iter().cloned().flatten() {
        fitted.positions[frame * width + 2] -= over[frame];
        clip.root_positions[frame].z -= over[frame];
    }
    let most = spans.into_iter().flatten().map(|frame| over[frame]).fold(0.0, f64::max);
    (most > 0.0).then(|| {
        format!(
            "{}: the file holds its root at one height, so that the figure hangs in the air; it is lowered onto the ground, by up to {:.0} cm",
            clip.name,
            100.0 * most
        )
    })
}

/// Frames from leaving the ground to coming back, of figures that are in the air for longer than any jump, or that begin or end there.
fn hanging_spans(over: &[f64], height: f64, rate_hz: f64) -> Vec<std::ops::Range<usize>> {
    let mut spans = Vec::new();
    let mut frame = 0;
    while frame < over.len() {
        let length = over[frame..].iter().take_while(|over| **over > ON_THE_GROUND * height).count();
        let span = frame..frame + length;
        let in_the_air = over[span.clone()].iter().filter(|over| **over > IN_THE_AIR * height).count();
        let never_lands = span.start == 0 || span.end == over.len();
        let longest = if never_lands { 0.5 * LONGEST_FLIGHT_SECS } else { LONGEST_FLIGHT_SECS };
        if in_the_air as f64 > longest * rate_hz {
            spans.push(span);
        }
        frame += length + 1;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_hangs_longer_than_a_jump_is_found_from_the_ground_to_the_ground() {
        // At 30 Hz: 19 frames are longer than any flight, 18 are not.
        let clip = |high: usize, after: usize| {
            let mut over = vec![0.0; 5];
            over.push(0.03);
            over.extend(vec![0.2; high]);
            over.push(0.03);
            over.extend(vec![0.004; after]);
            over
        };
        let only = |over: &[f64]| hanging_spans(over, 1.0, 30.0).pop();
        assert_eq!(only(&clip(19, 5)), Some(5..26));
        assert!(hanging_spans(&clip(18, 5), 1.0, 30.0).is_empty());
        // Who never comes down hangs after half of that.
        assert_eq!(only(&clip(10, 0)), Some(5..17));
        assert!(hanging_spans(&clip(9, 0), 1.0, 30.0).is_empty());
        // Low over the ground, as between the steps of a run, is not hanging.
        assert!(hanging_spans(&[0.05; 60], 1.0, 30.0).is_empty());
    }

    /// The embedded human with one clip of two seconds: it folds its legs in the air, its root at a height that may change.
    fn folding(rise: f64) -> (crate::modeling::Modeling, f64) {
        let mut source = crate::source::Source::open("human".as_ref(), &[], &Default::default()).expect("the human");
        let skeleton = source.rig.skeleton.clone();
        let mut clip = source.rig.clips[0].clone();
        let pose: Vec<_> = clip.rotations_of(0).to_vec();
        let (start, clip_root) = (clip.root_positions[0], pose[0]);
        (clip.name, clip.root_positions, clip.rotations) = ("fold".into(), Vec::new(), Vec::new());
        // The thighs' parent turns with the root: its way to the left.
        let sideways = clip_root.inverse() * glam::DVec3::Y;
        for frame in 0..=60 {
            let share = (frame as f64 / 20.0).min(1.0);
            let mut pose = pose.clone();
            for (joint, turn) in skeleton.joints.iter().zip(&mut pose) {
                if joint.name.contains("thigh") {
                    *turn = glam::DQuat::from_axis_angle(sideways, -1.5 * share) * *turn;
                }
            }
            clip.root_positions.push(start + glam::DVec3::new(0.0, 0.0, rise * share));
            clip.rotations.extend(pose);
        }
        clip.rate_hz = 30.0;
        source.rig.clips = vec![clip];
        let modeling = crate::modeling::Modeling::new(&source, &[], &Default::default()).expect("a character");
        let scene = sinew_sim::Scene::on_ground(modeling.project.character().clone());
        let model = Model::new(&scene, 0.002).expect("a model");
        let over = lowest_point(&model, modeling.fitted[0].position(60));
        (modeling, over)
    }

    #[test]
    fn who_sits_in_the_air_is_lowered_and_who_rises_by_itself_is_believed() {
        let (lowered, over) = folding(0.0);
        assert!(over.abs() < 1e-6, "{over} m over the ground");
        assert!(lowered.clip_notes.iter().any(|note| note.contains("hangs in the air")), "{:?}", lowered.clip_notes);
        let (believed, over) = folding(0.1);
        assert!(over > 0.2, "{over} m over the ground");
        assert!(!believed.clip_notes.iter().any(|note| note.contains("hangs in the air")));
    }
}
