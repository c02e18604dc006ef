//! `sinew pareto jump`: a front of jumps from effortless to supernatural.

use super::show;
use crate::settings::{ConfigArgs, one_of};
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use sinew::pareto::{
    Budget, CHECKPOINT, Controller, Finished, Method, Search, SearchConfig, compared, find, run, searches, seed_from,
    write, write_figures,
};
use sinew::transfer::{OutputFolder, RunOptions, Started};
use std::path::PathBuf;
use std::time::{Duration, Instant};

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
        let bar = progress_bar()?;
        let (mut drawn, mut rows) = (None, Vec::new());
        for seed in self.seed..self.seed + self.seeds {
            let (found, wall_secs) = self.searched(seed, &bar)?;
            rows.extend(compared(&found, wall_secs));
            drawn.get_or_insert(found);
        }
        folder.keep();
        bar.set_message("writing");
        let drawn = drawn.context("at least one seed was asked for")?;
        write_figures(&folder, &drawn, &rows)?;
        bar.finish_and_clear();
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
    fn searched(&self, seed: u64, bar: &ProgressBar) -> Result<([Finished; 4], [f64; 4])> {
        let (mut found, mut wall_secs) = (Vec::new(), [0.0; 4]);
        for (index, config) in searches(&|method| self.config(method, seed)).iter().enumerate() {
            config.check()?;
            bar.reset();
            let began = Instant::now();
            let name = format!("search {} of {}", 4 * (seed - self.seed) + index as u64 + 1, 4 * self.seeds);
            found.push(find(config, self.threads, &mut |search| {
                let (done, total) = search.progress();
                bar.set_length(total);
                bar.set_position(done);
                bar.set_message(format!("{name}, hypervolume {:.3}", search.hypervolume()));
            })?);
            wall_secs[index] = began.elapsed().as_secs_f64();
        }
        Ok((found.try_into().ok().context("four searches were asked for")?, wall_secs))
    }
}

fn progress_bar() -> Result<ProgressBar> {
    let bar = ProgressBar::new(1);
    bar.set_style(ProgressStyle::with_template("{bar:30} generation {pos}/{len}, {msg}, {eta} left")?);
    bar.enable_steady_tick(Duration::from_millis(250));
    Ok(bar)
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
        config.check()?;
        let evaluator = Search::evaluator(&config);
        let mut folder = OutputFolder::make(&self.out)?;
        let seed = match &self.from {
            None => Controller::seed(),
            Some(from) => {
                let made = seed_from(from, &evaluator, config.seed, self.threads)?;
                eprintln!("{}", made.sentence());
                made.controller
            }
        };
        let options = RunOptions {
            seed: config.seed,
            threads: self.threads,
            checkpoint: Some(self.out.join(CHECKPOINT)),
            resumes: self.resume,
        };
        let began = Instant::now();
        let bar = progress_bar()?;
        let mut is_told = false;
        let search = run(&evaluator, &config, &seed, &options, &mut |started, search| {
            let (done, total) = search.progress();
            bar.set_length(total);
            bar.set_position(done);
            if !is_told {
                tell_start(&bar, started);
                bar.reset_eta();
                is_told = true;
            }
            bar.set_message(format!("hypervolume {:.3}, {} jumps tried", search.hypervolume(), search.evaluations()));
        })?;
        // From here on there is something worth keeping.
        folder.keep();
        bar.set_message("writing");
        let wall_secs = began.elapsed().as_secs_f64();
        let finished = Finished::new(&search, evaluator)?;
        write(&folder, &finished)?;
        // Nobody needs it any more; where it cannot be removed, the next run overwrites it.
        let _ = std::fs::remove_file(self.out.join(CHECKPOINT));
        bar.finish_and_clear();
        match self.json {
            true => show(&(serde_json::to_string_pretty(&summary(&finished, wall_secs, &self.out))? + "\n")),
            false => show(&text(&finished, wall_secs, &self.out)),
        }
    }
}

fn tell_start(bar: &ProgressBar, started: Started) {
    match started {
        Started::Anew => {}
        Started::WithoutCheckpoint => bar.suspend(|| eprintln!("there is no checkpoint to go on from; starting anew")),
        Started::After(done) => bar.suspend(|| eprintln!("going on after generation {done}")),
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
    let mut text = String::from("  point  head reaches   effort  gravity at take-off  grown back after  lands at\n");
    for (index, point) in front.points.iter().enumerate() {
        let help = match point.is_natural() {
            true => format!("{:>20}  {:>16}", "natural", "-"),
            false => format!("{:>15.2} m/s²  {:>14.2} s", point.take_off_gravity, point.assist_secs),
        };
        text +=
            &format!("  {index:5}  {:10.3} m  {:7.2} {help}  {:6.2} m\n", point.height, point.effort, point.landing);
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
