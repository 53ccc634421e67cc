//! Names of files to write, asked for by the window itself where the system has no file dialog.

use std::path::{Path, PathBuf};

use crate::app::{dialog::Purpose, share::plain_stem, state::AppState};

/// Question for the name of a file or folder to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamePrompt {
    /// Purpose of the file.
    pub purpose: Purpose,
    /// Text typed so far.
    pub text: String,
    /// The field has yet to get the keyboard.
    pub is_new: bool,
}

impl NamePrompt {
    /// Question that proposes a name.
    pub(crate) fn new(purpose: Purpose, text: String) -> Self {
        Self {
            purpose,
            text,
            is_new: true,
        }
    }

    /// File that the typed text names, with the ending of its purpose; `None` for an empty text.
    #[must_use]
    pub(crate) fn file(&self) -> Option<PathBuf> {
        let text = self.text.trim();
        (!text.is_empty()).then(|| with_ending(self.purpose, PathBuf::from(text)))
    }
}

/// File with the ending that its purpose needs.
fn with_ending(purpose: Purpose, file: PathBuf) -> PathBuf {
    let ending = match purpose {
        Purpose::SceneToSave => "toml",
        Purpose::BakedCharacter => "glb",
        _ => return file,
    };
    if file.extension().is_some_and(|has| has.eq_ignore_ascii_case(ending)) {
        return file;
    }
    let mut name = file.into_os_string();
    name.push(".");
    name.push(ending);
    name.into()
}

impl AppState {
    /// Name that a dialog proposes; empty where files are opened.
    #[must_use]
    pub(super) fn proposed_name(&self, purpose: Purpose) -> String {
        let character = || plain_stem(&self.chosen_character().1);
        match purpose {
            Purpose::SceneToSave => {
                let own = self.files.sharing.file.as_deref().and_then(Path::file_name);
                let new = || format!("{}.toml", plain_stem(&self.config.scene.name));
                own.map_or_else(new, |name| name.to_string_lossy().into_owned())
            }
            Purpose::BakedCharacter => format!("{}.baked.glb", character()),
            Purpose::ExportFolder => format!("{}-export", character()),
            Purpose::Scene | Purpose::Characters | Purpose::Prop => String::new(),
        }
    }

    /// Asks for a file to write, once there is a scene.
    pub(super) fn ask_to_write(&mut self, purpose: Purpose) {
        match self.shown.scene {
            Some(_) => self.ask_for(purpose),
            None => self.notices.tell("nothing to write yet: the scene is loading"),
        }
    }

    /// Writes what the purpose says to a chosen file or folder.
    pub(in crate::app) fn write_named(&mut self, purpose: Purpose, file: PathBuf) {
        let file = with_ending(purpose, file);
        match purpose {
            Purpose::SceneToSave => self.save_scene_to(file),
            Purpose::BakedCharacter | Purpose::ExportFolder => self.convert(purpose, file),
            Purpose::Scene | Purpose::Characters | Purpose::Prop => {}
        }
    }

    /// Ends the question for a name: writes the file, or nothing if it was cancelled.
    pub(in crate::app) fn answer_naming(&mut self, accepted: bool) {
        let Some(prompt) = self.files.naming.take() else { return };
        match prompt.file().filter(|_| accepted) {
            Some(file) => self.write_named(prompt.purpose, file),
            None if accepted => self.files.naming = Some(prompt),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app::state::Action, config::Config};

    fn state() -> AppState {
        let mut config = Config::scene("plaza").expect("a preset");
        config.scene.characters = vec!["knight".into()];
        config.scene.count = 3;
        AppState::showing(config)
    }

    #[test]
    fn names_get_the_ending_of_their_purpose() {
        let file = |purpose, text: &str| NamePrompt::new(purpose, text.to_owned()).file();
        assert_eq!(file(Purpose::SceneToSave, " walk "), Some("walk.toml".into()));
        assert_eq!(file(Purpose::SceneToSave, "walk.TOML"), Some("walk.TOML".into()));
        assert_eq!(file(Purpose::BakedCharacter, "a.baked"), Some("a.baked.glb".into()));
        assert_eq!(file(Purpose::ExportFolder, "out"), Some("out".into()));
        assert_eq!(file(Purpose::SceneToSave, "  "), None);
    }

    #[test]
    fn a_scene_is_saved_under_a_typed_name_and_later_saved_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut state = state();
        assert_eq!(state.proposed_name(Purpose::SceneToSave), "plaza.toml");
        let file = folder.path().join("market day");
        state.files.naming = Some(NamePrompt::new(Purpose::SceneToSave, file.display().to_string()));
        state.answer_naming(true);
        let saved = folder.path().join("market day.toml");
        assert!(saved.exists() && state.files.naming.is_none());
        assert_eq!(state.files.sharing.file.as_deref(), Some(saved.as_path()));
        std::fs::remove_file(&saved).expect("removed");
        state.config.look.clouds = 0.9;
        let _ = state.act(Action::SaveScene);
        assert!(saved.exists(), "it is the scene's file now");
        // Esc leaves no file.
        state.files.naming = Some(NamePrompt::new(
            Purpose::SceneToSave,
            folder.path().join("b").display().to_string(),
        ));
        let _ = state.act(Action::Cancel);
        assert!(state.files.naming.is_none() && !folder.path().join("b.toml").exists());
    }
}
