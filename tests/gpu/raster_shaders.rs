//! Shader variants of the rasteriser in compute.

use throng::{
    atlas::AtlasFormat,
    render::{
        passes::{
            DrawVariant, HOST_LIGHT, SHOW_HEIGHTS,
            raster::{Told, corners::bakes},
            sift::SIFTED,
        },
        resources::AtlasSource,
    },
};

use crate::shaders::casts;

/// The passes of the rasteriser in compute that know no character.
pub fn shared_by_draws() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("slots", vec!["slots_pass"]),
        ("sift_blocks", vec!["kept_pass"]),
        ("sift_draws", vec!["kept_pass"]),
        ("sift_indices", vec!["kept_pass"]),
        ("tiles", vec!["slots_pass"]),
        ("tiles", vec!["slots_pass", "multisampled"]),
        ("spread", vec!["spread_pass"]),
        ("spread", vec!["spread_pass", "standard_depth"]),
        ("spread", vec!["spread_pass", "sun", "standard_depth"]),
        ("meet", vec!["slots_pass"]),
        ("meet", vec!["slots_pass", "multisampled"]),
        ("meet", vec!["slots_pass", "multisampled", "standard_depth"]),
        ("meet", vec!["slots_pass", "sun", "standard_depth"]),
        ("ids", vec!["slots_pass"]),
        ("ids", vec!["slots_pass", "ground"]),
        ("behind", vec!["slots_pass", "density", "sun_words", "rastered"]),
        (
            "behind",
            vec!["slots_pass", "density", "sun_words", "rastered", "multisampled"],
        ),
        (
            "behind",
            vec!["slots_pass", "density", "sun_words", "rastered", "drawn"],
        ),
        (
            "behind",
            vec![
                "slots_pass",
                "density",
                "sun_words",
                "rastered",
                "drawn",
                "multisampled",
            ],
        ),
        ("behind", vec!["slots_pass", "density", "drawn"]),
        ("behind", vec!["slots_pass", "density", "drawn", "multisampled"]),
    ]
}

/// The passes that rasterise in compute; holes of alpha are not theirs.
pub fn rastered(variant: DrawVariant) -> Vec<(&'static str, Vec<&'static str>)> {
    if variant.alpha_test {
        return Vec::new();
    }
    let with = |condition| [variant.features(), vec!["sun_words", condition]].concat();
    let mut passes = vec![("resolve", with("multisampled"))];
    // Where the pose comes from does not meet what lights it.
    if variant.method.format == AtlasFormat::F16 && variant.method.source == AtlasSource::Storage {
        passes.push(("resolve", [variant.features(), vec!["sun_words"]].concat()));
        let others = ["mirrored", HOST_LIGHT, SHOW_HEIGHTS];
        passes.extend(others.map(|condition| ("resolve", with(condition))));
    }
    if !variant.textured && !variant.surface_maps && !variant.sampler_emulation {
        let corners: &[&[&'static str]] = match bakes(variant) {
            true => &[&[], &["baked_corners"]],
            false => &[&[]],
        };
        let mut sift = |others: &[&'static str]| passes.push(("sift", [&variant.pose_features(), others].concat()));
        for corners in corners {
            sift(&[corners, &["one_sided", "multisampled", "wide"][..]].concat());
            sift(&[corners, &["occluded"][..]].concat());
            sift(
                &[
                    corners,
                    &["occluded", "one_sided", "multisampled", "standard_depth"][..],
                ]
                .concat(),
            );
        }
        passes.push(("crowd", [variant.features(), vec![SIFTED]].concat()));
        let mut rasterise =
            |others: &[&'static str]| passes.push(("rasterise", [&variant.pose_features(), others].concat()));
        for corners in corners {
            rasterise(&[corners, &["spreads"][..]].concat());
            rasterise(&[corners, &["spreads", "crosses", "wide"][..]].concat());
            rasterise(&[corners, &["one_sided", "standard_depth", "spreads", "wide"][..]].concat());
            for told in [Told::Ids, Told::CountedIds] {
                rasterise(&[corners, told.features()].concat());
            }
            if casts(variant) {
                rasterise(&[corners, &["sun", "standard_depth", "spreads"][..]].concat());
            }
        }
        if bakes(variant) && !variant.heroes {
            passes.push(("corners", [&variant.pose_features()[..], &["baking_corners"]].concat()));
        }
    }
    passes
}
