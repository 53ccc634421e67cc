//! Every shader variant compiles and validates.

use throng::{
    atlas::AtlasFormat,
    config::Technique,
    gpu::shader,
    render::{
        DrawMethod,
        passes::{DrawVariant, HOST_LIGHT, WORKGROUP_SIZE},
        resources::AtlasSource,
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
                    if common {
                        let hosted = [variant.features(), vec![HOST_LIGHT]].concat();
                        all.push(("crowd", hosted));
                    }
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
            all.push(("naive", [variant.features(), vec![HOST_LIGHT]].concat()));
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

pub fn validate(pass: &str, features: &[&str]) -> naga::Module {
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

/// What only a fragment entry point may do: ask for derivatives, of which sampling without a level
/// is one way, and discard. Everything else can then be called by a compute pass too.
fn needs_a_fragment(function: &naga::Function) -> Option<&'static str> {
    let derived = function
        .expressions
        .iter()
        .find_map(|(_, expression)| match expression {
            naga::Expression::Derivative { .. } => Some("a derivative"),
            naga::Expression::ImageSample {
                level: naga::SampleLevel::Auto | naga::SampleLevel::Bias(_),
                ..
            } => Some("a sample whose level is derived"),
            _ => None,
        });
    derived.or_else(|| discards(&function.body).then_some("a discard"))
}

fn discards(block: &naga::Block) -> bool {
    use naga::Statement;
    block.iter().any(|statement| match statement {
        Statement::Kill => true,
        Statement::Block(inner) => discards(inner),
        Statement::If { accept, reject, .. } => discards(accept) || discards(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| discards(&case.body)),
        Statement::Loop { body, continuing, .. } => discards(body) || discards(continuing),
        _ => false,
    })
}

#[test]
fn every_variant_validates_and_only_fragment_entry_points_derive_and_discard() {
    for (pass, features) in variants() {
        let module = validate(pass, &features);
        for (_, function) in module.functions.iter() {
            let name = function.name.as_deref().unwrap_or_default();
            let needs = needs_a_fragment(function);
            assert_eq!(needs, None, "{pass} {features:?}: {name}");
        }
    }
}

#[test]
fn what_needs_a_fragment_is_found() {
    let parse = |body: &str| {
        let source = format!(
            "@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
            fn f(x: vec2<f32>) -> vec4<f32> {{ {body} }}"
        );
        let module = naga::front::wgsl::parse_str(&source).expect("valid");
        module.functions.iter().next().and_then(|(_, f)| needs_a_fragment(f))
    };
    assert!(parse("return vec4<f32>(dpdx(x), x);").is_some());
    assert!(parse("return vec4<f32>(fwidth(x), x);").is_some());
    assert!(parse("return textureSample(t, s, x);").is_some());
    assert!(parse("if x.x > 0.0 { loop { discard; } } return vec4<f32>(0.0);").is_some());
    assert_eq!(parse("return textureSampleGrad(t, s, x, x, x);"), None);
    assert_eq!(parse("return textureSampleLevel(t, s, x, 0.0);"), None);
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
