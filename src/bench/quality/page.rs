//! `quality.md`, and a summary for a terminal.

use crate::{
    bench::{
        MethodQuality, QualityReport, SceneMethod, SceneQuality,
        quality::{
            gates::{ENDLESS, Gate},
            report::BandQuality,
        },
        report::{
            frame_report::heading,
            markdown::table,
            text::{or_dash, significant, thousands},
        },
    },
    render::stats::counted,
};

/// Gates in the order of the tables.
const GATES: [Gate; 7] = [
    Gate::Luminance,
    Gate::Flip,
    Gate::Coverage,
    Gate::Tiles,
    Gate::Moved,
    Gate::Popping,
    Gate::Culling,
];

/// Returns the page.
pub(super) fn page(report: &QualityReport) -> String {
    let method = "every picture against full detail at the same time at 64 samples per pixel, over the pixels of people; \
                  heights are in rows: pixels times the square root of the samples";
    let mut page = heading("quality", &report.setup, method);
    if let Some(why) = &report.stopped {
        page += &format!("> Not complete: {why}.\n\n");
    }
    for scene in &report.scenes {
        section(&mut page, scene);
    }
    page
}

fn section(page: &mut String, scene: &SceneQuality) {
    *page += &format!("## {}\n\n", scene.title());
    *page += &format!("Views: {}.\n\n", scene.views.join(", "));
    if scene.drawn().any(|way| way.way == SceneMethod::Full) {
        *page += "Reference and controls are drawn by the software rasterizer; `full` is full detail by the hardware one, \
                  compared at the first time of the first view.\n\n";
    }
    verdicts(page, scene);
    for way in &scene.ways {
        if let Some(why) = &way.unavailable {
            *page += &format!("`{}` was not drawn: {why}\n\n", way.way.name());
        }
    }
    bands(page, scene);
    controls(page, scene);
    for way in &scene.ways {
        views(page, way);
        if let Some(spot) = &way.worst_spot {
            *page += &format!(
                "Worst tile of `{}`: view {}, {} s, at {}, {}: {} of 255 on average. Reference, full detail, `{}`:\n\n\
                 ![worst tile]({})\n\n",
                way.way.name(),
                spot.view,
                spot.time,
                spot.corner[0],
                spot.corner[1],
                significant(spot.difference * 255.0),
                way.way.name(),
                spot.file
            );
        }
    }
}

/// Adds a table of gates by method, with the worst of several bands.
fn verdicts(page: &mut String, scene: &SceneQuality) {
    let drawn: Vec<&MethodQuality> = scene.drawn().collect();
    let header: Vec<&str> = ["gate", "limit"]
        .into_iter()
        .chain(drawn.iter().map(|way| way.way.name()))
        .collect();
    let rows = GATES.iter().map(|&gate| {
        let cells = drawn.iter().map(|way| way.cell(gate));
        [gate.name().to_owned(), limit(gate)].into_iter().chain(cells).collect()
    });
    table(page, &header, rows);
    for way in drawn.iter().filter(|way| !way.bands.is_empty()) {
        let brighter = way.brighter.unwrap_or(0.0) * 255.0;
        *page += &format!(
            "Worst tile of `{}`: {} of 255; on average tiles are {} of 255 {}.\n\n",
            way.way.name(),
            significant(way.worst_tile * 255.0),
            significant(brighter.abs()),
            if brighter < 0.0 { "darker" } else { "brighter" }
        );
    }
}

fn bands(page: &mut String, scene: &SceneQuality) {
    let ways: Vec<&MethodQuality> = scene.drawn().filter(|way| !way.bands.is_empty()).collect();
    for way in ways {
        *page += &format!("By height, `{}`:\n\n", way.way.name());
        let header: Vec<&str> = ["rows", "covered, pixels", "full: luminance error", "full: FLIP"]
            .into_iter()
            .chain(Gate::OF_PICTURES.iter().map(|gate| gate.name()))
            .chain(["evaluated"])
            .collect();
        let rows = scene
            .bands
            .iter()
            .zip(&way.bands)
            .filter(|(band, _)| band.covered > 0.0);
        let rows = rows.map(|(band, values)| {
            let mut cells = vec![
                band.name(),
                thousands(band.covered.round() as u64),
                or_dash(band.full_luminance_error),
                or_dash(band.full_flip),
            ];
            cells.extend(
                Gate::OF_PICTURES
                    .iter()
                    .map(|gate| value(*gate, values.get(gate).copied())),
            );
            cells.push(
                band.unjudged
                    .as_ref()
                    .map_or("yes".to_owned(), |why| format!("no: {why}")),
            );
            cells
        });
        table(page, &header, rows);
    }
}

