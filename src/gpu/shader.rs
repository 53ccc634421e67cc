//! Shader sources: WESL modules (WGSL with imports and conditions), embedded in the binary.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use wesl::{CompileOptions, Feature, ModulePath, VirtualResolver};

use crate::gpu::{
    Gpu, GpuError,
    conditions::{Modules, conditions},
    foreign_module::ForeignNames,
    pipeline_cache::ShaderKey,
};

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
    "aov",
    "aov_background",
    "assign_slots",
    "attachments",
    "background_compute",
    "compact_poses",
    "composite",
    "crowd",
    "difference",
    "difference_sums",
    "events",
    "fetched_probe",
    "fxaa",
    "ground",
    "heroes",
    "ids",
    "large_triangles",
    "live",
    "mark_used",
    "occlusion_cull",
    "overdraw",
    "pick",
    "picture_sums",
    "preskin",
    "probe",
    "pyramid",
    "quantize_time",
    "rasterise",
    "scan",
    "scatter",
    "scatter_rows",
    "select",
    "shade_visibility",
    "shadow",
    "sky",
    "slots",
    "tiles",
    "tonemap",
    "tonemap_pixels",
    "triangle_cull",
    "triangle_cull_blocks",
    "triangle_cull_draws",
    "triangle_cull_indices",
    "vertex_cache",
    "shared/actor_rows",
    "shared/actor_state",
    "shared/amodal",
    "shared/aov",
    "shared/atlas",
    "shared/baked_vertex",
    "shared/person_schedule",
    "shared/cast",
    "shared/character",
    "shared/clock",
    "shared/compacted",
    "shared/cover",
    "shared/crowd_shadow",
    "shared/draw_lists",
    "shared/edges",
    "shared/frame",
    "shared/ground_point",
    "shared/hash",
    "shared/heat",
    "shared/heights",
    "shared/hero",
    "shared/instance",
    "shared/large_triangles",
    "shared/light",
    "shared/listed",
    "shared/motion_plan",
    "shared/packed",
    "shared/paths",
    "shared/paving",
    "shared/pose",
    "shared/pose_steps",
    "shared/posed_vertex",
    "shared/pyramid",
    "shared/raster",
    "shared/shown",
    "shared/skinning",
    "shared/sky",
    "shared/standard_radiance",
    "shared/surface",
    "shared/surface_point",
    "shared/surface_shader",
    "shared/tables",
    "shared/textbook",
    "shared/tone",
    "shared/trajectory",
    "shared/transfer",
    "shared/travel",
    "shared/triangle_cull",
    "shared/vertex_cache",
    "shared/visible",
    "shared/wide",
    "shared/workgroup",
    "shared/wrap",
];

/// Sources of all shader modules by module path: those of this build, or of a folder in development.
#[derive(Clone, Debug)]
pub struct ShaderSources {
    modules: Arc<Modules>,
    /// True if the compiler validates, too: its messages name places in the sources. It doubles the time, and wgpu
    /// validates the output anyway.
    validates: bool,
    /// True if the sources are those of this build, whose loops a test has read.
    is_embedded: bool,
    /// Path of a module of a host program.
    foreign_module: Option<String>,
    compiled: Arc<Mutex<CompiledTexts>>,
}

/// Compiled texts, kept because renderers of one program ask for them again.
#[derive(Debug, Default)]
struct CompiledTexts {
    /// Conditions that each pass knows.
    conditions: HashMap<String, BTreeSet<String>>,
    /// Texts by pass and by the conditions that are on.
    texts: HashMap<(String, BTreeSet<String>), Arc<str>>,
}

impl PartialEq for ShaderSources {
    fn eq(&self, other: &Self) -> bool {
        self.modules == other.modules
    }
}

impl Eq for ShaderSources {}

impl Default for ShaderSources {
    /// Sources in the binary.
    fn default() -> Self {
        static OWN: LazyLock<ShaderSources> = LazyLock::new(|| {
            let own = |&(path, source): &(&str, &'static str)| (path.to_owned(), Cow::Borrowed(source));
            ShaderSources {
                is_embedded: true,
                ..ShaderSources::of(SOURCES.iter().map(own).collect())
            }
        });
        OWN.clone()
    }
}

impl ShaderSources {
    fn of(modules: Modules) -> Self {
        Self {
            modules: Arc::new(modules),
            validates: false,
            is_embedded: false,
            foreign_module: None,
            compiled: Arc::default(),
        }
    }

