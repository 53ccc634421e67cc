//! `throng bake`: bakes raw characters into files that open fast.

pub mod report;

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use crate::{
    atlas::{
        Atlas, AtlasFormat, FramePlacement,
        baked_vertex::VertexAtlas,
        format_fitness,
        solve::{Budget, NoPlan, Plan, solve},
        verify::{VerifyOptions, even_steps, verify_atlases},
    },
    bake::{self, Palettes},
    character,
    cli::{
        AnimationArgs,
        bake::report::{BakedFile, Times},
        error_limit::{BareUnit, ErrorLimit, parse_error_limit},
        exit_code,
        inputs::{
            BY_MOTION, BadUsage, CharacterFiles, frame_placement, keep_clips, parse_frames, parse_samples,
            refuse_overwriting_inputs,
        },
        json_shape::{FileError, FileReport, FileReports, JsonShape, parse_json_shape},
        lod_progress::LodProgress,
        one_line, parse_whole,
    },
    console::{print_json, print_stdout},
    file::{
        self, Animations, CharacterPath, LodCache,
        output::{Output, is_special},
    },
    model::{Model, UnitSpace},
    scene::{embedded, milliseconds, open_animated},
};

const EXAMPLES: &str = "\
Examples:
  throng bake hero.glb -o hero.baked.glb
  throng bake characters/*.glb -o baked/ --format trs16
  throng bake hero.glb --animations walks.glb -o out.glb add clips of another file, where joints match by name
  throng bake hero.glb -o out.glb --max-error 1mm        the smallest file with an error up to 1 mm
  throng bake hero.glb -o out.glb --no-levels            at once, without levels of detail
  throng bake hero.glb -o out.glb --rate 30              frames at even steps
  throng bake hero.glb -o out.glb --max-bytes 500000     the most accurate file of that size
  throng bake hero.glb -o out.glb --clips idle,walk --rate 60 --json";

/// Arguments of `bake`.
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct BakeArgs {
    /// Characters (.glb, .gltf). Baked files are baked again from their animations.
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<PathBuf>,
    /// Output file, or folder for several characters (created if missing).
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Frames per second; clips keyed at a similar rate keep theirs. Default: motion, the fewest frames that keep every
    /// vertex within 0.1 % of the height at any time.
    #[arg(long, value_parser = parse_frames, value_name = "HZ", allow_negative_numbers = true,
        conflicts_with_all = ["max_error", "max_bytes"])]
    pub rate: Option<f32>,
    /// Encoding of the matrices. Default: f16, or the one that meets the limits. If the error of trs16 exceeds 0.1 % of
    /// the height, f16 is used instead.
    #[arg(long)]
    pub format: Option<AtlasFormat>,
    /// Clips of other files.
    #[command(flatten)]
    pub animations: AnimationArgs,
    /// Names of the clips to bake, comma-separated; default: all.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub clips: Vec<String>,
    /// Also store baked vertices, for technique `vertex`.
    #[arg(long)]
    pub vertices: bool,
    /// Store no levels of detail. By default, missing ones are built, which takes a while.
    #[arg(long)]
    pub no_levels: bool,
    /// Build levels of detail for formations, where many people show one pose: each level keeps the brightness of full
    /// detail there, which takes finer levels. Levels in the file are replaced.
    #[arg(long, alias = "ranks", conflicts_with = "no_levels")]
    pub for_formations: bool,
    /// Build levels of detail again, without the cache.
    #[arg(long)]
    pub no_cache: bool,
    /// Maximum error of any vertex at any time, in millimetres (2mm) or percent of the height (0.1%); selects frames and
    /// format. If it cannot be met, no file is written and the exit code is 3.
    #[arg(long, value_parser = parse_error_limit, value_name = "2mm|0.1%", allow_negative_numbers = true)]
    pub max_error: Option<ErrorLimit>,
    /// Maximum size of the atlas (bytes); selects frames and format.
    #[arg(long, value_parser = |text: &str| parse_whole(text, 1, u64::MAX), value_name = "N", allow_negative_numbers = true)]
    pub max_bytes: Option<u64>,
    /// Maximum number of skinned vertices compared for the error report; 0 skips it.
    #[arg(long, default_value_t = 500_000, value_parser = parse_samples, value_name = "N", allow_negative_numbers = true)]
    pub samples: u64,
    /// Print JSON: an object with `files` and `errors`; --json=1 prints the old shape, for one version.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "2", value_parser = parse_json_shape,
        value_name = "1|2")]
    pub json: Option<JsonShape>,
}

/// Runs the command on all inputs. Each failure is one line on standard error; the exit code is that of the worst.
///
/// # Errors
/// The output folder cannot be created, a file of clips is broken, or standard output cannot be written.
pub fn run(args: &BakeArgs) -> anyhow::Result<u8> {
    let limited = BakeArgs {
        max_error: args.max_error.map(|limit| limit.with_unit(BareUnit::Millimetres)),
        ..args.clone()
    };
    let args = &limited;
    let files = CharacterFiles::find(&args.models, args.animations.variants.as_deref())?;
    let models = files.paths();
    let outputs = outputs(args, models)?;
    let animations = files.open_animations(&args.animations)?;
    if let Some(folder) = is_folder(args, models).then_some(&args.output) {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    let bar = progress_bar(models.len());
    let jobs: Vec<(&PathBuf, &PathBuf)> = models.iter().zip(&outputs).collect();
    let done: Vec<anyhow::Result<BakedFile>> = jobs
        .into_par_iter()
        .map(|(input, output)| bake_file(args, &animations, input, output, &bar))
        .collect();
    bar.finish_and_clear();
    let mut code = 0;
    let (mut files, mut errors) = (Vec::new(), Vec::new());
    for (input, result) in models.iter().zip(done) {
        let file = input.display().to_string();
        match result {
            Ok(report) => files.push(FileReport { file, report }),
            Err(error) => {
                let reason = one_line(&format!("{error:#}"));
                eprintln!("throng: {reason}");
                code = code.max(exit_code(&error));
                errors.push(FileError { file, error: reason });
            }
        }
    }
    let reports = || files.iter().map(|file| &file.report);
    match args.json {
        Some(JsonShape::Second) => print_json(&FileReports::new(files, errors))?,
        Some(JsonShape::First) => print_json(&reports().collect::<Vec<_>>())?,
        None => print_stdout(&reports().map(BakedFile::to_string).collect::<String>())?,
    }
    Ok(code)
}

/// True if the output means a folder.
fn is_folder(args: &BakeArgs, models: &[PathBuf]) -> bool {
    let out = &args.output;
    models.len() > 1 || out.is_dir() || out.to_string_lossy().ends_with(['/', '\\'])
}

/// Output file of each input.
fn outputs(args: &BakeArgs, models: &[PathBuf]) -> Result<Vec<PathBuf>, BadUsage> {
    let out = &args.output;
    if !is_folder(args, models) {
        check_ending(out)?;
        return Ok(vec![out.clone()]);
    }
    let named_as_file = out.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb"));
    if named_as_file && !out.to_string_lossy().ends_with(['/', '\\']) {
        let why = if out.is_dir() {
            "it is a folder"
        } else {
            "several characters require a folder"
        };
        return Err(BadUsage(format!(
            "cannot write {}: {why}; append / to the name to write to a folder",
            out.display()
        )));
    }
    let named = |input: &PathBuf| {
        let mut name = CharacterPath::of(input).file_stem();
        name.push(".glb");
        out.join(name)
    };
    let outputs: Vec<PathBuf> = models.iter().map(named).collect();
    for (index, output) in outputs.iter().enumerate() {
        if outputs[..index].contains(output) {
            let message = format!(
                "two inputs would be written to {}; bake them separately",
                output.display()
            );
            return Err(BadUsage(message));
        }
    }
    Ok(outputs)
}

/// Minimum number of skinned vertices compared to check a requested limit.
const LEAST_MEASURED: u64 = 4_000_000;
/// Rejects outputs other than .glb, since a baked character is a binary glTF file.
fn check_ending(output: &Path) -> Result<(), BadUsage> {
    let ending = output.extension().filter(|e| !e.eq_ignore_ascii_case("glb"));
    match ending {
        Some(ending) if !is_special(output) => Err(BadUsage(format!(
            "{}: a baked character is a .glb file, not .{}; write it to {}",
            output.display(),
            ending.display(),
            output.with_extension("glb").display()
        ))),
        _ => Ok(()),
    }
}

/// Progress bar steps per character.
const STEPS: u64 = 1000;

/// Progress bar; hidden if standard error is not a terminal.
fn progress_bar(inputs: usize) -> ProgressBar {
    let bar = ProgressBar::new(inputs as u64 * STEPS);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}") {
        bar.set_style(style);
    }
    bar
}

fn bake_file(
    args: &BakeArgs,
    animations: &Animations,
    input: &Path,
    path: &Path,
    bar: &ProgressBar,
) -> anyhow::Result<BakedFile> {
    refuse_overwriting_inputs(
        path,
        args.models
            .iter()
            .map(PathBuf::as_path)
            .chain(args.animations.files())
            .chain([input]),
    )?;
    let output = Output::create(path)?;
    bar.set_message(input.display().to_string());
    let start = Instant::now();
    let mut model = open_animated(input, animations)?.model;
    animations.check_hidden(&model)?;
    keep_clips(&mut model, &args.clips)?;
    let mut times = Times {
        import: milliseconds(start),
        ..Times::default()
    };
    let start = Instant::now();
    let mut plan = None;
    let usual = FramePlacement::default().largest_error(&model);
    let largest_error = max_error(args, &model).unwrap_or(usual);
    let palettes = bake::bake_in_place(&mut model, largest_error, |model| {
        if let Some((chosen, palettes)) = solved(args, model)? {
            plan = Some(chosen);
            return Ok(palettes);
        }
        palettes(args, model, bar)
    })?;
    times.solve = milliseconds(start);
    if args.vertices {
        VertexAtlas::check_size(&model, &palettes)?;
    }
    let start = Instant::now();
    bar.set_message(format!("{}: levels of detail", input.display()));
    lods(args, &mut model, input, bar)?;
    times.lods = milliseconds(start);
    let start = Instant::now();
    let (format, rejection) = format(args, &model, plan.as_ref(), &palettes);
    let atlas = Atlas::encode(&palettes, &UnitSpace::around(model.rest_bounds()), format);
    times.bake = milliseconds(start);
    let vertices = args.vertices.then(|| VertexAtlas::encode(&model, &palettes));
    let start = Instant::now();
    let bytes =
        file::baked::to_bytes(&model, &atlas, vertices.as_ref()).with_context(|| input.display().to_string())?;
    output.write(&bytes)?;
    times.write = milliseconds(start);
    let start = Instant::now();
    let options = VerifyOptions {
        max_samples: args.samples,
        ..VerifyOptions::default()
    };
    let errors = (args.samples > 0).then(|| verify_atlases(&model, &palettes, std::slice::from_ref(&atlas), &options));
    let even = errors.is_some() && palettes.bound.is_some();
    // No comparison if even steps do not fit.
    let even = even.then(|| even_steps(&model, format, u64::from(atlas.frame_count)));
    times.verify = milliseconds(start);
    let mut report = BakedFile::new(&model, &palettes, &atlas, vertices.as_ref());
    (report.input, report.output) = (input.display().to_string(), path.display().to_string());
    (report.input_bytes, report.output_bytes) = (size_of_file(input), bytes.len() as u64);
    (report.times, report.plan, report.errors) = (times, plan, errors);
    report.even = even.and_then(Result::ok);
    report.notes.extend(rejection);
    Ok(report)
}

/// Loads or builds missing LODs, or drops LODs if they are not wanted.
fn lods(args: &BakeArgs, model: &mut Model, input: &Path, bar: &ProgressBar) -> anyhow::Result<()> {
    if args.no_levels {
        model.lods.clear();
        return Ok(());
    }
    let subject = input.display().to_string();
    let lines = LodProgress::new(subject.clone(), "--no-levels");
    let progress = |part: f32| {
        let percent = 100.0 * part;
        bar.set_message(format!(
            "{subject}: levels of detail {percent:.0} % (--no-levels leaves them out)"
        ));
        if bar.is_hidden() {
            lines.show_line(part);
        }
    };
    if args.for_formations {
        model.lods = bake::make_lods_for_formations(model, &progress)?;
    } else if model.lods.is_empty() {
        let cache = if args.no_cache { None } else { LodCache::usual() };
        let found = character::load_or_make_lods(model, cache.as_ref(), &progress)?;
        model.lods = found.lods;
        if let Some(note) = found.note {
            eprintln!("throng: {subject}: {note}");
        }
    }
    Ok(())
}

/// Format of the solver, or the requested one. A format that does not fit is replaced by f16 or f32, with a line on
/// standard error and in the report.
fn format(args: &BakeArgs, model: &Model, plan: Option<&Plan>, palettes: &Palettes) -> (AtlasFormat, Option<String>) {
    let asked = plan.map(|p| p.format).or(args.format).unwrap_or_default();
    if plan.is_some() {
        return (asked, None);
    }
    let (format, problem) = format_fitness::usable_format(model, palettes, asked);
    let rejection = problem.map(|why| format!("baked as {} instead: {why}", format.name()));
    if let Some(rejection) = &rejection {
        eprintln!("throng: {}: {rejection}", model.name);
    }
    (format, rejection)
}

/// Requested limit of the error (m).
fn max_error(args: &BakeArgs, model: &Model) -> Option<f32> {
    args.max_error.map(|limit| limit.millimetres(model.height()) / 1000.0)
}

/// Plan of the solver, if a limit is given.
fn solved(args: &BakeArgs, model: &Model) -> anyhow::Result<Option<(Plan, Palettes)>> {
    if args.max_error.is_none() && args.max_bytes.is_none() {
        return Ok(None);
    }
    let budget = Budget {
        max_error: max_error(args, model),
        max_bytes: args.max_bytes,
        formats: args.format.map_or_else(|| AtlasFormat::ALL.to_vec(), |f| vec![f]),
    };
    let options = VerifyOptions {
        max_samples: args.samples.max(LEAST_MEASURED),
        ..VerifyOptions::default()
    };
    let solved = solve(model, &budget, &options);
    let solved = solved.map_err(|source: NoPlan| anyhow::Error::new(source).context(model.name.clone()))?;
    Ok(Some(solved))
}

fn palettes(args: &BakeArgs, model: &Model, bar: &ProgressBar) -> anyhow::Result<Palettes> {
    let told = AtomicU64::new(0);
    let progress = |part: f32| {
        let now = (part * STEPS as f32) as u64;
        let before = told.fetch_max(now, Ordering::Relaxed);
        bar.inc(now.saturating_sub(before));
    };
    Ok(frame_placement(args.rate.unwrap_or(BY_MOTION), args.format).bake(model, &progress)?)
}

fn size_of_file(input: &Path) -> u64 {
    match embedded::embedded(&input.to_string_lossy()) {
        Some(bytes) => bytes.len() as u64,
        None => std::fs::metadata(CharacterPath::of(input).file).map_or(0, |m| m.len()),
    }
}
