//! Pictures of one character, with light and view chosen by the test.

use std::sync::Arc;

use glam::Vec3;
use throng::{
    atlas::AtlasFormat,
    bake::BakeOptions,
    character::Character,
    config::{Config, Raster, Technique},
    crowd::{Instance, clock::Clock},
    file::{Glb, gltf},
    gpu::{Gpu, read_texture_rgba8},
    model::Model,
    render::{DrawMethod, DrawPath, FrameInput, RenderOptions, Renderer, resources::AtlasSource},
    scene::Scene,
    view::Camera,
};

pub const EDGE: u32 = 96;

/// Light, camera and technique of a picture.
#[derive(Clone, Copy)]
pub struct View {
    /// Azimuth of the sun, clockwise from -Z seen from above (degrees): 180 shines on the square's face, 90 from its
    /// right.
    pub azimuth: f32,
    pub elevation: f32,
    pub technique: Technique,
    pub seconds: f64,
    /// Position of the eye (m).
    pub eye: Vec3,
    pub shadows: bool,
}

pub const FRONT: View = View {
    azimuth: 180.0,
    elevation: 20.0,
    technique: Technique::Matrix,
    seconds: 0.0,
    eye: Vec3::new(0.0, 1.0, 1.9),
    shadows: false,
};

/// Writes the model to a file and reads it back, which computes tangents on the way.
pub fn through_a_file(model: &Model) -> Model {
    gltf::load_bytes("quad.glb", &Glb::new(model).finish().expect("fits"), None).expect("loads")
}

/// Approximate linear luminance of every pixel, rows top to bottom; the square fills the picture.
pub fn picture(gpu: &Gpu, model: &Model, view: View) -> Vec<f32> {
    let model = through_a_file(model);
    let pixels = pixels(gpu, &model, view);
    if let Some(folder) = std::env::var_os("THRONG_PICTURES") {
        let name = format!("{}-{:?}-{}.png", model.name, view.technique, view.azimuth);
        image::save_buffer(
            std::path::Path::new(&folder).join(name),
            &pixels,
            EDGE,
            EDGE,
            image::ColorType::Rgba8,
        )
        .expect("written");
    }
    let light = |p: &[u8]| (0.2126 * f32::from(p[0]) + 0.7152 * f32::from(p[1]) + 0.0722 * f32::from(p[2])) / 255.0;
    pixels.chunks_exact(4).map(light).collect()
}

/// Draws the picture, RGBA8.
pub fn pixels(gpu: &Gpu, model: &Model, view: View) -> Vec<u8> {
    let character = Character::bake(model.clone(), &BakeOptions::default()).expect("bakes");
    let mut config = Config::default();
    config.scene.count = 1;
    let mut scene = Scene::populate(&config, vec![Arc::new(character)]).expect("populates");
    scene.crowd.per_character[0] = vec![Instance::new(Vec3::ZERO)];
    scene.tint_strength = 0.0;
    let method = DrawMethod::new(view.technique, AtlasFormat::F32, AtlasSource::Storage);
    let options = RenderOptions::of(method);
    let mut renderer = super::gpu::renderer(gpu, &scene, options);
    let target = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d {
            width: EDGE,
            height: EDGE,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: options.target,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let camera = Camera {
        eye: view.eye,
        target: Vec3::Y,
        fov: 0.9,
    };
    let mut look = config.look.clone();
    (look.sun_azimuth, look.sun_elevation, look.shadows) = (view.azimuth, view.elevation, view.shadows);
    // Keep all but highlights away from white.
    look.exposure = -1.5;
    let input = FrameInput::new(&camera, 1.0, Clock::from_seconds(view.seconds), &look);
    renderer.draw(gpu, &throng::gpu::whole_view(&target, "picture"), (EDGE, EDGE), &input);
    gpu.wait_idle();
    assert_eq!(gpu.take_error(), None);
    read_texture_rgba8(gpu, &target).expect("readback")
}

/// Mean over a part of the picture, given in shares of width and height.
pub fn mean(picture: &[f32], x: std::ops::Range<f32>, y: std::ops::Range<f32>) -> f32 {
    let at = |share: f32| (share * EDGE as f32) as u32;
    let mut sum = 0.0;
    let mut count = 0;
    for row in at(y.start)..at(y.end) {
        for column in at(x.start)..at(x.end) {
            sum += picture[(row * EDGE + column) as usize];
            count += 1;
        }
    }
    sum / count as f32
}

pub fn whole(picture: &[f32]) -> f32 {
    mean(picture, 0.1..0.9, 0.1..0.9)
}
