//! Three pictures of a report: time against count, bytes by entry, error against bytes.

use anyhow::Result;
use plotters::{
    coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter},
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use super::{
    headline::best_matrix,
    plan::View,
    report::{Report, Row},
    text::{bytes, significant, thousands},
};
use crate::config::Technique;

/// File names and titles, in the order of the report.
pub const FILES: [(&str, &str); 3] = [
    ("time.svg", "Time against instances"),
    ("bytes.svg", "Animation data by entry"),
    ("error.svg", "Worst vertex against animation data"),
];

const SIZE: (u32, u32) = (860, 480);

/// Every plot: file name and SVG text.
///
/// # Errors
/// None in practice: it is drawn to memory.
pub fn all(report: &Report) -> Result<Vec<(&'static str, String)>> {
    let texts = [time(report)?, bars(report)?, error(report)?];
    Ok(FILES.iter().map(|(file, _)| *file).zip(texts).collect())
}

/// A colour per technique that the colour-blind can tell apart (Okabe and Ito, "Color Universal Design").
fn colour(technique: Technique) -> RGBColor {
    match technique {
        Technique::Matrix => RGBColor(0, 114, 178),
        Technique::Vertex => RGBColor(213, 94, 0),
        Technique::Live => RGBColor(0, 158, 115),
        Technique::Static => RGBColor(110, 110, 110),
        Technique::Naive => RGBColor(204, 121, 167),
    }
}

/// A logarithmic range around values, one step of `1, 2, 5` wider; ticks at powers of ten and,
/// over short ranges, at 2 and 5 times those.
struct Log {
    low: f64,
    high: f64,
    unit: fn(f64) -> String,
}

impl Log {
    fn around(values: impl Iterator<Item = f64>, unit: fn(f64) -> String) -> Self {
        let positive = values.filter(|v| *v > 0.0 && v.is_finite());
        let (low, high) = positive.fold((f64::MAX, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
        if high <= 0.0 {
            return Self {
                low: 0.1,
                high: 10.0,
                unit,
            };
        }
        Self {
            low: low / 1.6,
            high: high * 1.6,
            unit,
        }
    }
}

impl ValueFormatter<f64> for Log {
    fn format_ext(&self, value: &f64) -> String {
        (self.unit)(*value)
    }
}

impl Ranged for Log {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let share = (value.max(self.low) / self.low).ln() / (self.high / self.low).ln();
        from + (f64::from(to - from) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        let powers = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let steps: &[f64] = if powers.clone().count() > 4 {
            &[1.0]
        } else {
            &[1.0, 2.0, 5.0]
        };
        let ticks = powers.flat_map(|p| steps.iter().map(move |s| s * 10_f64.powi(p)));
        ticks.filter(|t| (self.low..=self.high).contains(t)).collect()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.low..self.high
    }
}

/// One line per technique over the counts of a view; ratios for software adapters.
fn time(report: &Report) -> Result<String> {
    let relative = report.setup.adapter.is_software();
    let view = report.groups().first().map_or(View::Overview, |g| g.1);
    let lines = lines(report, view, relative);
    let points = || lines.iter().flat_map(|(_, _, points)| points);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let what = if relative { "time over static" } else { "milliseconds" };
        let title = format!(
            "{} ({}): {what} by instances, {}",
            FILES[0].1,
            report.setup.adapter.name,
            view.name()
        );
        let mut chart = ChartBuilder::on(&root)
            .caption(title, ("sans-serif", 17))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(64)
            .build_cartesian_2d(
                Log::around(points().map(|p| p.0), |n| thousands(n.round() as u64)),
                Log::around(points().map(|p| p.1), significant),
            )?;
        chart
            .configure_mesh()
            .x_desc("instances")
            .y_desc(what)
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (name, technique, points) in &lines {
            let colour = colour(*technique);
            let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(4);
            let legend = move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3));
            chart.draw_series(line)?.label(name).legend(legend);
        }
        let labels = SeriesLabelPosition::UpperLeft;
        chart
            .configure_series_labels()
            .position(labels)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.2))
            .draw()?;
        root.present()?;
    }
    Ok(svg)
}

type Line = (String, Technique, Vec<(f64, f64)>);

fn lines(report: &Report, view: View, relative: bool) -> Vec<Line> {
    let techniques = [
        Technique::Static,
        Technique::Matrix,
        Technique::Vertex,
        Technique::Live,
        Technique::Naive,
    ];
    let counts: Vec<u32> = report
        .groups()
        .into_iter()
        .filter(|g| g.1 == view)
        .map(|g| g.0)
        .collect();
    let line = |technique: Technique| {
        let mut name = None;
        let point = |count: u32| {
            let row = representative(report, count, view, technique)?;
            name.get_or_insert_with(|| row.name.clone());
            let time = if relative {
                row.ratio_to_static
            } else {
                row.median(report.setup.basis)
            };
            Some((f64::from(count), time?))
        };
        let points: Vec<_> = counts.iter().copied().filter_map(point).collect();
        Some((name?, technique, points))
    };
    techniques.into_iter().filter_map(line).collect()
}

