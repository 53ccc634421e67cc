//! Parallel pipeline compilation: drivers compile slowly, and pipelines do not depend on each other.

use std::{collections::HashMap, hash::Hash, sync::LazyLock, thread::available_parallelism};

use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};

use crate::gpu::{Backend, Gpu, GpuError};

/// Largest number of threads; more would wait for each other in drivers.
const MOST_THREADS: usize = 16;

/// Thread pool for pipelines. The global pool may bake a character for seconds while a window waits for pipelines.
/// `None` if the system grants no threads.
static THREADS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let threads = available_parallelism().map_or(1, |cores| cores.get().min(MOST_THREADS));
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    pool.thread_name(|_| "pipelines".into()).build().ok()
});

/// Tasks that each make something: tuples of one to eight functions.
pub trait ParallelTasks: Send {
    /// Results of the functions, in their order.
    type ParallelOutput: Send;

    /// Calls all of them, in parallel if threads are idle.
    ///
    /// # Errors
    /// The first function's that fails, in their order.
    fn make(self, gpu: &Gpu) -> Result<Self::ParallelOutput, GpuError>;
}

impl<F: FnOnce() -> Result<T, GpuError> + Send, T: Send> ParallelTasks for (F,) {
    type ParallelOutput = (T,);

    fn make(self, gpu: &Gpu) -> Result<(T,), GpuError> {
        // Error scopes belong to a thread: a device reports a rejection to the thread that caused it.
        gpu.checked("pipelines", self.0).map(|made| (made,))
    }
}

macro_rules! tasks {
    ($($function:ident $made:ident),+) => {
        impl<First, FirstMade, $($function, $made),+> ParallelTasks for (First, $($function),+)
        where
            First: FnOnce() -> Result<FirstMade, GpuError> + Send,
            FirstMade: Send,
            $($function: FnOnce() -> Result<$made, GpuError> + Send, $made: Send),+
        {
            type ParallelOutput = (FirstMade, $($made),+);

            #[allow(non_snake_case)]
            fn make(self, gpu: &Gpu) -> Result<Self::ParallelOutput, GpuError> {
                let (First, $($function),+) = self;
                let (first, rest) = gpu.both(|| (First,).make(gpu), || ($($function,)+).make(gpu));
                let ((first,), ($($made,)+)) = (first?, rest?);
                Ok((first, $($made),+))
            }
        }
    };
}

tasks!(B MadeB);
tasks!(B MadeB, C MadeC);
tasks!(B MadeB, C MadeC, D MadeD);
tasks!(B MadeB, C MadeC, D MadeD, E MadeE);
tasks!(B MadeB, C MadeC, D MadeD, E MadeE, F MadeF);
tasks!(B MadeB, C MadeC, D MadeD, E MadeE, F MadeF, G MadeG);
tasks!(B MadeB, C MadeC, D MadeD, E MadeE, F MadeF, G MadeG, H MadeH);

impl Gpu {
    /// Calls functions that make pipelines in parallel: `run_parallel((|| a(), || b()))`. A call that the device
    /// rejects is an error here, as with [`Gpu::checked`], on whichever thread it happens.
    ///
    /// # Errors
    /// The first function's that fails, in their order.
    pub fn run_parallel<R: ParallelTasks>(&self, tasks: R) -> Result<R::ParallelOutput, GpuError> {
        self.on_threads(|| tasks.make(self))
    }

    /// Calls one function for several things in parallel.
    ///
    /// # Errors
    /// Error of the first thing that fails, in their order.
    pub fn each_in_parallel<T, U: Send>(
        &self,
        things: &[T],
        make: impl Fn(&T) -> Result<U, GpuError> + Sync,
    ) -> Result<Vec<U>, GpuError>
    where
        T: Sync,
    {
        self.map_in_parallel(things, |thing| self.checked("pipelines", || make(thing)))
    }

    /// Calls one function for several things in parallel. The function opens its own error scopes: those of the caller
    /// belong to the caller's thread.
    ///
    /// # Errors
    /// As [`Gpu::each_in_parallel`].
    pub(crate) fn map_in_parallel<T: Sync, U: Send>(
        &self,
        things: &[T],
        map: impl Fn(&T) -> Result<U, GpuError> + Sync + Send,
    ) -> Result<Vec<U>, GpuError> {
        let made: Vec<_> = match self.shares_threads() {
            true => self.on_threads(|| things.par_iter().with_max_len(1).map(map).collect()),
            false => things.iter().map(map).collect(),
        };
        made.into_iter().collect()
    }

    /// Makes the values of `wanted` that `made` lacks, in parallel. Adds all of them or none.
    ///
    /// # Errors
    /// As [`Gpu::each_in_parallel`].
    pub fn make_missing<K: Copy + Eq + Hash + Sync, V: Send>(
        &self,
        made: &mut HashMap<K, V>,
        wanted: impl IntoIterator<Item = K>,
        make: impl Fn(K) -> Result<V, GpuError> + Sync,
    ) -> Result<(), GpuError> {
        let mut missing = Vec::new();
        for key in wanted {
            if !made.contains_key(&key) && !missing.contains(&key) {
                missing.push(key);
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let new = self.each_in_parallel(&missing, |&key| make(key))?;
        made.extend(missing.into_iter().zip(new));
        Ok(())
    }

    fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match THREADS.as_ref().filter(|_| self.shares_threads()) {
            Some(threads) => threads.install(work),
            None => work(),
        }
    }

    fn both<A: Send, B: Send>(&self, a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        match self.shares_threads() {
            true => rayon::join(a, b),
            false => (a(), b()),
        }
    }

    /// True if several threads may make pipelines. OpenGL has one context for all threads, and wgpu panics if one waits
    /// for it for seconds.
    fn shares_threads(&self) -> bool {
        self.facts.backend != Backend::Gl && THREADS.is_some()
    }
}
