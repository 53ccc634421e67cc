//! Prefetching: rows of actors lie apart in memory, so that who changes many of them waits for each.

/// Elements between the one that is used and the one that is asked for.
const PREFETCH_DISTANCE: usize = 16;

/// Each element of a list, with the one to ask for while it is used.
pub(super) fn with_ahead<T>(list: &[T]) -> impl Iterator<Item = (&T, Option<&T>)> {
    let ahead = |place: usize| list.get(place + PREFETCH_DISTANCE);
    list.iter().enumerate().map(move |(place, one)| (one, ahead(place)))
}

/// Asks the CPU to bring an element to its caches ahead of its use; nothing for an index that does not exist, and on
/// CPUs other than x86-64. Unlike a load, it never holds up the instructions after it.
#[inline]
pub(super) fn prefetch<T>(values: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(value) = values.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        /// Bytes of a line of the caches.
        const LINE: usize = 64;
        let first = std::ptr::from_ref(value).cast::<i8>();
        let size = const { size_of::<T>() };
        // Elements without parts never straddle two lines. A constant number of steps is unrolled; a chain of iterators
        // took longer than the rest of a move.
        let lines = const {
            match size_of::<T>() > align_of::<T>() {
                true => size_of::<T>().div_ceil(LINE) + 1,
                false => 1,
            }
        };
        for line in 0..lines {
            let offset = (line * LINE).min(size - 1);
            // SAFETY: every x86-64 CPU has SSE, and a prefetch neither faults nor changes what the program sees.
            #[expect(unsafe_code, reason = "the safe hint of the standard library is not stable yet")]
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(offset));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, index);
}
