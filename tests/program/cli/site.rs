//! `throng export --web`: a page of one's own characters and scene.

use std::{fs, path::Path};

use serde_json::{Value, json};
use throng::{config::Config, file};

use super::{names, succeed, temporary, text, throng, triangle_gltf, write_json};

const INDEX: &str = "<html><head><meta name=\"crowd\" content=\"\"></head></html>\n";
const PAGE: [&str; 4] = ["index.html", "main.js", "throng_web.js", "throng_web_bg.wasm"];

/// Writes the folder of a page, whose program is `program`.
pub(super) fn write_page(folder: &Path, program: &[u8]) {
    fs::create_dir(folder).expect("made");
    fs::write(folder.join("index.html"), INDEX).expect("written");
    fs::write(folder.join("main.js"), "// starts the page").expect("written");
    fs::write(folder.join("throng_web.js"), "// loads the program").expect("written");
    fs::write(folder.join("throng_web_bg.wasm"), program).expect("written");
}

/// Folder with the stand-in of a page and two raw characters, which turn.
fn folder_with_page() -> tempfile::TempDir {
    let folder = temporary();
    write_page(&folder.path().join("page"), b"\0asm, as it were");
    for name in ["a.gltf", "b.gltf"] {
        write_json(folder.path(), name, &triangle_gltf());
    }
    folder
}

fn export<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["export", "--web", "site", "--page", "page"], more].concat()
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn scene_of(site: &Path) -> Config {
    Config::load(&site.join("scene.toml")).expect("a scene")
}

fn manifest_of(site: &Path) -> Value {
    serde_json::from_slice(&read(&site.join("crowd.json"))).expect("JSON")
}

/// Names of the clips of a character, which opens as a page opens it.
fn clips(file: &Path) -> Vec<String> {
    let opened = file::open_bytes_to_draw("character", read(file), None).expect("opens alone");
    let atlas = opened.atlas.expect("is baked");
    atlas.clips.iter().map(|clip| clip.name.clone()).collect()
}

#[test]
fn a_page_has_the_programs_files_the_scene_and_its_baked_characters() {
    let folder = folder_with_page();
    let (folder, site) = (folder.path(), folder.path().join("site"));
    fs::create_dir(&site).expect("made");
    for foreign in ["notes.txt", "main.js"] {
        fs::write(site.join(foreign), "my own").expect("written");
    }
    let told = succeed(
        folder,
        &export(&["a.gltf", "b.gltf", "--count", "30", "--set", "scene.name=Square"]),
    );
    assert!(told.contains("crowd.json") && told.contains("http.server"), "{told}");
    let mut all = PAGE.to_vec();
    all.extend(["a.glb", "b.glb", "crowd.json", "notes.txt", "scene.toml"]);
    all.sort_unstable();
    assert_eq!(names(&site), all);
    for name in &PAGE[1..] {
        assert_eq!(read(&site.join(name)), read(&folder.join("page").join(name)), "{name}");
    }
    let named = INDEX.replace("content=\"\"", "content=\"crowd.json\"");
    assert_eq!(text(&read(&site.join("index.html"))), named);
    assert_eq!(text(&read(&folder.join("page/index.html"))), INDEX);
    assert_eq!(read(&site.join("notes.txt")), b"my own");
    let listed = |file: &str| json!({"file": file, "bytes": read(&site.join(file)).len()});
    let manifest =
        json!({"schema": 1, "name": "Square", "scene": "scene.toml", "characters": [listed("a.glb"), listed("b.glb")]});
    assert_eq!(manifest_of(&site), manifest);
    let scene = scene_of(&site).scene;
    assert_eq!((&scene.name[..], scene.count), ("Square", 30));
    assert_eq!(scene.characters, [Path::new("a.glb"), Path::new("b.glb")]);
    assert_eq!(clips(&site.join("a.glb")), ["turn"]);
    succeed(folder, &export(&["a.gltf", "--count", "5"]));
    assert_eq!((scene_of(&site).scene.count, names(&site).len()), (5, all.len()));
}

#[test]
fn a_scene_file_is_exported_with_the_clips_that_it_adds() {
    let folder = folder_with_page();
    let (folder, site) = (folder.path(), folder.path().join("site"));
    let mut library = triangle_gltf();
    library["animations"][0]["name"] = "spin".into();
    write_json(folder, "moves.gltf", &library);
    let scene = "[scene]\ncharacters = [\"a.gltf\", \"b.gltf\", \"a.gltf\"]\nweights = [1.0, 2.0, 3.0]\nanimations = \
                 [\"moves.gltf\"]\nspacing = 2.5\n";
    fs::write(folder.join("mine.toml"), scene).expect("written");
    succeed(folder, &export(&["--scene", "mine.toml"]));
    let own = scene_of(&site).scene;
    let files = ["a.glb", "b.glb", "a.glb"].map(Path::new);
    assert_eq!((&own.name[..], own.spacing), ("mine", 2.5));
    assert!(own.characters == files && own.animations.is_empty(), "{own:?}");
    assert_eq!(own.weights, [1.0, 2.0, 3.0]);
    assert_eq!(manifest_of(&site)["characters"].as_array().map(Vec::len), Some(2));
    assert_eq!(clips(&site.join("b.glb")), ["turn", "spin"]);
}

