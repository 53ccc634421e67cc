//! Large-triangle queue: triangles that are too large for one workgroup are covered by many.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::{
        DepthConvention, RenderContext,
        passes::{
            draw_lists::occlusion_cull::{depth_features, sample_features},
            raster::{RasterStep, SampleAtomics, StepGroups, lists::empty},
        },
        resources::instances::bind_group,
    },
};

/// Capacity of a queue. Triangles beyond it are covered by the workgroups that found them.
pub const MOST_SPREAD: u32 = 16_384;
/// Bytes before the first triangle: how many there are.
const HEAD_BYTES: u64 = 16;
/// Workgroups that share the queue, however long it is.
const WORKGROUPS: u32 = 2048;

shader_struct!(LargeTriangle);

/// Target of the queue's triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LargeTriangleTarget {
    /// Picture, with its depth convention and samples per pixel.
    Picture(DepthConvention, u32),
    /// Shadow map.
    Sun,
}

/// Pipeline of shaders/large_triangles.wgsl.
pub(super) fn pipeline(context: &RenderContext, into: LargeTriangleTarget) -> Result<wgpu::ComputePipeline, GpuError> {
    let features = match into {
        LargeTriangleTarget::Picture(convention, samples) => {
            [depth_features(convention), sample_features(samples)].concat()
        }
        LargeTriangleTarget::Sun => super::sun::SUN.to_vec(),
    };
    let words = SampleAtomics::of(&context.gpu).features();
    let features = [&["large_triangle_pass"], &features[..], words].concat();
    compute_pipeline(
        &context.gpu,
        "large_triangles",
        &features,
        &[&context.layouts.frame, &context.layouts.large_triangles],
    )
}

/// Queue of a picture or a shadow map.
pub(super) struct LargeTriangleList {
    list: wgpu::Buffer,
    groups: StepGroups,
}

impl LargeTriangleList {
    /// Queue for a picture or a shadow map, as the `uniforms` of each step say, with its visibility buffer.
    pub(super) fn new<'a>(
        context: &RenderContext,
        atomics: SampleAtomics,
        uniforms: impl Fn(RasterStep) -> &'a wgpu::Buffer,
        words: &wgpu::Buffer,
    ) -> Self {
        let bytes = HEAD_BYTES + size_of::<LargeTriangle>() as u64 * u64::from(MOST_SPREAD);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let list = empty(&context.gpu, "spread triangles", bytes, usage);
        let group = |step| {
            let rows = [
                (0, uniforms(step).as_entire_binding()),
                (1, words.as_entire_binding()),
                (2, list.as_entire_binding()),
            ];
            bind_group(&context.gpu, "large_triangles", &context.layouts.large_triangles, &rows)
        };
        Self {
            groups: StepGroups::new(atomics, group),
            list,
        }
    }

    /// Binding of the queue in rasterise.wgsl.
    pub(super) fn bound(&self) -> (u32, wgpu::BindingResource<'_>) {
        (10, self.list.as_entire_binding())
    }

    /// Empties the queue.
    pub(super) fn clear(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(&self.list, 0, Some(HEAD_BYTES));
    }

    /// Covers the triangles of the queue in a step; group 0 is set.
    pub(super) fn encode(&self, pass: &mut wgpu::ComputePass<'_>, pipeline: &wgpu::ComputePipeline, step: RasterStep) {
        if let Some(group) = self.groups.of(step) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(1, group, &[]);
            pass.dispatch_workgroups(WORKGROUPS, 1, 1);
        }
    }

    /// GPU bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.list.size()
    }
}
