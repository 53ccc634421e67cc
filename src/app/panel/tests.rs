//! Tests of the panel, laid out without a window.

use egui::{Context, Event, Key, Modifiers, PointerButton, Pos2, RawInput, Rect, Shape};

use super::*;
use crate::{
    app::{state::action::Action, stress::MaxCrowd},
    config::{Config, Raster, Technique},
    measure::Summary,
    render::Pass,
    scene::Warning,
};

pub(super) fn state() -> AppState {
    let mut config = Config::default();
    config.scene.characters = vec!["knight".into()];
    config.scene.count = 2;
    AppState::showing(config)
}

/// Headless screen, high enough for the whole panel.
pub(super) struct PanelScreen {
    context: Context,
    time: f64,
}

impl PanelScreen {
    pub(super) fn new() -> Self {
        let context = Context::default();
        style::apply(&context);
        Self { context, time: 0.0 }
    }

    /// Texts of a frame with their positions.
    pub(super) fn frame(&mut self, state: &mut AppState, events: Vec<Event>) -> Vec<(String, Pos2)> {
        let texts = self.shapes(state, events).into_iter().filter_map(|shape| match shape {
            Shape::Text(text) => Some((text.galley.text().to_owned(), text.pos)),
            _ => None,
        });
        texts.collect()
    }

    /// Shapes of a frame, topmost last.
    pub(super) fn shapes(&mut self, state: &mut AppState, events: Vec<Event>) -> Vec<Shape> {
        self.time += 0.5;
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, egui::vec2(1400.0, 2600.0))),
            time: Some(self.time),
            events,
            ..RawInput::default()
        };
        let mut output = self.context.run_ui(input, |ui| {
            show(ui, state);
        });
        output.textures_delta.clear();
        output.shapes.into_iter().map(|clipped| clipped.shape).collect()
    }

    /// Texts after a few frames, when the layout has settled.
    pub(super) fn settled(&mut self, state: &mut AppState) -> Vec<(String, Pos2)> {
        (0..4).for_each(|_| drop(self.frame(state, Vec::new())));
        self.frame(state, Vec::new())
    }

    /// Presses Enter to complete typed text.
    pub(super) fn enter(&mut self, state: &mut AppState) {
        let enter = |pressed| Event::Key {
            key: Key::Enter,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        self.frame(state, vec![enter(true), enter(false)]);
        self.settled(state);
    }

    pub(super) fn click(&mut self, state: &mut AppState, at: Pos2) {
        let button = |pressed| Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        self.frame(state, vec![Event::PointerMoved(at)]);
        self.frame(state, vec![button(true)]);
        self.frame(state, vec![button(false)]);
    }
}

/// Position of a text.
pub(super) fn at(texts: &[(String, Pos2)], wanted: &str) -> Pos2 {
    let found = texts.iter().find(|(text, _)| text == wanted);
    found.unwrap_or_else(|| panic!("no {wanted:?} among {texts:?}")).1
}

pub(super) fn has(texts: &[(String, Pos2)], part: &str) -> bool {
    texts.iter().any(|(text, _)| text.contains(part))
}

#[test]
fn controls_stay_in_place_when_rows_come_and_go() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    let before = screen.settled(&mut state);
    let sections = ["Time", "Profiling", "Stress", "Render", "Camera", "Shortcuts", "Notes"];
    let places = |texts: &[(String, Pos2)]| sections.map(|section| at(texts, section).y);
    let of = |median| Summary {
        median,
        ..Summary::default()
    };
    state.shown.summary.gpu = Pass::ALL.iter().map(|pass| (*pass, of(1.0))).collect();
    state.shown.stats.draw_calls = Pass::ALL.iter().map(|pass| (*pass, 12)).collect();
    state.shown.stats.notes = vec![
        Warning::TooFewPeople {
            key: "scene.heroes",
            wanted: 30,
            available: 3,
        };
        4
    ];
    state.shown.vsync_fixed = Some("the display waits".into());
    state.config.scene.characters = vec!["some.glb".into()];
    state.config.render.technique = Technique::Static;
    state.stress.max_crowd = Some(MaxCrowd {
        count: 1,
        ms: 80.0,
        mtris: 1.0,
        end: crate::app::stress::SearchEnd::Least,
    });
    let after = screen.settled(&mut state);
    assert!(has(&after, "shadow") && has(&after, "requests 30 people"));
    assert_eq!(places(&before), places(&after));
}

