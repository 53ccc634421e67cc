//! `throng bench --scenes` and `--trajectories`: measure whole frames of scenes at full detail, with LODs and culling, and
//! with the hardware and the software rasterizer.

mod growth;
pub(super) mod plan;
mod report;
mod run;

use anyhow::Result;

use crate::{
    bench::{
        BenchArgs, BenchPlan, SCHEMA,
        report::{files, frame_report::publish},
        run::{progress::BenchProgress, setup},
    },
    gpu::Gpu,
};

pub use growth::GrowthRow;
pub use plan::{SceneMethod, SceneSource, SceneView};
pub use report::{SceneReport, SceneRow};

/// Runs the command and returns the exit code: 0 done, 1 stopped early.
///
/// # Errors
/// Bad scenes, no adapter, a lost device or a folder that cannot be written.
pub(super) fn run(args: &BenchArgs) -> Result<u8> {
    files::check(&args.out)?;
    let plan = BenchPlan::new(args);
    let gpu = Gpu::headless(&args.adapter())?;
    let trajectories = args.trajectories.as_deref().map(SceneView::of_trajectories);
    let places: Vec<SceneView> = args.scenes.iter().cloned().chain(trajectories).collect();
    let groups = groups(args, &places);
    let ways = plan::distinct(&ways(args));
    let variants = plan::variants(&ways);
    let rows = groups.len() * variants.len();
    let progress = BenchProgress::new(rows);
    let mut report = SceneReport {
        schema: SCHEMA,
        setup: setup(args, &plan, &gpu),
        ..SceneReport::default()
    };
    let mut outcome = Ok(());
    for (place, count) in groups {
        if progress.stopped() {
            break;
        }
        let group = run::MethodGroup::load(args, &plan, &gpu, &progress, place, count, &variants);
        match group.and_then(run::MethodGroup::run) {
            Ok(rows) => report.rows.extend(rows),
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    for place in &places {
        if outcome.is_err() || progress.stopped() {
            break;
        }
        match growth::measure(args, &plan, &gpu, &progress, place, &ways) {
            Ok(rows) => report.growth.extend(rows),
            Err(error) => outcome = Err(error),
        }
    }
    progress.finish();
    report.stopped = progress.early_end(&outcome);
    report.conclude();
    publish(args, &report, outcome)?;
    Ok(u8::from(report.stopped.is_some()))
}

/// Returns the requested methods, or the default ones.
fn ways(args: &BenchArgs) -> Vec<SceneMethod> {
    if args.draw.is_empty() {
        plan::USUAL.to_vec()
    } else {
        args.draw.clone()
    }
}

/// Combines every scene view with every requested count.
pub(super) fn groups<'a>(args: &BenchArgs, places: &'a [SceneView]) -> Vec<(&'a SceneView, Option<u32>)> {
    let counts: Vec<Option<u32>> = if args.counts.is_empty() {
        vec![None]
    } else {
        args.counts.iter().copied().map(Some).collect()
    };
    let places = places.iter();
    places
        .flat_map(|place| counts.iter().map(move |count| (place, *count)))
        .collect()
}
