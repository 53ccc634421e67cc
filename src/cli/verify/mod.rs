//! `throng verify`: measures the error of baking a character, in millimetres.

mod lods;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Args;
use serde::Serialize;

use crate::{
    atlas::{
        Atlas, AtlasFormat,
        placement::DEFAULT_PERCENT,
        verify::{
            VerifyOptions,
            compare::{Comparison, compare, frontier},
            report::Report,
            verify, verify_atlases,
        },
    },
    bake::{self, BakedClip, Palettes},
    bench::frontier_svg,
    cli::{
        AnimationArgs,
        error_limit::{BareUnit, ErrorLimit, parse_error_limit},
        inputs::{BY_MOTION, BadUsage, CharacterFiles, frame_placement, open_in_place, parse_frames, parse_samples},
        json_shape::JsonShape,
        verify::lods::LodsReport,
    },
    config::LodQuality,
    file::{Animations, OpenedFile, output::Output},
    model::{Model, UnitSpace},
};

const EXAMPLES: &str = "\
Examples:
  throng verify hero.glb                             all formats, each with its own frame placement
  throng verify hero.glb --rate 60 --format f16,trs16
  throng verify hero.glb --compare-even              compare with frames at even steps
  throng verify hero.glb --plot hero.svg --json
  throng verify hero.glb --levels                    levels of detail, with every gate and control
  throng verify characters/ --max-error 0.1%         every .glb and .gltf in a folder
  throng verify baked.glb --max-error 2mm            exit code 3 if the error of any vertex is larger";

/// Exit code for a limit that was not met.
const LIMIT_NOT_MET: u8 = 3;

/// Arguments of `verify`.
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct VerifyArgs {
    /// Raw or baked characters (.glb, .gltf), or folders of them.
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub files: Vec<PathBuf>,
    /// Clips of other files.
    #[command(flatten)]
    pub animations: AnimationArgs,
    /// Formats to measure. Default: that of a baked file, otherwise all.
    #[arg(long, value_delimiter = ',', value_name = "FORMAT,...")]
    pub format: Vec<AtlasFormat>,
    /// Frames per second for raw files, or motion: the fewest frames that keep every vertex within 0.1 % of the height
    /// at any time.
    #[arg(long, default_value = "motion", value_parser = parse_frames, value_name = "HZ", allow_negative_numbers = true)]
    pub rate: f32,
    /// Maximum error at any time, in millimetres (2mm) or percent of the height (0.1%); exit code 3 if exceeded.
    #[arg(long, value_parser = parse_error_limit, value_name = "2mm|0.1%", allow_negative_numbers = true)]
    pub max_error: Option<ErrorLimit>,
    /// Compare frames placed by the motion with even steps, per format: size, errors and time.
    #[arg(long)]
    pub compare_even: bool,
    /// Also plot error against size, per format, for even steps and for frames placed by the motion.
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Maximum number of skinned vertices compared per format. Above it, frames are skipped evenly.
    #[arg(long, default_value_t = 8_000_000, value_parser = parse_samples, value_name = "N", allow_negative_numbers = true)]
    pub samples: u64,
    /// Measure levels of detail instead, with every quality gate and control at every height. Missing levels are built.
    /// Exit code 3 if a level fails within its stated height.
    #[arg(long = "levels", conflicts_with_all = ["format", "max_error"])]
    pub lods: bool,
    /// With --levels: make levels of this quality and measure them, whatever the file brings.
    #[arg(long = "lods", requires = "lods", value_name = "quick|judged")]
    pub quality: Option<LodQuality>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Measurement that the options ask for.
#[derive(Serialize)]
#[serde(untagged)]
enum Verified {
    Errors(Box<Report>),
    Lods(LodsReport),
    BesideEven(Comparison),
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Errors(report) => report.fmt(f),
            Self::Lods(report) => report.fmt(f),
            Self::BesideEven(comparison) => comparison.fmt(f),
        }
    }
}

