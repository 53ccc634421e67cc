//! The order of arguments, and old names of options.

use std::ffi::OsString;

use clap::{Command, CommandFactory};

use crate::{
    cli::Cli,
    config::aliases::{Alias, AliasKind},
};

/// Moves the command in front of the options before it: `throng --adapter cpu shot` becomes `throng shot --adapter
/// cpu`. Values of options stay with them, and nothing moves after a first word that is no command. The program name
/// comes first.
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

/// True if the word after an option is its value: an option of any command that takes one and has none attached.
fn takes_next(command: &Command, word: &str) -> bool {
    let every = command.get_subcommands().chain([command]);
    let mut options = every.flat_map(Command::get_arguments);
    let named = options.find(|option| match word.strip_prefix("--") {
        Some(long) => {
            let has_alias = || option.get_all_aliases().is_some_and(|all| all.contains(&long));
            option.get_long() == Some(long) || has_alias()
        }
        None => word.len() == 2 && option.get_short() == word.chars().nth(1),
    });
    named.is_some_and(|option| option.get_action().takes_values())
}

/// Warns of options with an old name, once each. The arguments must be valid: no value of an option then looks like
/// the name of one.
pub fn warn_of_old_options(arguments: &[OsString]) {
    old_options(arguments).for_each(|alias| alias.warn(""));
}

/// Rows of the table of aliases that the arguments need.
fn old_options(arguments: &[OsString]) -> impl Iterator<Item = &'static Alias> {
    let words = arguments.iter().skip(1).take_while(|word| *word != "--");
    let names: Vec<&str> = words.filter_map(|word| word.to_str()?.split('=').next()).collect();
    Alias::of(AliasKind::Option)
        .filter(move |alias| names.contains(&alias.old))
        .chain(old_words(arguments))
}

/// Rows of the table whose word is a value of the option of its setting: `--technique` or, in a list, `--techniques`.
fn old_words(arguments: &[OsString]) -> impl Iterator<Item = &'static Alias> {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let values = move |name: &str| -> Vec<&str> {
        let options = words.iter().enumerate().filter_map(|(at, word)| {
            let (option, attached) = word.split_once('=').map_or((*word, None), |(o, v)| (o, Some(v)));
            let is_named = option
                .strip_prefix("--")
                .is_some_and(|o| o.trim_end_matches('s') == name);
            is_named.then(|| attached.or(words.get(at + 1).copied())).flatten()
        });
        options.flat_map(|value| value.split(',')).collect()
    };
    Alias::words().filter_map(move |(setting, alias)| {
        let name = setting.rsplit('.').next().unwrap_or(setting);
        values(name).contains(&alias.old).then_some(alias)
    })
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

    #[test]
    fn every_option_of_the_table_works_under_its_old_name_and_shows_the_new_one() {
        let command = Cli::command();
        for alias in Alias::of(AliasKind::Option) {
            let [old, new] = [alias.old, alias.new].map(|name| name.trim_start_matches("--"));
            let every = command.get_subcommands().chain([&command]);
            let mut options: Vec<_> = every.flat_map(Command::get_arguments).collect();
            options.retain(|option| option.get_long() == Some(new));
            assert!(!options.is_empty(), "{new}");
            for option in options {
                assert_eq!(option.get_all_aliases(), Some(vec![old]));
                let shown = option.get_visible_aliases().unwrap_or_default();
                assert!(shown.is_empty(), "{old} is not in the help");
            }
        }
    }

    #[test]
    fn old_options_are_found_and_values_are_not() {
        let found = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            old_options(&words).map(|alias| alias.new).collect::<Vec<_>>()
        };
        assert_eq!(
            found("throng shot --raster-rows 5 --raster-rows=6"),
            ["--sw-raster-max-rows"]
        );
        assert_eq!(found("throng shot --pace=2 --frame-interval 3"), ["--frame-interval"]);
        for old in [
            "shot --technique naive",
            "--technique=naive",
            "bench --techniques matrix,naive",
        ] {
            assert_eq!(found(&format!("throng {old}")), ["textbook"]);
        }
        assert!(found("throng shot -o naive --technique matrix").is_empty());
        assert_eq!(
            found("throng --no-memory bake --ranks"),
            ["--for-formations", "--no-persist"]
        );
        for new in [
            "throng shot -- --pace",
            "throng shot --camera=--pace",
            "--pace shot",
            "throng shot --paces 2",
        ] {
            assert!(found(new).is_empty(), "{new}");
        }
    }
}
