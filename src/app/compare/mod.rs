//! Compare view: two draw methods side by side on the same crowd, and a table of all methods.

mod apart;
pub(crate) mod second_renderer;
pub(crate) mod technique_sweep;

use crate::{
    app::state::{Tab, profile::Series},
    atlas::AtlasFormat,
    config::Technique,
    measure::Accuracy,
    render::{
        DrawMethod,
        passes::{DifferenceUniforms, PictureSteps},
        resources::AtlasSource,
    },
};

/// Median times of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SideTimes {
    /// CPU time of encode and submit (ms).
    pub cpu_ms: f64,
    /// GPU time (ms) of the crowd pass and of skinning for it; `None` without timestamps.
    pub crowd_ms: Option<f64>,
}

impl SideTimes {
    /// Medians of the frames measured so far; `None` before the first.
    #[must_use]
    pub(super) fn of<'a>(cpu: &Series, crowd: impl IntoIterator<Item = &'a Series>) -> Option<Self> {
        let median = |series: &Series| (series.iter().len() > 0).then(|| series.summary().median);
        Some(Self {
            cpu_ms: median(cpu)?,
            crowd_ms: crowd.into_iter().filter_map(median).reduce(|a, b| a + b),
        })
    }
}

/// Cost and error of one draw method.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TechniqueTiming {
    /// Median times.
    pub times: SideTimes,
    /// Time from submit to idle (ms), median of all rounds.
    pub wall_ms: f64,
    /// Frame times of each round (ms).
    pub rounds: Vec<f64>,
    /// Animation data on the GPU (bytes).
    pub bytes: u64,
    /// Error of the worst vertex; `None` for techniques that show another pose by design.
    pub error: Option<Accuracy>,
}

/// Row of the table: the cost of a method, or why it cannot be drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TechniqueRow {
    /// Draw method.
    pub method: DrawMethod,
    /// True for the repetition of the first method in each round; its difference from the first row is noise.
    pub again: bool,
    /// Cost and error, or the reason why it does not fit.
    pub outcome: Result<TechniqueTiming, String>,
}

impl TechniqueRow {
    /// Name such as `matrix f16` or `static again`.
    #[must_use]
    pub(super) fn name(&self) -> String {
        let again = if self.again { " again" } else { "" };
        self.method.short_name() + again
    }

    /// Frame time (ms), once measured.
    #[must_use]
    pub(super) fn wall_ms(&self) -> Option<f64> {
        self.outcome.as_ref().ok().map(|m| m.wall_ms).filter(|ms| *ms > 0.0)
    }
}

impl Table {
    /// Frame time of a row relative to that of the first.
    #[must_use]
    pub(super) fn relative(&self, row: &TechniqueRow) -> Option<f64> {
        Some(row.wall_ms()? / self.rows.first()?.wall_ms()?)
    }

    /// Noise: difference of the first method from itself.
    #[must_use]
    pub(super) fn noise(&self) -> Option<f64> {
        self.relative(self.rows.iter().find(|row| row.again)?)
    }
}

/// Table of all draw methods at one count.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    /// Number of instances.
    pub instances: u64,
    /// Rows measured so far.
    pub rows: Vec<TechniqueRow>,
    /// Number of measurements still to come.
    pub left: usize,
}

/// Allowed number of rounds.
pub(super) const REPEATS: std::ops::RangeInclusive<u32> = 1..=50;

/// State of the compare view.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Compare {
    /// The compare view is shown.
    pub on: bool,
    /// Tab of the panel before the compare view opened its own.
    pub tab_before: Tab,
    /// Draw method of the right side; the left side follows the render settings.
    pub right: DrawMethod,
    /// Position of the divider, from 0 (left) to 1 (right).
    pub divider: f32,
    /// Show the difference map instead of the two pictures.
    pub heat: bool,
    /// Gain of the difference map.
    pub gain: f32,
    /// Median times, left and right; `None` before a frame was measured.
    pub times: [Option<SideTimes>; 2],
    /// Difference of the pictures while the map is shown; `None` before the first result.
    pub apart: Option<PictureSteps>,
    /// A result for the difference is pending.
    pub awaits: bool,
    /// Number of rounds of the table, within [`REPEATS`].
    pub repeats: u32,
    /// Table of all draw methods.
    pub table: Table,
    /// A measurement of the table was requested.
    pub sweep: bool,
}

impl Default for Compare {
    fn default() -> Self {
        Self {
            on: false,
            tab_before: Tab::default(),
            right: DrawMethod::new(Technique::Vertex, AtlasFormat::F16, AtlasSource::Storage),
            divider: 0.5,
            heat: false,
            gain: 64.0,
            times: [None; 2],
            apart: None,
            awaits: false,
            repeats: 3,
            table: Table::default(),
            sweep: false,
        }
    }
}

impl Compare {
    /// Uniforms of the pass that joins the pictures: `width` wide (px), the left `covered` (px) under the panel.
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

/// All draw methods, baselines first; the atlas source is chosen when each is measured.
#[must_use]
pub(super) fn all_methods() -> Vec<DrawMethod> {
    DrawMethod::combinations(Technique::ALL, &AtlasFormat::ALL, &[AtlasSource::Storage])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_divider_stays_within_the_visible_picture() {
        let mut compare = Compare::default();
        for (divider, column) in [(0.0, 300.0), (0.5, 650.0), (1.0, 1000.0)] {
            compare.divider = divider;
            assert_eq!(compare.uniforms(1000.0, 300.0).divider, column);
        }
    }

    #[test]
    fn times_are_none_before_the_first_frame() {
        let (mut cpu, mut crowd) = (Series::default(), Series::default());
        assert_eq!(SideTimes::of(&cpu, Some(&crowd)), None);
        cpu.push(2.0);
        assert_eq!(SideTimes::of(&cpu, Some(&crowd)).map(|t| t.crowd_ms), Some(None));
        crowd.push(3.0);
        assert_eq!(SideTimes::of(&cpu, Some(&crowd)).and_then(|t| t.crowd_ms), Some(3.0));
    }

    #[test]
    fn rows_are_relative_to_the_first() {
        let row = |again, wall_ms| TechniqueRow {
            method: all_methods()[0],
            again,
            outcome: Ok(TechniqueTiming {
                wall_ms,
                ..TechniqueTiming::default()
            }),
        };
        let mut table = Table {
            rows: vec![row(false, 2.0), row(false, 3.0)],
            ..Table::default()
        };
        assert_eq!(table.relative(&table.rows[1]), Some(1.5));
        assert_eq!(table.noise(), None);
        table.rows.push(row(true, 2.1));
        assert_eq!(table.noise(), Some(1.05));
        table.rows[0].outcome = Err("does not fit".into());
        assert_eq!(table.noise(), None);
    }

    #[test]
    fn every_technique_and_format_is_in_the_table_once() {
        let names: std::collections::BTreeSet<String> = all_methods().iter().map(|m| m.short_name()).collect();
        // Matrices in every format, and each other technique once.
        let techniques = <Technique as clap::ValueEnum>::value_variants().len();
        assert_eq!(names.len(), AtlasFormat::ALL.len() + techniques - 1);
    }
}
