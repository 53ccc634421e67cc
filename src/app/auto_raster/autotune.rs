//! Autotune: times both rasterizers on the scene shown. Each step draws one frame, alternating, so that the window
//! stays responsive and any slowdown affects both. The candidate renderer is opened on a background thread.

use std::{
    sync::Arc,
    thread::{self, JoinHandle},
};

use crate::{
    app::auto_raster::{AutotuneKey, AutotuneResult, AutotuneUnsupported, TimingBasis},
    config::Raster,
    crowd::heroes::Hero,
    gpu::{Gpu, GpuError, ShaderSources, target_texture, whole_view},
    measure::FrameTiming,
    render::{FrameInput, RenderOptions, Renderer},
    scene::Scene,
};

/// Number of warm-up rounds, each one frame of both. CPU adapters, whose frames are slow, do one.
const WARM_UP: usize = 2;
/// Number of timed rounds.
const ROUNDS: std::ops::RangeInclusive<usize> = 3..=15;
/// Total frame time (s) after which the minimum of rounds suffices.
const SECONDS: f64 = 1.0;
/// Frame time (ms) that would block the window noticeably. If the other rasterizer takes less than `SMALL` of it, the
/// last warm-up frames decide.
const LONG_MS: f64 = 1000.0;
/// Ratio of two warm-up frame times below which the difference is clear.
const SMALL: f64 = 0.25;

/// Measurement in progress.
pub(crate) struct RasterAutotune {
    of: AutotuneKey,
    scene: Arc<Scene>,
    input: FrameInput,
    target: wgpu::TextureView,
    size: (u32, u32),
    /// Shaders when the candidate was opened.
    shaders: Arc<ShaderSources>,
    /// The measurement was invalidated by a change that key, scene and shaders do not show.
    stale: bool,
    candidate: CandidateRenderer,
    /// Number of rounds before the timed ones.
    warm_up: usize,
    /// Number of frames drawn so far.
    drawn: usize,
    /// Last warm-up frame, submit to idle (ms): the renderer in use, then the candidate.
    warm: [f64; 2],
    /// Timed frames (ms): the renderer in use, then the candidate.
    times: [Vec<f64>; 2],
    seconds: f64,
    basis: TimingBasis,
}

/// Renderer with the rasterizer that is not in use.
enum CandidateRenderer {
    Opening(JoinHandle<Result<Renderer, GpuError>>),
    Open(Box<Renderer>),
    /// The renderer was taken over, or none could be opened.
    Gone,
}

/// Outcome of a step.
pub(crate) enum AutotuneStep {
    /// More steps are needed.
    More,
    /// The measurement is complete: the result, with the candidate renderer if it is faster, or the reason why there is
    /// none.
    Done(Result<(AutotuneResult, Option<Box<Renderer>>), AutotuneUnsupported>),
}

impl RasterAutotune {
    /// Begins to measure the scene that `own` draws, with `input` at `size` (px).
    pub(crate) fn begin(
        gpu: &Gpu,
        own: &Renderer,
        of: AutotuneKey,
        scene: &Arc<Scene>,
        heroes: &[Hero],
        input: FrameInput,
        size: (u32, u32),
    ) -> Self {
        let options = RenderOptions {
            raster: match own.options().raster {
                Raster::Compute => Raster::Auto,
                Raster::Hardware | Raster::Auto => Raster::Compute,
            },
            ..own.options()
        };
        let target = target_texture(gpu, "autotune", size, options.target, 1, wgpu::TextureUsages::empty());
        let (device, crowd, heroes) = (gpu.clone(), scene.clone(), heroes.to_vec());
        let opening = thread::Builder::new()
            .name("autotune".into())
            .spawn(move || open(&device, options, &crowd, &heroes, size));
        Self {
            of,
            scene: scene.clone(),
            input,
            target: whole_view(&target, "autotune"),
            size,
            shaders: gpu.shaders(),
            stale: false,
            candidate: opening.map_or(CandidateRenderer::Gone, CandidateRenderer::Opening),
            warm_up: if gpu.facts.is_software() { 1 } else { WARM_UP },
            drawn: 0,
            warm: [0.0; 2],
            times: [Vec::new(), Vec::new()],
            seconds: 0.0,
            basis: TimingBasis::Wall,
        }
    }

