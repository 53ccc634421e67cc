//! egui's shapes as triangles, and their painting over a picture.

use egui::epaint::Primitive;
use egui_wgpu::{Renderer, RendererOptions, ScreenDescriptor};

use crate::gpu::{Gpu, encoder};

/// Painter of egui's output into pictures of one format.
pub(super) struct GuiPainter {
    renderer: Renderer,
}

/// Layout of one frame, ready to paint.
pub(crate) struct GuiFrame {
    triangles: Vec<egui::ClippedPrimitive>,
    freed: Vec<egui::TextureId>,
    pixels_per_point: f32,
}

impl GuiFrame {
    /// Physical pixels per egui point.
    #[must_use]
    pub(crate) fn pixels_per_point(&self) -> f32 {
        self.pixels_per_point
    }

    /// Bytes of vertices and indices that painting uploads; 16 more if the picture's size has changed.
    fn bytes(&self) -> u64 {
        let meshes = self.triangles.iter().filter_map(|clipped| match &clipped.primitive {
            Primitive::Mesh(mesh) => Some(mesh),
            Primitive::Callback(_) => None,
        });
        let bytes = meshes.map(|mesh| size_of_val(&mesh.vertices[..]) + size_of_val(&mesh.indices[..]));
        bytes.sum::<usize>() as u64
    }
}

/// Picture that egui's output is painted into.
#[derive(Clone, Copy)]
pub(super) struct GuiTarget<'a> {
    /// View of the picture.
    pub view: &'a wgpu::TextureView,
    /// Width and height (px).
    pub size: (u32, u32),
    /// Colour of the picture before; none keeps what it holds.
    pub clear: Option<wgpu::Color>,
}

impl GuiPainter {
    /// Painter into pictures of a format.
    pub(super) fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        Self {
            renderer: Renderer::new(&gpu.device, format, RendererOptions::default()),
        }
    }

    /// Triangles of a pass of `context`; uploads new glyphs.
    pub(super) fn tessellate(&mut self, gpu: &Gpu, context: &egui::Context, mut output: egui::FullOutput) -> GuiFrame {
        for (id, deltas) in output.textures_delta.set.drain() {
            for delta in deltas {
                let texels: usize = delta.image.size().iter().product();
                let bytes = texels * delta.image.bytes_per_pixel();
                gpu.uploads.add("panel textures", bytes as u64);
                self.renderer.update_texture(&gpu.device, &gpu.queue, id, &delta);
            }
        }
        GuiFrame {
            triangles: context.tessellate(output.shapes, output.pixels_per_point),
            freed: output.textures_delta.free.drain().collect(),
            pixels_per_point: output.pixels_per_point,
        }
    }

    /// Paints a layout over a picture and submits it.
    pub(super) fn paint(&mut self, gpu: &Gpu, target: &GuiTarget<'_>, layout: &GuiFrame) {
        let screen = ScreenDescriptor {
            size_in_pixels: target.size.into(),
            pixels_per_point: layout.pixels_per_point,
        };
        let mut encoder = encoder(gpu, "panel");
        gpu.uploads.add("panel", layout.bytes());
        let before = self
            .renderer
            .update_buffers(&gpu.device, &gpu.queue, &mut encoder, &layout.triangles, &screen);
        let mut pass = panel_pass(&mut encoder, target).forget_lifetime();
        self.renderer.render(&mut pass, &layout.triangles, &screen);
        drop(pass);
        gpu.queue.submit(before.into_iter().chain([encoder.finish()]));
        for id in &layout.freed {
            self.renderer.free_texture(id);
        }
    }
}

fn panel_pass<'a>(encoder: &'a mut wgpu::CommandEncoder, target: &GuiTarget<'_>) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("panel"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: target.view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: target.clear.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear),
                store: wgpu::StoreOp::Store,
            },
        })],
        ..Default::default()
    })
}
