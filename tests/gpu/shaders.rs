//! Every shader variant compiles and validates.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rayon::prelude::*;
use throng::{
    atlas::AtlasFormat,
    config::Technique,
    gpu::shader,
    render::{
        DrawMethod,
        passes::{
            AOV_BACKGROUND, AovKind, DrawVariant, HOST_LIGHT, SHOW_HEIGHTS, SHOW_OVERDRAW, SIMPLE, WORKGROUP_SIZE,
            display_step_variants,
        },
        resources::{AtlasSource, DrawFlags},
    },
};
use wgpu::naga;

use crate::{
    fragment_needs::needs_a_fragment,
    preskin_shaders::preskinned,
    raster_shaders::{has_wide_integers, shared_by_draws, sw_raster},
    surface_shaders::surface_shaded,
};

pub fn variant(technique: Technique, format: AtlasFormat, source: AtlasSource, bits: u32) -> DrawVariant {
    let flags = [
        DrawFlags::TEXTURED,
        DrawFlags::ALPHA_TEST,
        DrawFlags::MORPHS,
        DrawFlags::EXTENDED_VERTEX,
        DrawFlags::NORMAL_MAPPED,
        DrawFlags::SURFACE_MAPS,
        DrawFlags::SAMPLER_EMULATION,
        DrawFlags::EIGHT_INFLUENCES,
    ];
    let on = |bit: usize| bits & 1 << bit != 0;
    let flags = flags.into_iter().enumerate().filter(|(bit, _)| on(*bit));
    DrawVariant {
        method: DrawMethod::new(technique, format, source),
        flags: flags.map(|(_, flag)| flag).collect(),
    }
}

/// The flat shaded variant; characters with normal maps have none.
fn flat(variant: DrawVariant) -> Option<DrawVariant> {
    let flat = variant.with(DrawFlags::FLAT_SHADED);
    (!variant.has(DrawFlags::NORMAL_MAPPED)).then_some(flat)
}

/// Conditions of the variant that counts fragments.
pub fn counted(variant: DrawVariant) -> Vec<&'static str> {
    [variant.features(), vec![SHOW_OVERDRAW]].concat()
}

/// Conditions of the variant that is shaded by simple light.
fn simple(variant: DrawVariant) -> Vec<&'static str> {
    [variant.features(), vec![SIMPLE]].concat()
}

/// True if a variant casts a shadow of its own: textures matter only for alpha-tested holes.
pub fn casts(variant: DrawVariant) -> bool {
    !variant.has(DrawFlags::SURFACE_MAPS)
        && (variant.has(DrawFlags::ALPHA_TEST) || !variant.has(DrawFlags::TEXTURED))
        && (variant.has(DrawFlags::TEXTURED) || !variant.has(DrawFlags::SAMPLER_EMULATION))
}

/// AOV passes of a variant for `kinds`; with several kinds, amodal masks, too.
pub fn measured(variant: DrawVariant, kinds: &[AovKind]) -> Vec<(&'static str, Vec<&'static str>)> {
    let with = |condition| [variant.features(), vec![condition]].concat();
    let several = kinds.len() > 1;
    let kinds = kinds.iter().filter(|kind| kind.variant(variant) == variant);
    let mut passes: Vec<_> = kinds.map(|kind| ("aov", with(kind.condition()))).collect();
    if several && AovKind::Ids.variant(variant) == variant {
        passes.push(("aov", [variant.features(), vec!["show_ids", "amodal_masks"]].concat()));
    }
    passes
}

