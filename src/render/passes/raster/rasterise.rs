//! The nearest triangle of every sample.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::{
        DepthConvention, Layouts,
        passes::{
            bins::occlude::depth_features,
            raster::{Drawing, Told, groups},
        },
    },
};

/// Conditions that select where a vertex's place comes from.
pub(super) fn corner_features(baked: bool) -> &'static [&'static str] {
    if baked { &["baked_corners"] } else { &[] }
}

/// Conditions that leave the largest triangles to many workgroups: ids are of people alone, whose are not so large.
fn spread_features(told: Told) -> &'static [&'static str] {
    match told {
        Told::Triangles => &["spreads"],
        Told::Ids | Told::CountedIds => &[],
    }
}

/// Pipeline of shaders/rasterise.wgsl.
pub(super) fn pipeline(
    gpu: &Gpu,
    layouts: &Layouts,
    (variant, baked): Drawing,
    (told, convention): (Told, DepthConvention),
) -> Result<wgpu::ComputePipeline, GpuError> {
    let sides: &[&str] = if variant.double_sided || variant.mirrored {
        &[]
    } else {
        &["one_sided"]
    };
    let features = [
        &variant.pose_features(),
        sides,
        corner_features(baked),
        depth_features(convention),
        told.features(),
        spread_features(told),
    ]
    .concat();
    let groups = groups(layouts, variant, (&layouts.frame, layouts.rasterise(told, baked)));
    compute_pipeline(gpu, "rasterise", &features, &groups)
}
