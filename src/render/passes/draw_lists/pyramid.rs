//! Depth pyramid (Hi-Z): the farthest depth of each square of pixels, in levels of doubling size. Greene, Kass and
//! Miller 1993, Hierarchical Z-Buffer Visibility.

use crate::{
    gpu::{GpuError, buffer_with, compute_pipeline},
    render::{
        RenderContext, Targets,
        passes::draw_lists::occlusion_cull::{depth_features, sample_features},
        resources::instances::bind_group,
    },
};

/// Number of levels, including the picture itself, which is not stored.
pub const PYRAMID_LEVELS: usize = 11;
/// Edge of a workgroup's tile (px).
const TILE: u32 = 32;

shader_struct!(PyramidSizes);

impl PyramidSizes {
    /// Lays out the levels for a picture of this size (px); returns the words of all levels, too.
    #[must_use]
    pub fn of(size: (u32, u32)) -> (Self, u32) {
        let (width, height) = size;
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

/// Pipelines of both dispatches, by source of depth.
pub(crate) struct PyramidPass {
    from_depth: [wgpu::ComputePipeline; 2],
    /// Pipelines that read a visibility buffer, if the software rasterizer is used.
    from_words: Option<[wgpu::ComputePipeline; 2]>,
}

/// Source of depth.
#[derive(Clone, PartialEq)]
enum DepthSource {
    /// A depth attachment.
    Depth(wgpu::TextureView),
    /// Visibility buffer of the software rasterizer.
    Words(wgpu::Buffer),
}

/// Depth pyramid of one picture.
#[derive(Clone)]
pub(crate) struct Pyramid {
    size: (u32, u32),
    source: DepthSource,
    bound: wgpu::BindGroup,
    buffers: [wgpu::Buffer; 2],
    pub(crate) group: wgpu::BindGroup,
}

impl PyramidPass {
    /// Compiles for `targets` and, with `uses_sw_raster`, for visibility buffers.
    pub(crate) fn new(context: &RenderContext, targets: Targets, uses_sw_raster: bool) -> Result<Self, GpuError> {
        let depth = depth_features(targets.depth.convention);
        let samples = sample_features(targets.samples);
        // Both dispatches have the same groups, whether they read them or not.
        let both = |source: &wgpu::BindGroupLayout, features: &[&str]| {
            let groups = [&context.layouts.frame, source, &context.layouts.pyramid];
            let first = [depth, features, &["from_depth"]].concat();
            let (first, upper) = context.gpu.run_parallel((
                || compute_pipeline(&context.gpu, "pyramid", &first, &groups),
                || compute_pipeline(&context.gpu, "pyramid", depth, &groups),
            ))?;
            Ok::<_, GpuError>([first, upper])
        };
        let words = || {
            both(
                &context.layouts.depth_words,
                &[samples, &["from_words", "slots_pass"]].concat(),
            )
        };
        let (from_words, from_depth) = context.gpu.run_parallel((
            || uses_sw_raster.then(words).transpose(),
            || both(context.layouts.drawn_depth(targets.samples), samples),
        ))?;
        Ok(Self { from_words, from_depth })
    }

    /// Encodes both dispatches, after the occluders were drawn; leaves the pyramid bound as group 2.
    pub(crate) fn encode(&self, pass: &mut wgpu::ComputePass<'_>, frame: &wgpu::BindGroup, pyramid: &Pyramid) {
        let (width, height) = pyramid.size;
        pass.set_bind_group(0, frame, &[]);
        pass.set_bind_group(1, &pyramid.bound, &[]);
        pass.set_bind_group(2, &pyramid.group, &[]);
        let [first, upper] = match (&pyramid.source, &self.from_words) {
            (DepthSource::Words(_), Some(from_words)) => from_words,
            _ => &self.from_depth,
        };
        pass.set_pipeline(first);
        pass.dispatch_workgroups(width.div_ceil(TILE), height.div_ceil(TILE), 1);
        pass.set_pipeline(upper);
        let tile = TILE * TILE;
        pass.dispatch_workgroups(width.div_ceil(tile), height.div_ceil(tile), 1);
    }
}

impl Pyramid {
    /// Pyramid of a depth attachment; `None` if shaders cannot read the attachment.
    pub(crate) fn new(context: &RenderContext, depth: &wgpu::TextureView) -> Option<Self> {
        let texture = depth.texture();
        let readable = texture.sample_count() == 1 || context.gpu.facts.backend.reads_depth_samples();
        if !readable || !texture.usage().contains(wgpu::TextureUsages::TEXTURE_BINDING) {
            return None;
        }
        let source = [(0, wgpu::BindingResource::TextureView(depth))];
        let bound = bind_group(
            &context.gpu,
            "drawn depth",
            context.layouts.drawn_depth(texture.sample_count()),
            &source,
        );
        let size = (texture.width(), texture.height());
        Some(Self::from_source(
            context,
            size,
            DepthSource::Depth(depth.clone()),
            bound,
        ))
    }

    /// Pyramid of a visibility buffer of a picture of `size` pixels: its uniforms and its samples.
    pub(crate) fn of_words(
        context: &RenderContext,
        size: (u32, u32),
        picture_uniforms: &wgpu::Buffer,
        words: &wgpu::Buffer,
    ) -> Self {
        let rows = [
            (0, picture_uniforms.as_entire_binding()),
            (1, words.as_entire_binding()),
        ];
        let bound = bind_group(&context.gpu, "rasterised depth", &context.layouts.depth_words, &rows);
        Self::from_source(context, size, DepthSource::Words(words.clone()), bound)
    }

    fn from_source(context: &RenderContext, size: (u32, u32), source: DepthSource, bound: wgpu::BindGroup) -> Self {
        let (sizes, words) = PyramidSizes::of(size);
        let uniform = wgpu::BufferUsages::UNIFORM;
        let sizes = buffer_with(&context.gpu, "pyramid sizes", bytemuck::bytes_of(&sizes), uniform);
        let depths = context.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("depth pyramid"),
            size: 4 * u64::from(words),
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let rows = [(0, sizes.as_entire_binding()), (1, depths.as_entire_binding())];
        Self {
            size,
            source,
            bound,
            buffers: [sizes.clone(), depths.clone()],
            group: bind_group(&context.gpu, "pyramid", &context.layouts.pyramid, &rows),
        }
    }

    /// Bindings of sizes and depths, from number `first` on, for other bind groups.
    pub(crate) fn bound_from(&self, first: u32) -> [(u32, wgpu::BindingResource<'_>); 2] {
        let [sizes, depths] = &self.buffers;
        [
            (first, sizes.as_entire_binding()),
            (first + 1, depths.as_entire_binding()),
        ]
    }

    /// True if it was made for this attachment.
    pub(crate) fn is_of(&self, depth: &wgpu::TextureView) -> bool {
        matches!(&self.source, DepthSource::Depth(own) if own == depth)
    }

    /// True if it was made for this visibility buffer.
    pub(crate) fn is_of_words(&self, words: &wgpu::Buffer) -> bool {
        matches!(&self.source, DepthSource::Words(own) if own == words)
    }
}