#[test]
fn an_unsupported_request_is_shown_and_kept() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    state.stress.max_crowd = Some(MaxCrowd {
        count: 1,
        ms: 80.0,
        mtris: 1.0,
        end: crate::app::stress::SearchEnd::Least,
    });
    let texts = screen.settled(&mut state);
    assert!(
        has(&texts, "not met: the scene with a single person takes 80.0 ms"),
        "{texts:?}"
    );
    assert!(!has(&texts, "1 people"));
}

#[test]
fn a_running_search_is_shown_on_every_tab() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    for (panel, tab) in [(true, Tab::Crowd), (true, Tab::Compare), (false, Tab::Crowd)] {
        (state.ui.panel, state.ui.tab) = (panel, tab);
        assert!(!has(&screen.settled(&mut state), "finding the largest crowd"));
        let _ = state.act(Action::Stress);
        assert!(has(&screen.settled(&mut state), "finding the largest crowd"));
        let _ = state.act(Action::Cancel);
    }
}

#[test]
fn a_typed_number_applies_when_complete() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    let texts = screen.settled(&mut state);
    let value = at(&texts, "2");
    screen.click(&mut state, value + egui::vec2(3.0, 5.0));
    for digit in ["7", "0", "0"] {
        screen.frame(&mut state, vec![Event::Text(digit.into())]);
        assert_eq!(state.config.scene.count, 2);
    }
    screen.enter(&mut state);
    assert_eq!(state.config.scene.count, 700);
}

#[test]
fn formats_and_sources_are_shown_for_techniques_that_have_them() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    state.config.render.technique = Technique::Matrix;
    assert!(has(&screen.settled(&mut state), "f16") && has(&screen.settled(&mut state), "storage"));
    state.config.render.technique = Technique::Vertex;
    let texts = screen.settled(&mut state);
    assert!(!has(&texts, "f16") && has(&texts, "storage"), "{texts:?}");
    state.config.render.technique = Technique::Static;
    let texts = screen.settled(&mut state);
    assert!(!has(&texts, "f16") && !has(&texts, "storage"), "{texts:?}");
}

#[test]
fn the_divider_shows_at_once_and_times_after_the_first_measurement() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    state.ui.panel = false;
    screen.settled(&mut state);
    let _ = state.act(Action::ToggleCompare);
    let texts = screen.frame(&mut state, Vec::new());
    assert_eq!(
        texts.iter().filter(|(text, _)| text == "measuring…").count(),
        2,
        "{texts:?}"
    );
    assert!(!has(&texts, "0.00 ms"));
}

#[test]
fn time_of_two_pictures_is_labelled_as_their_sum() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    state.shown.stats.upload_bytes = 560;
    state.shown.stats.vram_bytes = 1 << 20;
    let told = |texts: &[(String, Pos2)], what: &str| {
        let line = texts.iter().find(|(text, _)| text.starts_with(what));
        line.unwrap_or_else(|| panic!("no {what} among {texts:?}"))
            .0
            .contains("both pictures")
    };
    for on in [false, true] {
        state.compare.on = on;
        let texts = screen.settled(&mut state);
        assert_eq!([told(&texts, "560 B/frame"), told(&texts, "about 1 MiB")], [on; 2]);
    }
}

#[test]
fn pause_is_shown_and_keys_notify_without_a_panel() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    state.ui.panel = false;
    screen.settled(&mut state);
    state.config.render.technique = Technique::Matrix;
    let _ = state.act(Action::NextFormat);
    let _ = state.act(Action::NextTechnique);
    let texts = screen.settled(&mut state);
    let format = format!("format {}", state.config.render.format.name());
    let technique = format!("technique {}", state.config.render.technique.name());
    assert!(has(&texts, &format) && has(&texts, &technique), "{texts:?}");
    let _ = state.act(Action::NextFormat);
    assert!(has(&screen.settled(&mut state), "there is no format to choose"));
    let bars = |state: &mut AppState, screen: &mut PanelScreen| {
        let input = RawInput::default();
        let mut output = screen.context.run_ui(input, |ui| {
            show(ui, state);
        });
        output.textures_delta.clear();
        output.shapes.len()
    };
    let running = bars(&mut state, &mut screen);
    state.clock.paused = true;
    assert_eq!(bars(&mut state, &mut screen), running + 3, "a card and two bars");
}

