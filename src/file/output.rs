//! Files that appear whole or not at all.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use image::{ImageEncoder, codecs::png::PngEncoder};

/// A file that is either the old one or the whole new one, never a part.
pub struct Output {
    path: PathBuf,
}

impl Output {
    /// Sees whether `path` can be written. Nothing stays there meanwhile: who is stopped by a signal
    /// could not remove it.
    ///
    /// # Errors
    /// Where the folder does not exist or cannot be written.
    pub fn create(path: &Path) -> Result<Self> {
        anyhow::ensure!(!path.is_dir(), "cannot write {}: it is a folder", path.display());
        temporary_beside(path)?;
        Ok(Self { path: path.to_owned() })
    }

    /// Writes and renames into place.
    ///
    /// # Errors
    /// Full disk and the like.
    pub fn write(self, bytes: &[u8]) -> Result<()> {
        let failed = || format!("writing {}", self.path.display());
        let mut temporary = temporary_beside(&self.path)?;
        temporary.write_all(bytes).with_context(failed)?;
        temporary.persist(&self.path).with_context(failed)?;
        Ok(())
    }

    /// The same for a picture, as PNG.
    ///
    /// # Errors
    /// As [`Output::write`].
    pub fn write_png(self, rgba: &[u8], (width, height): (u32, u32)) -> Result<()> {
        let mut png = Vec::new();
        PngEncoder::new(&mut png).write_image(rgba, width, height, image::ExtendedColorType::Rgba8)?;
        self.write(&png)
    }
}

/// A temporary file in the folder of `path`.
fn temporary_beside(path: &Path) -> Result<tempfile::NamedTempFile> {
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
    builder.tempfile_in(folder).with_context(|| {
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
}
