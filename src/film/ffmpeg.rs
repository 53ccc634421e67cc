//! Video written by the installed `ffmpeg`: raw frames through a pipe, without temporary pictures.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom, Write},
    path::Path,
    process::{ChildStdin, Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{
    file::output::{GrowingFile, WriterProcess},
    film::{FilmFrame, FrameRate, Stream},
};

/// Options for H.264, which every player decodes.
const H264: &[&str] = &["-c:v", "libx264", "-crf", "18"];
/// Options for VP9 at the same visual quality.
const VP9: &[&str] = &["-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1"];
/// Pixel format that every player shows.
const PIXELS: &[&str] = &["-pix_fmt", "yuv420p"];
/// Option that puts the index first, so that a film plays while it loads.
const INDEX_FIRST: &[&str] = &["-movflags", "+faststart"];

/// File endings, with the options for pictures and file, and the container format.
const ENCODERS: &[(&str, &[&str], &[&str], &str)] = &[
    ("mp4", H264, INDEX_FIRST, "mp4"),
    ("mov", H264, INDEX_FIRST, "mov"),
    ("mkv", H264, &[], "matroska"),
    ("webm", VP9, &[], "webm"),
];

/// Filter: colours as in BT.709, and even sizes, which 4:2:0 needs.
const FILTER: &str = "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv";

/// Video that is being written.
pub struct Ffmpeg {
    /// Frames go here; taken at the end.
    input: Option<ChildStdin>,
    process: WriterProcess,
    complaints: File,
    /// File of the video, until it is finished.
    file: Option<GrowingFile>,
}

impl Ffmpeg {
    /// Returns the file endings that it writes.
    pub fn endings() -> impl Iterator<Item = &'static str> {
        ENCODERS.iter().map(|(ending, ..)| *ending)
    }

    /// Starts `program` (usually `ffmpeg`) for a video with an ending of [`Ffmpeg::endings`].
    ///
    /// # Errors
    /// The program is not installed, or the file cannot be written.
    pub fn start(program: &Path, file: GrowingFile, ending: &str, size: (u32, u32), rate: FrameRate) -> Result<Self> {
        let (width, height) = size;
        let encoder = ENCODERS.iter().find(|(known, ..)| *known == ending);
        let (_, codec, container, format) = encoder.with_context(|| format!("no encoder for .{ending}"))?;
        let complaints = tempfile::tempfile().context("a temporary file for the messages of ffmpeg")?;
        let mut command = Command::new(program);
        command
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
            .stderr(complaints.try_clone().context("a temporary file")?);
        match WriterProcess::spawn(&mut command) {
            Ok(process) => Ok(Self {
                input: process.take_stdin(),
                process,
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

    /// Returns the last line of ffmpeg's messages, for an error.
    fn error_output(&mut self) -> String {
        let mut said = String::new();
        // If the messages cannot be read, the error has no reason.
        let read = self.complaints.seek(SeekFrom::Start(0));
        let _ = read.and_then(|_| self.complaints.read_to_string(&mut said));
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        last.map_or_else(|| "it gave no reason".to_owned(), str::to_owned)
    }
}

impl Stream for Ffmpeg {
    fn put(&mut self, picture: &FilmFrame) -> Result<()> {
        let written = match &mut self.input {
            Some(pipe) => pipe.write_all(&picture.pixels),
            None => Ok(()),
        };
        if written.is_err() {
            let status = self
                .process
                .wait()
                .map_or_else(|e| e.to_string(), |status| status.to_string());
            bail!(
                "ffmpeg ended before the film was complete ({status}): {}",
                self.error_output()
            );
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        drop(self.input.take());
        let status = self.process.wait().context("waiting for ffmpeg")?;
        if !status.success() {
            bail!("ffmpeg failed ({status}): {}", self.error_output());
        }
        self.file.take().map_or(Ok(()), GrowingFile::finish)
    }
}
