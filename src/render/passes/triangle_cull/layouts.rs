//! Bind group layouts of the passes of triangle culling.

use wgpu::ShaderStages;

use crate::{
    gpu::{Binding, Gpu, bind_group_layout},
    render::passes::triangle_cull::{OcclusionTest, supports_device},
};

/// Number, stages and kind of a binding.
type TriangleCullBinding = (u32, ShaderStages, Binding);

const COMPUTE: ShaderStages = ShaderStages::COMPUTE;
/// Bindings of triangle_cull, with the numbers of rasterise: uniforms, rows, draw list and meshlets. Masks and counts
/// of the surviving triangles by workgroup follow.
const TRIANGLE_CULL: [TriangleCullBinding; 6] = [
    (0, COMPUTE, Binding::Uniform),
    (1, COMPUTE, Binding::Storage),
    (2, COMPUTE, Binding::Storage),
    (3, COMPUTE, Binding::Storage),
    (4, COMPUTE, Binding::StorageWrite),
    (7, COMPUTE, Binding::StorageWrite),
];
/// Bindings of the vertex cache.
const BAKED: [TriangleCullBinding; 2] = [(5, COMPUTE, Binding::Uniform), (6, COMPUTE, Binding::Storage)];
/// Bindings of the depth pyramid: sizes, depths.
const PYRAMID: [TriangleCullBinding; 2] = [(8, COMPUTE, Binding::Uniform), (9, COMPUTE, Binding::Storage)];
/// Bindings of compaction: uniforms, rows, meshlets. Then masks and counts of surviving triangles by workgroup, starts
/// by block, arguments of their draws and their indices. Then LODs, rows as drawn, arguments of the remaining draws,
/// and totals.
const COMPACTED: [TriangleCullBinding; 12] = [
    (0, COMPUTE, Binding::Uniform),
    (1, COMPUTE, Binding::Storage),
    (2, COMPUTE, Binding::Storage),
    (3, COMPUTE, Binding::Storage),
    (4, COMPUTE, Binding::StorageWrite),
    (5, COMPUTE, Binding::StorageWrite),
    (6, COMPUTE, Binding::StorageWrite),
    (7, COMPUTE, Binding::StorageWrite),
    (8, COMPUTE, Binding::Storage),
    (9, COMPUTE, Binding::StorageWrite),
    (10, COMPUTE, Binding::StorageWrite),
    (11, COMPUTE, Binding::StorageWrite),
];
/// Bindings of compacted draws: rows, draw list.
const DRAWN: [TriangleCullBinding; 2] = [
    (0, ShaderStages::VERTEX, Binding::Storage),
    (1, ShaderStages::VERTEX, Binding::Storage),
];

/// Bind group layouts of all steps.
pub(crate) struct TriangleCullLayouts {
    /// Layouts by [`OcclusionTest`], then without and with a vertex cache.
    triangle_cull: [[wgpu::BindGroupLayout; 2]; 2],
    /// Group 1 of the compaction steps. It is empty on devices without triangle culling, whose limits may not allow it.
    pub(super) kept: wgpu::BindGroupLayout,
    /// Group 3 of compacted draws.
    pub(crate) drawn: wgpu::BindGroupLayout,
}

impl TriangleCullLayouts {
    /// Makes the layouts of all steps.
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let triangle_cull = |more: [&[TriangleCullBinding]; 2]| {
            bind_group_layout(gpu, "triangle_cull", &[&TRIANGLE_CULL, more[0], more[1]].concat())
        };
        let both = |occlusion_culls| {
            [
                triangle_cull([occlusion_culls, &[]]),
                triangle_cull([occlusion_culls, &BAKED]),
            ]
        };
        let kept: &[TriangleCullBinding] = if supports_device(gpu) { &COMPACTED } else { &[] };
        Self {
            triangle_cull: [both(&[]), both(&PYRAMID)],
            kept: bind_group_layout(gpu, "compacted", kept),
            drawn: bind_group_layout(gpu, "compacted draw", &DRAWN),
        }
    }

    /// Group 3 of triangle_cull.wgsl, with a vertex cache if `baked`.
    pub(super) fn triangle_cull(&self, occlusion: OcclusionTest, baked: bool) -> &wgpu::BindGroupLayout {
        &self.triangle_cull[occlusion as usize][usize::from(baked)]
    }
}
