//! Rasterizer setting `auto` in the frame loop.

use std::time::Instant;

use crate::{
    app::{
        auto_raster::{
            AutotuneUnsupported,
            autotune::{AutotuneStep, RasterAutotune},
        },
        presenter::Presenter,
        state::AppState,
    },
    render::Renderer,
};

impl Presenter {
    /// Times both rasterizers when due, one frame per call, and switches to the faster one.
    pub(super) fn choose_raster(&mut self, state: &mut AppState, size: (u32, u32)) {
        let due = state.follow_auto_raster(AutotuneUnsupported::of(&self.gpu), Instant::now());
        let autotune = self.autotune.take();
        if autotune.as_ref().is_some_and(RasterAutotune::is_opening) {
            // No waiting here: whether it is still needed is checked once it is open.
            self.autotune = autotune;
            return;
        }
        let (Some(due), Some(scene)) = (due, &self.scene) else {
            return;
        };
        let Some(mut autotune) = autotune.filter(|autotune| autotune.is_of(&self.gpu, &due, scene)) else {
            let (own, input) = (&self.renderer, state.picture_input());
            let begun = RasterAutotune::begin(&self.gpu, own, due, scene, &self.heroes, input, size);
            self.autotune = Some(begun);
            return;
        };
        match autotune.step(&self.gpu, &mut self.renderer) {
            AutotuneStep::More => self.autotune = Some(autotune),
            AutotuneStep::Done(Err(unsupported)) => {
                state.auto_raster.decide(autotune.subject().clone(), Err(unsupported))
            }
            AutotuneStep::Done(Ok((result, faster))) => {
                state.auto_raster.decide(autotune.subject().clone(), Ok(result));
                if let Some(faster) = faster {
                    self.take_over(state, *faster);
                }
            }
        }
        if self.autotune.is_none()
            && let Some([line, long]) = state.raster_text()
        {
            tracing::info!("{line}: {long}");
        }
        self.exclude_from_times();
    }

    /// Switches to another renderer of the same scene.
    fn take_over(&mut self, state: &mut AppState, renderer: Renderer) {
        self.renderer = renderer;
        // A pending pick answer is lost with the old renderer, so ask again.
        state.person.pick.to_ask = state.person.pick.to_ask.take().or(state.person.pick.asked.take());
    }

    /// Discards the measurement in progress because its scene has changed.
    pub(super) fn invalidate_autotune(&mut self) {
        if let Some(autotune) = &mut self.autotune {
            autotune.invalidate();
        }
    }
}
