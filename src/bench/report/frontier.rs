//! Plot of total error against bytes: frames at even steps and frames placed by motion.

use anyhow::Result;
use plotters::prelude::*;

use crate::{
    bench::report::{
        axis::Log,
        plots::{GRID, LABEL, SIZE, TITLE, legend},
        text::significant,
    },
    render::stats::bytes,
};

/// Colours of the formats, in the order in which they are given.
const COLOURS: [RGBColor; 4] = [
    RGBColor(31, 119, 180),
    RGBColor(214, 39, 40),
    RGBColor(44, 160, 44),
    RGBColor(148, 103, 189),
];

/// Draws an SVG with two lines per format: even steps (thin) and by motion (thick). Points are bytes and millimetres.
///
/// # Errors
/// None in practice: it is drawn to memory.
pub fn frontier_svg(character: &str, lines: &[(String, Vec<(f64, f64)>)]) -> Result<String> {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let x = Log::binary(points().map(|p| p.0), |n| bytes(n as u64)).widen(1.0, 1.5);
        let y = Log::decimal(points().map(|p| p.1), significant);
        let mut chart = ChartBuilder::on(&root)
            .caption(
                format!("{character}: worst error at any moment against atlas size"),
                TITLE,
            )
            .margin(12)
            .x_label_area_size(60)
            .y_label_area_size(70)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .label_style(LABEL)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .x_desc("bytes of the matrices")
            .y_desc("worst vertex, mm")
            .draw()?;
        for (index, (name, points)) in lines.iter().enumerate() {
            let (colour, width) = (COLOURS[index / 2 % COLOURS.len()], 1 + 2 * (index % 2) as u32);
            let line = LineSeries::new(points.iter().copied(), colour.stroke_width(width)).point_size(2 + width);
            let legend = move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(width));
            chart.draw_series(line)?.label(name).legend(legend);
        }
        legend(&mut chart, SeriesLabelPosition::UpperRight)?;
        root.present()?;
    }
    Ok(svg)
}
