//! Converts settings to the arguments of a command line.

use std::path::PathBuf;

use toml::{Table, Value};

use crate::config::{Config, ViewConfig, limits::people_of, save::readable};

/// Settings that have their own option; all others are `--set`.
const OPTIONS: [(&str, &str); 12] = [
    ("scene.count", "--count"),
    ("scene.seed", "--seed"),
    ("scene.layout", "--layout"),
    ("scene.ground_contact", "--ground"),
    ("render.effort", "--effort"),
    ("render.technique", "--technique"),
    ("render.format", "--format"),
    ("render.detail", "--detail"),
    ("render.lods", "--lods"),
    ("render.cull", "--cull"),
    ("render.raster", "--raster"),
    ("render.sw_raster_max_rows", "--sw-raster-max-rows"),
];

/// Settings that change no picture.
const UNSEEN: [&[&str]; 5] = [
    &["scene", "name"],
    &["scene", "caption"],
    &["scene", "characters"],
    &["window"],
    &["camera"],
];

impl Config {
    /// Settings of a command line that names characters and no scene; only the count is known.
    #[must_use]
    pub fn of_characters(characters: &[PathBuf], count: u32) -> Self {
        let mut config = Self::default();
        config.scene.characters = characters.to_vec();
        config.scene.count = people_of(characters.len());
        if count == 1 {
            // A lone character is drawn at full detail.
            config.render.detail = 0.0;
        }
        config
    }

    /// Options that lead from a scene, `base`, to the picture of these settings, in `throng shot` and other commands
    /// that draw. `name` is that of the preset or the file.
    /// The camera is `view`; the caller adds its time. Each option is one word of a command line, not quoted. An empty
    /// name stands for no scene: [`Self::of_characters`].
    /// `None` where the path of a character is not UTF-8.
    ///
    /// # Errors
    /// A seed beyond what a file can hold.
    pub fn arguments(
        &self,
        name: &str,
        base: &Self,
        view: &ViewConfig,
    ) -> Result<Option<Vec<String>>, toml::ser::Error> {
        let mut words = Vec::new();
        let own_characters = name.is_empty() || self.scene.characters != base.scene.characters;
        if own_characters {
            let paths = self
                .scene
                .characters
                .iter()
                .map(|path| path.to_str().map(str::to_owned));
            let Some(paths) = paths.collect::<Option<Vec<String>>>() else {
                return Ok(None);
            };
            words.extend(paths);
        }
        // Characters from files stand alone, without a scene.
        if !name.is_empty() && (name != Self::default().scene.name || own_characters) {
            words.extend(["--scene".to_owned(), name.to_owned()]);
        }
        // The option of a layout takes its ground along.
        let mut reached = base.clone();
        reached.take_layout(self.scene.layout, false);
        reached.scene.layout = base.scene.layout;
        let (own, base_table) = (seen(self)?, seen(&reached)?);
        let mut found = Vec::new();
        differences(&own, &base_table, &mut Vec::new(), &mut found);
        words.extend(found.iter().flat_map(|(path, value)| option(path, value)));
        if own_characters && self.scene.characters.is_empty() {
            words.extend(["--set".to_owned(), "scene.characters=[]".to_owned()]);
        }
        let window = &self.window;
        if (window.width, window.height) != (base.window.width, base.window.height) {
            words.extend(["--size".to_owned(), format!("{}x{}", window.width, window.height)]);
        }
        words.extend(self.camera_arguments(base, view));
        Ok(Some(words))
    }

    /// Arguments of the camera: a named view of the base, or eye and target; and the field of view.
    fn camera_arguments(&self, base: &Self, view: &ViewConfig) -> Vec<String> {
        let same = |other: &ViewConfig| (other.eye, other.target) == (view.eye, view.target);
        let named = |name: &String| base.camera.views.get(name).is_some_and(same);
        let mut words = Vec::new();
        if named(&base.camera.start) {
            // The base has this view already.
        } else if let Some(name) = base.camera.views.keys().find(|name| named(name)) {
            words.extend(["--camera".to_owned(), name.clone()]);
        } else {
            let point = |[x, y, z]: [f32; 3]| format!("{x},{y},{z}");
            words.extend(["--eye".to_owned(), point(view.eye)]);
            words.extend(["--look-at".to_owned(), point(view.target)]);
        }
        if self.camera.fov != base.camera.fov {
            words.extend(["--set".to_owned(), format!("camera.fov={}", self.camera.fov)]);
        }
        let aspect = self.window.width as f32 / self.window.height as f32;
        let (own, other) = (self.camera.min_aspect, base.camera.min_aspect);
        // In wider pictures the setting has no effect.
        if own != other && aspect < own.max(other) {
            words.extend(["--set".to_owned(), format!("camera.min_aspect={own}")]);
        }
        words
    }
}

/// Settings that change a picture, without its size and camera.
fn seen(config: &Config) -> Result<Table, toml::ser::Error> {
    let mut table = Table::try_from(config)?;
    for path in UNSEEN {
        match path {
            [section] => drop(table.remove(*section)),
            [section, key] => {
                if let Some(Value::Table(section)) = table.get_mut(*section) {
                    section.remove(*key);
                }
            }
            _ => {}
        }
    }
    Ok(table)
}

