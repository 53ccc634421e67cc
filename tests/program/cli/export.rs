//! `throng export`.

use serde_json::Value;

use super::{json, names, succeed, temporary, text, throng, triangle_gltf, write_json};

#[test]
fn export_writes_three_files() {
    let folder = temporary();
    let folder = folder.path();
    succeed(folder, &["export", "knight", "-o", "out", "--format", "f32"]);
    assert_eq!(names(&folder.join("out")), ["knight.glb", "knight.json", "knight.ktx2"]);
    let text = std::fs::read_to_string(folder.join("out/knight.json")).expect("read");
    let described: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(described["atlas"]["format"], "f32");
    assert!(
        json(folder, &["info", "out/knight.glb", "--json=1"])["clips"]
            .as_array()
            .is_some_and(Vec::is_empty)
    );
}

#[test]
fn export_takes_several_files_and_says_what_it_leaves_out() {
    let folder = temporary();
    let folder = folder.path();
    for name in ["a.gltf", "b.gltf"] {
        write_json(folder, name, &triangle_gltf());
    }
    let told = succeed(folder, &["export", "a.gltf", "b.gltf", "-o", "out"]);
    for name in ["a", "b"] {
        for ending in ["ktx2", "json", "glb"] {
            assert!(folder.join(format!("out/{name}.{ending}")).exists(), "{name}.{ending}");
        }
        assert!(
            told.contains(&format!("left out: keys of 1 clip in {name}.glb")),
            "{told}"
        );
    }
    let partly = throng(folder, &["export", "missing.gltf", "a.gltf", "-o", "more"]);
    assert_eq!(partly.status.code(), Some(2));
    assert!(folder.join("more/a.glb").exists());
    let same = throng(folder, &["export", "a.gltf", "a.gltf", "-o", "same"]);
    assert!(
        text(&same.stderr).contains("two characters would be written"),
        "{}",
        text(&same.stderr)
    );
}
