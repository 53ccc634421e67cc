//! What the compare view shows: two ways of drawing the same crowd, and a table of all of them.

pub(crate) mod second_renderer;
pub(crate) mod technique_sweep;

use crate::{
    atlas::AtlasFormat,
    config::Technique,
    measure::Accuracy,
    render::{DrawMethod, passes::DifferenceUniforms, resources::AtlasSource},
};

/// Medians of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SideTimes {
    /// Encode and submit, milliseconds.
    pub cpu_ms: f64,
    /// GPU time of the crowd pass, milliseconds; none without timestamps.
    pub crowd_ms: Option<f64>,
}

/// Cost and error of one draw method.
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
    /// The draw method.
    pub method: DrawMethod,
    /// Its cost, or what does not fit.
    pub outcome: Result<Measured, String>,
}

/// All draw methods at one count.
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
    pub right: DrawMethod,
    /// Where the line is: 0 left, 1 right.
    pub divider: f32,
    /// Show the difference instead of the two pictures.
    pub heat: bool,
    /// Factor on differences.
    pub gain: f32,
    /// Medians, left and right.
    pub times: [SideTimes; 2],
    /// All draw methods.
    pub table: Table,
    /// The table was requested.
    pub survey: bool,
}

impl Default for Compare {
    fn default() -> Self {
        Self {
            on: false,
            right: DrawMethod::new(Technique::Vertex, AtlasFormat::F16, AtlasSource::Storage),
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

/// Every draw method, baselines first; the source is chosen when each is measured.
#[must_use]
pub(super) fn all_methods() -> Vec<DrawMethod> {
    DrawMethod::combinations(Technique::ALL, &AtlasFormat::ALL, &[AtlasSource::Storage])
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
        let names: std::collections::BTreeSet<String> = all_methods().iter().map(|m| m.short_name()).collect();
        assert_eq!(names.len(), 8);
    }
}
