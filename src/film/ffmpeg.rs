//! A video by the `ffmpeg` that is installed: raw frames through a pipe, no temporary pictures.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom, Write},
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{
    file::output::GrowingFile,
    film::{FilmFrame, FrameRate, Stream},
};

/// H.264, for everything that plays videos.
const H264: &[&str] = &["-c:v", "libx264", "-crf", "18"];
/// VP9 at the same quality by eye.
const VP9: &[&str] = &["-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1"];
/// Pixel format that every player can show.
const PIXELS: &[&str] = &["-pix_fmt", "yuv420p"];
/// The index in front, so that a film plays while it loads.
const INDEX_FIRST: &[&str] = &["-movflags", "+faststart"];

/// Endings of files that it is asked to write; how the pictures and how the file are written.
const ENCODERS: &[(&str, &[&str], &[&str], &str)] = &[
    ("mp4", H264, INDEX_FIRST, "mp4"),
    ("mov", H264, INDEX_FIRST, "mov"),
    ("mkv", H264, &[], "matroska"),
    ("webm", VP9, &[], "webm"),
];

/// Colours as BT.709 says; sizes even, as 4:2:0 asks.
const FILTER: &str = "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv";

/// A video in writing.
pub struct Ffmpeg {
    child: Child,
    complaints: File,
    /// Until it is finished.
    file: Option<GrowingFile>,
}

/// A video that is not finished: its encoder has nothing to finish either.
impl Drop for Ffmpeg {
    fn drop(&mut self) {
        // It has ended already, but for films that fail.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ffmpeg {
    /// The endings of files that it writes.
    pub fn endings() -> impl Iterator<Item = &'static str> {
        ENCODERS.iter().map(|(ending, ..)| *ending)
    }

    /// Starts `program` (usually `ffmpeg`) for a video whose ending is among [`Ffmpeg::endings`].
    ///
    /// # Errors
    /// It is not installed, or the file cannot be written.
    pub fn start(
        program: &Path,
        file: GrowingFile,
        ending: &str,
        ((width, height), rate): ((u32, u32), FrameRate),
    ) -> Result<Self> {
        let encoder = ENCODERS.iter().find(|(known, ..)| *known == ending);
        let (_, codec, container, format) = encoder.with_context(|| format!("no encoder for .{ending}"))?;
        let complaints = tempfile::tempfile().context("a temporary file for the messages of ffmpeg")?;
        let started = Command::new(program)
            .args([
                "-hide_banner",
                "-loglevel",
                "error",
                "-y",
                "-f",
                "rawvideo",
                "-pix_fmt",
                "rgba",
            ])
            .args(["-s", &format!("{width}x{height}"), "-r", &rate.to_string(), "-i", "-"])
            .args([
                "-vf",
                FILTER,
                "-color_primaries",
                "bt709",
                "-color_trc",
                "bt709",
                "-colorspace",
                "bt709",
            ])
            .args(*codec)
            .args(PIXELS)
            .args(*container)
            .args(["-f", format])
            .arg(file.growing_path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(complaints.try_clone().context("a temporary file")?)
            .spawn();
        match started {
            Ok(child) => Ok(Self {
                child,
                complaints,
                file: Some(file),
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!(
                "a .{ending} needs {}, which is not installed (apt install ffmpeg); write frames/%05d.png, a .gif or a \
                 .y4m instead",
                program.display()
            ),
            Err(error) => Err(error).with_context(|| format!("starting {}", program.display())),
        }
    }

    /// Last lines of ffmpeg, for an error message.
    fn error_output(&mut self) -> String {
        let mut said = String::new();
        // Nothing to add to the message where it cannot be read.
        let read = self.complaints.seek(SeekFrom::Start(0));
        let _ = read.and_then(|_| self.complaints.read_to_string(&mut said));
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        last.map_or_else(|| "it gave no reason".to_owned(), str::to_owned)
    }
}

impl Stream for Ffmpeg {
    fn put(&mut self, picture: &FilmFrame) -> Result<()> {
        let written = match &mut self.child.stdin {
            Some(pipe) => pipe.write_all(&picture.pixels),
            None => Ok(()),
        };
        if written.is_err() {
            let status = self
                .child
                .wait()
                .map_or_else(|e| e.to_string(), |status| status.to_string());
            bail!(
                "ffmpeg ended in the middle of the film ({status}): {}",
                self.error_output()
            );
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        drop(self.child.stdin.take());
        let status = self.child.wait().context("waiting for ffmpeg")?;
        if !status.success() {
            bail!("ffmpeg failed ({status}): {}", self.error_output());
        }
        self.file.take().map_or(Ok(()), GrowingFile::finish)
    }
}
