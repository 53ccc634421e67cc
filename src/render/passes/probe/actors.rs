//! Probe of actors.

use crate::{
    crowd::{
        Instance, MotionPlan,
        actors::{MotionRow, PlayRow},
    },
    gpu::{Gpu, GpuError},
    render::{
        passes::{DrawVariant, Probe},
        resources::{
            CharacterAssets, CrowdInstances, DrawFlags, TintTexture, actors::ActorBuffers, pose_cache::PosedFor,
        },
    },
};

/// Rows of all slots of some actors, as the CPU or a host's compute pass may have written them.
#[derive(Clone, Copy, Debug)]
pub struct ActorRows<'a> {
    /// Motion rows.
    pub motions: &'a [MotionRow],
    /// Play rows, as many.
    pub plays: &'a [PlayRow],
    /// Instances, as many, for tints and sizes.
    pub looks: &'a [Instance],
}

impl Probe {
    /// Compiles as [`Probe::new`] does, for actors.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn for_actors(gpu: &Gpu, assets: &CharacterAssets) -> Result<Self, GpuError> {
        let variant = DrawVariant::of(assets).with(DrawFlags::ACTORS);
        let mut probe = Self::of(gpu, variant, assets, PosedFor::Everyone)?;
        probe.animate.prepare_actors(&probe.context)?;
        Ok(probe)
    }

    /// Uploads actors, for [`Probe::run`] and [`Probe::posed`]. The probe must be one [for actors](Self::for_actors).
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] or [`GpuError::Memory`].
    pub fn upload_actors(
        &self,
        gpu: &Gpu,
        assets: &CharacterAssets,
        rows: ActorRows<'_>,
    ) -> Result<CrowdInstances, GpuError> {
        let buffers = ActorBuffers::new(gpu, rows.looks.len() as u32)?;
        gpu.write_buffer("actor motions", &buffers.motions, 0, bytemuck::cast_slice(rows.motions));
        gpu.write_buffer("actor plays", &buffers.plays, 0, bytemuck::cast_slice(rows.plays));
        let tints = TintTexture::new(gpu);
        let plan = MotionPlan::default();
        let mut crowd = CrowdInstances::upload(&self.context, assets, rows.looks, &plan, &tints)?;
        crowd.follow_actors(&self.context, assets, &buffers);
        Ok(crowd)
    }
}
