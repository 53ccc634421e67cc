//! Worker threads that encode while the GPU draws.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, available_parallelism},
};

use anyhow::Result;

/// Length of the work queue: enough to keep every worker busy, short enough to bound memory.
const WAITING: usize = 2;

/// Largest number of workers: each holds a picture with all of its AOVs.
const MOST_WORKERS: usize = 16;

/// Error: the workers failed; they return the reason themselves.
#[derive(Debug, thiserror::Error)]
#[error("the encoders stopped")]
pub(crate) struct EncodersGone;

/// Queue from the renderer to the workers.
pub(crate) struct WorkQueue<'a, T> {
    sender: SyncSender<T>,
    failed: &'a AtomicBool,
}

impl<T> WorkQueue<'_, T> {
    /// Sends an item once there is space for it.
    ///
    /// # Errors
    /// [`EncodersGone`] as soon as any worker has failed.
    pub(crate) fn send(&self, item: T) -> Result<(), EncodersGone> {
        if self.failed.load(Ordering::Acquire) {
            return Err(EncodersGone);
        }
        self.sender.send(item).map_err(|_| EncodersGone)
    }
}

/// Returns the number of workers.
pub(crate) fn workers() -> usize {
    available_parallelism().map_or(2, usize::from).min(MOST_WORKERS)
}

/// Runs `film` with `workers` threads that process the items that it sends, and waits for all. Items sent before the
/// first failure are completed.
pub(crate) fn with_workers<T: Send>(
    workers: usize,
    work: impl Fn(T) -> Result<()> + Sync,
    film: impl FnOnce(&WorkQueue<'_, T>) -> Result<()>,
) -> Result<()> {
    let (sender, receiver) = sync_channel(WAITING);
    let failed = AtomicBool::new(false);
    thread::scope(|scope| {
        // The queue closes when the last worker ends, which ends the film.
        let receiver = Arc::new(Mutex::new(receiver));
        let workers: Vec<_> = (0..workers)
            .map(|_| {
                let receiver = receiver.clone();
                let (work, failed) = (&work, &failed);
                scope.spawn(move || take(work, &receiver, failed))
            })
            .collect();
        drop(receiver);
        let work_queue = WorkQueue {
            sender,
            failed: &failed,
        };
        let filmed = film(&work_queue);
        drop(work_queue);
        let encoded = workers.into_iter().map(joined).fold(Ok(()), Result::and);
        cause(filmed, encoded)
    })
}

/// Loop of one worker.
fn take<T>(work: &(impl Fn(T) -> Result<()> + Sync), receiver: &Mutex<Receiver<T>>, failed: &AtomicBool) -> Result<()> {
    loop {
        let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(item) = next else { return Ok(()) };
        if let Err(error) = work(item) {
            failed.store(true, Ordering::Release);
            return Err(error);
        }
    }
}

fn joined(worker: thread::ScopedJoinHandle<'_, Result<()>>) -> Result<()> {
    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Returns the error that came first.
fn cause(filmed: Result<()>, encoded: Result<()>) -> Result<()> {
    match (filmed, encoded) {
        (Err(filmed), Err(encoded)) if filmed.is::<EncodersGone>() => Err(encoded),
        (Err(filmed), _) => Err(filmed),
        (Ok(()), encoded) => encoded,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn every_item_is_processed_once() {
        let sum = AtomicU32::new(0);
        let add = |number| {
            sum.fetch_add(number, Ordering::Relaxed);
            Ok(())
        };
        let film = |work_queue: &WorkQueue<'_, u32>| (1..=100).try_for_each(|number| Ok(work_queue.send(number)?));
        with_workers(3, add, film).expect("nobody fails");
        assert_eq!(sum.into_inner(), 5050);
    }

    #[test]
    fn the_first_failure_stops_the_film_and_is_returned() {
        let done = AtomicU32::new(0);
        let work = |number| {
            anyhow::ensure!(number != 5, "no room for 5");
            done.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        let mut sent = 0;
        let film = |work_queue: &WorkQueue<'_, u32>| {
            for number in 0..1000 {
                work_queue.send(number)?;
                sent += 1;
            }
            Ok(())
        };
        let error = with_workers(4, work, film).expect_err("one fails").to_string();
        assert_eq!(error, "no room for 5");
        assert!(sent < 1000, "the film went on to its end");
        assert_eq!(done.into_inner(), sent - 1, "what was sent was worked on");
    }
}
