//! Plots of a report: time against count, bytes by entry, error against bytes.

use anyhow::Result;
use plotters::{coord::CoordTranslate, prelude::*};

use crate::{
    bench::{
        BenchReport, BenchRow, BenchView,
        report::{
            axis::Log,
            plot_entries,
            targets::best_matrix,
            text::{significant, thousands},
        },
    },
    config::Technique,
    render::technique::Role,
};

/// File names and titles, in the order of the report.
pub(super) const FILES: [(&str, &str); 3] = [
    ("time.svg", "Time against instances"),
    ("bytes.svg", "Animation data by entry"),
    ("error.svg", "Encoding error against animation data"),
];

pub(crate) const SIZE: (u32, u32) = (900, 500);
pub(crate) const TITLE: (&str, u32) = ("sans-serif", 22);
pub(crate) const LABEL: (&str, u32) = ("sans-serif", 17);
pub(crate) const GRID: RGBColor = RGBColor(222, 222, 222);

/// Draws a legend in a corner of the chart.
pub(crate) fn legend<'a, 'b: 'a, C: CoordTranslate>(
    chart: &mut ChartContext<'a, SVGBackend<'b>, C>,
    corner: SeriesLabelPosition,
) -> Result<()> {
    let labels = &mut chart.configure_series_labels();
    let labels = labels.position(corner).background_style(WHITE.mix(0.85));
    Ok(labels.border_style(GRID).label_font(LABEL).draw()?)
}

/// Draws every plot: file name and SVG text.
///
/// # Errors
/// None in practice: it is drawn to memory.
pub(super) fn all(report: &BenchReport) -> Result<Vec<(&'static str, String)>> {
    let texts = [
        time(report)?,
        plot_entries::bytes_by_entry(report)?,
        plot_entries::error_by_bytes(report)?,
    ];
    Ok(FILES.iter().map(|(file, _)| *file).zip(texts).collect())
}

/// Returns the colour of a technique.
pub(crate) fn colour(technique: Technique) -> RGBColor {
    let [red, green, blue] = technique.facts().color;
    RGBColor(red, green, blue)
}

/// Draws one line per technique over the counts of a view, as ratios to `static`. In milliseconds, all lines rise
/// together and cannot be told apart. Uses milliseconds if `static` was not measured.
fn time(report: &BenchReport) -> Result<String> {
    let relative = report.rows.iter().any(|row| row.ratio_to_static.is_some());
    let view = report.groups().first().map_or(BenchView::Overview, |g| g.1);
    let lines = lines(report, view, relative);
    let points = || lines.iter().flat_map(|(_, _, points)| points);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let what = if relative {
            "time relative to static"
        } else {
            "milliseconds"
        };
        let title = format!(
            "{} of the {}, {}",
            if relative {
                "Time relative to static"
            } else {
                "Milliseconds"
            },
            view.name(),
            report.setup.adapter.name
        );
        let mut chart = ChartBuilder::on(&root)
            .caption(title, TITLE)
            .margin(12)
            .x_label_area_size(60)
            .y_label_area_size(64)
            .build_cartesian_2d(
                Log::decimal(points().map(|p| p.0), |n| thousands(n.round() as u64)),
                Log::decimal(points().map(|p| p.1), significant).widen(1.0, 1.8),
            )?;
        chart
            .configure_mesh()
            .x_desc("instances")
            .y_desc(what)
            .label_style(LABEL)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (name, technique, points) in &lines {
            let colour = colour(*technique);
            let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(4);
            let legend = move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3));
            chart.draw_series(line)?.label(name).legend(legend);
        }
        legend(&mut chart, SeriesLabelPosition::UpperLeft)?;
        root.present()?;
    }
    Ok(svg)
}

type PlotLine = (String, Technique, Vec<(f64, f64)>);

fn lines(report: &BenchReport, view: BenchView, relative: bool) -> Vec<PlotLine> {
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
    Technique::ALL.iter().copied().filter_map(line).collect()
}

fn representative(report: &BenchReport, count: u32, view: BenchView, technique: Technique) -> Option<&BenchRow> {
    if technique.facts().role == Role::Subject {
        return best_matrix(report, count, view);
    }
    report
        .group(count, view)
        .find(|r| r.entry.method.technique == technique && r.wall_ms.is_some())
}
