//! Tests of the group editors, laid out without a window.

use egui::{Color32, Event, Key, Modifiers, Pos2, Shape, vec2};

use super::tints;
use crate::{
    app::{
        panel::{
            WIDTHS,
            tests::{PanelScreen, at, has},
        },
        state::{AppState, action::Action, open::FileRequest},
    },
    config::{AttachmentConfig, Config, Group, Phase, ViewConfig},
};

/// Test harness of the Groups section: reads texts and clicks.
pub(super) struct GroupsHarness {
    pub state: AppState,
    screen: PanelScreen,
    /// Vertical position; texts above it are ignored.
    below: f32,
}

type Texts = Vec<(String, Pos2)>;

impl GroupsHarness {
    /// Forty knights on the plaza, with nested parts opened.
    pub(super) fn with_open(parts: &[&str]) -> Self {
        let mut config = Config::scene("plaza").expect("a preset");
        config.scene.characters = vec!["knight".into()];
        config.scene.count = 40;
        let mut hand = Self {
            state: AppState::showing(config),
            screen: PanelScreen::new(),
            below: 0.0,
        };
        // Changes from here on can be undone.
        hand.state.note_changes(false);
        hand.open("Groups");
        parts.iter().for_each(|part| hand.open(part));
        hand
    }

    pub(super) fn see(&mut self) -> Texts {
        let texts = self.screen.settled(&mut self.state);
        let width = self.state.ui.panel_width;
        assert!(width < WIDTHS.start() + 5.0, "a row widens the panel to {width}");
        texts
    }

    /// Position of a text below the part that was opened last.
    fn find(&mut self, wanted: &str) -> Pos2 {
        let below = self.below;
        let mut texts = self.see();
        texts.retain(|(_, at)| at.y >= below && at.x < 320.0);
        at(&texts, wanted)
    }

    pub(super) fn open(&mut self, part: &str) {
        let place = self.find(part);
        self.screen.click(&mut self.state, place + vec2(4.0, 6.0));
        self.below = place.y;
    }

    pub(super) fn click(&mut self, text: &str) {
        let place = self.find(text);
        self.screen.click(&mut self.state, place + vec2(4.0, 6.0));
        self.see();
    }

    /// Clicks the last matching text, which belongs to the open list.
    pub(super) fn choose(&mut self, text: &str) {
        let texts = self.see();
        let newest = texts.iter().rev().find(|(found, _)| found == text);
        let place = newest.unwrap_or_else(|| panic!("no {text:?} among {texts:?}")).1;
        self.screen.click(&mut self.state, place + vec2(4.0, 6.0));
        self.see();
    }

    /// Restricts the following searches to texts below this one.
    fn below(&mut self, text: &str) {
        self.below = self.find(text).y;
    }

    /// Position of the n-th matching text on the row of a label.
    fn beside(&mut self, label: &str, number: usize, is_meant: fn(&str) -> bool) -> Pos2 {
        let row = self.find(label);
        let texts = self.see();
        let mut on_row: Vec<Pos2> = { texts.iter().filter(|(text, _)| is_meant(text)).map(|(_, at)| *at) }
            .filter(|at| (at.y - row.y).abs() < 8.0 && at.x > row.x + 20.0 && at.x < 320.0)
            .collect();
        on_row.sort_by(|a, b| a.x.total_cmp(&b.x));
        let found = on_row.get(number);
        *found.unwrap_or_else(|| panic!("not so much beside {label:?} at {row}: {texts:?}"))
    }

    pub(super) fn click_beside(&mut self, label: &str, number: usize) {
        let place = self.beside(label, number, |text| !text.is_empty());
        self.screen.click(&mut self.state, place + vec2(4.0, 6.0));
        self.see();
    }

    /// Replaces the n-th number on the row of a label.
    pub(super) fn enter(&mut self, label: &str, number: usize, text: &str) {
        let place = self.beside(label, number, |text| text.parse::<f32>().is_ok());
        self.screen.click(&mut self.state, place + vec2(4.0, 6.0));
        self.screen.frame(&mut self.state, vec![Event::Text(text.into())]);
        self.screen.enter(&mut self.state);
    }

    /// Replaces the text on the row of a label.
    pub(super) fn retype(&mut self, label: &str, text: &str) {
        self.click_beside(label, 0);
        let select_all = Event::Key {
            key: Key::A,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::COMMAND,
        };
        self.screen
            .frame(&mut self.state, vec![select_all, Event::Text(text.into())]);
        self.see();
    }

    pub(super) fn press_enter(&mut self) {
        self.screen.enter(&mut self.state);
    }

    /// Clicks the mark of a row, which resets it.
    pub(super) fn reset(&mut self, label: &str) {
        let place = self.find(label);
        self.screen.click(&mut self.state, place + vec2(77.0, 8.0));
        self.see();
    }

    pub(super) fn step(&mut self, action: Action) {
        self.state.note_changes(false);
        assert_eq!(self.state.act(action), None);
        self.see();
    }

