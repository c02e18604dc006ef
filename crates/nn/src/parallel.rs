//! Work in parts, on the threads of the current rayon pool.
//!
//! How work is split never changes a result: every number is computed by one part from its inputs in a fixed order.

use rayon::prelude::*;

/// Numbers in one part of element-wise work.
pub const PART: usize = 16_384;

/// Calls `part` with `0..count`, on several threads where the pool has them.
pub(crate) fn for_each(count: usize, part: impl Fn(usize) + Sync + Send) {
    if count <= 1 || rayon::current_num_threads() == 1 {
        (0..count).for_each(part);
    } else {
        (0..count).into_par_iter().with_max_len(1).for_each(part);
    }
}

/// A slice of which several threads write parts that do not overlap.
#[derive(Clone, Copy)]
pub(crate) struct Shared<T> {
    start: *mut T,
    length: usize,
}

// SAFETY: the methods that reach the numbers are unsafe, and their callers vouch that parts do not overlap.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub fn new(slice: &mut [T]) -> Shared<T> {
        Shared { start: slice.as_mut_ptr(), length: slice.len() }
    }

    /// Returns where the slice begins.
    pub fn start(self) -> *mut T {
        self.start
    }

    /// Returns a part of the slice, cut off at its end.
    ///
    /// # Safety
    /// The slice outlives the part, and no other thread touches it meanwhile.
    #[allow(clippy::mut_from_ref, reason = "that is what the caller vouches for")]
    pub unsafe fn part<'a>(self, from: usize, to: usize) -> &'a mut [T] {
        let to = to.min(self.length);
        assert!(from <= to);
        // SAFETY: within the slice; the caller vouches for the rest.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(from), to - from) }
    }
}

/// Returns how many parts of at least `smallest` items pay for `items`: some for each thread, so that a late thread delays little.
pub(crate) fn parts(items: usize, smallest: usize) -> usize {
    match rayon::current_num_threads() {
        1 => 1,
        threads => (items / smallest.max(1)).clamp(1, 4 * threads),
    }
}

/// Returns where part `index` of `count` begins, of `items` split evenly.
#[inline(always)]
pub(crate) fn bound(items: usize, count: usize, index: usize) -> usize {
    items * index / count
}
