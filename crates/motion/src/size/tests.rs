//! Figures of known size, drawn at another.

use super::figure::{Course, Figure};
use super::*;
use crate::tools::walkers::{Walk, biped_walk, quadruped_walk};
use crate::{Clip, Format, ImportOptions, Report};
use glam::{DQuat, DVec3};

const RATE_HZ: f64 = 60.0;

fn rig(walk: &Walk, clips: Vec<Clip>) -> Rig {
    Rig { format: Format::Gltf, skeleton: walk.skeleton.clone(), clips, repeats: false, report: Report::default() }
}

/// The bind pose, with the root moved by `path` and turned by `turn` at each time.
fn moving(walk: &Walk, name: &str, secs: f64, path: impl Fn(f64) -> DVec3, turn: impl Fn(f64) -> DQuat) -> Clip {
    let joints = &walk.skeleton.joints;
    let mut clip = Clip { name: name.into(), rate_hz: RATE_HZ, root_positions: vec![], rotations: vec![] };
    for frame in 0..=(secs * RATE_HZ) as usize {
        let time = frame as f64 / RATE_HZ;
        clip.root_positions.push(joints[0].offset + path(time));
        clip.rotations.push((turn(time) * joints[0].rotation).normalize());
        clip.rotations.extend(joints[1..].iter().map(|j| j.rotation));
    }
    clip
}

/// Stands, jumps by `up` m/s, stands.
fn jump(walk: &Walk, up: f64) -> Clip {
    let height = move |t: f64| (up * (t - 0.3) - 0.5 * GRAVITY * (t - 0.3) * (t - 0.3)).max(0.0);
    moving(walk, "jump", 0.6 + 2.0 * up / GRAVITY, move |t| DVec3::Z * height(t), |_| DQuat::IDENTITY)
}

/// Falls on its face like a stick, from upright to level, with half of what free fall would give.
fn collapse(walk: &Walk) -> Clip {
    let hips = walk.skeleton.joints[0].offset.z;
    let down = move |t: f64| (0.5 * 0.6 * GRAVITY * (t - 0.2).max(0.0) * (t - 0.2).max(0.0)).min(0.85 * hips);
    let lean = move |t: f64| DQuat::from_rotation_y(1.5 * down(t) / (0.85 * hips));
    moving(walk, "death", 1.2, move |t| DVec3::NEG_Z * down(t), lean)
}

fn votes_of(rig: &Rig, evidence: Evidence) -> Vec<SizeVote> {
    let estimate = estimate_size(rig, &SizeOptions::default()).unwrap();
    estimate.votes.into_iter().filter(|vote| vote.evidence == evidence).collect()
}

#[test]
fn a_flight_tells_the_height_whatever_the_drawing_says() {
    let walk = biped_walk();
    let true_height = walk.skeleton.height();
    for factor in [1.0, 3.0, 0.2] {
        let mut drawn = rig(&walk, vec![jump(&walk, 2.5)]);
        drawn.resize(factor);
        let votes = votes_of(&drawn, Evidence::Flight);
        assert_eq!(votes.len(), 1, "{factor}");
        let off = votes[0].height_m / true_height;
        assert!((off - 1.0).abs() < 0.03, "drawn {factor} times as large: {off} times the height");
        assert!(votes[0].within_factor < 1.7 && !votes[0].at_most);
    }
}

#[test]
fn hovering_easing_and_hops_too_small_to_measure_say_nothing() {
    let walk = biped_walk();
    let still = |_: f64| DQuat::IDENTITY;
    let hover = moving(&walk, "hover", 1.0, |t| DVec3::Z * (1.0 + 0.2 * libm::sin(6.0 * t)), still);
    let hop = moving(&walk, "hop", 1.0, |t| DVec3::Z * (0.06 - 0.4 * (t - 0.5) * (t - 0.5)).max(0.0), still);
    // Up in a moment, waiting, down in a moment: no parabola.
    let lift = |t: f64| if (0.3..0.9).contains(&t) { ((t - 0.3) / 0.05).min((0.9 - t) / 0.05).min(1.0) } else { 0.0 };
    let lifted = moving(&walk, "lift", 1.2, |t| DVec3::Z * 0.4 * lift(t), still);
    for clip in [hover, hop, lifted] {
        let votes = votes_of(&rig(&walk, vec![clip.clone()]), Evidence::Flight);
        assert!(votes.is_empty(), "{votes:?}");
    }
}

