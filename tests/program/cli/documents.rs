//! Commands in the documents: each is one that the program accepts, and docs/cli.md is that of the program.

#[path = "../../../examples/make_docs/commands.rs"]
mod reference;

use std::{fs, path::PathBuf};

use clap::CommandFactory;
use throng::{cli::Cli, config::Config, dataset::Ranges, file::open_joint_map, label::Mapping};

use super::temporary;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// README and all pages below docs, but for docs/cli.md.
fn documents() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md")];
    for folder in ["docs", "docs/how-to"] {
        let entries = fs::read_dir(root().join(folder)).expect("documents");
        let paths = entries.flatten().map(|entry| entry.path());
        found.extend(paths.filter(|path| path.extension().is_some_and(|e| e == "md") && !path.ends_with("cli.md")));
    }
    found
}

/// Commands of a text: lines of code that begin with `throng`, and whole spans of code.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if in_block {
            found.push(line);
        } else {
            found.extend(line.split('`').skip(1).step_by(2));
        }
    }
    // Parts of a pipe are commands, too; in a table its bar stands after a backslash.
    let parts = found.into_iter().flat_map(|line| line.split('|'));
    let parts = parts.map(|part| part.trim().trim_end_matches('\\'));
    let is_command = |line: &&str| line.starts_with("throng ") && !line.contains(['…', '[', '$', '<']);
    // After a command, three spaces begin its explanation.
    let bare = |line: &str| line.split("   ").next().unwrap_or(line).to_owned();
    parts.filter(is_command).map(bare).collect()
}

#[test]
fn every_command_in_the_documents_is_accepted() {
    let (mut accepted, mut refused) = (0, Vec::new());
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document");
        for command in commands(&text) {
            let words = shlex::split(&command).unwrap_or_else(|| panic!("{}: {command}", path.display()));
            // A command's name alone, without what it needs, is a mention.
            let known = Cli::command().find_subcommand(&words[1]).is_some();
            if words[1] == "help" || (known && words.len() == 2) {
                continue;
            }
            match Cli::command().try_get_matches_from(&words) {
                Ok(_) => accepted += 1,
                Err(error) if error.kind() == clap::error::ErrorKind::DisplayHelp => accepted += 1,
                Err(error) => refused.push(format!("{}: {command}: {error}", path.display())),
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(accepted >= 25, "{accepted} commands");
}

#[test]
fn a_command_that_does_not_exist_is_noticed() {
    assert_eq!(
        commands("a `throng shot -o a.png` b `throng …`"),
        ["throng shot -o a.png"]
    );
    assert_eq!(
        commands("```\nthrong shot --no-such   explained\n```"),
        ["throng shot --no-such"]
    );
    assert_eq!(commands("`throng film -o - \\| ffplay -`"), ["throng film -o - "]);
    assert!(
        Cli::command()
            .try_get_matches_from(["throng", "shot", "--no-such"])
            .is_err()
    );
}

/// Blocks of code of a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let begin = format!("```{language}\n");
    let blocks = text.split(begin.as_str()).skip(1);
    blocks.filter_map(|rest| Some(rest.split_once("```")?.0)).collect()
}

#[test]
fn every_toml_snippet_is_read_and_that_of_ranges_states_the_defaults() {
    let folder = temporary();
    let mut read = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document");
        for block in blocks(&text, "toml") {
            let place = path.display().to_string();
            if block.contains("[dependencies]") {
                toml::from_str::<toml::Table>(block).expect("a manifest");
            } else if block.contains("[keypoints]") {
                Mapping::parse(&place, block).expect("key points");
            } else if block.contains("[lens]") {
                assert!(
                    Ranges::parse(&place, block).expect("ranges") == Ranges::default(),
                    "{place}"
                );
            } else if block.starts_with('"') {
                let map = folder.path().join("map.toml");
                fs::write(&map, block).expect("a file");
                open_joint_map(&map).expect("a joint map");
            } else {
                Config::parse(&place, block).expect("a scene");
            }
            read += 1;
        }
    }
    assert!(read >= 5, "{read} snippets");
}

#[test]
fn the_reference_of_commands_is_that_of_the_program() {
    let stored = fs::read_to_string(root().join("docs/cli.md")).expect("docs/cli.md");
    assert!(stored == reference::reference(), "run `cargo run --example make_docs`");
}
