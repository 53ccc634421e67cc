//! `throng bench`: techniques, formats, counts and views, measured side by side in one process.

mod accuracy;
mod args;
mod axis;
mod baseline;
mod costs;
mod facts;
mod findings;
mod headline;
mod markdown;
mod measure;
mod picking;
mod picture;
mod plan;
mod plot_entries;
mod plots;
mod progress;
mod report;
mod run;
mod samples;
mod sections;
mod stage;
mod table;
mod text;
mod views;
mod write;

use anyhow::Result;

use crate::commands::{say, say_json};

pub use accuracy::{Accuracy, Reference};
pub use args::BenchArgs;
pub use baseline::{Change, Comparison, ReadError, compare};
pub use headline::{Headline, Target};
pub use picture::PictureDifference;
pub use plan::{Entry, Plan, View};
pub use report::{Basis, CharacterFacts, Control, Report, Row, SCHEMA, Setup};
pub use samples::Summary;

/// Exit code where a stated limit was not met.
const REGRESSION: u8 = 3;

/// Runs the command; the exit code: 0 done, 1 stopped early, 3 worse than the baseline allows.
///
/// # Errors
/// Bad arguments or models, no adapter, a lost device, an unwritable folder.
pub fn run(args: &BenchArgs) -> Result<u8> {
    // Before the work: a wrong path should not cost the measurement.
    let earlier = args.baseline.as_deref().map(baseline::read).transpose()?;
    write::check(&args.out)?;
    let (report, outcome) = match &args.from {
        Some(path) => (baseline::read(path)?, Ok(())),
        None => run::measure(args)?,
    };
    if report.rows.is_empty() {
        outcome?;
        let why = report.stopped.unwrap_or_else(|| "the report has no rows".into());
        anyhow::bail!("nothing was measured and nothing written: {why}");
    }
    let comparison = earlier.map(|e| compare(&e, &report, args.max_regression));
    write::all(&args.out, &report, comparison.as_ref())?;
    if args.json {
        say_json(&report)?;
    } else {
        let page = args.out.join("report.md");
        say(&format!(
            "{}\nwrote      {}\n",
            markdown::summary(&report),
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
