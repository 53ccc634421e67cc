//! Shadow map of the software rasterizer: depth alone, in 32-bit words, of everyone in the shadow view without alpha
//! test. The hardware rasterizer draws the rest into the same map; both are composited by depth.

use crate::{
    gpu::{GpuError, RenderPipeline, compute_pipeline},
    render::{
        RenderContext,
        passes::{
            draw_lists::{CullPhase, DRAW_LIST_LODS},
            raster::{
                RasterKey, RasterOutput, SampleAtomics, SwRasterDraw, groups,
                large_triangles::LargeTriangleList,
                lists::{Numbering, RasterLists, bound_draw, empty, raster_uniforms, uniforms_of},
                rasterise::{thread_features, vertex_features},
            },
        },
        resources::instances::bind_group,
        targets::DEPTH_FORMAT,
    },
};

/// Conditions of shaders/rasterise.wgsl and shaders/composite.wgsl. Depth of the map is not reversed.
pub(super) const SUN: [&str; 2] = ["sun", "standard_depth"];

/// Depth keys of a shadow map, with all buffers and bind groups for its size and its draws.
pub(crate) struct ShadowVisibilityBuffer {
    words: wgpu::Buffer,
    /// Draw lists of the shadow map, all in one phase.
    pub(crate) lists: RasterLists,
    pub(super) composite: wgpu::BindGroup,
    pub(super) large_triangles: LargeTriangleList,
    numbering: Numbering,
    pub(super) draws: Vec<wgpu::BindGroup>,
}

impl ShadowVisibilityBuffer {
    /// Visibility buffer of a shadow map of `edge` texels a side.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for a map of more texels than the device can bind, [`GpuError::Memory`].
    pub(crate) fn new(context: &RenderContext, edge: u32, drawn: &[SwRasterDraw<'_>]) -> Result<Self, GpuError> {
        let bytes = 4 * u64::from(edge) * u64::from(edge);
        let what = format!("the shadow map of {edge} x {edge} texels in the software rasterizer");
        let hint = "use --raster hardware";
        context.gpu.check_storage(&what, bytes, hint)?;
        context
            .gpu
            .ensure_memory(&what, hint, || Self::create(context, edge, bytes, drawn))
    }

    fn create(context: &RenderContext, edge: u32, bytes: u64, drawn: &[SwRasterDraw<'_>]) -> Self {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let words = empty(&context.gpu, "sun words", bytes, usage);
        let numbering = Numbering::new(&context.gpu, drawn.len() as u32);
        let lists = RasterLists::new(context, CullPhase::Near, drawn, &numbering, 0);
        let of_draw = |number| raster_uniforms(&context.gpu, uniforms_of((edge, edge), 1, number * DRAW_LIST_LODS));
        let picture_uniforms = of_draw(0);
        let large_triangles = LargeTriangleList::new(context, SampleAtomics::Packed, |_| &picture_uniforms, &words);
        let draws = drawn.iter().zip(0..).map(|(&sw_raster_draw, number)| {
            let uniforms = of_draw(number);
            let mut bound = bound_draw(&uniforms, &lists, sw_raster_draw, &words).to_vec();
            bound.push(large_triangles.bound());
            sw_raster_draw.mesh.group(context, RasterOutput::Triangles, &bound)
        });
        let composite = [
            (0, picture_uniforms.as_entire_binding()),
            (1, words.as_entire_binding()),
        ];
        Self {
            draws: draws.collect(),
            large_triangles,
            numbering,
            composite: bind_group(&context.gpu, "composite", &context.layouts.composite_shadow, &composite),
            lists,
            words,
        }
    }

    /// True if it was made for these draws.
    pub(crate) fn is_of(&self, drawn: &[SwRasterDraw<'_>]) -> bool {
        self.lists.are_of(drawn)
    }

    /// Clears the map, before the first pass of a frame.
    pub(crate) fn clear(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(&self.words, 0, None);
        self.numbering.clear(encoder);
        self.large_triangles.clear(encoder);
    }

    /// Depth key of every texel, as shaders/shared/light.wgsl reads them.
    pub(crate) const fn words(&self) -> &wgpu::Buffer {
        &self.words
    }

    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.words.size() + self.lists.bytes() + self.numbering.bytes() + self.large_triangles.bytes()
    }
}

/// Pipeline of shaders/rasterise.wgsl that writes depth alone, with the pose of the shadow pass.
pub(super) fn pipeline(context: &RenderContext, drawing: RasterKey) -> Result<wgpu::ComputePipeline, GpuError> {
    let RasterKey { variant, baked, cut } = drawing.outline_only();
    let features = [
        &variant.pose_features()[..],
        vertex_features(baked),
        thread_features(cut),
        &SUN,
        &["spreads"],
        SampleAtomics::of(&context.gpu).features(),
    ]
    .concat();
    let groups = groups(
        &context.layouts,
        variant,
        &context.layouts.frame,
        context.layouts.rasterise(RasterOutput::Triangles, baked),
    );
    compute_pipeline(&context.gpu, "rasterise", &features, &groups)
}

/// Pipeline of shaders/composite.wgsl that writes depth alone.
pub(super) fn composite(context: &RenderContext) -> Result<wgpu::RenderPipeline, GpuError> {
    RenderPipeline {
        pass: "composite",
        features: &[&["slots_pass"][..], &SUN].concat(),
        layouts: &[&context.layouts.frame, &context.layouts.composite_shadow],
        depth: Some(wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        discards: true,
        ..Default::default()
    }
    .build(&context.gpu)
}
