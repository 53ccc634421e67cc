//! The picture without the panel, as written to files.

use crate::{
    app::{
        annotate::{Annotations, Burner},
        presenter::Presenter,
        state::{AppState, view::PictureView},
    },
    gpu::{GpuError, PICTURE_FORMAT, PICTURE_USAGES, PendingPicture, Staging, target_texture, whole_view},
    render::FrameInput,
};

impl Presenter {
    /// Draws the picture at the window's size and starts its readback; `None` before a scene is loaded.
    ///
    /// # Errors
    /// It does not fit in GPU memory beside the window's own targets.
    pub(in crate::app) fn picture(&mut self, state: &AppState) -> Result<Option<PendingPicture>, GpuError> {
        if self.scene.is_none() {
            return Ok(None);
        }
        let window = &state.config.window;
        let size = (window.width, window.height);
        let make = || target_texture(&self.gpu, "picture", size, PICTURE_FORMAT, 1, PICTURE_USAGES);
        let texture = self.gpu.ensure_memory("the picture", "make the window smaller", make)?;
        let view = whole_view(&texture, "picture");
        let input = state.picture_input();
        self.renderer.draw_picture(&self.gpu, &view, size, &input)?;
        self.annotate(state, (&view, size), &input);
        let picture = PendingPicture::copy(&self.gpu, &Staging::default(), &texture);
        // Its cost belongs to no frame of the window.
        self.exclude_from_times();
        Ok(Some(picture))
    }

    /// Paints annotations of trajectories over a picture.
    fn annotate(&mut self, state: &AppState, target: (&wgpu::TextureView, (u32, u32)), input: &FrameInput) {
        let Some(scene) = &self.scene else { return };
        let (view, size) = target;
        let annotations = Annotations {
            scene,
            config: &state.config.scene.trajectories,
            view: &PictureView::of(input, size),
            time: state.clock.seconds,
        };
        if annotations.any() {
            let burner = self.burner.get_or_insert_with(|| Burner::new(&self.gpu));
            burner.burn(&self.gpu, view, size, |painter, frame| {
                annotations.paint(painter, frame)
            });
        }
    }
}
