//! Characters that no artist would draw, through model and transfer: sentences are fine, panics are not.

use glam::{DQuat, DVec3};
use sinew::motion::{Clip, Joint, Skeleton, SkinMesh};
use sinew::source::Source;
use sinew::transfer::{Config, Finished, Prepared, Preset, Task, TransferWork, prepare};
use sinew::work::{RunOptions, run};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// A search that takes moments.
fn tiny() -> Config {
    let polish = Config::quick().polish.map(|polish| sinew::transfer::config::Polish { iterations: 1, ..polish });
    Config { starts: 2, samples: 4, population: 4, iterations: 2, polish, ..Config::quick() }
}

/// Numbers that only look random (Steele et al. 2014, SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }
    fn real(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.real(-size, size), self.real(-size, size), self.real(-size, size))
    }
}

/// A skeleton of some joints: a chain, a star or a bush; bones of any length, also none; with tips, skin and triangles, or without.
fn skeleton(numbers: &mut Numbers, count: usize) -> Skeleton {
    let names = ["spine", "foot_l", "foot_r", "head", "tail", "hand_l", "hand_r", "finger", "bone", "control"];
    let kind = numbers.below(3);
    let mut mesh = SkinMesh::default();
    let has_mesh = numbers.below(2) == 0;
    let has_points = has_mesh || numbers.below(2) == 0;
    let (mut joints, mut places): (Vec<Joint>, Vec<DVec3>) = (Vec::new(), Vec::new());
    for j in 0..count {
        let parent = match (j, kind) {
            (0, _) => None,
            (_, 0) => Some(j - 1),
            (_, 1) => Some(0),
            _ => Some(numbers.below(j)),
        };
        let size = if numbers.below(6) == 0 { 0.0 } else { 0.2 };
        let offset = if j == 0 { DVec3::new(0.0, 0.0, 1.0) } else { numbers.vector(size) };
        let place = offset + parent.map_or(DVec3::ZERO, |p: usize| places[p]);
        let points: Vec<DVec3> = (0..if has_points { 14 } else { 0 }).map(|_| numbers.vector(0.06)).collect();
        if has_mesh {
            let triangles = (0..12).map(|_| [0; 3].map(|_: u32| numbers.below(14) as u32)).collect();
            let weights = vec![[(j as u32, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)]; points.len()];
            mesh.append(SkinMesh { points: points.iter().map(|p| place + *p).collect(), weights, triangles });
        }
        let tips = if numbers.below(3) == 0 { vec![numbers.vector(0.2)] } else { Vec::new() };
        let name = format!("{}_{j}", names[numbers.below(names.len())]);
        joints.push(Joint { name, parent, offset, rotation: DQuat::IDENTITY, tips, skin: points, source_node: j });
        places.push(place);
    }
    let source = sinew::motion::SourceFrame { up: sinew::motion::Up::Z, metres_per_unit: 1.0 };
    Skeleton { joints, source, mesh: has_mesh.then(|| Arc::new(mesh)) }
}

/// A clip of a third of a second; a still one makes all joints welds.
fn clip(numbers: &mut Numbers, skeleton: &Skeleton) -> Clip {
    let count = skeleton.joints.len();
    let size = [0.0, 0.1, 1.0][numbers.below(3)];
    let swings: Vec<DVec3> = (0..count).map(|_| numbers.vector(size)).collect();
    let frames = 11;
    let turn = |f: usize, j: usize| DQuat::from_scaled_axis(swings[j] * libm::sin(0.6 * f as f64));
    Clip {
        name: "move".into(),
        rate_hz: 30.0,
        root_positions: (0..frames).map(|f| DVec3::new(0.02 * size * f as f64, 0.0, 1.0)).collect(),
        rotations: (0..frames).flat_map(|f| (0..count).map(move |j| (f, j))).map(|(f, j)| turn(f, j)).collect(),
    }
}

fn prepared(seed: u64, count: usize) -> sinew::Result<Prepared> {
    let mut numbers = Numbers(seed);
    let mut source = Source::open(Path::new("human"), &[], &Default::default())?;
    source.rig.skeleton = skeleton(&mut numbers, count);
    source.rig.clips = vec![clip(&mut numbers, &source.rig.skeleton)];
    prepare(source, &Task::default(), &tiny())
}

#[test]
fn any_small_character_is_transferred_or_refused() {
    let mut done = 0;
    for (seed, count) in [1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 32, 40].into_iter().enumerate() {
        let prepared = match prepared(seed as u64, count) {
            Ok(prepared) => prepared,
            Err(error) => {
                let sentence = error.to_string();
                assert!(sentence.len() > 20 && !sentence.contains("NaN"), "{count} joints: {sentence}");
                continue;
            }
        };
        let work = TransferWork { target: &prepared.target, config: &tiny(), seed: 1 };
        let options = RunOptions { threads: 2, ..RunOptions::default() };
        let Ok(found) = run(&work, &options, &mut |_, _, _| ControlFlow::Continue(())) else { continue };
        let finished = Finished::new(&prepared, &found.into_state(), Preset::Quick);
        done += usize::from(finished.is_ok());
    }
    assert!(done >= 6, "only {done} were transferred");
}

#[test]
fn a_character_without_a_driven_joint_is_refused_in_a_sentence() {
    let mut source = Source::open(Path::new("human"), &[], &Default::default()).expect("embedded");
    // Nothing moves in a clip of one pose, so that all joints are welds.
    let clip = &mut source.rig.clips[0];
    let count = source.rig.skeleton.joints.len();
    let frames = clip.frame_count();
    let first: Vec<DQuat> = clip.rotations[..count].to_vec();
    clip.rotations = (0..frames).flat_map(|_| first.clone()).collect();
    clip.root_positions = vec![clip.root_positions[0]; frames];
    source.rig.clips.truncate(1);
    let error = prepare(source, &Task::default(), &tiny()).map(|_| ()).expect_err("nothing moves").to_string();
    assert!(error.contains("has no joint that it could move"), "{error}");
}
