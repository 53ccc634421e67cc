//! Host of the examples of actors: a device, targets, and blocks on a plain of its own, which the crowd is drawn into.

use glam::{Mat4, Vec3, camera::rh};
use throng::{
    crowd::{
        Clock,
        tints::{self, Ramps},
    },
    gpu::{Gpu, buffer_with, encoder, read_texture_rgba8, target_texture, whole_view},
    render::{CrowdOptions, CrowdRenderer, DepthTarget, Targets, View},
};

/// Error of any kind.
pub type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
const SUN: Vec3 = Vec3::new(-0.56, 0.62, 0.56);

/// Shaded boxes without vertex buffers: 36 corners for each.
const BLOCKS: &str = "
struct Block { low: vec4<f32>, high: vec4<f32>, color: vec4<f32> }
@group(0) @binding(0) var<storage, read> blocks: array<Block>;
@group(0) @binding(1) var<uniform> projection_from_world: mat4x4<f32>;
struct Corner { @builtin(position) position: vec4<f32>, @location(0) @interpolate(flat) color: vec3<f32> }
@vertex fn vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) number: u32) -> Corner {
    let axis = index / 12u;
    let side = f32(index / 6u % 2u);
    let corners = array(vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(0.0, 1.0), vec2(0.0, 1.0), vec2(1.0, 0.0), vec2(1.0, 1.0));
    let corner = corners[index % 6u];
    var at = vec3(side, corner);
    if axis == 1u { at = vec3(corner.x, side, corner.y); }
    if axis == 2u { at = vec3(corner, side); }
    let block = blocks[number];
    let light = select(0.45, 1.0, axis == 1u) - select(0.12, 0.0, axis != 0u || side == 0.0);
    return Corner(projection_from_world * vec4(mix(block.low.xyz, block.high.xyz, at), 1.0), block.color.rgb * light);
}
@fragment fn fragment(in: Corner) -> @location(0) vec4<f32> { return vec4(in.color, 1.0); }";

/// Box of the host's own scene.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Block {
    low: [f32; 4],
    high: [f32; 4],
    color: [f32; 4],
}

impl Block {
    /// Box between two corners (m), of a linear colour.
    pub fn new([x, y, z]: [f32; 3], [to_x, to_y, to_z]: [f32; 3], [r, g, b]: [f32; 3]) -> Self {
        Self {
            low: [x, y, z, 0.0],
            high: [to_x, to_y, to_z, 0.0],
            color: [r, g, b, 1.0],
        }
    }
}

/// Camera of a picture, somewhere, looking at something (m).
#[derive(Clone, Copy)]
pub struct Look {
    pub eye: Vec3,
    pub target: Vec3,
}

/// Device and targets of the host.
pub struct Host {
    pub gpu: Gpu,
    size: (u32, u32),
    color: wgpu::Texture,
    depth: wgpu::TextureView,
    blocks: wgpu::Buffer,
    pipeline: wgpu::RenderPipeline,
}

