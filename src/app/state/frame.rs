//! The inputs of a frame: where the camera is in a window of any shape, and what is drawn.

use crate::{
    app::state::AppState,
    config::LookConfig,
    crowd::clock::Clock,
    render::{Culling, FrameInput},
    view::Camera,
};

impl AppState {
    /// The inputs of a frame of `size` pixels whose left `covered` pixels lie under the panel:
    /// the middle of the picture moves to the middle of what is seen.
    #[must_use]
    pub(in crate::app) fn frame_input(&self, size: (u32, u32), covered: f32) -> FrameInput {
        let (width, height) = (size.0 as f32, size.1 as f32);
        let aside = glam::Mat4::from_translation(glam::Vec3::X * (covered / width).clamp(0.0, 0.9));
        let camera = widened(self.rig.camera(), (width - covered).max(1.0) / height);
        let clock = Clock::from_seconds(self.clock.seconds);
        let cull = self.config.render.cull;
        let whole = FrameInput::new(&camera, width / height, clock, self.look());
        FrameInput {
            projection_from_world: aside * whole.projection_from_world,
            interpolate: self.config.render.interpolate,
            // Two techniques are compared over the same triangles.
            detail: if self.compare.on {
                0.0
            } else {
                self.config.render.detail
            },
            culling: Culling {
                outside: cull && self.inspect.outside,
                hidden: cull && self.inspect.hidden,
            },
            raster_rows: self.config.render.raster_rows,
            show_levels: self.inspect.levels,
            show_heights: false,
            frozen: self.inspect.frozen,
            ..whole
        }
    }

    /// Light and ground of the scene that is shown.
    #[must_use]
    pub(in crate::app) fn look(&self) -> &LookConfig {
        self.held_look.as_ref().unwrap_or(&self.config.look)
    }
}

/// Views are composed for pictures at least this wide against their height.
pub(super) const COMPOSED: f32 = 1.4;

/// The camera for a picture of `aspect`: narrow ones show as much from left to right as wide
/// ones, and more above and below.
pub(super) fn widened(camera: &Camera, aspect: f32) -> Camera {
    let factor = (COMPOSED / aspect).max(1.0);
    Camera {
        fov: 2.0 * ((0.5 * camera.fov).tan() * factor).atan(),
        ..*camera
    }
}
