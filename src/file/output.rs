//! Output files that appear whole or not at all.

mod unfinished;

pub use unfinished::{WriterProcess, remove_unfinished};

use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder};

use crate::file::{CharacterPath, output::unfinished::Temporary};

/// Maximum length of a chain of links.
const MOST_LINKS: usize = 40;

/// Output file that is either the old one or the whole new one, never a part. Devices and pipes are written directly,
/// links are followed, and permissions of an existing file stay.
pub struct Output {
    path: PathBuf,
}

impl Output {
    /// Checks that `path` can be written. Leaves no temporary file meanwhile, since a killed process could not remove
    /// it.
    ///
    /// # Errors
    /// A folder that does not exist or cannot be written, or a read-only file.
    pub fn create(path: &Path) -> Result<Self> {
        anyhow::ensure!(!path.is_dir(), "cannot write {}: it is a folder", path.display());
        if is_special(path) {
            return Ok(Self { path: path.to_owned() });
        }
        let path = followed(path)?;
        if let Ok(facts) = fs::metadata(&path) {
            let shown = path.display();
            anyhow::ensure!(!facts.permissions().readonly(), "cannot write {shown}: it is read-only");
            // Renaming over a file needs no permission of the file itself, so check that.
            let opened = OpenOptions::new().append(true).open(&path);
            opened.with_context(|| format!("cannot write {shown}"))?;
        }
        temporary_beside(&path)?;
        Ok(Self { path })
    }

    /// Writes the file and renames it into place.
    ///
    /// # Errors
    /// A full disk, for example.
    pub fn write(self, bytes: &[u8]) -> Result<()> {
        self.grown(bytes)?.finish()
    }

    /// Writes the whole content beside the final place, without renaming it.
    fn grown(self, bytes: &[u8]) -> Result<GrowingFile> {
        let mut growing = self.begin()?;
        let written = growing.write_all(bytes);
        written.with_context(|| format!("writing {}", growing.path.display()))?;
        Ok(growing)
    }

    /// Begins a temporary file beside its final place.
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

/// Writes files, given by name and contents, into a folder, which is created if missing. Returns their paths and sizes
/// (bytes). `check` may refuse a path. All are written under temporary names before the first is renamed: a full disk
/// leaves the files that were there.
///
/// # Errors
/// A refused path, or a folder that cannot be written.
pub fn write_files(
    folder: &Path,
    files: &[(String, &[u8])],
    check: impl Fn(&Path) -> Result<()>,
) -> Result<Vec<(PathBuf, usize)>> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let mut outputs = Vec::new();
    for (name, bytes) in files {
        let path = folder.join(name);
        check(&path)?;
        outputs.push((Output::create(&path)?, path, *bytes));
    }
    let mut written = Vec::new();
    for (output, path, bytes) in outputs {
        written.push((output.grown(bytes)?, path, bytes.len()));
    }
    let mut finished = Vec::new();
    for (file, path, size) in written {
        file.finish()?;
        finished.push((path, size));
    }
    Ok(finished)
}

/// Encodes a picture of 8-bit RGBA as PNG.
///
/// # Errors
/// A number of bytes that does not match the size.
pub fn png(rgba: &[u8], size: (u32, u32)) -> Result<Vec<u8>> {
    let (width, height) = size;
    let mut png = Vec::new();
    PngEncoder::new(&mut png).write_image(rgba, width, height, ExtendedColorType::Rgba8)?;
    Ok(png)
}

/// Encodes a picture of 16-bit channels as PNG, row by row from the top; `color` names the channels.
///
/// # Errors
/// A number of values that does not match size and channels.
pub fn png_16bit(values: &[u16], size: (u32, u32), color: ExtendedColorType) -> Result<Vec<u8>> {
    let (width, height) = size;
    let mut png = Vec::new();
    PngEncoder::new(&mut png).write_image(bytemuck::cast_slice(values), width, height, color)?;
    Ok(png)
}

/// File that is being written; removed if it is dropped before it is finished.
pub struct GrowingFile {
    path: PathBuf,
    content: Content,
}

enum Content {
    /// Writes directly to a device or a pipe.
    Through(File),
    /// Writes a temporary file, which is renamed at the end.
    Beside(Temporary),
}

impl GrowingFile {
    /// Renames the file into place.
    ///
    /// # Errors
    /// A full disk, for example.
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

    /// Temporary path, for other programs to write to.
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

/// True for a path that exists and is neither a file nor a folder: a device or a pipe, itself or through links.
#[must_use]
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|facts| !facts.is_file() && !facts.is_dir())
}

/// Whether two paths name the same file, be it there or not.
#[must_use]
pub fn same_file(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| -> Option<PathBuf> {
        let path = CharacterPath::of(path).file;
        path.canonicalize().ok().or_else(|| {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
            Some(folder.join(path.file_name()?))
        })
    };
    whole(a).is_some_and(|a| whole(b) == Some(a))
}

/// Path at the end of a chain of links, whether it exists or not.
fn followed(path: &Path) -> Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            // A relative link is relative to its own folder; an absolute one replaces the path.
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    anyhow::bail!("cannot write {}: too many links", path.display())
}

/// Copies mode, and owner where permitted, of the file that is replaced.
fn keep_permissions(file: &File, replaced: &fs::Metadata) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        // Only root may change the owner; other users own the files they may replace, or lose nothing.
        let _ = fchown(file, Some(replaced.uid()), Some(replaced.gid()));
    }
    file.set_permissions(replaced.permissions())
}

/// Makes a temporary file in the folder of `path`.
fn temporary_beside(path: &Path) -> Result<Temporary> {
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".throng-");
    // Temporary files are private, but this one becomes an ordinary file (the umask still applies).
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
