//! Every shader variant compiles and validates, and mirrored structs agree with Rust.

use std::mem::offset_of;
use throng::{
    atlas::AtlasFormat,
    config::Technique,
    crowd::{
        Instance,
        paths::Path,
        schedule::{GroupRow, StateRow},
    },
    gpu::shader,
    model::{PackedSurface, PackedVertex},
    render::{
        DrawMethod, FrameUniforms,
        passes::{DifferenceUniforms, DrawVariant, PickQuery, Probed, WORKGROUP_SIZE},
        resources::{AtlasSource, CharacterUniforms, GpuClip, GpuMaterial, GpuPosed},
    },
};

use wgpu::naga;

fn variant(technique: Technique, format: AtlasFormat, source: AtlasSource, bits: u32) -> DrawVariant {
    let on = |bit: u32| bits & 1 << bit != 0;
    DrawVariant {
        method: DrawMethod::new(technique, format, source),
        textured: on(0),
        alpha_test: on(1),
        morphs: on(2),
        extended_vertex: on(3),
        normal_mapped: on(4),
        surface_maps: on(5),
        sampler_emulation: on(6),
        double_sided: false,
        heroes: false,
        attachment: false,
    }
}

/// Whether a shadow is cast so: textures matter only where alpha leaves holes.
fn casts(variant: DrawVariant) -> bool {
    !variant.surface_maps
        && (variant.alpha_test || !variant.textured)
        && (variant.textured || !variant.sampler_emulation)
}

/// (pass, conditions) of every pipeline the program can make.
fn variants() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut all: Vec<(&str, Vec<&str>)> = vec![
        ("animate", vec![]),
        ("difference", vec![]),
        ("live", vec![]),
        ("attachments", vec![]),
        ("heroes", vec![]),
        ("events", vec![]),
        ("pick", vec![]),
        ("ground", vec![]),
        ("sky", vec![]),
        ("tonemap", vec![]),
        ("tonemap", vec!["srgb_target"]),
    ];
    for technique in [Technique::Matrix, Technique::Static, Technique::Live, Technique::Vertex] {
        for format in AtlasFormat::ALL {
            for source in [AtlasSource::Texture, AtlasSource::Storage] {
                for bits in 0..128 {
                    let variant = variant(technique, format, source, bits);
                    // What textures add does not meet where the pose comes from: one source suffices.
                    let pose_only = bits & 0b110_0011 == 0;
                    let common = format == AtlasFormat::F16 && source == AtlasSource::Storage;
                    if (variant.normal_mapped && !variant.extended_vertex) || !(pose_only || common) {
                        continue;
                    }
                    all.push(("crowd", variant.features()));
                    if technique == Technique::Matrix && pose_only {
                        let heroes = DrawVariant {
                            heroes: true,
                            ..variant
                        };
                        all.extend(["crowd", "shadow", "probe"].map(|pass| (pass, heroes.features())));
                    }
                    let plain = DrawVariant {
                        textured: false,
                        alpha_test: false,
                        surface_maps: false,
                        sampler_emulation: false,
                        ..variant
                    };
                    if plain == variant {
                        all.push(("probe", plain.features()));
                    }
                    if casts(variant) {
                        all.push(("shadow", variant.features()));
                    }
                    if technique == Technique::Static && !plain.morphs && plain == variant {
                        let attachment = DrawVariant {
                            attachment: true,
                            ..plain
                        };
                        let masked = DrawVariant {
                            alpha_test: true,
                            textured: true,
                            ..attachment
                        };
                        all.push(("shadow", masked.features()));
                        all.extend(["crowd", "shadow"].map(|pass| (pass, attachment.features())));
                    }
                }
            }
        }
    }
    for bits in 0..128 {
        let variant = variant(Technique::Naive, AtlasFormat::F32, AtlasSource::Storage, bits);
        if variant.extended_vertex || !variant.normal_mapped {
            all.push(("naive", variant.features()));
            if bits & 0b110_0011 == 0 {
                all.push(("naive_probe", variant.features()));
            }
            if casts(variant) {
                all.push(("shadow", variant.features()));
            }
        }
    }
    all
}

fn validate(pass: &str, features: &[&str]) -> naga::Module {
    let source = shader::wgsl(pass, features).unwrap_or_else(|e| panic!("{pass} {features:?}: {e}"));
    let module = naga::front::wgsl::parse_str(&source)
        .unwrap_or_else(|e| panic!("{pass} {features:?}: {}\n{source}", e.emit_to_string(&source)));
    // The one capability beyond the core: unpack2x16float, which every adapter we open has
    // (checked when opening).
    let mut validator = naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32,
    );
    validator
        .validate(&module)
        .unwrap_or_else(|e| panic!("{pass} {features:?}: {}\n{source}", e.emit_to_string(&source)));
    module
}

