//! Options of `throng bench`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use crate::{
    atlas::AtlasFormat,
    bench::{BenchView, SceneMethod, SceneView},
    config::{
        Technique,
        parse::{parse_count, parse_seed, parse_size, parse_switch, parse_whole},
    },
    gpu::adapter::AdapterChoice,
    render::resources::AtlasSource,
};

const EXAMPLES: &str = "\
Examples:
  throng bench --quick --out report          under a minute, even on a software rasterizer
  throng bench --characters hero.glb --counts 10000 --techniques matrix,vertex
  throng bench --baseline old/report.json    exit code 3 if something became slower
  throng bench --scenes plaza,million@sea    whole frames: full detail, LODs, software rasterizer
  throng bench --scenes army --draw auto,preskinned
                                             each instance posed, then each pose once
  throng bench --trajectories corridor.txt   whole frames of people on trajectories, when most are there
  throng bench --quality --scenes army       whether LODs are visible; exit code 3 if so
  throng bench --actors                      people whom the CPU moves, fades and spawns every frame
  throng bench --contribute                  a block to paste into an issue";

/// Arguments of `bench`.
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("whole").args(["scenes", "trajectories", "quality"]).multiple(true))]
#[command(group = ArgGroup::new("frames").args(["scenes", "trajectories"]).multiple(true))]
pub struct BenchArgs {
    /// Folder for report.json, report.csv, report.md and the plots; created if missing.
    #[arg(long, default_value = "throng-bench", value_name = "DIR")]
    pub out: PathBuf,
    /// Small counts and pictures: under a minute, even on a CPU adapter.
    #[arg(long)]
    pub quick: bool,
    /// Embedded characters (woman, man, girl, elder, knight) or .glb/.gltf files.
    #[arg(long, value_delimiter = ',', default_value = "woman", value_name = "NAME|FILE,...")]
    pub characters: Vec<PathBuf>,
    /// Instances, 1 to 10000000 [default: 1000,10000,100000; quick: 20,80]
    #[arg(long, value_delimiter = ',', value_parser = parse_count, value_name = "N,...",
        allow_negative_numbers = true)]
    pub counts: Vec<u32>,
    /// Techniques to compare with static [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub techniques: Vec<Technique>,
    /// Atlas encodings of the matrix technique [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub formats: Vec<AtlasFormat>,
    /// Source of the animation data of matrix and vertex [default: both; quick: texture]
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub atlas: Vec<AtlasSource>,
    /// Camera views; `overview` shows everyone [default: overview,street,close]
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub cameras: Vec<BenchView>,
    /// Measure whole frames of scenes instead: full detail, LODs with culling, software rasterizer. Takes presets,
    /// .toml files, or `grid`, which uses --characters; SCENE@VIEW chooses a view.
    #[arg(long, value_delimiter = ',', value_name = "SCENE[@VIEW],...",
        conflicts_with_all = ["techniques", "formats", "atlas", "cameras", "baseline", "from", "contribute"])]
    pub scenes: Vec<SceneView>,
    /// Measure whole frames of people on a file of trajectories, as --scenes does, from the moment on when most are
    /// there. --set gives what the file lacks.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["quality", "characters", "counts", "techniques", "formats",
        "atlas", "cameras", "baseline", "from", "contribute"])]
    pub trajectories: Option<PathBuf>,
    /// With --scenes, --trajectories or --quality: any setting of a scene file, such as look.clouds=0.8 or
    /// scene.trajectories.fps=25. Repeatable; other options take precedence.
    #[arg(long, value_name = "KEY=VALUE", requires = "whole")]
    pub set: Vec<String>,
    /// Compare pictures of --scenes [default: every preset] with LODs and culling with full detail at 64 samples per
    /// pixel instead. Tests error, bias and popping against stated limits. Writes quality.json, quality.md and pictures
    /// of the worst tiles; exit code 3 if a limit is not met.
    #[arg(long,
        conflicts_with_all = ["techniques", "formats", "atlas", "cameras", "baseline", "from", "contribute", "draw"])]
    pub quality: bool,
    /// Measure actors instead: 100,000 who stay as they are, of whom a tenth are changed every frame, by a call each and
    /// by lists, and a tenth more spawned in one frame, each twice (A/A control). Reports CPU time, bytes sent, GPU time
    /// of animate, and the cost of a second picture. Writes actors.json and actors.md; --counts and --characters choose
    /// others.
    #[arg(long, conflicts_with_all = ["whole", "techniques", "formats", "atlas", "cameras", "baseline", "from",
        "contribute", "draw"])]
    pub actors: bool,
    /// With --quality: scene times per view, 1 to 100 [default: 5; quick: 1]
    #[arg(long, value_parser = |text: &str| parse_whole::<u32>(text, 1, 100), value_name = "N", requires = "quality",
        allow_negative_numbers = true)]
    pub moments: Option<u32>,
    /// With --scenes or --trajectories: methods to draw them, all but preskinned with technique matrix [default: full,auto,compute]
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", requires = "frames")]
    pub draw: Vec<SceneMethod>,
    /// With --scenes, --trajectories or --quality: samples per pixel, 1 or 4 [default: that of the scene]
    #[arg(long, value_parser = parse_samples, value_name = "N", requires = "whole")]
    pub samples: Option<u32>,
    /// With --scenes, --trajectories or --quality: shadows, on or off [default: that of the scene]
    #[arg(long, value_parser = parse_switch, value_name = "on|off", requires = "whole")]
    pub shadows: Option<bool>,
    /// Maximum number of timed frames per entry [default: 30; quick: 5]
    #[arg(long, value_parser = |text: &str| parse_whole::<u32>(text, 1, 10_000), value_name = "N", allow_negative_numbers = true)]
    pub repeats: Option<u32>,
    /// Time per entry (s) after which it ends, once it has five frames [default: 2; quick: 0.5]
    #[arg(long, value_parser = parse_positive, value_name = "SECONDS", allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Picture size (px) [default: 1920x1080; quick: 320x180]
    #[arg(long, value_parser = parse_size, value_name = "WxH")]
    pub size: Option<(u32, u32)>,
    /// Seed of the crowd, 0 to 2^63-1; the same seed gives the same crowd.
    #[arg(long, default_value_t = 1, value_parser = parse_seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// Adapter: auto, gpu, cpu, gl, or part of its name.
    #[arg(long, default_value = "auto", value_name = "NAME|gpu|cpu|gl")]
    pub adapter: String,
    /// Compare with an earlier report.json; exit code 3 on regression.
    #[arg(long, value_name = "report.json")]
    pub baseline: Option<PathBuf>,
    /// Slowdown that counts as a regression, beyond the noise of both runs.
    #[arg(long, default_value = "5%", value_parser = parse_percent, value_name = "PERCENT")]
    pub max_regression: f64,
    /// Read this report.json instead of measuring, compare it, and write tables and plots again.
    #[arg(long, value_name = "report.json")]
    pub from: Option<PathBuf>,
    /// Print report.json instead of the summary.
    #[arg(long)]
    pub json: bool,
    /// Text to include in the report, for example a commit or a driver setting.
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
    /// Date to print in the report [default: current time, UTC]
    #[arg(long, value_name = "TEXT")]
    pub date: Option<String>,
    /// Run a short standard benchmark (about a minute on a GPU; add --quick without one). Prints one block to paste
    /// into an issue. TEXT: your name or machine.
    #[arg(long, value_name = "TEXT", num_args = 0..=1, default_missing_value = "")]
    pub contribute: Option<String>,
}

