//! Rasterizer setting `auto` in the frame loop.

use std::time::Instant;

use crate::{
    app::{
        auto_raster::{
            AutotuneUnsupported, Workload,
            trial::{RasterTrial, TrialStep},
        },
        presenter::{Presenter, follow},
        state::AppState,
    },
    config::Raster,
    gpu::GpuError,
    render::Renderer,
};

impl Presenter {
    /// Lets the rule of `auto` decide. Once for an adapter and driver, times both rasterizers, one frame per call.
    pub(super) fn choose_raster(&mut self, state: &mut AppState, size: (u32, u32)) {
        let samples = self.renderer.options().samples;
        let drawn = self.renderer.drawn();
        let work = drawn.map(|drawn| Workload::of(drawn.triangles(), size, samples));
        let due = state.follow_auto_raster(AutotuneUnsupported::of(&self.gpu), work, Instant::now());
        let due = due.zip(self.scene.clone());
        let is_due = |trial: &RasterTrial| {
            due.as_ref()
                .is_some_and(|(key, scene)| trial.is_of(&self.gpu, key, scene))
        };
        if let Some(trial) = self.trial.take_if(|trial| !is_due(trial)) {
            return state.auto_raster.give_up_measuring(trial.present());
        }
        let Some((key, scene)) = due else { return };
        let Some(mut trial) = self.trial.take() else {
            let input = state.picture_input();
            let begun = RasterTrial::begin(&self.gpu, &self.renderer, key, &scene, input, size);
            self.trial = Some(begun);
            return;
        };
        let outcome = match trial.step(&self.gpu, &mut self.renderer) {
            TrialStep::More => None,
            TrialStep::Switch(raster) => self
                .switch_raster(state, raster, size)
                .err()
                .map(|why| Err(AutotuneUnsupported::no_memory(trial.present(), &why))),
            TrialStep::Done(outcome) => Some(outcome),
        };
        match outcome {
            None => self.trial = Some(trial),
            Some(outcome) => {
                state.auto_raster.decide(key, &self.gpu.facts, outcome);
                if let Some([line, long]) = state.raster_text() {
                    tracing::info!("{line}: {long}");
                }
            }
        }
        self.exclude_from_times();
    }

    /// Exchanges the renderer for one with another rasterizer, with scene and heroes of now.
    ///
    /// # Errors
    /// It does not fit; the renderer of before stays.
    fn switch_raster(&mut self, state: &mut AppState, raster: Raster, size: (u32, u32)) -> Result<(), GpuError> {
        let before = state.auto_raster.used();
        state.auto_raster.keep(raster);
        let wanted = follow::options(&self.gpu, state, self.screen.format());
        let open = || {
            let mut renderer = Renderer::new(&self.gpu, wanted)?;
            if let Some(scene) = &self.scene {
                renderer.set_scene(scene)?;
                renderer.set_heroes(&self.heroes)?;
            }
            renderer.prepare(&self.gpu, size)?;
            Ok(renderer)
        };
        let hint = "set the rasterizer to hardware or compute";
        let opened = self.gpu.ensure_memory("the other rasterizer", hint, open).flatten();
        self.renderer = opened.inspect_err(|_| state.auto_raster.keep(before))?;
        // A pending pick answer is lost with the old renderer, so ask again.
        state.person.pick.to_ask = state.person.pick.to_ask.take().or(state.person.pick.asked.take());
        Ok(())
    }

    /// Discards the measurement in progress because its scene has changed.
    pub(super) fn invalidate_trial(&mut self) {
        if let Some(trial) = &mut self.trial {
            trial.invalidate();
        }
    }
}
