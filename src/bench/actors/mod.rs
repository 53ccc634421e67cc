//! `throng bench --actors`: measures actors whom the CPU changes every frame, and many who are spawned in one frame.

mod report;
mod run;
mod views;

use anyhow::Result;

use crate::{
    bench::{
        BenchArgs, BenchPlan, SCHEMA,
        report::{files, frame_report::publish},
        run::{progress::BenchProgress, setup},
    },
    gpu::Gpu,
};

pub use report::{ActorReport, ActorRow, ActorWork, ViewCosts, ViewCulling, ViewPair};

/// Numbers of actors if the command line has none.
const COUNTS: &[u32] = &[100_000];
/// Numbers of actors of `--quick`.
const QUICK_COUNTS: &[u32] = &[2_000];

/// Runs the command and returns the exit code: 0 done, 1 stopped early.
///
/// # Errors
/// A bad character, no adapter, a lost device or a folder that cannot be written.
pub(super) fn run(args: &BenchArgs) -> Result<u8> {
    files::check(&args.out)?;
    let counts = match (args.counts.is_empty(), args.quick) {
        (false, _) => args.counts.clone(),
        (true, false) => COUNTS.to_vec(),
        (true, true) => QUICK_COUNTS.to_vec(),
    };
    let plan = BenchPlan::new(args);
    let gpu = Gpu::headless(&args.adapter())?;
    let progress = BenchProgress::of_steps(counts.len());
    let mut report = ActorReport {
        schema: SCHEMA,
        setup: setup(args, &plan, &gpu),
        ..ActorReport::default()
    };
    let mut outcome = Ok(());
    for count in counts {
        if outcome.is_err() || progress.stopped() {
            break;
        }
        match run::measure(args, &plan, &gpu, &progress, count) {
            Ok((rows, views)) => {
                report.rows.extend(rows);
                report.views.extend(views);
            }
            Err(error) => outcome = Err(error),
        }
        progress.done(1);
    }
    progress.finish();
    report.stopped = progress.early_end(&outcome);
    report.conclude();
    publish(args, &report, outcome)?;
    Ok(u8::from(report.stopped.is_some()))
}
