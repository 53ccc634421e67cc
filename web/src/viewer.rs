//! Viewer: one scene on one canvas.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use throng::{
    config::{Config, limits},
    crowd::Clock,
    gpu::{Gpu, GpuError},
    render::{Culling, DrawPath, FrameInput, RenderOptions, Renderer, source_within_limits, stats::FrameTimes},
    report::Warning,
    scene::{Progress, Scene, StartupTimes},
};
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

use crate::{OwnScene, character::OwnCharacter, look::Look, presets::preset, screen::Screen, times};

/// A crowd on a canvas.
#[wasm_bindgen]
pub struct Viewer {
    gpu: Gpu,
    screen: Screen,
    shown: Option<Shown>,
    own: Option<OwnCharacter>,
    /// Scene of the page's folder.
    own_scene: Option<OwnScene>,
    /// The scene's characters were replaced, or the scene's own came back.
    recast: bool,
    pub(crate) look: Look,
    times: FrameTimes,
}

/// What is on the GPU.
struct Shown {
    config: Config,
    scene: Scene,
    renderer: Renderer,
}

#[wasm_bindgen]
impl Viewer {
    /// Opens the browser's GPU for a canvas.
    ///
    /// # Errors
    /// There is none.
    pub async fn open(canvas: HtmlCanvasElement) -> Result<Viewer, JsError> {
        let (gpu, screen) = Screen::open(canvas).await?;
        Ok(Self {
            gpu,
            screen,
            shown: None,
            own: None,
            own_scene: None,
            recast: false,
            look: Look::default(),
            times: FrameTimes::default(),
        })
    }

    /// Shows `count` people of a scene by a technique and a rasterizer, as scene files name them. The picture before
    /// stays if that fails.
    ///
    /// # Errors
    /// One line: an unknown name, or a crowd that does not fit the GPU.
    pub fn show(&mut self, scene: &str, count: u32, technique: &str, raster: &str) -> Result<(), JsError> {
        let mut config = match self.own_scene_called(scene) {
            Some(own) => own.config.clone(),
            None => preset(scene)?,
        };
        config.scene.count = count.clamp(*limits::COUNT.start(), *limits::COUNT.end());
        config.render.technique = named(technique)?;
        config.render.raster = named(raster)?;
        let another_scene = self
            .shown
            .as_ref()
            .is_none_or(|shown| shown.config.scene.name != config.scene.name);
        let loaded = self.load(&config)?;
        self.upload(config, loaded)?;
        self.recast = false;
        if another_scene {
            self.look.home();
        }
        Ok(())
    }

    /// Adds the scene of the page's folder to those that [`Viewer::show`] knows, in place of one of its name.
    pub fn offer(&mut self, scene: &OwnScene) {
        self.own_scene = Some(scene.clone());
    }

    /// Casts the visitor's own character for everybody, from the bytes of a file; [`Viewer::show`] draws it. `notes` are
    /// those of its conversion. Returns the number of people that can be drawn at full detail, if the file has no
    /// levels of detail.
    ///
    /// # Errors
    /// One line: what is wrong with the file, and how to fix it.
    pub fn cast(&mut self, name: &str, bytes: Vec<u8>, notes: Vec<String>) -> Result<Option<u32>, JsError> {
        let own = OwnCharacter::open(name, bytes, notes).map_err(|why| JsError::new(&why))?;
        let most = own.most_people;
        (self.own, self.recast) = (Some(own), true);
        Ok(most)
    }

    /// Casts the scene's own characters again; [`Viewer::show`] draws them.
    pub fn uncast(&mut self) {
        self.recast |= self.own.take().is_some();
    }

    /// Notes about the scene, its characters and the rasterizer, one a line.
    #[must_use]
    pub fn notes(&self) -> String {
        let Some(shown) = &self.shown else {
            return String::new();
        };
        let notes = shown.scene.notes().into_iter().map(|note| note.to_string());
        let (_, why) = shown.renderer.raster();
        let why = why.map(|why| Warning::RasterRefused { why }.to_string());
        notes.chain(why).collect::<Vec<_>>().join("\n")
    }

    /// Draws a moment (s) of the scene on a canvas of `width` x `height` (px), `dt` seconds after the frame before. True
    /// if the camera is still on its way.
    ///
    /// # Errors
    /// The device was lost, or it rejected something since the last frame.
    pub fn draw(&mut self, time: f64, dt: f32, detailed: bool, width: u32, height: u32) -> Result<bool, JsError> {
        self.gpu.check()?;
        self.screen.resize(&self.gpu, width, height);
        let aspect = self.screen.aspect();
        let Some(shown) = &mut self.shown else { return Ok(false) };
        self.look.follow(&shown.config.camera, &shown.scene, time, dt, aspect)?;
        let config = &shown.config;
        let input = FrameInput {
            interpolate: config.render.interpolate,
            detail: if detailed {
                0.0
            } else {
                config.render.effective_detail()
            },
            culling: Culling::of(config),
            ..FrameInput::new(self.look.camera(), aspect, Clock::from_seconds(time), &config.look)
        };
        let Some((frame, view)) = self.screen.acquire() else {
            return Ok(true);
        };
        self.times = shown.renderer.draw(&self.gpu, &view, self.screen.size(), &input);
        self.gpu.queue.present(frame);
        Ok(self.look.is_moving())
    }

