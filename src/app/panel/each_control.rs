//! Test that every control of every tab has an effect. Controls are found by their accessibility role and used without
//! knowledge of what they do.

use std::sync::{Arc, LazyLock};

use egui::{Event, Modifiers, PointerButton, Pos2, Rect, Role, accesskit::Toggled, pos2, vec2};
use egui_kittest::{
    Harness, Node,
    kittest::{NodeT, Queryable},
};

use super::*;
use crate::{
    app::{AppOptions, state::action::Action},
    config::Config,
    scene::{PersonRef, Scene, StartupTimes},
};

/// Roles of controls that can be used; splitters, scroll bars and labels are left out.
const USED: [Role; 8] = [
    Role::Button,
    Role::CheckBox,
    Role::ColorWell,
    Role::ComboBox,
    Role::DisclosureTriangle,
    Role::Slider,
    Role::SpinButton,
    Role::TextInput,
];

/// Page of the panel: how to reach it, which folded parts to open, and its minimum number of controls.
struct Page {
    prepare: fn(&mut AppState),
    folded: &'static [&'static str],
    least: usize,
}

/// Control in the accessibility tree.
#[derive(Clone, Debug, PartialEq)]
struct UiControl {
    role: Role,
    name: String,
    place: Rect,
    /// No effect is expected: the control is disabled, or is the present choice.
    rests: bool,
}

fn control(node: &Node<'_>) -> Option<UiControl> {
    let seen = node.accesskit_node();
    USED.contains(&seen.role()).then(|| UiControl {
        role: seen.role(),
        name: seen.label().or_else(|| seen.value()).unwrap_or_default(),
        place: node.rect(),
        rests: seen.is_disabled() || (seen.role() == Role::Button && seen.toggled() == Some(Toggled::True)),
    })
}

type PanelHarness<'a, S> = Harness<'a, S>;

fn controls<S>(hand: &PanelHarness<'_, S>) -> Vec<UiControl> {
    hand.root()
        .children_recursive()
        .filter_map(|node| control(&node))
        .collect()
}

