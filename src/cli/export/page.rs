//! The folder of the program's page, which an exported page is a copy of.

use std::{fs, path::Path};

use crate::{
    cli::inputs::{BadUsage, refuse_overwriting_inputs},
    file::output::same_file,
};

/// Start of the page.
const INDEX: &str = "index.html";
/// Files that every page has.
const NEEDED: [&str; 3] = [INDEX, "throng_web.js", "throng_web_bg.wasm"];
/// Manifest of an exported page.
pub(super) const MANIFEST: &str = "crowd.json";
/// Place in the start of the page that names the manifest; the program's own page names none, and asks for none.
const NO_CROWD: &str = r#"<meta name="crowd" content="">"#;
const WITH_CROWD: &str = r#"<meta name="crowd" content="crowd.json">"#;

/// Files of the page, by name and content.
pub(super) struct PageFolder {
    /// All files but the start.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// Start of the page, which names the manifest.
    pub(super) index: String,
}

impl PageFolder {
    /// Reads the folder of the page, to be copied into `output`.
    ///
    /// # Errors
    /// [`BadUsage`]: no folder is named, or it is not that of the page, or it is `output`.
    pub(super) fn open(folder: Option<&Path>, output: &Path) -> Result<Self, BadUsage> {
        let Some(folder) = folder else {
            return Err(BadUsage(
                "--web copies the program's page and needs its folder: add --page page, which lies in a release's archive, or \
                 --page web/dist, which web/build makes in the program's source (docs/web.md)"
                    .to_owned(),
            ));
        };
        let shown = folder.display();
        let lacking = NEEDED.iter().find(|name| !folder.join(name).is_file());
        if let Some(name) = lacking {
            return Err(BadUsage(format!(
                "--page {shown}: not the folder of the page, since it has no {name}; web/build makes one, web/dist"
            )));
        }
        if same_file(folder, output) {
            return Err(BadUsage(format!(
                "--web {}: it is the folder of --page, which stays as it is; choose another folder",
                output.display()
            )));
        }
        let mut files = Vec::new();
        for (name, bytes) in read_files(folder)? {
            refuse_overwriting_inputs(&output.join(&name), [folder.join(&name).as_path()])?;
            files.push((name, bytes));
        }
        let at = files.iter().position(|(name, _)| name == INDEX);
        let index = at.map(|at| files.swap_remove(at).1).unwrap_or_default();
        let index = String::from_utf8_lossy(&index).into_owned();
        if index.contains(WITH_CROWD) {
            return Err(BadUsage(format!(
                "--page {shown}: it was exported with characters of its own; give the folder that web/build makes"
            )));
        }
        if !index.contains(NO_CROWD) {
            return Err(BadUsage(format!(
                "--page {shown}: its {INDEX} is that of another version; make the page of this one with web/build"
            )));
        }
        files.sort();
        Ok(Self {
            files,
            index: index.replace(NO_CROWD, WITH_CROWD),
        })
    }

    /// Name of the start.
    pub(super) const fn index_name() -> &'static str {
        INDEX
    }
}

/// Files of a folder by name.
fn read_files(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, BadUsage> {
    let unreadable = |path: &Path, error: std::io::Error| BadUsage(format!("--page {}: {error}", path.display()));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, error))? {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
        if path.is_dir() {
            return Err(BadUsage(format!(
                "--page {}: a folder, but a page consists of files alone; give the folder that web/build makes",
                path.display()
            )));
        }
        let bytes = fs::read(&path).map_err(|error| unreadable(&path, error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.push((name, bytes));
    }
    Ok(files)
}
