//! The reader of baked files, and what is done with one that opens.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(opened) = throng::atlas::file::open_bytes("fuzzed.glb", bytes, None) else {
        return;
    };
    if let Some(atlas) = opened.atlas {
        let _ = atlas.to_palettes(&opened.model);
    }
});
