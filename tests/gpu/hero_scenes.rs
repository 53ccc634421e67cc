//! Heroes of a scene in a renderer: who is selected, the number of draw calls, and the scene that stays when heroes do
//! not fit.

use glam::Vec3;
use throng::{
    atlas::AtlasFormat,
    config::{Config, Technique},
    crowd::heroes::Hero,
    gpu::Gpu,
    render::{DrawMethod, FrameInput, RenderOptions, Renderer, resources::AtlasSource},
    scene::{Scene, StartupTimes},
};

use crate::common;

fn renderer(gpu: &Gpu, scene: &Scene, technique: Technique) -> Renderer {
    let method = DrawMethod::new(technique, AtlasFormat::F16, AtlasSource::Storage);
    common::gpu::renderer(gpu, scene, RenderOptions::of(method))
}

/// Scene whose first heroes come from its file.
fn scene(heroes: &str) -> Scene {
    scene_of("\"man\"", 600, heroes)
}

fn scene_of(characters: &str, count: u32, heroes: &str) -> Scene {
    let text = format!("[scene]\ncharacters = [{characters}]\ncount = {count}\nlayout = \"grid\"\n{heroes}");
    let config = Config::parse("heroes.toml", &text).expect("valid");
    Scene::load(&config, &mut StartupTimes::default()).expect("loads")
}

#[test]
fn hundreds_of_heroes_are_drawn_by_the_call_that_draws_everyone() {
    let Some(gpu) = common::gpu::open() else { return };
    let scene = scene(
        "[[scene.heroes]]\ncount = 300\nlook = \"camera\"\nlayers = [{ clip = \"wave\" }]\n\
         [[scene.heroes]]\nat = [9.0, 0.0, 9.0]\ncount = 20\nlayers = [{ clip = \"cheer\", joint = \"spine\", weight = 0.5 }]\n",
    );
    assert_eq!(scene.heroes.len(), 320);
    let mut seen: Vec<_> = scene.heroes.iter().map(|h| (h.character, h.index)).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 320, "nobody twice");
    let mut renderer = renderer(&gpu, &scene, Technique::Matrix);
    let counts = renderer.counts();
    assert_eq!(
        (counts.heroes, counts.crowd_draw_calls, counts.instances),
        (320, 1, 600)
    );

    let texture = target(&gpu);
    let view = throng::gpu::whole_view(&texture, "picture");
    let times = renderer.draw(&gpu, &view, (128, 96), &looking(2.0));
    let with = throng::gpu::read_texture_rgba8(&gpu, &texture).expect("readback");
    let skeleton = &scene.characters[0].model.skeleton;
    let each = 48 * (skeleton.slots.len() + skeleton.sockets.len()) as u64 + 16;
    assert!(
        times.upload_bytes >= 320 * each && times.upload_bytes < 320 * each + 16_384,
        "{}",
        times.upload_bytes
    );

    renderer.set_heroes(&[]).expect("fewer fit");
    assert_eq!(renderer.counts().heroes, 0);
    let times = renderer.draw(&gpu, &view, (128, 96), &looking(2.0));
    let without = throng::gpu::read_texture_rgba8(&gpu, &texture).expect("readback");
    assert!(times.upload_bytes < 1024, "{}", times.upload_bytes);
    let before = gpu.uploads.by_purpose();
    renderer.ask_pick(throng::view::Ray {
        origin: Vec3::new(0.0, 1.0, 20.0),
        direction: Vec3::NEG_Z,
    });
    let asked: u64 = gpu.uploads.since(&before).values().sum();
    assert!(asked > 65_536, "the upload of a query is not counted: {asked}");
    let changed = with.chunks(4).zip(without.chunks(4)).filter(|(a, b)| a != b).count();
    assert!(changed > 200, "{changed} pixels");
    assert!(gpu.take_error().is_none());
}

#[test]
fn later_hero_entries_select_people_not_yet_selected() {
    let scene = scene_of(
        "\"man\"",
        3000,
        "[[scene.heroes]]\ncount = 1000\n[[scene.heroes]]\ncount = 1000\n[[scene.heroes]]\ncount = 100\n",
    );
    assert_eq!(scene.heroes.len(), 2100);
}

#[test]
fn heroes_that_do_not_fit_keep_the_previous_scene() {
    let Some(mut gpu) = common::gpu::open() else { return };
    // Room for everything but the next heroes. A renderer keeps the limits with which it was made.
    gpu.limits.max_storage_buffer_binding_size = 1_200_000;
    let cast = "\"man\", \"knight\"";
    let before = scene_of(cast, 100, "");
    let mut renderer = renderer(&gpu, &before, Technique::Matrix);
    let state = |renderer: &mut Renderer, gpu: &Gpu| {
        let texture = target(gpu);
        renderer.draw(
            gpu,
            &throng::gpu::whole_view(&texture, "picture"),
            (128, 96),
            &looking(2.0),
        );
        let picture = throng::gpu::read_texture_rgba8(gpu, &texture).expect("readback");
        (renderer.counts(), picture)
    };
    let (counts, picture) = state(&mut renderer, &gpu);
    // Heroes are the last and the largest allocation.
    let after = scene_of(cast, 3000, &"[[scene.heroes]]\ncount = 1000\n".repeat(3));
    let options = renderer.options();
    // The man fits, the knights do not.
    let heroes: Vec<_> = (0..1500).map(|i| Hero::new(usize::from(i > 0), i, 0.0, 0.0)).collect();
    for number in 0..4 {
        let refused = match number {
            0 => renderer.set_scene(&after),
            1 => renderer.set_crowd(&after),
            2 => renderer.set_technique(&after, options),
            _ => renderer.set_heroes(&heroes),
        };
        assert!(refused.is_err(), "{number} found room");
        let (now, shown) = state(&mut renderer, &gpu);
        assert_eq!(now, counts, "{number}");
        assert!(shown == picture, "{number}: pictures differ");
    }
    assert!(gpu.take_error().is_none());
}

#[test]
fn other_techniques_draw_no_heroes() {
    let Some(gpu) = common::gpu::open() else { return };
    let scene = scene("[[scene.heroes]]\ncount = 5\n");
    for technique in [
        Technique::Vertex,
        Technique::Static,
        Technique::Live,
        Technique::Textbook,
        Technique::Preskinned,
    ] {
        let mut renderer = renderer(&gpu, &scene, technique);
        assert_eq!(renderer.counts().heroes, 0, "{technique:?}");
        let view = throng::gpu::whole_view(&target(&gpu), "picture");
        renderer.draw(&gpu, &view, (128, 96), &looking(2.0));
        assert!(gpu.take_error().is_none(), "{technique:?}");
    }
}

fn target(gpu: &Gpu) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d {
            width: 128,
            height: 96,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8UnormSrgb,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

fn looking(seconds: f64) -> FrameInput {
    let camera = throng::view::Camera {
        eye: Vec3::new(0.0, 4.0, 14.0),
        target: Vec3::Y,
        fov: 0.8,
    };
    let usual = common::gpu::frame(seconds);
    FrameInput::new(&camera, 128.0 / 96.0, usual.clock, &usual.look)
}
