//! Fuzzing: damaged files make both readers return errors, never panic or hang.
//! A stand-in for the coverage-guided targets in `fuzz/` that runs everywhere; `THRONG_FUZZ_SECONDS` extends it.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::json;
use throng::{
    bake::{self, BakeOptions, retarget::JointMap},
    character::animate,
    file::{self, Animations, gltf},
    model::Model,
    scene::embedded::embedded,
};

use crate::common::builder::{Builder, SQUARE, one_mesh};

/// Number of damaged files per seed and reader, unless a time is given.
const ROUNDS: u32 = 300;
/// Time limit for files of a few kilobytes, even in unoptimised builds.
const LONGEST: Duration = Duration::from_secs(5);

fn seeds(reader: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(reader);
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("a corpus")
        .flatten()
        .map(|e| e.path())
        .collect();
    paths.sort();
    let seeds = paths
        .iter()
        .filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("seed-")));
    seeds.map(|p| std::fs::read(p).expect("read")).collect()
}

/// Numbers that break arithmetic, in JSON notation.
const NUMBERS: [&str; 10] = [
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "1e300",
    "-0.0",
    "18446744073709551615",
];

/// Damages a file in one to four ways.
fn damage(seed: &[u8], random: &mut StdRng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..random.random_range(1..5) {
        if bytes.is_empty() {
            break;
        }
        let at = random.random_range(0..bytes.len());
        match random.random_range(0..7) {
            0 => bytes[at] ^= 1 << random.random_range(0..8),
            1 => bytes[at] = random.random(),
            2 => bytes.truncate(at),
            3 => {
                let end = (at + random.random_range(1..64)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let end = (at + random.random_range(1..64)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            // This kind is twice as likely, since most of the data that a reader trusts are numbers in the JSON.
            _ => replace_number(&mut bytes, at, random),
        }
    }
    bytes
}

/// Replaces the next number after `from`; keeps the length in binary files, so that their chunks still match.
fn replace_number(bytes: &mut Vec<u8>, from: usize, random: &mut StdRng) {
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit).map(|n| n + from) else {
        return;
    };
    let length = bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut number = NUMBERS[random.random_range(0..NUMBERS.len())].as_bytes().to_vec();
    if bytes.starts_with(b"glTF") {
        number = (0..length).map(|_| random.random_range(b'0'..=b'9')).collect();
    }
    bytes.splice(start..start + length, number);
}

fn attack(reader: &str, read: impl Fn(&[u8])) {
    let seconds: Option<u64> = std::env::var("THRONG_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let (start, mut files, mut slowest) = (Instant::now(), 0_u64, Duration::ZERO);
    let seeds = seeds(reader);
    assert!(!seeds.is_empty());
    let mut round = 0;
    while seconds.map_or(round < ROUNDS, |s| start.elapsed().as_secs() < s) {
        for (index, seed) in seeds.iter().enumerate() {
            let mut random = StdRng::seed_from_u64(u64::from(round) << 8 | index as u64);
            let bytes = damage(seed, &mut random);
            let begun = Instant::now();
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| read(&bytes)));
            slowest = slowest.max(begun.elapsed());
            assert!(outcome.is_ok(), "{reader}: seed {index}, round {round} panics");
            assert!(
                slowest < LONGEST,
                "{reader}: seed {index}, round {round} takes {slowest:?}"
            );
            files += 1;
        }
        round += 1;
    }
    println!(
        "{reader}: {files} damaged files in {:.1} s, slowest {slowest:?}",
        start.elapsed().as_secs_f64()
    );
}

/// Counts the frames of any model, and bakes it if they are few.
fn bake_if_short(model: &Model) {
    let options = BakeOptions::default();
    if bake::frame_count(model, &options) <= 500 {
        bake::bake(model, &options, &|_| ()).expect("few frames");
    }
}

#[test]
fn raw_files() {
    attack("raw", |bytes| {
        if let Ok(model) = gltf::load_bytes("damaged", bytes, None) {
            bake_if_short(&model);
        }
    });
}

/// Clips of a damaged file on its own character and on an intact one.
#[test]
fn animation_libraries() {
    let whole = embedded("man").expect("comes with the library");
    attack("raw", |bytes| {
        let Ok(library) = file::open_library_bytes("damaged", bytes, None) else {
            return;
        };
        let animations =
            Animations::new(vec![library], JointMap::default(), Path::new("none")).expect("an empty map fits");
        for body in [bytes, whole] {
            let opened = file::open_bytes_to_animate("body", body, None, &animations);
            if let Ok(mut opened) = opened
                && animate(&mut opened, &animations).is_ok()
            {
                bake_if_short(&opened.model);
            }
        }
    });
}

#[cfg(feature = "fbx")]
#[test]
fn fbx_files() {
    attack("fbx", |bytes| {
        if let Ok(opened) = file::open_bytes("damaged.fbx", bytes, None) {
            bake_if_short(&opened.model);
        }
        std::hint::black_box(file::open_library_bytes("damaged.fbx", bytes, None).is_ok());
    });
}

#[test]
fn baked_files() {
    attack("baked", |bytes| {
        if let Ok(opened) = file::open_bytes("damaged", bytes, None) {
            bake_if_short(&opened.model);
            if let Some(atlas) = opened.atlas {
                std::hint::black_box(Arc::new(atlas).to_palettes(&opened.model).matrices.len());
            }
        }
        // Parts that are read on first use must not panic either.
        if let Ok(opened) = file::open_bytes_to_draw("damaged", bytes.to_vec(), None) {
            let keys: usize = opened.model.clips.iter().map(|c| c.channels.len()).sum();
            let pixels: usize = opened.model.images.iter().map(|i| i.rgba.len()).sum();
            std::hint::black_box((keys, pixels));
        }
    });
}

/// Seeds must contain every feature, since only parts that are read can be damaged.
#[test]
fn seeds_have_lods_that_morph_targets_move() {
    for reader in ["raw", "baked"] {
        let moves = |bytes: Vec<u8>| {
            let lods = file::open_bytes("seed", &bytes, None).expect("whole").model.lods;
            lods.iter().flat_map(|lod| &lod.morphs).any(|deltas| !deltas.is_empty())
        };
        assert!(seeds(reader).into_iter().any(moves), "{reader}");
    }
}

#[test]
fn seeds_have_splats() {
    for reader in ["raw", "baked"] {
        let has = |bytes: Vec<u8>| {
            let lods = file::open_bytes("seed", &bytes, None).expect("whole").model.lods;
            lods.iter().any(throng::model::Lod::is_splats)
        };
        assert!(seeds(reader).into_iter().any(has), "{reader}");
    }
}

/// Images that are small in the file and large in memory: their total is limited per character.
#[test]
fn images_have_a_budget_together() {
    // PNG of 16384 x 16384 1-bit pixels, up to its first pixel.
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x40\0\0\0\x40\0\x01\0\0\0\0\x81\xb3\x2d\x29\0\0\0\x0aIDAT";
    let mut b = Builder::default();
    let view = b.view(picture);
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let mut root = one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 5}));
    let image = json!({"bufferView": view, "mimeType": "image/png"});
    root["images"] = json!([image, image, image]);
    root["textures"] = json!([{"source": 0}, {"source": 1}, {"source": 2}]);
    root["materials"] = json!([
        {"normalTexture": {"index": 0}, "occlusionTexture": {"index": 1}},
        {"pbrMetallicRoughness": {"baseColorTexture": {"index": 2}}}]);
    let error = b.open(root).expect_err("refused").to_string();
    assert!(error.contains("image 2") && error.contains("shrink them"), "{error}");
}

/// Many views that decompress the same few bytes.
#[test]
fn compressed_views_have_a_budget_together() {
    let count = 1 << 20;
    // Vertex codec 0: a control byte for each 64 elements of each of 4 bytes, all values equal.
    let packed = [&[0xa0][..], &vec![0; count / 16 + 32]].concat();
    let mut b = Builder::default();
    let view = b.view(&packed);
    b.views[view]["extensions"]["EXT_meshopt_compression"] = json!({
        "buffer": 0, "byteLength": packed.len(), "byteStride": 4, "count": count, "mode": "ATTRIBUTES"});
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let compressed = b.views[view].clone();
    b.views.extend(vec![compressed; 60]);
    let root = one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 5}));
    let error = b.open(root).expect_err("refused").to_string();
    assert!(error.contains("implausibly large"), "{error}");
}