/// (pass, conditions) of every pipeline that the program can make.
pub fn variants() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut all: Vec<(&str, Vec<&str>)> = vec![
        ("animate", vec![]),
        ("animate", vec!["actors"]),
        ("animate", vec!["recolors"]),
        ("scatter_rows", vec![]),
        ("difference", vec![]),
        ("difference_sums", vec![]),
        ("live", vec![]),
        ("attachments", vec![]),
        ("heroes", vec![]),
        ("events", vec![]),
        ("pick", vec![]),
        ("picture_sums", vec![]),
        ("picture_sums", vec!["sum_heights"]),
        ("ground", vec![]),
        ("sky", vec![]),
        ("tonemap", vec![]),
        ("tonemap_pixels", vec![]),
        ("overdraw", vec![]),
        ("select", vec![]),
        ("ground", vec!["crowd_shadow"]),
        ("ground", vec![SIMPLE]),
        ("sky", vec![SIMPLE]),
        ("scan", vec![]),
        ("scan", vec!["far_only"]),
        ("scan", vec!["few_blocks"]),
        ("scan", vec!["far_only", "few_blocks"]),
        ("scatter", vec![]),
        ("scatter", vec!["far_only"]),
        ("occlusion_cull", vec![]),
        ("occlusion_cull", vec!["standard_depth"]),
        ("pyramid", vec![]),
        ("pyramid", vec!["standard_depth"]),
        ("pyramid", vec!["from_depth"]),
        ("pyramid", vec!["from_depth", "multisampled"]),
        ("pyramid", vec!["from_depth", "multisampled", "standard_depth"]),
        ("pyramid", vec!["from_depth", "from_words", "slots_pass"]),
        (
            "pyramid",
            vec!["from_depth", "from_words", "slots_pass", "multisampled"],
        ),
        (
            "pyramid",
            vec!["from_depth", "from_words", "slots_pass", "standard_depth"],
        ),
        (
            "aov_background",
            vec![AovKind::Motion.condition(), AOV_BACKGROUND, "sky"],
        ),
    ];
    let to_displays = ["difference", "difference_sums", "overdraw", "tonemap"];
    all.extend(to_displays.map(|pass| (pass, vec!["srgb_target"])));
    all.extend(display_step_variants());
    all.extend(shared_by_draws());
    all.extend(AovKind::ALL.map(|kind| ("aov_background", vec![kind.condition(), AOV_BACKGROUND])));
    for technique in [Technique::Matrix, Technique::Static, Technique::Live, Technique::Vertex] {
        for format in AtlasFormat::ALL {
            for source in [AtlasSource::Texture, AtlasSource::Storage] {
                for bits in 0..256 {
                    let variant = variant(technique, format, source, bits);
                    // Textures do not interact with the source of the pose: one source suffices.
                    let pose_only = bits & 0b110_0011 == 0;
                    let common = format == AtlasFormat::F16 && source == AtlasSource::Storage;
                    let usual = pose_only || (common && !variant.has(DrawFlags::EIGHT_INFLUENCES));
                    if (variant.has(DrawFlags::NORMAL_MAPPED) && !variant.has(DrawFlags::EXTENDED_VERTEX)) || !usual {
                        continue;
                    }
                    all.push(("crowd", variant.features()));
                    if common {
                        all.push(("crowd", counted(variant)));
                        let mirrored = variant.with(DrawFlags::MIRRORED);
                        all.push(("crowd", mirrored.features()));
                        let flat = [flat(mirrored), flat(variant)].into_iter().flatten();
                        all.extend(flat.map(|flat| ("crowd", flat.features())));
                        let hosted = [variant.features(), vec![HOST_LIGHT]].concat();
                        all.push(("crowd", hosted));
                        all.push(("crowd", simple(variant)));
                    }
                    if technique == Technique::Matrix && pose_only {
                        let heroes = variant.with(DrawFlags::HEROES);
                        all.extend(["crowd", "shadow", "probe"].map(|pass| (pass, heroes.features())));
                        all.extend(measured(heroes, &[AovKind::Ids, AovKind::Motion]));
                        for who in [variant, heroes].into_iter().filter(|_| common) {
                            let actors = who.with(DrawFlags::ACTORS | DrawFlags::LISTED);
                            all.extend(["crowd", "shadow", "probe"].map(|pass| (pass, actors.features())));
                            all.extend(measured(actors, &[AovKind::Ids, AovKind::Motion]));
                            all.extend(sw_raster(actors));
                        }
                        for who in [variant, heroes] {
                            let listed = who.with(DrawFlags::LISTED);
                            all.extend(["crowd", "shadow"].map(|pass| (pass, listed.features())));
                            all.extend(["crowd", "shade_visibility"].map(|pass| (pass, simple(listed))));
                            all.push(("crowd", counted(listed)));
                            all.extend(sw_raster(listed));
                            all.extend(surface_shaded(listed).into_iter().filter(|_| common));
                            all.extend(
                                flat(listed).into_iter().flat_map(|flat| {
                                    [("crowd", flat.features()), ("shade_visibility", flat.features())]
                                }),
                            );
                        }
                    } else if technique == Technique::Matrix {
                        all.extend(sw_raster(variant.with(DrawFlags::LISTED)));
                    }
                    // The source of the pose does not interact with the AOVs.
                    let kinds = match (common, technique) {
                        (true, Technique::Matrix) => &AovKind::ALL[..],
                        (true, _) => &[AovKind::Ids, AovKind::Motion],
                        (false, _) => &[AovKind::Ids],
                    };
                    all.extend(measured(variant, kinds));
                    if common && technique == Technique::Matrix {
                        let flat = flat(variant).into_iter();
                        all.extend(flat.flat_map(|flat| measured(flat, &[AovKind::Normal])));
                    }
                    let plain = variant.without(
                        DrawFlags::TEXTURED
                            | DrawFlags::ALPHA_TEST
                            | DrawFlags::SURFACE_MAPS
                            | DrawFlags::SAMPLER_EMULATION,
                    );
                    if plain == variant {
                        all.push(("probe", plain.features()));
                    }
                    if casts(variant) {
                        all.push(("shadow", variant.features()));
                    }
                    if technique == Technique::Static && !plain.has(DrawFlags::MORPHS) && plain == variant {
                        let attachment = plain.with(DrawFlags::ATTACHMENT);
                        let masked = attachment.with(DrawFlags::ALPHA_TEST | DrawFlags::TEXTURED);
                        all.push(("shadow", masked.features()));
                        all.extend(["crowd", "shadow"].map(|pass| (pass, attachment.features())));
                        all.extend(measured(attachment, &AovKind::ALL));
                        for still in [attachment, plain] {
                            let listed = still.with(DrawFlags::LISTED);
                            all.extend(["crowd", "shadow"].map(|pass| (pass, listed.features())));
                            all.push(("crowd", counted(listed)));
                            if still.has(DrawFlags::ATTACHMENT) {
                                all.extend(sw_raster(listed));
                            }
                        }
                    }
                }
            }
        }
    }
    all.extend(preskinned());
    for bits in 0..256 {
        let variant = variant(Technique::Textbook, AtlasFormat::F32, AtlasSource::Storage, bits);
        let textured = bits & 0b110_0011 != 0;
        if (variant.has(DrawFlags::NORMAL_MAPPED) && !variant.has(DrawFlags::EXTENDED_VERTEX))
            || (variant.has(DrawFlags::EIGHT_INFLUENCES) && textured)
        {
            continue;
        }
        all.push(("crowd", variant.features()));
        let mirrored = variant.with(DrawFlags::MIRRORED);
        all.push(("crowd", mirrored.features()));
        all.extend(flat(variant).map(|flat| ("crowd", flat.features())));
        all.extend(
            [HOST_LIGHT, SHOW_HEIGHTS, SHOW_OVERDRAW]
                .map(|other| ("crowd", [variant.features(), vec![other]].concat())),
        );
        all.extend(measured(variant, &AovKind::ALL));
        all.extend(measured(mirrored, &[AovKind::Normal]));
        for flat in [flat(variant), flat(mirrored)].into_iter().flatten() {
            all.extend(measured(flat, &[AovKind::Normal]));
        }
        if bits & 0b110_0011 == 0 {
            all.push(("fetched_probe", variant.features()));
        }
        if casts(variant) {
            all.push(("shadow", variant.features()));
        }
    }
    all
}

