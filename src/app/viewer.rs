//! Viewer: one character before a plain background on a turntable. The scene is set aside and restored afterwards.

use glam::Vec3;

use crate::{
    app::state::{AppState, Tab, expensive::SceneCost},
    config::{Ground, Layout, LookConfig, SceneConfig},
    scene::{PersonRef, Scene, embedded},
    view::Camera,
};

/// Angular speed of the turntable (rad/s).
const TURN: f32 = 0.35;

/// State of the viewer.
#[derive(Clone, Debug, Default)]
pub(super) struct Viewer {
    kept: Option<SceneBackup>,
    /// The turntable rotates until the camera is moved.
    pub turning: bool,
    /// Draw the root motion path.
    pub way: bool,
    /// The camera has yet to frame the character.
    frames: bool,
    /// Camera of the scene that returns, until that scene is on the screen.
    returns: Option<Camera>,
}

/// Settings to restore when the viewer closes.
#[derive(Clone, Debug)]
struct SceneBackup {
    scene: SceneConfig,
    look: LookConfig,
    camera: Camera,
    view: Option<String>,
    /// Tab of the panel before the viewer opened its own.
    tab: Tab,
    /// Measured cost of the scene.
    cost: Option<SceneCost>,
    /// Number of people on the screen, who return without a question.
    people: u32,
}

impl Viewer {
    /// True while the viewer is open.
    #[must_use]
    pub(super) const fn is_on(&self) -> bool {
        self.kept.is_some()
    }
}

impl AppState {
    /// Opens the viewer with the character of the character tab, and that tab; or restores the scene and the tab.
    pub(super) fn toggle_viewer(&mut self) {
        match self.character.viewer.kept.take() {
            Some(kept) => {
                let is_shown = kept.scene == self.config.scene || !self.shows_viewed();
                self.change_look(kept.look);
                (self.config.scene, self.view) = (kept.scene, kept.view);
                self.shown.cost = kept.cost;
                self.load.agreed = self.load.agreed.max(kept.people);
                if self.ui.tab == Tab::Character {
                    self.ui.tab = kept.tab;
                }
                self.character.viewer.returns = Some(kept.camera);
                if is_shown {
                    self.frame_arrival();
                }
            }
            None => {
                self.character.viewer = Viewer {
                    kept: Some(SceneBackup {
                        scene: self.config.scene.clone(),
                        look: self.config.look.clone(),
                        camera: *self.rig.camera(),
                        view: self.view.clone(),
                        tab: std::mem::replace(&mut self.ui.tab, Tab::Character),
                        cost: self.shown.cost.take(),
                        people: self.shown.scene.as_ref().map_or(0, |scene| scene.crowd.count() as u32),
                    }),
                    turning: true,
                    way: true,
                    frames: true,
                    returns: None,
                };
                self.show_in_viewer(self.character.index);
            }
        }
    }

    /// Shows one of the scene's characters in the viewer.
    pub(super) fn show_in_viewer(&mut self, index: usize) {
        let Some(kept) = &self.character.viewer.kept else {
            return;
        };
        let count = match kept.scene.characters.len() {
            0 => embedded::TOWNSFOLK.len(),
            count => count,
        };
        let index = index.min(count - 1);
        // The other characters stay loaded with weight 0, so no person has them.
        let weights = (0..count).map(|other| if other == index { 1.0 } else { 0.0 });
        self.config.scene = SceneConfig {
            name: kept.scene.name.clone(),
            caption: kept.scene.caption.clone(),
            characters: kept.scene.characters.clone(),
            weights: weights.collect(),
            animations: kept.scene.animations.clone(),
            joint_map: kept.scene.joint_map.clone(),
            turn: kept.scene.turn,
            ground_contact: kept.scene.ground_contact,
            count: 1,
            layout: Layout::Grid,
            ..SceneConfig::default()
        };
        self.change_look(LookConfig {
            ground: Ground::Studio,
            clouds: 0.0,
            ..LookConfig::default()
        });
        self.character.index = index;
        self.select(None);
        self.character.viewer.frames = true;
    }

    /// Changes the scene, whether shown or set aside. An open viewer then shows character `viewed`.
    pub(super) fn change_scene(&mut self, viewed: usize, change: impl FnOnce(&mut SceneConfig)) {
        let Some(kept) = &mut self.character.viewer.kept else {
            return change(&mut self.config.scene);
        };
        change(&mut kept.scene);
        self.show_in_viewer(viewed);
    }

