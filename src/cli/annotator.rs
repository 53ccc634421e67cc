//! Annotations of trajectories in pictures of `throng shot` and `throng film`.

use crate::{
    app::{Annotations, Burner, PictureView},
    config::Config,
    gpu::Gpu,
    render::FrameInput,
    scene::Scene,
};

/// Painter of annotations; opened for the first picture that has any.
#[derive(Default)]
pub(super) struct Annotator {
    burner: Option<Burner>,
}

/// Picture that is drawn already.
#[derive(Clone, Copy)]
pub(super) struct DrawnPicture<'a> {
    /// View of its texture.
    pub view: &'a wgpu::TextureView,
    /// Width and height (px).
    pub size: (u32, u32),
    /// Input that it was drawn with.
    pub input: &'a FrameInput,
}

impl Annotator {
    /// Paints the annotations that settings ask for over a picture.
    pub(super) fn paint(&mut self, gpu: &Gpu, scene: &Scene, config: &Config, picture: DrawnPicture<'_>) {
        let annotations = Annotations {
            scene,
            config: &config.scene.trajectories,
            view: &PictureView::of(picture.input, picture.size),
            time: picture.input.clock.to_seconds(),
        };
        if annotations.any() {
            let burner = self.burner.get_or_insert_with(|| Burner::new(gpu));
            burner.burn(gpu, picture.view, picture.size, |painter, frame| {
                annotations.paint(painter, frame);
            });
        }
    }
}
