use super::grid::Grid;
use super::regions::NOBODY;
use super::test_skins::{box_skin, skeleton, tube_skin};
use super::{Filled, Skin};
use glam::DVec3;
use sinew_motion::SkinMesh;
use sinew_sim::Shape;

fn volume(mesh: &SkinMesh) -> f64 {
    let grid = Grid::of(&mesh.points, &mesh.triangles).expect("a grid");
    grid.inside.iter().filter(|i| **i).count() as f64 * grid.cell * grid.cell * grid.cell
}

fn joined(parts: Vec<SkinMesh>) -> SkinMesh {
    let mut mesh = SkinMesh::default();
    parts.into_iter().for_each(|part| mesh.append(part));
    mesh
}

fn assert_volume(mesh: &SkinMesh, expected: f64) {
    let found = volume(mesh);
    assert!((found - expected).abs() < 0.04 * expected, "{found} instead of {expected}");
}

#[test]
fn a_closed_box_has_its_volume() {
    assert_volume(&box_skin([0.0, 0.0, 0.0], [2.0, 1.0, 0.5], 0), 1.0);
}

#[test]
fn skin_that_runs_the_wrong_way_round_has_an_inside() {
    let mut mesh = box_skin([0.0, 0.0, 0.0], [2.0, 1.0, 0.5], 0);
    mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    assert_volume(&mesh, 1.0);
}

#[test]
fn a_box_without_a_lid_has_an_inside() {
    let mut mesh = box_skin([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], 0);
    // The first face, and then the one across from it: a tube.
    mesh.triangles.drain(..2);
    assert_volume(&mesh, 1.0);
    mesh.triangles.drain(..2);
    assert_volume(&mesh, 1.0);
}

#[test]
fn overlapping_boxes_count_once() {
    let parts = vec![box_skin([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], 0), box_skin([0.5, 0.0, 0.0], [1.5, 1.0, 1.0], 0)];
    assert_volume(&joined(parts), 1.5);
}

#[test]
fn what_is_closed_in_is_inside() {
    let mut inner = box_skin([0.1, 0.1, 0.1], [0.9, 0.9, 0.9], 0);
    inner.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    assert_volume(&joined(vec![box_skin([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], 0), inner]), 1.0);
}

#[test]
fn a_sheet_has_no_inside() {
    let mut cape = box_skin([3.0, 0.0, 0.0], [3.0, 1.0, 1.0], 0);
    cape.triangles.truncate(2);
    assert_volume(&joined(vec![box_skin([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], 0), cape]), 1.0);
}

#[test]
fn nothing_has_no_grid() {
    assert!(Grid::of(&[], &[]).is_none());
    assert!(Grid::of(&[DVec3::ONE; 3], &[[0, 1, 2]]).is_none());
}

/// Two joints along x, the skin of each one metre long.
fn two_links() -> Skin {
    let ring = |x: f64, joint: u32| (DVec3::new(x, 0.0, 0.0), 0.2, joint);
    let rings = [ring(0.0, 0), ring(0.98, 0), ring(1.02, 1), ring(2.0, 1)];
    let rig = skeleton(&[("a", None, [0.0; 3]), ("b", Some(0), [1.0, 0.0, 0.0])], vec![tube_skin(&rings)]);
    Skin::of(&rig, &[Some(0), Some(1)]).expect("a skin")
}

fn boxed(low: f64, high: f64) -> Filled {
    let shape = Shape::Box {
        center: [0.5 * (low + high), 0.0, 0.0],
        half_extents: [0.5 * (high - low), 0.2, 0.2],
        orientation: [1.0, 0.0, 0.0, 0.0],
    };
    Filled { name: "a".into(), shapes: vec![shape], center: Some(DVec3::new(0.5 * (low + high), 0.0, 0.0)) }
}

#[test]
fn cells_belong_to_the_nearest_skin() {
    let skin = two_links();
    for cell in 0..skin.grid.count() {
        let x = skin.grid.center(cell).x;
        let expected = if x < 1.0 { 0 } else { 1 };
        let region = if skin.grid.inside[cell] && (x - 1.0).abs() > 0.05 { expected } else { skin.region[cell] };
        assert_eq!(skin.region[cell], region, "at {x}");
        assert_eq!(skin.region[cell] == NOBODY, !skin.grid.inside[cell]);
    }
}

#[test]
fn shares_are_those_of_the_volumes() {
    let found = two_links().measure(&[boxed(0.0, 1.0), boxed(1.0, 2.0)]);
    assert!(found.covered > 0.95 && found.outside < 0.1 && found.is_good(), "{found:?}");
    assert!(found.missed().is_empty());
    assert!((found.skin_volume_m3 - 0.32).abs() < 0.02, "{found:?}");

    // The first reaches as far before the skin as into it, and nothing covers the second.
    let found = two_links().measure(&[boxed(-0.5, 0.5), Filled { shapes: Vec::new(), ..boxed(1.0, 2.0) }]);
    let close = |value: f64, expected: f64| assert!((value - expected).abs() < 0.05, "{value}, not {expected}");
    close(found.covered, 0.25);
    close(found.outside, 0.5);
    close(found.bodies[0].covered.expect("skin"), 0.5);
    close(found.bodies[1].covered.expect("skin"), 0.0);
    assert!(!found.is_good());
}

#[test]
fn a_body_beside_its_skin_is_missed() {
    let found = two_links().measure(&[boxed(-2.0, -1.0), boxed(1.0, 2.0)]);
    assert!(found.bodies[0].center_outside && found.bodies[0].outside > 0.99, "{found:?}");
    assert!(!found.bodies[1].center_outside);
    let missed: Vec<&str> = found.missed().iter().map(|b| b.body.as_str()).collect();
    assert_eq!(missed.len(), 1);
}