    /// Scene set aside by the viewer, or the one shown.
    #[must_use]
    pub(super) fn full_scene(&self) -> &SceneConfig {
        let kept = self.character.viewer.kept.as_ref();
        kept.map_or(&self.config.scene, |kept| &kept.scene)
    }

    /// Adapts the scene set aside to the one shown, since the requested one could not be shown.
    pub(super) fn restore_shown_characters(&mut self) {
        if let Some(kept) = &mut self.character.viewer.kept {
            let SceneConfig {
                characters,
                animations,
                joint_map,
                turn,
                ..
            } = self.config.scene.clone();
            if kept.scene.characters != characters {
                kept.scene.weights.clear();
            }
            (kept.scene.characters, kept.scene.animations) = (characters, animations);
            (kept.scene.joint_map, kept.scene.turn) = (joint_map, turn);
        }
    }

    /// Rotates the turntable for `dt` seconds; a scene that is not the viewer's closes the viewer.
    pub(super) fn turn_table(&mut self, dt: f32) {
        if !self.character.viewer.is_on() {
            return;
        }
        let alone = |scene: &SceneConfig| scene.count == 1 && scene.weights.iter().filter(|w| **w > 0.0).count() == 1;
        if !alone(&self.config.scene) {
            if let Some(kept) = self.character.viewer.kept.take()
                && self.config.look.ground == Ground::Studio
            {
                self.config.look = kept.look;
            }
            return;
        }
        self.frame_arrival();
        if self.shows_viewed() && self.character.viewer.turning {
            self.rig.orbit(dt.min(0.1) * TURN, 0.0);
        }
    }

    /// Changes the look of the scene to come; the scene on the screen keeps its own.
    fn change_look(&mut self, to: LookConfig) {
        let look = std::mem::replace(&mut self.config.look, to);
        if self.shown.scene.is_some() {
            self.load.held_look.get_or_insert(look);
        }
    }

    /// True while the screen shows the viewer's character alone.
    fn shows_viewed(&self) -> bool {
        let viewed = |scene: &Scene| {
            scene
                .crowd
                .per_character
                .get(self.character.index)
                .is_some_and(|p| p.len() == 1)
        };
        self.shown
            .scene
            .as_ref()
            .is_some_and(|scene| scene.crowd.count() == 1 && viewed(scene))
    }

    /// Jumps to the camera of the scene that just came on the screen: that of the viewer's character, or that which the
    /// viewer set aside. True if there was one. A flight from the old camera would show the person far away at first.
    pub(super) fn frame_arrival(&mut self) -> bool {
        let camera = if !self.character.viewer.is_on() {
            self.character.viewer.returns.take()
        } else if self.shows_viewed() && std::mem::take(&mut self.character.viewer.frames) {
            self.view = None;
            self.camera_of("overview")
        } else {
            None
        };
        camera.map(|camera| self.rig.jump_to(camera)).is_some()
    }

    /// Stops the turntable after the camera was moved by hand.
    pub(super) fn camera_moved(&mut self) {
        self.view = None;
        self.character.viewer.turning = false;
    }

    /// Person shown in the viewer.
    #[must_use]
    pub(super) fn viewed(&self) -> PersonRef {
        PersonRef {
            character: self.character.index,
            index: 0,
        }
    }
}