    /// Sources with another text of the module `path` (WESL), from a host program. Its declarations may have any names,
    /// and no loop of a pass is trusted.
    pub(crate) fn with_foreign_module(&self, path: &str, source: String) -> Self {
        let mut modules = (*self.modules).clone();
        modules.insert(path.to_owned(), Cow::Owned(source));
        Self {
            validates: self.validates,
            foreign_module: Some(path.to_owned()),
            ..Self::of(modules)
        }
    }

    /// Reads every `.wgsl` file below a folder that is laid out as `shaders/`.
    ///
    /// # Errors
    /// [`GpuError::Shader`] if the folder or a file cannot be read.
    pub fn read(folder: &Path) -> Result<Self, GpuError> {
        let mut sources = BTreeMap::new();
        for file in files(folder)? {
            let source = std::fs::read_to_string(&file).map_err(|e| unreadable(&file, &e))?;
            let path = file.strip_prefix(folder).unwrap_or(&file).with_extension("");
            sources.insert(path.to_string_lossy().replace('\\', "/"), Cow::Owned(source));
        }
        Ok(Self {
            validates: cfg!(debug_assertions),
            ..Self::of(sources)
        })
    }

    /// Plain WGSL of the pass `pass` with the named conditions on and all others off.
    ///
    /// # Errors
    /// [`GpuError::Shader`] with the compiler's message.
    pub fn wgsl(&self, pass: &str, features: &[&str]) -> Result<Arc<str>, GpuError> {
        let compiled = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let key = {
            let mut compiled = compiled();
            let own = compiled.conditions.entry(pass.to_owned());
            let own = own.or_insert_with(|| conditions(&self.modules, pass));
            let on = features.iter().filter(|&&feature| own.contains(feature));
            let key = (pass.to_owned(), on.map(|&feature| feature.to_owned()).collect());
            if let Some(known) = compiled.texts.get(&key) {
                return Ok(known.clone());
            }
            key
        };
        let text: Arc<str> = self.compile(pass, features)?.into();
        compiled().texts.insert(key, text.clone());
        Ok(text)
    }

    fn compile(&self, pass: &str, features: &[&str]) -> Result<String, GpuError> {
        let mut resolver = VirtualResolver::new();
        for (path, source) in &*self.modules {
            resolver.add_module(module_path(path), Cow::Borrowed(&**source));
        }
        let mut options = CompileOptions::default();
        options.features.default = Feature::Disable;
        options.validate = self.validates;
        for feature in features {
            options.features.flags.insert((*feature).to_owned(), Feature::Enable);
        }
        // Names are unique over all modules (a test checks it), so that the output keeps the struct names of the
        // sources.
        let names = ForeignNames {
            module: self.foreign_module.as_deref(),
        };
        let compiled = wesl::compile(&module_path(pass), &resolver, &names, &options);
        compiled
            .map(|mut compiled| {
                // Modules come in the order of a hash map. Unsorted, drivers would see and compile a different text
                // each time.
                let declarations = &mut compiled.syntax.global_declarations;
                declarations.sort_by_cached_key(ToString::to_string);
                compiled.to_string()
            })
            .map_err(|e| GpuError::Shader {
                pass: pass.to_owned(),
                reason: plain(&e.to_string()),
            })
    }
}

/// Message without the colour codes that the compiler writes for terminals.
fn plain(message: &str) -> String {
    let mut parts = message.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    // A letter ends each escape sequence.
    let rest = parts.filter_map(|part| part.split_once(|c: char| c.is_ascii_alphabetic()));
    rest.fold(first, |text, (_, rest)| text + rest)
}

/// All shader files below a folder, sorted.
///
/// # Errors
/// [`GpuError::Shader`] if a folder cannot be read.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, GpuError> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|e| unreadable(&folder, &e))? {
            let path = entry.map_err(|e| unreadable(&folder, &e))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "wgsl") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn unreadable(path: &Path, error: &std::io::Error) -> GpuError {
    GpuError::Shader {
        pass: path.display().to_string(),
        reason: error.to_string(),
    }
}

