//! Wide-band search: windows one after another, several samples of each kept alive, the best sequence found backwards from the end
//! (Keys-to-Sim §5, algorithm 1).

mod branch;
mod generations;
mod select;
mod window;

use crate::config::Config;
use crate::curve::{self, CurveStart};
use crate::rollouts::{FALLEN_COST, Stage, Trial};
use crate::target::Target;
use crate::{Solution, TransferError, start_state};
use serde::{Deserialize, Serialize};
use sinew_sim::Snapshot;

/// What a search works on and never changes.
pub(crate) struct Context<'a> {
    pub target: &'a Target,
    pub config: &'a Config,
    pub seed: u64,
}

/// How hard a window is searched: more for each fall that the search ended in before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub falls: usize,
    /// Whether it has given up: what comes after a fall is only looked at.
    pub is_lost: bool,
}

impl Effort {
    /// Generations of a window.
    pub fn generations(&self, config: &Config) -> usize {
        if self.is_lost {
            Config::LOST_GENERATIONS.min(config.iterations)
        } else {
            config.iterations * (1 + self.falls)
        }
    }
}

/// A state from which a window starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Start {
    pub state: Snapshot,
    pub curve: CurveStart,
    /// Offsets of the window before from here on, one row for each frame.
    pub ahead: Vec<f64>,
    /// Sum of all samples of the cost up to here.
    pub path_cost: f64,
    /// Which kept sample of the window before led here.
    pub parent: usize,
}

/// A window that was searched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// First frame.
    pub first_frame: usize,
    /// Length, frames.
    pub frames: usize,
    /// Generations that its search took.
    pub generations: usize,
    /// Mean cost of each stored sample.
    pub costs: Vec<f64>,
    /// The samples that were kept alive.
    pub(crate) kept: Vec<Kept>,
    /// The states that it started from, for the case that its future ends in a fall.
    starts: Vec<Start>,
}

/// A sample kept alive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// Index in the window's costs.
    pub sample: usize,
    /// Kept sample of the window before from whose state it starts.
    pub parent: usize,
    /// Offsets, `(frames + 1)` rows.
    pub curve: Vec<f64>,
    /// Sum of all samples of the cost up to the end of this window.
    pub total_cost: f64,
}

/// The search as a sequence of windows; at any time it can be saved, and gives its best motion so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    seed: u64,
    starts: Vec<Start>,
    windows: Vec<Window>,
    /// First frame of the next window.
    next_frame: usize,
    is_done: bool,
    steps: u64,
    /// How often it ended in a fall since it last got further, and the frame of the furthest fall.
    falls: usize,
    furthest_fall: usize,
    /// Where it first fell furthest on: what a search that gives up goes back to.
    furthest: Option<Reached>,
    /// Whether it has given up, and keeps a window in which every sample falls.
    is_lost: bool,
}

/// How far a search had come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Reached {
    starts: Vec<Start>,
    windows: Vec<Window>,
    next_frame: usize,
}

impl Search {
    /// A search that has not begun.
    ///
    /// # Errors
    /// Where the character has nothing to drive.
    pub fn new(target: &Target, config: &Config, seed: u64) -> Result<Search, TransferError> {
        let count = target.dofs.count;
        let state = start_state::start_state(target, config, &[]);
        let start = Start { state, curve: CurveStart::zero(count), ahead: Vec::new(), path_cost: 0.0, parent: 0 };
        let starts = vec![start; config.starts];
        Ok(Search {
            seed,
            starts,
            windows: Vec::new(),
            next_frame: 0,
            is_done: false,
            steps: 0,
            falls: 0,
            furthest_fall: 0,
            furthest: None,
            is_lost: false,
        })
    }

