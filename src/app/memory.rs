//! Window settings kept between starts: size, panel, recent files. They live in the user's config folder; invalid
//! values are ignored, and a broken file is reported.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use toml::{Table, Value};

use crate::{
    app::{
        AppOptions,
        panel::WIDTHS,
        state::{AppState, Tab},
    },
    config::{WindowConfig, aliases::SCHEMA, limits::EDGE},
    file::output::Output,
};

/// Name of the file in the program's settings folder.
const NAME: &str = "window.toml";
/// Allowed scales of the panel relative to the system's.
const ZOOM: std::ops::RangeInclusive<f64> = 0.5..=4.0;
/// Tabs of the panel and their names in the file.
const TABS: [(Tab, &str); 4] = [
    (Tab::Crowd, "crowd"),
    (Tab::Compare, "compare"),
    (Tab::Character, "character"),
    (Tab::Person, "person"),
];

/// Window settings kept from one start to the next.
pub(crate) struct WindowMemory {
    file: PathBuf,
}

impl WindowMemory {
    /// Default folder: `$XDG_CONFIG_HOME/throng` or `~/.config/throng`, `~/Library/Application Support/throng` on
    /// macOS, `%APPDATA%\throng\config` on Windows. `None` if there is no such folder.
    #[must_use]
    pub(crate) fn usual() -> Option<Self> {
        let folders = directories::ProjectDirs::from("", "", "throng")?;
        Some(Self::at(folders.config_dir()))
    }

    fn at(folder: &Path) -> Self {
        Self {
            file: folder.join(NAME),
        }
    }

    /// Restores the window settings, except those that options or the scene file set.
    pub(crate) fn recall(&self, options: &AppOptions, state: &mut AppState) {
        let kept = match self.read() {
            Ok(kept) => kept,
            Err(why) => {
                let file = self.file.display();
                return state
                    .notices
                    .fail(format!("{file}: {why}; the window starts with default settings"));
            }
        };
        let file = options.scene.as_deref().and_then(|file| fs::read_to_string(file).ok());
        let asked: Table = file.and_then(|text| text.parse().ok()).unwrap_or_default();
        let asks = |key: &str| asked.get("window").is_some_and(|window| window.get(key).is_some());
        let usual = WindowConfig::default();
        let window = &mut state.config.window;
        let is_sized = options.is_sized || asks("width") || asks("height");
        if let (false, Some(size)) = (is_sized, size_of(&kept)) {
            (window.width, window.height) = size;
            state.ui.windowed = size;
        }
        let panel = value(&kept, "panel", "shown").and_then(Value::as_bool);
        if let (false, true, Some(shown)) = (asks("panel"), window.panel == usual.panel, panel) {
            state.ui.panel = shown;
        }
        let tab = value(&kept, "panel", "tab").and_then(Value::as_str);
        // The viewer starts with its own tab.
        if let Some((tab, _)) = { TABS.iter() }.find(|(_, name)| Some(*name) == tab && !options.viewer) {
            state.ui.tab = *tab;
        }
        let number = |section, key| value(&kept, section, key).and_then(Value::as_float);
        if let Some(width) = number("panel", "width") {
            state.ui.panel_width = (width as f32).clamp(*WIDTHS.start(), *WIDTHS.end());
        }
        if let Some(zoom) = number("panel", "zoom").filter(|zoom| ZOOM.contains(zoom)) {
            state.ui.zoom = zoom as f32;
        }
        state.files.recent = recent_of(&kept);
    }

    /// Writes the window settings atomically. A file that could not be read is renamed to `.toml.broken`.
    ///
    /// # Errors
    /// The folder cannot be created or written.
    pub(crate) fn keep(&self, state: &AppState) -> Result<()> {
        let folder = self.file.parent().context("no folder")?;
        fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let before = match self.read() {
            Ok(before) => before,
            Err(_) => {
                let aside = self.file.with_extension("toml.broken");
                fs::rename(&self.file, &aside).with_context(|| format!("cannot write {}", aside.display()))?;
                Table::new()
            }
        };
        let text = toml::to_string(&table_of(state, &recent_of(&before)))?;
        let about = "# How the window of throng was when it was closed; remove it at will.\n\n";
        Output::create(&self.file)?.write(format!("{about}{text}").as_bytes())
    }

