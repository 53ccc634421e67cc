//! Every shader variant compiles and validates, and mirrored structs agree with Rust.

use throng::{
    atlas::AtlasFormat,
    config::Technique,
    gpu::shader,
    render::{AtlasSource, DrawVariant},
};
use wgpu::naga;

/// (pass, conditions) of every pipeline the program can make.
fn variants() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut all: Vec<(&str, Vec<&str>)> = vec![
        ("animate", vec![]),
        ("live", vec![]),
        ("naive", vec![]),
        ("naive", vec!["textured", "alpha_test"]),
        ("ground", vec![]),
        ("sky", vec![]),
        ("tonemap", vec![]),
        ("tonemap", vec!["srgb_target"]),
    ];
    for technique in [Technique::Matrix, Technique::Static, Technique::Live, Technique::Vertex] {
        for format in AtlasFormat::ALL {
            for source in [AtlasSource::Texture, AtlasSource::Storage] {
                for bits in 0..4 {
                    let variant = DrawVariant {
                        technique,
                        format,
                        source,
                        textured: bits & 1 != 0,
                        alpha_test: bits & 2 != 0,
                        double_sided: false,
                    };
                    all.push(("crowd", variant.features()));
                }
                let plain = DrawVariant {
                    technique,
                    format,
                    source,
                    textured: false,
                    alpha_test: false,
                    double_sided: false,
                };
                all.push(("shadow", plain.features()));
                all.push(("probe", plain.features()));
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
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32);
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
