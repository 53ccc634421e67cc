//! `throng dataset`: labelled pictures in bulk, each determined by its number alone.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use crate::{
    aov::AovRenderer,
    cli::{
        SceneArgs,
        film::{FilmBar, RESUMABLE},
        inputs::BadUsage,
        record::{RecordArgs, checksums},
    },
    config::{Config, LodQuality, parse::parse_whole},
    console::{print_json, print_stdout},
    dataset::{
        Ranges, SetFiles, SetPlan, SkyKind, Splits, Vary, VaryWhat, assemble, backgrounds_in, draw_set, sha256_of,
    },
    film::Shard,
    label::{LabelFormat, LabelRules, OutputKind, Recorder},
    render::{DrawPath, passes::AovKind},
    scene::Scene,
};

const EXAMPLES: &str = "\
Examples:
  throng dataset --pictures 1000 --seed 7 -o set          boxes, masks, key points of a thousand plazas
  throng dataset --scene stadium --vary camera,light,time --pictures 200 --seed 7 -o set
  throng dataset --vary camera,count,light,time,seed,sky,haze,roll,blur,noise,clothes --pictures 1000 --seed 7 -o set
  throng dataset --label-formats yolo,webdataset --pictures 1000 --seed 7 -o set
  throng dataset --ranges night.toml --pictures 1000 --seed 7 --passes color,depth,ids -o set
  throng dataset --pictures 10000 --seed 7 --shard 3/16 -o /shared/set; throng assemble /shared/set
  throng dataset --pictures 10000 --seed 7 --only 4711 -o again   one picture of the set again

Run again to continue after a stop: complete pictures are kept.";

/// Arguments of `dataset`.
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct DatasetArgs {
    /// Characters to use instead of the embedded ones (.glb, .gltf).
    pub models: Vec<PathBuf>,
    /// Number of pictures in the whole set.
    #[arg(long, value_parser = |text: &str| parse_whole::<u64>(text, 1, 10_000_000), value_name = "N", allow_negative_numbers = true)]
    pub pictures: u64,
    /// Parameters that vary from picture to picture: camera, count, light, time, seed [default: all of these, but for
    /// count with --count or --trajectories]; and sky, clouds, haze, layout, background, roll, distortion, blur, noise,
    /// clothes, cast.
    #[arg(long, value_name = "WHAT,...")]
    pub vary: Option<Vary>,
    /// Ranges of the varied parameters (.toml; docs/labels.md).
    #[arg(long, value_name = "FILE.toml")]
    pub ranges: Option<PathBuf>,
    /// Share of the pictures for validation, 0 to 1: exactly so many, rounded.
    #[arg(long, default_value_t = 0.1, value_parser = parse_share, value_name = "SHARE", allow_negative_numbers = true)]
    pub validation: f64,
    /// Folder of the set.
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Draw only part K of N; `throng assemble` completes the set.
    #[arg(long, default_value = "1/1", value_name = "K/N")]
    pub shard: Shard,
    /// Draw only the picture of this number.
    #[arg(long, value_name = "NUMBER", conflicts_with = "shard")]
    pub only: Option<u64>,
    /// Print a summary as JSON instead of text.
    #[arg(long)]
    pub json: bool,
    /// Passes and labels.
    #[command(flatten)]
    pub record: RecordArgs,
    /// Scene options.
    #[command(flatten)]
    pub scene: SceneArgs,
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("{text:?} is not a share from 0 to 1"))
}

