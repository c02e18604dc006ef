//! What a rigged file holds, for its author: tree, clips, guesses and repairs.

use crate::error::Result;
use crate::source::Source;
use serde::Serialize;
use sinew_motion::tools::{ContactOptions, Floor, Foot, contacts, feet, put_on_ground, repeat_cycle};
use sinew_motion::{Clip, Format, Skeleton, StretchedJoint};
use std::fmt::Write as _;

/// A clip that goes less far than this share of the height stays where it is.
const STAYS: f64 = 0.15;

/// Whether a clip's name says that it goes somewhere.
fn goes_by_name(name: &str) -> bool {
    let name = name.to_lowercase();
    ["walk", "run", "jog", "sprint", "trot", "gallop", "canter"].iter().any(|gait| name.contains(gait))
}

/// What `sinew inspect` tells.
#[derive(Debug, Serialize)]
pub struct Inspection {
    /// Name of the character.
    pub name: String,
    /// Format of the file.
    pub format: Format,
    /// Number of joints that were kept.
    pub joints: usize,
    /// Height in the bind pose, m.
    pub height_m: f64,
    /// Up axis, and why it is taken to be that.
    pub up: String,
    /// Unit, and why it is taken to be that.
    pub unit: String,
    /// Joints that bear the character.
    pub feet: Vec<String>,
    /// The clips, in file order.
    pub clips: Vec<ClipInspection>,
    /// One sentence for each guess and repair.
    pub repairs: Vec<String>,
    /// Joints that were left out.
    pub dropped: Vec<String>,
    /// Joints that were hung from another parent: name and parent.
    pub reattached: Vec<[String; 2]>,
    /// Joints that were merged into their parent.
    pub merged: Vec<String>,
    /// Largest and mean distance between where the file puts joints and where constant bone lengths do, m.
    pub stretch_error_m: [f64; 2],
    /// Joints for which that is more than a millimetre.
    pub stretched: Vec<StretchedJoint>,
    /// The joints, parents first.
    pub tree: Vec<JointInspection>,
}

/// One joint.
#[derive(Debug, Serialize)]
pub struct JointInspection {
    /// Its name.
    pub name: String,
    /// Its parent's name.
    pub parent: Option<String>,
    /// Distance from its parent, m.
    pub length_m: f64,
}

/// One clip.
#[derive(Debug, Serialize)]
pub struct ClipInspection {
    /// Name in the file.
    pub name: String,
    /// Length, s.
    pub duration_secs: f64,
    /// Frames.
    pub frames: usize,
    /// Frames a second.
    pub rate_hz: f64,
    /// Whether its end meets its beginning.
    pub is_cycle: bool,
    /// Speed that its stance feet give to an in-place cycle, m/s.
    pub in_place_speed: Option<f64>,
    /// Horizontal distance from first to last root position, on the ground and travelling, m.
    pub travel_m: f64,
    /// For each foot, the share of the time that it stands.
    pub stance: Vec<f64>,
    /// What happens when it is put on level ground, one sentence each.
    pub notes: Vec<String>,
}

impl Inspection {
    /// Looks at a rig.
    ///
    /// # Errors
    /// Where a clip does not fit the skeleton.
    pub fn new(source: &Source) -> Result<Inspection> {
        let rig = &source.rig;
        let (skeleton, report) = (&rig.skeleton, &rig.report);
        let feet = feet(skeleton, &rig.clips);
        let clips = rig.clips.iter().map(|clip| inspect_clip(skeleton, clip, &feet)).collect::<Result<_>>()?;
        Ok(Inspection {
            name: source.name.clone(),
            format: rig.format,
            joints: skeleton.joints.len(),
            height_m: skeleton.height(),
            up: report.up.clone(),
            unit: report.unit.clone(),
            feet: feet.iter().map(|f| skeleton.joints[f.joint].name.clone()).collect(),
            clips,
            repairs: report.sentences().map(str::to_owned).collect(),
            dropped: report.dropped.clone(),
            reattached: report.reattached.clone(),
            merged: report.merged.clone(),
            stretch_error_m: report.stretch_error_m,
            stretched: report.stretched.clone(),
            tree: tree(skeleton),
        })
    }

