//! What every clip promises: feet that neither slide nor sink, cycles that close, joints that do not jump, jumps that fly or hover as told.

use crate::read_glb::{Asset, Clip};
use glam::Vec3;

const CLIPS: [(&str, &str); 9] = [
    ("dinosaur", "walk"),
    ("dinosaur", "boxing"),
    ("dinosaur", "idle"),
    ("human", "walk"),
    ("human", "jump"),
    ("human", "punch"),
    ("human", "idle"),
    ("quadruped", "walk"),
    ("quadruped", "idle"),
];
const RATE: f32 = 30.0;
const GRAVITY: f32 = 9.81;

/// Calls `check` for each clip with its skinned vertices at every sample.
fn for_each_clip(check: impl Fn(&str, &Asset, &Clip, &[Vec<Vec3>])) {
    for (character, name) in CLIPS {
        let asset = Asset::read(character);
        let clip = asset.clip(name);
        let frames: Vec<Vec<Vec3>> =
            (0..clip.times.len()).map(|s| asset.skinned(&asset.globals(Some((&clip, s))))).collect();
        check(&format!("{character} {name}"), &asset, &clip, &frames);
    }
}

/// Vertices that this toe joint and the foot above it move.
fn foot_vertices(asset: &Asset, toe: &str) -> Vec<usize> {
    let toe = asset.joint(toe);
    let foot = asset.parent(toe).expect("a toe has a foot");
    let share =
        |v: usize| asset.influences[v].iter().filter(|&&(j, _)| j == toe || j == foot).map(|&(_, w)| w).sum::<f32>();
    (0..asset.vertices.len()).filter(|&v| share(v) > 0.5).collect()
}

fn spread_of(values: impl Iterator<Item = f32> + Clone) -> f32 {
    values.clone().fold(f32::MIN, f32::max) - values.fold(f32::MAX, f32::min)
}

#[test]
fn samples_are_at_thirty_a_second() {
    for_each_clip(|name, _, clip, _| {
        for (i, t) in clip.times.iter().enumerate() {
            assert!((t - i as f32 / RATE).abs() < 1e-5, "{name}");
        }
    });
}

#[test]
fn no_point_of_the_skin_is_below_the_ground() {
    for_each_clip(|name, _, clip, frames| {
        let low = |s: usize| frames[s].iter().fold(f32::MAX, |m, p| m.min(p.y));
        let worst = (0..frames.len()).min_by(|&a, &b| low(a).total_cmp(&low(b))).expect("samples");
        assert!(low(worst) > -0.005, "{name} at {} s: {} m", clip.times[worst], low(worst));
    });
}

#[test]
fn planted_feet_stay_where_they_are() {
    for_each_clip(|name, asset, clip, frames| {
        for (toe, spans) in &clip.plants {
            let vertices = foot_vertices(asset, toe);
            for pair in 0..frames.len() - 1 {
                let (t0, t1) = (clip.times[pair], clip.times[pair + 1]);
                if !spans.iter().any(|s| s[0] <= t0 + 1e-4 && t1 <= s[1] + 1e-4) {
                    continue;
                }
                // What is on the ground in both samples does not move along it, and the foot does touch the ground.
                let (a, b) = (&frames[pair], &frames[pair + 1]);
                let slide = |v: usize| (a[v] - b[v]).with_y(0.0).length();
                let resting = || vertices.iter().copied().filter(|&v| a[v].y < 0.002 && b[v].y < 0.002);
                let worst = resting().map(slide).fold(0.0, f32::max);
                assert!(worst < 0.005, "{name} at {t0} s: {toe} slides {worst} m");
                let lowest = vertices.iter().map(|&v| b[v].y).fold(f32::MAX, f32::min);
                assert!(lowest < 0.006, "{name} at {t1} s: {toe} is planted {lowest} m above the ground");
            }
        }
    });
}

#[test]
fn feet_slow_down_before_they_touch() {
    // Whether planted or not, what is within a millimetre of the ground moves along it at less than 0.6 m/s.
    for_each_clip(|name, asset, clip, frames| {
        for toe in clip.plants.keys() {
            let vertices = foot_vertices(asset, toe);
            for pair in 0..frames.len() - 1 {
                let (a, b) = (&frames[pair], &frames[pair + 1]);
                for &v in vertices.iter().filter(|&&v| a[v].y < 0.001 && b[v].y < 0.001) {
                    let slide = (a[v] - b[v]).with_y(0.0).length();
                    assert!(slide < 0.02, "{name} at {} s: {toe} drags {slide} m in a sample", clip.times[pair]);
                }
            }
        }
    });
}

