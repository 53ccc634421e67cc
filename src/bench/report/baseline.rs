//! Differences from an earlier report beyond the noise of both.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use crate::{
    bench::{
        BenchReport, BenchRow, SCHEMA, TimeBasis,
        report::{analysis::noise, text::thousands},
    },
    config::aliases::replace_words,
    render::stats::bytes,
};

/// Largest noise that excuses a change.
const MOST_NOISE: f64 = 0.5;
/// CPU times that differ by less than this count as equal (ms).
const LEAST_CPU_MS: f64 = 0.02;

const GPU_MEMORY: &str = "GPU memory";
/// Quantity in bytes: name, value, and the share by which allocators may round it.
type Amount = (&'static str, fn(&BenchRow) -> u64, f64);
const AMOUNTS: [Amount; 4] = [
    ("animation data", |row| row.atlas_bytes, 0.0),
    ("animation data every frame", |row| row.frame_data_bytes, 0.0),
    ("upload", |row| row.upload_bytes, 0.0),
    (GPU_MEMORY, |row| row.gpu_bytes, 0.01),
];
/// Errors below this are rounding (mm).
const LEAST_ERROR_MM: f32 = 0.001;

/// Row that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineChange {
    /// Row and quantity.
    pub what: String,
    /// New value over old value.
    pub factor: f64,
    /// True if the new value is worse than allowed.
    pub regression: bool,
    /// Old and new value with units.
    pub values: String,
}

/// All differences between two reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BaselineComparison {
    /// Differences, largest first.
    pub changes: Vec<BaselineChange>,
    /// Number of rows that both reports have and that can be compared.
    pub compared: usize,
    /// Number of rows of the old report whose count or view the new one lacks.
    pub left_out: usize,
    /// True if adapter or picture differ: ratios to `static` are compared instead of times.
    pub relative: bool,
}

