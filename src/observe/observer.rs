//! An adapter, a scene, and pictures of it.

use anyhow::Result;

use crate::{
    config::Config,
    film::Exposure,
    gpu::{AdapterChoice, Gpu, PICTURE_FORMAT, read_texture, target_texture, whole_view},
    observe::{Moment, Numbers},
    render::{Alone, DrawPath, RenderOptions, Renderer, TruthView, passes::TruthKind, resources::AtlasSource},
    scene::{LevelMaker, Progress, Scene, StartupTimes},
};

/// A scene on an adapter, looked at.
pub struct Observer {
    /// The device.
    pub gpu: Gpu,
    /// Who stands where.
    pub scene: Scene,
    renderer: Renderer,
    /// Where they are drawn and the observer loads scenes.
    levels: Option<LevelMaker>,
}

impl Observer {
    /// Opens an adapter and puts a configuration's scene on it, with the levels of detail that it draws.
    ///
    /// # Errors
    /// A faulty scene, no adapter, what does not fit.
    pub fn open(
        config: &Config,
        adapter: &AdapterChoice,
        (source, path): (Option<AtlasSource>, DrawPath),
        levels: LevelMaker,
    ) -> Result<Self> {
        let mut scene = Scene::load(config, &mut StartupTimes::default())?;
        // An unknown view should not cost a device.
        Moment::of(config, &scene, 0.0)?;
        let gpu = Gpu::headless(adapter)?;
        let options = RenderOptions::of_pictures(&gpu, &config.render, &scene.characters, (source, path));
        let levels = options.draws_levels(&gpu, &config.render).then_some(levels);
        if let Some(levels) = &levels {
            scene.bring_levels(levels);
        }
        let mut renderer = Renderer::new(&gpu, options)?;
        renderer.set_scene(&scene)?;
        Ok(Self {
            gpu,
            scene,
            renderer,
            levels,
        })
    }

    /// A scene that is on a device already; the renderer draws into [`PICTURE_FORMAT`].
    #[must_use]
    pub const fn new(gpu: Gpu, scene: Scene, renderer: Renderer) -> Self {
        Self {
            gpu,
            scene,
            renderer,
            levels: None,
        }
    }

    /// Puts another configuration's crowd on, of the same characters.
    ///
    /// # Errors
    /// A faulty scene, what does not fit; the crowd before stays.
    pub fn repopulate(&mut self, config: &Config) -> Result<()> {
        let mut scene = self.scene.repopulate(config, &Progress::default())?;
        if let Some(levels) = &self.levels {
            scene.bring_levels(levels);
        }
        if scene.has_props_of(&self.scene) {
            self.renderer.set_crowd(&scene)?;
        } else {
            self.renderer.set_scene(&scene)?;
        }
        self.scene = scene;
        Ok(())
    }

    /// The light of some moments, averaged: RGBA8 in sRGB.
    ///
    /// # Errors
    /// A lost device, a picture that does not fit.
    pub fn picture(&mut self, moments: &[Moment], size: (u32, u32)) -> Result<Vec<u8>> {
        self.renderer.prepare(&self.gpu, size)?;
        let read = wgpu::TextureUsages::COPY_SRC;
        let texture = target_texture(&self.gpu, "picture", size, (PICTURE_FORMAT, 1), read);
        let view = whole_view(&texture, "picture");
        let mut exposure = Exposure::default();
        for moment in moments {
            self.renderer.draw(&self.gpu, &view, size, &moment.input);
            let pixels = read_texture(&self.gpu, &texture)?;
            self.check()?;
            if moments.len() == 1 {
                return Ok(pixels);
            }
            exposure.add(&pixels);
        }
        Ok(exposure.mean())
    }

    /// What is at every pixel; motion needs the moment that it leads to.
    ///
    /// # Errors
    /// A lost device, what does not fit.
    pub fn numbers(
        &mut self,
        moment: &Moment,
        next: Option<&Moment>,
        size: (u32, u32),
        kinds: &[TruthKind],
    ) -> Result<Numbers> {
        self.look(
            &TruthView {
                size,
                input: &moment.input,
                next: next.map(|next| &next.input),
                only: None,
            },
            kinds,
        )
    }

    /// The same of one person (by number) as if nothing and nobody else were there.
    ///
    /// # Errors
    /// As [`Observer::numbers`].
    pub fn numbers_of(
        &mut self,
        person: u32,
        moment: &Moment,
        size: (u32, u32),
        kinds: &[TruthKind],
    ) -> Result<Numbers> {
        self.look(
            &TruthView {
                size,
                input: &moment.input,
                next: None,
                only: Some(person),
            },
            kinds,
        )
    }

    fn look(&mut self, view: &TruthView<'_>, kinds: &[TruthKind]) -> Result<Numbers> {
        let textures = self.renderer.truth(&self.gpu, view, kinds)?;
        let mut numbers = Numbers {
            size: view.size,
            ..Numbers::default()
        };
        for (&kind, texture) in kinds.iter().zip(&textures) {
            numbers.add(kind, &read_texture(&self.gpu, texture)?);
        }
        self.check()?;
        Ok(numbers)
    }

    /// What everyone covers alone, by number, in the picture of the last [`Observer::numbers`].
    ///
    /// # Errors
    /// As [`Renderer::alone`].
    pub fn alone(&mut self) -> Result<Vec<Alone>> {
        let alone = self.renderer.alone()?;
        self.check()?;
        Ok(alone)
    }

    /// Refuses to go on with a device that rejected something.
    fn check(&self) -> Result<()> {
        match self.gpu.take_error() {
            Some(error) => anyhow::bail!("the device rejected the picture: {error}"),
            None => Ok(()),
        }
    }
}
