//! Tests of the behaviour editor, laid out without a window.

use std::sync::Arc;

use crate::{
    app::{
        panel::{groups::tests::GroupsHarness, tests::has},
        state::action::Action,
    },
    config::{BehaviourConfig, StateConfig},
    scene::Scene,
};

fn talkers(hand: &GroupsHarness) -> &BehaviourConfig {
    let behaviour = hand.state.config.scene.groups["talkers"].behaviour.as_ref();
    behaviour.expect("a behaviour")
}

fn state<'a>(hand: &'a GroupsHarness, name: &str) -> &'a StateConfig {
    &talkers(hand).states[name]
}

fn on_screen(hand: &GroupsHarness) -> Arc<Scene> {
    hand.state.shown.scene.clone().expect("shown")
}

#[test]
fn values_of_a_state_can_be_changed_and_reset() {
    let mut hand = GroupsHarness::with_open(&["talkers", "behaviour", "listen"]);
    hand.enter("start weight", 0, "5");
    hand.enter("duration", 0, "4.5");
    hand.enter("duration", 1, "12");
    hand.enter("fade", 0, "1.25");
    hand.enter("clip speed", 0, "0.5");
    hand.click_beside("clip", 0);
    hand.choose("wave");
    hand.click_beside("wrap", 0);
    hand.choose("back and forth");
    let listen = state(&hand, "listen");
    assert_eq!((listen.home, listen.dwell, listen.fade), (5.0, [4.5, 12.0], 1.25));
    assert_eq!((listen.speed[0], listen.clip.as_str()), (0.5, "wave"));
    assert_eq!(listen.wrap, Some(crate::model::Wrap::PingPong));
    assert!(hand.state.may_build());
    hand.assert_reset(|hand| {
        for label in ["start weight", "duration", "fade", "clip speed", "clip", "wrap"] {
            hand.reset(label);
        }
    });
}

#[test]
fn transitions_have_weights_and_fades() {
    let mut hand = GroupsHarness::with_open(&["talkers", "behaviour", "listen"]);
    hand.enter("wave", 0, "3");
    assert_eq!(state(&hand, "listen").next["wave"], 3.0);
    hand.enter("wave", 1, "0.2");
    assert_eq!(state(&hand, "listen").fades["wave"], 0.2);
    hand.assert_reset(|hand| hand.reset("wave"));
}

#[test]
fn states_are_added_and_removed() {
    let mut hand = GroupsHarness::with_open(&["talkers", "behaviour"]);
    hand.click("add a state");
    hand.choose("dance");
    assert_eq!(state(&hand, "dance").home, 1.0);
    assert!(hand.state.may_build(), "people may begin with it");
    let before = talkers(&hand).states.len();
    hand.click_beside("clap", 1);
    let states = &talkers(&hand).states;
    assert_eq!(states.len(), before - 1);
    assert!(states.values().all(|state| !state.next.contains_key("clap")));
    assert!(hand.state.may_build());
    hand.assert_reset(|hand| {
        let preset = hand.state.preset.scene.groups["talkers"].clone();
        hand.state.config.scene.groups.insert("talkers".into(), preset);
    });
}

#[test]
fn renaming_a_state_updates_its_transitions() {
    let mut hand = GroupsHarness::with_open(&["talkers", "behaviour", "listen"]);
    let before = talkers(&hand).clone();
    let leads = |behaviour: &BehaviourConfig, to: &str| -> Vec<f32> {
        let states = behaviour.states.values();
        states.filter_map(|state| state.next.get(to).copied()).collect()
    };
    hand.retype("name", "ear to the ground, 2.0");
    assert_eq!(*talkers(&hand), before, "unchanged until Enter");
    hand.press_enter();
    let called = state(&hand, "ear to the ground, 2.0");
    assert_eq!(called.clip, "listen", "its clip stays");
    assert_eq!(called.dwell, before.states["listen"].dwell);
    assert_eq!(
        leads(talkers(&hand), "ear to the ground, 2.0"),
        leads(&before, "listen")
    );
    assert!(!leads(&before, "listen").is_empty() && leads(talkers(&hand), "listen").is_empty());
    assert!(hand.state.may_build());
    // The part stays open under its new name, and the old name restores it.
    hand.assert_reset(|hand| {
        hand.retype("name", "listen");
        hand.press_enter();
    });
}

