//! Table of keyboard shortcuts, used both for key presses and for the list in the panel.

use winit::{
    event::Modifiers,
    keyboard::{Key, KeyCode, NamedKey},
};

use crate::app::state::{action::Action, playback::Playback};

/// Pattern of a key press.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Press {
    /// Character, on any keyboard layout.
    Char(&'static str),
    /// Character with Ctrl (Cmd on macOS).
    Ctrl(&'static str),
    /// Character with Ctrl (Cmd on macOS) and Shift.
    Chord(&'static str),
    /// Named key.
    Named(NamedKey),
}

/// Row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shortcut {
    /// Key presses that trigger the action.
    pub presses: &'static [Press],
    /// Keys as shown in the list.
    pub keys: &'static str,
    /// Description shown in the list.
    pub what: &'static str,
    /// Action of the shortcut.
    pub action: Action,
}

/// All keyboard shortcuts except the flying keys.
#[rustfmt::skip]
pub(crate) const SHORTCUTS: &[Shortcut] = &[
    row(&[Press::Named(NamedKey::Tab), Press::Char("h")], "Tab, H", "show or hide the panel", Action::TogglePanel),
    row(&[Press::Named(NamedKey::F1), Press::Char("?")], "F1, ?", "all keys", Action::ToggleKeys),
    row(&[Press::Ctrl("z")], "Ctrl+Z", "undo a change of settings", Action::Undo),
    row(&[Press::Chord("z"), Press::Ctrl("y")], "Ctrl+Shift+Z, Ctrl+Y", "redo", Action::Redo),
    row(&[Press::Ctrl("s")], "Ctrl+S", "save the scene", Action::SaveScene),
    row(&[Press::Chord("s")], "Ctrl+Shift+S", "save the scene as another file", Action::SaveSceneAs),
    row(&[Press::Ctrl("o")], "Ctrl+O", "open a scene", Action::OpenScene),
    row(&[Press::Named(NamedKey::F12)], "F12", "save a picture without the panel (PNG)", Action::Screenshot),
    row(&[Press::Named(NamedKey::F10)], "F10", "film: start, end (Esc: cancel)", Action::ToggleFilm),
    row(&[Press::Chord("c")], "Ctrl+Shift+C", "copy the command line of this picture", Action::CopyCommand),
    row(&[Press::Char("n")], "N", "save this camera view", Action::KeepView),
    row(&[Press::Named(NamedKey::Space)], "Space", "pause, resume", Action::Play(Playback::TogglePause)),
    row(&[Press::Char(".")], ".", "step forward (1/30 s)", Action::Play(Playback::Step(1))),
    row(&[Press::Char(",")], ",", "step back (1/30 s)", Action::Play(Playback::Step(-1))),
    row(&[Press::Named(NamedKey::ArrowRight)], "right arrow", "5 s forward", Action::Play(Playback::Skip(5.0))),
    row(&[Press::Named(NamedKey::ArrowLeft)], "left arrow", "5 s back", Action::Play(Playback::Skip(-5.0))),
    row(&[Press::Char("0")], "0", "to the beginning", Action::Play(Playback::Start)),
    row(&[Press::Named(NamedKey::End)], "End", "to the last sample of trajectories", Action::Play(Playback::End)),
    row(&[Press::Char("]")], "]", "time runs twice as fast", Action::Play(Playback::Faster(2.0))),
    row(&[Press::Char("[")], "[", "time runs half as fast", Action::Play(Playback::Faster(0.5))),
    row(&[Press::Char("l")], "L", "trajectories begin again, or stop at their end", Action::Play(Playback::ToggleLoop)),
    row(&[Press::Char("+"), Press::Char("=")], "+", "people ×2", Action::ScaleCount(2.0)),
    row(&[Press::Char("-"), Press::Char("_")], "-", "people ÷2", Action::ScaleCount(0.5)),
    row(&[Press::Named(NamedKey::PageUp)], "Page Up", "people ×10", Action::ScaleCount(10.0)),
    row(&[Press::Named(NamedKey::PageDown)], "Page Down", "people ÷10", Action::ScaleCount(0.1)),
    row(&[Press::Char("r")], "R", "next seed", Action::NextSeed),
    row(&[Press::Char("x")], "X", "compare two techniques", Action::ToggleCompare),
    row(&[Press::Char("m")], "M", "compare: difference map", Action::ToggleHeat),
    row(&[Press::Char("k")], "K", "find the largest crowd within the frame time", Action::Stress),
    row(&[Press::Char("i")], "I", "viewer: one character alone", Action::ToggleViewer),
    row(&[Press::Char("g")], "G", "selected person: take over, hand back", Action::TakeOver),
    row(&[Press::Named(NamedKey::Escape)], "Esc", "stop, deselect", Action::Cancel),
    row(&[Press::Char("t")], "T", "next technique", Action::NextTechnique),
    row(&[Press::Char("b")], "B", "next atlas format", Action::NextFormat),
    row(&[Press::Char("1")], "1", "view: overview", Action::View("overview")),
    row(&[Press::Char("2")], "2", "view: street", Action::View("street")),
    row(&[Press::Char("3")], "3", "view: close", Action::View("close")),
    row(&[Press::Char("4")], "4", "view: top", Action::View("top")),
    row(&[Press::Char("5")], "5", "view: plan", Action::View("plan")),
    row(&[Press::Char("f"), Press::Named(NamedKey::Home)], "F, Home", "frame the whole crowd", Action::FrameAll),
    row(&[Press::Char("p")], "P", "camera path: add a key at this time", Action::AddCameraKey),
    row(&[Press::Chord("p")], "Ctrl+Shift+P", "camera path: save the scene with it", Action::SaveCameraPath),
    row(&[Press::Char("v")], "V", "toggle vsync", Action::ToggleVsync),
    row(&[Press::Char("c")], "C", "copy statistics as JSON", Action::CopyStats),
    row(&[Press::Named(NamedKey::F11)], "F11", "full screen", Action::ToggleFullscreen),
    row(&[Press::Chord("q")], "Ctrl+Shift+Q", "quit", Action::Quit),
];

/// Shortcuts for tests of recovery, listed nowhere; they work only where [`DEVELOPER_KEYS`] is set.
#[rustfmt::skip]
const DEVELOPER_SHORTCUTS: &[Shortcut] = &[
    row(&[Press::Chord("l")], "Ctrl+Shift+L", "simulate a lost GPU device", Action::LoseDevice),
    row(&[Press::Chord("k")], "Ctrl+Shift+K", "simulate a lost window surface", Action::LoseSurface),
];

/// Environment variable that enables the shortcuts for developers.
pub(super) const DEVELOPER_KEYS: &str = "THRONG_DEVELOPER_KEYS";

const fn row(presses: &'static [Press], keys: &'static str, what: &'static str, action: Action) -> Shortcut {
    Shortcut {
        presses,
        keys,
        what,
        action,
    }
}

/// Flying keys: position on the keyboard, label, direction (right, up, forward).
pub(crate) const FLY_KEYS: &[(KeyCode, &str, [f32; 3])] = &[
    (KeyCode::KeyW, "W", [0.0, 0.0, 1.0]),
    (KeyCode::KeyS, "S", [0.0, 0.0, -1.0]),
    (KeyCode::KeyA, "A", [-1.0, 0.0, 0.0]),
    (KeyCode::KeyD, "D", [1.0, 0.0, 0.0]),
    (KeyCode::KeyE, "E", [0.0, 1.0, 0.0]),
    (KeyCode::KeyQ, "Q", [0.0, -1.0, 0.0]),
];

/// Mouse gestures and held keys for the list; dropping files is listed only where the system supports it.
pub(crate) fn gestures(takes_drops: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    let drops = GESTURES_OF_FILES.iter().filter(move |_| takes_drops);
    GESTURES.iter().chain(drops).copied()
}

const GESTURES: &[(&str, &str)] = &[
    ("click", "select a person"),
    ("left drag", "orbit"),
    ("right drag", "look around"),
    ("middle drag", "pan"),
    ("wheel", "zoom"),
    ("W A S D, Q E", "fly; down, up (Shift: faster)"),
    ("Ctrl + - 0", "size of the panel's text"),
];

const GESTURES_OF_FILES: &[(&str, &str)] = &[
    ("drop .glb, folders", "open them (Shift, Ctrl: add)"),
    ("drop a .toml", "open that scene"),
];

/// Action of a key press; `developer` enables the shortcuts for tests of recovery.
#[must_use]
pub(crate) fn action_of(key: &Key, modifiers: &Modifiers, developer: bool) -> Option<Action> {
    let own = DEVELOPER_SHORTCUTS.iter().filter(|_| developer);
    let mut rows = SHORTCUTS.iter().chain(own);
    let row = rows.find(|s| s.presses.iter().any(|p| p.matches(key, modifiers)));
    row.map(|s| s.action)
}

impl Press {
    fn matches(self, key: &Key, modifiers: &Modifiers) -> bool {
        let state = modifiers.state();
        let command = state.control_key() || state.super_key();
        let is = |wanted: &str| matches!(key, Key::Character(c) if c.to_lowercase() == wanted);
        match self {
            Self::Char(wanted) => !command && !state.alt_key() && is(wanted),
            Self::Ctrl(wanted) => command && !state.shift_key() && !state.alt_key() && is(wanted),
            Self::Chord(wanted) => command && state.shift_key() && is(wanted),
            Self::Named(wanted) => !command && !state.alt_key() && *key == Key::Named(wanted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_one_action() {
        let rows = SHORTCUTS.iter().chain(DEVELOPER_SHORTCUTS);
        let presses: Vec<Press> = rows.flat_map(|s| s.presses).copied().collect();
        for (i, press) in presses.iter().enumerate() {
            assert!(!presses[..i].contains(press), "{press:?} stands twice");
        }
    }

    #[test]
    fn shortcuts_never_use_the_flying_keys() {
        let presses = || SHORTCUTS.iter().flat_map(|s| s.presses);
        for (_, label, _) in FLY_KEYS {
            let takes = |press: &&Press| matches!(press, Press::Char(c) if c.eq_ignore_ascii_case(label));
            assert!(!presses().any(|press| takes(&press)), "{label}");
        }
    }

    #[test]
    fn key_presses_map_to_actions() {
        let none = Modifiers::default();
        assert_eq!(
            action_of(&Key::Character("+".into()), &none, false),
            Some(Action::ScaleCount(2.0))
        );
        assert_eq!(
            action_of(&Key::Character("H".into()), &none, false),
            Some(Action::TogglePanel)
        );
        assert_eq!(
            action_of(&Key::Named(NamedKey::Space), &none, false),
            Some(Action::Play(Playback::TogglePause))
        );
        assert_eq!(action_of(&Key::Character("j".into()), &none, false), None);
    }

    #[test]
    fn simulated_losses_are_no_keys_of_users() {
        use winit::keyboard::ModifiersState;
        let chord = Modifiers::from(ModifiersState::CONTROL | ModifiersState::SHIFT);
        let pressed = |key: &str, developer| action_of(&Key::Character(key.into()), &chord, developer);
        assert_eq!(pressed("S", false), Some(Action::SaveSceneAs));
        assert_eq!([pressed("L", false), pressed("K", false)], [None; 2]);
        assert_eq!(
            [pressed("L", true), pressed("K", true)],
            [Some(Action::LoseDevice), Some(Action::LoseSurface)]
        );
    }
}
