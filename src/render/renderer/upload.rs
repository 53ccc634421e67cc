//! What a scene uploads: characters, instances, scenery and attachments.

use std::sync::Arc;

use crate::{
    character::Character,
    crowd::{Instance, MotionPlan, heroes::Hero},
    gpu::{Gpu, GpuError},
    model::Bounds,
    render::{
        DrawMethod, RenderOptions, Renderer,
        passes::{DrawVariant, attachments::AttachmentCrowd, heroes::HeroCrowd, live::LiveCrowd},
        renderer::CharacterDraw,
        resources::{CharacterAssets, CrowdInstances, tints},
    },
    scene::{Scene, all_clips_bounds},
};

impl Renderer {
    /// Uploads characters and instances of a scene and compiles the pipelines they need.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] or [`GpuError::Shader`]; the previous scene stays.
    pub fn set_scene(&mut self, gpu: &Gpu, scene: &Scene) -> Result<(), GpuError> {
        let method = self.options.method;
        let upload = |character: &Arc<Character>| CharacterAssets::upload(gpu, character, method).map(Arc::new);
        let assets = scene.characters.iter().map(upload).collect::<Result<_, _>>()?;
        let tints = tints::upload(gpu, &scene.ramps, scene.tint_strength);
        let props = self.place_props(gpu, scene, &tints)?;
        self.place_people(gpu, scene, assets, tints)?;
        self.props = props;
        Ok(())
    }

