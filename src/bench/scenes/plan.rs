//! Plan of `--scenes`: scene views, and methods to draw them.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::{
    aov::FrameParameters,
    bench::{BenchArgs, BenchPlan, BenchView, plan::scene_config, views},
    config::{Config, Raster, Technique},
    gpu::Gpu,
    render::DrawPath,
    scene::Scene,
};

/// Name of the even grid of the other benchmarks, as a scene.
const GRID: &str = "grid";

/// Scene time of pictures (s); people on trajectories are drawn when most of them are there.
const START: f64 = 4.0;

/// Scene that is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SceneSource {
    /// Even grid of the other benchmarks.
    Grid,
    /// Preset or file.
    Scene(String),
    /// File of trajectories.
    Trajectories(PathBuf),
}

impl fmt::Display for SceneSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grid => f.write_str(GRID),
            Self::Scene(name) => f.write_str(name),
            Self::Trajectories(file) => write!(f, "{}", file.display()),
        }
    }
}

/// Scene and one of its views: `plaza`, `million@sea`, `grid@overview`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneView {
    /// Scene.
    pub scene: SceneSource,
    /// Name of the view; `None` for the view that the scene starts with.
    pub view: Option<String>,
}

impl SceneView {
    /// Scene of a preset, or of a file.
    pub(in crate::bench) fn of_scene(name: &str) -> Self {
        let scene = if name == GRID {
            SceneSource::Grid
        } else {
            SceneSource::Scene(name.to_owned())
        };
        Self { scene, view: None }
    }

    /// Scene of people on a file of trajectories.
    pub(in crate::bench) fn of_trajectories(file: &Path) -> Self {
        Self {
            scene: SceneSource::Trajectories(file.to_owned()),
            view: None,
        }
    }
}

impl FromStr for SceneView {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (scene, view) = match text.rsplit_once('@') {
            Some((scene, view)) => (scene, Some(view)),
            None => (text, None),
        };
        if scene.is_empty() || view.is_some_and(str::is_empty) {
            return Err(format!("{text:?} is not a scene, nor SCENE@VIEW"));
        }
        Ok(Self {
            view: view.map(str::to_owned),
            ..Self::of_scene(scene)
        })
    }
}

/// Method to draw a scene, with technique `matrix` unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SceneMethod {
    /// Everyone at full detail, visible or not, in one instanced draw per character.
    Full,
    /// Full detail after culling.
    Culled,
    /// LODs and culling.
    Auto,
    /// LODs and culling, with the software rasterizer for people who are small in the picture.
    Compute,
    /// As `compute`, with 32-bit atomics in two steps, as on devices without 64-bit atomics.
    #[value(name = "compute-32")]
    #[serde(rename = "compute-32")]
    Compute32,
    /// Full detail after culling, small people drawn by the software rasterizer.
    FullCompute,
    /// LODs and culling with technique `preskinned`: distinct poses are skinned once, in compute.
    Preskinned,
}

/// Default methods of the command line.
pub(in crate::bench) const USUAL: [SceneMethod; 3] = [SceneMethod::Full, SceneMethod::Auto, SceneMethod::Compute];

impl SceneMethod {
    /// Name as on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Culled => "culled",
            Self::Auto => "auto",
            Self::Compute => "compute",
            Self::Compute32 => "compute-32",
            Self::FullCompute => "full-compute",
            Self::Preskinned => "preskinned",
        }
    }

    /// True if people are drawn with LODs.
    pub(in crate::bench) const fn draws_lods(self) -> bool {
        matches!(self, Self::Auto | Self::Compute | Self::Compute32 | Self::Preskinned)
    }

    /// Device of the method's renderer: a handle of `gpu`.
    pub(in crate::bench) fn device(self, gpu: &Gpu) -> Gpu {
        match self {
            Self::Compute32 => gpu.without_wide_atomics(),
            _ => gpu.clone(),
        }
    }

    /// Applies the method to a configuration and returns the draw path.
    pub(in crate::bench) fn apply(self, config: &mut Config) -> DrawPath {
        let render = &mut config.render;
        render.detail = if self.draws_lods() { 1.0 } else { 0.0 };
        if self == Self::Preskinned {
            render.technique = Technique::Preskinned;
        }
        render.cull = self != Self::Full;
        render.raster = match self {
            Self::Full | Self::Culled | Self::Preskinned => Raster::Hardware,
            Self::Auto => Raster::Auto,
            Self::Compute | Self::Compute32 | Self::FullCompute => Raster::Compute,
        };
        if self == Self::Full {
            DrawPath::Plain
        } else {
            DrawPath::Selected
        }
    }
}

/// Method, or its repetition as an A/A control: the ratio of the two is the noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bench) struct Variant {
    /// Method that draws the scene.
    pub way: SceneMethod,
    /// True for the second measurement.
    pub control: bool,
}

