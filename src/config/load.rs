//! Loads a [`Config`] from files and presets.

use std::{ops::Range, path::Path};

use serde::Deserialize;
use toml::de::{DeTable, DeValue, Deserializer};

use crate::{
    config::{
        Config, ConfigError,
        aliases::{Alias, BothNames, rename_settings},
        error::Place,
        keys::list,
        schema_check::{SourceText, did_you_mean},
        validate::ValidationError,
    },
    file::extensions,
};

/// Presets inside the program: name and file. Each holds only differences from the defaults.
const PRESETS: [(&str, &str); 6] = [
    ("plaza", include_str!("../../config/plaza.toml")),
    ("stadium", include_str!("../../config/stadium.toml")),
    ("army", include_str!("../../config/army.toml")),
    ("marathon", include_str!("../../config/marathon.toml")),
    ("stress", include_str!("../../config/stress.toml")),
    ("million", include_str!("../../config/million.toml")),
];

impl Config {
    /// Names of presets that [`Self::scene`] accepts, in the order in which to list them.
    pub fn preset_names() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|(name, _)| *name)
    }

    /// Loads a preset by name, or the file at a path that ends in `.toml`.
    ///
    /// # Errors
    /// An unknown name, or as [`Self::load`].
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
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if extensions().any(|own| own == ending) {
            return Err(ConfigError::CharacterAsScene { name: name.to_owned() });
        }
        Err(ConfigError::UnknownScene {
            name: name.to_owned(),
            hint: did_you_mean(name, Self::preset_names()),
            known: list(Self::preset_names().map(str::to_owned)),
        })
    }

    /// Reads a file; settings that it does not contain keep their defaults.
    ///
    /// # Errors
    /// A file that cannot be read, or as [`Self::parse`].
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
    /// Text that is not TOML, an unknown key, a value of the wrong type or out of range.
    /// The error names file, line and key, and what would be valid.
    pub fn parse(name: &str, text: &str) -> Result<Self, ConfigError> {
        let source = SourceText { file: name, text };
        let syntax = |error: toml::de::Error| ConfigError::Syntax {
            place: source.place(&error.span().unwrap_or(0..0)),
            message: error.message().replace('\n', ", "),
        };
        let mut document = DeTable::parse(text).map_err(syntax)?;
        source.take_schema(document.get_mut())?;
        use_new_names(&source, document.get_mut())?;
        source.check(document.get_ref())?;
        let config = Self::deserialize(Deserializer::from(document.clone())).map_err(syntax)?;
        match config.validation_error() {
            None => Ok(config),
            Some(ValidationError { key, value, expected }) => Err(ConfigError::OutOfRange {
                place: place_of(&source, document.get_ref(), &key),
                key,
                value,
                expected,
            }),
        }
    }
}

/// Renames old settings to their new names, and warns of each.
pub(super) fn use_new_names(source: &SourceText<'_>, document: &mut DeTable<'_>) -> Result<(), ConfigError> {
    let mut file = DeValue::Table(std::mem::take(document));
    let renamed = rename_settings(&mut file);
    if let DeValue::Table(table) = file {
        *document = table;
    }
    let warn = |alias: &Alias| alias.warn(source.file);
    renamed.map(|needed| needed.into_iter().for_each(warn)).map_err(|both| {
        let BothNames { old, new } = both;
        let place = place_of(source, document, &old);
        ConfigError::BothNames { place, old, new }
    })
}

/// Place of a key in a document, or of the nearest table above it if the key is not written there.
fn place_of(source: &SourceText<'_>, document: &DeTable<'_>, path: &str) -> Place {
    let mut segments = path.split('.');
    let first = segments.next().and_then(|name| entry(document, name));
    let Some((mut span, mut value)) = first else {
        return source.place(&(0..0));
    };
    for segment in segments {
        let below = match value {
            DeValue::Table(table) => entry(table, segment),
            DeValue::Array(items) => segment
                .parse()
                .ok()
                .and_then(|index: usize| items.get(index))
                .map(|item| (item.span(), item.get_ref())),
            _ => None,
        };
        let Some(below) = below else { break };
        (span, value) = below;
    }
    source.place(&span)
}

fn entry<'a, 'b>(table: &'a DeTable<'b>, name: &str) -> Option<(Range<usize>, &'a DeValue<'b>)> {
    let (name, value) = table.iter().find(|(own, _)| own.get_ref() == name)?;
    Some((name.span(), value.get_ref()))
}
