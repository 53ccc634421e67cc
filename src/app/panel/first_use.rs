//! Tests of what is hard at first use: the panel's width, questions and labels, laid out without a window.

use egui::{Context, Event, Pos2, RawInput, Rect};

use super::{
    tests::{PanelScreen, at, has, state},
    *,
};
use crate::app::state::action::Action;

/// Screen of a size (points), with the width that the panel takes of it.
fn share_of(state: &mut AppState, size: egui::Vec2) -> f32 {
    let context = Context::default();
    style::apply(&context);
    let mut covered = 0.0;
    for _ in 0..4 {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
            ..RawInput::default()
        };
        let mut output = context.run_ui(input, |ui| covered = show(ui, state));
        output.textures_delta.clear();
    }
    covered / size.x
}

#[test]
fn the_panel_never_takes_more_than_two_fifths_of_the_window() {
    let long = "CharacterArmature|Long_Name_Of_A_Clip_From_Another_Program_".repeat(4);
    for tab in [Tab::Crowd, Tab::Compare, Tab::Character, Tab::Person] {
        let mut state = state();
        state.ui.tab = tab;
        state.shown.clips = vec![long.clone(); 20];
        state.config.scene.name = long.clone();
        state.config.scene.caption = long.clone();
        state.config.scene.animations = vec![long.clone().into()];
        state.shown.stats.adapter.name = long.clone();
        let view = crate::config::ViewConfig {
            eye: [0.0, 2.0, 6.0],
            target: [0.0, 1.0, 0.0],
            time: None,
        };
        state.config.camera.views.insert(long.clone(), view);
        state.files.recent = vec![long.clone().into()];
        state.notices.tell(long.clone());
        for size in [
            [900.0, 640.0],
            [1280.0, 720.0],
            [1600.0, 900.0],
            [450.0, 320.0],
            [320.0, 200.0],
        ] {
            for width in [320.0, 620.0] {
                state.ui.panel_width = width;
                let share = share_of(&mut state, size.into());
                assert!(share <= 0.4 + 1e-3, "{tab:?} at {size:?}: {share}");
            }
        }
    }
}

#[test]
fn notices_leave_the_panel_and_its_menu_free() {
    let mut state = state();
    state
        .notices
        .fail("a notice of many words that would be wider than the picture ".repeat(6));
    let context = Context::default();
    style::apply(&context);
    for size in [[900.0, 640.0], [450.0, 320.0]] {
        let mut covered = 0.0;
        for _ in 0..4 {
            let input = RawInput {
                screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size.into())),
                ..RawInput::default()
            };
            let mut output = context.run_ui(input, |ui| covered = show(ui, &mut state));
            output.textures_delta.clear();
        }
        let area = context.memory(|memory| memory.area_rect(egui::Id::unique("notices")));
        assert!(
            area.is_some_and(|area| area.left() >= covered),
            "{area:?} beside {covered}"
        );
    }
}

#[test]
fn a_frame_rate_is_shown_only_while_frames_are_drawn() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    state.shown.summary.frame.median = 25.0;
    state.shown.stats.instances = 2;
    assert!(has(&screen.settled(&mut state), "40 fps"));
    state.rests = true;
    let texts = screen.settled(&mut state);
    assert!(has(&texts, "at rest") && !has(&texts, "40 fps"), "{texts:?}");
}

#[test]
fn compare_and_viewer_end_on_the_tab_where_they_began() {
    let mut state = state();
    for (begun, action, opened) in [
        (Tab::Person, Action::ToggleCompare, Tab::Compare),
        (Tab::Crowd, Action::ToggleViewer, Tab::Character),
        (Tab::Compare, Action::ToggleViewer, Tab::Character),
    ] {
        state.ui.tab = begun;
        let _ = state.act(action);
        assert_eq!(state.ui.tab, opened);
        let _ = state.act(action);
        assert_eq!(state.ui.tab, begun, "{action:?} twice");
    }
    // Another tab that was chosen meanwhile stays.
    let _ = state.act(Action::ToggleCompare);
    state.ui.tab = Tab::Character;
    let _ = state.act(Action::ToggleCompare);
    assert_eq!(state.ui.tab, Tab::Character);
}

#[test]
fn cpu_times_of_a_software_rasterizer_say_that_they_hold_its_drawing() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    assert!(!has(&screen.settled(&mut state), "CPU + drawing"));
    state.shown.stats.adapter.kind = crate::gpu::AdapterKind::Cpu;
    assert!(has(&screen.settled(&mut state), "CPU + drawing"));
}

#[test]
fn a_name_can_be_typed_where_the_system_has_no_dialog() {
    use crate::app::{dialog::Purpose, state::naming::NamePrompt};
    let folder = tempfile::tempdir().expect("a folder");
    let (mut state, mut screen) = (state(), PanelScreen::new());
    let file = folder.path().join("a scene");
    state.files.naming = Some(NamePrompt::new(Purpose::SceneToSave, file.display().to_string()));
    let texts = screen.settled(&mut state);
    assert!(has(&texts, "Save scene as"), "{texts:?}");
    screen.frame(&mut state, vec![Event::Text("!".into())]);
    screen.enter(&mut state);
    assert!(folder.path().join("a scene!.toml").exists() && state.files.naming.is_none());
    state.files.naming = Some(NamePrompt::new(
        Purpose::SceneToSave,
        folder.path().join("a scene!").display().to_string(),
    ));
    let texts = screen.settled(&mut state);
    assert!(has(&texts, "will be replaced"), "{texts:?}");
    screen.click(&mut state, at(&texts, "cancel") + egui::vec2(4.0, 4.0));
    assert!(state.files.naming.is_none());
}
