//! What the compare view shows: two ways of drawing the same crowd, and a table of all of them.

pub(crate) mod second_renderer;
pub(crate) mod technique_sweep;

use crate::{
    atlas::AtlasFormat,
    bench::Entry,
    config::Technique,
    measure::Accuracy,
    render::{passes::DifferenceUniforms, resources::AtlasSource},
};

/// Medians of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SideTimes {
    /// Encode and submit, milliseconds.
    pub cpu_ms: f64,
    /// GPU time of the crowd pass, milliseconds; none without timestamps.
    pub crowd_ms: Option<f64>,
}

/// What drawing one way costs and gives.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    /// Medians.
    pub times: SideTimes,
    /// Submit to idle, milliseconds.
    pub wall_ms: f64,
    /// Animation data on the GPU, bytes.
    pub bytes: u64,
    /// Worst vertex; none for techniques that show another pose on purpose.
    pub error: Option<Accuracy>,
}

/// A row of the table: what was measured, or why it cannot be drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// The way of drawing.
    pub entry: Entry,
    /// Its cost, or what does not fit.
    pub outcome: Result<Measured, String>,
}

/// All ways of drawing at one count.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    /// Instances.
    pub instances: u64,
    /// As far as measured.
    pub rows: Vec<Row>,
    /// Rows still to come.
    pub left: usize,
}

/// The compare view.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Compare {
    /// It is shown.
    pub on: bool,
    /// How the right side is drawn; the left one follows the render settings.
    pub right: Entry,
    /// Where the line is: 0 left, 1 right.
    pub divider: f32,
    /// Show the difference instead of the two pictures.
    pub heat: bool,
    /// Factor on differences.
    pub gain: f32,
    /// Medians, left and right.
    pub times: [SideTimes; 2],
    /// All ways of drawing.
    pub table: Table,
    /// The table was asked for.
    pub survey: bool,
}

impl Default for Compare {
    fn default() -> Self {
        Self {
            on: false,
            right: entry(Technique::Vertex, AtlasFormat::F16, AtlasSource::Storage),
            divider: 0.5,
            heat: false,
            gain: 64.0,
            times: [SideTimes::default(); 2],
            table: Table::default(),
            survey: false,
        }
    }
}

impl Compare {
    /// For the pass that joins the pictures, `width` pixels wide and covered from the left by
    /// `covered` of them.
    #[must_use]
    pub(super) fn uniforms(&self, width: f32, covered: f32) -> DifferenceUniforms {
        DifferenceUniforms {
            divider: (covered + self.divider * (width - covered)).round(),
            gain: self.gain,
            heat: u32::from(self.heat),
            pad: 0,
        }
    }
}

/// A way of drawing.
#[must_use]
pub(super) const fn entry(technique: Technique, format: AtlasFormat, source: AtlasSource) -> Entry {
    Entry {
        technique,
        format,
        source,
        control: false,
    }
}

/// Every way of drawing, baselines first; the source is chosen where each is measured.
#[must_use]
pub(super) fn all_entries() -> Vec<Entry> {
    let plain = |technique| entry(technique, AtlasFormat::F32, AtlasSource::Storage);
    let matrix = |format| entry(Technique::Matrix, format, AtlasSource::Storage);
    let mut entries = vec![plain(Technique::Static)];
    entries.extend(AtlasFormat::ALL.map(matrix));
    entries.extend([Technique::Vertex, Technique::Live, Technique::Naive].map(plain));
    entries
}

/// `matrix f16`, `vertex`: without the source.
#[must_use]
pub(super) fn short_name(entry: &Entry) -> String {
    let technique = format!("{:?}", entry.technique).to_lowercase();
    match entry.technique {
        Technique::Matrix => format!("{technique} {}", entry.format.name()),
        _ => technique,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_divider_stays_within_what_is_seen() {
        let mut compare = Compare::default();
        for (divider, column) in [(0.0, 300.0), (0.5, 650.0), (1.0, 1000.0)] {
            compare.divider = divider;
            assert_eq!(compare.uniforms(1000.0, 300.0).divider, column);
        }
    }

    #[test]
    fn every_technique_and_format_is_in_the_table_once() {
        let names: std::collections::BTreeSet<String> = all_entries().iter().map(short_name).collect();
        assert_eq!(names.len(), 8);
    }
}
