//! The one edit that would mend what the pre-flight found.
//!
//! A pre-flight and the character enter. Edits that could help are tried on copies, the smallest first, and the pre-flight is made again with each; the
//! first that leaves fewer problems, and lets the character stand where it did not, is what leaves.

use crate::edit::{Change, Edit, Size};
use crate::preflight::{ClipPoses, Preflight, PreflightOptions, preflight};
use crate::project::CharacterProject;
use crate::sides::counterpart;
use serde::{Deserialize, Serialize};

/// Gains are raised by these factors, one after the other.
const STIFFER: [f64; 3] = [1.5, 2.5, 4.0];
/// Feet grow by these factors, one after the other.
const WIDER: [f64; 2] = [1.25, 1.6];
/// Mass moves by these shares of the way from the centre of mass to the middle of the feet, one after the other.
const SHARES: [f64; 2] = [0.6, 1.0];
/// What is raised or widened beyond what was needed, as a share of it.
const SPARE: f64 = 0.25;

/// An edit, and what it is good for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mend {
    /// What it does and what comes of it, in one sentence.
    pub sentence: String,
    /// The edit.
    pub change: Change,
}

/// Looks for one edit that mends what a pre-flight of a character and its clips found; `None` where nothing is wrong, or no single edit helps.
pub fn mend(project: &CharacterProject, clips: &[ClipPoses], found: &Preflight) -> Option<Mend> {
    if found.ok {
        return None;
    }
    candidates(project, found).into_iter().find_map(|(says, change)| {
        let mut tried = project.clone();
        tried.edit(change.clone()).ok()?;
        let after = preflight(tried.character(), clips, &PreflightOptions::default()).ok()?;
        let comes = match (after.ok, found.stands) {
            (true, _) => "then nothing is wrong",
            (false, false) => "then it stands",
            (false, true) => "then less is wrong",
        };
        let helps = after.stands && after.problems.len() < found.problems.len();
        helps.then(|| Mend { sentence: format!("{says}: {comes}."), change })
    })
}

