//! Ground and sky behind what was drawn, and the samples of a pixel put together, in compute: for frames whose crowd
//! is rasterised in compute. Takes the place of the backdrop's draws, of the graphics pipe's resolve and of meet.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::{Layouts, passes::raster::RasterFrame, resources::instances::bind_group, targets::FrameTargets},
};

/// Pixels along an edge of a workgroup.
const TILE: u32 = 8;

/// Pipeline of shaders/behind.wgsl.
pub(crate) struct Behind {
    pipeline: wgpu::ComputePipeline,
    /// Of pictures that the graphics pipe has no part in.
    alone: wgpu::ComputePipeline,
    samples: u32,
}

impl Behind {
    /// For pictures of so many samples a pixel.
    pub(crate) fn new(gpu: &Gpu, layouts: &Layouts, samples: u32) -> Result<Self, GpuError> {
        let features: &[&str] = if samples > 1 {
            &["slots_pass", "density", "sun_words", "drawn", "multisampled"]
        } else {
            &["slots_pass", "density", "sun_words", "drawn"]
        };
        let groups = [&layouts.shaded_frame, layouts.behind(samples)];
        let alone = [&layouts.shaded_frame, &layouts.behind_alone];
        Ok(Self {
            pipeline: compute_pipeline(gpu, "behind", features, &groups)?,
            alone: compute_pipeline(gpu, "behind", &["slots_pass", "density", "sun_words"], &alone)?,
            samples,
        })
    }

    /// Reads what was rasterised, and what was drawn into `targets` if anything was, and writes what tone mapping
    /// reads.
    pub(crate) fn encode(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        (gpu, layouts, shaded_frame): (&Gpu, &Layouts, &wgpu::BindGroup),
        (targets, frame, drawn): (&FrameTargets, &RasterFrame, bool),
    ) {
        let mut rows = frame.picture().to_vec();
        rows.push((3, wgpu::BindingResource::TextureView(targets.hdr())));
        let (pipeline, layout) = match drawn {
            true => (&self.pipeline, layouts.behind(self.samples)),
            false => (&self.alone, &layouts.behind_alone),
        };
        if drawn {
            rows.push((4, wgpu::BindingResource::TextureView(&targets.depth)));
        }
        if drawn && self.samples > 1 {
            rows.push((5, wgpu::BindingResource::TextureView(&targets.color)));
        }
        let (width, height) = targets.size;
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, shaded_frame, &[]);
        pass.set_bind_group(1, &bind_group(gpu, "behind", layout, &rows), &[]);
        pass.dispatch_workgroups(width.div_ceil(TILE), height.div_ceil(TILE), 1);
    }
}