/// Plain WGSL of a pass of this build; see [`ShaderSources::wgsl`].
///
/// # Errors
/// [`GpuError::Shader`] with the compiler's message.
pub fn wgsl(pass: &str, features: &[&str]) -> Result<Arc<str>, GpuError> {
    ShaderSources::default().wgsl(pass, features)
}

/// Key of the pass's shader.
///
/// # Errors
/// [`GpuError::Shader`].
pub(crate) fn key(
    sources: &ShaderSources,
    pass: &str,
    features: &[&str],
    layouts: &[&wgpu::BindGroupLayout],
) -> Result<ShaderKey, GpuError> {
    Ok(ShaderKey {
        pass: pass.to_owned(),
        text: sources.wgsl(pass, features)?,
        trusts_loops: sources.is_embedded && COUNTED_LOOPS.contains(&pass),
        groups: layouts.iter().copied().cloned().collect(),
    })
}

/// Shader module of a key.
pub(crate) fn module(gpu: &Gpu, key: &ShaderKey) -> wgpu::ShaderModule {
    // Bounds checks stay on: measured without them, the crowd pass took the same time.
    let checks = wgpu::ShaderRuntimeChecks {
        force_loop_bounding: !key.trusts_loops,
        ..wgpu::ShaderRuntimeChecks::checked()
    };
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(&key.pass),
        source: wgpu::ShaderSource::Wgsl(Cow::Borrowed(&key.text)),
    };
    // SAFETY: the unchecked variant only leaves out loop bounding, and the loops of trusted passes end by themselves. A
    // test reads the embedded sources; sources from elsewhere are never trusted.
    #[allow(unsafe_code)]
    unsafe {
        gpu.device.create_shader_module_trusted(descriptor, checks)
    }
}

/// Passes in which every loop counts integers up to a fixed end, so that no loop bounding is added. Loop bounding took
/// a sixth of the software rasterizer's time and a quarter of the background's.
const COUNTED_LOOPS: [&str; 10] = [
    "background_compute",
    "occlusion_cull",
    "pyramid",
    "rasterise",
    "shade_visibility",
    "scan",
    "scatter",
    "select",
    "triangle_cull",
    "tiles",
];

