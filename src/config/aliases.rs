//! Aliases: old names of settings and options. Each works for one version, with a warning that names the new one.
//!
//! [`ALIASES`] is the only table. Scene files, `--set` and the records of films and sets read settings through it, and
//! the command line its options.
//! `window.toml` has no setting that was renamed. Reports keep old names beside the new ones in `serde` attributes:
//! passes in `render/pass.rs`, fields as `alias`.
//! Files that throng writes have the new names and a `schema` number; older files have no such number.

use std::{borrow::Cow, collections::BTreeSet, sync::Mutex};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// Schema of scene files, of `window.toml`, and of the records of films and sets.
pub(crate) const SCHEMA: u32 = 1;

/// Place where a name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AliasKind {
    /// Setting, a dotted path in which `*` stands for a name that the file chooses. Both paths lead to one table.
    Setting,
    /// Long option of a command.
    Option,
    /// Value of a setting, whose dotted path is given, and of the option of the same name.
    Word(&'static str),
}

/// An old name and the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    pub kind: AliasKind,
    pub old: &'static str,
    pub new: &'static str,
}

const fn setting(old: &'static str, new: &'static str) -> Alias {
    let kind = AliasKind::Setting;
    Alias { kind, old, new }
}

const fn option(old: &'static str, new: &'static str) -> Alias {
    let kind = AliasKind::Option;
    Alias { kind, old, new }
}

const fn word(setting: &'static str, old: &'static str, new: &'static str) -> Alias {
    let kind = AliasKind::Word(setting);
    Alias { kind, old, new }
}

/// All old names that still work. To be emptied with the next version.
pub(crate) const ALIASES: [Alias; 10] = [
    setting("render.raster_rows", "render.sw_raster_max_rows"),
    setting("render.discs", "render.splats"),
    setting("scene.ground", "scene.ground_contact"),
    setting("scene.breadth_spread", "scene.width_scale_spread"),
    setting("scene.groups.*.dress", "scene.groups.*.material_variant"),
    option("--raster-rows", "--sw-raster-max-rows"),
    option("--pace", "--frame-interval"),
    option("--ranks", "--for-formations"),
    option("--no-memory", "--no-persist"),
    word("render.technique", "naive", "textbook"),
];

impl Alias {
    /// Rows of the table of one kind.
    pub(crate) fn of(kind: AliasKind) -> impl Iterator<Item = &'static Self> {
        ALIASES.iter().filter(move |alias| alias.kind == kind)
    }

    /// Words of settings, with the path of each setting.
    pub(crate) fn words() -> impl Iterator<Item = (&'static str, &'static Self)> {
        ALIASES.iter().filter_map(|alias| match alias.kind {
            AliasKind::Word(setting) => Some((setting, alias)),
            AliasKind::Setting | AliasKind::Option => None,
        })
    }

    /// Sentence about the old name.
    fn warning(&self) -> String {
        let Self { kind, old, new } = self;
        match kind {
            AliasKind::Setting | AliasKind::Option => {
                format!("`{old}` is now `{new}`; the old name works in this version")
            }
            AliasKind::Word(setting) => format!("{} `{old}` is gone; `{new}` takes its place", last(setting)),
        }
    }

    /// Warns of the old name, once for each file; an empty file stands for the command line.
    pub(crate) fn warn(&self, file: &str) {
        let mut warned = WARNED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if warned.insert((file.to_owned(), self.old)) {
            let place = if file.is_empty() {
                String::new()
            } else {
                format!("{file}: ")
            };
            tracing::warn!("{place}{}", self.warning());
        }
    }
}

/// Old names that were found, with their files.
static WARNED: Mutex<BTreeSet<(String, &str)>> = Mutex::new(BTreeSet::new());

/// Sentences about words of a file that other words replace, for the window. An empty file stands for the command line.
#[cfg(any(test, feature = "app"))]
pub(crate) fn replaced_words(file: &str) -> Vec<String> {
    let warned = WARNED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let is_of_file = |alias: &&Alias| warned.contains(&(file.to_owned(), alias.old));
    let words = Alias::words().map(|(_, alias)| alias).filter(is_of_file);
    words.map(Alias::warning).collect()
}

