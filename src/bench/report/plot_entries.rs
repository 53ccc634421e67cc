//! Plots with one mark per entry: animation data, and error against animation data.

use anyhow::Result;
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use crate::{
    bench::{
        Report, Row,
        report::{
            axis::Log,
            plots::{FILES, GRID, LABEL, SIZE, TITLE, colour},
            text::significant,
        },
    },
    render::stats::bytes,
};

/// Pixels of the plot above and below the bars.
const FRAME: i32 = 110;

/// One row per entry that has animation data, the largest crowd's.
fn entries(report: &Report) -> Vec<&Row> {
    let last = report.groups().last().copied();
    let rows = last.into_iter().flat_map(|(count, view)| report.group(count, view));
    rows.filter(|r| !r.entry.control && r.atlas_bytes > 0).collect()
}

/// Bars of animation data, logarithmic.
pub(super) fn bytes_by_entry(report: &Report) -> Result<String> {
    let rows = entries(report);
    let count = rows.len().max(1);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let axis = Log::binary(rows.iter().map(|r| r.atlas_bytes as f64), |n| bytes(n as u64)).widen(2.0, 2.0);
        let low = axis.low();
        let mut chart = ChartBuilder::on(&root)
            .caption(FILES[1].1, TITLE)
            .margin(12)
            .x_label_area_size(60)
            .y_label_area_size(180)
            .build_cartesian_2d(axis, 0..count)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .label_style(LABEL)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .x_desc("bytes on the device")
            .draw()?;
        let middle = (SIZE.1 as i32 - FRAME) / count as i32 / 2;
        for (index, row) in rows.iter().enumerate() {
            let (size, y) = (row.atlas_bytes as f64, count - index);
            let mut bar = Rectangle::new([(low, y - 1), (size, y)], colour(row.entry.method.technique).filled());
            bar.set_margin(4, 4, 0, 0);
            chart.draw_series([bar])?;
            let text = |x: f64, shift: i32, text: String, anchor: HPos| {
                let style = TextStyle::from(LABEL).pos(Pos::new(anchor, VPos::Center));
                EmptyElement::at((x, y)) + Text::new(text, (shift, middle), style)
            };
            chart.draw_series([
                text(size, 6, bytes(row.atlas_bytes), HPos::Left),
                text(low, -6, row.name.clone(), HPos::Right),
            ])?;
        }
        root.present()?;
    }
    Ok(svg)
}

/// A labelled point per entry that loses anything by its encoding.
pub(super) fn error_by_bytes(report: &Report) -> Result<String> {
    let point = |r| Some((r, f64::from(Row::error_mm(r)?))).filter(|p| p.1 > 0.0);
    let points: Vec<(&Row, f64)> = entries(report).into_iter().filter_map(point).collect();
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let x = Log::binary(points.iter().map(|p| p.0.atlas_bytes as f64), |n| bytes(n as u64));
        let y = Log::decimal(points.iter().map(|p| p.1), significant);
        let mut chart = ChartBuilder::on(&root)
            .caption(FILES[2].1, TITLE)
            .margin(12)
            .x_label_area_size(60)
            .y_label_area_size(64)
            // Room for the names beside the points.
            .build_cartesian_2d(x.widen(1.0, 3.0), y)?;
        chart
            .configure_mesh()
            .label_style(LABEL)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .x_desc("bytes on the device")
            .y_desc("worst vertex against the baked frames, mm")
            .draw()?;
        for (label, row, error) in labels(&points) {
            let dot = Circle::new((0, 0), 6, colour(row.entry.method.technique).filled());
            let text = Text::new(label, (10, -8), LABEL);
            chart.draw_series([EmptyElement::at((row.atlas_bytes as f64, error)) + dot + text])?;
        }
        root.present()?;
    }
    Ok(svg)
}

/// One point for the sources of one encoding, which differ in padding only:
/// `matrix f16 texture, storage`.
fn labels<'a>(points: &[(&'a Row, f64)]) -> Vec<(String, &'a Row, f64)> {
    let mut labels: Vec<(String, &Row, f64)> = Vec::new();
    for &(row, error) in points {
        let same = |l: &&mut (String, &Row, f64)| {
            (l.1.entry.method.technique, l.1.entry.method.format)
                == (row.entry.method.technique, row.entry.method.format)
        };
        match labels.iter_mut().find(same) {
            Some(label) => label.0 = format!("{}, {}", label.0, row.entry.method.source.name()),
            None => labels.push((row.name.clone(), row, error)),
        }
    }
    labels
}
