//! File dialog of the system, on a thread of its own so that drawing continues. The frame loop polls its answer.

use std::{
    io,
    path::PathBuf,
    sync::mpsc::{Receiver, TryRecvError, channel},
    thread,
    time::{Duration, Instant},
};

use crate::file::{extensions, extensions_text};

/// Time within which nobody closes a dialog: an earlier end means that none was shown.
const AT_ONCE: Duration = Duration::from_millis(400);

/// Purpose of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The file of a scene.
    Scene,
    /// Characters, any number.
    Characters,
    /// Mesh of a prop.
    Prop,
    /// New file of the scene.
    SceneToSave,
    /// New file of a baked character.
    BakedCharacter,
    /// Folder for the files of an exported character.
    ExportFolder,
}

impl Purpose {
    /// Title of the dialog.
    #[must_use]
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Scene => "Open scene",
            Self::Characters => "Open characters",
            Self::Prop => "Choose a prop",
            Self::SceneToSave => "Save scene as",
            Self::BakedCharacter => "Bake character to",
            Self::ExportFolder => "Export character to a folder",
        }
    }

    /// True if the answer names something to write; without a dialog, the window itself then asks for a name.
    #[must_use]
    pub(crate) const fn writes(self) -> bool {
        matches!(self, Self::SceneToSave | Self::BakedCharacter | Self::ExportFolder)
    }

    /// Name and extensions of the files offered.
    fn filter(self) -> (String, Vec<&'static str>) {
        let named = |what: &str| format!("{what} ({})", extensions_text());
        match self {
            Self::Scene | Self::SceneToSave => ("scenes (.toml)".to_owned(), vec!["toml"]),
            Self::BakedCharacter => ("baked characters (.glb)".to_owned(), vec!["glb"]),
            Self::ExportFolder => (String::new(), Vec::new()),
            Self::Characters => (named("characters"), extensions().collect()),
            Self::Prop => (named("meshes"), extensions().collect()),
        }
    }

    /// Alternative without a dialog, for messages.
    fn otherwise(self) -> String {
        match self {
            Self::Scene => "start with --scene FILE.toml, or drop a .toml on the window (not under Wayland)".to_owned(),
            Self::Characters => format!(
                "start with throng FILE.glb, or drop a {} on the window (not under Wayland)",
                extensions_text()
            ),
            Self::Prop => "name the file in the scene's file: props = [{ mesh = \"FILE.glb\" }]".to_owned(),
            Self::SceneToSave | Self::BakedCharacter | Self::ExportFolder => "type the name".to_owned(),
        }
    }
}

/// Answer of a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DialogAnswer {
    /// Chosen files; empty if the dialog was closed.
    Files(Purpose, Vec<PathBuf>),
    /// No dialog is available: the purpose, and the reason with the alternative.
    NoDialog(Purpose, String),
}

/// Message of the thread: the chosen files, and how long the dialog was open.
type DialogMessage = (Option<Vec<PathBuf>>, Duration);

/// Shows a dialog, which proposes a file name, and waits for the choice.
type Choose = fn(Purpose, &str) -> Option<Vec<PathBuf>>;

/// File dialog; at most one is open at a time.
#[derive(Debug, Default)]
pub(crate) struct Dialog {
    open: Option<(Purpose, Receiver<DialogMessage>)>,
}

impl Dialog {
    /// Opens a dialog that proposes a file name, unless one is open. Its [`DialogAnswer`] comes from [`Dialog::poll`].
    ///
    /// # Errors
    /// The system provides no thread.
    pub(crate) fn ask(&mut self, purpose: Purpose, name: &str) -> io::Result<()> {
        self.ask_by(purpose, name, choose)
    }

    fn ask_by(&mut self, purpose: Purpose, name: &str, choose: Choose) -> io::Result<()> {
        if self.is_open() {
            return Ok(());
        }
        let (sender, receiver) = channel();
        let name = name.to_owned();
        let ask = move || {
            let begun = Instant::now();
            let chosen = choose(purpose, &name);
            // Sending fails if the window was closed meanwhile.
            let _ = sender.send((chosen, begun.elapsed()));
        };
        thread::Builder::new().name("dialog".into()).spawn(ask)?;
        self.open = Some((purpose, receiver));
        Ok(())
    }

