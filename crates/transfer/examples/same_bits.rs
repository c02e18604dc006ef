//! Prints hashes of simulations and of whole transfers, which are the same on every CPU: `scripts/check_aarch64.sh` compares two.

use sinew_sim::fnv::fnv1a;
use sinew_sim::{Batch, BatchOptions, Character, Isa, JointKind, Model, Scene, embedded};
use sinew_transfer::config::Polish;
use sinew_transfer::{ClipInput, Config, Target, Transfer};
use std::error::Error;
use std::sync::Arc;

const STEPS: usize = 250;
/// Steps between new PD targets.
const INTERVAL: usize = 25;
/// Frames of the motion, 30 a second.
const FRAMES: usize = 11;

fn main() -> Result<(), Box<dyn Error>> {
    eprintln!("{} on {}", Isa::detect().name(), std::env::consts::ARCH);
    for character in [embedded::dinosaur(), embedded::humanoid()] {
        let name = character.name.clone();
        let hashes: Vec<u64> =
            Isa::same_bits().into_iter().map(|isa| simulated(&character, isa)).collect::<Result<_, _>>()?;
        if hashes.iter().any(|hash| *hash != hashes[0]) {
            return Err(format!("{name}: instruction sets of this CPU differ: {hashes:x?}").into());
        }
        println!("simulate {name} {:016x}", hashes[0]);
    }
    let (hash, steps) = transferred(embedded::dinosaur())?;
    println!("transfer dinosaur {hash:016x}, {steps} steps");
    Ok(())
}

/// Poses and velocities of four worlds whose targets swing, each world's otherwise.
fn simulated(character: &Character, isa: Isa) -> Result<u64, Box<dyn Error>> {
    let model = Arc::new(Model::new(&Scene::on_ground(character.clone()), 0.002)?);
    let mut batch = Batch::new(&model, 4, BatchOptions { isa: Some(isa), threads: 1 })?;
    for knot in 0..STEPS / INTERVAL {
        for world in 0..batch.len() {
            let mut target = model.rest_position().to_vec();
            for (index, joint) in model.joints().iter().enumerate() {
                let angle = 0.4 * libm::sin((7 * index + 3 * knot + world) as f64);
                let at = joint.position_index;
                match joint.kind {
                    JointKind::Hinge => target[at] += angle,
                    JointKind::Ball => (target[at], target[at + 1]) = (libm::cos(angle / 2.0), libm::sin(angle / 2.0)),
                    _ => {}
                }
            }
            batch.world_mut(world).ramp_target(&target, INTERVAL);
        }
        batch.step(INTERVAL);
    }
    let state = |world| [batch.world(world).position(), batch.world(world).velocity()].concat();
    Ok(fnv1a((0..batch.len()).flat_map(state).flat_map(f64::to_le_bytes)))
}

/// The checkpoint of a small search and polish of a squat: every number that they worked with.
fn transferred(character: Character) -> Result<(u64, u64), Box<dyn Error>> {
    let polish = Config::quick().polish.map(|polish| Polish { iterations: 1, ..polish });
    let config = Config { starts: 2, samples: 4, population: 8, iterations: 2, polish, ..Config::quick() };
    let model = Arc::new(Model::new(&Scene::on_ground(character), config.dt)?);
    let rest = model.rest_position();
    let mut positions = Vec::new();
    for frame in 0..FRAMES {
        let wave = 0.5 * (1.0 - libm::cos(frame as f64 / (FRAMES - 1) as f64 * std::f64::consts::TAU));
        let mut change = vec![0.0; model.velocity_count()];
        change[6..].iter_mut().enumerate().for_each(|(i, x)| *x = 0.2 * wave * libm::sin(i as f64));
        let mut row = rest.to_vec();
        model.displace(rest, &change, 1.0, &mut row);
        positions.extend(row);
    }
    let target = Target::new(&model, &ClipInput { name: "squat", rate_hz: 30.0, positions: &positions })?;
    let mut transfer = Transfer::new(&target, &config, 0)?;
    while !transfer.is_done() {
        transfer.advance(&target)?;
    }
    let bytes = postcard::to_stdvec(&transfer)?;
    Ok((fnv1a(bytes), transfer.steps()))
}