impl BenchArgs {
    /// Returns the requested adapter.
    #[must_use]
    pub fn adapter(&self) -> AdapterChoice {
        self.adapter.parse().unwrap_or_default()
    }

    /// Returns the name of the contributor, if given.
    #[must_use]
    pub fn contributor(&self) -> Option<String> {
        self.contribute.clone().filter(|text| !text.trim().is_empty())
    }
}

fn parse_positive(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0);
    value.ok_or_else(|| format!("{text:?} is not a number above 0"))
}

fn parse_samples(text: &str) -> Result<u32, String> {
    match text {
        "1" => Ok(1),
        "4" => Ok(4),
        _ => Err(format!("{text:?} is neither 1 nor 4")),
    }
}

/// Parses `5%` or `5` as 0.05.
fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    let valid = number.filter(|v| v.is_finite() && (0.0..=10_000.0).contains(v));
    valid
        .map(|v| v / 100.0)
        .ok_or_else(|| format!("{text:?} is not a percentage; use for example 5%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_may_carry_their_sign() {
        assert_eq!(parse_percent("5%"), Ok(0.05));
        assert_eq!(parse_percent(" 12.5 "), Ok(0.125));
        assert!(parse_percent("-1%").is_err());
        assert!(parse_percent("much").is_err());
    }
}
