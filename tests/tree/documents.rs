//! Documents: generated tables equal the stored reports, links lead somewhere, pages stay short.

#[path = "../../examples/make_docs/accuracy.rs"]
mod accuracy;
#[path = "../../examples/make_docs/document.rs"]
mod document;
#[path = "../../examples/make_docs/performance.rs"]
mod performance;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use document::{Table, filled, read};

use super::{files, root};

/// Documents at the top, and all below `docs`, but for the histories of changes and measurements.
fn documents() -> Vec<PathBuf> {
    let top = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "TESTING.md",
        "benches/README.md",
    ];
    let top = top.map(|file| root().join(file));
    top.into_iter().chain(files(&root().join("docs"), "md")).collect()
}

fn tables() -> Vec<Table> {
    performance::tables().into_iter().chain(accuracy::tables()).collect()
}

#[test]
fn generated_tables_are_those_of_the_stored_reports() {
    let mut parts = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("a document");
        parts += text.matches("<!-- generated: ").count();
        let command = "run `cargo run --example make_docs`";
        assert!(filled(&text, &tables()) == text, "{}: {command}", path.display());
    }
    assert!(parts >= 8, "{parts} generated parts");
}

#[test]
fn a_changed_figure_in_a_table_is_noticed() {
    let readme = read("README.md");
    let line = readme.lines().find(|line| line.starts_with("| plaza, 2,000"));
    let digit = line.expect("the row of the plaza").to_owned();
    let wrong = readme.replace(&digit, &digit.replacen("2,000", "2,001", 1));
    assert!(wrong != readme && filled(&wrong, &tables()) == readme);
}

#[test]
fn every_relative_link_leads_to_a_file_and_a_heading() {
    let mut links = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("a document");
        for target in targets(&text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            links += 1;
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let folder = path.parent().expect("a folder");
            let to = if file.is_empty() {
                path.clone()
            } else {
                folder.join(file)
            };
            assert!(to.exists(), "{}: {target} is missing", path.display());
            if !heading.is_empty() {
                assert!(
                    headings(&to).contains(heading),
                    "{}: {target} has no heading",
                    path.display()
                );
            }
        }
    }
    assert!(links >= 60, "{links} links");
}

/// Targets of all links and pictures outside code.
fn targets(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        }
        if in_block {
            continue;
        }
        let ends = line.match_indices("](").map(|(at, _)| &line[at + 2..]);
        found.extend(ends.filter_map(|rest| rest.split([')', ' ']).next()));
    }
    found
}

/// Anchors of the headings of a document, as GitHub makes them.
fn headings(path: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(path).expect("a document");
    let titles = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    titles.map(anchor).collect()
}

#[test]
fn the_readme_is_one_page_of_short_sentences() {
    let readme = read("README.md");
    assert!(readme.lines().count() <= 150, "{} lines", readme.lines().count());
    for file in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        for sentence in sentences(&read(file)) {
            let words = sentence.split_whitespace().count();
            assert!(words <= 30, "{file}: {words} words: {sentence}");
        }
    }
}

/// Sentences of a document's prose, without code and tables. Lists without full stops count as one sentence.
fn sentences(text: &str) -> Vec<String> {
    let mut in_block = false;
    let prose = text.lines().filter(|line| {
        let fence = line.starts_with("```");
        in_block ^= fence;
        !(in_block || fence || line.starts_with(['|', '#', '<']))
    });
    let mut found = vec![Vec::new()];
    for word in prose.flat_map(str::split_whitespace) {
        found.last_mut().expect("one").push(word);
        if word.ends_with(['.', '!', '?']) {
            found.push(Vec::new());
        }
    }
    found.into_iter().map(|words| words.join(" ")).collect()
}

#[test]
fn the_snippet_of_the_readme_is_that_of_the_example() {
    let (readme, example) = (read("README.md"), read("examples/embed.rs"));
    let block = readme
        .split_once("```rust\n")
        .and_then(|(_, rest)| rest.split_once("```"));
    let (block, _) = block.expect("a snippet");
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let example = squeezed(&example).replace(
        "concat!(env!(\"CARGO_MANIFEST_DIR\"),\"/assets/man.glb\")",
        "\"hero.glb\"",
    );
    for line in block.lines().filter(|line| !line.starts_with("//")) {
        assert!(example.contains(&squeezed(line)), "examples/embed.rs has no {line:?}");
    }
}