    /// Asserts that settings survive undo and redo, saving and opening, and the command line. After `back` they equal
    /// the preset.
    pub(super) fn assert_reset(mut self, back: impl FnOnce(&mut Self)) {
        let (changed, preset) = (self.state.config.scene.clone(), self.state.preset.clone());
        assert_ne!(changed, preset.scene);
        self.step(Action::Undo);
        assert_eq!(self.state.config.scene, preset.scene, "undone");
        self.step(Action::Redo);
        assert_eq!(self.state.config.scene, changed, "redone");
        self.is_kept();
        back(&mut self);
        assert_eq!(self.state.config.scene, preset.scene, "reset");
    }

    fn is_kept(&mut self) {
        let changed = self.state.config.scene.clone();
        let folder = tempfile::tempdir().expect("a folder");
        self.state.files.sharing.folder = folder.path().to_owned();
        assert_eq!(self.state.act(Action::SaveScene), None);
        let file = folder.path().join("plaza.toml");
        let read = Config::load(&file).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(read.scene, changed, "opened again");
        let base = self.state.preset.clone();
        let view = ViewConfig {
            eye: [1.0, 2.0, 3.0],
            target: [0.0; 3],
            time: None,
        };
        let words = self.state.config.arguments("plaza", &base, &view);
        let words = words.expect("fits").expect("text");
        let mut reached = base;
        for pair in words.windows(2).filter(|pair| pair[0] == "--set") {
            reached.set("--set", &pair[1]).unwrap_or_else(|error| panic!("{error}"));
        }
        assert_eq!(reached.scene, changed, "{words:?}");
    }

    /// Positions of filled rectangles of a colour, topmost last.
    fn painted(&mut self, colour: Color32) -> Vec<Pos2> {
        self.see();
        let shapes = self.screen.shapes(&mut self.state, Vec::new());
        let places = shapes.into_iter().filter_map(|shape| match shape {
            Shape::Rect(rect) if rect.fill == colour && rect.rect.left() < 320.0 => Some(rect.rect.center()),
            _ => None,
        });
        places.collect()
    }
}

#[test]
fn groups_of_the_layout_are_listed_with_their_people() {
    let mut hand = GroupsHarness::with_open(&[]);
    let scene = hand.state.shown.scene.clone().expect("shown");
    assert_eq!(scene.groups().iter().map(|(_, people)| people).sum::<usize>(), 40);
    let texts = hand.see();
    for (group, people) in scene.groups() {
        let told = if people == 1 {
            "1 person".to_owned()
        } else {
            format!("{people} people")
        };
        let row = hand.find(group.name()).y;
        let beside = texts.iter().any(|(text, at)| *text == told && (at.y - row).abs() < 8.0);
        assert!(beside, "{}: {told} among {texts:?}", group.name());
    }
    hand.state.config.scene.groups.entry("home".into()).or_default();
    assert!(has(&hand.see(), "nobody in this scene"));
}

#[test]
fn a_phase_can_be_chosen_and_reset() {
    let mut hand = GroupsHarness::with_open(&["talkers"]);
    hand.click_beside("timing", 0);
    hand.choose("wave");
    assert_eq!(hand.state.config.scene.groups["talkers"].phase, Some(Phase::Wave));
    hand.assert_reset(|hand| hand.reset("timing"));
}

#[test]
fn a_material_variant_can_be_chosen_for_all_and_reset() {
    let mut hand = GroupsHarness::with_open(&["talkers"]);
    hand.click_beside("variant", 0);
    hand.choose("variant 5");
    assert_eq!(hand.state.config.scene.groups["talkers"].material_variant, Some(5));
    hand.assert_reset(|hand| hand.reset("variant"));
}

#[test]
fn a_group_that_the_preset_does_not_mention_gets_settings_and_loses_them() {
    let mut hand = GroupsHarness::with_open(&["musician", "clips"]);
    hand.state.preset.scene.groups.remove("musician");
    hand.state.config.scene.groups.remove("musician");
    hand.enter("idle", 0, "2");
    let musician = &hand.state.config.scene.groups["musician"];
    assert_eq!(
        (musician.clips["idle"], musician.clips["play"]),
        (2.0, 1.0),
        "the default clips stay"
    );
    hand.reset("idle");
    assert_eq!(hand.state.config, hand.state.preset, "no settings are left");
}

#[test]
fn clips_of_a_group_have_weights() {
    let mut hand = GroupsHarness::with_open(&["dancers", "clips"]);
    hand.enter("wave", 0, "2.5");
    assert_eq!(hand.state.config.scene.groups["dancers"].clips["wave"], 2.5);
    hand.assert_reset(|hand| hand.reset("wave"));
}