fn controls(page: &mut String, scene: &SceneQuality) {
    *page += "Controls, and the gates that reject them:\n\n";
    let seen = || scene.bands.iter().filter(|band| band.covered > 0.0);
    let names = seen().next().map(|band| &band.controls[..]).unwrap_or_default();
    let header: Vec<&str> = ["rows"]
        .into_iter()
        .chain(names.iter().map(|c| c.name.as_str()))
        .collect();
    let rows = seen().map(|band| {
        let cell = |control: &crate::bench::ControlQuality| {
            let told = |gate: &Gate| format!("{} {}", gate.name(), value(*gate, control.values.get(gate).copied()));
            let gates: Vec<String> = control.rejected_by.iter().map(told).collect();
            if gates.is_empty() {
                "accepted".to_owned()
            } else {
                gates.join(", ")
            }
        };
        std::iter::once(band.name())
            .chain(band.controls.iter().map(cell))
            .collect()
    });
    table(page, &header, rows);
}

fn views(page: &mut String, way: &MethodQuality) {
    if way.views.len() < 2 {
        return;
    }
    *page += &format!("By view, `{}`, evaluated bands:\n\n", way.way.name());
    let header: Vec<&str> = ["view"]
        .into_iter()
        .chain(Gate::OF_PICTURES.iter().map(|gate| gate.name()))
        .collect();
    let rows = way.views.iter().map(|(view, values)| {
        let cells = Gate::OF_PICTURES
            .iter()
            .map(|gate| value(*gate, values.get(gate).copied()));
        std::iter::once(view.clone()).chain(cells).collect()
    });
    table(page, &header, rows);
}

/// Returns a summary for a terminal: a line per method, with the gates that failed.
pub(super) fn summary(report: &QualityReport) -> String {
    let mut lines = vec![report.setup.adapter.summary()];
    for scene in &report.scenes {
        lines.push(scene.title());
        lines.push(format!(
            "  {:<9} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}  result",
            "", "luminance", "FLIP", "coverage", "tiles off", "1/8 pixel", "popping", "culling"
        ));
        for way in scene.drawn() {
            let cells: Vec<String> = GATES.iter().map(|gate| format!("{:>10}", way.worst(*gate).0)).collect();
            lines.push(format!("  {:<9} {}  {}", way.way.name(), cells.join(" "), way.result()));
        }
        for way in &scene.ways {
            lines.extend(
                way.unavailable
                    .as_ref()
                    .map(|why| format!("  {:<9} not drawn: {why}", way.way.name())),
            );
        }
        let unjudged = scene.bands.iter().filter(|band| band.covered > 0.0);
        let unjudged = unjudged.filter_map(|band| {
            Some(format!(
                "  not evaluated: {} rows: {}",
                band.name(),
                band.unjudged.as_ref()?
            ))
        });
        lines.extend(unjudged);
    }
    if let Some(why) = &report.stopped {
        lines.push(format!("not complete: {why}"));
    }
    lines.join("\n")
}

impl SceneQuality {
    fn title(&self) -> String {
        format!(
            "{}, {} people, {}, {}, {}",
            self.scene,
            thousands(self.count),
            counted(self.samples.into(), "sample"),
            counted(self.views.len() as u64, "view"),
            counted(self.moments.len() as u64, "moment"),
        )
    }

    fn drawn(&self) -> impl Iterator<Item = &MethodQuality> {
        self.ways.iter().filter(|way| way.unavailable.is_none())
    }
}

