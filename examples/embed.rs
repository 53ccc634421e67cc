//! Embeds a throng crowd in another renderer: a program with its own device, triangle and depth buffer draws both into
//! one picture.
//!
//! cargo run --example embed -- -o embed.png --eye 6,2,7

use glam::{Vec3, camera::rh};
use throng::{
    Character,
    crowd::{Clock, Instance},
    gpu::{Gpu, buffer_with, encoder, read_texture_rgba8, target_texture, whole_view},
    render::{CrowdRenderer, DepthTarget, Targets, View},
};

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// Picture size (px).
pub const SIZE: (u32, u32) = (480, 360);
const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// The host's triangle: red, 3.2 m tall, standing on the ground across the z axis.
const TRIANGLE: &str = "@group(0) @binding(0) var<uniform> projection_from_world: mat4x4<f32>;
@vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    let corners = array(vec3(-2.0, 0.0, 0.0), vec3(2.0, 0.0, 0.0), vec3(0.0, 3.2, 0.0));
    return projection_from_world * vec4(corners[i], 1.0); }
@fragment fn fragment() -> @location(0) vec4<f32> { return vec4(0.7, 0.02, 0.02, 1.0); }";

#[allow(dead_code)]
fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| Some(arguments.get(arguments.iter().position(|a| a == name)? + 1)?.as_str());
    let eye = option("--eye").unwrap_or("3,2,8").split(',').map(str::parse);
    let [x, y, z] = eye.collect::<Result<Vec<f32>, _>>()?[..] else {
        return Err("--eye takes X,Y,Z in metres".into());
    };
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = pollster::block_on(instance.request_adapter(&Default::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        label: Some("host"),
        required_limits: Gpu::required_limits(),
        ..Default::default()
    }))?;
    let pixels = picture(&device, &queue, Vec3::new(x, y, z), &around())?;
    let path = option("-o").unwrap_or("embed.png");
    image::save_buffer(path, &pixels, SIZE.0, SIZE.1, image::ColorType::Rgba8)?;
    Ok(())
}

/// Makes a ring of people around the triangle, each at a different phase of their clip.
pub fn around() -> Vec<Instance> {
    let person = |i: u32| {
        let (share, angle) = (i as f32 / 24.0, i as f32 / 24.0 * std::f32::consts::TAU);
        let place = Vec3::new(angle.sin(), 0.0, angle.cos()) * (3.0 + (i % 3) as f32);
        Instance::new(place)
            .with_yaw_scale(angle + std::f32::consts::PI, 1.0)
            .with_clip(0, 1.0, share)
    };
    (0..24).map(person).collect()
}

/// Draws the triangle and `people` from `eye`; returns RGBA8, rows top to bottom.
pub fn picture(device: &wgpu::Device, queue: &wgpu::Queue, eye: Vec3, people: &[Instance]) -> Result<Vec<u8>> {
    let gpu = Gpu::from_device(device.clone(), queue.clone());
    let targets = Targets {
        color: COLOR,
        depth: DepthTarget::standard(DEPTH),
        samples: 1,
    };
    let mut crowd = CrowdRenderer::new(&gpu, targets)?;
    let man = crowd.add_character(Character::open(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/man.glb"))?)?;
    crowd.set_instances(man, people)?;
    let triangle = triangle(device);
    // Each frame has two steps: `prepare` before the render pass, `draw` in it.
    let projection = rh::proj::directx::perspective(0.8, SIZE.0 as f32 / SIZE.1 as f32, 0.1, 100.0);
    let camera = projection * rh::view::look_at_mat4(eye, Vec3::Y, Vec3::Y);
    let color = target_texture(&gpu, "color", SIZE, COLOR, 1, wgpu::TextureUsages::COPY_SRC);
    let depth = target_texture(&gpu, "depth", SIZE, DEPTH, 1, wgpu::TextureUsages::empty());
    let mut encoder = encoder(&gpu, "frame");
    crowd.prepare(&mut encoder, &View::new(camera, eye), Clock::from_seconds(0.5));
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("host"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &whole_view(&color, "color"),
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations::default(),
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &whole_view(&depth, "depth"),
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(1.0),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        }),
        ..Default::default()
    });
    let uniforms = buffer_with(&gpu, "camera", bytemuck::bytes_of(&camera), wgpu::BufferUsages::UNIFORM);
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("triangle"),
        layout: &triangle.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: uniforms.as_entire_binding(),
        }],
    });
    pass.set_pipeline(&triangle);
    pass.set_bind_group(0, &group, &[]);
    pass.draw(0..3, 0..1);
    crowd.draw(&mut pass);
    drop(pass);
    queue.submit([encoder.finish()]);
    Ok(read_texture_rgba8(&gpu, &color)?)
}

fn triangle(device: &wgpu::Device) -> wgpu::RenderPipeline {
    let source = wgpu::ShaderSource::Wgsl(TRIANGLE.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("triangle"),
        source,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("triangle"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: Default::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            targets: &[Some(COLOR.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
