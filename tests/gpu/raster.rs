//! The software rasterizer draws scenes like the hardware rasterizer, at fixed LODs.
//! At most a thousandth of the pixels differ, and those lie on edges.

use std::sync::{Arc, LazyLock};

use throng::{
    atlas::AtlasFormat,
    bake::BakeOptions,
    character::Character,
    cli::shot::frame_input,
    config::{Config, Raster, Technique},
    gpu::{Gpu, ShaderSources, shader},
    model::{AlphaMode, Material, Model, TextureRef, TextureWrap},
    render::{
        Culling, DrawMethod, DrawPath, FrameInput, NEAR_ROWS, RenderOptions, Renderer,
        passes::raster::unsupported_reason, resources::AtlasSource,
    },
    scene::Scene,
};

use crate::{
    common::{self, Need, picture::through_a_file, skip, surfaces, tube},
    culling::{leveled, leveled_scene},
    flat,
    lod_morphs::moving,
    materials::bump,
    tangents::zoo,
};

pub const SIZE: (u32, u32) = (320, 180);

/// Adapter that supports the software rasterizer, or a skip.
pub fn supported() -> Option<Gpu> {
    let gpu = common::gpu::open()?;
    if let Some(why) = unsupported_reason(&gpu) {
        skip(Need::Adapter, &why);
        return None;
    }
    Some(gpu)
}

/// Draw options of a scene.
#[derive(Clone, Copy)]
pub struct Look {
    pub format: AtlasFormat,
    pub source: AtlasSource,
    pub samples: u32,
}

pub const USUAL: Look = Look {
    format: AtlasFormat::F16,
    source: AtlasSource::Storage,
    samples: 4,
};

pub fn open(gpu: &Gpu, scene: &Scene, look: Look, raster: Raster) -> Renderer {
    let options = RenderOptions {
        samples: look.samples,
        path: DrawPath::Selected,
        raster,
        ..RenderOptions::of(DrawMethod::new(Technique::Matrix, look.format, look.source))
    };
    common::gpu::renderer(gpu, scene, options)
}

pub fn picture(gpu: &Gpu, renderer: &mut Renderer, input: &FrameInput) -> Vec<u8> {
    common::gpu::picture(gpu, renderer, SIZE, input)
}

pub fn preset(name: &str, count: u32) -> (Config, Scene) {
    leveled_scene(name, count, SIZE)
}

/// Steps of 255 by which a colour may differ: rounding of interpolation.
const STEPS: u8 = 3;

fn differs(a: &[u8], b: &[u8]) -> bool {
    a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > STEPS)
}

/// Number of pixels that differ, and of those at which neither picture has an edge.
pub fn compare(a: &[u8], b: &[u8]) -> (usize, usize) {
    let width = SIZE.0 as usize;
    let at = |picture: &[u8], pixel: usize| -> [u8; 4] { picture[4 * pixel..4 * pixel + 4].try_into().expect("four") };
    let has_edge = |picture: &[u8], pixel: usize| {
        let (x, y) = (pixel % width, pixel / width);
        let beside = |dx: isize, dy: isize| {
            let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
            (x < width && y < SIZE.1 as usize).then(|| at(picture, y * width + x))
        };
        let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
        around.filter_map(|(dx, dy)| beside(dx, dy)).any(|other| {
            let own = at(picture, pixel);
            own.iter().zip(other).any(|(a, b)| a.abs_diff(b) > 8)
        })
    };
    let differing: Vec<usize> = (0..a.len() / 4).filter(|&p| differs(&at(a, p), &at(b, p))).collect();
    let inside = differing
        .iter()
        .filter(|&&p| !has_edge(a, p) && !has_edge(b, p))
        .count();
    (differing.len(), inside)
}

/// Shaders of the program with one text replaced by another.
pub fn with_sources(text: &str, other: &str) -> ShaderSources {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, source) in shader::SOURCES {
        let copy = folder.path().join(format!("{path}.wgsl"));
        std::fs::create_dir_all(copy.parent().expect("a folder")).expect("made");
        std::fs::write(copy, source.replace(text, other)).expect("written");
    }
    ShaderSources::read(folder.path()).expect("reads")
}

