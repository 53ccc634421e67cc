//! What the program has to tell: one readable line each, shown in the panel.

use std::time::{Duration, Instant};

/// Lines shown at once, at most.
const SHOWN: usize = 4;
/// How long a line that is no error stays.
const STAYS: Duration = Duration::from_secs(6);

/// One line.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    /// Text of the notice.
    pub text: String,
    /// Something failed; stays until dismissed.
    pub is_error: bool,
    since: Instant,
}

/// The lines of the moment, newest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notices {
    lines: Vec<Notice>,
    /// How often something was added or taken away.
    changes: u64,
}

impl Notices {
    /// Adds a transient notice.
    pub(crate) fn tell(&mut self, text: impl Into<String>) {
        self.add(text.into(), false);
    }

    /// Adds an error.
    pub(crate) fn fail(&mut self, text: impl Into<String>) {
        self.add(text.into(), true);
    }

    fn add(&mut self, text: String, is_error: bool) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.lines.retain(|n| n.text != text);
        let since = Instant::now();
        self.lines.insert(0, Notice { text, is_error, since });
        self.lines.truncate(SHOWN);
        self.changes += 1;
    }

    /// Lines still of interest, newest first.
    pub(crate) fn current(&self) -> impl Iterator<Item = &Notice> {
        self.lines.iter().filter(|n| n.is_error || n.since.elapsed() < STAYS)
    }

    /// Whether no line is about to go away by itself.
    #[must_use]
    pub(crate) fn are_settled(&self) -> bool {
        let mut transient = self.lines.iter().filter(|n| !n.is_error);
        transient.all(|n| n.since.elapsed() >= STAYS + Duration::from_secs(1))
    }

    /// Takes a line away.
    pub(crate) fn dismiss(&mut self, text: &str) {
        self.lines.retain(|n| n.text != text);
        self.changes += 1;
    }

    /// Grows whenever there may be something else to show: a window that rests is to show errors, too, which stay.
    #[must_use]
    pub(crate) const fn changes(&self) -> u64 {
        self.changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_notices_are_shown_once_on_one_line() {
        let mut notices = Notices::default();
        (0..3).for_each(|_| notices.fail("no\n  such file"));
        (0..9).for_each(|i| notices.tell(format!("line {i}")));
        notices.fail("no such file");
        let lines: Vec<&str> = notices.current().map(|n| n.text.as_str()).collect();
        assert_eq!(lines, ["no such file", "line 8", "line 7", "line 6"]);
        let changes = notices.changes();
        notices.dismiss("no such file");
        assert_eq!(notices.current().count(), 3);
        assert!(notices.changes() > changes);
        let changes = notices.changes();
        notices.fail("an error never goes by itself, and is news all the same");
        assert!(notices.changes() > changes);
    }
}