    /// Whether a dialog is open.
    #[must_use]
    pub(crate) const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Answer of the dialog, returned once.
    pub(crate) fn poll(&mut self) -> Option<DialogAnswer> {
        let (purpose, receiver) = self.open.as_ref()?;
        let answer = match receiver.try_recv() {
            Ok((chosen, after)) => answer(*purpose, chosen, after),
            Err(TryRecvError::Empty) => return None,
            // The dialog's thread panicked.
            Err(TryRecvError::Disconnected) => no_dialog(*purpose),
        };
        self.open = None;
        Some(answer)
    }
}

/// Answer for the chosen files and how long the dialog was open.
fn answer(purpose: Purpose, chosen: Option<Vec<PathBuf>>, after: Duration) -> DialogAnswer {
    match chosen {
        Some(files) => DialogAnswer::Files(purpose, files),
        // The crate reports a closed dialog and one that could not be shown in the same way.
        None if after < AT_ONCE => no_dialog(purpose),
        None => DialogAnswer::Files(purpose, Vec::new()),
    }
}

fn no_dialog(purpose: Purpose) -> DialogAnswer {
    let why = if cfg!(all(unix, not(target_vendor = "apple"))) {
        "no file dialog here: neither a desktop portal (xdg-desktop-portal) nor zenity answers"
    } else {
        "no file dialog here"
    };
    DialogAnswer::NoDialog(purpose, format!("{why}; {}", purpose.otherwise()))
}

/// Shows the dialog and waits.
fn choose(purpose: Purpose, name: &str) -> Option<Vec<PathBuf>> {
    let (filter, endings) = purpose.filter();
    let mut dialog = rfd::FileDialog::new().set_title(purpose.title()).set_file_name(name);
    if !endings.is_empty() {
        dialog = dialog.add_filter(filter, &endings);
    }
    if let Ok(folder) = std::env::current_dir() {
        dialog = dialog.set_directory(folder);
    }
    match purpose {
        Purpose::Scene | Purpose::Prop => dialog.pick_file().map(|file| vec![file]),
        Purpose::Characters => dialog.pick_files(),
        Purpose::SceneToSave | Purpose::BakedCharacter => dialog.save_file().map(|file| vec![file]),
        Purpose::ExportFolder => dialog.pick_folder().map(|folder| vec![folder]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(dialog: &mut Dialog) -> DialogAnswer {
        for _ in 0..500 {
            if let Some(answer) = dialog.poll() {
                return answer;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("no answer within 5 s");
    }

    #[test]
    fn a_dialog_never_blocks_its_caller() {
        let mut dialog = Dialog::default();
        let slow: Choose = |_, _| {
            thread::sleep(Duration::from_millis(300));
            Some(vec!["a.glb".into()])
        };
        let begun = Instant::now();
        dialog.ask_by(Purpose::Characters, "", slow).expect("a thread");
        assert!(dialog.poll().is_none() && dialog.is_open());
        assert!(begun.elapsed() < Duration::from_millis(250));
        dialog.ask_by(Purpose::Scene, "", |_, _| None).expect("one at a time");
        assert_eq!(
            answered(&mut dialog),
            DialogAnswer::Files(Purpose::Characters, vec!["a.glb".into()])
        );
        assert!(!dialog.is_open() && dialog.poll().is_none());
    }

    #[test]
    fn a_missing_dialog_is_distinguished_from_a_closed_one() {
        let mut dialog = Dialog::default();
        let missing: [Choose; 2] = [|_, _| None, |_, _| panic!("on purpose")];
        for missing in missing {
            dialog.ask_by(Purpose::Scene, "", missing).expect("a thread");
            let DialogAnswer::NoDialog(Purpose::Scene, told) = answered(&mut dialog) else {
                panic!("there is none")
            };
            assert!(told.contains("--scene FILE.toml"), "{told}");
        }
        let closed = answer(Purpose::Scene, None, Duration::from_secs(3));
        assert_eq!(closed, DialogAnswer::Files(Purpose::Scene, vec![]));
    }
}
