//! Embeds a throng crowd in the window of another program with its own device, surface, depth buffer and frame loop.
//!
//! cargo run --example embed_window

use std::{error::Error, sync::Arc, time::Instant};

use glam::{Mat4, Vec3, camera::rh};
use throng::{
    Character,
    crowd::{Clock, Instance},
    gpu::{Gpu, target_texture, whole_view},
    render::{CrowdRenderer, DepthTarget, Targets, View},
};
use winit::{
    application::ApplicationHandler,
    event::WindowEvent,
    event_loop::{ActiveEventLoop, EventLoop},
    window::{Window, WindowAttributes, WindowId},
};

const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// People per side of the square.
const SIDE: u32 = 20;

/// Resources of the host.
struct Host {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    gpu: Gpu,
    depth: wgpu::TextureView,
    crowd: CrowdRenderer,
    begun: Instant,
}

impl Host {
    fn open(window: Arc<Window>) -> Result<Self, Box<dyn Error>> {
        let display = Box::new(window.clone());
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_with_display_handle(display));
        let surface = instance.create_surface(window.clone())?;
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions {
            compatible_surface: Some(&surface),
            ..Default::default()
        }))?;
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("host"),
            required_features: Gpu::features(&adapter),
            required_limits: Gpu::required_limits(),
            ..Default::default()
        }))?;
        let size = window.inner_size();
        let mut config = surface
            .get_default_config(&adapter, size.width.max(1), size.height.max(1))
            .ok_or("the adapter cannot draw into this window")?;
        // The crowd's output is linear radiance: an sRGB format encodes it.
        let formats = surface.get_capabilities(&adapter).formats;
        config.format = formats.into_iter().find(|f| f.is_srgb()).unwrap_or(config.format);
        surface.configure(&device, &config);
        let gpu = Gpu::from_device(device, queue);
        let targets = Targets {
            color: config.format,
            depth: DepthTarget::reversed(DEPTH),
            samples: 1,
        };
        let mut crowd = CrowdRenderer::new(&gpu, targets)?;
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/woman.glb");
        let woman = crowd.add_character(Character::open(path)?)?;
        crowd.set_instances(woman, &square())?;
        Ok(Self {
            depth: depth(&gpu, &config),
            begun: Instant::now(),
            window,
            surface,
            config,
            gpu,
            crowd,
        })
    }

    fn resize(&mut self, width: u32, height: u32) {
        (self.config.width, self.config.height) = (width.max(1), height.max(1));
        self.surface.configure(&self.gpu.device, &self.config);
        self.depth = depth(&self.gpu, &self.config);
    }

    fn draw(&mut self) {
        let wgpu::CurrentSurfaceTexture::Success(frame) = self.surface.get_current_texture() else {
            return self.resize(self.config.width, self.config.height);
        };
        let seconds = self.begun.elapsed().as_secs_f64();
        let turn = seconds as f32 * 0.2;
        let eye = Vec3::new(turn.sin() * 22.0, 7.0, turn.cos() * 22.0);
        let aspect = self.config.width as f32 / self.config.height as f32;
        let projection: Mat4 = rh::proj::directx::perspective_infinite_reverse(0.8, aspect, 0.1);
        let view = View::new(projection * rh::view::look_at_mat4(eye, Vec3::Y, Vec3::Y), eye);

        let mut encoder = throng::gpu::encoder(&self.gpu, "frame");
        self.crowd.prepare(&mut encoder, &view, Clock::from_seconds(seconds));
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("host"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &whole_view(&frame.texture, "window"),
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        self.crowd.draw(&mut pass);
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
        self.window.pre_present_notify();
        self.gpu.queue.present(frame);
        self.window.request_redraw();
    }
}

fn square() -> Vec<Instance> {
    let middle = (SIDE - 1) as f32 / 2.0;
    let person = |i: u32| {
        let (x, z) = ((i % SIDE) as f32 - middle, (i / SIDE) as f32 - middle);
        let share = (i * 37 % 101) as f32 / 101.0;
        Instance::new(Vec3::new(x * 1.2, 0.0, z * 1.2)).with_clip((i % 5) as u16, 1.0, share)
    };
    (0..SIDE * SIDE).map(person).collect()
}

fn depth(gpu: &Gpu, config: &wgpu::SurfaceConfiguration) -> wgpu::TextureView {
    let (size, usage) = ((config.width, config.height), wgpu::TextureUsages::empty());
    whole_view(&target_texture(gpu, "depth", size, DEPTH, 1, usage), "depth")
}

#[derive(Default)]
struct App {
    host: Option<Host>,
    failure: Option<Box<dyn Error>>,
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let window = event_loop.create_window(WindowAttributes::default().with_title("a crowd in a host's window"));
        let opened = window
            .map_err(Into::into)
            .and_then(|window| Host::open(Arc::new(window)));
        match opened {
            Ok(host) => self.host = Some(host),
            Err(error) => {
                self.failure = Some(error);
                event_loop.exit();
            }
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(host) = &mut self.host else { return };
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(size) => host.resize(size.width, size.height),
            WindowEvent::RedrawRequested => host.draw(),
            _ => {}
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut app = App::default();
    EventLoop::new()?.run_app(&mut app)?;
    app.failure.map_or(Ok(()), Err)
}
