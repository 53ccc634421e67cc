//! Cache of LODs of raw files between starts: making them takes seconds.
//!
//! Each character has a file, named by a digest of the inputs of its LODs. It is a binary glTF container with nothing
//! but the LODs, in the notation of raw files that bring their own.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    bake::lods,
    file::{
        glb,
        gltf::{self, document::split_container},
        lods::{EXTENSION, LodJson, read_all, write_all},
    },
    model::{Digest, Lod, Model},
};

/// Environment variable that overrides the platform's cache folder; an empty value disables the cache.
pub const FOLDER_VARIABLE: &str = "THRONG_CACHE";

/// Version of cache files.
const VERSION: u64 = 2;

/// Folder of cached LODs.
#[derive(Clone, Debug)]
pub struct LodCache {
    folder: PathBuf,
}

/// Contents of a cache file.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u64,
    /// [`lods::VERSION`] of the program that made them.
    maker: u32,
    /// Digest of the following fields and of the binary chunk.
    checksum: String,
    #[serde(rename = "levels")]
    lods: Vec<LodJson>,
    #[serde(rename = "discs")]
    splats: Vec<LodJson>,
}

impl LodCache {
    /// Default cache: the folder in [`FOLDER_VARIABLE`], else the platform's. `None` if there is none.
    /// Platforms: `$XDG_CACHE_HOME/throng` or `~/.cache/throng`, `~/Library/Caches/throng` on macOS,
    /// `%LOCALAPPDATA%\throng\cache` on Windows.
    #[must_use]
    pub fn usual() -> Option<Self> {
        usual_folder(|name| env::var_os(name).map(PathBuf::from)).map(Self::at)
    }

    /// Cache in a folder, which is created when something is stored.
    #[must_use]
    pub const fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Folder of the cache.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Path of the file with the LODs of a character, whether it exists or not.
    #[must_use]
    pub fn file(&self, model: &Model) -> PathBuf {
        self.folder.join(format!("levels-{}.glb", lods::fingerprint(model)))
    }

    /// Reads the LODs from a [`LodCache::file`]; `None` if there is no such file.
    ///
    /// # Errors
    /// A file that cannot be read, is damaged, or of another version; the problem in words.
    pub fn read(file: &Path, model: &Model) -> Result<Option<Vec<Lod>>, String> {
        match gltf::read_regular(file) {
            Ok(bytes) => parse(&bytes, model).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("cannot be read: {error}")),
        }
    }

    /// Writes LODs to a [`LodCache::file`], whole or not at all.
    ///
    /// # Errors
    /// Error of the file system.
    pub fn write(file: &Path, lods: &[Lod]) -> io::Result<()> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        let bytes = to_bytes(lods).map_err(io::Error::other)?;
        // The name is unique among processes and threads.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let growing = file.with_extension(format!("{}-{number}.part", process::id()));
        let written = fs::write(&growing, bytes).and_then(|()| fs::rename(&growing, file));
        if written.is_err() {
            // The partial file is useless; a failure to remove it changes nothing.
            let _ = fs::remove_file(&growing);
        }
        written
    }
}

fn usual_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if let Some(folder) = variable(FOLDER_VARIABLE) {
        return (!folder.as_os_str().is_empty()).then_some(folder);
    }
    // A relative path would mean a different folder in each working directory.
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    if cfg!(windows) {
        return Some(absolute("LOCALAPPDATA")?.join("throng").join("cache"));
    }
    if cfg!(target_os = "macos") {
        return Some(absolute("HOME")?.join("Library/Caches/throng"));
    }
    let folder = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(folder.join("throng"))
}

fn to_bytes(lods: &[Lod]) -> Result<Vec<u8>, String> {
    let mut binary = Vec::new();
    let mut views = Vec::new();
    let mut add_view = |bytes: &[u8]| {
        binary.resize(binary.len().next_multiple_of(4), 0);
        views.push(json!({"buffer": 0, "byteOffset": binary.len(), "byteLength": bytes.len()}));
        binary.extend(bytes);
        views.len() - 1
    };
    let [lods, splats] = write_all(lods, &mut add_view);
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut kept = Kept {
        version: VERSION,
        maker: lods::VERSION,
        checksum: String::new(),
        lods,
        splats,
    };
    kept.checksum = checksum(&kept, &views.clone().into(), &binary)?;
    let root = json!({
        "asset": {"version": "2.0", "generator": concat!("throng ", env!("CARGO_PKG_VERSION"))},
        "extensionsUsed": [EXTENSION],
        "buffers": [{"byteLength": binary.len()}],
        "bufferViews": views,
        "extensions": {EXTENSION: kept},
    });
    glb::container(root.to_string().into_bytes(), binary).map_err(|error| error.to_string())
}

fn parse(bytes: &[u8], model: &Model) -> Result<Vec<Lod>, String> {
    let (text, binary) = split_container(bytes)?;
    let root: Value = serde_json::from_slice(text).map_err(|error| format!("is no JSON: {error}"))?;
    let kept = Kept::deserialize(&root["extensions"][EXTENSION]).map_err(|error| format!("is incomplete: {error}"))?;
    if (kept.version, kept.maker) != (VERSION, lods::VERSION) {
        return Err("is of another version".into());
    }
    let (views, binary) = (&root["bufferViews"], binary.unwrap_or_default());
    if checksum(&kept, views, binary)? != kept.checksum {
        return Err("is damaged".into());
    }
    read_all(&kept.lods, &kept.splats, model, |index| {
        let number = |key: &str| views[index][key].as_u64().and_then(|n| usize::try_from(n).ok());
        let range = number("byteOffset").zip(number("byteLength"));
        let range = range.and_then(|(first, length)| Some(first..first.checked_add(length)?));
        let found = range.and_then(|range| binary.get(range));
        found.ok_or_else(|| format!("names buffer view {index}, which does not exist"))
    })
}

fn checksum(kept: &Kept, views: &Value, binary: &[u8]) -> Result<String, String> {
    let mut digest = Digest::new();
    for lods in [&kept.lods, &kept.splats] {
        let lods = serde_json::to_string(lods).map_err(|error| error.to_string())?;
        digest.bytes(lods.as_bytes());
    }
    digest.bytes(views.to_string().as_bytes());
    digest.bytes(binary);
    Ok(digest.hexadecimal())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_the_platforms_unless_named() {
        let named = |wanted: &[(&str, &str)]| {
            let wanted: Vec<(String, PathBuf)> = wanted.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect();
            usual_folder(move |name| wanted.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone()))
        };
        assert_eq!(named(&[]), None, "a system without a home");
        assert_eq!(named(&[("THRONG_CACHE", "x"), ("HOME", "/h")]), Some("x".into()));
        assert_eq!(named(&[("THRONG_CACHE", ""), ("HOME", "/h")]), None, "switched off");
        if cfg!(all(unix, not(target_os = "macos"))) {
            assert_eq!(named(&[("HOME", "/h")]), Some("/h/.cache/throng".into()));
            assert_eq!(
                named(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")]),
                Some("/c/throng".into())
            );
            let relative = named(&[("HOME", "/h"), ("XDG_CACHE_HOME", "c")]);
            assert_eq!(relative, Some("/h/.cache/throng".into()), "a relative path is none");
        }
    }
}
