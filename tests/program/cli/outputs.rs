//! Outputs: extensions, devices, links, and names that could move a cursor.

use serde_json::json;

use super::{succeed, temporary, text, throng, triangle_gltf, write_json};

/// The line that refuses a command.
fn refused(folder: &std::path::Path, arguments: &[&str]) -> String {
    let output = throng(folder, arguments);
    let said = text(&output.stderr);
    assert_eq!(
        (output.status.code(), said.lines().count()),
        (Some(2), 1),
        "{arguments:?}: {said}"
    );
    said
}

#[test]
fn a_baked_character_is_a_glb() {
    let folder = temporary();
    let folder = folder.path();
    write_json(folder, "vane.gltf", &triangle_gltf());
    let said = refused(folder, &["bake", "vane.gltf", "-o", "x.txt"]);
    assert!(said.contains(".txt") && said.contains("x.glb"), "{said}");
    assert!(!folder.join("x.txt").exists());
    succeed(folder, &["bake", "vane.gltf", "-o", "x.GLB", "--samples", "0"]);
}

#[cfg(unix)]
#[test]
fn devices_links_and_read_only_files_are_respected() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let folder = temporary();
    let folder = folder.path();
    write_json(folder, "vane.gltf", &triangle_gltf());
    let bake = |to: &str| throng(folder, &["bake", "vane.gltf", "-o", to, "--samples", "0"]);
    assert_eq!(bake("/dev/null").status.code(), Some(0));
    let null = std::fs::metadata("/dev/null").expect("there");
    assert!(null.file_type().is_char_device());
    assert_eq!(bake("real.glb").status.code(), Some(0));
    symlink("real.glb", folder.join("link.glb")).expect("linked");
    assert_eq!(bake("link.glb").status.code(), Some(0));
    assert!(folder.join("link.glb").is_symlink());
    std::fs::set_permissions(folder.join("real.glb"), PermissionsExt::from_mode(0o444)).expect("set");
    let output = bake("link.glb");
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("read-only"), "{said}");
}

#[test]
fn control_characters_in_names_are_shown_as_escapes() {
    let folder = temporary();
    let folder = folder.path();
    let mut json = triangle_gltf();
    json["nodes"][0]["name"] = "va\u{1b}[31mne\nnote forged".into();
    json["animations"][0]["name"] = "tu\u{9b}31mrn".into();
    json["materials"] = json!([{"name": "gl\u{7}oss", "extensions": {"KHR_materials_sheen": {}}}]);
    json["meshes"][0]["primitives"][0]["material"] = 0.into();
    write_json(folder, "vane.gltf", &json);
    let said = succeed(folder, &["info", "vane.gltf"]);
    assert!(!said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
    assert!(
        said.contains("va\\u001b[31mne\\u000anote forged") && said.contains("tu\\u009b31mrn"),
        "{said}"
    );
    assert!(
        !said.lines().any(|line| line.trim_start().starts_with("note forged")),
        "{said}"
    );
    json["extensionsRequired"] = json!(["EXT_\u{1b}[2J"]);
    write_json(folder, "vane.gltf", &json);
    let said = refused(folder, &["info", "vane.gltf"]);
    assert!(!said.trim_end().chars().any(char::is_control), "{said:?}");
    let said = refused(folder, &["info", "no\u{1b}[31mthing.glb"]);
    assert!(!said.trim_end().chars().any(char::is_control), "{said:?}");
}

#[test]
fn a_damaged_fbx_file_is_refused_with_what_helps() {
    let folder = temporary();
    let folder = folder.path();
    std::fs::write(folder.join("hero.fbx"), b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0").expect("written");
    std::fs::write(folder.join("text.fbx"), b"; FBX 7.4.0 project file\n").expect("written");
    for file in ["hero.fbx", "text.fbx"] {
        for command in ["info", "shot"] {
            let said = refused(folder, &[command, file]);
            assert!(said.contains("as FBX") && said.contains("export it again"), "{said}");
        }
    }
}
