//! Actors of one character on the GPU: their rows, and the groups with which animate reads them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{
    crowd::{
        Clock, InstancePose,
        actors::{ActorTable, MotionRow, PlayRow},
        schedule::CrossFade,
    },
    gpu::{Binding, Gpu, GpuError, bind_group_layout},
    render::resources::{CharacterAssets, instances::bind_group},
};

/// Bytes of an actor's third clip: a row of shaders/shared/hero.wgsl.
const THIRD_BYTES: u64 = 16;
/// Rows of third clips at least: halves of a buffer of two frames must be of its size.
const LEAST_THIRDS: u64 = 4;

/// Buffers of all slots of the actors of one character.
#[derive(Clone)]
pub(crate) struct ActorBuffers {
    /// Motion rows.
    pub(crate) motions: wgpu::Buffer,
    /// Play rows.
    pub(crate) plays: wgpu::Buffer,
    /// Third clip of each actor in this frame.
    pub(crate) thirds: wgpu::Buffer,
}

impl ActorBuffers {
    /// Makes buffers of free slots.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] beyond the device's binding limit, [`GpuError::Memory`].
    pub(crate) fn new(gpu: &Gpu, capacity: u32) -> Result<Self, GpuError> {
        let hint = "ask for a smaller capacity";
        let buffer = |label: &'static str, bytes: u64| -> Result<wgpu::Buffer, GpuError> {
            gpu.check_storage(label, bytes, hint)?;
            gpu.ensure_memory(label, hint, || {
                gpu.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some(label),
                    size: bytes,
                    usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                })
            })
        };
        let rows = u64::from(capacity);
        Ok(Self {
            motions: buffer("actor motions", rows * size_of::<MotionRow>() as u64)?,
            plays: buffer("actor plays", rows * size_of::<PlayRow>() as u64)?,
            thirds: buffer("actor thirds", third_bytes(capacity))?,
        })
    }

    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.motions.size() + self.plays.size() + self.thirds.size()
    }
}

/// Table of actors that a host and a renderer share.
#[derive(Clone, Debug)]
pub(crate) struct ActorHandle(Arc<Mutex<ActorTable>>);

impl ActorHandle {
    pub(crate) fn new(table: ActorTable) -> Self {
        Self(Arc::new(Mutex::new(table)))
    }

    /// True if both are the same table.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Table, for this thread alone.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ActorTable> {
        // A host that panicked in the middle of a change left whole rows behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pose of the actor in a slot, without a third clip.
    pub(crate) fn pose(&self, index: u32, clock: Clock) -> Option<InstancePose> {
        let table = self.lock();
        let state = table.state(table.id_at(index)?, clock)?;
        let is_fading = state.blend.fade > 0.0;
        Some(InstancePose {
            position: state.place.position,
            yaw: state.place.yaw,
            moment: CrossFade {
                from: state.blend.a,
                to: state.blend.b,
                weight: if is_fading { state.blend.fade } else { 1.0 },
            },
        })
    }
}

/// Bytes of the third clips of all slots.
pub(crate) fn third_bytes(capacity: u32) -> u64 {
    u64::from(capacity).max(LEAST_THIRDS) * THIRD_BYTES
}

/// Actors of a crowd, as [`CrowdInstances`](super::CrowdInstances) binds them.
#[derive(Clone)]
pub(crate) struct ActorBindings {
    pub(crate) buffers: ActorBuffers,
    frame_times: wgpu::Buffer,
}

impl ActorBindings {
    pub(crate) fn new(assets: &CharacterAssets, buffers: &ActorBuffers) -> Self {
        Self {
            buffers: buffers.clone(),
            frame_times: assets.frame_times.clone(),
        }
    }

    /// Group 1 of animate.
    pub(crate) fn character(&self, gpu: &Gpu, uniforms: &wgpu::Buffer, assets: &CharacterAssets) -> wgpu::BindGroup {
        let rows = [(0, uniforms.as_entire_binding()), (3, assets.clips.as_entire_binding())];
        bind_group(gpu, "animate actors", &layouts(gpu)[0], &rows)
    }

    /// Group 2 of animate, which writes third clips to the start of `thirds`.
    pub(crate) fn crowd(
        &self,
        gpu: &Gpu,
        list: &wgpu::Buffer,
        posed: &wgpu::Buffer,
        thirds: &wgpu::Buffer,
    ) -> wgpu::BindGroup {
        let buffers = &self.buffers;
        let all = [list, posed, &self.frame_times, &buffers.motions, &buffers.plays, thirds];
        let rows = (0..).zip(all.map(wgpu::Buffer::as_entire_binding));
        bind_group(gpu, "animate actors", &layouts(gpu)[1], &rows.collect::<Vec<_>>())
    }
}

/// Groups 1 and 2 of animate with actors: character, clips; instances, posed instances, times of the atlas's frames,
/// motion rows, play rows, third clips.
pub(crate) fn layouts(gpu: &Gpu) -> [wgpu::BindGroupLayout; 2] {
    let compute = wgpu::ShaderStages::COMPUTE;
    let character = [(0, compute, Binding::Uniform), (3, compute, Binding::Storage)];
    let crowd = [
        (0, compute, Binding::Storage),
        (1, compute, Binding::StorageWrite),
        (2, compute, Binding::Storage),
        (3, compute, Binding::Storage),
        (4, compute, Binding::Storage),
        (5, compute, Binding::StorageWrite),
    ];
    [
        bind_group_layout(gpu, "actors of a character", &character),
        bind_group_layout(gpu, "actors", &crowd),
    ]
}
