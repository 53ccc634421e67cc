//! Progress bar on standard error, and Ctrl-C.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{bench::BenchView, file::output::remove_unfinished};

/// Progress bar, shown if standard error is a terminal, and the stop flag that Ctrl-C sets.
pub(in crate::bench) struct BenchProgress {
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
}

impl BenchProgress {
    /// Makes the bar for a number of rows. Takes over Ctrl-C: the first requests a stop, the second ends the process.
    #[must_use]
    pub(in crate::bench) fn new(rows: usize) -> Self {
        // Each row has two steps: its picture and its times.
        Self::of_steps(2 * rows)
    }

    /// Makes the bar for a number of steps, with Ctrl-C as in [`BenchProgress::new`].
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

    /// True if the run should stop as soon as possible.
    #[must_use]
    pub(in crate::bench) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Reason why a measurement ended early: its error, or Ctrl-C.
    pub(in crate::bench) fn early_end(&self, outcome: &anyhow::Result<()>) -> Option<String> {
        match outcome {
            Err(error) => Some(format!("{error:#}")),
            Ok(()) => self.stopped().then(|| "stopped by Ctrl-C".to_owned()),
        }
    }

    /// Shows a task outside of groups.
    pub(in crate::bench) fn prepare(&self, what: &str) {
        self.bar.set_message(what.to_owned());
        self.bar.tick();
    }

    /// Shows a task of a group.
    pub(in crate::bench) fn say(&self, count: u32, view: BenchView, what: &str) {
        tracing::info!("{count} {}: {what}", view.name());
        self.bar.set_message(format!("{count} {}: {what}", view.name()));
        self.bar.tick();
    }

    /// Advances by one step before the picture of a row is drawn.
    pub(in crate::bench) fn step(&self, count: u32, view: BenchView, what: &str, name: &str) {
        self.say(count, view, &format!("{what} of {name}"));
        self.bar.inc(1);
    }

    /// Updates the elapsed time.
    pub(in crate::bench) fn tick(&self) {
        self.bar.tick();
    }

    /// Advances by a number of rows that have their times, or of finished steps.
    pub(in crate::bench) fn done(&self, rows: usize) {
        self.bar.inc(rows as u64);
    }

    /// Removes the bar.
    pub(in crate::bench) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
