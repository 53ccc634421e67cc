//! Shader variants of the software rasterizer.

use throng::{
    atlas::AtlasFormat,
    render::{
        passes::{
            DrawVariant, HOST_LIGHT, SHOW_HEIGHTS, SIMPLE,
            raster::{RasterOutput, SampleAtomics, vertex_cache::caches_vertices},
            triangle_cull::COMPACTED,
        },
        resources::{AtlasSource, DrawFlags},
    },
};

use crate::shaders::casts;

/// True if a pass uses 64-bit integers: with `split_words` 32 bits suffice.
pub fn has_wide_integers(pass: &str, features: &[&str]) -> bool {
    matches!(pass, "rasterise" | "large_triangles") && !features.contains(&"split_words")
}

/// Passes of the software rasterizer that do not depend on a character.
pub fn shared_by_draws() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("slots", vec!["slots_pass"]),
        ("triangle_cull_blocks", vec!["kept_pass"]),
        ("triangle_cull_draws", vec!["kept_pass"]),
        ("triangle_cull_indices", vec!["kept_pass"]),
        ("tiles", vec!["slots_pass"]),
        ("tiles", vec!["slots_pass", "multisampled"]),
        ("large_triangles", vec!["large_triangle_pass"]),
        ("large_triangles", vec!["large_triangle_pass", "standard_depth"]),
        ("large_triangles", vec!["large_triangle_pass", "sun", "standard_depth"]),
        ("large_triangles", vec!["large_triangle_pass", "split_words"]),
        (
            "large_triangles",
            vec!["large_triangle_pass", "multisampled", "standard_depth", "split_words"],
        ),
        (
            "large_triangles",
            vec!["large_triangle_pass", "sun", "standard_depth", "split_words"],
        ),
        ("composite", vec!["slots_pass"]),
        ("composite", vec!["slots_pass", "multisampled"]),
        ("composite", vec!["slots_pass", "multisampled", "standard_depth"]),
        ("composite", vec!["slots_pass", "sun", "standard_depth"]),
        ("ids", vec!["slots_pass"]),
        ("ids", vec!["slots_pass", "ground"]),
        (
            "background_compute",
            vec!["slots_pass", "crowd_shadow", "shadow_map_words", "sw_raster"],
        ),
        (
            "background_compute",
            vec!["slots_pass", SIMPLE, "shadow_map_words", "sw_raster", "drawn"],
        ),
        (
            "background_compute",
            vec![
                "slots_pass",
                "crowd_shadow",
                "shadow_map_words",
                "sw_raster",
                "multisampled",
            ],
        ),
        (
            "background_compute",
            vec!["slots_pass", "crowd_shadow", "shadow_map_words", "sw_raster", "drawn"],
        ),
        (
            "background_compute",
            vec![
                "slots_pass",
                "crowd_shadow",
                "shadow_map_words",
                "sw_raster",
                "drawn",
                "multisampled",
            ],
        ),
        ("background_compute", vec!["slots_pass", "crowd_shadow", "drawn"]),
        (
            "background_compute",
            vec!["slots_pass", "crowd_shadow", "drawn", "multisampled"],
        ),
    ]
}

/// Passes of the software rasterizer for a draw variant; it has no alpha-tested holes.
pub fn sw_raster(variant: DrawVariant) -> Vec<(&'static str, Vec<&'static str>)> {
    if variant.has(DrawFlags::ALPHA_TEST) {
        return Vec::new();
    }
    let with = |condition| [variant.features(), vec!["shadow_map_words", condition]].concat();
    let mut passes = vec![("shade_visibility", with("multisampled"))];
    // The source of the pose interacts neither with shading nor with atomics.
    let is_common = variant.method.format == AtlasFormat::F16 && variant.method.source == AtlasSource::Storage;
    if is_common {
        passes.push((
            "shade_visibility",
            [variant.features(), vec!["shadow_map_words"]].concat(),
        ));
        let others = ["mirrored", HOST_LIGHT, SHOW_HEIGHTS];
        passes.extend(others.map(|condition| ("shade_visibility", with(condition))));
    }
    if !variant.has(DrawFlags::TEXTURED)
        && !variant.has(DrawFlags::SURFACE_MAPS)
        && !variant.has(DrawFlags::SAMPLER_EMULATION)
    {
        let corners: &[&[&'static str]] = match caches_vertices(variant) {
            true => &[&[], &["cached_vertices"]],
            false => &[&[]],
        };
        let mut triangle_cull =
            |others: &[&'static str]| passes.push(("triangle_cull", [&variant.pose_features(), others].concat()));
        for corners in corners {
            triangle_cull(&[corners, &["one_sided", "multisampled", "wide"][..]].concat());
            triangle_cull(&[corners, &["occluded"][..]].concat());
            triangle_cull(
                &[
                    corners,
                    &["occluded", "one_sided", "multisampled", "standard_depth"][..],
                ]
                .concat(),
            );
        }
        passes.push(("crowd", [variant.features(), vec![COMPACTED]].concat()));
        let mut rasterise = |others: &[&'static str]| {
            let words = [SampleAtomics::Packed, SampleAtomics::Split].map(SampleAtomics::features);
            let words = words.into_iter().take(if is_common { 2 } else { 1 });
            passes.extend(words.map(|words| ("rasterise", [&variant.pose_features(), others, words].concat())));
        };
        for corners in corners {
            rasterise(&[corners, &["spreads"][..]].concat());
            rasterise(&[corners, &["spreads", "crosses", "wide"][..]].concat());
            rasterise(&[corners, &["one_sided", "standard_depth", "spreads", "wide"][..]].concat());
            for output in [RasterOutput::Ids, RasterOutput::CountedIds] {
                rasterise(&[corners, output.features()].concat());
            }
            if casts(variant) {
                rasterise(&[corners, &["sun", "standard_depth", "spreads"][..]].concat());
            }
        }
        if caches_vertices(variant) && !variant.has(DrawFlags::HEROES) {
            passes.push((
                "vertex_cache",
                [&variant.pose_features()[..], &["posing_vertices"]].concat(),
            ));
        }
    }
    passes
}
