//! Adapters and small scenes for tests that draw.

use std::sync::{Arc, LazyLock};

use throng::{
    atlas::AtlasFormat,
    bake::{BakeOptions, FramePair},
    character::Character,
    config::{LookConfig, Technique},
    crowd::{Instance, MotionPlan, clock::Clock, hash::Draws},
    gpu::{
        Gpu, GpuError, PICTURE_FORMAT, PICTURE_USAGES, adapter::AdapterChoice, read_texture, read_texture_rgba8,
        target_texture, whole_view,
    },
    model::Model,
    render::{
        DrawMethod, FrameInput, RenderOptions, Renderer,
        passes::Probe,
        resources::{AtlasSource, CharacterAssets, CrowdInstances, TintTexture},
    },
    scene::Scene,
    view::Camera,
};

use super::skip::{Need, skip};

/// Default technique, format and source of the window.
pub const USUAL: (Technique, AtlasFormat, AtlasSource) = (Technique::Matrix, AtlasFormat::F16, AtlasSource::Storage);

/// Default draw method of the window.
pub const MATRIX: DrawMethod = DrawMethod::new(USUAL.0, USUAL.1, USUAL.2);

/// Makes a renderer for a scene.
pub fn renderer(gpu: &Gpu, scene: &Scene, options: RenderOptions) -> Renderer {
    let mut renderer = Renderer::new(gpu, options).expect("compiles");
    renderer.set_scene(scene).expect("fits");
    renderer
}

/// Draws a picture of the renderer's scene, RGBA8.
pub fn picture(gpu: &Gpu, renderer: &mut Renderer, size: (u32, u32), input: &FrameInput) -> Vec<u8> {
    let texture = target_texture(gpu, "picture", size, PICTURE_FORMAT, 1, PICTURE_USAGES);
    renderer.draw(gpu, &whole_view(&texture, "picture"), size, input);
    let pixels = read_texture_rgba8(gpu, &texture).expect("readback");
    renderer.finished_gpu_ms();
    assert_eq!(gpu.take_error(), None);
    pixels
}

/// Value of `--adapter` in tests: that of `THRONG_TEST_ADAPTER`, else a CPU rasteriser where there is one.
pub fn adapter() -> &'static str {
    static NAME: LazyLock<String> = LazyLock::new(|| {
        let first = |_| match Gpu::headless(&AdapterChoice::Cpu) {
            Ok(_) => "cpu".to_owned(),
            Err(_) => "auto".to_owned(),
        };
        std::env::var("THRONG_TEST_ADAPTER").unwrap_or_else(first)
    });
    &NAME
}

/// The choice of [`adapter`] for code that opens an adapter itself.
pub fn choice() -> AdapterChoice {
    adapter().parse().unwrap_or_default()
}

/// Device of the test's own; a skip without an adapter. An adapter that exists and cannot be opened is a failure.
///
/// Tests share no device: a CPU rasterizer compiles and draws for one device on one thread, and keeps every shader that
/// it has compiled as long as the device lives.
pub fn open() -> Option<Gpu> {
    match Gpu::headless(&choice()) {
        Ok(gpu) => {
            eprintln!("adapter: {}", gpu.facts.summary());
            Some(gpu)
        }
        Err(error @ (GpuError::NoAdapter | GpuError::NoSuchAdapter { .. })) => {
            skip(Need::Adapter, &error.to_string());
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Bakes a model at the default rate.
pub fn bake(model: Model) -> Arc<Character> {
    Arc::new(Character::bake(model, &BakeOptions::default()).expect("samples fit an atlas"))
}

/// Uploads a character, with the probe that reads back its vertices as drawn.
pub fn upload(
    gpu: &Gpu,
    character: &Character,
    (technique, format, source): (Technique, AtlasFormat, AtlasSource),
) -> (CharacterAssets, Probe) {
    let assets =
        CharacterAssets::upload(gpu, character, DrawMethod::new(technique, format, source)).expect("fits the device");
    let probe = Probe::new(gpu, &assets).expect("shaders compile");
    (assets, probe)
}

/// Uploads a crowd of a character; its colours do not matter.
pub fn upload_crowd(
    gpu: &Gpu,
    (assets, probe): (&CharacterAssets, &Probe),
    instances: &[Instance],
    plan: &MotionPlan,
) -> CrowdInstances {
    let tints = TintTexture::new(gpu);
    CrowdInstances::upload(probe.context(), assets, instances, plan, &tints).expect("fits the device")
}

/// Frame at `seconds` whose camera does not matter.
pub fn frame(seconds: f64) -> FrameInput {
    let camera = Camera {
        eye: glam::Vec3::Z,
        target: glam::Vec3::ZERO,
        fov: 1.0,
    };
    FrameInput::new(&camera, 1.0, Clock::from_seconds(seconds), &LookConfig::default())
}

/// Rounds a fraction as the GPU stores it: in 1/65535.
pub fn stored(fraction: f32) -> f32 {
    (fraction * 65535.0).round() / 65535.0
}

/// Two random neighbouring frames of a random clip, from draws `stream` and `stream + 1`.
pub fn random_pair(character: &Character, draws: &Draws, stream: u32) -> FramePair {
    let clips = &character.palettes.clips;
    let clip = &clips[draws.below(stream, clips.len() as u32) as usize];
    let pair = clip.pair_at(draws.unit(stream + 1));
    FramePair {
        between: stored(pair.between),
        ..pair
    }
}

/// Render pass of a host on two views. With `far` it clears colour, and depth to `far`; without, it loads both.
pub fn host_pass<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    color: &wgpu::TextureView,
    depth: &wgpu::TextureView,
    far: Option<f32>,
) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("host"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: color,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: far.map_or(wgpu::LoadOp::Load, |_| wgpu::LoadOp::default()),
                store: wgpu::StoreOp::Store,
            },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: depth,
            depth_ops: Some(wgpu::Operations {
                load: far.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        }),
        ..Default::default()
    })
}

/// Texels that `draw` draws in a host's pass with reversed depth; the encoder is submitted.
pub fn host_picture(
    gpu: &Gpu,
    size: (u32, u32),
    format: wgpu::TextureFormat,
    mut encoder: wgpu::CommandEncoder,
    draw: impl FnOnce(&mut wgpu::RenderPass<'_>),
) -> Vec<u8> {
    let depth_format = wgpu::TextureFormat::Depth32Float;
    let color = target_texture(gpu, "color", size, format, 1, wgpu::TextureUsages::COPY_SRC);
    let depth = target_texture(gpu, "depth", size, depth_format, 1, wgpu::TextureUsages::empty());
    let (color_view, depth) = (whole_view(&color, "color"), whole_view(&depth, "depth"));
    let mut pass = host_pass(&mut encoder, &color_view, &depth, Some(0.0));
    draw(&mut pass);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    let texels = read_texture(gpu, &color).expect("readback");
    assert_eq!(gpu.take_error(), None);
    texels
}
