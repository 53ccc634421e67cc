//! The command line: commands, options, exit codes. See `throng --help`.

pub mod adapters;
mod animation_args;
mod annotator;
mod arguments;
pub mod assemble;
pub mod bake;
mod camera_args;
pub mod dataset;
mod draw_args;
pub mod error_limit;
pub mod export;
pub mod film;
pub mod info;
pub mod inputs;
pub mod json_shape;
mod lod_progress;
pub mod record;
mod scene_args;
pub mod shell;
pub mod shot;
#[cfg(unix)]
mod signals;
mod track_args;
pub mod verify;

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
};

use clap::{
    Args, CommandFactory, Parser, Subcommand,
    error::{ContextKind, ContextValue, ErrorKind},
};

pub use animation_args::AnimationArgs;
pub use arguments::{command_first, warn_of_old_options};
pub use camera_args::CameraArgs;
pub use draw_args::{DrawArgs, Smoothing};
pub use scene_args::SceneArgs;
#[cfg(unix)]
pub use signals::remove_unfinished_when_ended;
pub use track_args::{TrackArgs, TrajectoryArgs};

use crate::{
    app::{self, AppOptions},
    atlas::{baked_vertex::TooManyVertices, solve::NoPlan},
    bake::BakeError,
    bench::{self, BenchArgs},
    cli::{
        adapters::AdaptersArgs,
        assemble::AssembleArgs,
        bake::BakeArgs,
        dataset::DatasetArgs,
        export::ExportArgs,
        film::FilmArgs,
        info::InfoArgs,
        inputs::BadUsage,
        record::RecordArgs,
        shell::{CompletionsArgs, ManArgs},
        verify::VerifyArgs,
    },
    config::{Config, ConfigError, KEYS, Key, nearest, parse::parse_whole},
    console::print_stdout,
    dataset::RangesError,
    file::{ModelError, allow_files_below},
    film::NotOurs,
    gpu::GpuError,
    label::MappingError,
    scene::{
        SceneError,
        embedded::{NAMES, embedded},
        is_bare_word,
    },
    tracks::TrackError,
};

const EXAMPLES: &str = "\
Examples:
  throng                                     open the plaza in a window
  throng view hero.glb --count 5000          your own character, 5000 times
  throng shot --count 1000 -o a.png --stats a.json
  throng shot hero.glb -o hero.png           one character, framed and lit
  throng bake hero.glb villain.glb -o baked/ write files that open in milliseconds
  throng view hero.glb --animations walks.glb   clips of another file, joints matched by name
  throng verify hero.glb                     measure the error of baking in millimetres
  throng shot --scene stadium --camera street --size 1920x1080 -o stadium.png

Exit codes: 0 success, 1 failure, 2 invalid usage or input, 3 a requested limit was not met
(bake --max-error, --max-bytes; verify --max-error; bench --baseline).";

/// Huge crowds of skeletal-animated characters from matrix-texture animation atlases.
#[derive(Parser, Debug)]
#[command(version, about, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// Command to run; without one, the window opens.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Print more to standard error (-v info, -vv debug); overridden by THRONG_LOG.
    // Placed before the scene options, whose heading applies to all options after them.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,
    /// Folder in and below which characters may read buffers and images, besides their own folder. Repeatable.
    #[arg(long, value_name = "FOLDER", global = true)]
    pub files_below: Vec<PathBuf>,
    /// Options of the window when no command is given.
    #[command(flatten)]
    pub view: ViewArgs,
}

