//! Sections of `config/default.toml` that follow from the declarations of settings.

use serde::Serialize;

use crate::config::{
    BakeConfig, CameraConfig, Config, Key, LookConfig, RenderConfig, SceneConfig, TintConfig, TrajectoryConfig,
    WindowConfig,
    keys::{Kind, list},
    section::SettingText,
};

/// A declared section: its head in the file, and the lines below it.
struct Section {
    head: &'static str,
    lines: String,
}

impl Section {
    fn new<T: Serialize>(head: &'static str, defaults: &T, keys: &[Key], texts: &[SettingText]) -> Self {
        let values = toml::to_string(defaults).expect("defaults are TOML");
        let values: Vec<&str> = values.lines().take_while(|line| !line.starts_with('[')).collect();
        let settings = keys.iter().zip(texts).map(|(key, text)| setting(key, *text, &values));
        Self {
            head,
            lines: settings.collect(),
        }
    }
}

/// Text of `config/default.toml` with its declared sections made anew.
///
/// # Panics
/// A section is missing.
#[must_use]
pub fn with_declared_sections(file: &str) -> String {
    let Config {
        scene,
        look,
        camera,
        render,
        bake,
        window,
    } = &Config::default();
    let (tints, trajectories) = (&scene.tints, &scene.trajectories);
    let sections = [
        Section::new("[scene]\n", scene, SceneConfig::KEYS, SceneConfig::TEXTS),
        Section::new("[scene.tints]\n", tints, TintConfig::KEYS, TintConfig::TEXTS),
        Section::new(
            "[scene.trajectories]\n",
            trajectories,
            TrajectoryConfig::KEYS,
            TrajectoryConfig::TEXTS,
        ),
        Section::new("[look]\n", look, LookConfig::KEYS, LookConfig::TEXTS),
        Section::new("[camera]\n", camera, CameraConfig::KEYS, CameraConfig::TEXTS),
        Section::new("[render]\n", render, RenderConfig::KEYS, RenderConfig::TEXTS),
        Section::new("[bake]\n", bake, BakeConfig::KEYS, BakeConfig::TEXTS),
        Section::new("[window]\n", window, WindowConfig::KEYS, WindowConfig::TEXTS),
    ];
    sections.iter().fold(file.to_owned(), |file, Section { head, lines }| {
        let (before, rest) = file.split_once(head).expect("a section with this head");
        // The settings of a section have no empty lines between them, and end with one, or with the file.
        match rest.split_once("\n\n") {
            Some((_, after)) => format!("{before}{head}{lines}\n{after}"),
            None => format!("{before}{head}{lines}"),
        }
    })
}

/// Lines of a setting: its comment, and its default among the `values` of its section. A setting without a default
/// has its example, commented out.
fn setting(key: &Key, text: SettingText, values: &[&str]) -> String {
    let (_, name) = key.path.rsplit_once('.').expect("paths have a section");
    let is_value = |line: &&&str| line.split_once(" = ").is_some_and(|(own, _)| own == name);
    let line = match (values.iter().find(is_value), text.example) {
        (Some(line), _) => (*line).to_owned(),
        (None, Some(example)) => format!("# {name} = {example}"),
        (None, None) => panic!("{} has no default and no example", key.path),
    };
    format!("{}{line}\n", comment(key, text.text))
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
        Kind::Integer(min, i64::MAX) => format!(", {min} to 2^63-1{unit}"),
        Kind::Integer(min, max) => format!(", {min} to {max}{unit}"),
        Kind::Number(min, max) | Kind::Numbers(min, max) => format!(", {min} to {max}{unit}"),
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
            (SceneConfig::KEYS, SceneConfig::TEXTS),
            (TrajectoryConfig::KEYS, TrajectoryConfig::TEXTS),
            (LookConfig::KEYS, LookConfig::TEXTS),
            (RenderConfig::KEYS, RenderConfig::TEXTS),
        ];
        for (key, text) in sections.into_iter().flat_map(|(keys, texts)| keys.iter().zip(texts)) {
            let Kind::OneOf(words) = key.kind else { continue };
            let comment = comment(key, text.text);
            for word in words() {
                assert!(comment.contains(&format!("\"{word}\"")), "{}: {word}", key.path);
            }
        }
    }
}
