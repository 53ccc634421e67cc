//! Times both rasterisers on the scene that is shown: one frame per step, in turns, so that the window stays alive and
//! whatever slows the machine down slows both. The one that is not in use is opened on a thread of its own.

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

/// Rounds that warm up, each a frame of both; on software rasterisers, whose frames take long, one.
const WARM_UP: usize = 2;
/// Rounds that are timed, at least and at most.
const ROUNDS: std::ops::RangeInclusive<usize> = 3..=15;
/// Seconds of frames after which no more than the fewest rounds are timed.
const SECONDS: f64 = 1.0;
/// Milliseconds of a frame from which on the window would stand still for long: if the other one takes a small part of
/// that, the last frame that warmed up says enough.
const LONG_MS: f64 = 1000.0;
/// How small a part.
const SMALL: f64 = 0.25;

/// A measurement under way.
pub(crate) struct RasterAutotune {
    of: AutotuneKey,
    scene: Arc<Scene>,
    input: FrameInput,
    target: wgpu::TextureView,
    size: (u32, u32),
    /// As it was when the other was opened.
    shaders: Arc<ShaderSources>,
    /// Something that neither of these tells has changed meanwhile.
    stale: bool,
    candidate: CandidateRenderer,
    /// Rounds before the timed ones.
    warm_up: usize,
    /// Frames drawn so far.
    drawn: usize,
    /// Milliseconds of the last frame that warmed up, from submit to idle, of the one in use and of the other.
    warm: [f64; 2],
    /// Milliseconds of those timed.
    times: [Vec<f64>; 2],
    seconds: f64,
    basis: TimingBasis,
}

/// The rasteriser that is not in use.
enum CandidateRenderer {
    Opening(JoinHandle<Result<Renderer, GpuError>>),
    Open(Box<Renderer>),
    /// It was taken over, or there is none.
    Gone,
}

/// Outcome of a step.
pub(crate) enum AutotuneStep {
    /// There is more to do.
    More,
    /// Both are timed: the verdict, with the other renderer where that is the one to use, or why there is none.
    Done(Result<(AutotuneResult, Option<Box<Renderer>>), AutotuneUnsupported>),
}

