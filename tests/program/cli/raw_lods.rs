//! Raw files are drawn with LODs, made at the first start and cached.

use std::{fs, path::Path};

use super::{json, site::write_page, succeed, temporary, text, throng, throng_keeping};
use crate::common::gpu::adapter;

/// Writes a raw file without LODs: an embedded character with its extension under an unknown name.
fn write_bare(folder: &Path) {
    let mut bytes = throng::scene::embedded::embedded("sword").expect("embedded").to_vec();
    let name = b"THRONG_levels_of_detail";
    let places: Vec<usize> = (0..bytes.len() - name.len())
        .filter(|&at| bytes[at..].starts_with(name))
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at] = b'X';
    }
    fs::write(folder.join("bare.glb"), bytes).expect("written");
}

fn scene() -> [&'static str; 8] {
    [
        "--count",
        "60",
        "--size",
        "160x90",
        "--adapter",
        adapter(),
        "--technique",
        "matrix",
    ]
}

/// Picture of a crowd of a file, and its statistics. LODs are kept in `cache` of the folder.
fn shot(folder: &Path, file: &str, more: &[&str]) -> (Vec<u8>, serde_json::Value) {
    let arguments = [&["shot", file, "-o", "picture.png", "--json"][..], &scene(), more].concat();
    let done = throng_keeping(folder, &arguments, &folder.join("cache").to_string_lossy());
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let stats = serde_json::from_slice(&done.stdout).expect("JSON");
    (fs::read(folder.join("picture.png")).expect("written"), stats)
}

/// Number of people who are drawn coarser than at full detail.
fn coarse_people(stats: &serde_json::Value) -> u64 {
    let lods = stats["lods"].as_array().expect("LODs");
    lods[1..].iter().filter_map(|lod| lod["people"].as_u64()).sum()
}

fn kept(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder.join("cache")).map(|entries| entries.flatten().map(|e| e.path()).collect());
    entries.unwrap_or_default()
}

#[test]
fn a_raw_crowd_is_drawn_as_its_baked_file_whatever_the_cache_holds() {
    let folder = temporary();
    let folder = folder.path();
    if !super::pictures::can_draw(folder) {
        return;
    }
    write_bare(folder);
    succeed(folder, &["bake", "bare.glb", "-o", "baked.glb", "--samples", "0"]);
    let (baked, stats) = shot(folder, "baked.glb", &[]);
    assert!(coarse_people(&stats) > 0, "nobody is drawn coarser: {stats}");
    let run = |more: &[&str]| {
        let (raw, stats) = shot(folder, "bare.glb", &[&["--lods", "judged"], more].concat());
        assert!(
            raw == baked,
            "{more:?}: the picture of the raw file differs from that of its baked one"
        );
        stats["notes"].to_string()
    };
    assert!(!run(&["--no-cache"]).contains("anew"));
    assert_eq!(kept(folder), Vec::<std::path::PathBuf>::new());
    run(&[]);
    let [file] = &kept(folder)[..] else {
        panic!("expected one cache file: {:?}", kept(folder));
    };
    let whole = fs::read(file).expect("kept");
    assert!(!run(&[]).contains("anew"));
    fs::write(file, &whole[..whole.len() / 2]).expect("written");
    assert!(run(&[]).contains("made again"), "no note on a broken file");
    assert!(fs::read(file).expect("kept") == whole, "mended");
    // Full detail needs no LODs and does not make them.
    fs::remove_file(file).expect("removed");
    let (full, _) = shot(folder, "bare.glb", &["--detail", "full"]);
    assert_eq!(kept(folder), Vec::<std::path::PathBuf>::new());
    assert!(full != baked, "full detail is no coarser: the comparison says nothing");
}

#[test]
fn a_raw_crowd_has_quick_lods_at_once_and_keeps_none() {
    let folder = temporary();
    let folder = folder.path();
    if !super::pictures::can_draw(folder) {
        return;
    }
    write_bare(folder);
    let run = |more: &[&str]| shot(folder, "bare.glb", more);
    let (usual, stats) = run(&[]);
    assert_eq!(stats["lod_quality"], "quick", "{stats}");
    assert!(coarse_people(&stats) > 0, "nobody is drawn coarser: {stats}");
    assert_eq!(
        kept(folder),
        Vec::<std::path::PathBuf>::new(),
        "quick LODs are not cached"
    );
    // What the cache holds does not change them.
    let (cached, stats) = run(&["--lods", "judged"]);
    assert_eq!((stats["lod_quality"].as_str(), kept(folder).len()), (Some("judged"), 1));
    assert!(run(&[]).0 == usual && cached != usual);
    let (full, stats) = run(&["--lods", "full"]);
    assert_eq!(stats["lod_quality"], "full");
    assert!(full == run(&["--detail", "full"]).0 && full != usual);
}

#[test]
fn quick_lods_hold_at_the_heights_that_they_claim() {
    let folder = temporary();
    let report = json(
        folder.path(),
        &["verify", "sword", "--levels", "--lods", "quick", "--json"],
    );
    let lods = report["levels"].as_array().expect("LODs");
    assert!(!lods.is_empty(), "{report}");
    for lod in lods {
        let rows = |key: &str| lod[key].as_f64().unwrap_or(0.0);
        assert!(rows("measured_max_rows") >= 0.99 * rows("max_rows"), "{lod}");
    }
    let refused = throng(folder.path(), &["verify", "sword", "--levels", "--lods", "full"]);
    assert!(text(&refused.stderr).contains("no level to measure") && refused.status.code() == Some(2));
}

#[test]
fn a_page_has_characters_with_lods_unless_they_are_left_out() {
    let folder = temporary();
    let folder = folder.path();
    write_bare(folder);
    write_page(&folder.join("page"), b"");
    let lods = || {
        let file = throng::file::open(&folder.join("site/bare.glb")).expect("opens");
        file.model.lods.len()
    };
    let page = ["export", "--web", "site", "--page", "page", "bare.glb", "--count", "9"];
    let told = succeed(folder, &[&page[..], &["--set", "render.lods=quick"]].concat());
    assert!(lods() > 0 && !told.contains("full detail"), "{told}");
    let told = succeed(folder, &[&page[..], &["--set", "render.lods=full"]].concat());
    assert_eq!(lods(), 0);
    assert!(told.contains("note: bare.glb: no levels of detail"), "{told}");
}
