//! How far the placing of a crowd is, for whoever waits for it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Counts people who have their places; can be told to stop.
#[derive(Debug, Default)]
pub struct Progress {
    placed: AtomicU32,
    people: AtomicU32,
    stopped: AtomicBool,
}

impl Progress {
    /// Nobody of `people` has a place yet.
    pub fn begin(&self, people: u32) {
        self.placed.store(0, Ordering::Relaxed);
        self.people.store(people, Ordering::Relaxed);
    }

    /// One more; false once it was told to stop.
    pub(super) fn count(&self) -> bool {
        self.placed.fetch_add(1, Ordering::Relaxed);
        !self.is_stopped()
    }

    /// Makes whoever counts here give up; what comes of it is of no use.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether it was told to stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// 0 to 1; none before people are being placed.
    #[must_use]
    pub fn share(&self) -> Option<f32> {
        let people = self.people.load(Ordering::Relaxed);
        let placed = self.placed.load(Ordering::Relaxed).min(people);
        (people > 0).then(|| placed as f32 / people as f32)
    }
}
