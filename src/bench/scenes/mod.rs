//! `throng bench --scenes`: measures whole frames of scenes at full detail, with LODs and culling, and with the
//! hardware and the software rasterizer.

mod growth;
pub(super) mod plan;
mod report;
mod run;

use anyhow::Result;

use crate::{
    bench::{
        BenchArgs, BenchPlan, SCHEMA,
        report::files,
        run::{progress::BenchProgress, setup},
    },
    console::{print_json, print_stdout},
    file::output::Output,
    gpu::Gpu,
};

pub use growth::GrowthRow;
pub use plan::{SceneMethod, SceneView};
pub use report::{SceneReport, SceneRow};

/// Runs the command and returns the exit code: 0 done, 1 stopped early.
///
/// # Errors
/// Bad scenes, no adapter, a lost device or a folder that cannot be written.
pub(super) fn run(args: &BenchArgs) -> Result<u8> {
    files::check(&args.out)?;
    let plan = BenchPlan::new(args);
    let gpu = Gpu::headless(&args.adapter())?;
    let groups = groups(args, &args.scenes);
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
        let group = run::MethodGroup::load((args, &plan), (&gpu, &progress), (place, count), &variants);
        match group.and_then(run::MethodGroup::run) {
            Ok(rows) => report.rows.extend(rows),
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    for place in &args.scenes {
        if outcome.is_err() || progress.stopped() {
            break;
        }
        match growth::measure((args, &plan), (&gpu, &progress), place, &ways) {
            Ok(rows) => report.growth.extend(rows),
            Err(error) => outcome = Err(error),
        }
    }
    progress.finish();
    report.stopped = match &outcome {
        Err(error) => Some(format!("{error:#}")),
        Ok(()) => progress.stopped().then(|| "stopped by Ctrl-C".to_owned()),
    };
    report.conclude();
    if report.rows.is_empty() {
        outcome?;
        anyhow::bail!("nothing was measured, no files were written");
    }
    write(args, &report)?;
    outcome?;
    Ok(u8::from(report.stopped.is_some()))
}

fn write(args: &BenchArgs, report: &SceneReport) -> Result<()> {
    let json = serde_json::to_string_pretty(report)? + "\n";
    Output::create(&args.out.join("scenes.json"))?.write(json.as_bytes())?;
    let page = args.out.join("scenes.md");
    Output::create(&page)?.write(report.page().as_bytes())?;
    if args.json {
        print_json(report)?;
    } else {
        print_stdout(&format!("{}\nwrote      {}\n", report.summary(), page.display()))?;
    }
    Ok(())
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
