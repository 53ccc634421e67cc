//! From settings back to the file of a scene.

use toml::{Table, Value};

use crate::config::{CAMERA_PATH, Config};

/// Who stands where, light and cameras; the rest is of a machine or a taste.
const SECTIONS: [&str; 3] = ["scene", "look", "camera"];

impl Config {
    /// The scene as a file, which has only what differs from the defaults; where the camera has a path, the file
    /// starts with it.
    ///
    /// # Errors
    /// A seed beyond what a file can hold.
    pub fn scene_file(&self) -> Result<String, toml::ser::Error> {
        let mut own = self.clone();
        if !own.camera.path.is_empty() {
            CAMERA_PATH.clone_into(&mut own.camera.start);
        }
        let (own, usual) = (Table::try_from(own)?, Table::try_from(Self::default())?);
        let mut file = Table::new();
        for section in SECTIONS {
            let (Some(Value::Table(own)), Some(Value::Table(usual))) = (own.get(section), usual.get(section)) else {
                continue;
            };
            let differ = own.iter().filter(|(key, value)| usual.get(*key) != Some(*value));
            let differ: Table = differ.map(|(key, value)| (key.clone(), readable(value))).collect();
            if !differ.is_empty() {
                file.insert(section.to_owned(), differ.into());
            }
        }
        toml::to_string(&file)
    }
}

/// The same with numbers as short as single precision needs them.
fn readable(value: &Value) -> Value {
    match value {
        Value::Float(number) => {
            let short = (*number as f32).to_string().parse();
            Value::Float(short.unwrap_or(*number))
        }
        Value::Array(items) => items.iter().map(readable).collect::<Vec<_>>().into(),
        Value::Table(entries) => {
            let entries = entries.iter().map(|(key, value)| (key.clone(), readable(value)));
            Value::Table(entries.collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::CameraKeyConfig;

    #[test]
    fn every_preset_comes_back_from_its_file() {
        for name in Config::preset_names() {
            let preset = Config::scene(name).expect(name);
            let text = preset.scene_file().expect(name);
            let again = Config::parse(name, &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert_eq!(
                (again.scene, again.look, again.camera),
                (preset.scene, preset.look, preset.camera),
                "{text}"
            );
        }
    }

    #[test]
    fn a_path_is_written_as_people_write_it() {
        let mut config = Config::default();
        let key = |time| CameraKeyConfig {
            time,
            eye: [0.1, 2.5, 9.0],
            target: [0.0, 1.0, 0.0],
        };
        config.camera.path = vec![key(0.0), key(1.7)];
        let text = config.scene_file().expect("fits");
        let expected = "[camera]\nstart = \"path\"\n\n[[camera.path]]\neye = [0.1, 2.5, 9.0]\ntarget = [0.0, 1.0, \
                        0.0]\ntime = 0.0\n\n[[camera.path]]\neye = [0.1, 2.5, 9.0]\ntarget = [0.0, 1.0, 0.0]\ntime = 1.7\n";
        assert_eq!(text, expected);
        assert_eq!(Config::default().scene_file().expect("fits"), "");
    }
}
