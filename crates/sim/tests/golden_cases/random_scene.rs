//! Random trees of every joint type, the same ones on every machine.

use sinew_sim::{Body, Character, Joint, JointKind, Model, Object, ObjectShape, PlacedCharacter, Scene};

/// SplitMix64 (Steele, Lea & Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }
    pub fn vector(&mut self, size: f64) -> [f64; 3] {
        std::array::from_fn(|_| self.between(-size, size))
    }
    /// A rotation by at most `largest` about any axis.
    pub fn quaternion(&mut self, largest: f64) -> [f64; 4] {
        let axis = loop {
            let v = self.vector(1.0);
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.1 {
                break v.map(|x| x / length);
            }
        };
        let half = 0.5 * self.between(-largest, largest);
        [half.cos(), axis[0] * half.sin(), axis[1] * half.sin(), axis[2] * half.sin()]
    }
}

/// A tree of `count` bodies with every joint type; joints drive with random gains.
pub fn character(random: &mut Random, name: &str, count: usize) -> Character {
    // From long chains (1) to bushes (large).
    let spread = 1 + random.below(6);
    let mut bodies = Vec::new();
    let mut joints = Vec::new();
    for i in 0..count {
        bodies.push(body(random, &format!("b{i}")));
        let (kind, parent) = if i == 0 {
            let fixed_alone = count == 1;
            let kinds = [JointKind::Free, JointKind::Planar, JointKind::Fixed];
            (kinds[random.below(if fixed_alone { 2 } else { 3 })], None)
        } else {
            let kinds = [JointKind::Hinge, JointKind::Hinge, JointKind::Hinge, JointKind::Ball, JointKind::Weld];
            let parent = i - 1 - random.below(spread.min(i));
            // At least one joint moves.
            let kind = if i == 1 { kinds[random.below(4)] } else { kinds[random.below(5)] };
            (kind, Some(format!("b{parent}")))
        };
        let mut joint = Joint::new(format!("j{i}"), kind, parent.as_deref(), format!("b{i}"));
        joint.position = random.vector(0.3);
        if random.below(2) == 0 {
            joint.orientation = random.quaternion(3.0);
        }
        if kind == JointKind::Hinge {
            joint.axis = Some(match random.below(5) {
                0 => [2.0, 0.0, 0.0],
                1 => [0.0, 1.0, 0.0],
                2 => [0.0, 0.0, 0.5],
                3 => [0.0, -1.0, 0.0],
                _ => {
                    let [x, y, _] = random.vector(1.0);
                    [x, y, 0.7]
                }
            });
        }
        if matches!(kind, JointKind::Hinge | JointKind::Ball) {
            joint.kp = random.between(0.0, 600.0);
            joint.kd = random.between(0.0, 40.0);
            joint.armature = if random.below(2) == 0 { random.between(0.0, 0.1) } else { 0.0 };
        }
        joints.push(joint);
    }
    // The file's order is not the tree's.
    for i in (1..bodies.len()).rev() {
        bodies.swap(i, random.below(i + 1));
        joints.swap(i, random.below(i + 1));
    }
    Character { name: name.into(), bodies, joints, end_effectors: Vec::new(), collide: Vec::new(), origin: None }
}

/// A body whose inertia is general, of revolution (about its centre of mass's direction or another), or a ball's.
fn body(random: &mut Random, name: &str) -> Body {
    let mass = random.between(0.3, 4.0);
    let center = random.vector(0.15);
    let size = mass * 0.01;
    let [a, b, c] = std::array::from_fn(|_| random.between(0.2, 1.0) * size);
    let inertia = match random.below(4) {
        0 => [a, a, a, 0.0, 0.0, 0.0],
        1 => revolution(center, a, b.min(1.9 * a)),
        2 => revolution(random.vector(1.0), a, b.min(1.9 * a)),
        _ => {
            // Moments b + c, a + c, a + b about turned axes: (a + b + c)·1 − Σ moment·axis axisᵀ.
            let [w, x, y, z] = random.quaternion(3.0);
            let axes = [
                [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
                [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
                [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
            ];
            let entry = |i: usize, k: usize| {
                let whole = if i == k { a + b + c } else { 0.0 };
                whole - [a, b, c].iter().zip(axes).map(|(m, axis)| m * axis[i] * axis[k]).sum::<f64>()
            };
            [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]
        }
    };
    Body { name: name.into(), mass, center_of_mass: Some(center), inertia: Some(inertia), shapes: Vec::new() }
}

/// Moment `along` about a direction and `across` about all at right angles to it.
fn revolution(direction: [f64; 3], across: f64, along: f64) -> [f64; 6] {
    let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [x, y, z] = direction.map(|d| d / length);
    let s = along - across;
    [across + s * x * x, across + s * y * y, across + s * z * z, s * x * y, s * x * z, s * y * z]
}

/// One random tree of `count` bodies; every third scene also has a second character, turned and moved, and a loose object.
pub fn scene(random: &mut Random, count: usize) -> Scene {
    let mut scene = Scene::floating(character(random, "first", count));
    scene.gravity = random.vector(10.0);
    if random.below(3) == 0 {
        let count = 1 + random.below(5);
        let character = character(random, "second", count);
        let heading = random.between(-3.0, 3.0);
        scene.characters.push(PlacedCharacter { character, offset: random.vector(2.0), heading });
        scene.objects.push(Object {
            name: "crate".into(),
            shape: ObjectShape::Box { half_extents: [0.1, 0.2, 0.3] },
            mass: 3.0,
            position: random.vector(2.0),
            orientation: random.quaternion(3.0),
        });
    }
    scene
}

/// Any position: angles within ±2.5 rad, quaternions up to `largest_turn`.
pub fn position(random: &mut Random, model: &Model, largest_turn: f64) -> Vec<f64> {
    let mut q = model.rest_position().to_vec();
    for joint in model.joints() {
        let i = joint.position_index;
        match joint.kind {
            JointKind::Free => {
                q[i..i + 3].copy_from_slice(&random.vector(2.0));
                q[i + 3..i + 7].copy_from_slice(&random.quaternion(3.0));
            }
            JointKind::Planar => q[i..i + 3].copy_from_slice(&random.vector(2.0)),
            JointKind::Ball => q[i..i + 4].copy_from_slice(&random.quaternion(largest_turn)),
            JointKind::Hinge => q[i] = random.between(-2.5, 2.5),
            JointKind::Fixed | JointKind::Weld => {}
        }
    }
    q
}

/// Velocities within ± `size`.
pub fn velocity(random: &mut Random, model: &Model, size: f64) -> Vec<f64> {
    (0..model.velocity_count()).map(|_| random.between(-size, size)).collect()
}
