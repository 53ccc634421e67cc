//! Frames placed by the motion, in baked files.

use std::path::Path;

use throng::{
    atlas::{Atlas, AtlasFormat, baked_vertex::VertexAtlas, verify::error_along},
    bake::{self, Palettes},
    file,
    model::UnitSpace,
};

use crate::baked::small_model;

/// Small baked character with frames placed by motion: it stores their times and the error bound.
fn small_by_motion() -> (Palettes, Vec<u8>) {
    let model = small_model();
    let bound = bake::FrameBound {
        position: 1e-3,
        optimized: true,
    };
    let palettes = bake::bake_within(&model, bound, &|_| ()).expect("bakes");
    let space = UnitSpace::around(model.mesh.bounds());
    let atlas = Atlas::encode(&palettes, &space, AtlasFormat::F16);
    let vertices = VertexAtlas::encode(&model, &palettes);
    (
        palettes,
        file::baked::to_bytes(&model, &atlas, Some(&vertices)).expect("fits"),
    )
}

#[test]
fn frame_times_survive() {
    let (palettes, bytes) = small_by_motion();
    if let Some(out) = std::env::var_os("THRONG_BAKED_OUT") {
        std::fs::write(Path::new(&out).join("baked-v2.glb"), &bytes).expect("written");
    }
    let opened = file::open_bytes("small", &bytes, None).expect("opens");
    let atlas = opened.atlas.expect("baked");
    let tables = |clips: &[bake::BakedClip]| clips.iter().map(|c| c.times.clone()).collect::<Vec<_>>();
    assert_eq!(tables(&atlas.clips), tables(&palettes.clips));
    assert!(
        atlas
            .clips
            .iter()
            .any(|c| c.times != bake::FrameTable::even(c.frame_count))
    );
    assert_eq!(atlas.bound, palettes.bound);
    assert_eq!(
        file::baked::to_bytes(&opened.model, &atlas, opened.vertices.as_ref()).expect("fits"),
        bytes
    );
}

#[test]
fn files_of_version_2_keep_opening() {
    let bytes = include_bytes!("../data/baked-v2.glb");
    let opened = file::open_bytes("baked-v2", bytes, None).expect("opens");
    let atlas = opened.atlas.expect("baked");
    assert_eq!(
        (atlas.format, opened.model.name.as_str()),
        (AtlasFormat::F16, "baked-v2")
    );
    let bound = atlas.bound.expect("frames by motion");
    assert!(bound.optimized && bound.position == 1e-3);
    let uneven = |clip: &&bake::BakedClip| clip.times != bake::FrameTable::even(clip.frame_count);
    assert!(atlas.clips.iter().filter(uneven).count() > 0 && opened.vertices.is_some());
    // The stored frames stay within the bound that the file states for its own keys.
    let errors = (0..atlas.clips.len()).flat_map(|clip| error_along(&opened.model, &atlas, clip, 100));
    let worst = errors.map(|(_, metres)| metres).fold(0.0, f32::max);
    assert!(worst < 2e-3 && atlas.frame_count > 2, "{worst}");
}

#[test]
fn broken_frame_times_are_refused() {
    let (_, bytes) = small_by_motion();
    // The first time in the table is 0, never 9.
    let at = bytes
        .windows(11)
        .position(|w| w == b"\"times\":[0,")
        .expect("has a table");
    let mut broken = bytes.clone();
    broken[at + 9] = b'9';
    let error = file::open_bytes("small", &broken, None)
        .expect_err("broken")
        .to_string();
    assert!(error.contains("frame times"), "{error}");
}
