//! Renderer input of a frame, for a window of any shape.

use crate::{
    app::state::AppState,
    config::LookConfig,
    crowd::clock::Clock,
    render::{Culling, FrameInput},
    scene::vertical_fov,
    view::Camera,
};

impl AppState {
    /// Input of a frame of `size` (px) whose left `covered` (px) lie under the panel. The picture is centred in the
    /// visible part.
    #[must_use]
    pub(in crate::app) fn frame_input(&self, size: (u32, u32), covered: f32) -> FrameInput {
        let (width, height) = (size.0 as f32, size.1 as f32);
        let aside = glam::Mat4::from_translation(glam::Vec3::X * (covered / width).clamp(0.0, 0.9));
        let camera = Camera {
            fov: self.vertical_fov((width - covered).max(1.0) / height).to_radians(),
            ..*self.rig.camera()
        };
        let clock = Clock::from_seconds(self.clock.seconds);
        let cull = self.config.render.cull;
        let whole = FrameInput::new(&camera, width / height, clock, self.look());
        FrameInput {
            projection_from_world: aside * whole.projection_from_world,
            interpolate: self.config.render.interpolate,
            // The compare view uses full detail on both sides, so that techniques draw equal triangles.
            detail: if self.compare.on {
                0.0
            } else {
                self.config.render.effective_detail()
            },
            splats: self.config.render.splats,
            culling: Culling {
                outside: cull && self.inspect.outside,
                hidden: cull && self.inspect.hidden,
                triangles: cull && !self.inspect.whole,
            },
            sw_raster_max_rows: self.config.render.sw_raster_max_rows,
            show_lods: self.inspect.lods,
            show_heights: false,
            // The compare view shows pictures, never overdraw.
            show_overdraw: self.inspect.overdraw && !self.compare.on,
            frozen: self.inspect.frozen,
            ..whole
        }
    }

    /// Vertical field of view (degrees) for a picture of `aspect`, as a scene file stores it, so that a saved scene
    /// gives the same picture.
    #[must_use]
    pub(in crate::app) fn vertical_fov(&self, aspect: f32) -> f32 {
        vertical_fov(self.rig.camera(), &self.config.camera, self.min_aspect(), aspect)
    }

    /// Minimum aspect ratio that views are composed for: the window's default, or a larger one of the scene.
    #[must_use]
    pub(in crate::app) fn min_aspect(&self) -> f32 {
        self.config.camera.min_aspect.max(COMPOSED)
    }

    /// Light and ground of the scene shown.
    #[must_use]
    pub(in crate::app) fn look(&self) -> &LookConfig {
        self.held_look.as_ref().unwrap_or(&self.config.look)
    }
}

/// Minimum aspect ratio that the window's views are composed for.
const COMPOSED: f32 = 1.4;