#[test]
fn colours_are_picked_added_and_removed() {
    let mut hand = GroupsHarness::with_open(&["talkers", "colours"]);
    hand.below("hair");
    hand.click("own");
    let first = hand.state.config.scene.groups["talkers"].tints.hair.clone();
    assert!((2..=6).contains(&first.len()), "{first:?}");
    hand.click("+");
    assert_eq!(
        hand.state.config.scene.groups["talkers"].tints.hair.len(),
        first.len() + 1
    );
    // Open the picker of the first colour; a click into its field of shades changes it.
    let place = hand.painted(Color32::from_hex(&first[0]).expect("a colour"))[0];
    hand.screen.click(&mut hand.state, place);
    let texts = hand.see();
    let (_, remove) = texts.iter().rev().find(|(text, _)| text == "remove").expect("a button");
    hand.screen.click(&mut hand.state, *remove - vec2(-30.0, 60.0));
    let picked = hand.state.config.scene.groups["talkers"].tints.hair.clone();
    assert_ne!(picked[0], first[0]);
    assert_eq!(picked[1..first.len()], first[1..]);
    hand.choose("remove");
    let left = hand.state.config.scene.groups["talkers"].tints.hair.clone();
    assert_eq!(left, picked[1..]);
    hand.assert_reset(|hand| hand.reset("hair"));
}

#[test]
fn colours_of_everyone_begin_with_the_built_in_ones() {
    let mut hand = GroupsHarness::with_open(&["everyone"]);
    hand.click("change");
    assert_eq!(hand.state.config.scene.tints.skin, crate::crowd::tints::SKIN);
    assert!(!has(&hand.see(), "not applied"));
    hand.assert_reset(|hand| hand.reset("skin"));
}

#[test]
fn colours_are_written_as_files_have_them() {
    assert_eq!(tints::hex(Color32::from_rgb(1, 171, 255)), "#01abff");
}

#[test]
fn more_colours_than_fit_are_reported_and_not_built() {
    let mut hand = GroupsHarness::with_open(&["talkers", "colours"]);
    let talkers = hand.state.config.scene.groups.get_mut("talkers").expect("a group");
    talkers.tints.hair = vec!["#112233".into(); 60];
    let texts = hand.see();
    assert!(has(&texts, "define 78 colours, but the limit is 64"), "{texts:?}");
    assert!(!hand.state.may_build());
    hand.choose("undo");
    assert_eq!(hand.state.actions, [Action::Undo]);
}

#[test]
fn props_can_be_added_placed_and_removed() {
    let mut hand = GroupsHarness::with_open(&["musician", "props"]);
    hand.click("add a prop");
    hand.choose("flag");
    let props = &hand.state.config.scene.groups["musician"].props;
    assert_eq!((props.len(), &props[1]), (2, &AttachmentConfig::default()));
    hand.open("flag");
    hand.click_beside("socket", 0);
    hand.choose("back");
    hand.enter("share", 0, "50");
    hand.enter("turn", 1, "90");
    hand.enter("shift", 2, "-0.25");
    let expected = AttachmentConfig {
        socket: "back".into(),
        share: 0.5,
        turn: [0.0, 90.0, 0.0],
        shift: [0.0, 0.0, -0.25],
        ..AttachmentConfig::default()
    };
    assert_eq!(hand.state.config.scene.groups["musician"].props[1], expected);
    hand.assert_reset(|hand| {
        let row = hand.find("flag");
        let texts = hand.see();
        let remove = texts
            .iter()
            .find(|(text, at)| text == "×" && (at.y - row.y).abs() < 8.0);
        let place = remove.expect("a button").1;
        hand.screen.click(&mut hand.state, place + vec2(4.0, 4.0));
        hand.see();
    });
}

#[test]
fn the_prop_button_requests_a_file() {
    let mut hand = GroupsHarness::with_open(&["musician", "props"]);
    hand.click("add a prop");
    hand.choose("a file…");
    let musician = Group::from_name("musician").expect("a group");
    let asked = |prop| [Action::AskForFiles(FileRequest::Prop(musician, prop))];
    assert_eq!(std::mem::take(&mut hand.state.actions), asked(1));
    hand.open("guitar");
    hand.click_beside("mesh", 0);
    hand.choose("a file…");
    assert_eq!(std::mem::take(&mut hand.state.actions), asked(0));
    assert_eq!(
        hand.state.config, hand.state.preset,
        "no prop is added before a file is chosen"
    );
    // A chosen file is shown by its name without folders.
    let props = &mut hand
        .state
        .config
        .scene
        .groups
        .get_mut("musician")
        .expect("a group")
        .props;
    props[0].mesh = "far/away/lute.glb".into();
    let texts = hand.see();
    assert!(has(&texts, "lute.glb") && !has(&texts, "far/away"), "{texts:?}");
}

#[test]
fn a_prop_of_the_preset_is_marked_value_by_value() {
    let mut hand = GroupsHarness::with_open(&["walkers", "props", "bag"]);
    hand.enter("share", 0, "80");
    hand.click_beside("mesh", 0);
    hand.choose("sword");
    let prop = &hand.state.config.scene.groups["walkers"].props[0];
    assert_eq!((prop.mesh.as_str(), prop.share), ("sword", 0.8));
    hand.reset("mesh");
    assert_eq!(hand.state.config.scene.groups["walkers"].props[0].mesh, "bag");
    hand.assert_reset(|hand| hand.reset("share"));
}
