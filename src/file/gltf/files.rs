//! URIs of buffers and images: data URIs, and files in the model's own folder.

use std::{
    collections::HashMap,
    io::Read,
    ops::Deref,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Accepts base64 with and without padding, as exporters write both.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Bytes that the files beside a model may have in total.
const MAX_BYTES: u64 = 4 << 30;

/// Content of a buffer or an image.
#[derive(Clone)]
pub(crate) enum FileContent<'a> {
    /// A part of the model's own file.
    Borrowed(&'a [u8]),
    /// A data URI, or a file beside the model, however many entries refer to it.
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

/// The files beside a model; each is read once.
pub(crate) struct Files<'b> {
    base: Option<&'b Path>,
    known: HashMap<PathBuf, Arc<Vec<u8>>>,
    /// Bytes in memory, each file counted once.
    pub loaded: u64,
}

impl<'b> Files<'b> {
    /// Files in and below the folder `base`; none without one.
    pub(crate) fn new(base: Option<&'b Path>) -> Self {
        Self {
            base,
            known: HashMap::new(),
            loaded: 0,
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
        let path = inside(uri, base)?;
        if let Some(known) = self.known.get(&path) {
            return Ok(FileContent::Shared(known.clone()));
        }
        let bytes = Arc::new(read_file(&path, uri, MAX_BYTES.saturating_sub(self.loaded))?);
        self.loaded += bytes.len() as u64;
        self.known.insert(path, bytes.clone());
        Ok(FileContent::Shared(bytes))
    }
}

/// The bytes of a model's own file: a regular one, since a pipe would block and a device may never end, and
/// no larger than a GLB can be.
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

/// A regular file of at most `limit` bytes: a pipe would block, and a device may never end.
fn read_file(path: &Path, uri: &str, limit: u64) -> Result<Vec<u8>, String> {
    let failed = |e: std::io::Error| format!("cannot read the referenced file \"{uri}\": {e}");
    let facts = std::fs::metadata(path).map_err(failed)?;
    if !facts.is_file() {
        return Err(format!("the referenced file \"{uri}\" is not a regular file"));
    }
    // Before a byte of it is in memory.
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

/// Path of `uri` below `base`. Absolute paths, other schemes, `..` and links that lead outside
/// are refused: a model must not be able to read the rest of the disk.
fn inside(uri: &str, base: &Path) -> Result<PathBuf, String> {
    let refused = || {
        format!(
            "refers to \"{uri}\", which is outside the model's folder; move the file next to the \
                              model"
        )
    };
    let text = String::from_utf8(percent_decode(uri)?).map_err(|_| refused())?;
    if text.contains([':', '\\', '\0']) || text.is_empty() {
        return Err(refused());
    }
    let relative = Path::new(&text);
    let plain = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
    if !relative.components().all(plain) {
        return Err(refused());
    }
    let missing = |e: std::io::Error| format!("cannot read the referenced file \"{uri}\": {e}");
    let root = base.canonicalize().map_err(missing)?;
    let full = root.join(relative).canonicalize().map_err(missing)?;
    if full.starts_with(&root) {
        Ok(full)
    } else {
        Err(refused())
    }
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
