//! Shadow map of the software rasterizer: depth alone, in 32-bit words, of everyone in the shadow view without alpha
//! test. The hardware rasterizer draws the rest into the same map; both are composited by depth.

use crate::{
    gpu::{GpuError, RenderPipeline, compute_pipeline},
    render::{
        RenderContext,
        passes::{
            draw_lists::{CullPhase, DRAW_LIST_LODS},
            raster::{
                RasterKey, RasterOutput, SampleAtomics, TargetContents, groups,
                large_triangles::LargeTriangleList,
                lists::{RasterLists, bound_draw, raster_uniforms, uniforms_of},
                rasterise::{thread_features, vertex_features},
                target::TargetInput,
            },
        },
        resources::instances::bind_group,
        targets::DEPTH_FORMAT,
    },
};

/// Conditions of shaders/rasterise.wgsl and shaders/composite.wgsl. Depth of the map is not reversed.
pub(super) const SUN: [&str; 2] = ["sun", "standard_depth"];

/// Buffers and bind groups of a shadow map: the words are depth keys.
pub(crate) struct ShadowContents {
    /// Draw lists of the shadow map, all in one phase.
    pub(crate) lists: RasterLists,
    pub(super) composite: wgpu::BindGroup,
    pub(super) large_triangles: LargeTriangleList,
    pub(super) draws: Vec<wgpu::BindGroup>,
}

impl TargetContents for ShadowContents {
    const LABEL: &'static str = "sun words";
    const WORD_BYTES: u64 = 4;
    const PHASES: u32 = 1;
    const HINT: &'static str = "use --raster hardware";

    fn name(size: (u32, u32)) -> String {
        format!(
            "the shadow map of {} x {} texels in the software rasterizer",
            size.0, size.1
        )
    }

    fn new(input: &TargetInput<'_>) -> Self {
        let &TargetInput {
            context,
            size,
            samples,
            drawn,
            words,
            numbering,
        } = input;
        let lists = RasterLists::new(context, CullPhase::Near, drawn, numbering, 0);
        let of_draw = |number| raster_uniforms(&context.gpu, uniforms_of(size, samples, number * DRAW_LIST_LODS));
        let picture_uniforms = of_draw(0);
        let large_triangles = LargeTriangleList::new(context, SampleAtomics::Packed, |_| &picture_uniforms, words);
        let draws = drawn.iter().zip(0..).map(|(&sw_raster_draw, number)| {
            let uniforms = of_draw(number);
            let mut bound = bound_draw(&uniforms, &lists, sw_raster_draw, words).to_vec();
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
            composite: bind_group(&context.gpu, "composite", &context.layouts.composite_shadow, &composite),
            lists,
        }
    }

    fn own_lists(&self) -> &RasterLists {
        &self.lists
    }

    fn clear(&self, encoder: &mut wgpu::CommandEncoder) {
        self.large_triangles.clear(encoder);
    }

    fn bytes(&self) -> u64 {
        self.lists.bytes() + self.large_triangles.bytes()
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
