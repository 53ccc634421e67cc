//! Command line of `throng shot` that reproduces the picture on the screen byte for byte.

use anyhow::{Context, Result};

use crate::{
    app::{share::absolute_path_text, state::AppState},
    config::{Config, ViewConfig},
    crowd::clock::Clock,
    gpu::adapter::AdapterChoice,
    render::resources::AtlasSource,
};

/// Maximum length of a command (bytes); a longer one refers to a new scene file.
const LONGEST: usize = 1000;

impl AppState {
    /// Command `throng shot …` for the picture shown, without the panel, with quoting. A scene that needs a long
    /// command is written to a new file, with a notice.
    ///
    /// # Errors
    /// The scene file cannot be written, or a file name is not Unicode.
    pub(in crate::app) fn shot_command(&mut self, adapter: &AdapterChoice) -> Result<String> {
        let mut config = self.picture_config();
        let cast = self.with_heroes(config.scene);
        config.scene = cast.scene;
        if cast.omitted_heroes > 0 {
            let some = cast.omitted_heroes;
            self.notices.fail(format!(
                "the command leaves out {some} heroes, whose actions no option can express"
            ));
        }
        let view = self.picture_view();
        let how = self.how(adapter);
        let mut commands = Vec::new();
        for (name, base) in self.bases(&config) {
            commands.extend(command(&name, &base, &config, &view, &how)?);
        }
        if let Some(short) = commands
            .into_iter()
            .min_by_key(String::len)
            .filter(|c| c.len() <= LONGEST)
        {
            return Ok(short);
        }
        let (file, _) = self.write_scene_file(None)?;
        let base = Config::load(&file)?;
        let name = file.to_str().context("the name of the scene file is not Unicode")?;
        self.notices
            .tell(format!("wrote the scene to {}", absolute_path_text(&file)));
        command(name, &base, &config, &view, &how)?.context("the name of a character file is not Unicode")
    }

    /// Scenes that the command can start from: the scene's file, its preset, the plaza.
    fn bases(&self, config: &Config) -> Vec<(String, Config)> {
        let file = self.files.sharing.file.as_deref().and_then(std::path::Path::to_str);
        let name = config.scene.name.as_str();
        let preset = Config::preset_names().find(|preset| *preset == name);
        let known = file.into_iter().chain(preset).chain(Some("plaza"));
        let mut bases: Vec<(String, Config)> = known
            .filter_map(|name| Some((name.to_owned(), Config::scene(name).ok()?)))
            .collect();
        if !config.scene.characters.is_empty() {
            bases.push((
                String::new(),
                Config::of_characters(&config.scene.characters, config.scene.count),
            ));
        }
        bases
    }

    /// Options for time, atlas source and adapter.
    fn how(&self, adapter: &AdapterChoice) -> Vec<String> {
        let mut how = vec!["--time".to_owned(), exact(self.clock.seconds)];
        let has_source = self.config.render.technique.facts().has_source();
        if has_source && self.source == AtlasSource::Texture {
            how.extend(["--atlas".to_owned(), "texture".to_owned()]);
        }
        if *adapter != AdapterChoice::Auto {
            how.extend(["--adapter".to_owned(), adapter.to_string()]);
        }
        how
    }
}

fn command(name: &str, base: &Config, config: &Config, view: &ViewConfig, how: &[String]) -> Result<Option<String>> {
    let Some(arguments) = config.arguments(name, base, view)? else {
        return Ok(None);
    };
    let words = ["throng", "shot"].map(str::to_owned).into_iter();
    let words: Vec<String> = words.chain(arguments).chain(how.iter().cloned()).collect();
    Ok(Some(shlex::try_join(words.iter().map(String::as_str))?))
}

/// Scene time (s) with as few decimals as give the same clock value.
fn exact(seconds: f64) -> String {
    let clock = Clock::from_seconds(seconds);
    let short = (0..=9_usize).map(|decimals| format!("{seconds:.decimals$}"));
    let same = |text: &String| text.parse().is_ok_and(|again: f64| Clock::from_seconds(again) == clock);
    short.into_iter().find(same).unwrap_or_else(|| seconds.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn times_are_printed_exactly(seconds in 0.0..3e7_f64) {
            let told = exact(seconds);
            prop_assert_eq!(Clock::from_seconds(told.parse().expect("a number")), Clock::from_seconds(seconds));
            prop_assert!(told.len() <= 18, "{}", told);
        }
    }

    #[test]
    fn whole_seconds_are_whole() {
        assert_eq!([exact(0.0), exact(12.0), exact(2.5)], ["0", "12", "2.5"]);
    }
}
