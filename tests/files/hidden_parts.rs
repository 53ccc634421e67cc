//! Parts of a character that are left out when it is opened.

use serde_json::{Value, json};
use throng::file::{self, Animations, ModelError, OpenedFile};

use crate::common::builder::{Builder, SQUARE};

/// A body, and a hand that holds a sword with a jewel; the sword's mesh has another name than its node.
fn armed() -> String {
    let mut b = Builder::default();
    let square = b.floats(&SQUARE, "VEC3", 3);
    let mesh = |name: &str| json!({"name": name, "primitives": [{"attributes": {"POSITION": square}, "mode": 5}]});
    b.text(json!({
        "scene": 0, "scenes": [{"nodes": [0, 1]}],
        "nodes": [
            {"name": "body", "mesh": 0},
            {"name": "hand", "children": [2]},
            {"name": "Sword", "mesh": 1, "children": [3]},
            {"name": "jewel", "mesh": 2}],
        "meshes": [mesh("body"), mesh("blade"), mesh("jewel")]
    }))
}

fn open(text: &str, hide: &[&str]) -> Result<(OpenedFile, Animations), ModelError> {
    let animations = Animations {
        hide: hide.iter().map(|name| (*name).to_owned()).collect(),
        ..Animations::default()
    };
    let opened = file::open_bytes_to_animate("armed.gltf", text.as_bytes(), None, &animations)?;
    Ok((opened, animations))
}

#[test]
fn hidden_nodes_and_meshes_are_left_out_with_all_below() {
    let text = armed();
    for (hide, triangles) in [
        (&[][..], 6),
        (&["sword"], 2),
        (&["BLADE"], 4),
        (&["jewel"], 4),
        (&["hand"], 2),
        (&["body", "jewel"], 2),
    ] {
        let (opened, animations) = open(&text, hide).expect("opens");
        assert_eq!(opened.model.mesh.triangle_count(), triangles, "{hide:?}");
        animations.check_hidden(&opened.model).expect("known");
        let hidden = opened.model.parts.iter().filter(|part| part.hidden).count();
        assert_eq!(hidden > 0, !hide.is_empty(), "{:?}", opened.model.parts);
    }
    let (opened, _) = open(&text, &[]).expect("opens");
    let names: Vec<&str> = opened.model.parts.iter().map(|part| &part.name[..]).collect();
    assert_eq!(names, ["body", "Sword", "blade", "jewel"]);
}

#[test]
fn an_unknown_part_gets_the_names_there_are() {
    let (opened, animations) = open(&armed(), &["shield"]).expect("opens");
    let error = animations.check_hidden(&opened.model).expect_err("unknown").to_string();
    assert!(
        error.contains("shield") && error.contains("body, Sword, blade, jewel"),
        "{error}"
    );
    let error = open(&armed(), &["body", "hand"])
        .expect_err("nothing is left")
        .to_string();
    assert!(error.contains("hide fewer"), "{error}");
}

#[test]
fn a_character_without_names_lists_its_nodes_by_number() {
    let mut json: Value = serde_json::from_str(&armed()).expect("JSON");
    for list in ["nodes", "meshes"] {
        for entry in json[list].as_array_mut().expect("a list") {
            entry.as_object_mut().expect("an object").remove("name");
        }
    }
    let (opened, _) = open(&json.to_string(), &["node 2"]).expect("opens");
    assert_eq!(opened.model.mesh.triangle_count(), 2);
    let (opened, _) = open(&json.to_string(), &[]).expect("opens");
    let names: Vec<&str> = opened.model.parts.iter().map(|part| &part.name[..]).collect();
    assert_eq!(names, ["node 0", "node 2", "node 3"]);
}
