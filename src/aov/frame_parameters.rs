//! Camera and time of a picture.

use crate::{
    config::Config,
    crowd::clock::Clock,
    render::{Culling, FrameInput},
    scene::{Scene, SceneError},
    view::Camera,
};

/// Frame parameters of a picture.
#[derive(Clone, Debug)]
pub struct FrameParameters {
    /// Scene time (s).
    pub time: f64,
    /// Camera of the picture.
    pub camera: Camera,
    /// Input of the renderer.
    pub input: FrameInput,
}

impl FrameParameters {
    /// Makes frame parameters of the view that a configuration starts with, at a scene time (s).
    ///
    /// # Errors
    /// An unknown view.
    pub fn of(config: &Config, scene: &Scene, time: f64) -> Result<Self, SceneError> {
        let extent = scene.extent_at(time);
        let aspect = aspect(config);
        let camera = Camera::preset_at(&config.camera.start, time, &config.camera, &extent, aspect)?;
        Ok(Self::seen_by(config, camera, time))
    }

    /// Makes frame parameters with another camera than the scene's.
    #[must_use]
    pub fn seen_by(config: &Config, camera: Camera, time: f64) -> Self {
        let input = FrameInput {
            interpolate: config.render.interpolate,
            detail: config.render.effective_detail(),
            splats: config.render.splats,
            culling: Culling::all(config.render.cull),
            sw_raster_max_rows: config.render.sw_raster_max_rows,
            ..FrameInput::new(&camera, aspect(config), Clock::from_seconds(time), &config.look)
        };
        Self { time, camera, input }
    }
}

/// Returns width over height.
fn aspect(config: &Config) -> f32 {
    config.window.width as f32 / config.window.height as f32
}
