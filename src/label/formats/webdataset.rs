//! Shards of WebDataset: tar files in which the files of a picture follow each other under one key.
//!
//! The key is the number of the picture; what follows it is the ending of the file: `000012.png`,
//! `000012.labels.json`. Shards of equal files are equal: they hold no times and no owners.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{
    file::output::{GrowingFile, Output},
    label::formats::{Collection, LabelWriter, OutputKind, PictureEntry},
};

/// Writer of shards.
pub(super) struct WebDatasetWriter;

/// Most pictures in a shard.
const PICTURES: usize = 1000;
/// Most bytes in a shard, unless a single picture has more.
const BYTES: u64 = 1 << 30;

impl LabelWriter for WebDatasetWriter {
    fn unsupported(&self, kind: OutputKind) -> Option<&'static str> {
        let why = "shards hold many pictures; draw them with `throng dataset` or `throng film`";
        (kind == OutputKind::Picture).then_some(why)
    }

    fn gather(&self, all: &Collection) -> Result<Vec<PathBuf>> {
        let folder = all.folder.join("shards");
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let mut written = Vec::new();
        for split in ["train", "val", ""] {
            let own: Vec<&PictureEntry> = all.pictures.iter().filter(|picture| picture.split == split).collect();
            let name = if split.is_empty() { &all.name } else { split };
            for (number, pictures) in (0..).zip(shards(&own, size_of)?) {
                let path = folder.join(format!("{name}-{number:06}.tar"));
                write_shard(&path, pictures)?;
                written.push(path);
            }
        }
        Ok(written)
    }
}

/// Divides pictures among shards, in order.
fn shards<T>(pictures: &[T], size: impl Fn(&T) -> Result<u64>) -> Result<Vec<&[T]>> {
    let mut shards = Vec::new();
    let (mut first, mut bytes) = (0, 0);
    for (index, picture) in pictures.iter().enumerate() {
        let own = size(picture)?;
        let is_full = index - first == PICTURES || bytes + own > BYTES;
        if is_full && index > first {
            shards.push(&pictures[first..index]);
            (first, bytes) = (index, 0);
        }
        bytes += own;
    }
    if first < pictures.len() {
        shards.push(&pictures[first..]);
    }
    Ok(shards)
}

fn size_of(picture: &&PictureEntry) -> Result<u64> {
    let sizes = picture.files.iter().map(|path| {
        let facts = std::fs::metadata(path).with_context(|| format!("reading {}", path.display()))?;
        // A header, and whole blocks of 512 bytes.
        Ok(512 + facts.len().next_multiple_of(512))
    });
    sizes.sum()
}

fn write_shard(path: &Path, pictures: &[&PictureEntry]) -> Result<()> {
    let shown = || format!("writing {}", path.display());
    let mut tar = tar::Builder::new(BufWriter::new(Output::create(path)?.begin()?));
    for picture in pictures {
        for file in &picture.files {
            add(&mut tar, picture, file)?;
        }
    }
    let mut out = tar.into_inner().with_context(shown)?;
    out.flush().with_context(shown)?;
    let file = out.into_inner().map_err(std::io::IntoInnerError::into_error);
    file.with_context(shown)?.finish()
}

fn add(tar: &mut tar::Builder<BufWriter<GrowingFile>>, picture: &PictureEntry, path: &Path) -> Result<()> {
    let reading = || format!("reading {}", path.display());
    let file = File::open(path).with_context(reading)?;
    let mut header = tar::Header::new_ustar();
    header.set_size(file.metadata().with_context(reading)?.len());
    header.set_mode(0o644);
    let name = name_in_shard(picture, path);
    tar.append_data(&mut header, &name, file)
        .with_context(|| format!("adding {} to a shard", path.display()))
}

/// Returns the name of a file of a picture: its number, and what follows the picture's name. Files in other folders
/// have the folder in their ending, since their names are alike.
fn name_in_shard(picture: &PictureEntry, path: &Path) -> String {
    let stem = picture.stem.file_name().unwrap_or_default().to_string_lossy();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = name
        .strip_prefix(&*stem)
        .unwrap_or(&name)
        .trim_start_matches('.')
        .to_owned();
    let is_beside = path.parent() == picture.stem.parent();
    let other = path.iter().zip(picture.stem.iter()).find(|(own, usual)| own != usual);
    let folder = other.map(|(own, _)| own.to_string_lossy().into_owned());
    match folder.filter(|_| !is_beside) {
        Some(folder) => format!("{:06}.{folder}.{ending}", picture.number),
        None => format!("{:06}.{ending}", picture.number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::io::Read;

    fn entry(number: u64, stem: PathBuf, files: Vec<PathBuf>) -> PictureEntry {
        PictureEntry {
            number,
            split: "train".to_owned(),
            stem,
            files,
        }
    }

    #[test]
    fn shards_end_at_a_number_of_pictures_and_of_bytes() {
        let many = vec![1_u64; 2500];
        let lengths = |sizes: &[u64]| {
            let shards = shards(sizes, |size| Ok(*size)).expect("sizes");
            shards.iter().map(|shard| shard.len()).collect::<Vec<_>>()
        };
        assert_eq!(lengths(&many), [1000, 1000, 500]);
        assert_eq!(lengths(&[BYTES, 1, BYTES - 1, 2 * BYTES, 3]), [1, 2, 1, 1]);
        assert!(lengths(&[]).is_empty());
    }

    #[test]
    fn files_of_a_picture_share_a_key_and_shards_are_equal() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("images/train")).expect("made");
        std::fs::create_dir_all(at("labels/train")).expect("made");
        let files = [
            "images/train/000007.png",
            "images/train/000007.labels.json",
            "labels/train/000007.txt",
        ]
        .map(at);
        for file in &files {
            std::fs::write(file, file.display().to_string()).expect("written");
        }
        let picture = entry(7, at("images/train/000007"), files.to_vec());
        let write = |name: &str| {
            write_shard(&at(name), &[&picture]).expect("written");
            std::fs::read(at(name)).expect("there")
        };
        let bytes = write("a.tar");
        std::thread::sleep(std::time::Duration::from_millis(1100));
        assert!(bytes == write("b.tar"), "the time is in the shard");
        let mut archive = tar::Archive::new(&bytes[..]);
        let mut names = Vec::new();
        for found in archive.entries().expect("a tar file") {
            let mut found = found.expect("an entry");
            let mut text = String::new();
            found.read_to_string(&mut text).expect("text");
            let name = found.path().expect("a name").display().to_string();
            assert!(
                text.ends_with(name.rsplit('.').next().expect("an ending")),
                "{name}: {text}"
            );
            names.push(name);
        }
        assert_eq!(names, ["000007.png", "000007.labels.json", "000007.labels.txt"]);
    }
}
