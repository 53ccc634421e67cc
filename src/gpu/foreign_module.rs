//! Shader module whose text comes from a host program.

use wesl::{Mangler, ModulePath};

/// Prefix of the foreign module's declarations in compiled texts. No declaration of throng begins with it.
pub(super) const FOREIGN_PREFIX: &str = "host_";

/// Names of compiled texts: those of the sources, and prefixed ones for the declarations of a foreign module, which
/// may be equal to ours.
pub(super) struct ForeignNames<'a> {
    /// Path of the foreign module, if there is one.
    pub(super) module: Option<&'a str>,
}

impl Mangler for ForeignNames<'_> {
    fn mangle(&self, path: &ModulePath, item: &str) -> String {
        match self.module {
            Some(module) if path.components.iter().map(String::as_str).eq(module.split('/')) => {
                format!("{FOREIGN_PREFIX}{item}")
            }
            _ => item.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::gpu::shader::{SOURCES, ShaderSources, wgsl};

    #[test]
    fn no_declaration_of_throng_begins_with_the_prefix() {
        for (path, source) in SOURCES {
            let words = source.split(|c: char| !c.is_alphanumeric() && c != '_');
            let after = |word: &str| {
                words
                    .clone()
                    .zip(words.clone().skip(1))
                    .any(|(a, b)| a == word && b.starts_with(FOREIGN_PREFIX))
            };
            for keyword in ["fn", "const", "struct", "alias"] {
                assert!(!after(keyword), "{path}: {keyword} {FOREIGN_PREFIX}…");
            }
        }
    }

    #[test]
    fn a_foreign_module_may_use_the_names_of_throng() {
        let features = ["technique_matrix", "format_f16", "host_light", "surface_shader"];
        let text = "import package::shared::surface_point::SurfacePoint;
            const PI = 3.0; fn ambient(x: f32) -> f32 { let frame = PI; return x * frame; } fn unused() {}
            struct Pair { frame: f32, other: f32 } fn frame(PI: f32) -> Pair { return Pair(PI, PI); }
            fn surface_radiance(p: SurfacePoint) -> vec3<f32> {
                let ambient = ambient(p.uv.x); let Pair = frame(ambient).frame;
                for (var PI = 0; PI < 2; PI++) { let frame = PI; } return vec3<f32>(ambient * Pair * PI); }";
        let from_files = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
        let from_files = ShaderSources::read(&from_files).expect("readable");
        for sources in [ShaderSources::default(), from_files] {
            let own = sources.with_foreign_module("shared/surface_shader", text.to_owned());
            let compiled = own.wgsl("crowd", &features).expect("compiles");
            for declared in [
                "fn host_ambient",
                "const host_PI",
                "fn host_surface_radiance",
                "fn ambient",
            ] {
                assert!(compiled.contains(declared), "{declared}: {compiled}");
            }
            assert!(!compiled.contains("unused"));
            naga::front::wgsl::parse_str(&compiled).expect("is WGSL");
            let without = &features[..3];
            assert_eq!(own.wgsl("crowd", without).ok(), wgsl("crowd", without).ok());
        }
    }
}
