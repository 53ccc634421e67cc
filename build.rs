//! Lists the shaders, which are embedded in the program, and writes the structs that Rust shares with them. Tells the
//! program which commit it was built from: reports name it.

#[path = "build/shader_structs/mod.rs"]
mod shader_structs;

use std::{
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=shaders");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names the output folder"));
    let mut shaders = Vec::new();
    find_shaders(Path::new("shaders"), &mut shaders).expect("shaders/ is readable");
    shaders.sort();
    list_shaders(&shaders, &out).expect("the output folder is writable");
    if let Err(error) = shader_structs::write(&shaders, &out) {
        println!("cargo::error={error}");
        return;
    }
    println!("cargo::rerun-if-env-changed=THRONG_COMMIT");
    let given = std::env::var("THRONG_COMMIT").ok().filter(|commit| !commit.is_empty());
    if let Some(commit) = given.or_else(commit) {
        println!("cargo::rustc-env=THRONG_COMMIT={commit}");
    }
}

/// The commit of the checkout, `-dirty` where tracked files differ; none in an unpacked archive.
fn commit() -> Option<String> {
    // Debug builds would be built anew at every commit; reports are made with release builds.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        return None;
    }
    // In an archive inside somebody else's checkout, git would tell of that one.
    if !Path::new(".git").exists() {
        return None;
    }
    for path in ["HEAD", "index"] {
        let file = git(&["rev-parse", "--git-path", path])?;
        println!("cargo::rerun-if-changed={file}");
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changed.is_empty() { commit } else { commit + "-dirty" })
}

/// `git status` would else write the index, which what is built depends on: the next build would be made anew.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("--no-optional-locks")
        .args(arguments)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// Writes a slice in Rust with module path and source of every shader file.
fn list_shaders(files: &[PathBuf], out: &Path) -> io::Result<()> {
    let mut table = String::from("&[\n");
    for file in files {
        let file = file.to_string_lossy().replace('\\', "/");
        let module = file.trim_start_matches("shaders/").trim_end_matches(".wgsl");
        let source = format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{file}\"))");
        writeln!(table, "    (\"{module}\", {source}),").expect("a string grows");
    }
    fs::write(out.join("shader_sources.rs"), table + "]\n")
}

/// Adds every shader file below a folder.
fn find_shaders(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find_shaders(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "wgsl") {
            files.push(path);
        }
    }
    Ok(())
}
