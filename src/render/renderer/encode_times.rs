//! What a frame costs the CPU, apart from how long the GPU takes for it.
//!
//! A frame that is drawn only after the one before has left the GPU meets caches that cooled
//! meanwhile: the longer the GPU works, the more the same work costs. A program that runs ahead of
//! the GPU, as they do, does not wait; so neither does this measurement.

use crate::{
    config::Technique,
    gpu::Gpu,
    render::{FrameInput, Renderer},
};

/// Frames submitted back to back; as many as the pass timer keeps.
pub const AHEAD: usize = 8;
/// The first of them warm up.
const WARM_UP: usize = 2;

impl Renderer {
    /// Milliseconds to encode and submit a frame, for each of some frames submitted back to back;
    /// waits for the GPU before and after, not between.
    ///
    /// Empty on a software rasteriser, which draws on the cores that would be measured, and for
    /// technique `live`, whose frames each hold palettes of all instances.
    pub fn cpu_ahead(&mut self, gpu: &Gpu, view: &wgpu::TextureView, size: (u32, u32), input: &FrameInput) -> Vec<f64> {
        if gpu.facts.is_software() || self.options().technique == Technique::Live {
            return Vec::new();
        }
        gpu.spin_idle();
        let frames: Vec<f64> = (0..AHEAD).map(|_| self.draw(gpu, view, size, input).cpu_ms).collect();
        gpu.spin_idle();
        frames[WARM_UP..].to_vec()
    }
}