#[test]
fn baked_files_are_copied_and_embedded_characters_need_none() {
    let folder = folder_with_page();
    let (folder, site) = (folder.path(), folder.path().join("site"));
    succeed(folder, &["bake", "a.gltf", "-o", "ready.glb", "--samples", "0"]);
    succeed(folder, &export(&["ready.glb", "--count", "4"]));
    assert_eq!(read(&site.join("ready.glb")), read(&folder.join("ready.glb")));
    succeed(
        folder,
        &[
            "export", "--web", "army", "--page", "page", "--scene", "army", "--count", "9",
        ],
    );
    assert_eq!(names(&folder.join("army")).len(), PAGE.len() + 2);
    assert_eq!(manifest_of(&folder.join("army"))["characters"], json!([]));
    assert_eq!(scene_of(&folder.join("army")).scene.count, 9);
}

/// Runs a command that must be refused with one line, which has `reason`, and write nothing.
fn refuse(folder: &Path, arguments: &[&str], reason: &str) {
    let refused = throng(folder, arguments);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {said}");
    assert!(
        said.contains(reason) && said.lines().count() == 1,
        "{arguments:?}: {said}"
    );
    assert!(!folder.join("site").exists(), "{arguments:?} wrote something");
}

#[test]
fn pages_that_are_none_are_refused_by_name() {
    let folder = folder_with_page();
    let folder = folder.path();
    let of_page = |page| ["export", "--web", "site", "--page", page, "a.gltf"];
    let reason = "add --page page, which lies in a release's archive, or --page web/dist, which web/build makes";
    refuse(folder, &["export", "--web", "site", "a.gltf"], reason);
    refuse(
        folder,
        &of_page("nowhere"),
        "--page nowhere: not the folder of the page, since it has no index.html",
    );
    write_page(&folder.join("half"), b"");
    fs::remove_file(folder.join("half/throng_web_bg.wasm")).expect("removed");
    refuse(folder, &of_page("half"), "it has no throng_web_bg.wasm");
    write_page(&folder.join("old"), b"");
    fs::write(folder.join("old/index.html"), "<html></html>").expect("written");
    refuse(folder, &of_page("old"), "that of another version");
    succeed(folder, &["export", "--web", "done", "--page", "page", "a.gltf"]);
    refuse(folder, &of_page("done"), "it was exported with characters of its own");
    let same = ["export", "--web", "page", "--page", "./page", "a.gltf"];
    refuse(folder, &same, "it is the folder of --page, which stays as it is");
    assert_eq!(
        (names(&folder.join("page")), read(&folder.join("page/index.html"))),
        (PAGE.map(String::from).to_vec(), INDEX.into())
    );
    fs::create_dir(folder.join("page/more")).expect("made");
    refuse(folder, &of_page("page"), "a page consists of files alone");
}

#[test]
fn scenes_and_options_that_suit_no_page_are_refused() {
    let folder = folder_with_page();
    let folder = folder.path();
    let scene = |name: &str, content: &str| fs::write(folder.join(name), content).expect("written");
    scene("walk.toml", "[scene.trajectories]\nfile = \"walk.csv\"\n");
    scene("hats.toml", "[[scene.groups.talkers.props]]\nmesh = \"hat.glb\"\n");
    scene("view.toml", "[camera]\nstart = \"balcony\"\n");
    refuse(
        folder,
        &export(&["--scene", "walk.toml"]),
        "scene.trajectories: people on a page follow no file",
    );
    refuse(
        folder,
        &export(&["--scene", "hats.toml"]),
        "scene.groups.talkers.props: a page has the embedded props alone, not hat.glb",
    );
    refuse(
        folder,
        &export(&["a.gltf", "--scene", "view.toml"]),
        "view.toml:2: `camera.start` is \"balcony\"",
    );
    refuse(folder, &export(&["--scene", "nowhere"]), "nowhere");
    refuse(folder, &export(&["a.gltf", "missing.glb"]), "missing.glb");
    refuse(folder, &export(&["a.gltf", "-o", "site"]), "--output");
    refuse(folder, &export(&["a.gltf", "--format", "f32"]), "--format");
    refuse(folder, &["export", "a.gltf", "-o", "site", "--count", "3"], "--output");
    refuse(folder, &["export", "a.gltf"], "--output");
    fs::create_dir(folder.join("other")).expect("made");
    write_json(&folder.join("other"), "A.gltf", &triangle_gltf());
    let twice = export(&["a.gltf", "other/A.gltf"]);
    refuse(
        folder,
        &twice,
        "other/A.gltf: the page has another file A.glb; give one of both another name",
    );
    fs::write(folder.join("page/a.glb"), "of the page").expect("written");
    refuse(folder, &export(&["a.gltf"]), "a.gltf: the page has another file a.glb");
}

#[test]
fn inputs_in_the_folder_are_never_overwritten() {
    let folder = folder_with_page();
    let (folder, site) = (folder.path(), folder.path().join("site"));
    fs::create_dir(&site).expect("made");
    succeed(folder, &["bake", "a.gltf", "-o", "site/vane.glb", "--samples", "0"]);
    let vane = read(&site.join("vane.glb"));
    fs::write(site.join("scene.toml"), "[scene]\ncount = 3\n").expect("written");
    for input in ["site/vane.glb", "site/scene.toml"] {
        let refused = throng(folder, &export(&[input]));
        assert_eq!(refused.status.code(), Some(2));
        let said = text(&refused.stderr);
        assert!(said.contains(&format!("{input} would be overwritten")), "{said}");
        assert_eq!(names(&site), ["scene.toml", "vane.glb"]);
    }
    assert!(read(&site.join("vane.glb")) == vane);
}