/// Both names of one setting in one file, as dotted paths.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{old}` and `{new}` are one setting; remove `{old}`")]
pub(crate) struct BothNames {
    pub old: String,
    pub new: String,
}

/// Replaces words that are gone in every entry called like their setting, at any depth: rows of reports have techniques.
#[cfg(any(test, feature = "bench"))]
pub(crate) fn replace_words(value: &mut serde_json::Value) {
    for (setting, alias) in Alias::words() {
        replace_word_of(value, last(setting), alias);
    }
}

#[cfg(any(test, feature = "bench"))]
fn replace_word_of(value: &mut serde_json::Value, name: &str, alias: &Alias) {
    match value {
        serde_json::Value::Array(items) => {
            items.iter_mut().for_each(|item| replace_word_of(item, name, alias));
        }
        serde_json::Value::Object(entries) => {
            for (own, entry) in entries.iter_mut() {
                if own == name {
                    entry.replace_word(alias.old, alias.new);
                }
                replace_word_of(entry, name, alias);
            }
        }
        _ => {}
    }
}

/// Renames old settings of a file; returns the aliases that were used.
///
/// # Errors
/// [`BothNames`], of which neither is renamed.
pub(crate) fn rename_settings<T: KeyedTable>(file: &mut T) -> Result<Vec<&'static Alias>, BothNames> {
    let mut needed = Vec::new();
    for alias in Alias::of(AliasKind::Setting) {
        let path: Vec<&str> = alias.old.split('.').collect();
        if rename(file, &path, last(alias.new), &mut Vec::new())? {
            needed.push(alias);
        }
    }
    for (setting, alias) in Alias::words() {
        let entry = setting.split('.').try_fold(&mut *file, |table, name| table.entry(name));
        if entry.is_some_and(|entry| entry.replace_word(alias.old, alias.new)) {
            needed.push(alias);
        }
    }
    Ok(needed)
}

/// Renames old names in a path.
pub(crate) fn rename_path(path: &mut [String]) {
    for alias in Alias::of(AliasKind::Setting) {
        let old: Vec<&str> = alias.old.split('.').collect();
        let same = |(own, old): (&String, &&str)| *old == "*" || own == old;
        if path.len() >= old.len() && path.iter().zip(&old).all(same) {
            last(alias.new).clone_into(&mut path[old.len() - 1]);
        }
    }
}

fn last(path: &'static str) -> &'static str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Renames the entries at a path below `table`, which is at `place`; true if there is one.
fn rename<T: KeyedTable>(table: &mut T, path: &[&str], new: &str, place: &mut Vec<String>) -> Result<bool, BothNames> {
    match path {
        [] => Ok(false),
        [old] if table.entry(old).is_none() => Ok(false),
        [old] if table.entry(new).is_some() => {
            let dotted = |name: &str| {
                place
                    .iter()
                    .map(String::as_str)
                    .chain([name])
                    .collect::<Vec<_>>()
                    .join(".")
            };
            let (old, new) = (dotted(old), dotted(new));
            Err(BothNames { old, new })
        }
        [old] => {
            table.rename(old, new);
            Ok(true)
        }
        [name, below @ ..] => {
            let names = if *name == "*" {
                table.names()
            } else {
                vec![(*name).to_owned()]
            };
            let mut found = false;
            for name in names {
                let Some(entry) = table.entry(&name) else { continue };
                place.push(name);
                found |= rename(entry, below, new, place)?;
                place.pop();
            }
            Ok(found)
        }
    }
}

/// A value that may be a table of entries by name.
pub(crate) trait KeyedTable {
    /// Names of the entries; none if it is no table.
    fn names(&self) -> Vec<String>;
    /// Entry by name; `None` if there is none.
    fn entry(&mut self, name: &str) -> Option<&mut Self>;
    /// Renames an entry; it keeps its place in the file.
    fn rename(&mut self, old: &str, new: &str);
    /// Replaces the value by the word `new` if it is the word `old`; true if it was.
    fn replace_word(&mut self, old: &str, new: &str) -> bool;
}

impl KeyedTable for DeValue<'_> {
    fn names(&self) -> Vec<String> {
        let table = self.as_table().into_iter().flat_map(DeTable::keys);
        table.map(|name| name.get_ref().to_string()).collect()
    }

    fn entry(&mut self, name: &str) -> Option<&mut Self> {
        match self {
            Self::Table(table) => table.get_mut(name).map(Spanned::as_mut),
            _ => None,
        }
    }

    fn rename(&mut self, old: &str, new: &str) {
        let Self::Table(table) = self else { return };
        if let Some((name, value)) = table.remove_entry(old) {
            table.insert(Spanned::new(name.span(), Cow::Owned(new.to_owned())), value);
        }
    }

    fn replace_word(&mut self, old: &str, new: &str) -> bool {
        let is_old = self.as_str() == Some(old);
        if is_old {
            *self = Self::String(Cow::Owned(new.to_owned()));
        }
        is_old
    }
}

