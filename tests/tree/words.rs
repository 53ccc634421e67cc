//! Words of the project: identifiers use the field's (docs/glossary.md), doc comments have a subject.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use super::{files, root};

/// Words at the beginning of a doc comment that leave it without a subject: rustdoc shows each alone.
const WITHOUT_SUBJECT: &[&str] = &[
    "The same", "Of", "By", "What", "Whatever", "Who", "Whoever", "Whose", "Those", "That",
];

/// Words that no identifier may use, and identifiers that may.
struct Glossary {
    /// Lowercase; a word of several parts stands for a whole identifier.
    words: BTreeSet<String>,
    /// Identifiers with a word in another meaning.
    ordinary: BTreeSet<String>,
}

impl Glossary {
    /// Reads the tables of docs/glossary.md.
    fn read(page: &str) -> Self {
        let code = |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
        let (mut words, mut ordinary) = (BTreeSet::new(), BTreeSet::new());
        let mut section = "";
        for line in page.lines() {
            if let Some(title) = line.strip_prefix("## ") {
                section = title;
            }
            let cells: Vec<&str> = line.split('|').collect();
            if cells.len() < 4 || !cells[1].trim_start().starts_with('`') {
                continue;
            }
            match section {
                "Names inside files" => {}
                "Ordinary uses" => ordinary.extend(code(cells[2])),
                _ => words.extend(code(cells[1]).iter().map(|word| word.to_lowercase())),
            }
        }
        Self { words, ordinary }
    }

    /// Word of a left column in an identifier.
    fn private_word(&self, identifier: &str) -> Option<&str> {
        if self.ordinary.contains(identifier) {
            return None;
        }
        let whole = identifier.to_lowercase();
        let own = std::iter::once(whole).chain(parts(identifier));
        own.filter_map(|part| self.words.get(&part).map(String::as_str)).next()
    }
}

/// Parts of a name in snake, camel or capital case, in lowercase.
fn parts(identifier: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let letters: Vec<char> = identifier.chars().collect();
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let starts_word = letter.is_uppercase()
            && (before.is_some_and(|b| !b.is_uppercase()) || letters.get(at + 1).is_some_and(|n| n.is_lowercase()));
        if starts_word || !letter.is_alphabetic() {
            parts.push(String::new());
        }
        if letter.is_alphabetic() {
            parts.last_mut().expect("one at least").extend(letter.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Identifiers of a line of Rust or WGSL, without those in comments and strings.
fn identifiers(line: &str) -> Vec<String> {
    let mut code = String::new();
    let mut is_text = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if is_text => drop(letters.next()),
            '"' => is_text = !is_text,
            '/' if !is_text && letters.peek() == Some(&'/') => break,
            _ if !is_text => code.push(letter),
            _ => {}
        }
    }
    let names = code.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// True if a doc comment begins without a subject.
fn lacks_subject(comment: &str) -> bool {
    WITHOUT_SUBJECT.iter().any(|start| {
        let rest = comment.strip_prefix(start);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    })
}

/// First lines of the doc comments of a source, with their numbers.
fn doc_comments(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_doc = |line: &str| line.trim_start().starts_with("///");
    let pairs = std::iter::once("").chain(source.lines()).zip(source.lines());
    (1..)
        .zip(pairs)
        .filter(move |(_, (before, line))| is_doc(line) && !is_doc(before))
        .map(|(number, (_, line))| (number, line.trim_start().trim_start_matches('/').trim_start()))
}

fn sources() -> Vec<(String, String)> {
    let root = root();
    let folders = [("src", "rs"), ("shaders", "wgsl")];
    let paths = folders
        .iter()
        .flat_map(|(folder, ending)| files(&root.join(folder), ending));
    let read = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).expect("readable source");
        (
            path.strip_prefix(&root).expect("below the root").display().to_string(),
            text,
        )
    };
    let all: Vec<_> = paths.map(read).collect();
    assert!(all.len() > 400, "{} files", all.len());
    all
}

fn glossary() -> Glossary {
    Glossary::read(&fs::read_to_string(root().join("docs/glossary.md")).expect("docs/glossary.md"))
}

#[test]
fn identifiers_use_the_words_of_the_field() {
    let glossary = glossary();
    assert!(glossary.words.len() > 60 && glossary.ordinary.len() > 10);
    let mut found = Vec::new();
    for (path, text) in sources() {
        for (number, line) in (1..).zip(text.lines()) {
            for name in identifiers(line) {
                if let Some(word) = glossary.private_word(&name) {
                    found.push(format!("{path}:{number}: {name} ({word})"));
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "docs/glossary.md has another word for these, or list them under its ordinary uses:\n{}",
        found.join("\n")
    );
}

#[test]
fn doc_comments_have_a_subject() {
    let mut found = Vec::new();
    for (path, text) in sources() {
        for (number, comment) in doc_comments(&text) {
            if lacks_subject(comment) {
                found.push(format!("{path}:{number}: {comment}"));
            }
        }
    }
    assert!(
        found.is_empty(),
        "{} begin without a subject:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn each_ordinary_use_still_occurs() {
    let all: BTreeMap<String, String> = sources().into_iter().collect();
    let names: BTreeSet<String> = all
        .values()
        .flat_map(|text| text.lines().flat_map(identifiers))
        .collect();
    let glossary = glossary();
    let gone: Vec<_> = glossary.ordinary.iter().filter(|name| !names.contains(*name)).collect();
    assert!(
        gone.is_empty(),
        "docs/glossary.md lists ordinary uses that are gone: {gone:?}"
    );
}

#[test]
fn planted_words_and_comments_are_found() {
    let glossary = Glossary::read(
        "## Drawing\n| not | but |\n|---|---|\n| `sift` `draw_left` | x |\n## Ordinary uses\n| `sift` | `sift_flour` | y |\n",
    );
    assert_eq!(glossary.private_word("SiftFrame"), Some("sift"));
    assert_eq!(glossary.private_word("NO_SIFT"), Some("sift"));
    assert_eq!(glossary.private_word("draw_left"), Some("draw_left"));
    assert_eq!(glossary.private_word("sifting"), None);
    assert_eq!(glossary.private_word("sift_flour"), None);
    assert_eq!(identifiers(r#"let a = "sift \" sift"; // sift"#), ["let", "a"]);
    assert!(lacks_subject("Of a frame.") && lacks_subject("What it is.") && lacks_subject("The same, later."));
    assert!(!lacks_subject("Offset (m).") && !lacks_subject("Byte size.") && !lacks_subject("Thatch."));
    let comments: Vec<_> = doc_comments("/// One.\n/// Two.\nfn f() {}\n    /// Three.\n").collect();
    assert_eq!(comments, [(1, "One."), (4, "Three.")]);
}
