//! The density pass: how much of the sun the crowd takes from the ground, for wherever the shadow map does
//! not reach. One addition a person.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::{
        Layouts,
        passes::bins::{Bins, by_block},
        resources::instances::bind_group,
    },
};

/// Squares along an edge of the grid.
pub const DENSITY_CELLS: u32 = 512;
/// Edge of a square, metres.
pub const DENSITY_METRES: f32 = 4.0;

/// Pipeline of shaders/density.wgsl.
pub(crate) struct DensityPass {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
}

impl DensityPass {
    /// `grid` is that of [`grid`].
    pub(crate) fn new(gpu: &Gpu, layouts: &Layouts, grid: &wgpu::Buffer) -> Result<Self, GpuError> {
        let groups = [&layouts.frame, &layouts.bins, &layouts.density];
        Ok(Self {
            pipeline: compute_pipeline(gpu, "density", &[], &groups)?,
            group: bind_group(gpu, "density", &layouts.density, &[(0, grid.as_entire_binding())]),
        })
    }

    /// Adds people to a grid of zeros.
    pub(crate) fn encode<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        frame: &wgpu::BindGroup,
        people: impl Iterator<Item = &'a Bins>,
    ) {
        pass.set_bind_group(0, frame, &[]);
        pass.set_bind_group(2, &self.group, &[]);
        by_block(pass, &self.pipeline, people);
    }
}

/// The grid of a crowd whose sun casts shadows; of another a stand-in.
pub(crate) fn grid(gpu: &Gpu, shadows: bool) -> wgpu::Buffer {
    let edge = if shadows { u64::from(DENSITY_CELLS) } else { 2 };
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("density"),
        size: 4 * edge * edge,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}