#[test]
fn every_variant_validates_without_optional_capabilities() {
    for (pass, features) in variants() {
        validate(pass, &features);
    }
}

/// Characters pay for the textures and tangents they have, and for no others.
#[test]
fn what_a_character_lacks_is_not_compiled() {
    let traces = [
        ("extended_vertex", &["uv1", ".alpha"][..], 0b000_1000),
        ("normal_mapped", &["tangent", "mapped_normal"], 0b001_1000),
        ("surface_maps", &["occlusion *=", "metallic *="], 0b010_0000),
        ("sampler_emulation", &["sampled_uv", "textureSampleGrad"], 0b100_0001),
    ];
    for technique in [Technique::Matrix, Technique::Vertex, Technique::Live, Technique::Naive] {
        let source = |bits: u32| {
            let variant = variant(technique, AtlasFormat::F32, AtlasSource::Storage, bits);
            let pass = if technique == Technique::Naive {
                "naive"
            } else {
                "crowd"
            };
            shader::wgsl(pass, &variant.features()).unwrap_or_else(|e| panic!("{e}"))
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

/// Size and (name, offset) of every member of a struct of a shader.
fn layout(module: &naga::Module, name: &str) -> (u32, Vec<(String, u32)>) {
    let found = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name));
    let Some((_, ty)) = found else {
        panic!("no struct {name}")
    };
    let naga::TypeInner::Struct { members, span } = &ty.inner else {
        panic!("{name} is no struct")
    };
    let rows = members.iter().map(|m| (m.name.clone().unwrap_or_default(), m.offset));
    (*span, rows.collect())
}

macro_rules! assert_mirrors {
    ($module:expr, $wgsl:literal, $rust:ty { $($field:ident),* $(,)? }) => {{
        let (size, members) = layout(&$module, $wgsl);
        let expected = vec![$((stringify!($field).to_owned(), offset_of!($rust, $field) as u32)),*];
        assert_eq!(size as usize, size_of::<$rust>(), "size of {}", $wgsl);
        let padding = |name: &str| name.starts_with("pad");
        let members: Vec<_> = members.into_iter().filter(|(name, _)| !padding(name)).collect();
        assert_eq!(members, expected, "members of {}", $wgsl);
    }};
}

#[test]
fn mirrored_structs_have_the_same_layout_in_rust() {
    let matrix = ["technique_matrix", "format_f16", "atlas_texture"];
    let crowd = validate("crowd", &matrix);
    let animate = validate("animate", &[]);
    let probe = validate("probe", &matrix);
    assert_mirrors!(
        crowd,
        "FrameUniforms",
        FrameUniforms {
            projection_from_world,
            world_from_projection,
            shadow_from_world,
            eye_exposure,
            sun,
            shadow_ground,
            time,
        }
    );
    assert_mirrors!(
        crowd,
        "CharacterUniforms",
        CharacterUniforms {
            position_offset,
            position_scale,
            uv_decode,
            unit,
            decode_min,
            decode_size,
            counts,
            schedule,
        }
    );
    assert_mirrors!(
        crowd,
        "Material",
        GpuMaterial {
            base_color,
            emissive_cutoff,
            params,
            maps,
            occlusion_map,
            occlusion_strength,
            region,
            color_occludes
        }
    );
    assert_mirrors!(crowd, "Posed", GpuPosed { place, play });
    assert_mirrors!(
        animate,
        "Clip",
        GpuClip {
            first_frame,
            intervals,
            cycles
        }
    );
    assert_mirrors!(
        animate,
        "GroupRow",
        GroupRow {
            first_state,
            state_count,
            block_min,
            block_span,
            home_total,
            flags,
            seed,
            path,
        }
    );
    assert_mirrors!(
        animate,
        "StateRow",
        StateRow {
            clip,
            rate,
            speed_min,
            speed_span,
            flags,
            dwell_min,
            dwell_span,
            fade,
            first_edge,
            edge_count,
            edge_total,
            home_end,
            stride,
        }
    );
    assert_mirrors!(
        animate,
        "Path",
        Path {
            kind,
            rate,
            length,
            radius,
            inner,
            outer,
            heading,
            direction,
            per_metre,
            first,
            count,
            along,
        }
    );
    assert_mirrors!(
        validate("difference", &[]),
        "DifferenceUniforms",
        DifferenceUniforms { divider, gain, heat }
    );
    assert_mirrors!(
        validate("pick", &[]),
        "PickQuery",
        PickQuery {
            origin,
            direction,
            box_min,
            box_max,
            counts,
        }
    );
    assert_mirrors!(
        probe,
        "Probed",
        Probed {
            position,
            normal,
            tangent
        }
    );
    // Pulled as two or three vec4<u32>.
    assert_eq!((size_of::<PackedVertex>(), size_of::<PackedSurface>()), (32, 16));
    assert_eq!(size_of::<Instance>(), 32);
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
