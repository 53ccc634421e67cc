//! `throng completions` and `throng man`: shell completions and manual pages.

use std::{fs, path::PathBuf};

use anyhow::Context;
use clap::{Args, Command, CommandFactory};
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use crate::{cli::Cli, console::write_stdout, file::output::Output};

const COMPLETIONS: &str = "\
Examples:
  throng completions bash > ~/.local/share/bash-completion/completions/throng
  throng completions zsh > ~/.zfunc/_throng
  throng completions fish > ~/.config/fish/completions/throng.fish";

const MAN: &str = "\
Examples:
  throng man | man -l -
  throng man -o ~/.local/share/man/man1      then: man throng-bake";

/// Arguments of `completions`.
#[derive(Args, Debug, Clone)]
#[command(after_help = COMPLETIONS)]
pub struct CompletionsArgs {
    /// Shell whose completions are printed.
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Args, Debug, Clone)]
#[command(after_help = MAN)]
pub struct ManArgs {
    /// Folder for throng.1 and a page for every command (throng-shot.1, …).
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
}

/// Prints the completions of a shell.
///
/// # Errors
/// Standard output cannot be written.
pub fn completions(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "throng", &mut script);
    Ok(write_stdout(&script)?)
}

/// Prints the manual page, or writes all.
///
/// # Errors
/// The folder cannot be written.
pub fn man(args: &ManArgs) -> anyhow::Result<()> {
    let mut command = Cli::command();
    let Some(folder) = &args.output else {
        return Ok(write_stdout(&page(command)?)?);
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    command.build();
    let mut pages = vec![(command.get_name().to_owned(), command.clone())];
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        let name = format!("{}-{}", command.get_name(), below.get_name());
        pages.push((name, below.clone()));
    }
    for (name, command) in pages {
        Output::create(&folder.join(format!("{name}.1")))?.write(&page(command)?)?;
    }
    Ok(())
}

fn page(command: Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(page)
}
