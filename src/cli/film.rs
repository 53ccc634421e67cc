//! `throng film`: many frames without a window, each equal to a single shot.

use std::{
    io,
    ops::Range,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::{
    aov::AovRenderer,
    cli::{
        SceneArgs,
        inputs::{BadUsage, refuse_overwriting_inputs},
        record::{RecordArgs, checksums},
        shot::ShotRenderer,
    },
    config::{Config, LodQuality, parse::parse_whole},
    console::{print_json, print_stdout},
    file::output::{Output, is_special},
    film::{
        Ffmpeg, FilmPlan, FrameFiles, FramePattern, FrameProgress, FrameRate, Gif, MotionBlur, Shard, Sink, Y4m,
        Y4mTarget, parse_frames,
    },
    label::{LabelRules, OutputKind, Recorder, record_film},
    render::DrawPath,
};

/// Message when a film drawn file by file fails.
pub(crate) const RESUMABLE: &str = "stopped; files written so far are complete, and the same command continues";

const EXAMPLES: &str = "\
Examples:
  throng film --frames 0..240 -o plaza.mp4                ten seconds at 24 fps, by the installed ffmpeg
  throng film --scene stadium --frames 0..300 --fps 30 -o frames/%05d.png
                                                          numbered frames; run again to continue after a stop
  throng film --frames 0..48 --shutter 180 --subframes 8 -o a.gif
                                                          motion blur from eight samples per frame
  throng film --frames 0..9000 --shard 3/16 -o frames/%05d.png
                                                          the third of sixteen machines' share
  throng film --frames 0..240 -o - | ffplay -             raw video (YUV4MPEG2) through a pipe

Frame files are written atomically; existing ones are kept, not drawn again. A video starts over.";

/// Arguments of `film`.
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct FilmArgs {
    /// Characters to use instead of the embedded ones (.glb, .gltf).
    pub models: Vec<PathBuf>,
    /// Range of frame numbers, FIRST..END; END is not drawn.
    #[arg(long, value_parser = parse_range, value_name = "A..B")]
    pub frames: FrameRange,
    /// Frames per second: a number or a fraction, 1 to 1000.
    #[arg(long, default_value = "24", value_name = "FPS")]
    pub fps: FrameRate,
    /// Frame files (frames/%05d.png), a video (.mp4, .mov, .mkv, .webm: needs ffmpeg), .gif, .y4m, or - for
    /// YUV4MPEG2 on standard output.
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Draw only part K of N: every N-th frame. Frame files only.
    #[arg(long, default_value = "1/1", value_name = "K/N")]
    pub shard: Shard,
    /// Shutter angle in degrees, 0 to 360: 180 blurs over half of the time between frames.
    #[arg(long, default_value_t = 180.0, value_parser = parse_shutter, value_name = "DEGREES", allow_negative_numbers = true)]
    pub shutter: f64,
    /// Number of times averaged per frame, 1 to 256; 1 draws without motion blur.
    #[arg(long, default_value_t = 1, value_parser = |text: &str| parse_whole::<u32>(text, 1, 256), value_name = "N", allow_negative_numbers = true)]
    pub subframes: u32,
    /// Draw frames again whose files exist.
    #[arg(long)]
    pub overwrite: bool,
    /// Path of ffmpeg, which writes videos.
    #[arg(long, default_value = "ffmpeg", value_name = "PATH")]
    pub ffmpeg: PathBuf,
    /// Print a summary as JSON instead of text.
    #[arg(long)]
    pub json: bool,
    /// Passes and labels, for frame files.
    #[command(flatten)]
    pub record: RecordArgs,
    /// Scene options.
    #[command(flatten)]
    pub scene: SceneArgs,
}

/// Range of frame numbers; a type of its own, because clap parses a plain range differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameRange(pub Range<u64>);

pub(crate) fn parse_range(text: &str) -> Result<FrameRange, String> {
    parse_frames(text).map(FrameRange)
}

fn parse_shutter(text: &str) -> Result<f64, String> {
    let degrees = text.parse().ok().filter(|degrees| (0.0..=360.0).contains(degrees));
    degrees.ok_or_else(|| format!("{text:?} is not an angle from 0 to 360"))
}

/// Runs the command.
///
/// # Errors
/// Invalid scene, model or output, no adapter, a lost device, or a failed encoder.
pub fn run(args: &FilmArgs) -> Result<()> {
    let mut config = args.scene.config(&args.models)?;
    config.render.lods = config.render.lods.or(LodQuality::Judged);
    let plan = plan(args, &config);
    let kind = SinkKind::of(&args.output)?;
    if !kind.is_files() && args.shard != Shard::WHOLE {
        return Err(BadUsage(format!(
            "{}: --shard needs frame files, such as frames/%05d.png",
            args.output.display()
        ))
        .into());
    }
    let models = args.models.iter().map(PathBuf::as_path);
    let models = models.chain(args.scene.animations.files());
    refuse_overwriting_inputs(&args.output, models.chain(args.scene.scene.as_ref().map(Path::new)))?;
    if args.record.any() {
        return record(args, &config, &plan, kind);
    }
    // Open the output first, so that an unwritable path fails before any rendering.
    let sink = sink(args, &config, &plan, kind)?;
    let how = (args.scene.draw.atlas, DrawPath::Selected);
    let mut shot = ShotRenderer::open(
        &config,
        &args.scene.adapter(),
        how,
        &args.scene.lod_maker(config.render.lods),
    )?;
    shot.require_clips(&args.scene.clips)?;
    let begun = Instant::now();
    let bar = FilmBar::new()?;
    let is_files = matches!(sink, Sink::Files(_));
    let done = shot.film(&config, &plan, sink, |progress| bar.tell(progress));
    let done = if is_files { done.context(RESUMABLE)? } else { done? };
    bar.finish();
    tell(args, done, begun.elapsed().as_secs_f64())
}

/// Writes frame files with passes and labels.
fn record(args: &FilmArgs, config: &Config, plan: &FilmPlan, kind: SinkKind) -> Result<()> {
    let SinkKind::Frames(pattern) = kind else {
        let shown = args.output.display();
        let why = format!("{shown}: passes and labels need frame files, such as frames/%05d.png");
        return Err(BadUsage(why).into());
    };
    let rules = if args.overwrite {
        LabelRules::default()
    } else {
        LabelRules::of_record(&pattern.record())
    };
    let wanted = args.record.wanted(config, OutputKind::Film, rules)?;
    let film = identity(args, config, plan, rules)?;
    // Checks that existing frames belong to this film, and writes its record.
    let files = FrameFiles::open(pattern, wanted.size, &film, plan, args.overwrite)?;
    let how = (args.scene.draw.atlas, DrawPath::Selected);
    let aov_renderer = AovRenderer::open(
        config,
        &args.scene.adapter(),
        how,
        args.scene.lod_maker(config.render.lods),
    )?;
    aov_renderer.scene.require_clips(&args.scene.clips)?;
    args.record.warn_unmapped_joints(&wanted, &aov_renderer.scene);
    let mut recorder = Recorder::new(aov_renderer, wanted);
    let begun = Instant::now();
    let bar = FilmBar::new()?;
    let told = |progress| bar.tell(progress);
    let done = record_film(&mut recorder, config, plan, &files, told).context(RESUMABLE)?;
    bar.finish();
    tell(args, done, begun.elapsed().as_secs_f64())
}

fn plan(args: &FilmArgs, config: &Config) -> FilmPlan {
    FilmPlan {
        frames: args.frames.0.clone(),
        rate: args.fps,
        start: args.scene.time.or(config.start_time()).unwrap_or(0.0),
        blur: MotionBlur {
            shutter: args.shutter,
            subframes: args.subframes,
        },
        shard: args.shard,
    }
}

/// Kind of output, by the file name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SinkKind {
    Frames(FramePattern),
    Gif,
    Y4m,
    Stdout,
    Video(&'static str),
}

impl SinkKind {
    fn of(output: &Path) -> Result<Self, BadUsage> {
        if output == Path::new("-") {
            return Ok(Self::Stdout);
        }
        if FramePattern::is_pattern(output) {
            return output.to_string_lossy().parse().map(Self::Frames).map_err(BadUsage);
        }
        let ending = output.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match ending.as_str() {
            "gif" => return Ok(Self::Gif),
            "y4m" => return Ok(Self::Y4m),
            _ => {}
        }
        if let Some(video) = Ffmpeg::endings().find(|known| *known == ending) {
            return Ok(Self::Video(video));
        }
        let shown = output.display();
        let hint = if ending == "png" {
            format!("{shown}: a film has many frames; give numbered files, such as frames/%05d.png")
        } else {
            format!("{shown}: expected .mp4, .mov, .mkv, .webm, .gif, .y4m, frames/%05d.png, or - for a pipe")
        };
        Err(BadUsage(hint))
    }

    fn is_files(&self) -> bool {
        matches!(self, Self::Frames(_))
    }
}

fn sink(args: &FilmArgs, config: &Config, plan: &FilmPlan, kind: SinkKind) -> Result<Sink> {
    let size = (config.window.width, config.window.height);
    let file = || Output::create(&args.output)?.begin();
    Ok(match kind {
        SinkKind::Frames(pattern) => {
            let film = identity(args, config, plan, LabelRules::default())?;
            Sink::Files(FrameFiles::open(pattern, size, &film, plan, args.overwrite)?)
        }
        SinkKind::Gif => Sink::Stream(Box::new(Gif::new(file()?, plan.rate)?)),
        SinkKind::Y4m => Sink::Stream(Box::new(Y4m::new(Y4mTarget::File(file()?), size, plan.rate)?)),
        SinkKind::Stdout => {
            let target = Y4mTarget::Stdout(io::stdout());
            Sink::Stream(Box::new(Y4m::new(target, size, plan.rate)?))
        }
        SinkKind::Video(ending) => {
            anyhow::ensure!(
                !is_special(&args.output),
                "{}: a .{ending} must be a file; pipe with -o - instead",
                args.output.display()
            );
            Sink::Stream(Box::new(Ffmpeg::start(&args.ffmpeg, file()?, ending, size, plan.rate)?))
        }
    })
}

/// Identity of the film: all options that its pictures depend on.
fn identity(args: &FilmArgs, config: &Config, plan: &FilmPlan, rules: LabelRules) -> Result<serde_json::Value> {
    let mut film = json!({
        "throng": env!("CARGO_PKG_VERSION"),
        "fps": plan.rate.to_string(),
        "start": plan.start,
        "subframes": plan.blur.subframes,
        "shutter": if plan.blur.subframes > 1 { plan.blur.shutter } else { 0.0 },
        "clips": args.scene.clips,
        "config": serde_json::to_value(config)?,
        "files": checksums(config),
    });
    let record = args.record.identity(rules)?;
    if !record.is_null() {
        film["record"] = record;
    }
    Ok(film)
}

fn tell(args: &FilmArgs, done: FrameProgress, seconds: f64) -> Result<()> {
    let rate = if seconds > 0.0 {
        done.drawn as f64 / seconds
    } else {
        0.0
    };
    let output = args.output.display().to_string();
    let summary = json!({
        "output": output,
        "drawn": done.drawn,
        "kept": done.kept,
        "seconds": seconds,
        "frames_per_second": rate,
    });
    let text = format!(
        "{} frames drawn in {seconds:.1} s ({rate:.1} a second), {} kept\nwrote      {output}\n",
        done.drawn, done.kept
    );
    match (args.json, output == "-") {
        // Standard output carries the video.
        (true, true) => eprintln!("{summary}"),
        (false, true) => eprint!("{text}"),
        (true, false) => print_json(&summary)?,
        (false, false) => print_stdout(&text)?,
    }
    Ok(())
}

/// Interval of progress lines without a terminal.
const TELL_EVERY: Duration = Duration::from_secs(3);

/// Progress bar with the remaining time; lines if standard error is not a terminal.
pub(crate) struct FilmBar {
    bar: ProgressBar,
    told: std::cell::Cell<Instant>,
}

impl FilmBar {
    pub(crate) fn new() -> Result<Self> {
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} frames, {per_sec}, {eta} left")?;
        Ok(Self {
            bar: ProgressBar::new(0).with_style(style),
            told: std::cell::Cell::new(Instant::now()),
        })
    }

    pub(crate) fn tell(&self, progress: FrameProgress) {
        let done = progress.drawn + progress.kept;
        self.bar.set_length(progress.frames);
        if progress.drawn == 0 {
            // Existing frames do not count for the estimate of the remaining time.
            self.bar.set_position(done);
            self.bar.reset_eta();
        }
        self.bar.set_position(done);
        if self.bar.is_hidden() && self.told.get().elapsed() >= TELL_EVERY {
            self.told.set(Instant::now());
            eprintln!("frame {done}/{}", progress.frames);
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_selects_the_output() {
        let of = |name: &str| SinkKind::of(Path::new(name));
        assert!(matches!(of("a/%04d.png"), Ok(SinkKind::Frames(_))));
        assert!(matches!(of("a.MP4"), Ok(SinkKind::Video("mp4"))));
        assert!(matches!(of("-"), Ok(SinkKind::Stdout)));
        assert!(matches!(
            (of("a.gif"), of("a.y4m")),
            (Ok(SinkKind::Gif), Ok(SinkKind::Y4m))
        ));
        let error = of("a.png").map_err(|e| e.0);
        assert!(error.is_err_and(|e| e.contains("%05d")));
        assert!(of("a").is_err() && of("a.avi").is_err() && of("%x.png").is_err());
    }
}
