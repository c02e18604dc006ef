//! `sinew pareto jump`: a front of jumps from effortless to supernatural.

use super::show;
use crate::bar::{Bar, Interrupted, stopped_by_interrupt};
use crate::settings::{ConfigArgs, one_of};
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use serde_json::json;
use sinew::pareto::{
    Budget, Event, Finished, Method, Request, SearchConfig, compared, find, search, searches, write_figures,
};
use sinew::transfer::OutputFolder;
use sinew::work::{Progress, RunOptions};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

/// What there are fronts of.
#[derive(Subcommand)]
pub enum Pareto {
    /// Finds jumps from a hop to beyond what a human can, each with the least effort for its height
    ///
    /// Writes front.html, front.svg, jumps.png, front.csv, front.json, samples.csv and controllers/NN.toml. Example: sinew pareto jump --out jumps; sinew jump --height 1.9 --front jumps
    Jump(ParetoJump),
    /// Compares the searches: with resampling and without, binned, with a linear price; writes the paper's figures and tables from them
    ///
    /// Writes figures.html, figure-6.svg to figure-8d.svg, figure-9.png, table-2.csv, table-3.csv and searches.csv. Example: sinew pareto figures --seeds 5
    Figures(ParetoFigures),
}

#[derive(Args)]
pub struct ParetoFigures {
    /// How long to search
    #[arg(long, value_name = "BUDGET", value_parser = one_of::<Budget>(), default_value_t)]
    budget: Budget,
    /// Generations instead of the budget's
    #[arg(long, value_name = "N", hide = true)]
    generations: Option<u64>,
    /// First seed of the searches, the one that is drawn
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many seeds to compare the searches over, from the first on
    #[arg(long, value_name = "N", default_value_t = 1)]
    seeds: u64,
    /// Threads; 0 for one on each core; the result is the same for every number
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Folder of the results
    #[arg(long, value_name = "DIR", default_value = "sinew-out/jump-figures")]
    out: PathBuf,
}

/// Most seeds of a comparison.
const MOST_SEEDS: u64 = 1000;

impl ParetoFigures {
    fn config(&self, method: Method, seed: u64) -> SearchConfig {
        let mut config = self.budget.config(method);
        config.seed = seed;
        if let Some(generations) = self.generations {
            (config.generations, config.most_generations) = (generations, generations);
        }
        config
    }

    fn run(&self) -> Result<()> {
        if !(1..=MOST_SEEDS).contains(&self.seeds) || self.seed.checked_add(self.seeds).is_none() {
            bail!("--seeds {}: give how many seeds to compare over, from 1 to {MOST_SEEDS}", self.seeds);
        }
        let mut folder = OutputFolder::make(&self.out)?;
        let mut bar = Bar::new("searching")?;
        let options = RunOptions { threads: self.threads, cancel: stopped_by_interrupt(), ..RunOptions::default() };
        let (mut drawn, mut rows) = (None, Vec::new());
        for seed in self.seed..self.seed + self.seeds {
            let (found, wall_secs) = self.searched(seed, &options, &mut bar)?;
            rows.extend(compared(&found, wall_secs));
            drawn.get_or_insert(found);
        }
        folder.keep();
        bar.doing("writing");
        let drawn = drawn.context("at least one seed was asked for")?;
        write_figures(&folder, &drawn, &rows)?;
        bar.finish();
        let mut text = String::new();
        for row in &rows {
            let until = match row.tried_until_binned {
                Some(count) => format!("as good as BSOO after {count}"),
                None => "never as good as BSOO".to_owned(),
            };
            text += &format!(
                "{:24} seed {}: hypervolume {:.3} after {} jumps in {:.0} s, {until}; highest natural {:.2} m, highest {:.2} m\n",
                row.search, row.seed, row.hypervolume, row.tried, row.wall_secs, row.heights[0], row.heights[1]
            );
        }
        show(&format!("{text}figures: {}\n", self.out.join("figures.html").display()))
    }

    /// The four searches of a seed, and how long each took.
    fn searched(&self, seed: u64, options: &RunOptions, bar: &mut Bar) -> Result<([Finished; 4], [f64; 4])> {
        let (mut found, mut wall_secs) = (Vec::new(), [0.0; 4]);
        for (index, config) in searches(&|method| self.config(method, seed)).iter().enumerate() {
            config.check()?;
            bar.restart();
            let began = Instant::now();
            let name = format!("search {} of {}", 4 * (seed - self.seed) + index as u64 + 1, 4 * self.seeds);
            let one = find(config, options, &mut |started, progress| {
                let doing = format!("{name}, {}", progress.doing);
                bar.show(started, &Progress { doing, ..progress.clone() });
                ControlFlow::Continue(())
            })?;
            found.push(one.context("stopped before the end; comparisons cannot be resumed")?);
            wall_secs[index] = began.elapsed().as_secs_f64();
        }
        Ok((found.try_into().ok().context("four searches were asked for")?, wall_secs))
    }
}

