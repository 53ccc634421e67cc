//! Files that appear whole or not at all.

mod unfinished;

pub use unfinished::remove_unfinished;

use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use image::{ImageEncoder, codecs::png::PngEncoder};

use crate::file::output::unfinished::Temporary;

/// Links to links that are followed.
const MOST_LINKS: usize = 40;

/// A file that is either the old one or the whole new one, never a part. Devices and pipes are written
/// through, links are followed, and the permissions of a file that is there stay.
pub struct Output {
    path: PathBuf,
}

impl Output {
    /// Sees whether `path` can be written. Nothing stays there meanwhile: who is killed could not remove it.
    ///
    /// # Errors
    /// Where the folder does not exist or cannot be written, or the file is read-only.
    pub fn create(path: &Path) -> Result<Self> {
        anyhow::ensure!(!path.is_dir(), "cannot write {}: it is a folder", path.display());
        if is_special(path) {
            return Ok(Self { path: path.to_owned() });
        }
        let path = followed(path)?;
        if let Ok(facts) = fs::metadata(&path) {
            let shown = path.display();
            anyhow::ensure!(!facts.permissions().readonly(), "cannot write {shown}: it is read-only");
            // Renaming over it would need no permission of its own.
            let opened = OpenOptions::new().append(true).open(&path);
            opened.with_context(|| format!("cannot write {shown}"))?;
        }
        temporary_beside(&path)?;
        Ok(Self { path })
    }

    /// Writes and renames into place.
    ///
    /// # Errors
    /// Full disk and the like.
    pub fn write(self, bytes: &[u8]) -> Result<()> {
        let mut growing = self.begin()?;
        let written = growing.write_all(bytes);
        written.with_context(|| format!("writing {}", growing.path.display()))?;
        growing.finish()
    }

    /// A file that grows beside its place until it is whole.
    ///
    /// # Errors
    /// As [`Output::create`].
    pub fn begin(self) -> Result<GrowingFile> {
        let path = self.path;
        let content = if is_special(&path) {
            let opened = OpenOptions::new().write(true).open(&path);
            Content::Through(opened.with_context(|| format!("writing {}", path.display()))?)
        } else {
            Content::Beside(temporary_beside(&path)?)
        };
        Ok(GrowingFile { path, content })
    }

    /// Writes a picture as PNG.
    ///
    /// # Errors
    /// As [`Output::write`].
    pub fn write_png(self, rgba: &[u8], size: (u32, u32)) -> Result<()> {
        self.write(&png(rgba, size)?)
    }
}

/// A picture of 8-bit RGBA as PNG.
///
/// # Errors
/// Pixels that are not of that size.
pub fn png(rgba: &[u8], (width, height): (u32, u32)) -> Result<Vec<u8>> {
    let mut png = Vec::new();
    PngEncoder::new(&mut png).write_image(rgba, width, height, image::ExtendedColorType::Rgba8)?;
    Ok(png)
}

/// File in writing; dropped before it is finished, it leaves nothing.
pub struct GrowingFile {
    path: PathBuf,
    content: Content,
}

enum Content {
    /// Writes through to a device or a pipe.
    Through(File),
    /// Writes a file under another name, which is renamed at the end.
    Beside(Temporary),
}

impl GrowingFile {
    /// Renames into place.
    ///
    /// # Errors
    /// Full disk and the like.
    pub fn finish(self) -> Result<()> {
        let Self { path, content } = self;
        let failed = || format!("writing {}", path.display());
        match content {
            Content::Through(mut file) => file.flush().with_context(failed),
            Content::Beside(temporary) => {
                if let Ok(facts) = fs::metadata(&path) {
                    keep_permissions(temporary.as_file(), &facts).with_context(failed)?;
                }
                temporary.persist(&path).with_context(failed)?;
                Ok(())
            }
        }
    }

    /// The name under which it grows, for other programs to write to.
    #[must_use]
    pub fn growing_path(&self) -> &Path {
        match &self.content {
            Content::Through(_) => &self.path,
            Content::Beside(temporary) => temporary.path(),
        }
    }
}

impl Write for GrowingFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.content {
            Content::Through(file) => file.write(bytes),
            Content::Beside(temporary) => temporary.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.content {
            Content::Through(file) => file.flush(),
            Content::Beside(temporary) => temporary.flush(),
        }
    }
}

/// True for what is there and neither file nor folder: a device or a pipe, itself or behind links.
#[must_use]
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|facts| !facts.is_file() && !facts.is_dir())
}

/// Where a chain of links ends, be something there or not.
fn followed(path: &Path) -> Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            // A relative link is meant from its own folder; an absolute one replaces it.
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    anyhow::bail!("cannot write {}: too many links", path.display())
}

/// Mode, and owner where that is allowed, of the file that is replaced.
fn keep_permissions(file: &File, replaced: &fs::Metadata) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        // Only root may give files away; others own what they may replace, or lose nothing by it.
        let _ = fchown(file, Some(replaced.uid()), Some(replaced.gid()));
    }
    file.set_permissions(replaced.permissions())
}

/// A temporary file in the folder of `path`.
fn temporary_beside(path: &Path) -> Result<Temporary> {
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".throng-");
    // Temporary files are private; this one becomes an ordinary file (the umask still applies).
    #[cfg(unix)]
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(permissions);
    Temporary::of(|| builder.tempfile_in(folder)).with_context(|| {
        format!(
            "cannot write {}: does the folder exist and may you write there?",
            path.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_whole_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.glb");
        let files = || std::fs::read_dir(folder.path()).expect("listed").count();
        for text in [b"one", b"two"] {
            Output::create(&path).expect("a place").write(text).expect("written");
            assert_eq!(std::fs::read(&path).expect("read"), text);
            assert_eq!(files(), 1);
        }
        let output = Output::create(&path).expect("a place");
        assert_eq!(files(), 1, "nothing to leave behind while the work lasts");
        drop(output);
        assert_eq!((std::fs::read(&path).expect("read"), files()), (b"two".to_vec(), 1));
        assert!(Output::create(&folder.path().join("no/such/a.glb")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_permissions_and_pipes_stay_what_they_are() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let write = |name: &str| Output::create(&at(name))?.write(b"new");
        fs::write(at("real"), b"old").expect("written");
        fs::set_permissions(at("real"), PermissionsExt::from_mode(0o640)).expect("set");
        symlink("real", at("link")).expect("linked");
        symlink(at("link"), at("link to link")).expect("linked");
        symlink("later", at("dangling")).expect("linked");
        write("link to link").expect("written");
        write("dangling").expect("written");
        for name in ["link", "link to link", "dangling"] {
            assert!(at(name).is_symlink(), "{name}");
            assert_eq!(fs::read(at(name)).expect("read"), b"new", "{name}");
        }
        let mode = fs::metadata(at("real")).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        fs::set_permissions(at("real"), PermissionsExt::from_mode(0o444)).expect("set");
        let error = write("link").expect_err("read-only").to_string();
        assert!(error.contains("read-only"), "{error}");
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status();
        assert!(made.expect("mkfifo runs").success());
        let reader = std::thread::spawn({
            let pipe = at("pipe");
            move || fs::read(pipe).expect("read")
        });
        write("pipe").expect("written");
        assert_eq!(reader.join().expect("ends"), b"new");
        assert!(is_special(&at("pipe")));
        Output::create(Path::new("/dev/null"))
            .expect("a device")
            .write(b"gone")
            .expect("written");
        assert!(is_special(Path::new("/dev/null")));
    }
}
