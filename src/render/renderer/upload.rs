//! What a scene puts on the GPU: characters, instances, props, and what people carry.

use std::sync::Arc;

use super::{Drawn, RenderOptions, Renderer};
use crate::{
    config::Technique,
    crowd::{Instance, Script},
    gpu::{Gpu, GpuError},
    render::{CharacterAssets, CrowdInstances, DrawVariant, held::HeldCrowd, live::LiveCrowd, tints},
    scene::{Character, Scene},
};

impl Renderer {
    /// Uploads characters and instances of a scene and compiles the pipelines they need.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] or [`GpuError::Shader`]; the previous scene stays.
    pub fn set_scene(&mut self, gpu: &Gpu, scene: &Scene) -> Result<(), GpuError> {
        let RenderOptions {
            technique,
            format,
            source,
            ..
        } = self.options;
        let tints = tints::upload(gpu, &scene.ramps, scene.tint_strength);
        let mut characters = Vec::with_capacity(scene.characters.len());
        let placed = scene
            .characters
            .iter()
            .zip(&scene.crowd.per_character)
            .zip(&scene.scripts);
        for ((character, instances), script) in placed {
            let assets = CharacterAssets::upload(gpu, character, technique, format, source)?;
            let variant = DrawVariant::of(&assets);
            self.prepare(gpu, variant)?;
            let (crowd, live) = self.place(gpu, character, instances, script, &assets, &tints)?;
            characters.push(Drawn {
                assets,
                crowd,
                variant,
                live,
            });
        }
        self.props = self.place_props(gpu, scene, &tints)?;
        self.characters = characters;
        self.tints = tints;
        self.place_held(gpu, scene)
    }

    /// Replaces the instances only; the characters stay on the GPU.
    ///
    /// # Errors
    /// As [`Renderer::set_scene`].
    pub fn set_crowd(&mut self, gpu: &Gpu, scene: &Scene) -> Result<(), GpuError> {
        let tints = tints::upload(gpu, &scene.ramps, scene.tint_strength);
        let characters = scene
            .characters
            .iter()
            .zip(&scene.crowd.per_character)
            .zip(&scene.scripts);
        let mut placed = Vec::with_capacity(self.characters.len());
        for (drawn, ((character, instances), script)) in self.characters.iter().zip(characters) {
            placed.push(self.place(gpu, character, instances, script, &drawn.assets, &tints)?);
        }
        for (drawn, (crowd, live)) in self.characters.iter_mut().zip(placed) {
            (drawn.crowd, drawn.live) = (crowd, live);
        }
        self.tints = tints;
        self.place_held(gpu, scene)
    }

    /// Switches technique or format, keeping targets and fixed passes.
    ///
    /// # Errors
    /// As [`Renderer::set_scene`].
    pub fn set_technique(&mut self, gpu: &Gpu, scene: &Scene, options: RenderOptions) -> Result<(), GpuError> {
        let before = self.options;
        self.options = RenderOptions {
            target: before.target,
            samples: before.samples,
            ..options
        };
        self.set_scene(gpu, scene).inspect_err(|_| self.options = before)
    }

    fn place(
        &self,
        gpu: &Gpu,
        character: &Arc<Character>,
        instances: &[Instance],
        script: &Script,
        assets: &CharacterAssets,
        tints: &wgpu::Buffer,
    ) -> Result<(CrowdInstances, Option<LiveCrowd>), GpuError> {
        let crowd = CrowdInstances::upload(gpu, &self.layouts, assets, instances, script, tints)?;
        let live = LiveCrowd::new(gpu, &self.layouts, character, instances, script, &crowd);
        Ok((crowd, live))
    }

    fn place_held(&mut self, gpu: &Gpu, scene: &Scene) -> Result<(), GpuError> {
        let owners = || self.characters.iter().map(|d| (&d.assets, &d.crowd));
        let upload = |held| HeldCrowd::upload(gpu, &self.layouts, held, owners(), &self.tints);
        let carried = scene.held.iter().map(upload).collect::<Result<Vec<_>, _>>()?;
        carried.iter().try_for_each(|held| self.prepare(gpu, held.variant))?;
        self.carried = carried;
        Ok(())
    }

    fn place_props(&mut self, gpu: &Gpu, scene: &Scene, tints: &wgpu::Buffer) -> Result<Vec<Drawn>, GpuError> {
        let mut props = Vec::with_capacity(scene.props.len());
        let still = Script::default();
        for placed in &scene.props {
            let RenderOptions { format, source, .. } = self.options;
            let assets = CharacterAssets::upload(gpu, &placed.character, Technique::Static, format, source)?;
            let variant = DrawVariant::of(&assets);
            self.prepare(gpu, variant)?;
            let crowd = CrowdInstances::upload(gpu, &self.layouts, &assets, &placed.instances, &still, tints)?;
            props.push(Drawn {
                assets,
                crowd,
                variant,
                live: None,
            });
        }
        Ok(props)
    }

    fn prepare(&mut self, gpu: &Gpu, variant: DrawVariant) -> Result<(), GpuError> {
        self.crowd.prepare(gpu, &self.layouts, variant)?;
        self.shadow.prepare(gpu, &self.layouts, variant)
    }
}