    /// Numbers of the newest frame, as JSON.
    #[must_use]
    pub fn numbers(&mut self) -> String {
        let shown = self.shown.as_mut();
        shown.map_or_else(|| "{}".into(), |shown| times::numbers(&mut shown.renderer, &self.times))
    }

    /// True once the device is gone: everything must be opened again then.
    #[must_use]
    pub fn lost(&self) -> bool {
        self.gpu.is_lost()
    }

    /// Features that the GPU lacks, one a line.
    #[must_use]
    pub fn lacks(&self) -> String {
        self.gpu.facts.switched_off.join("\n")
    }

    /// Gives the device away, as a driver's reset does: for tests of what the page says then.
    pub fn lose(&self) {
        self.gpu.device.destroy();
    }
}

impl Viewer {
    /// Scene of the page's folder, if it has this name.
    fn own_scene_called(&self, name: &str) -> Option<&OwnScene> {
        self.own_scene.as_ref().filter(|own| own.config.scene.name == name)
    }

    /// Scene of a configuration, from the characters at hand if it has the same.
    fn load(&self, config: &Config) -> Result<Scene, JsError> {
        let cast = |config: &Config| (config.scene.characters.clone(), config.scene.joint_roles.clone());
        let before = self.shown.as_ref().filter(|_| !self.recast);
        let same = before.filter(|shown| self.own.is_some() || cast(&shown.config) == cast(config));
        if let Some(shown) = same {
            return Ok(shown.scene.repopulate(config, &Progress::default())?);
        }
        Ok(match &self.own {
            Some(own) => {
                let mut config = config.clone();
                config.scene.weights.clear();
                Scene::with_characters(&config, vec![own.character.clone()], &Progress::default())?
            }
            None => match self.own_scene_called(&config.scene.name) {
                Some(own_scene) => own_scene.load(config)?,
                None => Scene::load(config, &mut StartupTimes::default())?,
            },
        })
    }

    /// Sends a scene to the GPU and makes it the one shown; on failure the one before stays.
    fn upload(&mut self, config: Config, scene: Scene) -> Result<(), JsError> {
        let render = &config.render;
        let source = source_within_limits(&self.gpu, &scene.characters, render.technique, render.format);
        let options = RenderOptions {
            target: self.screen.format,
            ..RenderOptions::of_pictures(&self.gpu, render, &scene.characters, Some(source), DrawPath::Selected)
        };
        match &mut self.shown {
            Some(shown) if shown.has_passes_of(options) => shown.replace(config, scene, options)?,
            _ => {
                let mut renderer = Renderer::new(&self.gpu, options)?;
                renderer.set_scene(&scene)?;
                self.shown = Some(Shown {
                    config,
                    scene,
                    renderer,
                });
            }
        }
        Ok(())
    }
}

impl Shown {
    /// True if the renderer differs from these options by its technique at most.
    fn has_passes_of(&self, options: RenderOptions) -> bool {
        let own = self.renderer.options();
        let fixed = |o: RenderOptions| (o.target, o.samples, o.path, o.raster, o.display_steps, o.effort);
        fixed(own) == fixed(options)
    }

    /// Draws another scene from now on; sends only the people if nothing else differs.
    fn replace(&mut self, config: Config, scene: Scene, options: RenderOptions) -> Result<(), GpuError> {
        let pairs = || self.scene.characters.iter().zip(&scene.characters);
        let same_characters =
            self.scene.characters.len() == scene.characters.len() && pairs().all(|(a, b)| Arc::ptr_eq(a, b));
        if self.renderer.options().method != options.method {
            self.renderer.set_technique(&scene, options)?;
        } else if same_characters && scene.has_props_of(&self.scene) {
            self.renderer.set_crowd(&scene)?;
        } else {
            self.renderer.set_scene(&scene)?;
        }
        (self.config, self.scene) = (config, scene);
        Ok(())
    }
}

/// Value of a setting by its name in scene files.
fn named<T: DeserializeOwned>(name: &str) -> Result<T, JsError> {
    serde_json::from_value(name.into()).map_err(|error| JsError::new(&error.to_string()))
}
