//! The `throng` program: a thin edge over the library.

use std::process::ExitCode;

use clap::Parser;
use throng::cli::{self, Cli};

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(error) = quiet::start_again() {
        eprintln!("throng: cannot start itself again: {error}");
    }
    let given: Vec<_> = std::env::args_os().collect();
    let arguments = cli::command_first(given.clone());
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            eprintln!("throng: {}", cli::usage_error(&error));
            return ExitCode::from(2);
        }
        // Help and version.
        Err(text) => text.exit(),
    };
    cli::init_logging(cli.verbose);
    cli::warn_of_old_options(&given);
    #[cfg(unix)]
    if let Err(error) = cli::remove_unfinished_when_ended() {
        tracing::warn!("an interrupted command may leave a partial file behind: {error}");
    }
    match cli::run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("throng: {}", cli::one_line(&format!("{error:#}")));
            ExitCode::from(cli::exit_code(&error))
        }
    }
}

/// Mesa's device selection layer looks for a Wayland display, and writes to standard error if the folder of its socket
/// is unknown. Throng ranks adapters itself and does not need the layer.
#[cfg(target_os = "linux")]
mod quiet {
    use std::{env, io, os::unix::process::CommandExt, path::Path, process::Command};

    /// Variable that switches the layer off. The layer reads it before anything else in its library runs, and a program
    /// cannot set it for itself without `unsafe`.
    const SWITCH: &str = "NODEVICE_SELECT";

    /// Variables with which users tell the layer which GPU to choose: the layer stays on then.
    const CHOICES: [&str; 2] = ["DRI_PRIME", "MESA_VK_DEVICE_SELECT"];

    /// Restarts the program with the layer switched off if it would complain. Returns the error if that fails.
    pub(super) fn start_again() -> Option<io::Error> {
        let known = env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| Path::new(&folder).is_absolute());
        let wanted = CHOICES.into_iter().any(|name| env::var_os(name).is_some());
        if known || wanted || env::var_os(SWITCH).is_some() {
            return None;
        }
        let mut arguments = env::args_os();
        let name = arguments.next().unwrap_or_default();
        let program = env::current_exe().ok()?;
        let mut again = Command::new(program);
        Some(again.arg0(name).args(arguments).env(SWITCH, "1").exec())
    }
}