#[test]
fn a_crowd_that_takes_seconds_asks_first() {
    use crate::app::state::expensive::ExpensiveScene;
    let (mut state, mut screen) = (state(), PanelScreen::new());
    state.load.expensive = Some(ExpensiveScene {
        count: 1_000_000,
        seconds: 42.0,
        bytes: 64 << 20,
    });
    let texts = screen.settled(&mut state);
    assert!(
        has(&texts, "people: about 42 s per frame") && has(&texts, "64 MiB of GPU memory"),
        "{texts:?}"
    );
    screen.click(&mut state, at(&texts, "build it") + egui::vec2(4.0, 4.0));
    assert_eq!(state.actions, [Action::Agree]);
    state.actions.clear();
    screen.click(&mut state, at(&texts, "keep") + egui::vec2(4.0, 4.0));
    assert_eq!(state.actions, [Action::Cancel]);
}

#[test]
fn loading_shows_progress_and_can_be_cancelled() {
    use crate::app::state::Loading;
    let (mut state, mut screen) = (state(), PanelScreen::new());
    state.load.loading = Some(Loading {
        what: "1 000 000 people".into(),
        share: Some(0.43),
    });
    let texts = screen.settled(&mut state);
    assert!(has(&texts, "loading 1 000 000 people: 43 %"), "{texts:?}");
    state.load.loading.as_mut().expect("set above").share = Some(1.0);
    let texts = screen.settled(&mut state);
    assert!(has(&texts, "loading 1 000 000 people: 99 %"), "not done yet: {texts:?}");
    screen.click(&mut state, at(&texts, "cancel") + egui::vec2(4.0, 4.0));
    assert_eq!(state.actions, [Action::StopLoading]);
    state.actions.clear();
    assert_eq!(state.act(Action::Cancel), Some(Action::StopLoading));
}

#[test]
fn times_are_hidden_before_the_first_measurement() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    assert!(!has(&screen.settled(&mut state), "0.000"));
    state.shown.summary.frame = Summary {
        median: 2.5,
        p95: 3.5,
        count: 7,
        ..Summary::default()
    };
    let texts = screen.settled(&mut state);
    assert!(has(&texts, "2.500") && has(&texts, "3.500"), "{texts:?}");
}

#[test]
fn lods_and_culling_are_shown_for_techniques_that_have_them() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    let click = |screen: &mut PanelScreen, state: &mut AppState| {
        let texts = screen.settled(state);
        screen.click(state, at(&texts, "cull") + egui::vec2(4.0, 4.0));
        state.config.render.cull
    };
    assert!(!click(&mut screen, &mut state));
    assert!(click(&mut screen, &mut state));
    state.config.render.technique = Technique::Live;
    assert!(click(&mut screen, &mut state), "live draws everyone");
}

#[test]
fn the_maximum_height_of_the_software_rasterizer_is_shown_with_it() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    assert!(!has(&screen.settled(&mut state), "max height"));
    state.config.render.raster = Raster::Compute;
    let texts = screen.settled(&mut state);
    let rows = state.config.render.sw_raster_max_rows.to_string();
    assert!(
        has(&texts, "max height") && has(&texts, &rows) && has(&texts, " rows"),
        "{texts:?}"
    );
}

#[test]
fn a_camera_path_is_recorded_with_buttons() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    let texts = screen.settled(&mut state);
    screen.click(&mut state, at(&texts, "Camera") + egui::vec2(4.0, 4.0));
    assert!(has(&screen.settled(&mut state), "no keys"));
    for seconds in [0.5, 2.0] {
        state.clock.seconds = seconds;
        let texts = screen.settled(&mut state);
        screen.click(&mut state, at(&texts, "add key") + egui::vec2(4.0, 4.0));
        let asked = std::mem::take(&mut state.actions);
        assert_eq!(asked, [Action::AddCameraKey]);
        assert_eq!(asked.into_iter().find_map(|action| state.act(action)), None);
    }
    let texts = screen.settled(&mut state);
    assert!(
        has(&texts, "2 keys, 0.50 to 2.00 s") && has(&texts, "path"),
        "{texts:?}"
    );
    for (button, action) in [("copy", Action::CopyCameraPath), ("save", Action::SaveCameraPath)] {
        screen.click(&mut state, at(&texts, button) + egui::vec2(4.0, 4.0));
        assert_eq!(std::mem::take(&mut state.actions), [action]);
    }
    screen.click(&mut state, at(&texts, "remove") + egui::vec2(4.0, 4.0));
    assert!(has(&screen.settled(&mut state), "a key at 0.50 s"));
}

