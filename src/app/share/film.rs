//! Film of the window's picture at even steps of scene time, as `throng film` draws it. Scene time follows the film
//! meanwhile; a background thread reads back and encodes.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
};

use anyhow::{Context, Result};

use crate::{
    app::share::{FileOutcome, Sharing, absolute_path_text},
    file::output::Output,
    film::{Ffmpeg, FilmFrame, FrameRate, Gif, Stream},
    gpu::{Gpu, PendingPicture},
    render::stats::counted,
};

/// Frames per second, as the default of `throng film`.
const RATE: u32 = 24;
/// Maximum number of pictures between GPU and file: the film waits for its encoder, the window does not.
const UNDER_WAY: u32 = 3;
/// Program that writes videos, if installed.
const FFMPEG: &str = "ffmpeg";

/// State of a film for the panel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Filming {
    /// Name of the file.
    pub(crate) name: String,
    /// Number of frames so far.
    pub(crate) frames: u64,
    /// Length so far (s).
    pub(crate) seconds: f64,
}

/// Film being recorded.
pub(crate) struct FilmRecording {
    file: PathBuf,
    size: (u32, u32),
    rate: FrameRate,
    /// Scene time of the first frame (s).
    start: f64,
    frames: u64,
    sender: Sender<(u64, PendingPicture)>,
    shared: Arc<FilmProgress>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct FilmProgress {
    under_way: AtomicU32,
    cancelled: AtomicBool,
    /// The thread has ended, such as for a full disk or a failed encoder.
    ended: AtomicBool,
}

impl FilmRecording {
    /// Begins a film of `size` (px) at a scene time (s): a video if ffmpeg is installed, else a GIF.
    ///
    /// # Errors
    /// The file cannot be written, or the system provides no thread.
    pub(crate) fn begin(sharing: &mut Sharing, scene: &str, gpu: &Gpu, size: (u32, u32), start: f64) -> Result<Self> {
        let rate = FrameRate::whole(RATE);
        let (file, stream) = stream(sharing, scene, size, rate, Path::new(FFMPEG))?;
        let (sender, pictures) = channel();
        let shared = Arc::<FilmProgress>::default();
        let (gpu, outcome_sender) = (gpu.clone(), sharing.outcome_sender());
        let writer = Writer {
            file: file.clone(),
            size,
            rate,
            shared: shared.clone(),
        };
        let write = move || {
            let told: FileOutcome = writer
                .write(&gpu, &pictures, stream)
                .map_err(|error| format!("{error:#}"));
            writer.shared.ended.store(true, Ordering::Release);
            // Sending fails if the window was closed meanwhile.
            let _ = outcome_sender.send(told);
        };
        Ok(Self {
            thread: thread::Builder::new()
                .name("film".into())
                .spawn(write)
                .context("cannot start a thread for the film")?,
            file,
            size,
            rate,
            start,
            frames: 0,
            sender,
            shared,
        })
    }

    /// Scene time of the next frame (s).
    #[must_use]
    pub(crate) fn time(&self) -> f64 {
        self.start + self.rate.seconds(self.frames)
    }

    /// True if the encoder has room for another frame.
    #[must_use]
    pub(crate) fn has_room(&self) -> bool {
        self.shared.under_way.load(Ordering::Acquire) < UNDER_WAY
    }

    /// True if recording can continue: the picture size is unchanged, and the thread still writes.
    #[must_use]
    pub(crate) fn goes_on(&self, size: (u32, u32)) -> bool {
        size == self.size && !self.shared.ended.load(Ordering::Acquire)
    }

    /// Adds the next frame, already drawn.
    pub(crate) fn take(&mut self, picture: PendingPicture) {
        self.shared.under_way.fetch_add(1, Ordering::AcqRel);
        // Sending fails if the thread has ended; it has sent its error.
        let _ = self.sender.send((self.frames, picture));
        self.frames += 1;
    }

    /// Progress for the panel.
    #[must_use]
    pub(crate) fn progress(&self) -> Filming {
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        Filming {
            name: name.to_string_lossy().into_owned(),
            frames: self.frames,
            seconds: self.rate.seconds(self.frames),
        }
    }

    /// Ends the film; the returned thread completes the file. A cancelled film leaves no file.
    pub(crate) fn end(self, cancel: bool) -> JoinHandle<()> {
        self.shared.cancelled.store(cancel, Ordering::Release);
        self.thread
    }
}

/// File for a film of this scene, and its encoder.
fn stream(
    sharing: &mut Sharing,
    scene: &str,
    size: (u32, u32),
    rate: FrameRate,
    ffmpeg: &Path,
) -> Result<(PathBuf, Box<dyn Stream>)> {
    let video = sharing.new_file(scene, "mp4");
    let growing = Output::create(&video)?.begin()?;
    if let Ok(stream) = Ffmpeg::start(ffmpeg, growing, "mp4", size, rate) {
        return Ok((video, Box::new(stream)));
    }
    let picture = sharing.new_file(scene, "gif");
    let stream = Gif::new(Output::create(&picture)?.begin()?, rate)?;
    Ok((picture, Box::new(stream)))
}

/// Encoder thread of a film.
struct Writer {
    file: PathBuf,
    size: (u32, u32),
    rate: FrameRate,
    shared: Arc<FilmProgress>,
}

impl Writer {
    fn write(
        &self,
        gpu: &Gpu,
        pictures: &Receiver<(u64, PendingPicture)>,
        mut stream: Box<dyn Stream>,
    ) -> Result<String> {
        let mut frames = 0;
        let cancelled = || self.shared.cancelled.load(Ordering::Acquire);
        for (frame, picture) in pictures {
            if !cancelled() {
                let pixels = picture.wait(gpu).context("cannot read the film back")?;
                let size = self.size;
                stream.put(&FilmFrame { frame, size, pixels })?;
                frames = frame + 1;
            }
            self.shared.under_way.fetch_sub(1, Ordering::AcqRel);
        }
        if cancelled() || frames == 0 {
            return Ok("film cancelled; no file was written".to_owned());
        }
        stream.finish()?;
        let seconds = self.rate.seconds(frames);
        let frames = counted(frames, "frame");
        Ok(format!(
            "wrote {}: {frames}, {seconds:.1} s",
            absolute_path_text(&self.file)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_ffmpeg_a_film_is_a_gif() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut sharing = Sharing {
            folder: folder.path().to_owned(),
            ..Sharing::default()
        };
        let (rate, ffmpeg) = (FrameRate::whole(RATE), Path::new("/no/such/ffmpeg"));
        let (file, mut gif) = stream(&mut sharing, "a scene", (16, 16), rate, ffmpeg).expect("a file");
        assert!(file.ends_with("a-scene.gif"));
        let picture = |frame| FilmFrame {
            frame,
            size: (16, 16),
            pixels: vec![frame as u8; 16 * 16 * 4],
        };
        (0..2).for_each(|frame| gif.put(&picture(frame)).expect("put"));
        gif.finish().expect("whole");
        let names: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").flatten().collect();
        assert_eq!(names.len(), 1, "one file, whole");
        assert!(image::open(&file).is_ok());
    }
}
