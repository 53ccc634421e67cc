//! `throng info`: contents of a raw or baked character, or of a file of trajectories.

use std::{
    fmt,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use clap::Args;

use crate::{
    atlas::{
        AtlasFormat, FramePlacement,
        info::Info,
        verify::{
            PlacementCost, VerifyOptions, even_steps, even_steps_line, report::FormatReport, verify, verify_atlases,
        },
    },
    bake::{BakeError, BakeOptions},
    character::Character,
    cli::{
        AnimationArgs, TrackArgs,
        inputs::{BadUsage, CharacterFiles, open_in_place, parse_rate, parse_samples},
        json_shape::{JsonShape, parse_json_shape},
        track_args::parse_track_fps,
    },
    file::{Animations, OpenedFile, output::Output},
    tracks::{self, Flow, FlowLine, TrackError, Tracks},
};

const EXAMPLES: &str = "\
Examples:
  throng info hero.glb
  throng info hero.glb --json | jq '.files[].clips'
  throng info hero.glb --samples 300000         also the error of its animation, in seconds
  throng info hero.glb --animations walks.glb   whose joints match, and the resulting clips
  throng info characters/            every .glb and .gltf in a folder
  throng info knight                 an embedded character
  throng info run.sqlite             trajectories: agents, rate, extent, walls
  throng info tracks.txt --fps 25 --unit cm --json
  throng info run.sqlite --flow 0,1,4,1 --csv crossings.csv
  zcat tracks.csv.gz | throng info -";

/// Arguments of `info`.
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct InfoArgs {
    /// Raw or baked characters (.glb, .gltf), or folders of them; files of trajectories, - for standard input.
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub files: Vec<PathBuf>,
    /// Clips of other files.
    #[command(flatten)]
    pub animations: AnimationArgs,
    /// Facts that a file of trajectories lacks.
    #[command(flatten)]
    pub tracks: TrackArgs,
    /// Frames per second of the frame numbers in a file of trajectories; by default the file's own.
    #[arg(long, alias = "track-fps", value_parser = parse_track_fps, value_name = "HZ", allow_negative_numbers = true)]
    pub fps: Option<f64>,
    /// Line through which the flow of people is measured, in metres of the file of trajectories.
    #[arg(long, value_name = "X1,Y1,X2,Y2", allow_hyphen_values = true)]
    pub flow: Option<FlowLine>,
    /// File for the crossings of --flow, one a row: time_s, id, direction, x, y.
    #[arg(long, value_name = "FILE", requires = "flow")]
    pub csv: Option<PathBuf>,
    /// Frames per second of the even steps for which sizes are listed.
    #[arg(long, default_value = "30", value_parser = parse_rate, value_name = "HZ", allow_negative_numbers = true)]
    pub rate: f32,
    /// Maximum number of skinned vertices compared for the error, which takes seconds; 0 skips it.
    #[arg(long, default_value_t = 0, value_parser = parse_samples, value_name = "N", allow_negative_numbers = true)]
    pub samples: u64,
    /// Print JSON: an object with `files` and `errors`; --json=1 prints the old shape, for one version.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "2", value_parser = parse_json_shape,
        value_name = "1|2")]
    pub json: Option<JsonShape>,
}

/// Description that is printed.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum Contents {
    Character(Box<Described>),
    Tracks(Box<TracksReport>),
}

/// Description of trajectories.
#[derive(serde::Serialize)]
struct TracksReport {
    #[serde(flatten)]
    summary: tracks::Summary,
    /// Flow through a line, if it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow: Option<Flow>,
}

impl fmt::Display for TracksReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.summary.fmt(f)?;
        self.flow.as_ref().map_or(Ok(()), |flow| flow.fmt(f))
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Character(character) => character.fmt(f),
            Self::Tracks(tracks) => tracks.fmt(f),
        }
    }
}

/// Description of a character.
#[derive(serde::Serialize)]
struct Described {
    #[serde(flatten)]
    info: Info,
    /// Frames, size and errors as drawn: of a baked file's atlas, or of frames placed by the motion in f16. `None`
    /// without clips or samples.
    drawn: Option<FormatReport>,
    /// Cost of even steps in the same format, if frames are placed by the motion.
    even: Option<[PlacementCost; 2]>,
}

impl fmt::Display for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.info)?;
        match &self.drawn {
            Some(drawn) => write!(f, "{}", AnimationDataReport(drawn))?,
            None if self.info.clips.is_empty() => {}
            None => writeln!(
                f,
                "  drawn      errors are not measured; --samples 300000 or throng verify does"
            )?,
        }
        match &self.even {
            Some(even) => writeln!(f, "  even steps {}", even_steps_line(even)),
            None => Ok(()),
        }
    }
}

