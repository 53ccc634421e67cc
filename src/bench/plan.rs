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

impl Plan {
    /// From the command line; `static` is always measured, since everything is compared with it.
    #[must_use]
    pub fn new(args: &BenchArgs) -> Self {
        let quick = args.quick;
        let mut counts = given(&args.counts, if quick { &[20, 80] } else { &[1000, 10_000, 100_000] });
        counts.sort_unstable();
        counts.dedup();
        let both = AtlasSource::ALL;
        let sources = given(&args.atlas, if quick { &both[..1] } else { &both });
        Self {
            entries: entries(
                &given(&args.techniques, Technique::ALL),
                &given(&args.formats, &AtlasFormat::ALL),
                &sources,
            ),
            counts,
            views: given(&args.cameras, &[View::Overview, View::Street, View::Close]),
            size: args.size.unwrap_or(if quick { (320, 180) } else { (1920, 1080) }),
            repeats: args.repeats.unwrap_or(if quick { 5 } else { 30 }),
            seconds: args.seconds.unwrap_or(if quick { 0.5 } else { 2.0 }),
            error_vertices: if quick { 250_000 } else { 4_000_000 },
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
    // Everything is compared with what draws no animation: it comes first, asked for or not.
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
pub fn scene_config(args: &BenchArgs, plan: &Plan, count: u32) -> Config {
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
        assert_eq!(entries.len(), 1 + 8 + 2 + 1 + 1 + 1);
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