impl MethodQuality {
    /// Returns the value of a gate that is farthest from 0, and whether all bands pass.
    fn worst(&self, gate: Gate) -> (String, Option<bool>) {
        let own = self.verdicts.iter().filter(|conclusion| conclusion.gate == gate);
        let worst = own.max_by(|a, b| {
            let size = |value: Option<f64>| value.map_or(-1.0, f64::abs);
            size(a.value).total_cmp(&size(b.value))
        });
        worst.map_or(("-".to_owned(), None), |worst| (value(gate, worst.value), worst.passed))
    }

    /// Returns `pass`, the gates that failed, or those that could not be evaluated.
    fn result(&self) -> String {
        let told = |passed: Option<bool>| -> Vec<&str> {
            let is_so = |gate: &&Gate| self.verdicts.iter().any(|v| v.gate == **gate && v.passed == passed);
            GATES.iter().filter(is_so).map(|gate| gate.name()).collect()
        };
        let (failed, open) = (told(Some(false)), told(None));
        match (failed.is_empty(), open.is_empty()) {
            (false, _) => format!("FAIL: {}", failed.join(", ")),
            (true, false) => format!("not evaluated: {}", open.join(", ")),
            (true, true) => "pass".to_owned(),
        }
    }

    fn cell(&self, gate: Gate) -> String {
        let (value, passed) = self.worst(gate);
        match passed {
            Some(true) => format!("{value} pass"),
            Some(false) => format!("**{value} FAIL**"),
            None => value,
        }
    }
}

impl BandQuality {
    /// Returns the range of heights: `8-16`, `512 and more`.
    fn name(&self) -> String {
        match self.to_rows {
            Some(to) => format!("{}-{to}", self.from_rows),
            None => format!("{} and more", self.from_rows),
        }
    }
}

fn limit(gate: Gate) -> String {
    value(gate, Some(gate.limit()))
}

/// Formats the value of a gate.
fn value(gate: Gate, value: Option<f64>) -> String {
    match (gate, value) {
        (_, None) => "-".to_owned(),
        // Coverage is a ratio minus one: so is its infinite value.
        (_, Some(ratio)) if ratio >= ENDLESS - 1.0 => "infinite".to_owned(),
        (Gate::Coverage | Gate::Tiles, Some(share)) => format!("{:.2} %", 100.0 * share),
        (Gate::Culling, Some(pixels)) => thousands(pixels as u64),
        (_, Some(ratio)) if ratio < 100.0 => format!("{ratio:.3}"),
        (_, Some(ratio)) => significant(ratio),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{GateResult, quality::conclude::nothing};

    fn told(values: &[(Gate, Option<f64>)]) -> String {
        let way = MethodQuality {
            verdicts: values
                .iter()
                .map(|(gate, value)| GateResult::of(*gate, None, *value))
                .collect(),
            ..nothing(SceneMethod::Auto)
        };
        way.result()
    }

    #[test]
    fn only_evaluated_gates_pass() {
        let good = (Gate::Flip, Some(1.0));
        assert_eq!(told(&[good, (Gate::Coverage, Some(-0.01))]), "pass");
        assert_eq!(told(&[good, (Gate::Popping, None)]), "not evaluated: popping p99");
        assert_eq!(
            told(&[good, (Gate::Popping, None), (Gate::Coverage, Some(-0.02))]),
            "FAIL: coverage bias"
        );
    }

    #[test]
    fn page_names_the_worst_of_several_bands() {
        let coverage = |value| GateResult::of(Gate::Coverage, Some(2), Some(value));
        let way = MethodQuality {
            verdicts: vec![coverage(0.001), coverage(-0.03), coverage(0.02)],
            ..nothing(SceneMethod::Auto)
        };
        assert_eq!(way.cell(Gate::Coverage), "**-3.00 % FAIL**");
        // A ratio to zero.
        assert_eq!(value(Gate::Coverage, Some(ENDLESS - 1.0)), "infinite");
        assert_eq!(way.cell(Gate::Moved), "-");
        assert_eq!(limit(Gate::Tiles), "1.00 %");
    }
}
