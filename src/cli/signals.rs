//! Signals that end the program: what it has begun and nobody will finish is removed first.

use std::{io, process, thread};

use signal_hook::{
    consts::{SIGINT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};

use crate::file::output::remove_unfinished;

/// Removes the temporary files of unfinished outputs when Ctrl-C or a termination (as of job schedulers) ends the
/// process, which then ends by that signal. `bench` takes over Ctrl-C. A hang-up stays what it was, for `nohup`.
///
/// # Errors
/// The system has no handler or thread to give.
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