/// Commands of the program.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Open the window (default).
    #[command(after_help = VIEW_EXAMPLES)]
    View(ViewArgs),
    /// Render one frame without a window and write it as PNG.
    Shot(ShotArgs),
    /// Draw many frames without a window: numbered files, a video, a GIF or a pipe.
    Film(FilmArgs),
    /// Draw labelled pictures in bulk, each determined by its number alone.
    Dataset(DatasetArgs),
    /// Check that frames or a data set from several machines are complete, and combine them.
    Assemble(AssembleArgs),
    /// List the graphics adapters and their names for --adapter.
    Adapters(AdaptersArgs),
    /// Compare techniques, formats and counts without a window.
    Bench(BenchArgs),
    /// Bake glTF characters into files that open instantly.
    Bake(BakeArgs),
    /// Show the contents of a raw or baked character, or of a file of trajectories.
    Info(InfoArgs),
    /// Measure the error of baking in millimetres.
    Verify(VerifyArgs),
    /// Write a character's atlas as KTX2 and JSON for other engines, or a page for browsers.
    Export(ExportArgs),
    /// Print the completion script of a shell.
    Completions(CompletionsArgs),
    /// Print the manual page, or write a page for every command.
    Man(ManArgs),
}

const VIEW_EXAMPLES: &str = "\
Examples:
  throng view                                the plaza
  throng view --scene stadium --camera street
  throng view hero.glb --count 5000 --technique vertex
  throng view hero.glb --animations walks.glb --count 500
  throng view hero.glb --viewer              one character: clips, joints, root motion, error
  throng mine.toml --adapter gpu             a scene file
  throng view --set look.sun_elevation=4 --set look.clouds=0.8";

const SHOT_EXAMPLES: &str = "\
Examples:
  throng shot --scene army --camera front --time 20 -o army.png
  throng shot hero.glb -o hero.png           one character, framed and lit
  throng shot --eye 3,1.7,12 --look-at 0,1,0 --set camera.fov=30 -o a.png
  throng shot --count 1000 -o a.png --stats a.json
  throng shot --scene stadium --size 360x202 --frames 24 --fps 12 -o stadium.gif
  throng shot --passes depth,ids --labels -o a.png
  throng shot -o - | display -               a picture on standard output";

/// Arguments of `view`.
#[derive(Args, Debug, Clone, Default)]
pub struct ViewArgs {
    /// Characters to use instead of the embedded ones (.glb, .gltf), or folders of them; a .toml file is the scene.
    pub models: Vec<PathBuf>,
    /// Start in the viewer: one character on a turntable before a plain background.
    #[arg(long)]
    pub viewer: bool,
    /// Neither restore nor keep window size, panel and recent files.
    #[arg(long, alias = "no-memory")]
    pub no_persist: bool,
    /// Scene options.
    #[command(flatten)]
    pub scene: SceneArgs,
}

/// Arguments of `shot`.
#[derive(Args, Debug, Clone, Default)]
#[command(after_help = SHOT_EXAMPLES)]
pub struct ShotArgs {
    /// Characters to use instead of the embedded ones (.glb, .gltf), or folders of them; a .toml file is the scene.
    pub models: Vec<PathBuf>,
    /// Picture to write, or - for standard output; with --frames, an animation (.gif).
    #[arg(short, long, default_value = "throng.png", value_name = "FILE.png|FILE.gif")]
    pub output: PathBuf,
    /// Write a looping GIF of this many frames, 1/fps apart.
    #[arg(long, value_parser = |text: &str| parse_whole::<u32>(text, 1, 600), allow_negative_numbers = true)]
    pub frames: Option<u32>,
    /// Frames per second of the GIF.
    #[arg(long, default_value_t = 15, requires = "frames", allow_negative_numbers = true,
        value_parser = |text: &str| parse_whole::<u32>(text, 1, 50))]
    pub fps: u32,
    /// Also write the frame's statistics as JSON.
    #[arg(long, value_name = "FILE.json")]
    pub stats: Option<PathBuf>,
    /// Print the statistics as JSON instead of text.
    #[arg(long)]
    pub json: bool,
    /// Minimum interval between timed frames in seconds, 0 to 60. Above 0, CPU times are those of separate frames with
    /// cold caches, instead of frames that run ahead of the GPU.
    #[arg(long, alias = "pace", default_value_t = 0.0, value_parser = parse_frame_interval, value_name = "SECONDS",
        allow_negative_numbers = true)]
    pub frame_interval: f64,
    /// Passes and labels.
    #[command(flatten)]
    pub record: RecordArgs,
    /// Scene options.
    #[command(flatten)]
    pub scene: SceneArgs,
}

