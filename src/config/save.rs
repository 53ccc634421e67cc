//! Converts settings to the file of a scene.

use toml::{Table, Value};

use crate::config::{CAMERA_PATH, Config, aliases::SCHEMA};

/// Sections that a picture depends on; `window` depends on the machine and the user.
const SECTIONS: [&str; 5] = ["scene", "look", "camera", "render", "bake"];

impl Config {
    /// The scene as a file: the schema number, and differences from the defaults. Where the camera has a path, the
    /// file starts with it, unless it starts with a view of the scene.
    ///
    /// # Errors
    /// A seed beyond what a file can hold.
    pub fn scene_file(&self) -> Result<String, toml::ser::Error> {
        let mut own = self.clone();
        if !own.camera.path.is_empty() && !own.camera.views.contains_key(&own.camera.start) {
            CAMERA_PATH.clone_into(&mut own.camera.start);
        }
        let (own, usual) = (Table::try_from(own)?, Table::try_from(Self::default())?);
        let mut file = Table::from_iter([("schema".to_owned(), i64::from(SCHEMA).into())]);
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

/// Value whose single-precision numbers are written as short as possible.
pub(super) fn readable(value: &Value) -> Value {
    match value {
        Value::Float(number) if f64::from(*number as f32) == *number => {
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
    use proptest::prelude::*;

    use super::*;
    use crate::config::{CameraKeyConfig, HeroConfig, Technique, ViewConfig};

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

    proptest! {
        /// Settings come back from their file to the last bit of a camera and a moment.
        #[test]
        fn settings_come_back_from_their_file_to_the_bit(
            eye in prop::array::uniform3(-9e5..9e5_f32), far in 1e-3..1e4_f32, time in 0.0..3e7_f64, fov in 10.0..120.0_f32,
            exposure in -4.0..4.0_f32, detail in 0.0..16.0_f32, rate in 1.0..240.0_f32, from in 0.0..1e6_f64,
        ) {
            let mut config = Config::scene("army").expect("a preset");
            let target = [eye[0], eye[1], eye[2] + far.max(eye[2].abs() * 1e-6)];
            config.start_with(ViewConfig { eye, target, time: Some(time) });
            (config.camera.fov, config.look.exposure) = (fov, exposure);
            (config.render.detail, config.bake.rate, config.render.msaa) = (detail, rate, 1);
            config.render.technique = Technique::Vertex;
            config.scene.heroes = vec![HeroConfig { at: eye, from, ..HeroConfig::default() }];
            let text = config.scene_file().expect("fits");
            let again = Config::parse("again", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            prop_assert_eq!(again.start_time(), Some(time));
            prop_assert_eq!(again, config);
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
        let expected = "schema = 1\n\n[camera]\nstart = \"path\"\n\n[[camera.path]]\neye = [0.1, 2.5, 9.0]\ntarget = [0.0, 1.0, \
                        0.0]\ntime = 0.0\n\n[[camera.path]]\neye = [0.1, 2.5, 9.0]\ntarget = [0.0, 1.0, 0.0]\ntime = 1.7\n";
        assert_eq!(text, expected);
        assert_eq!(Config::default().scene_file().expect("fits"), "schema = 1\n");
    }
}
