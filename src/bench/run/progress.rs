//! A progress bar on standard error, and Ctrl-C.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{bench::View, file::output::remove_unfinished};

/// Shown where standard error is a terminal; Ctrl-C sets the stop.
pub(in crate::bench) struct Progress {
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
}

impl Progress {
    /// For so many rows. Takes over Ctrl-C: the first asks for a stop, the second ends the process.
    #[must_use]
    pub(in crate::bench) fn new(rows: usize) -> Self {
        // Half of a row is its picture, half its time.
        Self::of_steps(2 * rows)
    }

    /// For so many steps; Ctrl-C as in [`Progress::new`].
    #[must_use]
    pub(in crate::bench) fn of_steps(steps: usize) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let handler = move || {
            if flag.swap(true, Ordering::Relaxed) {
                remove_unfinished();
                std::process::exit(130);
            }
            eprintln!("stopping after this frame and writing results (press again to stop immediately)");
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            tracing::warn!("Ctrl-C will discard the results: {error}");
        }
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3}% {elapsed_precise} {msg}") {
            bar.set_style(style);
        }
        Self { bar, stop }
    }

    /// Whether to stop as soon as possible.
    #[must_use]
    pub(in crate::bench) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Shows what is being done outside of groups.
    pub(in crate::bench) fn prepare(&self, what: &str) {
        self.bar.set_message(what.to_owned());
        self.bar.tick();
    }

    /// Shows what is being done to a group.
    pub(in crate::bench) fn say(&self, count: u32, view: View, what: &str) {
        tracing::info!("{count} {}: {what}", view.name());
        self.bar.set_message(format!("{count} {}: {what}", view.name()));
        self.bar.tick();
    }

    /// One row's picture is about to be taken.
    pub(in crate::bench) fn step(&self, count: u32, view: View, what: &str, name: &str) {
        self.say(count, view, &format!("{what} of {name}"));
        self.bar.inc(1);
    }

    /// Keeps the clock running.
    pub(in crate::bench) fn tick(&self) {
        self.bar.tick();
    }

    /// So many rows have their times, or so many steps are done.
    pub(in crate::bench) fn done(&self, rows: usize) {
        self.bar.inc(rows as u64);
    }

    /// Removes the bar.
    pub(in crate::bench) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
