//! The nearest triangle of every sample.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::{
        DepthConvention, Layouts,
        passes::{
            DrawVariant,
            draw_lists::{
                Phase,
                occlusion_cull::{depth_features, sample_features},
            },
            raster::{Drawing, Told, groups, meshlets::Cut},
        },
    },
};

/// Conditions that select where a vertex's place comes from.
pub(in crate::render::passes) fn corner_features(baked: bool) -> &'static [&'static str] {
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
fn spread_features(told: Told) -> &'static [&'static str] {
    match told {
        Told::Triangles => &["spreads"],
        Told::Ids | Told::CountedIds => &[],
    }
}

/// Conditions that give workgroups twice as many threads: few people are not enough to keep a device busy. Many are,
/// and are done sooner by more workgroups at once (benches/README.md).
pub(in crate::render::passes) fn thread_features(cut: Cut) -> &'static [&'static str] {
    match cut {
        Cut::Fine => &["wide"],
        Cut::Coarse => &[],
    }
}

/// Conditions that draw splats: of pictures alone, whose lists have some.
fn splat_features(told: Told, phase: Phase) -> &'static [&'static str] {
    match (told, phase) {
        (Told::Triangles, Phase::Far) => &["splats"],
        _ => &[],
    }
}

/// Conditions of a phase and of near-plane clipping. Clipping takes so much workgroup memory that fewer workgroups
/// run at once.
fn phase_features(phase: Phase, cut: Cut) -> &'static [&'static str] {
    match phase {
        Phase::Near => &["crosses", "wide"],
        Phase::Far => thread_features(cut),
    }
}

/// Pipeline of shaders/rasterise.wgsl for a phase and so many samples a pixel.
pub(in crate::render::passes) fn pipeline(
    gpu: &Gpu,
    layouts: &Layouts,
    Drawing { variant, baked, cut }: Drawing,
    (told, convention, samples, phase): (Told, DepthConvention, u32, Phase),
) -> Result<wgpu::ComputePipeline, GpuError> {
    let features = [
        &variant.pose_features(),
        side_features(variant),
        corner_features(baked),
        depth_features(convention),
        sample_features(samples),
        told.features(),
        spread_features(told),
        phase_features(phase, cut),
        splat_features(told, phase),
    ]
    .concat();
    let groups = groups(layouts, variant, (&layouts.frame, layouts.rasterise(told, baked)));
    compute_pipeline(gpu, "rasterise", &features, &groups)
}