    /// Replaces the instances only; characters and what stands around stay on the GPU.
    ///
    /// # Errors
    /// As [`Renderer::set_scene`].
    pub fn set_crowd(&mut self, gpu: &Gpu, scene: &Scene) -> Result<(), GpuError> {
        let assets = self.characters.iter().map(|d| d.assets.clone()).collect();
        let tints = tints::upload(gpu, &scene.ramps, scene.tint_strength);
        self.place_people(gpu, scene, assets, tints)
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

    /// The people of a scene and what they carry, in place of those before once all of it is there.
    fn place_people(
        &mut self,
        gpu: &Gpu,
        scene: &Scene,
        assets: Vec<Arc<CharacterAssets>>,
        tints: wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let mut characters = Vec::with_capacity(assets.len());
        for (assets, (character, instances, plan)) in assets.into_iter().zip(placed(scene)) {
            let variant = DrawVariant::of(&assets);
            self.prepare(gpu, variant)?;
            let crowd = CrowdInstances::upload(gpu, &self.layouts, &assets, instances, plan, &tints)?;
            characters.push(CharacterDraw {
                live: LiveCrowd::new(gpu, &self.layouts, character, instances, plan, &crowd),
                assets,
                crowd,
                variant,
                heroes: None,
                all_clips_bounds: all_clips_bounds(character),
            });
        }
        self.give_heroes(gpu, scene, &mut characters, &scene.heroes)?;
        let attachments = self.place_attachments(gpu, scene, &characters, &tints)?;
        (self.characters, self.attachments, self.tints) = (characters, attachments, tints);
        Ok(())
    }

    /// Takes people over from the baked crowd of the scene that is on the GPU, in place of those
    /// taken over before. With a technique that blends no palettes, and for people
    /// that the scene does not have, nothing changes.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for more heroes than the device can bind, or [`GpuError::Shader`];
    /// those taken over before stay.
    pub fn set_heroes(&mut self, gpu: &Gpu, scene: &Scene, heroes: &[Hero]) -> Result<(), GpuError> {
        let mut characters = std::mem::take(&mut self.characters);
        let given = self.give_heroes(gpu, scene, &mut characters, heroes);
        self.characters = characters;
        if given? {
            for attachment in &mut self.attachments {
                attachment.bind(gpu, &self.layouts, self.characters.iter().map(CharacterDraw::parts));
            }
        }
        Ok(())
    }

    /// Heroes in place of those that the characters had; true where any reads other buffers than
    /// before.
    fn give_heroes(
        &mut self,
        gpu: &Gpu,
        scene: &Scene,
        characters: &mut [CharacterDraw],
        heroes: &[Hero],
    ) -> Result<bool, GpuError> {
        // Whatever can fail comes first.
        let mut given = Vec::with_capacity(characters.len());
        for (number, (drawn, (character, instances, plan))) in characters.iter().zip(placed(scene)).enumerate() {
            let takes = |hero: &&Hero| drawn.assets.method.technique.facts().heroes && hero.character == number;
            let own: Vec<Hero> = heroes.iter().filter(takes).cloned().collect();
            let room = drawn.heroes.as_ref().map_or(0, |heroes| heroes.room);
            let mut new = None;
            if own.len() > room {
                let variant = DrawVariant {
                    heroes: true,
                    ..drawn.variant
                };
                self.prepare(gpu, variant)?;
                let placed = (instances, plan);
                new = Some(HeroCrowd::new(
                    gpu,
                    &self.layouts,
                    character,
                    placed,
                    &drawn.crowd,
                    &own,
                )?);
            }
            given.push((instances, own, new));
        }
        let mut moved = false;
        for (drawn, (instances, own, new)) in characters.iter_mut().zip(given) {
            if new.is_some() || (own.is_empty() && drawn.heroes.is_some()) {
                let runs = new.as_ref().map(|heroes| &heroes.runs);
                drawn.crowd.bind_heroes(gpu, &self.layouts, runs);
                drawn.variant.heroes = new.is_some();
                drawn.heroes = new;
                moved = true;
            } else if let Some(heroes) = &mut drawn.heroes {
                heroes.assign(&own, instances);
            }
        }
        Ok(moved)
    }

    fn place_attachments(
        &mut self,
        gpu: &Gpu,
        scene: &Scene,
        owners: &[CharacterDraw],
        tints: &wgpu::Buffer,
    ) -> Result<Vec<AttachmentCrowd>, GpuError> {
        let owners = || owners.iter().map(CharacterDraw::parts);
        let upload = |attachment| AttachmentCrowd::upload(gpu, &self.layouts, attachment, owners(), tints);
        let attachments = scene.held.iter().map(upload).collect::<Result<Vec<_>, _>>()?;
        attachments
            .iter()
            .try_for_each(|attachment| self.prepare(gpu, attachment.variant))?;
        Ok(attachments)
    }

    fn place_props(&mut self, gpu: &Gpu, scene: &Scene, tints: &wgpu::Buffer) -> Result<Vec<CharacterDraw>, GpuError> {
        let mut props = Vec::with_capacity(scene.props.len());
        let still = MotionPlan::default();
        for placed in &scene.props {
            let assets = CharacterAssets::upload(gpu, &placed.character, DrawMethod::REST_POSE)?;
            let variant = DrawVariant::of(&assets);
            self.prepare(gpu, variant)?;
            let crowd = CrowdInstances::upload(gpu, &self.layouts, &assets, &placed.instances, &still, tints)?;
            props.push(CharacterDraw {
                assets: Arc::new(assets),
                crowd,
                variant,
                live: None,
                heroes: None,
                all_clips_bounds: Bounds::EMPTY,
            });
        }
        Ok(props)
    }

    fn prepare(&mut self, gpu: &Gpu, variant: DrawVariant) -> Result<(), GpuError> {
        self.crowd.prepare(gpu, &self.layouts, variant)?;
        self.shadow.prepare(gpu, &self.layouts, variant)
    }
}

/// Each character of a scene, its instances and what they follow.
fn placed(scene: &Scene) -> impl Iterator<Item = (&Arc<Character>, &[Instance], &MotionPlan)> {
    let instances = scene.crowd.per_character.iter().map(Vec::as_slice);
    let all = scene.characters.iter().zip(instances).zip(&scene.plans);
    all.map(|((character, instances), plan)| (character, instances, plan))
}
