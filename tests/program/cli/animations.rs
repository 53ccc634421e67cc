//! Clips of other files, from the command line and from scenes.

use serde_json::Value;

use super::{
    errors::{fails, line_fails},
    pictures::folder_to_draw_in,
    succeed, temporary,
};
use crate::common::glb;

/// Writes an embedded character without clips, and one with only nodes and clips, to files.
fn apart(folder: &std::path::Path) {
    let bytes = throng::scene::embedded::embedded("man").expect("embedded");
    let without = |keys: &[&str]| {
        glb::edited(bytes, |json| {
            let object = json.as_object_mut().expect("an object");
            keys.iter()
                .chain(&["extensions", "extensionsUsed"])
                .for_each(|key| drop(object.remove(*key)));
            if keys.contains(&"meshes") {
                for node in json["nodes"].as_array_mut().expect("nodes") {
                    let node = node.as_object_mut().expect("a node");
                    ["mesh", "skin"].iter().for_each(|key| drop(node.remove(*key)));
                }
            }
        })
    };
    std::fs::write(folder.join("body.glb"), without(&["animations"])).expect("written");
    let library = without(&["meshes", "skins", "materials", "textures", "images"]);
    std::fs::write(folder.join("moves.glb"), library).expect("written");
}

fn clip_names(json: &str) -> Vec<String> {
    let info: Value = serde_json::from_str(json).expect("JSON");
    let clips = info["clips"].as_array().expect("clips");
    clips
        .iter()
        .map(|clip| clip["name"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn every_command_that_opens_characters_takes_clips_of_other_files() {
    let folder = temporary();
    let folder = folder.path();
    apart(folder);
    let with = ["--animations", "moves.glb"];
    let run = |arguments: &[&str]| succeed(folder, &[arguments, &with].concat());
    let own = clip_names(&succeed(folder, &["info", "man", "--json=1", "--samples", "0"]));
    assert_eq!(
        clip_names(&run(&["info", "body.glb", "--json=1", "--samples", "0"])),
        own
    );
    run(&[
        "bake",
        "body.glb",
        "-o",
        "out.glb",
        "--no-levels",
        "--clips",
        "walk,wave",
        "--samples",
        "0",
    ]);
    let baked = succeed(folder, &["info", "out.glb", "--json=1", "--samples", "0"]);
    assert_eq!(clip_names(&baked), ["walk", "wave"]);
    // A baked character accepts more clips; of equal names, the file is appended.
    let more = run(&["info", "out.glb", "--json=1", "--samples", "0"]);
    assert!(clip_names(&more).iter().any(|name| name == "moves|walk"), "{more}");
    run(&["export", "body.glb", "-o", "exported", "--rate", "10"]);
    run(&[
        "verify",
        "body.glb",
        "--samples",
        "1000",
        "--rate",
        "10",
        "--format",
        "f16",
    ]);
}

#[test]
fn pictures_of_a_body_with_the_clips_of_another_file_are_those_of_the_whole() {
    let Some(folder) = folder_to_draw_in() else { return };
    let folder = folder.path();
    apart(folder);
    let scene = "[scene]\ncharacters = [\"body.glb\"]\nanimations = [\"moves.glb\"]\nlayout = \"grid\"\ncount = 6\n";
    std::fs::write(folder.join("apart.toml"), scene).expect("written");
    let scene = "[scene]\ncharacters = [\"man\"]\nlayout = \"grid\"\ncount = 6\n";
    std::fs::write(folder.join("whole.toml"), scene).expect("written");
    for name in ["apart", "whole"] {
        let (toml, png) = (format!("{name}.toml"), format!("{name}.png"));
        let size = ["--size", "160x90", "--time", "1.7", "--detail", "full"];
        succeed(folder, &[&["shot", "--scene", &toml, "-o", &png][..], &size].concat());
    }
    let picture = |name: &str| image::open(folder.join(name)).expect("a picture").into_rgba8();
    assert_eq!(picture("apart.png"), picture("whole.png"));
}

#[test]
fn folders_of_characters_are_drawn_together() {
    let Some(folder) = folder_to_draw_in() else { return };
    let folder = folder.path();
    apart(folder);
    std::fs::create_dir_all(folder.join("people/more")).expect("folders");
    std::fs::copy(folder.join("body.glb"), folder.join("people/more/b.glb")).expect("copied");
    std::fs::copy(folder.join("body.glb"), folder.join("people/a.glb")).expect("copied");
    let drawn = |models: &[&str]| -> (Value, u64) {
        let more = ["-o", "a.png", "--size", "64x36", "--json", "--detail", "full"];
        let stats: Value = serde_json::from_str(&succeed(folder, &[&["shot"], models, &more].concat())).expect("JSON");
        let people = stats["instances"].as_u64().expect("a number");
        (stats["characters"].clone(), people)
    };
    assert_eq!(drawn(&["people"]), (serde_json::json!(["a", "b"]), 16));
    assert_eq!(drawn(&["man", "people"]).0, serde_json::json!(["man", "a", "b"]));
    assert_eq!(drawn(&["people/more"]), (serde_json::json!(["b"]), 1));
    std::fs::create_dir(folder.join("empty")).expect("a folder");
    fails(
        folder,
        &["shot", "empty", "-o", "b.png"],
        2,
        "no .fbx, .glb, .gltf, .vrm or .vrma in this folder",
    );
}

#[test]
fn libraries_that_do_not_fit_cost_one_line() {
    let folder = temporary();
    let folder = folder.path();
    apart(folder);
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    write("broken.toml", "\"a\" = \"b\"\nLeftArm = 3\n");
    write("strange.toml", "Hand = \"no such joint\"\n");
    write("body.toml", "[scene]\nanimations = [\"nobody.glb\"]\n");
    write("nothing.toml", "[scene]\nanimations = 3\n");
    let bake = |more: &[&str], says: &str| {
        fails(
            folder,
            &[&["bake", "body.glb", "-o", "out.glb"], more].concat(),
            2,
            says,
        )
    };
    bake(&["--animations", "missing.glb"], "cannot read missing.glb");
    bake(&["--animations", "body.glb"], "must have clips");
    bake(&["--animations", "fountan"], "the embedded characters are");
    bake(
        &["--animations", "moves.glb", "--joint-map", "missing.toml"],
        "cannot read missing.toml",
    );
    bake(
        &["--animations", "moves.glb", "--joint-map", "broken.toml"],
        "broken.toml: line 2",
    );
    bake(
        &["--animations", "moves.glb", "--joint-map", "strange.toml"],
        "\"no such joint\"",
    );
    bake(&["--joint-map", "strange.toml"], "--animations");
    line_fails(folder, "info fountain --animations moves.glb", "--joint-map");
    let over = "bake body.glb -o moves.glb --animations moves.glb";
    line_fails(folder, over, "would be overwritten");
    line_fails(folder, "shot --scene body.toml -o out.png", "nobody.glb");
    line_fails(folder, "shot --scene nothing.toml -o out.png", "scene.animations");
}

#[test]
fn a_joint_map_pairs_what_names_do_not() {
    let folder = temporary();
    let folder = folder.path();
    apart(folder);
    let moves = std::fs::read(folder.join("moves.glb")).expect("readable");
    let mut pairs = String::new();
    let renamed = glb::edited(&moves, |json| {
        for (index, node) in json["nodes"].as_array_mut().expect("nodes").iter_mut().enumerate() {
            let own = node["name"].as_str().expect("a name").to_owned();
            pairs += &format!("{own:?} = \"Bip {index}\"\n");
            node["name"] = format!("Bip {index}").into();
        }
    });
    std::fs::write(folder.join("moves.glb"), renamed).expect("written");
    std::fs::write(folder.join("map.toml"), pairs).expect("written");
    let info = ["info", "body.glb", "--animations", "moves.glb"];
    fails(folder, &info, 2, "0 of ");
    let told = succeed(
        folder,
        &[&info[..], &["--joint-map", "map.toml", "--samples", "0"]].concat(),
    );
    assert!(told.contains("walk"), "{told}");
}