impl KeyedTable for serde_json::Value {
    fn names(&self) -> Vec<String> {
        self.as_object()
            .into_iter()
            .flat_map(|table| table.keys().cloned())
            .collect()
    }

    fn entry(&mut self, name: &str) -> Option<&mut Self> {
        self.get_mut(name)
    }

    fn rename(&mut self, old: &str, new: &str) {
        if let Some(value) = self.as_object_mut().and_then(|table| table.shift_remove(old)) {
            self[new] = value;
        }
    }

    fn replace_word(&mut self, old: &str, new: &str) -> bool {
        let is_old = self.as_str() == Some(old);
        if is_old {
            *self = new.into();
        }
        is_old
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, key};

    /// A scene with every setting that was renamed, under its old or its new names.
    fn scene(old: bool) -> String {
        let name = |alias: &Alias| if old { alias.old } else { alias.new };
        let lines = Alias::of(AliasKind::Setting).map(|alias| {
            let value = match alias.new {
                "render.sw_raster_max_rows" => "77",
                "render.splats" => "false",
                "scene.ground_contact" => "\"origin\"",
                "scene.width_scale_spread" => "0.19",
                "scene.groups.*.material_variant" => "5",
                other => panic!("{other} has no value here"),
            };
            format!("{} = {value}\n", name(alias).replace('*', "walkers"))
        });
        lines.collect()
    }

    #[test]
    fn technique_that_is_gone_becomes_the_one_in_its_place() {
        let scene = |technique: &str| format!("[render]\ntechnique = \"{technique}\"\n");
        let [old, new] = ["naive", "textbook"].map(|word| Config::parse("gone.toml", &scene(word)).expect("valid"));
        assert_eq!(old, new);
        let sentence = "technique `naive` is gone; `textbook` takes its place";
        assert_eq!(replaced_words("gone.toml"), [sentence]);
        assert!(replaced_words("another.toml").is_empty());
        let mut config = Config::default();
        config.set("gone", "render.technique=naive").expect("valid");
        assert_eq!(config.render.technique, new.render.technique);
        let rows = r#"{"rows": [{"technique": "naive", "name": "naive"}]}"#;
        let mut rows: serde_json::Value = serde_json::from_str(rows).expect("JSON");
        replace_words(&mut rows);
        assert_eq!(
            rows["rows"][0],
            serde_json::json!({"technique": "textbook", "name": "naive"})
        );
        let unknown = Config::parse("wrong.toml", &scene("naiv")).expect_err("unknown");
        assert!(!unknown.to_string().contains("naive"), "{unknown}");
    }

    fn told(error: crate::config::ConfigError) -> String {
        error.to_string()
    }

    #[test]
    fn scene_file_with_every_old_key_equals_the_one_with_new_keys() {
        let old = Config::parse("old.toml", &scene(true)).expect("old names");
        let new = Config::parse("new.toml", &scene(false)).expect("new names");
        assert_eq!(old, new);
        assert_eq!((new.render.sw_raster_max_rows, new.render.splats), (77, false));
        assert_eq!(new.scene.groups["walkers"].material_variant, Some(5));
        let again = new.scene_file().expect("fits");
        assert!(again.starts_with("schema = 1\n"), "{again}");
        for alias in Alias::of(AliasKind::Setting) {
            let line = |path| format!("\n{} = ", last(path));
            assert!(
                again.contains(&line(alias.new)) && !again.contains(&line(alias.old)),
                "{again}"
            );
        }
    }

