//! Signals that end the program: unfinished outputs are removed first.

use std::{io, process, thread};

use signal_hook::{
    consts::{SIGINT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};

use crate::file::output::remove_unfinished;

/// Removes temporary files of unfinished outputs when Ctrl-C or a termination signal (from job schedulers) ends the
/// process. The process then ends by that signal. `bench` handles Ctrl-C itself; hang-ups keep their default, for
/// `nohup`.
///
/// # Errors
/// The system provides no handler or thread.
pub fn remove_unfinished_when_ended() -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let wait = move || {
        let Some(signal) = signals.forever().next() else {
            return;
        };
        remove_unfinished();
        if emulate_default_handler(signal).is_err() {
            process::exit(128 + signal);
        }
    };
    thread::Builder::new().name("signals".into()).spawn(wait)?;
    Ok(())
}