/// Runs the command; returns 3 if a limit is not met.
///
/// # Errors
/// A file does not load or bake.
pub fn run(args: &VerifyArgs) -> anyhow::Result<u8> {
    let files = CharacterFiles::find(&args.files, args.animations.variants.as_deref())?;
    if args.plot.is_some() && !files.is_single() {
        return Err(BadUsage("--plot shows one character: name one file".into()).into());
    }
    let limited = VerifyArgs {
        max_error: args.max_error.map(|limit| limit.with_unit(BareUnit::Percent)),
        ..args.clone()
    };
    let args = &limited;
    let animations = files.open_animations(&args.animations)?;
    // Reports of measurements keep the shape that scripts store.
    let json = args.json.then_some(JsonShape::First);
    files.each(json, |file| one(file, args, &animations))
}

/// Measurement of one character; exit code 3 if a limit is not met.
fn one(file: &Path, args: &VerifyArgs, animations: &Animations) -> anyhow::Result<(Verified, u8)> {
    let opened = open_in_place(file, animations)?;
    if args.lods {
        return verify_lods(opened.model, args.quality);
    }
    let options = VerifyOptions {
        max_samples: args.samples,
        ..VerifyOptions::default()
    };
    if let Some(path) = &args.plot {
        plot(&opened.model, path, args, &options)?;
    }
    if args.compare_even {
        return compare_even(&opened.model, args, &options);
    }
    let report = report(&opened, args, &options)?;
    let code = check(&report, args.max_error);
    Ok((Verified::Errors(Box::new(report)), code))
}

/// Report of a baked file, or of a raw one with frames placed for every format.
fn report(opened: &OpenedFile, args: &VerifyArgs, options: &VerifyOptions) -> Result<Report, bake::BakeError> {
    let each = opened.atlas.is_none() && args.rate == BY_MOTION;
    if !each {
        let frames = exact_palettes(opened, args)?;
        let (Frames::Exact(palettes) | Frames::Encoded(palettes)) = &frames;
        let atlases = atlases(opened, palettes, &args.format);
        let report = verify_atlases(&opened.model, palettes, &atlases, options);
        return Ok(match frames {
            Frames::Exact(_) => report,
            Frames::Encoded(_) => report.without_encoding(),
        });
    }
    let measured = |format| -> Result<Report, bake::BakeError> {
        let palettes = frame_placement(args.rate, Some(format)).bake(&opened.model, &|_| ())?;
        Ok(verify(&opened.model, &palettes, &[format], options))
    };
    let formats = formats(args);
    let mut report = measured(formats[0])?;
    for &format in &formats[1..] {
        report = report.and(measured(format)?);
    }
    Ok(report)
}

/// Requested formats, or all.
fn formats(args: &VerifyArgs) -> Vec<AtlasFormat> {
    if args.format.is_empty() {
        AtlasFormat::ALL.to_vec()
    } else {
        args.format.clone()
    }
}

/// Table of `--compare-even`; exit code 3 if no format meets the limit.
fn compare_even(model: &Model, args: &VerifyArgs, options: &VerifyOptions) -> anyhow::Result<(Verified, u8)> {
    let percent = args
        .max_error
        .map_or(DEFAULT_PERCENT, |limit| limit.percent(model.height()));
    let comparison = compare(model, &formats(args), percent, options)?;
    let missed = args.max_error.is_some() && comparison.smallest.is_none();
    Ok((Verified::BesideEven(comparison), if missed { LIMIT_NOT_MET } else { 0 }))
}

/// Writes the plot of error against bytes.
fn plot(model: &Model, path: &Path, args: &VerifyArgs, options: &VerifyOptions) -> anyhow::Result<()> {
    let output = Output::create(path)?;
    let mut lines = Vec::new();
    for format in formats(args) {
        let [even, motion] = frontier(model, format, options)?;
        lines.push((format!("{} even", format.name()), even));
        lines.push((format!("{} by motion", format.name()), motion));
    }
    output.write(frontier_svg(&model.name, &lines)?.as_bytes())
}

