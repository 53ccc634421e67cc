//! Names of characters, files outside the model's folder, and colours of transparent texels.

use std::path::Path;

use serde_json::json;
use throng::{
    file::{self, allow_files_below},
    model::AlphaMode,
    scene::{Scene, StartupTimes},
};

use crate::common::builder::{Builder, SQUARE, one_mesh};

fn square(asset: serde_json::Value) -> String {
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let text = b.text(one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 5})));
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    json["asset"] = asset;
    json.to_string()
}

fn name_of(path: &Path) -> String {
    file::open(path).expect("opens").model.name
}

#[test]
fn generic_file_names_take_the_title_or_the_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, asset: serde_json::Value| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        std::fs::write(&path, square(asset)).expect("written");
        path
    };
    let plain = json!({"version": "2.0"});
    let titled = json!({"version": "2.0", "extras": {"title": "Knight", "author": "somebody"}});
    assert_eq!(name_of(&write("one/scene.gltf", titled.clone())), "Knight");
    assert_eq!(name_of(&write("two/Scene.gltf", plain.clone())), "two");
    assert_eq!(name_of(&write("three/orc.gltf", titled)), "orc");
    // Characters of one name are told apart by their folders.
    let paths = [write("red/hero.gltf", plain.clone()), write("blue/hero.gltf", plain)];
    let mut config = throng::config::Config::default();
    (config.scene.characters, config.scene.count) = (paths.to_vec(), 2);
    let scene = Scene::load(&config, &mut StartupTimes::default()).expect("a scene");
    let names: Vec<&str> = scene.characters.iter().map(|c| &c.model.name[..]).collect();
    assert_eq!(names, ["red/hero", "blue/hero"]);
}

#[test]
fn files_of_a_parent_folder_are_read_once_they_are_allowed() {
    let folder = tempfile::tempdir().expect("a folder");
    let models = folder.path().join("models");
    std::fs::create_dir_all(&models).expect("created");
    let mut json: serde_json::Value = serde_json::from_str(&square(json!({"version": "2.0"}))).expect("JSON");
    let uri = json["buffers"][0]["uri"].as_str().expect("a data URI").to_owned();
    let data = {
        use base64::Engine;
        let (_, body) = uri.split_once(',').expect("data");
        base64::engine::general_purpose::STANDARD.decode(body).expect("base64")
    };
    std::fs::write(folder.path().join("shared.bin"), data).expect("written");
    json["buffers"][0]["uri"] = "../shared.bin".into();
    let path = models.join("hero.gltf");
    std::fs::write(&path, json.to_string()).expect("written");
    let error = file::open(&path).expect_err("refused").to_string();
    assert!(
        error.contains("outside the model's folder") && error.contains("--files-below"),
        "{error}"
    );
    allow_files_below(folder.path()).expect("a folder");
    assert_eq!(name_of(&path), "hero");
    // An absolute path elsewhere stays refused, as does a folder above the allowed one.
    for uri in [
        folder.path().join("shared.bin").display().to_string(),
        "../../x.bin".into(),
    ] {
        json["buffers"][0]["uri"] = uri.into();
        std::fs::write(&path, json.to_string()).expect("written");
        assert!(file::open(&path).is_err());
    }
}

/// A disc of one colour on transparent black, drawn with or without transparency.
fn disc(alpha_mode: &str) -> (AlphaMode, Vec<u8>) {
    let mut encoded = Vec::new();
    let pixels: Vec<u8> = (0..64_i32)
        .flat_map(|i| {
            if (i % 8 - 4).pow(2) + (i / 8 - 4).pow(2) < 6 {
                [220, 200, 180, 255]
            } else {
                [0; 4]
            }
        })
        .collect();
    let encoder = image::codecs::png::PngEncoder::new(&mut encoded);
    image::ImageEncoder::write_image(encoder, &pixels, 8, 8, image::ExtendedColorType::Rgba8).expect("encoded");
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let png = b.view(&encoded);
    let mut root = one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 5, "material": 0}));
    root["images"] = json!([{"bufferView": png, "mimeType": "image/png"}]);
    root["textures"] = json!([{"source": 0}]);
    root["materials"] = json!([{"alphaMode": alpha_mode, "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]);
    let model = b.load(root);
    (model.materials[0].alpha, model.images[0].rgba.to_vec())
}

#[test]
fn transparent_texels_take_their_neighbours_colour_where_alpha_is_drawn() {
    for mode in ["BLEND", "MASK"] {
        let (_, texels) = disc(mode);
        assert!(
            texels
                .as_chunks::<4>()
                .0
                .iter()
                .all(|texel| texel[..3] == [220, 200, 180]),
            "{mode}"
        );
        assert!(
            texels.as_chunks::<4>().0.iter().any(|texel| texel[3] == 0),
            "alpha is kept"
        );
    }
    let (alpha, texels) = disc("OPAQUE");
    assert_eq!(alpha, AlphaMode::Opaque);
    assert!(texels.as_chunks::<4>().0.contains(&[0; 4]), "drawn as it is");
}