fn parse_frame_interval(text: &str) -> Result<f64, String> {
    parse_seconds(text, 60.0)
}

fn parse_seconds(text: &str, most: f64) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|s| (0.0..=most).contains(s));
    seconds.ok_or_else(|| format!("{text:?} is not a number of seconds from 0 to {most}"))
}

/// Runs a command; returns the exit code of a run without errors.
///
/// # Errors
/// All errors that [`exit_code`] maps to 1, 2 or 3.
pub fn run(cli: Cli) -> anyhow::Result<u8> {
    for folder in &cli.files_below {
        let missing = |error| BadUsage(format!("--files-below {}: {error}", folder.display()));
        allow_files_below(folder).map_err(missing)?;
    }
    match cli.command {
        Some(Command::Shot(args)) => shot::run(&args).map(|()| 0),
        Some(Command::Film(args)) => film::run(&args).map(|()| 0),
        Some(Command::Dataset(args)) => dataset::run(&args).map(|()| 0),
        Some(Command::Assemble(args)) => assemble::run(&args).map(|()| 0),
        Some(Command::Adapters(args)) => adapters::run(&args).map(|()| 0),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Bake(args)) => bake::run(&args),
        Some(Command::Info(args)) => info::run(&args),
        Some(Command::Verify(args)) => verify::run(&args),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Completions(args)) => shell::completions(&args).map(|()| 0),
        Some(Command::Man(args)) => shell::man(&args).map(|()| 0),
        Some(Command::View(args)) => view(&args),
        None => {
            refuse_misspelt(&cli.view.models)?;
            view(&cli.view)
        }
    }
}

/// Opens the window; without a display, draws one picture instead.
fn view(args: &ViewArgs) -> anyhow::Result<u8> {
    let mut config = args.scene.config(&args.models)?;
    if args.scene.shows_one(&args.models, &config) {
        // In the window, more people may be added, so levels of detail stay on.
        config.render.detail = Config::default().render.detail;
    }
    let options = AppOptions {
        time: args.scene.time.or(config.start_time()).unwrap_or(0.0),
        config,
        cache: args.scene.cache(),
        source: args.scene.draw.atlas,
        adapter: args.scene.adapter(),
        viewer: args.viewer,
        scene: args.scene.file(&args.models),
        is_sized: args.scene.size.is_some(),
        memory: !args.no_persist,
        is_default_scene: args.models.is_empty()
            && args.scene.scene.is_none()
            && args.scene.count.is_none()
            && args.scene.set.is_empty(),
    };
    match app::run(&options)? {
        app::AppExit::Closed => Ok(0),
        app::AppExit::NoDisplay(reason) => without_display(args, &reason),
    }
}

fn without_display(args: &ViewArgs, reason: &str) -> anyhow::Result<u8> {
    print_stdout(&format!(
        "no display ({reason}): rendering one picture without a window\n"
    ))?;
    let shot = ShotArgs {
        models: args.models.clone(),
        output: free_name(Path::new("throng.png")),
        scene: args.scene.clone(),
        ..ShotArgs::default()
    };
    shot::run(&shot).map(|()| 0)
}

/// File name itself, or the first free of `name-2.png`, `name-3.png`, …. The user named no output, so no file may be
/// overwritten.
fn free_name(wished: &Path) -> PathBuf {
    let stem = wished.file_stem().unwrap_or_default().to_string_lossy();
    let ending = wished.extension().unwrap_or_default().to_string_lossy();
    let id_draws = (2..).map(|number: u32| wished.with_file_name(format!("{stem}-{number}.{ending}")));
    let mut names = std::iter::once(wished.to_owned()).chain(id_draws);
    // A dangling symbolic link also counts as an existing file.
    let free = names.find(|name| name.symlink_metadata().is_err());
    free.unwrap_or_else(|| wished.to_owned())
}

