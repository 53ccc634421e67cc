//! The `throng` program: a thin edge over the library.

use std::process::ExitCode;

use clap::Parser;
use throng::cli::{self, Cli};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            eprintln!("throng: {}", cli::usage_error(&error));
            return ExitCode::from(2);
        }
        // Help and version.
        Err(text) => text.exit(),
    };
    cli::init_logging(cli.verbose);
    match cli::run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("throng: {}", cli::one_line(&format!("{error:#}")));
            ExitCode::from(cli::exit_code(&error))
        }
    }
}
