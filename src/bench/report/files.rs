//! Files of a report, each written whole or not at all.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{
    bench::{
        BenchReport,
        report::{BaselineComparison, csv as table, markdown, plots},
    },
    file::output::Output,
};

/// Creates the folder and checks that it can be written to.
///
/// # Errors
/// A folder that cannot be created or written to.
pub(crate) fn check(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    Output::create(&folder.join("report.json")).map(drop)
}

/// Error: a report would overwrite an input, which it is made from or compared with.
#[derive(Debug, thiserror::Error)]
#[error("{0} would be overwritten, but it is an input; choose another --out")]
pub struct WouldOverwrite(PathBuf);

/// Checks that no file of a report overwrites an input.
///
/// # Errors
/// [`WouldOverwrite`].
pub(crate) fn keep_inputs(folder: &Path, inputs: [&Option<PathBuf>; 2]) -> Result<(), WouldOverwrite> {
    let names = plots::FILES.iter().map(|(file, _)| *file);
    let names = names.chain(["report.json", "report.csv", "report.md"]);
    // Files that do not exist have no canonical path, and cannot be an input either.
    let outputs: Vec<PathBuf> = names.filter_map(|name| folder.join(name).canonicalize().ok()).collect();
    let mut inputs = inputs.into_iter().flatten();
    let hit = inputs.find(|input| input.canonicalize().is_ok_and(|input| outputs.contains(&input)));
    hit.map_or(Ok(()), |input| Err(WouldOverwrite(input.clone())))
}

/// Writes report.json, report.csv, report.md and the plots.
///
/// # Errors
/// Errors of writing, for example a full disk.
pub(crate) fn all(folder: &Path, report: &BenchReport, comparison: Option<&BaselineComparison>) -> Result<()> {
    let write = |file: &str, bytes: &[u8]| Output::create(&folder.join(file))?.write(bytes);
    // Figures come first: they are safe if anything after them fails.
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
