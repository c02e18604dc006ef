//! What bodies weigh, and where their centre of mass is.

use crate::support;
use glam::DVec3;
use sinew_modeler::{ModelOptions, Modeled, model};
use sinew_motion::{Clip, Skeleton};
use sinew_sim::{Measured, Model, Scene};

fn made(skeleton: &Skeleton, clips: &[Clip]) -> Modeled {
    model(skeleton, clips, &ModelOptions::default()).unwrap()
}

fn mass(modeled: &Modeled, name: &str) -> f64 {
    modeled.character.bodies.iter().find(|b| b.name == name).unwrap_or_else(|| panic!("no body {name}")).mass
}

fn total(modeled: &Modeled) -> f64 {
    modeled.character.bodies.iter().map(|b| b.mass).sum()
}

fn says(modeled: &Modeled, text: &str) -> bool {
    modeled.notes.iter().any(|note| note.contains(text))
}

#[test]
fn necks_and_arms_fit_what_they_carry() {
    let skeleton = support::cartoon();
    let modeled = made(&skeleton, &[support::walk(&skeleton, "walk", 60)]);
    let options = ModelOptions::default();
    assert!(mass(&modeled, "neck") >= 0.99 * options.neck_share * mass(&modeled, "head"));
    for side in ["l", "r"] {
        let [upper, fore, hand] =
            ["upper_arm", "forearm", "hand"].map(|part| mass(&modeled, &format!("{part}_{side}")));
        assert!(fore >= 0.99 * options.limb_share * hand, "{fore} {hand}");
        assert!(upper >= 0.99 * options.limb_share * (fore + hand), "{upper} {fore} {hand}");
    }
    assert!(mass(&modeled, "head") <= 1.01 * options.head_share * total(&modeled));
    assert!(says(&modeled, "Too light for what they carry"), "{:?}", modeled.notes);
    assert!(says(&modeled, "\"neck\""), "{:?}", modeled.notes);
}

#[test]
fn a_barrel_of_a_person_weighs_no_more_than_a_heavy_one() {
    let skeleton = support::cartoon();
    let modeled = made(&skeleton, &[]);
    assert!((60.0..140.0).contains(&total(&modeled)), "{}", total(&modeled));
    assert!(says(&modeled, "heavier than bodies of its size are"), "{:?}", modeled.notes);
    let options = ModelOptions { mass: Some(300.0), ..ModelOptions::default() };
    let given = model(&skeleton, &[], &options).unwrap();
    assert!((total(&given) - 300.0).abs() < 1e-3);
}

#[test]
fn legs_have_their_share() {
    let skeleton = support::cartoon();
    let legs = |modeled: &Modeled| {
        let of = |side: &str| {
            ["thigh", "shin", "foot"].map(|part| mass(modeled, &format!("{part}_{side}"))).iter().sum::<f64>()
        };
        (of("l") + of("r")) / total(modeled)
    };
    let with = |leg_share: f64| {
        let options = ModelOptions { leg_share, balance: 0.0, ..ModelOptions::default() };
        model(&skeleton, &[], &options).unwrap()
    };
    let (as_drawn, heavy) = (with(0.0), with(0.3));
    assert!(legs(&as_drawn) < 0.25, "{}", legs(&as_drawn));
    assert!((legs(&heavy) - 0.3).abs() < 1e-3, "{}", legs(&heavy));
    assert!((total(&heavy) / total(&as_drawn) - 1.0).abs() < 1e-6);
    assert!(says(&heavy, "Its legs were made") && !says(&as_drawn, "Its legs were made"), "{:?}", heavy.notes);
    // Within the legs, and within all else, the proportions stay.
    let ratio = |name: &str| mass(&heavy, name) / mass(&as_drawn, name);
    assert!((ratio("thigh_l") / ratio("foot_r") - 1.0).abs() < 1e-6);
    assert!((ratio("hips") / ratio("head") - 1.0).abs() < 1e-6 && ratio("hips") < 1.0);
}

#[test]
fn a_natural_person_is_left_alone() {
    let skeleton = support::biped(true);
    let modeled = made(&skeleton, &[support::walk(&skeleton, "walk", 60)]);
    assert!(!says(&modeled, "Too light") && !says(&modeled, "bodies of its size"), "{:?}", modeled.notes);
}

/// Turns its trunk about the left-right axis and stands so, its legs as in the bind pose.
fn leaning(skeleton: &Skeleton, angle: f64) -> Clip {
    let mut clip = support::clip(skeleton, "lean", 120, |joint, time| {
        let turned = angle * (8.0 * time).min(1.0);
        if joint == "spine1" { DVec3::Y * turned } else { DVec3::ZERO }
    });
    let first = clip.root_positions[0];
    clip.root_positions.iter_mut().for_each(|position| *position = first);
    clip
}

/// How far forward the centre of mass is in the rest pose.
fn center_ahead(modeled: &Modeled) -> f64 {
    let model = Model::new(&Scene::on_ground(modeled.character.clone()), 0.002).unwrap();
    let measured = Measured::new(&model, model.rest_position(), &vec![0.0; model.velocity_count()], [0.0; 3]);
    measured.center_of_mass[0]
}

#[test]
fn slow_stances_say_where_the_centre_of_mass_is() {
    let skeleton = support::dinosaur();
    // Its trunk raised, as a beast that looks about: the centre of mass goes back, behind the heels.
    let upright = made(&skeleton, &[leaning(&skeleton, -1.2)]);
    let level = made(&skeleton, &[leaning(&skeleton, 0.0)]);
    assert!(says(&upright, "where the clips stand on them"), "{:?}", upright.notes);
    assert!(!says(&level, "where the clips stand on them"), "{:?}", level.notes);
    let by = center_ahead(&upright) - center_ahead(&level);
    assert!(by > 0.01, "{by}");
    assert!((total(&upright) / total(&level) - 1.0).abs() < 1e-6);
    // A motion that never stands still says nothing.
    let walking = made(&skeleton, &[support::walk(&skeleton, "walk", 20)]);
    assert!(!says(&walking, "where the clips stand on them"), "{:?}", walking.notes);
}
