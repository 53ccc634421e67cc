//! A picture as files have it, from a renderer whose frames go elsewhere.

use crate::{
    gpu::{Gpu, GpuError, PICTURE_FORMAT},
    render::{FrameInput, Renderer, passes::tonemap::Tonemap},
};

impl Renderer {
    /// Draws one frame into `view` of `size` pixels and of [`PICTURE_FORMAT`], whatever the format of the other
    /// frames is, and submits it. The pixels are those of a renderer that was made for pictures.
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
        let (layouts, ..) = self.crowd.shared();
        let of_pictures = match self.picture_tonemap.take() {
            Some(tonemap) => tonemap,
            None => Tonemap::new(gpu, layouts, PICTURE_FORMAT)?,
        };
        let of_frames = self.replace_tonemap(gpu, of_pictures);
        self.draw(gpu, view, size, input);
        self.picture_tonemap = Some(self.replace_tonemap(gpu, of_frames));
        Ok(())
    }

    /// Another tone mapping reads the same frame.
    fn replace_tonemap(&mut self, gpu: &Gpu, tonemap: Tonemap) -> Tonemap {
        let before = std::mem::replace(&mut self.tonemap, tonemap);
        if let Some((targets, bind)) = &mut self.targets {
            *bind = self.tonemap.bind(gpu, targets.hdr());
        }
        before
    }
}
