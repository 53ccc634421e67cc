//! Plan of a measurement: entries (technique, format, source), counts and views.

use serde::{Deserialize, Serialize};

use crate::{
    atlas::AtlasFormat,
    bench::BenchArgs,
    config::{Config, Ground, Layout, LookConfig, Technique},
    render::{DrawMethod, resources::AtlasSource, technique::Role},
};

/// View that benchmarks draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BenchView {
    /// Everyone in view: vertex-bound.
    Overview,
    /// Eye level within the crowd: most people are occluded or outside the view.
    Street,
    /// One person fills the view, with the crowd behind: fragment-bound.
    Close,
}

impl BenchView {
    /// Name as on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Overview => "overview",
            Self::Street => "street",
            Self::Close => "close",
        }
    }
}

/// Draw method that is compared with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BenchEntry {
    /// Technique, atlas format and source.
    #[serde(flatten)]
    pub method: DrawMethod,
    /// True for the second measurement of an entry: the ratio of the two is the noise (A/A control).
    pub control: bool,
}

impl BenchEntry {
    /// `matrix f16 texture`, `vertex texture`, `static`, `static (again)`.
    #[must_use]
    pub fn name(self) -> String {
        let name = self.method.name();
        if self.control { name + " (again)" } else { name }
    }
}

/// Everything that one run measures.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchPlan {
    /// Entries that are measured side by side.
    pub entries: Vec<BenchEntry>,
    /// Instances, ascending.
    pub counts: Vec<u32>,
    /// Views that are drawn at every count.
    pub views: Vec<BenchView>,
    /// Picture size (px).
    pub size: (u32, u32),
    /// Largest number of timed frames per entry.
    pub repeats: u32,
    /// Time per entry (s) after which no further frame is timed; five frames are timed in any case.
    pub seconds: f64,
    /// Largest number of vertices that the CPU skins to measure errors; frames are skipped above it.
    pub error_vertices: u64,
}

/// Defaults of options that the command line leaves out.
struct Preset {
    counts: &'static [u32],
    sources: &'static [AtlasSource],
    views: &'static [BenchView],
    size: (u32, u32),
    repeats: u32,
    seconds: f64,
    error_vertices: u64,
}

const FULL: Preset = Preset {
    counts: &[1000, 10_000, 100_000],
    sources: &AtlasSource::ALL,
    views: &[BenchView::Overview, BenchView::Street, BenchView::Close],
    size: (1920, 1080),
    repeats: 30,
    seconds: 2.0,
    error_vertices: 4_000_000,
};

/// Defaults of `--contribute`: small enough for a table in an issue, large enough to load a GPU.
const STANDARD: Preset = Preset {
    counts: &[1000, 10_000],
    views: &[BenchView::Overview],
    repeats: 20,
    seconds: 0.5,
    error_vertices: 1_000_000,
    ..FULL
};

/// Defaults of `--quick`: a software rasterizer draws it within a minute.
const QUICK: Preset = Preset {
    counts: &[20, 80],
    sources: &[AtlasSource::Texture],
    size: (320, 180),
    repeats: 5,
    seconds: 0.5,
    error_vertices: 250_000,
    ..FULL
};

fn preset(args: &BenchArgs) -> Preset {
    match (args.quick, &args.contribute) {
        (true, Some(_)) => Preset {
            views: STANDARD.views,
            ..QUICK
        },
        (true, None) => QUICK,
        (false, Some(_)) => STANDARD,
        (false, None) => FULL,
    }
}

impl BenchPlan {
    /// Makes the plan of a command line. `static` is always measured, since everything is compared with it.
    #[must_use]
    pub fn new(args: &BenchArgs) -> Self {
        let preset = preset(args);
        let mut counts = given(&args.counts, preset.counts);
        counts.sort_unstable();
        counts.dedup();
        Self {
            entries: entries(
                &given(&args.techniques, Technique::ALL),
                &given(&args.formats, &AtlasFormat::ALL),
                &given(&args.atlas, preset.sources),
            ),
            counts,
            views: given(&args.cameras, preset.views),
            size: args.size.unwrap_or(preset.size),
            repeats: args.repeats.unwrap_or(preset.repeats),
            seconds: args.seconds.unwrap_or(preset.seconds),
            error_vertices: preset.error_vertices,
        }
    }

