//! The window.

use crate::cli::ViewArgs;

/// Opens the window.
///
/// # Errors
/// None yet.
pub fn run(_args: &ViewArgs) -> anyhow::Result<u8> {
    Ok(0)
}
