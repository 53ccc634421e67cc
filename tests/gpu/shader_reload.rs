//! Hot reload of shaders: the picture follows a change, and stays if a shader does not compile.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
    sync::Arc,
};

use rayon::prelude::*;
use throng::{
    config::Config,
    gpu::{Gpu, GpuError, ShaderSources, compute_pipeline, read_texture_rgba8, shader, target_texture, whole_view},
    render::{RenderOptions, Renderer},
    scene::{Scene, StartupTimes},
};

use crate::{common, shaders::variants};

const SIZE: (u32, u32) = (64, 48);
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
const SHADE: &str = "return vec4<f32>(through_air(color, s.world), base.a);";

fn renderer(gpu: &Gpu) -> Renderer {
    let text = "[scene]\ncharacters = [\"man\"]\ncount = 60\nlayout = \"grid\"\n";
    let config = Config::parse("reload.toml", text).expect("valid");
    let scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
    common::gpu::renderer(gpu, &scene, RenderOptions::of(common::gpu::MATRIX))
}

fn picture(gpu: &Gpu, renderer: &mut Renderer) -> Vec<u8> {
    let texture = target_texture(gpu, "picture", SIZE, FORMAT, 1, wgpu::TextureUsages::COPY_SRC);
    let projection = glam::camera::rh::proj::directx::perspective_infinite_reverse(0.9, 1.3, 0.1);
    let eye = glam::Vec3::new(0.0, 3.0, 8.0);
    let mut frame = common::gpu::frame(1.0);
    frame.eye = eye;
    frame.projection_from_world =
        projection * glam::camera::rh::view::look_at_mat4(eye, glam::Vec3::ZERO, glam::Vec3::Y);
    renderer.draw(gpu, &whole_view(&texture, "picture"), SIZE, &frame);
    gpu.wait_idle();
    assert_eq!(gpu.take_error(), None);
    read_texture_rgba8(gpu, &texture).expect("readback")
}

/// Writes the shaders of this build to a folder.
pub fn write_shaders(folder: &Path) {
    for (path, source) in shader::SOURCES {
        let file = folder.join(path).with_extension("wgsl");
        fs::create_dir_all(file.parent().expect("below the folder")).expect("made");
        fs::write(file, source).expect("written");
    }
}

fn edit(folder: &Path, from: &str, to: &str) {
    let file = folder.join("shared/surface.wgsl");
    let source = fs::read_to_string(&file).expect("written before");
    assert!(source.contains(from), "{from}");
    fs::write(file, source.replace(from, to)).expect("written");
}

/// Reloads shaders as the window does, from the folder's current content.
fn reload(gpu: &Gpu, renderer: &mut Renderer, folder: &Path) -> Result<(), GpuError> {
    let before = gpu.replace_shaders(Arc::new(ShaderSources::read(folder)?));
    renderer.rebuild_pipelines(gpu).inspect_err(|_| {
        gpu.replace_shaders(before);
    })
}

#[test]
fn a_changed_shader_changes_the_picture_and_a_broken_one_does_not() {
    let Some(gpu) = common::gpu::open() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    write_shaders(folder.path());
    assert_eq!(
        ShaderSources::read(folder.path()).expect("read"),
        ShaderSources::default()
    );

    let mut renderer = renderer(&gpu);
    let before = picture(&gpu, &mut renderer);
    reload(&gpu, &mut renderer, folder.path()).expect("nothing has changed");
    assert!(
        picture(&gpu, &mut renderer) == before,
        "pictures of the same shaders differ"
    );

    let green = "return vec4<f32>(0.0, 0.5, 0.0, base.a);";
    edit(folder.path(), SHADE, green);
    reload(&gpu, &mut renderer, folder.path()).expect("compiles");
    let changed = picture(&gpu, &mut renderer);
    let pixels = changed.chunks(4).zip(before.chunks(4));
    let turned_green = pixels.filter(|(now, then)| now != then && now[1] > now[0] + 60 && now[1] > now[2] + 60);
    let count = turned_green.count();
    assert!(count > 20, "{count} pixels turned green");

    // Errors of WESL, of WGSL, and of the pipeline's layout.
    for (from, to) in [
        (green, "return vec4<f32>(0.0, 0.5"),
        (green, "return vec3<u32>(0u);"),
        (
            "@binding(4) var<storage, read> materials",
            "@binding(14) var<storage, read> materials",
        ),
        ("fn has_map(", "fn has_map(("),
    ] {
        edit(folder.path(), from, to);
        let error = reload(&gpu, &mut renderer, folder.path()).expect_err("does not compile");
        assert!(matches!(error, GpuError::Shader { .. }), "{error}");
        assert!(error.to_string().len() > 20, "{error}");
        assert!(picture(&gpu, &mut renderer) == changed, "{to}: {error}");
        edit(folder.path(), to, from);
    }

    edit(folder.path(), green, SHADE);
    reload(&gpu, &mut renderer, folder.path()).expect("as at first");
    assert!(
        picture(&gpu, &mut renderer) == before,
        "pictures of the first shaders differ"
    );
}

