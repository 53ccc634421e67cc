//! Back edges that still have to be removed; this list may only shrink.

/// Exceptions in the notation of the report, without line and path. An entry that no longer occurs fails the test.
pub const EXCEPTIONS: &[&str] = &[];
