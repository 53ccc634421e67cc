//! Upload of a scene into the crowd renderer: characters, instances, scenery, attachments.

use crate::{
    crowd::{SceneContents, heroes::Hero},
    gpu::GpuError,
    render::{Actors, ActorsError, CharacterId, CrowdRenderer, DrawMethod, RenderOptions, Renderer},
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

    /// Replaces the instances only; characters and scenery stay on the GPU.
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

    /// Replaces instances and scenery; characters stay on the GPU, and so does scenery that both scenes share.
    ///
    /// # Errors
    /// As [`Renderer::set_scene`].
    pub fn set_crowd_and_scenery<'a>(&mut self, scene: impl Into<SceneContents<'a>>) -> Result<(), GpuError> {
        let scene = scene.into();
        let before = self.crowd.contents();
        let placed = self.crowd.with_deferred_compilation(|crowd| {
            crowd.set_scenery(scene.scenery)?;
            place_people(crowd, &scene)
        });
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
            display_steps: before.display_steps,
            effort: before.effort,
            ..options
        });
        self.set_scene(scene).inspect_err(|_| self.set_options(before))
    }

    /// Takes people of the scene over from the baked crowd, in place of the heroes before. Techniques that blend no
    /// palettes, and people who do not exist, are ignored.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for more heroes than the device can bind, or [`GpuError::Shader`]; the heroes before
    /// stay.
    pub fn set_heroes(&mut self, heroes: &[Hero]) -> Result<(), GpuError> {
        self.crowd.set_heroes(heroes)
    }

    /// Makes room for actors of a character, by its number in the scene; the next scene removes them.
    ///
    /// # Errors
    /// As [`CrowdRenderer::actors`].
    pub fn actors(&mut self, character: usize, capacity: u32) -> Result<Actors, ActorsError> {
        self.crowd.actors(CharacterId(character), capacity)
    }

    /// Sets technique and format of characters added from now on.
    pub fn set_method(&mut self, method: DrawMethod) {
        self.set_options(RenderOptions { method, ..self.options });
    }

    fn set_options(&mut self, options: RenderOptions) {
        self.options = options;
        self.crowd.set_method(options.method);
    }
}

fn add_all(crowd: &mut CrowdRenderer, scene: &SceneContents<'_>) -> Result<(), GpuError> {
    crowd.add_scene(scene)?;
    add_details(crowd, scene)
}

/// Places the people of a scene and their attachments.
fn place_people(crowd: &mut CrowdRenderer, scene: &SceneContents<'_>) -> Result<(), GpuError> {
    let all = scene.instances.iter().zip(scene.plans);
    for (number, (instances, plan)) in all.enumerate() {
        crowd.set_crowd(CharacterId(number), instances, plan)?;
    }
    add_details(crowd, scene)
}

/// Adds heroes, attachments and tints of people who are placed.
fn add_details(crowd: &mut CrowdRenderer, scene: &SceneContents<'_>) -> Result<(), GpuError> {
    crowd.set_heroes(scene.heroes)?;
    crowd.set_attachments(scene.attachments)?;
    crowd.set_tints(scene.ramps, scene.tint_strength);
    Ok(())
}
