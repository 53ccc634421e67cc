//! Shader variants of technique `preskinned`.

use throng::{
    atlas::AtlasFormat,
    config::Technique,
    render::{
        DrawMethod,
        passes::{AovKind, DrawVariant, HOST_LIGHT},
        resources::{AtlasSource, DrawFlags},
    },
};

use crate::shaders::{casts, counted, measured, variant};

/// Shader variants that find distinct poses, skin them and draw them.
pub fn preskinned() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut all = ["quantize_time", "mark_used", "compact_poses", "assign_slots"]
        .map(|pass| (pass, Vec::new()))
        .to_vec();
    for bits in 0..256 {
        let drawn = variant(Technique::Preskinned, AtlasFormat::F32, AtlasSource::Storage, bits);
        if drawn.has(DrawFlags::NORMAL_MAPPED) && !drawn.has(DrawFlags::EXTENDED_VERTEX) {
            continue;
        }
        let pose_only = bits & 0b110_0011 == 0;
        if pose_only {
            let skinned = DrawVariant {
                method: DrawMethod::new(Technique::Matrix, AtlasFormat::F32, AtlasSource::Storage),
                ..drawn
            };
            for listed in [DrawFlags::empty(), DrawFlags::LISTED] {
                let skinned = skinned.with(listed);
                all.push(("preskin", [skinned.pose_features(), vec!["preskinning"]].concat()));
            }
        }
        // Vertex shaders have no morph targets; influences of a vertex do not interact with shading features.
        if drawn.has(DrawFlags::MORPHS) || (drawn.has(DrawFlags::EIGHT_INFLUENCES) && !pose_only) {
            continue;
        }
        all.extend([("crowd", drawn.features()), ("crowd", counted(drawn))]);
        all.push(("crowd", [drawn.features(), vec![HOST_LIGHT]].concat()));
        let both = DrawFlags::MIRRORED | DrawFlags::FLAT_SHADED;
        for other in [DrawFlags::MIRRORED, DrawFlags::FLAT_SHADED, both].map(|flags| drawn.with(flags)) {
            if !other.has(DrawFlags::FLAT_SHADED | DrawFlags::NORMAL_MAPPED) {
                all.push(("crowd", other.features()));
            }
        }
        for drawn in [drawn, drawn.with(DrawFlags::LISTED)] {
            all.extend(measured(drawn, &AovKind::ALL));
            if pose_only {
                all.push(("probe", drawn.features()));
            }
            if casts(drawn) {
                all.push(("shadow", drawn.features()));
            }
        }
        let listed = drawn.with(DrawFlags::LISTED);
        all.extend([("crowd", listed.features()), ("crowd", counted(listed))]);
    }
    all
}
