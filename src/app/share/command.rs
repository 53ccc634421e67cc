//! The command line that draws the picture on the screen again, to the byte.

use anyhow::{Context, Result};

use crate::{
    app::{share::absolute_path_text, state::AppState},
    config::{Config, ViewConfig},
    crowd::clock::Clock,
    gpu::adapter::AdapterChoice,
    render::resources::AtlasSource,
};

/// Longer commands are of a file.
const LONGEST: usize = 1000;

impl AppState {
    /// `throng shot …` for the picture that is shown, without the panel, quoted for a shell. What would make it
    /// long goes into a new file of the scene, which is told.
    ///
    /// # Errors
    /// That file cannot be written; a name that no shell can be told.
    pub(in crate::app) fn shot_command(&mut self, adapter: &AdapterChoice) -> Result<String> {
        let mut config = self.picture_config();
        let cast = self.with_heroes(config.scene);
        config.scene = cast.scene;
        if cast.omitted_heroes > 0 {
            let some = cast.omitted_heroes;
            self.notices.fail(format!(
                "the command leaves out {some} of those taken over: it cannot say what they do"
            ));
        }
        let view = self.picture_view();
        let how = self.how(adapter);
        let mut commands = Vec::new();
        for (name, base) in self.bases(&config) {
            commands.extend(command((&name, &base), (&config, &view), &how)?);
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
        let name = file.to_str().context("the scene's file has a name that is no text")?;
        self.notices
            .tell(format!("the scene is in {}", absolute_path_text(&file)));
        command((name, &base), (&config, &view), &how)?.context("a character's file has a name that is no text")
    }

    /// Scenes that the picture may be told apart from.
    fn bases(&self, config: &Config) -> Vec<(String, Config)> {
        let file = self.sharing.file.as_deref().and_then(std::path::Path::to_str);
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

    /// Moment, source and adapter.
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

fn command(base: (&str, &Config), (config, view): (&Config, &ViewConfig), how: &[String]) -> Result<Option<String>> {
    let Some(arguments) = config.arguments(base, view)? else {
        return Ok(None);
    };
    let words = ["throng", "shot"].map(str::to_owned).into_iter();
    let words: Vec<String> = words.chain(arguments).chain(how.iter().cloned()).collect();
    Ok(Some(shlex::try_join(words.iter().map(String::as_str))?))
}

/// A moment with as few decimals as lead to the same one of the scene's clock.
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
