//! MO-CMA-ES: a population of (1+1)-CMA-ES that spreads along the front of several objectives, all of them minimised.
//!
//! Each of μ parents has a child; the better half of parents and children lives on, by front and then by hypervolume
//! (Igel, Hansen & Roth 2007), and a child succeeds when it lives on (Voß, Hansen & Igel 2010, "population-based" success).

use crate::NormalStream;
use crate::mo_cma_options::{MoCmaBounds, MoCmaError, MoCmaOptions};
use crate::non_dominated::fronts;
use crate::one_plus_one::Strategy;
use crate::select_survivors::{Selection, select_one_by_one, select_survivors};
use serde::{Deserialize, Serialize};

/// Which of the random streams of a seed the children come from.
const CHILDREN: u64 = u64::from_be_bytes(*b"mo-cma\0\0");

/// All step sizes below this share of the initial one: nothing moves any more.
const VANISHED_STEP: f64 = 1e-30;

/// A multi-objective search: `ask` for points, evaluate them, `tell` their values, until `stop` says why.
///
/// The first points are the starts; after that, one child for each parent, and again those that failed if there is resampling.
/// The state can be saved at any moment, and the continued run gives the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoCma {
    options: MoCmaOptions,
    parents: Vec<Parent>,
    /// One for each parent; none before the starts have values.
    children: Vec<Child>,
    /// Which of the starts or children wait for values; of children that are sampled again, perhaps several times.
    asked: Vec<usize>,
    /// New samples for the children in `asked`; none while children are asked for the first time.
    again: Vec<Child>,
    /// How often failing children of this generation have been sampled again.
    rounds: u32,
    generation: u64,
    evaluations: u64,
    /// How many children have been sampled: the index of the next random stream.
    sampled: u64,
    /// The population's values when they last moved, and the generation of that.
    last_move: (u64, Vec<Vec<f64>>),
}

/// What an evaluation gave: plain, and with the penalty for lying outside the bounds, which selection sees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Values {
    plain: Vec<f64>,
    penalised: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Parent {
    strategy: Strategy,
    /// May lie outside the bounds.
    point: Vec<f64>,
    /// None: failed.
    values: Option<Values>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Child {
    /// `(x' − x) / σ`.
    step: Vec<f64>,
    point: Vec<f64>,
    values: Option<Values>,
}

/// A point and its values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// The variables, within the bounds.
    pub point: Vec<f64>,
    /// The objectives, as told.
    pub values: Vec<f64>,
    /// σ of the search around it.
    pub step_size: f64,
}

/// What [`MoCma::tell`] did with the evaluations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The starts have values; the first children are ready.
    Starts,
    /// Too many failed: so many children were sampled again, for the same generation.
    Resampled(usize),
    /// A generation is complete: so many children live on.
    Generation(usize),
}

/// Why a search has come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoCmaStop {
    /// As many generations as the options allow.
    Generations,
    /// The values of the population have not moved for as long as the options say.
    Converged,
    /// All step sizes are below 1e-30 of the initial one.
    StepSizes,
}

impl MoCma {
    /// Starts from one point for all parents, or from several, which the parents take in turn.
    pub fn new(starts: &[Vec<f64>], options: MoCmaOptions) -> Result<MoCma, MoCmaError> {
        options.check(starts)?;
        let strategy = Strategy::new(starts[0].len(), options.step_size);
        let parent = |start: &Vec<f64>| Parent { strategy: strategy.clone(), point: start.clone(), values: None };
        Ok(MoCma {
            parents: starts.iter().cycle().take(options.population).map(parent).collect(),
            children: Vec::new(),
            asked: (0..starts.len()).collect(),
            again: Vec::new(),
            rounds: 0,
            generation: 0,
            evaluations: 0,
            sampled: 0,
            last_move: (0, Vec::new()),
            options,
        })
    }

    /// The points to evaluate, within the bounds; the same until their values are told.
    pub fn ask(&self) -> Vec<Vec<f64>> {
        let point = |(index, &slot): (usize, &usize)| match self.again.get(index).or_else(|| self.children.get(slot)) {
            Some(child) => self.inside(&child.point),
            None => self.inside(&self.parents[slot].point),
        };
        self.asked.iter().enumerate().map(point).collect()
    }

