//! The same work on many items by several threads; results keep the order of the items.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// As many threads as there are cores.
pub(crate) fn all_cores() -> NonZero<usize> {
    thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

/// `work` on every item. The order of the results and the results themselves do not depend on the number of threads.
pub(crate) fn parallel_map<T: Sync, R: Send>(
    items: &[T],
    threads: NonZero<usize>,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    parallel_map_with(items, threads, || (), |(), item| work(item))
}

/// As [`parallel_map`], with a memory per thread that `start` makes. It may only remember what does not change
/// results, such as values computed before.
pub(crate) fn parallel_map_with<T: Sync, S, R: Send>(
    items: &[T],
    threads: NonZero<usize>,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let drain = || {
        let mut memory = start();
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            done.push((index, work(&mut memory, item)));
        }
    };
    let helpers = threads.get().min(items.len()).saturating_sub(1);
    let mut results = thread::scope(|scope| {
        let others: Vec<_> = (0..helpers).map(|_| scope.spawn(drain)).collect();
        let mut results = drain();
        for other in others {
            match other.join() {
                Ok(done) => results.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_for_any_number_of_threads() {
        let items: Vec<u32> = (0..100).collect();
        for threads in [1, 2, 7, 300] {
            let squares = parallel_map(&items, NonZero::new(threads).unwrap(), |i| i * i);
            assert!(squares.iter().enumerate().all(|(i, square)| *square as usize == i * i));
            assert_eq!(squares.len(), 100);
        }
        assert!(parallel_map(&[] as &[u32], NonZero::new(4).unwrap(), |i| *i).is_empty());
    }
}