fn representative(report: &Report, count: u32, view: View, technique: Technique) -> Option<&Row> {
    if technique == Technique::Matrix {
        return best_matrix(report, count, view);
    }
    report
        .group(count, view)
        .find(|r| r.entry.technique == technique && r.wall_ms.is_some())
}

/// One row per entry that was measured, the largest crowd's.
fn entries(report: &Report) -> Vec<&Row> {
    let Some((count, view)) = report.groups().last().copied() else {
        return Vec::new();
    };
    report
        .group(count, view)
        .filter(|r| !r.entry.control && r.atlas_bytes > 0)
        .collect()
}

/// Bars of animation data, logarithmic.
fn bars(report: &Report) -> Result<String> {
    let rows = entries(report);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let axis = Log::around(rows.iter().map(|r| r.atlas_bytes as f64), |n| bytes(n as u64));
        let (low, high) = (axis.low / 2.0, axis.high * 3.0);
        let names: Vec<String> = rows.iter().map(|r| r.name.clone()).collect();
        let count = rows.len().max(1);
        let mut chart = ChartBuilder::on(&root)
            .caption(FILES[1].1, ("sans-serif", 17))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(150)
            .build_cartesian_2d(Log { low, high, ..axis }, 0..count)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .light_line_style(TRANSPARENT)
            .x_desc("bytes on the device")
            .draw()?;
        for (index, row) in rows.iter().enumerate() {
            let (size, y) = (row.atlas_bytes as f64, count - index);
            let colour = colour(row.entry.technique);
            let mut bar = Rectangle::new([(low, y - 1), (size, y)], colour.mix(0.85).filled());
            bar.set_margin(4, 4, 0, 0);
            let at = |dx: i32, x: f64, text: String, anchor: HPos| {
                let style = TextStyle::from(("sans-serif", 13)).pos(Pos::new(anchor, VPos::Center));
                EmptyElement::at((x, y)) + Text::new(text, (dx, 380 / count as i32 / 2), style)
            };
            chart.draw_series([bar])?;
            chart.draw_series([
                at(6, size, bytes(row.atlas_bytes), HPos::Left),
                at(-6, low, names[index].clone(), HPos::Right),
            ])?;
        }
        root.present()?;
    }
    Ok(svg)
}

/// A labelled point per entry with animation data.
fn error(report: &Report) -> Result<String> {
    let rows = entries(report);
    let points: Vec<(f64, f64, &Row)> = rows
        .into_iter()
        .filter_map(|r| Some((r.atlas_bytes as f64, f64::from(r.error?.worst_mm).max(1e-4), r)))
        .collect();
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let x = Log::around(points.iter().map(|p| p.0), |n| bytes(n as u64));
        let y = Log::around(points.iter().map(|p| p.1), significant);
        // Room for the names beside the points.
        let x = Log {
            high: x.high * 3.0,
            ..x
        };
        let mut chart = ChartBuilder::on(&root)
            .caption(FILES[2].1, ("sans-serif", 17))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(64)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc("bytes on the device")
            .y_desc("worst vertex, mm")
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (label, x, y, row) in labels(&points) {
            let dot = Circle::new((0, 0), 5, colour(row.entry.technique).filled());
            let text = Text::new(label, (9, -7), ("sans-serif", 13));
            chart.draw_series([EmptyElement::at((x, y)) + dot + text])?;
        }
        root.present()?;
    }
    Ok(svg)
}

/// Entries at the same place share a label: `matrix f16 texture, storage`.
fn labels<'a>(points: &[(f64, f64, &'a Row)]) -> Vec<(String, f64, f64, &'a Row)> {
    let mut labels: Vec<(String, f64, f64, &Row)> = Vec::new();
    for &(x, y, row) in points {
        let near = |l: &&mut (String, f64, f64, &Row)| (l.1 / x).ln().abs() < 0.3 && (l.2 / y).ln().abs() < 0.1;
        match labels.iter_mut().find(near) {
            Some(label)
                if label.3.entry.technique == row.entry.technique && label.3.entry.format == row.entry.format =>
            {
                label.0 = format!("{}, {}", label.0, super::plan::source_name(row.entry.source));
            }
            _ => labels.push((row.name.clone(), x, y, row)),
        }
    }
    labels
}