    /// Takes the objectives of the points that [`MoCma::ask`] gave, in that order, and which of them failed.
    ///
    /// The values of a failed evaluation are not looked at; a value that is no finite number makes an evaluation fail.
    /// On an error nothing has changed.
    pub fn tell(&mut self, values: &[Vec<f64>], failed: &[bool]) -> Result<Told, MoCmaError> {
        let expected = self.options.objectives;
        if values.len() != self.asked.len() || failed.len() != self.asked.len() {
            return Err(MoCmaError::Count { told: values.len(), flags: failed.len(), asked: self.asked.len() });
        }
        let ragged = |index: &usize| !failed[*index] && values[*index].len() != expected;
        if let Some(index) = (0..values.len()).find(ragged) {
            return Err(MoCmaError::Values { index, found: values[index].len(), expected });
        }
        let told = values.iter().zip(failed);
        let told = told.map(|(values, failed)| (!failed && values.iter().all(|v| v.is_finite())).then_some(values));
        self.evaluations += values.len() as u64;
        if self.children.is_empty() {
            self.take_starts(&told.collect::<Vec<_>>());
            self.have_children();
            return Ok(Told::Starts);
        }
        let mut again = std::mem::take(&mut self.again).into_iter();
        for (&slot, values) in self.asked.iter().zip(told) {
            let child = &mut self.children[slot];
            match again.next() {
                // An earlier sample of this round is taken already.
                Some(_) if child.values.is_some() => continue,
                Some(sample) => *child = sample,
                None => {}
            }
            child.values = values.map(|values| penalised(values, &child.point, self.options.bounds.as_ref()));
        }
        if let Some(count) = self.resample() {
            return Ok(Told::Resampled(count));
        }
        let survivors = self.replace_generation()?;
        self.have_children();
        Ok(Told::Generation(survivors))
    }

    fn inside(&self, point: &[f64]) -> Vec<f64> {
        self.options.bounds.as_ref().map_or_else(|| point.to_vec(), |bounds| bounds.closest(point))
    }

    /// Every parent gets the values of the start that it stands on.
    fn take_starts(&mut self, told: &[Option<&Vec<f64>>]) {
        for (parent, values) in self.parents.iter_mut().zip(told.iter().cycle()) {
            parent.values = values.map(|values| penalised(values, &parent.point, self.options.bounds.as_ref()));
        }
    }

    /// One child for each parent, all of which wait for values.
    fn have_children(&mut self) {
        self.asked = (0..self.parents.len()).collect();
        self.rounds = 0;
        self.children.clear();
        for slot in 0..self.parents.len() {
            let child = self.sample_child(slot);
            self.children.push(child);
        }
    }

    fn sample_child(&mut self, slot: usize) -> Child {
        let Parent { strategy, point, .. } = &self.parents[slot];
        let step = strategy.sample(&mut NormalStream::new(self.options.seed, CHILDREN, self.sampled));
        self.sampled += 1;
        Child { point: strategy.reach(point, &step), step, values: None }
    }

    /// Samples the failed children again if they are too many; how many were.
    fn resample(&mut self) -> Option<usize> {
        let resampling = self.options.resampling.as_ref()?;
        let failed: Vec<usize> = (0..self.children.len()).filter(|&i| self.children[i].values.is_none()).collect();
        if failed.len() <= resampling.allowed_failures || self.rounds >= resampling.max_rounds {
            return None;
        }
        let count = resampling.per_round.map_or(failed.len(), |samples| samples.max(failed.len()));
        self.rounds += 1;
        self.asked = failed.into_iter().cycle().take(count).collect();
        self.again = (0..count).map(|index| self.sample_child(self.asked[index])).collect();
        Some(count)
    }

