//! Options of scenes.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::{
    cli::{AnimationArgs, CameraArgs, DrawArgs, TrajectoryArgs, lod_progress::LodProgress, parse_seconds},
    config::{
        Config, ConfigError, GroundContact, Layout, LodQuality, limits,
        parse::{parse_count, parse_seed, parse_size},
    },
    file::{CharacterPath, FolderFiles, LodCache, with_variants},
    gpu::adapter::AdapterChoice,
    scene::LodMaker,
};

/// Options of scenes, shared by all commands that draw.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Scene")]
pub struct SceneArgs {
    /// Embedded preset (plaza, stadium, army, marathon, stress, million) or a .toml file.
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub scene: Option<String>,
    /// Number of people, 1 to 10000000.
    #[arg(long, value_parser = parse_count, allow_negative_numbers = true)]
    pub count: Option<u32>,
    /// Seed of the crowd, 0 to 2^63-1; the same seed gives the same crowd.
    #[arg(long, value_parser = parse_seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Placement of people on the ground.
    #[arg(long)]
    pub layout: Option<Layout>,
    /// Part of a character that touches the ground: the feet in standing and moving clips, or the origin.
    #[arg(long, value_name = "feet|origin")]
    pub ground: Option<GroundContact>,
    /// Names of the clips to play, comma-separated; all play equally often.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub clips: Vec<String>,
    /// Clips of other files.
    #[command(flatten)]
    pub animations: AnimationArgs,
    /// People who follow a file.
    #[command(flatten)]
    pub tracks: TrajectoryArgs,
    /// Technique and cost of pictures.
    #[command(flatten)]
    pub draw: DrawArgs,
    /// Picture size in pixels.
    #[arg(long, value_parser = parse_size, value_name = "WxH")]
    pub size: Option<(u32, u32)>,
    /// Any other setting of a scene file, such as look.clouds=0.8. Repeatable; other options take precedence.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Scene time in seconds, 0 to 31536000.
    #[arg(long, value_parser = parse_time, value_name = "SECONDS", allow_negative_numbers = true)]
    pub time: Option<f64>,
    /// Camera of the first picture.
    #[command(flatten)]
    pub view: CameraArgs,
    /// Adapter: auto, gpu, cpu, gl, a number or PCI address (see `throng adapters`), or part of a name.
    #[arg(long, default_value = "auto", value_name = "NAME|NUMBER|PCI|gpu|cpu|gl")]
    pub adapter: String,
}

impl SceneArgs {
    /// Configuration for these options and models.
    ///
    /// # Errors
    /// [`ConfigError`] for an unknown or invalid scene.
    pub fn config(&self, models: &[PathBuf]) -> Result<Config, ConfigError> {
        let scene = self.scene_name(models)?;
        let FolderFiles {
            mut characters,
            libraries,
        } = expanded(&characters_among(models))?;
        if let Some(variant) = self.animations.variants.as_ref().filter(|_| !characters.is_empty()) {
            characters = with_variants(&characters, variant)?;
        }
        let mut config = match &scene {
            Some(name) => Config::scene(name)?,
            None if characters.is_empty() && self.tracks.trajectories.is_none() => Config::scene("plaza")?,
            None => Config::default(),
        };
        if !characters.is_empty() {
            config.scene.characters.clone_from(&characters);
            // The caption describes the scene's own people.
            config.scene.caption.clear();
            if scene.is_none() {
                let stem = |path: &PathBuf| CharacterPath::of(path).file_stem().to_string_lossy().into_owned();
                let stems: Vec<String> = characters.iter().map(stem).collect();
                config.scene.name = stems.join(", ");
                config.scene.count = limits::people_of(characters.len());
            }
        }
        self.tracks.apply(&mut config, self.scene.is_some());
        for setting in &self.set {
            config.set("--set", setting)?;
        }
        if let Some(count) = self.count {
            config.scene.count = count;
        }
        if let Some(seed) = self.seed {
            config.scene.seed = seed;
        }
        if let Some(ground) = self.ground {
            config.scene.ground_contact = ground;
        }
        if let Some(layout) = self.layout {
            let sets_ground = self
                .set
                .iter()
                .any(|setting| setting.trim_start().starts_with("look.ground"));
            config.take_layout(layout, sets_ground);
        }
        if !self.clips.is_empty() {
            config.scene.groups.clear();
            config.scene.clips = self.clips.iter().map(|c| (c.clone(), 1.0)).collect();
        }
        if !self.animations.animations.is_empty() {
            config.scene.animations.clone_from(&self.animations.animations);
            config.scene.joint_map = self.animations.joint_map.clone().unwrap_or_default();
            config.scene.turn = self.animations.turn;
        }
        if let Some(variant) = self.animations.variants.as_ref().filter(|_| models.is_empty()) {
            config.scene.characters = with_variants(&config.scene.characters, variant)?;
        }
        if !self.animations.hide.is_empty() {
            config.scene.hide.clone_from(&self.animations.hide);
        }
        config.scene.animations.extend(libraries);
        self.draw.apply(&mut config);
        if self.shows_one(models, &config) {
            config.render.detail = 0.0;
        }
        if let Some((width, height)) = self.size {
            config.window.width = width;
            config.window.height = height;
        }
        self.view.apply(&mut config)?;
        if !self.set.is_empty() {
            config.consistent("--set")?;
        }
        Ok(config)
    }

    /// Scene that the options name: by `--scene`, or a .toml file among the models.
    ///
    /// # Errors
    /// Two scenes, or a character in place of a scene.
    pub fn scene_name(&self, models: &[PathBuf]) -> Result<Option<String>, ConfigError> {
        let files = models.iter().filter(|model| is_scene_file(model));
        let named = self.scene.iter().cloned();
        let mut scenes = named.chain(files.map(|file| file.display().to_string()));
        let scene = scenes.next();
        match (scene, scenes.next()) {
            (Some(first), Some(second)) => Err(ConfigError::TwoScenes { first, second }),
            (scene, _) => Ok(scene),
        }
    }

