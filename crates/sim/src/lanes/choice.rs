//! Which instruction set a group of worlds uses, and how many of its lanes.

use super::Isa;
use std::sync::OnceLock;

/// How worlds that are stepped at the same time share groups. It changes the time that they take, and no bit of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneChoice {
    /// Instruction set of every group.
    pub isa: Isa,
    /// Worlds in a group; at most the lanes of the instruction set.
    pub worlds: usize,
}

/// Time of one step of a group, however many of its lanes run, relative to AVX2's.
///
/// Those of x86-64 are measured on an AMD EPYC (Zen 4) by `cargo run --release -p sinew-pareto --example lane_times`; the portable path emulates
/// the fused multiply–add there. NEON's is not measured: it has the lanes of the portable path in fewer instructions, and comes before it.
fn step_time(isa: Isa) -> f64 {
    match isa {
        Isa::Avx512 => 1.5,
        Isa::Avx2 | Isa::Neon => 1.0,
        Isa::Portable | Isa::Reference64 => 13.0,
    }
}

/// What each world adds to the time of its group, in the same unit: reading its state, deciding its targets. Measured by the same command.
const WORLD_TIME: f64 = 0.05;

/// A choice may take this much longer than the fastest one if it needs less of all cores together, which often share their arithmetic in pairs.
const TOLERANCE: f64 = 1.1;

impl LaneChoice {
    /// Returns the choice for `worlds` that step at the same time on `threads`; where `isa` is given, with that instruction set.
    pub fn new(isa: Option<Isa>, worlds: usize, threads: usize) -> LaneChoice {
        // Threads beyond the cores take turns.
        static CORES: OnceLock<usize> = OnceLock::new();
        let cores = *CORES.get_or_init(|| std::thread::available_parallelism().map_or(usize::MAX, usize::from));
        match isa {
            Some(isa) => choose(&[isa], worlds, threads.min(cores)),
            None => choose(&Isa::same_bits(), worlds, threads.min(cores)),
        }
    }

    /// Returns how many groups hold so many worlds.
    pub fn groups(self, worlds: usize) -> usize {
        worlds.div_ceil(self.worlds)
    }

    /// Returns the time of one step of all worlds, and the time that it takes of all threads together.
    fn times(self, worlds: usize, threads: usize) -> (f64, f64) {
        let (step, groups) = (step_time(self.isa), self.groups(worlds));
        let rounds = groups.div_ceil(threads) as f64;
        (rounds * (step + WORLD_TIME * self.worlds as f64), groups as f64 * step + WORLD_TIME * worlds as f64)
    }
}

/// Of all instruction sets and numbers of worlds in a group: those that take little more than the least time, and of these the one that takes the
/// least of all threads together. Lanes stay empty only where every group has a thread of its own: elsewhere the next world takes a free lane over.
fn choose(sets: &[Isa], worlds: usize, threads: usize) -> LaneChoice {
    let (worlds, threads) = (worlds.max(1), threads.max(1));
    let choices = || {
        let all = sets.iter().flat_map(|&isa| (1..=isa.lanes()).map(move |worlds| LaneChoice { isa, worlds }));
        all.filter(|choice| choice.worlds == choice.isa.lanes() || choice.groups(worlds) <= threads)
    };
    let times = |choice: &LaneChoice| choice.times(worlds, threads);
    let least = choices().map(|choice| times(&choice).0).fold(f64::INFINITY, f64::min);
    let is_fast = |choice: &LaneChoice| times(choice).0 <= least * TOLERANCE;
    let by_work = |a: &LaneChoice, b: &LaneChoice| {
        let ((time_a, work_a), (time_b, work_b)) = (times(a), times(b));
        work_a.total_cmp(&work_b).then(time_a.total_cmp(&time_b))
    };
    choices().filter(is_fast).min_by(by_work).expect("an instruction set has at least one lane")
}

#[cfg(test)]
mod tests {
    use super::*;

    const X86: [Isa; 3] = [Isa::Avx512, Isa::Avx2, Isa::Portable];
    const AARCH64: [Isa; 2] = [Isa::Neon, Isa::Portable];

    fn chosen(sets: &[Isa], worlds: usize, threads: usize) -> (Isa, usize) {
        let LaneChoice { isa, worlds } = choose(sets, worlds, threads);
        (isa, worlds)
    }

    #[test]
    fn wide_vectors_are_for_as_many_worlds_as_fill_them_on_every_thread() {
        // A generation of a transfer has 128 rollouts, one of a front of jumps 16 and rounds of 32.
        for (worlds, threads, expected) in [
            (128, 1, (Isa::Avx512, 16)),
            (128, 8, (Isa::Avx512, 16)),
            (128, 16, (Isa::Avx2, 8)),
            (100, 1, (Isa::Avx512, 16)),
            (32, 2, (Isa::Avx512, 16)),
            (32, 4, (Isa::Avx2, 8)),
            (32, 16, (Isa::Avx2, 4)),
            (16, 1, (Isa::Avx512, 16)),
            (16, 2, (Isa::Avx2, 8)),
            (9, 1, (Isa::Avx512, 9)),
            (8, 1, (Isa::Avx2, 8)),
            (8, 2, (Isa::Avx2, 4)),
            (1, 1, (Isa::Avx2, 1)),
        ] {
            assert_eq!(chosen(&X86, worlds, threads), expected, "{worlds} worlds on {threads} threads");
        }
        assert_eq!(chosen(&X86[1..], 128, 1), (Isa::Avx2, 8));
        assert_eq!(chosen(&AARCH64, 128, 4), (Isa::Neon, 4));
        assert_eq!(chosen(&[Isa::Portable], 128, 4), (Isa::Portable, 4));
        assert_eq!(chosen(&[Isa::Avx512], 1, 1), (Isa::Avx512, 1));
    }

    #[test]
    fn the_portable_path_is_for_cpus_that_have_nothing_else() {
        for sets in [&X86[..], &X86[1..], &AARCH64] {
            for (worlds, threads) in (0..200).flat_map(|worlds| (0..40).map(move |threads| (worlds, threads))) {
                let choice = choose(sets, worlds, threads);
                assert_ne!(choice.isa, Isa::Portable, "{worlds} worlds on {threads} threads");
                assert!((1..=choice.isa.lanes()).contains(&choice.worlds));
            }
        }
    }

    #[test]
    fn more_threads_take_no_longer_and_little_more_work() {
        for worlds in 1..300 {
            let times = |threads| choose(&X86, worlds, threads).times(worlds, threads);
            let (mut least, alone) = (f64::INFINITY, times(1).1);
            for threads in 1..=64 {
                let (time, work) = times(threads);
                assert!(time <= least * TOLERANCE, "{worlds} worlds on {threads} threads: {time}, {least} on fewer");
                assert!(work <= alone * 3.5, "{worlds} worlds on {threads} threads: {work}, {alone} on one");
                least = least.min(time);
            }
        }
    }

    #[test]
    fn an_instruction_set_that_is_asked_for_is_used() {
        for isa in Isa::same_bits() {
            assert_eq!(LaneChoice::new(Some(isa), 1, 1).isa, isa);
        }
        assert!(Isa::same_bits().contains(&LaneChoice::new(None, 5, 2).isa));
        // No more threads are counted on than there are cores.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        assert_eq!(LaneChoice::new(None, 128, 1 << 20), LaneChoice::new(None, 128, cores));
    }
}