pub fn validate(pass: &str, features: &[&str]) -> naga::Module {
    validated(pass, features, &source(pass, features)).0
}

/// Capabilities beyond the core: unpack2x16float, which opening an adapter checks, and those that passes need.
fn capabilities(pass: &str, features: &[&str]) -> naga::valid::Capabilities {
    use naga::valid::Capabilities as Capability;
    let all = Capability::SHADER_FLOAT16_IN_FLOAT32;
    match pass {
        _ if has_wide_integers(pass, features) => {
            all | Capability::SHADER_INT64 | Capability::SHADER_INT64_ATOMIC_MIN_MAX
        }
        "composite" => all | Capability::MULTISAMPLED_SHADING,
        _ => all,
    }
}

/// Oldest targets that a pass is translated for: 64-bit atomics need shader model 6.6 and Metal 2.4.
fn oldest(pass: &str, features: &[&str]) -> (naga::back::hlsl::ShaderModel, (u8, u8)) {
    use naga::back::hlsl::ShaderModel;
    match pass {
        _ if has_wide_integers(pass, features) => (ShaderModel::V6_6, (2, 4)),
        // Oldest versions that wgpu compiles for, with `invariant` positions: macOS 10.14, iOS 12.
        _ => (ShaderModel::V5_1, (2, 1)),
    }
}

