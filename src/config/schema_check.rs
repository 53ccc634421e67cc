//! Checks a parsed file against [`KEYS`] while line numbers are still known.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeArray, DeString, DeTable, DeValue},
};

use crate::{
    config::{
        ConfigError, Group, KEYS, Kind,
        aliases::SCHEMA,
        error::Place,
        keys::{MOST_POINTS, children, group_names, key_at, list},
    },
    crowd::tints::{RAMP_LEN, parse_hex},
};

/// Text of a file that is checked.
pub(crate) struct SourceText<'a> {
    /// Name as given by the user.
    pub file: &'a str,
    /// Whole text.
    pub text: &'a str,
}

impl SourceText<'_> {
    /// Place of a byte range.
    pub(super) fn place(&self, span: &Range<usize>) -> Place {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        Place {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
        }
    }

    /// Removes the schema number from a file, if it has one, and checks it.
    pub(super) fn take_schema(&self, table: &mut DeTable<'_>) -> Result<(), ConfigError> {
        const KNOWN: Kind = Kind::IntegerOf(&[SCHEMA as i64]);
        let schema = table.remove("schema");
        schema.map_or(Ok(()), |schema| self.check_value("schema", KNOWN, &schema))
    }

    /// Checks that every key is known and every value of the right type and in range.
    pub(super) fn check(&self, table: &DeTable<'_>) -> Result<(), ConfigError> {
        self.check_table(&[], table)
    }

    fn check_table(&self, path: &[&str], table: &DeTable<'_>) -> Result<(), ConfigError> {
        // Tables iterate in alphabetical order, but people read from the top: report the first error of the file.
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in entries {
            self.check_entry(&[path, &[name.get_ref()]].concat(), name, value)?;
        }
        Ok(())
    }

    fn check_entry(
        &self,
        path: &[&str],
        name: &Spanned<DeString<'_>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), ConfigError> {
        let place = self.place(&name.span());
        let full = path.join(".");
        if let Some(key) = key_at(path) {
            return self.check_value(&full, key.kind, value);
        }
        if !is_table(path) {
            let hint = hint_for_key(path);
            return Err(ConfigError::UnknownKey { place, key: full, hint });
        }
        match value.get_ref() {
            DeValue::Table(table) => self.check_table(path, table),
            DeValue::Array(items) if is_list(path) => self.check_list(path, items),
            other => Err(ConfigError::WrongType {
                place,
                key: full,
                found: describe(other),
                expected: "a table".to_owned(),
            }),
        }
    }

    /// Checks a list of tables, each as a table whose name is its index.
    fn check_list(&self, path: &[&str], items: &DeArray<'_>) -> Result<(), ConfigError> {
        (0..)
            .zip(items.iter())
            .try_for_each(|(index, item): (usize, _)| match item.get_ref() {
                DeValue::Table(table) => self.check_table(&[path, &[&index.to_string()]].concat(), table),
                other => Err(ConfigError::WrongType {
                    place: self.place(&item.span()),
                    key: path.join("."),
                    found: describe(other),
                    expected: "an array of tables".to_owned(),
                }),
            })
    }

    fn check_value(&self, path: &str, kind: Kind, value: &Spanned<DeValue<'_>>) -> Result<(), ConfigError> {
        let place = self.place(&value.span());
        let key = path.to_owned();
        match check_type(kind, value.get_ref()) {
            TypeCheck::Fits => Ok(()),
            TypeCheck::WrongType => Err(ConfigError::WrongType {
                place,
                key,
                found: describe(value.get_ref()),
                expected: kind.expects(),
            }),
            TypeCheck::NotAllowed => Err(ConfigError::OutOfRange {
                place,
                key,
                value: self.text.get(value.span()).unwrap_or_default().to_owned(),
                expected: kind.expects() + &hint_for_value(kind, value.get_ref()),
            }),
        }
    }
}

enum TypeCheck {
    Fits,
    WrongType,
    NotAllowed,
}

impl TypeCheck {
    fn allow(allowed: bool) -> Self {
        if allowed { Self::Fits } else { Self::NotAllowed }
    }
}

