//! The loop: while the GPU draws a frame, the one before is read back, and those before that are
//! encoded on other cores.

use std::{
    collections::VecDeque,
    sync::mpsc::{SyncSender, sync_channel},
    thread::{self, available_parallelism},
};

use anyhow::Result;

use crate::{
    film::{
        FilmPlan, FrameFiles, Picture, Sink, Stream,
        blur::Exposure,
        workers::{EncodersGone, cause, joined, with_workers},
    },
    gpu::{Gpu, PICTURE_FORMAT, PendingPicture, target_texture, whole_view},
};

/// Pictures drawn before the oldest of them is waited for.
const IN_FLIGHT: usize = 3;

/// How far a film is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Frames drawn.
    pub drawn: u64,
    /// Frames whose files were there.
    pub kept: u64,
    /// Frames to draw or to keep, in all.
    pub frames: u64,
}

/// Draws the frames of a plan and hands them to `sink`. `draw` encodes and submits a picture of `size`
/// pixels at a scene time (seconds) into the view that it is given; `told` hears of every frame.
///
/// Memory does not grow with the number of frames: a few pictures are under way at any time.
///
/// # Errors
/// What `draw` or the sink fails with. Frame files that are there by then are whole.
pub fn shoot(
    gpu: &Gpu,
    (plan, size): (&FilmPlan, (u32, u32)),
    sink: Sink,
    mut draw: impl FnMut(&wgpu::TextureView, f64) -> Result<()>,
    mut told: impl FnMut(Progress),
) -> Result<Progress> {
    let read = wgpu::TextureUsages::COPY_SRC;
    let make = || target_texture(gpu, "film", size, (PICTURE_FORMAT, 1), read);
    let texture = gpu.fitting("the picture", "use a smaller --size", make)?;
    let view = whole_view(&texture, "film");
    let kept = |frame: u64| match &sink {
        Sink::Files(files) => files.is_done(frame),
        Sink::Stream(_) => false,
    };
    let (done, wanted): (Vec<u64>, Vec<u64>) = plan.own_frames().partition(|&frame| kept(frame));
    let mut progress = Progress {
        drawn: 0,
        kept: done.len() as u64,
        frames: (done.len() + wanted.len()) as u64,
    };
    told(progress);
    if wanted.is_empty() {
        return Ok(progress);
    }
    encode_beside(sink, |frames| {
        let mut camera = Camera {
            gpu,
            size,
            pending: VecDeque::new(),
            exposure: Exposure::default(),
        };
        for &frame in &wanted {
            let moments: Vec<f64> = plan.moments(frame).collect();
            for (index, &time) in moments.iter().enumerate() {
                draw(&view, time)?;
                let last = index + 1 == moments.len();
                let copy = PendingPicture::copy(gpu, &texture);
                camera.pending.push_back((copy, frame, last, moments.len() > 1));
                while camera.pending.len() >= IN_FLIGHT {
                    progress.drawn += camera.develop(frames)?;
                    told(progress);
                }
            }
        }
        while !camera.pending.is_empty() {
            progress.drawn += camera.develop(frames)?;
            told(progress);
        }
        Ok(())
    })?;
    Ok(progress)
}

/// Pictures between the GPU and the encoders.
struct Camera<'a> {
    gpu: &'a Gpu,
    size: (u32, u32),
    /// With the frame, whether it is the last of its moments, and whether there are several.
    pending: VecDeque<(PendingPicture, u64, bool, bool)>,
    exposure: Exposure,
}

impl Camera<'_> {
    /// Takes the oldest picture from the GPU; 1 where that finished a frame.
    fn develop(&mut self, frames: &SyncSender<Picture>) -> Result<u64> {
        let Some((copy, frame, last, blurred)) = self.pending.pop_front() else {
            return Ok(0);
        };
        let mut pixels = copy.wait(self.gpu)?;
        if let Some(error) = self.gpu.take_error() {
            anyhow::bail!("the device rejected frame {frame}: {error}");
        }
        if blurred {
            self.exposure.add(&pixels);
            if !last {
                return Ok(0);
            }
            pixels = std::mem::take(&mut self.exposure).mean();
        }
        let size = self.size;
        // Encoders that are gone tell why themselves.
        let sent = frames.send(Picture { frame, size, pixels });
        sent.map(|()| 1).map_err(|_| EncodersGone.into())
    }
}

/// Runs `film` with encoders beside it, and waits for both.
fn encode_beside(sink: Sink, film: impl FnOnce(&SyncSender<Picture>) -> Result<()>) -> Result<()> {
    match sink {
        Sink::Files(files) => encode_files(&files, film),
        Sink::Stream(stream) => encode_stream(stream, film),
    }
}

fn encode_files(files: &FrameFiles, film: impl FnOnce(&SyncSender<Picture>) -> Result<()>) -> Result<()> {
    let encoders = available_parallelism().map_or(2, usize::from);
    with_workers(encoders, |picture: Picture| files.write(&picture), film)
}

fn encode_stream(mut stream: Box<dyn Stream>, film: impl FnOnce(&SyncSender<Picture>) -> Result<()>) -> Result<()> {
    let (sender, receiver) = sync_channel::<Picture>(2);
    thread::scope(|scope| {
        let worker = scope.spawn(move || -> Result<_> {
            for picture in receiver {
                stream.put(&picture)?;
            }
            Ok(stream)
        });
        let filmed = film(&sender);
        drop(sender);
        let whole = filmed.is_ok();
        // A film that was not drawn to its end leaves no file.
        let encoded = joined(worker).and_then(|stream| if whole { stream.finish() } else { Ok(()) });
        cause(filmed, encoded)
    })
}
