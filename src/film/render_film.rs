//! Render loop of a film: while the GPU draws frames, other cores read back and encode the previous ones.

use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::{
    film::{
        FilmFrame, FilmPlan, Sink,
        light::{PendingPictureLight, render_light},
        workers::{WorkQueue, with_workers, workers},
    },
    gpu::{Gpu, PICTURE_FORMAT, PICTURE_USAGES, PendingPicture, Staging, target_texture, whole_view},
};

/// Progress of a film.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameProgress {
    /// Number of frames drawn.
    pub drawn: u64,
    /// Number of frames whose files existed.
    pub kept: u64,
    /// Number of frames in all, to draw or to keep.
    pub frames: u64,
}

impl FrameProgress {
    /// Makes the progress before the first frame, of `frames` frames of which `missing` are missing.
    pub(crate) fn before(frames: usize, missing: usize) -> Self {
        Self {
            drawn: 0,
            kept: (frames - missing) as u64,
            frames: frames as u64,
        }
    }
}

/// Moment of a picture of a film (scene times, s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmMoment {
    /// Time of this subframe.
    pub time: f64,
    /// Time at which the shutter of the frame opens: what must not be blurred shows this one.
    pub opened: f64,
}

/// Draws the frames of a plan and hands them to `sink`. `draw` encodes and submits a picture of `size` (px) at a moment
/// into the given view. `told` is called after every frame.
///
/// Memory does not grow with the number of frames: few pictures are in flight at any time.
///
/// # Errors
/// Errors of `draw` and of the sink. Frame files that exist by then are complete.
pub fn render_film(
    gpu: &Gpu,
    plan: &FilmPlan,
    size: (u32, u32),
    sink: Sink,
    mut draw: impl FnMut(&wgpu::TextureView, FilmMoment) -> Result<()>,
    mut told: impl FnMut(FrameProgress),
) -> Result<FrameProgress> {
    let make = || target_texture(gpu, "film", size, PICTURE_FORMAT, 1, PICTURE_USAGES);
    let texture = gpu.ensure_memory("the picture", "use a smaller --size", make)?;
    let view = whole_view(&texture, "film");
    let staging = Staging::default();
    let mut draw = |moment: FilmMoment| {
        draw(&view, moment)?;
        let copy = PendingPicture::copy(gpu, &staging, &texture);
        // Rejected commands are known at once; a lost device is known to those who wait for the copy.
        gpu.check()?;
        Ok(copy)
    };
    let wanted = wanted(plan, &sink);
    let mut progress = FrameProgress::before(plan.own_frames().count(), wanted.len());
    told(progress);
    if wanted.is_empty() {
        return Ok(progress);
    }
    encode_in_parallel(gpu, sink, |work_queue| {
        for &frame in &wanted {
            let opened = plan.time(frame);
            let mut subframe = |time: f64| draw(FilmMoment { time, opened });
            let light = render_light(gpu, plan.moments(frame), &mut subframe);
            let light = light.with_context(|| format!("frame {frame}"))?;
            work_queue.send(FrameCapture { frame, size, light })?;
            progress.drawn += 1;
            told(progress);
        }
        Ok(())
    })?;
    Ok(progress)
}

/// Returns the frames that must be drawn, ascending.
fn wanted(plan: &FilmPlan, sink: &Sink) -> Vec<u64> {
    let own: Vec<u64> = plan.own_frames().collect();
    match sink {
        Sink::Files(files) => own.into_par_iter().filter(|&frame| !files.is_done(frame)).collect(),
        Sink::Stream(_) => own,
    }
}

/// Frame that is handed to the encoders.
struct FrameCapture {
    frame: u64,
    size: (u32, u32),
    light: PendingPictureLight,
}

impl FrameCapture {
    fn encode(self, gpu: &Gpu) -> Result<FilmFrame> {
        let Self { frame, size, light } = self;
        let pixels = light.encode(gpu).with_context(|| format!("frame {frame}"))?;
        Ok(FilmFrame { frame, size, pixels })
    }
}

/// Runs `film` with encoders on other threads, and waits for both.
fn encode_in_parallel(
    gpu: &Gpu,
    sink: Sink,
    film: impl FnOnce(&WorkQueue<'_, FrameCapture>) -> Result<()>,
) -> Result<()> {
    match sink {
        Sink::Files(files) => {
            files.begin()?;
            with_workers(workers(), |frame: FrameCapture| files.write(&frame.encode(gpu)?), film)
        }
        Sink::Stream(stream) => {
            // A single worker keeps the order of the frames.
            let stream = Mutex::new(stream);
            let put = |frame: FrameCapture| {
                let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                stream.put(&frame.encode(gpu)?)
            };
            with_workers(1, put, film)?;
            // A film that was not completed leaves no file.
            stream.into_inner().unwrap_or_else(PoisonError::into_inner).finish()
        }
    }
}