/// Runs the command.
///
/// # Errors
/// Invalid scene, ranges or folder, no adapter that can label, a lost device, or a full disk.
pub fn run(args: &DatasetArgs) -> Result<()> {
    let mut base = args.scene.config(&args.models)?;
    base.render.lods = base.render.lods.or(LodQuality::Judged);
    // A data set always has labels.
    let record = RecordArgs {
        labels: true,
        ..args.record.clone()
    };
    let rules = SetFiles::rules(&args.output);
    let mut wanted = record.wanted(&base, OutputKind::Set, rules)?;
    let mut ranges = match &args.ranges {
        Some(file) => read_ranges(file)?,
        None => Ranges::default(),
    };
    if let Some(only) = args.only.filter(|only| *only >= args.pictures) {
        return Err(BadUsage(format!("--only {only}: the set ends before picture {}", args.pictures)).into());
    }
    // `--seed` is the seed of the set, and of the crowd unless that varies.
    let seed = args.scene.seed.unwrap_or(0);
    let vary = vary(args, &base, rules)?;
    let formats = args.record.label_formats.as_ref();
    if vary.has(VaryWhat::Distortion) && formats.is_some_and(|formats| formats.has(LabelFormat::Kitti)) {
        let why = "--label-formats kitti has no place for the distortion of a lens; leave distortion out of --vary";
        return Err(BadUsage(why.to_owned()).into());
    }
    warn_of_unused_count(args, &base, &vary, &ranges);
    if vary.has(VaryWhat::Sky) && ranges.air.skies.contains(&SkyKind::Night) {
        wanted.effects = vec![AovKind::Normal, AovKind::Albedo];
    }
    let backgrounds = backgrounds(args, &vary, &ranges)?;
    let aov_renderer = AovRenderer::open(
        &base,
        &args.scene.adapter(),
        (args.scene.draw.atlas, DrawPath::Selected),
        args.scene.lod_maker(base.render.lods),
    )?;
    follow_tracks(&aov_renderer.scene, &mut base, &mut ranges);
    let plan = SetPlan {
        pictures: args.pictures,
        seed,
        vary,
        backgrounds,
        rules,
        ranges,
        splits: Splits::new(seed, args.pictures, args.validation, rules),
        time: args.scene.time.unwrap_or(0.0),
        base,
        shard: args.shard,
        only: args.only,
    };
    let set = identity(args, &record, &plan, rules)?;
    let files = SetFiles::open(&args.output, &set)?;
    aov_renderer.scene.require_clips(&args.scene.clips)?;
    record.warn_unmapped_joints(&wanted, &aov_renderer.scene);
    let mut recorder = Recorder::new(aov_renderer, wanted);
    let begun = Instant::now();
    let bar = FilmBar::new()?;
    let done = draw_set(&mut recorder, &plan, &files, |progress| bar.tell(progress)).context(RESUMABLE)?;
    bar.finish();
    let seconds = begun.elapsed().as_secs_f64();
    let whole = plan.shard == Shard::WHOLE && plan.only.is_none();
    let assembled = whole.then(|| assemble(&files, &set)).transpose()?;
    let output = args.output.display().to_string();
    if args.json {
        return Ok(print_json(&json!({
            "output": output,
            "drawn": done.drawn,
            "kept": done.kept,
            "seconds": seconds,
            "people": assembled.map(|all| all.people),
        }))?);
    }
    let people = assembled.map_or_else(String::new, |all| {
        format!(
            "{} for training, {} for validation, {} people\n",
            all.train, all.val, all.people
        )
    });
    let (drawn, kept) = (done.drawn, done.kept);
    Ok(print_stdout(&format!(
        "{drawn} pictures drawn in {seconds:.1} s, {kept} kept\n{people}wrote      {output}\n"
    ))?)
}

/// Takes the number of people from a file of trajectories, and leaves out times after its last sample.
#[cfg(feature = "tracks")]
fn follow_tracks(scene: &Scene, base: &mut Config, ranges: &mut Ranges) {
    let Some(tracks) = &scene.tracks else { return };
    base.scene.count = scene.crowd.count().clamp(1, u32::MAX as usize) as u32;
    let last = tracks.presence.duration();
    ranges.time = ranges.time.map(|time| time.min(last));
}

/// Changes nothing without the feature `tracks`.
#[cfg(not(feature = "tracks"))]
fn follow_tracks(_scene: &Scene, _base: &mut Config, _ranges: &mut Ranges) {}

