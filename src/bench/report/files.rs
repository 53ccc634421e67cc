//! The files of a report, each appearing whole or not at all.

use std::path::Path;

use anyhow::{Context, Result};

use crate::{
    bench::{
        Report,
        report::{Comparison, csv as table, markdown, plots},
    },
    file::output::Output,
};

/// Makes the folder and sees whether it can be written to.
///
/// # Errors
/// It cannot.
pub(crate) fn check(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    Output::create(&folder.join("report.json")).map(drop)
}

/// Writes report.json, report.csv, report.md and the plots.
///
/// # Errors
/// Full disk and the like.
pub(crate) fn all(folder: &Path, report: &Report, comparison: Option<&Comparison>) -> Result<()> {
    let write = |file: &str, bytes: &[u8]| Output::create(&folder.join(file))?.write(bytes);
    // The figures first: should anything after them fail, they are safe.
    write("report.json", (serde_json::to_string_pretty(report)? + "\n").as_bytes())?;
    write("report.csv", &table::csv(&report.rows)?)?;
    let mut page = markdown::page(report);
    if let Some(comparison) = comparison {
        page += &format!("## Comparison with the baseline\n\n```\n{comparison}```\n");
    }
    write("report.md", page.as_bytes())?;
    for (file, svg) in plots::all(report)? {
        write(file, svg.as_bytes())?;
    }
    Ok(())
}
