//! Reads the files that programs leave in folders.

use std::{collections::BTreeMap, path::Path};

/// Contents of all files in and below a folder, by relative path.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            let below = files(&entry.path()).into_iter();
            found.extend(below.map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            found.insert(name, std::fs::read(entry.path()).expect("readable"));
        }
    }
    found
}