/// Report of the LODs; exit code 3 if one fails within its stated height.
fn verify_lods(mut model: Model, quality: Option<LodQuality>) -> anyhow::Result<(Verified, u8)> {
    model.lods = match quality {
        None | Some(LodQuality::Auto) if !model.lods.is_empty() => model.lods,
        None | Some(LodQuality::Auto | LodQuality::Judged) => bake::make_lods(&model, &|_| ())?,
        Some(LodQuality::Quick) => bake::make_quick_lods(&model, &|_| ())?,
        Some(LodQuality::Full) => return Err(BadUsage("--lods full leaves no level to measure".into()).into()),
    };
    let report = LodsReport::measure(&model)?;
    let mut code = 0;
    for broken in report.broken() {
        eprintln!("throng: {broken}");
        code = LIMIT_NOT_MET;
    }
    Ok((Verified::Lods(report), code))
}

/// Frames to compare an atlas with.
enum Frames {
    /// Frames in full precision.
    Exact(Palettes),
    /// Frames decoded from the atlas, if the original placement cannot be reproduced.
    Encoded(Palettes),
}

/// Clips of the model in full precision, at the frames of its own atlas if it has one.
///
/// Frames placed by the motion are placed again, since the placement depends only on the keys. If another program
/// changed the keys, or another version placed the frames, the atlas is decoded instead.
fn exact_palettes(opened: &OpenedFile, args: &VerifyArgs) -> Result<Frames, bake::BakeError> {
    let OpenedFile { model, atlas, .. } = opened;
    let Some(atlas) = atlas else {
        let format = args.format.first().copied();
        return Ok(Frames::Exact(frame_placement(args.rate, format).bake(model, &|_| ())?));
    };
    let Some(bound) = atlas.bound else {
        let counts: Vec<u32> = atlas.clips.iter().map(|c| c.frame_count).collect();
        return Ok(Frames::Exact(bake::bake_frames(model, &counts, &|_| ())));
    };
    let again = bake::bake_within(model, bound, &|_| ())?;
    let same = |(a, b): (&BakedClip, &BakedClip)| a.times == b.times;
    let unchanged = again.clips.len() == atlas.clips.len() && again.clips.iter().zip(&atlas.clips).all(same);
    Ok(if unchanged {
        Frames::Exact(again)
    } else {
        Frames::Encoded(Arc::new(atlas.clone()).to_palettes(model))
    })
}

/// The file's own atlas, and new ones in the other requested formats.
fn atlases(opened: &OpenedFile, palettes: &Palettes, formats: &[AtlasFormat]) -> Vec<Atlas> {
    let own = opened.atlas.as_ref();
    let formats = match (formats, own) {
        ([], Some(own)) => vec![own.format],
        ([], None) => AtlasFormat::ALL.to_vec(),
        _ => formats.to_vec(),
    };
    let space = own.map_or_else(|| UnitSpace::around(opened.model.rest_bounds()), |a| a.unit);
    let make = |format| match own {
        Some(own) if own.format == format => own.clone(),
        _ => Atlas::encode(palettes, &space, format),
    };
    formats.into_iter().map(make).collect()
}

/// Reports formats that exceed the limit on standard error; returns the exit code.
fn check(report: &Report, limit: Option<ErrorLimit>) -> u8 {
    let Some(limit) = limit else { return 0 };
    let percent = limit.percent(report.height_m);
    let mut code = 0;
    for format in &report.formats {
        let worst = format.worst_percent();
        // This comparison is false for NaN, which must fail.
        if !matches!(
            worst.partial_cmp(&percent),
            Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal)
        ) {
            let (name, character) = (format.format.name(), &report.character);
            let (mm, limit) = (ErrorLimit::Percent(worst).millimetres(report.height_m), limit.text());
            eprintln!(
                "throng: {character}: the error of {name} is {worst:.4} % of the height ({mm:.3} mm), more than {limit}"
            );
            code = LIMIT_NOT_MET;
        }
    }
    code
}
