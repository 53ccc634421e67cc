//! What a scene puts on the GPU: characters, instances, props, and what people carry.

use std::sync::Arc;

use super::{Drawn, RenderOptions, Renderer};
use crate::{
    config::Technique,
    crowd::{Instance, Script, heroes::Hero},
    gpu::{Gpu, GpuError},
    model::Bounds,
    render::{
        CharacterAssets, CrowdInstances, DrawVariant, held::HeldCrowd, heroes::HeroCrowd, live::LiveCrowd, tints,
    },
    scene::{Character, Scene, whole_box},
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
                heroes: None,
                whole: whole_box(character),
            });
        }
        self.props = self.place_props(gpu, scene, &tints)?;
        self.characters = characters;
        self.tints = tints;
        self.place_held(gpu, scene)?;
        self.set_heroes(gpu, scene, &scene.heroes)
    }

    /// Replaces the instances only; characters and what stands around stay on the GPU.
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
            (drawn.crowd, drawn.live, drawn.heroes) = (crowd, live, None);
            drawn.variant.heroes = false;
        }
        self.tints = tints;
        self.place_held(gpu, scene)?;
        self.set_heroes(gpu, scene, &scene.heroes)
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

    /// Takes people over from the baked crowd of the scene that is on the GPU, in place of those
    /// taken over before. Only technique `matrix` blends palettes: with any other, and for people
    /// that the scene does not have, nothing changes.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for more heroes than the device can bind, or [`GpuError::Shader`].
    pub fn set_heroes(&mut self, gpu: &Gpu, scene: &Scene, heroes: &[Hero]) -> Result<(), GpuError> {
        let mut moved = false;
        for number in 0..self.characters.len() {
            let own: Vec<Hero> = heroes.iter().filter(|h| h.character == number).cloned().collect();
            moved |= self.set_own_heroes(gpu, scene, number, &own)?;
        }
        if moved {
            let characters = &self.characters;
            for held in &mut self.carried {
                held.bind(gpu, &self.layouts, characters.iter().map(|d| (&d.assets, &d.crowd)));
            }
        }
        Ok(())
    }

    /// The heroes of one character; true where its buffers are others than before.
    fn set_own_heroes(&mut self, gpu: &Gpu, scene: &Scene, number: usize, own: &[Hero]) -> Result<bool, GpuError> {
        let (Some(character), Some(instances), Some(script)) = (
            scene.characters.get(number),
            scene.crowd.per_character.get(number),
            scene.scripts.get(number),
        ) else {
            return Ok(false);
        };
        let drawn = &mut self.characters[number];
        if drawn.assets.technique != Technique::Matrix || own.is_empty() {
            let had = drawn.heroes.take().is_some();
            if had {
                drawn.variant.heroes = false;
                drawn.crowd.bind_heroes(gpu, &self.layouts, None);
            }
            return Ok(had);
        }
        if let Some(heroes) = &mut drawn.heroes
            && heroes.assign(own, instances)
        {
            return Ok(false);
        }
        let variant = DrawVariant {
            heroes: true,
            ..drawn.variant
        };
        self.prepare(gpu, variant)?;
        let drawn = &mut self.characters[number];
        let crowd = &mut drawn.crowd;
        let heroes = HeroCrowd::new(gpu, &self.layouts, character, (instances, script), crowd, own)?;
        (drawn.heroes, drawn.variant) = (Some(heroes), variant);
        Ok(true)
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
                heroes: None,
                whole: Bounds::EMPTY,
            });
        }
        Ok(props)
    }

    fn prepare(&mut self, gpu: &Gpu, variant: DrawVariant) -> Result<(), GpuError> {
        self.crowd.prepare(gpu, &self.layouts, variant)?;
        self.shadow.prepare(gpu, &self.layouts, variant)
    }
}