/// Parameters that vary: those named, or the usual ones. A number of people that is given stays, unless the set began
/// by the first rules. Trajectories state number and places of people.
fn vary(args: &DatasetArgs, base: &Config, rules: LabelRules) -> Result<Vary> {
    if base.scene.trajectories.is_on() {
        let vary = args.vary.clone();
        let vary = vary.unwrap_or_else(|| Vary::usual().without(VaryWhat::Count));
        if vary.has(VaryWhat::Count) || vary.has(VaryWhat::Layout) {
            let why = "the file of trajectories states who is there and where; leave count and layout out of --vary";
            return Err(BadUsage(why.to_owned()).into());
        }
        return Ok(vary);
    }
    let gives_count = args.scene.count.is_some() || args.scene.set.iter().any(|set| set.starts_with("scene.count="));
    Ok(match &args.vary {
        Some(vary) => vary.clone(),
        None if gives_count && rules != LabelRules::First => Vary::usual().without(VaryWhat::Count),
        None => Vary::usual(),
    })
}

/// Files that may stand behind the people; none unless backgrounds vary. The folder is relative to the file of ranges.
fn backgrounds(args: &DatasetArgs, vary: &Vary, ranges: &Ranges) -> Result<Vec<PathBuf>> {
    let folder = &ranges.background.folder;
    if !vary.has(VaryWhat::Background) {
        return Ok(Vec::new());
    }
    if folder.as_os_str().is_empty() {
        let why = "--vary background needs a folder of pictures: [background] folder = \"DIR\" in --ranges FILE.toml";
        return Err(BadUsage(why.to_owned()).into());
    }
    let beside = args.ranges.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    backgrounds_in(&beside.join(folder))
}

/// Says which number of people is not used because it varies: that of `--count`, or a scene's own.
fn warn_of_unused_count(args: &DatasetArgs, base: &Config, vary: &Vary, ranges: &Ranges) {
    if !vary.has(VaryWhat::Count) {
        return;
    }
    let whose = match (args.scene.count, &args.scene.scene) {
        (Some(_), _) => "--count".to_owned(),
        (None, Some(scene)) => format!("scene {scene}"),
        (None, None) => return,
    };
    let (count, [least, most]) = (base.scene.count, ranges.count);
    eprintln!(
        "{whose} has {count} people, but their number varies from {least} to {most} (--ranges); leave count out of \
         --vary to keep it"
    );
}

fn read_ranges(file: &Path) -> Result<Ranges> {
    let shown = file.display().to_string();
    let read = std::fs::read_to_string(file);
    let text = read.map_err(|error| BadUsage(format!("cannot read {shown}: {error}")))?;
    Ok(Ranges::parse(&shown, &text)?)
}

/// Identity of the set: all options that its pictures depend on.
fn identity(args: &DatasetArgs, record: &RecordArgs, plan: &SetPlan, rules: LabelRules) -> Result<serde_json::Value> {
    let mut set = json!({
        "throng": env!("CARGO_PKG_VERSION"),
        "pictures": plan.pictures,
        "seed": plan.seed,
        "vary": plan.vary.names().collect::<Vec<_>>(),
        "ranges": plan.ranges,
        "validation": args.validation,
        "time": plan.time,
        "clips": args.scene.clips,
        "record": record.identity(rules)?,
        "config": serde_json::to_value(&plan.base)?,
        "files": checksums(&plan.base),
    });
    // Sets of before have no such key.
    if !plan.backgrounds.is_empty() {
        let sum = |file: &PathBuf| -> Result<(String, serde_json::Value)> {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let sum = sha256_of(file).with_context(|| format!("reading {}", file.display()))?;
            Ok((name, sum.into()))
        };
        let sums: Result<serde_json::Map<_, _>> = plan.backgrounds.iter().map(sum).collect();
        set["backgrounds"] = sums?.into();
    }
    Ok(set)
}
