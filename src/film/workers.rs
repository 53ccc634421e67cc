//! Work beside the drawing, on other cores.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
};

use anyhow::Result;

/// The other end of a channel failed, and tells why itself.
#[derive(Debug, thiserror::Error)]
#[error("the encoders stopped")]
pub(crate) struct EncodersGone;

/// Runs `film` with so many workers beside it, who take what it sends, and waits for all.
pub(crate) fn with_workers<T: Send>(
    workers: usize,
    work: impl Fn(T) -> Result<()> + Sync,
    film: impl FnOnce(&SyncSender<T>) -> Result<()>,
) -> Result<()> {
    let (sender, receiver) = sync_channel(workers + 1);
    thread::scope(|scope| {
        // Once every worker has failed, nobody receives, and the film ends.
        let receiver = Arc::new(Mutex::new(receiver));
        let workers: Vec<_> = (0..workers)
            .map(|_| {
                let receiver = receiver.clone();
                let work = &work;
                scope.spawn(move || take(work, &receiver))
            })
            .collect();
        drop(receiver);
        let filmed = film(&sender);
        drop(sender);
        let encoded = workers.into_iter().map(joined).fold(Ok(()), Result::and);
        cause(filmed, encoded)
    })
}

fn take<T>(work: &(impl Fn(T) -> Result<()> + Sync), receiver: &Mutex<Receiver<T>>) -> Result<()> {
    loop {
        let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(item) = next else { return Ok(()) };
        work(item)?;
    }
}

pub(super) fn joined<T>(worker: thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Of two errors the one that came first.
pub(super) fn cause(filmed: Result<()>, encoded: Result<()>) -> Result<()> {
    match (filmed, encoded) {
        (Err(filmed), Err(encoded)) if filmed.is::<EncodersGone>() => Err(encoded),
        (Err(filmed), _) => Err(filmed),
        (Ok(()), encoded) => encoded,
    }
}
