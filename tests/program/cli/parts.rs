//! Options that change what is read of a character: parts that are left out, folders that may be read.

use serde_json::json;

use super::{json as json_of, succeed, temporary, text, throng, triangle_gltf};

/// Two triangles on nodes of their own, `vane` and `flag`.
fn flagged() -> serde_json::Value {
    let mut file = triangle_gltf();
    let nodes = file["nodes"].as_array_mut().expect("nodes");
    nodes.push(json!({"name": "flag", "mesh": 0, "translation": [2.0, 0.0, 0.0]}));
    file["scenes"][0]["nodes"] = json!([0, 1]);
    file
}

#[test]
fn parts_are_left_out_of_pictures_and_baked_files() {
    let folder = temporary();
    let folder = folder.path();
    std::fs::write(folder.join("a.gltf"), flagged().to_string()).expect("written");
    let info = json_of(folder, &["info", "a.gltf", "--json=1"]);
    assert_eq!(
        (&info["triangles"], &info["parts"]),
        (&json!(2), &json!(["vane", "flag"]))
    );
    let info = json_of(folder, &["info", "a.gltf", "--hide", "FLAG", "--json=1"]);
    assert_eq!((&info["triangles"], &info["hidden"]), (&json!(1), &json!(["flag"])));
    let baked = throng(folder, &["bake", "a.gltf", "--hide", "flag", "-o", "b.glb"]);
    assert_eq!(baked.status.code(), Some(0), "{}", text(&baked.stderr));
    assert_eq!(json_of(folder, &["info", "b.glb", "--json=1"])["triangles"], json!(1));
    for (file, parts) in [("a.gltf", "vane, flag"), ("b.glb", "baked")] {
        let output = throng(folder, &["info", file, "--hide", "sword"]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("--hide sword") && told.contains(parts), "{told}");
    }
    assert!(succeed(folder, &["info", "a.gltf"]).contains("part       flag"));
}

/// [`flagged`] with two material variants.
fn colourful() -> serde_json::Value {
    let mut file = flagged();
    let color = |rgb: [f32; 3]| json!({"pbrMetallicRoughness": {"baseColorFactor": [rgb[0], rgb[1], rgb[2], 1.0]}});
    file["materials"] = json!([color([0.5; 3]), color([1.0, 0.0, 0.0]), color([0.0, 0.0, 1.0])]);
    file["extensionsUsed"] = json!(["KHR_materials_variants"]);
    file["extensions"] = json!({"KHR_materials_variants": {"variants": [{"name": "red"}, {"name": "blue"}]}});
    let primitive = &mut file["meshes"][0]["primitives"][0];
    primitive["material"] = json!(0);
    primitive["extensions"] = json!({"KHR_materials_variants": {"mappings": [
        {"material": 1, "variants": [0]}, {"material": 2, "variants": [1]}]}});
    file
}

#[test]
fn material_variants_are_characters_of_their_own() {
    let folder = temporary();
    let folder = folder.path();
    std::fs::write(folder.join("a.gltf"), colourful().to_string()).expect("written");
    assert!(succeed(folder, &["info", "a.gltf"]).contains("variant    red"));
    let baked = throng(folder, &["bake", "a.gltf", "--variants", "all", "-o", "baked/"]);
    assert_eq!(baked.status.code(), Some(0), "{}", text(&baked.stderr));
    for name in ["a-red.glb", "a-blue.glb"] {
        assert!(folder.join("baked").join(name).is_file(), "{name}");
    }
    let over = throng(folder, &["bake", "a.gltf#red", "-o", "a.gltf"]);
    assert_ne!(over.status.code(), Some(0), "the input would be overwritten");
    let drawn = |variants: &str| {
        let shot = [
            "shot",
            "a.gltf",
            "--count",
            "40",
            "--size",
            "96x54",
            "--variants",
            variants,
        ];
        succeed(folder, &[&shot[..], &["-o", "a.png", "--stats", "a.json"]].concat());
        let stats = std::fs::read_to_string(folder.join("a.json")).expect("statistics");
        let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
        (
            stats["characters"].clone(),
            std::fs::read(folder.join("a.png")).expect("a picture"),
        )
    };
    let (red, blue, all) = (drawn("red"), drawn("blue"), drawn("all"));
    assert_eq!((&red.0, &blue.0), (&json!(["a-red"]), &json!(["a-blue"])));
    assert_eq!(all.0, json!(["a-red", "a-blue"]));
    assert!(red.1 != blue.1 && all.1 != red.1 && all.1 != blue.1, "one colour");
    let unknown = throng(folder, &["shot", "a.gltf", "--variants", "green", "-o", "x.png"]);
    let told = text(&unknown.stderr);
    assert_eq!(unknown.status.code(), Some(2), "{told}");
    assert!(told.contains("green") && told.contains("red, blue"), "{told}");
}

#[test]
fn a_folder_outside_the_models_is_read_when_allowed() {
    let folder = temporary();
    let folder = folder.path();
    std::fs::create_dir(folder.join("models")).expect("created");
    let mut file = triangle_gltf();
    let uri = file["buffers"][0]["uri"].as_str().expect("a data URI").to_owned();
    let (_, body) = uri.split_once(',').expect("data");
    let data = {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.decode(body).expect("base64")
    };
    std::fs::write(folder.join("shared.bin"), data).expect("written");
    file["buffers"][0]["uri"] = "../shared.bin".into();
    std::fs::write(folder.join("models/a.gltf"), file.to_string()).expect("written");
    let refused = throng(folder, &["info", "models/a.gltf"]);
    let told = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2));
    assert!(told.contains("--files-below"), "{told}");
    assert!(succeed(folder, &["info", "models/a.gltf", "--files-below", "."]).contains(", 1 triangles"));
    let missing = throng(folder, &["info", "models/a.gltf", "--files-below", "nowhere"]);
    assert_eq!(missing.status.code(), Some(2));
}
