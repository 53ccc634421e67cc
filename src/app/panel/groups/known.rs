//! What editors choose from, and what is wrong with what was chosen.

use egui::{Label, RichText, Ui};

use crate::app::{panel::widgets::style::ERROR, refusal::Refusal, state::AppState};

/// Names of the scene on the screen, and why the one asked for is not on it.
pub(super) struct Known {
    /// Clips of all characters.
    pub clips: Vec<String>,
    /// Sockets of all characters.
    pub sockets: Vec<String>,
    refusal: Option<Refusal>,
}

impl Known {
    pub(super) fn of(state: &AppState) -> Self {
        Self {
            clips: state.shown.clips.clone(),
            sockets: state.shown.sockets.clone(),
            refusal: state.refusal().cloned(),
        }
    }

    /// Whether some character has a clip.
    pub(super) fn has_clip(&self, name: &str) -> bool {
        self.clips.iter().any(|clip| clip.eq_ignore_ascii_case(name))
    }

    pub(super) fn is_wrong_within(&self, key: &str) -> bool {
        self.refusal.as_ref().is_some_and(|refusal| refusal.is_within(key))
    }

    /// Says what is wrong with a key or one below it.
    pub(super) fn tell_within(&self, ui: &mut Ui, key: &str) {
        self.tell(ui, |refusal| refusal.is_within(key));
    }

    /// Says what is wrong with a key itself.
    pub(super) fn tell_at(&self, ui: &mut Ui, key: &str) {
        self.tell(ui, |refusal| refusal.key == key);
    }

    fn tell(&self, ui: &mut Ui, is_meant: impl FnOnce(&Refusal) -> bool) {
        match self.refusal.as_ref().filter(|refusal| is_meant(refusal)) {
            Some(refusal) => wrong(ui, &refusal.why),
            // What is dragged below stays the same widget.
            None => ui.skip_ahead_auto_ids(1),
        }
    }
}

/// A line about something that is wrong.
pub(super) fn wrong(ui: &mut Ui, why: &str) {
    ui.add(Label::new(RichText::new(why).small().color(ERROR)).wrap());
}
