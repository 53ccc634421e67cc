//! egui in the window: forwards events, lays out the panel and paints it over the picture.

use std::time::Instant;

use winit::{event::WindowEvent, window::Window};

use crate::{
    app::gui_painter::{GuiFrame, GuiPainter, GuiTarget},
    gpu::Gpu,
};

/// egui context, event translation and painter.
pub(crate) struct Gui {
    context: egui::Context,
    state: egui_winit::State,
    painter: GuiPainter,
    /// Time at which the panel needs another layout without an event, such as for animations.
    wakes: Option<Instant>,
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
            painter: GuiPainter::new(gpu, format),
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
        self.state
            .handle_platform_output(window, std::mem::take(&mut output.platform_output));
        self.painter.tessellate(gpu, &self.context, output)
    }

    /// Paints a layout over a picture and submits it.
    pub(crate) fn paint(&mut self, gpu: &Gpu, target: &GuiTarget<'_>, layout: &GuiFrame) {
        self.painter.paint(gpu, target, layout);
    }
}
