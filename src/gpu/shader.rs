//! Shader sources: WESL modules (WGSL with imports and conditions), embedded in the binary.

use std::borrow::Cow;

use wesl::{CompileOptions, Feature, ModulePath, NoMangler, VirtualResolver};

use crate::gpu::{Gpu, GpuError};

macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        /// (module path, source) of every file in `shaders/`.
        pub const SOURCES: &[(&str, &str)] = &[
            $(($path, include_str!(concat!("../../shaders/", $path, ".wgsl")))),*
        ];
    };
}

sources![
    "animate",
    "crowd",
    "difference",
    "events",
    "ground",
    "attachments",
    "heroes",
    "live",
    "naive",
    "naive_probe",
    "pick",
    "probe",
    "shadow",
    "sky",
    "tonemap",
    "shared/atlas",
    "shared/behaviour",
    "shared/baked_vertex",
    "shared/character",
    "shared/clock",
    "shared/frame",
    "shared/hash",
    "shared/hero",
    "shared/instance",
    "shared/light",
    "shared/morph",
    "shared/naive",
    "shared/paths",
    "shared/pose",
    "shared/skin",
    "shared/sky",
    "shared/surface",
    "shared/travel",
    "shared/wrap",
];

/// Plain WGSL of the pass `pass` with the named conditions on and all others off.
///
/// # Errors
/// [`GpuError::Shader`] with the compiler's message.
pub fn wgsl(pass: &str, features: &[&str]) -> Result<String, GpuError> {
    let fail = |reason: String| GpuError::Shader {
        pass: pass.to_owned(),
        reason,
    };
    let mut resolver = VirtualResolver::new();
    for (path, source) in SOURCES {
        resolver.add_module(module_path(path), Cow::Borrowed(source));
    }
    let mut options = CompileOptions::default();
    options.features.default = Feature::Disable;
    for feature in features {
        options.features.flags.insert((*feature).to_owned(), Feature::Enable);
    }
    // Names are unique over all modules (a test holds this), so that struct names in the output
    // are those of the sources.
    let compiled =
        wesl::compile(&module_path(pass), &resolver, &NoMangler, &options).map_err(|e| fail(e.to_string()))?;
    Ok(compiled.to_string())
}

/// A compiled shader module of the pass.
///
/// # Errors
/// [`GpuError::Shader`].
pub fn module(gpu: &Gpu, pass: &str, features: &[&str]) -> Result<wgpu::ShaderModule, GpuError> {
    let source = wgsl(pass, features)?;
    // Bounds checks stay on: measured without them, the crowd pass took the same time.
    Ok(gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(pass),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    }))
}

fn module_path(path: &str) -> ModulePath {
    ModulePath::new(
        wesl::syntax::PathOrigin::Absolute,
        path.split('/').map(str::to_owned).collect(),
    )
}