impl Host {
    /// Opens a device for pictures of `size` pixels.
    pub fn open(size: (u32, u32), blocks: &[Block]) -> Result<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = pollster::block_on(instance.request_adapter(&Default::default()))?;
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("host"),
            required_features: Gpu::features(&adapter),
            required_limits: Gpu::required_limits(),
            ..Default::default()
        }))?;
        let gpu = Gpu::from_device(device, queue);
        let color = target_texture(&gpu, "color", size, COLOR, 1, wgpu::TextureUsages::COPY_SRC);
        let depth = target_texture(&gpu, "depth", size, DEPTH, 1, wgpu::TextureUsages::empty());
        Ok(Self {
            depth: whole_view(&depth, "depth"),
            blocks: buffer_with(
                &gpu,
                "blocks",
                bytemuck::cast_slice(blocks),
                wgpu::BufferUsages::STORAGE,
            ),
            pipeline: pipeline(&gpu.device),
            gpu,
            size,
            color,
        })
    }

    /// Empty crowd for the host's targets, with shadows.
    pub fn crowd(&self) -> Result<CrowdRenderer> {
        let targets = Targets {
            color: COLOR,
            depth: DepthTarget::reversed(DEPTH),
            samples: 1,
        };
        let options = CrowdOptions {
            shadow_size: 1024,
            ..CrowdOptions::default()
        };
        Ok(CrowdRenderer::with_options(&self.gpu, targets, options)?)
    }

    /// View of a camera in a picture of `size` pixels.
    pub fn view(&self, look: Look, size: (u32, u32)) -> View {
        let aspect = size.0 as f32 / size.1 as f32;
        let projection = rh::proj::directx::perspective_infinite_reverse(0.7, aspect, 0.1);
        let camera: Mat4 = projection * rh::view::look_at_mat4(look.eye, look.target, Vec3::Y);
        let mut view = View {
            size: Some(size),
            shadow_focus: Some(look.target),
            ..View::new(camera, look.eye)
        };
        view.light.sun.direction = SUN.normalize();
        view
    }

    /// Pass on cleared targets.
    pub fn pass<'a>(&self, encoder: &'a mut wgpu::CommandEncoder) -> wgpu::RenderPass<'a> {
        let sky = wgpu::Color {
            r: 0.35,
            g: 0.52,
            b: 0.75,
            a: 1.0,
        };
        self.pass_with(encoder, wgpu::LoadOp::Clear(sky))
    }

    /// Pass over the colours drawn before, with cleared depth.
    pub fn pass_over<'a>(&self, encoder: &'a mut wgpu::CommandEncoder) -> wgpu::RenderPass<'a> {
        self.pass_with(encoder, wgpu::LoadOp::Load)
    }

    fn pass_with<'a>(
        &self,
        encoder: &'a mut wgpu::CommandEncoder,
        load: wgpu::LoadOp<wgpu::Color>,
    ) -> wgpu::RenderPass<'a> {
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("host"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &whole_view(&self.color, "color"),
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load,
                    store: wgpu::StoreOp::Store,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        })
    }

    /// Draws the host's own scene.
    pub fn draw_blocks(&self, pass: &mut wgpu::RenderPass<'_>, view: &View) {
        let camera = buffer_with(
            &self.gpu,
            "camera",
            bytemuck::bytes_of(&view.projection_from_world),
            wgpu::BufferUsages::UNIFORM,
        );
        let entry = |binding, buffer: &'_ wgpu::Buffer| (binding, buffer.clone());
        let buffers = [entry(0, &self.blocks), entry(1, &camera)];
        let entries = buffers.each_ref().map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding: *binding,
            resource: buffer.as_entire_binding(),
        });
        let group = self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("blocks"),
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..36, 0..(self.blocks.size() / size_of::<Block>() as u64) as u32);
    }

    /// Draws blocks and crowd at a time; returns the bytes that the crowd sent to the GPU.
    pub fn draw(&self, crowd: &mut CrowdRenderer, look: Look, time: Clock) -> u64 {
        let view = self.view(look, self.size);
        let mut encoder = encoder(&self.gpu, "frame");
        let sent = crowd.prepare(&mut encoder, &view, time);
        let mut pass = self.pass(&mut encoder);
        self.draw_blocks(&mut pass, &view);
        crowd.draw(&mut pass);
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
        sent
    }

    /// Pixels drawn last: RGBA8, rows top to bottom.
    pub fn pixels(&self) -> Result<Vec<u8>> {
        Ok(read_texture_rgba8(&self.gpu, &self.color)?)
    }

    /// Saves pictures of the host's size below each other.
    pub fn save(&self, path: &str, pictures: &[Vec<u8>]) -> Result<()> {
        let height = self.size.1 * pictures.len() as u32;
        image::save_buffer(path, &pictures.concat(), self.size.0, height, image::ColorType::Rgba8)?;
        Ok(())
    }
}

fn pipeline(device: &wgpu::Device) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("blocks"),
        source: wgpu::ShaderSource::Wgsl(BLOCKS.into()),
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("blocks"),
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
            depth_compare: Some(wgpu::CompareFunction::Greater),
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

/// Colours of skin, hair and clothes, for four indices of each person; the last one of each table is `last`.
pub fn colors(last: &str) -> Ramps {
    let color = |text: &str| tints::parse_hex(text).unwrap_or_default();
    let ramp = |colors: &[&str]| {
        let mut ramp = std::array::from_fn(|number| color(colors[number % colors.len()]));
        ramp[tints::RAMP_LEN - 1] = color(last);
        ramp
    };
    Ramps {
        colours: [
            ramp(&tints::SKIN),
            ramp(&tints::HAIR),
            ramp(&tints::CLOTH),
            ramp(&tints::TRIM),
        ],
    }
}

/// Value of an option of the command line.
pub fn option(name: &str) -> Option<String> {
    let arguments: Vec<String> = std::env::args().collect();
    arguments.get(arguments.iter().position(|a| a == name)? + 1).cloned()
}