    #[test]
    fn settings_with_old_keys_equal_those_with_new_keys() {
        let mut both = [Config::default(), Config::default()];
        for (config, old) in both.iter_mut().zip([true, false]) {
            for line in scene(old).lines() {
                config.set("--set", line).unwrap_or_else(|e| panic!("{line}: {e}"));
            }
            let table = [
                "scene.groups.talkers={dress=3}",
                "scene.groups.talkers={material_variant=3}",
            ];
            config.set("--set", table[usize::from(!old)]).expect("a table");
        }
        assert_eq!(both[0], both[1]);
        assert_eq!(both[0].scene.groups["talkers"].material_variant, Some(3));
    }

    #[test]
    fn both_names_of_a_setting_are_an_error_that_names_both() {
        for alias in Alias::of(AliasKind::Setting) {
            let [old, new] = [alias.old, alias.new].map(|path| path.replace('*', "walkers"));
            let line = |text: &str, path: &str| {
                let found = text.lines().find(|line| line.starts_with(path));
                found.expect("a line").to_owned() + "\n"
            };
            let text = format!("\n{}{}", line(&scene(false), &new), line(&scene(true), &old));
            let error = told(Config::parse("a.toml", &text).expect_err(alias.old));
            assert_eq!(
                error,
                format!("a.toml:3: `{old}` and `{new}` are one setting; remove `{old}`")
            );
        }
        let both = "scene.groups.walkers={dress=1, material_variant=2}";
        let error = told(Config::default().set("--set", both).expect_err("both"));
        assert!(error.starts_with("--set: `scene.groups.walkers.dress` and"), "{error}");
    }

    #[test]
    fn errors_of_old_keys_name_the_line_and_the_new_key() {
        let error = |text| told(Config::parse("a.toml", text).expect_err(text));
        assert_eq!(
            error("[render]\nmsaa = 1\nraster_rows = 0\n"),
            "a.toml:3: `render.sw_raster_max_rows` is 0; expected an integer from 1 to 4096"
        );
        assert_eq!(
            error("[render]\nsplat = true\n"),
            "a.toml:2: unknown key `render.splat`; did you mean `render.splats`?"
        );
        // An alias holds in its own table only.
        assert!(error("[scene]\ndiscs = true\n").contains("unknown key `scene.discs`"));
        Config::parse("a.toml", "[look]\nground = \"grid\"\n").expect("look.ground stays");
    }

    #[test]
    fn scenes_of_this_schema_load_and_those_of_another_do_not() {
        assert_eq!(
            Config::parse("a.toml", "schema = 1\n").expect("this one"),
            Config::default()
        );
        let error = told(Config::parse("a.toml", "\nschema = 2\n").expect_err("another"));
        assert_eq!(error, "a.toml:2: `schema` is 2; expected 1");
    }

    #[test]
    fn every_alias_leads_to_a_name_of_today_in_the_same_table() {
        for alias in Alias::of(AliasKind::Setting) {
            let table = |path: &'static str| path.strip_suffix(last(path));
            assert!(key(alias.new).is_some() && key(alias.old).is_none(), "{alias:?}");
            assert_eq!(table(alias.old), table(alias.new));
        }
    }

    #[test]
    fn paths_get_their_names_of_today() {
        let renamed = |path: &str| {
            let mut path: Vec<String> = path.split('.').map(str::to_owned).collect();
            rename_path(&mut path);
            path.join(".")
        };
        assert_eq!(renamed("scene.groups.home.dress"), "scene.groups.home.material_variant");
        assert_eq!(renamed("render.discs"), "render.splats");
        for same in ["look.ground", "render", "scene.groups", "render.raster"] {
            assert_eq!(renamed(same), same);
        }
    }
}
