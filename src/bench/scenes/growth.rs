//! CPU cost of more people: the smallest and the largest count of a scene view on the device at once, frames in turn.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::{
    bench::{
        BenchArgs, BenchPlan,
        report::{
            markdown::table,
            text::{or_dash, ratio, thousands},
        },
        run::progress::BenchProgress,
        scenes::{
            plan::{SceneMethod, SceneView, Variant},
            run::MethodGroup,
        },
    },
    gpu::Gpu,
    measure::{Summary, stopwatch::interleave_bursts},
};

/// CPU times at the smallest and the largest count of a scene view, measured in turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrowthRow {
    /// Scene.
    pub scene: String,
    /// View.
    pub view: String,
    /// Samples per pixel.
    pub samples: u32,
    /// True if shadows are drawn.
    pub shadows: bool,
    /// Method that draws the scene.
    pub way: SceneMethod,
    /// Instances: smallest and largest count.
    pub counts: [u64; 2],
    /// CPU time to encode and submit at the smallest count (ms).
    pub few_ms: Summary,
    /// CPU time at the largest count (ms).
    pub many_ms: Summary,
    /// `many_ms` over `few_ms`, medians.
    pub ratio: f64,
    /// Second measurement of the smallest count over `few_ms`: the noise (A/A control).
    pub control: Option<f64>,
}

/// Measures one row per method at the smallest and the largest of `counts`. Returns none for fewer than two counts, nor
/// on a software rasterizer, which draws on the cores that would be measured.
///
/// # Errors
/// A bad scene, a lost device.
pub(super) fn measure(
    args: &BenchArgs,
    plan: &BenchPlan,
    gpu: &Gpu,
    progress: &BenchProgress,
    place: &SceneView,
    ways: &[SceneMethod],
) -> Result<Vec<GrowthRow>> {
    let (Some(&fewest), Some(&most)) = (args.counts.iter().min(), args.counts.iter().max()) else {
        return Ok(Vec::new());
    };
    if fewest == most || gpu.facts.is_software() {
        return Ok(Vec::new());
    }
    let once = ways.iter().map(|&way| Variant { way, control: false });
    let variants: Vec<Variant> = once.collect();
    // The smallest count has every method twice, each with its own buffers: the second is the A/A control.
    let again = variants.iter().map(|v| Variant { control: true, ..*v });
    let twice: Vec<Variant> = variants.iter().copied().chain(again).collect();
    let load = |count, variants: &[Variant]| MethodGroup::load(args, plan, gpu, progress, place, Some(count), variants);
    let (mut few, mut many) = (load(fewest, &twice)?, load(most, &variants)?);
    progress.prepare(&format!("{}: CPU of {fewest} and {most}", place.scene));
    let mut rows = Vec::new();
    for (index, &way) in ways.iter().enumerate() {
        // Long frames would take minutes, and their caches are colder than those of short ones.
        let long = [index, index + ways.len()].map(|own| few.is_long(own)).contains(&true) || many.is_long(index);
        let [few_ms, again_ms, many_ms] = burst_in_turn(|turn| {
            progress.tick();
            match turn {
                _ if long || progress.stopped() => Vec::new(),
                0 => few.burst(index),
                1 => few.burst(index + ways.len()),
                _ => many.burst(index),
            }
        });
        let (view, samples, shadows) = many.shown();
        rows.extend(few_ms.zip(many_ms).map(|(few_ms, many_ms)| GrowthRow {
            scene: place.scene.to_string(),
            view: view.to_owned(),
            samples,
            shadows,
            way,
            counts: [few.people(), many.people()],
            few_ms,
            many_ms,
            ratio: many_ms.median / few_ms.median,
            control: again_ms.map(|again| again.median / few_ms.median),
        }));
    }
    Ok(rows)
}

/// Measures three bursts in turn (ms); `None` for those that return no times.
fn burst_in_turn(burst: impl FnMut(usize) -> Vec<f64>) -> [Option<Summary>; 3] {
    let mut samples = interleave_bursts(3, burst).into_iter();
    std::array::from_fn(|_| samples.next().and_then(|ms| Summary::of(&ms)))
}

const HEADER: [&str; 6] = [
    "method",
    "fewest",
    "their CPU ms",
    "most",
    "their CPU ms",
    "ratio (A/A)",
];

fn cells(row: &GrowthRow) -> [String; 6] {
    let ms = |summary: &Summary| or_dash(Some(summary.median));
    let [few, many] = row.counts.map(thousands);
    let ratio = format!("{} ({})", ratio(Some(row.ratio)), ratio(row.control));
    [
        row.way.name().to_owned(),
        few,
        ms(&row.few_ms),
        many,
        ms(&row.many_ms),
        ratio,
    ]
}

/// Formats the rows for a terminal.
pub(super) fn lines(rows: &[GrowthRow]) -> Vec<String> {
    let told = rows.iter().map(|row| {
        let [way, few, few_ms, many, many_ms, ratio] = cells(row);
        let place = format!("{}, view {}", row.scene, row.view);
        format!("CPU of {place}, {way}: {few_ms} ms for {few} people, {many_ms} ms for {many}, in turn: {ratio}")
    });
    told.collect()
}

/// Adds a section to `scenes.md`; nothing if one count was measured.
pub(super) fn section(page: &mut String, rows: &[GrowthRow]) {
    for rows in rows.chunk_by(|a, b| (&a.scene, &a.view) == (&b.scene, &b.view)) {
        *page += &format!(
            "## CPU of {}, view {}, fewest and most people in turn\n\nEncode and submit, medians of frames that run ahead of \
             the GPU; in brackets the fewest once more, with buffers of their own.\n\n",
            rows[0].scene, rows[0].view
        );
        table(page, &HEADER, rows.iter().map(|row| cells(row).to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_growth_is_reported_with_its_aa_control() {
        let of = |ms: f64| Summary::of(&[ms]).expect("a number");
        let row = GrowthRow {
            scene: "million".into(),
            view: "sea".into(),
            samples: 4,
            shadows: true,
            way: SceneMethod::Auto,
            counts: [1000, 1_000_000],
            few_ms: of(0.5),
            many_ms: of(0.52),
            ratio: 1.04,
            control: Some(0.98),
        };
        let mut page = String::new();
        section(&mut page, std::slice::from_ref(&row));
        assert!(
            page.contains("| auto | 1,000 | 0.500 | 1,000,000 | 0.520 | 1.04 (0.98) |"),
            "{page}"
        );
        assert!(lines(&[row])[0].ends_with("0.520 ms for 1,000,000, in turn: 1.04 (0.98)"));
        let mut nothing = String::new();
        section(&mut nothing, &[]);
        assert!(nothing.is_empty() && lines(&[]).is_empty());
    }

    #[test]
    fn bursts_alternate_and_an_unmeasured_one_has_no_time() {
        let mut order = Vec::new();
        let times = burst_in_turn(|turn| {
            order.push(turn);
            if turn == 1 { Vec::new() } else { vec![turn as f64 + 1.0] }
        });
        assert_eq!(times.map(|ms| ms.map(|ms| ms.median)), [Some(1.0), None, Some(3.0)]);
        assert_eq!(order, [0, 1, 2, 1, 2, 0, 2, 0, 1]);
    }
}
