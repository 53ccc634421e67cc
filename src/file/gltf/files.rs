//! URIs of buffers and images: data URIs, and files in the model's own folder.

use std::path::{Component, Path, PathBuf};

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

/// Content of a data URI or of a file below `base`; the error is the problem in words.
pub(crate) fn read_uri(uri: &str, base: Option<&Path>) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        return data_uri(data);
    }
    let base = base.ok_or_else(|| format!("refers to the file \"{uri}\", but the model was not loaded from a file"))?;
    let path = inside(uri, base)?;
    std::fs::read(&path).map_err(|e| format!("cannot read the referenced file \"{uri}\": {e}"))
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
