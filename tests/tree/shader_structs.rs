//! build.rs makes structs of Rust from those of shaders, or names the line that it cannot take over.

#[path = "../../build/shader_structs/mod.rs"]
mod generator;

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{files, root};

/// Folder for the files of one test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shader_structs").join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("made");
    folder
}

/// Rust struct `A` that is made from a shader.
fn made(name: &str, shader: &str) -> Result<String, String> {
    let folder = folder(name);
    let file = folder.join("a.wgsl");
    fs::write(&file, shader).expect("written");
    generator::write(&[file], &folder)?;
    Ok(fs::read_to_string(folder.join("shader_structs/A.rs")).expect("written"))
}

#[test]
fn a_struct_has_the_members_of_the_shader() {
    let shader = "/// Head.\n@if(some)\nstruct List { // shared with Rust as A, ordered\n    /// Number.\n    \
                  count: atomic<u32>,\n    pad: u32,\n    // In the shader alone.\n    places: array<vec2<i32>, 2>,\n    \
                  rows: array<vec2<f32>>,\n}\n";
    let text = made("whole", shader).expect("a struct");
    for part in [
        "/// Head.\n///\n/// Made from `List` in ",
        "PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Pod",
        "pub struct A {\n/// Number.\npub count: u32,\n/// Unused.\npub pad: u32,\npub places: [[i32; 2]; 2],\n}\n",
        "assert!(24 == size_of::<A>());",
        "assert!(std::mem::offset_of!(A, places) == 8);",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn structs_that_rust_cannot_lay_out_are_refused() {
    for (at, (mark, members, message)) in (0..).zip([
        ("", "a: u32,\nb: vec3<f32>,", "a.wgsl:3: a gap before `b`"),
        ("", "a: u32,\nb: vec2<f32>,", "a.wgsl:3: a gap before `b`"),
        ("", "a: vec3<f32>,", "a.wgsl:3: a gap at the end"),
        ("", "a: u32,\nb: array<vec4<u32>>,", "a.wgsl:3: a gap before `b`"),
        ("", "a: array<vec3<f32>, 2>,", "a.wgsl:2: gaps between the elements"),
        ("", "a: array<u32, MOST>,", "a.wgsl:2: the length is no number"),
        ("", "a: Other,", "a.wgsl:2: Rust has no type for Other"),
        ("", "@if(b) a: u32,", "a.wgsl:2: a member is a line"),
        ("; ordered", "a: u32,", "a.wgsl:1: unknown mark:; ordered"),
    ]) {
        let shader = format!("struct A {{ // shared with Rust{mark}\n{members}\n}}\n");
        let error = made(&format!("refused_{at}"), &shader).expect_err(members);
        assert!(error.contains(message), "{error}, not {message}");
    }
    let error = made("refused", "const A = 1; // shared with Rust").expect_err("no struct");
    assert!(error.contains("a.wgsl:1: the mark follows"), "{error}");
}

#[test]
fn each_marked_struct_is_taken_over_once() {
    let folder = folder("own");
    generator::write(&files(&root().join("shaders"), "wgsl"), &folder).expect("made");
    let made = files(&folder.join("shader_structs"), "rs").into_iter();
    let made: Vec<_> = made
        .map(|file| file.with_extension("").file_name().map(ToOwned::to_owned))
        .collect();
    let mut taken = Vec::new();
    for file in files(&root().join("src"), "rs") {
        let text = fs::read_to_string(file).expect("readable source");
        let names = text
            .lines()
            .filter_map(|line| line.strip_prefix("shader_struct!(")?.strip_suffix(");"));
        taken.extend(names.map(|name| Some(name.into())));
    }
    taken.sort();
    assert_eq!(made, taken);
}