/// Source in which triangles and splats of the software rasterizer get their colour.
pub const COLORED: &str = "if row.splats == 1u {
            rgb = shaded_splat(f, at);
        } else {
            rgb = shaded(interpolated_triangle(f), at);
        }";

/// Number of pixels whose colour comes from the software rasterizer.
fn rasterised(gpu: &Gpu, scene: &Scene, look: Look, (input, found): (&FrameInput, &[u8])) -> usize {
    // Shared by all tests, so that variants compile once. The shaders lack lighting, which takes longest to compile.
    static BLACK: LazyLock<Arc<ShaderSources>> =
        LazyLock::new(|| Arc::new(with_sources(COLORED, "rgb = vec3<f32>();")));
    let own = gpu.replace_shaders(BLACK.clone());
    let dark = picture(gpu, &mut open(gpu, scene, look, Raster::Compute), input);
    gpu.replace_shaders(own);
    compare(&dark, found).0
}

/// Draws a scene with both rasterizers and checks that at most a thousandth of the pixels differ, all on edges.
/// Returns the number of pixels of the first picture that come from the software rasterizer.
fn assert_alike(gpu: &Gpu, (config, scene): (&Config, &Scene), look: Look, what: &str) -> usize {
    let [mut hardware, mut compute] = [Raster::Hardware, Raster::Compute].map(|raster| open(gpu, scene, look, raster));
    assert_eq!(
        (hardware.raster().0, compute.raster()),
        (Raster::Hardware, (Raster::Compute, None))
    );
    let mut first: Option<Vec<u8>> = None;
    let mut in_compute = 0;
    for (camera, time, detail, sw_raster_max_rows) in [
        ("overview", 2.0, 0.0, NEAR_ROWS),
        ("overview", 3.3, 1.0, 256),
        ("street", 7.5, 1.0, 4096),
    ] {
        let mut config = config.clone();
        config.camera.start = camera.to_owned();
        let input = FrameInput {
            detail,
            // The hardware rasterizer draws none.
            splats: false,
            sw_raster_max_rows,
            ..frame_input(&config, scene, time).expect("a view")
        };
        let expected = picture(gpu, &mut hardware, &input);
        let found = picture(gpu, &mut compute, &input);
        save(&format!("{what}-{camera}-hardware"), &expected);
        save(&format!("{what}-{camera}-compute"), &found);
        let (differing, inside) = compare(&expected, &found);
        let pixels = expected.len() / 4;
        println!("{what} {camera} {time} {detail}: {differing} of {pixels} pixels differ, {inside} on no edge");
        assert!(
            differing * 1000 <= pixels && inside == 0,
            "{what} {camera} {time} {detail}: {differing}, {inside}"
        );
        // People drawn in software occlude nobody in hardware draws; the number of people in view is equal.
        let lists = [&compute, &hardware].map(|renderer| renderer.drawn().expect("lists").clone());
        if sw_raster_max_rows == NEAR_ROWS {
            assert_eq!(lists[0], lists[1], "{what}: draw lists differ");
        }
        let [in_view, in_view_too] = lists.map(|drawn| drawn.visible + drawn.hidden);
        assert_eq!(in_view, in_view_too, "{what}");
        if first.is_none() {
            in_compute = rasterised(gpu, scene, look, (&input, &found));
        }
        // The bound must distinguish another view from this one.
        let first = first.get_or_insert_with(|| found.clone());
        let same = compare(first, &found).0 * 1000 <= pixels;
        assert!(!same || camera == "overview", "{what} {camera}: equal to another view");
        // Drawn again, and without culling: the same bytes.
        assert!(picture(gpu, &mut compute, &input) == found, "{what} {camera}: twice");
        let all = FrameInput {
            culling: Culling::all(false),
            ..input
        };
        assert!(picture(gpu, &mut compute, &all) == found, "{what} {camera}: culling");
    }
    println!("{what}: {in_compute} pixels by compute");
    in_compute
}

fn save(name: &str, pixels: &[u8]) {
    if let Some(folder) = std::env::var_os("THRONG_PICTURES") {
        let path = std::path::Path::new(&folder).join(format!("raster-{}.png", name.replace(' ', "-")));
        image::save_buffer(path, pixels, SIZE.0, SIZE.1, image::ColorType::Rgba8).expect("written");
    }
}

