//! Pictures in file format from a renderer whose frames go elsewhere, such as to a window.

use crate::{
    gpu::{Gpu, GpuError, PICTURE_FORMAT},
    render::{FrameInput, RenderOptions, Renderer, renderer::display::Display},
};

impl Renderer {
    /// Draws one frame into `view` of `size` pixels in [`PICTURE_FORMAT`], whatever the format of other frames, and
    /// submits it. The pixels equal those of a renderer made for pictures.
    ///
    /// # Errors
    /// [`GpuError::Shader`]; [`GpuError::Memory`].
    pub fn draw_picture(
        &mut self,
        gpu: &Gpu,
        view: &wgpu::TextureView,
        size: (u32, u32),
        input: &FrameInput,
    ) -> Result<(), GpuError> {
        self.prepare(gpu, size)?;
        if self.options.target == PICTURE_FORMAT {
            self.draw(gpu, view, size, input);
            return Ok(());
        }
        let context = self.crowd.context();
        let of_pictures = match self.picture_display.take() {
            Some(display) => display,
            None => Display::new(
                context,
                RenderOptions {
                    target: PICTURE_FORMAT,
                    ..self.options
                },
                self.background_compute.is_some(),
            )?,
        };
        let of_frames = self.replace_display(gpu, of_pictures);
        self.draw(gpu, view, size, input);
        self.picture_display = Some(self.replace_display(gpu, of_frames));
        Ok(())
    }

    /// Exchanges the display passes; the targets stay.
    fn replace_display(&mut self, gpu: &Gpu, display: Display) -> Display {
        let before = std::mem::replace(&mut self.display, display);
        if let Some((targets, bind)) = &mut self.targets {
            *bind = self.display.bind(gpu, targets);
        }
        before
    }
}
