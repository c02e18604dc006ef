//! What the parts weigh.
//!
//! Density times volume, the whole within what bodies of that height weigh: `lightest_build` to `heaviest_build` times `70 kg (h / 1.75 m)³`, of figures that
//! are no upright ones up to `heaviest_beast` times. Then what carries is in proportion to what it carries: a cartoon's head may be half of its volume, but no neck bears
//! half of a body's mass, and a forearm like a stick holds no hand like a loaf. Legs have a least share of the whole.

use super::anatomy::Role;
use super::balance;
use super::draft::{Part, Plan};
use glam::{DVec2, DVec3};
use sinew_motion::Clip;

/// Mass of a person of 1.75 m, kg.
const PERSON_MASS: f64 = 70.0;
const PERSON_HEIGHT: f64 = 1.75;
/// A figure whose length is more than this share of its height is not upright.
const LONG: f64 = 0.75;
/// What spread arms may add to the height by which an upright figure is judged.
const SPREAD: f64 = 1.1;
/// A part of a limb next to the trunk that is shorter than this share of the height is a collarbone.
const SHORT: f64 = 0.1;
/// Most parts that a sentence names.
const MOST_NAMED: usize = 6;

/// Gives every part its mass, and says what was bounded.
pub(crate) fn weigh(plan: &Plan, parts: &mut [Part], clips: &[Clip], notes: &mut Vec<String>) {
    // Ears and horns belong to the head.
    let up =
        |part: &Part| std::iter::successors(part.parent, |&p| parts[p].parent).any(|p| parts[p].role == Role::Head);
    let is_head = |part: &Part| part.role == Role::Head || up(part);
    let volume_of = |heads: bool| parts.iter().filter(|p| is_head(p) == heads).map(Part::volume).sum::<f64>();
    let (heads, others) = (volume_of(true), volume_of(false));
    let share = plan.options.head_share;
    let lightness = if others > 0.0 { (share / (1.0 - share) * others / heads.max(1e-12)).min(1.0) } else { 1.0 };
    let weight_of = |part: &Part| part.volume() * if is_head(part) { lightness } else { 1.0 };
    let volume = heads * lightness + others;
    let total = plan.options.mass.unwrap_or_else(|| natural_mass(plan, parts, volume, notes));
    if lightness < 0.99 {
        notes.push(format!("Its head was made light, {:.0} % of the whole, because of its size.", 100.0 * share));
    }
    let masses: Vec<f64> = parts.iter().map(|part| total * weight_of(part) / volume).collect();
    parts.iter_mut().zip(masses).for_each(|(part, mass)| part.mass = mass);
    notes.extend(carriers(plan, parts));
    notes.extend(legs(plan, parts));
    notes.extend(balance::over_the_feet(plan, parts, clips));
}

/// Density times volume, within what bodies of that height and number of legs weigh.
fn natural_mass(plan: &Plan, parts: &[Part], volume: f64, notes: &mut Vec<String>) -> f64 {
    let options = plan.options;
    let height = plan.stance.height / PERSON_HEIGHT;
    let human = PERSON_MASS * height * height * height * options.density / 1000.0;
    let heaviest = match upright_height(plan, parts) {
        // Arms that reach far do not make it heavier.
        Some(tall) => options.heaviest_build * libm::pow((tall / plan.stance.height).min(1.0), 3.0),
        None => options.heaviest_beast,
    };
    let by_volume = options.density * volume;
    let total = by_volume.max(options.lightest_build * human).min(heaviest * human);
    notes.push(if total == by_volume {
        format!("It weighs {total:.1} kg by its volume; give a mass to overrule.")
    } else {
        let than = if total < by_volume { "heavier" } else { "lighter" };
        format!(
            "It weighs {total:.1} kg: by its volume it were {by_volume:.0} kg, {than} than bodies of its size are; give a mass to overrule."
        )
    });
    total
}

/// Height of a figure that stands upright, a tenth more for what arms have that are spread; none of one that is long rather than tall.
fn upright_height(plan: &Plan, parts: &[Part]) -> Option<f64> {
    let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
    for joint in parts.iter().flat_map(|part| part.owned.iter().copied()) {
        let (of, at) = (&plan.skeleton.joints[joint], &plan.stance.placed[joint]);
        for &local in [DVec3::ZERO].iter().chain(&of.tips).chain(&of.skin) {
            let point = at.place(local);
            let seen = DVec2::new(point.dot(plan.forward), point.z);
            (low, high) = (low.min(seen), high.max(seen));
        }
    }
    let size = high - low;
    // Who rests in a crouch is as tall as in the bind pose.
    (size.x < LONG * size.y).then(|| SPREAD * size.y.max(plan.skeleton.height()))
}