#[test]
fn strides_tell_the_legs() {
    for walk in [biped_walk(), quadruped_walk()] {
        let base = rig(&walk, vec![walk.cycle.clone(), walk.clip.clone()]);
        let leg = Figure::of(&base).leg;
        let options = SizeOptions::default();
        let stride = walk.speed * walk.cycle_secs / leg;
        let scale = if walk.skeleton.joints.len() < 16 { options.biped_walk_scale } else { options.stride_scale };
        let froude = libm::pow(stride / scale, 1.0 / options.stride_exponent);
        let expected = froude * GRAVITY * leg / (walk.speed * walk.speed) * walk.skeleton.height();
        for factor in [1.0, 4.0] {
            let mut drawn = base.clone();
            drawn.resize(factor);
            let votes = votes_of(&drawn, Evidence::Gait);
            assert_eq!(votes.len(), 2, "in place and travelling, {factor}: {votes:?}");
            for vote in votes {
                let off = vote.height_m / expected;
                assert!((off - 1.0).abs() < 0.1, "{factor}: {off}, {}", vote.seen);
                assert!(vote.seen.starts_with("walks"), "{}", vote.seen);
            }
        }
    }
}

#[test]
fn the_legs_of_walkers_are_as_long_as_they_are() {
    let walk = biped_walk();
    let figure_rig = rig(&walk, vec![]);
    let leg = Figure::of(&figure_rig).leg;
    assert!((leg - 0.94).abs() < 1e-6, "{leg}");
}

#[test]
fn a_fall_tells_the_height() {
    let walk = biped_walk();
    let votes: Vec<f64> = [1.0, 5.0]
        .iter()
        .map(|&factor| {
            let mut drawn = rig(&walk, vec![collapse(&walk)]);
            drawn.resize(factor);
            let votes = votes_of(&drawn, Evidence::Fall);
            assert_eq!(votes.len(), 1, "{factor}");
            votes[0].height_m / walk.skeleton.height()
        })
        .collect();
    assert!((votes[0] / votes[1] - 1.0).abs() < 0.05, "{votes:?}");
    assert!((0.5..2.0).contains(&votes[0]), "{votes:?}");
    // Standing is no fall.
    assert!(votes_of(&rig(&walk, vec![jump(&walk, 2.5)]), Evidence::Fall).is_empty());
}

#[test]
fn nothing_is_quicker_than_friction_allows() {
    let walk = biped_walk();
    // A shuttle with a fifth of what friction gives.
    let pace = 3.0;
    let reach = 0.2 * 0.8 * GRAVITY / (pace * pace);
    let clip = moving(&walk, "dodge", 6.0, |t| DVec3::X * reach * libm::sin(pace * t), |_| DQuat::IDENTITY);
    let vote = votes_of(&rig(&walk, vec![clip]), Evidence::Pace).remove(0);
    assert!(vote.at_most);
    let off = vote.height_m / walk.skeleton.height();
    assert!((off - 5.0).abs() < 0.4, "{off}");
}

#[test]
fn derivatives_of_a_parabola_are_exact_to_its_ends() {
    let at = |t: f64| 1.0 + 2.0 * t - 3.0 * t * t;
    let values: Vec<f64> = (0..20).map(|i| at(0.05 * f64::from(i))).collect();
    let (first, second) = pace::slopes(&values, 20.0, 0.1);
    for (i, (d, dd)) in first.iter().zip(&second).enumerate() {
        let time = 0.05 * i as f64;
        assert!((d - (2.0 - 6.0 * time)).abs() < 1e-9 && (dd + 6.0).abs() < 1e-9, "{i}: {d} {dd}");
    }
    assert_eq!(pace::slopes(&[1.0, 1.0, 1.0], 20.0, 0.1).1, [0.0; 3]);
}

fn vote(evidence: Evidence, height_m: f64) -> SizeVote {
    let at_most = evidence == Evidence::Pace;
    SizeVote { clip: "c".into(), evidence, height_m, within_factor: 1.5, at_most, seen: String::new() }
}

/// A creature of four legs.
fn beast() -> Rig {
    rig(&quadruped_walk(), vec![])
}

#[test]
fn agreeing_clips_overrule_a_file_and_a_single_bound_does_not() {
    let options = SizeOptions::default();
    let told = |votes: &[(Evidence, f64)]| {
        combine::combine(&beast(), 5.0, votes.iter().map(|&(e, h)| vote(e, h)).collect(), &options)
    };
    let all = told(&[(Evidence::Flight, 0.8), (Evidence::Gait, 1.0), (Evidence::Pace, 1.5)]);
    assert!(all.contradicts_file && (0.7..1.1).contains(&all.height_m), "{all:?}");
    assert!(all.within_factor < 1.6, "{}", all.within_factor);
    assert!(!told(&[(Evidence::Pace, 4.0)]).contradicts_file);
    assert!(!told(&[(Evidence::Gait, 3.8), (Evidence::Flight, 4.5)]).contradicts_file);
    let silent = told(&[]);
    assert!(!silent.contradicts_file && silent.height_m == 5.0 && silent.odds == 1.0);
}