    /// Contents of the file; empty if it does not exist.
    fn read(&self) -> Result<Table, String> {
        match fs::read_to_string(&self.file) {
            Ok(text) => text.parse().map_err(|error: toml::de::Error| {
                let message = error.message();
                format!("is not TOML ({})", message.lines().next().unwrap_or_default())
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Table::new()),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn value<'a>(kept: &'a Table, section: &str, key: &str) -> Option<&'a Value> {
    kept.get(section)?.get(key)
}

fn size_of(kept: &Table) -> Option<(u32, u32)> {
    let edge = |key| {
        let pixels = value(kept, "window", key)?.as_integer()?;
        u32::try_from(pixels).ok().filter(|pixels| EDGE.contains(pixels))
    };
    edge("width").zip(edge("height"))
}

fn recent_of(kept: &Table) -> Vec<PathBuf> {
    let files = kept.get("recent").and_then(Value::as_array);
    let files = files.into_iter().flatten().filter_map(Value::as_str);
    files.take(AppState::MOST_RECENT).map(PathBuf::from).collect()
}

/// Table to write. Recent files of another window that was open at the same time follow those of this one.
fn table_of(state: &AppState, others: &[PathBuf]) -> Table {
    let number = |pixels: u32| Value::Integer(pixels.into());
    let (width, height) = state.ui.windowed;
    let window = [("width", number(width)), ("height", number(height))];
    let tab = TABS
        .iter()
        .find(|(tab, _)| *tab == state.ui.tab)
        .map_or("crowd", |(_, name)| *name);
    let panel = [
        ("shown", Value::Boolean(state.ui.panel)),
        ("tab", Value::String(tab.to_owned())),
        ("width", Value::Float(f64::from(state.ui.panel_width).round())),
        ("zoom", Value::Float((f64::from(state.ui.zoom) * 100.0).round() / 100.0)),
    ];
    let others = others.iter().filter(|file| !state.files.recent.contains(file));
    let recent = state.files.recent.iter().chain(others).take(AppState::MOST_RECENT);
    // TOML cannot hold file names that are not Unicode.
    let recent: Vec<Value> = recent.filter_map(|file| Some(file.to_str()?.into())).collect();
    let section = |entries: &[(&str, Value)]| {
        let entries = entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
        Value::Table(entries.collect())
    };
    let all = [
        ("schema", number(SCHEMA)),
        ("recent", Value::Array(recent)),
        ("window", section(&window)),
        ("panel", section(&panel)),
    ];
    all.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn opened(memory: &WindowMemory, options: &AppOptions) -> AppState {
        let mut state = AppState::new(options);
        memory.recall(options, &mut state);
        state
    }

    #[test]
    fn window_settings_are_restored_and_options_override_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let memory = WindowMemory::at(&folder.path().join("not/there/yet"));
        let options = AppOptions::of(Config::default());
        let mut state = opened(&memory, &options);
        assert_eq!(
            (state.ui.windowed, state.ui.panel, state.notices.current().count()),
            ((1600, 900), true, 0)
        );
        (state.ui.windowed, state.ui.panel, state.ui.tab) = ((1024, 640), false, Tab::Character);
        (state.ui.panel_width, state.ui.zoom) = (400.0, 1.25);
        state.remember_recent(Path::new("a scene.toml"));
        state.remember_recent(Path::new("hero.glb"));
        memory.keep(&state).expect("kept");
        let text = fs::read_to_string(&memory.file).expect("a file");
        assert!(text.contains("\nschema = 1\n"), "{text}");
        let again = opened(&memory, &options);
        let window = &again.config.window;
        assert_eq!(
            (window.width, window.height, again.ui.panel, again.ui.tab),
            (1024, 640, false, Tab::Character)
        );
        assert_eq!((again.ui.panel_width, again.ui.zoom), (400.0, 1.25));
        assert!(
            again.files.recent[0].is_absolute()
                && again.files.recent[0].ends_with("hero.glb")
                && again.files.recent.len() == 2
        );
        let sized = AppOptions {
            is_sized: true,
            ..options.clone()
        };
        assert_eq!(opened(&memory, &sized).config.window.width, 1600);
        let scene = folder.path().join("scene.toml");
        fs::write(&scene, "[window]\nwidth = 1600\npanel = true\n").expect("written");
        let filed = AppOptions {
            scene: Some(scene),
            ..options
        };
        let state = opened(&memory, &filed);
        assert_eq!((state.config.window.width, state.ui.panel), (1600, true));
    }

    #[test]
    fn a_broken_window_file_is_reported_ignored_and_set_aside() {
        let folder = tempfile::tempdir().expect("a folder");
        let memory = WindowMemory::at(folder.path());
        let options = AppOptions::of(Config::default());
        fs::write(&memory.file, "width = = 3").expect("written");
        let state = opened(&memory, &options);
        let told: Vec<_> = state.notices.current().map(|notice| notice.text.clone()).collect();
        assert!(told.len() == 1 && told[0].contains("is not TOML"), "{told:?}");
        memory.keep(&state).expect("kept");
        assert!(folder.path().join("window.toml.broken").exists());
        assert_eq!(opened(&memory, &options).notices.current().count(), 0);
        // Every invalid value is ignored on its own.
        let odd = "recent = [3, \"a.glb\"]\n[window]\nwidth = 99999999\nheight = 600\n[panel]\nzoom = 900.0\ntab = 7\nwidth = 1.0\n";
        fs::write(&memory.file, odd).expect("written");
        let state = opened(&memory, &options);
        assert_eq!(
            (state.config.window.width, state.ui.zoom, state.ui.tab),
            (1600, 1.0, Tab::Crowd)
        );
        assert_eq!((state.ui.panel_width, state.files.recent.len()), (*WIDTHS.start(), 1));
    }
}
