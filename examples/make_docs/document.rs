//! Generated parts of a document: tables between two comments that rustdoc, GitHub and crates.io do not show.

use std::path::PathBuf;

/// Table of a document, made from stored reports or from the program.
#[derive(Clone)]
pub struct Table {
    /// Name in the comment before it: `<!-- generated: NAME -->`.
    pub name: &'static str,
    /// Rows in Markdown, with a line break at the end.
    pub text: String,
}

/// Comment behind every generated part.
const END: &str = "<!-- end -->";

/// Folder of the source tree.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Reads a file of the source tree.
///
/// # Panics
/// The file cannot be read.
pub fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// Document with every generated part made anew.
///
/// # Panics
/// A part has no end, or a name that no table has.
pub fn filled(document: &str, tables: &[Table]) -> String {
    let mut parts = document.split("<!-- generated: ");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n").expect("a name and a line break");
        let (_, rest) = rest.split_once(END).unwrap_or_else(|| panic!("{name} has no {END}"));
        let table = tables.iter().find(|table| table.name == name);
        let table = table.unwrap_or_else(|| panic!("nothing makes {name}"));
        whole += &format!("<!-- generated: {name} -->\n{}{END}{rest}", table.text);
    }
    whole
}

/// Table in Markdown: the first row is the head.
pub fn markdown(rows: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
    let mut text = rows.first().map(line).unwrap_or_default();
    text += &format!("|{}\n", "---|".repeat(rows.first().map_or(0, Vec::len)));
    text + &rows.iter().skip(1).map(line).collect::<String>()
}

/// Figure with three significant digits, as tables show times: `4.09`, `46.9`, `209`, `4,137`.
pub fn three_digits(value: f64) -> String {
    match value.abs() {
        v if v >= 99.95 => thousands(value.round() as i64),
        v if v >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Whole number with a comma before every third digit.
pub fn thousands(value: i64) -> String {
    let digits = value.abs().to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0 { format!("-{text}") } else { text }
}