fn source(pass: &str, features: &[&str]) -> Arc<str> {
    shader::wgsl(pass, features).unwrap_or_else(|e| panic!("{pass} {features:?}: {e}"))
}

fn validated(pass: &str, features: &[&str], source: &str) -> (naga::Module, naga::valid::ModuleInfo) {
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|e| panic!("{pass} {features:?}: {}\n{source}", e.emit_to_string(source)));
    let flags = naga::valid::ValidationFlags::all();
    let mut validator = naga::valid::Validator::new(flags, capabilities(pass, features));
    let info = validator
        .validate(&module)
        .unwrap_or_else(|e| panic!("{pass} {features:?}: {}\n{source}", e.emit_to_string(source)));
    (module, info)
}

/// Translates a shader for DX12 and Metal, which cannot run everywhere. The text that wgpu would give to their
/// compilers is at least generated, with bindings in order.
fn translate(pass: &str, features: &[&str], module: &naga::Module, info: &naga::valid::ModuleInfo) -> [String; 2] {
    use naga::back::{hlsl, msl};
    let options = hlsl::Options {
        shader_model: oldest(pass, features).0,
        fake_missing_bindings: true,
        ..hlsl::Options::default()
    };
    let mut written_hlsl = String::new();
    let pipeline = hlsl::PipelineOptions::default();
    let names = hlsl::Writer::new(&mut written_hlsl, &options, &pipeline)
        .write(module, info, None)
        .unwrap_or_else(|e| panic!("{pass} {features:?} to HLSL: {e}"))
        .entry_point_names;
    let refused: Vec<_> = names.into_iter().filter_map(Result::err).collect();
    assert!(refused.is_empty(), "{pass} {features:?} to HLSL: {refused:?}");
    let options = msl::Options {
        lang_version: oldest(pass, features).1,
        fake_missing_bindings: true,
        ..msl::Options::default()
    };
    let (written_msl, translated) = msl::write_string(module, info, &options, &msl::PipelineOptions::default())
        .unwrap_or_else(|e| panic!("{pass} {features:?} to MSL: {e}"));
    let refused: Vec<_> = translated
        .entry_point_names
        .into_iter()
        .filter_map(Result::err)
        .collect();
    assert!(refused.is_empty(), "{pass} {features:?} to MSL: {refused:?}");
    [written_hlsl, written_msl]
}