    /// Selection, then learning; how many children live on.
    fn replace_generation(&mut self) -> Result<usize, MoCmaError> {
        // The better half of parents and children.
        let parents = self.parents.iter().map(|parent| &parent.values);
        let candidates = parents.chain(self.children.iter().map(|child| &child.values));
        let candidates: Vec<_> = candidates.map(|v| v.as_ref().map(|v| v.penalised.as_slice())).collect();
        let select = match self.options.selection {
            Selection::OneByOne => select_one_by_one,
            Selection::Together => select_survivors,
        };
        let is_kept = select(&candidates, self.parents.len(), self.options.extremes)?;
        let (parent_lives, child_lives) = is_kept.split_at(self.parents.len());

        // A child that lives on inherits and learns from its step; its parent learns whether the child does.
        let mut born = Vec::new();
        for (slot, child) in self.children.drain(..).enumerate() {
            let parent = &mut self.parents[slot];
            let is_success = child_lives[slot];
            if is_success {
                let mut strategy = parent.strategy.clone();
                strategy.adapt_step_size(true);
                strategy.adapt_directions(&child.step);
                born.push(Parent { strategy, point: child.point, values: child.values });
            }
            parent.strategy.adapt_step_size(is_success);
        }
        let survivors = born.len();
        let mut lives = parent_lives.iter();
        self.parents.retain(|_| lives.next() == Some(&true));
        self.parents.append(&mut born);
        self.generation += 1;
        self.note_moves();
        Ok(survivors)
    }

    /// Remembers the values of the population when one of them has moved by more than the tolerance.
    fn note_moves(&mut self) {
        if self.options.tolerance <= 0.0 {
            return;
        }
        let mut values: Vec<Vec<f64>> = self.solutions().map(|solution| solution.values).collect();
        values.sort_by(|a, b| compare(a, b));
        let old = &self.last_move.1;
        let mut pairs = values.iter().flatten().zip(old.iter().flatten());
        if values.len() != old.len() || pairs.any(|(new, old)| (new - old).abs() > self.options.tolerance) {
            self.last_move = (self.generation, values);
        }
    }

    fn solutions(&self) -> impl Iterator<Item = Solution> {
        self.parents.iter().filter_map(|Parent { strategy, point, values }| {
            let values = values.as_ref()?.plain.clone();
            Some(Solution { point: self.inside(point), values, step_size: strategy.step_size() })
        })
    }

    /// The parents that did not fail.
    pub fn population(&self) -> Vec<Solution> {
        self.solutions().collect()
    }

    /// The parents that no other dominates, in the order of the first objective.
    pub fn front(&self) -> Vec<Solution> {
        let population = self.population();
        let values: Vec<&[f64]> = population.iter().map(|solution| solution.values.as_slice()).collect();
        let best = fronts(&values).into_iter().next().unwrap_or_default();
        let mut front: Vec<Solution> = best.into_iter().map(|index| population[index].clone()).collect();
        front.sort_by(|a, b| compare(&a.values, &b.values));
        front
    }

    /// Why to stop, once there is a reason.
    pub fn stop(&self) -> Option<MoCmaStop> {
        let MoCmaOptions { max_generations, tolerance, patience, step_size, .. } = self.options;
        if max_generations.is_some_and(|most| self.generation >= most) {
            return Some(MoCmaStop::Generations);
        }
        if tolerance > 0.0 && self.generation - self.last_move.0 >= patience && self.generation > 0 {
            return Some(MoCmaStop::Converged);
        }
        let vanished = |parent: &Parent| parent.strategy.step_size() < VANISHED_STEP * step_size;
        self.parents.iter().all(vanished).then_some(MoCmaStop::StepSizes)
    }

    /// How many generations are complete.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// How many evaluations have been told.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// The options of the run.
    pub fn options(&self) -> &MoCmaOptions {
        &self.options
    }
}

fn penalised(values: &[f64], point: &[f64], bounds: Option<&MoCmaBounds>) -> Values {
    let penalty = bounds.map_or(0.0, |bounds| bounds.penalty_of(point));
    Values { plain: values.to_vec(), penalised: values.iter().map(|value| value + penalty).collect() }
}

fn compare(a: &[f64], b: &[f64]) -> std::cmp::Ordering {
    let orders = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
    orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
}

#[cfg(test)]
#[path = "mo_cma_tests.rs"]
mod tests;
