//! The `throng` program: a thin edge over the library.

use std::process::ExitCode;

use clap::Parser;
use throng::cli::{self, Cli};

fn main() -> ExitCode {
    let cli = Cli::parse();
    cli::init_logging(cli.verbose);
    match cli::run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("throng: {error:#}");
            ExitCode::from(cli::exit_code(&error))
        }
    }
}
