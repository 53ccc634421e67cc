//! Fuzzes the reader of raw glTF and the count of its frames: errors but never panics, for any bytes.
#![no_main]

use throng::{
    bake::{self, BakeOptions},
    file::gltf,
};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = gltf::load_bytes("fuzzed.glb", bytes, None) {
        std::hint::black_box(bake::frame_count(&model, &BakeOptions::default()));
    }
});
