//! Names that the group editors offer, and the error of the requested scene.

use egui::{Label, RichText, Ui};

use crate::app::{invalid_setting::InvalidSetting, panel::widgets::style::ERROR, state::AppState};

/// Clips and sockets of the scene shown, and the error of the requested one.
pub(super) struct SceneNames {
    /// Clip names of all characters.
    pub clips: Vec<String>,
    /// Socket names of all characters.
    pub sockets: Vec<String>,
    invalid_setting: Option<InvalidSetting>,
}

impl SceneNames {
    pub(super) fn of(state: &AppState) -> Self {
        Self {
            clips: state.shown.clips.clone(),
            sockets: state.shown.sockets.clone(),
            invalid_setting: state.invalid_setting().cloned(),
        }
    }

    /// True if a character has this clip.
    pub(super) fn has_clip(&self, name: &str) -> bool {
        self.clips.iter().any(|clip| clip.eq_ignore_ascii_case(name))
    }

    pub(super) fn is_wrong_within(&self, key: &str) -> bool {
        self.invalid_setting
            .as_ref()
            .is_some_and(|invalid_setting| invalid_setting.is_within(key))
    }

    /// Shows the error of a key or one below it.
    pub(super) fn tell_within(&self, ui: &mut Ui, key: &str) {
        self.tell(ui, |invalid_setting| invalid_setting.is_within(key));
    }

    /// Shows the error of a key itself.
    pub(super) fn tell_at(&self, ui: &mut Ui, key: &str) {
        self.tell(ui, |invalid_setting| invalid_setting.key == key);
    }

    fn tell(&self, ui: &mut Ui, is_meant: impl FnOnce(&InvalidSetting) -> bool) {
        match self
            .invalid_setting
            .as_ref()
            .filter(|invalid_setting| is_meant(invalid_setting))
        {
            Some(invalid_setting) => wrong(ui, &invalid_setting.why),
            // Keep the ids of later widgets, so that a drag below continues.
            None => ui.skip_ahead_auto_ids(1),
        }
    }
}

/// Line of an error.
pub(super) fn wrong(ui: &mut Ui, why: &str) {
    ui.add(Label::new(RichText::new(why).small().color(ERROR)).wrap());
}
