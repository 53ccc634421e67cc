//! The settings files: complete, equal to the built-in defaults, and strict.

use std::collections::BTreeSet;

use proptest::prelude::*;
use throng::config::{Config, KEYS, with_declared_sections};

/// Dotted paths of all values; an empty table counts as one.
fn leaves(value: &toml::Value, path: &str, found: &mut BTreeSet<String>) {
    match value.as_table() {
        Some(table) if !table.is_empty() || path.is_empty() => {
            for (name, value) in table {
                let dot = if path.is_empty() { "" } else { "." };
                leaves(value, &format!("{path}{dot}{name}"), found);
            }
        }
        _ => {
            found.insert(path.to_owned());
        }
    }
}

fn leaf_set(value: &toml::Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    leaves(value, "", &mut found);
    found
}

const DEFAULT: &str = include_str!("../../config/default.toml");

fn default_value() -> toml::Value {
    toml::Value::try_from(Config::default()).expect("defaults serialise")
}

#[test]
fn the_default_file_is_the_default() {
    let config = Config::parse("default.toml", DEFAULT).expect("valid");
    assert_eq!(config, Config::default());
}

#[test]
fn the_default_file_has_the_declared_sections() {
    let made = with_declared_sections(DEFAULT);
    assert!(made == DEFAULT, "run `cargo run --example make_docs`");
    let wrong = DEFAULT.replace("clouds = 0.4", "clouds = 0.5");
    assert!(wrong != DEFAULT && with_declared_sections(&wrong) == DEFAULT);
}

#[test]
fn the_default_file_has_every_key() {
    let file: toml::Value = toml::from_str(DEFAULT).expect("valid");
    assert_eq!(leaf_set(&file), leaf_set(&default_value()));
}

#[test]
fn the_table_of_keys_is_complete() {
    let known: BTreeSet<_> = KEYS.iter().map(|key| key.path.to_owned()).collect();
    let fixed = |path: &&String| !path.contains('*');
    let maps = ["scene.clips", "scene.groups", "scene.joint_roles", "camera.views"];
    // Keys without a value unless they are set.
    let optional = ["scene.turn"];
    let expected: BTreeSet<_> = leaf_set(&default_value());
    let expected: BTreeSet<_> = expected.iter().filter(|path| !maps.contains(&path.as_str())).collect();
    let fixed = known.iter().filter(fixed);
    let stated: BTreeSet<_> = fixed.filter(|path| !optional.contains(&path.as_str())).collect();
    assert_eq!(stated, expected);
    for map in maps {
        assert!(known.iter().any(|path| path.starts_with(&format!("{map}.*"))), "{map}");
    }
}

#[test]
fn the_default_file_states_every_range() {
    for key in KEYS.iter().filter(|key| !key.path.contains('*')) {
        let (_, name) = key.path.rsplit_once('.').expect("dotted");
        let begins = [format!("{name} ="), format!("# {name} =")];
        let mut lines = DEFAULT.lines();
        let line = lines.position(|line| begins.iter().any(|begin| line.starts_with(begin)));
        let comment = DEFAULT.lines().nth(line.expect(key.path) - 1).expect("line above");
        assert!(comment.starts_with('#'), "{} has no comment", key.path);
    }
    let comments: String = DEFAULT.lines().filter(|line| line.starts_with('#')).collect();
    for key in KEYS {
        let words = key.kind.expects();
        let parts = words.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '-');
        for bound in parts.filter(|part| part.parse::<f64>().is_ok() && key.kind.is_ranged()) {
            assert!(comments.contains(bound), "{}: {bound} is not documented", key.path);
        }
    }
}

