//! Rasterization in compute: atomics keep the nearest triangle of every sample, with 64 bits as in Nanite (Karis 2021),
//! or 32 bits in shadow maps and on devices that have no more.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::{
        DepthConvention, RenderContext,
        passes::{
            DrawVariant,
            draw_lists::{
                CullPhase,
                occlusion_cull::{depth_features, sample_features},
            },
            raster::{RasterKey, RasterOutput, SampleAtomics, groups, meshlets::MeshletGranularity},
        },
        resources::DrawFlags,
    },
};

/// Shader conditions that select the source of positions: vertex cache or skinning.
pub(in crate::render::passes) fn vertex_features(baked: bool) -> &'static [&'static str] {
    if baked { &["cached_vertices"] } else { &[] }
}

/// Shader conditions of back-face culling.
pub(in crate::render::passes) fn side_features(variant: DrawVariant) -> &'static [&'static str] {
    if variant.flags.intersects(DrawFlags::SHOWS_BACK_FACES) {
        &[]
    } else {
        &["one_sided"]
    }
}

/// Shader conditions that queue large triangles for many workgroups. Ids are rasterized for people alone, whose
/// triangles are not so large.
fn large_triangle_features(output: RasterOutput) -> &'static [&'static str] {
    match output {
        RasterOutput::Triangles => &["spreads"],
        RasterOutput::Ids | RasterOutput::CountedIds => &[],
    }
}

/// Shader conditions that double the threads of a workgroup, since few people do not keep a device busy. Many people
/// do, and more workgroups at once finish sooner (benches/README.md).
pub(in crate::render::passes) fn thread_features(cut: MeshletGranularity) -> &'static [&'static str] {
    match cut {
        MeshletGranularity::Fine => &["wide"],
        MeshletGranularity::Coarse => &[],
    }
}

/// Shader conditions that draw splats: only pictures have them, in the far phase.
fn splat_features(output: RasterOutput, phase: CullPhase) -> &'static [&'static str] {
    match (output, phase) {
        (RasterOutput::Triangles, CullPhase::Far) => &["splats"],
        _ => &[],
    }
}

/// Shader conditions of a phase and of near-plane clipping. Clipping takes so much workgroup memory that fewer
/// workgroups run at once.
fn phase_features(phase: CullPhase, cut: MeshletGranularity) -> &'static [&'static str] {
    match phase {
        CullPhase::Near => &["crosses", "wide"],
        CullPhase::Far => thread_features(cut),
    }
}

/// Pipeline of shaders/rasterise.wgsl for a phase and so many samples a pixel.
pub(in crate::render::passes) fn pipeline(
    context: &RenderContext,
    RasterKey { variant, baked, cut }: RasterKey,
    output: RasterOutput,
    convention: DepthConvention,
    samples: u32,
    phase: CullPhase,
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
        SampleAtomics::of(&context.gpu).features(),
    ]
    .concat();
    let groups = groups(
        &context.layouts,
        variant,
        &context.layouts.frame,
        context.layouts.rasterise(output, baked),
    );
    compute_pipeline(&context.gpu, "rasterise", &features, &groups)
}
