//! Undo and redo of settings. A dragged slider, or changes in quick succession, make one step.

use std::time::{Duration, Instant};

use crate::{app::state::AppState, config::Config};

/// Time within which successive changes make one step.
const ONE_EDIT: Duration = Duration::from_millis(400);
/// Maximum number of undo steps.
const MOST: usize = 100;

/// Snapshot of the settings.
#[derive(Clone, Debug, PartialEq)]
struct Settings {
    config: Config,
    preset: Config,
}

/// Undo history: earlier settings, and undone ones.
#[derive(Debug, Default)]
pub(crate) struct Undo {
    past: Vec<Settings>,
    future: Vec<Settings>,
    /// Settings after the newest step.
    settled: Option<Settings>,
    /// Settings before the change in progress, and the time of its last change.
    changing: Option<(Settings, Instant)>,
}

impl Undo {
    /// Updates the history at a time; while a control is held, the change continues.
    fn follow(&mut self, state: &AppState, held: bool, now: Instant) {
        let newest = self
            .changing
            .as_ref()
            .map(|(settings, _)| settings)
            .or(self.settled.as_ref());
        if newest.is_none_or(|newest| !is_of(newest, state)) {
            let quiet = self
                .changing
                .as_ref()
                .is_some_and(|(_, at)| now.duration_since(*at) >= ONE_EDIT);
            if quiet && !held {
                self.settle();
            }
            self.changing = Some((settings_of(state), now));
        }
        let quiet = self
            .changing
            .as_ref()
            .is_some_and(|(_, at)| now.duration_since(*at) >= ONE_EDIT);
        if self.settled.is_none() || (quiet && !held) {
            self.settle();
        }
    }

    /// Ends the change in progress as an undo step.
    fn settle(&mut self) {
        let Some((settings, _)) = self.changing.take() else {
            return;
        };
        let before = self.settled.replace(settings);
        if before == self.settled {
            return;
        }
        self.past.extend(before);
        self.future.clear();
        if self.past.len() > MOST {
            self.past.remove(0);
        }
    }

    /// Settings before the newest step, or after the step undone last.
    fn step(&mut self, back: bool) -> Option<Settings> {
        self.settle();
        let (from, to) = match back {
            true => (&mut self.past, &mut self.future),
            false => (&mut self.future, &mut self.past),
        };
        let settings = from.pop()?;
        to.extend(self.settled.replace(settings.clone()));
        Some(settings)
    }

    /// True if there are steps to undo, and to redo.
    #[must_use]
    pub(crate) fn can(&self) -> [bool; 2] {
        let unsettled = self.changing.is_some() && self.settled.is_some();
        [
            !self.past.is_empty() || unsettled,
            !self.future.is_empty() && !unsettled,
        ]
    }
}

/// True if the settings equal those of `state`, apart from window size and view, which undo leaves alone.
fn is_of(settings: &Settings, state: &AppState) -> bool {
    let (a, b) = (&settings.config, &state.config);
    let same_camera =
        (&a.camera.views, &a.camera.path, a.camera.fov) == (&b.camera.views, &b.camera.path, b.camera.fov);
    let same_window = (a.window.vsync, a.window.panel) == (b.window.vsync, b.window.panel);
    let same_rest = (&a.scene, &a.look, &a.render, &a.bake) == (&b.scene, &b.look, &b.render, &b.bake);
    same_rest && same_camera && same_window && settings.preset == state.preset
}

fn settings_of(state: &AppState) -> Settings {
    Settings {
        config: state.config.clone(),
        preset: state.preset.clone(),
    }
}

impl AppState {
    /// Records changes since the last frame; `held` is true while the pointer drags a control.
    pub(in crate::app) fn note_changes(&mut self, held: bool) {
        self.note_changes_at(held, Instant::now());
    }

    fn note_changes_at(&mut self, held: bool, now: Instant) {
        // Changes by the program itself, at the start or in a stress test, are not steps.
        let own = self.shown.scene.is_none() || self.stress.trying().is_some() || self.load.deferred.is_some();
        if own {
            return;
        }
        let mut undo = std::mem::take(&mut self.undo);
        undo.follow(self, held, now);
        self.undo = undo;
    }

