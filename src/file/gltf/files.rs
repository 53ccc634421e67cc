//! Reads URIs of buffers and images: data URIs, and files in the model's own folder.

use std::{
    collections::HashMap,
    io::Read,
    ops::Deref,
    path::{Component, Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Base64 with and without padding, since exporters write both.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Maximum total size of the files beside a model (bytes).
const MAX_BYTES: u64 = 4 << 30;

/// Folders in and below which models may read files besides their own folder.
static ALLOWED: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

/// Lets models of this process read the buffers and images that they name in and below a folder, too. Without it they
/// read files of their own folder only, since a model must not read the rest of the disk.
///
/// # Errors
/// A folder that does not exist.
pub fn allow_files_below(folder: &Path) -> std::io::Result<()> {
    let folder = folder.canonicalize()?;
    ALLOWED.write().unwrap_or_else(PoisonError::into_inner).push(folder);
    Ok(())
}

fn is_allowed(path: &Path) -> bool {
    let allowed = ALLOWED.read().unwrap_or_else(PoisonError::into_inner);
    allowed.iter().any(|folder| path.starts_with(folder))
}

/// Content of a buffer or an image.
#[derive(Clone)]
pub(crate) enum FileContent<'a> {
    /// Part of the model's own file.
    Borrowed(&'a [u8]),
    /// Content of a data URI or of a file beside the model, shared by all entries that refer to it.
    Shared(Arc<Vec<u8>>),
}

impl Deref for FileContent<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }
}

/// Files beside a model; each is read once.
pub(crate) struct Files<'b> {
    base: Option<&'b Path>,
    known: HashMap<PathBuf, Arc<Vec<u8>>>,
    /// Size of content in memory (bytes), each file counted once.
    pub loaded: u64,
    /// Files that were found under another name than the URI's, one sentence each.
    pub notes: Vec<String>,
}

impl<'b> Files<'b> {
    /// Makes a reader of files in and below the folder `base`; of none without it.
    pub(crate) fn new(base: Option<&'b Path>) -> Self {
        Self {
            base,
            known: HashMap::new(),
            loaded: 0,
            notes: Vec::new(),
        }
    }

    /// Content of a data URI or of a file below the base; the error is the problem in words.
    pub(crate) fn read<'a>(&mut self, uri: &str) -> Result<FileContent<'a>, String> {
        if let Some(data) = uri.strip_prefix("data:") {
            let bytes = data_uri(data)?;
            self.loaded += bytes.len() as u64;
            return Ok(FileContent::Shared(Arc::new(bytes)));
        }
        let base = self
            .base
            .ok_or_else(|| format!("refers to the file \"{uri}\", but the model was not loaded from a file"))?;
        let FileLocation { path, note } = locate(uri, base)?;
        if let Some(known) = self.known.get(&path) {
            return Ok(FileContent::Shared(known.clone()));
        }
        let bytes = Arc::new(read_file(&path, uri, MAX_BYTES.saturating_sub(self.loaded))?);
        self.loaded += bytes.len() as u64;
        self.known.insert(path, bytes.clone());
        self.notes.extend(note);
        Ok(FileContent::Shared(bytes))
    }
}

/// Reads a model's own file. It must be a regular one, since a pipe would block and a device may never end, and no
/// larger than a GLB can be.
pub(crate) fn read_regular(path: &Path) -> std::io::Result<Vec<u8>> {
    let facts = std::fs::metadata(path)?;
    if !facts.is_file() && !facts.is_dir() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    if facts.len() > MAX_BYTES {
        let limit = MAX_BYTES >> 30;
        return Err(std::io::Error::other(format!("it is larger than {limit} GiB")));
    }
    std::fs::read(path)
}

