//! Tile lists: the tiles of a picture in which each draw is visible, so that shading of a draw skips all others.

use crate::{
    gpu::{GpuError, buffer_with, compute_pipeline},
    render::{
        RenderContext,
        passes::{draw_lists::occlusion_cull::sample_features, raster::lists::empty},
        resources::instances::bind_group,
    },
};

/// Edge of a tile (px).
pub const TILE: u32 = 16;
/// Workgroups of shade_visibility along x, one per tile.
pub const TILE_ROW: u32 = 256;
/// Maximum draws of a picture: a bit each in workgroup memory.
pub const MOST_DRAWS: u32 = 1024;

/// Pipeline of shaders/tiles.wgsl, for so many samples a pixel.
pub(super) fn pipeline(context: &RenderContext, samples: u32) -> Result<wgpu::ComputePipeline, GpuError> {
    let features = [sample_features(samples), &["slots_pass"]].concat();
    compute_pipeline(
        &context.gpu,
        "tiles",
        &features,
        &[&context.layouts.frame, &context.layouts.tiles],
    )
}

/// Words of a draw's list in a picture of `size` pixels: number of tiles, then their numbers.
pub(super) fn list_words(size: (u32, u32)) -> u32 {
    size.0.div_ceil(TILE) * size.1.div_ceil(TILE) + 1
}

/// Tile lists of a picture.
pub(super) struct Tiles {
    across: u32,
    down: u32,
    lists: wgpu::Buffer,
    /// Dispatches of shading: three words for each draw.
    pub(super) dispatches: wgpu::Buffer,
    none: wgpu::Buffer,
    group: wgpu::BindGroup,
}

impl Tiles {
    /// Makes tile lists for a picture of `size` pixels and its draws, given uniforms, visibility and rows.
    pub(super) fn new(
        context: &RenderContext,
        size: (u32, u32),
        draws: u32,
        picture_uniforms: &wgpu::Buffer,
        words: &wgpu::Buffer,
        rows: &wgpu::Buffer,
    ) -> Self {
        let copied = wgpu::BufferUsages::COPY_DST;
        let storage = wgpu::BufferUsages::STORAGE | copied;
        let bytes = 4 * u64::from(list_words(size)) * u64::from(draws);
        let lists = empty(&context.gpu, "tiles", bytes, storage);
        let none: Vec<u32> = [TILE_ROW, 0, 1].repeat(draws.max(1) as usize);
        let none = buffer_with(
            &context.gpu,
            "no tiles",
            bytemuck::cast_slice(&none),
            wgpu::BufferUsages::COPY_SRC,
        );
        let dispatches = empty(
            &context.gpu,
            "tile dispatches",
            none.size(),
            storage | wgpu::BufferUsages::INDIRECT,
        );
        let bound = [
            (0, picture_uniforms.as_entire_binding()),
            (1, words.as_entire_binding()),
            (2, rows.as_entire_binding()),
            (3, lists.as_entire_binding()),
            (4, dispatches.as_entire_binding()),
        ];
        Self {
            across: size.0.div_ceil(TILE),
            down: size.1.div_ceil(TILE),
            group: bind_group(&context.gpu, "tiles", &context.layouts.tiles, &bound),
            lists,
            dispatches,
            none,
        }
    }

    /// Bindings of the tile lists in shade_visibility.wgsl.
    pub(super) fn bound(&self) -> (u32, wgpu::BindingResource<'_>) {
        (6, self.lists.as_entire_binding())
    }

    /// Empties the lists.
    pub(super) fn clear(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(&self.lists, 0, None);
        encoder.copy_buffer_to_buffer(&self.none, 0, &self.dispatches, 0, self.none.size());
    }

    /// Fills the lists; group 0 is set.
    pub(super) fn encode(&self, pass: &mut wgpu::ComputePass<'_>, pipeline: &wgpu::ComputePipeline) {
        pass.set_pipeline(pipeline);
        pass.set_bind_group(1, &self.group, &[]);
        pass.dispatch_workgroups(self.across, self.down, 1);
    }

    /// GPU bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.lists.size() + self.dispatches.size()
    }
}

/// Offset (bytes) of a draw's indirect dispatch of shade_visibility.
pub(super) fn offset(draw: usize) -> u64 {
    12 * draw as u64
}
