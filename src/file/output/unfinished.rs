//! Registry of the temporary files of unfinished outputs, for ending the process by a signal, which runs no
//! destructor.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tempfile::NamedTempFile;

static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of all unfinished outputs, for a process that ends now. Threads that begin or end
/// another output afterwards block.
pub fn remove_unfinished() {
    let files = unfinished();
    for file in &*files {
        // A file that is missing was finished or given up.
        let _ = fs::remove_file(file);
    }
    std::mem::forget(files);
}

/// Temporary file that is removed with this value, or with the process.
pub(super) struct Temporary {
    file: NamedTempFile,
    // Declared after the file, so that the entry lives as long as the file.
    _listed: ListedFile,
}

struct ListedFile(PathBuf);

impl Drop for ListedFile {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

impl Temporary {
    /// Registers a file at the moment that `make` creates it.
    pub(super) fn of(make: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<Self> {
        // Lock while creating: a file created while the process ends would not be registered.
        let mut files = unfinished();
        let file = make()?;
        let path = file.path().to_owned();
        files.insert(path.clone());
        Ok(Self {
            file,
            _listed: ListedFile(path),
        })
    }

    /// Renames the file, replacing an existing one.
    pub(super) fn persist(self, path: &Path) -> io::Result<()> {
        self.file.persist(path)?;
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(super) fn as_file(&self) -> &fs::File {
        self.file.as_file()
    }
}

impl io::Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_while_they_are_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let begin = || Temporary::of(|| NamedTempFile::new_in(folder.path())).expect("made");
        let known = |path: &Path| unfinished().contains(path);
        let (given_up, finished) = (begin(), begin());
        let paths = [given_up.path().to_owned(), finished.path().to_owned()];
        assert!(paths.iter().all(|path| known(path)));
        drop(given_up);
        finished.persist(&folder.path().join("whole")).expect("renamed");
        assert!(!paths.iter().any(|path| known(path) || path.exists()));
        assert!(folder.path().join("whole").exists());
        assert!(Temporary::of(|| Err(io::ErrorKind::StorageFull.into())).is_err());
    }
}