    /// File of the scene; `None` for presets.
    #[must_use]
    pub fn file(&self, models: &[PathBuf]) -> Option<PathBuf> {
        let name = &self.scene_name(models).ok()??;
        let is_preset = Config::preset_names().any(|preset| preset == name);
        (!is_preset).then(|| name.into())
    }

    /// True if a single character is shown, which has full detail unless requested otherwise.
    pub(super) fn shows_one(&self, models: &[PathBuf], config: &Config) -> bool {
        let has_scene = self.scene.is_some() || models.iter().any(|model| is_scene_file(model));
        let named = !has_scene && !config.scene.characters.is_empty();
        named && config.scene.count == 1 && self.draw.detail.is_none()
    }

    pub(super) fn cache(&self) -> Option<LodCache> {
        if self.draw.no_cache { None } else { LodCache::usual() }
    }

    /// Builder of LODs for raw files, with the cache; it shows progress.
    #[must_use]
    pub fn lod_maker(&self, quality: LodQuality) -> LodMaker {
        let progress = LodProgress::new(String::new(), "--lods full");
        LodMaker::new(self.cache(), quality, move |part| progress.show(part))
    }

    /// Requested adapter.
    #[must_use]
    pub fn adapter(&self) -> AdapterChoice {
        self.adapter.parse().unwrap_or_default()
    }
}

/// True for the path of a scene file.
fn is_scene_file(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// Models without the scene files among them.
fn characters_among(models: &[PathBuf]) -> Vec<PathBuf> {
    models.iter().filter(|model| !is_scene_file(model)).cloned().collect()
}

/// Named characters, and those in the named folders with the clips beside them, in the order of their paths.
fn expanded(models: &[PathBuf]) -> Result<FolderFiles, ConfigError> {
    let mut files = FolderFiles::default();
    for model in models {
        if !model.is_dir() {
            files.characters.push(model.clone());
            continue;
        }
        let found = FolderFiles::find(model).map_err(|reason| ConfigError::Read {
            path: model.clone(),
            reason,
        })?;
        files.characters.extend(found.characters);
        files.libraries.extend(found.libraries);
    }
    Ok(files)
}

fn parse_time(text: &str) -> Result<f64, String> {
    parse_seconds(text, *limits::TIME.end()).map_err(|why| why + " (a year)")
}

#[cfg(test)]
mod tests {
    use clap::{Parser, ValueEnum};
    use proptest::prelude::*;

    use super::*;
    use crate::{
        cli::{Cli, Command},
        config::{Effort, Phase, Technique, ViewConfig},
    };

    fn shot(words: &[String]) -> Config {
        let line = ["throng", "shot"]
            .map(str::to_owned)
            .into_iter()
            .chain(words.iter().cloned());
        let Ok(Cli {
            command: Some(Command::Shot(args)),
            ..
        }) = Cli::try_parse_from(line)
        else {
            panic!("{words:?}")
        };
        args.scene
            .config(&args.models)
            .unwrap_or_else(|e| panic!("{words:?}: {e}"))
    }

    proptest! {
        /// Commands copied from the window reproduce its settings, from any base scene.
        #[test]
        fn options_round_trip_to_their_settings(
            to in 0..5_usize, from in 0..6_usize, count in 1..100_u32, seed in any::<u32>(), own in any::<bool>(),
            numbers in prop::array::uniform4(0.0..1.0_f32), eye in prop::array::uniform3(-1e3..1e3_f32),
            size in (16..4000_u32, 16..4000_u32), technique in prop::sample::select(Technique::value_variants()), effort in 0..3_usize, cull in any::<bool>(),
        ) {
            let preset = |number: usize| Config::preset_names().nth(number).expect("five");
            let mut config = Config::scene(preset(to)).expect("a preset");
            (config.scene.count, config.scene.seed) = (count, seed.into());
            [config.scene.speed_spread, config.look.clouds, config.look.exposure, config.render.detail] = numbers;
            config.scene.clips.insert("it's odd".into(), numbers[0] + 0.5);
            let group = config.scene.groups.values_mut().next();
            group.into_iter().for_each(|group| (group.phase, group.behaviour) = (Some(Phase::Together), None));
            config.render.technique = technique;
            config.render.effort = *Effort::value_variants().get(effort).expect("three");
            (config.render.cull, config.render.msaa) = (cull, 1);
            (config.window.width, config.window.height) = size;
            config.camera.fov = 20.0 + numbers[1];
            if own {
                config.scene.characters = vec!["hero 1.glb".into(), "knight".into()];
            }
            let view = ViewConfig { eye, target: [eye[0] + 1.0, eye[1], eye[2]], time: None };
            // The last value means no base scene.
            prop_assume!(from < 5 || own);
            let (name, base) = match from {
                5 => ("", Config::of_characters(&config.scene.characters, count)),
                other => (preset(other), Config::scene(preset(other)).expect("a preset")),
            };
            let words = config.arguments(name, &base, &view).expect("fits").expect("text");
            let read = shot(&words);
            let seen = |config: &Config| {
                let mut config = config.clone();
                (config.scene.name, config.scene.caption) = (String::new(), String::new());
                let start = config.camera.views.get(&config.camera.start).copied();
                (config.scene, config.look, config.render, config.bake, config.camera.fov, config.window, start)
            };
            config.start_with(view);
            prop_assert_eq!(seen(&read), seen(&config), "{:?}", words);
        }
    }
}