#[test]
fn every_preset_is_valid_and_holds_only_what_differs() {
    let default = default_value();
    for name in Config::preset_names() {
        let config = Config::scene(name).expect(name);
        assert_eq!(config.scene.name, name);
        assert!(config.scene.caption.len() > 20, "{name} has no caption");
        assert!(config.camera.views.len() >= 2, "{name} has too few views");
        throng::crowd::tints::Ramps::from_scene(&config.scene).expect(name);
        let path = format!("{}/config/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let file = std::fs::read_to_string(path).expect(name);
        let file: toml::Value = toml::from_str(&file).expect(name);
        for path in leaf_set(&file) {
            let of = |value: &toml::Value| path.split('.').try_fold(value.clone(), |v, key| v.get(key).cloned());
            let allowed = path == "scene.name" || path == "camera.start";
            assert!(allowed || of(&file) != of(&default), "{name}: {path} is the default");
        }
    }
}

/// Error message of a wrong file.
fn complaint(text: &str) -> String {
    Config::parse("my.toml", text).expect_err("is wrong").to_string()
}

#[test]
fn unknown_keys_name_the_line_and_the_nearest() {
    let text = complaint("[scene]\ncount = 5\nspaceing = 2.0\n");
    assert_eq!(
        text,
        "my.toml:3: unknown key `scene.spaceing`; did you mean `scene.spacing`?"
    );
    let text = complaint("count = 5\n");
    assert_eq!(text, "my.toml:1: unknown key `count`; the key is `scene.count`");
    let text = complaint("[scene.groups.hoem]\nphase = \"wave\"\n");
    assert_eq!(
        text,
        "my.toml:1: unknown key `scene.groups.hoem`; did you mean `scene.groups.home`?"
    );
    assert!(complaint("[xylophone]\n").contains("the tables are `scene`"));
    assert!(complaint("[scene.tints]\nfeathers = []\n").contains("the keys of [scene.tints] are `skin`"));
}

#[test]
fn wrong_types_name_what_was_found_and_what_belongs_there() {
    let text = complaint("\n[render]\nmsaa = \"four\"\n");
    assert_eq!(text, "my.toml:3: `render.msaa` is the string \"four\"; expected 1 or 4");
    let text = complaint("[look]\nshadows = 1\n");
    assert_eq!(
        text,
        "my.toml:2: `look.shadows` is the integer 1; expected true or false"
    );
    assert!(complaint("scene = 3\n").contains("`scene` is the integer 3; expected a table"));
    assert!(complaint("[scene]\ncount = 2.5\n").contains("an integer from 1 to 10000000"));
    assert!(complaint("[camera.views.a]\neye = [1, 2]\ntarget = [0, 0, 0]\n").contains("my.toml:2"));
}

#[test]
fn ranges_are_held() {
    let text = complaint("[scene]\ncount = 0\n");
    assert_eq!(
        text,
        "my.toml:2: `scene.count` is 0; expected an integer from 1 to 10000000"
    );
    for wrong in [
        "[scene]\nspacing = nan",
        "[scene]\nspacing = inf",
        "[scene]\nspeed = -8.5",
        "[scene]\ncount = 99999999999999999999",
        "[scene]\nseed = -1",
        "[scene.clips]\nwalk = -1",
        "[scene.clips]\nwalk = 0",
        "[scene.tints]\nhair = [\"brown\"]",
        "[scene]\nweights = [1, -1]",
        "[scene]\nweights = [1001]",
        "[scene]\ncharacters = [\"man\"]\nweights = [1, 2]",
        "[scene]\ncharacters = [\"man\"]\nweights = [0]",
        "[render]\nmsaa = 2",
        "[camera.views.a]\neye = [nan, 0, 0]\ntarget = [0, 0, 0]",
        "[camera.views.a]\neye = [1, 0, 0]\ntarget = [1, 0, 0]",
    ] {
        let text = complaint(wrong);
        assert!(
            text.contains("my.toml:") && text.contains("expected"),
            "{wrong}: {text}"
        );
    }
}

#[test]
fn unknown_values_suggest_the_nearest() {
    let text = complaint("[render]\ntechnique = \"matrx\"\n");
    assert!(
        text.ends_with("did you mean \"matrix\"?") && text.contains("my.toml:2"),
        "{text}"
    );
    let text = complaint("[camera]\nstart = \"streat\"\n");
    assert!(
        text.contains("my.toml:2") && text.ends_with("did you mean \"street\"?"),
        "{text}"
    );
}

#[test]
fn what_is_not_toml_names_the_line() {
    let text = complaint("[scene]\ncount = = 3\n");
    assert!(text.starts_with("my.toml:2: ") && !text.contains('\n'), "{text}");
    assert!(complaint("[camera.views.a]\neye = [0, 0, 0]\n").contains("target"));
    assert!(complaint("[scene]\ncount = 1\ncount = 2\n").starts_with("my.toml:3: "));
}

#[test]
fn lists_of_heroes_and_paths_are_checked_by_line() {
    let text = complaint("[scene]\ncount = 5\n[[scene.heroes]]\nlook = \"camra\"\n");
    assert!(
        text.starts_with("my.toml:4: ") && text.ends_with("did you mean \"camera\"?"),
        "{text}"
    );
    for wrong in [
        "[[scene.heroes]]\ncount = 0",
        "[[scene.heroes]]\ngroup = \"heroes\"",
        "[[scene.heroes]]\nlayers = [{ clip = \"wave\", weight = 2 }]",
        "[[scene.paths]]\npoints = [[0, 0], [1, 1]]",
        "[[scene.paths]]\npeople = 10",
        "[[scene.paths]]\npoints = [[0, 0], [0, 0], [5, 5]]",
        "[[scene.paths]]\npoints = [[0, nan], [1, 0], [5, 5]]",
    ] {
        let text = complaint(wrong);
        assert!(
            text.contains("my.toml:") && text.contains("expected"),
            "{wrong}: {text}"
        );
    }
    assert!(complaint("[[scene.heroes]]\nlok = 1").contains("did you mean `scene.heroes.0.look`"));
    let text = complaint("[[scene.heroes]]\ncount = 2\n[[scene.heroes]]\ncuont = 1\n");
    assert!(
        text.starts_with("my.toml:4: ") && text.contains("`scene.heroes.1.cuont`; did you mean `scene.heroes.1.count`"),
        "{text}"
    );
    assert!(complaint("[[scene.paths]]\npoints = [[0, 0, 0], [1, 1, 1], [2, 2, 2]]").contains("points [x, z]"));
}

#[test]
fn errors_of_an_entry_name_it_and_its_line() {
    let second = |path: &str| {
        complaint(&format!(
            "[[scene.paths]]\npoints = [[0, 0], [9, 0], [5, 5]]\n[[scene.paths]]\n{path}\n"
        ))
    };
    let text = second("people = 3\npoints = [[0, 0], [0, 0], [5, 5]]");
    assert!(text.starts_with("my.toml:5: `scene.paths.1.points` is [[0"), "{text}");
    let text = second("people = 3");
    assert!(text.starts_with("my.toml:3: `scene.paths.1.points` is []"), "{text}");
    let text = complaint(
        "[scene]\npaths = [\n{ points = [[0, 0], [9, 0], [5, 5]] },\n{ points = [[0, 0], [0, 0], [5, 5]] },\n]\n",
    );
    assert!(text.starts_with("my.toml:4: `scene.paths.1.points`"), "{text}");
}

#[test]
fn errors_of_a_behaviour_name_the_key() {
    let text = complaint(
        "[scene.groups.talkers.behaviour.states.idle]\nhome = 1\nnext = { idle = 1 }\nfades = { tlak = 0.1 }\n",
    );
    assert!(
        text.starts_with("my.toml:4: `scene.groups.talkers.behaviour.states.idle.fades` is \"tlak\""),
        "{text}"
    );
    let walkers = |phase: &str| format!("[scene.groups.walkers]\nphase = \"{phase}\"\n");
    let behaviour = "[scene.groups.walkers.behaviour.states]\nwalk = { home = 1 }\n";
    let text = complaint(&(walkers("wave") + behaviour));
    assert!(
        text.starts_with("my.toml:2: `scene.groups.walkers.phase` is \"wave\"") && text.contains("\"together\""),
        "{text}"
    );
    for fine in [walkers("together") + behaviour, walkers("wave")] {
        Config::parse("my.toml", &fine).expect("valid");
    }
}

#[test]
fn names_with_dots_are_names() {
    let config = Config::parse("my.toml", "[scene.clips]\n\"walk.001\" = 2\n").expect("valid");
    assert_eq!(config.scene.clips["walk.001"], 2.0);
}

#[test]
fn scenes_come_by_name_or_path() {
    let text = Config::scene("stadum").expect_err("typo").to_string();
    assert!(
        text.contains("did you mean \"stadium\"?") && text.contains("million"),
        "{text}"
    );
    let text = Config::scene("nowhere/my.toml").expect_err("missing").to_string();
    assert!(text.contains("nowhere/my.toml"), "{text}");
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, "[scene]\ncount = 7\n").expect("writable");
    let config = Config::scene(&path.display().to_string()).expect("valid");
    assert_eq!(config.scene.count, 7);
    assert_eq!(config.scene.spacing, Config::default().scene.spacing);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused_in_one_line(text in "[ -~\n]{0,80}") {
        if let Err(error) = Config::parse("my.toml", &text) {
            let message = error.to_string();
            prop_assert!(message.starts_with("my.toml:") && !message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn settings_survive_writing_and_reading(count in 1..=10_000_000_u32, spacing in 0.3..100.0_f32, speed in -8.0..8.0_f32) {
        let mut config = Config::scene("stadium").expect("preset");
        config.scene.count = count;
        config.scene.spacing = spacing;
        config.scene.speed = speed;
        let text = toml::to_string(&config).expect("serialises");
        prop_assert_eq!(Config::parse("again.toml", &text).expect("valid"), config);
    }
}