/// Rejects a single word that is neither command, character nor file.
fn refuse_misspelt(models: &[PathBuf]) -> Result<(), BadUsage> {
    let [path] = models else { return Ok(()) };
    let word = path.to_string_lossy();
    if embedded(&word).is_some() || !is_bare_word(path) {
        return Ok(());
    }
    let command = Cli::command();
    let known = command.get_subcommands().map(clap::Command::get_name);
    let near = nearest(&word, known.chain(NAMES.iter().copied()));
    let hint = match near {
        _ if Config::preset_names().any(|preset| preset == word) => format!("; did you mean `--scene {word}`?"),
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    };
    Err(BadUsage(format!("{word}: no such command, character or file{hint}")))
}

/// Exit code of an error: 2 for invalid usage or input, 3 for a limit that cannot be met, 1 for all others.
#[must_use]
pub fn exit_code(error: &anyhow::Error) -> u8 {
    if error.chain().any(|cause| cause.is::<NoPlan>()) {
        return 3;
    }
    let input = error.chain().any(|cause| {
        cause.is::<SceneError>()
            || cause.is::<ModelError>()
            || cause.is::<ConfigError>()
            || cause.is::<BakeError>()
            || cause.is::<TooManyVertices>()
            || cause.is::<bench::report::ReadError>()
            || cause.is::<bench::report::WouldOverwrite>()
            || cause.is::<BadUsage>()
            || cause.is::<NotOurs>()
            || cause.is::<MappingError>()
            || cause.is::<RangesError>()
            || cause.is::<TrackError>()
            || matches!(
                cause.downcast_ref(),
                Some(
                    GpuError::NoSuchAdapter { .. }
                        | GpuError::NoFragmentWrites { .. }
                        | GpuError::TooLarge { .. }
                        | GpuError::Memory { .. }
                )
            )
    });
    if input { 2 } else { 1 }
}

/// Usage error as one line, without the summary of all options.
#[must_use]
pub fn usage_error(error: &clap::Error) -> String {
    let text = error.to_string();
    let message = text.split("\n\nUsage:").next().unwrap_or_default();
    let message = message.split("\n\nFor more information").next().unwrap_or_default();
    if let Some(setting) = setting_of(error) {
        let message = message.split("\n\n  tip:").next().unwrap_or_default();
        let message = one_line(message.trim_start_matches("error: "));
        return format!("{message}; it is a setting: --set {setting}=VALUE (see --help)");
    }
    // clap's advice on arguments that begin with a dash; here these are invalid numbers.
    let message = message.split("\n\n  tip: to pass '").next().unwrap_or_default();
    let message = one_line(message.trim_start_matches("error: "));
    format!("{message} (see --help)")
}

/// Setting of a scene file that an unknown option names by its last word: `scene.spacing` for `--spacing`.
fn setting_of(error: &clap::Error) -> Option<&'static str> {
    let unknown = error.kind() == ErrorKind::UnknownArgument;
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg).filter(|_| unknown) else {
        return None;
    };
    let name = option.trim_start_matches('-').split('=').next()?.replace('-', "_");
    let is_named = |key: &&Key| !key.path.contains('*') && key.path.rsplit('.').next() == Some(&name);
    KEYS.iter().find(is_named).map(|key| key.path)
}

/// Text as one line: whitespace as single spaces, control characters as escapes.
#[must_use]
pub fn one_line(text: &str) -> String {
    crate::console::printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Sends log lines to standard error.
pub fn init_logging(verbose: u8) {
    let default = match verbose {
        // Warnings about old names stay on. wgpu logs errors when it finds no display, so these are off.
        0 => "error,throng::config::aliases=warn,wgpu_hal::gles=off",
        1 => "throng=info,warn",
        _ => "throng=debug,info",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("THRONG_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(default));
    // A second call, in tests, finds a subscriber installed.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .try_init();
}
