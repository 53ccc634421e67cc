//! Documents: generated tables equal the stored reports, links lead somewhere, pages stay short.

#[path = "../../examples/make_docs/accuracy.rs"]
mod accuracy;
#[path = "../../examples/make_docs/document.rs"]
mod document;
#[path = "../../examples/make_docs/formats.rs"]
mod formats;
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
    [performance::tables(), accuracy::tables(), formats::tables()].concat()
}

#[test]
fn generated_tables_are_those_of_the_reports_and_the_program() {
    let mut parts = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("a document");
        parts += text.matches("<!-- generated: ").count();
        let command = "run `cargo run --example make_docs`";
        assert!(filled(&text, &tables()) == text, "{}: {command}", path.display());
    }
    assert!(parts >= 9, "{parts} generated parts");
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

#[test]
fn every_picture_is_shown_by_a_document() {
    let texts = documents()
        .into_iter()
        .map(|path| std::fs::read_to_string(path).expect("a document"));
    let texts: Vec<String> = texts.collect();
    for extension in ["png", "jpg", "gif"] {
        for picture in files(&root().join("docs/images"), extension) {
            let name = picture.file_name().expect("a name").to_string_lossy().into_owned();
            let shown = format!("images/{name})");
            assert!(
                texts.iter().any(|text| text.contains(&shown)),
                "no document shows {name}"
            );
        }
    }
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
fn every_rust_snippet_is_compiled_by_the_tests() {
    let compiled = squeezed(&read("tests/gpu/snippets.rs"));
    let mut snippets = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("a document");
        for block in text.split("```rust\n").skip(1) {
            let block = block.split("```").next().expect("code");
            let place = path.display();
            assert!(
                compiled.contains(&squeezed(block)),
                "{place}: tests/gpu/snippets.rs lacks\n{block}"
            );
            snippets += 1;
        }
    }
    assert!(snippets >= 7, "{snippets} snippets");
}

#[test]
fn every_json_block_is_json() {
    let mut blocks = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("a document");
        for block in text.split("```json\n").skip(1) {
            let block = block.split("```").next().expect("code");
            let read = serde_json::from_str::<serde_json::Value>(block);
            assert!(read.is_ok(), "{}: {read:?}\n{block}", path.display());
            blocks += 1;
        }
    }
    assert!(blocks >= 2, "{blocks} blocks");
}

/// Code without comments, white space, and commas before closing brackets.
fn squeezed(code: &str) -> String {
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or(line));
    let code: String = lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect();
    code.replace(",)", ")").replace(",}", "}").replace(",]", "]")
}

/// Spans of code of a document, and lines of its blocks of code.
fn code(text: &str) -> Vec<&str> {
    let mut in_block = false;
    let of_line = |line| {
        let fence = str::trim_start(line).starts_with("```");
        in_block ^= fence;
        let spans: Vec<&str> = if in_block {
            vec![line]
        } else {
            line.split('`').skip(1).step_by(2).collect()
        };
        if fence { Vec::new() } else { spans }
    };
    text.lines().flat_map(of_line).collect()
}

/// Folders of the source tree whose files documents name by their path.
const NAMED: [&str; 12] = [
    ".ci/",
    "assets/",
    "benches/",
    "config/",
    "docs/",
    "examples/",
    "fuzz/",
    "shaders/",
    "src/",
    "tests/",
    "web/",
    "proptest-regressions/",
];

#[test]
fn every_file_that_a_document_names_exists() {
    let mut named = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("a document");
        for word in code(&text).into_iter().flat_map(str::split_whitespace) {
            let word = word.trim_matches(|c| matches!(c, '"' | ',' | ';' | ':' | '(' | ')'));
            let is_pattern = word.contains("NAME") || word.contains(['*', '%', '$', '{', '<', '…']);
            // What a build writes, or a person: no file of the tree.
            let is_made = ["web/dist", "web/target", "benches/results/"]
                .iter()
                .any(|made| word.starts_with(made));
            if is_pattern || is_made || !NAMED.iter().any(|folder| word.starts_with(folder)) {
                continue;
            }
            assert!(root().join(word).exists(), "{}: {word} is missing", path.display());
            named += 1;
        }
    }
    assert!(named >= 100, "{named} files");
}

#[test]
fn every_example_and_test_module_that_a_document_names_exists() {
    let (mut examples, mut modules) = (0, 0);
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("a document");
        for line in code(&text) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let after = |option: &str| Some(words[words.iter().position(|word| *word == option)? + 1..].to_vec());
            if let Some(example) = after("--example").and_then(|rest| rest.first().copied()) {
                let (file, folder) = (format!("examples/{example}.rs"), format!("examples/{example}/main.rs"));
                let place = path.display();
                assert!(
                    [file, folder].iter().any(|file| root().join(file).exists()),
                    "{place}: {example}"
                );
                examples += 1;
            }
            let Some((binary, rest)) = after("--test").and_then(|rest| Some((*rest.first()?, rest.clone()))) else {
                continue;
            };
            for filter in rest.iter().filter_map(|word| word.strip_suffix("::")) {
                let module = format!("tests/{binary}/{}", filter.replace("::", "/"));
                let found = root().join(&module).is_dir() || root().join(format!("{module}.rs")).exists();
                assert!(
                    found || filter.contains("NAME"),
                    "{}: {binary} has no {filter}",
                    path.display()
                );
                modules += 1;
            }
        }
    }
    assert!(examples >= 8 && modules >= 20, "{examples} examples, {modules} modules");
}

#[test]
fn a_file_that_is_missing_is_noticed() {
    assert_eq!(
        code("a `src/no.rs` b\n```\ncargo test\n```\n`c`"),
        ["src/no.rs", "cargo test", "c"]
    );
    assert!(squeezed("f(\n  a, // b\n  c,\n)") == "f(a,c)");
}
