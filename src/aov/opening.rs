//! Startup of a renderer: the adapter opens while the scene loads, since neither needs the other until the upload.

use std::{panic::resume_unwind, thread, time::Instant};

use anyhow::Result;

use crate::{
    aov::FrameParameters,
    config::{Config, LodQuality},
    gpu::{AdapterChoice, Gpu, GpuError},
    render::{DrawPath, RenderOptions, Renderer, draws_lods, resources::AtlasSource},
    scene::{LodMaker, Scene, StartupTimes, milliseconds},
};

/// Scene on an adapter, ready to draw.
pub(crate) struct Opening {
    /// The device.
    pub(crate) gpu: Gpu,
    /// Scene that is drawn.
    pub(crate) scene: Scene,
    /// Renderer of the scene.
    pub(crate) renderer: Renderer,
    /// True if LODs are drawn.
    pub(crate) lods: bool,
}

impl Opening {
    /// Opens an adapter and uploads the scene of a configuration with its LODs; adds to `times`.
    ///
    /// # Errors
    /// A faulty scene or an unknown view comes before any other error; no adapter, a scene that does not fit.
    pub(crate) fn new(
        config: &Config,
        adapter: &AdapterChoice,
        how: (Option<AtlasSource>, DrawPath),
        lods: &LodMaker,
        times: &mut StartupTimes,
    ) -> Result<Self> {
        let mut device_times = StartupTimes::default();
        let (scene, opened) = thread::scope(|scope| {
            let device = scope.spawn(|| open(config, adapter, how, &mut device_times));
            (
                load(config, times).map(|scene| with_quick_lods(scene, config, how.1, lods, times)),
                device.join(),
            )
        });
        let mut scene = scene?;
        let (gpu, mut renderer) = opened.unwrap_or_else(|panic| resume_unwind(panic))?;
        (times.device, times.pipelines) = (device_times.device, device_times.pipelines);
        let options = RenderOptions::of_pictures(&gpu, &config.render, &scene.characters, how.0, how.1);
        let draws_lods = options.draws_lods(&config.render);
        let at = Instant::now();
        if draws_lods {
            scene.load_or_make_lods(lods);
        }
        times.lods += milliseconds(at);
        let at = Instant::now();
        renderer.set_method(options.method);
        renderer.set_scene(&scene)?;
        times.upload = milliseconds(at);
        Ok(Self {
            gpu,
            scene,
            renderer,
            lods: draws_lods,
        })
    }
}

/// Makes quick LODs, if the settings draw LODs, while the adapter opens. Judged ones wait for it: without an adapter, they
/// would be made in vain.
fn with_quick_lods(
    mut scene: Scene,
    config: &Config,
    path: DrawPath,
    lods: &LodMaker,
    times: &mut StartupTimes,
) -> Scene {
    if lods.quality() == LodQuality::Quick && draws_lods(config.render.technique, path, &config.render) {
        let at = Instant::now();
        scene.load_or_make_lods(lods);
        times.lods = milliseconds(at);
    }
    scene
}

/// Loads the scene and checks that it has the requested view.
fn load(config: &Config, times: &mut StartupTimes) -> Result<Scene> {
    let scene = Scene::load(config, times)?;
    FrameParameters::of(config, &scene, 0.0)?;
    Ok(scene)
}

/// Opens an adapter with pipelines for any scene; its characters may still choose another source of animation data.
fn open(
    config: &Config,
    adapter: &AdapterChoice,
    how: (Option<AtlasSource>, DrawPath),
    times: &mut StartupTimes,
) -> Result<(Gpu, Renderer), GpuError> {
    let at = Instant::now();
    let gpu = Gpu::headless(adapter)?;
    times.device = milliseconds(at);
    let at = Instant::now();
    let options = RenderOptions::of_pictures(&gpu, &config.render, &[], how.0, how.1);
    let renderer = Renderer::new(&gpu, options)?;
    times.pipelines = milliseconds(at);
    Ok((gpu, renderer))
}