/// Reads a regular file of at most `limit` bytes: a pipe would block, and a device may never end.
fn read_file(path: &Path, uri: &str, limit: u64) -> Result<Vec<u8>, String> {
    let failed = |e: std::io::Error| format!("cannot read the referenced file \"{uri}\": {e}");
    let facts = std::fs::metadata(path).map_err(failed)?;
    if !facts.is_file() {
        return Err(format!("the referenced file \"{uri}\" is not a regular file"));
    }
    // Check the size before any memory is allocated.
    if facts.len() > limit {
        let limit = MAX_BYTES >> 30;
        return Err(format!(
            "the referenced files exceed {limit} GiB in total, up to \"{uri}\""
        ));
    }
    let mut bytes = Vec::with_capacity(facts.len() as usize);
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(limit).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn data_uri(data: &str) -> Result<Vec<u8>, String> {
    let (head, body) = data.split_once(',').ok_or("its data URI has no comma")?;
    if head.ends_with(";base64") {
        LENIENT
            .decode(body)
            .map_err(|e| format!("its data URI is not valid base64: {e}"))
    } else {
        percent_decode(body)
    }
}

/// File that a URI names, and a note if it is not exactly the file named.
struct FileLocation {
    path: PathBuf,
    note: Option<String>,
}

/// Finds the file of a URI below `base`.
///
/// Exporters on Windows write backslashes, absolute paths of their own machine and names in another case: these find
/// the file beside the model.
/// `..` and links that lead outside need a folder of [`allow_files_below`]. Other schemes and other absolute paths are
/// refused, since a model must not read the rest of the disk.
fn locate(uri: &str, base: &Path) -> Result<FileLocation, String> {
    let refused =
        || format!("refers to \"{uri}\", which is outside the model's folder; move the file next to the model");
    let text = String::from_utf8(percent_decode(uri)?).map_err(|_| refused())?;
    let text = text.replace('\\', "/");
    let missing = |e: std::io::Error| format!("cannot read the referenced file \"{uri}\": {e}");
    let root = base.canonicalize().map_err(missing)?;
    if let Some(rest) = windows_path(&text) {
        return beside(&root, rest, uri).ok_or_else(refused);
    }
    if text.contains([':', '\0']) || text.is_empty() {
        return Err(refused());
    }
    let relative = Path::new(&text);
    let plain = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir | Component::ParentDir);
    if !relative.components().all(plain) {
        return Err(refused());
    }
    let joined = root.join(relative);
    let located = match joined.canonicalize() {
        Ok(path) => FileLocation { path, note: None },
        Err(error) => in_another_case(&root, relative, uri).ok_or_else(|| missing(error))?,
    };
    if located.path.starts_with(&root) || is_allowed(&located.path) {
        return Ok(located);
    }
    let shared = root.ancestors().find(|folder| located.path.starts_with(folder));
    let shared = shared.unwrap_or(Path::new("FOLDER")).display();
    Err(format!("{}, or allow it with --files-below \"{shared}\"", refused()))
}

/// Path behind the drive letter of an absolute Windows path.
fn windows_path(text: &str) -> Option<&str> {
    let mut letters = text.chars();
    let is_drive = letters.next()?.is_ascii_alphabetic() && letters.next()? == ':' && letters.next()? == '/';
    is_drive.then(|| &text[3..])
}

/// File below `root` with the last names of a path of another machine, as many of them as possible.
fn beside(root: &Path, path: &str, uri: &str) -> Option<FileLocation> {
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    if names.contains(&"..") {
        return None;
    }
    let tails = (0..names.len()).map(|first| names[first..].join("/"));
    tails.into_iter().find_map(|tail| {
        let path = match root.join(&tail).canonicalize() {
            Ok(path) => path,
            Err(_) => in_another_case(root, Path::new(&tail), uri)?.path,
        };
        (path.starts_with(root) && path.is_file()).then(|| FileLocation {
            note: Some(format!(
                "\"{uri}\" is on another machine: \"{}\" beside the model is read",
                path.strip_prefix(root).unwrap_or(&path).display()
            )),
            path,
        })
    })
}

/// File whose names differ from those of `relative` in upper and lower case alone.
fn in_another_case(root: &Path, relative: &Path, uri: &str) -> Option<FileLocation> {
    let mut path = root.to_path_buf();
    let mut candidates = 1;
    for component in relative.components() {
        let exact = path.join(component);
        if exact.exists() {
            path = exact;
            continue;
        }
        let wanted = component.as_os_str().to_string_lossy().to_lowercase();
        let entries = std::fs::read_dir(&path).ok()?.flatten().map(|entry| entry.path());
        let is_alike = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.to_lowercase() == wanted
        };
        let mut alike: Vec<PathBuf> = entries.filter(is_alike).collect();
        alike.sort();
        candidates = candidates.max(alike.len());
        path = alike.into_iter().next()?;
    }
    let path = path.canonicalize().ok()?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let several = match candidates {
        0 | 1 => String::new(),
        count => format!(", the first of {count} that differ in case"),
    };
    Some(FileLocation {
        note: Some(format!("\"{uri}\" is called \"{name}\" here{several}")),
        path,
    })
}

fn percent_decode(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first != b'%' {
            bytes.push(first);
            rest = tail;
            continue;
        }
        let hex = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = hex.and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(byte.ok_or_else(|| format!("its URI \"{text}\" has an invalid % escape"))?);
        rest = &tail[2..];
    }
    Ok(bytes)
}