/// Why a report cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file does not exist or cannot be read.
    #[error("cannot read {0}")]
    File(PathBuf, #[source] std::io::Error),
    /// The file is not a report.
    #[error("{0} is not a report of `throng bench`")]
    Content(PathBuf, #[source] serde_json::Error),
    /// The report has another schema version.
    #[error("{0} has schema {1}; this version reads {SCHEMA}")]
    Schema(PathBuf, u32),
}

/// Reads a report.
///
/// # Errors
/// No such file, not a report, or another schema.
pub(crate) fn read(path: &Path) -> Result<BenchReport, ReadError> {
    let named = || path.to_owned();
    let text = std::fs::read_to_string(path).map_err(|e| ReadError::File(named(), e))?;
    let content = |e| ReadError::Content(named(), e);
    let mut value: serde_json::Value = serde_json::from_str(&text).map_err(content)?;
    replace_words(&mut value);
    let report: BenchReport = serde_json::from_value(value).map_err(content)?;
    if report.schema == SCHEMA {
        Ok(report)
    } else {
        Err(ReadError::Schema(named(), report.schema))
    }
}

/// Compares two reports; `allowed` is the share by which a row may get worse (0.05 = 5 %).
#[must_use]
pub fn compare(old: &BenchReport, new: &BenchReport, allowed: f64) -> BaselineComparison {
    let (a, b) = (&old.setup, &new.setup);
    let relative = a.adapter.name != b.adapter.name || a.size != b.size || a.basis != b.basis || a.build != b.build;
    let mut comparison = BaselineComparison {
        relative,
        ..BaselineComparison::default()
    };
    for row in &new.rows {
        let Some(before) = old.row(&row.name, row.count, row.view) else {
            continue;
        };
        let noise = noise(old, row.count, row.view)
            .max(noise(new, row.count, row.view))
            .min(MOST_NOISE);
        comparison.compared += 1;
        if row.skipped.is_some() && before.skipped.is_none() {
            comparison.changes.push(gone(before, "not measured any more"));
        }
        comparison
            .changes
            .extend(time(before, row, b.basis, relative, noise, allowed));
        if !relative {
            comparison.changes.extend(cpu(before, row, old, new, allowed));
        }
        for (what, bytes, slack) in AMOUNTS {
            // An estimate and a number from the allocator cannot be compared.
            if what == GPU_MEMORY && a.memory_source != b.memory_source {
                continue;
            }
            let (before, after) = (bytes(before), bytes(row));
            comparison
                .changes
                .extend(amount(&place(row), what, before, after, slack, allowed));
        }
        comparison.changes.extend(error(before, row, allowed));
    }
    let groups = new.groups();
    for row in old.rows.iter().filter(|r| new.row(&r.name, r.count, r.view).is_none()) {
        if groups.contains(&(row.count, row.view)) {
            comparison.changes.push(gone(row, "no such row any more"));
        } else {
            comparison.left_out += 1;
        }
    }
    comparison.changes.sort_by(|a, b| b.factor.total_cmp(&a.factor));
    comparison
}

fn place(row: &BenchRow) -> String {
    format!("{} {} {}", row.name, thousands(u64::from(row.count)), row.view.name())
}

fn time(
    old: &BenchRow,
    new: &BenchRow,
    basis: TimeBasis,
    relative: bool,
    noise: f64,
    allowed: f64,
) -> Option<BaselineChange> {
    let (a, b, unit) = if relative {
        (old.ratio_to_static?, new.ratio_to_static?, "x static")
    } else {
        (old.median(basis)?, new.median(basis)?, "ms")
    };
    let factor = b / a;
    let changed = factor.max(1.0 / factor) > 1.0 + noise;
    changed.then(|| BaselineChange {
        what: format!("{}: time", place(new)),
        factor,
        regression: factor > 1.0 + allowed.max(noise),
        values: format!("{a:.3} -> {b:.3} {unit}"),
    })
}

fn cpu(
    old: &BenchRow,
    new: &BenchRow,
    before: &BenchReport,
    after: &BenchReport,
    allowed: f64,
) -> Option<BaselineChange> {
    let (a, b) = (old.cpu_ms?.median, new.cpu_ms?.median);
    let noise = cpu_noise(before, old).max(cpu_noise(after, new)).min(MOST_NOISE);
    let factor = b / a;
    let changed = (b - a).abs() > LEAST_CPU_MS && factor.max(1.0 / factor) > 1.0 + noise;
    changed.then(|| BaselineChange {
        what: format!("{}: CPU time", place(new)),
        factor,
        regression: factor > 1.0 + allowed.max(noise),
        values: format!("{a:.3} -> {b:.3} ms"),
    })
}

/// Returns the CPU noise of a row's group, or a value that excuses any change if there is no control.
fn cpu_noise(report: &BenchReport, row: &BenchRow) -> f64 {
    let mut controls = report.controls.iter();
    let control = controls.find(|c| c.count == row.count && c.view == row.view);
    let ratio = control.and_then(|c| c.cpu_ratio);
    ratio.map_or(MOST_NOISE, |ratio| ratio.max(1.0 / ratio) - 1.0)
}

/// Compares amounts; 0 on either side means not measured, or another technique.
fn amount(place: &str, what: &str, old: u64, new: u64, slack: f64, allowed: f64) -> Option<BaselineChange> {
    let factor = new as f64 / old.max(1) as f64;
    let changed = old > 0 && new > 0 && factor.max(1.0 / factor) > 1.0 + slack;
    changed.then(|| BaselineChange {
        what: format!("{place}: {what}"),
        factor,
        regression: factor > 1.0 + allowed.max(slack),
        values: format!("{} -> {}", bytes(old), bytes(new)),
    })
}

fn gone(row: &BenchRow, why: &str) -> BaselineChange {
    BaselineChange {
        what: place(row),
        factor: f64::INFINITY,
        regression: true,
        values: why.to_owned(),
    }
}

fn error(old: &BenchRow, new: &BenchRow, allowed: f64) -> Option<BaselineChange> {
    let (a, b) = (old.error?.worst_mm, new.error?.worst_mm);
    let factor = f64::from(b.max(LEAST_ERROR_MM) / a.max(LEAST_ERROR_MM));
    let changed = (b - a).abs() > LEAST_ERROR_MM && factor.max(1.0 / factor) > 1.01;
    changed.then(|| BaselineChange {
        what: format!("{}: worst vertex", place(new)),
        factor,
        regression: factor > 1.0 + allowed,
        values: format!("{a:.3} -> {b:.3} mm"),
    })
}

impl BaselineComparison {
    /// True if anything got worse than allowed.
    #[must_use]
    pub fn regressed(&self) -> bool {
        self.changes.iter().any(|c| c.regression)
    }
}

impl fmt::Display for BaselineComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.relative {
            "adapter, picture size or build differ: comparing ratios to static"
        } else {
            "comparing times"
        };
        writeln!(f, "compared with the baseline: {} rows; {what}", self.compared)?;
        if self.left_out > 0 {
            writeln!(
                f,
                "{} rows are of counts or views that were not measured now",
                self.left_out
            )?;
        }
        if self.changes.is_empty() {
            writeln!(f, "no change beyond the noise")?;
        }
        for c in &self.changes {
            let conclusion = if c.regression { "REGRESSION" } else { "changed" };
            writeln!(f, "{conclusion:<10} {:<52} x {:.3}  ({})", c.what, c.factor, c.values)?;
        }
        Ok(())
    }
}