/// Makes parts heavier that are too light for what hangs on them, and that lighter, so that their sum stays: of a part of `m` that carries `s`,
/// `m' = r (m + s) / (1 + r)` where `m < r s`. Twins are alike. From the ends inwards, because what an inner part carries keeps its sum.
fn carriers(plan: &Plan, parts: &mut [Part]) -> Option<String> {
    let before: Vec<f64> = parts.iter().map(|p| p.mass).collect();
    for index in 0..parts.len() {
        let Some(other) = parts[index].pair.filter(|&other| other > index) else { continue };
        let mean = 0.5 * (parts[index].mass + parts[other].mass);
        if (parts[index].mass - parts[other].mass).abs() > 1e-9 * mean {
            (parts[index].mass, parts[other].mass) = (mean, mean);
        }
    }
    let options = plan.options;
    for index in (0..parts.len()).rev() {
        let inside = carried_by(parts, index);
        let carried: f64 = inside.iter().map(|&i| parts[i].mass).sum();
        let bears_head = inside.iter().any(|&i| parts[i].role == Role::Head);
        let least = match parts[index].role {
            Role::Trunk => options.trunk_share,
            Role::Neck => options.neck_share,
            _ if bears_head => options.neck_share,
            _ if is_girdle(plan, parts, index) => options.girdle_share,
            _ => options.limb_share,
        };
        let own = parts[index].mass;
        if own >= least * carried || carried <= 0.0 {
            continue;
        }
        let sum = own + carried;
        parts[index].mass = sum * least / (1.0 + least);
        let lighter = (sum - parts[index].mass) / carried;
        inside.into_iter().for_each(|i| parts[i].mass *= lighter);
    }
    let name = |i: usize| plan.skeleton.joints[parts[i].joint].name.as_str();
    let heavier: Vec<String> = (0..parts.len())
        .filter(|&i| parts[i].mass > 1.02 * before[i])
        .map(|i| format!("{:?} ({:.2} instead of {:.2} kg)", name(i), parts[i].mass, before[i]))
        .collect();
    let more = heavier.len().saturating_sub(MOST_NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!heavier.is_empty()).then(|| {
        let named = heavier[..heavier.len() - more].join(", ");
        format!("Too light for what they carry, and made heavier at its expense: {named}{rest}.")
    })
}

/// Makes the legs heavier, at the expense of all else, where together they are lighter than `leg_share` of the figure: whose legs are sticks cannot
/// sit up, because they fly up instead of the trunk.
fn legs(plan: &Plan, parts: &mut [Part]) -> Option<String> {
    let is_leg = |p: &Part| p.carries_sole && p.parent.is_some() && p.role != Role::Trunk;
    let whole: f64 = parts.iter().map(|p| p.mass).sum();
    let have: f64 = parts.iter().filter(|p| is_leg(p)).map(|p| p.mass).sum();
    let least = plan.options.leg_share * whole;
    if have <= 0.0 || have >= least {
        return None;
    }
    let (more, less) = (least / have, (whole - least) / (whole - have));
    parts.iter_mut().for_each(|p| p.mass *= if is_leg(p) { more } else { less });
    Some(format!(
        "Its legs were made {more:.1} times as heavy, {:.0} % of the whole, because they are too light to bear it.",
        100.0 * plan.options.leg_share
    ))
}

/// A collarbone or shoulder blade: short, between the trunk and a limb.
fn is_girdle(plan: &Plan, parts: &[Part], index: usize) -> bool {
    let on_trunk = parts[index].parent.is_some_and(|p| parts[p].role == Role::Trunk);
    on_trunk && parts[index].main_end.length() < SHORT * plan.stance.height
}

/// All parts that hang on one.
fn carried_by(parts: &[Part], index: usize) -> Vec<usize> {
    let mut inside = vec![false; parts.len()];
    inside[index] = true;
    for i in index + 1..parts.len() {
        inside[i] = parts[i].parent.is_some_and(|p| inside[p]);
    }
    (index + 1..parts.len()).filter(|&i| inside[i]).collect()
}