/// Removes duplicates from methods, in the order of first mention.
pub(in crate::bench) fn distinct(ways: &[SceneMethod]) -> Vec<SceneMethod> {
    let mut distinct: Vec<SceneMethod> = Vec::new();
    for &way in ways {
        if !distinct.contains(&way) {
            distinct.push(way);
        }
    }
    distinct
}

/// Returns each method once, and as an A/A control the first that has draw lists again: its frames are short.
pub(in crate::bench) fn variants(ways: &[SceneMethod]) -> Vec<Variant> {
    let once = ways.iter().map(|&way| Variant { way, control: false });
    let variants: Vec<Variant> = once.collect();
    let short = variants
        .iter()
        .find(|v| v.way != SceneMethod::Full)
        .or(variants.first());
    let control = short.map(|v| Variant { control: true, ..*v });
    variants.into_iter().chain(control).collect()
}

/// Makes the configuration of a scene view with `count` people, or with the number of the scene for `None`.
pub(in crate::bench) fn config(
    args: &BenchArgs,
    plan: &BenchPlan,
    place: &SceneView,
    count: Option<u32>,
) -> Result<Config> {
    let mut config = match &place.scene {
        SceneSource::Grid => scene_config(args, plan, count.unwrap_or(1000)),
        SceneSource::Scene(name) => Config::scene(name)?,
        SceneSource::Trajectories(file) => {
            let mut config = Config::default();
            config.follow(file);
            config.name_after(file);
            config
        }
    };
    for setting in &args.set {
        config.set("--set", setting)?;
    }
    config.consistent("--set")?;
    if let Some(count) = count {
        config.scene.count = count;
    }
    if let Some(samples) = args.samples {
        config.render.msaa = samples;
    }
    if let Some(shadows) = args.shadows {
        config.look.shadows = shadows;
    }
    if let Some(view) = &place.view {
        config.camera.start.clone_from(view);
    }
    (config.window.width, config.window.height) = plan.size;
    Ok(config)
}

/// Returns the scene time (s) of the first frame.
pub(in crate::bench) fn start(scene: &Scene) -> f64 {
    let tracks = scene.tracks.as_ref();
    tracks.map_or(START, |tracks| tracks.presence.busiest_time())
}

/// Returns the frame parameters of a scene view at a scene time (s).
pub(in crate::bench) fn moment(
    place: &SceneView,
    config: &Config,
    scene: &Scene,
    time: f64,
) -> Result<FrameParameters> {
    // The overview of the grid frames everyone; its other views are those of any scene.
    let overview = BenchView::Overview.name();
    if place.scene != SceneSource::Grid || place.view.as_ref().is_some_and(|view| view != overview) {
        return Ok(FrameParameters::of(config, scene, time)?);
    }
    let size = (config.window.width, config.window.height);
    let camera = views::camera(BenchView::Overview, &config.camera, &scene.crowd.extent, size)?;
    Ok(FrameParameters::seen_by(config, camera, time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_scene_and_perhaps_a_view() {
        let place: SceneView = "million@sea".parse().expect("valid");
        assert_eq!(place.scene, SceneSource::Scene("million".to_owned()));
        assert_eq!(place.view.as_deref(), Some("sea"));
        assert_eq!("grid".parse::<SceneView>().expect("valid").scene, SceneSource::Grid);
        assert_eq!("a/b.toml".parse::<SceneView>().expect("valid").view, None);
        assert!("@sea".parse::<SceneView>().is_err() && "army@".parse::<SceneView>().is_err());
    }

    #[test]
    fn every_way_differs_from_the_others_in_what_is_drawn() {
        let settings = <SceneMethod as clap::ValueEnum>::value_variants().iter().map(|way| {
            let mut config = Config::default();
            let path = way.apply(&mut config);
            let render = config.render;
            let has_steps = *way == SceneMethod::Compute32;
            (
                format!("{path:?} {:?} {:?} {has_steps}", render.raster, render.technique),
                render.detail > 0.0,
                render.cull,
            )
        });
        let settings: Vec<_> = settings.collect();
        let distinct: std::collections::BTreeSet<_> = settings.iter().collect();
        assert_eq!(distinct.len(), settings.len(), "{settings:?}");
    }

    #[test]
    fn the_control_repeats_a_short_frame() {
        let names = |ways: &[SceneMethod]| -> Vec<(SceneMethod, bool)> {
            let variants = variants(&distinct(ways));
            variants.iter().map(|v| (v.way, v.control)).collect()
        };
        assert_eq!(
            names(&[SceneMethod::Full, SceneMethod::Auto, SceneMethod::Full]),
            [
                (SceneMethod::Full, false),
                (SceneMethod::Auto, false),
                (SceneMethod::Auto, true)
            ]
        );
        assert_eq!(
            names(&[SceneMethod::Full]),
            [(SceneMethod::Full, false), (SceneMethod::Full, true)]
        );
    }
}
