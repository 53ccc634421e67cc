//! Notices for the user, one line each, shown over the picture.

use std::time::{Duration, Instant};

/// Maximum number of notices shown at once.
const SHOWN: usize = 4;
/// Time that a notice stays, unless it is an error.
const STAYS: Duration = Duration::from_secs(6);

/// Notice of one line.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    /// Text of the notice.
    pub text: String,
    /// True for errors, which stay until dismissed.
    pub is_error: bool,
    since: Instant,
}

/// Current notices, newest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notices {
    lines: Vec<Notice>,
    /// Number of changes of the list.
    changes: u64,
}

impl Notices {
    /// Adds a notice that disappears by itself.
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

    /// Current notices, newest first.
    pub(crate) fn current(&self) -> impl Iterator<Item = &Notice> {
        self.lines.iter().filter(|n| n.is_error || n.since.elapsed() < STAYS)
    }

    /// True if no notice is about to disappear.
    #[must_use]
    pub(crate) fn are_settled(&self) -> bool {
        let mut transient = self.lines.iter().filter(|n| !n.is_error);
        transient.all(|n| n.since.elapsed() >= STAYS + Duration::from_secs(1))
    }

    /// Removes a notice.
    pub(crate) fn dismiss(&mut self, text: &str) {
        self.lines.retain(|n| n.text != text);
        self.changes += 1;
    }

    /// Counter that grows with each change, so that a suspended window is drawn again for new notices.
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
        notices.fail("an error never disappears by itself, but is a change");
        assert!(notices.changes() > changes);
    }
}
