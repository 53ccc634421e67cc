//! The reader of raw glTF: errors, never panics, whatever the bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = throng::model::gltf::load_bytes("fuzzed.glb", bytes, None);
});