fn module_path(path: &str) -> ModulePath {
    ModulePath::new(
        wesl::syntax::PathOrigin::Absolute,
        path.split('/').map(str::to_owned).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// True if every loop of a source is a `for` that counts upwards in constant steps, or doubles from one on.
    fn loops_are_counted(source: &str) -> bool {
        let code = source.lines().map(|line| line.split("//").next().unwrap_or_default());
        let code: String = code.flat_map(|line| [line, "\n"]).collect();
        let word = |text: &str, keyword: &str| {
            text.split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|w| w == keyword)
        };
        let heads = code
            .split("for (")
            .skip(1)
            .map(|rest| rest.split('{').next().unwrap_or_default());
        !word(&code, "while")
            && !word(&code, "loop")
            && heads.map(str::trim).all(|head| {
                let parts: Vec<&str> = head.split(';').map(str::trim).collect();
                let [first, condition, step] = parts[..] else {
                    return false;
                };
                let counter = first
                    .strip_prefix("var ")
                    .and_then(|rest| rest.split([' ', '=', ':']).next());
                counter.is_some_and(|counter| {
                    let adds = step.starts_with(&format!("{counter}++")) || step.starts_with(&format!("{counter} +="));
                    let doubles = first.ends_with("= 1u") && step.starts_with(&format!("{counter} *= 2u"));
                    (adds || doubles) && condition.starts_with(counter) && condition.contains('<')
                })
            })
    }

    #[test]
    fn each_source_set_compiles_a_text_once() {
        let of = |value: u32| {
            let text = format!("@compute @workgroup_size({value}) fn main() {{ @if(a) let x = 1; }}");
            ShaderSources::of([("pass".to_owned(), Cow::Owned(text))].into())
        };
        let (one, two) = (of(1), of(2));
        let text = |sources: &ShaderSources, features: &[&str]| sources.wgsl("pass", features).expect("compiles");
        assert!(Arc::ptr_eq(&text(&one, &[]), &text(&one.clone(), &[])));
        assert!(!Arc::ptr_eq(&text(&one, &[]), &text(&one, &["a"])));
        assert!(Arc::ptr_eq(&text(&one, &["a"]), &text(&one, &["b", "a", "a"])));
        assert!(text(&one, &[]).contains("(1)") && text(&two, &[]).contains("(2)"));
        assert!(one != two && one == of(1));
    }

    #[test]
    fn unknown_conditions_do_not_change_a_pass() {
        let sources = ShaderSources::default();
        let all: BTreeSet<String> = SOURCES
            .iter()
            .flat_map(|(path, _)| conditions(&sources.modules, path))
            .collect();
        for (pass, _) in SOURCES.iter().filter(|(path, _)| !path.contains('/')) {
            let own = conditions(&sources.modules, pass);
            let others: Vec<&str> = all.difference(&own).map(String::as_str).collect();
            assert!(!others.is_empty(), "{pass}");
            let texts = [&[][..], &others].map(|on| sources.compile(pass, on).map_err(|e| e.to_string()));
            assert_eq!(texts[0], texts[1], "{pass}");
        }
    }

    #[test]
    fn messages_of_the_compiler_have_no_colours() {
        let broken = ShaderSources::of([("broken".to_owned(), Cow::Borrowed("fn main( {"))].into());
        let error = broken.wgsl("broken", &[]).expect_err("no shader").to_string();
        assert!(error.contains("broken") && error.contains("fn main"), "{error}");
        assert!(!error.contains('\u{1b}'), "{error:?}");
        assert_eq!(plain("\u{1b}[1m\u{1b}[91merror\u{1b}[0m: here"), "error: here");
    }

    #[test]
    fn sources_compile_to_the_same_text_each_time() {
        for pass in ["crowd", "rasterise", "animate"] {
            let compile = || wgsl(pass, &["technique_matrix", "format_f16", "listed", "textured"]).expect("compiles");
            let first = compile();
            assert!((0..8).all(|_| compile() == first), "{pass}");
        }
    }

    #[test]
    fn parallel_threads_compile_the_same_text() {
        let passes = ["crowd", "rasterise", "animate", "select", "shade_visibility", "shadow"];
        let features = ["technique_matrix", "format_f16", "listed", "textured"];
        let alone = passes.map(|pass| wgsl(pass, &features).expect("compiles"));
        std::thread::scope(|scope| {
            let work = || assert_eq!(passes.map(|pass| wgsl(pass, &features).expect("compiles")), alone);
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
            assert!(threads.into_iter().all(|thread| thread.join().is_ok()));
        });
    }

    #[test]
    fn trusted_passes_have_counted_loops_only() {
        let common = [
            "technique_matrix",
            "format_f16",
            "listed",
            "heroes",
            "morphs",
            "textured",
            "surface_maps",
        ];
        for pass in COUNTED_LOOPS {
            for own in [
                &["cached_vertices"][..],
                &["sun", "standard_depth"],
                &["raster_ids", "amodal_masks"],
                &["eight_influences", "normal_mapped"],
            ] {
                let source = wgsl(pass, &[&common, own].concat()).expect("compiles");
                assert!(source.contains("for ("), "{pass}");
                assert!(loops_are_counted(&source), "{pass} {own:?}");
            }
        }
        let other = wgsl("animate", &[]).expect("compiles");
        assert!(!loops_are_counted(&other), "its loops end otherwise");
        assert!(!loops_are_counted("for (var i = 0u; i != 9u; i += 2u) {}"));
        assert!(loops_are_counted("for (var i = 0u; i < 9u; i += 2u) {}"));
        assert!(!loops_are_counted("for (var i = 0u; i < 9u; i *= 2u) {}"), "for ever 0");
        assert!(loops_are_counted("for (var i = 1u; i < 9u; i *= 2u) {}"));
    }
}
