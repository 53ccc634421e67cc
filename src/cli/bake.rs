//! `throng bake`: raw characters in, baked characters out.

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
        Atlas, AtlasFormat, format_fitness,
        solve::{Budget, NoPlan, Plan, solve},
        verify::{VerifyOptions, verify_atlases},
        vertex::VertexAtlas,
    },
    bake::{self, BakeOptions, Palettes},
    cli::{
        bake_report::{BakedFile, Times},
        exit_code,
        inputs::{BadUsage, keep_clips, parse_positive, parse_rate, parse_samples, spare_inputs},
        one_line, parse_whole,
    },
    console::{print_json, print_stdout},
    file::{
        self,
        output::{Output, is_special},
    },
    model::{Model, UnitSpace},
    scene::{embedded, milliseconds, open_model},
};

const EXAMPLES: &str = "\
Examples:
  throng bake hero.glb -o hero.baked.glb
  throng bake characters/*.glb -o baked/ --format trs16
  throng bake hero.glb -o out.glb --max-error 1          the smallest file with an error up to 1 mm
  throng bake hero.glb -o out.glb --max-bytes 500000     the most accurate file of that size
  throng bake hero.glb -o out.glb --clips idle,walk --rate 60 --json";

/// Arguments of `bake`.
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct BakeArgs {
    /// Characters (.glb, .gltf); baked files are baked again from their animations.
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<String>,
    /// Output file, or folder for several characters (created if missing).
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Frames per second; clips keyed at a rate close to it keep their own. Default 30.
    #[arg(long, value_parser = parse_rate, value_name = "HZ", allow_negative_numbers = true,
        conflicts_with_all = ["max_error", "max_bytes"])]
    pub rate: Option<f32>,
    /// Encoding of the matrices; default f16, or what the limits ask for. trs16 falls back to f16
    /// where it would be off by more than 0.1 % of the height.
    #[arg(long)]
    pub format: Option<AtlasFormat>,
    /// Names of the clips to bake, comma-separated; default: all.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub clips: Vec<String>,
    /// Also store baked vertices, for technique `vertex`.
    #[arg(long)]
    pub vertices: bool,
    /// Maximum error of any vertex at any time, millimetres; selects rates and format.
    #[arg(long, value_parser = parse_positive, value_name = "MM", allow_negative_numbers = true)]
    pub max_error: Option<f32>,
    /// Maximum size of the atlas, bytes; selects rates and format.
    #[arg(long, value_parser = |text: &str| parse_whole(text, 1, u64::MAX), value_name = "N", allow_negative_numbers = true)]
    pub max_bytes: Option<u64>,
    /// Maximum number of skinned vertices compared for the error report; 0 skips it.
    #[arg(long, default_value_t = 500_000, value_parser = parse_samples, value_name = "N", allow_negative_numbers = true)]
    pub samples: u64,
    /// Print the report as JSON, one object per character.
    #[arg(long)]
    pub json: bool,
}

/// Runs the command: bakes what can be baked. Failures are told one per line on standard error;
/// the exit code is that of the worst.
///
/// # Errors
/// The output cannot be a folder where one is needed; standard output is gone.
pub fn run(args: &BakeArgs) -> anyhow::Result<u8> {
    let outputs = outputs(args)?;
    if let Some(folder) = is_folder(args).then_some(&args.output) {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    let bar = progress_bar(args.models.len());
    let jobs: Vec<(&String, &PathBuf)> = args.models.iter().zip(&outputs).collect();
    let done: Vec<anyhow::Result<BakedFile>> = jobs
        .into_par_iter()
        .map(|(input, output)| bake_file(args, input, output, &bar))
        .collect();
    bar.finish_and_clear();
    let mut code = 0;
    let mut files = Vec::new();
    for result in done {
        match result {
            Ok(file) => files.push(file),
            Err(error) => {
                eprintln!("throng: {}", one_line(&format!("{error:#}")));
                code = code.max(exit_code(&error));
            }
        }
    }
    if args.json {
        print_json(&files)?;
    } else {
        print_stdout(&files.iter().map(BakedFile::to_string).collect::<String>())?;
    }
    Ok(code)
}

/// Whether the output is meant as a folder.
fn is_folder(args: &BakeArgs) -> bool {
    let out = &args.output;
    args.models.len() > 1 || out.is_dir() || out.to_string_lossy().ends_with(['/', '\\'])
}

/// Where each input goes.
fn outputs(args: &BakeArgs) -> Result<Vec<PathBuf>, BadUsage> {
    let out = &args.output;
    if !is_folder(args) {
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
    let named = |input: &String| {
        let stem = Path::new(input).file_stem().unwrap_or_default();
        out.join(format!("{}.glb", stem.to_string_lossy()))
    };
    let outputs: Vec<PathBuf> = args.models.iter().map(named).collect();
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

/// A baked character is a binary glTF file: another ending would promise what is not in it.
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

/// Steps of the progress bar per character.
const STEPS: u64 = 1000;

/// Hidden where standard error is no terminal.
fn progress_bar(inputs: usize) -> ProgressBar {
    let bar = ProgressBar::new(inputs as u64 * STEPS);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}") {
        bar.set_style(style);
    }
    bar
}

fn bake_file(args: &BakeArgs, input: &str, path: &Path, bar: &ProgressBar) -> anyhow::Result<BakedFile> {
    spare_inputs(path, &args.models)?;
    let output = Output::create(path)?;
    bar.set_message(input.to_owned());
    let start = Instant::now();
    let mut model = open_model(input)?.model;
    keep_clips(&mut model, &args.clips)?;
    let travels = bake::extract_root_motion(&mut model);
    let mut times = Times {
        import: milliseconds(start),
        ..Times::default()
    };
    let start = Instant::now();
    let plan = plan(args, &model)?;
    times.solve = milliseconds(start);
    let start = Instant::now();
    let mut palettes = palettes(args, &model, plan.as_ref(), bar)?;
    bake::state_ground_speeds(&mut model, &mut palettes);
    let (format, refusal) = format(args, &model, plan.as_ref(), &palettes);
    let atlas = Atlas::encode(&palettes, &UnitSpace::around(model.mesh.bounds()), format);
    times.bake = milliseconds(start);
    if args.vertices {
        VertexAtlas::check_size(&model, &palettes)?;
    }
    let vertices = args.vertices.then(|| VertexAtlas::encode(&model, &palettes));
    let start = Instant::now();
    let bytes = file::baked::to_bytes(&model, &atlas, vertices.as_ref()).with_context(|| input.to_owned())?;
    output.write(&bytes)?;
    times.write = milliseconds(start);
    let start = Instant::now();
    let options = VerifyOptions {
        max_samples: args.samples,
        ..VerifyOptions::default()
    };
    let errors = (args.samples > 0).then(|| verify_atlases(&model, &palettes, std::slice::from_ref(&atlas), &options));
    times.verify = milliseconds(start);
    let mut report = BakedFile::new(&model, &palettes, &atlas, vertices.as_ref());
    (report.input, report.output) = (input.to_owned(), path.display().to_string());
    (report.input_bytes, report.output_bytes) = (size_of_file(input), bytes.len() as u64);
    (report.times, report.plan, report.errors) = (times, plan, errors);
    report.notes.extend(travels);
    report.notes.extend(refusal);
    Ok(report)
}

/// The solver's format, or the one asked for; f16 instead of one that does not fit, said aloud
/// on standard error and in the report.
fn format(args: &BakeArgs, model: &Model, plan: Option<&Plan>, palettes: &Palettes) -> (AtlasFormat, Option<String>) {
    let asked = plan.map(|p| p.format).or(args.format).unwrap_or_default();
    if plan.is_some() {
        return (asked, None);
    }
    let refusal = format_fitness::misfit(model, palettes, asked).map(|why| format!("baked as f16 instead: {why}"));
    match refusal {
        Some(refusal) => {
            eprintln!("throng: {}: {refusal}", model.name);
            (AtlasFormat::F16, Some(refusal))
        }
        None => (asked, None),
    }
}

/// What the solver chose, where there is a budget.
fn plan(args: &BakeArgs, model: &Model) -> anyhow::Result<Option<Plan>> {
    if args.max_error.is_none() && args.max_bytes.is_none() {
        return Ok(None);
    }
    let budget = Budget {
        max_error: args.max_error.map(|mm| mm / 1000.0),
        max_bytes: args.max_bytes,
        formats: args.format.map_or_else(|| AtlasFormat::ALL.to_vec(), |f| vec![f]),
    };
    let plan =
        solve(model, &budget).map_err(|source: NoPlan| anyhow::Error::new(source).context(model.name.clone()))?;
    Ok(Some(plan))
}

fn palettes(args: &BakeArgs, model: &Model, plan: Option<&Plan>, bar: &ProgressBar) -> anyhow::Result<Palettes> {
    let told = AtomicU64::new(0);
    let progress = |part: f32| {
        let now = (part * STEPS as f32) as u64;
        let before = told.fetch_max(now, Ordering::Relaxed);
        bar.inc(now.saturating_sub(before));
    };
    if let Some(plan) = plan {
        let counts: Vec<u32> = plan.clips.iter().map(|c| c.frames).collect();
        return Ok(bake::bake_frames(model, &counts, &progress));
    }
    let default = BakeOptions::default();
    let options = args.rate.map_or(default, |rate| BakeOptions { rate });
    Ok(bake::bake(model, &options, &progress)?)
}

fn size_of_file(input: &str) -> u64 {
    match embedded::embedded(input) {
        Some(bytes) => bytes.len() as u64,
        None => std::fs::metadata(input).map_or(0, |m| m.len()),
    }
}
