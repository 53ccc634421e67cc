//! Crowd shadow grid: an ambient occlusion proxy for the ground beyond the shadow map. Each cell sums how much sunlight
//! people keep from it. Every person who is selected adds to one cell, in one atomic addition
//! (shaders/shared/cast.wgsl).

use crate::{
    gpu::Gpu,
    render::{RenderContext, resources::instances::bind_group},
};

/// Cells along an edge of the grid.
pub const CROWD_SHADOW_CELLS: u32 = 512;
/// Edge of a cell (m).
pub const CROWD_SHADOW_CELL_SIZE: f32 = 4.0;

/// Buffer of the grid; a placeholder of two by two cells without `shadows`.
pub(crate) fn grid(gpu: &Gpu, shadows: bool) -> wgpu::Buffer {
    let edge = if shadows { u64::from(CROWD_SHADOW_CELLS) } else { 2 };
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("crowd_shadow"),
        size: 4 * edge * edge,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// Bind group that adds people to a crowd shadow grid.
pub(crate) fn group(context: &RenderContext, grid: &wgpu::Buffer) -> wgpu::BindGroup {
    bind_group(
        &context.gpu,
        "crowd_shadow",
        &context.layouts.crowd_shadow,
        &[(0, grid.as_entire_binding())],
    )
}