#[test]
fn changed_values_are_marked_and_reset_by_a_click() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    let marks = |screen: &mut PanelScreen, state: &mut AppState| {
        let mut output = screen.context.run_ui(RawInput::default(), |ui| {
            show(ui, state);
        });
        output.textures_delta.clear();
        let shapes = output.shapes.into_iter();
        let accent = |shape: &Shape| matches!(shape, Shape::Circle(circle) if circle.fill == style::ACCENT);
        shapes.filter(|clipped| accent(&clipped.shape)).count()
    };
    screen.settled(&mut state);
    assert_eq!(marks(&mut screen, &mut state), 0);
    state.config.scene.seed = 77;
    state.config.look.exposure = 1.5;
    state.config.render.technique = Technique::Static;
    let texts = screen.settled(&mut state);
    assert_eq!(marks(&mut screen, &mut state), 3);
    for (row, then) in [("seed", 2), ("exposure", 1), ("technique", 0)] {
        // Marks are at the right end of the label.
        screen.click(&mut state, at(&texts, row) + egui::vec2(77.0, 8.0));
        screen.settled(&mut state);
        assert_eq!(marks(&mut screen, &mut state), then, "{row}");
    }
    assert_eq!(state.config, state.preset);
}

#[test]
fn all_keys_are_shown_over_the_picture_until_a_click() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    state.ui.panel = false;
    assert!(!has(&screen.settled(&mut state), "find the largest crowd"));
    let _ = state.act(Action::ToggleKeys);
    let texts = screen.settled(&mut state);
    for shortcut in crate::app::window::shortcuts::SHORTCUTS {
        assert!(
            has(&texts, shortcut.keys) && has(&texts, shortcut.what),
            "{}",
            shortcut.what
        );
    }
    screen.click(&mut state, at(&texts, "Keys") + egui::vec2(4.0, 4.0));
    assert!(!state.ui.keys);
    let _ = state.act(Action::ToggleKeys);
    let _ = state.act(Action::Cancel);
    assert!(!state.ui.keys, "Esc closes them first");
}

#[test]
fn a_kept_view_is_listed_with_those_of_the_scene() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    let texts = screen.settled(&mut state);
    screen.click(&mut state, at(&texts, "add") + egui::vec2(4.0, 4.0));
    assert_eq!(std::mem::take(&mut state.actions), [Action::KeepView]);
    let _ = state.act(Action::KeepView);
    let texts = screen.settled(&mut state);
    assert!(has(&texts, "view 1") && state.view.as_deref() == Some("view 1"));
    screen.click(&mut state, at(&texts, "top") + egui::vec2(4.0, 4.0));
    assert_eq!(state.view.as_deref(), Some("top"));
    state.rename_view("view 1", "by the fountain");
    state.rename_view("by the fountain", "top");
    let texts = screen.settled(&mut state);
    screen.click(&mut state, at(&texts, "by the fountain") + egui::vec2(4.0, 4.0));
    assert_eq!(state.view.as_deref(), Some("by the fountain"));
    state.forget_view("by the fountain");
    assert!(state.view.is_none() && state.config.validation_error().is_none());
}

#[test]
fn the_daily_controls_fit_a_small_window() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    let texts = screen.settled(&mut state);
    for row in [
        "Undo",
        "overview",
        "scene",
        "people",
        "seed",
        "vary size",
        "time",
        "sun height",
        "shadows",
    ] {
        let place = at(&texts, row);
        assert!(place.y < 700.0 && place.x < 320.0, "{row} at {place}");
    }
}

#[test]
fn a_widened_panel_keeps_its_width() {
    let (mut state, mut screen) = (state(), PanelScreen::new());
    screen.settled(&mut state);
    assert_eq!(state.ui.panel_width, *WIDTHS.start());
    let button = |at, pressed| Event::PointerButton {
        pos: at,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    let (from, to) = (Pos2::new(320.0, 1000.0), Pos2::new(450.0, 1000.0));
    screen.frame(&mut state, vec![Event::PointerMoved(from)]);
    screen.frame(&mut state, vec![button(from, true)]);
    screen.frame(&mut state, vec![Event::PointerMoved(to)]);
    screen.frame(&mut state, vec![button(to, false)]);
    screen.settled(&mut state);
    assert!((state.ui.panel_width - 450.0).abs() < 8.0, "{}", state.ui.panel_width);
}