impl RasterAutotune {
    /// Begins to measure what `own` draws, with `input` at `size` pixels.
    pub(crate) fn begin(
        (gpu, own): (&Gpu, &Renderer),
        (of, scene, heroes): (AutotuneKey, &Arc<Scene>, &[Hero]),
        (input, size): (FrameInput, (u32, u32)),
    ) -> Self {
        let options = RenderOptions {
            raster: match own.options().raster {
                Raster::Compute => Raster::Auto,
                Raster::Hardware | Raster::Auto => Raster::Compute,
            },
            ..own.options()
        };
        let target = target_texture(
            gpu,
            "raster race",
            size,
            (options.target, 1),
            wgpu::TextureUsages::empty(),
        );
        let (device, crowd, heroes) = (gpu.clone(), scene.clone(), heroes.to_vec());
        let opening = thread::Builder::new()
            .name("rasteriser".into())
            .spawn(move || open((&device, options), (&*crowd, heroes.as_slice()), size));
        Self {
            of,
            scene: scene.clone(),
            input,
            target: whole_view(&target, "raster race"),
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

    /// Whether it can neither go on nor be dropped without waiting.
    #[must_use]
    pub(crate) fn is_opening(&self) -> bool {
        matches!(&self.candidate, CandidateRenderer::Opening(thread) if !thread.is_finished())
    }

    /// Whether it measures what is to be measured now.
    #[must_use]
    pub(crate) fn is_of(&self, gpu: &Gpu, (of, scene): (&AutotuneKey, &Arc<Scene>)) -> bool {
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

    /// Draws the next frame; `own` is the renderer in use.
    pub(crate) fn step(&mut self, gpu: &Gpu, own: &mut Renderer) -> AutotuneStep {
        let mut candidate = match std::mem::replace(&mut self.candidate, CandidateRenderer::Gone) {
            CandidateRenderer::Open(candidate) => candidate,
            CandidateRenderer::Opening(thread) => match joined(thread) {
                Ok(candidate) => Box::new(candidate),
                Err(why) => return AutotuneStep::Done(Err(cannot_open(own, why))),
            },
            CandidateRenderer::Gone => {
                return AutotuneStep::Done(Err(cannot_open(own, "the system has no thread to give".into())));
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
        let result = AutotuneResult::of(present, by_raster, (self.basis, self.input.sw_raster_max_rows));
        let taken = (result.chosen != present).then_some(candidate);
        AutotuneStep::Done(Ok((result, taken)))
    }

    /// One frame of one of the two: each is first in every second round.
    fn draw(&mut self, gpu: &Gpu, both: [&mut Renderer; 2]) {
        let (round, turn) = (self.drawn / 2, self.drawn % 2);
        let index = (round + turn) % 2;
        self.drawn += 1;
        let view = (&self.target, self.size);
        let [own, candidate] = both;
        let drawing = if index == 0 { own } else { candidate };
        let frame = FrameTiming::draw(gpu, drawing, view, &self.input);
        if round < self.warm_up {
            self.warm[index] = frame.wall_ms;
            if self.drawn == 2 * self.warm_up && is_clear(self.warm) {
                self.times = self.warm.map(|ms| vec![ms]);
            }
            return;
        }
        self.seconds += frame.wall_ms * 1e-3;
        // Timestamps of software rasterisers do not cover compute.
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

/// A thread that is still at work must end before the device does.
impl Drop for RasterAutotune {
    fn drop(&mut self) {
        if let CandidateRenderer::Opening(thread) = std::mem::replace(&mut self.candidate, CandidateRenderer::Gone) {
            let _ = thread.join();
        }
    }
}

/// Whether one of two frames took so long, and the other so much less, that further ones are not worth the wait.
fn is_clear(ms: [f64; 2]) -> bool {
    let [less, more] = [ms[0].min(ms[1]), ms[0].max(ms[1])];
    more >= LONG_MS && less < SMALL * more
}

fn open(
    (gpu, options): (&Gpu, RenderOptions),
    (scene, heroes): (&Scene, &[Hero]),
    size: (u32, u32),
) -> Result<Renderer, GpuError> {
    let open = || {
        let mut renderer = Renderer::new(gpu, options)?;
        renderer.set_scene(scene)?;
        renderer.set_heroes(heroes)?;
        renderer.prepare(gpu, size)?;
        Ok(renderer)
    };
    gpu.ensure_memory("a second renderer of the scene", "choose the rasteriser yourself", open)?
}

/// Renderer that a thread has opened, or the reason why it has not.
fn joined(thread: JoinHandle<Result<Renderer, GpuError>>) -> Result<Renderer, String> {
    match thread.join() {
        Ok(opened) => opened.map_err(|error| error.to_string()),
        Err(_) => Err("the device was lost meanwhile".into()),
    }
}

/// The one in use stays: the other cannot be opened beside it.
fn cannot_open(own: &Renderer, why: String) -> AutotuneUnsupported {
    AutotuneUnsupported {
        used: own.options().raster,
        short: "no room for both".into(),
        long: format!("the other rasteriser cannot be opened beside it to be timed: {why}"),
    }
}

/// Why one of the two does not uses the software rasterizer though it was told to.
fn refused(both: [&Renderer; 2]) -> Option<AutotuneUnsupported> {
    let in_compute = |renderer: &&Renderer| renderer.options().raster == Raster::Compute;
    let (used, why) = both.into_iter().find(in_compute)?.raster();
    let why = why.filter(|_| used != Raster::Compute)?;
    Some(AutotuneUnsupported {
        used: Raster::Hardware,
        short: "compute does not fit".into(),
        long: format!("the graphics pipe draws: {why}"),
    })
}

#[cfg(test)]
mod tests {
    use super::is_clear;

    #[test]
    fn a_clear_difference_of_slow_frames_needs_no_further_frames() {
        assert!(is_clear([600.0, 12_000.0]) && is_clear([12_000.0, 600.0]));
        assert!(!is_clear([5.0, 90.0]), "that is soon done");
        assert!(!is_clear([1500.0, 2000.0]) && !is_clear([0.0; 2]));
    }
}