    /// Number of rows that the report will have.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.entries.len() * self.counts.len() * self.views.len()
    }
}

fn given<T: Copy>(asked: &[T], default: &[T]) -> Vec<T> {
    if asked.is_empty() {
        default.to_vec()
    } else {
        asked.to_vec()
    }
}

fn entries(techniques: &[Technique], formats: &[AtlasFormat], sources: &[AtlasSource]) -> Vec<BenchEntry> {
    // Every entry is compared with the unanimated mesh: it comes first, requested or not.
    let baselines = Technique::ALL.iter().copied();
    let mut wanted: Vec<Technique> = baselines.filter(|t| t.facts().role == Role::LowerBound).collect();
    wanted.extend(techniques);
    let methods = DrawMethod::combinations(&wanted, formats, sources);
    let mut entries: Vec<BenchEntry> = methods
        .into_iter()
        .map(|method| BenchEntry { method, control: false })
        .collect();
    // A/A control: the first entry again, with buffers of its own, at the greatest distance from it in a round.
    entries.push(BenchEntry {
        control: true,
        ..entries[0]
    });
    let mut seen = std::collections::HashSet::new();
    entries.retain(|e| seen.insert(*e));
    entries
}

/// Scene of every benchmark: an even grid, no shadows, no props, one sample per pixel.
#[must_use]
pub(super) fn scene_config(args: &BenchArgs, plan: &BenchPlan, count: u32) -> Config {
    let mut config = Config::default();
    config.scene.name = "bench".into();
    config.scene.characters.clone_from(&args.characters);
    config.scene.count = count;
    config.scene.seed = args.seed;
    config.scene.layout = Layout::Grid;
    config.scene.spacing = 1.0;
    config.look = LookConfig {
        shadows: false,
        ground: Ground::Grid,
        ..LookConfig::default()
    };
    config.render.msaa = 1;
    config.render.interpolate = true;
    (config.window.width, config.window.height) = plan.size;
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_its_own_name_and_static_comes_first() {
        let entries = entries(Technique::ALL, &AtlasFormat::ALL, &AtlasSource::ALL);
        let names: std::collections::BTreeSet<String> = entries.iter().map(|e| e.name()).collect();
        assert_eq!(names.len(), entries.len());
        assert_eq!(entries[0].name(), "static");
        // Technique matrix reads every format from both sources, vertex has both sources.
        let (matrix, vertex, others, control) = (2 * AtlasFormat::ALL.len(), 2, Technique::ALL.len() - 2, 1);
        assert_eq!(entries.len(), matrix + vertex + others + control);
    }

    fn plan(arguments: &[&str]) -> BenchPlan {
        #[derive(clap::Parser)]
        struct BenchCommandLine {
            #[command(flatten)]
            bench: BenchArgs,
        }
        let line = std::iter::once(&"bench").chain(arguments);
        BenchPlan::new(
            &<BenchCommandLine as clap::Parser>::try_parse_from(line)
                .expect("valid")
                .bench,
        )
    }

    #[test]
    fn contributions_are_short_with_or_without_a_name() {
        for line in [&["--contribute"][..], &["--contribute", "a name"]] {
            let plan = plan(line);
            assert_eq!(
                (plan.counts, plan.views),
                (vec![1000, 10_000], vec![BenchView::Overview])
            );
        }
        assert_eq!(plan(&["--contribute", "--quick"]).counts, [20, 80]);
        assert_eq!(plan(&["--contribute", "--counts", "7"]).counts, [7]);
        assert_eq!(plan(&[]).views.len(), 3);
    }

    #[test]
    fn static_is_always_measured() {
        let names: Vec<String> = entries(&[Technique::Live], &[AtlasFormat::F16], &[AtlasSource::Texture])
            .iter()
            .map(|e| e.name())
            .collect();
        assert_eq!(names, ["static", "live", "static (again)"]);
    }
}
