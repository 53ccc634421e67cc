//! Material variants of a file (`KHR_materials_variants`).

use std::path::Path;

use serde_json::{Value, json};
use throng::file::{self, with_variant, with_variants};

use crate::common::builder::{Builder, SQUARE, one_mesh};

/// A shoe of two primitives in two colourways, and laces that are the same in both.
fn shoe() -> (String, Vec<u8>) {
    let mut b = Builder::default();
    let square = b.floats(&SQUARE, "VEC3", 3);
    let primitive = |material: usize, mappings: Value| {
        json!({
            "attributes": {"POSITION": square}, "mode": 5, "material": material,
            "extensions": {"KHR_materials_variants": {"mappings": mappings}}
        })
    };
    let root = json!({
        "extensionsUsed": ["KHR_materials_variants"],
        "extensions": {"KHR_materials_variants": {"variants": [{"name": "Beach"}, {"name": "Street"}, {}]}},
        "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "materials": [{"name": "grey"}, {"name": "yellow"}, {"name": "black"}, {"name": "laces"}],
        "meshes": [{"primitives": [
            primitive(0, json!([{"material": 1, "variants": [0]}, {"material": 2, "variants": [1, 2]}])),
            primitive(0, json!([{"material": 1, "variants": [0, 2]}])),
            {"attributes": {"POSITION": square}, "mode": 5, "material": 3}]}]
    });
    let data = b.data.clone();
    let text = b.text(root);
    let glb = binary(&text, &data);
    (text, glb)
}

/// The same file as GLB, with its buffer in the binary chunk.
fn binary(text: &str, data: &[u8]) -> Vec<u8> {
    let mut root: Value = serde_json::from_str(text).expect("JSON");
    root["buffers"][0].as_object_mut().expect("a buffer").remove("uri");
    let mut json = root.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let size = |bytes: usize| (bytes as u32).to_le_bytes();
    let total = size(28 + json.len() + data.len());
    let words = [b"glTF", &size(2), &total, &size(json.len()), b"JSON"].map(|word| *word);
    [&words.concat()[..], &json, &size(data.len()), b"BIN\0", data].concat()
}

/// Names of the materials of the primitives' triangles.
fn materials(path: &Path) -> Vec<String> {
    let model = file::open(path).unwrap_or_else(|e| panic!("{e}")).model;
    let of = |corner: &u32| model.mesh.vertices[*corner as usize].material;
    let mut names: Vec<String> = { model.mesh.indices.iter().step_by(3).map(of) }
        .map(|material| model.materials[usize::from(material)].name.clone())
        .collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn each_variant_has_the_materials_that_it_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let (text, glb) = shoe();
    let files = [("shoe.gltf", text.into_bytes()), ("shoe.glb", glb)];
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        assert_eq!(file::variants_of(&path), ["Beach", "Street", "variant 2"]);
        assert_eq!(materials(&path), ["grey", "laces"], "{name}");
        assert_eq!(materials(&with_variant(&path, "beach")), ["laces", "yellow"], "{name}");
        assert_eq!(materials(&with_variant(&path, "Street")), ["black", "grey", "laces"]);
        assert_eq!(
            materials(&with_variant(&path, "variant 2")),
            ["black", "laces", "yellow"]
        );
        let opened = file::open(&with_variant(&path, "Street")).expect("opens").model;
        assert_eq!((&opened.name[..], opened.variants.len()), ("shoe-Street", 3));
        assert!(
            !opened.dropped.iter().any(|part| part.contains("variants")),
            "{:?}",
            opened.dropped
        );
        let plain = file::open(&path).expect("opens").model;
        assert!(
            plain
                .dropped
                .iter()
                .any(|part| part.contains("KHR_materials_variants of 2 primitives"))
        );
    }
}

#[test]
fn a_file_with_a_mark_in_its_own_name_is_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("odd.glb#beach");
    std::fs::write(&path, shoe().1).expect("written");
    assert_eq!(materials(&path), ["grey", "laces"]);
}

#[test]
fn unknown_variants_get_the_names_there_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("shoe.glb");
    std::fs::write(&path, shoe().1).expect("written");
    let error = file::open(&with_variant(&path, "snow"))
        .expect_err("unknown")
        .to_string();
    assert!(error.contains("snow") && error.contains("Beach, Street"), "{error}");
    let paths = [path.clone()];
    let error = with_variants(&paths, "snow").expect_err("unknown").to_string();
    assert!(error.contains("snow") && error.contains("Beach, Street"), "{error}");
    let all = ["Beach", "Street", "variant 2"].map(|name| with_variant(&path, name));
    assert_eq!(with_variants(&paths, "all").expect("all"), all);
    assert_eq!(with_variants(&paths, "street").expect("one"), [all[1].clone()]);
    let plain = folder.path().join("plain.glb");
    let mut b = Builder::default();
    let square = b.floats(&SQUARE, "VEC3", 3);
    let root = one_mesh(json!({"attributes": {"POSITION": square}, "mode": 5}));
    std::fs::write(&plain, b.text(root)).expect("written");
    let error = with_variants(std::slice::from_ref(&plain), "all")
        .expect_err("none")
        .to_string();
    assert!(error.contains("no material variants"), "{error}");
    let both = with_variants(&[plain.clone(), path.clone()], "beach").expect("one of them");
    assert_eq!(both, [plain, all[0].clone()]);
}

/// Numbers that no list has, mappings of the wrong type: the default materials, or an error, never a panic.
#[test]
fn damaged_lists_leave_the_default_materials() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("shoe.gltf");
    let root: Value = serde_json::from_str(&shoe().0).expect("JSON");
    for mappings in [
        json!(7),
        json!([7]),
        json!([{"material": 1}]),
        json!([{"variants": [0]}]),
        json!([{"material": 1, "variants": "0"}]),
        json!([{"material": 1, "variants": [9]}]),
    ] {
        let mut damaged = root.clone();
        let primitives = damaged["meshes"][0]["primitives"].as_array_mut().expect("primitives");
        for primitive in &mut primitives[..2] {
            primitive["extensions"]["KHR_materials_variants"]["mappings"] = mappings.clone();
        }
        std::fs::write(&path, damaged.to_string()).expect("written");
        assert_eq!(
            materials(&with_variant(&path, "Beach")),
            ["grey", "laces"],
            "{mappings}"
        );
    }
    let mut damaged = root;
    damaged["meshes"][0]["primitives"][0]["extensions"]["KHR_materials_variants"]["mappings"] =
        json!([{"material": 99, "variants": [0]}]);
    std::fs::write(&path, damaged.to_string()).expect("written");
    let error = file::open(&with_variant(&path, "Beach"))
        .expect_err("no material 99")
        .to_string();
    assert!(error.contains("material 99"), "{error}");
}
