//! Annotations burnt into pictures that no window shows.

use egui::{Painter, RawInput, Rect, Vec2, ViewportId};

use crate::{
    app::gui_painter::{GuiPainter, GuiTarget},
    gpu::{Gpu, PICTURE_FORMAT},
};

/// Rows of a picture whose texts have the size of the panel's.
const USUAL_ROWS: f32 = 720.0;
/// Least and greatest size of texts, relative to the panel's.
const SCALES: [f32; 2] = [0.8, 4.0];

/// Painter of annotations into pictures.
pub(crate) struct Burner {
    context: egui::Context,
    painter: GuiPainter,
}

impl Burner {
    /// Painter into pictures of [`PICTURE_FORMAT`].
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            context: egui::Context::default(),
            painter: GuiPainter::new(gpu, PICTURE_FORMAT),
        }
    }

    /// Paints over a picture of `size` (px) that is drawn already, and submits it. `paint` gets the picture's rectangle
    /// (points). Texts grow with the picture.
    pub(crate) fn burn(
        &mut self,
        gpu: &Gpu,
        view: &wgpu::TextureView,
        size: (u32, u32),
        mut paint: impl FnMut(&Painter, Rect),
    ) {
        let pixels = (size.1 as f32 / USUAL_ROWS).clamp(SCALES[0], SCALES[1]);
        let frame = Rect::from_min_size(egui::Pos2::ZERO, Vec2::new(size.0 as f32, size.1 as f32) / pixels);
        let mut input = RawInput {
            screen_rect: Some(frame),
            ..RawInput::default()
        };
        let viewport = input.viewports.entry(ViewportId::ROOT).or_default();
        viewport.native_pixels_per_point = Some(pixels);
        let output = self.context.run_ui(input, |ui| paint(ui.painter(), frame));
        let layout = self.painter.tessellate(gpu, &self.context, output);
        let target = GuiTarget {
            view,
            size,
            clear: None,
        };
        self.painter.paint(gpu, &target, &layout);
    }
}
