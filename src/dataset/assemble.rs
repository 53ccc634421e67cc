//! Last step of a data set: checks that nothing is missing, and writes the files of the whole set.

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde_json::Value;

use crate::{
    dataset::{
        SetFiles,
        files::{SPLITS, make},
        sha256_of,
    },
    file::output::Output,
    label::{CocoFile, Collection, CollectionKind, LabelFormats, PictureEntry, read_json},
};

/// Error: a set is not complete.
#[derive(Debug, thiserror::Error)]
#[error("{count} of {of} {what} are missing or broken: {first}{more}; run the same command again")]
pub struct IncompleteSet {
    /// Number of files that are missing or broken.
    pub count: usize,
    /// Number of files that the set needs.
    pub of: u64,
    /// Kind of files.
    pub what: &'static str,
    /// First of them, and the reason.
    pub first: String,
    more: &'static str,
}

impl IncompleteSet {
    /// Fails if something is missing.
    ///
    /// # Errors
    /// An [`IncompleteSet`] with the first of them.
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

/// Counts of an assembled set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssembledSet {
    /// Number of pictures for training.
    pub train: usize,
    /// Number of pictures for validation.
    pub val: usize,
    /// Number of people in all of them.
    pub people: usize,
}

/// Checks every picture of a set against its checksums; writes annotations, index and checksums.
///
/// # Errors
/// [`IncompleteSet`], or errors of writing.
pub fn assemble(files: &SetFiles, set: &Value) -> Result<AssembledSet> {
    let pictures = set["pictures"]
        .as_u64()
        .context("the record of the set has no number of pictures")?;
    let checked: Vec<Result<IndexEntry, String>> = (0..pictures)
        .into_par_iter()
        .map(|number| {
            let path = files.sheet(number);
            let sheet = read_json(&path).map_err(|_| format!("{} is missing", files.name(&path)))?;
            files
                .validation_error(&sheet)
                .map_or_else(|| Ok(IndexEntry::of(&sheet)), Err)
        })
        .collect();
    let flaws: Vec<String> = checked.iter().filter_map(|one| one.as_ref().err().cloned()).collect();
    IncompleteSet::check(&flaws, pictures, "pictures")?;
    let entries: Vec<IndexEntry> = checked.into_iter().flatten().collect();
    make(&files.folder().join("annotations"))?;
    let mut done = AssembledSet::default();
    for split in SPLITS {
        let mut all = CocoFile::begin(&files.folder().join(annotations(split)))?;
        let own: Vec<&IndexEntry> = entries.iter().filter(|entry| entry.split == split).collect();
        match split {
            "val" => done.val = own.len(),
            _ => done.train = own.len(),
        }
        let labels = own.iter().filter_map(|entry| entry.labels.as_ref());
        all.add(&labels.map(|name| files.folder().join(name)).collect::<Vec<_>>())?;
        // A split without a picture has the categories of the others.
        if let Some(name) = entries.iter().find_map(|entry| entry.labels.as_ref()) {
            all.with_categories_of(&files.folder().join(name))?;
        }
        done.people += all.finish()?;
    }
    write(files, "index.csv", &index(&entries))?;
    let mut of_set: Vec<String> = SPLITS.map(annotations).to_vec();
    of_set.push("index.csv".to_owned());
    of_set.extend(gather_formats(files, set, &entries)?);
    write(files, "SHA256SUMS", &checksums(files, &entries, &of_set)?)?;
    Ok(done)
}

/// Writes the files that formats have of a whole set, and returns their names.
fn gather_formats(files: &SetFiles, set: &Value, entries: &[IndexEntry]) -> Result<Vec<String>> {
    let formats = set["record"]["label_formats"].as_array().into_iter().flatten();
    let names: Vec<&str> = std::iter::once("coco")
        .chain(formats.filter_map(Value::as_str))
        .collect();
    let formats: LabelFormats = names.join(",").parse().map_err(anyhow::Error::msg)?;
    let edge = |key: &str| set["config"]["window"][key].as_u64().unwrap_or_default() as u32;
    let entry = |(number, entry): (u64, &IndexEntry)| PictureEntry {
        number,
        split: entry.split.clone(),
        stem: files.stem_in(&entry.split, number),
        files: entry.files.iter().map(|name| files.folder().join(name)).collect(),
    };
    let all = Collection {
        kind: CollectionKind::Set,
        folder: files.folder().to_owned(),
        name: "set".to_owned(),
        size: (edge("width"), edge("height")),
        pictures: (0..).zip(entries).map(entry).collect(),
    };
    let gathered = formats.writers().map(|writer| writer.gather(&all));
    let gathered = gathered.collect::<Result<Vec<_>>>()?.concat();
    Ok(gathered.iter().map(|path| files.name(path)).collect())
}

fn annotations(split: &str) -> String {
    format!("annotations/{split}.json")
}

