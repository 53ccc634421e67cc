//! Renderer input of a frame, for a window of any shape.

use std::time::{Duration, Instant};

use crate::{
    app::state::AppState,
    config::LookConfig,
    crowd::clock::Clock,
    render::{FrameInput, ViewMode},
    scene::vertical_fov,
    view::Camera,
};

impl AppState {
    /// Input of a frame of `size` (px) whose left `covered` (px) lie under the panel. The picture is centred in the
    /// visible part.
    #[must_use]
    pub(in crate::app) fn frame_input(&self, size: (u32, u32), covered: f32) -> FrameInput {
        let (width, height) = (size.0 as f32, size.1 as f32);
        let fov = match self.picture_frame(size, covered) {
            Some(frame) => frame.fov,
            None => self.vertical_fov((width - covered).max(1.0) / height).to_radians(),
        };
        self.input_with_fov(size, covered, fov)
    }

    /// Input of a frame with a vertical field of view (rad).
    pub(in crate::app) fn input_with_fov(&self, size: (u32, u32), covered: f32, fov: f32) -> FrameInput {
        let (width, height) = (size.0 as f32, size.1 as f32);
        let aside = glam::Mat4::from_translation(glam::Vec3::X * (covered / width).clamp(0.0, 0.9));
        let camera = Camera {
            fov,
            ..*self.rig.camera()
        };
        let clock = Clock::from_seconds(self.clock.seconds);
        let whole = FrameInput::new(&camera, width / height, clock, self.look()).with_settings(&self.config);
        FrameInput {
            projection_from_world: aside * whole.projection_from_world,
            // The compare view uses full detail on both sides, so that techniques draw equal triangles.
            detail: if self.compare.on { 0.0 } else { whole.detail },
            culling: whole.culling.and(self.inspect.culling),
            mode: self.view_mode(),
            frozen: self.inspect.frozen,
            ..whole
        }
    }

    fn view_mode(&self) -> ViewMode {
        // The compare view shows pictures, never overdraw.
        if self.inspect.overdraw && !self.compare.on {
            ViewMode::Overdraw
        } else if self.inspect.lods {
            ViewMode::Lods
        } else {
            ViewMode::Light
        }
    }

    /// Place on the screen of the picture that F12 and films save, while it is shown: always during a film, for a moment
    /// after a screenshot, and on request. The field of view is wider then, so that the whole picture is visible.
    #[must_use]
    pub(in crate::app) fn picture_frame(&self, size: (u32, u32), covered: f32) -> Option<PictureFrame> {
        let flashes = self.ui.frame_until.is_some_and(|until| Instant::now() < until);
        if !(self.ui.shows_frame || flashes || self.files.filming.is_some()) || self.compare.on {
            return None;
        }
        let (width, height) = (size.0 as f32, size.1 as f32);
        let visible = (width - covered).max(1.0);
        let scale = ((visible - 2.0 * FRAME_MARGIN) / width).min((height - 2.0 * FRAME_MARGIN) / height);
        let scale = scale.max(0.1);
        let own = self.vertical_fov(width / height).to_radians();
        Some(PictureFrame {
            fov: 2.0 * ((0.5 * own).tan() / scale).atan(),
            center: [covered + 0.5 * visible, 0.5 * height],
            size: [width * scale, height * scale],
        })
    }

    /// Shows the frame of the picture for a moment.
    pub(in crate::app) fn flash_frame(&mut self) {
        self.ui.frame_until = Some(Instant::now() + FLASH);
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
        self.load.held_look.as_ref().unwrap_or(&self.config.look)
    }
}

/// Minimum aspect ratio that the window's views are composed for.
const COMPOSED: f32 = 1.4;
/// Margin around the frame of the picture (px).
const FRAME_MARGIN: f32 = 14.0;
/// Time that the frame is shown after a screenshot.
const FLASH: Duration = Duration::from_millis(2500);

/// Place on the screen of the picture that F12 and films save.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::app) struct PictureFrame {
    /// Vertical field of view of the screen (rad).
    fov: f32,
    /// Centre of the frame (px).
    pub center: [f32; 2],
    /// Size of the frame (px).
    pub size: [f32; 2],
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Vec2, Vec3};

    use super::*;
    use crate::config::Config;

    #[test]
    fn the_frame_on_the_screen_holds_what_a_screenshot_saves() {
        let mut config = Config::default();
        config.scene.characters = vec!["knight".into()];
        config.scene.count = 2;
        let mut state = AppState::showing(config);
        state.rig.update(60.0);
        for (size, covered) in [
            ((900, 640), 360.0),
            ((1280, 720), 320.0),
            ((600, 900), 0.0),
            ((1600, 900), 620.0),
        ] {
            (state.config.window.width, state.config.window.height) = size;
            state.ui.shows_frame = false;
            let plain = format!("{:?}", state.picture_input());
            assert_eq!(state.picture_frame(size, covered), None);
            state.ui.shows_frame = true;
            assert_eq!(format!("{:?}", state.picture_input()), plain, "files do not change");
            let frame = state.picture_frame(size, covered).expect("shown");
            let (center, frame_size) = (Vec2::from(frame.center), Vec2::from(frame.size));
            assert!(center.x - 0.5 * frame_size.x >= covered && center.y - 0.5 * frame_size.y >= 0.0);
            let whole = Vec2::new(size.0 as f32, size.1 as f32);
            assert!(center.x + 0.5 * frame_size.x <= whole.x);
            let (file, screen) = (state.picture_input(), state.frame_input(size, covered));
            let ndc = |projection: &Mat4, point: Vec3| projection.project_point3(point).truncate();
            for corner in [Vec2::ONE, Vec2::NEG_ONE, Vec2::new(-1.0, 1.0)] {
                let point = file.projection_from_world.inverse().project_point3(corner.extend(0.01));
                let at = ndc(&screen.projection_from_world, point) * Vec2::new(0.5, -0.5) + 0.5;
                let wanted = center + 0.5 * frame_size * corner * Vec2::new(1.0, -1.0);
                assert!(
                    (at * whole).distance(wanted) < 1.0,
                    "{size:?}: {} against {wanted}",
                    at * whole
                );
            }
        }
    }
}
