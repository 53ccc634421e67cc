//! The nearest triangle of every sample.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::{
        DepthConvention, Layouts,
        passes::{
            DrawVariant,
            draw_lists::{
                CullPhase,
                occlusion_cull::{depth_features, sample_features},
            },
            raster::{RasterKey, RasterOutput, groups, meshlets::MeshletGranularity},
        },
    },
};

/// Conditions that select where a vertex's place comes from.
pub(in crate::render::passes) fn vertex_features(baked: bool) -> &'static [&'static str] {
    if baked { &["cached_vertices"] } else { &[] }
}

/// Conditions that leave out what shows its back.
pub(in crate::render::passes) fn side_features(variant: DrawVariant) -> &'static [&'static str] {
    if variant.double_sided || variant.mirrored {
        &[]
    } else {
        &["one_sided"]
    }
}

/// Conditions that leave the largest triangles to many workgroups: ids are of people alone, whose are not so large.
fn large_triangle_features(output: RasterOutput) -> &'static [&'static str] {
    match output {
        RasterOutput::Triangles => &["spreads"],
        RasterOutput::Ids | RasterOutput::CountedIds => &[],
    }
}

/// Conditions that give workgroups twice as many threads: few people are not enough to keep a device busy. Many are,
/// and are done sooner by more workgroups at once (benches/README.md).
pub(in crate::render::passes) fn thread_features(cut: MeshletGranularity) -> &'static [&'static str] {
    match cut {
        MeshletGranularity::Fine => &["wide"],
        MeshletGranularity::Coarse => &[],
    }
}

/// Conditions that draw splats: of pictures alone, whose lists have some.
fn splat_features(output: RasterOutput, phase: CullPhase) -> &'static [&'static str] {
    match (output, phase) {
        (RasterOutput::Triangles, CullPhase::Far) => &["splats"],
        _ => &[],
    }
}

/// Conditions of a phase and of near-plane clipping. Clipping takes so much workgroup memory that fewer workgroups
/// run at once.
fn phase_features(phase: CullPhase, cut: MeshletGranularity) -> &'static [&'static str] {
    match phase {
        CullPhase::Near => &["crosses", "wide"],
        CullPhase::Far => thread_features(cut),
    }
}

/// Pipeline of shaders/rasterise.wgsl for a phase and so many samples a pixel.
pub(in crate::render::passes) fn pipeline(
    gpu: &Gpu,
    layouts: &Layouts,
    RasterKey { variant, baked, cut }: RasterKey,
    (output, convention, samples, phase): (RasterOutput, DepthConvention, u32, CullPhase),
) -> Result<wgpu::ComputePipeline, GpuError> {
    let features = [
        &variant.pose_features(),
        side_features(variant),
        vertex_features(baked),
        depth_features(convention),
        sample_features(samples),
        output.features(),
        large_triangle_features(output),
        phase_features(phase, cut),
        splat_features(output, phase),
    ]
    .concat();
    let groups = groups(layouts, variant, (&layouts.frame, layouts.rasterise(output, baked)));
    compute_pipeline(gpu, "rasterise", &features, &groups)
}