/// Facts about a picture for the files of the whole set.
struct IndexEntry {
    split: String,
    /// Label file, relative to the folder of the set.
    labels: Option<String>,
    /// Parameters that were sampled for the picture, in the order of the columns; empty where it has none.
    cells: Vec<String>,
    /// File of the picture, relative to the folder of the set; empty without one.
    picture: String,
    /// Names of its files, relative to the folder of the set.
    files: Vec<String>,
    /// Checksum lines of its files, as `sha256sum` writes them.
    sums: String,
}

/// Returns the index: a line for each picture. Parameters that vary only if they are named have a column where any
/// picture has them.
fn index(entries: &[IndexEntry]) -> String {
    let is_used = |column: &usize| *column < ALWAYS || entries.iter().any(|entry| !entry.cells[*column].is_empty());
    let used: Vec<usize> = (0..COLUMNS.len()).filter(is_used).collect();
    let line = |cells: Vec<&str>| cells.into_iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    let head = line(used.iter().map(|&column| COLUMNS[column]).chain(["file"]).collect());
    let rows = entries.iter().map(|entry| {
        let cells = used.iter().map(|&column| entry.cells[column].as_str());
        line(cells.chain([entry.picture.as_str()]).collect())
    });
    std::iter::once(head).chain(rows).collect()
}

/// Returns a cell of a CSV file (RFC 4180).
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) {
        return format!("\"{}\"", cell.replace('"', "\"\""));
    }
    cell.to_owned()
}

/// Number of columns that every index has.
const ALWAYS: usize = 8;

/// Columns of the index before the name of the file.
const COLUMNS: [&str; 22] = [
    "number",
    "split",
    "count",
    "seed",
    "time",
    "sun_elevation",
    "sun_azimuth",
    "exposure",
    "sky",
    "lamps",
    "lit_windows",
    "clouds",
    "haze",
    "layout",
    "ground",
    "background",
    "roll",
    "distortion",
    "blur",
    "noise",
    "clothes",
    "cast",
];

impl IndexEntry {
    fn of(sheet: &Value) -> Self {
        let text = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            // A list in one cell.
            Value::Array(list) => list.iter().map(Value::to_string).collect::<Vec<_>>().join(" "),
            other => other.to_string(),
        };
        let files = || sheet["files"].as_object().into_iter().flatten();
        let named = |ending: &str| {
            files()
                .map(|(name, _)| name)
                .find(|name| name.ends_with(ending))
                .cloned()
        };
        let picture = format!("{:06}.png", sheet["dealt"]["number"].as_u64().unwrap_or_default());
        Self {
            split: text(&sheet["dealt"]["split"]),
            labels: named(".labels.json"),
            files: files().map(|(name, _)| name.clone()).collect(),
            cells: COLUMNS.map(|column| text(&sheet["dealt"][column])).to_vec(),
            picture: named(&picture).unwrap_or_default(),
            sums: files().map(|(name, sum)| format!("{}  {name}\n", text(sum))).collect(),
        }
    }
}

/// Returns checksums of all files of pictures and of the set, in the format of `sha256sum`.
fn checksums(files: &SetFiles, entries: &[IndexEntry], of_set: &[String]) -> Result<String> {
    let mut lines: String = entries.iter().map(|entry| entry.sums.as_str()).collect();
    for name in of_set {
        let sum = sha256_of(&files.folder().join(name)).with_context(|| format!("reading {name}"))?;
        lines += &format!("{sum}  {name}\n");
    }
    Ok(lines)
}

fn write(files: &SetFiles, name: &str, text: &str) -> Result<()> {
    Output::create(&files.folder().join(name))?.write(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    #[test]
    fn index_has_columns_of_what_varies_alone() {
        let sheet = |number: u64, more: Value| {
            let mut row = json!({"number": number, "split": "train", "count": 3, "seed": 1, "time": 0.5,
                "sun_elevation": 1.0, "sun_azimuth": 2.0, "exposure": 0.0});
            let facts = row.as_object_mut().expect("a table");
            facts.extend(more.as_object().expect("a table").clone());
            let file = format!("images/train/{number:06}.png");
            json!({"dealt": row, "files": {format!("images/train/{number:06}.depth.png"): "b", file: "a"}})
        };
        let entries = |more: [Value; 2]| -> Vec<IndexEntry> {
            let sheets = (0..).zip(more).map(|(number, more)| sheet(number, more));
            sheets.map(|sheet| IndexEntry::of(&sheet)).collect()
        };
        let plain = index(&entries([json!({}), json!({})]));
        let lines: Vec<&str> = plain.lines().collect();
        assert_eq!(
            lines[0],
            "number,split,count,seed,time,sun_elevation,sun_azimuth,exposure,file"
        );
        assert_eq!(lines[1], "0,train,3,1,0.5,1.0,2.0,0.0,images/train/000000.png");
        let varied = index(&entries([
            json!({"background": "a, b.png"}),
            json!({"cast": [0.5, 1.0]}),
        ]));
        assert!(varied.contains("exposure,background,cast,file\n"), "{varied}");
        assert!(varied.contains("0.0,\"a, b.png\",,images"), "{varied}");
        assert!(varied.contains("0.0,,0.5 1.0,images"), "{varied}");
    }
}