fn check_type(kind: Kind, value: &DeValue<'_>) -> TypeCheck {
    match (kind, value) {
        (Kind::Text, DeValue::String(_)) | (Kind::Bool, DeValue::Boolean(_)) => TypeCheck::Fits,
        (Kind::Integer(min, max), DeValue::Integer(_)) => {
            TypeCheck::allow(integer(value).is_some_and(|number| (min..=max).contains(&number)))
        }
        (Kind::IntegerOf(values), DeValue::Integer(_)) => {
            TypeCheck::allow(integer(value).is_some_and(|number| values.contains(&number)))
        }
        (Kind::Number(min, max), DeValue::Integer(_) | DeValue::Float(_)) => {
            TypeCheck::allow(number(value).is_some_and(|number| (min..=max).contains(&number)))
        }
        (Kind::OneOf(words), DeValue::String(word)) => TypeCheck::allow(words().iter().any(|w| w == word)),
        (Kind::Texts, DeValue::Array(items)) if items.iter().all(|item| item.get_ref().is_str()) => TypeCheck::Fits,
        (Kind::Colours, DeValue::Array(items)) if items.iter().all(|item| item.get_ref().is_str()) => {
            let mut colours = items.iter().filter_map(|item| item.get_ref().as_str());
            TypeCheck::allow(items.len() <= RAMP_LEN && colours.all(|text| parse_hex(text).is_some()))
        }
        (Kind::Point, DeValue::Array(items)) if items.len() == 3 => numbers(items)
            .map_or(TypeCheck::WrongType, |point| {
                TypeCheck::allow(point.into_iter().all(Kind::coordinate))
            }),
        (Kind::Points, DeValue::Array(items)) => {
            let point = |item: &Spanned<DeValue<'_>>| {
                let pair = item.get_ref().as_array().filter(|pair| pair.len() == 2);
                pair.and_then(numbers)
            };
            let points: Option<Vec<_>> = items.iter().map(point).collect();
            points.map_or(TypeCheck::WrongType, |points| {
                let near = points.iter().flatten().all(|&at| Kind::coordinate(at));
                TypeCheck::allow(near && (3..=MOST_POINTS).contains(&points.len()))
            })
        }
        (Kind::Numbers(min, max), DeValue::Array(items)) => numbers(items).map_or(TypeCheck::WrongType, |numbers| {
            TypeCheck::allow(numbers.iter().all(|number| (min..=max).contains(number)))
        }),
        (Kind::Range(min, max), DeValue::Array(items)) if items.len() == 2 => {
            numbers(items).map_or(TypeCheck::WrongType, |ends| {
                let allowed = ends.iter().all(|end| (min..=max).contains(end));
                TypeCheck::allow(allowed && ends[0] <= ends[1])
            })
        }
        _ => TypeCheck::WrongType,
    }
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// Items as numbers; `None` if one is not a number.
fn numbers(items: &DeArray<'_>) -> Option<Vec<f64>> {
    items.iter().map(|item| number(item.get_ref())).collect()
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value.as_float() {
        Some(float) => float.as_str().parse().ok(),
        None => integer(value).map(|number| number as f64),
    }
}

fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string \"{text}\""),
        DeValue::Integer(number) => format!("the integer {}", number.as_str()),
        DeValue::Float(number) => format!("the number {}", number.as_str()),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(items) => format!("an array of {}", items.len()),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// True if there are keys below a path. Names of groups are those of the layouts.
fn is_table(path: &[&str]) -> bool {
    match path {
        ["scene", "groups", name, ..] if Group::from_name(name).is_none() => false,
        _ => !children(path).is_empty(),
    }
}

/// True if a path holds a list of tables.
fn is_list(path: &[&str]) -> bool {
    match path {
        ["scene", "heroes" | "paths"] | ["camera", "path"] => true,
        [.., last] => ["props", "layers"].contains(last),
        [] => false,
    }
}

fn hint_for_key(path: &[&str]) -> String {
    let Some((name, parent)) = path.split_last() else {
        return String::new();
    };
    let mut siblings: Vec<String> = children(parent).into_iter().map(str::to_owned).collect();
    if parent == ["scene", "groups"] {
        siblings = group_names();
    }
    if let Some(near) = nearest(name, siblings.iter().map(String::as_str)) {
        return format!("; did you mean `{}`?", [parent, &[near]].concat().join("."));
    }
    let elsewhere = KEYS.iter().find(|key| key.path.rsplit('.').next() == Some(name));
    if let Some(key) = elsewhere {
        return format!("; the key is `{}`", key.path);
    }
    let known = list(siblings.into_iter().map(|name| format!("`{name}`")));
    match parent {
        [] => format!("; the tables are {known}"),
        _ => format!("; the keys of [{}] are {known}", parent.join(".")),
    }
}

fn hint_for_value(kind: Kind, value: &DeValue<'_>) -> String {
    let (Kind::OneOf(words), Some(word)) = (kind, value.as_str()) else {
        return String::new();
    };
    did_you_mean(word, words().iter().map(String::as_str))
}

/// "; did you mean ...?", or nothing if no candidate is near.
pub(crate) fn did_you_mean<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    nearest(name, candidates).map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"))
}

/// Candidate with the smallest edit distance to `name`, if small enough for a typing error.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let scored = candidates.map(|candidate| (distance(&name, &candidate.to_lowercase()), candidate));
    let (errors, near) = scored.min_by_key(|(errors, _)| *errors)?;
    (errors <= (name.chars().count() / 3).max(1)).then_some(near)
}

/// Edit distance between two words: insertions, deletions, substitutions and swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let same = usize::from(a[i - 1] != b[j - 1]);
                let mut best = (rows[i - 1][j - 1] + same).min(rows[i - 1][j].min(rows[i][j - 1]) + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_find_their_word() {
        let words = ["spacing", "speed", "speed_spread", "count"];
        let find = |name| nearest(name, words.into_iter());
        assert_eq!(find("spaceing"), Some("spacing"));
        assert_eq!(find("conut"), Some("count"));
        assert_eq!(find("SPEED"), Some("speed"));
        assert_eq!(find("elephant"), None);
        assert_eq!(nearest("nope", ["top", "close"].into_iter()), None);
    }
}
