//! Plots with one mark per entry: animation data, and error against animation data.

use anyhow::Result;
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use crate::{
    bench::{
        BenchReport, BenchRow,
        report::{
            axis::Log,
            plots::{FILES, GRID, LABEL, SIZE, TITLE, colour},
            text::significant,
        },
    },
    render::stats::bytes,
};

/// Space of the plot above and below the bars (px).
const FRAME: i32 = 110;

/// Returns one row per entry that has animation data, for the largest crowd.
fn entries(report: &BenchReport) -> Vec<&BenchRow> {
    let last = report.groups().last().copied();
    let rows = last.into_iter().flat_map(|(count, view)| report.group(count, view));
    rows.filter(|r| !r.entry.control && r.atlas_bytes > 0).collect()
}

/// Draws bars of animation data that start at zero, so that lengths are proportional to bytes.
pub(super) fn bytes_by_entry(report: &BenchReport) -> Result<String> {
    let rows = entries(report);
    let count = rows.len().max(1);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mebibytes = |row: &BenchRow| row.atlas_bytes as f64 / f64::from(1 << 20);
        let most = rows.iter().map(|row| mebibytes(row)).fold(0.0, f64::max).max(1e-3);
        let low = 0.0;
        let mut chart = ChartBuilder::on(&root)
            .caption(FILES[1].1, TITLE)
            .margin(12)
            .x_label_area_size(60)
            .y_label_area_size(180)
            // Leaves space for the amounts at the ends of the bars.
            .build_cartesian_2d(low..most * 1.15, 0..count)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .label_style(LABEL)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .x_labels(8)
            .x_desc("MiB on the device")
            .draw()?;
        let middle = (SIZE.1 as i32 - FRAME) / count as i32 / 2;
        for (index, row) in rows.iter().enumerate() {
            let (size, y) = (mebibytes(row), count - index);
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

/// Draws a labelled point for each entry whose encoding has an error.
pub(super) fn error_by_bytes(report: &BenchReport) -> Result<String> {
    let point = |r| Some((r, f64::from(BenchRow::error_mm(r)?))).filter(|p| p.1 > 0.0);
    let points: Vec<(&BenchRow, f64)> = entries(report).into_iter().filter_map(point).collect();
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
            // Leaves space for the names beside the points.
            .build_cartesian_2d(x.widen(1.0, 3.0), y)?;
        chart
            .configure_mesh()
            .label_style(LABEL)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .x_desc("bytes on the device")
            .y_desc("worst vertex against the baked frames, mm")
            .draw()?;
        let labels = labels(&points);
        let at = |label: &(String, &BenchRow, f64)| (label.1.atlas_bytes as f64, label.2);
        let dots: Vec<(i32, i32)> = labels.iter().map(|label| chart.backend_coord(&at(label))).collect();
        let texts: Vec<&str> = labels.iter().map(|label| label.0.as_str()).collect();
        for (label, shift) in labels.iter().zip(apart(&dots, &texts)) {
            let dot = Circle::new((0, 0), 6, colour(label.1.entry.method.technique).filled());
            let text = Text::new(label.0.clone(), shift, LABEL);
            chart.draw_series([EmptyElement::at(at(label)) + dot + text])?;
        }
        root.present()?;
    }
    Ok(svg)
}

/// Returns one point for all sources of an encoding, which differ in padding only: `matrix f16 texture, storage`.
fn labels<'a>(points: &[(&'a BenchRow, f64)]) -> Vec<(String, &'a BenchRow, f64)> {
    let mut labels: Vec<(String, &BenchRow, f64)> = Vec::new();
    for &(row, error) in points {
        let same = |l: &&mut (String, &BenchRow, f64)| {
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

/// Left top and right bottom corner of a label (px).
type LabelRect = [(i32, i32); 2];

/// Approximate width and height of a text in font [`LABEL`] (px).
fn extent(text: &str) -> (i32, i32) {
    (text.chars().count() as i32 * LABEL.1 as i32 * 11 / 20, LABEL.1 as i32)
}

fn overlap(a: &LabelRect, b: &LabelRect) -> bool {
    a[0].0 < b[1].0 && b[0].0 < a[1].0 && a[0].1 < b[1].1 && b[0].1 < a[1].1
}

/// Places labels of dots as offsets from each dot: beside it, else above, below or to the left. Avoids dots and earlier
/// labels.
fn apart(dots: &[(i32, i32)], texts: &[&str]) -> Vec<(i32, i32)> {
    let mut taken: Vec<LabelRect> = dots.iter().map(|&(x, y)| [(x - 6, y - 6), (x + 6, y + 6)]).collect();
    let mut shifts = Vec::new();
    for (&(x, y), text) in dots.iter().zip(texts) {
        let (width, height) = extent(text);
        let rows = [-8, 6, -24, 22, -40, 38, -56, 54];
        let candidates = rows
            .into_iter()
            .flat_map(|down| [(10, down), (-10 - width, down), (-width / 2, down)]);
        let frame = |(right, down): (i32, i32)| [(x + right, y + down), (x + right + width, y + down + height)];
        let inside =
            |f: &LabelRect| f[0].0 > 70 && f[1].0 < SIZE.0 as i32 && f[0].1 > 40 && f[1].1 < SIZE.1 as i32 - 60;
        let free = |shift: &(i32, i32)| {
            let own = frame(*shift);
            inside(&own) && !taken.iter().any(|other| overlap(&own, other))
        };
        let shift = { candidates }.find(free).unwrap_or((10, -8));
        taken.push(frame(shift));
        shifts.push(shift);
    }
    shifts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_near_dots_do_not_collide() {
        let dots = [(400, 250), (404, 252), (410, 249), (396, 254), (880, 250), (402, 262)];
        let texts = ["matrix f16 texture, storage"; 6];
        let shifts = apart(&dots, &texts);
        let (width, height) = extent(texts[0]);
        let frames: Vec<LabelRect> = dots
            .iter()
            .zip(&shifts)
            .map(|(dot, shift)| {
                let at = (dot.0 + shift.0, dot.1 + shift.1);
                [at, (at.0 + width, at.1 + height)]
            })
            .collect();
        for (index, frame) in frames.iter().enumerate() {
            assert!(frame[1].0 < SIZE.0 as i32, "{frame:?}");
            assert!(!frames[..index].iter().any(|other| overlap(frame, other)), "{frames:?}");
        }
        assert_eq!(apart(&dots[..1], &texts[..1]), [(10, -8)], "beside a lone dot");
    }
}