/// Contents of the accessibility tree: roles, texts, values, marks.
fn told<S>(hand: &PanelHarness<'_, S>) -> String {
    let nodes = hand.root().children_recursive();
    let lines = nodes.map(|node| {
        let seen = node.accesskit_node();
        format!(
            "{:?} {:?} {:?} {:?} {:?}",
            seen.role(),
            seen.label(),
            seen.value(),
            seen.toggled(),
            seen.numeric_value()
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Gestures to try on a control until something happens.
fn uses(control: &UiControl) -> Vec<[Pos2; 2]> {
    let Rect { min, max } = control.place;
    let middle = control.place.center();
    match control.role {
        Role::Slider => [0.2, 0.8]
            .map(|share| [pos2(min.x + share * (max.x - min.x), middle.y); 2])
            .to_vec(),
        // Drag, and if that has no effect, type a number.
        Role::SpinButton => [40.0, -40.0, 0.0].map(|way| [middle, middle + vec2(way, 0.0)]).to_vec(),
        _ => vec![[middle; 2]],
    }
}

/// Drags from one point to another.
fn drag<S>(hand: &mut PanelHarness<'_, S>, path: [Pos2; 2]) {
    let [from, to] = path;
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    for event in [
        Event::PointerMoved(from),
        button(from, true),
        Event::PointerMoved(to),
        button(to, false),
    ] {
        hand.event(event);
        hand.step();
    }
}

/// Uses a control in every way until `seen` changes; true if it does.
fn does_something<S>(
    hand: &mut PanelHarness<'_, S>,
    control: &UiControl,
    seen: impl Fn(&PanelHarness<'_, S>) -> String,
) -> bool {
    let (before, there) = (seen(hand), controls(hand));
    for way in uses(control) {
        drag(hand, way);
        if control.role == Role::ComboBox {
            hand.run_steps(2);
            // Controls further down may need scrolling.
            let mut listed = controls(hand)
                .into_iter()
                .filter(|row| !there.contains(row) && !row.rests);
            if let Some(row) = listed.next() {
                drag(hand, [row.place.center(); 2]);
            }
        }
        if way[0] == way[1] && [Role::SpinButton, Role::TextInput].contains(&control.role) {
            hand.event(Event::Text("7".into()));
            hand.key_press(egui::Key::Enter);
        }
        hand.remove_cursor();
        hand.run_steps(3);
        if seen(hand) != before {
            return true;
        }
    }
    false
}

fn hand<'a, S: 'a>(state: S, show: impl FnMut(&mut egui::Ui, &mut S) + 'a) -> PanelHarness<'a, S> {
    let mut hand = Harness::builder()
        .with_size(vec2(1400.0, 5000.0))
        .with_accessibility_check(false)
        .with_context_setup(|context| {
            style::apply(context);
            // Tooltips are not an effect.
            context.all_styles_mut(|style| {
                style.interaction.tooltip_delay = f32::INFINITY;
                style.animation_time = 0.0;
            });
        })
        .build_ui_state(show, state);
    hand.run_steps(3);
    hand
}

fn at_page<'a>(page: &Page, config: &Config, scene: &Arc<Scene>) -> PanelHarness<'a, AppState> {
    let mut state = AppState::new(&AppOptions::of(config.clone()));
    state.show(Arc::clone(scene), false);
    state.clock.scale = 2.0;
    state.files.takes_drops = true;
    (page.prepare)(&mut state);
    let mut hand = hand(state, |ui, state: &mut AppState| {
        show(ui, state);
    });
    for part in page.folded {
        let at = hand
            .get_by_role_and_label(Role::DisclosureTriangle, part)
            .rect()
            .center();
        drag(&mut hand, [at; 2]);
        hand.run_steps(3);
    }
    hand
}

/// Observable state: notices, and requests without a notice.
fn outcome(hand: &PanelHarness<'_, AppState>) -> String {
    let state = hand.state();
    let (config, camera) = (&state.config, state.rig.camera());
    // The camera moves over several frames, but its view changes at once.
    let way = (&state.view, camera);
    format!("{}\n{config:?}\n{:?}\n{way:?}", told(hand), state.actions)
}

const SOMEBODY: PersonRef = PersonRef { character: 0, index: 0 };

/// Controls of a page without effect, and the number of controls used.
fn idle(page: &Page, config: &Config, scene: &Arc<Scene>) -> (Vec<String>, usize) {
    let all = controls(&at_page(page, config, scene));
    // Buttons that open a system dialog are skipped.
    let meant: Vec<&UiControl> = (all.iter()).filter(|c| !c.rests && !c.name.ends_with('…')).collect();
    let idle = meant.iter().filter(|control| {
        let mut hand = at_page(page, config, scene);
        !does_something(&mut hand, control, outcome)
    });
    (idle.map(|control| format!("{control:?}")).collect(), meant.len())
}

/// Six people of two characters.
static SHOWN: LazyLock<(Config, Arc<Scene>)> = LazyLock::new(|| {
    let mut config = Config::default();
    config.scene.characters = vec!["knight".into(), "man".into()];
    config.scene.count = 6;
    let scene = Scene::load(&config, &mut StartupTimes::default()).expect("embedded");
    (config, Arc::new(scene))
});

fn each_does_something(page: &Page) {
    let (idle, used) = idle(page, &SHOWN.0, &SHOWN.1);
    assert!(idle.is_empty(), "{idle:#?}");
    assert!(used >= page.least, "{used} controls");
}

#[test]
fn each_control_of_the_crowd_does_something() {
    each_does_something(&Page {
        prepare: |state| {
            let _ = state.act(Action::AddCameraKey);
        },
        folded: &["Groups", "Camera", "Shortcuts", "clips: scene default"],
        least: 120,
    });
}

#[test]
fn each_control_of_the_compare_tab_does_something() {
    each_does_something(&Page {
        prepare: |state| {
            state.ui.tab = Tab::Compare;
            (state.compare.on, state.compare.heat) = (true, true);
        },
        folded: &[],
        least: 20,
    });
}

#[test]
fn each_control_of_the_character_tab_does_something() {
    each_does_something(&Page {
        prepare: |state| state.ui.tab = Tab::Character,
        folded: &[],
        least: 20,
    });
}

#[test]
fn each_control_of_the_viewer_does_something() {
    each_does_something(&Page {
        prepare: |state| {
            state.ui.tab = Tab::Character;
            state.toggle_viewer();
        },
        folded: &[],
        least: 20,
    });
}

#[test]
fn each_control_of_the_person_tab_does_something() {
    each_does_something(&Page {
        prepare: |state| state.select(Some(SOMEBODY)),
        folded: &[],
        least: 16,
    });
}

#[test]
fn each_control_of_a_hero_does_something() {
    each_does_something(&Page {
        prepare: |state| {
            let scene = state.shown.scene.clone().expect("shown");
            state.select(Some(SOMEBODY));
            state.person.heroes.take_over(&scene, SOMEBODY, 0.0);
            state.clock.seconds = 1.0;
        },
        folded: &[],
        least: 20,
    });
}

#[test]
fn a_control_without_effect_is_detected() {
    let mut hand = hand(0, |ui, number: &mut i32| {
        let _ = ui.button("idle");
        *number += i32::from(ui.button("busy").clicked());
        ui.add(egui::DragValue::new(&mut 3));
        ui.add(egui::DragValue::new(number));
    });
    let all = controls(&hand);
    let done: Vec<bool> = all.iter().map(|one| does_something(&mut hand, one, told)).collect();
    assert_eq!(done, [false, true, false, true]);
}