#[test]
fn every_scene_looks_the_same() {
    let Some(gpu) = supported() else { return };
    // Fades, walkers, heroes, attachments, scenery.
    for (name, count) in [("plaza", 160), ("stadium", 200), ("army", 120), ("million", 250)] {
        let (config, scene) = preset(name, count);
        assert!(assert_alike(&gpu, (&config, &scene), USUAL, name) > 100);
    }
}

/// Crowd of one character in ranks that reach into the distance.
pub fn crowd_of(model: Model, spacing: f32, heroes: &str) -> (Config, Scene) {
    ranks_of((model, 120), spacing, heroes)
}

/// Ranks of `count` people of one character.
pub fn ranks_of((model, count): (Model, u32), spacing: f32, heroes: &str) -> (Config, Scene) {
    let text = format!("[scene]\ncount = {count}\nlayout = \"grid\"\nspacing = {spacing:.1}\n{heroes}");
    let mut config = Config::parse("raster.toml", &text).expect("valid");
    config.bake.rate = 10.0;
    (config.window.width, config.window.height) = SIZE;
    let character = Character::bake(model, &BakeOptions { rate: 10.0 }).expect("bakes");
    let scene = Scene::populate(&config, vec![Arc::new(character)]).expect("populates");
    (config, scene)
}

/// Two textures, one of them bent by mirrored repeats, on a square whose back is visible.
pub fn poster(alpha: AlphaMode) -> Model {
    let dots = surfaces::image("dots", 64, |u, v| {
        let inside = ((u * 8.0).fract() - 0.5).hypot((v * 8.0).fract() - 0.5) < 0.35;
        if inside {
            [200, 60, 30, 255]
        } else {
            [230, 220, 200, 40]
        }
    });
    let mirror = TextureRef {
        wrap: [TextureWrap::Mirror; 2],
        ..surfaces::texture(0).expect("there is one")
    };
    let material = Material {
        base_color_texture: Some(mirror),
        double_sided: true,
        alpha,
        ..Material::default()
    };
    surfaces::quad(6, material, vec![dots])
}

#[test]
fn every_kind_of_character_looks_the_same() {
    let Some(gpu) = supported() else { return };
    let kinds = [
        ("mirrored morphing normals", zoo(), 14.0),
        ("eight influences", tube::model(), 4.0),
        ("levels with faces", moving("man").model, 1.6),
        ("normal map", through_a_file(&bump("bump", [false; 2], 1.0)), 4.0),
        ("two sides", poster(AlphaMode::Opaque), 4.0),
        ("flat", flat::model(true), 4.0),
    ];
    for (what, model, spacing) in kinds {
        let (config, scene) = crowd_of(model, spacing, "");
        assert!(assert_alike(&gpu, (&config, &scene), USUAL, what) > 50, "{what}");
    }
    // Alpha-tested holes stay with the hardware rasterizer.
    let (config, scene) = crowd_of(poster(AlphaMode::Mask(0.5)), 4.0, "");
    assert_eq!(assert_alike(&gpu, (&config, &scene), USUAL, "mask"), 0);
}

#[test]
fn every_format_and_sampling_looks_the_same() {
    let Some(gpu) = supported() else { return };
    let (config, scene) = preset("army", 90);
    for format in AtlasFormat::ALL {
        for (source, samples) in [(AtlasSource::Storage, 1), (AtlasSource::Texture, 4)] {
            let look = Look {
                format,
                source,
                samples,
            };
            let what = format!("{format:?} {source:?} {samples}");
            assert!(assert_alike(&gpu, (&config, &scene), look, &what) > 50, "{what}");
        }
    }
}

#[test]
fn crowds_with_heroes_look_the_same() {
    let Some(gpu) = supported() else { return };
    let heroes = "[[scene.heroes]]\ncount = 40\nlook = \"camera\"\nlayers = [{ clip = \"wave\" }]\n";
    let (config, scene) = crowd_of(leveled("man").model, 1.6, heroes);
    assert_eq!(scene.heroes.len(), 40);
    assert!(assert_alike(&gpu, (&config, &scene), USUAL, "heroes") > 50);
}
