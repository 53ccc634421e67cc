//! Progress of making LODs: a bar with an estimate on a terminal, else a line every ten seconds.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Interval of progress lines without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// Steps of the progress bar.
const STEPS: u64 = 1000;

/// Progress of making LODs, told by a command.
pub(super) struct LodProgress {
    bar: ProgressBar,
    /// Characters whose LODs are made; empty if they are not named.
    subject: String,
    /// Option that avoids the wait.
    option: &'static str,
    lines: Mutex<Lines>,
}

/// Times of the progress lines.
#[derive(Default)]
struct Lines {
    started: Option<Instant>,
    last: Option<Instant>,
}

impl LodProgress {
    /// Progress that shows nothing until LODs are made; `option` avoids the wait.
    pub(super) fn new(subject: String, option: &'static str) -> Self {
        let bar = ProgressBar::hidden();
        bar.set_length(STEPS);
        let template = format!("{{bar:40}} {{percent:>3}} %  levels of detail, {{eta}} left ({option} draws without)");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Self {
            bar,
            subject,
            option,
            lines: Mutex::default(),
        }
    }

    /// Shows the part that is done, 0 to 1. May be called from any thread.
    pub(super) fn show(&self, part: f32) {
        if part >= 1.0 {
            return self.bar.finish_and_clear();
        }
        if self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position((STEPS as f32 * part) as u64);
        // Still hidden: standard error is no terminal.
        if self.bar.is_hidden() {
            self.show_line(part);
        }
    }

    /// Prints a line about the part that is done, 0 to 1, if one is due.
    pub(super) fn show_line(&self, part: f32) {
        if let Some(line) = self.line(part, Instant::now()) {
            eprintln!("{line}");
        }
    }

    /// Line about the part that is done, if one is due at a time.
    fn line(&self, part: f32, now: Instant) -> Option<String> {
        let mut lines = self.lines.lock().ok()?;
        let started = *lines.started.get_or_insert(now);
        let last = lines.last.unwrap_or(started);
        if now.saturating_duration_since(last) < LINE_INTERVAL {
            return None;
        }
        lines.last = Some(now);
        let gone = now.saturating_duration_since(started).as_secs_f32();
        let left = match part > 0.0 {
            true => format!(", about {:.0} s left", gone * (1.0 - part) / part),
            false => String::new(),
        };
        let Self { subject, option, .. } = self;
        let of = if subject.is_empty() { "" } else { ": " };
        Some(format!(
            "throng: {subject}{of}levels of detail {:.0} %{left}; {option} goes without them",
            100.0 * part
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_due_every_ten_seconds_and_estimates_the_rest() {
        let progress = LodProgress::new("fox.glb".into(), "--no-levels");
        let start = Instant::now();
        let at = |seconds: u64, part: f32| progress.line(part, start + Duration::from_secs(seconds));
        assert_eq!([at(0, 0.0), at(9, 0.1)], [None, None], "short waits need no line");
        let first = at(10, 0.25).expect("ten seconds have passed");
        assert_eq!(
            first,
            "throng: fox.glb: levels of detail 25 %, about 30 s left; --no-levels goes without them"
        );
        assert_eq!(
            [at(11, 0.3), at(19, 0.4)],
            [None, None],
            "one line in ten seconds at most"
        );
        assert!(at(20, 0.5).is_some_and(|line| line.contains("about 20 s left")));
    }
}
