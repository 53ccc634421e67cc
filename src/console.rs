//! Standard output that tolerates a reader who has gone away, and names with control characters.

use std::io::Write;

/// Prints to standard output. A reader that has gone away (`| head`) is no error.
///
/// # Errors
/// Any other failure to write.
pub fn print_stdout(text: &str) -> std::io::Result<()> {
    write_stdout(printable(text).as_bytes())
}

/// Writes bytes for a program that reads them, as they are.
///
/// # Errors
/// As [`print_stdout`].
pub fn write_stdout(bytes: &[u8]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Prints a value as JSON.
///
/// # Errors
/// As [`print_stdout`].
pub fn print_json(value: &impl serde::Serialize) -> std::io::Result<()> {
    print_stdout(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// Text with control characters, other than line breaks, as visible escapes: file names can hold characters that move a
/// cursor.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push(c),
            c if c.is_control() => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    shown
}
