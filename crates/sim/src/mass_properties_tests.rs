use super::*;

fn body(mass: f64, shapes: Vec<Shape>) -> Body {
    Body { name: "body".into(), mass, center_of_mass: None, inertia: None, shapes }
}

fn assert_close(actual: &[f64], expected: &[f64], tolerance: f64) {
    for (a, e) in actual.iter().zip(expected) {
        assert!((a - e).abs() <= tolerance, "{actual:?} is not {expected:?}");
    }
}

#[test]
fn a_ball_has_two_fifths_m_r_squared() {
    let properties = of_body(&body(3.0, vec![Shape::Sphere { center: [1.0, 2.0, 3.0], radius: 0.5 }]));
    assert_close(&properties.center_of_mass, &[1.0, 2.0, 3.0], 1e-15);
    assert_close(&properties.inertia, &[0.3, 0.3, 0.3, 0.0, 0.0, 0.0], 1e-15);
}

#[test]
fn a_turned_box_swaps_its_moments() {
    let half_turn_root = 0.5f64.sqrt();
    let upright = Shape::Box { center: [0.0; 3], half_extents: [0.1, 0.2, 0.3], orientation: [1.0, 0.0, 0.0, 0.0] };
    let quarter_turn = Shape::Box {
        center: [0.0; 3],
        half_extents: [0.1, 0.2, 0.3],
        orientation: [half_turn_root, 0.0, 0.0, half_turn_root],
    };
    let [xx, yy, zz, ..] = of_body(&body(3.0, vec![upright])).inertia;
    assert_close(&[xx, yy, zz], &[0.13, 0.10, 0.05], 1e-15);
    assert_close(&of_body(&body(3.0, vec![quarter_turn])).inertia, &[yy, xx, zz, 0.0, 0.0, 0.0], 1e-15);
}

/// A box at 45° about z: `xx = yy = (a + b) / 2`, `xy = (a − b) / 2`.
#[test]
fn a_diagonal_box_has_a_product_of_inertia() {
    let (w, z) = ((PI / 8.0).cos(), (PI / 8.0).sin());
    let diagonal = Shape::Box { center: [0.0; 3], half_extents: [0.1, 0.2, 0.3], orientation: [w, 0.0, 0.0, z] };
    let inertia = of_body(&body(3.0, vec![diagonal])).inertia;
    assert_close(&inertia, &[0.115, 0.115, 0.05, 0.015, 0.0, 0.0], 1e-15);
}

/// Values of MuJoCo 4.0 (`body_ipos`, `body_inertia`, rotated by `body_iquat`) for two capsules and a box.
#[test]
fn capsules_match_mujoco() {
    let neck = of_body(&body(2.5, vec![Shape::Capsule { from: [0.0; 3], to: [0.16, 0.0, 0.17], radius: 0.028 }]));
    assert_close(&neck.center_of_mass, &[0.08, 0.0, 0.085], 1e-15);
    let expected = [0.008858011579654481, 0.01586039479798048, 0.007955360617917136, 0.0, -0.00744003216947138, 0.0];
    assert_close(&neck.inertia, &expected, 1e-15);

    // The foot's mass is that of its shapes at 1000 kg/m³.
    let shapes = vec![
        Shape::Capsule { from: [0.0; 3], to: [0.2, 0.0, 0.0], radius: 0.025 },
        Shape::Capsule { from: [0.0; 3], to: [0.15, 0.07, -0.02], radius: 0.02 },
        Shape::Box {
            center: [0.04, 0.0, -0.0355],
            half_extents: [0.1, 0.04, 0.025],
            orientation: [0.9, 0.1, 0.2, 0.3],
        },
    ];
    let foot = of_body(&body(1.5011825195817559, shapes));
    let center = [0.06397783809233461, 0.005666316768085905, -0.020537366714023605];
    assert_close(&foot.center_of_mass, &center, 1e-15);
    let expected = [
        0.002678603873738896,
        0.006302872290761279,
        0.007091392570795815,
        -0.0013735215658038978,
        4.2212053702194115e-05,
        0.0003647699698791948,
    ];
    assert_close(&foot.inertia, &expected, 1e-15);
}

#[test]
fn two_balls_far_apart_follow_the_parallel_axis_theorem() {
    let ball = |x| Shape::Sphere { center: [x, 0.0, 0.0], radius: 0.1 };
    let properties = of_body(&body(2.0, vec![ball(-1.0), ball(1.0)]));
    let own = 2.0 * 0.4 * 0.01;
    assert_close(&properties.center_of_mass, &[0.0; 3], 1e-15);
    assert_close(&properties.inertia, &[own, own + 2.0, own + 2.0, 0.0, 0.0, 0.0], 1e-14);
}

#[test]
fn a_given_centre_of_mass_moves_the_shape_inertia() {
    let mut given = body(2.0, vec![Shape::Sphere { center: [0.0; 3], radius: 0.1 }]);
    given.center_of_mass = Some([0.0, 0.3, 0.4]);
    let own = 2.0 * 0.4 * 0.01;
    let expected = [own + 0.5, own + 0.32, own + 0.18, 0.0, 0.0, -0.24];
    assert_close(&of_body(&given).inertia, &expected, 1e-15);
}

#[test]
fn given_inertia_wins() {
    let mut given = body(2.0, vec![Shape::Sphere { center: [0.5, 0.0, 0.0], radius: 0.1 }]);
    given.inertia = Some([1.0, 2.0, 2.5, 0.1, 0.2, 0.3]);
    let properties = of_body(&given);
    assert_eq!(properties.inertia, [1.0, 2.0, 2.5, 0.1, 0.2, 0.3]);
    assert_eq!(properties.center_of_mass, [0.5, 0.0, 0.0]);
}

#[test]
fn objects_are_solid() {
    let object = |shape| Object {
        name: "object".into(),
        shape,
        mass: 3.0,
        position: [1.0, 2.0, 3.0],
        orientation: [1.0, 0.0, 0.0, 0.0],
    };
    let ball = of_object(&object(ObjectShape::Ball { radius: 0.5 }));
    assert_close(&ball.inertia, &[0.3, 0.3, 0.3, 0.0, 0.0, 0.0], 1e-15);
    let cuboid = of_object(&object(ObjectShape::Box { half_extents: [0.1, 0.2, 0.3] }));
    assert_close(&cuboid.inertia, &[0.13, 0.10, 0.05, 0.0, 0.0, 0.0], 1e-15);
    assert_eq!(cuboid.center_of_mass, [0.0; 3]);
}
