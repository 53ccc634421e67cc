//! Reference of all commands and options, from the command line's own definitions.

use clap::CommandFactory;
use throng::cli::Cli;

/// Text of docs/cli.md. Examples become code, which Markdown indents by four spaces.
pub fn reference() -> String {
    let made = clap_markdown::help_markdown_command(&Cli::command());
    let (mut text, mut in_examples) = (String::new(), false);
    for line in made.lines() {
        let example = line.starts_with("  throng ");
        if example != in_examples {
            in_examples = example;
            text.push('\n');
        }
        let indent = if example { "  " } else { "" };
        text += &format!("{indent}{line}\n");
    }
    text
}
