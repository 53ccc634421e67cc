//! The last step: whether nothing is missing, and the files that are of the whole set.

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde_json::Value;

use crate::{
    dataset::{SetFiles, files::SPLITS, sha256},
    file::output::Output,
    label::{merged, read_json},
};

/// A set that is not whole.
#[derive(Debug, thiserror::Error)]
#[error("{count} of {of} {what} are missing or broken: {first}{more}; run the same command again")]
pub struct Missing {
    /// How many.
    pub count: usize,
    /// Of how many.
    pub of: u64,
    /// Of what.
    pub what: &'static str,
    /// The first of them, and why.
    pub first: String,
    more: &'static str,
}

impl Missing {
    /// Refuses to go on where something is missing.
    ///
    /// # Errors
    /// The first of them.
    pub fn check(flaws: &[String], of: u64, what: &'static str) -> Result<(), Self> {
        match flaws.first() {
            None => Ok(()),
            Some(first) => Err(Self {
                count: flaws.len(),
                of,
                what,
                first: first.clone(),
                more: if flaws.len() > 1 { " and others" } else { "" },
            }),
        }
    }
}

/// What was assembled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// Pictures for training.
    pub train: usize,
    /// Pictures for validation.
    pub val: usize,
    /// People in all of them.
    pub people: usize,
}

/// Checks every picture of a set against its checksums; writes annotations, index and checksums.
///
/// # Errors
/// [`Missing`]; what cannot be written.
pub fn assemble(files: &SetFiles, set: &Value) -> Result<Assembled> {
    let pictures = set["pictures"]
        .as_u64()
        .context("the record of the set has no number of pictures")?;
    let sheets: Vec<Result<Value, String>> = (0..pictures)
        .into_par_iter()
        .map(|number| {
            let shown = files.name(&files.sheet(number));
            let sheet = read_json(&files.sheet(number)).map_err(|_| format!("{shown} is missing"))?;
            match files.flaw(&sheet) {
                Some(why) => Err(why),
                None => Ok(sheet),
            }
        })
        .collect();
    let flaws: Vec<String> = sheets
        .iter()
        .filter_map(|sheet| sheet.as_ref().err().cloned())
        .collect();
    Missing::check(&flaws, pictures, "pictures")?;
    let sheets: Vec<Value> = sheets.into_iter().flatten().collect();
    let mut done = Assembled::default();
    for split in SPLITS {
        let own = || sheets.iter().filter(|sheet| sheet["dealt"]["split"] == split);
        let labels = own().filter_map(|sheet| labels_of(files, sheet));
        let whole = merged(labels.map(|path| Ok((path.clone(), read_json(&path)?))), |_, file| {
            file.to_owned()
        })?;
        done.people += whole["annotations"].as_array().map_or(0, Vec::len);
        match split {
            "val" => done.val = own().count(),
            _ => done.train = own().count(),
        }
        write(
            files,
            &format!("annotations/{split}.json"),
            &(serde_json::to_string(&whole)? + "\n"),
        )?;
    }
    write(files, "index.csv", &index(&sheets))?;
    write(files, "SHA256SUMS", &checksums(files, &sheets)?)?;
    Ok(done)
}

fn labels_of(files: &SetFiles, sheet: &Value) -> Option<std::path::PathBuf> {
    let mut names = sheet["files"].as_object()?.keys();
    let name = names.find(|name| name.ends_with(".labels.json"))?;
    Some(files.folder().join(name))
}

/// A line for each picture: what was drawn for it.
fn index(sheets: &[Value]) -> String {
    let columns = [
        "number",
        "split",
        "count",
        "seed",
        "time",
        "sun_elevation",
        "sun_azimuth",
        "exposure",
    ];
    let mut text = columns.join(",") + ",file\n";
    for sheet in sheets {
        let cell = |column: &&str| {
            let value = &sheet["dealt"][column];
            value.as_str().map_or_else(|| value.to_string(), str::to_owned)
        };
        let mut cells: Vec<String> = columns.iter().map(cell).collect();
        let files = sheet["files"].as_object();
        let picture = files.and_then(|files| files.keys().find(|name| name.ends_with(".png")));
        cells.push(picture.cloned().unwrap_or_default());
        text += &(cells.join(",") + "\n");
    }
    text
}

/// As `sha256sum` writes them: of all pictures' files and of the set's own.
fn checksums(files: &SetFiles, sheets: &[Value]) -> Result<String> {
    let mut lines = Vec::new();
    for sheet in sheets {
        let own = sheet["files"].as_object().into_iter().flatten();
        lines.extend(own.map(|(name, sum)| format!("{}  {name}\n", sum.as_str().unwrap_or_default())));
    }
    for name in ["annotations/train.json", "annotations/val.json", "index.csv"] {
        let bytes = std::fs::read(files.folder().join(name)).with_context(|| format!("reading {name}"))?;
        lines.push(format!("{}  {name}\n", sha256(&bytes)));
    }
    Ok(lines.concat())
}

fn write(files: &SetFiles, name: &str, text: &str) -> Result<()> {
    let path = files.folder().join(name);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    Output::create(&path)?.write(text.as_bytes())
}
