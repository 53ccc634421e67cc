//! The setting `auto` of the rasteriser, while frames are drawn.

use std::time::Instant;

use crate::{
    app::{
        auto_raster::{
            Refusal,
            race::{RasterRace, Step},
        },
        presenter::Stage,
        state::AppState,
    },
    render::Renderer,
};

impl Stage {
    /// Times both rasterisers where that is due, a frame at a time, and takes the faster one over.
    pub(super) fn choose_raster(&mut self, state: &mut AppState, size: (u32, u32)) {
        let due = state.follow_auto_raster(Refusal::of(&self.gpu), Instant::now());
        let race = self.race.take();
        if race.as_ref().is_some_and(RasterRace::is_opening) {
            // Nobody waits for it; what has become of the wish meanwhile is seen once it is open.
            self.race = race;
            return;
        }
        let (Some(due), Some(scene)) = (due, &self.scene) else {
            return;
        };
        let Some(mut race) = race.filter(|race| race.is_of(&self.gpu, (&due, scene))) else {
            let drawn = (&self.gpu, &self.renderer);
            let begun = RasterRace::begin(drawn, (due, scene, &self.heroes), (state.picture_input(), size));
            self.race = Some(begun);
            return;
        };
        match race.step(&self.gpu, &mut self.renderer) {
            Step::More => self.race = Some(race),
            Step::Done(Err(refusal)) => state.auto_raster.decide(race.subject().clone(), Err(refusal)),
            Step::Done(Ok((verdict, faster))) => {
                state.auto_raster.decide(race.subject().clone(), Ok(verdict));
                if let Some(faster) = faster {
                    self.take_over(state, *faster);
                }
            }
        }
        if self.race.is_none()
            && let Some([line, long]) = state.raster_told()
        {
            tracing::info!("{line}: {long}");
        }
        self.leave_out();
    }

    /// Draws with another renderer of the same scene from now on.
    fn take_over(&mut self, state: &mut AppState, renderer: Renderer) {
        self.renderer = renderer;
        // The one before takes its answer with it.
        state.pick.to_ask = state.pick.to_ask.take().or(state.pick.asked.take());
    }

    /// What is being timed has changed.
    pub(super) fn spoil_race(&mut self) {
        if let Some(race) = &mut self.race {
            race.spoil();
        }
    }
}