#[test]
fn every_variant_translates_and_only_fragment_entry_points_derive_and_discard() {
    let all: BTreeSet<_> = variants().into_iter().collect();
    // A pass that ignores a condition has one text.
    let text = |(pass, features): (&'static str, Vec<&'static str>)| ((pass, source(pass, &features)), features);
    let texts: BTreeMap<_, _> = all.into_par_iter().map(text).collect();
    texts.into_par_iter().for_each(|((pass, source), features)| {
        let (module, info) = validated(pass, &features, &source);
        let [hlsl, msl] = translate(pass, &features, &module, &info);
        for entry in &module.entry_points {
            assert!(
                hlsl.contains(&entry.name) && msl.contains(&entry.name),
                "{pass}: {}",
                entry.name
            );
        }
        for (_, function) in module.functions.iter() {
            let name = function.name.as_deref().unwrap_or_default();
            let needs = needs_a_fragment(function);
            assert_eq!(needs, None, "{pass} {features:?}: {name}");
        }
    });
}

/// Characters pay only for the textures and tangents that they have.
#[test]
fn features_that_a_character_lacks_are_not_compiled() {
    let traces = [
        ("extended_vertex", &["uv1", ".alpha"][..], 0b000_1000),
        ("normal_mapped", &["tangent", "mapped_normal"], 0b001_1000),
        ("surface_maps", &["occlusion *=", "metallic *="], 0b010_0000),
        ("sampler_emulation", &["sampled_uv", "textureSampleGrad"], 0b100_0001),
    ];
    for technique in Technique::ALL.iter().copied().filter(|t| *t != Technique::Static) {
        let source = |bits: u32| {
            let variant = variant(technique, AtlasFormat::F32, AtlasSource::Storage, bits);
            shader::wgsl("crowd", &variant.features()).unwrap_or_else(|e| panic!("{e}"))
        };
        let plain = source(0);
        for (name, words, bits) in traces {
            let with = source(bits);
            for word in words {
                assert!(with.contains(word), "{technique:?} {name}: {word}");
                assert!(!plain.contains(word), "{technique:?} without {name}: {word}\n{plain}");
            }
        }
    }
}

/// Characters pay only for the influences that they have.
#[test]
fn four_influences_are_read_as_four() {
    let word = "weights[4]";
    for technique in [Technique::Matrix, Technique::Live, Technique::Textbook] {
        let source = |bits: u32| {
            let variant = variant(technique, AtlasFormat::F16, AtlasSource::Storage, bits);
            shader::wgsl("crowd", &variant.features()).unwrap_or_else(|e| panic!("{e}"))
        };
        assert!(source(0b1000_0000).contains(word), "{technique:?}");
        for bits in 0..128 {
            let four = source(bits);
            let traces = [word, "array<u32, 8>", "w67"];
            assert!(
                traces.iter().all(|trace| !four.contains(trace)),
                "{technique:?} {bits:b}"
            );
        }
    }
}

#[test]
fn compute_passes_have_the_workgroup_size_that_rust_dispatches() {
    let matrix = ["technique_matrix", "format_f16", "atlas_texture"];
    for (pass, features) in [
        ("animate", &[][..]),
        ("live", &[][..]),
        ("attachments", &[][..]),
        ("heroes", &[][..]),
        ("pick", &[][..]),
        ("events", &[][..]),
        ("probe", &matrix[..]),
        ("quantize_time", &[][..]),
        ("mark_used", &[][..]),
        ("assign_slots", &[][..]),
        ("preskin", &["technique_matrix", "format_f32", "preskinning"][..]),
    ] {
        let module = validate(pass, features);
        let [entry] = &module.entry_points[..] else {
            panic!("{pass}: one entry point")
        };
        assert_eq!(entry.workgroup_size, [WORKGROUP_SIZE, 1, 1], "{pass}");
    }
}

#[test]
fn every_shader_file_is_embedded() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let mut on_disk = Vec::new();
    for folder in [root.clone(), root.join("shared")] {
        for entry in std::fs::read_dir(folder).expect("shaders/").flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|e| e == "wgsl") {
                let relative = path.strip_prefix(&root).expect("below").with_extension("");
                on_disk.push(relative.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    on_disk.sort();
    let mut embedded: Vec<_> = shader::SOURCES.iter().map(|(path, _)| (*path).to_owned()).collect();
    embedded.sort();
    assert_eq!(on_disk, embedded);
}