    /// As text for a terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let (joints, clips) = (self.joints, self.clips.len());
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{}: {joints} joint{}, {clips} clip{}, {:.2} m tall",
            self.name,
            plural(joints),
            plural(clips),
            self.height_m
        );
        let _ = writeln!(text, "\nSkeleton (metres from the parent)");
        self.write_branch(&mut text, None, "  ");
        if !self.feet.is_empty() {
            let _ = writeln!(text, "  stands on {}", self.feet.join(", "));
        }
        if !self.clips.is_empty() {
            let width = self.clips.iter().map(|c| c.name.chars().count()).max().unwrap_or(0).clamp(4, 44);
            let _ = writeln!(text, "\nClips\n  {:width$}   secs  frames    Hz  cycle  travel  stance", "name");
            for clip in &self.clips {
                let stance: Vec<String> = clip.stance.iter().map(|s| format!("{:.0} %", 100.0 * s)).collect();
                let cycle = if clip.is_cycle { "yes" } else { "-" };
                let _ = writeln!(
                    text,
                    "  {:width$} {:>6.2} {:>7} {:>5.0} {cycle:>6} {:>5.2} m  {}",
                    clip.name,
                    clip.duration_secs,
                    clip.frames,
                    clip.rate_hz,
                    clip.travel_m,
                    stance.join(" ")
                );
            }
        }
        let notes = self.clips.iter().flat_map(|c| &c.notes);
        let _ = writeln!(text, "\nGuessed and repaired");
        for sentence in self.repairs.iter().chain(notes) {
            let _ = writeln!(text, "  - {sentence}");
        }
        text
    }

    fn write_branch(&self, text: &mut String, parent: Option<&str>, indent: &str) {
        // Depth first without recursion: a chain of thousands of joints must not exhaust the stack.
        let children = |parent: Option<&str>| {
            let of = move |j: &&JointInspection| j.parent.as_deref() == parent;
            self.tree.iter().filter(of).rev().map(|j| j.name.as_str()).collect::<Vec<_>>()
        };
        let mut open: Vec<(usize, &str)> = children(parent).into_iter().map(|name| (0, name)).collect();
        let mut left = self.tree.len();
        while let Some((depth, name)) = open.pop() {
            if left == 0 {
                break;
            }
            left -= 1;
            let length = self.tree.iter().find(|j| j.name == name).map_or(0.0, |j| j.length_m);
            let _ = writeln!(text, "{indent}{:depth$}{name}  {length:.3}", "", depth = 2 * depth.min(30));
            open.extend(children(Some(name)).into_iter().map(|child| (depth + 1, child)));
        }
    }
}

fn tree(skeleton: &Skeleton) -> Vec<JointInspection> {
    let name_of = |index: usize| skeleton.joints[index].name.clone();
    let describe = |joint: &sinew_motion::Joint| JointInspection {
        name: joint.name.clone(),
        parent: joint.parent.map(name_of),
        length_m: joint.parent.map_or(0.0, |_| joint.offset.length()),
    };
    skeleton.joints.iter().map(describe).collect()
}

fn inspect_clip(skeleton: &Skeleton, clip: &Clip, feet: &[Foot]) -> Result<ClipInspection> {
    let placed = put_on_ground(skeleton, clip, feet)?;
    let on_floor = ContactOptions { floor: Some(Floor::default()), ..Default::default() };
    let stance = if feet.is_empty() {
        Vec::new()
    } else {
        let contacts = contacts(skeleton, &placed.clip, feet, &on_floor)?;
        let frames = clip.frame_count() as f64;
        let share =
            |foot: usize| contacts.spans(foot).iter().map(|(from, to)| to - from).sum::<usize>() as f64 / frames;
        (0..feet.len()).map(share).collect()
    };
    let positions = &placed.clip.root_positions;
    let travel = positions[positions.len() - 1] - positions[0];
    let is_cycle = clip.frame_count() > 2 && repeat_cycle(clip, 1)?.is_cycle;
    let mut notes = placed.notes;
    let stays = placed.given_speed.is_none() && travel.truncate().length() < STAYS * skeleton.height();
    if is_cycle && stays && goes_by_name(&clip.name) {
        notes.push(format!(
            "{}: stays in place, though by its name it goes somewhere; its feet do not say how fast, so it is left there",
            clip.name
        ));
    }
    Ok(ClipInspection {
        name: clip.name.clone(),
        duration_secs: clip.duration_secs(),
        frames: clip.frame_count(),
        rate_hz: clip.rate_hz,
        is_cycle,
        in_place_speed: placed.given_speed,
        travel_m: travel.truncate().length(),
        stance,
        notes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn a_walk_that_is_left_in_place_is_said_to_be() {
        let mut source = Source::open("human".as_ref(), &[], &Default::default()).expect("embedded");
        let said = |source: &Source, name: &str| {
            let found = Inspection::new(source).expect("looked at");
            let clip = found.clips.into_iter().find(|clip| clip.name == name).expect("the clip");
            clip.notes.iter().any(|note| note.contains("stays in place"))
        };
        assert!(!said(&source, "walk") && !said(&source, "idle"));
        let mut still = source.rig.clips.iter().find(|clip| clip.name == "idle").expect("idle").clone();
        still.name = "Walk_Loop".into();
        source.rig.clips.push(still);
        assert!(said(&source, "Walk_Loop"));
    }
}
