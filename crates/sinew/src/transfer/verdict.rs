//! The verdict in words: what a person would say of the motion, with its worst moment and why.

use super::deviations::deviation;
use super::limits::plain_name;
use super::{Aspect, FRAME_SECS, Fidelity, Judgement, Performance, Target, Verdict};

/// One sentence, such as `Loose: at 1.25 s the foot_l is off by 0.21 m (torque of knee_l at its limit)`.
pub fn verdict_sentence(
    target: &Target,
    run: &Performance,
    fidelity: &Fidelity,
    judgement: &Judgement,
    fall: Option<&str>,
) -> String {
    if let Some(fall) = fall {
        return format!("Failed: {}", lower_first(fall.trim_end_matches('.')));
    }
    let Some(first) = judgement.because.first() else {
        return format!(
            "Faithful: end effectors within {:.1} % of the figure's size and joints within {:.0}° of the drawing",
            fidelity.effectors_off_percent, fidelity.joints_off_deg
        );
    };
    let head = if judgement.verdict == Verdict::Failed { "Failed" } else { "Loose" };
    format!("{head}: {}", reason(target, run, fidelity, *first))
}

fn reason(target: &Target, run: &Performance, fidelity: &Fidelity, aspect: Aspect) -> String {
    let worst = || {
        let frame = ((fidelity.worst.at_secs / FRAME_SECS).round() as usize).min(run.frames() - 1);
        let nearest = run.costs.iter().min_by_key(|(at, _)| at.abs_diff(frame));
        nearest.map_or(String::new(), |(frame, terms)| {
            let found = deviation(target, run, *frame, terms);
            let why = if found.why == "nothing obvious" { String::new() } else { format!(" ({})", found.why) };
            format!("; at {:.2} s {} is off by {}{why}", found.time_secs, found.what, found.size)
        })
    };
    match aspect {
        Aspect::Fall => "it fell".into(),
        Aspect::Pose => {
            format!("its pose is off by {:.0} % of the figure's size in the mean{}", fidelity.pose_off_percent, worst())
        }
        Aspect::WorstPose => {
            let Fidelity { worst: moment, .. } = fidelity;
            format!("for a moment its pose is off by {:.0} % of the figure's size{}", moment.pose_off_percent, worst())
        }
        Aspect::Joints => {
            format!("its joints are off by {:.0}° in the mean{}", fidelity.joints_off_deg, worst())
        }
        Aspect::Tilt => {
            format!("for a moment it is tilted by {:.0}° against the drawing{}", fidelity.worst.tilt_off_deg, worst())
        }
        Aspect::Leaning => format!(
            "it rests up to {:.0} % of its weight on {}, which is drawn off the ground{}",
            fidelity.worst.leaning_percent,
            fidelity.leans_on.as_deref().map_or("a body", plain_name),
            worst()
        ),
        Aspect::Skate => {
            format!("its feet slide by {:.1} % of the figure's size in a contact", fidelity.skate_percent)
        }
        Aspect::Depth => {
            format!("it sinks {:.1} % of the figure's size into the ground", fidelity.depth_percent)
        }
        Aspect::Limb => {
            let off = fidelity.worst.limb_off_percent;
            format!("for a moment a limb is off by {off:.0} % of the figure's size{}", worst())
        }
        Aspect::Heading => {
            format!("for a moment it looks {:.0}° elsewhere than the drawing", fidelity.worst.heading_off_deg)
        }
        Aspect::Travel => {
            format!(
                "it ends {:.0} % of the figure's size from where it was drawn{}",
                fidelity.travel_off_percent,
                worst()
            )
        }
        Aspect::Air => {
            format!("it is in the air for {:.2} s, the drawing for {:.2} s", fidelity.air_secs, fidelity.drawn_air_secs)
        }
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}