#[test]
fn joints_turn_at_speeds_a_body_can_have() {
    for_each_clip(|name, asset, clip, _| {
        for (joint, rotations) in asset.joints.iter().zip(&clip.rotations) {
            assert!(rotations.iter().all(|q| q.is_normalized()));
            assert!(rotations.windows(2).all(|pair| pair[0].dot(pair[1]) > 0.0));
            let speed = |i: usize| rotations[i].angle_between(rotations[i + 1]) * RATE;
            let worst = (0..rotations.len() - 1).max_by(|&a, &b| speed(a).total_cmp(&speed(b))).expect("samples");
            assert!(speed(worst) < 22.0, "{name} at {} s: {joint} turns at {} rad/s", clip.times[worst], speed(worst));
            // No knee pops: the speed does not change by more than this between two samples.
            let jump = |i: usize| (speed(i + 1) - speed(i)).abs();
            let worst = (0..rotations.len() - 2).max_by(|&a, &b| jump(a).total_cmp(&jump(b))).expect("samples");
            assert!(jump(worst) < 14.0, "{name} at {} s: {joint} jerks by {} rad/s", clip.times[worst], jump(worst));
        }
    });
}

#[test]
fn knees_and_elbows_bend_one_way_only() {
    for_each_clip(|name, asset, clip, _| {
        let hinges: &[(&str, f32)] =
            if name.starts_with("quadruped") { &[("shin", 1.0), ("forearm", -1.0)] } else { &[("shin", 1.0)] };
        let rest = asset.globals(None);
        for sample in 0..clip.times.len() {
            let globals = asset.globals(Some((clip, sample)));
            for (joint, sign) in
                hinges.iter().flat_map(|&(stem, s)| [(format!("{stem}_l"), s), (format!("{stem}_r"), s)])
            {
                let knee = asset.joint(&joint);
                let hip = asset.parent(knee).expect("a knee has a hip");
                let ankle =
                    (0..asset.joints.len()).find(|&j| asset.parent(j) == Some(knee)).expect("a knee has an ankle");
                let at = |j: usize| globals[j].w_axis.truncate();
                // The axis of bending, which in the bind pose is that of x, seen from the thigh.
                let axis = (at(knee) - at(hip)).cross(at(ankle) - at(knee));
                let side = globals[hip].transform_vector3(rest[hip].inverse().transform_vector3(Vec3::X));
                assert!(sign * axis.dot(side) > 0.0, "{name} at {} s: {joint}", clip.times[sample]);
            }
        }
    });
}

#[test]
fn cycles_close_up_to_their_travel() {
    for (character, name, travel) in [
        ("dinosaur", "walk", 0.88),
        ("dinosaur", "idle", 0.0),
        ("human", "walk", 1.32),
        ("human", "idle", 0.0),
        ("quadruped", "walk", 0.64),
        ("quadruped", "idle", 0.0),
    ] {
        let clip = Asset::read(character).clip(name);
        let last = clip.times.len() - 1;
        assert!((clip.hips[last] - clip.hips[0] - Vec3::Z * travel).length() < 1e-5, "{character} {name}");
        for rotations in &clip.rotations {
            assert!(rotations[0].angle_between(rotations[last]) < 2e-3, "{character} {name}");
        }
        // The speed is the same before and after the seam.
        let (first, end) = (clip.hips[1] - clip.hips[0], clip.hips[last] - clip.hips[last - 1]);
        assert!((first - end).length() * RATE < 0.25, "{character} {name}: {first} {end}");
    }
}

#[test]
fn walks_are_moving_at_their_first_frame() {
    for character in sinew_assets::NAMES {
        let clip = Asset::read(character).clip("walk");
        let duration = clip.times[clip.times.len() - 1];
        let mean = (clip.hips[clip.hips.len() - 1].z - clip.hips[0].z) / duration;
        let first = (clip.hips[1].z - clip.hips[0].z) * RATE;
        assert!(mean > 0.5 && first > 0.7 * mean, "{character}: {first} of {mean} m/s");
    }
}

