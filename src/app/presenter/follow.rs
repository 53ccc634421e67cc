//! Applies changed settings to the renderers.

use crate::{
    app::{
        compare::{second_renderer, second_renderer::SecondRenderer},
        presenter::Presenter,
        state::AppState,
    },
    config::RenderConfig,
    gpu::{Gpu, GpuError},
    render::{DrawMethod, DrawPath, RenderOptions, Renderer},
};

impl Presenter {
    /// Applies technique, format, samples and vsync from the settings. If something does not fit, the settings return
    /// to what is shown, with a notice.
    pub(in crate::app) fn follow(&mut self, state: &mut AppState) {
        self.screen.set_vsync(state.config.window.vsync);
        #[cfg(debug_assertions)]
        self.shaders
            .follow(&self.gpu, &mut self.renderer, self.second.as_mut(), &mut state.notices);
        self.follow_render(state);
        self.follow_compare(state);
        self.follow_heroes(state);
        self.follow_overdraw(state);
    }

    /// Compiles the overdraw pipelines when the map is first requested.
    fn follow_overdraw(&mut self, state: &mut AppState) {
        if !state.inspect.overdraw || self.renderer.has_overdraw() {
            return;
        }
        if let Err(error) = self.renderer.prepare_overdraw() {
            state.notices.fail(error.to_string());
            state.inspect.overdraw = false;
        }
        self.exclude_from_times();
    }

    fn follow_heroes(&mut self, state: &mut AppState) {
        if self.scene.is_none() || self.heroes == state.person.heroes.list {
            return;
        }
        let wanted = &state.person.heroes.list;
        let sent = self.renderer.set_heroes(wanted).and_then(|()| match &mut self.second {
            Some(second) => second.set_heroes(wanted),
            None => Ok(()),
        });
        if let Err(error) = sent {
            state.notices.fail(error.to_string());
            state.person.heroes.list.clone_from(&self.heroes);
        }
        self.heroes.clone_from(&state.person.heroes.list);
        self.invalidate_trial();
    }

    fn follow_compare(&mut self, state: &mut AppState) {
        let (scene, options) = (self.scene.as_deref(), self.renderer.options());
        let before = self.second.as_ref().map(SecondRenderer::options);
        if let Err(error) = second_renderer::follow(&mut self.second, &self.gpu, scene, options, &mut state.compare) {
            state.notices.fail(error.to_string());
        }
        if self.second.as_ref().map(SecondRenderer::options) != before {
            self.exclude_from_times();
            self.heroes = self.scene.as_ref().map_or_else(Vec::new, |scene| scene.heroes.clone());
        }
    }

    fn follow_render(&mut self, state: &mut AppState) {
        let asked = RenderConfig {
            interpolate: self.asked.interpolate,
            detail: self.asked.detail,
            cull: self.asked.cull,
            ..state.config.render.clone()
        };
        let wanted = options(&self.gpu, state, self.screen.format());
        let now = self.renderer.options();
        let same_source = wanted.method.source == now.method.source;
        // Only the rasterizer in use matters here, not whether it was set or chosen by `auto`.
        let same_way = (wanted.path, wanted.raster) == (now.path, now.raster);
        let before = RenderConfig {
            raster: asked.raster,
            ..self.asked.clone()
        };
        if asked == before && same_source && same_way {
            self.asked.raster = asked.raster;
            return;
        }
        let fixed = |render: &RenderConfig| (render.msaa, RenderOptions::steps_after_tonemap(render), render.effort);
        let switched = if fixed(&asked) == fixed(&before) && same_way {
            self.switch(wanted)
        } else {
            self.rebuild(wanted)
        };
        // A new renderer has only the heroes of the scene file.
        self.heroes = self.scene.as_ref().map_or_else(Vec::new, |scene| scene.heroes.clone());
        match switched {
            Ok(()) => self.asked = asked,
            Err(error) => {
                state.notices.fail(error.to_string());
                state.source = now.method.source;
                state.config.render = RenderConfig {
                    interpolate: state.config.render.interpolate,
                    detail: state.config.render.detail,
                    cull: state.config.render.cull,
                    ..self.asked.clone()
                };
                // The rasterizer stays, too; otherwise `auto` would request the change again.
                state.auto_raster.stay(now.raster, &error);
                state.compare.on &= state.raster() == now.raster;
            }
        }
        self.exclude_from_times();
    }

    fn switch(&mut self, wanted: RenderOptions) -> Result<(), GpuError> {
        match &self.scene {
            Some(scene) => self.renderer.set_technique(scene, wanted),
            None => self.rebuild(wanted),
        }
    }

    fn rebuild(&mut self, wanted: RenderOptions) -> Result<(), GpuError> {
        let mut renderer = Renderer::new(&self.gpu, wanted)?;
        if let Some(scene) = &self.scene {
            renderer.set_scene(scene)?;
        }
        self.renderer = renderer;
        Ok(())
    }
}

/// Render options for the current settings.
pub(super) fn options(gpu: &Gpu, state: &AppState, target: wgpu::TextureFormat) -> RenderOptions {
    RenderOptions {
        target,
        samples: state.config.render.effective_samples(),
        method: DrawMethod {
            technique: state.config.render.technique,
            format: state.config.render.format,
            source: state.source,
        },
        path: DrawPath::Selected,
        raster: state.raster_of(&gpu.facts),
        display_steps: RenderOptions::steps_after_tonemap(&state.config.render),
        effort: state.config.render.effort.in_pictures(),
    }
}
