//! What will be measured: entries (technique, format, source), counts and views.

use serde::{Deserialize, Serialize};

use crate::{
    atlas::AtlasFormat,
    bench::BenchArgs,
    config::{Config, Ground, Layout, LookConfig, Technique},
    render::{DrawMethod, resources::AtlasSource, technique::Role},
};

/// A view that benchmarks draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// Everyone in view: vertex-bound.
    Overview,
    /// At eye level within the crowd: most people are hidden or out of view.
    Street,
    /// One person fills the view, the crowd behind: fragment-bound.
    Close,
}

impl View {
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

/// One thing that is compared with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Entry {
    /// Technique, atlas format and source.
    #[serde(flatten)]
    pub method: DrawMethod,
    /// The second measurement of an entry that is measured already: their ratio is the noise.
    pub control: bool,
}

impl Entry {
    /// `matrix f16 texture`, `vertex texture`, `static`, `static (again)`.
    #[must_use]
    pub fn name(self) -> String {
        let name = self.method.name();
        if self.control { name + " (again)" } else { name }
    }
}

/// The whole programme of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Measured side by side.
    pub entries: Vec<Entry>,
    /// Instances, ascending.
    pub counts: Vec<u32>,
    /// Views of every count.
    pub views: Vec<View>,
    /// Pixels.
    pub size: (u32, u32),
    /// Timed frames per entry, at most.
    pub repeats: u32,
    /// Seconds per entry after which no further frame is timed, five excepted.
    pub seconds: f64,
    /// Vertices skinned on the CPU, at most, to measure errors: frames are skipped above that.
    pub error_vertices: u64,
}

/// Measurements of a bare command line.
struct Preset {
    counts: &'static [u32],
    sources: &'static [AtlasSource],
    views: &'static [View],
    size: (u32, u32),
    repeats: u32,
    seconds: f64,
    error_vertices: u64,
}

const FULL: Preset = Preset {
    counts: &[1000, 10_000, 100_000],
    sources: &AtlasSource::ALL,
    views: &[View::Overview, View::Street, View::Close],
    size: (1920, 1080),
    repeats: 30,
    seconds: 2.0,
    error_vertices: 4_000_000,
};

/// `--contribute`: small enough for a table in an issue, large enough to load a GPU.
const STANDARD: Preset = Preset {
    counts: &[1000, 10_000],
    views: &[View::Overview],
    repeats: 20,
    seconds: 0.5,
    error_vertices: 1_000_000,
    ..FULL
};

/// `--quick`: a software rasteriser draws it within a minute.
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

impl Plan {
    /// From the command line; `static` is always measured, since everything is compared with it.
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

    /// Rows that the report will have.
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

fn entries(techniques: &[Technique], formats: &[AtlasFormat], sources: &[AtlasSource]) -> Vec<Entry> {
    // Everything is compared with what draws no animation: it comes first, requested or not.
    let baselines = Technique::ALL.iter().copied();
    let mut wanted: Vec<Technique> = baselines.filter(|t| t.facts().role == Role::LowerBound).collect();
    wanted.extend(techniques);
    let methods = DrawMethod::combinations(&wanted, formats, sources);
    let mut entries: Vec<Entry> = methods
        .into_iter()
        .map(|method| Entry { method, control: false })
        .collect();
    // The same thing once more, with its own buffers and as far from its twin as the round allows.
    entries.push(Entry {
        control: true,
        ..entries[0]
    });
    let mut seen = std::collections::HashSet::new();
    entries.retain(|e| seen.insert(*e));
    entries
}

/// The scene of every benchmark: an even grid, no shadows, no props, one sample per pixel.
#[must_use]
pub(super) fn scene_config(args: &BenchArgs, plan: &Plan, count: u32) -> Config {
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
        assert_eq!(entries.len(), 1 + 8 + 2 + 1 + 1 + 1 + 1 + 1);
    }

    fn plan(arguments: &[&str]) -> Plan {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            bench: BenchArgs,
        }
        let line = std::iter::once(&"bench").chain(arguments);
        Plan::new(&<Line as clap::Parser>::try_parse_from(line).expect("valid").bench)
    }

    #[test]
    fn contributions_are_short_with_or_without_a_name() {
        for line in [&["--contribute"][..], &["--contribute", "a name"]] {
            let plan = plan(line);
            assert_eq!((plan.counts, plan.views), (vec![1000, 10_000], vec![View::Overview]));
        }
        assert_eq!(plan(&["--contribute", "--quick"]).counts, [20, 80]);
        assert_eq!(plan(&["--contribute", "--counts", "7"]).counts, [7]);
        assert_eq!(plan(&[]).views.len(), 3);
    }

    #[test]
    fn static_is_measured_even_if_not_asked_for() {
        let names: Vec<String> = entries(&[Technique::Live], &[AtlasFormat::F16], &[AtlasSource::Texture])
            .iter()
            .map(|e| e.name())
            .collect();
        assert_eq!(names, ["static", "live", "static (again)"]);
    }
}