/// Edits that could help, the smallest first, each with what it does.
fn candidates(project: &CharacterProject, found: &Preflight) -> Vec<(String, Change)> {
    let character = project.character();
    let names: Vec<&str> = character.bodies.iter().map(|body| body.name.as_str()).collect();
    let has_twin = |body: &str| counterpart(body, &names).is_some();
    let mut all: Vec<(String, Change)> = Vec::new();
    // Torques and limits that are named.
    if let Some((_, name)) = found.largest_effort.as_ref().filter(|(effort, _)| *effort >= 0.98)
        && let Some(joint) = character.joints.iter().find(|joint| joint.name == *name)
        && let Some(limit) = joint.torque_limit
    {
        let edit = Edit::SetGains { joint: name.clone(), kp: None, kd: None, torque_limit: Some(2.0 * limit) };
        all.push((format!("Give joint {name:?} twice its torque"), Change { edit, mirror: has_twin(&joint.child) }));
    }
    if found.largest_load > 1.0 {
        let factor = (1.0 + SPARE) * found.largest_load;
        all.push((format!("Make all joints {factor:.1} times as strong"), Edit::ScaleGains { factor }.into()));
    }
    let beyond = found.clip_excess.iter().filter(|(_, excess, _)| *excess > 0.0);
    if let Some((_, excess, name)) = beyond.max_by(|a, b| a.1.total_cmp(&b.1))
        && let Some([low, high]) =
            character.joints.iter().find(|joint| joint.name == *name).and_then(|joint| joint.limits)
    {
        let by = (1.0 + SPARE) * excess;
        let limits = Some([low - by, high + by]);
        let says = format!("Widen the limits of joint {name:?} by {:.0}° on both sides", by.to_degrees());
        all.push((says, Edit::SetLimits { joint: name.clone(), limits }.into()));
    }
    // The heavier one of a pair weighs as much as the other.
    for body in &character.bodies {
        let twin = counterpart(&body.name, &names).and_then(|twin| character.bodies.iter().find(|b| b.name == twin));
        if let Some(twin) = twin.filter(|twin| 1.02 * twin.mass < body.mass) {
            let edit = Edit::SetMass { body: body.name.clone(), mass: twin.mass };
            all.push((format!("Let {:?} weigh {:.3} kg, as {:?} does", body.name, twin.mass, twin.name), edit.into()));
        }
    }
    if found.stands {
        return all;
    }
    // It falls: mass over the feet, stiffer joints, larger feet.
    if let (Some(middle), true) = (found.support_center, found.support_margin.is_some()) {
        for share in SHARES {
            let by = [0, 1].map(|k| share * (middle[k] - found.center_of_mass[k]));
            let way = (by[0] * by[0] + by[1] * by[1]).sqrt();
            all.push((
                format!("Move the centre of mass by {:.1} cm towards the middle of the feet", 100.0 * way),
                Edit::ShiftMass { by: [by[0], by[1], 0.0] }.into(),
            ));
        }
    }
    for factor in STIFFER {
        all.push((format!("Make all joints {factor} times as stiff and strong"), Edit::ScaleGains { factor }.into()));
    }
    if let [body, ..] = &found.standing_on[..] {
        for factor in WIDER {
            let edit = Edit::SizeBody { body: body.clone(), size: Size::Scale(factor) };
            all.push((format!("Make {body:?} {factor} times as large"), Change { edit, mirror: has_twin(body) }));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binding::Binding;
    use crate::construct::Modeled;
    use crate::options::ModelOptions;
    use sinew_sim::{Character, embedded};

    fn tried(change: impl Fn(&mut Character)) -> (CharacterProject, Preflight) {
        let mut character = embedded::dinosaur();
        change(&mut character);
        let modeled = Modeled { character, binding: Binding::default(), notes: Vec::new() };
        let project = CharacterProject::new(modeled, &ModelOptions::default());
        let found = preflight(project.character(), &[], &PreflightOptions::default()).unwrap();
        (project, found)
    }

    /// What the pre-flight says after the mend.
    fn after(project: &CharacterProject, mend: &Mend) -> Preflight {
        let mut mended = project.clone();
        mended.edit(mend.change.clone()).unwrap();
        preflight(mended.character(), &[], &PreflightOptions::default()).unwrap()
    }

    #[test]
    fn who_stands_needs_no_mending() {
        let (project, found) = tried(|_| ());
        assert!(found.ok && found.stands && mend(&project, &[], &found).is_none());
    }

    #[test]
    fn soft_joints_are_made_stiffer() {
        let (project, found) = tried(|character| {
            for joint in &mut character.joints {
                (joint.kp, joint.kd) = (0.3 * joint.kp, 0.55 * joint.kd);
            }
        });
        assert!(!found.stands, "the test tells nothing");
        let mend = mend(&project, &[], &found).expect("a mend");
        assert!(matches!(mend.change.edit, Edit::ScaleGains { .. }), "{mend:?}");
        assert!(after(&project, &mend).stands);
    }

    #[test]
    fn a_head_that_is_too_heavy_is_outweighed() {
        let (project, found) = tried(|character| {
            // Strong enough to hold it up.
            for joint in &mut character.joints {
                (joint.kp, joint.kd) = (10.0 * joint.kp, 4.0 * joint.kd);
                joint.torque_limit = joint.torque_limit.map(|limit| 10.0 * limit);
            }
            let head = character.bodies.iter_mut().find(|body| body.name == "head").expect("a head");
            head.mass *= 6.0;
        });
        assert!(!found.stands, "the test tells nothing");
        let mend = mend(&project, &[], &found).expect("a mend");
        assert!(matches!(mend.change.edit, Edit::ShiftMass { by } if by[0] < 0.0), "{mend:?}");
        assert!(after(&project, &mend).stands);
    }

    #[test]
    fn the_heavier_one_of_a_pair_is_made_lighter() {
        let (project, found) = tried(|character| {
            let shin = character.bodies.iter_mut().find(|body| body.name == "shin_l").expect("a shin");
            shin.mass *= 1.5;
        });
        assert!(found.stands && !found.ok, "{:?}", found.problems);
        let mend = mend(&project, &[], &found).expect("a mend");
        assert!(matches!(&mend.change.edit, Edit::SetMass { body, .. } if body == "shin_l"), "{mend:?}");
        assert!(after(&project, &mend).ok);
    }

    #[test]
    fn weak_joints_are_made_strong_enough_for_what_they_carry() {
        let (project, found) = tried(|character| {
            for joint in &mut character.joints {
                joint.torque_limit = joint.torque_limit.map(|limit| 0.1 * limit);
            }
        });
        assert!(found.largest_load > 1.0 && !found.ok);
        let mend = mend(&project, &[], &found).expect("a mend");
        assert!(after(&project, &mend).problems.len() < found.problems.len(), "{mend:?}");
    }
}
