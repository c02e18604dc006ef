//! Transfers the embedded human's jump to simulation, shows how far it is and prints the figures: `cargo run --release -p sinew --example transfer [FOLDER]`.

use sinew::modeler::ModelOptions;
use sinew::source::Source;
use sinew::transfer::{Event, Preset, Request, Task, transfer};
use sinew::work::RunOptions;
use std::ops::ControlFlow;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = Source::open("human".as_ref(), &[], &Default::default())?;
    let options = ModelOptions { name: source.name.clone(), ..ModelOptions::default() };
    let task = Task { clip: Some("jump".into()), options, ..Task::default() };
    // The settings of a preset, which may be changed: `request.config.iterations = 24`, for instance.
    let mut request = Request::new(task, Preset::Quick);
    request.out = std::env::args_os().nth(1).map(Into::into);

    // All cores; another thread may call `options.cancel.cancel()`, and `resumes: true` goes on from the checkpoint.
    let options = RunOptions::default();
    let mut observe = |event: Event<'_>| {
        match event {
            Event::Prepared(prepared) => eprintln!("{} bodies", prepared.modeling.project.character().bodies.len()),
            Event::Searching { progress, .. } => eprintln!("{}", progress.line()),
            _ => {}
        }
        ControlFlow::Continue(())
    };
    let Some(done) = transfer(source, &request, &options, &mut observe)? else { return Ok(()) };

    let summary = &done.finished.summary;
    println!("{}", if summary.completed { "it stays up" } else { "it falls" });
    println!("mean cost {:.3}, jerk ratio {:.2}", summary.cost_mean, summary.jerk_ratio);
    println!("trajectory {} in {}", summary.hash, done.out.display());
    Ok(())
}
