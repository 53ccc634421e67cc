//! Standard output that survives a reader who has gone away.

use std::io::Write;

/// Prints to standard output; a reader that has gone away (`| head`) is no error.
///
/// # Errors
/// Any other failure to write.
pub fn print_stdout(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
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
