//! `throng bench --quality`: tests whether scenes with LODs and culling look like full detail.
//!
//! ```text
//! QualityScene  a scene, its views and scene times
//! Studio        the scene on the device: single pictures; `sweep`: pictures at 64 samples, heights of people
//! PlantedFault  wrong pictures that gates must reject (negative controls)
//! QualitySums   differences of a picture from the reference, by heights of people
//! Gate          limit that the sums must meet
//! Inspection    all of it in order; `conclude` makes the report
//! ```

mod conclude;
mod control;
mod gates;
mod inspect;
mod page;
mod plan;
mod popping;
mod report;
mod spot;
mod studio;
mod sums;
mod sweep;

pub use gates::Gate;
pub use popping::Popping;
pub use report::{BandQuality, ControlQuality, GateResult, MethodQuality, QualityReport, SceneQuality, WorstSpot};

use std::path::Path;

use anyhow::Result;

use crate::{
    bench::{
        BenchArgs, BenchPlan, SCHEMA, SceneMethod, SceneView,
        quality::{inspect::Inspection, plan::QualityScene},
        report::{files, frame_report::publish},
        run::{progress::BenchProgress, setup},
        scenes::groups,
    },
    config::Config,
    file::output::Output,
    gpu::Gpu,
};

/// Runs the command and returns the exit code: 0 done, 1 stopped early, 3 a gate failed.
///
/// # Errors
/// Bad scenes, no adapter, a lost device or a folder that cannot be written.
pub(super) fn run(args: &BenchArgs) -> Result<u8> {
    files::check(&args.out)?;
    let plan = BenchPlan::new(args);
    let presets = Config::preset_names().map(SceneView::of_scene);
    let places: Vec<SceneView> = match args.scenes.is_empty() {
        true => presets.collect(),
        false => args.scenes.clone(),
    };
    let visits = groups(args, &places);
    let visits = visits
        .into_iter()
        .map(|(place, count)| QualityScene::new(args, &plan, place, count));
    let visits = visits.collect::<Result<Vec<QualityScene>>>()?;
    let gpu = Gpu::headless(&args.adapter())?;
    let progress = BenchProgress::of_steps(visits.iter().map(QualityScene::steps).sum());
    let mut report = QualityReport {
        schema: SCHEMA,
        setup: setup(args, &plan, &gpu),
        ..QualityReport::default()
    };
    let outcome = visit_all(&visits, &gpu, &progress, &args.out, &mut report);
    progress.finish();
    report.stopped = progress.early_end(&outcome);
    publish(args, &report, outcome)?;
    Ok(match report.failed() {
        true => super::REGRESSION,
        false => u8::from(report.stopped.is_some()),
    })
}

/// Adds the results of every scene. A scene that was stopped or failed midway keeps what was compared before.
fn visit_all(
    visits: &[QualityScene],
    gpu: &Gpu,
    progress: &BenchProgress,
    out: &Path,
    report: &mut QualityReport,
) -> Result<()> {
    for quality_scene in visits {
        if progress.stopped() {
            break;
        }
        let mut inspection = Inspection::open(gpu, quality_scene, progress)?;
        let outcome = inspection.run();
        if inspection.compared > 0 {
            let name = |way: SceneMethod| {
                format!(
                    "worst-{}-{}-{}.png",
                    file_name(quality_scene),
                    inspection.people,
                    way.name()
                )
            };
            let scene = conclude::conclude(&inspection, name);
            let inspected = inspection.graphics.iter().chain(&inspection.ways);
            for (inspected, way) in inspected.filter_map(|inspected| Some((inspected, inspected.spot.as_ref()?))) {
                let (pixels, size) = spot::side_by_side(&way.pictures);
                Output::create(&out.join(name(inspected.way)))?.write_png(&pixels, size)?;
            }
            report.scenes.push(scene);
        }
        outcome?;
    }
    Ok(())
}

/// Returns the name of a scene as part of a file name.
fn file_name(quality_scene: &QualityScene) -> String {
    let place = &quality_scene.place;
    let scene = place.scene.to_string();
    let stem = Path::new(&scene).file_stem().unwrap_or_default().to_string_lossy();
    let view = place.view.iter().map(|view| format!("-{view}"));
    stem.chars().map(String::from).chain(view).collect()
}