/// Settings that differ between two tables.
fn differences(own: &Table, base: &Table, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, Value)>) {
    let gone: Vec<_> = base.iter().filter(|(key, _)| !own.contains_key(*key)).collect();
    // A list can be set to an empty one; a removed entry needs its whole table.
    if gone.iter().any(|(_, value)| !value.is_array()) && path.len() > 1 {
        return found.push((path.clone(), own.clone().into()));
    }
    for (key, _) in gone {
        found.push((
            [&path[..], std::slice::from_ref(key)].concat(),
            Value::Array(Vec::new()),
        ));
    }
    for (key, value) in own {
        path.push(key.clone());
        match (value, base.get(key)) {
            (Value::Table(own), Some(Value::Table(base))) => differences(own, base, path, found),
            (value, Some(before)) if value == before => {}
            (value, _) => found.push((path.clone(), value.clone())),
        }
        path.pop();
    }
}

/// Option and value that make a setting.
fn option(path: &[String], value: &Value) -> [String; 2] {
    let value = readable(value);
    let dotted = path.iter().map(|name| bare(name)).collect::<Vec<_>>().join(".");
    match OPTIONS.iter().find(|(key, _)| *key == dotted) {
        Some((_, option)) => [(*option).to_owned(), plain(&value)],
        None => ["--set".to_owned(), format!("{dotted}={value}")],
    }
}

/// Value in the notation of options.
fn plain(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        Value::Boolean(on) => if *on { "on" } else { "off" }.to_owned(),
        other => other.to_string(),
    }
}

/// Name as a part of a dotted key, quoted where TOML needs it.
fn bare(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) {
        return name.to_owned();
    }
    Value::String(name.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Phase;

    const VIEW: ViewConfig = ViewConfig {
        eye: [1.5, 2.0, -9.25],
        target: [0.0, 1.0, 0.1],
        time: None,
    };

    fn preset(name: &str) -> Config {
        Config::scene(name).expect(name)
    }

    fn words(config: &Config, base: &str) -> String {
        let words = config.arguments(base, &preset(base), &VIEW);
        words.expect("fits").expect("text").join(" ")
    }

    #[test]
    fn only_what_differs_is_said() {
        let camera = "--eye 1.5,2,-9.25 --look-at 0,1,0.1";
        assert_eq!(words(&preset("plaza"), "plaza"), camera);
        assert_eq!(words(&preset("army"), "army"), format!("--scene army {camera}"));
        let mut config = preset("plaza");
        (config.scene.count, config.render.cull, config.look.exposure) = (7, false, 0.1);
        (config.window.width, config.window.vsync) = (640, false);
        let told = words(&config, "plaza");
        assert_eq!(
            told,
            format!("--set look.exposure=0.1 --cull off --count 7 --size 640x900 {camera}")
        );
        config.scene.characters = vec!["a b.glb".into()];
        assert!(words(&config, "plaza").starts_with("a b.glb --scene plaza "));
    }

    #[test]
    fn the_shape_that_views_are_composed_for_is_said_where_it_is_seen() {
        let (own, mut base) = (preset("plaza"), preset("plaza"));
        base.camera.min_aspect = 1.4;
        let told = |own: &Config| {
            own.arguments("plaza", &base, &VIEW)
                .expect("fits")
                .expect("text")
                .join(" ")
        };
        assert!(!told(&own).contains("min_aspect"));
        let mut narrow = own.clone();
        narrow.window.width = narrow.window.height;
        assert!(
            told(&narrow).ends_with(" --set camera.min_aspect=0"),
            "{}",
            told(&narrow)
        );
    }

    #[test]
    fn a_view_of_the_scene_is_called_by_its_name() {
        let plaza = preset("plaza");
        let view = plaza.camera.views["fountain"];
        let words = plaza.arguments("plaza", &plaza, &view).expect("fits").expect("text");
        assert_eq!(words, ["--camera", "fountain"]);
    }

    #[test]
    fn settings_lead_from_any_preset_to_any_other() {
        for from in Config::preset_names() {
            for to in Config::preset_names() {
                let mut wanted = preset(to);
                let group = wanted.scene.groups.values_mut().next();
                group.into_iter().for_each(|group| group.phase = Some(Phase::Random));
                wanted.scene.clips.insert("odd name".to_owned(), 0.5);
                let mut reached = preset(from);
                let layout = wanted.scene.layout;
                let words = wanted
                    .arguments(from, &preset(from), &VIEW)
                    .expect("fits")
                    .expect("text");
                let sets_ground = words.iter().any(|word| word.starts_with("look.ground="));
                reached.take_layout(layout, sets_ground);
                for pair in words.windows(2).filter(|pair| pair[0] == "--set") {
                    reached
                        .set("--set", &pair[1])
                        .unwrap_or_else(|e| panic!("{}: {e}", pair[1]));
                }
                let own = |config: &Config| {
                    (
                        config.scene.groups.clone(),
                        config.scene.clips.clone(),
                        config.look.clone(),
                    )
                };
                assert_eq!(own(&reached), own(&wanted), "{from} to {to}: {words:?}");
                assert_eq!(reached.scene.heroes, wanted.scene.heroes);
            }
        }
    }
}
