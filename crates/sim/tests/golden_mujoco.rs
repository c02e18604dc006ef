//! Accelerations that MuJoCo computed for the exported models: `scripts/compare_mujoco.py --golden` wrote them.

use crate::golden_cases;
use sinew_sim::{Batch, BatchOptions, Isa, Model, Scene};
use std::collections::BTreeMap;
use std::sync::Arc;

const GOLDEN: &str = include_str!("golden/mujoco_accelerations.txt");

/// One state and MuJoCo's accelerations in it.
#[derive(Default)]
struct State {
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    qacc: Vec<f64>,
}

/// The golden file: `case name`, then for each state a line of `qpos`, `qvel` and `qacc`.
fn golden() -> BTreeMap<&'static str, Vec<State>> {
    let mut cases: BTreeMap<&str, Vec<State>> = BTreeMap::new();
    let mut name = "";
    for line in GOLDEN.lines().filter(|line| !line.starts_with('#')) {
        let (key, rest) = line.split_once(' ').expect("a key and its values");
        if key == "case" {
            name = rest;
            continue;
        }
        let states = cases.entry(name).or_default();
        if key == "qpos" {
            states.push(State::default());
        }
        let state = states.last_mut().expect("qpos comes first");
        let field = match key {
            "qpos" => &mut state.qpos,
            "qvel" => &mut state.qvel,
            "qacc" => &mut state.qacc,
            _ => panic!("unknown key {key:?}"),
        };
        *field = rest.split(' ').map(|x| x.parse().expect("a number")).collect();
    }
    cases
}

/// Largest difference over the largest acceleration, of all states of a scene.
fn worst(scene: &Scene, states: &[State], isa: Isa) -> f64 {
    let model = Arc::new(Model::new(scene, 0.002).expect("a valid scene"));
    let mut batch = Batch::new(&model, states.len(), BatchOptions { isa: Some(isa), threads: 1 }).expect("a batch");
    let mut worst: f64 = 0.0;
    for (i, state) in states.iter().enumerate() {
        let mut world = batch.world_mut(i);
        world.set_gain(0.0);
        world.set_position(&state.qpos);
        world.set_velocity(&state.qvel);
    }
    for (i, state) in states.iter().enumerate() {
        let ours = batch.accelerations(i);
        assert_eq!(ours.len(), state.qacc.len());
        let scale = state.qacc.iter().fold(0.0, |m: f64, a| m.max(a.abs()));
        for (a, b) in ours.iter().zip(&state.qacc) {
            assert!(a.is_finite(), "an acceleration of {a}");
            worst = worst.max((a - b).abs() / scale);
        }
    }
    worst
}

fn check(isa: Isa, tolerance: f64) {
    let golden = golden();
    let cases = golden_cases::cases();
    assert_eq!(golden.len(), cases.len(), "the golden file is of other cases; write it again");
    for (name, scene) in &cases {
        let error = worst(scene, &golden[name], isa);
        println!("{name} on {}: relative error {error:.1e}", isa.name());
        assert!(error <= tolerance, "{name} on {}: relative error {error:e}, more than {tolerance:e}", isa.name());
    }
}

#[test]
fn double_precision_gives_mujocos_accelerations() {
    check(Isa::Reference64, 1e-9);
}

#[test]
fn single_precision_gives_mujocos_accelerations() {
    for isa in Isa::same_bits() {
        check(isa, 1e-3);
    }
}