#[test]
fn quadruped_walks_in_lateral_sequence() {
    let clip = Asset::read("quadruped").clip("walk");
    let duration = clip.times[clip.times.len() - 1];
    // Touch-down: the start of a plant that does not begin with the clip, or the clip's start.
    let touch = |toe: &str| clip.plants[toe].iter().map(|s| s[0]).fold(0.0, f32::max) / duration;
    assert_eq!(["toe_l", "paw_l", "toe_r", "paw_r"].map(touch), [0.0, 0.25, 0.5, 0.75]);
    for (toe, spans) in &clip.plants {
        let duty: f32 = spans.iter().map(|s| s[1] - s[0]).sum::<f32>() / duration;
        assert!((0.6..0.75).contains(&duty), "{toe} is planted for {duty} of the cycle");
    }
    // At every time two to four feet are on the ground.
    for &t in &clip.times {
        let down = clip.plants.values().filter(|spans| spans.iter().any(|s| (s[0]..=s[1]).contains(&t))).count();
        assert!((2..=4).contains(&down), "{down} feet at {t} s");
    }
}

/// Centre of what the skin encloses: the mean of the tetrahedra over its triangles, weighted by their signed volumes.
fn center_of_volume(asset: &Asset, vertices: &[Vec3]) -> Vec3 {
    let (mut moment, mut volume) = (Vec3::ZERO, 0.0);
    for [a, b, c] in asset.triangles.iter().map(|t| t.map(|v| vertices[v])) {
        let six = a.dot(b.cross(c));
        moment += six * (a + b + c) / 4.0;
        volume += six;
    }
    moment / volume
}

/// First and last sample of the longest flight, in which no vertex is within 5 mm of the ground.
fn flight(clip: &Clip, frames: &[Vec<Vec3>]) -> (usize, usize) {
    let in_air = |s: usize| frames[s].iter().all(|p| p.y > 0.005);
    let mut best = (0, 0);
    let mut start = None;
    for s in 0..clip.times.len() {
        match (in_air(s), start) {
            (true, None) => start = Some(s),
            (false, Some(from)) => {
                if s - from > best.1 - best.0 {
                    best = (from, s);
                }
                start = None;
            }
            _ => {}
        }
    }
    best
}

#[test]
fn the_boxing_jump_hovers() {
    for_each_clip(|name, _, clip, frames| {
        if name != "dinosaur boxing" {
            return;
        }
        let (from, to) = flight(clip, frames);
        let air = (to - from) as f32 / RATE;
        let base = clip.hips[from].y.min(clip.hips[to].y);
        let rise = clip.hips[from..to].iter().fold(0.0, |m: f32, p| m.max(p.y - base));
        let ballistic = 2.0 * (2.0 * rise / GRAVITY).sqrt();
        assert!(air > 1.5 * ballistic, "{air} s in the air, of which gravity allows {ballistic} s");
        let way = clip.hips[to].z - clip.hips[from].z;
        assert!(way > 0.7, "it jumps {way} m forward");
    });
}

#[test]
fn the_human_flies_as_gravity_asks() {
    for_each_clip(|name, asset, clip, frames| {
        if name != "human jump" {
            return;
        }
        // A parabola through the flight of the centre of mass falls at g.
        let (from, to) = flight(clip, frames);
        let height = |s: usize| center_of_volume(asset, &frames[s]).y;
        let (a, b) = (from, to - 1);
        let middle = (a + b) / 2;
        let (h0, h1) = ((middle - a) as f32 / RATE, (b - middle) as f32 / RATE);
        let fall = -2.0 * ((height(b) - height(middle)) / h1 - (height(middle) - height(a)) / h0) / (h0 + h1);
        assert!((fall / GRAVITY - 1.0).abs() < 0.05, "it falls at {fall} m/s²");
        let air = (to - from) as f32 / RATE;
        assert!((air / 0.5 - 1.0).abs() < 0.15, "{air} s in the air");
        let spread = spread_of((from..to).map(height));
        assert!(spread > 0.2, "it rises {spread} m");
    });
}