    /// Undoes the newest change, or redoes the one undone last.
    pub(in crate::app) fn undo(&mut self, back: bool) {
        let Some(Settings { config, preset }) = self.undo.step(back) else {
            let told = if back { "nothing to undo" } else { "nothing to redo" };
            return self.notices.tell(told);
        };
        let window = crate::config::WindowConfig {
            width: self.config.window.width,
            height: self.config.window.height,
            ..config.window
        };
        let start = std::mem::take(&mut self.config.camera.start);
        self.config = Config { window, ..config };
        self.config.camera.start = start;
        self.preset = preset;
        self.rig.set_fov(self.config.camera.fov.to_radians());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> AppState {
        let mut config = Config::default();
        config.scene.characters = vec!["knight".into()];
        config.scene.count = 2;
        AppState::showing(config)
    }

    /// State with a simulated clock.
    struct UndoHarness {
        state: AppState,
        now: Instant,
    }

    impl UndoHarness {
        fn pass(&mut self, milliseconds: u64, held: bool) {
            self.now += Duration::from_millis(milliseconds);
            self.state.note_changes_at(held, self.now);
        }

        fn count(&mut self, count: u32, held: bool) {
            self.state.config.scene.count = count;
            self.pass(30, held);
        }
    }

    fn hand() -> UndoHarness {
        let (state, now) = (state(), Instant::now());
        let mut hand = UndoHarness { state, now };
        hand.pass(0, false);
        hand
    }

    #[test]
    fn a_dragged_slider_is_one_undo_step() {
        let mut hand = hand();
        for count in 3..40 {
            hand.count(count, true);
        }
        // The slider is held still for long, then dragged on.
        hand.pass(2000, true);
        hand.count(50, true);
        hand.pass(2000, false);
        hand.state.config.look.clouds = 0.9;
        hand.pass(30, false);
        hand.pass(2000, false);
        hand.state.undo(true);
        assert_eq!(
            (hand.state.config.scene.count, hand.state.config.look.clouds),
            (50, 0.4)
        );
        hand.state.undo(true);
        assert_eq!(hand.state.config.scene.count, 2);
        hand.state.undo(true);
        assert_eq!(hand.state.config.scene.count, 2, "no earlier step");
        hand.state.undo(false);
        hand.state.undo(false);
        assert_eq!(
            (hand.state.config.scene.count, hand.state.config.look.clouds),
            (50, 0.9)
        );
        assert_eq!(hand.state.undo.can(), [true, false]);
    }

    #[test]
    fn a_new_change_clears_the_redo_steps() {
        let mut hand = hand();
        hand.count(9, false);
        hand.pass(1000, false);
        hand.state.undo(true);
        hand.pass(1000, false);
        assert_eq!(
            (hand.state.config.scene.count, hand.state.undo.can()),
            (2, [false, true])
        );
        hand.count(5, false);
        assert_eq!(hand.state.undo.can(), [true, false]);
        hand.state.undo(false);
        assert_eq!(hand.state.config.scene.count, 5);
        // Undo before the change has settled; a gap without frames does not join changes.
        hand.count(6, false);
        hand.now += Duration::from_secs(60);
        hand.count(7, false);
        hand.state.undo(true);
        assert_eq!(hand.state.config.scene.count, 6);
    }

    #[test]
    fn undo_leaves_camera_and_window_size_alone() {
        let mut hand = hand();
        hand.state.config.window.width = 333;
        hand.state.config.camera.start = "top".into();
        hand.pass(1000, false);
        hand.pass(1000, false);
        assert_eq!(hand.state.undo.can(), [false, false]);
        hand.count(9, false);
        hand.state.config.window.width = 555;
        hand.state.undo(true);
        let config = &hand.state.config;
        assert_eq!(
            (config.window.width, config.camera.start.as_str(), config.scene.count),
            (555, "top", 2)
        );
    }
}