/// Position on the ground (m) that root motion reaches after `seconds`, starting towards +Z. The path is a line or an
/// arc of `speed` (m/s) and `turn` (rad/s, from +Z towards +X).
#[must_use]
pub(super) fn root_motion_after(speed: f32, turn: f32, seconds: f32) -> Vec3 {
    let angle = turn * seconds;
    if angle.abs() < 1e-4 {
        return Vec3::new(0.5 * angle, 0.0, 1.0) * (speed * seconds);
    }
    Vec3::new(1.0 - angle.cos(), 0.0, angle.sin()) * (speed / turn)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        app::{
            AppOptions,
            state::{expensive::Cost, profile::HistorySummary},
        },
        config::Config,
        scene::{Scene, StartupTimes},
    };

    fn shown(state: &mut AppState) {
        let scene = Scene::load(&state.config, &mut StartupTimes::default()).expect("embedded");
        state.show(Arc::new(scene), false);
    }

    #[test]
    fn closing_the_viewer_restores_the_scene() {
        let mut config = Config::scene("plaza").expect("a preset");
        config.scene.count = 12;
        let mut state = AppState::new(&AppOptions::of(config.clone()));
        shown(&mut state);
        state.character.index = 2;
        state.toggle_viewer();
        assert!(state.config.scene.count == 1 && state.config.look.ground == Ground::Studio);
        shown(&mut state);
        let drawn = state.shown.scene.as_ref().expect("shown");
        assert_eq!(drawn.crowd.per_character[2].len(), 1);
        assert!(drawn.props.is_empty() && drawn.attachments.is_empty(), "no scenery");
        state.toggle_viewer();
        assert_eq!((&state.config.scene, &state.config.look), (&config.scene, &config.look));
    }

    #[test]
    fn the_scene_returns_without_a_question_and_with_its_own_cost() {
        let mut config = Config::default();
        (config.scene.characters, config.scene.count) = (vec!["knight".into()], 40);
        let mut state = AppState::new(&AppOptions::of(config));
        shown(&mut state);
        let slow = |people| {
            let mut summary = HistorySummary::default();
            summary.frame.median = 2000.0;
            Cost::of(&summary, people, 64).expect("measured")
        };
        state.note_cost(slow(40));
        let measured = state.shown.cost.clone();
        state.ui.tab = Tab::Compare;
        state.toggle_viewer();
        assert_eq!(state.ui.tab, Tab::Character, "the viewer opens its tab");
        shown(&mut state);
        // One person in two seconds would be forty in 80.
        state.note_cost(slow(1));
        state.toggle_viewer();
        assert_eq!((state.ui.tab, &state.shown.cost), (Tab::Compare, &measured));
        assert!(state.may_build() && state.load.expensive.is_none() && state.config.scene.count == 40);
        state.config.scene.count = 4000;
        assert!(
            !state.may_build() && state.load.expensive.is_some(),
            "more than before still asks"
        );
    }

    #[test]
    fn the_first_frame_of_the_viewer_and_of_the_scene_is_framed() {
        let mut config = Config::scene("plaza").expect("a preset");
        config.scene.count = 12;
        let mut state = AppState::new(&AppOptions::of(config));
        shown(&mut state);
        let before = *state.rig.camera();
        state.toggle_viewer();
        assert_eq!(*state.rig.camera(), before, "the scene is still on the screen");
        shown(&mut state);
        let scene = state.shown.scene.clone().expect("shown");
        let near = state.rig.camera().distance();
        assert!(
            near < 6.0,
            "one person fills the picture: {near} m, {:?}",
            scene.crowd.count()
        );
        state.toggle_viewer();
        assert!(
            (state.rig.camera().distance() - near).abs() < 1e-3,
            "the person is still on the screen"
        );
        shown(&mut state);
        assert_eq!(*state.rig.camera(), before);
        // Left before its scene came: there is nothing to wait for.
        state.toggle_viewer();
        state.toggle_viewer();
        assert_eq!((*state.rig.camera(), state.character.viewer.returns), (before, None));
    }

    #[test]
    fn the_table_turns_until_the_camera_is_moved() {
        let mut config = Config::default();
        (config.scene.characters, config.scene.count) = (vec!["knight".into()], 1);
        let mut state = AppState::new(&AppOptions::of(config));
        shown(&mut state);
        state.toggle_viewer();
        shown(&mut state);
        let turned = |state: &mut AppState| {
            let before = *state.rig.camera();
            (0..30).for_each(|_| {
                state.turn_table(0.05);
                state.rig.update(0.05);
            });
            before.eye.distance(state.rig.camera().eye)
        };
        turned(&mut state);
        let (distance, target) = (state.rig.camera().distance(), state.rig.camera().target);
        assert!(turned(&mut state) > 0.2 * distance);
        assert!(
            (state.rig.camera().distance() - distance).abs() < 1e-2
                && state.rig.camera().target.distance(target) < 1e-2
        );
        state.camera_moved();
        turned(&mut state);
        assert!(turned(&mut state) < 1e-3);
        // A larger count closes the viewer.
        state.config.scene.count = 50;
        state.turn_table(0.1);
        assert!(!state.character.viewer.is_on() && state.config.look.ground != Ground::Studio);
    }

    #[test]
    fn arcs_begin_ahead_and_close_after_a_full_turn() {
        assert!(root_motion_after(2.0, 0.0, 3.0).distance(Vec3::Z * 6.0) < 1e-5);
        assert!(root_motion_after(2.0, 1e-6, 3.0).distance(root_motion_after(2.0, 0.0, 3.0)) < 1e-4);
        let turn = 0.5;
        let round = std::f32::consts::TAU / turn;
        assert!(root_motion_after(2.0, turn, round).length() < 1e-4);
        let quarter = root_motion_after(2.0, turn, round / 4.0);
        assert!(quarter.distance(Vec3::new(4.0, 0.0, 4.0)) < 1e-4, "{quarter}");
    }
}
