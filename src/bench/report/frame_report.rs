//! Reports of `--actors`, `--scenes` and `--quality`: a JSON file, a page and a summary.

use anyhow::Result;
use serde::Serialize;

use crate::{
    bench::{BenchArgs, BenchSetup, report::markdown::table},
    console::{print_json, print_stdout},
    file::output::Output,
};

/// Report of one kind of measurement.
pub(in crate::bench) trait FrameReport: Serialize {
    /// Name of its files, without an ending.
    const NAME: &'static str;

    /// True if nothing was measured.
    fn is_empty(&self) -> bool;

    /// Text of the page, Markdown.
    fn page(&self) -> String;

    /// Text for a terminal.
    fn summary(&self) -> String;
}

/// Writes what was measured and prints it, also where `outcome` is an error that ended the measurement early.
///
/// # Errors
/// `outcome`, nothing measured, or a folder that cannot be written.
pub(in crate::bench) fn publish<R: FrameReport>(args: &BenchArgs, report: &R, outcome: Result<()>) -> Result<()> {
    if report.is_empty() {
        outcome?;
        anyhow::bail!("nothing was measured, no files were written");
    }
    let write = |ending: &str, text: &str| -> Result<std::path::PathBuf> {
        let path = args.out.join(R::NAME).with_extension(ending);
        Output::create(&path)?.write(text.as_bytes())?;
        Ok(path)
    };
    write("json", &(serde_json::to_string_pretty(report)? + "\n"))?;
    let page = write("md", &report.page())?;
    if args.json {
        print_json(report)?;
    } else {
        print_stdout(&format!("{}\nwrote      {}\n", report.summary(), page.display()))?;
    }
    outcome
}

/// Begins a page: the option as its title, where and how it was measured, and what its figures are.
pub(in crate::bench) fn heading(option: &str, setup: &BenchSetup, method: &str) -> String {
    let mut page = format!("# throng bench --{option}\n\n");
    let commit = setup.commit.as_deref().unwrap_or("unknown");
    let rows = [
        ("adapter", setup.adapter.summary()),
        ("driver", setup.adapter.driver.clone()),
        ("system", format!("{}, {} logical cores", setup.os, setup.cores)),
        ("picture", format!("{} x {}", setup.size[0], setup.size[1])),
        ("throng", format!("{} {}, commit {commit}", setup.throng, setup.build)),
        ("command", format!("`throng {}`", setup.command)),
        ("date", setup.date.clone()),
        ("method", method.to_owned()),
    ];
    let rows = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]);
    table(&mut page, &["", ""], rows);
    page
}
