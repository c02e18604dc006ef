//! What every file promises: its size, its skeleton and its skin.

use crate::read_glb::Asset;
use glam::{Mat4, Vec3};

#[test]
fn files_are_small() {
    for name in sinew_assets::NAMES {
        let asset = Asset::read(name);
        assert!(sinew_assets::find(name).expect(name).len() < 600_000);
        assert!((3000..=8000).contains(&asset.triangles.len()), "{name} has {} triangles", asset.triangles.len());
        assert_eq!(
            asset.json["animations"].as_array().map(Vec::len),
            Some(match name {
                "human" => 4,
                "dinosaur" => 3,
                _ => 2,
            })
        );
    }
}

#[test]
fn rest_pose_is_bind_pose() {
    for name in sinew_assets::NAMES {
        let asset = Asset::read(name);
        let globals = asset.globals(None);
        for (global, inverse) in globals.iter().zip(&asset.inverse_bind) {
            assert!((*global * *inverse).abs_diff_eq(Mat4::IDENTITY, 1e-6));
        }
        for (posed, bound) in asset.skinned(&globals).iter().zip(&asset.vertices) {
            assert!(posed.distance(*bound) < 1e-5);
        }
    }
}

#[test]
fn weights_sum_to_one_and_point_at_joints() {
    for name in sinew_assets::NAMES {
        let asset = Asset::read(name);
        for four in &asset.influences {
            assert!((four.iter().map(|&(_, w)| w).sum::<f32>() - 1.0).abs() < 1e-6);
            assert!(four.iter().all(|&(j, _)| j < asset.joints.len()));
        }
    }
}

#[test]
fn legs_are_chains_and_left_is_plus_x() {
    for (name, chain) in [
        ("dinosaur", ["hips", "thigh", "shin", "foot", "toe"]),
        ("human", ["hips", "thigh", "shin", "foot", "toe"]),
        ("quadruped", ["scapula", "upper_arm", "forearm", "hand", "paw"]),
    ] {
        let asset = Asset::read(name);
        let globals = asset.globals(None);
        for (side, sign) in [("l", 1.0), ("r", -1.0)] {
            for pair in chain.windows(2) {
                let parent = if pair[0] == "hips" { pair[0].to_string() } else { format!("{}_{side}", pair[0]) };
                let child = asset.joint(&format!("{}_{side}", pair[1]));
                assert_eq!(asset.parent(child), Some(asset.joint(&parent)), "{name}");
                assert!(sign * globals[child].w_axis.x > 0.0);
            }
        }
        let head = globals[asset.joint("head")].w_axis.truncate();
        assert!(head.z > 0.0 && head.y > 0.5, "{name} looks to +z");
    }
}

#[test]
fn bodies_stand_on_the_ground_at_their_height() {
    for (name, low, high) in [("dinosaur", 1.35, 1.45), ("human", 1.65, 1.75), ("quadruped", 0.8, 0.9)] {
        let asset = Asset::read(name);
        let top = asset.vertices.iter().fold(Vec3::ZERO, |m, &p| m.max(p)).y;
        let bottom = asset.vertices.iter().fold(Vec3::ONE, |m, &p| m.min(p)).y;
        assert!((low..high).contains(&top), "{name} is {top} m tall");
        assert!(bottom.abs() < 2e-3, "{name} stands at {bottom} m");
    }
}