/// Options of `sinew pareto jump`.
#[derive(Args)]
pub struct ParetoJump {
    /// Algorithm: `rmoo` (the default) is multi-objective with resampling, `bsoo` one search for each of several heights
    #[arg(long, value_name = "METHOD", value_parser = one_of::<Method>())]
    method: Option<Method>,
    /// Jumps of the front; by default 16
    #[arg(long, value_name = "N")]
    points: Option<usize>,
    /// How long to search: `paper` as Agrawal & van de Panne 2013
    #[arg(long, value_name = "BUDGET", value_parser = one_of::<Budget>(), default_value_t)]
    budget: Budget,
    #[command(flatten)]
    settings: ConfigArgs,
    /// Objectives: 2 (the default) are effort and height of jumps in place, 3 also the distance of the landing
    #[arg(long, value_name = "2|3")]
    objectives: Option<usize>,
    /// Generations, instead of the budget's (of each bin at most, with bsoo)
    #[arg(long, value_name = "N")]
    generations: Option<u64>,
    /// Starts from the jump that `sinew transfer` has written into this folder
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// Lets failed children count, without sampling them again
    #[arg(long)]
    no_resampling: bool,
    /// Takes the sum of efforts as it is, without the logarithm
    #[arg(long)]
    linear: bool,
    /// Seed of the search; by default 0
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Threads; 0 for one on each core; the result is the same for every number
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Folder of the results
    #[arg(long, value_name = "DIR", default_value = "sinew-out/jumps")]
    out: PathBuf,
    /// Goes on from the checkpoint that an interrupted run left in the folder
    #[arg(long)]
    resume: bool,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Pareto {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        match self {
            Pareto::Jump(jump) => jump.run(),
            Pareto::Figures(figures) => figures.run(),
        }
    }
}

impl ParetoJump {
    /// The budget's settings, then the file's, then the flags'.
    fn config(&self) -> Result<SearchConfig> {
        let budget = self.budget.config(self.method.unwrap_or(Method::Rmoo));
        let mut config = self.settings.on_top_of(budget)?;
        config.method = self.method.unwrap_or(config.method);
        config.points = self.points.unwrap_or(config.points);
        config.objective_count = self.objectives.unwrap_or(config.objective_count);
        config.seed = self.seed.unwrap_or(config.seed);
        config.objectives.is_linear |= self.linear;
        if self.no_resampling {
            config.allowed_failures = None;
        }
        if let Some(generations) = self.generations {
            (config.generations, config.most_generations) = (generations, generations);
        }
        Ok(config)
    }

    fn run(&self) -> Result<()> {
        let config = self.config()?;
        if self.settings.print(&config, &format!("Settings of sinew pareto jump, budget {}.", self.budget))? {
            return Ok(());
        }
        let request = Request { config, from: self.from.clone(), out: self.out.clone() };
        let options = RunOptions {
            threads: self.threads,
            resumes: self.resume,
            cancel: stopped_by_interrupt(),
            ..RunOptions::default()
        };
        let mut bar = Bar::new("making the first jump")?;
        let began = Instant::now();
        let finished = search(&request, &options, &mut |event| {
            match event {
                Event::Seed(made) => bar.say(&made.sentence()),
                Event::Searching { started, progress } => bar.show(started, progress),
                Event::Writing => bar.doing("writing"),
            }
            ControlFlow::Continue(())
        })?;
        bar.finish();
        let (finished, wall_secs) = (finished.ok_or(Interrupted)?, began.elapsed().as_secs_f64());
        match self.json {
            true => show(&(serde_json::to_string_pretty(&summary(&finished, wall_secs, &self.out))? + "\n")),
            false => show(&text(&finished, wall_secs, &self.out)),
        }
    }
}

fn summary(finished: &Finished, wall_secs: f64, out: &std::path::Path) -> serde_json::Value {
    let front = &finished.front;
    json!({
        "method": front.method,
        "points": front.points.len(),
        "natural": front.points.iter().filter(|point| point.is_natural()).count(),
        "lowest": front.points.first().map(|point| point.height),
        "highest_natural": front.highest_natural(),
        "highest": front.points.last().map(|point| point.height),
        "hypervolume": front.hypervolume,
        "evaluations": front.evaluations,
        "failed": finished.samples.iter().filter(|sample| sample.failed).count(),
        "seed": front.seed,
        "wall_secs": wall_secs,
        "hash": finished.hash(),
        "out": out.display().to_string(),
    })
}

fn text(finished: &Finished, wall_secs: f64, out: &std::path::Path) -> String {
    let front = &finished.front;
    let mut text = String::from("  point  head reaches  log effort  gravity at take-off  grown back after  lands at\n");
    for (index, point) in front.points.iter().enumerate() {
        let help = match point.is_natural() {
            true => format!("{:>20}  {:>16}", "natural", "-"),
            false => format!("{:>15.2} m/s²  {:>14.2} s", point.take_off_gravity, point.assist_secs),
        };
        text +=
            &format!("  {index:5}  {:10.3} m  {:10.3} {help}  {:6.2} m\n", point.height, point.price(), point.landing);
    }
    text += &format!(
        "hypervolume {:.4} after {} jumps in {wall_secs:.1} s; hash {}\npage:        {}\npictures:    {}, {}\nfront:       {}, {}\ncontrollers: {}\none of them: sinew jump --height 1.9 --front {}\n",
        front.hypervolume,
        front.evaluations,
        finished.hash(),
        out.join("front.html").display(),
        out.join("front.svg").display(),
        out.join("jumps.png").display(),
        out.join("front.csv").display(),
        out.join("front.json").display(),
        out.join("controllers").display(),
        out.display(),
    );
    text
}
