//! `throng bench`: measures techniques, formats, counts and views side by side in one process.

mod actors;
mod args;
mod plan;
mod quality;
pub mod report;
mod run;
mod scenes;
mod views;

use crate::console::{print_json, print_stdout};
pub use actors::{ActorReport, ActorRow, ActorWork, ViewCosts, ViewCulling, ViewPair};
pub use args::BenchArgs;
pub use plan::{BenchEntry, BenchPlan, BenchView};
pub use quality::{
    BandQuality, ControlQuality, Gate, GateResult, MethodQuality, Popping, QualityReport, SceneQuality, WorstSpot,
};
pub use report::{AaControl, BenchReport, BenchRow, BenchSetup, CharacterCosts, SCHEMA, TimeBasis, frontier_svg};
pub use scenes::{GrowthRow, SceneMethod, SceneReport, SceneRow, SceneSource, SceneView};

use anyhow::Result;

/// Exit code where a stated limit was not met.
const REGRESSION: u8 = 3;

/// Runs the command and returns the exit code: 0 done, 1 stopped early, 3 worse than the baseline allows or than a gate
/// of `--quality`.
///
/// # Errors
/// Bad arguments or models, no adapter, a lost device or a folder that cannot be written.
pub fn run(args: &BenchArgs) -> Result<u8> {
    if args.actors {
        return actors::run(args);
    }
    if args.quality {
        return quality::run(args);
    }
    if !args.scenes.is_empty() || args.trajectories.is_some() {
        return scenes::run(args);
    }
    // Inputs are read before the measurement: a wrong path should not cost it.
    let earlier = args.baseline.as_deref().map(report::baseline::read).transpose()?;
    report::files::check(&args.out)?;
    report::files::keep_inputs(&args.out, [&args.baseline, &args.from])?;
    let (report, outcome) = match &args.from {
        Some(path) => (report::baseline::read(path)?, Ok(())),
        None => run::measure(args)?,
    };
    if report.rows.is_empty() {
        outcome?;
        let why = report.stopped.unwrap_or_else(|| "the report has no rows".into());
        anyhow::bail!("nothing was measured, no files were written: {why}");
    }
    let comparison = earlier.map(|e| report::compare(&e, &report, args.max_regression));
    report::files::all(&args.out, &report, comparison.as_ref())?;
    let page = args.out.join("report.md");
    if args.json {
        print_json(&report)?;
    } else if args.contribute.is_some() {
        // Standard output has only the block, so that `throng bench --contribute | clip` works.
        print_stdout(&report::markdown::contribution(&report))?;
        eprintln!("wrote {}; paste the text above into an issue", page.display());
    } else {
        print_stdout(&format!(
            "{}\nwrote      {}\n",
            report::markdown::summary(&report),
            page.display()
        ))?;
    }
    if let Some(comparison) = &comparison {
        eprint!("{comparison}");
    }
    outcome?;
    Ok(match comparison {
        Some(comparison) if comparison.regressed() => REGRESSION,
        _ => u8::from(report.stopped.is_some()),
    })
}