/// Runs the command; returns 0, or for several files the [`exit_code`](super::exit_code) of the worst.
///
/// # Errors
/// A file does not load.
pub fn run(args: &InfoArgs) -> anyhow::Result<u8> {
    let files = CharacterFiles::find(&args.files, args.animations.variants.as_deref())?;
    if args.csv.is_some() && args.files.len() > 1 {
        return Err(BadUsage("--csv holds the crossings of one file; name one file of trajectories".to_owned()).into());
    }
    let animations = files.open_animations(&args.animations)?;
    files.each(args.json, |file| {
        let contents = if !args.tracks.columns.is_empty() || is_tracks(file) {
            Contents::Tracks(Box::new(describe_tracks(file, args)?))
        } else if args.flow.is_some() {
            let problem = format!("{}: --flow needs a file of trajectories", file.display());
            return Err(BadUsage(problem).into());
        } else {
            Contents::Character(Box::new(describe(file, args, &animations)?))
        };
        Ok((contents, 0))
    })
}

/// True if a file looks like trajectories; standard input always does.
fn is_tracks(file: &Path) -> bool {
    if file == Path::new("-") {
        return true;
    }
    // A pipe would wait for its writer, and lose what is read here.
    if !file.metadata().is_ok_and(|facts| facts.is_file()) {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(file).and_then(|opened| opened.take(4096).read_to_end(&mut head));
    read.is_ok() && tracks::is_trajectories(&head)
}

/// Facts about trajectories, and the flow through a line. Writes the crossings where a file is named for them.
fn describe_tracks(file: &Path, args: &InfoArgs) -> anyhow::Result<TracksReport> {
    let tracks = open_tracks(file, args)?;
    let flow = args.flow.map(|line| tracks.flow(line));
    if let Some((path, flow)) = args.csv.as_ref().zip(flow.as_ref()) {
        Output::create(path)?.write(flow.csv().as_bytes())?;
    }
    Ok(TracksReport {
        summary: tracks.summary(),
        flow,
    })
}

fn open_tracks(file: &Path, args: &InfoArgs) -> Result<Tracks, TrackError> {
    let options = args.tracks.options(args.fps);
    if file == Path::new("-") {
        return Tracks::from_stream("standard input", std::io::stdin(), &options);
    }
    Tracks::open(file, &options)
}

fn describe(file: &Path, args: &InfoArgs, animations: &Animations) -> anyhow::Result<Described> {
    let opened = open_in_place(file, animations)?;
    // Characters that cannot be baked get a note instead.
    let (drawn, even) = drawn(&opened, args.samples).unwrap_or_default();
    let options = BakeOptions { rate: args.rate };
    let mut info = Info::new(&opened.model, opened.atlas.as_ref(), &options);
    let height = info.mesh.bounds_max[1] - info.mesh.bounds_min[1];
    info.notes.extend(match Character::from_opened(opened, &options) {
        Ok(character) => character.stance().notes(height),
        Err(error) => vec![format!("cannot be drawn: {error}")],
    });
    Ok(Described { info, drawn, even })
}

/// Errors of the frames that are drawn, and of even steps; `None` without clips or samples.
fn drawn(opened: &OpenedFile, samples: u64) -> Result<(Option<FormatReport>, Option<[PlacementCost; 2]>), BakeError> {
    let OpenedFile { model, atlas, .. } = opened;
    if samples == 0 || model.clips.is_empty() {
        return Ok((None, None));
    }
    let options = VerifyOptions {
        max_samples: samples,
        ..VerifyOptions::default()
    };
    let (report, bound) = match atlas {
        Some(atlas) => {
            let palettes = std::sync::Arc::new(atlas.clone()).to_palettes(model);
            let report = verify_atlases(model, &palettes, std::slice::from_ref(atlas), &options);
            // The atlas as stored has no unencoded frames to compare with.
            (report.without_encoding(), atlas.bound)
        }
        None => {
            let palettes = FramePlacement::default().bake(model, &|_| ())?;
            (
                verify(model, &palettes, &[AtlasFormat::default()], &options),
                palettes.bound,
            )
        }
    };
    let drawn = report.formats.into_iter().next();
    let by_motion = drawn.as_ref().filter(|_| bound.is_some());
    let even = by_motion.map(|drawn| even_steps(model, drawn.format, drawn.frames.into()));
    // No comparison if even steps do not fit.
    let even = even.and_then(Result::ok);
    Ok((drawn, even))
}

/// Lines about frames and errors.
struct AnimationDataReport<'a>(&'a FormatReport);

impl fmt::Display for AnimationDataReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(drawn) = self;
        let total = &drawn.total;
        writeln!(
            f,
            "  drawn      {}, {} frames, {} bytes; error at most {:.2} mm ({:.3} % of the height), 99th percentile \
             {:.2} mm",
            drawn.format.name(),
            drawn.frames,
            drawn.bytes,
            total.worst_mm,
            total.worst_percent,
            total.p99_mm
        )?;
        for clip in &drawn.clips {
            let Some(at) = &clip.total.at else { continue };
            writeln!(
                f,
                "    {:<24}{:>6} frames, at most {:.2} mm at {:.2} s, 99th percentile {:.2} mm",
                clip.clip, clip.frames, clip.total.worst_mm, at.time, clip.total.p99_mm
            )?;
        }
        Ok(())
    }
}
