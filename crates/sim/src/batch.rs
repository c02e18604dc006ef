//! Many worlds of one scene, stepped together: lanes inside, threads outside.

use crate::bulk::Rows;
use crate::engine::{self, Worlds};
use crate::lanes::{Isa, LaneChoice};
use crate::model::Model;
use crate::world::{Snapshot, World, WorldMut};
use rayon::prelude::*;
use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most worlds in one batch.
pub const MAX_WORLDS: usize = 1 << 20;

/// How a batch is run. None of it changes a single bit of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchOptions {
    /// Instruction set; none for the one of this CPU that steps so many worlds soonest on so many threads.
    pub isa: Option<Isa>,
    /// Threads; 0 for one on each core.
    pub threads: usize,
}

impl BatchOptions {
    /// How so many worlds that step at the same time share groups.
    pub(crate) fn lane_choice(&self, worlds: usize) -> Result<LaneChoice, BatchError> {
        match self.isa {
            Some(isa) if !isa.is_available() => Err(BatchError::Isa(isa.name())),
            isa => Ok(LaneChoice::new(isa, worlds, thread_count(self.threads))),
        }
    }
}

/// Why a batch could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// Too few or too many worlds.
    #[error("a batch holds from 1 to {MAX_WORLDS} worlds, but {0} were asked for")]
    WorldCount(usize),
    /// The CPU cannot run it.
    #[error("this CPU has no {0}; leave the instruction set out to use the fastest one that it has")]
    Isa(&'static str),
    /// The operating system gave no threads.
    #[error("could not start {0} threads: {1}; ask for fewer")]
    Threads(usize, String),
}

/// Many worlds of one model.
pub struct Batch {
    pub(crate) model: Arc<Model>,
    pub(crate) groups: Vec<Box<dyn Worlds>>,
    /// One for each thread.
    working: Vec<Mutex<Working>>,
    pub(crate) pool: Option<rayon::ThreadPool>,
    pub(crate) worlds: usize,
    /// Worlds in a group.
    pub(crate) lanes: usize,
    pub(crate) threads: usize,
}

/// Working memory of a thread; holds nothing between calls.
pub(crate) struct Working {
    pub scratch: Box<dyn Any + Send>,
    pub rows: Rows,
}

/// How groups are shared out among threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// One at a time, so that no thread waits long for another at the end: work that takes long.
    Fine,
    /// Many at a time, so that threads spend their time working and not sharing out: copying.
    Coarse,
}

/// Shares that a thread takes of coarse work.
const SHARES: usize = 4;

impl Batch {
    /// `worlds` worlds at rest in the scene's starting pose, with that pose as the PD target.
    pub fn new(model: &Arc<Model>, worlds: usize, options: BatchOptions) -> Result<Batch, BatchError> {
        if !(1..=MAX_WORLDS).contains(&worlds) {
            return Err(BatchError::WorldCount(worlds));
        }
        let choice = options.lane_choice(worlds)?;
        let pool = build_pool(options.threads)?;
        let threads = thread_count(options.threads);
        let lanes = choice.worlds;
        let groups = engine::new_groups(model, choice.isa, choice.groups(worlds));
        let memory = |_| Mutex::new(Working { scratch: groups[0].new_scratch(), rows: Rows::new(model) });
        let working = (0..threads).map(memory).collect();
        let mut batch = Batch { model: model.clone(), groups, working, pool, worlds, lanes, threads };
        for world in 0..worlds {
            let (group, lane) = batch.place(world);
            batch.groups[group].set_running(lane, true);
        }
        Ok(batch)
    }

    /// Advances every running world by `steps`.
    pub fn step(&mut self, steps: usize) {
        self.on_all_threads(&|_, group, working| group.advance(&mut *working.scratch, steps));
    }