#[test]
fn one_kind_gone_astray_is_outvoted() {
    let votes = [vote(Evidence::Flight, 40.0), vote(Evidence::Gait, 1.0), vote(Evidence::Fall, 1.1)];
    let found = combine::combine(&beast(), 1.0, votes.to_vec(), &SizeOptions::default());
    assert!((0.8..1.3).contains(&found.height_m) && !found.contradicts_file, "{found:?}");
}

#[test]
fn many_votes_of_one_hand_are_no_surer_than_the_hand() {
    let votes = vec![vote(Evidence::Gait, 1.0); 200];
    let found = combine::combine(&beast(), 1.0, votes, &SizeOptions::default());
    assert!(libm::log(found.within_factor) > 0.9 * SizeOptions::default().hand_spread, "{}", found.within_factor);
}

#[test]
fn people_of_a_persons_height_and_captured_ones_keep_it() {
    let small: Vec<SizeVote> = [Evidence::Flight, Evidence::Gait, Evidence::Fall].map(|e| vote(e, 0.4)).to_vec();
    let options = SizeOptions::default();
    let person = rig(&biped_walk(), vec![]);
    assert!(!combine::combine(&person, 1.7, small.clone(), &options).contradicts_file);
    assert!(combine::combine(&person, 5.0, small.clone(), &options).contradicts_file);
    for format in [Format::Bvh, Format::DeepMimic] {
        let captured = Rig { format, ..person.clone() };
        assert!(!combine::combine(&captured, 5.0, small.clone(), &options).contradicts_file);
    }
}

#[test]
fn rules_decide_and_a_sentence_says_it() {
    let walk = quadruped_walk();
    let mut giant = rig(&walk, vec![jump(&walk, 1.5), walk.cycle.clone()]);
    giant.resize(12.0);
    let tall = giant.skeleton.height();
    let settle = |read: &ImportOptions| {
        let mut rig = giant.clone();
        let sizing = settle_size(&mut rig, read, &SizeOptions::default()).unwrap();
        (sizing, rig)
    };
    let (judged, rig) = settle(&ImportOptions::default());
    assert_eq!(judged.from, SizeFrom::Motion);
    let given = judged.estimate.height_m.max(SizeOptions::default().least_height);
    assert!((rig.skeleton.height() / given - 1.0).abs() < 1e-9);
    assert!((rig.skeleton.source.metres_per_unit * tall / rig.skeleton.height() - 12.0).abs() < 1e-9);
    let said = rig.report.repairs.last().unwrap();
    assert!(said.starts_with(&format!("The file says {tall:.2} m, but its clips move as a figure of")), "{said}");
    for (read, from) in [
        (ImportOptions { size: SizeRule::File, ..Default::default() }, SizeFrom::File),
        (ImportOptions { scale: Some(1.0), ..Default::default() }, SizeFrom::User),
    ] {
        let (sizing, same) = settle(&read);
        assert_eq!((sizing.from, &same.skeleton, &same.clips), (from, &giant.skeleton, &giant.clips));
        assert!(same.report.repairs.is_empty());
    }
    // What is tiny anyway stays so.
    let mut tiny = giant.clone();
    tiny.resize(0.3 / tall);
    settle_size(&mut tiny, &ImportOptions { size: SizeRule::Motion, ..Default::default() }, &SizeOptions::default())
        .unwrap();
    assert!(tiny.skeleton.height() > 0.299);
    assert_eq!(settle(&ImportOptions { size: SizeRule::Motion, ..Default::default() }).0.from, SizeFrom::Motion);
}

#[test]
fn a_skinned_figures_mass_is_where_its_skin_is() {
    let mut walk = biped_walk();
    let head = walk.skeleton.find("Head").unwrap();
    let cube = |edge: f64| {
        (0..8).map(move |i| edge * DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)))
    };
    walk.skeleton.joints[head].skin = cube(0.2).collect();
    walk.skeleton.joints[0].skin = cube(0.4).map(|p| p - DVec3::splat(0.2)).collect();
    let skinned = rig(&walk, vec![walk.clip.clone()]);
    let figure = Figure::of(&skinned);
    let course = Course::of(&figure, &walk.clip).unwrap().unwrap();
    let placed = walk.clip.place(&walk.skeleton, 0);
    // Volumes are as 8 to 1.
    let expected = (8.0 * placed[0].position + placed[head].place(DVec3::splat(0.1))) / 9.0;
    assert!((course.center[0].z - expected.z).abs() < 0.01, "{} {}", course.center[0], expected);
}
