//! Sections of `config/default.toml` that follow from the declarations of settings.

use serde::Serialize;

use crate::config::{
    Key, LookConfig, RenderConfig,
    keys::{Kind, list},
};

/// Text of `config/default.toml` with the sections `[look]` and `[render]` made anew.
///
/// # Panics
/// A section is missing.
#[must_use]
pub fn with_declared_sections(file: &str) -> String {
    let look = lines(&LookConfig::default(), LookConfig::KEYS, LookConfig::TEXTS);
    let render = lines(&RenderConfig::default(), RenderConfig::KEYS, RenderConfig::TEXTS);
    [("[look]\n", look), ("[render]\n", render)]
        .iter()
        .fold(file.to_owned(), |file, (head, lines)| {
            let (before, rest) = file.split_once(head).expect("a section with this head");
            // A section has no empty lines, and ends with one.
            let after = rest.split_once("\n\n").map_or("", |(_, after)| after);
            format!("{before}{head}{lines}\n{after}")
        })
}

/// Lines of a section: a comment and the default of each setting.
fn lines<T: Serialize>(defaults: &T, keys: &[Key], texts: &[&str]) -> String {
    let values = toml::to_string(defaults).expect("defaults are TOML");
    let settings = keys.iter().zip(texts).zip(values.lines());
    settings
        .map(|((key, text), value)| format!("{}{value}\n", comment(key, text)))
        .collect()
}

/// Comment of a setting: its text, with range and unit in the first sentence.
fn comment(key: &Key, text: &str) -> String {
    let text: String = text.lines().map(|line| format!("# {}\n", line.trim_start())).collect();
    let mut stops = text.match_indices('.').map(|(at, _)| at);
    let end = stops.find(|at| text[at + 1..].starts_with(char::is_whitespace));
    let (first, rest) = text.split_at(end.expect("texts are sentences"));
    format!("{first}{}{rest}", range(key, &text))
}

/// Range of a setting with its unit, as its comment states it. Words are listed unless the text explains each.
fn range(key: &Key, text: &str) -> String {
    let unit = if key.unit.is_empty() {
        String::new()
    } else {
        format!(" {}", key.unit)
    };
    match key.kind {
        Kind::Integer(min, max) => format!(", {min} to {max}{unit}"),
        Kind::Number(min, max) => format!(", {min} to {max}{unit}"),
        Kind::IntegerOf(values) => format!(", {}", list(values.iter().map(i64::to_string))),
        Kind::OneOf(words) if !text.contains('"') => {
            format!(": {}", list(words().into_iter().map(|word| format!("\"{word}\""))))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_state_range_and_unit_in_their_first_sentence() {
        let key = |kind, unit| Key {
            path: "look.depth",
            kind,
            unit,
        };
        let of = |kind, unit, text| comment(&key(kind, unit), text);
        let depth = of(Kind::Number(-0.5, 8.0), "metres", " Depth of the sea. It is\n salt.\n");
        assert_eq!(depth, "# Depth of the sea, -0.5 to 8 metres. It is\n# salt.\n");
        assert_eq!(of(Kind::Bool, "", " Waves.\n"), "# Waves.\n");
        assert_eq!(of(Kind::IntegerOf(&[1, 4]), "waves", " Waves.\n"), "# Waves, 1 or 4.\n");
        let words = || vec!["calm".to_owned(), "rough".to_owned()];
        assert_eq!(
            of(Kind::OneOf(words), "", " Waves.\n"),
            "# Waves: \"calm\" or \"rough\".\n"
        );
        let explained = " \"calm\", or \"rough\" (a storm).\n";
        assert_eq!(
            of(Kind::OneOf(words), "", explained),
            "# \"calm\", or \"rough\" (a storm).\n"
        );
    }

    #[test]
    fn every_word_of_a_setting_is_in_its_comment() {
        let sections = [
            (LookConfig::KEYS, LookConfig::TEXTS),
            (RenderConfig::KEYS, RenderConfig::TEXTS),
        ];
        for (key, text) in sections.into_iter().flat_map(|(keys, texts)| keys.iter().zip(texts)) {
            let Kind::OneOf(words) = key.kind else { continue };
            let comment = comment(key, text);
            for word in words() {
                assert!(comment.contains(&format!("\"{word}\"")), "{}: {word}", key.path);
            }
        }
    }
}
