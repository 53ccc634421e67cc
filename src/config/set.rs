//! Sets single settings by name, as a command line gives them.

use serde::Deserialize;
use toml::{
    Table, Value,
    de::{DeTable, Deserializer},
};

use crate::config::{
    Config, ConfigError, aliases::rename_path, error::Place, load::use_new_names, schema_check::SourceText,
};

impl Config {
    /// Changes one setting, such as `look.clouds=0.8`; the value is written as in a file, words with or without
    /// quotes. A table replaces the previous one.
    /// [`Self::consistent`] finds contradictions with other settings.
    ///
    /// # Errors
    /// An unknown key, a value of the wrong type or out of range; `name` stands for the file.
    pub fn set(&mut self, name: &str, setting: &str) -> Result<(), ConfigError> {
        let refuse = |message: String| ConfigError::Syntax {
            place: Place {
                file: name.to_owned(),
                line: 0,
            },
            message,
        };
        let (text, mut path) = part(setting).map_err(&refuse)?;
        let source = SourceText {
            file: name,
            text: &text,
        };
        let mut document = DeTable::parse(&text).map_err(|error| refuse(error.message().to_owned()))?;
        use_new_names(&source, document.get_mut()).map_err(ConfigError::of_no_file)?;
        source.check(document.get_ref()).map_err(ConfigError::of_no_file)?;
        rename_path(&mut path);
        let table = Table::deserialize(Deserializer::from(document));
        let table = table.map_err(|error| refuse(error.message().to_owned()))?;
        let at = |value: Value, name: &String| value.get(name).cloned();
        let value = path.iter().try_fold(Value::Table(table), at);
        let value = value.ok_or_else(|| refuse(not_a_setting(setting)))?;
        let mut whole = Table::try_from(&*self).map_err(|error| refuse(error.to_string()))?;
        put(&mut whole, &path, value).map_err(&refuse)?;
        *self = Self::deserialize(whole).map_err(|error| refuse(error.message().replace('\n', ", ")))?;
        Ok(())
    }
}

fn not_a_setting(setting: &str) -> String {
    format!("{setting:?} is not a setting; write KEY=VALUE as in a scene file, such as look.clouds=0.8")
}

/// Converts a setting to a line of TOML and the path of its key; words that need quotes get them.
fn part(setting: &str) -> Result<(String, Vec<String>), String> {
    let wrong = || not_a_setting(setting);
    let (key, value) = split(setting).filter(|_| !setting.contains('\n')).ok_or_else(wrong)?;
    let is_word = |c: char| c.is_alphanumeric() || "_-.# ".contains(c);
    let plain = format!("{key} = {value}");
    let quoted = || {
        let is_bare = value.starts_with(|c: char| c.is_alphabetic() || c == '#') && value.chars().all(is_word);
        is_bare.then(|| format!("{key} = \"{value}\""))
    };
    let read = |text: String| DeTable::parse(&text).is_ok().then_some(text);
    let text = read(plain).or_else(|| read(quoted()?)).ok_or_else(wrong)?;
    let path = path_of(key).ok_or_else(wrong)?;
    Ok((text, path))
}

/// Splits at the first `=` that is not within quotes.
fn split(setting: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, c) in setting.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, '=') => return Some((setting[..at].trim(), setting[at + 1..].trim())),
            _ => {}
        }
    }
    None
}

/// Names of a dotted key.
fn path_of(key: &str) -> Option<Vec<String>> {
    let mut path = Vec::new();
    let mut below = Value::Table(format!("{key} = 0").parse().ok()?);
    while let Value::Table(table) = below {
        let (name, value) = table.into_iter().next()?;
        path.push(name);
        below = value;
    }
    Some(path)
}

fn put(table: &mut Table, path: &[String], value: Value) -> Result<(), String> {
    match path {
        [] => Ok(()),
        [name] => {
            table.insert(name.clone(), value);
            Ok(())
        }
        [name, rest @ ..] => match table.entry(name.clone()).or_insert_with(|| Table::new().into()) {
            Value::Table(below) => put(below, rest, value),
            _ => Err(format!("`{name}` has no keys of its own; set it as a whole")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Ground, Phase};

    fn plaza() -> Config {
        Config::scene("plaza").expect("a preset")
    }

    fn refused(setting: &str) -> String {
        plaza().set("--set", setting).expect_err(setting).to_string()
    }

    #[test]
    fn one_setting_changes_and_nothing_else() {
        let mut config = plaza();
        for setting in [
            "look.clouds=0.8",
            "look.ground = grass",
            "scene.groups.talkers.phase=\"wave\"",
            "scene.clips={wave = 2.0}",
            "camera.views.\"my view\"={eye=[1, 2, 3], target=[0, 1, 0]}",
        ] {
            config
                .set("--set", setting)
                .unwrap_or_else(|e| panic!("{setting}: {e}"));
        }
        let mut expected = plaza();
        (expected.look.clouds, expected.look.ground) = (0.8, Ground::Grass);
        let talkers = expected.scene.groups.get_mut("talkers").expect("a group");
        talkers.phase = Some(Phase::Wave);
        expected.scene.clips.insert("wave".into(), 2.0);
        assert!(
            config
                .camera
                .views
                .remove("my view")
                .is_some_and(|view| view.eye == [1.0, 2.0, 3.0])
        );
        assert_eq!(config, expected);
        config.set("--set", "scene.groups={}").expect("a table");
        assert!(config.scene.groups.is_empty(), "a table replaces the one before");
    }

    #[test]
    fn a_wrong_setting_is_one_clear_line() {
        let told = refused("look.clouds=2");
        assert_eq!(told, "--set: `look.clouds` is 2; expected a number from 0 to 1");
        assert!(refused("look.cluods=0.5").contains("did you mean `look.clouds`"));
        for wrong in ["", "look.clouds", "=3", "look.clouds=", "look.clouds=1 2", "a=b\nc=d"] {
            let told = refused(wrong);
            assert!(
                told.contains("KEY=VALUE") || told.contains("unknown key"),
                "{wrong:?}: {told}"
            );
        }
        assert!(refused("scene.count=many").contains("expected an integer from 1"));
        assert!(refused("scene.name.x=1").contains("scene.name"));
    }
}
