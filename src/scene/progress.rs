//! Progress of placing a crowd, read from other threads, and a request to stop.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Counts the people placed so far; can ask the placing thread to stop.
#[derive(Debug, Default)]
pub struct Progress {
    placed: AtomicU32,
    people: AtomicU32,
    stopped: AtomicBool,
}

impl Progress {
    /// Starts to count: none of `people` is placed yet.
    pub fn begin(&self, people: u32) {
        self.placed.store(0, Ordering::Relaxed);
        self.people.store(people, Ordering::Relaxed);
    }

    /// Counts one person; returns false once the work should stop.
    pub(super) fn count(&self) -> bool {
        self.placed.fetch_add(1, Ordering::Relaxed);
        !self.is_stopped()
    }

    /// Asks the placing thread to stop; its result is then incomplete and must be dropped.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// True once [`Self::stop`] was called.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Share of the people placed, 0..=1; `None` before placing begins.
    #[must_use]
    pub fn share(&self) -> Option<f32> {
        let people = self.people.load(Ordering::Relaxed);
        let placed = self.placed.load(Ordering::Relaxed).min(people);
        (people > 0).then(|| placed as f32 / people as f32)
    }
}
