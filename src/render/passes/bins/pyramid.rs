//! The depth pyramid: how far the farthest thing behind any square of the picture is.

use bytemuck::{Pod, Zeroable};

use crate::{
    gpu::{Gpu, GpuError, buffer_with, compute_pipeline},
    render::{Layouts, Targets, passes::bins::occlude::depth_features, resources::instances::bind_group},
};

/// Levels, the picture itself included, which is not stored.
pub const PYRAMID_LEVELS: usize = 11;
/// Pixels across a workgroup's tile.
const TILE: u32 = 32;

/// `PyramidSizes` in shaders/shared/pyramid.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct PyramidSizes {
    /// Of the picture, pixels.
    pub size: [u32; 2],
    /// Unused.
    pub pad_a: u32,
    /// Unused.
    pub pad_b: u32,
    /// By level: first word, width, height.
    pub levels: [[u32; 4]; PYRAMID_LEVELS],
}

impl PyramidSizes {
    /// Of a picture; returns the words of all levels, too.
    #[must_use]
    pub fn of((width, height): (u32, u32)) -> (Self, u32) {
        let mut sizes = Self {
            size: [width, height],
            ..Self::default()
        };
        let mut words = 0;
        for (level, row) in sizes.levels.iter_mut().enumerate().skip(1) {
            let (w, h) = (width.div_ceil(1 << level), height.div_ceil(1 << level));
            *row = [words, w, h, 0];
            words += w * h;
        }
        (sizes, words)
    }
}

/// Both dispatches.
pub(crate) struct PyramidPass {
    from_depth: wgpu::ComputePipeline,
    upper: wgpu::ComputePipeline,
}

/// The pyramid of one depth attachment.
#[derive(Clone)]
pub(crate) struct Pyramid {
    size: (u32, u32),
    /// The attachment that it was bound for.
    depth: wgpu::TextureView,
    source: wgpu::BindGroup,
    pub(crate) group: wgpu::BindGroup,
}

impl PyramidPass {
    pub(crate) fn new(gpu: &Gpu, layouts: &Layouts, targets: Targets) -> Result<Self, GpuError> {
        let depth = depth_features(targets.depth.convention);
        let samples: &[&str] = if targets.samples > 1 { &["multisampled"] } else { &[] };
        let from_depth = [depth, samples, &["from_depth"]].concat();
        let groups = [&layouts.frame, layouts.drawn_depth(targets.samples), &layouts.pyramid];
        Ok(Self {
            from_depth: compute_pipeline(gpu, "pyramid", &from_depth, &groups)?,
            upper: compute_pipeline(gpu, "pyramid", depth, &groups)?,
        })
    }

    /// Two dispatches, after what hides others was drawn; leaves the pyramid as group 2.
    pub(crate) fn encode(&self, pass: &mut wgpu::ComputePass<'_>, frame: &wgpu::BindGroup, pyramid: &Pyramid) {
        let (width, height) = pyramid.size;
        pass.set_bind_group(0, frame, &[]);
        pass.set_bind_group(1, &pyramid.source, &[]);
        pass.set_bind_group(2, &pyramid.group, &[]);
        pass.set_pipeline(&self.from_depth);
        pass.dispatch_workgroups(width.div_ceil(TILE), height.div_ceil(TILE), 1);
        pass.set_pipeline(&self.upper);
        let tile = TILE * TILE;
        pass.dispatch_workgroups(width.div_ceil(tile), height.div_ceil(tile), 1);
    }
}

impl Pyramid {
    /// Of an attachment, which must be readable; `None` for one that is not.
    pub(crate) fn new(gpu: &Gpu, layouts: &Layouts, depth: &wgpu::TextureView) -> Option<Self> {
        let texture = depth.texture();
        let readable = texture.sample_count() == 1 || gpu.facts.backend.reads_depth_samples();
        if !readable || !texture.usage().contains(wgpu::TextureUsages::TEXTURE_BINDING) {
            return None;
        }
        let size = (texture.width(), texture.height());
        let (sizes, words) = PyramidSizes::of(size);
        let uniform = wgpu::BufferUsages::UNIFORM;
        let sizes = buffer_with(gpu, "pyramid sizes", bytemuck::bytes_of(&sizes), uniform);
        let depths = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("depth pyramid"),
            size: 4 * u64::from(words),
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let rows = [(0, sizes.as_entire_binding()), (1, depths.as_entire_binding())];
        let source = [(0, wgpu::BindingResource::TextureView(depth))];
        Some(Self {
            size,
            depth: depth.clone(),
            source: bind_group(gpu, "drawn depth", layouts.drawn_depth(texture.sample_count()), &source),
            group: bind_group(gpu, "pyramid", &layouts.pyramid, &rows),
        })
    }

    /// Whether it was made for this attachment.
    pub(crate) fn is_of(&self, depth: &wgpu::TextureView) -> bool {
        self.depth == *depth
    }
}
