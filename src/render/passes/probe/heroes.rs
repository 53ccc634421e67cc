//! Probe of crowds with heroes.

use std::sync::Arc;

use glam::Affine3A;

use crate::{
    character::Character,
    crowd::{AttachmentKind, Instance, MotionPlan, heroes::Hero},
    gpu::{Gpu, GpuError, compute_pass, encoder},
    render::{
        FrameInput, FrameUniforms,
        passes::{
            DrawVariant, Probe, ProbeVertex,
            attachments::{AttachmentCrowd, AttachmentPass},
            heroes::{HeroCrowd, HeroPass},
            probe::read_placed,
            shadow::SHADOW_SIZE,
        },
        resources::{CharacterAssets, CrowdInstances, DrawFlags, DrawParts, TintTexture, pose_cache::PosedFor},
    },
};

/// Crowd of one character, some of whom are heroes.
#[derive(Clone, Copy)]
pub struct CrowdWithHeroes<'a> {
    /// Character that is drawn.
    pub character: &'a Arc<Character>,
    /// All instances, heroes included.
    pub instances: &'a [Instance],
    /// Motion plan of the instances.
    pub plan: &'a MotionPlan,
    /// People who are posed live.
    pub heroes: &'a [Hero],
}

impl Probe {
    /// Compiles as [`Probe::new`] does, for crowds with heroes.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn for_heroes(gpu: &Gpu, assets: &CharacterAssets) -> Result<Self, GpuError> {
        let variant = DrawVariant::of(assets).with(DrawFlags::HEROES);
        Self::of(gpu, variant, assets, PosedFor::Everyone)
    }

    /// Skins all vertices of all instances at the frame's time, heroes from their own palettes. Vertices are in the
    /// order `instance * vertices + vertex`. The probe must be one [for heroes](Self::for_heroes).
    ///
    /// # Errors
    /// [`GpuError::Readback`] or [`GpuError::TooLarge`].
    pub fn run_heroes(
        &self,
        gpu: &Gpu,
        assets: &CharacterAssets,
        people: CrowdWithHeroes<'_>,
        input: &FrameInput,
    ) -> Result<Vec<ProbeVertex>, GpuError> {
        let (crowd, mut heroes) = self.upload_with_heroes(gpu, assets, people)?;
        heroes.update(gpu, input.clock, input.eye);
        let pass = HeroPass::new(&self.context)?;
        let frame = self.frame(gpu, &FrameUniforms::new(input, (1, 1), 1, false, SHADOW_SIZE));
        self.skin(gpu, assets, &crowd, &frame, |compute| {
            self.animate.encode(compute, &frame, std::iter::once(&crowd));
            pass.encode(compute, &frame, std::iter::once(&heroes));
        })
    }

    /// Transforms that the attachment pass gives to the props of a crowd with heroes: `world_from_prop`, without the
    /// owner's scale.
    ///
    /// # Errors
    /// As [`Probe::run_heroes`], or [`GpuError::Shader`].
    pub fn run_heroes_attachments(
        &self,
        gpu: &Gpu,
        assets: &CharacterAssets,
        people: CrowdWithHeroes<'_>,
        wanted: &AttachmentKind,
        input: &FrameInput,
    ) -> Result<Vec<Affine3A>, GpuError> {
        let (crowd, mut heroes) = self.upload_with_heroes(gpu, assets, people)?;
        heroes.update(gpu, input.clock, input.eye);
        let tints = TintTexture::new(gpu);
        let props = AttachmentCrowd::upload(
            &self.context,
            wanted,
            std::iter::once(DrawParts { assets, crowd: &crowd }),
            &tints,
            None,
        )?;
        let (hero_pass, attachment_pass) = (HeroPass::new(&self.context)?, AttachmentPass::new(&self.context)?);
        let frame = self.frame(gpu, &FrameUniforms::new(input, (1, 1), 1, false, SHADOW_SIZE));
        let mut encoder = encoder(gpu, "probe");
        let mut pass = compute_pass(&mut encoder, "probe");
        self.animate.encode(&mut pass, &frame, std::iter::once(&crowd));
        hero_pass.encode(&mut pass, &frame, std::iter::once(&heroes));
        attachment_pass.encode(&mut pass, &frame, std::iter::once(&props));
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        read_placed(gpu, &props)
    }

    fn upload_with_heroes(
        &self,
        gpu: &Gpu,
        assets: &CharacterAssets,
        people: CrowdWithHeroes<'_>,
    ) -> Result<(CrowdInstances, HeroCrowd), GpuError> {
        let CrowdWithHeroes {
            character,
            instances,
            plan,
            heroes,
        } = people;
        let tints = TintTexture::new(gpu);
        let mut crowd = CrowdInstances::upload(&self.context, assets, instances, plan, &tints)?;
        let mut own = HeroCrowd::new(&self.context, character, plan, &crowd, heroes.len())?;
        own.assign(heroes, Vec::new(), instances);
        crowd.bind_heroes(&self.context, Some(&own.runs));
        Ok((crowd, own))
    }
}
