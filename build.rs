//! Tells the program which commit it was built from: reports name it.

use std::{path::Path, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
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
