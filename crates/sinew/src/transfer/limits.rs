//! Which limits of the physics a performance ran into: torque, the friction cone, flight.

use super::{Moment, Performance};
use sinew_sim::{JointInfo, Model, Touched};

/// Share of a torque limit from which a joint counts as being at it.
const AT_LIMIT: f64 = 0.995;
/// Share of the friction cone from which a contact counts as sliding.
const AT_CONE: f64 = 0.98;
/// A contact that bears less than this share of the weight does not count.
const BEARING: f64 = 0.02;
/// A limit counts that was hit in this share of the steps.
const OFTEN: f64 = 0.2;
/// Without contact in this share of the steps it is a flight.
const MOSTLY: f64 = 0.8;
/// Time before a fall in which its reason is looked for, s.
const BEFORE_FALL_SECS: f64 = 0.3;
/// Most names in a sentence.
const MOST_NAMED: usize = 4;

/// What held a character back in a span of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Joints whose torque was at its limit, the longest first.
    pub joints: Vec<String>,
    /// Bodies that slid at the friction cone, the longest first.
    pub sliding: Vec<String>,
    /// Whether nothing touched the ground.
    pub is_flight: bool,
}

/// The limits that were hit between two times.
pub fn limits_hit(model: &Model, run: &Performance, from_secs: f64, to_secs: f64) -> Limits {
    let last = run.moments.len() - 1;
    let step = |secs: f64| ((secs / run.dt).round().max(0.0) as usize).min(last);
    // The first moment has no step behind it.
    let moments = &run.moments[step(from_secs).max(1).min(last)..=step(to_secs)];
    let count = moments.len().max(1) as f64;
    let share = |is_hit: &dyn Fn(&Moment) -> bool| moments.iter().filter(|m| is_hit(m)).count() as f64 / count;
    let often = |mut found: Vec<(f64, String)>| {
        found.retain(|(share, _)| *share >= OFTEN);
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|(_, name)| name).collect()
    };
    let joints = model.joints().iter().map(|joint| {
        let at_limit = |m: &Moment| torque_share(joint, m).is_some_and(|share| share >= AT_LIMIT);
        (share(&at_limit), plain_name(&joint.name).to_owned())
    });
    let bodies = model
        .bodies()
        .iter()
        .enumerate()
        .map(|(index, body)| (share(&|m: &Moment| slides(model, index, m)), plain_name(&body.name).to_owned()));
    let joints = often(joints.collect());
    let sliding = often(bodies.collect());
    let touches = |m: &Moment| m.contacts.iter().any(|c| c.other == Touched::Ground);
    Limits { joints, sliding, is_flight: share(&|m| !touches(m)) >= MOSTLY }
}

/// A joint's torque over its limit; none where it has no limit.
pub(super) fn torque_share(joint: &JointInfo, moment: &Moment) -> Option<f64> {
    let limit = joint.torque_limit.filter(|limit| *limit > 0.0)?;
    let torques = &moment.torques[joint.velocity_index..joint.velocity_index + joint.kind.velocity_count()];
    Some(torques.iter().map(|t| t * t).sum::<f64>().sqrt() / limit)
}

/// Whether a torque share is at the limit.
pub(super) fn is_at_limit(share: f64) -> bool {
    share >= AT_LIMIT
}

fn slides(model: &Model, body: usize, moment: &Moment) -> bool {
    let friction = model.scene().ground.map_or(0.0, |ground| ground.surface.friction);
    let weight = model.weight();
    moment.contacts.iter().any(|contact| {
        let [x, y, z] = contact.force;
        let is_here = contact.body == body && contact.other == Touched::Ground;
        is_here && z > BEARING * weight && (x * x + y * y).sqrt() >= AT_CONE * friction * z
    })
}

/// When it fell and what it ran into before; or when the simulation itself broke down.
pub(crate) fn fall_sentence(model: &Model, run: &Performance, fell_at_secs: f64) -> String {
    if let Some(secs) = broke_down_at_secs(run).filter(|secs| *secs <= fell_at_secs + 1e-9) {
        return format!(
            "Broke down at {secs:.2} s: speeds in the simulation left all reason; try another seed, or gains and masses that lie less far apart"
        );
    }
    let limits = limits_hit(model, run, fell_at_secs - BEFORE_FALL_SECS, fell_at_secs);
    let mut reasons = Vec::new();
    if !limits.joints.is_empty() {
        reasons.push(format!("the torque of {} was at its limit", listed(&limits.joints)));
    }
    if !limits.sliding.is_empty() {
        reasons.push(format!("{} slid at the limit of friction", listed(&limits.sliding)));
    }
    let reason = match reasons.is_empty() {
        true => "neither torque nor friction was at its limit".to_owned(),
        false => reasons.join(", and "),
    };
    format!("Fell at {fell_at_secs:.2} s: in the {BEFORE_FALL_SECS} s before, {reason}")
}

/// When a world that diverged stood still: from then on nothing changes.
fn broke_down_at_secs(run: &Performance) -> Option<f64> {
    let stands = |pair: &[Moment]| pair[0].position == pair[1].position && pair[0].velocity == pair[1].velocity;
    let step = run.moments.windows(2).position(stands).filter(|_| run.diverged)?;
    Some(step as f64 * run.dt)
}

/// A few names in a row.
pub(crate) fn listed(names: &[String]) -> String {
    let shown = names.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// The name of a body or joint without its character's.
pub(super) fn plain_name(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::{ContactReading, Scene, embedded};

    /// Half a second in which one joint strains, one foot slides, and then nothing touches.
    fn performance(model: &Model) -> Performance {
        let strained = model.joints().iter().find(|j| j.torque_limit.is_some()).expect("a limit");
        let mut run = Performance { dt: 0.01, steps_per_frame: 1, ..Performance::default() };
        for step in 0..50 {
            let mut torques = vec![0.0; model.velocity_count()];
            torques[strained.velocity_index] = strained.torque_limit.unwrap_or(0.0) * if step < 25 { 1.0 } else { 0.9 };
            let force = [0.0, 0.8 * 200.0, 200.0];
            let contact =
                ContactReading { body: 1, other: Touched::Ground, point: [0.0; 3], normal: [0.0, 0.0, 1.0], force };
            let contacts = if step < 25 { vec![contact] } else { Vec::new() };
            let velocity = vec![f64::from(step.min(40)); model.velocity_count()];
            let position = model.rest_position().to_vec();
            run.moments.push(Moment { position, velocity, torques, contacts, ..Moment::default() });
        }
        run
    }

    #[test]
    fn limits_are_found_where_they_were_hit() {
        let model = Model::new(&Scene::on_ground(embedded::humanoid()), 0.002).expect("a model");
        let mut run = performance(&model);
        let early = limits_hit(&model, &run, 0.0, 0.2);
        assert_eq!((early.joints.len(), early.is_flight), (1, false));
        assert_eq!(early.sliding, [plain_name(&model.bodies()[1].name)]);
        assert_eq!(limits_hit(&model, &run, 0.3, 0.45), Limits { is_flight: true, ..Limits::default() });
        assert!(fall_sentence(&model, &run, 0.2).contains(&early.joints[0]));
        assert!(fall_sentence(&model, &run, 0.58).contains("neither torque nor friction"));
        run.diverged = true;
        assert!(fall_sentence(&model, &run, 0.45).starts_with("Broke down at 0.40 s"));
        assert!(fall_sentence(&model, &run, 0.3).starts_with("Fell at 0.30 s"));
    }
}
