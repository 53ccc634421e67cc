//! Old names of options and settings work, and a warning names the new one.

use std::path::Path;

use serde_json::Value;

use super::{json, pictures::folder_to_draw_in, small_scene, succeed, temporary, text, throng};
use crate::common::gpu::adapter;

/// Settings of the scenes below, new name first.
const RENAMED: [(&str, &str, &str); 5] = [
    ("/render", "sw_raster_max_rows", "raster_rows"),
    ("/render", "splats", "discs"),
    ("/scene", "ground_contact", "ground"),
    ("/scene", "width_scale_spread", "breadth_spread"),
    ("/scene/groups/talkers", "material_variant", "dress"),
];

const VARIANT: [&str; 2] = ["--set", "scene.groups.talkers.material_variant=3"];

/// Rewrites a record as throng 0.1 wrote it: old names of settings, no schema.
fn make_old(record: &Path) {
    let written = std::fs::read_to_string(record).expect("a record");
    let mut record_json: Value = serde_json::from_str(&written).expect("JSON");
    let facts = record_json.as_object_mut().expect("an object");
    assert_eq!(facts.remove("schema"), Some(1.into()));
    let config = facts.get_mut("config").expect("settings");
    for (table, new, old) in RENAMED {
        let table = config
            .pointer_mut(table)
            .and_then(Value::as_object_mut)
            .expect("a table");
        let value = table.remove(new).expect(new);
        table.insert(old.to_owned(), value);
    }
    std::fs::write(record, record_json.to_string()).expect("written");
}

/// Runs the program, which must succeed; returns the lines of standard error, and its JSON.
fn warned(folder: &Path, arguments: &[&str]) -> (Vec<String>, Value) {
    let output = throng(folder, arguments);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
    let stats = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: standard output is not JSON"));
    (said.lines().map(str::to_owned).collect(), stats)
}

#[test]
fn old_option_works_and_warns_once_with_the_new_name() {
    let Some(folder) = folder_to_draw_in() else { return };
    let shot = [
        &["shot"],
        &small_scene()[..],
        &["--json", "--raster", "compute", "-o", "a.png"],
    ]
    .concat();
    let (said, stats) = warned(folder.path(), &[&shot[..], &["--raster-rows", "5"]].concat());
    let told = "`--raster-rows` is now `--sw-raster-max-rows`; the old name works in this version";
    assert!(said.len() == 1 && said[0].ends_with(told), "{said:?}");
    assert_eq!(stats["schema"], 1);
    if stats["raster"] == "compute" {
        assert_eq!(stats["sw_raster_max_rows"], 5);
    }
    json(folder.path(), &[&shot[..], &["--sw-raster-max-rows", "5"]].concat());
    let (said, _) = warned(
        folder.path(),
        &[&shot[..], &["--pace=0", "--set", "render.discs=false"]].concat(),
    );
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said.iter()
            .any(|line| line.contains("--set: `render.discs` is now `render.splats`")),
        "{said:?}"
    );
}

#[test]
fn technique_that_is_gone_draws_textbook_and_says_so_in_one_line() {
    let Some(folder) = folder_to_draw_in() else { return };
    let scene = folder.path().join("gone.toml");
    let text = "[scene]\ncount = 12\n[render]\ntechnique = \"naive\"\n";
    std::fs::write(&scene, text).expect("written");
    let shot = [&["shot"], &small_scene()[..], &["--json", "-o", "a.png"]].concat();
    let by_scene = [
        "shot",
        "--scene",
        "gone.toml",
        "--size",
        "64x36",
        "--adapter",
        adapter(),
        "--json",
        "-o",
        "a.png",
    ];
    let given: [Vec<&str>; 3] = [
        [&shot[..], &["--technique", "naive"]].concat(),
        [&shot[..], &["--set", "render.technique=naive"]].concat(),
        by_scene.to_vec(),
    ];
    for arguments in given {
        let (said, stats) = warned(folder.path(), &arguments);
        let told = "technique `naive` is gone; `textbook` takes its place";
        assert!(said.len() == 1 && said[0].ends_with(told), "{said:?}");
        assert_eq!(stats["technique"], "textbook");
    }
    let help = succeed(folder.path(), &["shot", "--help"]);
    assert!(!help.contains("naive"), "{help}");
}