    /// Whether the last window has been searched.
    pub fn is_done(&self) -> bool {
        self.is_done
    }
    /// Windows searched so far.
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }
    /// Steps simulated so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }
    /// Number of windows that a target needs.
    pub fn window_count(target: &Target, config: &Config) -> usize {
        let last = target.frames() - 1;
        1 + last.saturating_sub(config.window_frames).div_ceil(config.advance_frames)
    }

    /// Searches the next window. Returns true if the search still falls after `waits_after` second tries; the caller then switches to
    /// weaning, or goes on with `None`. `spent` are steps that the transfer has simulated elsewhere: they count towards the most effort.
    ///
    /// # Errors
    /// Where the simulator or the optimiser refuses.
    pub fn advance(
        &mut self,
        target: &Target,
        config: &Config,
        waits_after: Option<usize>,
        spent: u64,
    ) -> Result<bool, TransferError> {
        if self.is_done {
            return Ok(false);
        }
        let context = Context { target, config, seed: self.seed };
        let first_frame = self.next_frame;
        let frames = config.window_frames.min(target.frames() - 1 - first_frame);
        let number = self.windows.len() as u64;
        let may_try = |search: &Search| ((spent + search.steps) as f64) < most_steps(target, config);
        // Who has worked enough goes on to the end, with no more generations than at first.
        let effort = Effort { falls: if may_try(self) { self.falls } else { 0 }, is_lost: self.is_lost };
        let found = window::search(&context, &self.starts, first_frame, frames, number, effort)?;
        self.steps += found.steps;
        let best = found.samples.iter().map(|s| s.cost).fold(f64::INFINITY, f64::min);
        let falls = best * frames.div_ceil(config.cost_frames) as f64 >= FALLEN_COST;
        if falls && !self.is_lost {
            let tries = waits_after.unwrap_or(usize::MAX).min(config.second_tries);
            if may_try(self) && self.go_back(tries, first_frame) {
                return Ok(false);
            }
            if waits_after.is_some() {
                return Ok(true);
            }
            if config.second_tries > 0 {
                self.is_lost = true;
                if self.return_to_furthest() {
                    return Ok(false);
                }
            }
        } else if first_frame > self.furthest_fall {
            self.falls = 0;
        }
        self.keep(&context, found, first_frame, frames)?;
        Ok(false)
    }

    /// Keeps some of a window's samples alive, and goes on from their states after its first part.
    fn keep(
        &mut self,
        context: &Context<'_>,
        found: window::Found,
        first_frame: usize,
        frames: usize,
    ) -> Result<(), TransferError> {
        let Context { target, config, .. } = *context;
        let costs: Vec<f64> = found.samples.iter().map(|s| s.cost).collect();
        let chosen = select::select(&costs, config.starts);
        let count = target.dofs.count;
        let looks = frames.div_ceil(config.cost_frames) as f64;
        let mut kept = Vec::new();
        for &index in &chosen {
            let sample = &found.samples[index];
            let start = &self.starts[sample.start];
            let mut curve = vec![0.0; (frames + 1) * count];
            curve::fill(&start.curve, &sample.poses, config.basis, config.knot_frames, &mut curve);
            let total_cost = start.path_cost + sample.cost * looks;
            kept.push(Kept { sample: index, parent: start.parent, curve, total_cost });
        }
        let starts = self.starts.clone();
        self.is_done = first_frame + frames >= target.frames() - 1;
        if !self.is_done {
            let jobs: Vec<usize> = chosen.iter().map(|&i| found.samples[i].start).collect();
            self.starts = self.half_windows(context, &jobs, &kept, first_frame, count)?;
            self.next_frame += config.advance_frames;
        }
        self.windows.push(Window { first_frame, frames, generations: found.generations, costs, kept, starts });
        Ok(())
    }

    /// Every branch of a window ends in a fall: the windows before are searched again, one more each time and with more effort.
    fn go_back(&mut self, tries: usize, frame: usize) -> bool {
        if frame > self.furthest_fall {
            (self.falls, self.furthest_fall) = (0, frame);
            let (starts, windows) = (self.starts.clone(), self.windows.clone());
            self.furthest = Some(Reached { starts, windows, next_frame: self.next_frame });
        }
        if self.falls >= tries {
            return false;
        }
        self.falls += 1;
        for _ in 0..self.falls {
            let Some(window) = self.windows.pop() else { break };
            self.starts = window.starts;
            self.next_frame = window.first_frame;
        }
        true
    }

    /// Goes back to where the search fell furthest on, if it is not there; returns whether it did.
    fn return_to_furthest(&mut self) -> bool {
        let Some(reached) = self.furthest.take().filter(|reached| reached.next_frame > self.next_frame) else {
            return false;
        };
        (self.starts, self.windows, self.next_frame) = (reached.starts, reached.windows, reached.next_frame);
        true
    }

    /// The states after the first part of the window, from which the next one starts.
    fn half_windows(
        &mut self,
        context: &Context<'_>,
        jobs: &[usize],
        kept: &[Kept],
        first_frame: usize,
        count: usize,
    ) -> Result<Vec<Start>, TransferError> {
        let (target, config) = (context.target, context.config);
        let frames = config.advance_frames;
        let states: Vec<Snapshot> = self.starts.iter().map(|s| s.state.clone()).collect();
        let curves: Vec<f64> = kept.iter().flat_map(|k| k.curve[..(frames + 1) * count].iter().copied()).collect();
        let stage = Stage { target, config, first_frame, frames, starts: &states };
        let trial = Trial { stage, jobs, curves: &curves };
        let tried = trial.run()?;
        self.steps += tried.iter().map(|t| t.steps as u64).sum::<u64>();
        let looks = frames.div_ceil(config.cost_frames) as f64;
        let next = tried.into_iter().zip(kept).zip(jobs).enumerate();
        Ok(next
            .map(|(index, ((tried, kept), &job))| Start {
                state: tried.end,
                curve: curve::start_at(&kept.curve, count, frames),
                ahead: kept.curve[frames * count..].to_vec(),
                path_cost: self.starts[job].path_cost + tried.cost * looks,
                parent: index,
            })
            .collect())
    }

    /// The kept sample of each window that leads to the best end, from the first window on.
    pub fn best_sequence(&self) -> Vec<usize> {
        let Some(last) = self.windows.last() else { return Vec::new() };
        let best = (0..last.kept.len()).min_by(|&a, &b| last.kept[a].total_cost.total_cmp(&last.kept[b].total_cost));
        let mut sequence = Vec::new();
        let mut at = best.unwrap_or(0);
        for window in self.windows.iter().rev() {
            sequence.push(at);
            at = window.kept[at].parent;
        }
        sequence.reverse();
        sequence
    }

    /// Mean sample of the cost of the best sequence so far; zero before the first window.
    pub fn best_cost(&self) -> f64 {
        let Some(last) = self.windows.last() else { return 0.0 };
        let best = last.kept.iter().map(|k| k.total_cost).fold(f64::INFINITY, f64::min);
        best / ((last.first_frame + last.frames) as f64 / 2.0).max(1.0)
    }

    /// The best sequence as a solution: offsets for each frame up to the end of the last window searched, and nothing else.
    pub fn solution(&self, target: &Target) -> Solution {
        let count = target.dofs.count;
        let mut offsets: Vec<f64> = Vec::new();
        for (window, kept) in self.windows.iter().zip(self.best_sequence()) {
            offsets.truncate(window.first_frame * count);
            offsets.extend_from_slice(&window.kept[kept].curve);
        }
        Solution { offsets, ..Solution::default() }
    }

    /// Costs of a window's kept samples, and that of the one in the best sequence.
    pub fn window_costs(&self, index: usize) -> (Vec<f64>, Option<f64>) {
        let window = &self.windows[index];
        let cost = |kept: &Kept| window.costs[kept.sample];
        let chosen = self.best_sequence().get(index).map(|&k| cost(&window.kept[k]));
        (window.kept.iter().map(cost).collect(), chosen)
    }
}

/// Degrees of freedom up to which a figure gets the full effort. The time of a step grows with their number, and that of a round of the
/// polish, which solves for all of them, with its cube: so does what is left of the effort beyond.
const FULL_EFFORT_DOFS: f64 = 64.0;

/// Steps after which a transfer begins nothing more: [`Config::most_effort`] times all windows with all generations, and less for a figure
/// of many degrees of freedom, whose steps take longer.
pub(crate) fn most_steps(target: &Target, config: &Config) -> f64 {
    let rollouts = Search::window_count(target, config) * config.starts * config.population * config.iterations;
    let share = (FULL_EFFORT_DOFS / target.model.velocity_count() as f64).min(1.0).powi(3);
    config.most_effort * share * (rollouts * config.window_frames * config.steps_per_frame()) as f64
}

#[cfg(test)]
mod tests;

#[cfg(test)]
#[path = "rules_tests.rs"]
mod rules_tests;
