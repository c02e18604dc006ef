//! Scenes, scripted actors and hashes for the tests of determinism, rollouts and divergence.

use sinew_sim::{
    Batch, BatchOptions, Ground, Isa, JointKind, Model, Object, ObjectShape, PlacedCharacter, Scene, StaticBox,
    Surface, World, embedded,
};
use std::sync::Arc;

/// Steps between new targets.
pub const CHUNK: usize = 10;

/// The instruction sets of this CPU that must agree bit by bit.
pub fn isas() -> Vec<Isa> {
    Isa::same_bits()
}

pub fn batch(model: &Arc<Model>, worlds: usize, isa: Isa, threads: usize) -> Batch {
    Batch::new(model, worlds, BatchOptions { isa: Some(isa), threads }).expect("an available instruction set")
}

/// Numbers that follow from a seed alone (Steele, Lea & Flood 2014, SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// In `low .. high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }
    pub fn chance(&mut self, share: f64) -> bool {
        self.between(0.0, 1.0) < share
    }
    pub fn vector(&mut self, size: f64) -> [f64; 3] {
        std::array::from_fn(|_| self.between(-size, size))
    }
    /// A turn by up to `angle` about any axis.
    pub fn turn(&mut self, angle: f64) -> [f64; 4] {
        let axis = self.vector(1.0);
        let n = axis.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-3);
        let half = self.between(-angle, angle) / 2.0;
        let s = half.sin() / n;
        let q = [half.cos(), axis[0] * s, axis[1] * s, axis[2] * s];
        let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        q.map(|x| x / n)
    }
}

/// A dinosaur and a humanoid on the ground, a crowd of everything that collides, and a dinosaur in the plane.
pub fn models() -> Vec<(&'static str, Arc<Model>)> {
    let compile = |scene: &Scene, dt| Arc::new(Model::new(scene, dt).expect("a valid scene"));
    vec![
        ("dinosaur", compile(&Scene::on_ground(embedded::dinosaur()), 0.002)),
        ("humanoid", compile(&Scene::on_ground(embedded::humanoid()), 1.0 / 600.0)),
        ("crowd", compile(&crowd(), 0.002)),
        ("planar", compile(&planar(), 0.002)),
    ]
}

/// Two characters, a ball, a crate and static boxes, all of which touch at the start or soon after, and bounce.
pub fn crowd() -> Scene {
    let place = |character, offset, heading| PlacedCharacter { character, offset, heading };
    let object = |name: &str, shape, mass, position| Object {
        name: name.into(),
        shape,
        mass,
        position,
        orientation: [1.0, 0.0, 0.0, 0.0],
    };
    let fixed = |name: &str, center, half_extents, turn: f64| StaticBox {
        name: name.into(),
        center,
        half_extents,
        orientation: [(turn / 2.0).cos(), 0.0, (turn / 2.0).sin(), 0.0],
        surface: Surface { friction: 0.6, restitution: 0.5 },
    };
    let pair = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
    Scene {
        ground: Some(Ground { height: 0.0, surface: Surface { friction: 0.7, restitution: 0.4 } }),
        boxes: vec![
            fixed("step", [0.25, 0.1, 0.0], [0.3, 0.3, 0.04], 0.0),
            fixed("ramp", [-0.5, 0.0, 0.1], [0.4, 1.0, 0.1], 0.3),
        ],
        characters: vec![
            place(embedded::dinosaur(), [0.0; 3], 0.0),
            place(embedded::humanoid(), [0.35, 0.1, 0.05], 2.0),
        ],
        objects: vec![
            object("ball", ObjectShape::Ball { radius: 0.12 }, 0.5, [0.3, 0.0, 1.0]),
            object("crate", ObjectShape::Box { half_extents: [0.15, 0.1, 0.2] }, 8.0, [-0.3, 0.1, 0.7]),
        ],
        collide: vec![
            pair("ball", "dinosaur"),
            pair("ball", "humanoid"),
            pair("ball", "crate"),
            pair("crate", "dinosaur"),
        ],
        between_bodies: Surface { friction: 0.5, restitution: 0.6 },
        ..Scene::default()
    }
}

fn planar() -> Scene {
    let mut character = embedded::dinosaur();
    let root = character.joints.iter_mut().find(|j| j.kind == JointKind::Free).expect("a free root");
    root.kind = JointKind::Planar;
    Scene::on_ground(character)
}

/// PD targets of an actor for a stretch of time.
pub fn target(model: &Model, seed: u64, stretch: usize) -> Vec<f64> {
    let mut random = Random(seed * 1000 + stretch as u64);
    let mut target = model.rest_position().to_vec();
    for joint in model.joints() {
        let q = joint.position_index;
        match joint.kind {
            JointKind::Hinge => target[q] = random.between(-0.8, 0.8),
            JointKind::Ball => target[q..q + 4].copy_from_slice(&random.turn(0.8)),
            _ => {}
        }
    }
    target
}

/// Gives a world its actor's start.
pub fn begin(batch: &mut Batch, world: usize, seed: u64) {
    let model = batch.model().clone();
    let mut random = Random(seed ^ 0xabcd);
    let velocity: Vec<f64> = (0..model.velocity_count()).map(|_| random.between(-0.5, 0.5)).collect();
    let mut world = batch.world_mut(world);
    world.set_velocity(&velocity);
    world.set_target(&target(&model, seed, 0));
    world.set_gain(random.between(0.5, 1.5));
}

/// Gives a world what its actor does in the coming stretch: new targets, and in the second a push.
pub fn act(batch: &mut Batch, world: usize, seed: u64, stretch: usize) {
    let model = batch.model().clone();
    let mut world = batch.world_mut(world);
    world.ramp_target(&target(&model, seed, stretch + 1), CHUNK);
    match stretch {
        1 => {
            let mut random = Random(seed ^ 0x1234);
            let body = random.below(model.bodies().len());
            let at = world.as_world().measure().bodies[body].center_of_mass;
            world.add_force(body, random.vector(300.0), at);
        }
        2 => world.clear_forces(),
        _ => {}
    }
}

/// World `w` is the actor `seeds[w]`, for some stretches from the start.
pub fn play(batch: &mut Batch, seeds: &[u64], stretches: usize) {
    for (world, &seed) in seeds.iter().enumerate() {
        begin(batch, world, seed);
    }
    for stretch in 0..stretches {
        for (world, &seed) in seeds.iter().enumerate() {
            act(batch, world, seed, stretch);
        }
        batch.step(CHUNK);
    }
}

/// The bits of `qpos` and `qvel`.
pub fn state(world: World<'_>) -> Vec<u32> {
    world.position().iter().chain(&world.velocity()).map(|&x| (x as f32).to_bits()).collect()
}

pub fn states(batch: &Batch) -> Vec<Vec<u32>> {
    (0..batch.len()).map(|w| state(batch.world(w))).collect()
}

/// The hash of the bytes of all words.
pub fn fnv1a<'a>(words: impl IntoIterator<Item = &'a u32>) -> u64 {
    sinew_sim::fnv::fnv1a(words.into_iter().flat_map(|w| w.to_le_bytes()))
}
