//! The embedded characters: as authored, as heavy as they should be, and able to stand.

use sinew_sim::character::{Character, JointKind, Shape};
use sinew_sim::{embedded, mass_properties};

#[path = "../examples/author_assets/figures/mod.rs"]
mod figures;

fn embedded() -> [Character; 4] {
    [embedded::dinosaur(), embedded::humanoid(), embedded::peer_a(), embedded::peer_b()]
}

#[test]
fn files_are_what_the_author_program_writes() {
    for (file, authored) in embedded().iter().zip(figures::all()) {
        assert_eq!(*file, authored, "run: cargo run -p sinew-sim --example author_assets");
        let path = format!("{}/assets/{}.toml", env!("CARGO_MANIFEST_DIR"), authored.name);
        // A checkout may turn line ends into those of Windows.
        let text = std::fs::read_to_string(path).unwrap().replace("\r\n", "\n");
        assert_eq!(text, authored.to_toml());
    }
}

#[test]
fn figures_have_their_bodies_joints_and_mass() {
    let expected = [(22, JointKind::Hinge, 50.0), (18, JointKind::Ball, 49.0)];
    let [dinosaur, humanoid, peer_a, peer_b] = embedded();
    for (character, (count, kind, mass)) in
        [(dinosaur, expected[0]), (humanoid, expected[1]), (peer_a, expected[0]), (peer_b, expected[1])]
    {
        assert_eq!(character.bodies.len(), count);
        assert_eq!(character.joints[0].kind, JointKind::Free);
        assert!(character.joints[1..].iter().all(|joint| joint.kind == kind && joint.torque_limit == Some(400.0)));
        assert!((character.bodies.iter().map(|body| body.mass).sum::<f64>() - mass).abs() < 1e-12);
    }
}

/// `subtree_com` of the world body in MuJoCo 4.0, for the same figures.
#[test]
fn centres_of_mass_match_mujoco() {
    for (character, expected) in [
        (embedded::peer_a(), [0.17751364, 0.0, 0.749353]),
        (embedded::peer_b(), [0.00130612244897959, 0.0, 0.830595918367347]),
    ] {
        let center = center_of_mass(&character);
        assert!(center.iter().zip(expected).all(|(c, e)| (c - e).abs() < 1e-8), "{center:?}");
    }
}

#[test]
fn soles_touch_the_ground() {
    for character in [embedded::dinosaur(), embedded::humanoid()] {
        let lowest = lowest_points(&character).iter().map(|point| point[2]).fold(f64::INFINITY, f64::min);
        assert!(lowest.abs() < 1e-12, "{}: {lowest}", character.name);
    }
}

#[test]
fn the_centre_of_mass_is_well_inside_the_support() {
    for character in [embedded::dinosaur(), embedded::humanoid()] {
        let soles: Vec<[f64; 2]> = contacts(&character, |_| true);
        let [x, y, _] = center_of_mass(&character);
        let margin = margin(&convex_hull(soles), [x, y]);
        assert!(margin > 0.05, "{}: {margin} m", character.name);
    }
}

#[test]
fn each_foot_stands_on_an_area() {
    for (character, body) in [(embedded::dinosaur(), "toe_l"), (embedded::humanoid(), "foot_l")] {
        let hull = convex_hull(contacts(&character, |name| name == body));
        let center = [0, 1].map(|i| hull.iter().map(|point| point[i]).sum::<f64>() / hull.len() as f64);
        assert!(margin(&hull, center) > 0.03, "{}: {hull:?}", character.name);
    }
}

/// Origin of each body in the world with all joints at zero; the embedded figures have no turned frames.
fn origins(character: &Character) -> Vec<[f64; 3]> {
    let origin = |name: &str| {
        let mut sum = [0.0; 3];
        let mut at = Some(name);
        while let Some(name) = at {
            let joint = character.joints.iter().find(|joint| joint.child == name).unwrap();
            assert_eq!(joint.orientation, [1.0, 0.0, 0.0, 0.0]);
            sum = std::array::from_fn(|i| sum[i] + joint.position[i]);
            at = joint.parent.as_deref();
        }
        sum
    };
    character.bodies.iter().map(|body| origin(&body.name)).collect()
}

fn center_of_mass(character: &Character) -> [f64; 3] {
    let mut sum = [0.0; 4];
    for (body, origin) in character.bodies.iter().zip(origins(character)) {
        let properties = mass_properties::of_body(body);
        sum[3] += properties.mass;
        for i in 0..3 {
            sum[i] += properties.mass * (origin[i] + properties.center_of_mass[i]);
        }
    }
    [sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3]]
}

/// Lowest points of a shape: below the ends of a capsule, the lower corners of an upright box.
fn lowest_points_of(shape: &Shape) -> Vec<[f64; 3]> {
    match *shape {
        Shape::Capsule { from, to, radius } => [from, to].map(|[x, y, z]| [x, y, z - radius]).into(),
        Shape::Sphere { center: [x, y, z], radius } => vec![[x, y, z - radius]],
        Shape::Box { center: [x, y, z], half_extents: [hx, hy, hz], orientation } => {
            assert_eq!(orientation, [1.0, 0.0, 0.0, 0.0]);
            [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)].map(|(a, b)| [x + a * hx, y + b * hy, z - hz]).into()
        }
    }
}

fn lowest_points(character: &Character) -> Vec<[f64; 3]> {
    points_of(character, |_| true)
}

fn points_of(character: &Character, wanted: impl Fn(&str) -> bool) -> Vec<[f64; 3]> {
    let bodies = character.bodies.iter().zip(origins(character)).filter(|(body, _)| wanted(&body.name));
    bodies
        .flat_map(|(body, origin)| {
            let points = body.shapes.iter().flat_map(lowest_points_of);
            points.map(move |point| std::array::from_fn(|i| origin[i] + point[i])).collect::<Vec<_>>()
        })
        .collect()
}

/// Where the wanted bodies touch the ground.
fn contacts(character: &Character, wanted: impl Fn(&str) -> bool) -> Vec<[f64; 2]> {
    points_of(character, wanted).iter().filter(|point| point[2].abs() < 1e-9).map(|&[x, y, _]| [x, y]).collect()
}

fn cross(o: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
}

/// Andrew's monotone chain, counter-clockwise.
fn convex_hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while chain.len() >= 2 && cross(chain[chain.len() - 2], chain[chain.len() - 1], point) <= 0.0 {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut hull = half(&mut points.iter().copied());
    hull.extend(half(&mut points.iter().rev().copied()));
    hull
}

/// Distance from `point` to the nearest edge; negative outside.
fn margin(hull: &[[f64; 2]], point: [f64; 2]) -> f64 {
    let edges = (0..hull.len()).map(|i| (hull[i], hull[(i + 1) % hull.len()]));
    edges.map(|(a, b)| cross(a, b, point) / (b[0] - a[0]).hypot(b[1] - a[1])).fold(f64::INFINITY, f64::min)
}
