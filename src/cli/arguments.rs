//! The order of arguments: options may stand before the command.

use std::ffi::OsString;

use clap::{Command, CommandFactory};

use crate::cli::Cli;

/// The arguments, program name first, with the command in front of the options that stood before it:
/// `throng --adapter cpu shot` is `throng shot --adapter cpu`. Words that are values of options, and
/// all that follows a first word that is no command, stay where they are.
#[must_use]
pub fn command_first(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let command = Cli::command();
    let mut at = 1;
    while let Some(word) = arguments.get(at).and_then(|word| word.to_str()) {
        if word == "--" {
            break;
        }
        if !word.starts_with('-') {
            if command.get_subcommands().any(|known| known.get_name() == word) {
                arguments[1..=at].rotate_right(1);
            }
            break;
        }
        at += if takes_next(&command, word) { 2 } else { 1 };
    }
    arguments
}

/// Whether the word after an option is its value: so for those of any command that take one and do
/// not have it attached.
fn takes_next(command: &Command, word: &str) -> bool {
    let every = command.get_subcommands().chain([command]);
    let mut options = every.flat_map(Command::get_arguments);
    let named = options.find(|option| match word.strip_prefix("--") {
        Some(long) => option.get_long() == Some(long),
        None => word.len() == 2 && option.get_short() == word.chars().nth(1),
    });
    named.is_some_and(|option| option.get_action().takes_values())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(line: &str) -> String {
        let words = line.split(' ').map(OsString::from).collect();
        let ordered: Vec<String> = command_first(words)
            .into_iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        ordered.join(" ")
    }

    #[test]
    fn a_command_goes_before_options_and_values_stay() {
        for (given, wanted) in [
            ("throng -v info knight", "throng info -v knight"),
            (
                "throng --adapter cpu shot -o a.png",
                "throng shot --adapter cpu -o a.png",
            ),
            ("throng --adapter=cpu -vv shot", "throng shot --adapter=cpu -vv"),
            ("throng --scene shot", "throng --scene shot"),
            ("throng -o shot shot", "throng shot -o shot"),
            ("throng --json info knight", "throng info --json knight"),
            ("throng hero.glb shot", "throng hero.glb shot"),
            ("throng -- shot", "throng -- shot"),
            ("throng shot --time 3", "throng shot --time 3"),
            ("throng", "throng"),
        ] {
            assert_eq!(ordered(given), wanted);
        }
    }
}