    /// Changes every world, on all threads: states, targets, forces.
    pub fn for_each_world(&mut self, change: impl Fn(usize, &mut WorldMut<'_>) + Sync) {
        let (model, lanes, worlds) = (self.model.clone(), self.lanes, self.worlds);
        self.on_all_threads(&|index, group, _| {
            for lane in 0..lanes.min(worlds - index * lanes) {
                change(index * lanes + lane, &mut WorldMut { model: &model, group: &mut *group, lane });
            }
        });
    }

    /// Runs `work(group index, group, working memory)` for all groups.
    pub(crate) fn on_all_threads(&mut self, work: &(dyn Fn(usize, &mut dyn Worlds, &mut Working) + Sync)) {
        let nothing = vec![(); self.groups.len()];
        self.with_parts(nothing, Share::Fine, &|index, group, working, ()| work(index, group, working));
    }

    /// Runs `work(group index, group, working memory, part)` for all groups, each with its own part of something else.
    pub(crate) fn with_parts<T: Send>(
        &mut self,
        parts: Vec<T>,
        share: Share,
        work: &(dyn Fn(usize, &mut dyn Worlds, &mut Working, T) + Sync),
    ) {
        let (groups, working) = (&mut self.groups, &self.working);
        if working.len() == 1 {
            let mut working = own(&working[0]);
            let each = groups.iter_mut().zip(parts).enumerate();
            each.for_each(|(i, (group, part))| work(i, &mut **group, &mut working, part));
            return;
        }
        let at_a_time = match share {
            Share::Fine => 1,
            Share::Coarse => groups.len().div_ceil(SHARES * working.len()),
        };
        let all = || {
            let each = groups.par_iter_mut().zip(parts).enumerate();
            each.with_min_len(at_a_time).with_max_len(at_a_time).for_each(|(i, (group, part))| {
                let thread = rayon::current_thread_index().unwrap_or(0) % working.len();
                work(i, &mut **group, &mut own(&working[thread]), part);
            });
        };
        match &self.pool {
            Some(pool) => pool.install(all),
            None => all(),
        }
    }

    /// The compiled scene.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
    /// How many worlds there are.
    pub fn len(&self) -> usize {
        self.worlds
    }
    /// Never true: a batch has at least one world.
    pub fn is_empty(&self) -> bool {
        false
    }
    /// Threads that step it.
    pub fn threads(&self) -> usize {
        self.threads
    }
    /// Memory held for the worlds' states, controls and last readings, bytes.
    pub fn bytes(&self) -> usize {
        self.groups.iter().map(|g| g.bytes()).sum()
    }
    /// How often the recursion ran inwards so far, over all groups: one for each step and group, and one more each time that a limit was hit.
    pub fn backward_passes(&self) -> u64 {
        self.working.iter().map(|w| self.groups[0].passes(&*own(w).scratch)).sum()
    }

    /// Reads one world.
    ///
    /// # Panics
    /// When `world` is not less than [`Batch::len`].
    pub fn world(&self, world: usize) -> World<'_> {
        let (group, lane) = self.place(world);
        World { model: &self.model, group: &*self.groups[group], lane }
    }

    /// Changes one world.
    ///
    /// # Panics
    /// When `world` is not less than [`Batch::len`].
    pub fn world_mut(&mut self, world: usize) -> WorldMut<'_> {
        let (group, lane) = self.place(world);
        WorldMut { model: &self.model, group: &mut *self.groups[group], lane }
    }

    /// Looks at the present state of all worlds, for [`World::read_observation`].
    pub fn observe(&mut self) {
        self.on_all_threads(&|_, group, _| group.observe());
    }

    /// Copies the state of one world over another's; controls stay.
    pub fn copy_state(&mut self, from: usize, to: usize) {
        let mut snapshot = Snapshot::default();
        self.world(from).save(&mut snapshot);
        self.world_mut(to).restore(&snapshot);
    }

    /// Joint accelerations of a world at its present state: what the next step will apply, in `qvel` order.
    pub fn accelerations(&mut self, world: usize) -> Vec<f64> {
        let (group, lane) = self.place(world);
        let mut out = vec![0.0; self.model.velocity_count()];
        self.groups[group].accelerations(&mut *own(&self.working[0]).scratch, lane, &mut out);
        out
    }

    fn place(&self, world: usize) -> (usize, usize) {
        assert!(world < self.worlds, "world {world} of {}", self.worlds);
        (world / self.lanes, world % self.lanes)
    }
}

/// A thread's working memory: what a panic left in it does no harm.
fn own(working: &Mutex<Working>) -> MutexGuard<'_, Working> {
    working.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many threads work where so many are asked for; for 0, those of the pool that the caller is in.
pub(crate) fn thread_count(threads: usize) -> usize {
    if threads == 0 { rayon::current_num_threads() } else { threads }
}

/// A pool of its own when several threads are asked for, else none: the caller's own thread serves, or for 0 the pool that it is in.
pub(crate) fn build_pool(threads: usize) -> Result<Option<rayon::ThreadPool>, BatchError> {
    if threads <= 1 {
        return Ok(None);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(Some).map_err(|e| BatchError::Threads(threads, e.to_string()))
}