#[test]
fn errors_of_a_device_on_another_thread_are_reported_here() {
    let Some(gpu) = common::gpu::open() else { return };
    let text = || shader::wgsl("animate", &[]).map(|text| text.to_string());
    // Without layouts, no binding of the pass exists.
    let refused = || compute_pipeline(&gpu, "animate", &[], &[]);
    let unknown = || compute_pipeline(&gpu, "nobody", &[], &[]);
    let here = gpu.checked("pipelines", refused).expect_err("refused").to_string();
    assert!(here.starts_with("shader animate: "), "{here}");

    let first = |error: GpuError| error.to_string();
    assert_eq!(
        gpu.run_parallel((text, refused, unknown))
            .map_err(first)
            .expect_err("refused"),
        here
    );
    let error = gpu.run_parallel((text, unknown, refused)).map_err(first);
    assert!(error.expect_err("unknown").starts_with("shader nobody: "));
    let mut made = HashMap::new();
    let error = gpu.make_missing(&mut made, [0, 1, 2], |number| match number {
        2 => refused().map(|_| String::new()),
        _ => text(),
    });
    assert_eq!(error.map_err(first).expect_err("refused"), here);
    assert!(made.is_empty(), "all or none");
    let texts = gpu.make_missing(&mut made, [0, 1, 1], |_| text());
    assert!(texts.is_ok() && made.len() == 2);
    assert_eq!(gpu.take_error(), None, "the error was reported elsewhere, too");
}

#[cfg(debug_assertions)]
#[test]
fn a_watch_reports_changes_and_nothing_else() {
    use std::time::{Duration, Instant};
    let folder = tempfile::tempdir().expect("a folder");
    write_shaders(folder.path());
    let mut watch = throng::gpu::ShaderWatch::new(folder.path().to_owned());
    let mut next = |patience: Duration| {
        let begun = Instant::now();
        while begun.elapsed() < patience {
            if let Some(found) = watch.poll() {
                return Some(found);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        None
    };
    let first = next(Duration::from_secs(1)).expect("reported the first time");
    assert_eq!(first.expect("read"), ShaderSources::default());
    assert!(next(Duration::from_millis(1500)).is_none(), "nothing has changed");
    edit(folder.path(), SHADE, "return base;");
    let changed = next(Duration::from_secs(30))
        .expect("reported the change")
        .expect("read");
    assert_ne!(changed, ShaderSources::default());
    fs::remove_dir_all(folder.path()).expect("removed");
    assert!(
        next(Duration::from_secs(30))
            .expect("reported that it is gone")
            .is_err()
    );
    assert!(next(Duration::from_millis(1500)).is_none(), "told once");
}

/// Files from a folder also pass the compiler of imports and conditions, whose messages name places.
#[test]
fn the_compiler_of_modules_finds_no_mistake() {
    let sources = ShaderSources::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders")).expect("reads");
    assert_eq!(sources, ShaderSources::default());
    let mut longest: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (pass, features) in variants() {
        let known = longest.entry(pass).or_default();
        if features.len() >= known.len() {
            *known = features;
        }
    }
    longest.into_par_iter().for_each(|(pass, features)| {
        let compiled = sources.wgsl(pass, &features);
        compiled.unwrap_or_else(|error| panic!("{pass} {features:?}: {error}"));
    });
}
