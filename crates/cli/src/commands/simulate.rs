//! `sinew simulate`: a character held or perturbed by PD, written for NumPy, MuJoCo and the eye.

use super::write;
use anyhow::{Result, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use sinew::film;
use sinew::modeler::ModelOptions;
use sinew::modeling::Modeling;
use sinew::motion::ImportOptions;
use sinew::random::Stream;
use sinew::sim::mjcf::{MjcfOptions, to_mjcf};
use sinew::sim::{Batch, BatchOptions, Character, Isa, JointKind, Model, Scene, Status, embedded};
use sinew::source::Source;
use sinew::trajectory::Trajectory;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Seconds between new random targets; linear in between.
const NOISE_INTERVAL_SECS: f64 = 0.1;
const MAX_STEPS: usize = 20_000_000;
const FILM_FRAMES: usize = 8;

/// Options of `sinew simulate`.
#[derive(Args)]
pub struct Simulate {
    /// Character file; or `dinosaur`, `humanoid`, `human` or `quadruped` for an embedded one
    #[arg(value_name = "CHARACTER.toml")]
    character: PathBuf,
    /// Simulated time, seconds
    #[arg(long, default_value_t = 2.0, value_name = "S", allow_negative_numbers = true)]
    duration: f64,
    /// Time step, seconds (0.0005 to 1/240 are usual)
    #[arg(long, default_value_t = 0.002, value_name = "S", allow_negative_numbers = true)]
    dt: f64,
    /// Seed of the perturbation
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Perturbs every PD target by up to this angle, radians; 0 holds the rest pose
    #[arg(long, default_value_t = 0.0, value_name = "RAD", allow_negative_numbers = true)]
    noise: f64,
    /// Gravity only: no ground
    #[arg(long)]
    no_ground: bool,
    /// Writes time, qpos, qvel, ctrl and torque as NumPy arrays in MuJoCo's convention
    #[arg(long, value_name = "t.npz")]
    out: Option<PathBuf>,
    /// Writes the scene for MuJoCo
    #[arg(long, value_name = "m.xml")]
    mjcf: Option<PathBuf>,
    /// Draws moments of the run side by side
    #[arg(long, value_name = "strip.png")]
    film: Option<PathBuf>,
    /// Steps in f64, one world at a time: the reference
    #[arg(long)]
    f64: bool,
}

impl Simulate {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let steps = self.steps()?;
        let character = load(&self.character)?;
        let name = character.name.clone();
        let scene = if self.no_ground { Scene::floating(character) } else { Scene::on_ground(character) };
        let model = Arc::new(Model::new(&scene, self.dt)?);
        let isa = self.f64.then_some(Isa::Reference64);
        let mut batch = Batch::new(&model, 1, BatchOptions { isa, threads: 1 })?;

        let interval = ((NOISE_INTERVAL_SECS / self.dt).round() as usize).max(1);
        let mut trajectory = Trajectory::default();
        trajectory.push(&model, &batch.world(0));
        let mut frames = Vec::new();
        // Drawn on a terminal only, and gone when done.
        let bar = ProgressBar::new(steps as u64);
        bar.set_style(ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {eta} left")?);
        for step in 0..=steps {
            if step % 1024 == 0 {
                bar.set_position(step as u64);
            }
            if self.film.is_some() && is_film_frame(step, steps) {
                let caption = format!("{:.2} s", step as f64 * self.dt);
                frames.push(film::frame(&model, &batch.world(0), caption));
            }
            if step == steps || matches!(batch.world(0).status(), Status::Diverged { .. }) {
                break;
            }
            if self.noise > 0.0 && step % interval == 0 {
                let target = self.noisy_target(&model, (step / interval) as u64);
                batch.world_mut(0).ramp_target(&target, interval);
            }
            batch.step(1);
            trajectory.push(&model, &batch.world(0));
        }

        bar.finish_and_clear();
        let world = batch.world(0);
        if let Some(path) = &self.out {
            write(path, &trajectory.to_npz(&model, &name)?, false)?;
        }
        if let Some(path) = &self.mjcf {
            write(path, to_mjcf(&scene, &MjcfOptions { dt: self.dt }).as_bytes(), false)?;
        }
        if let Some(path) = &self.film {
            let title = format!("{name}: {:.2} s, dt {} s, noise {} rad", world.time(), self.dt, self.noise);
            film::strip(&model, title, frames).render()?.save_png(path)?;
            println!("wrote {}", path.display());
        }
        let measured = world.measure();
        println!(
            "{name}: {:.3} s in {} steps; centre of mass at {:.4} m, energy {:.3} J, {} contacts",
            world.time(),
            world.steps(),
            measured.center_of_mass[2],
            measured.energy(),
            world.contacts().len()
        );
        if let Status::Diverged { step, joint } = world.status() {
            bail!(
                "the simulation diverged at step {step} in joint {joint}; use a smaller --dt, or gains and masses less far apart"
            );
        }
        Ok(())
    }

    fn steps(&self) -> Result<usize> {
        if !(self.duration.is_finite() && self.duration > 0.0) {
            bail!("--duration is {} s, but must be greater than 0", self.duration);
        }
        if !(self.noise.is_finite() && (0.0..=std::f64::consts::PI).contains(&self.noise)) {
            bail!("--noise is {} rad, but must lie between 0 and 3.14", self.noise);
        }
        // The model says what is wrong with a step of another size.
        let steps = self.duration / self.dt.max(1e-5);
        if steps.round() > MAX_STEPS as f64 {
            bail!("--duration {} at --dt {} is {steps:.0} steps; at most {MAX_STEPS} are kept", self.duration, self.dt);
        }
        Ok((steps.round() as usize).max(1))
    }

    /// Rest pose with each joint turned by up to the noise; ball joints about a random axis.
    fn noisy_target(&self, model: &Model, index: u64) -> Vec<f64> {
        let mut stream = Stream::new(self.seed, "simulate target", index);
        let mut target = model.rest_position().to_vec();
        for joint in model.joints() {
            let q = joint.position_index;
            match joint.kind {
                JointKind::Hinge => {
                    let angle = stream.uniform(-self.noise, self.noise);
                    let [low, high] = joint.limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
                    target[q] = (target[q] + angle).clamp(low, high);
                }
                JointKind::Ball => {
                    let half = [(); 3].map(|()| 0.5 * stream.uniform(-self.noise, self.noise) / 3f64.sqrt());
                    let angle = half.iter().map(|x| x * x).sum::<f64>().sqrt();
                    let ratio = if angle > 0.0 { angle.sin() / angle } else { 1.0 };
                    target[q] = angle.cos();
                    (0..3).for_each(|k| target[q + 1 + k] = ratio * half[k]);
                }
                _ => {}
            }
        }
        target
    }
}

/// Whether a step is one of the evenly spread moments of the film.
fn is_film_frame(step: usize, steps: usize) -> bool {
    (0..FILM_FRAMES).any(|k| step == k * steps / (FILM_FRAMES - 1))
}

fn load(path: &Path) -> Result<Character> {
    match path.to_str() {
        Some("dinosaur") if !path.exists() => Ok(embedded::dinosaur()),
        Some("humanoid") if !path.exists() => Ok(embedded::humanoid()),
        // The other embedded rigs are modelled on the way.
        Some(name) if !path.exists() && sinew::assets::find(name).is_some() => {
            let options = ModelOptions { name: name.into(), ..ModelOptions::default() };
            let source = Source::open(path, &[], &ImportOptions::default())?;
            Ok(Modeling::new(&source, &[], &options)?.project.character().clone())
        }
        _ => Ok(Character::read(path)?),
    }
}
