//! egui in the window: forwards events, lays out the panel and paints it over the picture.

use std::time::Instant;

use egui::epaint::Primitive;
use egui_wgpu::{Renderer, RendererOptions, ScreenDescriptor};
use winit::{event::WindowEvent, window::Window};

use crate::gpu::{Gpu, encoder};

/// egui context, event translation and painter.
pub(crate) struct Gui {
    context: egui::Context,
    state: egui_winit::State,
    painter: Renderer,
    /// Time at which the panel needs another layout without an event, such as for animations.
    wakes: Option<Instant>,
}

/// Panel laid out for one frame, ready to paint.
pub(crate) struct GuiFrame {
    triangles: Vec<egui::ClippedPrimitive>,
    freed: Vec<egui::TextureId>,
    pixels_per_point: f32,
}

impl GuiFrame {
    /// Scale of the panel: physical pixels per egui point.
    #[must_use]
    pub(crate) fn pixels_per_point(&self) -> f32 {
        self.pixels_per_point
    }

    /// Bytes of vertices and indices that painting uploads; 16 more if the window's size has changed.
    fn bytes(&self) -> u64 {
        let meshes = self.triangles.iter().filter_map(|clipped| match &clipped.primitive {
            Primitive::Mesh(mesh) => Some(mesh),
            Primitive::Callback(_) => None,
        });
        let bytes = meshes.map(|mesh| size_of_val(&mesh.vertices[..]) + size_of_val(&mesh.indices[..]));
        bytes.sum::<usize>() as u64
    }
}

/// Maximum duration of a click (s).
const LONGEST_CLICK: f64 = 10.0;

impl Gui {
    /// Gui of a window whose frames have `format`; `zoom` is the panel's scale relative to the system's.
    #[must_use]
    pub(crate) fn new(gpu: &Gpu, window: &Window, format: wgpu::TextureFormat, zoom: f32) -> Self {
        let context = egui::Context::default();
        context.set_zoom_factor(zoom);
        // A press is seen for as long as a frame takes, which can be seconds.
        context.options_mut(|options| options.input_options.max_click_duration = LONGEST_CLICK);
        crate::app::panel::widgets::style::apply(&context);
        let state = egui_winit::State::new(
            context.clone(),
            egui::ViewportId::ROOT,
            window,
            Some(window.scale_factor() as f32),
            window.theme(),
            Some(gpu.limits.max_texture_dimension_2d as usize),
        );
        Self {
            painter: Renderer::new(&gpu.device, format, RendererOptions::default()),
            context,
            state,
            wakes: None,
        }
    }

    /// True if the panel stays the same without an event.
    #[must_use]
    pub(crate) fn is_settled(&self) -> bool {
        self.wakes.is_none_or(|at| at > Instant::now())
    }

    /// Passes an event to egui.
    pub(crate) fn on_event(&mut self, window: &Window, event: &WindowEvent) {
        let _ = self.state.on_window_event(window, event);
    }

    /// True if a menu, card or similar covers a pixel. egui's own answer refers to the pointer position of the last
    /// frame, which is outdated when frames take long.
    #[must_use]
    pub(crate) fn covers(&self, pixel: [f32; 2]) -> bool {
        let pixels = self.context.pixels_per_point();
        let layer = self
            .context
            .layer_id_at(egui::pos2(pixel[0] / pixels, pixel[1] / pixels));
        layer.is_some_and(|layer| layer.order != egui::Order::Background)
    }

    /// True while a text field has the keyboard.
    #[must_use]
    pub(crate) fn is_typing(&self) -> bool {
        self.context.text_edit_focused()
    }

    /// Scale of the panel relative to the system's; Ctrl with + - 0 changes it.
    #[must_use]
    pub(crate) fn zoom(&self) -> f32 {
        self.context.zoom_factor()
    }

    /// True while the pointer drags a control of the panel.
    #[must_use]
    pub(crate) fn is_held(&self) -> bool {
        self.context.input(|input| input.pointer.any_down())
    }

    /// Copies text to the clipboard.
    pub(crate) fn copy(&mut self, text: String) {
        self.state.set_clipboard_text(text);
    }

    /// Lays out the panel with `build` and uploads new glyphs.
    pub(crate) fn lay_out(&mut self, gpu: &Gpu, window: &Window, build: impl FnMut(&mut egui::Ui)) -> GuiFrame {
        let input = self.state.take_egui_input(window);
        let mut output = self.context.run_ui(input, build);
        let root = output.viewport_output.get(&egui::ViewportId::ROOT);
        self.wakes = root.and_then(|root| Instant::now().checked_add(root.repaint_delay));
        self.state.handle_platform_output(window, output.platform_output);
        for (id, deltas) in output.textures_delta.set.drain() {
            for delta in deltas {
                let texels: usize = delta.image.size().iter().product();
                let bytes = texels * delta.image.bytes_per_pixel();
                gpu.uploads.add("panel textures", bytes as u64);
                self.painter.update_texture(&gpu.device, &gpu.queue, id, &delta);
            }
        }
        GuiFrame {
            triangles: self.context.tessellate(output.shapes, output.pixels_per_point),
            freed: output.textures_delta.free.drain().collect(),
            pixels_per_point: output.pixels_per_point,
        }
    }

    /// Paints a layout over `view` of `size` (px) and submits it.
    pub(crate) fn paint(
        &mut self,
        gpu: &Gpu,
        view: &wgpu::TextureView,
        size: (u32, u32),
        layout: &GuiFrame,
        clear: bool,
    ) {
        let screen = ScreenDescriptor {
            size_in_pixels: size.into(),
            pixels_per_point: layout.pixels_per_point,
        };
        let mut encoder = encoder(gpu, "panel");
        gpu.uploads.add("panel", layout.bytes());
        let before = self
            .painter
            .update_buffers(&gpu.device, &gpu.queue, &mut encoder, &layout.triangles, &screen);
        let mut pass = panel_pass(&mut encoder, view, clear).forget_lifetime();
        self.painter.render(&mut pass, &layout.triangles, &screen);
        drop(pass);
        gpu.queue.submit(before.into_iter().chain([encoder.finish()]));
        for id in &layout.freed {
            self.painter.free_texture(id);
        }
    }
}

fn panel_pass<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    view: &wgpu::TextureView,
    clear: bool,
) -> wgpu::RenderPass<'a> {
    let dusk = wgpu::Color {
        r: 0.09,
        g: 0.10,
        b: 0.12,
        a: 1.0,
    };
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("panel"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: if clear {
                    wgpu::LoadOp::Clear(dusk)
                } else {
                    wgpu::LoadOp::Load
                },
                store: wgpu::StoreOp::Store,
            },
        })],
        ..Default::default()
    })
}