#[test]
fn state_names_are_unique() {
    let mut hand = GroupsHarness::with_open(&["talkers", "behaviour", "listen"]);
    for name in ["talk", "  "] {
        hand.retype("name", name);
        assert_eq!(has(&hand.see(), "another state has this name"), name == "talk");
        hand.press_enter();
        assert_eq!(hand.state.config, hand.state.preset, "{name:?}");
        assert!(!has(&hand.see(), "another state has this name"));
    }
}

#[test]
fn a_group_without_a_behaviour_gets_one_of_its_clips() {
    let mut hand = GroupsHarness::with_open(&["musician", "behaviour"]);
    assert!(hand.state.config.scene.groups["musician"].behaviour.is_none());
    // A knight has no `play` clip, so the behaviour gets only clips that he has.
    let musician = hand.state.config.scene.groups.get_mut("musician").expect("a group");
    musician.clips = [
        ("Idle".to_owned(), 3.0),
        ("Wave".to_owned(), 1.0),
        ("none".to_owned(), 1.0),
    ]
    .into();
    hand.state.preset = hand.state.config.clone();
    hand.step(Action::Redo);
    hand.click("add a behaviour");
    let behaviour = hand.state.config.scene.groups["musician"].behaviour.clone();
    let states = behaviour.expect("a behaviour").states;
    assert_eq!(states.keys().collect::<Vec<_>>(), ["Idle", "Wave"]);
    assert_eq!((states["Idle"].home, states["Idle"].next["Wave"]), (3.0, 1.0));
    assert!(hand.state.may_build());
}

#[test]
fn an_invalid_value_shows_its_error_and_is_not_applied() {
    let mut hand = GroupsHarness::with_open(&["talkers", "behaviour", "listen"]);
    let before = on_screen(&hand);
    for (label, number, text, told) in [
        ("fade", 0, "4.9", "4.9; expected at most the shortest dwell"),
        (
            "duration",
            1,
            "1",
            "[3.0, 1.0]; expected two ascending numbers [low, high] from 0.2 to 120",
        ),
        ("duration", 0, "60", "[60.0, 9.0]; expected two ascending"),
        (
            "clip speed",
            0,
            "-1",
            "[-1.0, 1.1]; expected two speeds of the same sign",
        ),
    ] {
        hand.enter(label, number, text);
        let texts = hand.see();
        // The error is shown beside the value, and with its key over the picture.
        assert_eq!(
            texts.iter().filter(|(text, _)| text.contains(told)).count(),
            2,
            "{told}: {texts:?}"
        );
        assert!(has(
            &texts,
            "not applied: `scene.groups.talkers.behaviour.states.listen."
        ));
        assert!(!hand.state.may_build());
        assert!(Arc::ptr_eq(&before, &on_screen(&hand)));
        hand.step(Action::Undo);
        assert!(hand.state.may_build() && !has(&hand.see(), "not applied"), "{label}");
    }
}

#[test]
fn an_unreachable_state_is_rejected() {
    let mut hand = GroupsHarness::with_open(&["dancers", "behaviour", "dance"]);
    hand.enter("clap", 0, "0");
    let texts = hand.see();
    let told = "a state that nobody reaches; expected `home` above 0";
    assert_eq!(
        texts.iter().filter(|(text, _)| text.contains(told)).count(),
        2,
        "{texts:?}"
    );
    assert!(!hand.state.may_build());
    // Saving writes the scene shown, with a notice about the invalid change.
    let shown = (hand.state.preset.scene.clone(), hand.state.preset.bake.clone());
    hand.state.shown.made_of = Some(shown.clone());
    let folder = tempfile::tempdir().expect("a folder");
    hand.state.files.sharing.folder = folder.path().to_owned();
    assert_eq!(hand.state.act(Action::SaveScene), None);
    let texts = hand.see();
    assert!(
        has(&texts, "as shown, without the invalid change of scene.groups.dancers"),
        "{texts:?}"
    );
    let read = crate::config::Config::load(&folder.path().join("plaza.toml")).expect("valid");
    assert_eq!(read.scene, shown.0);
    hand.reset("clap");
    assert!(hand.state.may_build());
}

#[test]
fn a_group_without_people_is_reported_below_the_states() {
    let mut hand = GroupsHarness::with_open(&["dancers", "behaviour", "dance"]);
    hand.enter("start weight", 0, "0");
    let texts = hand.see();
    assert!(
        has(&texts, "without a home state; expected states, at least one"),
        "{texts:?}"
    );
    assert!(!hand.state.may_build());
}
