//! Targets of the project, and the values that a run reached.

use serde::{Deserialize, Serialize};

use crate::{
    atlas::AtlasFormat,
    bench::{
        BenchReport, BenchRow, BenchView,
        report::{cpu_targets as costs, text::thousands},
        run::picking,
    },
    config::Technique,
    render::stats::bytes,
};

/// Figure and its target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyFigure {
    /// Name of the comparison.
    pub what: String,
    /// Count and view, or the character.
    pub place: String,
    /// Value in the unit that `what` names; a ratio if it names none.
    pub value: f64,
    /// Target to reach.
    pub target: FigureTarget,
    /// Whether the target was reached; `None` without a target.
    pub reached: Option<bool>,
    /// Note on the figure.
    pub note: String,
}

/// Target of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FigureTarget {
    /// Upper limit.
    AtMost(f64),
    /// Lower limit.
    AtLeast(f64),
    /// No target: the value is only stated.
    Stated,
}

impl KeyFigure {
    pub(crate) fn new(what: &str, place: String, value: f64, target: FigureTarget, note: String) -> Self {
        let reached = match target {
            FigureTarget::AtMost(limit) => Some(value <= limit),
            FigureTarget::AtLeast(limit) => Some(value >= limit),
            FigureTarget::Stated => None,
        };
        Self {
            what: what.to_owned(),
            place,
            value,
            target,
            reached,
            note,
        }
    }
}

/// Makes a figure from a ratio of times. Software rasterizers only state it: the target is not meant for them.
fn timed(report: &BenchReport, what: &str, place: String, ratio: f64, target: FigureTarget, note: String) -> KeyFigure {
    let headline = KeyFigure::new(what, place, ratio, target, note);
    KeyFigure {
        reached: headline.reached.filter(|_| !report.setup.adapter.is_software()),
        ..headline
    }
}

/// Returns every key figure that the rows of a report allow.
#[must_use]
pub(crate) fn of(report: &BenchReport) -> Vec<KeyFigure> {
    let mut headline = Vec::new();
    // Only with everyone in view: instances outside the picture flatter every technique.
    let counts = report
        .groups()
        .into_iter()
        .filter(|(_, view)| *view == BenchView::Overview);
    for (count, view) in counts {
        headline.extend(against_static(report, count, view));
        headline.extend(against_baseline(report, count, view, Technique::Textbook));
        headline.extend(against_vertex(report, count, view));
    }
    headline.extend(costs::cpu_growth(report));
    headline.extend(costs::upload(report));
    headline.extend(costs::live(report));
    headline.extend(picking::headline(report));
    headline.extend(costs::characters(report));
    headline.extend(costs::errors(report));
    headline
}

/// Returns the faster f16 matrix row of a group, or of any format if f16 was not measured. An application, too,
/// measures both sources at start and takes the faster one.
#[must_use]
pub(crate) fn best_matrix(report: &BenchReport, count: u32, view: BenchView) -> Option<&BenchRow> {
    let matrix = |format: Option<AtlasFormat>| {
        let rows = report
            .group(count, view)
            .filter(|r| r.entry.method.technique == Technique::Matrix);
        let rows = rows.filter(|r| format.is_none_or(|f| f == r.entry.method.format) && r.ratio_to_static.is_some());
        fastest(report, rows)
    };
    matrix(Some(AtlasFormat::F16)).or_else(|| matrix(None))
}

fn fastest<'a>(report: &BenchReport, rows: impl Iterator<Item = &'a BenchRow>) -> Option<&'a BenchRow> {
    let basis = report.setup.basis;
    rows.filter(|r| r.median(basis).is_some()).min_by(|a, b| {
        a.median(basis)
            .unwrap_or(0.0)
            .total_cmp(&b.median(basis).unwrap_or(0.0))
    })
}

fn best(report: &BenchReport, count: u32, view: BenchView, technique: Technique) -> Option<&BenchRow> {
    fastest(
        report,
        report
            .group(count, view)
            .filter(|r| r.entry.method.technique == technique && !r.entry.control),
    )
}

pub(crate) fn place(count: u32, view: BenchView) -> String {
    format!("{} {}", thousands(u64::from(count)), view.name())
}

fn over(report: &BenchReport, a: &BenchRow, b: &BenchRow) -> Option<f64> {
    let basis = report.setup.basis;
    Some(a.median(basis)? / b.median(basis)?)
}

fn against_static(report: &BenchReport, count: u32, view: BenchView) -> Option<KeyFigure> {
    let matrix = best_matrix(report, count, view)?;
    let (ratio, note) = (matrix.ratio_to_static?, matrix.name.clone());
    let (place, target) = (place(count, view), FigureTarget::AtMost(1.05));
    Some(timed(report, "matrix / static", place, ratio, target, note))
}

fn against_baseline(report: &BenchReport, count: u32, view: BenchView, technique: Technique) -> Option<KeyFigure> {
    let matrix = best_matrix(report, count, view)?;
    let baseline = best(report, count, view, technique)?;
    let (ratio, note) = (over(report, baseline, matrix)?, matrix.name.clone());
    let (place, target) = (place(count, view), FigureTarget::AtLeast(1.5));
    let what = format!("{} / matrix", technique.name());
    Some(timed(report, &what, place, ratio, target, note))
}

fn against_vertex(report: &BenchReport, count: u32, view: BenchView) -> Vec<KeyFigure> {
    let Some(matrix) = best_matrix(report, count, view) else {
        return Vec::new();
    };
    let Some(vertex) = best(report, count, view, Technique::Vertex) else {
        return Vec::new();
    };
    let mut rows = Vec::new();
    if let Some(ratio) = over(report, matrix, vertex) {
        let note = format!("{} against {}", matrix.name, vertex.name);
        rows.push(timed(
            report,
            "matrix / vertex",
            place(count, view),
            ratio,
            FigureTarget::AtMost(1.05),
            note,
        ));
    }
    rows.extend(memory_against_vertex(report, vertex));
    rows
}

/// Compares the bytes of baked vertices with those of matrix formats with errors as small.
fn memory_against_vertex(report: &BenchReport, vertex: &BenchRow) -> Vec<KeyFigure> {
    let of = |format: AtlasFormat| {
        let rows = report
            .group(vertex.count, vertex.view)
            .filter(|r| r.entry.method.format == format && r.atlas_bytes > 0);
        let matrix = rows
            .filter(|r| r.entry.method.technique == Technique::Matrix)
            .min_by_key(|r| r.atlas_bytes)?;
        let ratio = vertex.atlas_bytes as f64 / matrix.atlas_bytes as f64;
        let what = format!("animation bytes, vertex / matrix {}", format.name());
        let note = format!("{} against {}", bytes(vertex.atlas_bytes), bytes(matrix.atlas_bytes));
        let place = place(vertex.count, vertex.view);
        Some(KeyFigure::new(&what, place, ratio, FigureTarget::AtLeast(25.0), note))
    };
    AtlasFormat::with_promise().filter_map(of).collect()
}