    /// True while the candidate is being opened: stepping or dropping would wait.
    #[must_use]
    pub(crate) fn is_opening(&self) -> bool {
        matches!(&self.candidate, CandidateRenderer::Opening(thread) if !thread.is_finished())
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

    /// Key of the measurement in progress.
    #[must_use]
    pub(crate) fn subject(&self) -> &AutotuneKey {
        &self.of
    }

    /// Draws and times the next frame; `own` is the renderer in use.
    pub(crate) fn step(&mut self, gpu: &Gpu, own: &mut Renderer) -> AutotuneStep {
        let mut candidate = match std::mem::replace(&mut self.candidate, CandidateRenderer::Gone) {
            CandidateRenderer::Open(candidate) => candidate,
            CandidateRenderer::Opening(thread) => match joined(thread) {
                Ok(candidate) => Box::new(candidate),
                Err(why) => return AutotuneStep::Done(Err(cannot_open(own, why))),
            },
            CandidateRenderer::Gone => {
                return AutotuneStep::Done(Err(cannot_open(own, "the system provides no thread".into())));
            }
        };
        self.draw(gpu, [&mut *own, &mut *candidate]);
        if let Some(why) = refused([&*own, &*candidate]).filter(|_| self.drawn >= 2) {
            return AutotuneStep::Done(Err(why));
        }
        if !self.is_done() {
            self.candidate = CandidateRenderer::Open(candidate);
            return AutotuneStep::More;
        }
        let present = own.options().raster;
        let [own, other] = [&self.times[0], &self.times[1]].map(Vec::as_slice);
        let by_raster = match present {
            Raster::Compute => [other, own],
            Raster::Hardware | Raster::Auto => [own, other],
        };
        let result = AutotuneResult::of(present, by_raster, self.basis, self.input.sw_raster_max_rows);
        let taken = (result.chosen != present).then_some(candidate);
        AutotuneStep::Done(Ok((result, taken)))
    }

    /// Draws one frame of one renderer; the first one of a round alternates.
    fn draw(&mut self, gpu: &Gpu, both: [&mut Renderer; 2]) {
        let (round, turn) = (self.drawn / 2, self.drawn % 2);
        let index = (round + turn) % 2;
        self.drawn += 1;
        let [own, candidate] = both;
        let drawing = if index == 0 { own } else { candidate };
        let frame = FrameTiming::draw(gpu, drawing, &self.target, self.size, &self.input);
        if round < self.warm_up {
            self.warm[index] = frame.wall_ms;
            if self.drawn == 2 * self.warm_up && is_clear(self.warm) {
                self.times = self.warm.map(|ms| vec![ms]);
            }
            return;
        }
        self.seconds += frame.wall_ms * 1e-3;
        // Timestamps of CPU adapters do not cover compute passes.
        let span = drawing.finished_gpu_span().filter(|_| !gpu.facts.is_software());
        self.basis = if span.is_some() {
            TimingBasis::Gpu
        } else {
            TimingBasis::Wall
        };
        self.times[index].push(span.unwrap_or(frame.wall_ms));
    }

    fn is_done(&self) -> bool {
        let rounds = self.times[0].len().min(self.times[1].len());
        let whole = self.drawn.is_multiple_of(2);
        let enough = is_clear(self.warm) || (rounds >= *ROUNDS.start() && self.seconds >= SECONDS);
        whole && rounds > 0 && (enough || rounds >= *ROUNDS.end())
    }
}

/// Waits for the opening thread, which must end before the device is dropped.
impl Drop for RasterAutotune {
    fn drop(&mut self) {
        if let CandidateRenderer::Opening(thread) = std::mem::replace(&mut self.candidate, CandidateRenderer::Gone) {
            let _ = thread.join();
        }
    }
}

/// True if one of two frame times is so long, and the other so much shorter, that further frames are unnecessary.
fn is_clear(ms: [f64; 2]) -> bool {
    let [less, more] = [ms[0].min(ms[1]), ms[0].max(ms[1])];
    more >= LONG_MS && less < SMALL * more
}

fn open(
    gpu: &Gpu,
    options: RenderOptions,
    scene: &Scene,
    heroes: &[Hero],
    size: (u32, u32),
) -> Result<Renderer, GpuError> {
    let open = || {
        let mut renderer = Renderer::new(gpu, options)?;
        renderer.set_scene(scene)?;
        renderer.set_heroes(heroes)?;
        renderer.prepare(gpu, size)?;
        Ok(renderer)
    };
    gpu.ensure_memory(
        "a second renderer of the scene",
        "set the rasterizer to hardware or compute",
        open,
    )?
}

/// Renderer that a thread has opened, or the reason for its failure.
fn joined(thread: JoinHandle<Result<Renderer, GpuError>>) -> Result<Renderer, String> {
    match thread.join() {
        Ok(opened) => opened.map_err(|error| error.to_string()),
        Err(_) => Err("the device was lost meanwhile".into()),
    }
}

/// Outcome if the candidate cannot be opened: the renderer in use stays.
fn cannot_open(own: &Renderer, why: String) -> AutotuneUnsupported {
    AutotuneUnsupported {
        used: own.options().raster,
        short: "no memory for both".into(),
        long: format!("cannot open a second renderer to time the other rasterizer: {why}"),
    }
}

/// Reason why the renderer with the software rasterizer had to fall back to the hardware.
fn refused(both: [&Renderer; 2]) -> Option<AutotuneUnsupported> {
    let in_compute = |renderer: &&Renderer| renderer.options().raster == Raster::Compute;
    let (used, why) = both.into_iter().find(in_compute)?.raster();
    let why = why.filter(|_| used != Raster::Compute)?;
    Some(AutotuneUnsupported {
        used: Raster::Hardware,
        short: "compute unsupported".into(),
        long: format!("the hardware rasterizer draws: {why}"),
    })
}

#[cfg(test)]
mod tests {
    use super::is_clear;

    #[test]
    fn a_clear_difference_of_slow_frames_needs_no_further_frames() {
        assert!(is_clear([600.0, 12_000.0]) && is_clear([12_000.0, 600.0]));
        assert!(!is_clear([5.0, 90.0]), "short frames are repeated");
        assert!(!is_clear([1500.0, 2000.0]) && !is_clear([0.0; 2]));
    }
}
