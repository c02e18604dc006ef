//! `sinew` without arguments: the embedded dinosaur is dropped, pushed and held.

use anyhow::{Context, Result};
use sinew::film;
use sinew::sim::{Batch, BatchOptions, Model, Scene, Status, embedded};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const DT: f64 = 0.002;
const DROP_METRES: f64 = 0.25;
/// Start and end of the push, s, and its force on the chest, N.
const PUSH: (f64, f64, [f64; 3]) = (1.2, 1.35, [0.0, 110.0, 0.0]);
/// Moments shown, s, and what happens there.
const MOMENTS: [(f64, &str); 8] = [
    (0.0, "dropped from 25 cm"),
    (0.2, "falling"),
    (0.26, "landing"),
    (0.8, "held by PD"),
    (1.3, "pushed with 110 N"),
    (1.6, "sways"),
    (2.0, "recovers"),
    (3.0, "stands"),
];

/// Runs the scene and writes `dinosaur.png` into `folder`.
pub fn run(folder: &Path) -> Result<()> {
    let character = embedded::dinosaur();
    let mass: f64 = character.bodies.iter().map(|b| b.mass).sum();
    println!("{}: {} bodies, {} joints, {mass:.0} kg", character.name, character.bodies.len(), character.joints.len());
    let model = Arc::new(Model::new(&Scene::on_ground(character), DT)?);
    let mut batch = Batch::new(&model, 1, BatchOptions::default())?;
    let mut start = model.rest_position().to_vec();
    start[2] += DROP_METRES;
    batch.world_mut(0).set_position(&start);

    let chest = model.body("spine2").context("the embedded dinosaur has a chest")?;
    let began = Instant::now();
    let mut frames = Vec::new();
    let mut step = 0;
    for (time, what) in MOMENTS {
        let until = (time / DT).round() as usize;
        while step < until {
            step += 1;
            let now = step as f64 * DT;
            let mut world = batch.world_mut(0);
            world.clear_forces();
            if now >= PUSH.0 && now < PUSH.1 {
                let at = world.as_world().measure().bodies[chest].center_of_mass;
                world.add_force(chest, PUSH.2, at);
            }
            batch.step(1);
        }
        let world = batch.world(0);
        let mut frame = film::frame(&model, &world, format!("{time:.2} s  {what}"));
        if time >= PUSH.0 && time < PUSH.1 {
            let at = world.measure().bodies[chest].center_of_mass;
            let from = std::array::from_fn(|i| at[i] - 0.004 * PUSH.2[i]);
            frame.arrows.push(film::arrow(from, PUSH.2.map(|f| 4.0 * f), film::PUSH));
        }
        frames.push(frame);
    }
    let simulated = began.elapsed();
    let world = batch.world(0);
    if let Status::Diverged { step, joint } = world.status() {
        anyhow::bail!("the simulation left all reason at step {step} in joint {joint}");
    }
    let end = world.measure();
    let force: f64 = world.contacts().iter().map(|c| c.force[2]).sum();
    println!(
        "{:.1} s in {:.1} ms: dropped, pushed and held; at the end the hips are at {:.3} m and the ground carries {force:.0} N",
        world.time(),
        simulated.as_secs_f64() * 1e3,
        end.bodies[0].position[2],
    );
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let path = folder.join("dinosaur.png");
    let title = "The embedded dinosaur, simulated: dropped, pushed, held";
    film::strip(&model, title.into(), frames).render()?.save_png(&path)?;
    println!("film strip: {}", path.display());
    println!("next: sinew model HERO.glb (or dinosaur, human, quadruped) --film hero.png, sinew --help");
    Ok(())
}
