use super::*;
use crate::test_figure::{self as figure, ARM, DRIVEN, LEG, SPEEDS};

#[test]
fn driven_joints_are_found_with_their_places() {
    let dofs = Dofs::new(&figure::model(JointKind::Free));
    assert!(dofs.has_free_root && dofs.count == DRIVEN);
    let leg = Driven { is_ball: false, q: LEG[0], v: LEG[1], offset: 0 };
    let arm = Driven { is_ball: true, q: ARM[0], v: ARM[1], offset: 1 };
    assert_eq!(dofs.joints, [leg, arm]);
    assert!(!Dofs::new(&figure::model(JointKind::Fixed)).has_free_root);
    assert!(!Dofs::new(&figure::model(JointKind::Planar)).has_free_root);
}

#[test]
fn offsets_turn_joints_and_leave_the_root() {
    let model = figure::model(JointKind::Free);
    let dofs = Dofs::new(&model);
    // From an orientation of the arm with four different numbers.
    let from = figure::moved(&model, &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, -0.9, 1.0]);
    let offsets = [0.25, 0.3, -0.5, 0.7];
    let mut found = vec![0.0; from.len()];
    dofs.add(&from, &offsets, &mut found);
    // `q·(1, o/2)/|…|` is a turn about o by 2·atan(|o|/2).
    let length = offsets[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
    let turn = 2.0 * libm::atan2(0.5 * length, 1.0) / length;
    let mut way = [0.0; SPEEDS];
    way[LEG[1]] = 0.25;
    (0..3).for_each(|k| way[ARM[1] + k] = turn * offsets[1 + k]);
    let mut expected = from.clone();
    model.displace(&from, &way, 1.0, &mut expected);
    for (k, (a, b)) in found.iter().zip(&expected).enumerate() {
        assert!((a - b).abs() < 1e-14, "{k}: {a} instead of {b}");
    }
}
