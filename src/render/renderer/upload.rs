//! A scene, told to the crowd renderer: characters, instances, scenery, and what people carry.

use crate::{
    crowd::{SceneContents, heroes::Hero},
    gpu::GpuError,
    render::{CharacterId, CrowdRenderer, DrawMethod, RenderOptions, Renderer},
};

impl Renderer {
    /// Uploads characters and instances of a scene and compiles the pipelines they need.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] or [`GpuError::Shader`]; the previous scene stays.
    pub fn set_scene<'a>(&mut self, scene: impl Into<SceneContents<'a>>) -> Result<(), GpuError> {
        let scene = scene.into();
        let before = self.crowd.take();
        let placed = self.crowd.with_deferred_compilation(|crowd| add_all(crowd, &scene));
        if placed.is_err() {
            self.crowd.restore(before);
        }
        placed
    }

    /// Replaces the instances only; characters and what stands around stay on the GPU.
    ///
    /// # Errors
    /// As [`Renderer::set_scene`].
    pub fn set_crowd<'a>(&mut self, scene: impl Into<SceneContents<'a>>) -> Result<(), GpuError> {
        let scene = scene.into();
        let before = self.crowd.contents();
        let placed = self
            .crowd
            .with_deferred_compilation(|crowd| place_people(crowd, &scene));
        if placed.is_err() {
            self.crowd.restore(before);
        }
        placed
    }

    /// Switches technique or format, keeping targets and fixed passes.
    ///
    /// # Errors
    /// As [`Renderer::set_scene`].
    pub fn set_technique<'a>(
        &mut self,
        scene: impl Into<SceneContents<'a>>,
        options: RenderOptions,
    ) -> Result<(), GpuError> {
        let before = self.options;
        self.set_options(RenderOptions {
            target: before.target,
            samples: before.samples,
            path: before.path,
            raster: before.raster,
            fxaa: before.fxaa,
            ..options
        });
        self.set_scene(scene).inspect_err(|_| self.set_options(before))
    }

    /// Takes people over from the baked crowd of the scene that is on the GPU, in place of those
    /// taken over before. With a technique that blends no palettes, and for people
    /// that the scene does not have, nothing changes.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for more heroes than the device can bind, or [`GpuError::Shader`];
    /// those taken over before stay.
    pub fn set_heroes(&mut self, heroes: &[Hero]) -> Result<(), GpuError> {
        self.crowd.set_heroes(heroes)
    }

    /// Another technique or format, for characters that are added from now on.
    pub fn set_method(&mut self, method: DrawMethod) {
        self.set_options(RenderOptions { method, ..self.options });
    }

    fn set_options(&mut self, options: RenderOptions) {
        self.options = options;
        self.crowd.set_method(options.method);
    }
}

fn add_all(crowd: &mut CrowdRenderer, scene: &SceneContents<'_>) -> Result<(), GpuError> {
    for character in scene.characters {
        crowd.add_character(character.clone())?;
    }
    for placed in scene.scenery {
        crowd.add_scenery(&placed.character, &placed.instances)?;
    }
    crowd.compile_bakers()?;
    place_people(crowd, scene)
}

/// The people of a scene and what they carry.
fn place_people(crowd: &mut CrowdRenderer, scene: &SceneContents<'_>) -> Result<(), GpuError> {
    let all = scene.instances.iter().zip(scene.plans);
    for (number, (instances, plan)) in all.enumerate() {
        crowd.set_crowd(CharacterId(number), instances, plan)?;
    }
    crowd.set_heroes(scene.heroes)?;
    crowd.set_attachments(scene.attachments)?;
    crowd.set_tints(scene.ramps, scene.tint_strength);
    Ok(())
}
