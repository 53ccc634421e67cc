//! Skips tests that lack what they need, visibly; fails them in runs that promise it.
//!
//! libtest has no test that skips itself: one that returns early counts as passed, and its output is swallowed.
//! A harness of our own would have to replace `#[test]`, and a test with the ordinary `#[test]` would then silently
//! never run. So libtest stays, and
//! - fails the test where an environment variable promises what it lacks (see [`Need`]);
//! - writes a line past libtest's capture;
//! - counts: the last line of the binary, below libtest's summary, states how many of the tests reported as passed
//!   were skipped, and why;
//! - adds a line to the file named by `THRONG_SKIPPED`, from which `.ci/run` lists at its end the tests skipped in all
//!   binaries.

use std::{
    collections::BTreeMap,
    io::Write,
    sync::{Mutex, PoisonError},
};

/// Requirement that a test may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// A graphics adapter; `THRONG_REQUIRE_GPU=1` promises one.
    Adapter,
    /// An adapter of OpenGL; `THRONG_REQUIRE_GL=1` promises one.
    Gl,
    /// The sample characters; `THRONG_SAMPLES` names their folder, which must then hold all of them.
    Samples,
    /// Files that were once shown wrongly; `THRONG_FAILING` names their folder.
    Failing,
    /// The Khronos validator; `THRONG_GLTF_VALIDATOR` names its folder, where it must then be.
    Validator,
    /// The Vulkan validation layer; `THRONG_VULKAN_LAYERS` names the folder of its manifest.
    Layers,
    /// A mount namespace to mount a file system in, for full disks; `THRONG_REQUIRE_MOUNT=1` promises it.
    Mount,
    /// ffmpeg and ffprobe; `THRONG_REQUIRE_FFMPEG=1` promises them.
    Ffmpeg,
    /// A display, xdotool and ImageMagick; `THRONG_WINDOW_TEST=1` promises them.
    Window,
}

impl Need {
    fn name(self) -> &'static str {
        match self {
            Self::Adapter => "adapter",
            Self::Gl => "gl",
            Self::Samples => "samples",
            Self::Failing => "failing",
            Self::Validator => "validator",
            Self::Layers => "layers",
            Self::Mount => "mount",
            Self::Ffmpeg => "ffmpeg",
            Self::Window => "window",
        }
    }

    /// Environment variable by which a run promises it.
    fn promise(self) -> &'static str {
        match self {
            Self::Adapter => "THRONG_REQUIRE_GPU",
            Self::Gl => "THRONG_REQUIRE_GL",
            Self::Samples => "THRONG_SAMPLES",
            Self::Failing => "THRONG_FAILING",
            Self::Validator => "THRONG_GLTF_VALIDATOR",
            Self::Layers => "THRONG_VULKAN_LAYERS",
            Self::Mount => "THRONG_REQUIRE_MOUNT",
            Self::Ffmpeg => "THRONG_REQUIRE_FFMPEG",
            Self::Window => "THRONG_WINDOW_TEST",
        }
    }

    fn is_promised(self) -> bool {
        let value = std::env::var_os(self.promise());
        match self {
            Self::Adapter | Self::Gl | Self::Mount | Self::Ffmpeg | Self::Window => value.is_some_and(|v| v == "1"),
            Self::Samples | Self::Failing | Self::Validator | Self::Layers => value.is_some(),
        }
    }
}

/// Tests skipped so far, by their missing requirement.
static SKIPPED: Mutex<BTreeMap<Need, Vec<String>>> = Mutex::new(BTreeMap::new());

/// Records that the calling test lacks a requirement; the test must return at once.
///
/// # Panics
/// If the run promised the requirement.
#[track_caller]
pub fn skip(need: Need, why: &str) {
    assert!(!need.is_promised(), "{} is set, but {why}", need.promise());
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let line = format!(
        "{}\t{}::{test}\t{}\n",
        need.name(),
        binary(),
        why.split_whitespace().collect::<Vec<_>>().join(" ")
    );
    // Write to standard error directly: libtest captures only the print macros.
    let _ = write!(std::io::stderr(), "SKIPPED {line}");
    if let Some(path) = std::env::var_os("THRONG_SKIPPED") {
        let file = std::fs::File::options().create(true).append(true).open(path);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .expect("THRONG_SKIPPED can be written");
    }
    let mut skipped = SKIPPED.lock().unwrap_or_else(PoisonError::into_inner);
    let tests = skipped.entry(need).or_default();
    if !tests.iter().any(|known| known == test) {
        tests.push(test.to_owned());
    }
}

/// Name of this binary without the hash that cargo adds.
fn binary() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    name.rsplit_once('-').map_or(&*name, |(name, _)| name).to_owned()
}

/// Line below libtest's summary, if a test was skipped.
fn summary(skipped: &BTreeMap<Need, Vec<String>>) -> Option<String> {
    let all: std::collections::BTreeSet<&String> = skipped.values().flatten().collect();
    let needs = skipped
        .iter()
        .map(|(need, tests)| format!("{} for lack of: {}", tests.len(), need.name()));
    let needs: Vec<String> = needs.collect();
    (!all.is_empty()).then(|| {
        format!(
            "SKIPPED: {} of the tests above did not run in full ({})",
            all.len(),
            needs.join(", ")
        )
    })
}

dtor::declarative::dtor! {
    #[dtor(unsafe)]
    fn tell_what_was_skipped() {
        let skipped = SKIPPED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = summary(&skipped) {
            let _ = writeln!(std::io::stderr(), "{line}\n");
        }
    }
}
