//! Shaders' structs with the mark, as they are written.

use std::collections::BTreeMap;

const MARK: &str = "// shared with Rust";

/// Struct that a shader shares.
pub struct Shared {
    /// Path with forward slashes.
    pub file: String,
    /// Condition under which the shader declares it; empty: always.
    pub condition: String,
    pub name: String,
    pub rust_name: String,
    /// True if it has an order and a hash in Rust.
    pub is_ordered: bool,
    pub docs: Vec<String>,
    pub members: Vec<Member>,
    /// Line of its end.
    pub end: usize,
}

/// Member of a shared struct.
pub struct Member {
    pub line: usize,
    pub name: String,
    pub wgsl_type: String,
    pub docs: Vec<String>,
}

/// Shared structs by their names in shaders.
pub type SharedStructs = BTreeMap<String, Shared>;

impl Shared {
    /// Message about a line of its file.
    pub fn error(&self, line: usize, message: &str) -> String {
        format!("{}:{line}: {message}", self.file)
    }
}

/// Adds the shared structs of a file.
pub fn read(file: &str, text: &str, all: &mut SharedStructs) -> Result<(), String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (at, line) in lines.iter().enumerate() {
        let Some((before, mark)) = line.split_once(MARK) else {
            continue;
        };
        let name = before.strip_prefix("struct ").and_then(|rest| rest.strip_suffix(" { "));
        let name = name.ok_or_else(|| format!("{file}:{}: the mark follows `struct NAME {{`", at + 1))?;
        let mut shared = marked(name, mark).ok_or_else(|| format!("{file}:{}: unknown mark:{mark}", at + 1))?;
        file.clone_into(&mut shared.file);
        shared.end = at;
        read_above(&mut shared, &lines[..at]);
        read_members(&mut shared, &lines)?;
        all.insert(name.to_owned(), shared);
    }
    Ok(())
}

/// A struct by its name and the end of its mark: ` as NAME` and `, ordered`, if any.
fn marked(name: &str, mark: &str) -> Option<Shared> {
    let unordered = mark.strip_suffix(", ordered");
    let rust_name = match unordered.unwrap_or(mark) {
        "" => name,
        renamed => renamed.strip_prefix(" as ")?,
    };
    Some(Shared {
        file: String::new(),
        condition: String::new(),
        name: name.to_owned(),
        rust_name: rust_name.to_owned(),
        is_ordered: unordered.is_some(),
        docs: Vec::new(),
        members: Vec::new(),
        end: 0,
    })
}

/// Reads the condition and the comments above a struct.
fn read_above(shared: &mut Shared, mut above: &[&str]) {
    if let Some((last, rest)) = above.split_last()
        && let Some(condition) = last.strip_prefix("@if(").and_then(|rest| rest.strip_suffix(')'))
    {
        condition.clone_into(&mut shared.condition);
        above = rest;
    }
    let docs = above.iter().rev().map_while(|line| line.strip_prefix("///"));
    shared.docs = docs.map(str::to_owned).collect();
    shared.docs.reverse();
}

/// Reads the members, one a line, up to the end of the struct.
fn read_members(shared: &mut Shared, lines: &[&str]) -> Result<(), String> {
    let mut docs = Vec::new();
    for (number, &line) in (1..).zip(lines).skip(shared.end + 1) {
        if line == "}" {
            shared.end = number;
            return Ok(());
        }
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(doc.to_owned());
        } else if !line.starts_with("//") {
            let member = line.strip_suffix(',').filter(|line| !line.starts_with('@'));
            let (name, wgsl_type) = member
                .and_then(|member| member.split_once(": "))
                .ok_or_else(|| shared.error(number, "a member is a line `NAME: TYPE,`, without attributes"))?;
            shared.members.push(Member {
                line: number,
                name: name.to_owned(),
                wgsl_type: wgsl_type.to_owned(),
                docs: std::mem::take(&mut docs),
            });
        }
    }
    Err(shared.error(lines.len(), "the struct has no end"))
}
