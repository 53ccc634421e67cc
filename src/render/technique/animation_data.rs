//! Animation data of a character on the GPU.

use crate::{
    atlas::AtlasFormat,
    gpu::{Gpu, buffer_with},
    render::resources::{AtlasSource, Resource, pose_steps::StepBuffers},
};

/// Animation data: contents of binding 2 (and 3) of the character group.
#[derive(Clone)]
pub(crate) struct AnimationData {
    pub(crate) resource: Resource,
    /// Per-frame position ranges of baked vertices.
    pub(crate) ranges: Option<wgpu::Buffer>,
    /// Time steps at which people are posed, if poses are shared.
    pub(crate) steps: Option<StepBuffers>,
    /// Format in use; F32 if the technique has its own encoding.
    pub(crate) format: AtlasFormat,
    /// Source in use; always storage for techniques without a choice.
    pub(crate) source: AtlasSource,
    pub(crate) decode_min: [f32; 12],
    pub(crate) decode_size: [f32; 12],
    /// GPU bytes.
    pub(crate) bytes: u64,
}

impl AnimationData {
    /// Animation data from a resource of `bytes` that needs no decoding range.
    pub(crate) fn new(resource: Resource, source: AtlasSource, bytes: u64) -> Self {
        Self {
            resource,
            ranges: None,
            steps: None,
            format: AtlasFormat::F32,
            source,
            decode_min: [0.0; 12],
            decode_size: [1.0; 12],
            bytes,
        }
    }

    /// Handle for another character, at no further cost.
    pub(crate) fn shared(&self) -> Self {
        Self {
            bytes: 0,
            ..self.clone()
        }
    }

    /// Placeholder for techniques without animation data: a few zeros fill the binding.
    pub(crate) fn none(gpu: &Gpu) -> Self {
        let zeros = buffer_with(gpu, "no animation", &[0; 64], wgpu::BufferUsages::STORAGE);
        Self::new(Resource::Buffer(zeros), AtlasSource::Storage, 0)
    }
}
