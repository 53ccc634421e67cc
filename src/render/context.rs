//! One parameter of everything that makes GPU things for pictures.

use std::sync::Arc;

use crate::{gpu::Gpu, render::Layouts};

/// Device of a renderer, and the bind group layouts that its passes share. The device also keeps the pipelines, which
/// all renderers of a device share. Clones are handles.
#[derive(Clone)]
pub struct RenderContext {
    /// Device, queue, pipelines, shaders.
    pub gpu: Gpu,
    /// Bind group layouts.
    pub layouts: Arc<Layouts>,
}

impl RenderContext {
    /// Makes the layouts of a device.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            gpu: gpu.clone(),
            layouts: Arc::new(Layouts::new(gpu)),
        }
    }
}
