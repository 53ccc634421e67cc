//! From files and presets to a [`Config`].

use std::path::Path;

use toml::de::DeTable;

use super::{
    BehaviourConfig, Config, ConfigError,
    check::{Source, did_you_mean},
    error::Place,
    keys::list,
};
use crate::camera::BUILT_IN_VIEWS;

/// Scenes inside the program: name and file. Each holds only what differs from the defaults.
const PRESETS: [(&str, &str); 5] = [
    ("plaza", include_str!("../../config/plaza.toml")),
    ("stadium", include_str!("../../config/stadium.toml")),
    ("army", include_str!("../../config/army.toml")),
    ("stress", include_str!("../../config/stress.toml")),
    ("million", include_str!("../../config/million.toml")),
];

impl Config {
    /// The names that [`Self::scene`] knows, in the order in which to show them.
    pub fn preset_names() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|(name, _)| *name)
    }

    /// A preset by name, or the file at that path if it ends in `.toml`.
    ///
    /// # Errors
    /// Unknown name, or as [`Self::load`].
    pub fn scene(name: &str) -> Result<Self, ConfigError> {
        if let Some((_, text)) = PRESETS.iter().find(|(preset, _)| *preset == name) {
            return Self::parse(&format!("{name}.toml"), text);
        }
        let path = Path::new(name);
        if path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
        {
            return Self::load(path);
        }
        Err(ConfigError::UnknownScene {
            name: name.to_owned(),
            hint: did_you_mean(name, Self::preset_names()),
            known: list(Self::preset_names().map(str::to_owned)),
        })
    }

    /// Reads a file; what it does not say keeps its default.
    ///
    /// # Errors
    /// The file cannot be read, or as [`Self::parse`].
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|reason| ConfigError::Read {
            path: path.to_owned(),
            reason,
        })?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Reads settings from text; `name` stands for the file in errors.
    ///
    /// # Errors
    /// Not TOML, an unknown key, a value of the wrong type or out of range; the error names file,
    /// line and key and says what would be right.
    pub fn parse(name: &str, text: &str) -> Result<Self, ConfigError> {
        let source = Source { file: name, text };
        let syntax = |error: toml::de::Error| ConfigError::Syntax {
            place: source.place(&error.span().unwrap_or(0..0)),
            message: error.message().replace('\n', ", "),
        };
        let document = DeTable::parse(text).map_err(syntax)?;
        source.check(document.get_ref())?;
        let config: Self = toml::from_str(text).map_err(syntax)?;
        let line_of = |path: &str| line_of(&source, document.get_ref(), path);
        config.check_whole(line_of)?;
        Ok(config)
    }

    /// What no single key can tell.
    fn check_whole(&self, place_of: impl Fn(&str) -> Place) -> Result<(), ConfigError> {
        let start = self.camera.start.as_str();
        let views = || self.camera.views.keys().map(String::as_str).chain(BUILT_IN_VIEWS);
        if !views().any(|view| view == start) {
            return Err(ConfigError::OutOfRange {
                place: place_of("camera.start"),
                key: "camera.start".to_owned(),
                value: format!("\"{start}\""),
                expected: format!(
                    "the name of a view: {}{}",
                    list(views().map(str::to_owned)),
                    did_you_mean(start, views())
                ),
            });
        }
        for (name, view) in &self.camera.views {
            if view.eye == view.target {
                let key = format!("camera.views.{name}.target");
                return Err(ConfigError::OutOfRange {
                    place: place_of(&key),
                    key,
                    value: format!("{:?}", view.target),
                    expected: "another point than `eye`".to_owned(),
                });
            }
        }
        for (name, group) in &self.scene.groups {
            if let Some(flaw) = group.behaviour.as_ref().and_then(BehaviourConfig::flaw) {
                let key = format!("scene.groups.{name}.behaviour.{}", flaw.key);
                return Err(ConfigError::OutOfRange {
                    place: place_of(&key),
                    key,
                    value: flaw.value,
                    expected: flaw.expected,
                });
            }
        }
        for path in &self.scene.paths {
            if let Some((key, expected)) = path.flaw() {
                return Err(ConfigError::OutOfRange {
                    place: place_of("scene.paths"),
                    key: format!("scene.paths.{key}"),
                    value: format!("{:?}", path.points),
                    expected: expected.to_owned(),
                });
            }
        }
        let groups = self.scene.groups.iter();
        let groups = groups.map(|(name, group)| (format!("scene.groups.{name}.clips"), &group.clips));
        for (key, clips) in groups.chain([("scene.clips".to_owned(), &self.scene.clips)]) {
            if !clips.is_empty() && clips.values().all(|&weight| weight == 0.0) {
                return Err(ConfigError::OutOfRange {
                    place: place_of(&key),
                    key,
                    value: "0 throughout".to_owned(),
                    expected: "above 0 for at least one clip".to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// The place of a key in a document; of the nearest table above it if it is not written there.
fn line_of(source: &Source<'_>, document: &DeTable<'_>, path: &str) -> Place {
    let mut place = Place {
        file: source.file.to_owned(),
        line: 1,
    };
    let mut table = document;
    for segment in path.split('.') {
        let Some((name, value)) = table.iter().find(|(name, _)| name.get_ref() == segment) else {
            break;
        };
        place = source.place(&name.span());
        let Some(below) = value.get_ref().as_table() else {
            break;
        };
        table = below;
    }
    place
}
