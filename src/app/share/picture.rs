//! Settings and input of the picture shown, without the panel.

use crate::{
    app::state::AppState,
    config::{Config, Raster, ViewConfig},
    render::{Culling, FrameInput, ViewMode},
};

impl AppState {
    /// Settings of the picture on the screen, at the window's size. While another scene is being built, those of the
    /// scene shown.
    #[must_use]
    pub(in crate::app) fn picture_config(&self) -> Config {
        let mut config = self.config.clone();
        if let Some((scene, bake)) = &self.shown.made_of {
            (config.scene, config.bake) = (scene.clone(), bake.clone());
        }
        if self.raster() == Raster::Compute {
            // Without a window, `auto` means the hardware rasterizer.
            config.render.raster = Raster::Compute;
        }
        config.look = self.look().clone();
        let aspect = config.window.width as f32 / config.window.height as f32;
        config.camera.fov = self.vertical_fov(aspect);
        if aspect < self.min_aspect() {
            // This field of view is already widened for the window's shape.
            config.camera.min_aspect = 0.0;
        }
        config
    }

    /// Camera position and scene time.
    #[must_use]
    pub(in crate::app) fn picture_view(&self) -> ViewConfig {
        let camera = self.rig.camera();
        ViewConfig {
            eye: camera.eye.into(),
            target: camera.target.into(),
            time: Some(self.clock.seconds),
        }
    }

    /// Renderer input of the picture: that of the window, without panel and inspection modes.
    #[must_use]
    pub(in crate::app) fn picture_input(&self) -> FrameInput {
        let window = &self.config.window;
        let size = (window.width, window.height);
        let fov = self.vertical_fov(window.width as f32 / window.height as f32);
        FrameInput {
            detail: self.config.render.effective_detail(),
            culling: Culling::of(&self.config),
            mode: ViewMode::Light,
            frozen: false,
            ..self.input_with_fov(size, 0.0, fov.to_radians())
        }
    }
}

#[cfg(all(test, feature = "labels"))]
mod tests {
    use std::sync::{Arc, OnceLock};

    use glam::Vec3;
    use proptest::prelude::*;

    use super::*;
    use crate::{
        aov::FrameParameters,
        app::AppOptions,
        scene::{Scene, StartupTimes},
        view::Camera,
    };

    fn state() -> AppState {
        let mut config = Config::scene("plaza").expect("a preset");
        config.scene.characters = vec!["knight".into()];
        config.scene.count = 5;
        static SCENE: OnceLock<Arc<Scene>> = OnceLock::new();
        let load = || Scene::load(&config, &mut StartupTimes::default()).expect("embedded");
        let scene = SCENE.get_or_init(|| Arc::new(load())).clone();
        let mut state = AppState::new(&AppOptions::of(config));
        state.show(scene, false);
        state
    }

    proptest! {
        /// A saved scene, and thus `throng shot`, gives the renderer input of the window, bit by bit.
        #[test]
        fn the_picture_is_that_of_its_settings(
            eye in prop::array::uniform3(-300.0..300.0_f32), way in prop::array::uniform3(0.1..40.0_f32),
            degrees in 10.0..120.0_f32, vertical_fov in 10.0..120.0_f32, seconds in 0.0..1e6_f64,
            size in (64..4000_u32, 64..4000_u32), detail in 0.0..16.0_f32,
        ) {
            let mut state = state();
            let eye = Vec3::from(eye);
            // A field of view that is still changing, or that of the settings.
            let fov = if detail < 8.0 { degrees.to_radians() } else { vertical_fov.to_radians() };
            state.rig.jump_to(Camera { eye, target: eye + Vec3::from(way), fov });
            (state.config.camera.fov, state.config.render.detail) = (degrees, detail);
            (state.config.window.width, state.config.window.height) = size;
            state.clock.seconds = seconds;
            (state.inspect.lods, state.inspect.overdraw, state.inspect.frozen) = (true, true, true);
            state.compare.on = detail < 8.0;
            let mut config = state.picture_config();
            config.start_with(state.picture_view());
            let text = config.scene_file().expect("fits");
            let mut read = Config::parse("saved", &text).expect("valid");
            read.window = config.window.clone();
            let scene = state.shown.scene.clone().expect("shown");
            let moment = FrameParameters::of(&read, &scene, read.start_time().expect("a moment")).expect("its view");
            prop_assert_eq!(format!("{:?}", moment.input), format!("{:?}", state.picture_input()));
        }
    }

    /// For every window shape, the saved scene gives the picture on the screen: without a window, and opened again.
    #[test]
    fn a_saved_scene_has_the_lens_of_the_picture() {
        let folder = tempfile::tempdir().expect("a folder");
        for (width, height) in [(600, 900), (900, 700), (1280, 720)] {
            let mut state = state();
            let camera = Camera {
                eye: Vec3::new(1.0, 2.0, 9.0),
                target: Vec3::Y,
                fov: state.config.camera.fov.to_radians(),
            };
            state.rig.jump_to(camera);
            (state.config.window.width, state.config.window.height) = (width, height);
            let shown = format!("{:?}", state.picture_input());
            let (text, _) = state.scene_text().expect("fits");
            let mut read = Config::parse("saved", &text).expect("valid");
            read.window = state.config.window.clone();
            let scene = state.shown.scene.clone().expect("shown");
            let moment = FrameParameters::of(&read, &scene, read.start_time().expect("a moment")).expect("its view");
            assert_eq!(format!("{:?}", moment.input), shown, "{width}x{height}");

            let file = folder.path().join(format!("{width}.toml"));
            std::fs::write(&file, text).expect("written");
            state.rig.jump_to(Camera {
                eye: Vec3::ONE,
                ..camera
            });
            state.open_scene(&file);
            state.rig.update(60.0);
            assert_eq!(
                format!("{:?}", state.picture_input()),
                shown,
                "{width}x{height}, opened again"
            );
        }
    }
}