#[test]
fn help_shows_new_options_only() {
    let folder = temporary();
    for (command, new, old) in [
        ("view", "--no-persist", "--no-memory"),
        ("view", "--sw-raster-max-rows", "--raster-rows"),
        ("shot", "--frame-interval", "--pace"),
        ("film", "--sw-raster-max-rows", "--raster-rows"),
        ("dataset", "--sw-raster-max-rows", "--raster-rows"),
        ("bake", "--for-formations", "--ranks"),
    ] {
        let help = succeed(folder.path(), &[command, "--help"]);
        assert!(help.contains(new) && !help.contains(old), "{command}: {help}");
    }
}

#[test]
fn scene_with_old_names_draws_the_same_picture_and_warns_once_for_each() {
    let Some(folder) = folder_to_draw_in() else { return };
    let scene = |name: fn(&'static str, &'static str) -> &'static str| {
        format!(
            "[scene]\ncount = 12\n{} = \"origin\"\n{} = 0.2\n[scene.groups.talkers]\n{} = 3\n\
             [scene.groups.walkers]\n{} = 4\n[render]\n{} = 50\n{} = false\n",
            name("ground_contact", "ground"),
            name("width_scale_spread", "breadth_spread"),
            name("material_variant", "dress"),
            name("material_variant", "dress"),
            name("sw_raster_max_rows", "raster_rows"),
            name("splats", "discs"),
        )
    };
    std::fs::write(folder.path().join("new.toml"), scene(|new, _| new)).expect("written");
    std::fs::write(folder.path().join("old.toml"), scene(|_, old| old)).expect("written");
    let shot = |scene: &'static str, picture: &'static str| {
        let size = ["--size", "64x36", "--adapter", adapter()];
        [&["shot", "--json", "--scene", scene, "-o", picture], &size[..]].concat()
    };
    json(folder.path(), &shot("new.toml", "new.png"));
    let (said, _) = warned(folder.path(), &shot("old.toml", "old.png"));
    assert_eq!(said.len(), RENAMED.len(), "{said:?}");
    for (_, new, old) in RENAMED {
        let names = |line: &&String| line.contains(&format!(".{old}` is now `")) && line.contains(&format!(".{new}`;"));
        assert_eq!(said.iter().filter(names).count(), 1, "{old}: {said:?}");
        assert!(said.iter().all(|line| line.contains("old.toml: ")));
    }
    let picture = |name: &str| std::fs::read(folder.path().join(name)).expect("a picture");
    assert!(picture("old.png") == picture("new.png"), "pictures differ");
}

#[test]
fn half_done_film_with_old_names_in_its_record_goes_on() {
    let Some(folder) = folder_to_draw_in() else { return };
    let film = [
        &["film"],
        &small_scene()[..],
        &VARIANT,
        &["--json", "--frames", "0..3", "-o", "f/%d.png"],
    ]
    .concat();
    assert_eq!(json(folder.path(), &film)["drawn"], 3);
    std::fs::remove_file(folder.path().join("f/1.png")).expect("there");
    make_old(&folder.path().join("f/film.throng.json"));
    let (said, done) = warned(folder.path(), &film);
    assert_eq!((&done["drawn"], &done["kept"]), (&1.into(), &2.into()));
    assert_eq!(said.len(), RENAMED.len(), "{said:?}");
    let other = throng(folder.path(), &[&film[..], &["--set", "render.splats=false"]].concat());
    let said = text(&other.stderr);
    assert!(
        other.status.code() == Some(2) && said.contains("config.render.splats differs"),
        "{said}"
    );
}

#[test]
fn half_done_set_with_old_names_in_its_record_goes_on() {
    let Some(folder) = folder_to_draw_in() else { return };
    let vary = [
        "--pictures",
        "3",
        "--seed",
        "7",
        "--vary",
        "camera,time",
        "--count",
        "6",
    ];
    let out = ["--json", "--size", "64x36", "--adapter", adapter(), "-o", "set"];
    let set = [&["dataset"], &vary[..], &VARIANT, &out].concat();
    assert_eq!(json(folder.path(), &set)["drawn"], 3);
    std::fs::remove_file(folder.path().join("set/pictures/000001.json")).expect("there");
    make_old(&folder.path().join("set/dataset.throng.json"));
    let (_, done) = warned(folder.path(), &set);
    assert_eq!((&done["drawn"], &done["kept"]), (&1.into(), &2.into()));
}
