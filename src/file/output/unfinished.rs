//! Registry of unfinished outputs, of their temporary files and of the programs that write them, for ending the process
//! by a signal, which runs no destructor.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    thread,
    time::Duration,
};

use tempfile::NamedTempFile;

static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Programs that write unfinished outputs.
static WRITERS: Mutex<Vec<Weak<Mutex<Child>>>> = Mutex::new(Vec::new());
/// Time between two looks whether such a program has ended.
const POLL: Duration = Duration::from_millis(5);

fn writers() -> MutexGuard<'static, Vec<Weak<Mutex<Child>>>> {
    WRITERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the programs that write unfinished outputs and removes the temporary files, for a process that ends now.
/// Threads that begin or end another output afterwards block.
pub fn remove_unfinished() {
    // Programs first: a video encoder whose input ends would write its file again.
    let writers = writers();
    for child in writers.iter().filter_map(Weak::upgrade) {
        end(&child);
    }
    std::mem::forget(writers);
    let files = unfinished();
    for file in &*files {
        // A file that is missing was finished or given up.
        let _ = fs::remove_file(file);
    }
    std::mem::forget(files);
}

/// Program that writes an unfinished output. It is ended with this value, or with the process.
pub struct WriterProcess(Arc<Mutex<Child>>);

impl WriterProcess {
    /// Starts a program.
    ///
    /// # Errors
    /// It does not exist, or may not be started.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        // Lock while starting: a program started while the process ends would go on.
        let mut writers = writers();
        let child = Arc::new(Mutex::new(command.spawn()?));
        writers.retain(|writer| writer.strong_count() > 0);
        writers.push(Arc::downgrade(&child));
        Ok(Self(child))
    }

    /// Standard input, if it is a pipe that was not taken yet.
    #[must_use]
    pub fn take_stdin(&self) -> Option<ChildStdin> {
        lock(&self.0).stdin.take()
    }

    /// Waits until the program ends.
    ///
    /// # Errors
    /// The system does not know the process.
    pub fn wait(&self) -> io::Result<ExitStatus> {
        loop {
            // Locked for moments only, so that a signal finds it free.
            if let Some(status) = lock(&self.0).try_wait()? {
                return Ok(status);
            }
            thread::sleep(POLL);
        }
    }
}

impl Drop for WriterProcess {
    fn drop(&mut self) {
        end(&self.0);
    }
}

fn lock(child: &Mutex<Child>) -> MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends a program; nothing if it has ended.
fn end(child: &Mutex<Child>) {
    let mut child = lock(child);
    let _ = child.kill();
    let _ = child.wait();
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
