//! Writes a small package for tests within a second: the embedded human's walk and jump as they are drawn, under a policy that has learnt nothing.
//! It falls often: `cargo run -p sinew --example toy_package FOLDER`. With a name, as in `FOLDER human`, it is the package that comes with the program.

use sinew::learn::{self, SET};
use sinew::learning::{DataConfig, MatchingConfig, MotionSet, SavedGenerator};
use sinew::playing::Package;
use sinew::tracking::{TrackedBody, TrackerConfig, TrainedPolicy, time_step};
use sinew::work::RunOptions;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

/// Frames a second of packages.
const RATE_HZ: f64 = 30.0;
/// Who boxes stays where he is, as one who is told to stand does.
const LABELS: &str = "[[clip]]\nfile = 'human'\nclip = 'walk'\naction = 'MoveTo'\n\
    [[clip]]\nfile = 'human'\nclip = 'punch'\naction = 'MoveTo'\n\
    [[clip]]\nfile = 'human'\nclip = 'jump'\naction = 'Jump'\nfrom = 0.25\nto = 2.5\n";

#[allow(dead_code, reason = "tests take the file as a module")]
fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name the folder of the package")?;
    if let Some(name) = std::env::args_os().nth(2) {
        std::fs::create_dir_all(&folder)?;
        return Ok(sinew::play::open(name.as_ref())?.write(folder.as_ref())?);
    }
    write(folder.as_ref(), 5)
}

/// Writes the package into a folder; `seed` decides the policy's numbers.
///
/// # Errors
/// Where it cannot be made or written.
pub fn write(folder: &Path, seed: u64) -> Result<(), Box<dyn Error>> {
    let work = folder.join("work");
    std::fs::create_dir_all(&work)?;
    let labels = work.join(learn::LABELS);
    std::fs::write(&labels, LABELS)?;
    let request = learn::Request {
        input: "human".into(),
        character: None,
        labels: Some(labels),
        config: DataConfig { minutes: 2.0, ..DataConfig::default() },
        seed: 1,
        pictures: false,
        out: work.join("set"),
    };
    let made = learn::make(&request, &RunOptions::default(), &mut |_| ControlFlow::Continue(()))?;
    let hero = made.ok_or("nobody stopped it")?.prepared.hero;
    let set = Box::new(MotionSet::read(&work.join("set").join(SET))?);
    let config = TrackerConfig { policy_layers: vec![32], ..TrackerConfig::default() };
    let body = TrackedBody::new(&hero.character, 0.0, time_step(&config, RATE_HZ))?;
    let policy = TrainedPolicy::untrained(&body, &config, RATE_HZ, seed);
    let generator = SavedGenerator::Matching { config: MatchingConfig::default(), set };
    let mut package = Package::new("toy", hero.character, generator, policy);
    let rig = sinew::assets::find("human").ok_or("the human is embedded")?;
    package.rig = Some(("rig.glb".into(), rig.to_vec()));
    package.write(folder)?;
    std::fs::remove_dir_all(work)?;
    Ok(())
}
