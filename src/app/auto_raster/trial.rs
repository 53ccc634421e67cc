//! Trial: times the window's renderer with one rasterizer, then with the other. Each step draws one frame, so that the
//! window stays responsive. It runs once for an adapter and driver.

use std::sync::Arc;

use crate::{
    app::auto_raster::{AutotuneKey, AutotuneResult, AutotuneUnsupported, KeptTimes, TimingBasis, Workload},
    config::Raster,
    gpu::{Gpu, ShaderSources, target_texture, whole_view},
    measure::{FrameTiming, median},
    render::{FrameInput, Renderer},
    scene::Scene,
};

/// Number of warm-up frames. CPU adapters, whose frames are slow, do one.
const WARM_UP: usize = 2;
/// Number of timed frames.
const FRAMES: std::ops::RangeInclusive<usize> = 3..=15;
/// Time of the frames (s) after which the minimum of frames suffices.
const SECONDS: f64 = 0.5;
/// Frame time (ms) that would block the window noticeably: the last warm-up frame is then the only one timed.
const LONG_MS: f64 = 1000.0;

/// Measurement in progress.
pub(crate) struct RasterTrial {
    of: AutotuneKey,
    scene: Arc<Scene>,
    input: FrameInput,
    target: wgpu::TextureView,
    size: (u32, u32),
    /// Shaders when the trial began.
    shaders: Arc<ShaderSources>,
    /// The measurement was invalidated by a change that key, scene and shaders do not show.
    stale: bool,
    /// Rasterizer in use when the trial began: `Hardware` or `Compute`.
    present: Raster,
    /// Frames (ms) of that rasterizer, once they are timed.
    first: Option<Vec<f64>>,
    warm_up: usize,
    /// Frames of the rasterizer that is timed now.
    now: Timed,
    basis: TimingBasis,
}

/// Frames of one rasterizer.
#[derive(Default)]
struct Timed {
    /// Number of frames drawn, warm-up included.
    drawn: usize,
    /// Timed frames (ms).
    ms: Vec<f64>,
    seconds: f64,
}

/// Outcome of a step.
pub(crate) enum TrialStep {
    /// More steps are needed.
    More,
    /// The renderer shall draw with this rasterizer in the steps that follow.
    Switch(Raster),
    /// The trial is complete: the result, or the reason why there is none.
    Done(Result<(AutotuneResult, KeptTimes), AutotuneUnsupported>),
}

impl RasterTrial {
    /// Begins to measure the scene that `own` draws, with `input` at `size` (px).
    pub(crate) fn begin(
        gpu: &Gpu,
        own: &Renderer,
        of: AutotuneKey,
        scene: &Arc<Scene>,
        input: FrameInput,
        size: (u32, u32),
    ) -> Self {
        let none = wgpu::TextureUsages::empty();
        let target = target_texture(gpu, "raster trial", size, own.options().target, 1, none);
        Self {
            of,
            scene: scene.clone(),
            input,
            target: whole_view(&target, "raster trial"),
            size,
            shaders: gpu.shaders(),
            stale: false,
            present: rasterizer(own),
            first: None,
            warm_up: if gpu.facts.is_software() { 1 } else { WARM_UP },
            now: Timed::default(),
            basis: TimingBasis::Wall,
        }
    }

    /// True if the measurement is valid for this key, scene and the current shaders.
    #[must_use]
    pub(crate) fn is_of(&self, gpu: &Gpu, of: &AutotuneKey, scene: &Arc<Scene>) -> bool {
        let same = self.of == *of && Arc::ptr_eq(&self.scene, scene);
        same && !self.stale && Arc::ptr_eq(&self.shaders, &gpu.shaders())
    }

    /// Discards the measurements: the scene or the settings have changed.
    pub(crate) fn invalidate(&mut self) {
        self.stale = true;
    }

    /// Rasterizer in use when the trial began.
    #[must_use]
    pub(crate) const fn present(&self) -> Raster {
        self.present
    }

    /// Draws and times the next frame by the window's renderer.
    pub(crate) fn step(&mut self, gpu: &Gpu, own: &mut Renderer) -> TrialStep {
        self.draw(gpu, own);
        if let Some(why) = refused(own) {
            return TrialStep::Done(Err(why));
        }
        if !self.now.is_done() {
            return TrialStep::More;
        }
        let timed = std::mem::take(&mut self.now).ms;
        let Some(first) = self.first.take() else {
            self.first = Some(timed);
            return TrialStep::Switch(other(self.present));
        };
        let by_raster = match self.present {
            Raster::Compute => [&*timed, &*first],
            Raster::Hardware | Raster::Auto => [&*first, &*timed],
        };
        let result = AutotuneResult::of(self.present, by_raster, self.basis, self.input.sw_raster_max_rows);
        let triangles = own.drawn().map_or(own.counts().triangles, |drawn| drawn.triangles());
        let work = Workload::of(triangles.max(1), self.size, own.options().samples);
        let kept = KeptTimes::new(by_raster.map(median), work);
        TrialStep::Done(Ok((result, kept)))
    }

    fn draw(&mut self, gpu: &Gpu, own: &mut Renderer) {
        let frame = FrameTiming::draw(gpu, own, &self.target, self.size, &self.input);
        self.now.drawn += 1;
        let is_warm_up = self.now.drawn <= self.warm_up;
        if is_warm_up && !(self.now.drawn == self.warm_up && frame.wall_ms >= LONG_MS) {
            return;
        }
        // Timestamps of CPU adapters do not cover compute passes.
        let span = own.finished_gpu_span().filter(|_| !gpu.facts.is_software());
        self.basis = if span.is_some() {
            TimingBasis::Gpu
        } else {
            TimingBasis::Wall
        };
        self.now.seconds += frame.wall_ms * 1e-3;
        self.now.ms.push(span.unwrap_or(frame.wall_ms));
    }
}

impl Timed {
    fn is_done(&self) -> bool {
        let is_long = self.seconds * 1e3 >= LONG_MS * self.ms.len().max(1) as f64;
        let enough = self.ms.len() >= *FRAMES.start() && self.seconds >= SECONDS;
        is_long || enough || self.ms.len() >= *FRAMES.end()
    }
}

/// Rasterizer of a renderer: `Hardware` or `Compute`.
fn rasterizer(renderer: &Renderer) -> Raster {
    match renderer.options().raster {
        Raster::Compute => Raster::Compute,
        Raster::Hardware | Raster::Auto => Raster::Hardware,
    }
}

const fn other(raster: Raster) -> Raster {
    match raster {
        Raster::Compute => Raster::Hardware,
        Raster::Hardware | Raster::Auto => Raster::Compute,
    }
}

/// Reason why a renderer with the software rasterizer had to fall back to the hardware.
fn refused(renderer: &Renderer) -> Option<AutotuneUnsupported> {
    let (used, why) = renderer.raster();
    let why = why.filter(|_| used != Raster::Compute)?;
    Some(AutotuneUnsupported {
        used: Raster::Hardware,
        short: "compute unsupported".into(),
        long: format!("the hardware rasterizer draws: {why}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_frames_are_timed_once_and_short_ones_repeated() {
        let timed = |count: usize, ms: f64| Timed {
            drawn: count,
            ms: vec![ms; count],
            seconds: count as f64 * ms * 1e-3,
        };
        assert!(!timed(0, 0.0).is_done());
        assert!(timed(1, 1200.0).is_done() && !timed(1, 900.0).is_done());
        assert!(!timed(2, 400.0).is_done() && timed(3, 400.0).is_done());
        assert!(!timed(14, 3.0).is_done() && timed(15, 3.0).is_done());
    }
}
